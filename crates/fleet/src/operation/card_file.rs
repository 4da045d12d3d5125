//! Files fetched from cards: one per task, streamed into the storage, within the daily quota of the agent.
//!
//! The announced size is reserved before the first byte is read, so that neither parallel uploads nor broken
//! connections get past the limits; the unused part is released when the file is stored. Of a file that is not what its
//! task is about nothing is kept, and no byte counts; that it was sent does: reading it was work.

use std::str::FromStr as _;

use base::app::App;
use base::fault::{Fault, Outcome};
use base::fetch::fetch;
use base::incoming;
use base::inspection::By;
use bytes::Bytes;
use courier::{Incoming, ObjectKey, Stored};
use db::{WriteTx, sql};
use entity::operation::{self, OperationKind};
use entity::operation_task::{self as task, Model as Task, TaskStep};
use entity::{OperationTaskId, room_agent};
use futures::{Stream, StreamExt as _};
use kernel::rules::{FileKind, Violation};
use sea_orm::{ConnectionTrait as _, EntityTrait as _, QuerySelect as _, Value};
use wire::{Key, ProfileSummary};

use super::gone::given_up;
use super::wakes::Operations;
use crate::image::profile;

/// Largest size of a file from a card, in bytes.
const MOST: u64 = 32 << 20;
/// How often a file may be uploaded for each attempt of a task: a connection may break.
const SENDINGS: i64 = 3;
const FOLDER: &str = "operation";
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRefusal {
    /// This agent is not executing the task.
    NotYours,
    /// It is larger than allowed, or larger than announced.
    TooLarge,
    /// It was uploaded too often for this task.
    TooOften,
    /// The agent has used its daily quota.
    DayIsFull,
    /// The transfer broke off or was too slow.
    BrokeOff,
    /// It is supposed to be a screenshot, and is not a picture, or has ended its reader.
    NoPicture(Violation),
    /// It is supposed to say what a clean card looks like, and does not, or has ended its reader.
    NoProfile(Violation),
    /// It says what a clean card of another image looks like.
    OtherImage,
}

type Taken = Result<(), FileRefusal>;

/// Stores a file of a task, replacing an earlier one. `announced` is its size, if known.
///
/// # Errors
/// When the storage or the database refuses. `Ok(Err(_))` says why the file is refused.
pub async fn store_file<E>(
    app: &App,
    agent: &room_agent::Model,
    key: Key,
    announced: Option<u64>,
    body: impl Stream<Item = Result<Bytes, E>> + Send + Unpin,
) -> Outcome<Taken> {
    let size = announced.unwrap_or(MOST);
    if size > MOST {
        return Ok(Err(FileRefusal::TooLarge));
    }
    let today = app.clock.now().millis().div_euclid(DAY_MS);
    let incoming = app.objects.create(FOLDER);
    if let Err(refusal) = reserve(app, agent, key, incoming.key(), size, today).await? {
        metrics::counter!("skyrack_agent_files_refused_total").increment(1);
        return Ok(Err(refusal));
    }
    let stored = match receive(incoming, size, body).await? {
        Ok(stored) => stored,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (kept, unwanted) = match what_it_is(app, key, &stored).await {
        Ok(Ok(what)) => {
            let kept = keep(app, agent, key, &stored, what, size, today).await;
            let unwanted = match &kept {
                Ok(Ok(replaced)) => replaced.clone(),
                Ok(Err(_)) => Some(stored.key),
                // It may have been written anyway: an orphaned file is better than a lost one.
                Err(_) => None,
            };
            (kept, unwanted)
        }
        Ok(Err(refusal)) => {
            let _turn = app.part::<Operations>().file_turn().await;
            let tx = app.db.begin_write().await?;
            release(&tx, agent, size, today).await?;
            tx.commit().await?;
            (Ok(Err(refusal)), Some(stored.key))
        }
        Err(fault) => {
            // Nobody has looked at it: the agent is told to come back, and that is not its fault.
            give_back(app, agent, key, size, today).await?;
            (Err(fault), Some(stored.key))
        }
    };
    if let Some(unwanted) = unwanted
        && let Err(fault) = incoming::discard(app, &unwanted).await
    {
        tracing::warn!(?fault, object = %unwanted, "could not delete an unused file; the next sweep does");
    }
    Ok(kept?.map(|_| ()))
}

/// Reserves `size` bytes for the task and in the agent's daily quota, if both allow it, and writes down `object`.
async fn reserve(
    app: &App,
    agent: &room_agent::Model,
    key: Key,
    object: &ObjectKey,
    size: u64,
    today: i64,
) -> Outcome<Taken> {
    // Most refusals are decided here, without a transaction.
    if task::Entity::find_by_id(OperationTaskId(key.task))
        .one(app.db.read())
        .await?
        .is_none_or(|row| !fits(&row, agent, key))
    {
        return Ok(Err(FileRefusal::NotYours));
    }
    let _turn = app.part::<Operations>().file_turn().await;
    let tx = app.db.begin_write().await?;
    let Some(row) = in_hand(&tx, agent, key).await? else { return Ok(Err(FileRefusal::NotYours)) };
    if i64::from(row.file_sendings) >= SENDINGS * i64::from(row.attempt) {
        return Ok(Err(FileRefusal::TooOften));
    }
    let text = "UPDATE room_agent SET \
                sent_files = CASE WHEN sent_day = $1 THEN sent_files + 1 ELSE 1 END, \
                sent_bytes = CASE WHEN sent_day = $1 THEN sent_bytes + $2 ELSE $2 END, sent_day = $1 \
                WHERE id = $3 AND ((sent_day <> $1 AND $4 > 0 AND $2 <= $5) \
                OR (sent_day = $1 AND sent_files < $4 AND sent_bytes + $2 <= $5))";
    let values: [Value; 5] = [
        today.into(),
        bytes(size).into(),
        agent.id.0.into(),
        i64::from(app.config.agent_files_per_day).into(),
        bytes(app.config.agent_bytes_per_day).into(),
    ];
    let backend = tx.get_database_backend();
    if tx.execute_raw(sql::statement(backend, text, values)).await?.rows_affected() == 0 {
        return Ok(Err(FileRefusal::DayIsFull));
    }
    let text = "UPDATE operation_task SET file_sendings = file_sendings + 1 WHERE id = $1";
    tx.execute_raw(sql::statement(backend, text, [Value::from(row.id.0)])).await?;
    incoming::begin(&*tx, object, app.clock.now()).await?;
    tx.commit().await?;
    Ok(Ok(()))
}

/// Takes back what [`reserve`] has counted.
async fn give_back(app: &App, agent: &room_agent::Model, key: Key, size: u64, today: i64) -> Outcome<()> {
    let _turn = app.part::<Operations>().file_turn().await;
    let tx = app.db.begin_write().await?;
    let backend = tx.get_database_backend();
    let text = "UPDATE room_agent SET sent_files = sent_files - 1, sent_bytes = sent_bytes - $1 \
                WHERE id = $2 AND sent_day = $3";
    let values: [Value; 3] = [bytes(size).into(), agent.id.0.into(), today.into()];
    tx.execute_raw(sql::statement(backend, text, values)).await?;
    let text = "UPDATE operation_task SET file_sendings = file_sendings - 1 WHERE id = $1 AND file_sendings > 0";
    tx.execute_raw(sql::statement(backend, text, [Value::from(key.task)])).await?;
    tx.commit().await?;
    Ok(())
}

/// Takes `size` bytes back from what the agent has sent today.
async fn release(tx: &WriteTx, agent: &room_agent::Model, size: u64, today: i64) -> Outcome<()> {
    let text = "UPDATE room_agent SET sent_bytes = sent_bytes - $1 WHERE id = $2 AND sent_day = $3";
    let values: [Value; 3] = [bytes(size).into(), agent.id.0.into(), today.into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}

/// Streams at most `size` bytes into the storage.
async fn receive<E>(
    mut incoming: Incoming,
    size: u64,
    mut body: impl Stream<Item = Result<Bytes, E>> + Send + Unpin,
) -> Outcome<Result<Stored, FileRefusal>> {
    let unavailable = |error: courier::ObjectError| Fault::Unavailable(error.into());
    let refusal = loop {
        match body.next().await {
            None => return incoming.finish().await.map(Ok).map_err(unavailable),
            Some(Err(_)) => break FileRefusal::BrokeOff,
            Some(Ok(piece)) if incoming.size() + piece.len() as u64 > size => break FileRefusal::TooLarge,
            Some(Ok(piece)) => incoming.write(piece).await.map_err(unavailable)?,
        }
    };
    incoming.abort().await.map_err(unavailable)?;
    Ok(Err(refusal))
}

/// What a file is for.
enum What {
    /// It is served as it is.
    File,
    /// What the clean card of a task looks like; who has asked for it.
    Profile(ProfileSummary, String),
}

/// Whether a file is what its task is about, whatever the agent says: what is shown as a picture really is one.
async fn what_it_is(app: &App, key: Key, stored: &Stored) -> Outcome<Result<What, FileRefusal>> {
    let task = task::Entity::find_by_id(OperationTaskId(key.task)).one(app.db.read()).await?;
    let Some(task) = task else { return Ok(Ok(What::File)) };
    let operation = operation::Entity::find_by_id(task.operation_id).one(app.db.read()).await?;
    let Some(operation) = operation else { return Ok(Ok(What::File)) };
    let is_picture = operation.kind == OperationKind::Screenshot;
    if !is_picture && operation.kind != OperationKind::Profile {
        return Ok(Ok(What::File));
    }
    let Some(file) = fetch(app, &stored.key).await.map_err(Fault::Unavailable)? else {
        return Ok(Err(FileRefusal::BrokeOff));
    };
    let turn = app.inspection.turn(By::Agent, &file).await?;
    Ok(if is_picture {
        let read = judged(turn.content(&file, FileKind::Picture).await)?;
        read.map(|_| What::File).map_err(FileRefusal::NoPicture)
    } else {
        let read = judged(turn.profile(&file).await)?;
        read.map(|summary| What::Profile(summary, operation.created_by)).map_err(FileRefusal::NoProfile)
    })
}

/// What was read, or why not: that a reader has ended for a file is told as a fault of the request.
fn judged<T>(read: Outcome<Result<T, Violation>>) -> Outcome<Result<T, Violation>> {
    match read {
        Err(Fault::Invalid(errors)) => match errors.into_iter().next() {
            Some(error) => Ok(Err(error.violation)),
            None => Err(Fault::Invalid(Vec::new())),
        },
        read => read,
    }
}

/// Writes the file to its task and releases the unused reservation. Returns the file that it replaces, which is written
/// down as one that no row names: whatever happens now, it goes.
async fn keep(
    app: &App,
    agent: &room_agent::Model,
    key: Key,
    stored: &Stored,
    what: What,
    counted: u64,
    today: i64,
) -> Outcome<Result<Option<ObjectKey>, FileRefusal>> {
    let _turn = app.part::<Operations>().file_turn().await;
    let tx = app.db.begin_write().await?;
    release(&tx, agent, counted.saturating_sub(stored.size), today).await?;
    // It may have ended meanwhile.
    let Some(row) = in_hand(&tx, agent, key).await? else {
        tx.commit().await?;
        return Ok(Err(FileRefusal::NotYours));
    };
    if let (What::Profile(summary, by), Some(card)) = (&what, row.card()) {
        if !profile::keep(&*tx, card, stored, summary, by, app.clock.now()).await? {
            release(&tx, agent, stored.size, today).await?;
            tx.commit().await?;
            return Ok(Err(FileRefusal::OtherImage));
        }
        incoming::arrived(&*tx, &stored.key).await?;
        tx.commit().await?;
        return Ok(Ok(None));
    }
    let text = "UPDATE operation_task SET file_key = $1 WHERE id = $2";
    let values: [Value; 2] = [stored.key.to_string().into(), row.id.0.into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    incoming::arrived(&*tx, &stored.key).await?;
    let replaced = ObjectKey::from_str(&row.file_key).ok();
    if let Some(replaced) = &replaced {
        incoming::begin(&*tx, replaced, app.clock.now()).await?;
    }
    tx.commit().await?;
    Ok(Ok(replaced))
}

/// The task, if the agent is executing this attempt of it; no other writer changes it until `tx` ends.
async fn in_hand(tx: &WriteTx, agent: &room_agent::Model, key: Key) -> Outcome<Option<Task>> {
    let found = task::Entity::find_by_id(OperationTaskId(key.task)).lock_exclusive().one(&**tx).await?;
    Ok(found.filter(|row| fits(row, agent, key)))
}

fn fits(row: &Task, agent: &room_agent::Model, key: Key) -> bool {
    row.room_id == agent.room_id
        && (row.state == TaskStep::Running || (row.state == TaskStep::Failed && given_up(&row.code).is_some()))
        && u32::try_from(row.attempt).ok() == Some(key.attempt)
}

fn bytes(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
