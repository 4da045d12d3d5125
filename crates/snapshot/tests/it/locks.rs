//! A person who works on a repository with Debian's `restic`, and we beside him.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use snapshot::{Error, Lock, Run};

use crate::support::{Fails, Node, Phone};

/// A machine that runs other suites is slow.
const PATIENCE: Duration = Duration::from_mins(2);

fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

fn lock(node: &Node, at: i64) -> Result<Lock, Error> {
    node.repo().lock(at, Duration::ZERO, &Run::default())
}

fn signal(child: &Child, which: &str) {
    assert!(Command::new("kill").args([which, &child.id().to_string()]).status().unwrap().success());
}

/// Whether a process that runs is stopped, with all its threads.
fn is_held(child: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    stat.rsplit(") ").next().unwrap().starts_with('T')
}

fn has_lock(node: &Node) -> bool {
    node.files("locks").iter().any(|file| file.file_name().unwrap().len() == 64)
}

/// `restic check`, which wants the repository for itself, held at a moment at which it has it.
fn checks(node: &Node) -> Child {
    let began = Instant::now();
    loop {
        let mut child = begins_to_check(node);
        // On a busy machine it may have ended before anybody has looked: then another one is begun.
        while child.try_wait().unwrap().is_none() {
            match (is_held(&child), has_lock(node)) {
                (true, true) => return child,
                (true, false) => signal(&child, "-CONT"),
                (false, true) => signal(&child, "-STOP"),
                (false, false) => {}
            }
            assert!(began.elapsed() < PATIENCE, "it has taken no lock");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn begins_to_check(node: &Node) -> Child {
    Command::new("restic")
        .args(["--no-cache", "--repo"])
        .arg(node.folder.path())
        .args(["check", "--read-data"])
        .env("RESTIC_PASSWORD", node.code.text())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn nobody_prunes_beside_us_and_nothing_is_left_behind() {
    let node = Node::new();
    node.save(&Arc::new(Phone::with_apps()), None);
    let (one, other) = (lock(&node, now()).unwrap(), lock(&node, now()).unwrap());
    for wanted in ["prune", "check"] {
        let refused = node.restic(&[wanted]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("already locked"), "{wanted}: {said}");
    }
    assert!(node.restic_says(&["snapshots"]).contains("CP-0000001"), "reading is nobody's loss");
    drop(one);
    assert!(!node.restic(&["prune"]).status.success());
    drop(other);
    assert!(node.files("locks").is_empty());
    node.restic_says(&["prune"]);
    assert!(node.restic_says(&["check", "--read-data"]).contains("no errors were found"));
}

#[test]
fn whoever_has_it_for_himself_is_waited_for() {
    let node = Node::new();
    node.save(&Arc::new(Phone::with_apps()), None);
    let mut person = checks(&node);
    let Err(Error::Locked(who)) = lock(&node, now()) else { panic!("it was locked") };
    assert!(who.contains(&person.id().to_string()), "{who}");
    assert_eq!(node.files("locks").len(), 1, "ours is not left there");
    let stopped = Run::default();
    stopped.stop();
    let waits = node.repo().lock(now(), PATIENCE, &stopped);
    assert_eq!(waits.map(|_| ()), Err(Error::Stopped));

    let (repo, run) = (node.repo(), Run::default());
    let waits = thread::spawn(move || repo.lock(now(), PATIENCE, &run).map(drop));
    thread::sleep(Duration::from_millis(1_500));
    assert!(!waits.is_finished());
    signal(&person, "-CONT");
    assert!(person.wait().unwrap().success(), "nobody was in its way");
    waits.join().unwrap().unwrap();
    assert!(node.files("locks").is_empty());
}

#[test]
fn what_somebody_has_left_behind_counts_for_half_an_hour() {
    let node = Node::new();
    let mut person = checks(&node);
    signal(&person, "-KILL");
    person.wait().unwrap();
    assert!(matches!(lock(&node, now() + 1_700), Err(Error::Locked(_))));
    drop(lock(&node, now() + 1_900).unwrap());
    assert_eq!(node.files("locks").len(), 1, "it is for the person to remove");
    node.restic_says(&["unlock", "--remove-all"]);

    // One of ours, whose agent was killed.
    std::mem::forget(lock(&node, now()).unwrap());
    let left = node.files("locks");
    assert_eq!(left.len(), 1);
    drop(lock(&node, now()).unwrap());
    assert_eq!(node.files("locks"), left);
    drop(lock(&node, now() + 1_900).unwrap());
    assert!(node.files("locks").is_empty());

    // Something that is no lock says nothing of whether somebody is there.
    std::fs::write(node.folder.path().join("locks").join("a".repeat(64)), "half a lo").unwrap();
    let Err(Error::Locked(why)) = lock(&node, now()) else { panic!("nobody knows") };
    assert!(why.contains("no lock that can be read"), "{why}");
}

#[test]
fn a_node_that_takes_no_file_any_more_gives_what_it_has() {
    let node = Node::new();
    let saved = node.save(&Arc::new(Phone::with_apps()), None);
    let (full, run) = (node.failing(Fails::FullAfter(0)), Run::default());
    assert!(matches!(full.lock(now(), Duration::ZERO, &run), Err(Error::Store(_))));
    assert!(full.lock_to_read(now(), Duration::ZERO, &run).unwrap().is_none());
    full.verify_whole(&saved.snapshot, &run).unwrap();

    // Whoever has it for himself is respected all the same.
    let mut person = checks(&node);
    assert!(matches!(full.lock_to_read(now(), Duration::ZERO, &run), Err(Error::Locked(_))));
    signal(&person, "-KILL");
    person.wait().unwrap();
    assert!(full.lock_to_read(now() + 1_900, Duration::ZERO, &run).unwrap().is_none());
    assert!(node.repo().lock_to_read(now() + 1_900, Duration::ZERO, &run).unwrap().is_some());
}
