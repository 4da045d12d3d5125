//! Storage in figures, for the dashboard.

use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, reply};
use entity::store_node::{Column, Entity, StoreState};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::trouble::NEARLY;
use super::view::{is_full, limit, share};

/// All storage nodes together, without those out of use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreNodeTotals {
    pub nodes: i64,
    /// They could not be reached when they were last tried.
    pub unreachable: i64,
    /// They take no phone that has no copy there yet.
    pub full: i64,
    /// They soon will be so.
    pub nearly_full: i64,
    /// Bytes of what lies there.
    pub used_bytes: i64,
    /// Bytes that fit there in truth.
    pub limit_bytes: i64,
    /// Days until the first of them is full, if it goes on as it did; none if that is not known of any, or none grows.
    pub days_to_full: Option<i32>,
}

/// Returns how full all storage nodes are together, and when the first of them will be full.
#[utoipa::path(get, path = "/api/storage/v1/nodes/totals", tag = "storage",
    responses((status = 200, body = Reply<StoreNodeTotals>)))]
pub async fn store_node_totals(ctx: OpCtx) -> ApiResult<StoreNodeTotals> {
    let rows = Entity::find().filter(Column::State.ne(StoreState::Retired)).all(ctx.read()).await?;
    let mut all = StoreNodeTotals::default();
    for row in &rows {
        all.nodes += 1;
        all.unreachable += i64::from(row.state == StoreState::Unreachable);
        all.full += i64::from(is_full(row));
        all.nearly_full += i64::from(!is_full(row) && share(row) >= NEARLY);
        all.used_bytes = all.used_bytes.saturating_add(row.used_bytes);
        all.limit_bytes = all.limit_bytes.saturating_add(limit(row));
    }
    all.days_to_full = rows.iter().filter_map(|row| row.days_to_full).min();
    reply(all)
}
