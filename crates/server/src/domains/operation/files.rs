//! Files that operations install on cards or push to them: sent once, fetched once by each room, checked at each step.

use axum::extract::Multipart;
use axum::extract::multipart::MultipartRejection;
use courier::Outgoing;
use entity::operation::{self, OperationState};
use entity::operation_file::{self as file, Model};
use entity::operation_task::{self as task, TaskStep};
use entity::{OperationFileId, RoomId};
use kernel::rules::{Check, FileKind, Violation, file_extension};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::FileRef;

use super::act::Act;
use super::create::{OperationOptions, create};
use super::view::OperationView;
use crate::app::App;
use crate::domains::fleet::CardSelection;
use crate::fault::{Fault, Outcome};
use crate::http::ops::{Audit, OpCtx};
use crate::http::upload::{self, Upload};
use crate::http::{ApiResult, Reply, Valid, Validate, reply};

/// Where they lie in the object storage.
const FOLDER: &str = "operation-files";
/// Bytes that a file may have.
const FILE_LIMIT: u64 = 2 << 30;
/// And the body around it.
pub const BODY_LIMIT: usize = (2 << 30) + (64 << 10);
const NO_FILE: Text = text("文件不存在或已过期，请重新上传", "There is no such file any more; send it again");

/// A file to be sent.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes the body")]
pub struct OperationFileUpload {
    /// 2 GB at most.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// A file that can be installed or pushed.
#[derive(Clone, Debug, Serialize, ToSchema)]
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
    /// The package's name, such as `com.example.app`; empty where it is none or does not tell.
    pub package_name: String,
    /// Its version, for people.
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

/// Keeps a file for the operations that install or push it. It goes when the last of them is forgotten, or after a few
/// days when none uses it.
#[utoipa::path(post, path = "/api/operation/v1/files", tag = "operation",
    request_body(content = OperationFileUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = Reply<OperationFileView>)))]
pub async fn operation_file_upload(
    ctx: OpCtx,
    parts: Result<Multipart, MultipartRejection>,
) -> ApiResult<OperationFileView> {
    let sent = upload::receive(parts.map_err(upload::no_multipart)?, FILE_LIMIT).await?;
    let package = package(&sent).await?;
    let is_package = package.is_some();
    let Package { name: package_name, version: package_version } = package.unwrap_or_default();
    let stored = sent.store(&ctx.app, FOLDER).await?;
    let row = file::ActiveModel {
        object_key: Set(stored.key.to_string()),
        file_name: Set(sent.name),
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
    let view = OperationFileView::from(made);
    tx.commit(Audit::of("operationFile").id(view.id).after(&view)).await?;
    reply(view)
}

/// Who an Android package is; both are empty where it does not tell.
#[derive(Debug, Default)]
struct Package {
    name: String,
    version: String,
}

/// Who it is, if it is an Android package by its name and by what is in it.
async fn package(sent: &Upload) -> Outcome<Option<Package>> {
    if file_extension(&sent.name, FileKind::AndroidApp).is_err() {
        return Ok(None);
    }
    let (source, again) = (sent.file.reopen()?, sent.file.reopen()?);
    let found = tokio::task::spawn_blocking(move || {
        inspect::inspect(source, FileKind::AndroidApp).map(|_| inspect::android_package(again))
    });
    match found.await.map_err(Fault::internal)? {
        Ok(told) => Ok(Some(told.and_then(named).unwrap_or_default())),
        Err(inspect::Fault::Refused(_)) => Ok(None),
        Err(inspect::Fault::Io(error)) => Err(error.into()),
    }
}

/// Name and version as they may be kept: a name that Android would not take is none.
fn named(told: inspect::AndroidPackage) -> Option<Package> {
    let name = adb::PackageName::new(&told.name).ok()?.to_string();
    let code = told.version_code.map(|code| code.to_string());
    let version = if told.version_name.is_empty() { code.unwrap_or_default() } else { told.version_name };
    Some(Package { name, version: version.chars().filter(|c| !c.is_control()).take(64).collect() })
}

/// Install a package.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InstallInput {
    /// Which cards.
    pub selection: CardSelection,
    /// How it goes about it.
    #[serde(default)]
    pub options: OperationOptions,
    /// The package, sent before.
    pub file_id: OperationFileId,
    /// The name of the package, such as `com.example.app`: what shows that it is there, when the agent was interrupted.
    /// Left out, it is the one that the package tells.
    #[serde(default)]
    #[schema(max_length = 255)]
    pub package: Option<String>,
}

impl InstallInput {
    fn act(&self, file: FileRef) -> Act {
        Act::Install { file, package: self.package.clone().filter(|name| !name.is_empty()) }
    }
}

/// Write a file.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PushInput {
    /// Which cards.
    pub selection: CardSelection,
    /// How it goes about it.
    #[serde(default)]
    pub options: OperationOptions,
    /// The file, sent before.
    pub file_id: OperationFileId,
    /// Where to: an absolute path on the card, such as `/sdcard/Download/a.bin`. With a slash at its end it is a folder,
    /// and the file keeps its name.
    #[schema(min_length = 2, max_length = 1024)]
    pub path: String,
}

impl PushInput {
    fn act(&self, file: FileRef) -> Act {
        let name = if self.path.ends_with('/') { file.name.as_str() } else { "" };
        Act::Push { path: format!("{}{name}", self.path), file }
    }
}

/// A file that was not looked up yet: what else is wrong can be said without it.
fn unseen() -> FileRef {
    FileRef { id: String::new(), name: String::new(), size: 0, sha256: String::new() }
}

macro_rules! checked {
    ($($name:ident)+) => {
        $(
            impl Validate for $name {
                fn check(&self, check: &mut Check) {
                    let act = self.act(unseen());
                    self.selection.check(check);
                    self.options.check(&act, check);
                    act.check(check);
                }
            }
        )+
    };
}

checked! { InstallInput PushInput }

/// A file that is to be installed or pushed, as agents are told of it, and the name of the package that it is.
async fn wanted(ctx: &OpCtx, id: OperationFileId, is_installed: bool) -> Outcome<(FileRef, String)> {
    let found = file::Entity::find_by_id(id).one(ctx.read()).await?;
    let row = found.ok_or_else(|| Fault::not_found(NO_FILE))?;
    if is_installed && !row.is_package {
        return Err(Fault::field("fileId", Violation::new("file.content").with("expected", "apk")));
    }
    let file = FileRef {
        id: row.id.to_string(),
        name: row.file_name,
        size: u64::try_from(row.size).unwrap_or(0),
        sha256: row.sha256,
    };
    Ok((file, row.package_name))
}

/// Begins to install a package on cards.
#[utoipa::path(post, path = "/api/operation/v1/operations/install", tag = "operation", request_body = InstallInput,
    responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_install(ctx: OpCtx, Valid(mut input): Valid<InstallInput>) -> ApiResult<OperationView> {
    let (file, told) = wanted(&ctx, input.file_id, true).await?;
    if input.package.as_deref().unwrap_or_default().is_empty() {
        input.package = Some(told);
    }
    let act = input.act(file);
    reply(create(&ctx, &input.selection, &input.options, act).await?)
}

/// Begins to push a file to cards.
#[utoipa::path(post, path = "/api/operation/v1/operations/push", tag = "operation", request_body = PushInput,
    responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_push(ctx: OpCtx, Valid(input): Valid<PushInput>) -> ApiResult<OperationView> {
    let act = input.act(wanted(&ctx, input.file_id, false).await?.0);
    // With the file's name in it, it may not be one any more.
    let mut check = Check::new();
    act.check(&mut check);
    check.finish()?;
    reply(create(&ctx, &input.selection, &input.options, act).await?)
}

/// A file for the agent of a room, if a task that the room has in hand wants it.
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
        .filter(task::Column::State.eq(TaskStep::Running))
        .filter(task::Column::OperationId.in_subquery(in_hand.into_query()));
    if tasks.count(app.db.read()).await? == 0 {
        return Ok(None);
    }
    let Some(row) = file::Entity::find_by_id(id).one(app.db.read()).await? else { return Ok(None) };
    let key = row.object_key.parse().map_err(|error| Fault::Internal(anyhow::anyhow!("{error}")))?;
    match app.objects.get(&key).await {
        Ok(object) => Ok(Some(object)),
        Err(courier::ObjectError::NotFound(_)) => Ok(None),
        Err(error) => Err(Fault::Unavailable(error.into())),
    }
}
