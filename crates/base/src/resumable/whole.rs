//! A file that has come completely, for whoever takes it.

use courier::{ObjectKey, Stored};
use entity::upload::{ActiveModel, Column, Entity};
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::{Held, hold, remove};
use super::{NO_UPLOAD, Resumable};
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::Validate;
use crate::http::ops::{OpCtx, OpTx};
use crate::http::upload::Upload;
use crate::incoming;

const NOT_WHOLE: Text = text(
    "文件还没有传完：已收到 {have} 字节，共 {size} 字节",
    "The file has not come completely: {have} of {size} bytes are there",
);

const OTHER: Text = text(
    "收到的内容与所给的 SHA-256 不一致，没有保存；请从 0 字节处重新上传",
    "What has come does not have the SHA-256 that was given, so it was not kept; send the file again from 0",
);

/// What its sender knows of a file that has come completely.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinishInput {
    /// The SHA-256 of the whole file, in hex: if something else has come, it has to be sent again.
    sha256: Option<String>,
}

impl Validate for FinishInput {
    fn check(&self, check: &mut Check) {
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        check.optional("sha256", self.sha256.as_deref(), |text| {
            if is_hash(text) { Ok(()) } else { Err(Violation::wrong_type()) }
        });
    }
}

/// A file that has come completely. No other request is at it.
#[derive(Debug)]
pub struct Whole {
    /// As if it had been sent at once.
    pub upload: Upload,
    id: String,
    sha256: Option<String>,
}

/// What there is of an upload.
#[derive(Debug)]
pub enum Found<T> {
    /// The file, to be taken.
    Whole(Whole),
    /// It was taken before; the line broke before this answer came.
    Taken(T),
}

/// The upload `id` of the operator, if it has come completely.
///
/// # Errors
/// When there is none, something of it is missing, or another request is at it.
pub async fn whole<R: Resumable, T: DeserializeOwned>(ctx: &OpCtx, id: String, said: FinishInput) -> Outcome<Found<T>> {
    let (row, file) = match hold::<R>(ctx, id).await? {
        Held::Open(row, file) => (row, file),
        Held::Taken(_, answer) => return serde_json::from_str(&answer).map(Found::Taken).map_err(Fault::internal),
    };
    let (have, size) = (file.metadata()?.len(), row.size.unsigned_abs());
    if have != size {
        return Err(Fault::conflict(NOT_WHOLE.with("have", have).with("size", size)));
    }
    let upload = Upload { file, name: row.file_name, size };
    Ok(Found::Whole(Whole { upload, id: row.id, sha256: said.sha256 }))
}

impl Whole {
    /// Compares what was stored with what the sender has said of it. Where that differs, nothing is kept.
    ///
    /// # Errors
    /// When it differs; when the storage or the database refuses.
    pub async fn judge(&self, app: &App, stored: &Stored) -> Outcome<()> {
        if self.sha256.as_ref().is_none_or(|said| said.eq_ignore_ascii_case(&stored.sha256)) {
            return Ok(());
        }
        incoming::discard(app, &stored.key).await?;
        // Not removed: others wait for the lock of this one.
        self.upload.file.set_len(0)?;
        Err(Fault::conflict(OTHER))
    }

    /// Writes down that it was taken, in the transaction that does it, and with which answer. Where it was given up meanwhile,
    /// what was `stored` of it is not kept.
    ///
    /// # Errors
    /// When it was given up or has expired while it was read; when the storage or the database refuses.
    pub async fn take(&self, app: &App, tx: OpTx, stored: &ObjectKey, answer: &impl Serialize) -> Outcome<OpTx> {
        let answer = serde_json::to_string(answer).map_err(Fault::internal)?;
        let take = ActiveModel { answer: Set(Some(answer)), ..Default::default() };
        let taken = Entity::update_many().set(take).filter(Column::Id.eq(&self.id)).exec(&*tx).await?;
        if taken.rows_affected > 0 {
            return Ok(tx);
        }
        drop(tx);
        incoming::discard(app, stored).await?;
        Err(Fault::not_found(NO_UPLOAD))
    }

    /// Removes the file, once that is committed. One that stays is swept up.
    pub async fn remove(self, app: &App) {
        if let Err(error) = remove(app, &self.id).await {
            tracing::warn!(%error, "the file of an upload that was taken could not be removed");
        }
    }
}
