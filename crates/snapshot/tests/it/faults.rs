//! Stores that are full, go away, lie, and lose what they had.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use snapshot::{Error, Run, Saved};
use store::Kind;

use crate::support::{Fails, Node, Phone, Restored, expect_same, noise, save, save_in};

fn damaged<T: std::fmt::Debug>(done: Result<T, Error>, what: &str) {
    assert!(matches!(done, Err(Error::Damaged(_))), "{what}: {done:?}");
}

#[test]
fn a_store_that_is_full_at_any_write_has_no_copy_and_the_ones_before_stay() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let first = node.save(&phone, None);
    let mut more = Phone::with_apps();
    more.put("data/data/com.game/files/level2.bin", 0o600, &noise(31, 9 << 20));
    let more = Arc::new(more);
    // Packs, index, snapshot: until it gets through.
    let mut full = 0;
    let saved = loop {
        match save(&node.failing(Fails::FullAfter(full)), &more, Some(&first)) {
            Ok(saved) => break saved,
            Err(Error::Store(trouble)) => assert_eq!(trouble.kind, Kind::Full),
            Err(other) => panic!("after {full} writes: {other}"),
        }
        assert_eq!(node.snapshots(), [first.snapshot.as_str()], "after {full} writes");
        node.repo().verify_whole(&first.snapshot, &Run::default()).unwrap();
        node.repo().repair(&Run::default()).unwrap();
        full += 1;
    };
    assert!(full > 1, "it was full at several steps");
    expect_same(&node.restore(&saved.snapshot), &more);
    expect_same(&node.restore(&first.snapshot), &phone);
    assert!(node.restic_says(&["check", "--read-data"]).contains("no errors were found"));
}

#[test]
fn of_those_who_make_it_at_the_same_moment_each_has_the_same_one() {
    let node = Node::without_repository();
    let all: Vec<_> = std::thread::scope(|scope| {
        let makers: Vec<_> = (0..6).map(|_| scope.spawn(|| node.repo().init(&node.code, &Run::default()))).collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect()
    });
    assert_eq!(all, [const { Ok(()) }; 6]);
    let phone = Arc::new(Phone::with_apps());
    let saved = node.save(&phone, None);
    expect_same(&node.restore(&saved.snapshot), &phone);
    assert!(node.restic_says(&["check", "--read-data"]).contains("no errors were found"));
}

#[test]
fn whoever_was_stopped_before_it_was_made_makes_none() {
    let (node, run) = (Node::without_repository(), Run::default());
    run.stop();
    assert_eq!(node.repo().init(&node.code, &run), Err(Error::Stopped));
    assert_eq!((node.files("keys"), node.folder.path().join("config").exists()), (Vec::new(), false));
}

#[test]
fn whoever_may_not_go_on_any_more_leaves_no_copy_not_even_from_the_middle_of_its_last_write() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let may = Arc::new(AtomicBool::new(true));
    let run = || {
        let may = Arc::clone(&may);
        Run::while_so(move || may.load(Ordering::SeqCst))
    };
    for folder in ["data", "index", "snapshots"] {
        may.store(true, Ordering::SeqCst);
        let over = node.failing(Fails::OverAt(folder, Arc::clone(&may)));
        let ended = save_in(&over, &phone, None, &run());
        assert!(matches!(ended, Err(Error::Stopped)), "{folder}: {ended:?}");
        assert!(!may.load(Ordering::SeqCst) && node.files("snapshots").is_empty(), "{folder}");
    }
    // Nor does it read or repair.
    assert!(matches!(node.repo().repair(&run()), Err(Error::Stopped)));
    may.store(true, Ordering::SeqCst);
    node.repo().repair(&run()).unwrap();
    let saved = save_in(&node.repo(), &phone, None, &run()).unwrap();
    assert_eq!(node.snapshots(), [saved.snapshot.as_str()]);
    expect_same(&node.restore(&saved.snapshot), &phone);
}

#[test]
fn a_store_that_keeps_half_of_a_file_is_found_out_before_a_card_is_wiped() {
    // Which write the lie is told at decides what is found; all of them are.
    for at in 0..8 {
        let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
        let Ok(saved) = save(&node.failing(Fails::LiesAt(at)), &phone, None) else { continue };
        let whole = Restored::default();
        match node.repo().verify(&saved, &Run::default()) {
            // Its writes were fewer.
            Ok(()) => expect_same(&node.restore(&saved.snapshot), &phone),
            Err(Error::Damaged(_)) => drop(whole),
            Err(other) => panic!("write {at}: {other}"),
        }
    }
}

#[test]
fn a_verified_copy_that_loses_a_file_or_a_bit_is_told() {
    for folder in ["data", "index", "snapshots"] {
        let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
        let saved = node.save(&phone, None);
        // As it is written, and later with all that the repository has.
        let read_back = || {
            let later = node.repo().verify_whole(&saved.snapshot, &Run::default());
            later.and_then(|()| node.repo().verify(&saved, &Run::default()))
        };
        read_back().unwrap();
        for path in node.files(folder) {
            let bytes = fs::read(&path).unwrap();
            let mut changed = bytes.clone();
            let middle = changed.len() / 2;
            changed[middle] ^= 4;
            fs::write(&path, &changed).unwrap();
            damaged(node.repo().verify(&saved, &Run::default()), &format!("a bit of {}", path.display()));
            damaged(node.repo().verify_whole(&saved.snapshot, &Run::default()), &format!("{}, later", path.display()));
            fs::remove_file(&path).unwrap();
            damaged(read_back(), &format!("the loss of {}", path.display()));
            fs::write(&path, &bytes).unwrap();
        }
        read_back().unwrap();
    }
}

#[test]
fn a_copy_is_damaged_by_what_it_needs_and_by_nothing_else() {
    let node = Node::new();
    let old = Arc::new(Phone::with_apps());
    let first = node.save(&old, None);
    let mut more = Phone::with_apps();
    more.put("data/data/com.game/files/level2.bin", 0o600, &noise(31, 9 << 20));
    let second = node.save(&Arc::new(more), Some(&first));
    let whole = |saved: &Saved| {
        let run = Run::default();
        node.repo().verify_whole(&saved.snapshot, &run).map(|()| (run.bytes(), run.total()))
    };
    let (read, total) = whole(&second).unwrap();
    assert!(read == total && total > 9 << 20, "{read} of {total}");
    let path = |pack: &String| node.folder.path().join("data").join(&pack[..2]).join(pack);
    // An old pack that is gone or cut off: both need it, and the second one sees it at once, though it did not write it.
    for pack in &first.packs {
        let bytes = fs::read(path(pack)).unwrap();
        fs::remove_file(path(pack)).unwrap();
        damaged(node.repo().verify(&second, &Run::default()), "an old pack is gone");
        damaged(whole(&first), "a pack of its own is gone");
        fs::write(path(pack), &bytes[..bytes.len() - 1]).unwrap();
        damaged(node.repo().verify(&second, &Run::default()), "an old pack is cut off");
        fs::write(path(pack), &bytes).unwrap();
    }
    // What only the second one needs is not the first one's business.
    let own = second.packs.iter().find(|pack| fs::metadata(path(pack)).unwrap().len() > 1 << 20).unwrap();
    let mut bytes = fs::read(path(own)).unwrap();
    bytes[1000] ^= 1;
    fs::write(path(own), bytes).unwrap();
    damaged(whole(&second), "a bit of a new pack");
    whole(&first).unwrap();
    expect_same(&node.restore(&first.snapshot), &old);
}

#[test]
fn a_flipped_bit_of_an_old_pack_is_found_by_one_of_the_copies_after_it() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let mut last = node.save(&phone, None);
    // Those with contents: trees are always read.
    let large = |path: &PathBuf| fs::metadata(path).unwrap().len() > 1 << 20;
    let path = node.files("data").into_iter().find(large).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[1000] ^= 1;
    fs::write(&path, bytes).unwrap();
    last.packs.clear();
    // They are few, and one of them is read each time.
    let found = (0..200).any(|_| matches!(node.repo().verify(&last, &Run::default()), Err(Error::Damaged(_))));
    assert!(found, "nobody has read {}", path.display());
}

#[test]
fn a_restore_of_a_damaged_copy_says_so_and_gives_no_wrong_byte() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let saved = node.save(&phone, None);
    for path in node.files("data") {
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        changed[bytes.len() / 3] ^= 1;
        fs::write(&path, &changed).unwrap();
        let mut restored = Restored::default();
        damaged(node.repo().restore(&saved.snapshot, &mut restored, &Run::default()), "a changed pack");
        fs::write(&path, &bytes).unwrap();
    }
}
