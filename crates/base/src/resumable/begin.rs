//! Announces an upload, or finds the one that was begun with the same file.

use entity::upload::{Column, Entity, Model};
use kernel::rules::{Check, file_size, required};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, IntoActiveModel as _, QueryFilter as _};
use serde::Deserialize;
use utoipa::ToSchema;

use super::place::living;
use super::{Resumable, UploadView};
use crate::fault::{Fault, Outcome};
use crate::http::Validate;
use crate::http::ops::{Audit, OpCtx};
use crate::http::upload::last_name;

/// How many uploads an operator, and all together, may have open, and how many bytes those may become.
const OWN: usize = 8;
const OWN_BYTES: i64 = 6 << 30;
const ALL: usize = 64;
const ALL_BYTES: i64 = 32 << 30;
const OWN_FULL: Text = text(
    "您未完成的上传已达上限（{count} 个或 {bytes}），请先完成或放弃其中一个",
    "You have as many unfinished uploads as are allowed ({count}, or {bytes}); finish one of them or give it up",
);
const ALL_FULL: Text = text(
    "服务器上未完成的上传太多，请稍后再上传",
    "There are too many unfinished uploads on the server; upload the file later",
);

/// A file that is going to be sent in pieces. Who announces the same file again, by name, size and time, gets the upload
/// that he has begun with it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UploadInput {
    file_name: String,
    /// Bytes.
    size: u64,
    /// When the file was changed last.
    modified_at: UtcTime,
}

impl Validate for UploadInput {
    fn check(&self, check: &mut Check) {
        check.field("fileName", required(&last_name(&self.file_name)));
        check.field("size", file_size(self.size, u64::MAX));
    }
}

/// Announces an upload.
///
/// # Errors
/// When the file is too large, or too many are under way.
pub(super) async fn begin<R: Resumable>(ctx: &OpCtx, input: UploadInput) -> Outcome<UploadView> {
    let UploadInput { file_name, size, modified_at } = input;
    let file_name = last_name(&file_name);
    let too_large = || Fault::FileTooLarge { max: R::LIMIT }.of_file(&file_name);
    let size = i64::try_from(size).ok().filter(|_| size <= R::LIMIT).ok_or_else(too_large)?;
    let asked = Model {
        id: uuid::Uuid::now_v7().to_string(),
        kind: R::OF.to_owned(),
        file_name,
        size,
        modified_at,
        created_by: ctx.operator(),
        created_at: ctx.now(),
        answer: None,
    };
    let tx = ctx.begin_write().await?;
    let mut open = Entity::find().filter(living(ctx.now())).filter(Column::Answer.is_null()).all(&*tx).await?;
    if let Some(at) = open.iter().position(|row| is_same(row, &asked)) {
        drop(tx);
        return UploadView::of(&ctx.app, open.swap_remove(at)).await;
    }
    has_room(&open, &asked)?;
    Entity::insert(asked.clone().into_active_model()).exec_without_returning(&*tx).await?;
    tx.commit(Audit::of("upload").id(&asked.id).name(&asked.file_name)).await?;
    UploadView::of(&ctx.app, asked).await
}

fn is_same(row: &Model, asked: &Model) -> bool {
    let key = |row: &Model| (row.created_by, row.size, row.modified_at);
    key(row) == key(asked) && (&row.kind, &row.file_name) == (&asked.kind, &asked.file_name)
}

/// What is announced counts as if it had come: it is going to.
fn has_room(open: &[Model], asked: &Model) -> Outcome<()> {
    let (mut own, mut own_bytes, mut all_bytes) = (0, asked.size, asked.size);
    for row in open {
        all_bytes += row.size;
        if row.created_by == asked.created_by {
            own += 1;
            own_bytes += row.size;
        }
    }
    if own >= OWN || own_bytes > OWN_BYTES {
        let bytes = kernel::rules::byte_size(OWN_BYTES.unsigned_abs());
        return Err(Fault::conflict(OWN_FULL.with("count", OWN).with("bytes", bytes)));
    }
    if open.len() >= ALL || all_bytes > ALL_BYTES { Err(Fault::conflict(ALL_FULL)) } else { Ok(()) }
}
