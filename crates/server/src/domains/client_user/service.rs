//! What may be done to customers.

use entity::ClientUserId;
use entity::client_user::{self, ClientType, LoginMethod, Model, Status};
use kernel::rules::{Check, Violation, email, line, max_chars, phone};
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::store::{self, ClientUserFilter, LIST, place};
use crate::fault::{Fault, Outcome};
use crate::http::Validate;
use crate::http::ops::{Audit, OpCtx};

const NOT_FOUND: Text = text("客户端用户不存在", "There is no such client user");
/// Rows changed in one transaction; more go in steps, each acknowledged by its own line in the log.
const STEP: u64 = 1000;

/// What an operator may write about a customer.
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
    /// Up to 25 characters; made where it is left empty.
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

/// Some rows of a list: named one by one, or by a filter.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Selection {
    /// These.
    Ids(Vec<ClientUserId>),
    /// All that the filter matches, however many.
    Filter(ClientUserFilter),
}

/// A change of status for a selection.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetStatusInput {
    /// Whom it concerns.
    pub selection: Selection,
    /// 1 enables, 2 disables.
    pub status: Status,
    /// Why; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for SetStatusInput {
    fn check(&self, check: &mut Check) {
        if self.status == Status::LoggedOut {
            check.add("status", Violation::not_a_choice("1, 2"));
        }
        if let Selection::Ids(ids) = &self.selection {
            if ids.is_empty() {
                check.add("selection.ids", Violation::new("list.empty"));
            } else if ids.len() > 10_000 {
                check.add("selection.ids", Violation::new("list.tooMany").with("max", 10_000).with("count", ids.len()));
            }
        }
        check.field("reason", max_chars(&self.reason, 256));
    }
}

/// How many rows a bulk act changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changed {
    /// Rows that are different now; those that already were so are not counted.
    pub changed: u64,
}

/// The customer, or "not found".
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: ClientUserId) -> Outcome<Model> {
    store::find(ctx.read(), id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))
}

/// Registers a customer by hand.
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
    let made = store::insert(&mut tx, row).await?;
    tx.counts().moved(LIST, None, Some(place(&made)));
    tx.commit(Audit::of("clientUser").id(made.id).name(&made.name).after(&made)).await?;
    Ok(made)
}

/// Changes what operators may write about a customer.
///
/// # Errors
/// When there is no such customer, or the phone or the identification code is taken.
pub async fn update(ctx: &OpCtx, id: ClientUserId, input: ClientUserInput) -> Outcome<Model> {
    let ClientUserInput { name, phone, email, ident_code, remark } = input;
    let mut tx = ctx.begin_write().await?;
    let before = store::find(&*tx, id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))?;
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
    let after = store::update(&mut tx, &before, row).await?;
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
        let rows = store::next_to_change(&*tx, which.clone(), status, after, STEP).await?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        let ids: Vec<ClientUserId> = rows.iter().map(|row| row.id).collect();
        changed += store::set_status(&*tx, ids.clone(), status, ctx.now()).await?;
        for row in &rows {
            let moved = Model { status, ..row.clone() };
            tx.counts().moved(LIST, Some(place(row)), Some(place(&moved)));
        }
        let audit = Audit::of("clientUser")
            .id(if ids.len() == 1 { ids[0].to_string() } else { String::new() })
            .name(rows.iter().take(8).map(|row| row.name.as_str()).collect::<Vec<_>>().join(", "))
            .before(&rows.iter().map(|row| (row.id, row.status)).collect::<Vec<_>>())
            .after(&serde_json::json!({ "status": status, "reason": reason }))
            .note(format!("{} rows", ids.len()));
        tx.commit(audit).await?;
        if ids.len() < usize::try_from(STEP).unwrap_or(usize::MAX) {
            break;
        }
    }
    Ok(Changed { changed })
}

/// Ten characters that nobody misreads: what support asks for on the phone.
#[must_use]
pub fn new_ident_code() -> String {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    rand::random::<[u8; 10]>().iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}
