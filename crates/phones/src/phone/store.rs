//! The phones' table: the list with its filters, and single rows.

use std::collections::BTreeMap;

use base::list::{Direction, Order};
use db::{Db, WriteTx, kept, sql};
use entity::phone::{Column, Entity, Life, Model};
use entity::{ClientUserId, PhoneId};
use kernel::page::{Page, PageQuery};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    Select, Value,
};

use super::counts::moved;
use super::filter::{PhoneScope, PhoneSort};
use crate::news;

/// Rows in one statement.
const ROWS: usize = 500;

/// One page of the list.
///
/// In id order, the default, a deep page is found by its block; the total comes from the kept counters unless something
/// is asked that cells do not know.
///
/// # Errors
/// When a read fails.
pub async fn list(db: &Db, scope: &PhoneScope, order: Order<PhoneSort>, page: PageQuery) -> Result<Page<Model>, DbErr> {
    let total = scope.total(db).await?;
    if page.offset() >= total {
        return Ok(Page::new(page, total, Vec::new()));
    }
    let sort = order.by.unwrap_or(PhoneSort::Id);
    let select = scope.apply_ordered(db.backend(), Entity::find(), sort, total);
    let descending = order.direction == Direction::Desc;
    let mut select = ordered(select, sort, order.direction).limit(page.page_size);
    let mut offset = page.offset();
    if let (Some(wanted), PhoneSort::Id) = (scope.cells(), sort)
        && offset >= kept::BLOCK_SIZE.unsigned_abs()
        && let Some(start) = wanted.seek(db.lookups(), offset, descending).await?
    {
        let bound = PhoneId(start.bound);
        select = select.filter(if descending { Column::Id.lte(bound) } else { Column::Id.gte(bound) });
        offset = start.skip;
    }
    let list = select.offset(offset).all(db.read()).await?;
    Ok(Page::new(page, total, list))
}

/// A total order: the id comes last.
fn ordered(select: Select<Entity>, sort: PhoneSort, direction: Direction) -> Select<Entity> {
    let by = match sort {
        PhoneSort::Id => None,
        PhoneSort::Plan => Some(Column::Plan),
        PhoneSort::ExpiresAt => Some(Column::ExpiresAt),
        PhoneSort::DiskGb => Some(Column::DiskGb),
        PhoneSort::UsedBytes => Some(Column::UsedBytes),
        PhoneSort::LastUsedAt => Some(Column::LastUsedAt),
        PhoneSort::LastBackupAt => Some(Column::LastBackupAt),
    };
    Order { by, direction }.apply(select, direction)
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
