//! How full storage nodes are, and when they will be.

use std::collections::BTreeMap;

use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, reply};
use db::WriteTx;
use entity::StoreNodeId;
use entity::store_node::{self, Model};
use entity::store_usage::{ActiveModel, Column, Entity};
use kernel::time::UtcTime;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::service::find;
use super::view::limit;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// The days by which it is reckoned when a node will be full, and that its page shows.
const DAYS: i64 = 30;
/// Days for which it is kept how full a node was.
pub const KEPT: i64 = 400;
/// Later than in so many days nobody wants to know.
const LONGEST: i128 = 9_999;

/// How full a node was at the end of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageDay {
    /// When it was added up.
    pub at: UtcTime,
    /// Bytes of what lay there.
    pub used_bytes: i64,
}

/// Writes down how full a node is now, and reckons anew when it will be.
///
/// # Errors
/// When the database refuses.
pub async fn note(tx: &WriteTx, node: Model, used: i64, now: UtcTime) -> Outcome<Model> {
    let hour = UtcTime(now.millis() / HOUR * HOUR);
    let row = ActiveModel { node_id: Set(node.id), at: Set(hour), used_bytes: Set(used) };
    let again = OnConflict::columns([Column::NodeId, Column::At]).update_column(Column::UsedBytes).to_owned();
    Entity::insert(row).on_conflict(again).exec_without_returning(&**tx).await?;
    let days = days(&**tx, node.id, now).await?;
    let node = Model { used_bytes: used, ..node };
    let change = store_node::ActiveModel {
        id: Set(node.id),
        used_bytes: Set(used),
        measured_at: Set(Some(now)),
        days_to_full: Set(days_to_full(&days, used, limit(&node))),
        ..Default::default()
    };
    Ok(store_node::Entity::update(change).exec(&**tx).await?)
}

/// How full a node was at the end of each of the last days.
async fn days(db: &impl ConnectionTrait, id: StoreNodeId, now: UtcTime) -> Outcome<Vec<UsageDay>> {
    let since = UtcTime(now.millis() - DAYS * DAY);
    let rows = Entity::find().filter(Column::NodeId.eq(id)).filter(Column::At.gte(since)).order_by_asc(Column::At);
    let rows = rows.all(db).await?;
    let last: BTreeMap<i64, UsageDay> = rows
        .into_iter()
        .map(|row| (row.at.millis().div_euclid(DAY), UsageDay { at: row.at, used_bytes: row.used_bytes }))
        .collect();
    Ok(last.into_values().collect())
}

/// Days until `used` has become `limit`, by what it grew from day to day in the mean, the tenth of the days left aside on
/// which it grew most and the tenth on which it grew least: a night in which much came or went changes nothing. None if
/// there are fewer than two days, or it does not grow.
fn days_to_full(days: &[UsageDay], used: i64, limit: i64) -> Option<i32> {
    if used >= limit {
        return Some(0);
    }
    let mut growths: Vec<i128> = Vec::new();
    for (earlier, later) in days.iter().zip(days.iter().skip(1)) {
        let (grown, passed) = (later.used_bytes - earlier.used_bytes, later.at.millis() - earlier.at.millis());
        // The end of one day and the begin of the next may lie an hour apart.
        if passed >= DAY / 2 {
            growths.push(i128::from(grown) * i128::from(DAY) / i128::from(passed));
        }
    }
    growths.sort_unstable();
    let aside = if growths.len() < 4 { 0 } else { growths.len().div_ceil(10) };
    let usual = &growths[aside..growths.len() - aside];
    let a_day = usual.iter().sum::<i128>().checked_div(i128::try_from(usual.len()).ok()?)?;
    let left = i128::from(limit - used).checked_div(a_day).filter(|_| a_day > 0)?;
    i32::try_from(left.min(LONGEST)).ok()
}

/// Returns how full a storage node was at the end of each of the last 30 days, the earliest first.
#[utoipa::path(get, path = "/api/storage/v1/nodes/{id}/usage", tag = "storage",
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<Vec<UsageDay>>)))]
pub async fn store_node_usage(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<Vec<UsageDay>> {
    let node = find(ctx.read(), StoreNodeId(id)).await?;
    reply(days(ctx.read(), node.id, ctx.now()).await?)
}

#[cfg(test)]
mod tests {
    use kernel::time::UtcTime;

    use super::{DAY, UsageDay, days_to_full};

    fn days(used: &[i64]) -> Vec<UsageDay> {
        (0..).zip(used).map(|(day, used)| UsageDay { at: UtcTime(day * DAY), used_bytes: *used }).collect()
    }

    #[test]
    fn what_grows_evenly_is_full_when_it_is() {
        assert_eq!(days_to_full(&days(&[100, 110, 120]), 120, 200), Some(8));
        assert_eq!(days_to_full(&days(&[100, 110]), 200, 200), Some(0), "full");
        assert_eq!(days_to_full(&days(&[100, 101]), 101, i64::MAX), Some(9_999));
    }

    #[test]
    fn one_night_of_moving_changes_little() {
        assert_eq!(days_to_full(&days(&[0, 10, 20, 5_000, 5_010, 5_020, 5_030]), 5_030, 5_130), Some(10));
        assert_eq!(days_to_full(&days(&[5_000, 5_010, 5_020, 5_030, 5_040, 40, 50]), 50, 100), Some(5));
    }

    #[test]
    fn what_grows_at_weekends_only_grows() {
        let weeks: Vec<i64> = (0..28).map(|day| (day / 7 * 2 + (day % 7 - 5).max(0)) * 70).collect();
        let left = days_to_full(&days(&weeks), 560, 1_560);
        assert!(left.is_some_and(|left| (40..100).contains(&left)), "{left:?}");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        for used in [&[][..], &[100], &[100, 100, 100], &[120, 110, 100]] {
            assert_eq!(days_to_full(&days(used), 100, 1_000), None, "{used:?}");
        }
        let hours = [UsageDay { at: UtcTime(DAY - 1), used_bytes: 0 }, UsageDay { at: UtcTime(DAY), used_bytes: 9 }];
        assert_eq!(days_to_full(&hours, 9, 100), None, "one hour is no day");
    }
}
