//! A copy comes on a card on which its packages are installed already: the framework is stopped, the folders that a copy
//! has are emptied and filled, each thing with the owner that it has on this card, and what is there then is compared with
//! the copy.
//!
//! A note on the card says for which start of it the folders were emptied. In the same start a second try compares and
//! writes what is missing; after another start, whatever was written may not have reached the flash, and apps have run:
//! everything is written anew.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use adb::{Card, Command, PackageName};
use snapshot::Run;
use store::Urgency;
use tokio::sync::mpsc;
use wire::copy::{Amount, Manifest, PackageData, RestoreOrder};
use wire::{Outcome, Reason, Task};

use super::cleared::has_stopped;
use super::installed::inventory;
use super::noted::{NOTE, Note, TOGETHER, numbers};
use super::owned::{Guard, booted};
use super::running::{Failed, Watched, keys, place, told};
use super::standing::{Standing, clock};
use crate::baseline;
use crate::clean::ROOT;
use crate::cover::OWNER;
use crate::done::Done;
use crate::listing::{self, TimedListing, ended};
use crate::owners::Owners;
use crate::refused::Refused;
use crate::sink::{CardSink, Part, Wanted, is_as};
use crate::tools::Tools;

/// Bytes that are written between two times at which all of it has to reach the flash.
const UNSYNCED: u64 = 256 << 20;
/// Things that are told of what is not as it should be.
const TOLD: usize = 3;

/// Restores a copy.
pub async fn restore(tools: &Tools, card: &Card, task: &Task, guard: &Guard<'_>, order: &RestoreOrder) -> Done {
    let mut work = Work { tools, card, task, guard, order, has_begun: false };
    match work.run().await {
        Ok(()) => Done::so(Outcome::Succeeded),
        Err(Refused(code, why)) if work.has_begun => Done::so(Outcome::failed(code, why)),
        Err(why) => told(why),
    }
}

/// What is needed on the way.
struct Work<'a> {
    tools: &'a Tools,
    card: &'a Card,
    task: &'a Task,
    guard: &'a Guard<'a>,
    order: &'a RestoreOrder,
    /// Something was changed on the card, or may have been.
    has_begun: bool,
}

impl Work<'_> {
    async fn run(&mut self) -> Result<(), Refused> {
        let keys = keys(self.tools, self.task).await?;
        let Some(manifest) = keys.manifest else {
            return Err(Refused(Reason::PackagesMissing, "it is not known what the copy has".to_owned()));
        };
        let before = Standing::of(self.card).await?;
        before.check(self.guard.mark)?;
        // A node that is not there is told before the phone is stopped.
        let stores = Arc::clone(&self.tools.stores);
        let (repo, key) = (self.order.repo.clone(), keys.key.clone());
        self.watched(0).watch(move |run, _| place(&stores, &repo, &key, run, Urgency::Awaited).map(|_| ())).await?;

        let mut note = if before.is_stopped { self.noted().await? } else { self.stop(&manifest).await? };
        let there = if note.is_emptied {
            as_in_copies(&listing::once_quiet(|| listing::list_timed(self.card, ROOT)).await?.0)
        } else {
            self.empty(&note).await?;
            note.is_emptied = true;
            self.note(&note).await?;
            TimedListing::new()
        };
        let owners = Owners::new(&manifest.packages, note.packages);
        let wanted = self.write(keys.key, owners, there).await?;
        self.label(&wanted).await?;
        let (there, _) = listing::once_quiet(|| listing::list_timed(self.card, ROOT)).await?;
        match strange(&wanted, &as_in_copies(&there)) {
            None => self.remember(&there).await,
            Some(why) => Err(Refused(Reason::RestoreUnproved, why)),
        }
    }

    /// Leaves on the card how it is now, for the next copy. Without it that one reads everything.
    async fn remember(&self, there: &TimedListing) -> Result<(), Refused> {
        let text = baseline::text(self.guard.mark, &self.order.snapshot, clock(self.card).await?, there);
        let place = baseline::PLACE;
        let line = format!("cat >{place}.new && chmod 600 {place}.new && mv {place}.new {place} && sync");
        self.line(&line, text).await
    }

    const fn watched(&self, bytes: u64) -> Watched<'_> {
        Watched::of(self.tools, self.task, bytes)
    }

    async fn line(&self, line: &str, input: Vec<u8>) -> Result<(), Refused> {
        self.guard.must(self.tools, self.card, line, input).await
    }

    /// What an earlier try, after which the framework is down, has noted in this start of the card.
    async fn noted(&mut self) -> Result<Note, Refused> {
        let said = listing::whole(self.card, &Command::script(&format!("[ ! -e {NOTE} ] || cat {NOTE}"))).await?;
        let note = Note::read(&String::from_utf8_lossy(&said));
        if note.boot_id == self.guard.boot_id {
            self.has_begun = true;
            return Ok(note);
        }
        Err(Refused(Reason::Unhealthy, "the framework of the card is down, and nobody has noted why".to_owned()))
    }

    async fn note(&self, note: &Note) -> Result<(), Refused> {
        let line = format!("cat >{NOTE}.new && chmod 600 {NOTE}.new && sync && mv {NOTE}.new {NOTE} && sync");
        self.line(&line, note.text().into_bytes()).await
    }

    /// Notes whose numbers are which, and stops the framework.
    async fn stop(&mut self, manifest: &Manifest) -> Result<Note, Refused> {
        booted(self.card).await?;
        let folders = numbers(self.card, &format!("user/{OWNER}")).await?;
        let number = |package: PackageData| {
            let told = Some(package.uid).filter(|uid| *uid != 0);
            let uid = folders.get(&package.name).copied().or(told)?;
            Some((package.name, uid))
        };
        let mut packages: HashMap<String, u32> = inventory(self.card).await?.into_iter().filter_map(number).collect();
        // One that has nothing in the copy may be missing.
        let needed = manifest.packages.iter().filter(|package| package.is_own || package.amount != Amount::default());
        let missing: Vec<&str> =
            needed.map(|package| package.name.as_str()).filter(|name| !packages.contains_key(*name)).collect();
        if let Some(first) = missing.first() {
            let why = format!("{first} is not installed, nor are {} more of the copy", missing.len() - 1);
            return Err(Refused(Reason::PackagesMissing, why));
        }
        // Whoever asks for a folder by a name that is none gets another one.
        packages.retain(|name, _| PackageName::new(name).is_ok());
        let note = Note { boot_id: self.guard.boot_id.to_owned(), is_emptied: false, packages };
        self.has_begun = true;
        self.note(&note).await?;
        self.line("stop", Vec::new()).await?;
        has_stopped(self.card).await?;
        Ok(note)
    }

    /// Empties what a copy may have: the data of apps, and what users see as their files.
    async fn empty(&self, note: &Note) -> Result<(), Refused> {
        let names: BTreeSet<&str> = note.packages.keys().map(String::as_str).collect();
        let folders: Vec<Vec<u8>> = names
            .iter()
            .flat_map(|name| ["user", "user_de"].map(|at| format!("{at}/{OWNER}/{name}").into_bytes()))
            .collect();
        self.each(&folders, "rm -rf --").await?;
        let shared = format!(
            "cd {ROOT} && for d in media/{OWNER} media/obb; do [ ! -d $d ] || \
             find $d -mindepth 1 -maxdepth 1 -print0 | xargs -0 -r rm -rf -- || exit 1; done"
        );
        self.line(&shared, Vec::new()).await
    }

    /// Has a program deal with things below the root, some by each line.
    async fn each(&self, names: &[Vec<u8>], program: &str) -> Result<(), Refused> {
        for some in names.chunks(TOGETHER) {
            let some: Vec<&[u8]> = some.iter().map(Vec::as_slice).collect();
            self.line(&format!("cd {ROOT} && xargs -0 -r {program}"), ended(&some)).await?;
        }
        Ok(())
    }

    /// Writes what the copy has and `there` lacks; returns all that has to be there then.
    async fn write(&self, key: String, owners: Owners, there: TimedListing) -> Result<Wanted, Refused> {
        let (to, from) = mpsc::channel(1);
        let sink = CardSink::new(to, owners, there);
        let (stores, order) = (Arc::clone(&self.tools.stores), self.order.clone());
        let watched = self.watched(order.bytes);
        let reading = watched.watch(move |run: &Run, _| {
            let (repo, _) = place(&stores, &order.repo, &key, run, Urgency::Awaited)?;
            let mut sink = sink;
            repo.restore(&order.snapshot, &mut sink, run)?;
            sink.finish().map_err(|cause| Failed::Engine(snapshot::Error::Sink(cause.to_string())))
        });
        // Each ends when the other does: what nobody takes is not read on, and of what is not read no more comes.
        match tokio::join!(reading, self.take(from)) {
            (Ok(wanted), Ok(())) => Ok(wanted),
            // It was not taken any more, for this reason.
            (Err(Refused(Reason::NotReadable, _)) | Ok(_), Err(why)) | (Err(why), _) => Err(why),
        }
    }

    /// Takes archives, and has the card unpack them.
    async fn take(&self, mut from: mpsc::Receiver<Part>) -> Result<(), Refused> {
        let unpack = format!("cd {ROOT} && tar -xpf -");
        let mut unsynced = 0;
        while let Some(part) = from.recv().await {
            unsynced += part.size();
            match part {
                Part::Whole(archive) => self.line(&unpack, archive).await?,
                Part::Stream(mut content, size) => {
                    let silence = Duration::from_secs(u64::from(self.task.seconds.max(1)));
                    let line = format!("{unpack} || echo \"tar: exit code $?\"");
                    let source = (&mut content as &mut (dyn tokio::io::AsyncRead + Send + Unpin), size);
                    let said = self.guard.feed(self.tools, self.card, &line, source, silence).await?;
                    if !said.trim().is_empty() {
                        let code = if said.contains("No space left") { Reason::NoSpace } else { Reason::DeviceFail };
                        return Err(Refused(code, super::shortened(said.trim()).0));
                    }
                }
            }
            if unsynced > UNSYNCED {
                self.line("sync", Vec::new()).await?;
                unsynced = 0;
            }
        }
        Ok(())
    }

    /// Gives everything the security context that belongs to its place, and sees that it has it.
    async fn label(&self, wanted: &Wanted) -> Result<(), Refused> {
        let roots: BTreeSet<Vec<u8>> = wanted.keys().map(|path| root(path)).collect();
        let roots: Vec<Vec<u8>> = roots.into_iter().collect();
        self.each(&roots, "restorecon -RFD").await?;
        for some in roots.chunks(TOGETHER) {
            let some: Vec<&[u8]> = some.iter().map(Vec::as_slice).collect();
            let command = Command::script(&format!("cd {ROOT} && xargs -0 -r restorecon -RFDnv 2>&1"));
            let said = listing::whole(self.card, &command.stdin(ended(&some))).await?;
            if let Some(first) = String::from_utf8_lossy(&said).lines().next() {
                return Err(Refused(Reason::RestoreUnproved, first.to_owned()));
            }
        }
        Ok(())
    }
}

/// What is labelled as a whole: the folder of an app, that of users' files, a setting.
fn root(path: &[u8]) -> Vec<u8> {
    let depth = if path.starts_with(b"media/") {
        2
    } else if path.starts_with(b"system/") {
        4
    } else {
        3
    };
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').take(depth).collect();
    parts.join(&b'/')
}

/// A list with the paths that a copy has: where `user/0` is a link, as before Android 11, it leads to `data`.
fn as_in_copies(there: &TimedListing) -> TimedListing {
    let owner = format!("user/{OWNER}").into_bytes();
    if there.get(&owner).is_none_or(|found| !found.entry.is_link()) {
        return there.clone();
    }
    let moved = |path: &Vec<u8>| match path.strip_prefix(b"data/") {
        Some(below) => [&owner, &b"/"[..], below].concat(),
        None => path.clone(),
    };
    there.iter().map(|(path, timed)| (moved(path), *timed)).collect()
}

/// What is not on the card as the copy has it; none if all is.
fn strange(wanted: &Wanted, there: &TimedListing) -> Option<String> {
    let is_there = |(path, target): &(&Vec<u8>, &(listing::Entry, i64))| {
        there.get(*path).is_some_and(|found| is_as(found, target))
    };
    let mut differ = wanted.iter().filter(|one| !is_there(one));
    let some: Vec<String> =
        differ.by_ref().take(TOLD).map(|(path, _)| String::from_utf8_lossy(path).into_owned()).collect();
    if some.is_empty() {
        return None;
    }
    Some(format!("{} and {} more are not what the copy has", some.join(", "), differ.count()))
}

#[cfg(test)]
mod tests {
    use super::{Wanted, as_in_copies, root, strange};
    use crate::listing::{Entry, FILE, FOLDER, LINK, Timed, TimedListing};

    #[test]
    fn folders_are_labelled_as_a_whole() {
        for (path, wanted) in [
            ("user/0/com.game/files/a", "user/0/com.game"),
            ("user_de/0/com.game", "user_de/0/com.game"),
            ("media/0/DCIM/1.jpg", "media/0"),
            ("media/obb/com.game/x", "media/obb"),
            ("system/users/0/settings_secure.xml", "system/users/0/settings_secure.xml"),
        ] {
            assert_eq!(root(path.as_bytes()), wanted.as_bytes());
        }
    }

    #[test]
    fn the_data_of_apps_is_where_copies_have_it_on_either_kind_of_android() {
        let timed = |mode| Timed { entry: Entry { mode, uid: 1, gid: 1, size: 9 }, modified: 3, changed: 4, inode: 5 };
        let listed = |paths: &[(&str, u32)]| -> TimedListing {
            paths.iter().map(|(path, mode)| (path.as_bytes().to_vec(), timed(*mode))).collect()
        };
        let before = listed(&[("data", FOLDER), ("data/com.game/a", FILE), ("user/0", LINK), ("media/0/x", FILE)]);
        let wanted = listed(&[("data", FOLDER), ("user/0/com.game/a", FILE), ("user/0", LINK), ("media/0/x", FILE)]);
        assert_eq!(as_in_copies(&before), wanted);
        let later = listed(&[("data", FOLDER), ("user/0", FOLDER), ("user/0/com.game/a", FILE)]);
        assert_eq!(as_in_copies(&later), later);
    }

    #[test]
    fn what_is_missing_or_another_thing_is_told() {
        let entry = |uid, size| Entry { mode: FILE | 0o600, uid, gid: 7, size };
        let wanted = Wanted::from([(b"a".to_vec(), (entry(1, 5), 9)), (b"b".to_vec(), (entry(1, 5), 9))]);
        let there = |uid, size, modified| {
            let timed = Timed { entry: entry(uid, size), modified, changed: 99, inode: 5 };
            TimedListing::from([
                (b"a".to_vec(), Timed { entry: entry(1, 5), modified: 9, changed: 1, inode: 2 }),
                (b"b".to_vec(), timed),
            ])
        };
        assert_eq!(strange(&wanted, &there(1, 5, 9)), None);
        for other in [there(2, 5, 9), there(1, 6, 9), there(1, 5, 8)] {
            assert_eq!(strange(&wanted, &other).as_deref(), Some("b and 0 more are not what the copy has"));
        }
        assert!(strange(&wanted, &TimedListing::new()).is_some());
    }
}
