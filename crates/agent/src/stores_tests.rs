#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use store::{Folder, Kind, Listed, Step, Store, Trouble};
use wire::store::MARKER;
use wire::{Reason, SealedKey, StoreAim, StoreAt, StoreNode, StoreSeen, StoreStep, StoreTrouble};

use super::{Progress, Stores, Visit};

fn node(path: &str) -> StoreNode {
    StoreNode {
        mark: "0a1b".to_owned(),
        name: "杭州".to_owned(),
        partitions: 2,
        made: 0,
        snapshots: false,
        at: StoreAt::Folder { path: path.to_owned() },
    }
}

fn stores(own: &Path, allowed: &[&Path]) -> Arc<Stores> {
    Arc::new(Stores::new(own.join("stores"), allowed.iter().map(|root| root.to_path_buf()).collect()))
}

async fn look(stores: &Arc<Stores>, node: &StoreNode, aim: StoreAim) -> StoreSeen {
    Arc::clone(stores).look(node.clone(), aim).await
}

/// Step, code and partition of what was wrong, and the words.
fn wrong(seen: StoreSeen) -> (StoreStep, String, Option<u16>, String) {
    let StoreTrouble { step, code, partition, reason } = seen.trouble.unwrap();
    (step, code.code().to_owned(), partition, reason)
}

#[tokio::test]
async fn a_new_node_is_made_and_known_again() {
    let here = tempfile::tempdir().unwrap();
    let stores = stores(here.path(), &[]);
    let mut node = node("copies");
    let seen = look(&stores, &node, StoreAim::Look).await;
    assert_eq!((seen.made, seen.trouble, seen.used), (2, None, None));
    assert!(seen.free.is_some());
    let place = here.path().join("stores/copies");
    assert_eq!(fs::read_to_string(place.join(MARKER)).unwrap(), r#"{"mark":"0a1b","name":"杭州"}"#);
    assert!(place.join("p01").join(MARKER).exists());

    // The answer was lost: the console asks as if nothing had been made.
    assert_eq!(look(&stores, &node, StoreAim::Look).await.trouble, None);
    node.made = 2;
    let seen = look(&stores, &node, StoreAim::Test).await;
    assert_eq!((seen.made, seen.trouble), (2, None));
    assert_eq!(fs::read_dir(place.join("p00")).unwrap().count(), 1, "nothing is left of the test");
    fs::write(place.join("p00/pack"), [0; 1000]).unwrap();
    let used = look(&stores, &node, StoreAim::Measure).await.used.unwrap();
    assert!((1000..2000).contains(&used), "{used}");

    // A further partition is made, and fewer leave those that are there.
    node.partitions = 3;
    assert_eq!(look(&stores, &node, StoreAim::Look).await.made, 3);
    (node.partitions, node.made) = (1, 3);
    assert_eq!(look(&stores, &node, StoreAim::Look).await.made, 3);
}

#[tokio::test]
async fn what_is_not_the_node_is_left_alone() {
    let here = tempfile::tempdir().unwrap();
    let stores = stores(here.path(), &[]);
    let mut node = node("copies");
    node.made = 2;
    let (step, code, ..) = wrong(look(&stores, &node, StoreAim::Test).await);
    assert_eq!((step, code.as_str()), (StoreStep::Connect, "store_unreachable"), "no such folder is made anew");
    assert!(!here.path().join("stores").exists());

    // The disk is not mounted: there is an empty folder.
    let place = here.path().join("stores/copies");
    fs::create_dir_all(&place).unwrap();
    let (step, code, partition, words) = wrong(look(&stores, &node, StoreAim::Test).await);
    assert_eq!((step, code.as_str(), partition), (StoreStep::Marker, "wrong_store", None), "{words}");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "nothing was written below the mount");

    // Another console's node.
    fs::write(place.join(MARKER), r#"{"mark":"ffff","name":"北京"}"#).unwrap();
    for made in [0, 2] {
        node.made = made;
        let (step, code, _, words) = wrong(look(&stores, &node, StoreAim::Look).await);
        assert_eq!((step, code.as_str()), (StoreStep::Marker, "wrong_store"));
        assert!(words.contains("北京"), "{words}");
    }
    for nonsense in ["", "{", "[[[[[["] {
        fs::write(place.join(MARKER), nonsense).unwrap();
        assert_eq!(wrong(look(&stores, &node, StoreAim::Look).await).1, "wrong_store");
    }

    // The disk of one partition is not mounted.
    fs::remove_file(place.join(MARKER)).unwrap();
    node.made = 0;
    assert_eq!(look(&stores, &node, StoreAim::Look).await.trouble, None);
    node.made = 2;
    fs::remove_file(place.join("p01").join(MARKER)).unwrap();
    let (step, code, partition, _) = wrong(look(&stores, &node, StoreAim::Look).await);
    assert_eq!((step, code.as_str(), partition), (StoreStep::Marker, "wrong_store", Some(1)));
}

#[tokio::test]
async fn a_new_node_begins_empty_and_where_it_is_allowed() {
    let (here, mount) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let stores = stores(here.path(), &[mount.path()]);
    let path = |path: &Path| path.to_str().unwrap().to_owned();

    let place = mount.path().join("copies");
    let (step, code, ..) = wrong(look(&stores, &node(&path(&place)), StoreAim::Look).await);
    assert_eq!((step, code.as_str()), (StoreStep::Connect, "store_unreachable"), "an absolute place is not made");
    fs::create_dir_all(place.join("photos")).unwrap();
    let (step, code, _, words) = wrong(look(&stores, &node(&path(&place)), StoreAim::Look).await);
    assert_eq!((step, code.as_str()), (StoreStep::Marker, "store_not_empty"));
    assert!(words.contains("photos"), "{words}");
    fs::remove_dir(place.join("photos")).unwrap();
    // Disks of the partitions are mounted already, and are new.
    fs::create_dir_all(place.join("p01/lost+found")).unwrap();
    assert_eq!(look(&stores, &node(&path(&place)), StoreAim::Look).await.trouble, None);

    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), mount.path().join("link")).unwrap();
    let outside = [
        path(elsewhere.path()),
        path(&mount.path().join("link")),
        path(&mount.path().join("copies/../../../etc")),
        "/".to_owned(),
        "../stolen".to_owned(),
        String::new(),
    ];
    for place in outside {
        let (step, code, _, words) = wrong(look(&stores, &node(&place), StoreAim::Look).await);
        assert_eq!((step, code.as_str()), (StoreStep::Connect, "store_place_refused"), "{place}: {words}");
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    let mut newer = node("copies");
    newer.at = StoreAt::Unknown;
    assert_eq!(wrong(look(&stores, &newer, StoreAim::Look).await).1, "unknown_act");
}

/// A store at which one thing goes wrong.
struct Faulty {
    folder: Folder,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// This fails with that.
    Fails(Step, Kind),
    /// What was written is read with another byte.
    Flips,
    /// What was written is not listed.
    Hides,
    /// What was written is listed with another size.
    Shortens,
    /// What was removed is still there.
    Keeps,
}

impl Faulty {
    fn fails(&self, path: &str, steps: &[Step]) -> Result<(), Trouble> {
        match self.fault {
            Fault::Fails(step, kind) if steps.contains(&step) && !path.ends_with(MARKER) => {
                Err(Trouble::new(kind, step, "no"))
            }
            Fault::Fails(..) | Fault::Flips | Fault::Hides | Fault::Shortens | Fault::Keeps => Ok(()),
        }
    }
}

impl Store for Faulty {
    fn list(&self, folder: &str, deep: bool) -> Result<Vec<Listed>, Trouble> {
        self.fails(folder, &[Step::List])?;
        let mut found = self.folder.list(folder, deep)?;
        if self.fault == Fault::Hides {
            found.clear();
        }
        if self.fault == Fault::Shortens {
            found.iter_mut().for_each(|file| file.size -= 1);
        }
        Ok(found)
    }

    fn read(&self, path: &str) -> Result<Bytes, Trouble> {
        self.fails(path, &[Step::Read])?;
        let mut bytes = self.folder.read(path)?.to_vec();
        if self.fault == Fault::Flips && !path.ends_with(MARKER) {
            bytes[7] ^= 1;
        }
        Ok(bytes.into())
    }

    fn read_part(&self, path: &str, offset: u64, length: usize) -> Result<Bytes, Trouble> {
        self.folder.read_part(path, offset, length)
    }

    fn write(&self, path: &str, parts: &[Bytes]) -> Result<(), Trouble> {
        self.fails(path, &[Step::Write, Step::Rename])?;
        self.folder.write(path, parts)
    }

    fn remove(&self, path: &str) -> Result<(), Trouble> {
        self.fails(path, &[Step::Remove])?;
        if self.fault == Fault::Keeps { Ok(()) } else { self.folder.remove(path) }
    }
}

#[test]
fn each_part_of_a_test_that_fails_is_named() {
    let all = [
        (Fault::Fails(Step::Write, Kind::Full), StoreStep::Write, Reason::StoreFull),
        (Fault::Fails(Step::Write, Kind::Refused), StoreStep::Write, Reason::StoreRefused),
        (Fault::Fails(Step::Rename, Kind::Refused), StoreStep::Rename, Reason::StoreRefused),
        (Fault::Fails(Step::Read, Kind::Unreachable), StoreStep::Read, Reason::StoreUnreachable),
        (Fault::Fails(Step::Read, Kind::Missing), StoreStep::Read, Reason::StoreDamaged),
        (Fault::Fails(Step::List, Kind::Refused), StoreStep::List, Reason::StoreRefused),
        (Fault::Fails(Step::Remove, Kind::Refused), StoreStep::Remove, Reason::StoreRefused),
        (Fault::Flips, StoreStep::Read, Reason::StoreDamaged),
        (Fault::Hides, StoreStep::List, Reason::StoreDamaged),
        (Fault::Shortens, StoreStep::List, Reason::StoreDamaged),
        (Fault::Keeps, StoreStep::Remove, Reason::StoreDamaged),
    ];
    for (fault, step, code) in all {
        let here = tempfile::tempdir().unwrap();
        fs::create_dir(here.path().join("p01")).unwrap();
        let store = Box::new(Faulty { folder: Folder::open(here.path()).unwrap(), fault });
        let (node, at) = (node(""), Mutex::new(new_progress()));
        let visit = Visit { store, node: &node, at: &at };
        let failed = visit.try_out(1).unwrap_err();
        assert_eq!((failed.step, failed.code.code(), failed.partition), (step, code.code(), Some(1)), "{fault:?}");
    }
}

fn new_progress() -> Progress {
    Progress { made: 0, step: StoreStep::Connect, partition: None, has_ended: false, is_given_up: false }
}

#[test]
fn what_a_killed_test_has_left_is_removed_and_nothing_else() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("p01");
    fs::create_dir(&folder).unwrap();
    let names = ["skyrack-test-1700000000-0a", "skyrack-test-99999999999-0a", "skyrack-test-x", "pack"];
    for name in names {
        fs::write(folder.join(name), "x").unwrap();
    }
    let (node, at) = (node(""), Mutex::new(new_progress()));
    let visit = Visit { store: Box::new(Folder::open(here.path()).unwrap()), node: &node, at: &at };
    visit.try_out(1).unwrap();
    let left: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect();
    assert_eq!(left, names[1..].iter().map(|name| folder.join(name)).collect::<Vec<_>>());
}

/// A pipe in place of a marker: opening it waits for somebody who writes, as a disk that hangs does.
#[tokio::test]
async fn a_disk_that_hangs_holds_one_thread_and_nobody() {
    let here = tempfile::tempdir().unwrap();
    let stores = stores(here.path(), &[]);
    let node = node("copies");
    let place = here.path().join("stores/copies");
    fs::create_dir_all(&place).unwrap();
    let pipe = place.join(MARKER);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let moment = Duration::from_millis(200);
    let (step, code, _, words) =
        wrong(Arc::clone(&stores).look_within(node.clone(), StoreAim::Look, Vec::new(), moment).await);
    assert_eq!((step, code.as_str()), (StoreStep::Marker, "store_unreachable"), "{words}");
    let (step, _, _, words) = wrong(look(&stores, &node, StoreAim::Look).await);
    assert!(step == StoreStep::Connect && words.contains("earlier"), "{words}");

    // It answers after all.
    fs::write(&pipe, r#"{"mark":"0a1b","name":""}"#).unwrap();
    fs::remove_file(&pipe).unwrap();
    for _ in 0..200 {
        if stores.hung.lock().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for partition in ["p00", "p01"] {
        fs::remove_dir_all(place.join(partition)).unwrap();
    }
    assert_eq!(look(&stores, &node, StoreAim::Look).await.trouble, None);
}

#[tokio::test]
async fn a_node_that_is_said_to_keep_snapshots_has_to_show_one_of_its_own() {
    let here = tempfile::tempdir().unwrap();
    let stores = stores(here.path(), &[]);
    let mut node = node("copies");
    node.snapshots = true;
    assert_eq!(look(&stores, &node, StoreAim::Look).await.trouble, None, "a look asks for none");
    node.made = 2;
    let place = here.path().join("stores/copies");
    let (step, code, ..) = wrong(look(&stores, &node, StoreAim::Test).await);
    assert_eq!((step, code.as_str()), (StoreStep::Read, "no_snapshots"));
    for folder in [".snapshot", ".zfs/snapshot", ".snap"] {
        let kept = place.join(folder).join("daily.0");
        fs::create_dir_all(&kept).unwrap();
        assert_eq!(wrong(look(&stores, &node, StoreAim::Test).await).1, "no_snapshots", "{folder} is empty");
        fs::write(kept.join(MARKER), r#"{"mark":"ffff","name":"北京"}"#).unwrap();
        assert_eq!(wrong(look(&stores, &node, StoreAim::Test).await).1, "no_snapshots", "another node's");
        fs::copy(place.join(MARKER), kept.join(MARKER)).unwrap();
        assert_eq!(look(&stores, &node, StoreAim::Test).await.trouble, None, "{folder}");
        fs::remove_dir_all(place.join(folder)).unwrap();
    }
    node.snapshots = false;
    assert_eq!(look(&stores, &node, StoreAim::Test).await.trouble, None);
}

#[tokio::test]
async fn a_sealed_key_takes_the_place_of_another_and_is_made_nowhere() {
    let here = tempfile::tempdir().unwrap();
    let stores = stores(here.path(), &[]);
    let mut node = node("copies");
    assert_eq!(look(&stores, &node, StoreAim::Look).await.sealed, 0);
    node.made = 2;
    let place = here.path().join("stores/copies");
    fs::create_dir(place.join("p00/cp-1")).unwrap();
    fs::write(place.join("p00/cp-1/skyrack-key"), "old").unwrap();
    let file = |folder: &str| SealedKey { folder: folder.to_owned(), text: "new".to_owned() };
    let sealed =
        Arc::clone(&stores).look_and_seal(node.clone(), StoreAim::Look, vec![file("p00/cp-1"), file("p01/gone")]);
    let seen = sealed.await;
    assert_eq!((seen.sealed, seen.trouble), (2, None));
    assert_eq!(fs::read_to_string(place.join("p00/cp-1/skyrack-key")).unwrap(), "new");
    assert!(!place.join("p01/gone").exists());
    let refused = Arc::clone(&stores).look_and_seal(node, StoreAim::Look, vec![file("../..")]).await;
    assert_eq!((refused.sealed, refused.trouble.unwrap().step), (0, StoreStep::Read));
}
