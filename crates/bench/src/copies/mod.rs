//! What backups and restores of phones cost: console, agent and simulated cards as in a room, beside Debian's `restic` on
//! the same files and Debian's `adb`, which carries the same bytes and does nothing with them. All of it on one machine
//! and one disk, in one run.

mod bare;
mod many;
mod place;
mod restic;
mod single;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, ensure};
use clap::Args;
use tempfile::TempDir;
use tokio::process::Command;

use crate::report::{Line, Report};

/// Where what is copied lies meanwhile, and how the folders of these runs begin; then comes the process.
const SCRATCH: &str = "target";
const PREFIX: &str = "copies-";
/// What the rows are called in the column of goals: theirs are not in PERFORMANCE.md.
const GOAL: &str = "copies";
/// Files in a folder of a phone. The first of each changes, so that one in a hundred does.
const IN_FOLDER: u64 = 100;
/// Sizes come round after so many files.
const ROUND: u64 = 20;
/// What a run needs besides what is copied: databases, journals, and what is left on the disk.
const BESIDES: u64 = 1 << 30;

/// How much is copied.
#[derive(Clone, Copy, Debug, Args)]
pub struct Size {
    /// MiB of a phone.
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u64).range(16..=8192))]
    mib: u64,
    /// Files of a phone; rounded up to hundreds.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=100_000))]
    files: u64,
    /// Phones that are copied at once for the memory of the agent.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=30))]
    transfers: u64,
}

impl Size {
    const fn folders(self) -> u64 {
        self.files.div_ceil(IN_FOLDER)
    }

    /// Of twenty files one is large, three are middling and the others small; the bytes of each.
    const fn sizes(self) -> [u64; 3] {
        let mean = (self.mib << 20) / (self.folders() * IN_FOLDER);
        let (small, middle) = (mean * 15 / 100, mean * 240 / 100);
        [small, middle, ROUND * mean - 3 * middle - 16 * small]
    }

    /// Bytes of so many phones, with a twentieth for what a repository has besides.
    const fn bytes(self, phones: u64) -> u64 {
        (self.mib << 20) * phones * 21 / 20
    }
}

/// Measures one phone, and then many at once, and writes both down. What was copied is removed, also on Ctrl-C.
pub async fn run(binary: &Path, size: Size, out: &Path) -> anyhow::Result<()> {
    tokio::select! {
        measured = measure(binary, size, out) => measured,
        _ = tokio::signal::ctrl_c() => Err(anyhow!("stopped: nothing was written down, and what was copied is gone")),
    }
}

async fn measure(binary: &Path, size: Size, out: &Path) -> anyhow::Result<()> {
    sweep()?;
    let tools = format!("{} and {}", restic::version().await?, bare::version().await?);
    let (free, needed) = (free().await?, single::needed(size));
    ensure!(
        free >= needed,
        "{} are free in {SCRATCH}, and {} are needed: make room, or copy less (--mib)",
        gib(free),
        gib(needed)
    );
    let on = format!(
        "Phones of {} MiB in {} files that cannot be compressed, beside {tools}; SQLite",
        size.mib,
        size.folders() * IN_FOLDER
    );
    let mut report = Report::new("copies figures", on);
    single::measure(binary, size, &mut report).await?;
    // What the first part has copied is gone by now.
    let many = many::measure(binary, size, &mut report).await;
    if let Err(why) = &many {
        let (what, ours) = (format!("{} phones at once", size.transfers), format!("not measured: {why:#}"));
        let ours = ours.replace(['|', '\n'], " ");
        report.add(Line { goal: GOAL, what, ours, wanted: many::WANTED, ..Line::default() });
    }
    report.write(out)?;
    many
}

/// A folder for what is copied, and its path. It is gone with the value.
fn scratch() -> anyhow::Result<(TempDir, PathBuf)> {
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(SCRATCH)?;
    let path = folder.path().canonicalize()?;
    Ok((folder, path))
}

/// Removes what runs have left that were killed.
fn sweep() -> anyhow::Result<()> {
    for entry in std::fs::read_dir(SCRATCH)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let Some((process, _)) = rest.split_once('-') else { continue };
        if !Path::new("/proc").join(process).exists() {
            println!("{} is left of a run that was killed: it goes", entry.path().display());
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Bytes that are free where it is copied to.
async fn free() -> anyhow::Result<u64> {
    let mut df = Command::new("df");
    df.args(["--output=avail", "-B1", SCRATCH]);
    let said = ran(df).await?.said;
    let number = said.split_whitespace().last().and_then(|word| word.parse().ok());
    number.with_context(|| format!("df says no number: {said}"))
}

/// What a program has said that has ended well, and how long it took.
struct Ran {
    took: Duration,
    said: String,
}

/// Runs a program to its end, which has to be a good one.
async fn ran(mut command: Command) -> anyhow::Result<Ran> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let started = Instant::now();
    let output = command.output().await;
    let took = started.elapsed();
    let output = output.with_context(|| format!("start {command:?}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    Ok(Ran { took, said })
}

/// The first words of what a program says of itself.
async fn said_by(program: &str, argument: &str) -> anyhow::Result<String> {
    let mut command = Command::new(program);
    command.arg(argument);
    let ran = ran(command).await.with_context(|| format!("{program} is missing: apt-get install adb restic"))?;
    Ok(ran.said)
}

/// Waits until everything is on the disk that was written: nobody pays for what others have left to be written.
async fn settled() -> anyhow::Result<()> {
    ran(Command::new("sync")).await.map(drop)
}

fn seconds(took: Duration) -> String {
    format!("{:.2} s", took.as_secs_f64())
}

fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64)
}
