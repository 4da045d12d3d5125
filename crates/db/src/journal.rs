//! The operation log: append-only, hash-chained, written in the transaction it describes.
//!
//! The hash of each entry covers its fields and the hash before it, so that an entry that was edited, removed or
//! inserted breaks the chain at that place. The database refuses UPDATE and DELETE with triggers; the chain reveals
//! changes that bypassed them. That its end was cut off only an anchor outside the database can reveal ([`head`],
//! [`holds`]).

use std::collections::HashMap;

use aws_lc_rs::digest;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};

use crate::sql;

/// What one operation of an operator did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: UtcTime,
    /// Who; none for the system itself and for a sign-in that failed.
    pub operator_id: Option<i64>,
    /// The name at the time; it stays readable after the operator is gone.
    pub operator_name: String,
    /// The connection's address (or the one reported by the trusted proxy).
    pub ip: String,
    /// The operation's id, such as `client_user_update`.
    pub action: String,
    /// The kind of object, such as `clientUser`; empty if there is none.
    pub object_kind: String,
    /// The object's id; several are joined by commas, their number is in `message`.
    pub object_id: String,
    /// The object's name at the time.
    pub object_name: String,
    /// The object before, as JSON, secrets masked.
    pub before: Option<String>,
    /// The object after, as JSON, secrets masked.
    pub after: Option<String>,
    /// The body status of the answer: 0 is success.
    pub status: i32,
    /// Further details: a count, a reason.
    pub message: String,
    /// The id of the request.
    pub request_id: String,
    /// The kinds and ids of the objects, where there are several: the history of each has this entry. An index, and no
    /// part of the hash.
    pub objects: Vec<(&'static str, i64)>,
}

impl Entry {
    /// Truncated to the columns, without NUL, which PostgreSQL takes nowhere; on both engines alike. An entry that one of
    /// them refuses would be lost, and all that is written with it.
    fn fit(mut self) -> Self {
        for text in [&mut self.before, &mut self.after].into_iter().flatten() {
            without_nul(text);
        }
        for (text, most) in [
            (&mut self.operator_name, 64),
            (&mut self.ip, 64),
            (&mut self.action, 64),
            (&mut self.object_kind, 64),
            (&mut self.object_id, 64),
            (&mut self.object_name, 256),
            (&mut self.message, 1024),
            (&mut self.request_id, 64),
        ] {
            without_nul(text);
            if let Some((end, _)) = text.char_indices().nth(most) {
                text.truncate(end);
            }
        }
        self
    }
}

fn without_nul(text: &mut String) {
    if text.contains('\0') {
        *text = text.replace('\0', "\u{fffd}");
    }
}

/// The lock that keeps two servers on one PostgreSQL from forking the chain.
const CHAIN_LOCK: i64 = 0x736b_7972_6163_6b01;
/// Entries in one insert: 64 rows of 16 columns stay far below both engines' limit of parameters.
const ROWS_PER_INSERT: usize = 64;
const COLUMNS: usize = 16;
/// Rows of the index in one insert, for the same limit.
const OBJECTS_PER_INSERT: usize = 300;

/// Appends `entries` to the chain inside the caller's transaction.
pub(crate) async fn append(db: &impl ConnectionTrait, entries: Vec<Entry>) -> Result<(), DbErr> {
    if entries.is_empty() {
        return Ok(());
    }
    let backend = db.get_database_backend();
    if backend == DbBackend::Postgres {
        db.execute_raw(sql::statement(backend, "SELECT pg_advisory_xact_lock($1)", [CHAIN_LOCK.into()])).await?;
    }
    let head = db
        .query_one_raw(Statement::from_string(backend, "SELECT id, hash FROM operation_log ORDER BY id DESC LIMIT 1"))
        .await?;
    let (mut id, mut hash) = match head {
        Some(row) => (row.try_get::<i64>("", "id")?, row.try_get::<Vec<u8>>("", "hash")?),
        None => (0, Vec::new()),
    };
    let mut entries = entries.into_iter().peekable();
    let mut objects = Vec::new();
    while entries.peek().is_some() {
        let mut values = Vec::with_capacity(ROWS_PER_INSERT * COLUMNS);
        let mut rows = 0;
        for mut entry in entries.by_ref().take(ROWS_PER_INSERT) {
            id += 1;
            objects.extend(std::mem::take(&mut entry.objects).into_iter().map(|(kind, object)| (kind, object, id)));
            let (entry, prev) = (entry.fit(), hash);
            hash = link(id, &prev, &entry);
            values.extend(row(id, prev, hash.clone(), entry));
            rows += 1;
        }
        let text = format!(
            "INSERT INTO operation_log (id, at, operator_id, operator_name, ip, action, object_kind, object_id, \
             object_name, before, after, status, message, request_id, prev_hash, hash) VALUES {}",
            sql::value_groups(rows, COLUMNS)
        );
        db.execute_raw(sql::statement(backend, text, values)).await?;
    }
    // An act may name an object twice.
    objects.sort_unstable();
    objects.dedup();
    index(db, &objects).await
}

/// Writes which objects entries about several are about: kind, id, and the entry.
async fn index(db: &impl ConnectionTrait, objects: &[(&'static str, i64, i64)]) -> Result<(), DbErr> {
    let backend = db.get_database_backend();
    for some in objects.chunks(OBJECTS_PER_INSERT) {
        let values = some
            .iter()
            .flat_map(|(kind, object, id)| -> [Value; 3] { [(*kind).into(), (*object).into(), (*id).into()] });
        let text = format!(
            "INSERT INTO operation_log_about (object_kind, object_id, log_id) VALUES {}",
            sql::value_groups(some.len(), 3)
        );
        db.execute_raw(sql::statement(backend, text, values)).await?;
    }
    Ok(())
}

fn row(id: i64, prev: Vec<u8>, hash: Vec<u8>, entry: Entry) -> [Value; COLUMNS] {
    let Entry {
        at,
        operator_id,
        operator_name,
        ip,
        action,
        object_kind,
        object_id,
        object_name,
        before,
        after,
        status,
        message,
        request_id,
        objects: _,
    } = entry;
    [
        id.into(),
        at.millis().into(),
        operator_id.into(),
        operator_name.into(),
        ip.into(),
        action.into(),
        object_kind.into(),
        object_id.into(),
        object_name.into(),
        before.into(),
        after.into(),
        status.into(),
        message.into(),
        request_id.into(),
        prev.into(),
        hash.into(),
    ]
}

/// The hash of an entry: SHA-256 over the hash before it and every field prefixed with its length, so that no two
/// different entries have the same bytes.
#[must_use]
pub fn link(id: i64, prev: &[u8], entry: &Entry) -> Vec<u8> {
    let Entry {
        at,
        operator_id,
        operator_name,
        ip,
        action,
        object_kind,
        object_id,
        object_name,
        before,
        after,
        status,
        message,
        request_id,
        objects: _,
    } = entry;
    let mut context = digest::Context::new(&digest::SHA256);
    let mut part = |bytes: &[u8]| {
        context.update(&(bytes.len() as u64).to_be_bytes());
        context.update(bytes);
    };
    part(prev);
    part(&id.to_be_bytes());
    part(&at.millis().to_be_bytes());
    part(&operator_id.unwrap_or(0).to_be_bytes());
    for text in [operator_name, ip, action, object_kind, object_id, object_name, message, request_id] {
        part(text.as_bytes());
    }
    for document in [before, after] {
        part(&[u8::from(document.is_some())]);
        part(document.as_deref().unwrap_or("").as_bytes());
    }
    part(&status.to_be_bytes());
    context.finish().as_ref().to_vec()
}

/// Where the chain is broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operation log line {id}: {fault}")]
pub struct Broken {
    /// The first invalid entry.
    pub id: i64,
    /// What is wrong with it.
    pub fault: ChainFault,
}

/// What can be wrong with an entry of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainFault {
    /// Its number is not consecutive.
    #[error("lines before it are missing")]
    LinesMissing,
    /// It contains a different hash than that of the entry before it.
    #[error("it does not follow the line before it")]
    OutOfOrder,
    /// Its own hash does not match its fields.
    #[error("its content was changed")]
    Changed,
    /// It was anchored, but the log ends before it.
    #[error("it was anchored, and the log ends before it")]
    CutOff,
    /// A different entry was anchored under its number.
    #[error("another line was anchored by its number")]
    Replaced,
    /// It closes the record of a shell, and that record was modified.
    #[error("the record of the shell that it ends was changed")]
    RecordChanged,
    /// Its anchor was written by somebody else, or earlier anchors were modified.
    #[error("its anchor is not signed by this console, or anchors before it were changed")]
    AnchorForged,
    /// Its anchor is missing from the file.
    #[error("its anchor is gone")]
    AnchorGone,
}

impl ChainFault {
    const ALL: [Self; 8] = [
        Self::LinesMissing,
        Self::OutOfOrder,
        Self::Changed,
        Self::CutOff,
        Self::Replaced,
        Self::RecordChanged,
        Self::AnchorForged,
        Self::AnchorGone,
    ];

    /// The word that is stored for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LinesMissing => "linesMissing",
            Self::OutOfOrder => "outOfOrder",
            Self::Changed => "changed",
            Self::CutOff => "cutOff",
            Self::Replaced => "replaced",
            Self::RecordChanged => "recordChanged",
            Self::AnchorForged => "anchorForged",
            Self::AnchorGone => "anchorGone",
        }
    }

    /// The inverse of [`ChainFault::name`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

/// The newest entry of the log; before there is one, 0 and nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Its number.
    pub id: i64,
    /// SHA-256 over it and all before it.
    pub hash: Vec<u8>,
}

/// The newest entry, if there is one.
///
/// # Errors
/// When the read fails.
pub async fn head(db: &impl ConnectionTrait) -> Result<Option<Head>, DbErr> {
    let newest = "SELECT id, hash FROM operation_log ORDER BY id DESC LIMIT 1";
    let row = db.query_one_raw(sql::statement(db.get_database_backend(), newest, [])).await?;
    row.map(|row| Ok(Head { id: row.try_get("", "id")?, hash: row.try_get("", "hash")? })).transpose()
}

/// Whether the log still contains these entries; otherwise the first that is missing or different.
///
/// # Errors
/// When a read fails.
pub async fn holds(db: &impl ConnectionTrait, anchors: &[Head]) -> Result<Result<(), Broken>, DbErr> {
    /// Far below both engines' limit of parameters.
    const STEP: usize = 500;
    for anchors in anchors.chunks(STEP) {
        let places = (1..=anchors.len()).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ");
        let found = db
            .query_all_raw(sql::statement(
                db.get_database_backend(),
                format!("SELECT id, hash FROM operation_log WHERE id IN ({places})"),
                anchors.iter().map(|anchor| anchor.id.into()),
            ))
            .await?;
        let mut lines: HashMap<i64, Vec<u8>> = HashMap::with_capacity(found.len());
        for row in found {
            lines.insert(row.try_get("", "id")?, row.try_get("", "hash")?);
        }
        for Head { id, hash } in anchors.iter().filter(|anchor| anchor.id > 0) {
            let fault = match lines.get(id) {
                Some(line) if line == hash => continue,
                Some(_) => ChainFault::Replaced,
                None => ChainFault::CutOff,
            };
            return Ok(Err(Broken { id: *id, fault }));
        }
    }
    Ok(Ok(()))
}

/// Verifies the whole chain in batches and returns the number of entries, or where it is broken.
///
/// # Errors
/// When a read fails; a broken chain is the inner error.
pub async fn verify(db: &impl ConnectionTrait) -> Result<Result<u64, Broken>, DbErr> {
    const BATCH: i64 = 5000;
    let (mut last, mut prev, mut lines) = (0_i64, Vec::new(), 0_u64);
    loop {
        let rows = db
            .query_all_raw(sql::statement(
                db.get_database_backend(),
                "SELECT id, at, operator_id, operator_name, ip, action, object_kind, object_id, object_name, before, \
                 after, status, message, request_id, prev_hash, hash FROM operation_log WHERE id > $1 ORDER BY id LIMIT $2",
                [last.into(), BATCH.into()],
            ))
            .await?;
        if rows.is_empty() {
            return Ok(Ok(lines));
        }
        for row in rows {
            let id: i64 = row.try_get("", "id")?;
            let entry = Entry {
                at: UtcTime(row.try_get("", "at")?),
                operator_id: row.try_get("", "operator_id")?,
                operator_name: row.try_get("", "operator_name")?,
                ip: row.try_get("", "ip")?,
                action: row.try_get("", "action")?,
                object_kind: row.try_get("", "object_kind")?,
                object_id: row.try_get("", "object_id")?,
                object_name: row.try_get("", "object_name")?,
                before: row.try_get("", "before")?,
                after: row.try_get("", "after")?,
                status: row.try_get("", "status")?,
                message: row.try_get("", "message")?,
                request_id: row.try_get("", "request_id")?,
                objects: Vec::new(),
            };
            if id != last + 1 {
                return Ok(Err(Broken { id, fault: ChainFault::LinesMissing }));
            }
            if row.try_get::<Vec<u8>>("", "prev_hash")? != prev {
                return Ok(Err(Broken { id, fault: ChainFault::OutOfOrder }));
            }
            let hash: Vec<u8> = row.try_get("", "hash")?;
            if hash != link(id, &prev, &entry) {
                return Ok(Err(Broken { id, fault: ChainFault::Changed }));
            }
            (last, prev, lines) = (id, hash, lines + 1);
        }
    }
}
