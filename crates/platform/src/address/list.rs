//! Addresses as a list and as a file.

use std::collections::HashMap;

use base::access::catalog::title_of;
use base::app::App;
use base::prelude::*;
use base::reference::Reference;
use entity::service_address::{Column as By, Entity, Model, ServiceKind, ServiceReach};
use entity::{RoomId, ServiceAddressId};
use phones::stream::{GatewaySilence, silent_gateways};
use sea_orm::{ConnectionTrait, DbErr};
use serde::Serialize;
use utoipa::IntoParams;

use crate::screens::{SCREENS, perm};

/// Where a gateway or a service answers, as lists and details show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAddressView {
    pub id: ServiceAddressId,
    pub name: String,
    /// None if it serves every room.
    pub room: Option<Reference>,
    pub kind: ServiceKind,
    pub host: String,
    pub port: i32,
    /// Of several, each is drawn as often as its weight says.
    pub weight: i32,
    /// Whether it is given to anybody.
    pub enabled: bool,
    /// What became of the last try to connect there.
    pub reached: ServiceReach,
    /// When that was tried; none if it was not.
    pub checked_at: Option<UtcTime>,
    /// That a gateway tells nothing of its streams; none if it does, has none, or is no gateway.
    pub silence: Option<GatewaySilence>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

/// `rows` with the names of their rooms, and what is known of gateways.
///
/// # Errors
/// When the read fails.
pub async fn views(app: &App, db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<ServiceAddressView>, DbErr> {
    let silent = silent_gateways(app).into_iter().filter_map(|one| Some((one.address?, one.silence)));
    let silent: HashMap<ServiceAddressId, GatewaySilence> = silent.collect();
    let names = fleet::room_names(db, rows.iter().filter_map(|row| row.room_id)).await?;
    let view = |row: Model| {
        let Model {
            id,
            name,
            room_id,
            kind,
            host,
            port,
            weight,
            is_enabled,
            reached,
            checked_at,
            created_at,
            updated_at,
        } = row;
        let room = room_id.map(|room| Reference::among(room, &names));
        ServiceAddressView {
            id,
            name,
            room,
            kind,
            host,
            port,
            weight,
            enabled: is_enabled,
            reached,
            checked_at,
            silence: silent.get(&id).copied(),
            created_at,
            updated_at,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}

/// A filter for addresses.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ServiceAddressFilter {
    /// Part of the name or the host.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Those of this room alone.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<i64>)]
    pub room_id: Option<i64>,
    /// What answers there.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<ServiceKind>,
    /// Whether they are given to anybody.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// What became of the last try to connect there.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub reached: Option<ServiceReach>,
}

impl Validate for ServiceAddressFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// The list, newest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ServiceAddresses;

impl List for ServiceAddresses {
    type Filter = ServiceAddressFilter;
    type Row = ServiceAddressView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "serviceAddresses");
    const KIND: &'static str = "serviceAddress.export";
    const NEED: Need = perm::SERVICE_ADDRESS_EXPORT;

    fn columns() -> Vec<Column<ServiceAddressView, By>> {
        vec![
            column("name", text("名称", "Name"), 24).sorted_by(By::Name).text(|row: &ServiceAddressView| &row.name),
            column("kind", text("类型", "Kind"), 10).label(|row| row.kind.label()),
            column("room", text("机房", "Room"), 20).text(|row| row.room.as_ref().map_or("", Reference::name)),
            column("host", text("主机", "Host"), 30).sorted_by(By::Host).text(|row| &row.host),
            column("port", text("端口", "Port"), 10).sorted_by(By::Port).number(|row| Some(row.port.into())),
            column("weight", text("权重", "Weight"), 10).sorted_by(By::Weight).number(|row| Some(row.weight.into())),
            column("enabled", text("启用", "On"), 8).flag(|row| row.enabled),
            column("reached", text("连通", "Reached"), 12).label(|row| row.reached.label()),
            column("checkedAt", text("检测时间", "Checked at"), 20).sorted_by(By::CheckedAt).time(|row| row.checked_at),
            column("silence.since", text("网关静默自", "Gateway silent since"), 20)
                .time(|row| row.silence.map(|silence| silence.since)),
            column("silence.silent", text("静默串流", "Silent streams"), 12)
                .number(|row| row.silence.map(|silence| i64::try_from(silence.silent).unwrap_or(i64::MAX))),
            list::created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            list::updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &ServiceAddressFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<ServiceAddressView>> {
        let (db, ServiceAddressFilter { key_word, room_id, kind, enabled, reached }) = (from.db(), filter);
        let found = |text| search::scan(db.get_database_backend(), "service_address", &["name", "host"], text);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| select.filter(found(text)))
            .apply_if(room_id.map(RoomId), |select, room| select.filter(By::RoomId.eq(room)))
            .apply_if(*kind, |select, kind| select.filter(By::Kind.eq(kind)))
            .apply_if(*enabled, |select, enabled| select.filter(By::IsEnabled.eq(enabled)))
            .apply_if(*reached, |select, reached| select.filter(By::Reached.eq(reached)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, views(&from.app, db, list).await?))
    }
}

/// Its calls.
pub fn router() -> DomainRouter {
    list::Calls {
        path: "/api/platform/v1/service-addresses",
        tag: "serviceAddress",
        name: "service_address",
        what: "addresses of gateways and services",
        see: perm::SERVICE_ADDRESS_LIST,
    }
    .routes::<ServiceAddresses>()
}
