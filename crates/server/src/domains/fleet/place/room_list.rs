//! Rooms as a list and as a file.

use axum::response::Response;
use db::{list, search};
use entity::room::{Column, Entity};
use kernel::page::{Page, PageQuery};
use kernel::text::text;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::room::{RoomView, views};
use super::{PlaceFilter, counted};
use crate::app::App;
use crate::domains::fleet::card::names;
use crate::export::{FormatQuery, Paged, TableFile, export};
use crate::fault::Outcome;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Direction, PageInput, Params, Reply, Sort, SortBy, reply};
use crate::sheet::{self, Cells, Table, column};

const COLUMNS: &[sheet::Column] = &[
    column(text("ID", "ID"), 8),
    column(text("机房", "Room"), 24),
    column(text("城市", "City"), 14),
    column(text("线路", "Lines"), 40),
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
pub enum RoomBy {
    Name,
    City,
    UpdatedAt,
}

impl SortBy for RoomBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::Name => Column::Name,
            Self::City => Column::City,
            Self::UpdatedAt => Column::UpdatedAt,
        }
    }
}

fn fill(row: &RoomView, to: &mut dyn Cells) {
    let lang = to.lang();
    to.number(row.id.0);
    to.text(&row.name);
    to.text(&row.city);
    let lines: Vec<String> = row.lines.iter().map(|line| format!("{} {} Mbit/s", line.name, line.mbit)).collect();
    to.text(&lines.join("; "));
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
    sort: Sort<RoomBy>,
    page: PageQuery,
) -> Result<Page<RoomView>, DbErr> {
    let PlaceFilter { key_word, room_id, frame_id: _, maintenance } = filter;
    let mut select = Entity::find();
    if let Some(text) = key_word {
        select = select.filter(search::scan(db.get_database_backend(), "room", &["name", "city"], text));
    }
    if let Some(id) = room_id {
        select = select.filter(Column::Id.eq(*id));
    }
    if let Some(state) = maintenance {
        select = select.filter(Column::Maintenance.eq(*state));
    }
    let Page { list, total, .. } = list::list_page(db, sort.apply(select, Direction::Asc), page).await?;
    Ok(Page::new(page, total, views(db, list).await?))
}

/// Lists rooms with how their cards are, oldest first.
#[utoipa::path(get, path = "/api/fleet/v1/rooms", tag = "fleet", params(PlaceFilter, Sort<RoomBy>, PageInput),
    responses((status = 200, body = Reply<Page<RoomView>>)))]
pub async fn room_list(
    ctx: OpCtx,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<RoomBy>>,
    Params(input): Params<PageInput>,
) -> ApiResult<Page<RoomView>> {
    filter.check()?;
    reply(page(ctx.read(), &filter, sort, input.get()?).await?)
}

/// Rooms as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/fleet/v1/rooms/file", tag = "fleet",
    params(FormatQuery, PlaceFilter, Sort<RoomBy>), responses(TableFile))]
pub async fn room_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<RoomBy>>,
) -> Outcome<Response> {
    export(&ctx, Rooms { filter, sort }, file.format).await
}

/// The rooms that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rooms {
    pub filter: PlaceFilter,
    pub sort: Sort<RoomBy>,
}

impl Paged for Rooms {
    type Row = RoomView;
    const KIND: &'static str = "room.export";

    fn table() -> Table<RoomView> {
        Table { name: text("机房", "Rooms"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        self.filter.check()
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<RoomView>> {
        Ok(page(app.db.read(), &self.filter, self.sort, wanted).await?)
    }
}
