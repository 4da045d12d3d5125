//! The customers' table: the list with its filters, and single rows.

use std::collections::{BTreeSet, HashMap};

use base::fault::{Fault, unique};
use base::http::Validate;
use base::list::{Direction, Order};
use db::kept::{self, Cells, List, Place};
use db::{Db, WriteTx};
use db::{search, sql};
use entity::client_user::{self, ClientType, ClientUserStatus as Status, Column, Entity, LoginMethod, Model};
use entity::logout_request::{self, LogoutStatus};
use entity::{ClientUserId, OpenAppId, open_app};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbBackend, DbErr, EntityTrait as _, ExprTrait as _,
    PaginatorTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _, Select,
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The kept counters of this list.
pub const LIST: List = List(1);
/// The table, as searches and uniqueness rules name it.
pub const TABLE: &str = "client_user";
/// Uniqueness rules, with the fields of the input that violate them.
pub const UNIQUE: &[(&str, &str)] = &[("phone", "phone"), ("ident_code", "identCode")];
/// Values in one statement: engines limit them.
pub const VALUES: usize = 500;
/// The columns of a search.
pub const SEARCHED: [&str; 4] = ["name", "phone", "email", "ident_code"];

/// A filter for customers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ClientUserFilter {
    /// Part of the name, phone, email or identification code.
    #[serde(default)]
    pub key_word: Option<String>,
    /// How they sign in.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub login_method: Option<LoginMethod>,
    /// Whether the account can be used.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub status: Option<Status>,
    /// What their client runs on.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub client_type: Option<ClientType>,
    /// Those whom one application of the Open API brought.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<i64>)]
    pub app_id: Option<i64>,
    /// Registered at or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// Registered at or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

/// The sort keys of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserSort {
    /// The order of registration.
    Id,
    /// The name.
    Name,
    /// The last sign-in; those who never signed in come last.
    LastLoginAt,
}

impl Validate for ClientUserFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.period(self.start_time, self.end_time);
    }
}

/// The counter cell of rows with these values.
pub const fn cell(status: Status, method: LoginMethod, client: ClientType) -> i32 {
    (status.code() as i32 * 10 + method.code() as i32) * 10 + client.code() as i32
}

/// A row's place in the kept counters.
#[must_use]
pub const fn place(row: &Model) -> Place {
    Place { cell: cell(row.status, row.login_method, row.client_type), id: row.id.0 }
}

/// The search document of a row.
#[must_use]
pub fn document(row: &Model) -> String {
    search::document(&[&row.name, &row.phone, &row.email, &row.ident_code])
}

/// Rebuilds all search documents.
pub async fn reindex(tx: &WriteTx) -> anyhow::Result<()> {
    let after = |id| async move {
        let select =
            Entity::find().filter(Column::Id.gt(ClientUserId(id))).order_by_asc(Column::Id).limit(search::STEP);
        Ok(select.all(&**tx).await?.iter().map(|row| (row.id.0, document(row))).collect())
    };
    Ok(search::reindex(&**tx, "client_user", after).await?)
}

impl ClientUserFilter {
    /// The counter cells for this filter: `Some(None)` all of them, `None` when cells cannot answer it.
    fn cells(&self) -> Option<Option<Vec<i32>>> {
        let Self { key_word, login_method, status, client_type, app_id, start_time, end_time } = self;
        if key_word.is_some() || app_id.is_some() || start_time.is_some() || end_time.is_some() {
            return None;
        }
        if login_method.is_none() && status.is_none() && client_type.is_none() {
            return Some(None);
        }
        let cells = Status::ALL.iter().filter(|s| status.is_none_or(|want| want == **s)).flat_map(|s| {
            LoginMethod::ALL.iter().filter(|m| login_method.is_none_or(|want| want == **m)).flat_map(|m| {
                ClientType::ALL.iter().filter(|c| client_type.is_none_or(|want| want == **c)).map(|c| cell(*s, *m, *c))
            })
        });
        Some(Some(cells.collect()))
    }

    /// `select` restricted by this filter.
    #[must_use]
    pub fn apply(&self, backend: DbBackend, select: Select<Entity>) -> Select<Entity> {
        self.apply_in(backend, select, false)
    }

    /// The same for `total` rows requested in an order that has an index.
    fn apply_ordered(&self, backend: DbBackend, select: Select<Entity>, sort: UserSort, total: u64) -> Select<Entity> {
        /// This many are sorted in a millisecond or two.
        const FEW: u64 = 5000;
        // The indexes that start with a method or an application continue with the id.
        let is_in_order = sort == UserSort::Id && (self.login_method.is_some() || self.app_id.is_some());
        self.apply_in(backend, select, total > FEW && !is_in_order)
    }

    /// With `by_order` no index of a filter is used if the engine would choose it badly.
    fn apply_in(&self, backend: DbBackend, mut select: Select<Entity>, by_order: bool) -> Select<Entity> {
        let free = |column: Column| if by_order { sql::unindexed(backend, column) } else { Expr::col(column) };
        // Every field is named, so that a new filter cannot be forgotten here.
        let Self { key_word, login_method, status, client_type, app_id, start_time, end_time } = self;
        if let Some(app) = app_id {
            select = select.filter(free(Column::AppId).eq(*app));
        }
        if let Some(status) = status {
            select = select.filter(free(Column::Status).eq(status.code()));
        }
        if let Some(method) = login_method {
            select = select.filter(free(Column::LoginMethod).eq(method.code()));
        }
        if let Some(client) = client_type {
            select = select.filter(free(Column::ClientType).eq(client.code()));
        }
        if let Some(start) = start_time {
            select = select.filter(free(Column::RegisteredAt).gte(*start));
        }
        if let Some(end) = end_time {
            select = select.filter(free(Column::RegisteredAt).lte(*end));
        }
        if let Some(text) = key_word {
            select = select.filter(search::contains(backend, TABLE, &SEARCHED, text));
        }
        select
    }
}

/// One page of the list.
///
/// In id order, the default, the total comes from the kept counters and a deep page is found by its block; other orders
/// and free filters count and skip.
///
/// # Errors
/// When a read fails.
pub async fn list(
    db: &Db,
    filter: &ClientUserFilter,
    order: Order<UserSort>,
    page: PageQuery,
) -> Result<Page<Model>, DbErr> {
    let cells = filter.cells();
    let total = total(db, filter).await?;
    if page.offset() >= total {
        return Ok(Page::new(page, total, Vec::new()));
    }
    let sort = order.by.unwrap_or(UserSort::Id);
    let select = filter.apply_ordered(db.backend(), Entity::find(), sort, total);
    let descending = order.direction == Direction::Desc;
    let mut select = ordered(select, sort, order.direction).limit(page.page_size);
    let mut offset = page.offset();
    if let (Some(cells), UserSort::Id) = (&cells, sort)
        && offset >= kept::BLOCK_SIZE.unsigned_abs()
        && let Some(start) = kept::seek(db.lookups(), LIST, Cells::from(cells.as_deref()), offset, descending).await?
    {
        let bound = ClientUserId(start.bound);
        select = select.filter(if descending { Column::Id.lte(bound) } else { Column::Id.gte(bound) });
        offset = start.skip;
    }
    let list = select.offset(offset).all(db.read()).await?;
    Ok(Page::new(page, total, list))
}

/// A total order: the id comes last.
fn ordered(select: Select<Entity>, sort: UserSort, direction: Direction) -> Select<Entity> {
    let by = match sort {
        UserSort::Id => None,
        UserSort::Name => Some(Column::Name),
        UserSort::LastLoginAt => Some(Column::LastLoginAt),
    };
    Order { by, direction }.apply(select, direction)
}

/// The names of the applications that brought these customers.
///
/// # Errors
/// When the read fails.
pub async fn app_names(db: &impl ConnectionTrait, rows: &[Model]) -> Result<HashMap<OpenAppId, String>, DbErr> {
    let ids: BTreeSet<OpenAppId> = rows.iter().filter_map(|row| row.app_id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let select = open_app::Entity::find().select_only().columns([open_app::Column::Id, open_app::Column::Name]);
    let names: Vec<(OpenAppId, String)> = select.filter(open_app::Column::Id.is_in(ids)).into_tuple().all(db).await?;
    Ok(names.into_iter().collect())
}

/// The row, if it exists.
///
/// # Errors
/// When the read fails.
pub async fn find(db: &impl ConnectionTrait, id: ClientUserId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}

/// Inserts a row together with its search document; the caller counts it.
///
/// # Errors
/// When the phone or the identification code is taken, or the write fails.
pub async fn insert(tx: &mut WriteTx, row: client_user::ActiveModel) -> Result<Model, Fault> {
    let row = Entity::insert(row).exec_with_returning(&**tx).await.map_err(unique(TABLE, UNIQUE))?;
    tx.documents().added(TABLE, row.id.0, document(&row));
    Ok(row)
}

/// Writes a row's own fields and, where they are searched, its document.
///
/// # Errors
/// When the phone or the identification code is taken, or the write fails.
pub async fn update(tx: &mut WriteTx, before: &Model, row: client_user::ActiveModel) -> Result<Model, Fault> {
    let after = Entity::update(row).exec(&**tx).await.map_err(unique(TABLE, UNIQUE))?;
    let found_by = document(&after);
    if found_by != document(before) {
        tx.documents().changed(TABLE, after.id.0, found_by);
    }
    Ok(after)
}

/// Writes down of closed accounts with these numbers that their customers have come back.
///
/// # Errors
/// When the write fails.
pub async fn came_back(tx: &impl ConnectionTrait, phones: &[&str], now: UtcTime) -> Result<(), DbErr> {
    let phones: Vec<&str> = phones.iter().copied().filter(|phone| !phone.is_empty()).collect();
    // A number is few rows; a status is many, and SQLite would look through all of them.
    let is = |column: Expr, code: i16| column.eq(code);
    let backend = tx.get_database_backend();
    for phones in phones.chunks(VALUES) {
        let closed = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::Phone.is_in(phones.iter().copied()))
            // The index leaves empty texts out; saying so lets it be used.
            .filter(Column::Phone.ne(""))
            .filter(is(sql::unindexed(backend, Column::Status), Status::LoggedOut.code()));
        let change = logout_request::ActiveModel {
            re_registered: Set(true),
            re_registered_at: Set(Some(now)),
            ..Default::default()
        };
        logout_request::Entity::update_many()
            .set(change)
            .filter(logout_request::Column::UserId.in_subquery(closed.into_query()))
            .filter(is(sql::unindexed(backend, logout_request::Column::Status), LogoutStatus::Completed.code()))
            .filter(logout_request::Column::ReRegistered.eq(false))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Matching rows whose status differs from `status`, in id order after `after`.
///
/// # Errors
/// When the read fails.
pub async fn next_to_change(
    db: &impl ConnectionTrait,
    which: Select<Entity>,
    status: Status,
    after: ClientUserId,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let from = if status == Status::Active { Status::Disabled } else { Status::Active };
    which
        .filter(Column::Id.gt(after))
        // Not by the index of the status, which SQLite would prefer to the ids.
        .filter(sql::unindexed(db.get_database_backend(), Column::Status).eq(from.code()))
        .order_by_asc(Column::Id)
        .limit(limit)
        .all(db)
        .await
}

/// Enables or disables these rows, of which none is closed.
///
/// # Errors
/// When the write fails.
pub async fn set_status(
    tx: &impl ConnectionTrait,
    ids: Vec<ClientUserId>,
    status: Status,
    now: UtcTime,
) -> Result<u64, DbErr> {
    let change = client_user::ActiveModel { status: Set(status), updated_at: Set(now), ..Default::default() };
    let done = Entity::update_many().set(change).filter(Column::Id.is_in(ids)).exec(tx).await?;
    Ok(done.rows_affected)
}

/// Sets a row's status if it is still as `seen`. `false`: somebody was faster.
///
/// # Errors
/// When the write fails.
pub async fn move_status(tx: &impl ConnectionTrait, seen: &Model, status: Status, now: UtcTime) -> Result<bool, DbErr> {
    let change = client_user::ActiveModel {
        status: Set(status),
        is_closed: Set(status == Status::LoggedOut),
        updated_at: Set(now),
        ..Default::default()
    };
    let done = Entity::update_many()
        .set(change)
        .filter(Column::Id.eq(seen.id))
        .filter(Column::Status.eq(seen.status))
        .exec(tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// The next `limit` rows before `before`, newest first, and the id from which to continue: for exports.
///
/// # Errors
/// When the read fails.
pub async fn step(
    db: &impl ConnectionTrait,
    filter: &ClientUserFilter,
    before: Option<ClientUserId>,
    limit: u64,
) -> Result<(Vec<Model>, Option<ClientUserId>), DbErr> {
    // Many or few, each step continues where the last one ended.
    let mut select = filter.apply_ordered(db.get_database_backend(), Entity::find(), UserSort::Id, u64::MAX);
    if let Some(before) = before {
        select = select.filter(Column::Id.lt(before));
    }
    let rows = select.order_by_desc(Column::Id).limit(limit).all(db).await?;
    let next = (rows.len() as u64 == limit).then(|| rows.last().map(|row| row.id)).flatten();
    Ok((rows, next))
}

/// The number of rows that match the filter.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &Db, filter: &ClientUserFilter) -> Result<u64, DbErr> {
    match filter.cells() {
        Some(cells) => kept::total(db.lookups(), LIST, Cells::from(cells.as_deref())).await,
        None => filter.apply(db.backend(), Entity::find()).count(db.read()).await,
    }
}
