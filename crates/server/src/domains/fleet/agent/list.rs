//! Room agents and join tokens as lists and as files.

use axum::response::Response;
use db::list::list_page;
use db::search;
use entity::{join_token, room_agent};
use kernel::page::{Page, PageQuery};
use kernel::text::text;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::service::{JoinTokenView, RoomAgentView, agent_view, token_view};
use crate::app::App;
use crate::domains::fleet::place::{InRoom, PlaceFilter, in_rooms};
use crate::export::{FormatQuery, Paged, TableFile, export};
use crate::fault::Outcome;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Direction, PageInput, Params, Reply, Sort, SortBy, reply};
use crate::sheet::{Cells, Column, Table, column};

const AGENT_COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 8),
    column(text("名称", "Name"), 20),
    column(text("机房", "Room"), 24),
    column(text("版本", "Version"), 10),
    column(text("来自", "From"), 18),
    column(text("已连接，自", "Connected since"), 20),
    column(text("最近连接", "Connected at"), 20),
    column(text("最近断开", "Disconnected at"), 20),
    column(text("接入时间", "Joined at"), 20),
    column(text("吊销时间", "Revoked at"), 20),
    column(text("吊销人", "Revoked by"), 16),
];

const TOKEN_COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 8),
    column(text("机房", "Room"), 24),
    column(text("可用", "Usable"), 8),
    column(text("签发人", "Issued by"), 16),
    column(text("签发时间", "Issued at"), 20),
    column(text("过期时间", "Expires at"), 20),
    column(text("使用时间", "Used at"), 20),
    column(text("收回时间", "Taken back at"), 20),
];

/// What the list of agents can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum RoomAgentBy {
    Name,
    Version,
    Address,
    ConnectedAt,
    DisconnectedAt,
    EnrolledAt,
}

impl SortBy for RoomAgentBy {
    type Entity = room_agent::Entity;

    fn column(self) -> room_agent::Column {
        match self {
            Self::Name => room_agent::Column::Name,
            Self::Version => room_agent::Column::Version,
            Self::Address => room_agent::Column::Address,
            Self::ConnectedAt => room_agent::Column::ConnectedAt,
            Self::DisconnectedAt => room_agent::Column::DisconnectedAt,
            Self::EnrolledAt => room_agent::Column::EnrolledAt,
        }
    }
}

/// What the list of join tokens can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum JoinTokenBy {
    CreatedBy,
    CreatedAt,
    ExpiresAt,
    UsedAt,
}

impl SortBy for JoinTokenBy {
    type Entity = join_token::Entity;

    fn column(self) -> join_token::Column {
        match self {
            Self::CreatedBy => join_token::Column::CreatedBy,
            Self::CreatedAt => join_token::Column::CreatedAt,
            Self::ExpiresAt => join_token::Column::ExpiresAt,
            Self::UsedAt => join_token::Column::UsedAt,
        }
    }
}

fn agent_row(InRoom { room, row }: &InRoom<RoomAgentView>, to: &mut dyn Cells) {
    to.number(row.id.0);
    to.text(&row.name);
    to.text(room);
    to.text(&row.version);
    to.text(&row.address);
    to.time(row.connected_since);
    to.time(row.connected_at);
    to.time(row.disconnected_at);
    to.time(Some(row.enrolled_at));
    to.time(row.revoked_at);
    to.text(&row.revoked_by);
}

fn token_row(InRoom { room, row }: &InRoom<JoinTokenView>, to: &mut dyn Cells) {
    to.number(row.id.0);
    to.text(room);
    to.flag(row.open);
    to.text(&row.created_by);
    to.time(Some(row.created_at));
    to.time(Some(row.expires_at));
    to.time(row.used_at);
    to.time(row.revoked_at);
}

/// The agents that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoomAgents {
    pub filter: PlaceFilter,
    pub sort: Sort<RoomAgentBy>,
}

impl RoomAgents {
    async fn read(&self, app: &App, wanted: PageQuery) -> Outcome<Page<RoomAgentView>> {
        let PlaceFilter { key_word, room_id, frame_id: _, maintenance: _ } = &self.filter;
        let db = app.db.read();
        let mut select = room_agent::Entity::find();
        if let Some(room) = room_id {
            select = select.filter(room_agent::Column::RoomId.eq(*room));
        }
        if let Some(text) = key_word {
            select = select.filter(search::scan(db.get_database_backend(), "room_agent", &["name", "address"], text));
        }
        let page = list_page(db, self.sort.apply(select, Direction::Desc), wanted).await?;
        Ok(page.map(|row| agent_view(app, row)))
    }
}

impl Paged for RoomAgents {
    type Row = InRoom<RoomAgentView>;
    const KIND: &'static str = "roomAgent.export";

    fn table() -> Table<InRoom<RoomAgentView>> {
        Table { name: text("机房代理", "Room agents"), columns: AGENT_COLUMNS, row: agent_row }
    }

    fn check(&self) -> Outcome<()> {
        self.filter.check()
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<InRoom<RoomAgentView>>> {
        Ok(in_rooms(app.db.read(), self.read(app, wanted).await?, |row| row.room_id).await?)
    }
}

/// The join tokens that a filter means; never the tokens themselves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JoinTokens {
    pub filter: PlaceFilter,
    pub sort: Sort<JoinTokenBy>,
}

impl JoinTokens {
    async fn read(&self, app: &App, wanted: PageQuery) -> Outcome<Page<JoinTokenView>> {
        let mut select = join_token::Entity::find();
        if let Some(room) = self.filter.room_id {
            select = select.filter(join_token::Column::RoomId.eq(room));
        }
        let now = app.clock.now();
        let page = list_page(app.db.read(), self.sort.apply(select, Direction::Desc), wanted).await?;
        Ok(page.map(|row| token_view(row, now)))
    }
}

impl Paged for JoinTokens {
    type Row = InRoom<JoinTokenView>;
    const KIND: &'static str = "joinToken.export";

    fn table() -> Table<InRoom<JoinTokenView>> {
        Table { name: text("接入令牌", "Join tokens"), columns: TOKEN_COLUMNS, row: token_row }
    }

    fn check(&self) -> Outcome<()> {
        self.filter.check()
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<InRoom<JoinTokenView>>> {
        Ok(in_rooms(app.db.read(), self.read(app, wanted).await?, |row| row.room_id).await?)
    }
}

/// Lists room agents and whether they are connected, newest first where no order is asked for.
#[utoipa::path(get, path = "/api/fleet/v1/agents", tag = "fleet", params(PlaceFilter, Sort<RoomAgentBy>, PageInput),
    responses((status = 200, body = Reply<Page<RoomAgentView>>)))]
pub async fn room_agent_list(
    ctx: OpCtx,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<RoomAgentBy>>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<RoomAgentView>> {
    filter.check()?;
    reply(RoomAgents { filter, sort }.read(&ctx.app, page.get()?).await?)
}

/// Room agents as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/fleet/v1/agents/file", tag = "fleet",
    params(FormatQuery, PlaceFilter, Sort<RoomAgentBy>), responses(TableFile))]
pub async fn room_agent_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<RoomAgentBy>>,
) -> Outcome<Response> {
    export(&ctx, RoomAgents { filter, sort }, file.format).await
}

/// Lists join tokens, newest first where no order is asked for; never the tokens themselves.
#[utoipa::path(get, path = "/api/fleet/v1/join-tokens", tag = "fleet", params(PlaceFilter, Sort<JoinTokenBy>, PageInput),
    responses((status = 200, body = Reply<Page<JoinTokenView>>)))]
pub async fn join_token_list(
    ctx: OpCtx,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<JoinTokenBy>>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<JoinTokenView>> {
    filter.check()?;
    reply(JoinTokens { filter, sort }.read(&ctx.app, page.get()?).await?)
}

/// Join tokens as a file, never the tokens themselves; when they are very many (`export_rows`) a background task
/// makes it.
#[utoipa::path(get, path = "/api/fleet/v1/join-tokens/file", tag = "fleet",
    params(FormatQuery, PlaceFilter, Sort<JoinTokenBy>), responses(TableFile))]
pub async fn join_token_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<JoinTokenBy>>,
) -> Outcome<Response> {
    export(&ctx, JoinTokens { filter, sort }, file.format).await
}
