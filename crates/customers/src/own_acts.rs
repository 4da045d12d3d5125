//! What customers do themselves, as the back end of their app tells it: they register, sign in and out, change their profile.

use std::collections::BTreeMap;

use base::fault::Outcome;
use db::{WriteTx, sql};
use entity::client_user::{self, ClientType, ClientUserStatus as Status, LoginMethod, Model};
use entity::client_user_record::RecordKind as Kind;
use entity::{ClientUserId, OpenAppId};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, DbErr, Value};

use super::records::{NewRecord, insert_records};
use super::service::new_ident_code;
use super::store::{self, LIST, place};

/// Customers in one statement, and what is written of each.
const VALUES: usize = 100;
const COLUMNS: usize = 6;

/// Somebody registers.
#[derive(Clone, Debug)]
pub struct Registration {
    pub name: String,
    pub phone: String,
    pub email: String,
    /// Generated if empty.
    pub ident_code: String,
    pub login_method: LoginMethod,
    pub client_type: ClientType,
    pub client_version: String,
    pub device_name: String,
    pub ip: String,
    /// Whose customer it becomes; none for the company's.
    pub app: Option<OpenAppId>,
}

/// Registers a customer, with the record of it. Whoever closed an account with the same number has come back.
///
/// # Errors
/// When the phone or the identification code is taken, or the write fails.
pub async fn register(tx: &mut WriteTx, new: Registration, now: UtcTime) -> Outcome<Model> {
    let ident_code = if new.ident_code.is_empty() { new_ident_code() } else { new.ident_code };
    let row = client_user::ActiveModel {
        name: Set(new.name),
        phone: Set(new.phone),
        email: Set(new.email),
        ident_code: Set(ident_code),
        login_method: Set(new.login_method),
        device_name: Set(new.device_name),
        register_ip: Set(new.ip),
        client_type: Set(new.client_type),
        client_version: Set(new.client_version),
        status: Set(Status::Active),
        star_coins: Set(0),
        phone_count: Set(0),
        remark: Set(String::new()),
        registered_at: Set(now),
        last_login_at: Set(None),
        app_id: Set(new.app),
        updated_at: Set(now),
        ..Default::default()
    };
    let made = store::insert(tx, row).await?;
    tx.counts().moved(LIST, None, Some(place(&made)));
    let event = Event {
        kind: Kind::Register,
        at: now,
        ip: made.register_ip.clone(),
        device_name: made.device_name.clone(),
        client_version: made.client_version.clone(),
        client_type: None,
        login_method: None,
    };
    insert_records(tx, &[event.of(&made)]).await?;
    store::came_back(&**tx, &[&made.phone], now).await?;
    Ok(made)
}

/// What a customer may change of the own profile; none stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub name: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
}

/// Changes a customer's profile.
///
/// # Errors
/// When the phone is taken, or the write fails.
pub async fn change_profile(tx: &mut WriteTx, before: &Model, change: Profile, now: UtcTime) -> Outcome<Model> {
    let Profile { name, phone, email } = change;
    let row = client_user::ActiveModel {
        id: Set(before.id),
        name: Set(name.unwrap_or_else(|| before.name.clone())),
        phone: Set(phone.unwrap_or_else(|| before.phone.clone())),
        email: Set(email.unwrap_or_else(|| before.email.clone())),
        updated_at: Set(now),
        ..Default::default()
    };
    store::update(tx, before, row).await
}

/// A sign-in or a sign-out, at the moment at which it happened.
#[derive(Clone, Debug)]
pub struct Event {
    pub kind: Kind,
    pub at: UtcTime,
    pub ip: String,
    pub device_name: String,
    pub client_version: String,
    /// None if it is what the customer had last.
    pub client_type: Option<ClientType>,
    /// None if it is how the customer signed in last.
    pub login_method: Option<LoginMethod>,
}

impl Event {
    fn of(self, user: &Model) -> NewRecord {
        let Self { kind, at, ip, device_name, client_version, client_type, login_method } = self;
        NewRecord {
            user_id: user.id,
            kind,
            at,
            ip,
            device_name,
            client_type: client_type.unwrap_or(user.client_type),
            client_version,
            login_method: login_method.unwrap_or(user.login_method),
        }
    }
}

/// Writes down events of these customers, in any order. A sign-in that is the latest one of its customer changes what the
/// customer signs in with, and when that was; one that is told late does not. Returns the customers as they became.
///
/// # Errors
/// When the write fails.
pub async fn record_events(
    tx: &mut WriteTx,
    users: BTreeMap<ClientUserId, Model>,
    mut events: Vec<(ClientUserId, Event)>,
) -> Result<BTreeMap<ClientUserId, Model>, DbErr> {
    events.sort_by_key(|(_, event)| event.at);
    let mut became = users.clone();
    let mut rows = Vec::with_capacity(events.len());
    for (id, event) in events {
        let Some(user) = became.get_mut(&id) else { continue };
        let row = event.of(user);
        if row.kind == Kind::SignIn && user.last_login_at.is_none_or(|last| last < row.at) {
            user.last_login_at = Some(row.at);
            (user.client_type, user.login_method) = (row.client_type, row.login_method);
            for (known, told) in
                [(&mut user.device_name, &row.device_name), (&mut user.client_version, &row.client_version)]
            {
                if !told.is_empty() {
                    known.clone_from(told);
                }
            }
        }
        rows.push(row);
    }
    insert_records(tx, &rows).await?;
    let pairs = users.iter().filter_map(|(id, before)| Some((before, became.get(id)?)));
    let changed: Vec<(&Model, &Model)> = pairs.filter(|(before, after)| before != after).collect();
    for group in changed.chunks(VALUES) {
        let text = format!(
            "UPDATE client_user SET last_login_at = v.column2, client_type = v.column3, login_method = v.column4, \
             device_name = v.column5, client_version = v.column6 FROM (VALUES {}) AS v WHERE client_user.id = v.column1",
            sql::value_groups(group.len(), COLUMNS)
        );
        let values = group.iter().flat_map(|(_, after)| -> [Value; COLUMNS] {
            [
                after.id.0.into(),
                after.last_login_at.map(UtcTime::millis).into(),
                after.client_type.code().into(),
                after.login_method.code().into(),
                after.device_name.as_str().into(),
                after.client_version.as_str().into(),
            ]
        });
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    for (before, after) in changed {
        tx.counts().moved(LIST, Some(place(before)), Some(place(after)));
    }
    Ok(became)
}
