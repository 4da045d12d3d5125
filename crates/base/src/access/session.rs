//! Sessions: opaque tokens, looked up by hash, remembered for a second.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::digest;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use entity::operator::MustChange;
use entity::operator_sign_in::SignInMethod;
use entity::session::EndReason;
use entity::{GroupId, OperatorId, SessionId, operator, session};
use kernel::clock::{Clock, Moment};
use kernel::time::UtcTime;
use moka::sync::Cache;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, Condition, EntityTrait as _, QueryFilter as _, QueryOrder as _, QueryTrait as _};
use tokio::sync::watch;

use super::catalog;
use crate::app::App;
use crate::fault::{Fault, Outcome, SessionFault};
use crate::settings::SignIn;

/// How long a session that was looked up is believed. Changes made through this process act at once,
/// since they drop the entry; changes made by another server on the same database act within this.
const CACHED_FOR: Duration = Duration::from_secs(1);
/// Sessions whose use is remembered; beyond that, the stored times decide.
const REMEMBERED: u64 = 100_000;
/// Of those at most so many are named in a question to the database, which takes no more.
const MOST_NAMED: usize = 20_000;
/// `seen_at` is written at most this often.
const SEEN_EVERY_S: i64 = 60;
/// How long it counts that somebody has proved who he is.
const PROOF_S: i64 = 600;

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
    /// A second factor must be enrolled before anything that needs a permission: until then he holds none.
    pub lacks_second_factor: bool,
    /// He has a second factor, which proves who he is as the password does.
    pub has_second_factor: bool,
    proved: Moment,
    codes: HashSet<String>,
    cookie_hash: Option<Vec<u8>>,
    is_bound: bool,
}

/// How a request fits the session whose token it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// As it should be.
    Good,
    /// It shows the cookie for the first time: the session has to be bound.
    ToBind,
    /// It has the token and not the cookie, which its owner has shown.
    Stranger,
}

impl Session {
    /// Whether a request that shows this cookie may use the session.
    #[must_use]
    pub fn fit(&self, shown: Option<&TokenHash>) -> Fit {
        let Some(cookie) = &self.cookie_hash else { return Fit::Good };
        match (shown.is_some_and(|shown| shown[..] == cookie[..]), self.is_bound) {
            (true, false) => Fit::ToBind,
            (true, true) | (false, false) => Fit::Good,
            (false, true) => Fit::Stranger,
        }
    }

    /// Whether the operator has proved who he is a short while ago: by signing in, or since.
    #[must_use]
    pub const fn is_proved(&self, moment: Moment) -> bool {
        moment.seconds_since(self.proved) <= PROOF_S
    }

    /// Whether the operator may do what takes `code`: his group was assigned it, no required factor is missing, and his
    /// password need not be changed first.
    #[must_use]
    pub fn may(&self, code: &str) -> bool {
        !self.must_change && !self.lacks_second_factor && self.codes.contains(code)
    }
}

/// How a session was used. Stored times are the wall clock's: set forward, it must not sign out who is at work, and set
/// back, it must not keep a session alive.
#[derive(Clone, Copy, Debug)]
struct Use {
    operator: OperatorId,
    /// Last.
    at: Moment,
    /// When `seen_at` was written last.
    written: Moment,
    /// When the session ends, used or not.
    ends: Moment,
}

/// When a live session was used last and when it ends, by the wall clock as it stands now.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The last request, as far as it is known.
    pub seen_at: UtcTime,
    /// When it ends, used or not.
    pub ends_at: UtcTime,
}

/// Sessions that were looked up lately.
#[derive(Debug)]
pub struct Sessions {
    cache: Cache<TokenHash, Arc<Session>>,
    /// What this process has seen of live sessions by the clock that nobody sets.
    uses: Cache<SessionId, Use>,
    /// When who holds a session proved who he is: the time that is stored, and the moment that it was.
    proofs: Cache<SessionId, (UtcTime, Moment)>,
    /// Counts the times that something about sessions or rights has changed.
    changes: watch::Sender<u64>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            cache: Cache::builder().max_capacity(20_000).time_to_live(CACHED_FOR).build(),
            uses: Cache::builder().max_capacity(REMEMBERED).build(),
            proofs: Cache::builder().max_capacity(REMEMBERED).build(),
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
        if let Some(session) = self.cache.get(&hash)
            && self.was_used_just_now(session.id, app.clock.moment())
        {
            return Ok(session);
        }
        // In a box: every request carries the room for it, and one in a second needs it.
        let session = Arc::new(app.db.health().in_time(Box::pin(load(app, &hash))).await?);
        self.cache.insert(hash, session.clone());
        Ok(session)
    }

    /// Whether what is remembered of a session is as young by the clock of the application as by the cache's own: a test
    /// moves the former, and what is asked after that has to be judged, and noted as a use, anew.
    fn was_used_just_now(&self, id: SessionId, moment: Moment) -> bool {
        self.uses.get(&id).is_some_and(|used| moment.seconds_since(used.at) <= CACHED_FOR.as_secs().cast_signed())
    }

    /// Forgets what was looked up, so that a change acts on the next request.
    pub fn forget(&self) {
        self.cache.invalidate_all();
        self.changes.send_modify(|n| *n += 1);
    }

    /// Notes that the operator of a session has proved who he is just now, and [`Sessions::forget`]s.
    pub fn prove(&self, id: SessionId, now: UtcTime, moment: Moment) {
        self.proofs.insert(id, (now, moment));
        self.forget();
    }

    /// The moment of the proof that is stored as `at`. One that this process has not seen is as old as the wall clock
    /// says when it is looked at first; one of the future is none.
    fn moment_of_proof(&self, id: SessionId, at: UtcTime, clock: &Clock) -> Moment {
        if let Some((known, moment)) = self.proofs.get(&id)
            && known == at
        {
            return moment;
        }
        let age = clock.now().seconds_since(at);
        let moment = clock.moment().plus_seconds(if age < 0 { -PROOF_S - 1 } else { -age });
        self.proofs.insert(id, (at, moment));
        moment
    }

    /// The span of a session that nobody has ended; none if it has run out. What this process has seen of it counts, not
    /// the stored times of a wall clock that may have been set since.
    #[must_use]
    pub fn span(&self, row: &session::Model, idle_minutes: i64, clock: &Clock) -> Option<Span> {
        let (now, moment) = (clock.now(), clock.moment());
        let Some(Use { at, ends, .. }) = self.uses.get(&row.id) else {
            // Not used since this process started: the stored times are all there is.
            let is_live = now < row.expires_at && now.seconds_since(row.seen_at) < idle_minutes * 60;
            return is_live.then_some(Span { seen_at: row.seen_at, ends_at: row.expires_at });
        };
        is_running(at, ends, idle_minutes, moment).then(|| Span {
            seen_at: now.plus_seconds(-moment.seconds_since(at)),
            ends_at: now.plus_seconds(ends.seconds_since(moment)),
        })
    }

    /// Sessions of an operator, or of all, that run by what this process has seen of them, whatever the stored times say.
    fn running(&self, whose: Option<OperatorId>, idle_minutes: i64, moment: Moment) -> Vec<SessionId> {
        let is_one = |used: &Use| {
            whose.is_none_or(|whose| whose == used.operator) && is_running(used.at, used.ends, idle_minutes, moment)
        };
        self.uses.iter().filter(|(_, used)| is_one(used)).map(|(id, _)| *id).take(MOST_NAMED).collect()
    }

    /// Tells whenever [`Sessions::forget`] was called: for what lives longer than a request.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

fn is_running(used_at: Moment, ends: Moment, idle_minutes: i64, moment: Moment) -> bool {
    moment < ends && moment.seconds_since(used_at) < idle_minutes * 60
}

/// The sessions of an operator, or of all, that a request could use now, newest first, with their spans. The stored times
/// do not decide that alone: the wall clock may have been set.
///
/// # Errors
/// When a read fails.
pub async fn live(
    app: &App,
    db: &impl sea_orm::ConnectionTrait,
    whose: Option<OperatorId>,
) -> Outcome<Vec<(session::Model, Span)>> {
    use session::Column;
    let idle_minutes = app.settings.get::<SignIn>(app).await?.idle_minutes;
    let now = app.clock.now();
    let by_stored_times =
        Condition::all().add(Column::ExpiresAt.gt(now)).add(Column::SeenAt.gt(now.plus_seconds(-idle_minutes * 60)));
    let seen = app.sessions.running(whose, idle_minutes, app.clock.moment());
    let rows = session::Entity::find()
        .filter(Column::EndedAt.is_null())
        .filter(Condition::any().add(by_stored_times).add(Column::Id.is_in(seen)))
        .apply_if(whose, |select, whose| select.filter(Column::OperatorId.eq(whose)))
        .order_by_desc(Column::Id)
        .all(db)
        .await?;
    let span = |row: &session::Model| app.sessions.span(row, idle_minutes, &app.clock);
    Ok(rows.into_iter().filter_map(|row| span(&row).map(|span| (row, span))).collect())
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
    let (id, operator, seen_at, expires_at) = (found.id, found.operator_id, found.seen_at, found.expires_at);
    let session = judge(app, found).await?;
    let (now, moment) = (app.clock.now(), app.clock.moment());
    let before = app.sessions.uses.get(&id);
    let is_noted = match before {
        Some(before) => moment.seconds_since(before.written) < SEEN_EVERY_S,
        None => (0..SEEN_EVERY_S).contains(&now.seconds_since(seen_at)),
    };
    let ends = before.map_or_else(|| moment.plus_seconds(expires_at.seconds_since(now)), |before| before.ends);
    let written = before.filter(|_| is_noted).map_or(moment, |before| before.written);
    app.sessions.uses.insert(id, Use { operator, at: moment, written, ends });
    if !is_noted {
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
    if app.sessions.span(&found, policy.idle_minutes, &app.clock).is_none() {
        app.sessions.uses.invalidate(&found.id);
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
        lacks_second_factor: policy.lacks_second_factor(&who) && found.method != SignInMethod::OpenIdAndCode,
        has_second_factor: who.totp_enabled_at.is_some(),
        proved: app.sessions.moment_of_proof(found.id, found.proved_at.unwrap_or(found.created_at), &app.clock),
        codes: catalog::codes_of(app.db.read(), group).await?,
        username: who.username,
        cookie_hash: found.cookie_hash,
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
            tracing::warn!(session.id = id.0, ?fault, "could not record session activity");
        }
    });
}

/// Notes in `tx` that the operator of a session has proved who he is; the caller commits and then calls
/// [`Sessions::prove`].
///
/// # Errors
/// When the write fails.
pub async fn prove_in(tx: &impl sea_orm::ConnectionTrait, id: SessionId, now: UtcTime) -> Outcome<()> {
    session::Entity::update_many()
        .col_expr(session::Column::ProvedAt, Expr::value(now.millis()))
        .filter(session::Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(())
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
