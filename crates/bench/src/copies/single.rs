//! One phone: its first copy, its return on another card, and the copy after that, of which one file in a hundred has
//! changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use super::bare::{ALL, Adb, CHANGED};
use super::place::{BACK_UP, COPY, PUT_ON, Place, RESTORE, between};
use super::restic::{AS_OURS, Restic};
use super::{BESIDES, GOAL, IN_FOLDER, Size, scratch, seconds, settled};
use crate::report::{Line, Report};

/// Among so many cards some run the same image.
const CARDS: usize = 16;

/// Bytes that have to be free: our repository and theirs, the files, theirs restored, a card that a copy has come on, and
/// one that the bare stream is written to.
pub const fn needed(size: Size) -> u64 {
    size.bytes(6) + BESIDES
}

/// What others take for the same.
struct Theirs {
    /// The bytes over ADB.
    stream: Duration,
    restic: Duration,
}

impl Theirs {
    const fn both(&self) -> Duration {
        self.stream.saturating_add(self.restic)
    }
}

/// What we take.
struct Ours {
    step: Duration,
    /// From the press to the end.
    whole: Duration,
}

impl Ours {
    /// Set beside the others.
    fn row(&self, what: String, theirs: &Theirs, goal: Option<f64>, report: &mut Report) {
        let ratio = |ours: Duration| ours.as_secs_f64() / theirs.both().as_secs_f64();
        report.add(Line {
            goal: GOAL,
            what,
            ours: format!(
                "{:.2} x: {} the step; {:.2} x: {} end to end",
                ratio(self.step),
                seconds(self.step),
                ratio(self.whole),
                seconds(self.whole)
            ),
            floor: format!("{} (restic {})", seconds(theirs.both()), seconds(theirs.restic)),
            raw: seconds(theirs.stream),
            wanted: &goal.map_or_else(String::new, |goal| format!("step ≤ {goal:.1} x")),
        });
    }
}

pub async fn measure(binary: &Path, size: Size, report: &mut Report) -> anyhow::Result<()> {
    let (_folder, path) = scratch()?;
    let place = Place::open(binary, &path, CARDS).await?;
    let adb = Adb::new(&path)?;
    let sources = place.sources(1).await?;
    let phones = place.phones(1).await?;
    let phone = phones[0];
    place.leave(&sources, true).await?;
    place.act("put-on", &phones).await?;
    let card = place.card_of(phone).await?;
    adb.connect(&card).await?;
    adb.fill(&card, size, 1).await?;

    settled().await?;
    let whole = place.act("back-up", &phones).await?;
    let ours = Ours { step: between(place.step(phone, BACK_UP, COPY).await?), whole };
    settled().await?;
    let stream = adb.stream(&card, ALL).await?;
    let tree = folder(&path, "tree")?;
    adb.fetch(&card, ALL, &tree).await?;
    let files = files(&tree)?;
    ensure!(files == size.folders() * IN_FOLDER, "{files} files came over ADB");
    let restic = Restic::init(&path).await?;
    settled().await?;
    let theirs = Theirs { stream, restic: restic.back_up(&tree).await? };
    ours.row(format!("first backup, beside `restic backup` ({AS_OURS})"), &theirs, Some(1.0), report);

    // It does not come back to its own card, and others are free: nothing is wiped meanwhile.
    place.leave(&sources, false).await?;
    place.act("take-off", &phones).await?;
    settled().await?;
    let whole = place.act("put-on", &phones).await?;
    let ours = Ours { step: between(place.step(phone, PUT_ON, RESTORE).await?), whole };
    let other = place.card_of(phone).await?;
    ensure!(other.id != card.id, "the phone has come back to its own card, and nothing was restored");
    let restored = folder(&path, "restored")?;
    settled().await?;
    let theirs = restic.restore(&restored).await?;
    let spare = place.cards().await?.into_iter().find(|one| ![card.id, other.id].contains(&one.id));
    let spare = spare.context("a third card")?;
    adb.connect(&spare).await?;
    let (way, stream) = adb.write(&spare, &tree).await?;
    let theirs = Theirs { stream, restic: theirs };
    let what = format!("restore on another card, beside `restic restore` and `{way}`, the quicker of two ways by adb");
    ours.row(what, &theirs, Some(0.9), report);

    adb.connect(&other).await?;
    adb.change(&other, size, 1_000_003).await?;
    settled().await?;
    let whole = place.act("back-up", &phones).await?;
    let ours = Ours { step: between(place.step(phone, BACK_UP, COPY).await?), whole };
    let (read, of) = place.read().await?;
    let stream = adb.stream(&other, CHANGED).await?;
    adb.fetch(&other, CHANGED, &tree).await?;
    adb.fetch(&other, CHANGED, &restored).await?;
    settled().await?;
    let theirs = Theirs { stream, restic: restic.back_up(&tree).await? };
    let what = format!(
        "backup after that, 1 % changed ({read} of {of} files read), beside restic on files that were not restored"
    );
    ours.row(what, &theirs, Some(0.7), report);
    settled().await?;
    let theirs = Theirs { stream, restic: restic.back_up(&restored).await? };
    ours.row("the same, beside restic on the files that it has restored".to_owned(), &theirs, None, report);
    Ok(())
}

/// A new folder.
fn folder(path: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let folder = path.join(name);
    std::fs::create_dir(&folder)?;
    Ok(folder)
}

/// Files in the folders of a folder.
fn files(tree: &Path) -> anyhow::Result<u64> {
    let mut count = 0;
    for folder in std::fs::read_dir(tree)? {
        count += std::fs::read_dir(folder?.path())?.count() as u64;
    }
    Ok(count)
}
