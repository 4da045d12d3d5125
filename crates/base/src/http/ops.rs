//! What a handler has: who acts, on what, and a transaction that cannot be committed without an operation log entry.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use db::journal::Entry;
use db::kept::Deltas;
use db::search::Documents;
use db::{Db, Reads, Transaction, WriteTx};
use entity::{GroupId, OperatorId};
use http::request::Parts;
use kernel::clock::Clock;
use kernel::lang::Lang;
use kernel::time::UtcTime;
use serde::Serialize;

use super::meta::Meta;
use crate::access::need::Need;
use crate::access::session::Session;
use crate::app::App;
use crate::fault::{Fault, Outcome, SessionFault};

/// A running operation: the operator, the request and the parts of the application it needs.
#[derive(Clone, Debug)]
pub struct OpCtx {
    /// The application.
    pub app: App,
    /// The session of the request.
    pub session: Arc<Session>,
    /// The request.
    pub meta: Meta,
    /// The operation's id, such as `client_user_update`.
    pub action: &'static str,
}

impl OpCtx {
    /// The connection for reading.
    #[must_use]
    pub fn read(&self) -> &Reads {
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

    /// The operator.
    #[must_use]
    pub fn operator(&self) -> OperatorId {
        self.session.operator
    }

    /// The operator's group.
    #[must_use]
    pub fn group(&self) -> GroupId {
        self.session.group
    }

    /// The language of messages.
    #[must_use]
    pub const fn lang(&self) -> Lang {
        self.meta.lang
    }

    /// Whether the operator has the permission `code`.
    #[must_use]
    pub fn may(&self, code: &str) -> bool {
        self.session.may(code)
    }

    /// Whether the operator has what `need` names. Whoever is here has a session.
    #[must_use]
    pub fn holds(&self, need: Need) -> bool {
        match need {
            Need::Code(code) => self.may(code),
            Need::OneOf(cases) => cases.iter().any(|case| self.may(case.code)),
            Need::Nothing | Need::Session | Need::AnySession => true,
        }
    }

    /// Refuses whoever lacks the permission `code` for an act, and writes the refusal to the operation log.
    ///
    /// # Errors
    /// The permission is missing, or the database refuses.
    pub async fn require(&self, code: &'static str) -> Outcome<()> {
        // In a box: every request that changes something carries the room for it.
        if self.may(code) { Ok(()) } else { Box::pin(self.refuse(code)).await }
    }

    async fn refuse(&self, code: &'static str) -> Outcome<()> {
        let refused = Audit::of("permission").name(code).note("refused");
        let mut tx = self.app.db.begin_write().await?;
        tx.record(Entry { status: 4003, ..refused.fill(self.entry()) });
        tx.commit().await?;
        Err(Fault::Denied(code))
    }

    /// Refuses operations on others while the password must be changed, on the few routes that such a session may use.
    ///
    /// # Errors
    /// [`SessionFault::MustChangePassword`].
    pub fn must_be_past_password(&self) -> Outcome<()> {
        if self.session.must_change { Err(SessionFault::MustChangePassword.into()) } else { Ok(()) }
    }

    /// Starts a write transaction that must be logged.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn begin_write(&self) -> Outcome<OpTx> {
        let tx = self.app.db.begin_write().await?;
        Ok(OpTx { tx, entry: self.entry() })
    }

    /// Writes an entry of its own, for operations that change no row: an export, a refusal.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn record(&self, audit: Audit) -> Outcome<()> {
        let mut tx = self.app.db.begin_write().await?;
        tx.record(audit.fill(self.entry()));
        tx.commit().await?;
        Ok(())
    }

    /// An operation log entry with everything except the object.
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

/// What an operation did to an object. `before` and `after` take views without secrets.
#[derive(Clone, Debug, Default)]
#[must_use = "hand it to `commit` or `record`"]
pub struct Audit {
    object_kind: &'static str,
    object_id: String,
    object_name: String,
    before: Option<String>,
    after: Option<String>,
    message: String,
    objects: Vec<(&'static str, i64)>,
}

/// How many names of an act on several objects the log shows.
const NAMES: usize = 8;

impl Audit {
    /// An operation on an object of `kind`.
    pub fn of(kind: &'static str) -> Self {
        Self { object_kind: kind, ..Self::default() }
    }

    /// An operation on several objects of `kind`, by id and name: it is in the history of each. `before` is a list of
    /// them as objects with `id` and `name`; `after` is what became the same for all of them, with the `reason`.
    pub fn each<N: AsRef<str>>(kind: &'static str, objects: impl IntoIterator<Item = (i64, N)>) -> Self {
        let (mut audit, mut names) = (Self::of(kind), Vec::new());
        for (id, name) in objects {
            if audit.objects.len() < NAMES {
                names.push(name.as_ref().to_owned());
            }
            audit.objects.push((kind, id));
        }
        let ids = audit.objects.iter().map(|(_, id)| id.to_string()).collect::<Vec<_>>().join(",");
        // Part of a list would be found as another object.
        audit.object_id = if ids.len() <= 64 { ids } else { String::new() };
        audit.object_name = names.join(", ");
        if audit.objects.len() == 1 {
            audit.objects.clear();
        }
        audit
    }

    /// Other objects that the operation was on, besides the one that it names: it is in the history of each.
    pub fn with(mut self, kind: &'static str, ids: impl IntoIterator<Item = i64>) -> Self {
        self.objects.extend(ids.into_iter().map(|id| (kind, id)));
        self
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

    /// The object before the operation.
    pub fn before(mut self, object: &impl Serialize) -> Self {
        self.before = serde_json::to_string(object).ok();
        self
    }

    /// The object after the operation.
    pub fn after(mut self, object: &impl Serialize) -> Self {
        self.after = serde_json::to_string(object).ok();
        self
    }

    /// Further details.
    pub fn note(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The operation log entry for this.
    #[must_use]
    pub fn fill(self, entry: Entry) -> Entry {
        let Self { object_kind, object_id, object_name, before, after, message, objects } = self;
        // The columns are bounded; a longer text must not make the operation fail.
        let cut = |text: String, max: usize| text.chars().take(max).collect::<String>();
        Entry {
            object_kind: object_kind.to_owned(),
            object_id: cut(object_id, 64),
            object_name: cut(object_name, 256),
            before,
            after,
            message: cut(message, 1024),
            objects,
            ..entry
        }
    }
}

/// A write transaction of an operator. It is committed together with its log entry, or not at all.
#[derive(Debug)]
pub struct OpTx {
    tx: WriteTx,
    entry: Entry,
}

impl OpTx {
    /// Changes of kept counters in this transaction.
    pub const fn counts(&mut self) -> &mut Deltas {
        self.tx.counts()
    }

    /// Changes of the search index in this transaction.
    pub const fn documents(&mut self) -> &mut Documents {
        self.tx.documents()
    }

    /// The transaction without the log entry, for mechanisms below the domains (the queue).
    pub const fn inner(&mut self) -> &mut WriteTx {
        &mut self.tx
    }

    /// Makes the transaction and its operation log entry durable.
    ///
    /// # Errors
    /// When the database refuses; then nothing is changed.
    pub async fn commit(mut self, audit: Audit) -> Outcome<()> {
        self.tx.record(audit.fill(self.entry));
        self.tx.commit().await?;
        Ok(())
    }
}

impl Deref for OpTx {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        &self.tx
    }
}
