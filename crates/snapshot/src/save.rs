//! Making a copy.

use std::path::PathBuf;
use std::sync::Arc;

use rustic_core::jiff::{Timestamp, tz::TimeZone};
use rustic_core::repofile::SnapshotFile;
use rustic_core::{BackupOptions, ParentOptions, RepairIndexOptions};

use crate::source::Sorted;
use crate::{Error, Repo, Run, Source};

/// What a copy is made of, and called.
#[derive(Clone, Debug, Default)]
pub struct Save {
    /// The copy before it: what has not changed since is not read. Without one everything is.
    pub parent: Option<String>,
    /// When: seconds since 1970.
    pub at: i64,
    /// The phone, as people call it: `restic snapshots` shows it as the host.
    pub phone: String,
    /// What it holds, as JSON. It is kept in the snapshot.
    pub manifest: String,
}

/// A copy that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Its id.
    pub snapshot: String,
    /// The id of its root: copies with the same one hold the same.
    pub tree: String,
    /// Files and links in it.
    pub files: u64,
    /// Files whose content was read.
    pub read: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes that the store has grown by.
    pub added: u64,
    /// Whether it was compared with the parent that was asked for. If not, everything was read, which is worth an alarm.
    pub had_parent: bool,
    /// The packs that were written: what is to be read back before a card may be wiped.
    pub packs: Vec<String>,
}

impl Repo {
    /// Copies everything in `source`. Nothing is left out: if one file cannot be read, there is no copy. What the source says
    /// to be [`Gone`](crate::Gone) is no file any more.
    ///
    /// # Errors
    /// When the source or the store fails, or the run is stopped; then there is no snapshot, and what was sent is used by
    /// the next run after [`Repo::repair`].
    pub fn save(&self, source: Arc<dyn Source>, save: &Save, run: &Run) -> Result<Saved, Error> {
        let parent = self.parent(save)?;
        let had_parent = parent.is_some() || save.parent.is_none();
        let repo = self.open(run)?.to_indexed_ids().map_err(|error| run.cause(&error))?;
        let source = Sorted::of(source, run.clone())?;
        let time = Timestamp::from_second(save.at).map_err(|error| Error::Other(error.to_string()))?;
        // Host, label and paths are the same in all copies of a phone: a parent with others would not be taken.
        let snapshot = SnapshotFile {
            time: time.to_zoned(TimeZone::UTC),
            hostname: save.phone.clone(),
            username: "skyrack".to_owned(),
            description: Some(save.manifest.clone()).filter(|text| !text.is_empty()),
            ..SnapshotFile::default()
        };
        let parents: Vec<String> = parent.into_iter().collect();
        // Its switch works the other way round: inodes are compared where both are known.
        let parent = ParentOptions::default().force(parents.is_empty()).parents(parents).ignore_inode(true);
        let options = BackupOptions::default().no_scan(true).parent_opts(parent);
        let made = repo.archive(&options, &source, snapshot, &[PathBuf::from("/")]);
        let made = made.map_err(|error| run.cause(&error))?;
        // Never its word alone: it has logged what it left out.
        run.check()?;
        let summary = made.summary.unwrap_or_default();
        Ok(Saved {
            snapshot: made.id.to_hex().to_string(),
            tree: made.tree.to_hex().to_string(),
            files: summary.total_files_processed,
            read: summary.files_new + summary.files_changed,
            bytes: summary.total_bytes_processed,
            added: summary.data_added_packed,
            had_parent: had_parent && (save.parent.is_none() || made.parent.is_some()),
            packs: run.packs(),
        })
    }

    /// The copy to compare with, if it is still there: the library takes none in place of one that is not, and says nothing.
    fn parent(&self, save: &Save) -> Result<Option<String>, Error> {
        let Some(parent) = &save.parent else { return Ok(None) };
        match self.store.read(&format!("snapshots/{parent}")) {
            Ok(_) => Ok(Some(parent.clone())),
            Err(trouble) if trouble.kind == store::Kind::Missing => Ok(None),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Makes the index anew where a run was killed: packs that it had sent are used by the next one. The library's own way
    /// to go on writes snapshots that nobody can read.
    ///
    /// # Errors
    /// When the store fails.
    pub fn repair(&self, run: &Run) -> Result<(), Error> {
        let repaired = self.open(run)?.repair_index(&RepairIndexOptions::default(), false);
        repaired.map_err(|error| run.cause(&error))?;
        run.check()
    }
}
