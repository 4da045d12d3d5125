//! The record of a shell: every byte of input, before it is sent.
//!
//! Rows are only added. When the shell ends, an entry of the operation log holds the hash of the whole record, so that
//! the log's chain covers it too ([`changed`] compares).

use aws_lc_rs::digest::{Context, SHA256};
use base::app::App;
use base::fault::{Fault, OrMissing as _, Outcome};
use db::journal::{Broken, ChainFault, Entry};
use db::list::list_page;
use entity::{ShellId, operation_log, shell_chunk, shell_end, shell_record};
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _,
};
use serde::{Deserialize, Serialize};

use super::late::{self, End};
use super::ticket::Ticket;

/// The act of the log entry.
pub const END: &str = "card_shell_end";
/// Chunks or entries that are read at once.
const STEP: u64 = 500;

/// Overhead of a row beside the input: one row for each key would otherwise allow a record of any size.
const CHUNK: u64 = 64;

const NOT_FOUND: Text = text("没有这条终端记录", "Shell record not found");

/// What the log entry says about the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seal {
    shell_id: ShellId,
    chunks: i64,
    bytes: u64,
    sha256: String,
}

/// The record of an open shell.
#[derive(Debug)]
pub struct Recorder {
    id: ShellId,
    chunks: i64,
    /// The remaining bytes that it accepts.
    room: u64,
}

impl Recorder {
    /// Opens a record.
    ///
    /// # Errors
    /// When the database refuses: then there is no shell either.
    pub async fn begin(app: &App, ticket: &Ticket) -> Outcome<Self> {
        let row = shell_record::ActiveModel {
            card_id: Set(ticket.card),
            card_address: Set(ticket.address.clone()),
            operator_id: Set(ticket.operator),
            operator_name: Set(ticket.username.clone()),
            ip: Set(ticket.ip.clone()),
            reason: Set(ticket.reason.clone()),
            started_at: Set(app.clock.now()),
            ..Default::default()
        };
        let tx = app.db.begin_write().await?;
        let id = shell_record::Entity::insert(row).exec(&*tx).await?.last_insert_id;
        tx.commit().await?;
        Ok(Self { id, chunks: 0, room: app.config.shell_record_bytes })
    }

    /// Whether this much more input is accepted: a record is limited, as the disk is.
    #[must_use]
    pub const fn takes(&self, bytes: &[u8]) -> bool {
        CHUNK + bytes.len() as u64 <= self.room
    }

    /// Stores input. It may be sent once this has returned.
    ///
    /// # Errors
    /// When the database refuses: then it must not be sent.
    pub async fn keep(&mut self, app: &App, bytes: &[u8]) -> Outcome<()> {
        let row = shell_chunk::ActiveModel {
            shell_id: Set(self.id),
            number: Set(self.chunks + 1),
            at: Set(app.clock.now()),
            bytes: Set(bytes.to_vec()),
        };
        let tx = app.db.begin_write().await?;
        shell_chunk::Entity::insert(row).exec_without_returning(&*tx).await?;
        tx.commit().await?;
        self.chunks += 1;
        self.room = self.room.saturating_sub(CHUNK + bytes.len() as u64);
        Ok(())
    }

    /// Closes the record with an entry of the operation log, as soon as the database takes it.
    pub async fn end(self, app: &App, why: String) {
        late::write(app, self.id, End { at: app.clock.now(), why }).await;
    }
}

/// Closes a record with an entry of the operation log, unless it is closed: a commit without an answer may have
/// succeeded.
///
/// # Errors
/// When the database refuses.
pub async fn end(app: &App, id: ShellId, end: &End) -> Outcome<()> {
    if shell_end::Entity::find_by_id(id).one(app.db.read()).await?.is_some() {
        return Ok(());
    }
    let record = find(app.db.read(), id).await?;
    let seal = seal(app.db.read(), &record).await?;
    let seconds = (end.at.millis() - record.started_at.millis()) / 1000;
    // What an agent or a card reports is not logged at any length.
    let why: String = end.why.chars().take(200).collect();
    let Seal { chunks, bytes, sha256, .. } = &seal;
    let message = format!("{seconds} s, {bytes} bytes typed in {chunks} chunks, SHA-256 {sha256}: {why}");
    let mut tx = app.db.begin_write().await?;
    let row = shell_end::ActiveModel { shell_id: Set(id), at: Set(end.at) };
    shell_end::Entity::insert(row).exec_without_returning(&*tx).await?;
    tx.record(Entry {
        at: app.clock.now(),
        operator_id: Some(record.operator_id.0),
        operator_name: record.operator_name,
        ip: record.ip,
        action: END.to_owned(),
        object_kind: "card".to_owned(),
        object_id: record.card_id.to_string(),
        object_name: record.card_address,
        after: Some(serde_json::to_string(&seal).map_err(Fault::internal)?),
        message,
        ..Entry::default()
    });
    tx.commit().await?;
    Ok(())
}

/// Closes the records of shells that a crash has ended; one that cannot be closed now is closed later.
///
/// # Errors
/// When the database does not say which they are.
pub async fn close_open(app: &App) -> Outcome<()> {
    let ended = shell_end::Entity::find().select_only().column(shell_end::Column::ShellId).into_query();
    let open: Vec<ShellId> = shell_record::Entity::find()
        .select_only()
        .column(shell_record::Column::Id)
        .filter(shell_record::Column::Id.not_in_subquery(ended))
        .into_tuple()
        .all(app.db.read())
        .await?;
    for id in open {
        late::write(app, id, End { at: app.clock.now(), why: "the console stopped".to_owned() }).await;
    }
    Ok(())
}

async fn find(db: &impl ConnectionTrait, id: ShellId) -> Outcome<shell_record::Model> {
    shell_record::Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// Input after the record was read is not in it; there is no input after its end.
async fn seal(db: &impl ConnectionTrait, record: &shell_record::Model) -> Result<Seal, DbErr> {
    let mut context = Context::new(&SHA256);
    let mut part = |bytes: &[u8]| {
        context.update(&(bytes.len() as u64).to_be_bytes());
        context.update(bytes);
    };
    let shell_record::Model { id, card_id, card_address, operator_id, operator_name, ip, reason, started_at } = record;
    for number in [id.0, card_id.0, operator_id.0, started_at.millis()] {
        part(&number.to_be_bytes());
    }
    for text in [card_address, operator_name, ip] {
        part(text.as_bytes());
    }
    // Records of before have none, and keep their hash.
    if !reason.is_empty() {
        part(reason.as_bytes());
    }
    let (mut last, mut chunks, mut bytes) = (0, 0_i64, 0_u64);
    loop {
        let step = shell_chunk::Entity::find()
            .filter(shell_chunk::Column::ShellId.eq(*id))
            .filter(shell_chunk::Column::Number.gt(last))
            .order_by_asc(shell_chunk::Column::Number)
            .limit(STEP)
            .all(db)
            .await?;
        let Some(newest) = step.last().map(|chunk| chunk.number) else { break };
        for chunk in &step {
            part(&chunk.number.to_be_bytes());
            part(&chunk.at.millis().to_be_bytes());
            part(&chunk.bytes);
            bytes += chunk.bytes.len() as u64;
            chunks += 1;
        }
        last = newest;
    }
    Ok(Seal { shell_id: *id, chunks, bytes, sha256: hex::encode(context.finish()) })
}

/// The first log entry that closes a record which has been modified.
///
/// # Errors
/// When a read fails.
pub async fn changed(db: &impl ConnectionTrait) -> Result<Option<Broken>, DbErr> {
    let mut last = 0;
    loop {
        let lines: Vec<(i64, Option<String>)> = operation_log::Entity::find()
            .select_only()
            .columns([operation_log::Column::Id, operation_log::Column::After])
            .filter(operation_log::Column::Action.eq(END))
            .filter(operation_log::Column::Id.gt(last))
            .order_by_asc(operation_log::Column::Id)
            .limit(STEP)
            .into_tuple()
            .all(db)
            .await?;
        if lines.is_empty() {
            return Ok(None);
        }
        for (id, after) in lines {
            last = id;
            // Entries of earlier versions contain the input itself.
            let Some(kept) = after.and_then(|after| serde_json::from_str::<Seal>(&after).ok()) else { continue };
            let record = shell_record::Entity::find_by_id(kept.shell_id).one(db).await?;
            let now = match &record {
                Some(record) => Some(seal(db, record).await?),
                None => None,
            };
            if now.as_ref() != Some(&kept) {
                return Ok(Some(Broken { id, fault: ChainFault::RecordChanged }));
            }
        }
    }
}

/// Some of the input, oldest first.
///
/// # Errors
/// When there is no such record, or a read fails.
pub async fn page(db: &impl ConnectionTrait, id: ShellId, page: PageQuery) -> Outcome<Page<shell_chunk::Model>> {
    find(db, id).await?;
    let chunks = shell_chunk::Entity::find()
        .filter(shell_chunk::Column::ShellId.eq(id))
        .order_by_asc(shell_chunk::Column::Number);
    Ok(list_page(db, chunks, page).await?)
}
