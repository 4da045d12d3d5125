//! Gateways that tell nothing of their streams, for operators: what needs them, and what open pages hear.

use base::app::App;
use base::attention::{Concern, MOST};
use base::http::events::Audience;
use base::http::ops::OpCtx;
use base::topic::Topic;
use kernel::text::{Text, text};
use phones::stream::{SilentGateway, silence_changes, silent_gateways};
use serde_json::json;

use crate::general::tell_dashboards;
use crate::screens::perm;

/// What open pages hear of gateways.
pub const TOPIC: Topic = Topic {
    name: "gateway",
    about: "Streams hints that gateways have begun or ceased to tell nothing of their streams, or of others: the event `silence`, \
        without data.",
    need: perm::SERVICE_ADDRESS_LIST,
};

const SILENT: Text = text(
    "网关 {name} 静默 · {silent} / {streams} 路串流无心跳",
    "Gateway {name} is silent · {silent} of {streams} streams",
);
const ALL_STAND: Text = text(
    "相关机房已暂停按规则下机和排队超时，恢复心跳后自动继续",
    "In its rooms nobody is taken off by rule and nobody's wait runs out, until it tells of them again",
);
const ONE_STANDS: Text =
    text("该云手机不按规则下机，直到恢复心跳", "That phone is not taken off by rule, until it tells of it again");
const LOOK: Text = text("检查网关", "Check the gateway");

/// Gateways that are silent.
pub fn gateways(ctx: &OpCtx) -> Vec<Concern> {
    let lang = ctx.lang();
    let concern = |SilentGateway { gateway, silence, .. }: SilentGateway| {
        let room = gateway.room.map(|room| room.to_string()).unwrap_or_default();
        let title = SILENT.with("silent", silence.silent).with("streams", silence.streams).with("name", &gateway.name);
        Concern {
            key: format!("gatewaySilent-{room}-{}", gateway.name),
            // Customers may be cut off there, and nobody gives them their cards.
            urgent: silence.stands_still,
            title: title.get(lang),
            cause: if silence.stands_still { ALL_STAND } else { ONE_STANDS }.get(lang).to_owned(),
            since: Some(silence.since),
            act: LOOK.get(lang).to_owned(),
            path: "/platform/address?kind=1".to_owned(),
        }
    };
    silent_gateways(&ctx.app).into_iter().take(MOST).map(concern).collect()
}

/// Tells open pages when that changes, until it is aborted. Nothing is written then, so nobody else tells them.
pub async fn tell(app: App) {
    let mut changes = silence_changes(&app);
    while changes.changed().await.is_ok() {
        let audience = Audience { code: Some(perm::SERVICE_ADDRESS_LIST.code()), operator: None };
        app.events.publish(TOPIC, "silence", &json!({}), audience);
        tell_dashboards(&app);
    }
}
