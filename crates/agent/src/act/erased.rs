//! What an erased phone has left at a storage node is removed: first what opens it, then all the rest. Wherever that is broken
//! off, the next try goes on.

use std::sync::Arc;

use snapshot::Run;
use store::{Listed, Store, Urgency};
use wire::copy::{RepoAt, SEALED_KEY};
use wire::store::PACKAGES;
use wire::{Outcome, Reason, Task};

use super::running::{Failed, Watched, found, told};
use crate::done::Done;
use crate::refused::Refused;
use crate::stores::Stores;
use crate::tools::Tools;

/// Removes a repository.
pub async fn erase(tools: &Tools, task: &Task, at: &RepoAt) -> Done {
    let (stores, at) = (Arc::clone(&tools.stores), at.clone());
    let gone = Watched::of(tools, task, 0).watch(move |run, _| remove(&stores, &at, run)).await;
    gone.map_or_else(told, |()| Done::so(Outcome::Succeeded))
}

fn remove(stores: &Stores, at: &RepoAt, run: &Run) -> Result<(), Failed> {
    if !is_repo(&at.folder) {
        let why = format!("{:?} is no folder of a repository", at.folder);
        return Err(Failed::At(Refused(Reason::BadArgument, why)));
    }
    let store = found(stores, &at.node, run, Urgency::Background)?;
    remove_from(&*store, &at.folder, || run.waits())?;
    // Of a disk that was taken out meanwhile nothing is removed.
    found(stores, &at.node, run, Urgency::Background).map(drop)
}

/// Whether it is a phone's own folder in a partition: whatever the console says, nothing else of a node is removed, and the packages
/// that lie there are those of many phones.
fn is_repo(folder: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_own = |part: &str| is_name(part) && part != PACKAGES;
    matches!(folder.split('/').collect::<Vec<_>>().as_slice(), [partition, own] if is_name(partition) && is_own(own))
}

/// Removes a folder file by file, for as long as `goes_on` says yes.
fn remove_from(store: &dyn Store, folder: &str, goes_on: impl Fn() -> bool) -> Result<(), Failed> {
    let opens = |file: &Listed| file.name == SEALED_KEY || file.name.starts_with("keys/");
    let files = store.list(folder, true).map_err(snapshot::Error::from)?;
    let (first, rest): (Vec<Listed>, Vec<Listed>) = files.into_iter().partition(opens);
    for file in first.into_iter().chain(rest) {
        if !goes_on() {
            return Err(Failed::Engine(snapshot::Error::Stopped));
        }
        store.remove(&format!("{folder}/{}", file.name)).map_err(snapshot::Error::from)?;
    }
    Ok(store.remove_folder(folder).map_err(snapshot::Error::from)?)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::cell::Cell;

    use bytes::Bytes;
    use store::{Folder, Store as _};

    use super::{is_repo, remove_from};

    const FILES: [&str; 5] = ["config", "data/00/00aa", "index/1", "keys/1", "skyrack-key"];

    fn filled(root: &std::path::Path) -> Folder {
        let store = Folder::open(root).unwrap();
        for name in FILES {
            store.write(&format!("p00/zsf1-0001/{name}"), &[Bytes::from_static(b"x")]).unwrap();
        }
        store.write("p00/zsf2-0002/config", &[Bytes::from_static(b"x")]).unwrap();
        store
    }

    #[test]
    fn what_opens_it_goes_first_wherever_it_is_broken_off_and_the_next_try_removes_the_rest() {
        for most in 0..=FILES.len() {
            let root = tempfile::tempdir().unwrap();
            let store = filled(root.path());
            // Something that was being written when somebody died.
            std::fs::write(root.path().join("p00/zsf1-0001/data/00/ff.0123.part"), b"x").unwrap();
            let left = Cell::new(most);
            let goes_on = || left.replace(left.get().saturating_sub(1)) > 0;
            let removed = remove_from(&store, "p00/zsf1-0001", goes_on);
            assert_eq!(removed.is_ok(), most == FILES.len(), "{most}");
            let mut names: Vec<String> =
                store.list("p00/zsf1-0001", true).unwrap().into_iter().map(|file| file.name).collect();
            names.sort();
            assert_eq!(names.len(), FILES.len() - most);
            let opens = names.iter().filter(|name| name.starts_with("keys/") || *name == "skyrack-key").count();
            assert_eq!(opens, 2_usize.saturating_sub(most), "{names:?}");
            remove_from(&store, "p00/zsf1-0001", || true).unwrap();
            remove_from(&store, "p00/zsf1-0001", || true).unwrap();
            assert!(!root.path().join("p00/zsf1-0001").exists());
            assert!(root.path().join("p00/zsf2-0002/config").exists());
        }
    }

    #[test]
    fn nothing_but_a_folder_in_a_partition_is_removed() {
        assert!(is_repo("p00/zsf1-0001"));
        for folder in ["", "p00", "/", "p00/", "/p00", "p00/..", "../p00", "p00/a/b", "p00/.", "/p00/a", "p00/packages"]
        {
            assert!(!is_repo(folder), "{folder:?}");
        }
    }
}
