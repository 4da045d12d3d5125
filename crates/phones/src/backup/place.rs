//! Where the next copy of a phone lies: in its repository on a storage node, which is made with its first copy.

use std::collections::HashSet;

use base::app::App;
use base::fault::{Fault, Outcome};
use db::WriteTx;
use entity::repo::{self, ActiveModel, Entity};
use entity::saga::{self, SagaKind, SagaState};
use entity::store_node::{self, BackupStrategy, StoreState};
use entity::{BackupId, RepoId, RoomAgentId, RoomId, StoreNodeId, backup, phone, room_agent, store_node_agent};
use fleet::Connections;
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use vault::{Secret, Vault};
use wire::Reason;
use wire::store::partition_folder;

use crate::node::view::{is_full, limit};

/// What a repository is opened with, among the secrets.
#[derive(Clone, Copy, Debug)]
pub enum Door {
    /// Its key.
    Key,
    /// The code with which people open it.
    Recovery,
}

/// What is opened with them.
#[derive(Clone, Copy, Debug)]
pub enum Locked {
    /// The repository of a phone: a lost key loses one phone.
    Repo(RepoId),
    /// All repositories of packages on a node: what anybody can install is nobody's secret.
    Packages(StoreNodeId),
}

impl Door {
    fn name(self, to: Locked) -> String {
        let what = match self {
            Self::Key => "key",
            Self::Recovery => "recovery",
        };
        match to {
            Locked::Repo(repo) => format!("repo.{repo}.{what}"),
            Locked::Packages(node) => format!("storeNode.{node}.packages.{what}"),
        }
    }

    /// Reads it; none if it is not there.
    ///
    /// # Errors
    /// Another master key has sealed it.
    pub async fn find(self, app: &App, db: &impl ConnectionTrait, to: Locked) -> Outcome<Option<String>> {
        let found = vault::store::get(db, &app.vault, &self.name(to)).await;
        let found = found.map_err(|error| Fault::Internal(error.into()))?;
        Ok(found.as_ref().and_then(Secret::expose_text).map(str::to_owned))
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is not there, or another master key has sealed it.
    pub async fn read(self, app: &App, db: &impl ConnectionTrait, to: Locked) -> Outcome<String> {
        let found = self.find(app, db, to).await?;
        found.ok_or_else(|| Fault::internal(anyhow::anyhow!("{to:?} has no {self:?}")))
    }
}

/// Draws what a repository is opened with, unless that was done before.
///
/// # Errors
/// When the write fails.
pub async fn draw(app: &App, tx: &WriteTx, to: Locked, now: UtcTime) -> Outcome<()> {
    if Door::Key.find(app, &**tx, to).await?.is_some() {
        return Ok(());
    }
    let mut key = [0_u8; 64];
    rand::fill(&mut key[..]);
    let recovery = (0..8).map(|_| format!("{:04x}", rand::random::<u16>())).collect::<Vec<_>>().join("-");
    for (door, text) in [(Door::Key, hex::encode(key)), (Door::Recovery, recovery)] {
        vault::store::put(tx, &app.vault, &door.name(to), &Secret::from(text), "", now).await?;
    }
    Ok(())
}

/// Writes down what something at a node is opened with, unless that is in the books. Whether they have this key then.
///
/// # Errors
/// When the database refuses, or another master key has sealed what is in the books.
pub async fn remember(
    vault: &Vault,
    tx: &WriteTx,
    to: Locked,
    (key, recovery): (&str, &str),
    now: UtcTime,
) -> Outcome<bool> {
    let found = vault::store::get(&**tx, vault, &Door::Key.name(to)).await;
    if let Some(found) = found.map_err(|error| Fault::Internal(error.into()))? {
        return Ok(found.expose_text() == Some(key));
    }
    for (door, text) in [(Door::Key, key), (Door::Recovery, recovery)] {
        vault::store::put(tx, vault, &door.name(to), &Secret::from(text.to_owned()), "", now).await?;
    }
    Ok(true)
}

/// Forgets what a repository is opened with: nobody opens it any more.
///
/// # Errors
/// When the write fails.
pub async fn forget(tx: &WriteTx, to: Locked) -> Outcome<()> {
    for door in [Door::Key, Door::Recovery] {
        vault::store::remove(tx, &door.name(to)).await?;
    }
    Ok(())
}

/// Who has asked for a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedBy {
    /// A person, or a phone that is to leave its card.
    Somebody,
    /// Nobody: a node whose strategy is *manual* takes no phone for it.
    Nobody,
}

impl AskedBy {
    /// Whether a node takes a phone that has no copy there yet.
    fn fits(self, node: &store_node::Model) -> bool {
        let is_meant = self == Self::Somebody || node.strategy != BackupStrategy::Manual;
        is_meant && node.state.takes_copies() && !is_full(node)
    }
}

/// The repository for the next copy of a phone, on a storage node that one of these agents reaches; or why there is none.
///
/// # Errors
/// When the database refuses.
pub async fn place(
    app: &App,
    tx: &WriteTx,
    (phone, by): (&phone::Model, AskedBy),
    agents: &[RoomAgentId],
    now: UtcTime,
) -> Outcome<Result<repo::Model, Reason>> {
    if agents.is_empty() {
        let why = app.part::<Connections>().why_none(phone.room_id);
        // It ends, and waits for nobody.
        return Ok(Err(if why == Reason::RoomAway { Reason::AgentGone } else { why }));
    }
    let reached = reached_by(&**tx, agents).await?;
    let nodes = store_node::Entity::find()
        .filter(store_node::Column::Id.is_in(reached))
        .filter(store_node::Column::State.ne(StoreState::Retired))
        .order_by_asc(store_node::Column::Id)
        .all(&**tx)
        .await?;
    let roomy = nodes.iter().filter(|node| by.fits(node)).max_by_key(|node| limit(node) - node.used_bytes);
    let repos = Entity::find()
        .filter(repo::Column::PhoneId.eq(phone.id))
        .filter(repo::Column::DamagedAt.is_null())
        .order_by_desc(repo::Column::Id);
    let mut moves = false;
    for repo in repos.all(&**tx).await? {
        match nodes.iter().find(|node| node.id == repo.node_id) {
            // Another node has space: the phone is copied whole to it. What lies here stays, and the phone lives by it
            // until the copy there was read back.
            Some(node) if is_full(node) && roomy.is_some() => moves = true,
            Some(node) if node.state.takes_copies() => return Ok(Ok(repo)),
            // It comes back, and then it goes on there.
            Some(node) if node.state == StoreState::Unreachable && !moves => return Ok(Err(Reason::StoreUnreachable)),
            // It is drained, or it is another room's: the phone has one more.
            Some(_) | None => {}
        }
    }
    let Some(node) = roomy else {
        return Ok(Err(if nodes.iter().any(|node| node.state == StoreState::Unreachable) {
            Reason::StoreUnreachable
        } else if nodes.iter().any(is_full) {
            Reason::StoreFull
        } else {
            Reason::NoStore
        }));
    };
    Ok(Ok(make(app, tx, phone, node, now).await?))
}

/// Whether one of these agents reaches a node that takes another copy for whoever has asked.
///
/// # Errors
/// When a read fails.
pub async fn have_room(db: &impl ConnectionTrait, agents: &[RoomAgentId], by: AskedBy) -> Outcome<bool> {
    let nodes = store_node::Entity::find().filter(store_node::Column::Id.is_in(reached_by(db, agents).await?));
    Ok(nodes.all(db).await?.iter().any(|node| by.fits(node)))
}

/// The nodes that some of these agents reach.
///
/// # Errors
/// When the read fails.
pub async fn reached_by(db: &impl ConnectionTrait, agents: &[RoomAgentId]) -> Outcome<Vec<StoreNodeId>> {
    use store_node_agent::{Column, Entity};
    let select = Entity::find().select_only().column(Column::NodeId).distinct();
    Ok(select.filter(Column::AgentId.is_in(agents.iter().copied())).into_tuple().all(db).await?)
}

/// Whether an agent reaches a node.
///
/// # Errors
/// When the read fails.
pub async fn reaches(db: &impl ConnectionTrait, agent: RoomAgentId, node: StoreNodeId) -> Outcome<bool> {
    Ok(store_node_agent::Entity::find_by_id((node, agent)).one(db).await?.is_some())
}

/// Whether one of these agents reaches a node.
///
/// # Errors
/// When a read fails.
pub async fn is_reached_by(db: &impl ConnectionTrait, agents: Vec<RoomAgentId>, node: StoreNodeId) -> Outcome<bool> {
    for agent in agents {
        if reaches(db, agent, node).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Which of these copies one of these agents can read, as far as is known: it reaches their node, and did so when it was last
/// asked. One that was too busy to say so has not said otherwise.
///
/// # Errors
/// When the read fails.
pub async fn within_reach(
    db: &impl ConnectionTrait,
    agents: &[RoomAgentId],
    copies: impl IntoIterator<Item = BackupId>,
) -> Outcome<HashSet<BackupId>> {
    use store_node_agent::Column;
    let mut copies = copies.into_iter().peekable();
    if copies.peek().is_none() {
        return Ok(HashSet::new());
    }
    let nodes = store_node_agent::Entity::find()
        .select_only()
        .column(Column::NodeId)
        .filter(Column::AgentId.is_in(agents.iter().copied()))
        .filter(Column::Code.is_in(["", Reason::AgentSilent.code()]))
        .into_query();
    let repos = Entity::find().select_only().column(repo::Column::Id).filter(repo::Column::NodeId.in_subquery(nodes));
    let found: Vec<BackupId> = backup::Entity::find()
        .select_only()
        .column(backup::Column::Id)
        .filter(backup::Column::Id.is_in(copies))
        .filter(backup::Column::RepoId.in_subquery(repos.into_query()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// A room whose agents can read what lies on a node: `own`, if it is one of them.
///
/// # Errors
/// When a read fails.
pub async fn room_that_reaches(
    app: &App,
    db: &impl ConnectionTrait,
    node: StoreNodeId,
    own: RoomId,
) -> Outcome<Option<RoomId>> {
    let agents: Vec<(RoomAgentId, RoomId)> = room_agent::Entity::find()
        .select_only()
        .columns([room_agent::Column::Id, room_agent::Column::RoomId])
        .filter(
            room_agent::Column::Id.in_subquery(
                store_node_agent::Entity::find()
                    .select_only()
                    .column(store_node_agent::Column::AgentId)
                    .filter(store_node_agent::Column::NodeId.eq(node))
                    .into_query(),
            ),
        )
        .order_by_asc(room_agent::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    let connections = app.part::<Connections>();
    let there = agents.into_iter().filter(|(agent, room)| connections.that_copy(*room).contains(agent));
    Ok(there.map(|(_, room)| room).min_by_key(|room| *room != own))
}

/// Whether something is being done to a copy: it is made, or read back. Its packages may be installed meanwhile.
///
/// # Errors
/// When the read fails.
pub async fn in_hand(db: &impl ConnectionTrait, copy: BackupId) -> Outcome<bool> {
    let open = SagaState::ALL.iter().copied().filter(|state| !state.is_over());
    let select = saga::Entity::find().filter(saga::Column::BackupId.eq(copy)).filter(saga::Column::State.is_in(open));
    let select = select.filter(saga::Column::Kind.is_in(SagaKind::OF_COPIES));
    Ok(select.count(db).await? > 0)
}

/// Writes down a repository that is still to be made, with a key of its own.
async fn make(
    app: &App,
    tx: &WriteTx,
    phone: &phone::Model,
    node: &store_node::Model,
    now: UtcTime,
) -> Outcome<repo::Model> {
    let partition = rand::random_range(0..u16::try_from(node.made).unwrap_or(1).max(1));
    // What is left of an earlier one of this name is in nobody's way.
    let folder =
        format!("{}/{}-{:08x}", partition_folder(partition), phone.code.to_ascii_lowercase(), rand::random::<u32>());
    let row = ActiveModel {
        phone_id: Set(phone.id),
        node_id: Set(node.id),
        folder: Set(folder),
        made_at: Set(None),
        created_at: Set(now),
        damaged_at: Set(None),
        ..Default::default()
    };
    let repo = Entity::insert(row).exec_with_returning(&**tx).await?;
    draw(app, tx, Locked::Repo(repo.id), now).await?;
    Ok(repo)
}
