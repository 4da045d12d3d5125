//! The phones' table: the list with its filters, and single rows.

use std::collections::BTreeMap;

use base::http::Validate;
use base::list::{Direction, Order};
use db::{WriteTx, kept, search, sql};
use entity::phone::{Column, DISK_GB, DiskState, Entity, Life, Model, PhonePool, PhoneSource, Plan, UseType};
use entity::{ClientUserId, PhoneId, RoomId};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::time::UtcTime;
use sea_orm::sea_query::{Expr, NullOrdering, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbBackend, DbErr, EntityTrait as _, ExprTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, Select, Value,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::counts::{LIST, Wanted, moved};
use crate::news;
use crate::saga::{self, UNSAVED};

/// The table, as searches and uniqueness rules name it.
pub const TABLE: &str = "phone";
/// The columns scanned if a search is too short for the index.
const SEARCHED: [&str; 2] = ["code", "name"];
/// Rows in one statement.
const ROWS: usize = 500;
const DAY: i64 = 86_400;
/// Within how many days a phone "expires soon".
const SOON: i64 = 7;

/// A filter for phones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PhoneFilter {
    /// Part of the code or the name, of the user's name, phone, email or identification code, or of the card's address.
    #[serde(default)]
    pub key_word: Option<String>,
    /// Whose it is.
    #[serde(default)]
    pub user_id: Option<i64>,
    /// What was bought.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub plan: Option<Plan>,
    /// The hardware family that it runs on, such as `RK_3399`.
    #[serde(default)]
    pub board: Option<String>,
    /// The version of the system image that it was on last, whole.
    #[serde(default)]
    #[param(max_length = 64)]
    pub image: Option<String>,
    /// Its home.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// On which cards it comes.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub pool: Option<PhonePool>,
    /// Where it is in its life; if omitted, all except erased ones.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub life: Option<Life>,
    /// Whether it is on a card.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub use_type: Option<UseType>,
    /// True: it was never on a card.
    #[serde(default)]
    pub is_blank: Option<bool>,
    /// True: something of it waits for a person, such as its lost card, or what it has left on one; erased ones as well.
    #[serde(default)]
    pub held: Option<bool>,
    /// How it came to be.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub source: Option<PhoneSource>,
    /// Expires at or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// Expires at or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
    /// True: active, and expires within seven days.
    #[serde(default)]
    pub expires_soon: Option<bool>,
    /// True: it is on a card, and there is no verified copy of it; false: the others.
    #[serde(default)]
    pub no_backup: Option<bool>,
    /// True: it waits in the queue for a card; false: the others.
    #[serde(default)]
    pub queued: Option<bool>,
    /// True: a put-on or a take-off of it has failed within 24 hours; false: the others.
    #[serde(default)]
    pub failed: Option<bool>,
    /// How full its disk is, by what its last copy held.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub disk_state: Option<DiskState>,
}

/// Phones whose disks are nearly full, as the index has it, or are as full as that.
fn disk(state: DiskState) -> SimpleExpr {
    let disk = format!("CAST(phone.disk_gb AS BIGINT) * {DISK_GB}");
    let nearly = format!("phone.used_bytes >= {disk} / 10 * 9");
    Expr::cust(match state {
        DiskState::Fine => format!("NOT ({nearly})"),
        DiskState::Nearly => format!("{nearly} AND phone.used_bytes <= {disk}"),
        DiskState::Over => format!("{nearly} AND phone.used_bytes > {disk}"),
    })
}

/// The sort keys of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhoneSort {
    /// The order of creation, which the code follows.
    Id,
    Plan,
    ExpiresAt,
    DiskGb,
    UsedBytes,
    LastUsedAt,
    LastBackupAt,
}

impl Validate for PhoneFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.optional("board", self.board.as_deref(), |text| max_chars(text, 32));
        check.optional("image", self.image.as_deref(), |text| max_chars(text, 64));
        check.period(self.start_time, self.end_time);
    }
}

impl PhoneFilter {
    /// The filter at this moment.
    #[must_use]
    pub fn at(&self, now: UtcTime) -> PhoneScope {
        PhoneScope { filter: self.clone(), now }
    }
}

/// A filter that is ready to be executed.
#[derive(Clone, Debug)]
pub struct PhoneScope {
    filter: PhoneFilter,
    now: UtcTime,
}

impl PhoneScope {
    /// The plans that run on the board, and are the plan.
    fn plans(&self) -> Option<Vec<Plan>> {
        let PhoneFilter { plan, board, .. } = &self.filter;
        if plan.is_none() && board.is_none() {
            return None;
        }
        let fits = |one: &&Plan| {
            plan.is_none_or(|plan| plan == **one) && board.as_deref().is_none_or(|board| board == one.board())
        };
        Some(Plan::ALL.iter().filter(fits).copied().collect())
    }

    /// The counter cells for this filter; none if cells cannot answer it.
    fn cells(&self) -> Option<Wanted> {
        let PhoneFilter {
            key_word,
            user_id,
            plan: _,
            board: _,
            image,
            room_id,
            pool,
            life,
            use_type,
            is_blank,
            held,
            source,
            start_time,
            end_time,
            expires_soon,
            no_backup,
            queued,
            failed,
            disk_state,
        } = &self.filter;
        if key_word.is_some() || user_id.is_some() || source.is_some() || start_time.is_some() || end_time.is_some() {
            return None;
        }
        if *expires_soon == Some(true) || is_blank.is_some() || held.is_some() || no_backup.is_some() {
            return None;
        }
        if image.is_some() || queued.is_some() || failed.is_some() || disk_state.is_some() {
            return None;
        }
        let mut wanted = Wanted::default();
        wanted.life(*life);
        if let Some(plans) = self.plans() {
            wanted.plans(&plans);
        }
        if let Some(room) = room_id {
            wanted.room(RoomId(*room));
        }
        if let Some(one) = use_type {
            wanted.use_type(*one);
        }
        if let Some(one) = pool {
            wanted.pool(*one);
        }
        Some(wanted)
    }

    /// `select` restricted by this filter.
    #[must_use]
    pub fn apply(&self, backend: DbBackend, mut select: Select<Entity>) -> Select<Entity> {
        // Every field is named, so that a new filter cannot be forgotten here.
        let PhoneFilter {
            key_word,
            user_id,
            plan: _,
            board: _,
            image,
            room_id,
            pool,
            life,
            use_type,
            is_blank,
            held,
            source,
            start_time,
            end_time,
            expires_soon,
            no_backup,
            queued,
            failed,
            disk_state,
        } = &self.filter;
        let soon = (*expires_soon == Some(true)).then(|| {
            let last = self.now.plus_seconds(SOON * DAY);
            // Most phones are active: those that are due are looked for among all of these days.
            let is_active = sql::unindexed(backend, Column::Life).eq(Life::Active.code());
            is_active.and(Column::ExpiresAt.gt(self.now)).and(Column::ExpiresAt.lte(last))
        });
        let unsaved =
            no_backup.map(|is_so| if is_so { Expr::cust(UNSAVED) } else { Expr::cust(format!("NOT ({UNSAVED})")) });
        let of = |which: SelectStatement, is_so: bool| {
            if is_so { Column::Id.in_subquery(which) } else { Column::Id.not_in_subquery(which) }
        };
        let conditions: [Option<SimpleExpr>; 17] = [
            user_id.map(|id| Column::UserId.eq(id)),
            self.plans().map(|plans| Column::Plan.is_in(plans)),
            image.as_deref().map(|version| Column::Image.eq(version)),
            room_id.map(|id| Column::RoomId.eq(id)),
            // As the index of the dedicated ones has it: a bound value would not use that.
            pool.map(|one| Expr::cust(format!("pool = {}", one.code()))),
            match life {
                Some(one) => Some(Column::Life.eq(*one)),
                // What an erased one has left may wait as well.
                None if *held == Some(true) => None,
                None => Some(Column::Life.ne(Life::Erased)),
            },
            use_type.map(|one| Column::UseType.eq(one)),
            is_blank.map(|one| Column::IsBlank.eq(one)),
            held.map(|is_so| of(saga::held_phones(), is_so)),
            source.map(|one| Column::Source.eq(one)),
            start_time.map(|start| Column::ExpiresAt.gte(start)),
            end_time.map(|end| Column::ExpiresAt.lte(end)),
            soon,
            unsaved,
            queued.map(|is_so| of(saga::queued_phones(), is_so)),
            failed.map(|is_so| of(saga::failed_phones(self.now), is_so)),
            disk_state.map(disk),
        ];
        for condition in conditions.into_iter().flatten() {
            select = select.filter(condition);
        }
        if let Some(text) = key_word {
            let own = search::contains(backend, TABLE, &SEARCHED, text);
            let theirs = Column::UserId.in_subquery(customers::ids_found_by(backend, text));
            select = select.filter(own.or(theirs).or(Column::HoldsId.in_subquery(fleet::stays_at(text))));
        }
        select
    }
}

/// One page of the list.
///
/// In id order, the default, a deep page is found by its block; the total comes from the kept counters unless something
/// is asked that cells do not know.
///
/// # Errors
/// When a read fails.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: &PhoneScope,
    order: Order<PhoneSort>,
    page: PageQuery,
) -> Result<Page<Model>, DbErr> {
    let total = total(db, scope).await?;
    if page.offset() >= total {
        return Ok(Page::new(page, total, Vec::new()));
    }
    let sort = order.by.unwrap_or(PhoneSort::Id);
    let select = scope.apply(db.get_database_backend(), Entity::find());
    let descending = order.direction == Direction::Desc;
    let mut select = ordered(select, sort, order.direction).limit(page.page_size);
    let mut offset = page.offset();
    if let (Some(wanted), PhoneSort::Id) = (scope.cells(), sort)
        && offset >= kept::BLOCK_SIZE.unsigned_abs()
        && let Some(start) = kept::seek(db, LIST, wanted.cells(), offset, descending).await?
    {
        let bound = PhoneId(start.bound);
        select = select.filter(if descending { Column::Id.lte(bound) } else { Column::Id.gte(bound) });
        offset = start.skip;
    }
    let list = select.offset(offset).all(db).await?;
    Ok(Page::new(page, total, list))
}

/// A total order: the id comes last.
fn ordered(select: Select<Entity>, sort: PhoneSort, direction: Direction) -> Select<Entity> {
    let order = sea_orm::Order::from(direction);
    let column = match sort {
        PhoneSort::Id => None,
        PhoneSort::Plan => Some(Column::Plan),
        PhoneSort::ExpiresAt => Some(Column::ExpiresAt),
        PhoneSort::DiskGb => Some(Column::DiskGb),
        PhoneSort::UsedBytes => Some(Column::UsedBytes),
        PhoneSort::LastUsedAt => Some(Column::LastUsedAt),
        PhoneSort::LastBackupAt => Some(Column::LastBackupAt),
    };
    let select = match column {
        Some(column @ (Column::LastUsedAt | Column::LastBackupAt)) => {
            select.order_by_with_nulls(column, order.clone(), NullOrdering::Last)
        }
        Some(column) => select.order_by(column, order.clone()),
        None => select,
    };
    select.order_by(Column::Id, order)
}

/// The number of matching rows.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &impl ConnectionTrait, scope: &PhoneScope) -> Result<u64, DbErr> {
    match scope.cells() {
        Some(wanted) => wanted.total(db).await,
        None => scope.apply(db.get_database_backend(), Entity::find()).count(db).await,
    }
}

/// The row, if it exists.
///
/// # Errors
/// When the read fails.
pub async fn find(db: &impl ConnectionTrait, id: PhoneId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}

/// The next `limit` of `which` after `after`, in id order.
///
/// # Errors
/// When the read fails.
pub async fn next(
    db: &impl ConnectionTrait,
    which: Select<Entity>,
    after: PhoneId,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    which.filter(Column::Id.gt(after)).order_by_asc(Column::Id).limit(limit).all(db).await
}

/// Writes what an act changes, `(before, after)`; the counters and the users' numbers of phones follow, and applications are told.
///
/// # Errors
/// When the write fails.
pub async fn write(tx: &mut WriteTx, changes: &[(Model, Model)]) -> Result<(), DbErr> {
    const COLUMNS: usize = 10;
    // Both engines name the columns of a list of values alike.
    const SET: &str = "UPDATE phone SET life = v.column2, plan = v.column3, expires_at = v.column4, \
        frozen_reason = v.column5, stays_until = CAST(v.column6 AS BIGINT), updated_at = v.column7, \
        use_type = v.column8, holds_id = CAST(v.column9 AS BIGINT), term = v.column10";
    for group in changes.chunks(ROWS) {
        let values = group.iter().flat_map(|(_, row)| -> [Value; COLUMNS] {
            [
                row.id.0.into(),
                row.life.code().into(),
                row.plan.code().into(),
                row.expires_at.millis().into(),
                row.frozen_reason.as_str().into(),
                row.stays_until.map(UtcTime::millis).into(),
                row.updated_at.millis().into(),
                row.use_type.code().into(),
                row.holds_id.map(|stay| stay.0).into(),
                row.term.into(),
            ]
        });
        let text =
            format!("{SET} FROM (VALUES {}) AS v WHERE phone.id = v.column1", sql::value_groups(group.len(), COLUMNS));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    let mut gone: BTreeMap<ClientUserId, i64> = BTreeMap::new();
    for (before, after) in changes {
        moved(tx.counts(), Some(before), after);
        if before.life != Life::Erased && after.life == Life::Erased {
            *gone.entry(after.user_id).or_default() -= 1;
        }
    }
    customers::add_phones(&**tx, &gone).await?;
    news::lives(tx, changes).await
}
