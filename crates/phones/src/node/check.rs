//! Looks at storage nodes through their agents.
//!
//! Where a node, or one of its partitions, was never marked, its agents are asked one after another: the first one marks
//! it, and the others have to find the mark.

use std::collections::HashMap;
use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, reply};
use base::topic::Topic;
use db::WriteTx;
use entity::store_node::{ActiveModel, Entity, Model, StoreDriver, StoreState};
use entity::store_node_agent::{self, StoreStep};
use entity::{RoomAgentId, StoreNodeId, room_agent};
use fleet::{Connections, Unasked};
use futures::future::join_all;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _,
    QueryFilter as _, QueryOrder as _,
};
use wire::{Console, Reason, SealedKey, StoreAim, StoreAt, StoreNode, StoreSeen};

use super::service::find;
use super::usage;
use super::view::{StoreNodeView, view};
use crate::screens::perm;

/// An agent gives up after 20 s, or 50 s where it adds up; its answer needs a moment.
const PATIENCE: Duration = Duration::from_secs(25);
const PATIENCE_TO_MEASURE: Duration = Duration::from_secs(55);
/// Without news it is written down so often, in milliseconds, that an agent has looked.
const OFTEN: i64 = 600_000;
/// Characters of what a node or a system says.
const DETAIL: usize = 200;

const CHANGED: Text = text("节点在测试期间被修改，请重试", "The node was changed during the test; try again");
const RETIRED: Text = text("节点已停用", "The node is retired");
const NO_AGENTS: Text = text("没有可达代理", "No agent reaches it");

/// What becomes of storage nodes.
pub const TOPIC: Topic = Topic {
    name: "storage",
    about: "Streams what becomes of storage nodes: events `node` with the id of one that has changed.",
    need: perm::STORAGE_LIST,
};

/// Tells open pages that a node has changed.
pub fn tell(app: &App, id: StoreNodeId) {
    app.events.publish(
        TOPIC,
        "node",
        &serde_json::json!({ "id": id }),
        base::http::events::Audience { code: Some(perm::STORAGE_LIST.code()), operator: None },
    );
}

pub(super) type Answer = Result<StoreSeen, Unasked>;

/// The agents of a node, by their numbers.
pub(super) async fn agents_of(db: &impl ConnectionTrait, id: StoreNodeId) -> Result<Vec<room_agent::Model>, DbErr> {
    let rows = store_node_agent::Entity::find().filter(store_node_agent::Column::NodeId.eq(id)).all(db).await?;
    let found = room_agent::Entity::find().filter(room_agent::Column::Id.is_in(rows.iter().map(|row| row.agent_id)));
    found.order_by_asc(room_agent::Column::Id).all(db).await
}

/// The node, as agents are told of it.
#[must_use]
pub fn told(node: &Model) -> StoreNode {
    let count = |number: i16| u16::try_from(number).unwrap_or(0);
    StoreNode {
        mark: node.mark.clone(),
        name: node.name.clone(),
        partitions: count(node.partitions),
        made: count(node.made),
        snapshots: node.has_snapshots,
        at: match node.driver {
            StoreDriver::Folder => StoreAt::Folder { path: node.place.clone() },
            StoreDriver::Ftp | StoreDriver::Ftps | StoreDriver::S3 => StoreAt::Unknown,
        },
    }
}

/// What each of its agents finds at a node.
async fn ask(app: &App, node: &Model, aim: StoreAim) -> Outcome<Vec<(RoomAgentId, Answer)>> {
    let agents = agents_of(app.db.read(), node.id).await?;
    let mut node = told(node);
    let (mut answers, mut left) = (Vec::new(), agents.iter());
    // One marks what was never marked, and one adds up.
    let mut aim = aim;
    while node.made < node.partitions || aim == StoreAim::Measure {
        let Some(agent) = left.next() else { break };
        let answer = ask_one(app, agent, node.clone(), (aim, Vec::new())).await;
        if let Ok(seen) = &answer {
            node.made = node.made.max(seen.made.min(node.partitions));
            if seen.trouble.is_none() && aim == StoreAim::Measure {
                aim = StoreAim::Look;
            }
        }
        answers.push((agent.id, answer));
    }
    let rest = left.map(|agent| {
        let node = node.clone();
        async move { (agent.id, ask_one(app, agent, node, (aim, Vec::new())).await) }
    });
    answers.extend(join_all(rest).await);
    Ok(answers)
}

/// Asks an agent for a look at a node, and to put these in the place of what lies there.
pub(super) async fn ask_one(
    app: &App,
    agent: &room_agent::Model,
    node: StoreNode,
    (aim, seal): (StoreAim, Vec<SealedKey>),
) -> Answer {
    let patience = if aim == StoreAim::Measure { PATIENCE_TO_MEASURE } else { PATIENCE };
    let whom = (agent.room_id, agent.id);
    app.part::<Connections>().ask_store(whom, patience, |stream| Console::StoreLook { stream, node, aim, seal }).await
}

/// What an agent found, as its row has it.
fn row_of(row: store_node_agent::Model, answer: &Answer, now: UtcTime) -> store_node_agent::Model {
    let blank = store_node_agent::Model {
        code: String::new(),
        step: None,
        partition: None,
        detail: String::new(),
        ..row.clone()
    };
    match answer {
        // Whoever was not asked has not looked.
        Err(unasked) => {
            let code = match unasked {
                Unasked::Away => Reason::AgentGone,
                Unasked::TooOld => Reason::AgentTooOld,
                Unasked::Silent => Reason::AgentSilent,
            };
            store_node_agent::Model { code: code.code().to_owned(), ..blank }
        }
        Ok(seen) => {
            let looked = store_node_agent::Model {
                checked_at: Some(now),
                millis: i64::try_from(seen.millis).unwrap_or(i64::MAX),
                ..blank
            };
            let Some(trouble) = &seen.trouble else { return looked };
            store_node_agent::Model {
                code: trouble.code.code().chars().take(64).collect(),
                step: Some(step(trouble.step)),
                partition: trouble.partition.and_then(|partition| i16::try_from(partition).ok()),
                detail: trouble.reason.chars().filter(|c| !c.is_control()).take(DETAIL).collect(),
                ..looked
            }
        }
    }
}

const fn step(told: wire::StoreStep) -> StoreStep {
    match told {
        wire::StoreStep::Connect => StoreStep::Connect,
        wire::StoreStep::Encrypt => StoreStep::Encrypt,
        wire::StoreStep::SignIn => StoreStep::SignIn,
        wire::StoreStep::Marker => StoreStep::Marker,
        wire::StoreStep::Write => StoreStep::Write,
        wire::StoreStep::Rename => StoreStep::Rename,
        wire::StoreStep::Read => StoreStep::Read,
        wire::StoreStep::List => StoreStep::List,
        wire::StoreStep::Remove => StoreStep::Remove,
        wire::StoreStep::Other => StoreStep::Other,
    }
}

/// Whether one of two says something that the other does not, the time aside.
fn differ(one: &store_node_agent::Model, other: &store_node_agent::Model) -> bool {
    let told = |row: &store_node_agent::Model| (row.code.clone(), row.step, row.partition, row.detail.clone());
    told(one) != told(other)
}

/// What is written of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Write {
    /// What is news; and that somebody has looked, if that was long ago.
    News,
    /// All of it: a person waits.
    All,
}

/// Writes down what agents found. None if the node was changed meanwhile, or is gone; else it, and whether anything was
/// written.
async fn settle(
    tx: &WriteTx,
    asked: &Model,
    answers: &[(RoomAgentId, Answer)],
    write: Write,
    now: UtcTime,
) -> Outcome<Option<(Model, bool)>> {
    let Some(node) = Entity::find_by_id(asked.id).one(&**tx).await? else { return Ok(None) };
    let whole = |row: &Model| (row.driver, row.place.clone(), row.mark.clone());
    // Another look may have made more of it meanwhile; who gives it another place makes it anew.
    if whole(&node) != whole(asked) || node.made < asked.made || node.state == StoreState::Retired {
        return Ok(None);
    }
    let answers: HashMap<RoomAgentId, &Answer> = answers.iter().map(|(agent, answer)| (*agent, answer)).collect();
    let of_node = store_node_agent::Column::NodeId.eq(node.id);
    let rows = store_node_agent::Entity::find().filter(of_node).order_by_asc(store_node_agent::Column::AgentId);
    // One that was added meanwhile was not asked.
    let found = |row: store_node_agent::Model| match answers.get(&row.agent_id) {
        Some(answer) => (row_of(row.clone(), answer, now), row),
        None => (row.clone(), row),
    };
    let rows: Vec<_> = rows.all(&**tx).await?.into_iter().map(found).collect();
    let has_reached = |row: &store_node_agent::Model| row.code.is_empty() && row.checked_at.is_some();
    let reached = rows.iter().map(|(row, _)| row).filter(|row| has_reached(row));
    let seen: Vec<&StoreSeen> =
        reached.filter_map(|row| answers.get(&row.agent_id)).filter_map(|answer| answer.as_ref().ok()).collect();
    let state = match node.state {
        StoreState::Normal | StoreState::Unreachable if rows.iter().any(|(row, _)| has_reached(row)) => {
            StoreState::Normal
        }
        StoreState::Normal | StoreState::Unreachable => StoreState::Unreachable,
        state @ (StoreState::Draining | StoreState::Retired) => state,
    };
    let made = made(&node, &seen);
    let used = seen.iter().find_map(|seen| bytes(seen.used));
    let is_late = node.checked_at.is_none_or(|at| now.millis() - at.millis() >= OFTEN);
    let is_news = (state, made) != (node.state, node.made)
        || used.is_some()
        || is_late && !seen.is_empty()
        || rows.iter().any(|(now_found, row)| differ(row, now_found));
    if !is_news && write == Write::News {
        return Ok(Some((node, false)));
    }
    let code = rows.iter().map(|(row, _)| &row.code).find(|code| !code.is_empty()).cloned().unwrap_or_default();
    let has_looked = answers.values().any(|answer| answer.is_ok());
    for (now_found, _) in rows {
        let change: store_node_agent::ActiveModel = now_found.into();
        store_node_agent::Entity::update(change.reset_all()).exec(&**tx).await?;
    }
    let change = ActiveModel {
        id: Set(node.id),
        made: Set(made),
        state: Set(state),
        trouble: Set(code),
        checked_at: Set(if has_looked { Some(now) } else { node.checked_at }),
        free_bytes: Set(seen.iter().find_map(|seen| bytes(seen.free)).or(node.free_bytes)),
        ..Default::default()
    };
    let mut after = Entity::update(change).exec(&**tx).await?;
    if let Some(used) = used {
        after = usage::note(tx, after, used, now).await?;
    }
    Ok(Some((after, true)))
}

/// How many partitions are made: as many as one says who was there, and no more than there are.
fn made(node: &Model, seen: &[&StoreSeen]) -> i16 {
    let told = seen.iter().map(|seen| i16::try_from(seen.made).unwrap_or(i16::MAX)).max().unwrap_or(0);
    node.made.max(told.min(node.partitions))
}

fn bytes(told: Option<u64>) -> Option<i64> {
    told.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX))
}

/// Looks at a node, and writes down what was found if it is news.
///
/// # Errors
/// When the database refuses.
pub async fn look(app: &App, node: Model, aim: StoreAim) -> Outcome<()> {
    let answers = ask(app, &node, aim).await?;
    let tx = app.db.begin_write().await?;
    if let Some((after, true)) = settle(&tx, &node, &answers, Write::News, app.clock.now()).await? {
        tx.commit().await?;
        tell(app, after.id);
    }
    Ok(())
}

async fn test(ctx: &OpCtx, id: StoreNodeId) -> Outcome<StoreNodeView> {
    let asked = find(ctx.read(), id).await?;
    if asked.state == StoreState::Retired {
        return Err(Fault::conflict(RETIRED));
    }
    let answers = ask(&ctx.app, &asked, StoreAim::Test).await?;
    if answers.is_empty() {
        return Err(Fault::conflict(NO_AGENTS));
    }
    let mut tx = ctx.begin_write().await?;
    // It may have been deleted meanwhile.
    find(&*tx, id).await?;
    let settled = settle(tx.inner(), &asked, &answers, Write::All, ctx.now()).await?;
    let (after, _) = settled.ok_or_else(|| Fault::conflict(CHANGED))?;
    let seen = view(&ctx.app, &*tx, after, ctx.lang()).await?;
    let failed = seen.agents.iter().filter(|agent| !agent.code.is_empty()).count();
    let note = format!("{} agents, {failed} failed", seen.agents.len());
    tx.commit(Audit::of("storeNode").id(id).name(&seen.name).note(note)).await?;
    tell(&ctx.app, id);
    Ok(seen)
}

/// Tests a storage node: each of its agents sees by the marker that it is the node, and writes, reads back, lists and
/// removes a file in each partition. The answer says for each agent whether that went well, or at which step it did not.
#[utoipa::path(post, path = "/api/storage/v1/nodes/{id}/test", tag = "storage",
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<StoreNodeView>)))]
pub async fn store_node_test(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<StoreNodeView> {
    reply(test(&ctx, StoreNodeId(id)).await?)
}
