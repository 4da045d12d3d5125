//! Cloud phones: what customers rent, where it runs, and the copies that it lives by while it runs nowhere.
//!
//! Cards belong to the fleet, customers to `customers`.

mod backup;
pub mod connect;
mod demo;
mod exposition;
mod forbidden;
mod news;
mod node;
mod overview;
pub mod own;
mod phone;
mod rule;
mod saga;
#[cfg(test)]
mod samples;
mod screens;
mod session;
mod settings;
pub mod stream;

use std::future::ready;

use db::kept::Packed;
use fleet::Book;
use fleet::operation::targets::Kind;
use futures::FutureExt as _;
use kernel::text::text;

use base::app::{App, Own};
use base::attention;
use base::domain::{Domain, Loop, Table, passes};
use base::fault::Outcome;
use base::http::DomainRouter;
use base::log;
use base::search::Source;
use utoipa::ToSchema as _;

use backup::Backups;
pub use backup::{rebuild, sealed};
pub use exposition::gauges;
pub use forbidden::withheld::{CODE as APP_WITHHELD, WithheldApp};
use node::StoreNodes;
pub use node::demo::{DemoNode, make as make_demo_node, row as demo_node};
pub use node::{returned as node_returned, round as node_round, seal as node_seal, share as share_round};
use phone::expire::ExpirePhones;
pub use phone::expire::{Passed, pass};
pub use phone::hold::{Held, hold};
use phone::import::ImportPhones;
use phone::list::Phones;
use phone::notice::NoticePhones;
pub use phone::notice::notice;
pub use phone::order;
pub use phone::owned::{OwnedPhone, app_has_any, owned, owned_list};
use phone::targets::PhoneTargets;
pub use phone::view::PhoneView;
pub use rule::{Held as HeldRule, Night, Rules, Scope as RuleScope, effective, effective_many};
use rule::{RuleChanges, RuleScopes, RuleValues};
use saga::PruneSagas;
pub use saga::own as own_saga;
pub use saga::round as saga_pass;
pub use saga::view::UnderWay;
pub use saga::whole_round as saga_round;
pub use saga::{PrunedOf, prune as prune_sagas, stays_here};
use screens::perm;
use session::PhoneSessions;
pub use session::hours_round;
pub use settings::PhoneLife;

/// The domains of this group.
pub const DOMAINS: &[Domain] = &[DOMAIN, forbidden::DOMAIN];

/// Its lists that keep counters.
pub const COUNTED: &[Packed] = &[
    phone::counts::PLACES,
    phone::counts::KINDS,
    phone::counts::IMAGES,
    session::STAYS,
    backup::counts::COPIES,
    backup::counts::IMAGES,
];

/// What cloud phones register.
const DOMAIN: Domain = Domain {
    parts: |_| {
        let own = Own::default().with(Kind(&PhoneTargets)).with(Book(&saga::PhoneSteps)).with(saga::Absent::default());
        let own = own.with(saga::Progress::default()).with(saga::Heard::default()).with(saga::Missing::default());
        let own = own.with(saga::Unwiped::default()).with(saga::SetAside::default());
        let own = own.with(saga::Erasing::default());
        let own = own.with(saga::Looked::default()).with(saga::MadeWith::default());
        let own = own.with(connect::Waiters::default()).with(connect::Pools::default());
        let own = own.with(stream::Streams::default()).with(stream::Warned::default());
        let own = own.with(stream::AskedOff::default());
        let own = own.with(stream::Silences::default());
        let own = own.with(saga::Ruled::default()).with(saga::Places::default());
        ready(Ok(own.with(node::NodeBell::default()).with(node::Shares::default()))).boxed()
    },
    screens: &[screens::SCREENS],
    lists: &[
        base::list::entry::<Phones>(),
        base::list::entry::<StoreNodes>(),
        base::list::entry::<Backups>(),
        base::list::entry::<RuleScopes>(),
        base::list::entry::<RuleChanges>(),
        base::list::entry::<PhoneSessions>(),
    ],
    imports: &[base::import::entry::<ImportPhones>()],
    settings: &[
        base::settings::entry::entry::<PhoneLife>(text("云手机设置", "Phone settings")),
        base::settings::entry::entry::<node::TransferSpeed>(text("传输限速", "Speed limit")),
    ],
    start: |app| begin(app).boxed(),
    loops: &[
        Loop::Anywhere(|app| passes(app, "what is done to phones", saga::LOOK, |app| saga::round(app).boxed()).boxed()),
        Loop::Anywhere(|app| {
            passes(app, "who waits for phones", connect::LOOK, |app| connect::round(app).boxed()).boxed()
        }),
        Loop::Anywhere(|app| node::rounds(app).boxed()),
        Loop::Anywhere(|app| {
            passes(app, "how fast agents may transfer", node::SHARE_LOOK, |app| node::share(app).boxed()).boxed()
        }),
        Loop::Anywhere(|app| {
            passes(app, "what became of phones by the hour", session::LOOK, |app| hours_round(app).boxed()).boxed()
        }),
    ],
    events: &[saga::TOPIC, node::TOPIC, backup::TOPIC],
    attention: &[
        attention::Source { need: perm::STORAGE_LIST, look: |ctx| node::trouble(ctx).boxed() },
        attention::Source { need: perm::PHONE_LIST, look: |ctx| phone::trouble::held(ctx).boxed() },
        attention::Source { need: perm::PHONE_LIST, look: |ctx| ready(Ok(phone::trouble::set_aside(ctx))).boxed() },
        attention::Source { need: perm::PHONE_LIST, look: |ctx| phone::trouble::disks(ctx).boxed() },
        attention::Source { need: perm::BACKUP_LIST, look: |ctx| backup::damages(ctx).boxed() },
        attention::Source { need: perm::PHONE_LIST, look: |ctx| backup::unsaved(ctx).boxed() },
    ],
    jobs: |jobs| {
        let jobs = jobs.every("phone.expire", "* * * * *", &ExpirePhones {})?;
        let jobs = jobs.every("phone.prune", "45 4 * * *", &PruneSagas {})?;
        jobs.every("phone.notice", "*/10 * * * *", &NoticePhones {})
    },
    search: &[Source {
        kind: "phone",
        name: text("云手机", "Cloud phones"),
        need: perm::PHONE_LIST,
        find: |ctx, text| phone::search::find(ctx, text).boxed(),
    }],
    acts: &[
        ("phone_expired", text("云手机到期", "A phone expires")),
        ("phone_released", text("到期释放云手机", "Release an expired phone")),
        ("phone_account_closed", text("账号注销，释放云手机", "Release a phone of a closed account")),
        ("phone_erased", text("清除云手机", "Erase a phone")),
        ("phone_copies_erased", text("清除云手机的备份", "Erase the backups of a phone")),
        ("phone_bound", text("云手机上机", "A phone is on its card")),
        ("phone_keys_given", text("向机房代理发放备份密钥", "Keys of a backup are handed out")),
        ("phone_copied", text("云手机已备份", "A phone was backed up")),
        ("phone_copy_verified", text("备份校验通过", "A backup was verified")),
        ("phone_copy_damaged", text("备份已损坏", "A backup is damaged")),
        ("phone_apps_installed", text("备份中的应用已安装", "Apps of a backup were installed")),
        ("phone_app_withheld", text("禁止的应用未恢复", "Forbidden apps were not restored")),
        ("phone_copy_accepted", text("云手机用备份恢复", "A phone goes on from its copy")),
        ("phone_went_back", text("云手机恢复到所选备份", "A phone is set back to a backup")),
        ("phone_given_up", text("失联卡上的数据已放弃", "Data on a lost card is given up")),
        ("phone_left_copied", text("隔离数据已另行备份", "Quarantined data was backed up")),
        ("phone_left_wiped", text("隔离数据不备份即清除", "Quarantined data is wiped without a copy")),
        ("phone_gone_on", text("待处理事项已继续", "What waited of a phone goes on")),
        ("phone_opened_elsewhere", text("云手机改在其他机房打开", "A phone is opened in another room")),
        ("phone_ordered", text("订单交付云手机", "Deliver phones of an order")),
        ("phone_order_renewed", text("订单续费云手机", "Renew a phone for an order")),
        ("phone_order_enlarged", text("订单扩容云盘", "Enlarge a disk for an order")),
    ],
    shapes: &[
        log::shape("phone", phone::view::PhoneView::name)
            .fields(&[
                ("connect", text("连接", "Connection")),
                ("endpointRev", text("连接版本", "Endpoint revision")),
                ("gateway", text("网关", "Gateway")),
                ("holdsId", text("所在位置 ID", "Placement ID")),
                ("isBlank", text("从未上机", "Never on a card")),
                ("isGuaranteed", text("专属卡不下机", "Card guaranteed")),
                ("keptId", text("所依赖的备份 ID", "Backup ID")),
                ("onSince", text("上机自", "On since")),
                ("streamId", text("使用编号", "Stream")),
                ("takesOver", text("接替之前的使用", "Takes over")),
                ("term", text("购买时长（天）", "Bought for (days)")),
                ("underWay", text("正在进行", "Under way")),
                ("withheld", text("未恢复的应用", "Apps not restored")),
            ])
            // What is under way is no part of what was changed.
            .silent(&["connect", "isGuaranteed", "onSince", "underWay", "withheld"])
            // A lone value of before and after is its state.
            .choices(&[("status", "Life")])
            .plain(&["id", "life", "plan", "expiresAt"]),
        log::shape("phoneRule", RuleValues::name).fields(rule::field::LOGGED),
    ],
    kinds: &[
        ("storeNode", text("存储节点", "Storage node")),
        ("phone", text("云手机", "Cloud phone")),
        ("phoneRule", text("云手机规则", "Phone rules")),
    ],
    counted: COUNTED,
    tables: &[
        Table::kept("store_node", "id"),
        Table::kept("store_node_agent", "node_id, agent_id"),
        Table::kept("store_usage", "node_id, at"),
        Table::kept("phone", "id"),
        Table::kept("placement", "id"),
        Table::kept("loss", "placement_id").append_only(),
        Table::kept("saga", "id"),
        Table::kept("saga_step", "id"),
        Table::kept("repo", "id"),
        Table::kept("backup", "id"),
        Table::kept("package_blob", "id"),
        Table::kept("backup_package", "backup_id, blob_id"),
        Table::kept("rule_value", "scope, id, field"),
        Table::kept("rule_change", "id").append_only(),
        Table::kept("phone_order", "line_id").append_only(),
        Table::kept("phone_order_item", "line_id, phone_id").append_only(),
        Table::kept("phone_session", "id"),
        Table::kept("phone_use", "phone_id"),
        // Added up anew.
        Table::left_out("pool_hour"),
        Table::left_out("pool_hour_left"),
        Table::left_out("pool_hour_until"),
        Table::kept("expiry_notice", "phone_id"),
        // Whoever was there connects anew.
        Table::left_out("connect"),
        // Rebuilt.
        Table::left_out("phone_search"),
        // What agents remember says it anew.
        Table::left_out("room_behind"),
    ],
    reindex: |tx| phone::search::reindex(tx).boxed(),
    demo: |app| demo::fill(app).boxed(),
    ..Domain::new("phones", router)
};

/// What has to be so before anything goes on.
async fn begin(app: &App) -> Outcome<()> {
    saga::begin(app).await?;
    session::book::begin(app).await
}

/// The access table of this domain.
fn router() -> DomainRouter {
    DomainRouter::new()
        .merge(phone::router())
        .merge(overview::router())
        .merge(saga::router())
        .merge(settings::router())
        .merge(rule::router())
        .merge(session::router())
        .merge(node::router())
        .merge(backup::router())
}
