//! Inspecting uploaded files, each in a process of its own.
//!
//! A parser fed with untrusted data may use any amount of memory, time or stack, or crash. So it runs in a process that
//! may do nothing else (`inspect::confine`): `skyrack inspect`, the same program, gets the open file as its standard
//! input and writes its answer to an unnamed file. If it ends without an answer, the file is refused, and nothing else
//! has happened.
//!
//! The rows of a table are read back from that file, one by one, and not taken out of a pipe while its reader still
//! works: a reader may break at the last row, and a file that ends badly has to be refused as a whole, before anybody
//! has acted on a part of it. So no reader waits for whoever takes its rows either, and none keeps its turn for that.

pub mod child;
mod end;
mod queue;
mod start;
mod table;

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use inspect::{AndroidPackage, Content, Limits, ProfileSummary};
use kernel::rules::{FileKind, Violation};
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::time::Instant;

use crate::fault::{Fault, Outcome};
use crate::sheet::Problem;
use crate::unnamed;
use queue::{Lines, busy};

pub(crate) use end::unreadable;
pub use queue::{By, Patience, Turn};
pub use table::{FirstSeen, Table};

/// The largest number of rows of a table, without its heading.
pub const MOST_ROWS: u32 = 200_000;
/// Bytes of memory for an inspector.
const MEMORY: u64 = 256 << 20;
/// Bytes of its stack.
const STACK: u64 = 8 << 20;
/// Bytes of an answer about a whole file, and of one with the rows of a table.
const ANSWER: u64 = 64 << 10;
const ROWS: u64 = 256 << 20;
/// Seconds of CPU time for any file, and the size in bytes for which a large one gets another second.
const PROCESSOR_S: u64 = 10;
const BYTES_A_SECOND: u64 = 20 << 20;
/// How many times as long as on a processor of its own a reader may take: others are at work, and go first.
const BESIDE_OTHERS: u64 = 3;

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
    /// What a clean card looks like.
    Profile,
    /// The rows of the table in it.
    Rows,
}

/// The last line of an answer; a table's rows come before it, a line each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Told {
    Content(Content),
    Package(Option<AndroidPackage>),
    Profile(ProfileSummary),
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
    folder: PathBuf,
    lines: Lines,
}

impl Inspection {
    /// Inspectors are `program`; this one by default, even after its file was replaced by a newer one. Their answers
    /// wait on the disk of `folder`.
    #[must_use]
    pub fn new(program: Option<PathBuf>, folder: PathBuf, patience: Patience) -> Self {
        let program = program.unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
        Self { program, folder, lines: Lines::new(patience) }
    }

    /// Reads a small table, so that a machine on which inspection is impossible reports it at startup.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn try_out(&self) -> Outcome<()> {
        let mut file = unnamed::file_in(&self.folder).await?;
        std::io::Write::write_all(&mut file, b"a,b\n")?;
        let mut found = 0;
        self.turn(By::Person, &file).await?.table(&file).await?.each(|_, cells| {
            found += cells.len();
            std::ops::ControlFlow::Continue(())
        })?;
        if found == 2 { Ok(()) } else { Err(Fault::field("file", unreadable())) }
    }
}

impl Turn<'_> {
    /// Checks a file uploaded as `kind`; the inner error says why it is refused.
    ///
    /// # Errors
    /// When inspecting it exceeded a limit, or the inspector cannot be started.
    pub async fn content(&self, file: &File, kind: FileKind) -> Outcome<Result<Content, Violation>> {
        match self.told(What::Content(kind), file).await? {
            Told::Content(content) => Ok(Ok(content)),
            Told::Refused(violation) => Ok(Err(violation)),
            Told::Package(_) | Told::Profile(_) | Told::End { .. } | Told::Unread(_) => {
                Err(Fault::field("file", unreadable()))
            }
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
            Told::Content(_) | Told::Profile(_) | Told::End { .. } | Told::Unread(_) => {
                Err(Fault::field("file", unreadable()))
            }
        }
    }

    /// What a file says that a clean card looks like; the inner error says why it is no such file.
    ///
    /// # Errors
    /// When inspecting it exceeded a limit, or the inspector cannot be started.
    pub async fn profile(&self, file: &File) -> Outcome<Result<ProfileSummary, Violation>> {
        match self.told(What::Profile, file).await? {
            Told::Profile(summary) => Ok(Ok(summary)),
            Told::Refused(violation) => Ok(Err(violation)),
            Told::Content(_) | Told::Package(_) | Told::End { .. } | Told::Unread(_) => {
                Err(Fault::field("file", unreadable()))
            }
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

    async fn told(&self, what: What, file: &File) -> Outcome<Told> {
        let mut answer = self.answer(what, file, ANSWER).await?;
        let mut text = String::new();
        answer.by_ref().take(ANSWER).read_to_string(&mut text)?;
        serde_json::from_str(&text).map_err(|error| {
            tracing::warn!(%error, ?what, "the file inspector returned an invalid answer");
            Fault::field("file", unreadable())
        })
    }

    /// An inspector's answer about a file, once it has exited normally.
    async fn answer(&self, what: What, file: &File, most: u64) -> Outcome<File> {
        let mut source = file.try_clone()?;
        source.rewind()?;
        let size = source.metadata()?.len();
        let limits = Limits { memory: MEMORY, processor_s: processor_s(size), stack: STACK, answer: most };
        let folder = &self.inspection.folder;
        let (mut answer, mut complaint) = tokio::try_join!(unnamed::file_in(folder), unnamed::file_in(folder))?;
        let program = &self.inspection.program;
        let mut reader = start::start(command(program, what, limits, source, &answer, &complaint)?)
            .await
            .with_context(|| format!("cannot start {} to read a file", program.display()))
            .map_err(Fault::Unavailable)?;
        // Its own limit is CPU time; whoever waits has another.
        let until = self.until.min(Instant::now() + reading_time(size));
        let Ok(status) = tokio::time::timeout_at(until, reader.wait()).await else {
            reader.kill().await?;
            tracing::warn!(?what, "inspecting an uploaded file timed out; the machine is busy, or the file hostile");
            return Err(busy(0));
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
        tracing::warn!(?what, %status, %words, "the inspector process ended without an answer about an uploaded file");
        Err(end::fault(status, &words, &limits))
    }
}

/// A reader of `source`.
fn command(
    program: &Path,
    what: What,
    limits: Limits,
    source: File,
    answer: &File,
    complaint: &File,
) -> Outcome<Command> {
    let ask = Ask { what, limits, parent: Some(std::process::id()) };
    let ask = serde_json::to_string(&ask).map_err(Fault::internal)?;
    let mut command = Command::new(program);
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
    Ok(command)
}

/// Seconds of CPU time for a file of `size` bytes.
const fn processor_s(size: u64) -> u64 {
    PROCESSOR_S + size / BYTES_A_SECOND
}

/// How long a file of `size` bytes may be read.
const fn reading_time(size: u64) -> Duration {
    Duration::from_secs(processor_s(size) * BESIDE_OTHERS)
}

impl From<Told> for Problem {
    fn from(told: Told) -> Self {
        match told {
            Told::Refused(violation) => Self::Refused(violation),
            Told::Unread(why) => Self::File(why),
            Told::Content(_) | Told::Package(_) | Told::Profile(_) | Told::End { .. } => Self::Refused(unreadable()),
        }
    }
}
