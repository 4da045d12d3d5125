//! The second door: what applications of the company, its agents and its partners call (`docs/open-api.md`), those
//! applications themselves, the log of their calls, and what they are told by themselves.
//!
//! Customers and phones belong to their groups, which are asked with a [`base::owned::Owned`].

mod app;
mod call;
mod callers;
mod demo;
mod door;
mod hook;
mod limits;
mod nets;
mod screens;
mod settings;
mod sign;

use std::future::ready;

use base::app::Own;
use base::attention;
use base::domain::{Domain, Loop, Table};
use base::http::DomainRouter;
use base::log;
use futures::FutureExt as _;
use kernel::text::text;
use utoipa::ToSchema as _;

use app::OpenApps;
pub use call::{Call, PruneCalls, flush, note, prune};
use call::{CallLog, OpenCalls};
use callers::Callers;
pub use demo::crowd_key;
use door::Changes;
pub use door::{GUIDE, PruneActs, document, prune_acts};
use hook::{OpenDeliveries, Sender};
pub use hook::{PruneDeliveries, deliver, prune_deliveries};
use limits::Limits;
use screens::perm;
pub use settings::OpenDoor;

/// The domains of this group.
pub const DOMAINS: &[Domain] = &[DOMAIN];

/// What the second door registers.
const DOMAIN: Domain = Domain {
    links: door::router,
    parts: |_| {
        let own = Own::default().with(Callers::default()).with(Limits::default()).with(CallLog::default());
        let own = own.with(Changes::default()).with(Sender::default());
        ready(Ok(own)).boxed()
    },
    screens: &[screens::SCREENS],
    lists: &[base::list::entry::<OpenApps>(), base::list::entry::<OpenCalls>(), base::list::entry::<OpenDeliveries>()],
    settings: &[base::settings::entry::entry::<OpenDoor>(text("开放接口设置", "Settings of the Open API"))],
    jobs: |jobs| {
        let jobs = jobs.every("open.prune", "35 * * * *", &PruneCalls {})?;
        let jobs = jobs.every("open.pruneDeliveries", "40 * * * *", &PruneDeliveries {})?;
        jobs.every("open.pruneActs", "*/30 * * * *", &PruneActs {})
    },
    loops: &[Loop::Told(|app, stop| call::keep(app, stop).boxed()), Loop::Anywhere(|app| hook::keep(app).boxed())],
    attention: &[attention::Source { need: perm::OPEN_DELIVERY_LIST, look: |ctx| hook::stuck(ctx).boxed() }],
    acts: &[
        // It is told of those alone who take over.
        (
            "open_phone_connect_create",
            text("应用接替另一应用连接云手机", "An application takes over a phone from another one"),
        ),
        ("open_ticket_redeem", text("网关兑换连接票据", "A gateway redeems a ticket")),
        ("open_phone_renew", text("客户通过开放接口续费", "A phone is renewed over the Open API")),
        ("open_phone_restart", text("客户通过开放接口重启云手机", "A phone is restarted over the Open API")),
        ("open_phone_restore", text("客户通过开放接口恢复备份", "A phone is set back to a backup over the Open API")),
        ("open_phone_accept_copy", text("客户通过开放接口接受备份", "A backup on offer is accepted over the Open API")),
        ("open_user_create", text("客户通过开放接口注册", "A customer registers over the Open API")),
        ("open_user_update", text("客户通过开放接口修改资料", "A customer changes the profile over the Open API")),
        (
            "open_user_closing_create",
            text("客户通过开放接口申请注销", "A customer asks to close the account over the Open API"),
        ),
        (
            "open_user_closing_delete",
            text("客户通过开放接口撤销注销", "A customer withdraws closing over the Open API"),
        ),
    ],
    turns: &[
        log::turn(
            "open_ticket_redeem",
            "takesOver",
            "true",
            text("网关兑换连接票据，并结束之前的使用", "A gateway redeems a ticket, which ends the stream before"),
        ),
        log::turn("open_app_set_enabled", "enabled", "true", text("启用第三方应用", "Enable an application")),
        log::turn("open_app_set_enabled", "enabled", "false", text("停用第三方应用", "Disable an application")),
    ],
    shapes: &[log::shape("openApp", app::OpenAppView::name)
        .fields(&[
            ("events", text("推送事件", "Events")),
            ("key", text("密钥编号", "Key")),
            ("keyCode", text("推送密钥编号", "Webhook key")),
            ("url", text("推送地址", "Webhook address")),
        ])
        // They change with every call.
        .silent(&["calls", "keys"])],
    kinds: &[("openApp", text("第三方应用", "Application")), ("openDelivery", text("推送记录", "Delivery"))],
    counted: &[call::CALLS, base::outbox::DELIVERIES],
    tables: &[
        Table::kept("open_app", "id"),
        Table::kept("open_key", "id"),
        Table::kept("open_call", "id"),
        Table::kept("open_nonce", "key_id, nonce"),
        Table::kept("open_act", "app_id, act_key"),
        Table::kept("webhook", "app_id"),
        Table::kept("webhook_delivery", "id"),
    ],
    demo: |app| demo::fill(app).boxed(),
    ..Domain::new("open", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    DomainRouter::new().merge(app::router()).merge(call::router()).merge(hook::router()).merge(settings::router())
}
