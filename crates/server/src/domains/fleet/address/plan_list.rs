//! Address plans as a list and as a file.

use axum::response::Response;
use db::{list, search};
use entity::address_plan::{Column, Entity};
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::text::text;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::plan::{AddressPlanView, AddressRange};
use crate::app::App;
use crate::domains::fleet::place::{InRoom, PlaceFilter, in_rooms};
use crate::export::{FormatQuery, Paged, TableFile, export};
use crate::fault::Outcome;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Direction, PageInput, Params, Reply, Sort, SortBy, reply};
use crate::sheet::{self, Cells, Table, column};

const COLUMNS: &[sheet::Column] = &[
    column(text("ID", "ID"), 8),
    column(text("名称", "Name"), 20),
    column(text("机房", "Room"), 24),
    column(text("内网起始 IP", "Intranet from"), 16),
    column(text("内网结束 IP", "Intranet to"), 16),
    column(text("内网起始端口", "Port from"), 10),
    column(text("内网结束端口", "Port to"), 10),
    column(text("外网起始 IP", "Extranet from"), 16),
    column(text("外网结束 IP", "Extranet to"), 16),
    column(text("外网起始端口", "Port from"), 10),
    column(text("外网结束端口", "Port to"), 10),
    column(text("数量", "Cards"), 8),
    column(text("备注", "Remark"), 30),
    column(text("更新时间", "Updated at"), 20),
];

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum AddressPlanBy {
    Name,
    Span,
    UpdatedAt,
}

impl SortBy for AddressPlanBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::Name => Column::Name,
            Self::Span => Column::Span,
            Self::UpdatedAt => Column::UpdatedAt,
        }
    }
}

fn fill(InRoom { room, row }: &InRoom<AddressPlanView>, to: &mut dyn Cells) {
    to.number(row.id.0);
    to.text(&row.name);
    to.text(room);
    for AddressRange { start_ip, end_ip, start_port, end_port } in [&row.intranet, &row.extranet] {
        to.text(&start_ip.to_string());
        to.text(&end_ip.unwrap_or(*start_ip).to_string());
        to.number((*start_port).into());
        to.number(end_port.unwrap_or(*start_port).into());
    }
    to.number(row.span.into());
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
    sort: Sort<AddressPlanBy>,
    page: PageQuery,
) -> Result<Page<AddressPlanView>, DbErr> {
    use sea_orm::ExprTrait as _;
    let PlaceFilter { key_word, room_id, frame_id: _, maintenance: _ } = filter;
    let mut select = Entity::find();
    if let Some(text) = key_word {
        // An address finds the plan that holds it too, its first octets those that hold some of them.
        let mut found = search::scan(db.get_database_backend(), "address_plan", &["name"], text);
        if let Some((from, to)) = Ip4::beginning_with(text) {
            found = found
                .or(Column::StartIp.lte(to).and(Column::EndIp.gte(from)))
                .or(Column::ExtranetStartIp.lte(to).and(Column::ExtranetEndIp.gte(from)));
        }
        select = select.filter(found);
    }
    if let Some(room) = room_id {
        select = select.filter(Column::RoomId.eq(*room));
    }
    Ok(list::list_page(db, sort.apply(select, Direction::Asc), page).await?.map(AddressPlanView::from))
}

/// Lists address plans, oldest first; an address as the key word finds the plan that holds it.
#[utoipa::path(get, path = "/api/fleet/v1/address-plans", tag = "fleet", params(PlaceFilter, Sort<AddressPlanBy>, PageInput),
    responses((status = 200, body = Reply<Page<AddressPlanView>>)))]
pub async fn address_plan_list(
    ctx: OpCtx,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<AddressPlanBy>>,
    Params(input): Params<PageInput>,
) -> ApiResult<Page<AddressPlanView>> {
    filter.check()?;
    reply(page(ctx.read(), &filter, sort, input.get()?).await?)
}

/// Address plans as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/fleet/v1/address-plans/file", tag = "fleet",
    params(FormatQuery, PlaceFilter, Sort<AddressPlanBy>), responses(TableFile))]
pub async fn address_plan_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<AddressPlanBy>>,
) -> Outcome<Response> {
    export(&ctx, AddressPlans { filter, sort }, file.format).await
}

/// The address plans that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AddressPlans {
    pub filter: PlaceFilter,
    pub sort: Sort<AddressPlanBy>,
}

impl Paged for AddressPlans {
    type Row = InRoom<AddressPlanView>;
    const KIND: &'static str = "addressPlan.export";

    fn table() -> Table<InRoom<AddressPlanView>> {
        Table { name: text("机房网络地址", "Network addresses"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        self.filter.check()
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<InRoom<AddressPlanView>>> {
        let db = app.db.read();
        Ok(in_rooms(db, page(db, &self.filter, self.sort, wanted).await?, |row| row.room_id).await?)
    }
}
