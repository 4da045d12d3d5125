//! Customers have their phones go on with one of the copies of these.

use axum::response::Response;
use base::http::body::PathId;
use base::http::ops::Audit;
use base::http::{Reply, Valid, Validate};
use entity::BackupId;
use kernel::rules::{Check, Violation};
use phones::own::{self, Restoring};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing};
use super::care::told;
use super::connect::{find, user_of};
use super::cursor::number;
use super::users::in_use;

/// One of the copies of a phone.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenCopyOf {
    /// Its id.
    pub backup_id: String,
}

impl OpenCopyOf {
    fn id(&self) -> BackupId {
        BackupId(number(&self.backup_id).unwrap_or_default())
    }
}

impl Validate for OpenCopyOf {
    fn check(&self, check: &mut Check) {
        check.field("backupId", number(&self.backup_id).ok_or_else(Violation::wrong_type));
    }
}

/// A phone that goes on with one of its copies.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenRestoring {
    pub phone_id: String,
    pub backup_id: String,
    /// True if it was off: it comes with that copy when somebody connects. False if it is on a card, and taken off first.
    pub is_done: bool,
}

struct Restore {
    id: String,
    copy: BackupId,
}

impl Act for Restore {
    type Answer = OpenRestoring;

    async fn run(self, doing: &mut Doing) -> Acted<OpenRestoring> {
        let phone = find(doing, &self.id).await?;
        in_use(&user_of(&*doing.tx, &phone).await?)?;
        let (app, name) = (doing.caller.app.clone(), doing.who());
        let restored = own::restore(&app, &mut doing.tx, &phone, self.copy, &name).await?.map_err(told)?;
        let Restoring { begun, is_done } = restored;
        doing.begun.push(begun);
        doing.log(Audit::of("phone").id(phone.id).name(&phone.code));
        doing.touched.push(phone.id);
        Ok(OpenRestoring { phone_id: phone.id.to_string(), backup_id: self.copy.to_string(), is_done })
    }
}

/// Sets a phone back to one of its own copies, which was read back and is whole. One that is off comes with it when somebody connects.
/// One that is on a card is taken off at once, with a copy of what it has there: whoever uses it is told to connect again, waits, and
/// has it with the copy that was chosen. What it had until then is kept for 14 days at least, and can be chosen back. Six times an hour
/// at most while it is on a card.
#[utoipa::path(post, path = "/open/v1/phones/{id}/restore", tag = "phone", request_body = OpenCopyOf,
    params(("id" = String, Path, description = "The phone's id")),
    responses((status = 200, body = Reply<OpenRestoring>)))]
pub async fn open_phone_restore(acting: Acting, PathId(id): PathId<String>, Valid(of): Valid<OpenCopyOf>) -> Response {
    acting.once(Restore { id, copy: of.id() }).await
}

/// A phone whose customer has accepted a copy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenAccepted {
    pub phone_id: String,
    pub backup_id: String,
}

struct Accept {
    id: String,
    copy: BackupId,
}

impl Act for Accept {
    type Answer = OpenAccepted;

    async fn run(self, doing: &mut Doing) -> Acted<OpenAccepted> {
        let phone = find(doing, &self.id).await?;
        in_use(&user_of(&*doing.tx, &phone).await?)?;
        let (app, name) = (doing.caller.app.clone(), doing.who());
        let begun = own::accept_copy(&app, &mut doing.tx, &phone, self.copy, &name).await?.map_err(told)?;
        doing.begun.push(begun);
        doing.log(Audit::of("phone").id(phone.id).name(&phone.code));
        doing.touched.push(phone.id);
        Ok(OpenAccepted { phone_id: phone.id.to_string(), backup_id: self.copy.to_string() })
    }
}

/// Accepts that a phone goes on with the copy that is on offer to it (`underWay.offer`), since its card is lost or its own copy is
/// damaged: what was written after `copyAt` does not come back with it. A lost card has to be off first; those who run the platform see
/// to that. Connect then.
#[utoipa::path(post, path = "/open/v1/phones/{id}/accept-copy", tag = "phone", request_body = OpenCopyOf,
    params(("id" = String, Path, description = "The phone's id")),
    responses((status = 200, body = Reply<OpenAccepted>)))]
pub async fn open_phone_accept_copy(
    acting: Acting,
    PathId(id): PathId<String>,
    Valid(of): Valid<OpenCopyOf>,
) -> Response {
    acting.once(Accept { id, copy: of.id() }).await
}
