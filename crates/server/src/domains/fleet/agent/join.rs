//! How an agent joins and how it is known again. Tokens and credentials are kept as hashes only.

use aws_lc_rs::digest;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::journal::Entry;
use entity::{RoomAgentId, RoomId, join_token, room_agent};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};

use crate::app::App;
use crate::fault::Outcome;

/// What a token begins with, so that people and scanners know it when they see it.
pub const JOIN: &str = "skyjoin_";
/// What a credential begins with.
pub const CREDENTIAL: &str = "skyagent_";

/// 256 random bits behind a word that says what they are for.
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
    /// Told once; the console keeps its hash.
    pub credential: String,
}

/// Why an agent is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinRefusal {
    /// No such token or credential was ever given out.
    Unknown,
    /// The token was used before.
    Used,
    /// The token is too old.
    Expired,
    /// An operator took it back.
    Revoked,
}

impl JoinRefusal {
    const fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Used => "used before",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

/// Lets an agent join with a token, once. What happens is in the operation log, a refusal too.
///
/// # Errors
/// When the database refuses. `Ok(Err(_))` says why the agent does not get in.
pub async fn enrol(
    app: &App,
    token: &str,
    name: &str,
    version: &str,
    address: &str,
) -> Outcome<Result<Enrolled, JoinRefusal>> {
    let now = app.clock.now();
    let credential = secret(CREDENTIAL);
    let mut tx = app.db.begin_write().await?;
    let found = join_token::Entity::find().filter(join_token::Column::TokenHash.eq(hash(token))).one(&*tx).await?;
    let refusal = match &found {
        None => Some(JoinRefusal::Unknown),
        Some(row) if row.used_at.is_some() => Some(JoinRefusal::Used),
        Some(row) if row.revoked_at.is_some() => Some(JoinRefusal::Revoked),
        Some(row) if !row.is_open(now) => Some(JoinRefusal::Expired),
        Some(_) => None,
    };
    let entry = Entry {
        at: now,
        operator_name: "room agent".to_owned(),
        ip: address.chars().take(64).collect(),
        action: "room_agent_enrol".to_owned(),
        object_kind: "roomAgent".to_owned(),
        object_name: name.chars().take(64).collect(),
        ..Entry::default()
    };
    let Some(row) = found.filter(|_| refusal.is_none()) else {
        let refusal = refusal.unwrap_or(JoinRefusal::Unknown);
        tx.record(Entry { status: 4003, message: format!("refused: the token is {}", refusal.word()), ..entry });
        tx.commit().await?;
        return Ok(Err(refusal));
    };
    let agent = room_agent::ActiveModel {
        room_id: Set(row.room_id),
        name: Set(name.chars().take(64).collect()),
        credential_hash: Set(hash(&credential)),
        version: Set(version.chars().take(32).collect()),
        address: Set(address.chars().take(64).collect()),
        enrolled_at: Set(now),
        revoked_by: Set(String::new()),
        ..Default::default()
    };
    let agent = room_agent::Entity::insert(agent).exec(&*tx).await?.last_insert_id;
    let used = join_token::ActiveModel {
        id: Set(row.id),
        used_at: Set(Some(now)),
        used_by: Set(Some(agent)),
        ..Default::default()
    };
    join_token::Entity::update(used).exec(&*tx).await?;
    tx.record(Entry { object_id: agent.to_string(), message: format!("room {}", row.room_id), ..entry });
    tx.commit().await?;
    Ok(Ok(Enrolled { agent, room: row.room_id, credential }))
}

/// The agent that a credential belongs to.
///
/// # Errors
/// When the read fails. `Ok(Err(_))` says why it is not let in.
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

/// Whether an agent's credential was taken back.
///
/// # Errors
/// When the read fails.
pub async fn is_revoked(app: &App, agent: RoomAgentId) -> Outcome<bool> {
    let found = room_agent::Entity::find_by_id(agent).one(app.db.read()).await?;
    Ok(found.is_none_or(|row| row.revoked_at.is_some()))
}
