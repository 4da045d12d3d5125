//! Registrations, sign-ins and sign-outs of customers.

use std::collections::HashMap;

use base::fault::Outcome;
use base::http::Validate;
use base::reference::Reference;
use db::kept::{self, Cells, List, Place};
use db::{WriteTx, search, sql};
use entity::ClientUserId;
use entity::client_user::{self, ClientType, LoginMethod};
use entity::client_user_record::{Column, Entity, Model, RecordKind as Kind};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbBackend, DbErr, EntityTrait as _, ExprTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _, Select, Value,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::store::{SEARCHED, TABLE};

/// The kept counters of this list. A row's cell is its kind.
const LIST: List = List(11);
const COLUMNS: usize = 8;
/// Rows in one statement; see `bulk`.
const ROWS: usize = 250;

/// A filter for records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RecordFilter {
    /// One customer's.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<i64>)]
    pub user_id: Option<i64>,
    /// Part of the customer's name, phone, email or identification code.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// What happened.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<Kind>,
    /// At or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// At or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

impl Validate for RecordFilter {
    fn check(&self, check: &mut Check) {
        if let Some(text) = &self.key_word {
            check.field("keyWord", max_chars(text, 64));
        }
        check.period(self.start_time, self.end_time);
    }
}

/// A record with its customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientUserRecordView {
    pub id: i64,
    pub user: Reference,
    pub phone: String,
    pub kind: Kind,
    pub at: UtcTime,
    pub ip: String,
    pub device_name: String,
    pub client_type: ClientType,
    pub client_version: String,
    pub login_method: LoginMethod,
}

impl RecordFilter {
    /// The counter cells for this filter; `None` when cells cannot answer it.
    fn cells(&self) -> Option<Option<Vec<i32>>> {
        let Self { user_id, key_word, kind, start_time, end_time } = self;
        let free = user_id.is_some() || key_word.is_some() || start_time.is_some() || end_time.is_some();
        (!free).then(|| kind.map(|kind| vec![i32::from(kind.code())]))
    }

    fn apply(&self, backend: DbBackend, mut select: Select<Entity>) -> Select<Entity> {
        let Self { user_id, key_word, kind, start_time, end_time } = self;
        if let Some(user) = user_id {
            select = select.filter(Column::UserId.eq(ClientUserId(*user)));
        }
        if let Some(kind) = kind {
            select = select.filter(sql::unindexed(backend, Column::Kind).eq(kind.code()));
        }
        if let Some(start) = start_time {
            select = select.filter(Column::At.gte(*start));
        }
        if let Some(end) = end_time {
            select = select.filter(Column::At.lte(*end));
        }
        if let Some(text) = key_word {
            let users = client_user::Entity::find()
                .select_only()
                .column(client_user::Column::Id)
                .filter(search::contains(backend, TABLE, &SEARCHED, text));
            select = select.filter(Column::UserId.in_subquery(users.into_query()));
        }
        select
    }
}

/// One page, newest first. Records are inserted in order of time, so their ids are in that order too, but for what an
/// application tells late: of one customer they are sorted by time.
///
/// # Errors
/// When a read fails.
pub async fn list(
    db: &impl ConnectionTrait,
    filter: &RecordFilter,
    page: PageQuery,
) -> Result<Page<ClientUserRecordView>, DbErr> {
    let mut select = filter.apply(db.get_database_backend(), Entity::find());
    let cells = filter.cells();
    let total = total(db, filter).await?;
    if page.offset() >= total {
        return Ok(Page::new(page, total, Vec::new()));
    }
    let mut offset = page.offset();
    if let Some(cells) = &cells
        && offset >= kept::BLOCK_SIZE.unsigned_abs()
        && let Some(start) = kept::seek(db, LIST, Cells::from(cells.as_deref()), offset, true).await?
    {
        select = select.filter(Column::Id.lte(start.bound));
        offset = start.skip;
    }
    if filter.user_id.is_some() || filter.start_time.is_some() || filter.end_time.is_some() {
        // One customer's are few, and the index of the times returns others in order.
        select = select.order_by_desc(Column::At);
    }
    let rows = select.order_by_desc(Column::Id).offset(offset).limit(page.page_size).all(db).await?;
    Ok(Page::new(page, total, named(db, rows).await?))
}

/// The number of matching records.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &impl ConnectionTrait, filter: &RecordFilter) -> Result<u64, DbErr> {
    match filter.cells() {
        Some(cells) => kept::total(db, LIST, Cells::from(cells.as_deref())).await,
        None => filter.apply(db.get_database_backend(), Entity::find()).count(db).await,
    }
}

/// The next `limit` records before `before`, newest first, and the id from which to continue.
///
/// # Errors
/// When a read fails.
pub async fn step(
    db: &impl ConnectionTrait,
    filter: &RecordFilter,
    before: Option<i64>,
    limit: u64,
) -> Outcome<(Vec<ClientUserRecordView>, Option<i64>)> {
    let mut select = filter.apply(db.get_database_backend(), Entity::find());
    if let Some(before) = before {
        select = select.filter(Column::Id.lt(before));
    }
    let rows = select.order_by_desc(Column::Id).limit(limit).all(db).await?;
    let next = (rows.len() as u64 == limit).then(|| rows.last().map(|row| row.id)).flatten();
    Ok((named(db, rows).await?, next))
}

async fn named(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<ClientUserRecordView>, DbErr> {
    let mut ids: Vec<ClientUserId> = rows.iter().map(|row| row.user_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut users = HashMap::new();
    for ids in ids.chunks(1000) {
        let found: Vec<(ClientUserId, String, String)> = client_user::Entity::find()
            .select_only()
            .columns([client_user::Column::Id, client_user::Column::Name, client_user::Column::Phone])
            .filter(client_user::Column::Id.is_in(ids.iter().copied()))
            .into_tuple()
            .all(db)
            .await?;
        users.extend(found.into_iter().map(|(id, name, phone)| (id, (name, phone))));
    }
    Ok(rows
        .into_iter()
        .map(|row| {
            let Model { id, user_id, kind, at, ip, device_name, client_type, client_version, login_method } = row;
            let (name, phone) = users.get(&user_id).cloned().unzip();
            ClientUserRecordView {
                id,
                user: Reference { id: user_id.0, name },
                phone: phone.unwrap_or_default(),
                kind,
                at,
                ip,
                device_name,
                client_type,
                client_version,
                login_method,
            }
        })
        .collect())
}

/// A new record of a customer.
#[derive(Clone, Debug)]
pub struct NewRecord {
    pub user_id: ClientUserId,
    pub kind: Kind,
    pub at: UtcTime,
    pub ip: String,
    pub device_name: String,
    pub client_type: ClientType,
    pub client_version: String,
    pub login_method: LoginMethod,
}

/// Writes records in the caller's transaction, in the given order, which should be that of time.
///
/// # Errors
/// When the write fails.
pub async fn insert_records(tx: &mut WriteTx, rows: &[NewRecord]) -> Result<(), DbErr> {
    let backend = tx.get_database_backend();
    for group in rows.chunks(ROWS) {
        let text = format!(
            "INSERT INTO client_user_record (user_id, kind, at, ip, device_name, client_type, client_version, login_method) \
             VALUES {} RETURNING id, kind",
            sql::value_groups(group.len(), COLUMNS)
        );
        let values = group.iter().flat_map(|row| -> [Value; COLUMNS] {
            [
                row.user_id.0.into(),
                row.kind.code().into(),
                row.at.millis().into(),
                row.ip.as_str().into(),
                row.device_name.as_str().into(),
                row.client_type.code().into(),
                row.client_version.as_str().into(),
                row.login_method.code().into(),
            ]
        });
        for made in tx.query_all_raw(sql::statement(backend, text, values)).await? {
            let (id, kind): (i64, i16) = (made.try_get_by_index(0)?, made.try_get_by_index(1)?);
            tx.counts().moved(LIST, None, Some(Place { cell: i32::from(kind), id }));
        }
    }
    Ok(())
}
