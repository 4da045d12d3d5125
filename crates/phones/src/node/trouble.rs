//! What needs an operator at the storage nodes: those that are not what they should be, and those that are nearly full.

use base::attention::{Concern, MOST};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::store_node::{Column, Entity, Model, StoreState};
use fleet::reasons;
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use wire::Reason;

use super::view::{FULL, share};

/// From this share on, in hundredths, a node is nearly full.
pub const NEARLY: i128 = 85;

const WRONG: Text = text("存储节点 {name} · {reason}", "Storage node {name} · {reason}");
const NEARLY_FULL: Text = text("存储节点 {name} · 已用 {share}%", "Storage node {name} · {share} % full");
const NO_COPIES: Text = text("其上的云手机无法备份", "Phones with copies there cannot be backed up");
const DAYS: Text = text("预计 {days} 天后写满", "Full in about {days} days");
const SOON: Text = text("请扩容或排空", "Add space, or drain it");
const TEST: Text = text("测试连接", "Test it");

/// Nodes that cannot be reached, or not by all of their agents, and nodes that are nearly full.
///
/// # Errors
/// When the read fails.
pub async fn nodes(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let rows = Entity::find().filter(Column::State.ne(StoreState::Retired)).order_by_asc(Column::Id);
    let lang = ctx.lang();
    // A room without an agent is a trouble of its own.
    let is_wrong = |row: &Model| !row.trouble.is_empty() && row.trouble != Reason::AgentGone.code();
    let mut found = Vec::new();
    for row in rows.all(ctx.read()).await? {
        let path = format!("/storage/management?detail={}", row.id);
        if is_wrong(&row) {
            let reason = reasons::words(&row.trouble, lang);
            found.push(Concern {
                key: format!("storeNode-{}", row.id),
                urgent: row.state == StoreState::Unreachable,
                title: WRONG.with("name", &row.name).with("reason", reason).get(lang),
                cause: NO_COPIES.get(lang).to_owned(),
                since: None,
                act: TEST.get(lang).to_owned(),
                path: path.clone(),
            });
        }
        if share(&row) >= NEARLY {
            let days = row.days_to_full.map(|days| DAYS.with("days", days).get(lang));
            found.push(Concern {
                key: format!("storeNodeFull-{}", row.id),
                urgent: share(&row) >= FULL,
                title: NEARLY_FULL.with("name", &row.name).with("share", share(&row)).get(lang),
                cause: days.unwrap_or_else(|| NO_COPIES.get(lang).to_owned()),
                since: row.measured_at,
                act: SOON.get(lang).to_owned(),
                path,
            });
        }
    }
    found.truncate(MOST);
    Ok(found)
}
