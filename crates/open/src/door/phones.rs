//! Cloud phones.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::{ApiResult, Params, Reply, reply};
use entity::phone::{Life, Plan, UseType};
use entity::saga::SagaKind;
use entity::{ClientUserId, PhoneId};
use kernel::lang::Lang;
use kernel::rules::Violation;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use phones::{APP_WITHHELD, OwnedPhone, UnderWay, WithheldApp, owned, owned_list};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::cursor::{OpenList, Window, number};
use super::guard::Caller;
use super::users;

/// Said of one that belongs to somebody else as well.
pub const NO_PHONE: Text = text("云手机不存在", "There is no such phone");

/// A cloud phone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenPhone {
    pub id: String,
    /// What people call it by, such as `CP-0000001`.
    pub code: String,
    /// Empty if it has none.
    pub name: String,
    pub user_id: String,
    /// 2 VIP, 3 VVIP, 4 SVIP.
    pub plan: Plan,
    /// The same in words.
    pub plan_name: String,
    /// The hardware family that it runs on.
    pub board: String,
    /// 1 being made, 2 active, 3 frozen, 4 expired, 5 released, 6 erased.
    pub life: Life,
    /// The same in words.
    pub life_name: String,
    /// 1 on a card, 2 off the machine.
    pub use_type: UseType,
    /// The same in words.
    pub use_type_name: String,
    /// What is being done to it just now; null if nothing is.
    pub under_way: Option<OpenUnderWay>,
    pub expires_at: UtcTime,
    pub disk_gb: i32,
    pub used_bytes: i64,
    /// A verified copy of it is kept.
    pub has_copy: bool,
    /// Null if it was never used.
    pub last_used_at: Option<UtcTime>,
    /// Null if it was never backed up.
    pub last_backup_at: Option<UtcTime>,
    /// Apps that it had and did not come on its card with, since they are forbidden; it keeps them out for as long as it is there.
    pub withheld_apps: Vec<OpenWithheldApp>,
    pub created_at: UtcTime,
}

/// An app that a phone did not come on its card with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenWithheldApp {
    /// `app_withheld`.
    pub code: &'static str,
    /// The same in words.
    pub words: String,
    pub package: String,
    /// What it is called.
    pub name: String,
    /// Until when its data is kept at least; null if nothing says so any more.
    pub kept_until: Option<UtcTime>,
}

/// What is being done to a phone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenUnderWay {
    /// 1 it is put on, 2 backed up, 3 its card is cleared, 4 its copy verified, 5 apps are installed, 6 it is taken off, 8 it
    /// restarts, 9 its card is lost: it waits for that or for the operator.
    pub kind: SagaKind,
    /// The same in words.
    pub kind_name: String,
    /// Its place in the queue, from 1; null once it has a card.
    pub position: Option<i64>,
    /// How far the present step is, in hundredths; null if that is not known.
    pub percent: Option<i64>,
    /// With which copy the phone goes on once its customer accepts that, since its card is lost or its own copy is damaged; null if
    /// there is nothing to accept.
    pub offer: Option<OpenOffer>,
}

/// A copy with which a phone goes on once its customer accepts that.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenOffer {
    pub backup_id: String,
    /// When it was begun: what was written after that does not come back.
    pub copy_at: UtcTime,
}

impl OpenPhone {
    fn of(phone: OwnedPhone, lang: Lang) -> Self {
        let OwnedPhone { view, has_copy } = phone;
        let under_way = |UnderWay { kind, position, percent, offer, .. }: UnderWay| OpenUnderWay {
            kind,
            kind_name: kind.label().get(lang).to_owned(),
            position,
            percent,
            offer: offer.map(|it| OpenOffer { backup_id: it.backup_id.to_string(), copy_at: it.copy_at }),
        };
        let withheld = |app: WithheldApp| OpenWithheldApp {
            code: APP_WITHHELD,
            words: app.words().get(lang),
            package: app.package,
            name: app.name,
            kept_until: app.kept_until,
        };
        Self {
            id: view.id.to_string(),
            code: view.code,
            name: view.name,
            user_id: view.user.id.to_string(),
            plan: view.plan,
            plan_name: view.plan.label().get(lang).to_owned(),
            board: view.board,
            life: view.life,
            life_name: view.life.label().get(lang).to_owned(),
            use_type: view.use_type,
            use_type_name: view.use_type.label().get(lang).to_owned(),
            under_way: view.under_way.map(under_way),
            expires_at: view.expires_at,
            disk_gb: view.disk_gb,
            used_bytes: view.used_bytes,
            has_copy,
            last_used_at: view.last_used_at,
            last_backup_at: view.last_backup_at,
            withheld_apps: view.withheld.into_iter().map(withheld).collect(),
            created_at: view.created_at,
        }
    }
}

/// Which phones.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OpenPhoneQuery {
    /// Those of the customer with this id.
    #[serde(default)]
    pub user: Option<String>,
    /// `next` of the answer before.
    #[serde(default)]
    pub after: Option<String>,
    /// 1 to 500; 100 if it is left out.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<u64>, minimum = 1, maximum = 500)]
    pub limit: Option<i64>,
}

/// Which part of a customer's phones.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OpenPart {
    /// `next` of the answer before.
    #[serde(default)]
    pub after: Option<String>,
    /// 1 to 500; 100 if it is left out.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<u64>, minimum = 1, maximum = 500)]
    pub limit: Option<i64>,
}

async fn part(caller: &Caller, user: Option<ClientUserId>, window: Window) -> Outcome<OpenList<OpenPhone>> {
    let from = PhoneId(window.after);
    let rows = owned_list(&caller.app, caller.whose(), user, from, window.to_read()).await?;
    Ok(window.answer(rows, |row| row.view.id.0, |row| OpenPhone::of(row, caller.lang)))
}

/// Lists the phones of one customer, in the order in which they were made. Erased ones are left out.
#[utoipa::path(get, path = "/open/v1/users/{id}/phones", tag = "phone",
    params(("id" = String, Path, description = "The customer's id"), OpenPart),
    responses((status = 200, body = Reply<OpenList<OpenPhone>>)))]
pub async fn open_user_phone_list(
    caller: Caller,
    PathId(id): PathId<String>,
    Params(OpenPart { after, limit }): Params<OpenPart>,
) -> ApiResult<OpenList<OpenPhone>> {
    let window = Window::of(after.as_deref(), limit)?;
    let user = users::find(&caller, &id).await?;
    reply(part(&caller, Some(user.id), window).await?)
}

/// Lists phones, in the order in which they were made. Erased ones are left out.
#[utoipa::path(get, path = "/open/v1/phones", tag = "phone", params(OpenPhoneQuery),
    responses((status = 200, body = Reply<OpenList<OpenPhone>>)))]
pub async fn open_phone_list(caller: Caller, Params(asked): Params<OpenPhoneQuery>) -> ApiResult<OpenList<OpenPhone>> {
    let OpenPhoneQuery { user, after, limit } = asked;
    let window = Window::of(after.as_deref(), limit)?;
    let wrong = || Fault::field("user", Violation::wrong_type());
    let user = user.map(|id| number(&id).map(ClientUserId).ok_or_else(wrong)).transpose()?;
    reply(part(&caller, user, window).await?)
}

/// Returns one phone.
#[utoipa::path(get, path = "/open/v1/phones/{id}", tag = "phone",
    params(("id" = String, Path, description = "The phone's id")), responses((status = 200, body = Reply<OpenPhone>)))]
pub async fn open_phone_get(caller: Caller, PathId(id): PathId<String>) -> ApiResult<OpenPhone> {
    let found = match number(&id) {
        Some(id) => owned(&caller.app, caller.whose(), PhoneId(id)).await?,
        None => None,
    };
    reply(OpenPhone::of(found.or_missing(NO_PHONE)?, caller.lang))
}
