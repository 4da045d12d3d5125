//! Operations as a list and as a file.

use axum::response::Response;
use base::access::catalog::title_of;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column, created_at};
use db::list::list_page;
use entity::operation::{Column as By, Entity, OperationKind, OperationState};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::view::OperationView;
use crate::screens::{SCREENS, perm};

/// A filter for operations.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OperationFilter {
    /// In this state.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub state: Option<OperationState>,
    /// Of this kind.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<OperationKind>,
    /// Started by this operator.
    #[serde(default)]
    #[param(max_length = 64)]
    pub created_by: Option<String>,
}

impl Validate for OperationFilter {
    fn check(&self, check: &mut Check) {
        check.optional("createdBy", self.created_by.as_deref(), |name| max_chars(name, 64));
    }
}

/// Operations, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct OperationList;

impl List for OperationList {
    type Filter = OperationFilter;
    type Row = OperationView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "deviceOperations");
    const KIND: &'static str = "operation.exportList";
    const NEED: Need = perm::OPERATION_EXPORT;

    fn columns() -> Vec<Column<OperationView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).sorted_by(By::Id).number(|row: &OperationView| Some(row.id.0)),
            column("kind", text("操作", "Operation"), 16).sorted_by(By::Kind).label(|row| row.kind.label()),
            column("target", text("对象", "Done to"), 12).label(|row: &OperationView| row.target.label()),
            column("detail", text("内容", "Details"), 40).text(|row| &row.detail),
            column("state", text("状态", "State"), 14).sorted_by(By::State).label(|row| row.state.label()),
            column("why", text("说明", "Cause"), 30).text(|row| &row.why),
            column("total", text("总数", "Total"), 10).number(|row| Some(row.total)),
            column("pending", text("等待", "Waiting"), 10).number(|row| Some(row.pending)),
            column("running", text("执行中", "Running"), 10).number(|row| Some(row.running)),
            column("succeeded", text("成功", "Succeeded"), 10).number(|row| Some(row.succeeded)),
            column("failed", text("失败", "Failed"), 10).number(|row| Some(row.failed)),
            column("skipped", text("跳过", "Skipped"), 10).number(|row| Some(row.skipped)),
            column("incompatible", text("不支持", "Not supported"), 10).number(|row| Some(row.incompatible)),
            column("cancelled", text("已取消", "Cancelled"), 10).number(|row| Some(row.cancelled)),
            column("expired", text("已过期", "Expired"), 10).number(|row| Some(row.expired)),
            column("usersHit", text("影响客户端用户", "Users affected"), 10).number(|row| Some(row.users_hit)),
            column("reason", text("原因", "Reason"), 30).text(|row| &row.reason),
            column("createdBy", text("发起人", "Started by"), 16).sorted_by(By::CreatedBy).text(|row| &row.created_by),
            column("approvedBy", text("审批人", "Approved by"), 16).text(|row| &row.approved_by),
            created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            column("startedAt", text("开始时间", "Started at"), 20).time(|row| row.started_at),
            column("finishedAt", text("结束时间", "Finished at"), 20)
                .sorted_by(By::FinishedAt)
                .time(|row| row.finished_at),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &OperationFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<OperationView>> {
        let OperationFilter { state, kind, created_by } = filter;
        let select = Entity::find()
            .apply_if(*state, |select, state| select.filter(By::State.eq(state)))
            .apply_if(*kind, |select, kind| select.filter(By::Kind.eq(kind)))
            .apply_if(created_by.as_deref(), |select, name| select.filter(By::CreatedBy.eq(name)));
        let found = list_page(from.db(), order.apply(select, Direction::Desc), page).await?;
        Ok(found.map(|row| OperationView::of(&from.app, row, from.lang)))
    }
}

/// Lists operations, newest first by default.
#[utoipa::path(get, path = "/api/operation/v1/operations", tag = "operation", params(Asked<OperationList>),
    responses((status = 200, body = Reply<Page<OperationView>>)))]
pub async fn operation_list(ctx: OpCtx, asked: Asked<OperationList>) -> ApiResult<Page<OperationView>> {
    asked.answer(&ctx).await
}

/// Exports operations as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/operation/v1/operations/file", tag = "operation", params(AskedFile<OperationList>),
    responses(TableFile))]
pub async fn operation_list_export(ctx: OpCtx, asked: AskedFile<OperationList>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
