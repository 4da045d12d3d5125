//! What must not be done twice: each attempt from its arrival until the console has confirmed its result.
//!
//! One thread writes; everything queued is one transaction, so that thousands of attempts cost few syncs. An attempt
//! starts only after the journal has recorded its start on disk.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::Context as _;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use wire::{Act, Book, Key, Task, TaskResult};

/// Jobs in one transaction.
const GROUP: usize = 4096;
/// Jobs that may be queued; further callers wait.
const QUEUE: usize = 16_384;

/// The state of a card just before an attempt started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// Its boot id.
    pub boot_id: String,
    /// The state of the package to be installed or removed; none if that was not read.
    #[serde(default)]
    pub package: Option<String>,
}

/// How far an attempt has got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It arrived.
    Arrived,
    /// It started.
    Begun(Before),
    /// It ended.
    Ended(Box<TaskResult>),
}

/// An attempt in the journal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What to do, without the password of a BMC.
    pub task: Task,
    /// How far it got.
    pub phase: Phase,
}

enum Job {
    Arrive(Vec<Task>, Done<Vec<Task>>),
    Begin(Key, Before, Done<bool>),
    End(TaskResult, Done<()>),
    Forget(Vec<Key>, Done<()>),
}

/// Where the outcome of a job goes; an error is told as a text, since several may have the same.
type Done<T> = oneshot::Sender<Result<T, String>>;

/// A handle to the journal.
#[derive(Clone, Debug)]
pub struct Journal {
    jobs: mpsc::Sender<Job>,
    /// The highest number of a phone's stay that arrived.
    stay: Arc<AtomicI64>,
}

impl Journal {
    /// Opens the journal, and returns its entries.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn open(path: &Path) -> anyhow::Result<(Self, Vec<Entry>)> {
        let shown = path.display();
        let db = Connection::open(path).with_context(|| format!("cannot open the journal {shown}"))?;
        let prepare = || -> rusqlite::Result<Vec<Entry>> {
            db.pragma_update(None, "journal_mode", "WAL")?;
            db.pragma_update(None, "synchronous", "FULL")?;
            db.execute_batch(
                "CREATE TABLE IF NOT EXISTS try (
                     book INTEGER NOT NULL DEFAULT 0, task INTEGER NOT NULL, attempt INTEGER NOT NULL, what TEXT NOT NULL,
                     begun TEXT, ended TEXT, PRIMARY KEY (book, task, attempt)) WITHOUT ROWID",
            )?;
            give_books(&db)?;
            db.execute_batch(
                "CREATE TABLE IF NOT EXISTS seen (one INTEGER PRIMARY KEY CHECK (one = 1), stay INTEGER NOT NULL)",
            )?;
            let mut all = db.prepare("SELECT what, begun, ended FROM try ORDER BY book, task, attempt")?;
            let rows = all.query_map([], |row| {
                let begun: Option<String> = row.get(1)?;
                let ended: Option<String> = row.get(2)?;
                let phase = match (ended, begun) {
                    (Some(text), _) => Phase::Ended(Box::new(read(&text)?)),
                    (None, Some(text)) => Phase::Begun(read(&text)?),
                    (None, None) => Phase::Arrived,
                };
                Ok(Entry { task: read(&row.get::<_, String>(0)?)?, phase })
            })?;
            rows.collect()
        };
        let entries = prepare().with_context(|| format!("the journal {shown} cannot be used"))?;
        let stay = db.query_row("SELECT stay FROM seen", [], |row| row.get(0)).optional()?.unwrap_or(0);
        let (sender, jobs) = mpsc::channel(QUEUE);
        std::thread::Builder::new().name("journal".into()).spawn(move || write(db, jobs)).context("no thread")?;
        Ok((Self { jobs: sender, stay: Arc::new(AtomicI64::new(stay)) }, entries))
    }

    /// The highest number of a phone's stay on a card that ever arrived; 0 if none has.
    #[must_use]
    pub fn highest_stay(&self) -> i64 {
        self.stay.load(Ordering::Relaxed)
    }

    /// Records attempts that arrived, and returns those that are new.
    ///
    /// # Errors
    /// The disk refuses; then none of them was recorded.
    pub async fn arrive(&self, tasks: Vec<Task>) -> anyhow::Result<Vec<Task>> {
        let stay = highest(&tasks);
        let fresh = self.ask(|done| Job::Arrive(tasks, done)).await?;
        self.stay.fetch_max(stay, Ordering::Relaxed);
        Ok(fresh)
    }

    /// Records that an attempt starts. Only then it may: not if it is `false`, since the console has taken it back.
    ///
    /// # Errors
    /// The disk refuses; then it must not start.
    pub async fn begin(&self, key: Key, before: Before) -> anyhow::Result<bool> {
        self.ask(|done| Job::Begin(key, before, done)).await
    }

    /// Records how an attempt ended.
    ///
    /// # Errors
    /// The disk refuses.
    pub async fn end(&self, result: TaskResult) -> anyhow::Result<()> {
        self.ask(|done| Job::End(result, done)).await
    }

    /// Removes attempts.
    ///
    /// # Errors
    /// The disk refuses.
    pub async fn forget(&self, keys: Vec<Key>) -> anyhow::Result<()> {
        self.ask(|done| Job::Forget(keys, done)).await
    }

    async fn ask<T>(&self, job: impl FnOnce(Done<T>) -> Job) -> anyhow::Result<T> {
        let (done, answer) = oneshot::channel();
        self.jobs.send(job(done)).await.ok().context("the journal has stopped")?;
        let outcome = answer.await.context("the journal has stopped")?;
        outcome.map_err(|why| anyhow::anyhow!("the journal cannot be written: {why}"))
    }
}

fn read<T: for<'de> Deserialize<'de>>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// Gives the journal of an agent of before books the column for them. Such an agent can still read it afterwards.
fn give_books(db: &Connection) -> rusqlite::Result<()> {
    if db.prepare("SELECT book FROM try LIMIT 0").is_ok() {
        return Ok(());
    }
    db.execute_batch(
        "BEGIN IMMEDIATE;
         ALTER TABLE try RENAME TO try_of_before;
         CREATE TABLE try (
             book INTEGER NOT NULL DEFAULT 0, task INTEGER NOT NULL, attempt INTEGER NOT NULL, what TEXT NOT NULL,
             begun TEXT, ended TEXT, PRIMARY KEY (book, task, attempt)) WITHOUT ROWID;
         INSERT INTO try (task, attempt, what, begun, ended) SELECT task, attempt, what, begun, ended FROM try_of_before;
         DROP TABLE try_of_before;
         COMMIT",
    )
}

/// The number of a book in the journal.
const fn number(book: Book) -> u8 {
    match book {
        Book::Operation => 0,
        Book::Phone => 1,
    }
}

fn text(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// The task as stored in the journal.
fn without_password(task: &Task) -> Task {
    let mut task = task.clone();
    if let Act::Power { bmc, .. } = &mut task.act {
        bmc.password.clear();
    }
    task
}

/// What a caller hears once the fate of its group is known: nothing if the group is on disk, or why it is not.
type Answer = Box<dyn FnOnce(Option<&str>)>;

fn write(mut db: Connection, mut jobs: mpsc::Receiver<Job>) {
    let mut group = Vec::new();
    while jobs.blocking_recv_many(&mut group, GROUP) > 0 {
        // Replies are sent when the group is on disk, not before.
        let mut answers = Vec::with_capacity(group.len());
        let mut left = group.drain(..);
        let refused = keep(&mut db, &mut left, &mut answers).err().map(|error| {
            tracing::error!(%error, "the journal cannot be written");
            stop_if_unsafe(&error);
            error.to_string()
        });
        answers.extend(left.map(Job::refuse));
        for answer in answers {
            answer(refused.as_deref());
        }
    }
}

/// Does jobs in one transaction. One that fails is undone alone; if SQLite undoes the whole transaction, as it does when
/// the disk is full, none of them was done, and those that are left are not begun.
fn keep(db: &mut Connection, jobs: &mut impl Iterator<Item = Job>, answers: &mut Vec<Answer>) -> rusqlite::Result<()> {
    let mut tx = db.transaction()?;
    for job in jobs {
        let point = match tx.savepoint() {
            Ok(point) => point,
            Err(error) => {
                answers.push(job.refuse());
                return Err(error);
            }
        };
        let (answer, failed) = job.apply(&point);
        answers.push(answer);
        match failed {
            None => point.commit()?,
            Some(error) => {
                stop_if_unsafe(&error);
                drop(point);
                // What is executed outside of a transaction would be on disk at once and alone.
                if tx.is_autocommit() {
                    return Err(error);
                }
            }
        }
    }
    tx.commit()
}

/// Ends the process when the disk fails or the file is damaged: after a failed flush SQLite would take the next
/// transaction as if nothing had happened, and an attempt could be made twice. What starts it again reads what is there.
fn stop_if_unsafe(error: &rusqlite::Error) {
    if let Some(ErrorCode::SystemIoFailure | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) =
        error.sqlite_error_code()
    {
        tracing::error!(%error, "the journal's disk fails: stopping, so that nothing is begun that is not on record");
        std::process::exit(74);
    }
}

impl Job {
    /// Does it; its reply is sent when the group is on disk.
    fn apply(self, db: &Connection) -> (Answer, Option<rusqlite::Error>) {
        match self {
            Self::Arrive(tasks, done) => later(done, arrive(db, tasks)),
            Self::Begin(key, before, done) => later(done, mark(db, "begun", key, &before)),
            // One that was forgotten meanwhile is nobody's: its result is sent all the same.
            Self::End(result, done) => later(done, mark(db, "ended", result.key, &result).map(|_| ())),
            Self::Forget(keys, done) => later(done, forget(db, &keys)),
        }
    }

    /// Does nothing; its reply says why its group failed.
    fn refuse(self) -> Answer {
        match self {
            Self::Arrive(_, done) => undone(done),
            Self::Begin(_, _, done) => undone(done),
            Self::End(_, done) | Self::Forget(_, done) => undone(done),
        }
    }
}

fn later<T: 'static>(done: Done<T>, answer: rusqlite::Result<T>) -> (Answer, Option<rusqlite::Error>) {
    match answer {
        // A caller may have gone.
        Ok(found) => (Box::new(move |why| _ = done.send(why.map_or(Ok(found), |why| Err(why.to_owned())))), None),
        Err(error) => {
            let text = error.to_string();
            (Box::new(move |_| _ = done.send(Err(text))), Some(error))
        }
    }
}

fn undone<T: 'static>(done: Done<T>) -> Answer {
    Box::new(move |why| _ = done.send(Err(why.unwrap_or("it was not done").to_owned())))
}

/// The highest number of a phone's stay among tasks; 0 if they are about none.
fn highest(tasks: &[Task]) -> i64 {
    tasks.iter().filter_map(|task| task.mark).map(|mark| mark.placement).max().unwrap_or(0)
}

fn arrive(db: &Connection, tasks: Vec<Task>) -> rusqlite::Result<Vec<Task>> {
    let mut insert =
        db.prepare_cached("INSERT OR IGNORE INTO try (book, task, attempt, what) VALUES (?1, ?2, ?3, ?4)")?;
    let mut newer = db.prepare_cached("SELECT 1 FROM try WHERE book = ?1 AND task = ?2 AND attempt > ?3")?;
    let stay = highest(&tasks);
    if stay > 0 {
        let text = "INSERT INTO seen VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET stay = max(stay, excluded.stay)";
        db.prepare_cached(text)?.execute([stay])?;
    }
    let mut fresh = Vec::with_capacity(tasks.len());
    for task in tasks {
        let Key { book, task: id, attempt } = task.key;
        let book = number(book);
        let is_old = newer.query_row(params![book, id, attempt], |_| Ok(())).optional()?.is_some();
        if !is_old && insert.execute(params![book, id, attempt, text(&without_password(&task))?])? == 1 {
            fresh.push(task);
        }
    }
    Ok(fresh)
}

/// Writes how far an attempt is. Returns whether the journal has it.
fn mark(db: &Connection, column: &'static str, key: Key, value: &impl Serialize) -> rusqlite::Result<bool> {
    let update = format!("UPDATE try SET {column} = ?4 WHERE book = ?1 AND task = ?2 AND attempt = ?3");
    let found = db.prepare_cached(&update)?.execute(params![number(key.book), key.task, key.attempt, text(value)?])?;
    Ok(found == 1)
}

fn forget(db: &Connection, keys: &[Key]) -> rusqlite::Result<()> {
    let mut delete = db.prepare_cached("DELETE FROM try WHERE book = ?1 AND task = ?2 AND attempt = ?3")?;
    for key in keys {
        delete.execute(params![number(key.book), key.task, key.attempt])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use rusqlite::Connection;
    use tokio::sync::oneshot;
    use wire::{Act, BmcAccess, Key, Outcome, PowerOrder, Task, TaskResult};

    use super::{Before, Job, Journal, Phase, keep};

    fn task(id: i64, attempt: u32, act: Act) -> Task {
        Task { address: "127.0.0.1:5555".to_owned(), ..Task::new(Key::operation(id, attempt), id, act) }
    }

    #[tokio::test]
    async fn what_arrived_began_and_ended_is_there_after_a_restart_and_no_password() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let bmc = BmcAccess {
            url: "https://127.0.0.1".into(),
            username: "admin".into(),
            password: "open sesame".into(),
            certificate: String::new(),
            slot: 1,
        };
        let (journal, empty) = Journal::open(&path).unwrap();
        assert!(empty.is_empty());
        let tasks = vec![
            task(1, 1, Act::Reboot),
            task(2, 1, Act::Power { order: PowerOrder::Cycle, bmc }),
            task(3, 2, Act::Screenshot),
        ];
        assert_eq!(journal.arrive(tasks.clone()).await.unwrap().len(), 3);
        assert!(journal.arrive(tasks).await.unwrap().is_empty(), "a try that is known is not taken again");
        assert!(journal.arrive(vec![task(3, 1, Act::Screenshot)]).await.unwrap().is_empty(), "nor an older one");
        let before = Before { boot_id: "a".into(), package: Some(String::new()) };
        assert!(journal.begin(Key::operation(1, 1), before.clone()).await.unwrap());
        assert!(
            !journal.begin(Key::operation(9, 1), before.clone()).await.unwrap(),
            "it never came, or was taken back"
        );
        let result = TaskResult {
            key: Key::operation(3, 2),
            outcome: Outcome::Succeeded,
            output: "x".into(),
            truncated: false,
            exit: None,
            has_file: false,
            certificate: None,
            millis: 5,
        };
        journal.end(result.clone()).await.unwrap();
        drop(journal);

        let bytes = std::fs::read(path.with_extension("db-wal")).unwrap_or_default();
        let all = [std::fs::read(&path).unwrap(), bytes].concat();
        assert!(!all.windows(11).any(|window| window == b"open sesame"));
        let (journal, entries) = Journal::open(&path).unwrap();
        let phases: Vec<Phase> = entries.into_iter().map(|entry| entry.phase).collect();
        assert_eq!(phases, [Phase::Begun(before), Phase::Arrived, Phase::Ended(Box::new(result))]);
        journal.forget(vec![Key::operation(1, 1), Key::operation(2, 1)]).await.unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().1.len(), 1);
    }

    #[tokio::test]
    async fn books_have_numbers_of_their_own_and_a_journal_of_before_is_of_operations() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "CREATE TABLE try (task INTEGER NOT NULL, attempt INTEGER NOT NULL, what TEXT NOT NULL, begun TEXT, ended TEXT,
             PRIMARY KEY (task, attempt)) WITHOUT ROWID",
        )
        .unwrap();
        let old = serde_json::to_string(&task(1, 1, Act::Reboot)).unwrap();
        db.execute("INSERT INTO try (task, attempt, what) VALUES (1, 1, ?1)", [old]).unwrap();
        drop(db);

        let (journal, entries) = Journal::open(&path).unwrap();
        assert_eq!(entries[0].task.key, Key::operation(1, 1));
        let step = Task { key: Key::phone(1, 1), ..task(1, 1, Act::Claim) };
        assert_eq!(journal.arrive(vec![step.clone(), task(1, 1, Act::Reboot)]).await.unwrap(), [step]);
        journal.forget(vec![Key::operation(1, 1)]).await.unwrap();
        drop(journal);
        let keys: Vec<Key> = Journal::open(&path).unwrap().1.iter().map(|entry| entry.task.key).collect();
        assert_eq!(keys, [Key::phone(1, 1)]);
    }

    /// A try that takes two megabytes.
    fn large(id: i64) -> Task {
        task(id, 1, Act::Shell { script: "x".repeat(2 << 20) })
    }

    #[tokio::test]
    async fn what_a_full_disk_refuses_is_not_there_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        drop(Journal::open(&path).unwrap());
        let mut db = Connection::open(&path).unwrap();
        // One of them fits, two do not.
        db.pragma_update(None, "max_page_count", 800).unwrap();
        let (mut jobs, mut heard) = (Vec::new(), Vec::new());
        for tasks in [vec![task(1, 1, Act::Reboot)], vec![large(2), large(3)], vec![task(4, 1, Act::Reboot)]] {
            let (done, answer) = oneshot::channel();
            jobs.push(Job::Arrive(tasks, done));
            heard.push(answer);
        }
        let mut answers = Vec::new();
        let mut jobs = jobs.into_iter();
        let why = keep(&mut db, &mut jobs, &mut answers).err().map(|error| error.to_string());
        answers.extend(jobs.map(Job::refuse));
        answers.into_iter().for_each(|answer| answer(why.as_deref()));
        let mut kept = Vec::new();
        for answer in heard {
            match answer.await.unwrap() {
                Ok(tasks) => kept.extend(tasks.into_iter().map(|task| task.key.task)),
                Err(why) => assert!(why.contains("full"), "{why}"),
            }
        }
        assert!(!kept.contains(&2));
        drop(db);
        let (_, entries) = Journal::open(&path).unwrap();
        let there: Vec<i64> = entries.into_iter().map(|entry| entry.task.key.task).collect();
        assert_eq!(there, kept, "what is there was promised, and the other way round");
    }
}
