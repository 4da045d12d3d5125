//! Hosts as a list and as a file.

use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column, updated_at};
use db::{list::list_page, search};
use entity::host::{Column as By, Entity};
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};

use super::PlaceFilter;
use super::host::{HostView, views};
use crate::counts::Counted as _;
use crate::screens::perm;

/// Hosts with their cards counted by status, oldest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Hosts;

impl List for Hosts {
    type Filter = PlaceFilter;
    type Row = HostView;
    type Sort = By;
    const NAME: Text = text("主机", "Hosts");
    const KIND: &'static str = "host.export";
    const NEED: Need = perm::ROOM_EXPORT;

    fn columns() -> Vec<Column<HostView, By>> {
        let mut columns = vec![
            column("id", text("ID", "ID"), 8).number(|row: &HostView| Some(row.id.0)),
            column("name", text("主机", "Host"), 16).sorted_by(By::Name).text(|row| &row.name),
            column("room", text("机房", "Room"), 24).text(|row| row.room.name()),
            column("frame", text("机架", "Frame"), 16).text(|row| row.frame.name()),
            column("slot", text("槽位", "Slot"), 8).sorted_by(By::Slot).number(|row| Some(row.slot.into())),
            column("bladeAddress", text("刀片地址", "Blade address"), 16)
                .sorted_by(By::BladeAddress)
                .words(|row| row.blade_address.map_or_else(String::new, |ip| ip.to_string())),
            column("positions", text("卡位数", "Positions"), 8)
                .sorted_by(By::Positions)
                .number(|row| Some(row.positions.into())),
        ];
        columns.extend(HostView::count_columns());
        columns.extend([
            column("maintenance", text("维护", "Maintenance state"), 14)
                .label(|row: &HostView| row.maintenance.state.label()),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]);
        columns
    }

    async fn page(from: &Reader, filter: &PlaceFilter, order: Order<By>, page: PageQuery) -> Outcome<Page<HostView>> {
        let (db, PlaceFilter { key_word, room_id, frame_id, maintenance }) = (from.db(), filter);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                select.filter(search::scan(db.get_database_backend(), "host", &["name"], text))
            })
            .apply_if(*room_id, |select, id| select.filter(By::RoomId.eq(id)))
            .apply_if(*frame_id, |select, id| select.filter(By::FrameId.eq(id)))
            .apply_if(*maintenance, |select, state| select.filter(By::Maintenance.eq(state)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Asc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// Lists hosts with their cards counted by status, oldest first.
#[utoipa::path(get, path = "/api/fleet/v1/hosts", tag = "fleet", params(Asked<Hosts>),
    responses((status = 200, body = Reply<Page<HostView>>)))]
pub async fn host_list(ctx: OpCtx, asked: Asked<Hosts>) -> ApiResult<Page<HostView>> {
    asked.answer(&ctx).await
}

/// Exports hosts as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/hosts/file", tag = "fleet", params(AskedFile<Hosts>),
    responses(TableFile))]
pub async fn host_export(ctx: OpCtx, asked: AskedFile<Hosts>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
