//! How an agent joins and how it is authenticated later. Only hashes of tokens and credentials are stored.

use std::collections::HashSet;
use std::net::IpAddr;

use aws_lc_rs::digest;
use base::app::App;
use base::fault::Outcome;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::WriteTx;
use db::journal::Entry;
use entity::{RoomAgentId, RoomId, join_token, room_agent};
use kernel::time::UtcTime;
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _,
};

use super::refused::refuse;

/// The prefix of a token, so that people and scanners recognize it.
pub const JOIN: &str = "skyjoin_";
/// The prefix of a credential.
pub const CREDENTIAL: &str = "skyagent_";

/// 256 random bits behind a prefix that says what they are for.
#[must_use]
pub fn secret(word: &str) -> String {
    format!("{word}{}", URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()))
}

/// SHA-256, hex. The secrets are random, so nothing slower is needed.
#[must_use]
pub fn hash(secret: &str) -> String {
    hex::encode(digest::digest(&digest::SHA256, secret.as_bytes()))
}

/// An agent that has just joined.
#[derive(Clone, Debug)]
pub struct Enrolled {
    pub agent: RoomAgentId,
    pub room: RoomId,
    /// Shown once; the console stores its hash.
    pub credential: String,
}

/// Why an agent is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinRefusal {
    /// No such token or credential was ever issued.
    Unknown,
    /// The token has been used.
    Used,
    /// The token has expired.
    Expired,
    /// An operator revoked it.
    Revoked,
}

impl JoinRefusal {
    /// As the operation log names it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Used => "used before",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }

    /// As metrics name it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Used => "used",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

async fn find(db: &impl ConnectionTrait, token: &str) -> Result<Option<join_token::Model>, DbErr> {
    join_token::Entity::find().filter(join_token::Column::TokenHash.eq(hash(token))).one(db).await
}

/// Why an agent cannot join with this token.
fn refusal(found: Option<&join_token::Model>, now: UtcTime) -> Option<JoinRefusal> {
    match found {
        None => Some(JoinRefusal::Unknown),
        Some(row) if row.used_at.is_some() => Some(JoinRefusal::Used),
        Some(row) if row.revoked_at.is_some() => Some(JoinRefusal::Revoked),
        Some(row) if !row.is_open(now) => Some(JoinRefusal::Expired),
        Some(_) => None,
    }
}

/// Enrols an agent with a token, once. Joins and refusals go to the operation log; repeated refusals are combined.
///
/// # Errors
/// When the database refuses. `Ok(Err(_))` says why the agent is refused.
pub async fn enrol(
    app: &App,
    token: &str,
    name: &str,
    version: &str,
    address: IpAddr,
) -> Outcome<Result<Enrolled, JoinRefusal>> {
    let now = app.clock.now();
    // Checked before the write: an unauthenticated client must not occupy the single writer.
    let mut found = find(app.db.read(), token).await?;
    if refusal(found.as_ref(), now).is_none() {
        let tx = app.db.begin_write().await?;
        found = find(&*tx, token).await?;
        if let Some(row) = found.as_ref().filter(|row| refusal(Some(row), now).is_none()) {
            return Ok(Ok(join(tx, row, name, version, address, now).await?));
        }
    }
    let why = refusal(found.as_ref(), now).unwrap_or(JoinRefusal::Unknown);
    refuse(app, address, found.map(|row| row.id), name, why).await?;
    Ok(Err(why))
}

async fn join(
    mut tx: WriteTx,
    token: &join_token::Model,
    name: &str,
    version: &str,
    address: IpAddr,
    now: UtcTime,
) -> Outcome<Enrolled> {
    let credential = secret(CREDENTIAL);
    let agent = room_agent::ActiveModel {
        room_id: Set(token.room_id),
        name: Set(name.chars().take(64).collect()),
        credential_hash: Set(hash(&credential)),
        version: Set(version.chars().take(32).collect()),
        address: Set(address.to_string()),
        enrolled_at: Set(now),
        revoked_by: Set(String::new()),
        ..Default::default()
    };
    let agent = room_agent::Entity::insert(agent).exec(&*tx).await?.last_insert_id;
    let used = join_token::ActiveModel {
        id: Set(token.id),
        used_at: Set(Some(now)),
        used_by: Set(Some(agent)),
        ..Default::default()
    };
    join_token::Entity::update(used).exec(&*tx).await?;
    tx.record(Entry {
        at: now,
        operator_name: "room agent".to_owned(),
        ip: address.to_string(),
        action: "room_agent_enrol".to_owned(),
        object_kind: "roomAgent".to_owned(),
        object_id: agent.to_string(),
        object_name: name.chars().take(64).collect(),
        message: format!("room {}", token.room_id),
        ..Entry::default()
    });
    tx.commit().await?;
    Ok(Enrolled { agent, room: token.room_id, credential })
}

/// The agent that a credential belongs to.
///
/// # Errors
/// When the read fails. `Ok(Err(_))` says why it is refused.
pub async fn authenticate(app: &App, credential: &str) -> Outcome<Result<room_agent::Model, JoinRefusal>> {
    let found = room_agent::Entity::find()
        .filter(room_agent::Column::CredentialHash.eq(hash(credential)))
        .one(app.db.read())
        .await?;
    Ok(match found {
        None => Err(JoinRefusal::Unknown),
        Some(row) if row.revoked_at.is_some() => Err(JoinRefusal::Revoked),
        Some(row) => Ok(row),
    })
}

/// Which of these agents, none of which is connected, do not come back: revoked ones, and those in whose place another one of the
/// same name has joined since they went.
///
/// # Errors
/// When the read fails.
pub async fn out(db: &impl ConnectionTrait, agents: &[RoomAgentId]) -> Outcome<HashSet<RoomAgentId>> {
    let replaced = "EXISTS (SELECT 1 FROM room_agent newer WHERE newer.room_id = room_agent.room_id \
         AND newer.name = room_agent.name AND newer.revoked_at IS NULL AND newer.enrolled_at > room_agent.disconnected_at)";
    let is_out = Condition::any().add(room_agent::Column::RevokedAt.is_not_null()).add(Expr::cust(replaced));
    let found: Vec<RoomAgentId> = room_agent::Entity::find()
        .select_only()
        .column(room_agent::Column::Id)
        .filter(room_agent::Column::Id.is_in(agents.iter().copied()))
        .filter(is_out)
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// Whether an agent's credential was revoked.
///
/// # Errors
/// When the read fails.
pub async fn is_revoked(app: &App, agent: RoomAgentId) -> Outcome<bool> {
    let found = room_agent::Entity::find_by_id(agent).one(app.db.read()).await?;
    Ok(found.is_none_or(|row| row.revoked_at.is_some()))
}
