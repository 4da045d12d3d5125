//! Customers renew and restart their phones, and see their copies.

use axum::response::Response;
use base::fault::OrMissing as _;
use base::http::body::PathId;
use base::http::ops::Audit;
use base::http::{ApiResult, Params, Reply, Valid, Validate, reply};
use entity::backup::{BackupKind, BackupState};
use entity::open_app::OpenOwner;
use entity::{BackupId, PhoneId};
use kernel::lang::Lang;
use kernel::rules::{Check, integer_between};
use kernel::time::UtcTime;
use phones::connect::{self, Refused};
use phones::own::{self, OwnCopy};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing};
use super::connect::{find, user_of};
use super::cursor::{OpenList, Window, number};
use super::guard::Caller;
use super::phones::{NO_PHONE, OpenPart};
use super::refusal::Refusal;
use super::users::in_use;

pub fn told(Refused { code, words }: Refused) -> Refusal {
    Refusal::Told(code, words)
}

/// For how long a phone is renewed.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenRenew {
    /// From its expiry or from now, whichever is later.
    #[schema(minimum = 1, maximum = 999)]
    pub days: i64,
}

impl Validate for OpenRenew {
    fn check(&self, check: &mut Check) {
        check.field("days", integer_between(self.days, 1, 999));
    }
}

/// A phone that was renewed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenRenewed {
    pub phone_id: String,
    /// From then on nobody may use it, unless it is renewed again.
    pub expires_at: UtcTime,
}

struct Renew {
    id: String,
    days: i64,
}

impl Act for Renew {
    type Answer = OpenRenewed;

    async fn run(self, doing: &mut Doing) -> Acted<OpenRenewed> {
        let before = find(doing, &self.id).await?;
        if doing.caller.known.owner != OpenOwner::Company {
            return Err(Refusal::CompanyOnly);
        }
        let app = doing.caller.app.clone();
        let after = own::renew(&app, &mut doing.tx, &before, self.days).await?.map_err(told)?;
        doing.log(Audit::of("phone").id(after.id).name(&after.code).before(&before).after(&after));
        doing.touched.push(after.id);
        Ok(OpenRenewed { phone_id: after.id.to_string(), expires_at: after.expires_at })
    }
}

/// Renews a phone, for which your own shop was paid. Only the company's applications may: nothing is paid by this call.
#[utoipa::path(post, path = "/open/v1/phones/{id}/renew", tag = "phone", request_body = OpenRenew,
    params(("id" = String, Path, description = "The phone's id")),
    responses((status = 200, body = Reply<OpenRenewed>)))]
pub async fn open_phone_renew(acting: Acting, PathId(id): PathId<String>, Valid(renew): Valid<OpenRenew>) -> Response {
    acting.once(Renew { id, days: renew.days }).await
}

/// A phone that restarts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenRestarting {
    pub phone_id: String,
}

struct Restart(String);

impl Act for Restart {
    type Answer = OpenRestarting;

    async fn run(self, doing: &mut Doing) -> Acted<OpenRestarting> {
        let phone = find(doing, &self.0).await?;
        in_use(&user_of(&*doing.tx, &phone).await?)?;
        let (app, name) = (doing.caller.app.clone(), doing.who());
        let begun = own::restart(&app, &mut doing.tx, &phone, &name).await?.map_err(told)?;
        doing.begun.push(begun);
        doing.log(Audit::of("phone").id(phone.id).name(&phone.code));
        Ok(OpenRestarting { phone_id: phone.id.to_string() })
    }
}

/// Restarts a phone on its card, which takes a minute or two; `underWay` of the phone says when it is over. Whoever uses it is
/// cut off, and may connect again then. Six times an hour at most.
#[utoipa::path(post, path = "/open/v1/phones/{id}/restart", tag = "phone",
    params(("id" = String, Path, description = "The phone's id")),
    responses((status = 200, body = Reply<OpenRestarting>)))]
pub async fn open_phone_restart(acting: Acting, PathId(id): PathId<String>) -> Response {
    acting.once(Restart(id)).await
}

/// A copy of a phone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenBackup {
    pub id: String,
    /// 1 all of it, 2 an app, 3 a path.
    pub kind: BackupKind,
    /// 4: it was read back and is whole.
    pub state: BackupState,
    /// The same in words.
    pub state_name: String,
    /// The phone comes back with what it holds.
    pub is_kept: bool,
    /// Something in it was found damaged later.
    pub is_damaged: bool,
    /// It was made while the phone went on.
    pub is_live: bool,
    pub files: i64,
    /// What it restores to.
    pub bytes: i64,
    pub began_at: UtcTime,
    /// Null until it was read back.
    pub verified_at: Option<UtcTime>,
    /// When the phone was set back to an older one: it comes back with this one only if that is asked for. Null if it was not.
    pub left_at: Option<UtcTime>,
    /// Nothing removes it before then; null if nothing is said about that.
    pub safe_until: Option<UtcTime>,
}

impl OpenBackup {
    fn of(copy: OwnCopy, lang: Lang) -> Self {
        Self {
            id: copy.id.to_string(),
            kind: copy.kind,
            state: copy.state,
            state_name: copy.state.label().get(lang).to_owned(),
            is_kept: copy.is_kept,
            is_damaged: copy.is_damaged,
            is_live: copy.is_live,
            files: copy.files,
            bytes: copy.bytes,
            began_at: copy.began_at,
            verified_at: copy.verified_at,
            left_at: copy.left_at,
            safe_until: copy.safe_until,
        }
    }
}

/// Lists the copies of a phone, in the order in which they were made.
#[utoipa::path(get, path = "/open/v1/phones/{id}/backups", tag = "phone",
    params(("id" = String, Path, description = "The phone's id"), OpenPart),
    responses((status = 200, body = Reply<OpenList<OpenBackup>>)))]
pub async fn open_phone_backup_list(
    caller: Caller,
    PathId(id): PathId<String>,
    Params(OpenPart { after, limit }): Params<OpenPart>,
) -> ApiResult<OpenList<OpenBackup>> {
    let window = Window::of(after.as_deref(), limit)?;
    let db = caller.app.db.read();
    let found = match number(&id) {
        Some(id) => connect::owned(db, caller.whose(), PhoneId(id)).await?,
        None => None,
    };
    let phone = found.or_missing(NO_PHONE)?;
    let rows = own::copies(db, &phone, BackupId(window.after), window.to_read()).await?;
    reply(window.answer(rows, |row| row.id.0, |row| OpenBackup::of(row, caller.lang)))
}
