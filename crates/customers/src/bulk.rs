//! Many new customers at once: for imports and for the demo company.
//!
//! Rows are written in groups, together with their search documents and kept counters.

use std::collections::HashMap;

use base::fault::{Fault, Outcome, unique};
use db::{WriteTx, search, sql};
use entity::ClientUserId;
use entity::client_user::{ClientType, ClientUserStatus as Status, LoginMethod, Model};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbErr, Value};

use super::store::{LIST, TABLE, UNIQUE, document, place};

/// Rows in one statement.
const ROWS: usize = 500;
const COLUMNS: usize = 17;

/// A customer who has no id yet.
#[derive(Clone, Debug)]
pub struct NewClientUser {
    pub name: String,
    pub phone: String,
    pub email: String,
    pub ident_code: String,
    pub login_method: LoginMethod,
    pub device_name: String,
    pub register_ip: String,
    pub client_type: ClientType,
    pub client_version: String,
    pub status: Status,
    pub star_coins: i64,
    pub phone_count: i32,
    pub remark: String,
    pub registered_at: UtcTime,
    pub last_login_at: Option<UtcTime>,
}

impl NewClientUser {
    fn numbered(self, id: i64, now: UtcTime) -> Model {
        let Self {
            name,
            phone,
            email,
            ident_code,
            login_method,
            device_name,
            register_ip,
            client_type,
            client_version,
            status,
            star_coins,
            phone_count,
            remark,
            registered_at,
            last_login_at,
        } = self;
        Model {
            id: ClientUserId(id),
            name,
            phone,
            email,
            ident_code,
            login_method,
            device_name,
            register_ip,
            client_type,
            client_version,
            is_closed: status == Status::LoggedOut,
            status,
            star_coins,
            phone_count,
            remark,
            registered_at,
            last_login_at,
            // Nobody who writes many of them at once does it for an application.
            app_id: None,
            updated_at: now,
        }
    }

    fn values(&self, now: UtcTime) -> [Value; COLUMNS] {
        [
            self.name.as_str().into(),
            self.phone.as_str().into(),
            self.email.as_str().into(),
            self.ident_code.as_str().into(),
            self.login_method.code().into(),
            self.device_name.as_str().into(),
            self.register_ip.as_str().into(),
            self.client_type.code().into(),
            self.client_version.as_str().into(),
            self.status.code().into(),
            (self.status == Status::LoggedOut).into(),
            self.star_coins.into(),
            self.phone_count.into(),
            self.remark.as_str().into(),
            self.registered_at.millis().into(),
            self.last_login_at.map(UtcTime::millis).into(),
            now.millis().into(),
        ]
    }
}

/// Inserts `rows` in the caller's transaction and returns them with their ids, in the same order.
///
/// # Errors
/// When a phone or an identification code is taken, or the write fails.
pub async fn insert_many(tx: &mut WriteTx, rows: Vec<NewClientUser>, now: UtcTime) -> Outcome<Vec<Model>> {
    let mut made = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let group: Vec<NewClientUser> = rows.by_ref().take(ROWS).collect();
        let ids = insert_group(tx, &group, now).await.map_err(unique(TABLE, UNIQUE))?;
        for row in group {
            // The engines need not return rows in order of insertion; the code identifies them.
            let id = ids
                .get(&row.ident_code)
                .copied()
                .ok_or_else(|| Fault::internal(anyhow::anyhow!("an inserted row was not returned")))?;
            made.push(row.numbered(id, now));
        }
    }
    let documents: Vec<(i64, String)> = made.iter().map(|row| (row.id.0, document(row))).collect();
    search::insert(&**tx, TABLE, &documents).await?;
    for row in &made {
        tx.counts().moved(LIST, None, Some(place(row)));
    }
    Ok(made)
}

async fn insert_group(tx: &WriteTx, group: &[NewClientUser], now: UtcTime) -> Result<HashMap<String, i64>, DbErr> {
    let text = format!(
        "INSERT INTO client_user (name, phone, email, ident_code, login_method, device_name, register_ip, client_type, client_version, \
         status, is_closed, star_coins, phone_count, remark, registered_at, last_login_at, updated_at) VALUES {} RETURNING id, ident_code",
        sql::value_groups(group.len(), COLUMNS)
    );
    let values = group.iter().flat_map(|row| row.values(now));
    let returned = tx.query_all_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    returned.into_iter().map(|row| Ok((row.try_get_by_index(1)?, row.try_get_by_index(0)?))).collect()
}
