//! One sign-in attempt: how it is counted and recorded, and the session it results in.

use base::access::{session as sessions, session_cookie};
use base::app::App;
use base::fault::Outcome;
use base::http::Meta;
use base::settings::SignIn;
use db::WriteTx;
use db::journal::Entry;
use entity::operator_sign_in::{self, SignInMethod, SignInOutcome as Came};
use entity::session::EndReason;
use entity::{GroupId, OperatorId, operator, session};
use http::HeaderValue;
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::throttle::{Failure, Subject};
use crate::auth::memory::Auth;
use crate::notice::new_device;

/// A signed-in session, as clients receive it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// Goes into the `Authorization` header.
    pub token: String,
    /// The operator's id.
    pub id: OperatorId,
    /// The id of their group.
    pub group_id: GroupId,
}

/// A session that was opened: the body, and the cookie that is bound to it.
#[derive(Debug)]
pub struct Opened {
    /// The body.
    pub session: SignedIn,
    /// The cookie.
    pub cookie: HeaderValue,
}

/// One attempt, from any address.
#[derive(Debug)]
pub struct Attempt<'a> {
    /// The username as entered, trimmed.
    pub username: String,
    /// The request.
    pub meta: &'a Meta,
    /// The address that the client claims.
    pub claimed_ip: String,
    /// The browser's name.
    pub device: String,
    /// How the operator proves their identity.
    pub method: SignInMethod,
    /// The account has signed in from this browser before.
    pub is_known_device: bool,
}

/// A refused attempt.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// The kind of failure, for the limits.
    pub failure: Failure,
    /// The kind of failure, for the record.
    pub came: Came,
    /// The body status of the answer.
    pub status: i32,
}

impl Attempt<'_> {
    /// Opens a session for an operator who has proved their identity, in a transaction that may contain more.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn open_session(
        &self,
        app: &App,
        mut tx: WriteTx,
        subject: &Subject,
        who: &operator::Model,
        group: GroupId,
    ) -> Outcome<Opened> {
        let now = app.clock.now();
        let policy = app.settings.get::<SignIn>(app).await?;
        let token = sessions::new_token();
        let ip = self.meta.ip.to_string();
        let lasts = policy.absolute_hours * 3600;
        let cookie = session_cookie::make(who.id, self.meta.https, lasts)?;

        if policy.single_session {
            sessions::end_in(&*tx, now, EndReason::Displaced, session::Column::OperatorId.eq(who.id)).await?;
        }
        let row = session::ActiveModel {
            token_hash: Set(sessions::hash(&token).to_vec()),
            cookie_hash: Set(Some(cookie.hash.to_vec())),
            is_bound: Set(false),
            operator_id: Set(who.id),
            created_at: Set(now),
            seen_at: Set(now),
            expires_at: Set(now.plus_seconds(lasts)),
            ip: Set(ip.clone()),
            device: Set(self.device.clone()),
            method: Set(self.method),
            ..Default::default()
        };
        session::Entity::insert(row).exec_without_returning(&*tx).await?;
        operator::Entity::update_many()
            .col_expr(operator::Column::LastSignInAt, Expr::value(now.millis()))
            .col_expr(operator::Column::LastSignInIp, Expr::value(ip))
            .filter(operator::Column::Id.eq(who.id))
            .exec(&*tx)
            .await?;
        // The first sign-in is no news.
        if !self.is_known_device && who.last_sign_in_at.is_some() {
            new_device(&*tx, (who.id, &who.username), self.meta.ip, &self.device, now).await?;
        }
        subject.succeeded(&*tx).await?;
        app.part::<Auth>().keys.save_spent(&*tx, now).await?;
        self.note(&tx, Some(who.id), now, Came::Success).await?;
        tx.record(self.entry(now, Some(who), 0));
        tx.commit().await?;
        app.sessions.forget();
        Ok(Opened { session: SignedIn { token, id: who.id, group_id: group }, cookie: cookie.header })
    }

    /// Counts and records a refused sign-in.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn refuse(&self, app: &App, subject: &Subject, refusal: Refusal) -> Outcome<()> {
        let now = app.clock.now();
        let mut tx = app.db.begin_write().await?;
        subject.failed(&*tx, refusal.failure, now).await?;
        app.part::<Auth>().keys.save_spent(&*tx, now).await?;
        self.note(&tx, None, now, refusal.came).await?;
        tx.record(self.entry(now, None, refusal.status));
        tx.commit().await?;
        Ok(())
    }

    fn entry(&self, at: UtcTime, who: Option<&operator::Model>, status: i32) -> Entry {
        Entry {
            at,
            operator_id: who.map(|row| row.id.0),
            operator_name: self.username.clone(),
            ip: self.meta.ip.to_string(),
            action: "session_create".to_owned(),
            object_kind: "session".to_owned(),
            object_name: self.username.clone(),
            status,
            request_id: self.meta.request_id.to_string(),
            ..Entry::default()
        }
    }

    async fn note(&self, tx: &WriteTx, operator_id: Option<OperatorId>, at: UtcTime, outcome: Came) -> Outcome<()> {
        let row = operator_sign_in::ActiveModel {
            operator_id: Set(operator_id),
            username: Set(self.username.clone()),
            at: Set(at),
            outcome: Set(outcome),
            method: Set(self.method),
            ip: Set(self.meta.ip.to_string()),
            claimed_ip: Set(self.claimed_ip.clone()),
            device: Set(self.device.clone()),
            ..Default::default()
        };
        operator_sign_in::Entity::insert(row).exec_without_returning(&**tx).await?;
        Ok(())
    }
}
