//! Address plans as a list and as a file.

use axum::response::Response;
use base::access::catalog::title_of;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column, updated_at};
use db::{list::list_page, search};
use entity::address_plan::{Column as By, Entity};
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::plan::{AddressPlanView, views};
use crate::screens::{SCREENS, perm};

/// A filter for address plans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PlanFilter {
    /// Part of the name; or an address, or its first octets: plans that contain it.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// In this room.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// This plan.
    #[serde(default)]
    pub plan_id: Option<i64>,
}

impl Validate for PlanFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// Address plans, oldest first by default.
#[derive(Clone, Copy, Debug)]
pub struct AddressPlans;

impl List for AddressPlans {
    type Filter = PlanFilter;
    type Row = AddressPlanView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "networkAddress");
    const KIND: &'static str = "addressPlan.export";
    const NEED: Need = perm::ADDRESS_PLAN_EXPORT;

    fn columns() -> Vec<Column<AddressPlanView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &AddressPlanView| Some(row.id.0)),
            column("name", text("名称", "Name"), 20).sorted_by(By::Name).text(|row| &row.name),
            column("room", text("机房", "Room"), 24).text(|row| row.room.name()),
            column("intranet.startIp", text("内网起始 IP", "First intranet IP"), 16)
                .words(|row| row.intranet.start_ip.to_string()),
            column("intranet.endIp", text("内网结束 IP", "Last intranet IP"), 16)
                .words(|row| row.intranet.last_ip().to_string()),
            column("intranet.startPort", text("内网起始端口", "First intranet port"), 10)
                .number(|row| Some(row.intranet.start_port.into())),
            column("intranet.endPort", text("内网结束端口", "Last intranet port"), 10)
                .number(|row| Some(row.intranet.last_port().into())),
            column("extranet.startIp", text("外网起始 IP", "First extranet IP"), 16)
                .words(|row| row.extranet.start_ip.to_string()),
            column("extranet.endIp", text("外网结束 IP", "Last extranet IP"), 16)
                .words(|row| row.extranet.last_ip().to_string()),
            column("extranet.startPort", text("外网起始端口", "First extranet port"), 10)
                .number(|row| Some(row.extranet.start_port.into())),
            column("extranet.endPort", text("外网结束端口", "Last extranet port"), 10)
                .number(|row| Some(row.extranet.last_port().into())),
            column("span", text("数量", "Cards"), 8).sorted_by(By::Span).number(|row| Some(row.span.into())),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &PlanFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<AddressPlanView>> {
        let (db, PlanFilter { key_word, room_id, plan_id }) = (from.db(), filter);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                // An address finds the plan that contains it, and its first octets the plans that contain some of them.
                let mut found = search::scan(db.get_database_backend(), "address_plan", &["name"], text);
                if let Some((from, to)) = Ip4::beginning_with(text) {
                    found = found
                        .or(By::StartIp.lte(to).and(By::EndIp.gte(from)))
                        .or(By::ExtranetStartIp.lte(to).and(By::ExtranetEndIp.gte(from)));
                }
                select.filter(found)
            })
            .apply_if(*room_id, |select, id| select.filter(By::RoomId.eq(id)))
            .apply_if(*plan_id, |select, id| select.filter(By::Id.eq(id)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Asc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// Lists address plans, oldest first; an address as the keyword finds the plan that contains it.
#[utoipa::path(get, path = "/api/fleet/v1/address-plans", tag = "fleet", params(Asked<AddressPlans>),
    responses((status = 200, body = Reply<Page<AddressPlanView>>)))]
pub async fn address_plan_list(ctx: OpCtx, asked: Asked<AddressPlans>) -> ApiResult<Page<AddressPlanView>> {
    asked.answer(&ctx).await
}

/// Exports address plans as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/address-plans/file", tag = "fleet", params(AskedFile<AddressPlans>),
    responses(TableFile))]
pub async fn address_plan_export(ctx: OpCtx, asked: AskedFile<AddressPlans>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
