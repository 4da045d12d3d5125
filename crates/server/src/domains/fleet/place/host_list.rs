//! Hosts as a list and as a file.

use axum::response::Response;
use db::{list, search};
use entity::host::{Column, Entity};
use kernel::page::{Page, PageQuery};
use kernel::text::text;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::host::{HostView, views};
use super::{InRoom, PlaceFilter, counted, in_rooms};
use crate::app::App;
use crate::domains::fleet::card::names;
use crate::export::{FormatQuery, Paged, TableFile, export};
use crate::fault::Outcome;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Direction, PageInput, Params, Reply, Sort, SortBy, reply};
use crate::sheet::{self, Cells, Table, column};

const COLUMNS: &[sheet::Column] = &[
    column(text("ID", "ID"), 8),
    column(text("主机", "Host"), 16),
    column(text("机房", "Room"), 24),
    column(text("机架 ID", "Frame ID"), 8),
    column(text("槽位", "Slot"), 8),
    column(text("刀片地址", "Blade address"), 16),
    column(text("卡位数", "Positions"), 8),
    column(text("安卓卡", "Cards"), 10),
    column(text("在线", "Online"), 10),
    column(text("空闲", "Idle"), 10),
    column(text("使用中", "In use"), 10),
    column(text("故障", "Fault"), 10),
    column(text("离线", "Offline"), 10),
    column(text("维护中", "Maintenance"), 12),
    column(text("维护", "Declared"), 14),
    column(text("备注", "Remark"), 30),
    column(text("更新时间", "Updated at"), 20),
];

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum HostBy {
    Name,
    Slot,
    BladeAddress,
    Positions,
    UpdatedAt,
}

impl SortBy for HostBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::Name => Column::Name,
            Self::Slot => Column::Slot,
            Self::BladeAddress => Column::BladeAddress,
            Self::Positions => Column::Positions,
            Self::UpdatedAt => Column::UpdatedAt,
        }
    }
}

fn fill(InRoom { room, row }: &InRoom<HostView>, to: &mut dyn Cells) {
    let lang = to.lang();
    to.number(row.id.0);
    to.text(&row.name);
    to.text(room);
    to.number(row.frame_id.0);
    to.number(row.slot.into());
    to.text(&row.blade_address.map_or_else(String::new, |ip| ip.to_string()));
    to.number(row.positions.into());
    counted(&row.counts, to);
    to.text(names::maintenance(row.maintenance.state).get(lang));
    to.text(&row.remark);
    to.time(Some(row.updated_at));
}

/// One page, the oldest first where no order is asked for.
///
/// # Errors
/// When a read fails.
async fn page(
    db: &impl ConnectionTrait,
    filter: &PlaceFilter,
    sort: Sort<HostBy>,
    page: PageQuery,
) -> Result<Page<HostView>, DbErr> {
    let PlaceFilter { key_word, room_id, frame_id, maintenance } = filter;
    let mut select = Entity::find();
    if let Some(text) = key_word {
        select = select.filter(search::scan(db.get_database_backend(), "host", &["name"], text));
    }
    if let Some(id) = room_id {
        select = select.filter(Column::RoomId.eq(*id));
    }
    if let Some(id) = frame_id {
        select = select.filter(Column::FrameId.eq(*id));
    }
    if let Some(state) = maintenance {
        select = select.filter(Column::Maintenance.eq(*state));
    }
    let Page { list, total, .. } = list::list_page(db, sort.apply(select, Direction::Asc), page).await?;
    Ok(Page::new(page, total, views(db, list).await?))
}

/// Lists hosts with how their cards are, oldest first.
#[utoipa::path(get, path = "/api/fleet/v1/hosts", tag = "fleet", params(PlaceFilter, Sort<HostBy>, PageInput),
    responses((status = 200, body = Reply<Page<HostView>>)))]
pub async fn host_list(
    ctx: OpCtx,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<HostBy>>,
    Params(input): Params<PageInput>,
) -> ApiResult<Page<HostView>> {
    filter.check()?;
    reply(page(ctx.read(), &filter, sort, input.get()?).await?)
}

/// Hosts as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/fleet/v1/hosts/file", tag = "fleet",
    params(FormatQuery, PlaceFilter, Sort<HostBy>), responses(TableFile))]
pub async fn host_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<HostBy>>,
) -> Outcome<Response> {
    export(&ctx, Hosts { filter, sort }, file.format).await
}

/// The hosts that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hosts {
    pub filter: PlaceFilter,
    pub sort: Sort<HostBy>,
}

impl Paged for Hosts {
    type Row = InRoom<HostView>;
    const KIND: &'static str = "host.export";

    fn table() -> Table<InRoom<HostView>> {
        Table { name: text("主机", "Hosts"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        self.filter.check()
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<InRoom<HostView>>> {
        let db = app.db.read();
        Ok(in_rooms(db, page(db, &self.filter, self.sort, wanted).await?, |row| row.room_id).await?)
    }
}
