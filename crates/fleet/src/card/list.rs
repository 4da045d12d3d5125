//! Cards as a list and as a file.

use axum::response::Response;
use base::export::{TableFile, step_size};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply};
use base::list::{Asked, AskedFile, Column, List, Order, Query, Reader, column, created_at, updated_at};
use base::reference::Reference;
use base::sheet::{self, Steps};
use entity::CardId;
use entity::card_event::Axis;
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use super::store::{self, CardFilter, CardSort};
use super::view::{self, CardView};
use crate::screens::perm;

/// Cards, newest first unless another order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Cards;

fn words(ip: Option<Ip4>) -> String {
    ip.map_or_else(String::new, |ip| ip.to_string())
}

fn name(place: Option<&Reference>) -> &str {
    place.map_or("", Reference::name)
}

impl List for Cards {
    type Filter = CardFilter;
    type Row = CardView;
    type Sort = CardSort;
    const NAME: Text = text("设备列表", "Cards");
    const KIND: &'static str = "card.export";
    const NEED: Need = perm::DEVICE_EXPORT;
    const SORTED_FILE: bool = false;

    /// Headings that an import must recognize are used in the exports of cards too.
    fn columns() -> Vec<Column<CardView, CardSort>> {
        vec![
            column("id", text("ID", "ID"), 10).sorted_by(CardSort::Id).number(|row: &CardView| Some(row.id.0)),
            column("serial", text("序列号", "Serial"), 20)
                .sorted_by(CardSort::Serial)
                .text(|row| row.serial.as_deref().unwrap_or_default()),
            column("room", text("机房", "Room"), 16).text(|row| row.room.name()),
            column("frame", text("机架", "Frame"), 12).text(|row| name(row.frame.as_ref())),
            column("chassisLocation", text("机架位置", "Chassis location"), 16).text(|row| &row.chassis_location),
            column("host", text("主机", "Host"), 16).text(|row| name(row.host.as_ref())),
            column("slot", text("主机槽位", "Host slot"), 10).number(|row| row.slot.map(i64::from)),
            column("phone", text("云手机", "Cloud phone"), 14).text(|row| name(row.phone.as_ref())),
            column("bladeAddress", text("刀片地址", "Blade address"), 16).words(|row| words(row.blade_address)),
            column("position", text("卡位", "Position"), 8).number(|row| row.position.map(i64::from)),
            column("intranetIp", text("内网 IP", "Intranet IP"), 16)
                .sorted_by(CardSort::IntranetIp)
                .words(|row| row.intranet_ip.to_string()),
            column("adbPort", text("ADB 端口", "ADB port"), 10).number(|row| Some(row.adb_port.into())),
            column("extranetIp", text("外网 IP", "Extranet IP"), 16).words(|row| words(row.extranet_ip)),
            column("extranetPort", text("外网端口", "Extranet port"), 10)
                .number(|row| row.extranet_port.map(i64::from)),
            column("manufacturer", text("厂商", "Manufacturer"), 16).text(|row| &row.manufacturer),
            column("model", text("型号", "Model"), 16).text(|row| &row.model),
            column("board", text("板卡型号", "Board"), 12).text(|row| &row.board),
            column("image", text("镜像", "Image"), 24).text(|row| name(row.image.as_ref())),
            column("size", text("规格", "Size"), 12).text(|row| &row.size),
            column("runStatus", text("运行状态", "Run status"), 12).label(|row| row.run_status.label()),
            column("runSince", text("自", "Since"), 20).sorted_by(CardSort::RunSince).time(|row| Some(row.run_since)),
            column("networkStatus", text("网络状态", "Network status"), 12).label(|row| row.network_status.label()),
            column("networkSince", text("网络状态自", "Network status since"), 20).time(|row| Some(row.network_since)),
            column("lifecycle", Axis::Lifecycle.label(), 12).label(|row| row.lifecycle.label()),
            column("faultReason", text("故障原因", "Fault reason"), 30).text(|row| &row.fault_reason),
            column("power", Axis::Power.label(), 8).label(|row| row.power.label()),
            column("occupancy", Axis::Occupancy.label(), 10).label(|row| row.occupancy.label()),
            column("maintenance", text("维护", "Maintenance"), 14).label(|row| row.maintenance.state.label()),
            column("markState", text("归属标记", "Owner mark"), 12).label(|row| row.mark_state.label()),
            column("isAssignable", text("可分配", "Assignable"), 8).flag(|row| row.is_assignable),
            column("isOvercommit", text("超分", "Overcommit"), 8).flag(|row| row.is_overcommit),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            created_at().time(|row| Some(row.created_at)),
            updated_at().time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &CardFilter,
        order: Order<CardSort>,
        page: PageQuery,
    ) -> Outcome<Page<CardView>> {
        let scope = filter.resolve(&from.app).await?;
        let Page { list, total, .. } = store::list(&from.app.db, &scope, order, page).await?;
        Ok(Page::new(page, total, view::views(&from.app, list).await?))
    }

    async fn total(from: &Reader, query: &Query<Self>) -> Outcome<u64> {
        Ok(store::total(&from.app.db, &query.filter.resolve(&from.app).await?).await?)
    }

    async fn rows(from: Reader, query: Query<Self>) -> Outcome<Steps<CardView>> {
        let (app, scope) = (from.app.clone(), query.filter.resolve(&from.app).await?);
        Ok(sheet::steps(move |before: Option<CardId>| {
            let (app, scope) = (app.clone(), scope.clone());
            async move {
                let limit = step_size(before.as_ref());
                let mut select = scope.apply(app.db.backend(), entity::card::Entity::find());
                if let Some(before) = before {
                    select = select.filter(entity::card::Column::Id.lt(before));
                }
                let found = select.order_by_desc(entity::card::Column::Id).limit(limit).all(app.db.read()).await?;
                let next = (found.len() as u64 == limit).then(|| found.last().map(|row| row.id)).flatten();
                Ok((view::views(&app, found).await?, next))
            }
        }))
    }
}

/// Lists cards, newest first unless another order is asked for.
#[utoipa::path(get, path = "/api/fleet/v1/cards", tag = "fleet", params(Asked<Cards>),
    responses((status = 200, body = Reply<Page<CardView>>)))]
pub async fn card_list(ctx: OpCtx, asked: Asked<Cards>) -> ApiResult<Page<CardView>> {
    asked.answer(&ctx).await
}

/// Exports cards as a file, newest first; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/cards/file", tag = "fleet", params(AskedFile<Cards>), responses(TableFile))]
pub async fn card_export(ctx: OpCtx, asked: AskedFile<Cards>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
