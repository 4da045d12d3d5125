//! Reading copies back, and giving up old ones.

use aws_lc_rs::digest;
use rustic_core::repofile::SnapshotFile;
use rustic_core::{CheckOptions, PruneOptions};

use crate::restore::damaged;
use crate::{Error, Repo, Run, Saved};

/// What pruning freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Bytes of packs that are gone, or marked to go with the next run.
    pub bytes: u64,
}

impl Repo {
    /// Reads a copy back before a card may be wiped: every pack that it wrote (its name is the SHA-256 of its bytes), and
    /// that index and trees lead to everything in it.
    ///
    /// # Errors
    /// [`Error::Damaged`] when something is not there or is not what was written; when the store fails.
    pub fn verify(&self, saved: &Saved, run: &Run) -> Result<(), Error> {
        for pack in &saved.packs {
            self.read_back(pack, run)?;
        }
        self.check(&saved.snapshot, false, run)
    }

    /// Whether a copy is whole: index and trees lead to everything in it, and with `data` every pack of the repository is
    /// what was written.
    ///
    /// # Errors
    /// [`Error::Damaged`] when it is not; when the store fails.
    pub fn check(&self, snapshot: &str, data: bool, run: &Run) -> Result<(), Error> {
        let repo = self.open(run)?;
        let found: SnapshotFile =
            repo.get_snapshot_from_str(snapshot, |_| true).map_err(|error| damaged(run, error))?;
        // What the cache has proves nothing of the store. The library's own way to read the data expects its threads to
        // have ended 100 ms after the trees were read, and panics on a busy machine ("index still in use").
        let options = CheckOptions::default().trust_cache(false).read_data(false);
        let results = repo.check_with_trees(options, vec![found.tree]).map_err(|error| damaged(run, error))?;
        results.is_ok().map_err(|error| damaged(run, error))?;
        run.check()?;
        if data {
            for pack in self.store.list("data", true)? {
                self.read_back(pack.name.rsplit('/').next().unwrap_or_default(), run)?;
            }
        }
        Ok(())
    }

    /// Reads a pack, whose name is the SHA-256 of what was written.
    fn read_back(&self, pack: &str, run: &Run) -> Result<(), Error> {
        run.check()?;
        // Reading counts as going on.
        run.wrote(1);
        let path = format!("data/{}/{pack}", pack.get(..2).unwrap_or_default());
        let bytes = match self.store.read(&path) {
            Ok(bytes) => bytes,
            Err(trouble) if matches!(trouble.kind, store::Kind::Missing | store::Kind::Broken) => {
                return Err(Error::Damaged(trouble.to_string()));
            }
            Err(trouble) => return Err(trouble.into()),
        };
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
