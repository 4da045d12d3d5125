//! Cards as a file.

use entity::CardId;
use kernel::text::text;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use serde::{Deserialize, Serialize};

use super::names;
use super::store::{self, CardFilter};
use super::view::{self, CardView};
use crate::app::App;
use crate::export::{Listing, step_size};
use crate::fault::Outcome;
use crate::sheet::{self, Cells, Column, Steps, Table, column};

/// The headings that an import takes back are its own.
const COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 10),
    column(text("序列号", "Serial"), 20),
    column(text("机房", "Room"), 16),
    column(text("机架", "Frame"), 12),
    column(text("机架位置", "Chassis location"), 16),
    column(text("主机槽位", "Host slot"), 10),
    column(text("刀片地址", "Blade address"), 16),
    column(text("卡位", "Position"), 8),
    column(text("内网 IP", "Intranet IP"), 16),
    column(text("ADB 端口", "ADB port"), 10),
    column(text("外网 IP", "Extranet IP"), 16),
    column(text("外网端口", "Extranet port"), 10),
    column(text("厂商", "Manufacturer"), 16),
    column(text("型号", "Model"), 16),
    column(text("板卡型号", "Board"), 12),
    column(text("规格", "Size"), 12),
    column(text("运行状态", "Run status"), 12),
    column(text("自", "Since"), 20),
    column(text("网络状态", "Network status"), 12),
    column(text("维护", "Maintenance"), 14),
    column(text("可分配", "Assignable"), 8),
    column(text("超分", "Overcommit"), 8),
    column(text("备注", "Remark"), 30),
];

fn fill(row: &CardView, to: &mut dyn Cells) {
    let lang = to.lang();
    let number = |to: &mut dyn Cells, number: Option<i32>| match number {
        Some(number) => to.number(number.into()),
        None => to.text(""),
    };
    let ip = |ip: Option<kernel::ip4::Ip4>| ip.map_or_else(String::new, |ip| ip.to_string());
    to.number(row.id.0);
    to.text(row.serial.as_deref().unwrap_or_default());
    to.text(&row.room_name);
    to.text(&row.frame_name);
    to.text(&row.chassis_location);
    number(to, row.slot);
    to.text(&ip(row.blade_address));
    number(to, row.position);
    to.text(&row.intranet_ip.to_string());
    to.number(row.adb_port.into());
    to.text(&ip(row.extranet_ip));
    number(to, row.extranet_port);
    to.text(&row.manufacturer);
    to.text(&row.model);
    to.text(&row.board);
    to.text(&row.size);
    to.text(names::run_status(row.run_status).get(lang));
    to.time(Some(row.run_since));
    to.text(names::network_status(row.network_status).get(lang));
    to.text(names::maintenance(row.maintenance.state).get(lang));
    to.flag(row.is_assignable);
    to.flag(row.is_overcommit);
    to.text(&row.remark);
}

/// The cards that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cards(pub CardFilter);

impl Listing for Cards {
    type Row = CardView;
    const KIND: &'static str = "card.export";

    fn table() -> Table<CardView> {
        Table { name: text("设备列表", "Cards"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        self.0.checked()
    }

    async fn total(&self, app: &App) -> Outcome<u64> {
        Ok(store::total(app.db.read(), &self.0.resolve(app).await?).await?)
    }

    async fn rows(self, app: &App) -> Outcome<Steps<CardView>> {
        let (app, scope) = (app.clone(), self.0.resolve(app).await?);
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
