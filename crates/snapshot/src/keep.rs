//! Reading copies back, and giving up old ones.

use std::collections::BTreeSet;

use aws_lc_rs::digest;
use rustic_core::repofile::SnapshotFile;
use rustic_core::{CheckOptions, PruneOptions};

use crate::restore::{content_size, damaged, for_each};
use crate::{Error, Repo, Run, Saved};

/// Of so many packs that were there before a copy one is read with it: what lies unread goes bad unseen.
const SAMPLE: usize = 100;

/// What pruning freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Bytes of packs that are gone, or marked to go with the next run.
    pub bytes: u64,
}

/// A copy that lies in a repository, as it says itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Its id.
    pub snapshot: String,
    /// The id of its root.
    pub tree: String,
    /// When: seconds since 1970.
    pub at: i64,
    /// What it holds, as JSON; empty if it says nothing.
    pub manifest: String,
    /// Files and links in it.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes that the store had grown by.
    pub added: u64,
}

impl Repo {
    /// Reads a copy back before a card may be wiped: every pack that it wrote (its name is the SHA-256 of its bytes), one of
    /// a hundred of those before it, and that index, trees and sizes of packs lead to everything in it.
    ///
    /// # Errors
    /// [`Error::Damaged`] when something is not there or is not what was written; when the store fails.
    pub fn verify(&self, saved: &Saved, run: &Run) -> Result<(), Error> {
        let written: BTreeSet<String> = saved.packs.iter().cloned().collect();
        let (new, mut old): (Vec<_>, Vec<_>) = self.packs()?.into_iter().partition(|(name, _)| written.contains(name));
        let sample: Vec<_> =
            (0..old.len().div_ceil(SAMPLE)).map(|_| old.swap_remove(rand::random_range(0..old.len()))).collect();
        run.expect(new.iter().chain(&sample).map(|(_, size)| size).sum());
        for pack in written.iter().chain(sample.iter().map(|(name, _)| name)) {
            self.read_back(pack, run)?;
        }
        self.look(&saved.snapshot, run)
    }

    /// Sees that index, trees and sizes of packs lead to everything in a copy: what its files hold is not read.
    ///
    /// # Errors
    /// [`Error::Damaged`] when something is not there, or is cut off; when the store fails.
    pub fn look(&self, snapshot: &str, run: &Run) -> Result<(), Error> {
        let repo = self.open(run)?;
        let found: SnapshotFile =
            repo.get_snapshot_from_str(snapshot, |_| true).map_err(|error| damaged(run, error))?;
        // What the cache has proves nothing of the store. The library's own way to read the data expects its threads to
        // have ended 100 ms after the trees were read, and panics on a busy machine ("index still in use").
        let options = CheckOptions::default().trust_cache(false).read_data(false);
        let results = repo.check_with_trees(options, vec![found.tree]).map_err(|error| damaged(run, error))?;
        results.is_ok().map_err(|error| damaged(run, error))?;
        run.check()
    }

    /// Reads all of a copy back: its trees, and each pack in which something of it is. What else is in the repository, and
    /// may be damaged, is not its business.
    ///
    /// # Errors
    /// [`Error::Damaged`] when something is not there or is not what was written; when the store fails.
    pub fn verify_whole(&self, snapshot: &str, run: &Run) -> Result<(), Error> {
        let packs = self.packs_of(snapshot, run)?;
        let there = self.packs()?;
        run.expect(there.iter().filter(|(name, _)| packs.contains(name)).map(|(_, size)| size).sum());
        for pack in &packs {
            self.read_back(pack, run)?;
        }
        Ok(())
    }

    /// The packs that are there, and their sizes.
    fn packs(&self) -> Result<Vec<(String, u64)>, Error> {
        let found = self.store.list("data", true)?;
        Ok(found.iter().filter_map(|one| Some((one.name.rsplit('/').next()?.to_owned(), one.size))).collect())
    }

    /// The packs in which something of a copy is.
    fn packs_of(&self, snapshot: &str, run: &Run) -> Result<BTreeSet<String>, Error> {
        let repo = self.whole(run, 0)?;
        let mut packs = BTreeSet::new();
        for_each(&repo, snapshot, run, |path, node| {
            let held = content_size(&repo, node).map_err(|error| damaged(run, error))?;
            if node.is_file() && held != node.meta.size {
                let text = format!("{} has {held} of {} bytes", path.display(), node.meta.size);
                return Err(Error::Damaged(text));
            }
            for blob in node.content.iter().flatten() {
                let entry = repo.get_index_entry(blob).map_err(|error| damaged(run, error))?;
                packs.insert(entry.pack.to_hex().to_string());
            }
            if let Some(tree) = &node.subtree {
                let entry = repo.get_index_entry(tree).map_err(|error| damaged(run, error))?;
                packs.insert(entry.pack.to_hex().to_string());
            }
            Ok(())
        })?;
        Ok(packs)
    }

    /// Reads a pack, whose name is the SHA-256 of what was written.
    fn read_back(&self, pack: &str, run: &Run) -> Result<(), Error> {
        run.check()?;
        let path = format!("data/{}/{pack}", pack.get(..2).unwrap_or_default());
        let bytes = match self.store.read(&path) {
            Ok(bytes) => bytes,
            Err(trouble) if matches!(trouble.kind, store::Kind::Missing | store::Kind::Broken) => {
                return Err(Error::Damaged(trouble.to_string()));
            }
            Err(trouble) => return Err(trouble.into()),
        };
        run.heard();
        run.passed(bytes.len() as u64);
        if hex::encode(digest::digest(&digest::SHA256, &bytes)) != *pack {
            return Err(Error::Damaged(format!("{path} is not what was written")));
        }
        Ok(())
    }

    /// The copies in the repository, oldest first.
    ///
    /// # Errors
    /// When the store fails.
    pub fn snapshots(&self, run: &Run) -> Result<Vec<String>, Error> {
        let mut all = self.open(run)?.get_all_snapshots().map_err(|error| run.cause(&error))?;
        all.sort();
        Ok(all.iter().map(|one| one.id.to_hex().to_string()).collect())
    }

    /// What the copies in the repository say of themselves, oldest first.
    ///
    /// # Errors
    /// When the store fails.
    pub fn found(&self, run: &Run) -> Result<Vec<Found>, Error> {
        let mut all = self.open(run)?.get_all_snapshots().map_err(|error| run.cause(&error))?;
        all.sort();
        let found = |one: SnapshotFile| {
            let summary = one.summary.unwrap_or_default();
            Found {
                snapshot: one.id.to_hex().to_string(),
                tree: one.tree.to_hex().to_string(),
                at: one.time.timestamp().as_second(),
                manifest: one.description.unwrap_or_default(),
                files: summary.total_files_processed,
                bytes: summary.total_bytes_processed,
                added: summary.data_added_packed,
            }
        };
        Ok(all.into_iter().map(found).collect())
    }

    /// Gives up copies. Their contents go with the next [`Repo::prune`].
    ///
    /// # Errors
    /// When the store fails.
    pub fn forget(&self, snapshots: &[String], run: &Run) -> Result<(), Error> {
        let repo = self.open(run)?;
        let there = repo.get_all_snapshots().map_err(|error| run.cause(&error))?;
        let ids: Vec<_> =
            there.iter().filter(|one| snapshots.contains(&one.id.to_hex().to_string())).map(|one| one.id).collect();
        repo.delete_snapshots(&ids).map_err(|error| run.cause(&error))
    }

    /// Gives up the copies that have the same time as one that was made: earlier tries of it, which ended before anybody
    /// was told of them. Only for whoever knows that no other copy has this time.
    ///
    /// # Errors
    /// When the store fails.
    pub fn forget_tries(&self, at: i64, made: &str, run: &Run) -> Result<(), Error> {
        let repo = self.open(run)?;
        let there = repo.get_all_snapshots().map_err(|error| run.cause(&error))?;
        let is_try =
            |one: &&SnapshotFile| one.time.timestamp().as_second() == at && one.id.to_hex().to_string() != made;
        let ids: Vec<_> = there.iter().filter(is_try).map(|one| one.id).collect();
        repo.delete_snapshots(&ids).map_err(|error| run.cause(&error))
    }

    /// Frees what no copy needs. `now` removes it at once: only for whoever knows that nobody else uses the repository.
    /// Otherwise packs are marked, and removed by a run that is a day later. A run that is killed harms nothing.
    ///
    /// # Errors
    /// When the store fails or the repository is damaged.
    pub fn prune(&self, now: bool, run: &Run) -> Result<Pruned, Error> {
        let repo = self.open(run)?;
        let mut options = PruneOptions::default();
        options.instant_delete = now;
        let plan = repo.prune_plan(&options).map_err(|error| damaged(run, error))?;
        let sizes = plan.stats.size_sum();
        let bytes = sizes.remove + sizes.repackrm;
        repo.prune(&options, plan).map_err(|error| damaged(run, error))?;
        run.check()?;
        Ok(Pruned { bytes })
    }
}
