//! Frames as a list and as a file.

use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column, updated_at};
use db::{list::list_page, search};
use entity::frame::{Column as By, Entity};
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};

use super::PlaceFilter;
use super::frame::{FrameView, views};
use crate::counts::Counted as _;
use crate::screens::perm;

/// Frames with their cards counted by status, oldest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Frames;

impl List for Frames {
    type Filter = PlaceFilter;
    type Row = FrameView;
    type Sort = By;
    const NAME: Text = text("机架", "Frames");
    const KIND: &'static str = "frame.export";
    const NEED: Need = perm::ROOM_EXPORT;

    fn columns() -> Vec<Column<FrameView, By>> {
        let mut columns = vec![
            column("id", text("ID", "ID"), 8).number(|row: &FrameView| Some(row.id.0)),
            column("name", text("机架", "Frame"), 16).sorted_by(By::Name).text(|row| &row.name),
            column("room", text("机房", "Room"), 24).text(|row| row.room.name()),
            column("location", text("位置", "Location"), 16).sorted_by(By::Location).text(|row| &row.location),
            column("slots", text("槽位数", "Slots"), 8).sorted_by(By::Slots).number(|row| Some(row.slots.into())),
        ];
        columns.extend(FrameView::count_columns());
        columns.extend([
            column("maintenance", text("维护", "Maintenance state"), 14)
                .label(|row: &FrameView| row.maintenance.state.label()),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]);
        columns
    }

    async fn page(from: &Reader, filter: &PlaceFilter, order: Order<By>, page: PageQuery) -> Outcome<Page<FrameView>> {
        let (db, PlaceFilter { key_word, room_id, frame_id, maintenance }) = (from.db(), filter);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                select.filter(search::scan(db.get_database_backend(), "frame", &["name", "location"], text))
            })
            .apply_if(*room_id, |select, id| select.filter(By::RoomId.eq(id)))
            .apply_if(*frame_id, |select, id| select.filter(By::Id.eq(id)))
            .apply_if(*maintenance, |select, state| select.filter(By::Maintenance.eq(state)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Asc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// Lists frames with their cards counted by status, oldest first.
#[utoipa::path(get, path = "/api/fleet/v1/frames", tag = "fleet", params(Asked<Frames>),
    responses((status = 200, body = Reply<Page<FrameView>>)))]
pub async fn frame_list(ctx: OpCtx, asked: Asked<Frames>) -> ApiResult<Page<FrameView>> {
    asked.answer(&ctx).await
}

/// Exports frames as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/frames/file", tag = "fleet", params(AskedFile<Frames>),
    responses(TableFile))]
pub async fn frame_export(ctx: OpCtx, asked: AskedFile<Frames>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
