//! Operations as a list and as a file.

use axum::response::Response;
use db::list::list_page;
use entity::operation::{Column, Entity, Model, OperationKind, OperationState};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::view::OperationView;
use crate::app::App;
use crate::export::{FormatQuery, Paged, TableFile, export};
use crate::fault::Outcome;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Direction, PageInput, Params, Reply, Sort, SortBy, reply};
use crate::sheet::{self, Cells, Table, column};

const COLUMNS: &[sheet::Column] = &[
    column(text("ID", "ID"), 8),
    column(text("操作", "Operation"), 16),
    column(text("内容", "What exactly"), 40),
    column(text("状态", "State"), 14),
    column(text("说明", "Why"), 30),
    column(text("总数", "Cards"), 10),
    column(text("等待", "Waiting"), 10),
    column(text("执行中", "Running"), 10),
    column(text("成功", "Succeeded"), 10),
    column(text("失败", "Failed"), 10),
    column(text("跳过", "Left out"), 10),
    column(text("不支持", "Not possible"), 10),
    column(text("已取消", "Cancelled"), 10),
    column(text("已过期", "Expired"), 10),
    column(text("影响用户", "Users hit"), 10),
    column(text("原因", "Reason"), 30),
    column(text("发起人", "Begun by"), 16),
    column(text("审批人", "Approved by"), 16),
    column(text("创建时间", "Created at"), 20),
    column(text("开始时间", "Started at"), 20),
    column(text("结束时间", "Finished at"), 20),
];

const fn kind_name(kind: OperationKind) -> Text {
    match kind {
        OperationKind::Reboot => text("重启", "Reboot"),
        OperationKind::PowerOn => text("上电", "Power on"),
        OperationKind::PowerOff => text("断电", "Power off"),
        OperationKind::PowerCycle => text("断电重启", "Power cycle"),
        OperationKind::Shell => text("执行脚本", "Run a script"),
        OperationKind::Uninstall => text("卸载应用", "Uninstall"),
        OperationKind::PullLog => text("拉取日志", "Fetch logs"),
        OperationKind::Screenshot => text("截图", "Screenshots"),
        OperationKind::SpeedLimit => text("网络限速", "Limit the network"),
        OperationKind::SetProperty => text("设置系统属性", "Set a property"),
        OperationKind::FactoryReset => text("恢复出厂", "Factory reset"),
        OperationKind::Wipe => text("擦除用户数据", "Wipe user data"),
        OperationKind::Install => text("安装应用", "Install"),
        OperationKind::Push => text("推送文件", "Push a file"),
        OperationKind::Drain => text("排空", "Drain"),
        OperationKind::Maintain => text("进入维护", "Maintenance"),
        OperationKind::Return => text("恢复使用", "Return to service"),
        OperationKind::SetFlags => text("分配设置", "Assignment"),
        OperationKind::Move => text("移动", "Move"),
        OperationKind::Pull => text("拉取文件", "Fetch a file"),
    }
}

const fn state_name(state: OperationState) -> Text {
    match state {
        OperationState::Freezing => text("准备中", "Preparing"),
        OperationState::AwaitingApproval => text("待审批", "Awaiting approval"),
        OperationState::Scheduled => text("待开始", "Scheduled"),
        OperationState::Running => text("进行中", "Running"),
        OperationState::Paused => text("已暂停", "Paused"),
        OperationState::Cancelling => text("取消中", "Cancelling"),
        OperationState::Finished => text("已完成", "Finished"),
        OperationState::Cancelled => text("已取消", "Cancelled"),
        OperationState::Expired => text("已过期", "Expired"),
    }
}

fn fill(row: &Model, to: &mut dyn Cells) {
    let lang = to.lang();
    let row = OperationView::of(row.clone(), lang);
    to.number(row.id.0);
    to.text(kind_name(row.kind).get(lang));
    to.text(&row.detail);
    to.text(state_name(row.state).get(lang));
    to.text(&row.why);
    for count in [
        row.total,
        row.pending,
        row.running,
        row.succeeded,
        row.failed,
        row.skipped,
        row.incompatible,
        row.cancelled,
        row.expired,
        row.users_hit,
    ] {
        to.number(count);
    }
    to.text(&row.reason);
    to.text(&row.created_by);
    to.text(&row.approved_by);
    to.time(Some(row.created_at));
    to.time(row.started_at);
    to.time(row.finished_at);
}

/// Which operations are meant.
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
    /// Begun by this operator.
    #[serde(default)]
    #[param(max_length = 64)]
    pub created_by: Option<String>,
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum OperationBy {
    Id,
    Kind,
    State,
    CreatedBy,
    CreatedAt,
    FinishedAt,
}

impl SortBy for OperationBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::Id => Column::Id,
            Self::Kind => Column::Kind,
            Self::State => Column::State,
            Self::CreatedBy => Column::CreatedBy,
            Self::CreatedAt => Column::CreatedAt,
            Self::FinishedAt => Column::FinishedAt,
        }
    }
}

/// The operations that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OperationList {
    pub filter: OperationFilter,
    pub sort: Sort<OperationBy>,
}

impl Paged for OperationList {
    type Row = Model;
    const KIND: &'static str = "operation.exportList";

    fn table() -> Table<Model> {
        Table { name: text("批量操作", "Operations"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        check.optional("createdBy", self.filter.created_by.as_deref(), |name| max_chars(name, 64));
        Ok(check.finish()?)
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<Model>> {
        let OperationFilter { state, kind, created_by } = &self.filter;
        let mut select = Entity::find();
        if let Some(state) = state {
            select = select.filter(Column::State.eq(*state));
        }
        if let Some(kind) = kind {
            select = select.filter(Column::Kind.eq(*kind));
        }
        if let Some(name) = created_by {
            select = select.filter(Column::CreatedBy.eq(name.as_str()));
        }
        Ok(list_page(app.db.read(), self.sort.apply(select, Direction::Desc), wanted).await?)
    }
}

/// Lists operations, newest first where no order is asked for.
#[utoipa::path(get, path = "/api/operation/v1/operations", tag = "operation",
    params(OperationFilter, Sort<OperationBy>, PageInput), responses((status = 200, body = Reply<Page<OperationView>>)))]
pub async fn operation_list(
    ctx: OpCtx,
    Params(filter): Params<OperationFilter>,
    Params(sort): Params<Sort<OperationBy>>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<OperationView>> {
    let operations = OperationList { filter, sort };
    Paged::check(&operations)?;
    let found = Paged::page(&operations, &ctx.app, page.get()?).await?;
    reply(found.map(|row| OperationView::of(row, ctx.lang())))
}

/// Operations as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/operation/v1/operations/file", tag = "operation",
    params(FormatQuery, OperationFilter, Sort<OperationBy>), responses(TableFile))]
pub async fn operation_list_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<OperationFilter>,
    Params(sort): Params<Sort<OperationBy>>,
) -> Outcome<Response> {
    export(&ctx, OperationList { filter, sort }, file.format).await
}
