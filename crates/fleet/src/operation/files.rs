//! Files that operations install on cards or push to them: uploaded once, fetched once by each room, verified at each
//! step.

use base::app::App;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::fetch::object;
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::upload::{Sent, Upload};
use base::http::{ApiResult, Need, Reply, Valid, reply};
use base::incoming;
use base::inspection::By;
use base::resumable::{FinishInput, Found, Resumable, Whole, whole};
use courier::Outgoing;
use entity::operation::{self, OperationState};
use entity::operation_file::{self as file, Model};
use entity::operation_task as task;
use entity::{OperationFileId, RoomId};
use kernel::rules::{FileKind, Violation, file_extension};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::FileRef;

use super::store::RUNNING;
use crate::screens::perm;

/// Their folder in the object storage.
const FOLDER: &str = "operation-files";
/// The largest size of a file in bytes.
pub const FILE_LIMIT: u64 = 2 << 30;
const NO_FILE: Text = text("文件不存在或已过期，请重新上传", "The file does not exist or has expired; upload it again");

/// A file to be uploaded.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes the body")]
pub struct OperationFileUpload {
    /// 2 GB at most.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Files of operations that are sent in pieces.
#[derive(Clone, Copy, Debug)]
pub struct InPieces;

impl Resumable for InPieces {
    const OF: &'static str = "operationFile";
    const TAG: &'static str = "operation";
    const CALLS: &'static str = "operation_upload";
    const NEED: Need = perm::DEVICE_INSTALL;
    const LIMIT: u64 = FILE_LIMIT;

    fn path() -> String {
        "/api/operation/v1/files/uploads".to_owned()
    }
}

/// A file that can be installed or pushed.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationFileView {
    pub id: OperationFileId,
    pub file_name: String,
    /// Bytes.
    pub size: i64,
    /// In hex.
    pub sha256: String,
    /// It can be installed: it is an Android package by its name and its content.
    pub is_package: bool,
    /// The package's name, such as `com.example.app`; empty if it is not a package or has none.
    pub package_name: String,
    /// Its version, for display.
    pub package_version: String,
    pub created_by: String,
    pub created_at: UtcTime,
}

impl From<Model> for OperationFileView {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            file_name: row.file_name,
            size: row.size,
            sha256: row.sha256,
            is_package: row.is_package,
            package_name: row.package_name,
            package_version: row.package_version,
            created_by: row.created_by,
            created_at: row.created_at,
        }
    }
}

/// A file that was uploaded just now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationFileUploaded {
    #[serde(flatten)]
    pub file: OperationFileView,
    /// Why it is no package although it is named `.apk`, in the caller's language; empty otherwise.
    pub why_no_package: String,
}

/// Stores a file for operations that install or push it. It is deleted with the last of them, or after a few days if
/// none uses it. A file that is named `.apk` and is dangerous to open is refused.
#[utoipa::path(post, path = "/api/operation/v1/files", tag = "operation",
    request_body(content = OperationFileUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = Reply<OperationFileUploaded>)))]
pub async fn operation_file_upload(ctx: OpCtx, sent: Sent) -> ApiResult<OperationFileUploaded> {
    let sent = sent.receive_any(&ctx.app, FILE_LIMIT, is_named_like_one).await?;
    reply(keep(&ctx, &sent, None).await?)
}

/// Stores a file that was sent in pieces, once it has come completely, as `POST /api/operation/v1/files` does. Asked
/// again, because the answer was lost, it tells the same file.
#[utoipa::path(post, path = "/api/operation/v1/files/uploads/{id}/finish", tag = "operation",
    params(("id" = String, Path, description = "The upload's id")), request_body = FinishInput,
    responses((status = 200, body = Reply<OperationFileUploaded>)))]
pub async fn operation_upload_finish(
    ctx: OpCtx,
    PathId(id): PathId<String>,
    Valid(said): Valid<FinishInput>,
) -> ApiResult<OperationFileUploaded> {
    match whole::<InPieces, _>(&ctx, id, said).await? {
        Found::Taken(answer) => reply(answer),
        Found::Whole(whole) => {
            if is_named_like_one(&whole.upload.name) {
                ctx.app.inspection.admit(whole.upload.size)?;
            }
            let answer = keep(&ctx, &whole.upload, Some(&whole)).await?;
            whole.remove(&ctx.app).await;
            reply(answer)
        }
    }
}

/// Inspects a file and stores it with its row; one that came in pieces is taken with it.
async fn keep(ctx: &OpCtx, sent: &Upload, whole: Option<&Whole>) -> Outcome<OperationFileUploaded> {
    let seen = seen(&ctx.app, sent).await.map_err(|fault| fault.of_file(&sent.name))?;
    let is_package = matches!(seen, Seen::Package(_));
    let (Package { name: package_name, version: package_version }, why_no_package) = match seen {
        Seen::Package(package) => (package, String::new()),
        Seen::NoPackage(why) => (Package::default(), why.message(ctx.lang())),
        Seen::Other => Default::default(),
    };
    let stored = sent.store(&ctx.app, FOLDER).await?;
    if let Some(whole) = whole {
        whole.judge(&ctx.app, &stored).await?;
    }
    let row = file::ActiveModel {
        object_key: Set(stored.key.to_string()),
        file_name: Set(sent.name.clone()),
        size: Set(i64::try_from(stored.size).unwrap_or(i64::MAX)),
        sha256: Set(stored.sha256),
        is_package: Set(is_package),
        package_name: Set(package_name),
        package_version: Set(package_version),
        created_by: Set(ctx.session.username.clone()),
        created_at: Set(ctx.now()),
        ..Default::default()
    };
    let tx = ctx.begin_write().await?;
    let made = file::Entity::insert(row).exec_with_returning(&*tx).await?;
    incoming::arrived(&*tx, &stored.key).await?;
    let answer = OperationFileUploaded { file: OperationFileView::from(made), why_no_package };
    let tx = match whole {
        Some(whole) => whole.take(&ctx.app, tx, &stored.key, &answer).await?,
        None => tx,
    };
    tx.commit(Audit::of("operationFile").id(answer.file.id).after(&answer.file)).await?;
    Ok(answer)
}

/// What an uploaded file is to somebody who wants to install it.
enum Seen {
    Package(Package),
    /// It is named like one.
    NoPackage(Violation),
    Other,
}

/// The identity of an Android package; both are empty if it has none.
#[derive(Debug, Default)]
struct Package {
    name: String,
    version: String,
}

fn is_named_like_one(name: &str) -> bool {
    file_extension(name, FileKind::AndroidApp).is_ok()
}

/// Whether it is an Android package by its name and its content.
///
/// # Errors
/// When it is named like one and is dangerous to open: it would be kept, and handed to agents that ask for less.
async fn seen(app: &App, sent: &Upload) -> Outcome<Seen> {
    if !is_named_like_one(&sent.name) {
        return Ok(Seen::Other);
    }
    match app.inspection.turn(By::Person, &sent.file).await?.package(&sent.file).await? {
        Ok(told) => Ok(Seen::Package(told.and_then(named).unwrap_or_default())),
        Err(why) if inspect::is_dangerous(&why) => Err(Fault::field("file", why)),
        Err(why) => Ok(Seen::NoPackage(why)),
    }
}

/// Name and version, truncated for storage: a name that Android would not accept counts as none.
fn named(told: inspect::AndroidPackage) -> Option<Package> {
    let name = adb::PackageName::new(&told.name).ok()?.to_string();
    let code = told.version_code.map(|code| code.to_string());
    let version = if told.version_name.is_empty() { code.unwrap_or_default() } else { told.version_name };
    Some(Package { name, version: version.chars().filter(|c| !c.is_control()).take(64).collect() })
}

/// A file that has not been looked up yet: other problems can be reported without it.
pub(super) fn unseen(id: OperationFileId) -> FileRef {
    FileRef { id: id.to_string(), name: String::new(), size: 0, sha256: String::new() }
}

/// A file to be installed or pushed, as agents see it, and the name of its package.
pub(super) async fn wanted(ctx: &OpCtx, id: OperationFileId, is_installed: bool) -> Outcome<(FileRef, String)> {
    let found = file::Entity::find_by_id(id).one(ctx.read()).await?;
    let row = found.or_missing(NO_FILE)?;
    if is_installed && !row.is_package {
        return Err(Fault::field("act.fileId", Violation::new("file.content").with("expected", "apk")));
    }
    let file = FileRef {
        id: row.id.to_string(),
        name: row.file_name,
        size: u64::try_from(row.size).unwrap_or(0),
        sha256: row.sha256,
    };
    Ok((file, row.package_name))
}

/// A file for the agent of a room, if a running task of the room needs it.
///
/// # Errors
/// When the read fails, or the object storage does not answer.
pub async fn file_for(app: &App, room: RoomId, id: OperationFileId) -> Outcome<Option<Outgoing>> {
    let in_hand = operation::Entity::find()
        .select_only()
        .column(operation::Column::Id)
        .filter(operation::Column::FileId.eq(id))
        .filter(operation::Column::State.is_not_in([OperationState::Finished, OperationState::Cancelled]));
    let tasks = task::Entity::find()
        .filter(task::Column::RoomId.eq(room))
        .filter(Expr::cust(RUNNING))
        .filter(task::Column::OperationId.in_subquery(in_hand.into_query()));
    if tasks.count(app.db.read()).await? == 0 {
        return Ok(None);
    }
    let Some(row) = file::Entity::find_by_id(id).one(app.db.read()).await? else { return Ok(None) };
    object(app, &row.object_key).await
}
