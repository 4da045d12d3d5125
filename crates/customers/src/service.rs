//! Operations on customers.

use base::fault::{OrMissing as _, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use base::list::Selection;
use entity::ClientUserId;
use entity::client_user::{self, ClientType, ClientUserStatus as Status, LoginMethod, Model};
use kernel::rules::{Check, Violation, email, line, max_chars, phone};
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::store::{self, ClientUserFilter, LIST, place};

const NOT_FOUND: Text = text("客户端用户不存在", "Client user not found");
/// Rows changed in one transaction; more are changed in steps, each acknowledged by its own log entry.
const STEP: u64 = 1000;

/// A customer, as an operator enters them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientUserInput {
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// 11 digits, or empty.
    #[serde(default)]
    pub phone: String,
    /// Or empty.
    #[serde(default)]
    pub email: String,
    /// Up to 25 characters; generated if empty.
    #[serde(default)]
    #[schema(max_length = 25)]
    pub ident_code: String,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

impl Validate for ClientUserInput {
    fn check(&self, check: &mut Check) {
        let Self { name, phone: number, email: address, ident_code, remark } = self;
        check.field("name", line(name, 64));
        check.optional("phone", Some(number), phone);
        check.optional("email", Some(address), email);
        check.optional("identCode", Some(ident_code), |text| line(text, 25));
        check.field("remark", max_chars(remark, 256));
    }
}

/// Some customers.
pub type ClientUserSelection = Selection<ClientUserId, ClientUserFilter>;

/// A change of status for a selection.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetStatusInput {
    /// Which customers.
    pub selection: ClientUserSelection,
    /// 1 enables, 2 disables.
    pub status: Status,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for SetStatusInput {
    fn check(&self, check: &mut Check) {
        if self.status == Status::LoggedOut {
            check.add("status", Violation::not_a_choice("1, 2"));
        }
        self.selection.check(check);
        check.field("reason", max_chars(&self.reason, 256));
    }
}

/// How many rows a bulk operation changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changed {
    /// Rows that were changed; those that needed no change are not counted.
    pub changed: u64,
}

/// The customer, or "not found".
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: ClientUserId) -> Outcome<Model> {
    store::find(ctx.read(), id).await?.or_missing(NOT_FOUND)
}

/// Registers a customer manually.
///
/// # Errors
/// When the phone or the identification code is taken.
pub async fn create(ctx: &OpCtx, input: ClientUserInput) -> Outcome<Model> {
    let ClientUserInput { name, phone, email, ident_code, remark } = input;
    let now = ctx.now();
    let ident_code = if ident_code.is_empty() { new_ident_code() } else { ident_code };
    let row = client_user::ActiveModel {
        name: Set(name),
        phone: Set(phone),
        email: Set(email),
        ident_code: Set(ident_code),
        login_method: Set(LoginMethod::Guest),
        device_name: Set(String::new()),
        register_ip: Set(ctx.meta.ip.to_string()),
        client_type: Set(ClientType::Web),
        client_version: Set(String::new()),
        status: Set(Status::Active),
        star_coins: Set(0),
        phone_count: Set(0),
        remark: Set(remark),
        registered_at: Set(now),
        last_login_at: Set(None),
        updated_at: Set(now),
        ..Default::default()
    };

    let mut tx = ctx.begin_write().await?;
    let made = store::insert(tx.inner(), row).await?;
    tx.counts().moved(LIST, None, Some(place(&made)));
    store::came_back(&*tx, &[&made.phone], now).await?;
    tx.commit(Audit::of("clientUser").id(made.id).name(&made.name).after(&made)).await?;
    Ok(made)
}

/// Updates a customer.
///
/// # Errors
/// When there is no such customer, or the phone or the identification code is taken.
pub async fn update(ctx: &OpCtx, id: ClientUserId, input: ClientUserInput) -> Outcome<Model> {
    let ClientUserInput { name, phone, email, ident_code, remark } = input;
    let mut tx = ctx.begin_write().await?;
    let before = store::find(&*tx, id).await?.or_missing(NOT_FOUND)?;
    let row = client_user::ActiveModel {
        id: Set(id),
        name: Set(name),
        phone: Set(phone),
        email: Set(email),
        ident_code: Set(if ident_code.is_empty() { before.ident_code.clone() } else { ident_code }),
        remark: Set(remark),
        updated_at: Set(ctx.now()),
        ..Default::default()
    };
    let after = store::update(tx.inner(), &before, row).await?;
    tx.commit(Audit::of("clientUser").id(id).name(&after.name).before(&before).after(&after)).await?;
    Ok(after)
}

/// Enables or disables a selection. Closed accounts stay closed.
///
/// # Errors
/// When the database refuses; the steps that were acknowledged stay.
pub async fn set_status(ctx: &OpCtx, input: SetStatusInput) -> Outcome<Changed> {
    let SetStatusInput { selection, status, reason } = input;
    let which = match &selection {
        Selection::Ids(ids) => client_user::Entity::find().filter(client_user::Column::Id.is_in(ids.iter().copied())),
        Selection::Filter(filter) => filter.apply(ctx.db().backend(), client_user::Entity::find()),
    };
    let (mut changed, mut after) = (0, ClientUserId(0));
    loop {
        let mut tx = ctx.begin_write().await?;
        tx.inner().plan_by_values().await?;
        let rows = store::next_to_change(&*tx, which.clone(), status, after, STEP).await?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        let ids: Vec<ClientUserId> = rows.iter().map(|row| row.id).collect();
        changed += store::set_status(&*tx, ids.clone(), status, ctx.now()).await?;
        for row in &rows {
            let moved = Model { status, ..row.clone() };
            tx.counts().moved(LIST, Some(place(row)), Some(place(&moved)));
        }
        let before: Vec<_> = rows
            .iter()
            .map(|row| serde_json::json!({ "id": row.id, "name": row.name, "status": row.status }))
            .collect();
        let audit = Audit::each("clientUser", rows.iter().map(|row| (row.id.0, row.name.as_str())))
            .before(&before)
            .after(&serde_json::json!({ "status": status, "reason": reason }))
            // The reason itself is what a reader of one account's history looks for.
            .note(if ids.len() == 1 && !reason.is_empty() { reason.clone() } else { format!("{} rows", ids.len()) });
        tx.commit(audit).await?;
        if ids.len() < usize::try_from(STEP).unwrap_or(usize::MAX) {
            break;
        }
    }
    Ok(Changed { changed })
}

/// Ten characters that are not misread: what support asks for on the phone.
#[must_use]
pub fn new_ident_code() -> String {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    rand::random::<[u8; 10]>().iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}
