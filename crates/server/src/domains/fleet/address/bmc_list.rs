//! BMC mappings as a list and as a file.

use axum::response::Response;
use db::list;
use entity::bmc::{Column, Entity};
use entity::{HostId, host};
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::rules::Violation;
use kernel::text::text;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bmc::{BmcView, SlotRange, views};
use crate::app::App;
use crate::domains::fleet::place::{InRoom, PlaceFilter, in_rooms};
use crate::export::{FormatQuery, Paged, TableFile, export};
use crate::fault::{Fault, Outcome};
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Direction, PageInput, Params, Reply, Sort, SortBy, reply};
use crate::sheet::{self, Cells, Table, column};

const COLUMNS: &[sheet::Column] = &[
    column(text("ID", "ID"), 8),
    column(text("地址", "Address"), 16),
    column(text("端口", "Port"), 8),
    column(text("机房", "Room"), 24),
    column(text("用户名", "User name"), 16),
    column(text("已设密码", "Has a password"), 10),
    column(text("证书 SHA-256", "Certificate SHA-256"), 64),
    column(text("卡位映射", "Slots"), 60),
    column(text("备注", "Remark"), 30),
    column(text("更新时间", "Updated at"), 20),
];

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum BmcBy {
    Address,
    Username,
    UpdatedAt,
}

impl SortBy for BmcBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::Address => Column::Address,
            Self::Username => Column::Username,
            Self::UpdatedAt => Column::UpdatedAt,
        }
    }
}

fn fill(InRoom { room, row }: &InRoom<BmcView>, to: &mut dyn Cells) {
    to.number(row.id.0);
    to.text(&row.address.to_string());
    to.number(row.port.into());
    to.text(room);
    to.text(&row.username);
    to.flag(row.password.set);
    to.text(&row.certificate);
    let slots = row.ranges.iter().map(|range| {
        let SlotRange { start_slot, end_slot, start_ip, end_ip } = range;
        format!("{start_slot}-{end_slot}: {start_ip}-{end_ip}")
    });
    to.text(&slots.collect::<Vec<_>>().join("; "));
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
    sort: Sort<BmcBy>,
    page: PageQuery,
) -> Outcome<Page<BmcView>> {
    let PlaceFilter { key_word, room_id, frame_id, maintenance: _ } = filter;
    let mut select = Entity::find();
    if let Some(text) = key_word {
        let wrong = || Fault::field("keyWord", Violation::new("ip.format"));
        let (from, to) = Ip4::beginning_with(text).ok_or_else(wrong)?;
        select = select.filter(Column::Address.between(from, to));
    }
    if let Some(room) = room_id {
        select = select.filter(Column::RoomId.eq(*room));
    }
    if let Some(frame) = frame_id {
        let hosts: Vec<HostId> = host::Entity::find()
            .filter(host::Column::FrameId.eq(*frame))
            .all(db)
            .await?
            .into_iter()
            .map(|row| row.id)
            .collect();
        select = select.filter(Column::HostId.is_in(hosts));
    }
    let Page { list, total, .. } = list::list_page(db, sort.apply(select, Direction::Asc), page).await?;
    Ok(Page::new(page, total, views(db, list).await?))
}

/// Lists BMC mappings, oldest first; the key word is an address or its first octets.
#[utoipa::path(get, path = "/api/fleet/v1/bmcs", tag = "fleet", params(PlaceFilter, Sort<BmcBy>, PageInput),
    responses((status = 200, body = Reply<Page<BmcView>>)))]
pub async fn bmc_list(
    ctx: OpCtx,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<BmcBy>>,
    Params(input): Params<PageInput>,
) -> ApiResult<Page<BmcView>> {
    filter.check()?;
    reply(page(ctx.read(), &filter, sort, input.get()?).await?)
}

/// BMC mappings as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/fleet/v1/bmcs/file", tag = "fleet",
    params(FormatQuery, PlaceFilter, Sort<BmcBy>), responses(TableFile))]
pub async fn bmc_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<PlaceFilter>,
    Params(sort): Params<Sort<BmcBy>>,
) -> Outcome<Response> {
    export(&ctx, Bmcs { filter, sort }, file.format).await
}

/// The BMC mappings that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bmcs {
    pub filter: PlaceFilter,
    pub sort: Sort<BmcBy>,
}

impl Paged for Bmcs {
    type Row = InRoom<BmcView>;
    const KIND: &'static str = "bmc.export";

    fn table() -> Table<InRoom<BmcView>> {
        Table { name: text("BMC 映射", "BMC mappings"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        self.filter.check()
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<InRoom<BmcView>>> {
        let db = app.db.read();
        Ok(in_rooms(db, page(db, &self.filter, self.sort, wanted).await?, |row| row.room_id).await?)
    }
}
