//! Packages of apps: each file of one is saved once on a storage node, while the phone goes on, as a repository of its own
//! under its SHA-256. What lies there already, from whichever phone, is not read again.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;

use adb::Card;
use aws_lc_rs::digest;
use snapshot::{Entry, RecoveryCode, Run, Save, Source};
use store::Urgency;
use wire::copy::{CopyKeys, Manifest, PackageAt, PackageData, Paper, RepoAt, SEALED_KEY, SavedPackage};
use wire::{Outcome, Reason, StoreNode, Task};

use super::copied::{absent, is_covered, is_there};
use super::described::describe;
use super::granted::find_grants;
use super::installed::{OnCard, find_files, installed, inventory};
use super::owned::Guard;
use super::running::{Failed, Watched, keys, place, tell, told};
use super::standing::Standing;
use crate::clean::ROOT;
use crate::cover::Kept;
use crate::done::Done;
use crate::refused::Refused;
use crate::source::{CardSource, Shelf, entries};
use crate::stores::Stores;
use crate::tools::Tools;

/// Saves the packages of a phone that is to be copied and goes on meanwhile. The output stands for what is installed.
pub async fn save(tools: &Tools, card: &Card, task: &Task, guard: &Guard<'_>, node: &StoreNode) -> Done {
    match saved(tools, card, task, guard, node).await {
        Ok(installed) => Done { output: installed, ..Done::so(Outcome::Succeeded) },
        Err(why) => told(why),
    }
}

async fn saved(
    tools: &Tools,
    card: &Card,
    task: &Task,
    guard: &Guard<'_>,
    node: &StoreNode,
) -> Result<String, Refused> {
    let before = Standing::of(card).await?;
    before.check(guard.mark)?;
    if before.is_stopped {
        return Err(Refused(Reason::Unhealthy, "Android is not up: it cannot say what is installed".to_owned()));
    }
    is_there(tools, node).await?;
    let known = keys(tools, task).await?.manifest.unwrap_or_default();
    let mut packages = inventory(card).await?;
    find_grants(card, &mut packages).await?;
    describe(card, &mut packages).await?;
    let files = find_files(card, &mut packages, &known.packages).await?;
    let stands_for = installed(&packages);
    let own: Vec<PackageData> = packages.iter().filter(|package| package.is_own).cloned().collect();
    let manifest = Manifest { version: 1, image: before.fingerprint, packages, ..Manifest::default() };
    tell(tools, task, Paper { manifest: Some(manifest), ..Paper::default() }).await?;

    let mut places = keys(tools, task).await?;
    if lost_some(tools, task, node, there(&places, &own)).await? {
        places = keys(tools, task).await?;
    }
    let lacking = missing(&places, &own);
    if !lacking.is_empty() {
        // Nothing is sent of a phone that could not be copied then.
        is_covered(card, task, guard).await?;
    }
    let all = lacking.iter().map(|file| 2 * file.size).sum();
    let mut done = 0;
    for package in &own {
        let _turn = tools.packages.of(&package.name).await;
        // Another phone may have had it meanwhile.
        let lacking = missing(&keys(tools, task).await?, std::slice::from_ref(package));
        if lacking.is_empty() {
            continue;
        }
        let bytes: u64 = lacking.iter().map(|file| file.size).sum();
        let work = Work {
            card: card.clone(),
            runtime: tokio::runtime::Handle::current(),
            guard: guard.reading(),
            stores: Arc::clone(&tools.stores),
            node: node.clone(),
            package: package.name.clone(),
            files: lacking.into_iter().map(|at| on_card(at, &files)).collect::<Result<_, Refused>>()?,
        };
        let watched = Watched { bytes, part: Some((done, all)), ..Watched::of(tools, task, bytes) };
        let Saved { files, failed } = watched.watch(move |run, tell| Ok(work.save(run, tell))).await?;
        // Where something is not what it should be, the next one goes elsewhere.
        let damaged = failed.iter().filter(|(_, why)| is_damage(why)).map(|(hash, _)| hash.clone()).collect();
        let paper = Paper { saved: files, damaged, ..Paper::default() };
        if paper.says_something() {
            tell(tools, task, paper).await?;
        }
        if let Some((_, why)) = failed {
            return Err(why.into());
        }
        done += 2 * bytes;
    }
    Ok(stands_for)
}

fn is_damage(why: &Failed) -> bool {
    matches!(why, Failed::Engine(snapshot::Error::Damaged(_) | snapshot::Error::Key | snapshot::Error::Other(_)))
}

/// The files of these packages that are to lie at the node, each once, and whether they were saved there.
fn of<'a>(keys: &'a CopyKeys, packages: &'a [PackageData], is_saved: bool) -> impl Iterator<Item = &'a PackageAt> {
    let has = move |hash: &str| packages.iter().any(|package| package.apks.iter().any(|apk| apk.sha256 == hash));
    keys.packages.iter().filter(move |file| file.snapshot.is_empty() != is_saved && has(&file.sha256))
}

/// Those that the node lacks.
fn missing(keys: &CopyKeys, packages: &[PackageData]) -> Vec<PackageAt> {
    of(keys, packages, false).cloned().collect()
}

/// Those that were saved, as the console has it in its books.
fn there(keys: &CopyKeys, packages: &[PackageData]) -> Vec<PackageAt> {
    of(keys, packages, true).cloned().collect()
}

/// Whether some of what was saved does not lie at the node any more: the books are no proof. It is told, and saved anew then.
async fn lost_some(tools: &Tools, task: &Task, node: &StoreNode, files: Vec<PackageAt>) -> Result<bool, Refused> {
    if files.is_empty() {
        return Ok(false);
    }
    let (stores, at) = (Arc::clone(&tools.stores), node.clone());
    let gone = Watched::of(tools, task, 0).watch(move |run, _| absent(&stores, &at, &files, run)).await?;
    if gone.is_empty() {
        return Ok(false);
    }
    let missing = gone.into_iter().map(|file| file.folder).collect();
    tell(tools, task, Paper { missing, ..Paper::default() }).await?;
    Ok(true)
}

fn on_card(at: PackageAt, files: &HashMap<String, OnCard>) -> Result<(PackageAt, OnCard), Refused> {
    let found = files.get(&at.sha256).cloned();
    let found = found.ok_or_else(|| Refused(Reason::NotReadable, format!("{} was not listed", at.name)))?;
    Ok((at, found))
}

/// What has become of the files of a package: those that were saved, and what went wrong with the first that was not.
struct Saved {
    files: Vec<SavedPackage>,
    failed: Option<(String, Failed)>,
}

/// What the thread that saves a package needs.
struct Work {
    card: Card,
    runtime: tokio::runtime::Handle,
    guard: String,
    stores: Arc<Stores>,
    node: StoreNode,
    package: String,
    files: Vec<(PackageAt, OnCard)>,
}

impl Work {
    fn save(&self, run: &Run, tell: &dyn Fn(Arc<CardSource>)) -> Saved {
        let mut files = Vec::new();
        for (at, on_card) in &self.files {
            match self.save_file(at, on_card, &run.part(), tell) {
                Ok(file) => files.push(file),
                Err(why) => return Saved { files, failed: Some((at.sha256.clone(), why)) },
            }
        }
        Saved { files, failed: None }
    }

    fn save_file(
        &self,
        at: &PackageAt,
        on_card: &OnCard,
        run: &Run,
        tell: &dyn Fn(Arc<CardSource>),
    ) -> Result<SavedPackage, Failed> {
        let repo = RepoAt { node: self.node.clone(), folder: at.folder.clone() };
        let (repo, folder) = place(&self.stores, &repo, &at.key, run, Urgency::Background)?;
        repo.init(&RecoveryCode::from_text(at.recovery.clone()), run)?;
        folder.write(SEALED_KEY, &[at.sealed.clone().into()]).map_err(snapshot::Error::from)?;
        // What a run that was killed has sent is used.
        repo.repair(run)?;
        let name = on_card.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
        let kept = [Kept { path: name, from: Some(on_card.path.clone()), timed: on_card.timed }];
        let entries = entries(&kept, Vec::new()).map_err(Failed::At)?;
        let (card, guard) = (self.card.clone(), self.guard.clone());
        let source = Arc::new(CardSource::new(card, self.runtime.clone(), guard, &kept, entries, &[]));
        tell(Arc::clone(&source));
        let proved = Arc::new(Proved { shelf: Shelf(Arc::clone(&source)), sha256: at.sha256.clone() });
        let save = Save { phone: self.package.clone(), at: on_card.timed.modified, ..Save::default() };
        let saved = repo.save(proved, &save, run).map_err(|error| match source.trouble() {
            Some(why) if matches!(error, snapshot::Error::Source(_)) => Failed::At(why),
            _ => error.into(),
        })?;
        repo.verify_whole(&saved.snapshot, run)?;
        let (sha256, folder) = (at.sha256.clone(), at.folder.clone());
        Ok(SavedPackage { sha256, folder, snapshot: saved.snapshot, added: saved.added })
    }
}

/// A file whose content has to be what its hash says: nothing else is saved.
#[derive(Debug)]
struct Proved {
    shelf: Shelf,
    sha256: String,
}

impl Source for Proved {
    fn list(&self) -> io::Result<Vec<Entry>> {
        self.shelf.list()
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        let sum = digest::Context::new(&digest::SHA256);
        Ok(Box::new(Hashed { content: self.shelf.open(entry)?, sum, sha256: self.sha256.clone() }))
    }
}

struct Hashed {
    content: Box<dyn Read + Send>,
    sum: digest::Context,
    sha256: String,
}

impl Read for Hashed {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let some = self.content.read(to)?;
        self.sum.update(&to[..some]);
        if some == 0 && !to.is_empty() && hex::encode(self.sum.clone().finish()) != self.sha256 {
            return Err(io::Error::other(format!("{ROOT}: a package is not what its hash says")));
        }
        Ok(some)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::io::{Cursor, Read as _};

    use aws_lc_rs::digest;

    use super::Hashed;

    #[test]
    fn what_is_not_what_its_hash_says_is_not_read_to_its_end() {
        let read = |content: &'static [u8], sha256: String| {
            let sum = digest::Context::new(&digest::SHA256);
            let mut bytes = Vec::new();
            Hashed { content: Box::new(Cursor::new(content)), sum, sha256 }.read_to_end(&mut bytes).map(|_| bytes)
        };
        let hash = hex::encode(digest::digest(&digest::SHA256, b"an app"));
        assert_eq!(read(b"an app", hash.clone()).unwrap(), b"an app");
        assert!(read(b"another", hash.clone()).is_err());
        assert!(read(b"", hash).is_err());
    }
}
