//! New phones: for forms, imports and the demo company.

use std::collections::BTreeMap;

use base::fault::{Fault, Outcome};
use db::{WriteTx, search, sql};
use entity::phone::{Life, Model, PhonePool, PhoneSource, Plan, UseType};
use entity::{ClientUserId, OpenAppId, PhoneId, RoomId};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbErr, Value};

use super::counts::moved;
use super::filter::TABLE;
use super::search::document;

/// Rows in one statement.
const ROWS: usize = 500;
const COLUMNS: usize = 22;
const DAY: i64 = 86_400;

/// A phone that has no code yet, off the machine and never used.
#[derive(Clone, Debug)]
pub struct NewPhone {
    pub name: String,
    pub user_id: ClientUserId,
    pub plan: Plan,
    pub room_id: RoomId,
    pub pool: PhonePool,
    pub disk_gb: i32,
    pub expires_at: UtcTime,
    pub source: PhoneSource,
    pub remark: String,
}

impl NewPhone {
    /// `app_id` is the application that brought its user.
    fn into_row(self, id: i64, app_id: Option<OpenAppId>, now: UtcTime) -> Model {
        let Self { name, user_id, plan, room_id, pool, disk_gb, expires_at, source, remark } = self;
        Model {
            id: PhoneId(id),
            code: code(id),
            name,
            user_id,
            plan,
            room_id,
            pool,
            life: Life::Active,
            use_type: UseType::Off,
            is_blank: true,
            kept_id: None,
            holds_id: None,
            endpoint_rev: 0,
            disk_gb,
            used_bytes: 0,
            expires_at,
            term: term(now, expires_at),
            image: String::new(),
            source,
            frozen_reason: String::new(),
            stays_until: None,
            last_used_at: None,
            last_backup_at: None,
            remark,
            app_id,
            created_at: now,
            updated_at: now,
        }
    }
}

/// The days from one moment to another, to the nearest: whoever says until when has said so a moment before.
fn term(from: UtcTime, until: UtcTime) -> i32 {
    i32::try_from((until.seconds_since(from).max(0) + DAY / 2) / DAY).unwrap_or(i32::MAX)
}

/// What people call a phone by.
#[must_use]
pub fn code(id: i64) -> String {
    format!("CP-{id:07}")
}

/// Inserts `rows` in the caller's transaction, in their order, and returns them with their ids and codes. Counters,
/// search documents and the users' numbers of phones follow.
///
/// # Errors
/// When the write fails.
pub async fn insert_many(tx: &mut WriteTx, rows: Vec<NewPhone>, now: UtcTime) -> Outcome<Vec<Model>> {
    let mut made: Vec<Model> = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let group: Vec<NewPhone> = rows.by_ref().take(ROWS).collect();
        let first = next_id(tx).await?;
        let apps = customers::apps_of(&**tx, group.iter().map(|row| row.user_id)).await?;
        let row = |(id, new): (i64, NewPhone)| {
            let app = apps.get(&new.user_id).copied();
            new.into_row(id, app, now)
        };
        let group: Vec<Model> = (first..).zip(group).map(row).collect();
        insert_group(tx, &group).await?;
        made.extend(group);
    }
    let documents: Vec<(i64, String)> = made.iter().map(|row| (row.id.0, document(row))).collect();
    search::insert(&**tx, TABLE, &documents).await?;
    let mut more: BTreeMap<ClientUserId, i64> = BTreeMap::new();
    for row in &made {
        moved(tx.counts(), None, row);
        *more.entry(row.user_id).or_default() += 1;
    }
    customers::add_phones(&**tx, &more).await?;
    Ok(made)
}

/// The number after that of the newest phone. One writer at a time has the lane, and phones are never removed.
async fn next_id(tx: &WriteTx) -> Outcome<i64> {
    let text = "SELECT COALESCE(MAX(id), 0) + 1 FROM phone";
    let row = tx.query_one_raw(sql::statement(tx.get_database_backend(), text, [])).await?;
    let row = row.ok_or_else(|| Fault::internal(anyhow::anyhow!("an aggregate has no row")))?;
    Ok(row.try_get_by_index(0)?)
}

async fn insert_group(tx: &WriteTx, group: &[Model]) -> Result<(), DbErr> {
    let text = format!(
        "INSERT INTO phone (id, code, name, user_id, plan, room_id, pool, life, use_type, is_blank, endpoint_rev, disk_gb, \
         used_bytes, expires_at, term, image, source, frozen_reason, remark, app_id, created_at, updated_at) VALUES {}",
        sql::value_groups(group.len(), COLUMNS)
    );
    let values = group.iter().flat_map(|row| -> [Value; COLUMNS] {
        [
            row.id.0.into(),
            row.code.as_str().into(),
            row.name.as_str().into(),
            row.user_id.0.into(),
            row.plan.code().into(),
            row.room_id.0.into(),
            row.pool.code().into(),
            row.life.code().into(),
            row.use_type.code().into(),
            row.is_blank.into(),
            row.endpoint_rev.into(),
            row.disk_gb.into(),
            row.used_bytes.into(),
            row.expires_at.millis().into(),
            row.term.into(),
            row.image.as_str().into(),
            row.source.code().into(),
            row.frozen_reason.as_str().into(),
            row.remark.as_str().into(),
            row.app_id.map(|app| app.0).into(),
            row.created_at.millis().into(),
            row.updated_at.millis().into(),
        ]
    });
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}
