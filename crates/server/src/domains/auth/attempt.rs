//! One attempt to sign in: how it is counted and noted, and the session that comes of it.

use db::WriteTx;
use db::journal::Entry;
use entity::operator_sign_in::{self, Outcome as Came, SignInMethod};
use entity::session::EndReason;
use entity::{GroupId, OperatorId, operator, session};
use http::HeaderValue;
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::throttle::{Failure, Subject};
use crate::access::{half, session as sessions};
use crate::app::App;
use crate::fault::Outcome;
use crate::http::Meta;
use crate::settings::SignIn;

/// A signed-in session, as clients read it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// Goes into the `Authorization` header.
    pub token: String,
    /// The operator's id.
    pub id: OperatorId,
    /// The id of his group.
    pub group_id: GroupId,
}

/// A session that was opened: what clients read, and the cookie that holds its other half.
#[derive(Debug)]
pub struct Opened {
    /// The body.
    pub session: SignedIn,
    /// The other half.
    pub cookie: HeaderValue,
}

/// One attempt, from wherever it came.
#[derive(Debug)]
pub struct Attempt<'a> {
    /// The name that was typed, trimmed.
    pub username: String,
    /// The request.
    pub meta: &'a Meta,
    /// What the client says about itself.
    pub claimed_ip: String,
    /// The browser's name.
    pub device: String,
    /// How the operator proves who he is.
    pub method: SignInMethod,
}

/// An attempt that was refused.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// What was wrong, for the limits.
    pub failure: Failure,
    /// What was wrong, for the record.
    pub came: Came,
    /// The body status that is answered.
    pub status: i32,
}

impl Attempt<'_> {
    /// Opens a session for an operator who has proved who he is, in a transaction that may hold more.
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
        let half = half::make(who.id, self.meta.https, lasts)?;

        if policy.single_session {
            sessions::end_in(&*tx, now, EndReason::Displaced, session::Column::OperatorId.eq(who.id)).await?;
        }
        let row = session::ActiveModel {
            token_hash: Set(sessions::hash(&token).to_vec()),
            half_hash: Set(Some(half.hash.to_vec())),
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
        subject.succeeded(&*tx).await?;
        app.auth.keys.save_spent(&*tx, now).await?;
        self.note(&tx, Some(who.id), now, Came::Success).await?;
        tx.record(self.entry(now, Some(who), 0));
        tx.commit().await?;
        app.sessions.forget();
        Ok(Opened { session: SignedIn { token, id: who.id, group_id: group }, cookie: half.cookie })
    }

    /// Counts and notes a sign-in that was refused.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn refuse(&self, app: &App, subject: &Subject, refusal: Refusal) -> Outcome<()> {
        let now = app.clock.now();
        let mut tx = app.db.begin_write().await?;
        subject.failed(&*tx, refusal.failure, now).await?;
        app.auth.keys.save_spent(&*tx, now).await?;
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
