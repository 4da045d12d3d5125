//! What lies below a folder of a card: names as bytes, with rights, owners and sizes.
//!
//! It is read by root's own `find`, never by ADB's file service, which answers a folder that it cannot open as an empty
//! one (AOSP `file_sync_service.cpp`, `do_list`). Names end with NUL, since they may contain everything else; what is
//! known of each comes as a second list in the same order, since `stat` of toybox cannot end its lines with NUL, and is
//! taken as it comes (`pairs.rs`). So nothing may change meanwhile: a list whose two halves do not fit together is refused,
//! as is one with a single error.
//!
//! `find` stays on the file system of the folder, so what is mounted on the card is told with the names.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::time::Duration;

use adb::{Card, Command, Error, Output};
use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::mounts::Mounts;
use crate::pairs::{Compared, Pairs};

/// The most bytes of an answer, and of names that any number of cards may tell at once: about half a million files.
const MOST: usize = 64 << 20;
/// The most bytes of names of one card: two million files have 200 MB of them, and are refused at more than twice that.
const NAMES: usize = 512 << 20;
/// The most bytes of what is known of names, with the names themselves.
const NAMED: usize = 2 * NAMES;
/// Cards that tell more than [`MOST`] do so one after the other.
static TURN: Semaphore = Semaphore::const_new(1);
/// Apps that go on make and remove files: a list is read so often until it fits together.
const TIMES: usize = 5;
/// How often it is waited for a card on which an earlier try may still write, and for how long each time.
const PAUSES: u32 = 15;
const PAUSE: std::time::Duration = std::time::Duration::from_secs(1);
/// Reading many files, or hashing them, takes this long at most.
const LONG: Duration = Duration::from_mins(10);
/// What is done to names that come by themselves, one after the other, ended by NUL.
const EACH: &str = "xargs -0 -r";

/// How a program ends a line about something that is not there: `ENOENT`.
const GONE: &str = "No such file or directory";

/// The bits of a mode that say what something is (`S_IFMT`), and those for files, folders and links.
const KIND: u32 = 0o170_000;
pub const FILE: u32 = 0o100_000;
pub const FOLDER: u32 = 0o040_000;
pub const LINK: u32 = 0o120_000;

/// What is known of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `st_mode`.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// Bytes.
    pub size: u64,
}

impl Entry {
    /// Whether it is a regular file.
    #[must_use]
    pub const fn is_file(&self) -> bool {
        self.mode & KIND == FILE
    }

    /// Whether it is a folder.
    #[must_use]
    pub const fn is_folder(&self) -> bool {
        self.mode & KIND == FOLDER
    }

    /// Whether it is a symbolic link.
    #[must_use]
    pub const fn is_link(&self) -> bool {
        self.mode & KIND == LINK
    }

    /// Whether something else is the same kind of thing.
    #[must_use]
    pub const fn is_as(&self, other: &Self) -> bool {
        self.mode & KIND == other.mode & KIND
    }

    /// Four numbers as `stat -c '%f %u %g %s'` prints them.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mode = u32::from_str_radix(words.next()?, 16).ok()?;
        let (uid, gid) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let size = words.next()?.parse().ok()?;
        words.next().is_none().then_some(Self { mode, uid, gid, size })
    }
}

/// What is known of something, and when it was changed: seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The same without the times.
    pub entry: Entry,
    /// When its content was.
    pub modified: i64,
    /// When anything about it was.
    pub changed: i64,
    /// The number of its inode: two files that were written at the same moment may change places.
    pub inode: u64,
}

impl Timed {
    /// Seven numbers as `stat -c '%f %u %g %s %Y %Z %i'` prints them.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let (rest, inode) = line.rsplit_once(' ')?;
        let (rest, changed) = rest.rsplit_once(' ')?;
        let (rest, modified) = rest.rsplit_once(' ')?;
        let (modified, changed, inode) = (modified.parse().ok()?, changed.parse().ok()?, inode.parse().ok()?);
        Some(Self { entry: Entry::read(rest)?, modified, changed, inode })
    }
}

impl Borrow<Entry> for Timed {
    fn borrow(&self) -> &Entry {
        &self.entry
    }
}

/// As `stat` prints what is known of something with its times.
const TIMED: &str = "%f %u %g %s %Y %Z %i";

/// What lies below a folder, by its path from there.
pub type Listing = BTreeMap<Vec<u8>, Entry>;

/// The same with times.
pub type TimedListing = BTreeMap<Vec<u8>, Timed>;

/// Why there is no list.
#[derive(Debug)]
pub enum Unread {
    /// The card does not answer.
    Card(Error),
    /// Something was made or removed meanwhile: it may go better the next time.
    Changed(String),
    /// What could not be read, or does not fit together.
    Because(String),
    /// More than this machine has memory for.
    TooMany,
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Self::Card(error)
    }
}

/// Lists everything below a folder, on its file system, and tells what is mounted.
///
/// # Errors
/// A folder in it cannot be opened, something changes meanwhile, or the card does not answer.
pub async fn list(card: &Card, folder: &str) -> Result<(Listing, Mounts), Unread> {
    let mut listing = Listing::new();
    let add = |name: &[u8], entry| _ = listing.insert(name.to_vec(), entry);
    let mounts = read(card, folder, "%f %u %g %s", Entry::read, add).await?;
    Ok((listing, mounts))
}

/// The same with the times of everything.
///
/// # Errors
/// As [`list`].
pub async fn list_timed(card: &Card, folder: &str) -> Result<(TimedListing, Mounts), Unread> {
    let mut listing = TimedListing::new();
    let add = |name: &[u8], timed| _ = listing.insert(name.to_vec(), timed);
    let mounts = read(card, folder, TIMED, Timed::read, add).await?;
    Ok((listing, mounts))
}

/// What differs first from what was listed of a folder, of what `counts`; nothing if it is the same. It is compared as it
/// comes: two lists of a large phone at once are too much.
///
/// # Errors
/// As [`list`].
pub async fn differs(
    card: &Card,
    folder: &str,
    before: &TimedListing,
    counts: fn(&[u8]) -> bool,
) -> Result<Option<String>, Unread> {
    let mut compared = Compared::with(before, counts);
    read(card, folder, TIMED, Timed::read, |name: &[u8], timed| compared.take(name, timed)).await?;
    Ok(compared.told())
}

/// The same of a phone that goes on: what is removed meanwhile is not in it, and what is made meanwhile may be.
///
/// # Errors
/// A folder cannot be opened that is there, or the card does not answer.
pub async fn list_going_on(card: &Card, folder: &str) -> Result<(TimedListing, Mounts), Unread> {
    let (names, mounts) = but_for_the_gone(all(card, &find(folder), NAMES).await?).and_then(parted)?;
    let names = Bytes::from(names);
    // Each line says whose it is, since those of what is gone are missing.
    let stat = format!("cd {folder} && {EACH} stat -c '%f %u %g %s %Y %Z %i %n'");
    let known = Command::script(&stat).stdin(names.clone());
    let known = but_for_the_gone(all(card, &known, NAMED).await?)?;
    Ok((named(&names, &known)?, mounts))
}

/// What `read` finds, which is done again as long as something is made or removed meanwhile.
///
/// # Errors
/// Something is each time, or it fails otherwise.
pub async fn again<T, F: Future<Output = Result<T, Unread>>>(read: impl Fn() -> F) -> Result<T, Unread> {
    for _ in 1..TIMES {
        match read().await {
            Err(Unread::Changed(_)) => {}
            ended => return ended,
        }
    }
    read().await
}

/// The same, with a pause each time: what an earlier try has begun on the card goes on writing for a moment after its
/// connection has broken.
///
/// # Errors
/// Something is made or removed for longer, or it fails otherwise.
pub async fn once_quiet<T, F: Future<Output = Result<T, Unread>>>(read: impl Fn() -> F) -> Result<T, Unread> {
    for _ in 0..PAUSES {
        match read().await {
            Err(Unread::Changed(_)) => tokio::time::sleep(PAUSE).await,
            ended => return ended,
        }
    }
    read().await
}

/// Tells of `each` name what is known of it, and what is mounted on the card.
async fn read<T: Send>(
    card: &Card,
    folder: &str,
    what: &str,
    read: fn(&str) -> Option<T>,
    mut each: impl FnMut(&[u8], T) + Send,
) -> Result<Mounts, Unread> {
    let (names, mounts) = well(all(card, &find(folder), NAMES).await?).and_then(parted)?;
    let mut pairs = Pairs::of(&names, read);
    let known = Command::script(&format!("{} | {EACH} stat -c '{what}'", names_below(folder)));
    let told = async {
        let mut printing = card.printing(&known).await?;
        while let Some(bytes) = printing.next().await? {
            pairs.take(&bytes, &mut each)?;
        }
        let ended = printing.ended().cloned().unwrap_or_default();
        well(Output { exit: Some(ended.exit), stderr: ended.stderr, ..Output::default() })?;
        pairs.end(&mut each)
    };
    let too_long = Unread::Card(Error::Timeout { step: "what is known of files", after: LONG });
    timeout(LONG, told).await.unwrap_or(Err(too_long))?;
    Ok(mounts)
}

/// All that a command prints, up to so many bytes: beyond [`MOST`] once no other card does the same.
async fn all(card: &Card, command: &Command, limit: usize) -> Result<Output, Unread> {
    match card.run_whole(command, LONG, MOST).await {
        Err(Error::TooLarge { .. }) => {}
        said => return Ok(said?),
    }
    // It is never closed.
    let _turn = TURN.acquire().await;
    let said = card.run_whole(command, LONG, limit).await;
    said.map_err(|error| if matches!(error, Error::TooLarge { .. }) { Unread::TooMany } else { error.into() })
}

/// The same for what grows with the files of a phone; it has to end well.
///
/// # Errors
/// As [`whole`], or it is more than this machine has memory for.
pub async fn large(card: &Card, command: &Command) -> Result<Vec<u8>, Unread> {
    well(all(card, command, NAMES).await?)
}

/// A line that prints the name of everything below a folder, on its file system, each ended by NUL.
fn names_below(folder: &str) -> String {
    format!("cd {folder} && find . -xdev -mindepth 1 -print0")
}

/// The same after what is mounted, as `parted` reads it.
fn find(folder: &str) -> Command {
    Command::script(&format!("cat /proc/mounts && printf '\\0' && {}", names_below(folder)))
}

/// The names that a card has printed, and what is mounted there.
fn parted(mut said: Vec<u8>) -> Result<(Vec<u8>, Mounts), Unread> {
    let end = said.iter().position(|byte| *byte == 0);
    let mounts = end.and_then(|end| Mounts::read(&said[..end]));
    let mounts = mounts.ok_or_else(|| Unread::Because("the card does not say what is mounted".into()))?;
    said.drain(..=end.unwrap_or_default());
    Ok((said, mounts))
}

/// What is known of those of the names that are told of, in their order: seven numbers, and the name.
fn named(names: &[u8], known: &[u8]) -> Result<TimedListing, Unread> {
    let mut names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let (mut listing, mut rest) = (TimedListing::new(), known);
    while !rest.is_empty() {
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let strange = || Unread::Because(format!("stat says \"{}\"", String::from_utf8_lossy(line)));
        let (end, _) = rest.iter().enumerate().filter(|(_, byte)| **byte == b' ').nth(6).ok_or_else(strange)?;
        let timed = str::from_utf8(&rest[..end]).ok().and_then(Timed::read).ok_or_else(strange)?;
        let tail = &rest[end + 1..];
        // Those before it are gone. A name that is told as another is none of them.
        let is_it = |name: &&[u8]| tail.strip_prefix(*name).is_some_and(|after| after.first() == Some(&b'\n'));
        let name = names.find(is_it).ok_or_else(strange)?;
        listing.insert(name.strip_prefix(b"./").unwrap_or(name).to_vec(), timed);
        rest = &tail[name.len() + 1..];
    }
    Ok(listing)
}

/// The SHA-256 of each of these files, in hex.
///
/// # Errors
/// One cannot be read, or the card does not answer.
pub async fn hashes(card: &Card, folder: &str, names: &[&[u8]]) -> Result<Vec<String>, Unread> {
    // `-b` is brief: without the names, which may have line breaks.
    of_each(card, folder, "sha256sum -b", names).await
}

/// Where each of these links leads. One that leads to something with a line break is refused.
///
/// # Errors
/// One cannot be read, or the card does not answer.
pub async fn targets(card: &Card, folder: &str, names: &[&[u8]]) -> Result<Vec<String>, Unread> {
    of_each(card, folder, "readlink", names).await
}

/// What a program prints of each of these names, line by line.
async fn of_each(card: &Card, folder: &str, program: &str, names: &[&[u8]]) -> Result<Vec<String>, Unread> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let command = Command::script(&format!("cd {folder} && {EACH} {program}")).stdin(ended(names));
    let bytes = large(card, &command).await?;
    let lines: Vec<String> = String::from_utf8_lossy(&bytes).lines().map(|line| line.trim_end().to_owned()).collect();
    if lines.len() == names.len() {
        return Ok(lines);
    }
    Err(Unread::Because(format!("{program} of {} names printed {} lines", names.len(), lines.len())))
}

/// Names for a program that reads them, each ended by NUL.
#[must_use]
pub fn ended(names: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(names.iter().map(|name| name.len() + 3).sum());
    for name in names {
        // So that none is taken for an option.
        bytes.extend_from_slice(b"./");
        bytes.extend_from_slice(name);
        bytes.push(0);
    }
    bytes
}

/// All that a command prints, which has to end well and without a word of complaint.
///
/// # Errors
/// It complains or fails, or the card does not answer.
pub async fn whole(card: &Card, command: &Command) -> Result<Vec<u8>, Unread> {
    well(card.run_whole(command, LONG, MOST).await?)
}

/// What a command has printed, which has to have ended well and without a word of complaint.
///
/// # Errors
/// It has complained or failed.
pub fn well(output: Output) -> Result<Vec<u8>, Unread> {
    if output.exit == Some(0) && output.stderr.is_empty() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or_default();
    let why = format!("exit code {}: {said}", output.exit.map_or_else(|| "none".into(), |it| it.to_string()));
    // What was named a moment ago.
    Err(if said.ends_with(GONE) { Unread::Changed(why) } else { Unread::Because(why) })
}

/// The same of one that may have complained of what is gone, and of nothing else.
fn but_for_the_gone(output: Output) -> Result<Vec<u8>, Unread> {
    let is_of_the_gone = {
        let said = String::from_utf8_lossy(&output.stderr);
        !said.is_empty() && said.lines().all(|line| line.ends_with(GONE))
    };
    if output.exit.is_some() && is_of_the_gone { Ok(output.stdout) } else { well(output) }
}

#[cfg(test)]
mod tests {
    use adb::Output;

    use super::{Entry, Timed, Unread, but_for_the_gone, ended, named, parted};

    #[test]
    fn times_and_the_inode_are_the_last_three_numbers() {
        let entry = Entry { mode: 0o100_644, uid: 1000, gid: 1001, size: 12 };
        assert_eq!(
            Timed::read("81a4 1000 1001 12 -1 1700000000 77"),
            Some(Timed { entry, modified: -1, changed: 1_700_000_000, inode: 77 })
        );
        for other in ["81a4 1000 1001 12 1 2", "81a4 1000 1001 12 1 2 x", "81a4 1000 1001 12 1 2 3 4", ""] {
            assert_eq!(Timed::read(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_gone_is_passed_over_and_nothing_is_taken_for_another() {
        let names = b"./a\0./a/b\nc\0./gone\0./a/\xff\0./also gone\0";
        let known = b"41ed 0 0 4096 1 2 3 ./a\n81a4 7 8 12 4 5 6 ./a/b\nc\n81a4 0 0 3 7 8 9 ./a/\xff\n";
        let listing = named(names, known).ok().unwrap_or_default();
        let read: Vec<(&[u8], u64)> = listing.iter().map(|(name, timed)| (name.as_slice(), timed.inode)).collect();
        assert_eq!(read, [(b"a".as_slice(), 3), (b"a/b\nc", 6), (b"a/\xff", 9)]);
        assert!(named(names, b"").is_ok_and(|none| none.is_empty()));
        for other in [&b"41ed 0 0 4096 1 2 3 ./?\n"[..], b"41ed 0 0 4096 1 2 3 ./a", b"41ed 0 0 4096 ./a\n", b"\n"] {
            assert!(matches!(named(names, other), Err(Unread::Because(_))), "{}", String::from_utf8_lossy(other));
        }
        // Twice, or in another order.
        assert!(named(b"./a\0", b"41ed 0 0 1 1 2 3 ./a\n41ed 0 0 1 1 2 3 ./a\n").is_err());
    }

    #[test]
    fn a_program_may_complain_of_what_is_gone_alone() {
        let said = |exit, stderr: &str| {
            let output = Output { stdout: b"x".to_vec(), stderr: stderr.into(), exit, ..Output::default() };
            but_for_the_gone(output).is_ok()
        };
        assert!(said(Some(0), "") && said(Some(123), "stat: './a': No such file or directory\n"));
        assert!(!said(Some(1), "") && !said(None, "stat: './a': No such file or directory\n"));
        assert!(!said(Some(1), "find: ./a: No such file or directory\nfind: ./b: Permission denied\n"));
    }

    #[test]
    fn names_come_after_what_is_mounted_or_are_none() {
        let said = b"/dev/block/dm-5 /data f2fs rw 0 0\n\0./a\0./b\nc\0";
        assert!(parted(said.to_vec()).is_ok_and(|(names, _)| names == b"./a\0./b\nc\0"));
        assert!(parted(b"/dev/block/dm-5 /data f2fs rw 0 0\n\0".to_vec()).is_ok_and(|(names, _)| names.is_empty()));
        for other in [&b""[..], b"./a\0./b\0", b"\0./a\0", b"/dev/block/dm-5 /data f2fs rw 0 0\n"] {
            assert!(matches!(parted(other.to_vec()), Err(Unread::Because(_))), "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn no_name_is_taken_for_an_option() {
        assert_eq!(ended(&[b"-rf", b"a b"]), b"./-rf\0./a b\0");
    }
}
