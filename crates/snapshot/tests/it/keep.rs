//! Giving up copies, and pruning that is killed.

use std::sync::Arc;

use snapshot::{Error, Repo, Run, Save, Saved, Source};

use crate::support::{Fails, Node, Phone, expect_same, noise};

/// A node with three copies of a phone that grows and shrinks, and the phone as the last one has it.
fn grown() -> (Node, Vec<Saved>, Arc<Phone>) {
    let node = Node::new();
    let (mut copies, mut phone) = (Vec::new(), Arc::new(Phone::with_apps()));
    for round in 0..3 {
        let mut next = Phone::with_apps();
        next.change(
            "data/data/com.game/files/world.bin",
            &noise(50 + round, (3 << 20) + usize::try_from(round).unwrap()),
        );
        next.put(&format!("data/data/com.game/files/level{round}.bin"), 0o600, &noise(70 + round, 2 << 20));
        phone = Arc::new(next);
        copies.push(node.save(&phone, copies.last()));
    }
    (node, copies, phone)
}

fn used(node: &Node) -> u64 {
    node.files("data").iter().map(|path| path.metadata().unwrap().len()).sum()
}

#[test]
fn what_no_copy_needs_is_freed_and_the_rest_restores() {
    let (node, copies, phone) = grown();
    let before = used(&node);
    node.repo().forget(&[copies[0].snapshot.clone(), copies[1].snapshot.clone()], &Run::default()).unwrap();
    let pruned = node.repo().prune(true, &Run::default()).unwrap();
    assert!(pruned.bytes > 4 << 20 && used(&node) < before - (4 << 20), "{pruned:?}, {before} to {}", used(&node));
    assert_eq!(node.snapshots(), [copies[2].snapshot.as_str()]);
    expect_same(&node.restore(&copies[2].snapshot), &phone);
    assert!(node.restic_says(&["check", "--read-data"]).contains("no errors were found"));
}

#[test]
fn tries_that_nobody_was_told_of_go_once_their_copy_is_made() {
    // All of them say the same time.
    let (node, copies, phone) = grown();
    let later = Save { at: 1_760_000_001, phone: "CP-0000001".to_owned(), ..Save::default() };
    let later = node.repo().save(Arc::clone(&phone) as Arc<dyn Source>, &later, &Run::default()).unwrap();
    node.repo().forget_tries(1_760_000_000, &copies[2].snapshot, &Run::default()).unwrap();
    assert_eq!(node.snapshots(), [copies[2].snapshot.as_str(), later.snapshot.as_str()]);
    node.repo().forget_tries(1_760_000_002, "", &Run::default()).unwrap();
    assert_eq!(node.snapshots().len(), 2, "of another time");
    expect_same(&node.restore(&copies[2].snapshot), &phone);
}

#[test]
fn what_is_gone_or_cut_off_is_seen_without_reading_what_is_there() {
    let node = Node::new();
    let copy = node.save(&Arc::new(Phone::with_apps()), None);
    let look = || node.repo().look(&copy.snapshot, &Run::default());
    look().unwrap();
    let large = node.files("data").into_iter().max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    let snapshot = node.files("snapshots").into_iter().find(|path| path.ends_with(&copy.snapshot)).unwrap();
    let index = node.files("index").remove(0);
    for path in [large.clone(), snapshot, index] {
        let content = std::fs::read(&path).unwrap();
        for cut in [Some(content.len() - 1), None] {
            // They are written to be read only.
            std::fs::remove_file(&path).unwrap();
            if let Some(bytes) = cut {
                std::fs::write(&path, &content[..bytes]).unwrap();
            }
            let seen = look();
            assert!(matches!(seen, Err(Error::Damaged(_))), "{}, {cut:?}: {seen:?}", path.display());
            std::fs::write(&path, &content).unwrap();
        }
    }
    // A bit that has flipped is found by who reads it.
    let mut content = std::fs::read(&large).unwrap();
    content[100] ^= 1;
    std::fs::write(&large, &content).unwrap();
    look().unwrap();
    assert!(node.repo().verify_whole(&copy.snapshot, &Run::default()).is_err());
}

#[test]
fn pruning_that_is_killed_anywhere_harms_nothing() {
    let mut ended = false;
    for after in 0..40 {
        let (node, copies, phone) = grown();
        node.repo().forget(&[copies[0].snapshot.clone()], &Run::default()).unwrap();
        ended = prune(&node.failing(Fails::GoneAfter(after)));
        node.repo().verify_whole(&copies[2].snapshot, &Run::default()).unwrap();
        expect_same(&node.restore(&copies[2].snapshot), &phone);
        let said = node.restic_says(&["check", "--read-data"]);
        assert!(said.contains("no errors were found"), "after {after}: {said}");
        if ended {
            break;
        }
    }
    assert!(ended, "it was never left to end");
}

fn prune(repo: &Repo) -> bool {
    repo.prune(true, &Run::default()).is_ok()
}
