//! Inspecting uploaded files, each in a process of its own.
//!
//! A parser fed with untrusted data may use any amount of memory, time or stack, or crash. So it runs in a process that
//! may do nothing else (`inspect::confine`): `skyrack inspect`, the same program, gets the open file as its standard
//! input and writes its answer to an unnamed file. If it ends without an answer, the file is refused, and nothing else
//! has happened.

pub mod child;
mod start;
mod table;

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use inspect::{AndroidPackage, Content, Limits};
use kernel::rules::{FileKind, Violation, byte_size};
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::fault::{Fault, Outcome};
use crate::sheet::Problem;

pub use table::{FirstSeen, Table};

/// Files that are inspected at the same time; others wait for their turn.
const AT_A_TIME: usize = 2;
/// Tables that are read at the same time while somebody waits for the answer.
const TABLES_AT_A_TIME: usize = 2;
/// The largest number of rows of a table, without its heading.
pub const MOST_ROWS: u32 = 200_000;
/// The longest wait for one.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of memory for an inspector: a picture of 40 megapixels is decoded in half of it.
const MEMORY: u64 = 512 << 20;
/// Bytes of its stack.
const STACK: u64 = 8 << 20;
/// Bytes of an answer about a whole file, and of one with the rows of a table.
const ANSWER: u64 = 64 << 10;
const ROWS: u64 = 256 << 20;
/// Seconds of CPU time for any file, and the size in bytes for which a large one gets another second.
const PROCESSOR_S: u64 = 30;
const BYTES_A_SECOND: u64 = 8 << 20;

/// The question to an inspector, as its argument.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ask {
    what: What,
    limits: Limits,
    /// The process with which it ends.
    #[serde(default)]
    parent: Option<u32>,
}

/// What is asked about a file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum What {
    /// Whether its content matches its kind.
    Content(FileKind),
    /// Whether it is an Android package, and which.
    Package,
    /// The rows of the table in it.
    Rows,
}

/// The last line of an answer; a table's rows come before it, a line each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Told {
    Content(Content),
    Package(Option<AndroidPackage>),
    /// The table's end, with the number of rows returned: all, or one more than anybody accepts.
    End {
        rows: u32,
    },
    /// It is not such a file, or a dangerous one.
    Refused(Violation),
    /// It is not a table.
    Unread(crate::sheet::Unread),
}

/// Inspects files in processes of their own.
#[derive(Debug)]
pub struct Inspection {
    program: PathBuf,
    turns: Semaphore,
    tables: Semaphore,
}

impl Inspection {
    /// Inspectors are `program`; this one by default, even after its file was replaced by a newer one.
    #[must_use]
    pub fn new(program: Option<PathBuf>) -> Self {
        let program = program.unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
        Self { program, turns: Semaphore::new(AT_A_TIME), tables: Semaphore::new(TABLES_AT_A_TIME) }
    }

    /// Checks a file uploaded as `kind`; the inner error says why it is refused.
    ///
    /// # Errors
    /// When inspecting it exceeded a limit, or the inspector cannot be started.
    pub async fn content(&self, file: &File, kind: FileKind) -> Outcome<Result<Content, Violation>> {
        match self.told(What::Content(kind), file).await? {
            Told::Content(content) => Ok(Ok(content)),
            Told::Refused(violation) => Ok(Err(violation)),
            Told::Package(_) | Told::End { .. } | Told::Unread(_) => Err(unreadable()),
        }
    }

    /// Which Android package a file is, if its manifest says so; the inner error says why it is not one.
    ///
    /// # Errors
    /// When inspecting it exceeded a limit, or the inspector cannot be started.
    pub async fn package(&self, file: &File) -> Outcome<Result<Option<AndroidPackage>, Violation>> {
        match self.told(What::Package, file).await? {
            Told::Package(package) => Ok(Ok(package)),
            Told::Refused(violation) => Ok(Err(violation)),
            Told::Content(_) | Told::End { .. } | Told::Unread(_) => Err(unreadable()),
        }
    }

    /// The rows of a spreadsheet, without blank ones, long cells truncated. They wait on the disk; a refused file
    /// returns none.
    ///
    /// # Errors
    /// When it is not a spreadsheet, a dangerous one or one with too many rows; when inspecting it exceeded a limit, or
    /// the inspector cannot be started.
    pub async fn table(&self, file: &File) -> Outcome<Table> {
        let answer = self.answer(What::Rows, file, ROWS).await?;
        tokio::task::spawn_blocking(|| Table::new(answer)).await.map_err(Fault::internal)?
    }

    /// A turn for reading a table while somebody waits: the memory for tables is calculated by their rows, and many at
    /// once would take many times as much. Tasks have lanes of their own.
    ///
    /// # Errors
    /// When the others take too long.
    pub async fn turn(&self) -> Outcome<SemaphorePermit<'_>> {
        wait_for(&self.tables).await
    }

    /// Reads a small table, so that a machine on which inspection is impossible reports it at startup.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn try_out(&self) -> Outcome<()> {
        let mut file = tempfile::tempfile()?;
        std::io::Write::write_all(&mut file, b"a,b\n")?;
        let mut found = 0;
        self.table(&file).await?.each(|_, cells| {
            found += cells.len();
            std::ops::ControlFlow::Continue(())
        })?;
        if found == 2 { Ok(()) } else { Err(unreadable()) }
    }

    async fn told(&self, what: What, file: &File) -> Outcome<Told> {
        let mut answer = self.answer(what, file, ANSWER).await?;
        let mut text = String::new();
        answer.by_ref().take(ANSWER).read_to_string(&mut text)?;
        serde_json::from_str(&text).map_err(|error| {
            tracing::warn!(%error, ?what, "the file inspector returned an invalid answer");
            unreadable()
        })
    }

    /// An inspector's answer about a file, once it has exited normally.
    async fn answer(&self, what: What, file: &File, most: u64) -> Outcome<File> {
        let _turn = wait_for(&self.turns).await?;
        let mut source = file.try_clone()?;
        source.rewind()?;
        let processor_s = PROCESSOR_S + source.metadata()?.len() / BYTES_A_SECOND;
        let refused = || Fault::field("file", beyond_limits(processor_s));
        let limits = Limits { memory: MEMORY, processor_s, stack: STACK, answer: most };
        let ask =
            serde_json::to_string(&Ask { what, limits, parent: Some(std::process::id()) }).map_err(Fault::internal)?;
        let (mut answer, mut complaint) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = Command::new(&self.program);
        command
            .args(["inspect", &ask])
            // It inherits no secret, and its allocator must not reserve a gigabyte of address space.
            .env_clear()
            .env("MIMALLOC_ARENA_RESERVE", "0")
            .current_dir("/")
            .stdin(Stdio::from(source))
            .stdout(Stdio::from(answer.try_clone()?))
            .stderr(Stdio::from(complaint.try_clone()?))
            .kill_on_drop(true);
        let mut reader = start::start(command)
            .await
            .with_context(|| format!("cannot start {} to read a file", self.program.display()))
            .map_err(Fault::Unavailable)?;
        // Its own limit is CPU time; the machine may be busy.
        let ended = tokio::time::timeout(Duration::from_secs(processor_s * 3), reader.wait()).await;
        let Ok(status) = ended else {
            reader.kill().await?;
            tracing::warn!(?what, "inspecting an uploaded file timed out; the file is refused");
            return Err(refused());
        };
        let status = status?;
        if status.success() {
            answer.rewind()?;
            return Ok(answer);
        }
        complaint.rewind()?;
        let mut words = Vec::new();
        complaint.take(2000).read_to_end(&mut words)?;
        let words = String::from_utf8_lossy(&words);
        if status.code() == Some(child::NOT_CONFINED.into()) {
            return Err(Fault::Unavailable(anyhow::anyhow!("a file inspector cannot be confined: {words}")));
        }
        tracing::warn!(?what, %status, %words, "the inspector process died on an uploaded file; the file is refused");
        Err(refused())
    }
}

async fn wait_for(turns: &Semaphore) -> Outcome<SemaphorePermit<'_>> {
    let busy = |_| Fault::TooMany { retry_after_s: PATIENCE.as_secs() };
    tokio::time::timeout(PATIENCE, turns.acquire()).await.map_err(busy)?.map_err(Fault::internal)
}

/// The inspector exceeded a limit or crashed: the file's fault, never the caller's or ours.
pub(crate) fn unreadable() -> Fault {
    Fault::field("file", beyond_limits(PROCESSOR_S))
}

fn beyond_limits(processor_s: u64) -> Violation {
    Violation::new("file.unreadable").with("memory", byte_size(MEMORY)).with("seconds", processor_s)
}

impl From<Told> for Problem {
    fn from(told: Told) -> Self {
        match told {
            Told::Refused(violation) => Self::Refused(violation),
            Told::Unread(why) => Self::File(why),
            Told::Content(_) | Told::Package(_) | Told::End { .. } => Self::Refused(beyond_limits(PROCESSOR_S)),
        }
    }
}
