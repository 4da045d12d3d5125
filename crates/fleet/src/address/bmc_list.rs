//! BMC mappings as a list and as a file.

use axum::response::Response;
use base::access::catalog::title_of;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column, updated_at};
use db::list::list_page;
use entity::bmc::{BmcState, Column as By, Entity};
use entity::host;
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::bmc::{BmcView, SlotRange, views};
use crate::screens::{SCREENS, perm};

/// Filters the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct BmcFilter {
    /// An address or its first octets.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// In this room.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// Of a blade in this frame.
    #[serde(default)]
    pub frame_id: Option<i64>,
    /// In this state.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub state: Option<BmcState>,
}

impl Validate for BmcFilter {
    fn check(&self, check: &mut Check) {
        let address = |text: &str| Ip4::beginning_with(text).ok_or_else(|| Violation::new("ip.format"));
        check.optional("keyWord", self.key_word.as_deref(), address);
    }
}

/// BMC mappings, oldest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Bmcs;

impl List for Bmcs {
    type Filter = BmcFilter;
    type Row = BmcView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "bmcMapping");
    const KIND: &'static str = "bmc.export";
    const NEED: Need = perm::BMC_EXPORT;

    fn columns() -> Vec<Column<BmcView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &BmcView| Some(row.id.0)),
            column("address", text("BMC 地址", "BMC address"), 16)
                .sorted_by(By::Address)
                .words(|row| row.address.to_string()),
            column("port", text("端口", "Port"), 8).number(|row| Some(row.port.into())),
            column("state", text("状态", "State"), 12).sorted_by(By::State).label(|row| row.state.label()),
            column("stateReason", text("原因", "Reason"), 30).text(|row| &row.state_reason),
            column("stateSince", text("状态开始时间", "In this state since"), 20)
                .sorted_by(By::StateSince)
                .time(|row| row.state_since),
            column("askedAt", text("最近检测", "Last asked"), 20).sorted_by(By::AskedAt).time(|row| row.asked_at),
            column("room", text("机房", "Room"), 24).text(|row| row.room.name()),
            column("username", text("用户名", "Username"), 16).sorted_by(By::Username).text(|row| &row.username),
            column("password.set", text("已设密码", "Password set"), 10).flag(|row| row.password.set),
            column("certificate", text("证书 SHA-256", "Certificate SHA-256"), 64).text(|row| &row.certificate),
            column("ranges", text("卡位映射", "Slots and cards"), 60).words(|row| {
                let slots = row.ranges.iter().map(|range| {
                    let SlotRange { start_slot, end_slot, start_ip, end_ip } = range;
                    format!("{start_slot}-{end_slot}: {start_ip}-{end_ip}")
                });
                slots.collect::<Vec<_>>().join("; ")
            }),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(from: &Reader, filter: &BmcFilter, order: Order<By>, page: PageQuery) -> Outcome<Page<BmcView>> {
        let (db, BmcFilter { key_word, room_id, frame_id, state }) = (from.db(), filter);
        let select = Entity::find()
            .apply_if(key_word.as_deref().and_then(Ip4::beginning_with), |select, (from, to)| {
                select.filter(By::Address.between(from, to))
            })
            .apply_if(*room_id, |select, id| select.filter(By::RoomId.eq(id)))
            .apply_if(*state, |select, state| select.filter(By::State.eq(state)))
            .apply_if(*frame_id, |select, id| {
                let hosts = host::Entity::find().select_only().column(host::Column::Id);
                select.filter(By::HostId.in_subquery(hosts.filter(host::Column::FrameId.eq(id)).into_query()))
            });
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Asc), page).await?;
        Ok(Page::new(page, total, views(db, list, from.lang).await?))
    }
}

/// Lists BMC mappings, oldest first; the keyword is an address or its first octets.
#[utoipa::path(get, path = "/api/fleet/v1/bmcs", tag = "fleet", params(Asked<Bmcs>),
    responses((status = 200, body = Reply<Page<BmcView>>)))]
pub async fn bmc_list(ctx: OpCtx, asked: Asked<Bmcs>) -> ApiResult<Page<BmcView>> {
    asked.answer(&ctx).await
}

/// Exports BMC mappings as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/bmcs/file", tag = "fleet", params(AskedFile<Bmcs>), responses(TableFile))]
pub async fn bmc_export(ctx: OpCtx, asked: AskedFile<Bmcs>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
