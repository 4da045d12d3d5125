//! Applications as a list and as a file.

use base::access::catalog::title_of;
use base::prelude::*;
use entity::open_app::{Column as By, Entity, OpenOwner, OpenScope};
use serde::Serialize;
use utoipa::IntoParams;

use super::view::{OpenAppView, views};
use crate::screens::{SCREENS, perm};

/// A filter for applications.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OpenAppFilter {
    /// Part of the name, or of the agent's or partner's.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Whose they are.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub owner: Option<OpenOwner>,
    /// Whether they may call.
    #[serde(default)]
    pub enabled: Option<bool>,
}

impl Validate for OpenAppFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// The list, newest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct OpenApps;

impl List for OpenApps {
    type Filter = OpenAppFilter;
    type Row = OpenAppView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "openApps");
    const KIND: &'static str = "openApp.export";
    const NEED: Need = perm::OPEN_APP_EXPORT;

    fn columns() -> Vec<Column<OpenAppView, By>> {
        vec![
            column("name", text("名称", "Name"), 24).sorted_by(By::Name).text(|row: &OpenAppView| &row.name),
            column("owner", text("归属", "Owner"), 10).label(|row| row.owner.label()),
            column("ownerName", text("归属名称", "Name of the owner"), 20).text(|row| &row.owner_name),
            column("scopes", text("权限", "Scopes"), 20)
                .words(|row| row.scopes.iter().copied().map(OpenScope::name).collect::<Vec<_>>().join(", ")),
            column("keys", text("密钥", "Keys"), 50)
                .words(|row| row.keys.iter().map(|key| key.code.as_str()).collect::<Vec<_>>().join(", ")),
            column("ips", text("IP 名单", "Addresses"), 30).text(|row| &row.ips),
            column("perSecond", text("每秒次数", "Calls a second"), 10)
                .sorted_by(By::PerSecond)
                .number(|row| Some(row.per_second.into())),
            column("perDay", text("每日（千次）", "Thousands of calls a day"), 12)
                .sorted_by(By::PerDay)
                .number(|row| row.per_day.map(i64::from)),
            column("calls", text("调用量", "Calls"), 14).sorted_by(By::Calls).number(|row| Some(row.calls)),
            column("enabled", text("启用", "On"), 8).flag(|row| row.enabled),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            list::created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            list::updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &OpenAppFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<OpenAppView>> {
        let (db, OpenAppFilter { key_word, owner, enabled }) = (from.db(), filter);
        let found = |text| search::scan(db.get_database_backend(), "open_app", &["name", "owner_name"], text);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| select.filter(found(text)))
            .apply_if(*owner, |select, owner| select.filter(By::Owner.eq(owner)))
            .apply_if(*enabled, |select, enabled| select.filter(By::IsEnabled.eq(enabled)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/platform/v1/open-apps";
    list::Calls {
        path,
        tag: "openApp",
        name: "open_app",
        what: "applications of the Open API",
        see: perm::OPEN_APP_LIST,
    }
    .routes::<OpenApps>()
}
