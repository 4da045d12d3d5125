//! Storage nodes as a list and as a file.

use base::prelude::*;
use entity::store_node::{BackupStrategy, Column as By, Entity, StoreDriver, StoreState};
use kernel::rules::max_chars;
use serde::Serialize;
use utoipa::IntoParams;

use super::view::{StoreNodeView, views};
use crate::screens::perm;

/// A filter for storage nodes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct StoreNodeFilter {
    /// Part of the name, the city or the place.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// In this state.
    #[serde(default)]
    pub state: Option<StoreState>,
    /// Reached like this.
    #[serde(default)]
    pub driver: Option<StoreDriver>,
    /// In this city.
    #[serde(default)]
    #[param(max_length = 40)]
    pub city: Option<String>,
    /// Whether its file system keeps snapshots.
    #[serde(default)]
    pub snapshots: Option<bool>,
    /// With this strategy.
    #[serde(default)]
    pub strategy: Option<BackupStrategy>,
}

impl Validate for StoreNodeFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.optional("city", self.city.as_deref(), |text| max_chars(text, 40));
    }
}

/// The list, newest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct StoreNodes;

impl List for StoreNodes {
    type Filter = StoreNodeFilter;
    type Row = StoreNodeView;
    type Sort = By;
    const NAME: Text = text("存储节点", "Storage nodes");
    const KIND: &'static str = "storage.export";
    const NEED: Need = perm::STORAGE_EXPORT;

    fn columns() -> Vec<Column<StoreNodeView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &StoreNodeView| Some(row.id.0)),
            column("name", text("名称", "Name"), 24).sorted_by(By::Name).text(|row| &row.name),
            column("city", text("城市", "City"), 16).sorted_by(By::City).text(|row| &row.city),
            column("driver", text("类型", "Driver"), 14).label(|row| row.driver.label()),
            column("place", text("路径", "Folder"), 30).sorted_by(By::Place).text(|row| &row.place),
            column("state", text("状态", "State"), 14).sorted_by(By::State).label(|row| row.state.label()),
            column("trouble", text("问题", "Trouble"), 40).text(|row| &row.trouble),
            column("capacityBytes", text("容量", "Capacity"), 16)
                .sorted_by(By::CapacityBytes)
                .number(|row| Some(row.capacity_bytes)),
            column("usedBytes", text("已用", "Used"), 16).sorted_by(By::UsedBytes).number(|row| Some(row.used_bytes)),
            column("freeBytes", text("磁盘剩余", "Free on disk"), 16)
                .sorted_by(By::FreeBytes)
                .number(|row| row.free_bytes),
            column("daysToFull", text("预计写满（天）", "Days to full"), 14)
                .sorted_by(By::DaysToFull)
                .number(|row| row.days_to_full.map(i64::from)),
            column("partitions", text("分区数", "Partitions"), 10)
                .sorted_by(By::Partitions)
                .number(|row| Some(row.partitions.into())),
            column("snapshots", text("快照", "Snapshots"), 10).flag(|row| row.snapshots),
            column("strategy", text("备份策略", "Backup strategy"), 14)
                .sorted_by(By::Strategy)
                .label(|row| row.strategy.label()),
            column("cycle", text("备份周期（天）", "Backup cycle (days)"), 14).number(|row| row.cycle.map(i64::from)),
            column("agents", text("可达代理", "Agents"), 30)
                .words(|row| row.agents.iter().map(|one| one.agent.name()).collect::<Vec<_>>().join(", ")),
            column("checkedAt", text("最近检查", "Last checked"), 20)
                .sorted_by(By::CheckedAt)
                .time(|row| row.checked_at),
            column("latitude", text("纬度", "Latitude"), 12)
                .words(|row| row.latitude.map(|degrees| degrees.to_string()).unwrap_or_default()),
            column("longitude", text("经度", "Longitude"), 12)
                .words(|row| row.longitude.map(|degrees| degrees.to_string()).unwrap_or_default()),
            column("downloadMbit", text("下载限速（Mbit/s）", "Download limit (Mbit/s)"), 16)
                .number(|row| row.download_mbit.map(i64::from)),
            column("uploadMbit", text("上传限速（Mbit/s）", "Upload limit (Mbit/s)"), 16)
                .number(|row| row.upload_mbit.map(i64::from)),
            list::created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            list::updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &StoreNodeFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<StoreNodeView>> {
        let (db, StoreNodeFilter { key_word, state, driver, city, snapshots, strategy }) = (from.db(), filter);
        let found = |text| search::scan(db.get_database_backend(), "store_node", &["name", "city", "place"], text);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| select.filter(found(text)))
            .apply_if(*state, |select, state| select.filter(By::State.eq(state)))
            .apply_if(*driver, |select, driver| select.filter(By::Driver.eq(driver)))
            .apply_if(city.as_deref(), |select, city| select.filter(By::City.eq(city)))
            .apply_if(*snapshots, |select, has| select.filter(By::HasSnapshots.eq(has)))
            .apply_if(*strategy, |select, strategy| select.filter(By::Strategy.eq(strategy)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, views(&from.app, db, list, from.lang).await?))
    }
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/storage/v1/nodes";
    list::Calls { path, tag: "storage", name: "store_node", what: "storage nodes", see: perm::STORAGE_LIST }
        .routes::<StoreNodes>()
}
