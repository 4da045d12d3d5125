//! Sessions: opaque tokens, looked up by hash, remembered for a second.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::digest;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use entity::operator::MustChange;
use entity::session::EndReason;
use entity::{GroupId, OperatorId, SessionId, operator, session};
use kernel::time::UtcTime;
use moka::sync::Cache;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use tokio::sync::watch;

use super::catalog;
use crate::app::App;
use crate::fault::{Fault, Outcome, SessionFault};
use crate::settings::SignIn;

/// How long a session that was looked up is believed. Changes made through this process act at once,
/// since they drop the entry; changes made by another server on the same database act within this.
const BELIEVED: Duration = Duration::from_secs(1);
/// `seen_at` is written at most this often.
const SEEN_EVERY_S: i64 = 60;

/// SHA-256 of a token.
pub type TokenHash = [u8; 32];

/// A signed-in operator, as the guard sees him.
#[derive(Debug)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// Who.
    pub operator: OperatorId,
    /// His name.
    pub username: String,
    /// His group.
    pub group: GroupId,
    /// When he signed in.
    pub signed_in_at: UtcTime,
    /// The password must be changed before anything else.
    pub must_change: bool,
    /// A second factor must be enrolled before anything that needs a permission.
    pub lacks_second_factor: bool,
    codes: HashSet<String>,
    half: Option<Vec<u8>>,
    is_bound: bool,
}

/// How a request fits the session whose token it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// As it should be.
    Good,
    /// It shows the other half for the first time: the session has to be bound.
    ToBind,
    /// It has the token and not the other half, which its owner has shown.
    Stranger,
}

impl Session {
    /// Whether a request that shows this other half may use the session.
    #[must_use]
    pub fn fit(&self, shown: Option<&TokenHash>) -> Fit {
        let Some(half) = &self.half else { return Fit::Good };
        match (shown.is_some_and(|shown| shown[..] == half[..]), self.is_bound) {
            (true, false) => Fit::ToBind,
            (true, true) | (false, false) => Fit::Good,
            (false, true) => Fit::Stranger,
        }
    }

    /// Whether the operator's group was allotted `code`.
    #[must_use]
    pub fn may(&self, code: &str) -> bool {
        self.codes.contains(code)
    }

    /// Every code that the operator holds.
    #[must_use]
    pub const fn codes(&self) -> &HashSet<String> {
        &self.codes
    }
}

/// Sessions that were looked up lately.
#[derive(Debug)]
pub struct Sessions {
    cache: Cache<TokenHash, Arc<Session>>,
    /// Counts the times that something about sessions or rights has changed.
    changes: watch::Sender<u64>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            cache: Cache::builder().max_capacity(20_000).time_to_live(BELIEVED).build(),
            changes: watch::Sender::new(0),
        }
    }
}

impl Sessions {
    /// The session behind `token`.
    ///
    /// # Errors
    /// The [`SessionFault`] that fits, or the database's refusal.
    pub async fn find(&self, app: &App, token: &str) -> Outcome<Arc<Session>> {
        let hash = hash(token);
        if let Some(session) = self.cache.get(&hash) {
            return Ok(session);
        }
        let session = Arc::new(load(app, &hash).await?);
        self.cache.insert(hash, session.clone());
        Ok(session)
    }

    /// Forgets what was looked up, so that a change acts on the next request.
    pub fn forget(&self) {
        self.cache.invalidate_all();
        self.changes.send_modify(|n| *n += 1);
    }

    /// Tells whenever [`Sessions::forget`] was called: for what lives longer than a request.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// A new token: 256 random bits.
#[must_use]
pub fn new_token() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// What is stored of a token.
#[must_use]
pub fn hash(token: &str) -> TokenHash {
    let mut hash = TokenHash::default();
    hash.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
    hash
}

async fn load(app: &App, hash: &TokenHash) -> Outcome<Session> {
    let found = session::Entity::find()
        .filter(session::Column::TokenHash.eq(hash.to_vec()))
        .one(app.db.read())
        .await?
        .ok_or(SessionFault::Missing)?;
    let (id, seen_at) = (found.id, found.seen_at);
    let session = judge(app, found).await?;
    let now = app.clock.now();
    if now.seconds_since(seen_at) >= SEEN_EVERY_S {
        touch(app.clone(), id, now);
    }
    Ok(session)
}

/// The session `id` as it is now. Unlike a request, asking this does not keep it alive.
///
/// # Errors
/// The [`SessionFault`] that fits, or the database's refusal.
pub async fn watch(app: &App, id: SessionId) -> Outcome<Session> {
    let found = session::Entity::find_by_id(id).one(app.db.read()).await?.ok_or(SessionFault::Missing)?;
    judge(app, found).await
}

/// Whether the session is good, and what its operator may do.
async fn judge(app: &App, found: session::Model) -> Outcome<Session> {
    let now = app.clock.now();
    if let Some(reason) = found.end_reason {
        return Err(fault_of(reason).into());
    }
    let policy = app.settings.get::<SignIn>(app).await?;
    if now >= found.expires_at || now.seconds_since(found.seen_at) >= policy.idle_minutes * 60 {
        end(app, EndReason::Expired, session::Column::Id.eq(found.id)).await?;
        return Err(SessionFault::Expired.into());
    }
    let who = operator::Entity::find_by_id(found.operator_id).one(app.db.read()).await?.ok_or(SessionFault::Closed)?;
    let (true, Some(group)) = (who.is_enabled, who.group_id) else {
        return Err(SessionFault::Closed.into());
    };
    Ok(Session {
        id: found.id,
        operator: who.id,
        group,
        signed_in_at: found.created_at,
        must_change: who.must_change != MustChange::No || policy.is_password_expired(&who, now),
        lacks_second_factor: policy.lacks_second_factor(&who),
        codes: catalog::codes_of(app.db.read(), group).await?,
        username: who.username,
        half: found.half_hash,
        is_bound: found.is_bound,
    })
}

const fn fault_of(reason: EndReason) -> SessionFault {
    match reason {
        EndReason::Displaced => SessionFault::Displaced,
        EndReason::AccountClosed => SessionFault::Closed,
        EndReason::SignedOut | EndReason::Expired | EndReason::Revoked | EndReason::PasswordChanged => {
            SessionFault::Expired
        }
    }
}

/// Notes that the session is alive, beside the request that showed it.
fn touch(app: App, id: SessionId, now: UtcTime) {
    tokio::spawn(async move {
        let written: Outcome<()> = async {
            let tx = app.db.begin_write().await?;
            session::Entity::update_many()
                .col_expr(session::Column::SeenAt, Expr::value(now.millis()))
                .filter(session::Column::Id.eq(id))
                .exec(&*tx)
                .await?;
            tx.commit().await?;
            Ok(())
        }
        .await;
        if let Err(fault) = written {
            tracing::warn!(session.id = id.0, ?fault, "could not note that a session is alive");
        }
    });
}

/// From now on the token alone opens nothing.
///
/// # Errors
/// When the write fails.
pub async fn bind(app: &App, id: SessionId) -> Outcome<()> {
    let tx = app.db.begin_write().await?;
    session::Entity::update_many()
        .col_expr(session::Column::IsBound, Expr::value(true))
        .filter(session::Column::Id.eq(id))
        .exec(&*tx)
        .await?;
    tx.commit().await?;
    app.sessions.forget();
    Ok(())
}

/// Ends every live session that `which` names, in a transaction of its own.
async fn end(app: &App, reason: EndReason, which: sea_orm::sea_query::SimpleExpr) -> Outcome<()> {
    let tx = app.db.begin_write().await?;
    end_in(&*tx, app.clock.now(), reason, which).await?;
    tx.commit().await?;
    app.sessions.forget();
    Ok(())
}

/// Ends every live session that `which` names; the caller commits and then calls [`Sessions::forget`].
///
/// # Errors
/// When the write fails.
pub async fn end_in(
    tx: &impl sea_orm::ConnectionTrait,
    now: UtcTime,
    reason: EndReason,
    which: sea_orm::sea_query::SimpleExpr,
) -> Result<u64, Fault> {
    let ended = session::Entity::update_many()
        .col_expr(session::Column::EndedAt, Expr::value(now.millis()))
        .col_expr(session::Column::EndReason, Expr::value(reason.code()))
        .filter(session::Column::EndedAt.is_null())
        .filter(which)
        .exec(tx)
        .await?;
    Ok(ended.rows_affected)
}
