//! What the library does left to itself, and what stands against it. See `lib.rs`.

use std::path::PathBuf;
use std::sync::Arc;

use snapshot::{Error, Run, calm};

use crate::support::{Fails, Node, Phone, expect_same, noise, save, save_in};

#[test]
fn a_file_that_cannot_be_read_makes_no_copy() {
    let node = Node::new();
    let path = PathBuf::from("data/data/com.a/files/7.db");
    for phone in [
        Phone { locked: Some(path.clone()), ..Phone::with_apps() },
        Phone { broken: Some(path.clone()), ..Phone::with_apps() },
    ] {
        let refused = save(&node.repo(), &Arc::new(phone), None).unwrap_err();
        assert!(
            matches!(&refused, Error::Source(text) if text.contains("7.db") && text.contains("the card is gone")),
            "{refused}"
        );
    }
    assert!(node.snapshots().is_empty(), "a copy without one of its files is none");
    assert!(node.restic_says(&["snapshots", "--json"]).starts_with("[]"));
}

#[test]
fn a_file_that_is_gone_is_left_out_and_nothing_else_is() {
    let node = Node::new();
    let [first, second] = ["data/data/com.a/files/7.db", "data/data/com.game/files/world.bin"].map(PathBuf::from);
    let phone = Phone { gone: [Some(first.clone()), Some(second.clone())], ..Phone::with_apps() };
    let saved = save(&node.repo(), &Arc::new(phone), None).unwrap();
    // What is restored is the phone without the two.
    let mut rest = Phone::with_apps();
    rest.entries.retain(|entry| entry.path != first && entry.path != second);
    expect_same(&node.restore(&saved.snapshot), &rest);
    node.repo().verify_whole(&saved.snapshot, &Run::default()).unwrap();
    // The next one has them.
    let phone = Arc::new(Phone::with_apps());
    let next = save(&node.repo(), &phone, Some(&saved)).unwrap();
    let mut opened = phone.opened();
    opened.sort();
    assert_eq!(opened, [first, second]);
    expect_same(&node.restore(&next.snapshot), &phone);
}

#[test]
fn a_file_with_a_time_of_change_that_it_never_had_is_read_again() {
    let node = Node::new();
    let path = PathBuf::from("data/data/com.a/files/7.db");
    let with = |changed| {
        let mut phone = Phone::with_apps();
        for entry in &mut phone.entries {
            entry.changed = Some(if entry.path == path { changed } else { (1_700_000_000, 0) });
        }
        Arc::new(phone)
    };
    let first = node.save(&with((0, 7)), None);
    // Two such ones are not the same either.
    let again = with((0, 9));
    let second = node.save(&again, Some(&first));
    assert_eq!(again.opened(), std::slice::from_ref(&path));
    let sure = with((1_700_000_000, 0));
    node.save(&sure, Some(&second));
    assert_eq!(sure.opened(), [path]);
}

#[test]
fn an_unchanged_file_is_not_read_whatever_the_order_of_the_listing() {
    let node = Node::new();
    let mut phone = Phone::with_apps();
    let first = node.save(&Arc::new(Phone::with_apps()), None);
    phone.change("data/data/com.a.b/files/3.db", &noise(99, 5000));
    phone.put("data/data/com.a.b/files/new.db", 0o600, b"new");
    for order in 0..3 {
        match order {
            0 => phone.entries.sort_by(|a, b| a.path.cmp(&b.path)),
            1 => phone.entries.reverse(),
            // As texts: `com.a.b` stands within `com.a`.
            _ => phone.entries.sort_by_key(|entry| entry.path.as_os_str().to_owned()),
        }
        let now = Arc::new(std::mem::take(&mut phone));
        let saved = node.save(&now, Some(&first));
        let mut opened = now.opened();
        opened.sort();
        let wanted = ["data/data/com.a.b/files/3.db", "data/data/com.a.b/files/new.db"].map(PathBuf::from);
        assert_eq!(opened, wanted, "order {order}");
        assert!(saved.had_parent && saved.read == 2 && saved.added < 20_000, "{saved:?}");
        expect_same(&node.restore(&saved.snapshot), &now);
        phone = Arc::into_inner(now).unwrap();
    }
    assert!(node.restic_says(&["check", "--read-data"]).contains("no errors were found"));
}

#[test]
fn a_parent_that_is_gone_is_told() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let first = node.save(&phone, None);
    node.repo().forget(std::slice::from_ref(&first.snapshot), &Run::default()).unwrap();
    phone.opened();
    let second = node.save(&phone, Some(&first));
    assert!(!second.had_parent && second.read == second.files, "{second:?}");
    assert!(second.packs.is_empty(), "what the store has is not sent again");
}

#[test]
fn what_a_killed_run_sent_is_used_by_the_next() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let refused = save(&node.failing(Fails::GoneAfter(1)), &phone, None).unwrap_err();
    assert!(matches!(refused, Error::Store(_)), "{refused}");
    assert!(node.snapshots().is_empty());
    let sent = node.files("data").len();
    assert!(sent > 0, "something was sent before");
    node.repo().repair(&Run::default()).unwrap();
    let saved = node.save(&phone, None);
    let all: u64 = node.files("data").iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(saved.added < all, "{} of {all} were sent again", saved.added);
    assert!(node.restic_says(&["check", "--read-data"]).contains("no errors were found"));
    expect_same(&node.restore(&saved.snapshot), &phone);
}

#[test]
fn a_run_is_stopped_from_outside_and_leaves_nothing_half() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let run = Run::default();
    let refused = save_in(&node.failing(Fails::StopAfter(0, run.clone())), &phone, None, &run).unwrap_err();
    assert_eq!(refused, Error::Stopped);
    assert!(node.snapshots().is_empty());
    let early = Run::default();
    early.stop();
    phone.opened();
    assert_eq!(save_in(&node.repo(), &phone, None, &early), Err(Error::Stopped));
    assert!(phone.opened().is_empty(), "nothing was read");
}

#[test]
fn two_entries_of_one_path_are_refused() {
    let mut phone = Phone::with_apps();
    phone.entries.push(phone.entries[3].clone());
    let refused = save(&Node::new().repo(), &Arc::new(phone), None).unwrap_err();
    assert!(matches!(refused, Error::Source(text) if text.contains("twice")));
}

#[test]
fn a_calm_thread_starts_calm_threads() {
    let there = std::thread::available_parallelism().unwrap().get();
    for most in [1, 2, 1_000] {
        let seen = std::thread::spawn(move || {
            calm(most).unwrap();
            std::thread::spawn(|| std::thread::available_parallelism().unwrap().get()).join().unwrap()
        });
        assert_eq!(seen.join().unwrap(), most.min(there));
    }
}
