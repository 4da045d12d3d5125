//! What a handler holds: who acts, on what, and a transaction that can not be committed without a
//! line in the operation log.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use db::journal::Entry;
use db::kept::Deltas;
use db::search::Documents;
use db::{Db, WriteTx};
use entity::{GroupId, OperatorId};
use http::request::Parts;
use kernel::clock::Clock;
use kernel::lang::Lang;
use kernel::time::UtcTime;
use sea_orm::{DatabaseConnection, DatabaseTransaction};
use serde::Serialize;

use super::meta::Meta;
use crate::access::session::Session;
use crate::app::App;
use crate::fault::{Fault, Outcome};

/// An operation under way: the operator, the request and the parts of the application it needs.
#[derive(Clone, Debug)]
pub struct OpCtx {
    /// The application.
    pub app: App,
    /// The session that asks.
    pub session: Arc<Session>,
    /// The request.
    pub meta: Meta,
    /// The operation's id, such as `client_user_update`.
    pub action: &'static str,
}

impl OpCtx {
    /// The connection for reading.
    #[must_use]
    pub fn read(&self) -> &DatabaseConnection {
        self.app.db.read()
    }

    /// The database, for streams that outlive the handler.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.app.db
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.app.clock
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> UtcTime {
        self.app.clock.now()
    }

    /// Who acts.
    #[must_use]
    pub fn operator(&self) -> OperatorId {
        self.session.operator
    }

    /// The group of who acts.
    #[must_use]
    pub fn group(&self) -> GroupId {
        self.session.group
    }

    /// The language of what people read.
    #[must_use]
    pub const fn lang(&self) -> Lang {
        self.meta.lang
    }

    /// Whether the operator holds `code`.
    #[must_use]
    pub fn may(&self, code: &str) -> bool {
        self.session.may(code)
    }

    /// Opens a write transaction that has to say what it did.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn begin_write(&self) -> Outcome<OpTx> {
        let tx = self.app.db.begin_write().await?;
        Ok(OpTx { tx, entry: self.entry() })
    }

    /// Writes a line of its own, for acts that change no row: an export, a refusal.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn record(&self, audit: Audit) -> Outcome<()> {
        let mut tx = self.app.db.begin_write().await?;
        tx.record(audit.fill(self.entry()));
        tx.commit().await?;
        Ok(())
    }

    /// A line of the operation log with everything but the object filled in.
    #[must_use]
    pub fn entry(&self) -> Entry {
        Entry {
            at: self.now(),
            operator_id: Some(self.session.operator.0),
            operator_name: self.session.username.clone(),
            ip: self.meta.ip.to_string(),
            action: self.action.to_owned(),
            request_id: self.meta.request_id.to_string(),
            ..Entry::default()
        }
    }
}

impl<S: Sync> FromRequestParts<S> for OpCtx {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Fault> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or_else(|| Fault::Internal(anyhow::anyhow!("a handler asks for OpCtx on a route without a guard")))
    }
}

/// What an act did to an object. `before` and `after` take views without secrets.
#[derive(Clone, Debug, Default)]
#[must_use = "hand it to `commit` or `record`"]
pub struct Audit {
    object_kind: &'static str,
    object_id: String,
    object_name: String,
    before: Option<String>,
    after: Option<String>,
    message: String,
}

impl Audit {
    /// An act on an object of `kind`.
    pub fn of(kind: &'static str) -> Self {
        Self { object_kind: kind, ..Self::default() }
    }

    /// The object's id.
    pub fn id(mut self, id: impl ToString) -> Self {
        self.object_id = id.to_string();
        self
    }

    /// The object's name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.object_name = name.into();
        self
    }

    /// The object before the act.
    pub fn before(mut self, object: &impl Serialize) -> Self {
        self.before = serde_json::to_string(object).ok();
        self
    }

    /// The object after the act.
    pub fn after(mut self, object: &impl Serialize) -> Self {
        self.after = serde_json::to_string(object).ok();
        self
    }

    /// What else there is to say.
    pub fn note(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The line of the operation log that says this.
    #[must_use]
    pub fn fill(self, entry: Entry) -> Entry {
        let Self { object_kind, object_id, object_name, before, after, message } = self;
        // The columns are bounded; a longer word must not make the act fail.
        let cut = |text: String, max: usize| text.chars().take(max).collect::<String>();
        Entry {
            object_kind: object_kind.to_owned(),
            object_id: cut(object_id, 64),
            object_name: cut(object_name, 256),
            before,
            after,
            message: cut(message, 1024),
            ..entry
        }
    }
}

/// A write transaction of an operator. It is committed with what it did, or not at all.
#[derive(Debug)]
pub struct OpTx {
    tx: WriteTx,
    entry: Entry,
}

impl OpTx {
    /// Changes of kept counters that belong to this transaction.
    pub const fn counts(&mut self) -> &mut Deltas {
        self.tx.counts()
    }

    /// Changes of the search index that belong to this transaction.
    pub const fn documents(&mut self) -> &mut Documents {
        self.tx.documents()
    }

    /// The transaction without the duty, for mechanisms below the domains (the queue).
    pub const fn inner(&mut self) -> &mut WriteTx {
        &mut self.tx
    }

    /// Makes the transaction and its line in the operation log durable.
    ///
    /// # Errors
    /// When the database refuses; then nothing of it remains.
    pub async fn commit(mut self, audit: Audit) -> Outcome<()> {
        self.tx.record(audit.fill(self.entry));
        self.tx.commit().await?;
        Ok(())
    }
}

impl Deref for OpTx {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self.tx
    }
}
