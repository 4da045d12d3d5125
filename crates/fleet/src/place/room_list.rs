//! Rooms as a list and as a file.

use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column, updated_at};
use db::{list::list_page, search};
use entity::card::Maintenance;
use entity::room::{Column as By, Entity};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::room::{RoomView, views};
use crate::counts::Counted as _;
use crate::screens::perm;

/// Filters the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RoomFilter {
    /// Part of the name or of the city.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// This room.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// With this state of maintenance.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub maintenance: Option<Maintenance>,
}

impl Validate for RoomFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// Rooms with their cards counted by status, oldest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Rooms;

impl List for Rooms {
    type Filter = RoomFilter;
    type Row = RoomView;
    type Sort = By;
    const NAME: Text = text("机房", "Rooms");
    const KIND: &'static str = "room.export";
    const NEED: Need = perm::ROOM_EXPORT;

    fn columns() -> Vec<Column<RoomView, By>> {
        let mut columns = vec![
            column("id", text("ID", "ID"), 8).number(|row: &RoomView| Some(row.id.0)),
            column("name", text("机房", "Room"), 24).sorted_by(By::Name).text(|row| &row.name),
            column("city", text("城市", "City"), 14).sorted_by(By::City).text(|row| &row.city),
            column("lines", text("线路", "Carrier lines"), 40).words(|row| {
                let lines = row.lines.iter().map(|line| format!("{} {} Mbit/s", line.name, line.mbit));
                lines.collect::<Vec<_>>().join("; ")
            }),
            column("downloadMbit", text("下载限速（Mbit/s）", "Download limit (Mbit/s)"), 16)
                .number(|row| row.download_mbit.map(i64::from)),
            column("uploadMbit", text("上传限速（Mbit/s）", "Upload limit (Mbit/s)"), 16)
                .number(|row| row.upload_mbit.map(i64::from)),
        ];
        columns.extend(RoomView::count_columns());
        columns.extend([
            column("maintenance", text("维护", "Maintenance state"), 14)
                .label(|row: &RoomView| row.maintenance.state.label()),
            column("timeZone", text("时区", "Time zone"), 20).text(|row| &row.time_zone),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]);
        columns
    }

    async fn page(from: &Reader, filter: &RoomFilter, order: Order<By>, page: PageQuery) -> Outcome<Page<RoomView>> {
        let (db, RoomFilter { key_word, room_id, maintenance }) = (from.db(), filter);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                select.filter(search::scan(db.get_database_backend(), "room", &["name", "city"], text))
            })
            .apply_if(*room_id, |select, id| select.filter(By::Id.eq(id)))
            .apply_if(*maintenance, |select, state| select.filter(By::Maintenance.eq(state)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Asc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// Lists rooms with their cards counted by status, oldest first.
#[utoipa::path(get, path = "/api/fleet/v1/rooms", tag = "fleet", params(Asked<Rooms>),
    responses((status = 200, body = Reply<Page<RoomView>>)))]
pub async fn room_list(ctx: OpCtx, asked: Asked<Rooms>) -> ApiResult<Page<RoomView>> {
    asked.answer(&ctx).await
}

/// Exports rooms as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/rooms/file", tag = "fleet", params(AskedFile<Rooms>),
    responses(TableFile))]
pub async fn room_export(ctx: OpCtx, asked: AskedFile<Rooms>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
