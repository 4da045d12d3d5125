//! What Debian's `restic` makes of our repositories, and we of its copies.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::Arc;

use snapshot::{EntryKind, Run};

use crate::support::{Node, Phone, Restored, expect_same};

#[test]
fn restic_checks_lists_and_restores_what_we_wrote() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let saved = node.save(&phone, None);
    assert!(node.restic_says(&["check", "--read-data"]).contains("no errors were found"));
    let listed = node.restic_says(&["snapshots", "--json"]);
    assert!(listed.contains(&saved.snapshot) && listed.contains("CP-0000001"), "{listed}");

    let to = tempfile::tempdir().unwrap();
    node.restic_says(&["restore", &saved.snapshot, "--target", to.path().to_str().unwrap()]);
    for entry in &phone.entries {
        let found = fs::symlink_metadata(to.path().join(&entry.path)).unwrap();
        let name = entry.path.display();
        assert_eq!((found.mtime(), found.mtime_nsec()), (entry.modified.0, i64::from(entry.modified.1)), "{name}");
        match &entry.kind {
            EntryKind::Link(target) => {
                assert_eq!(fs::read_link(to.path().join(&entry.path)).unwrap().as_os_str(), target)
            }
            EntryKind::File(size) => assert_eq!(found.len(), *size, "{name}"),
            EntryKind::Folder => assert!(found.is_dir(), "{name}"),
        }
        if !matches!(entry.kind, EntryKind::Link(_)) {
            assert_eq!(found.permissions().mode() & 0o7777, entry.mode, "{name}");
        }
        // Owners are set by whoever may.
        if rustix::process::geteuid().is_root() {
            assert_eq!((found.uid(), found.gid()), (entry.uid, entry.gid), "{name}");
        }
    }
    let restored = node.restore(&saved.snapshot);
    for (path, content) in &restored.contents {
        assert!(fs::read(to.path().join(path)).unwrap() == *content, "{}", path.display());
    }
}

#[test]
fn what_is_restored_is_what_was_copied() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let saved = node.save(&phone, None);
    assert_eq!(saved.files, phone.entries.iter().filter(|one| one.kind != EntryKind::Folder).count() as u64);
    expect_same(&node.restore(&saved.snapshot), &phone);
    assert_eq!(node.repo().entries(&saved.snapshot, &Run::default()).unwrap(), node.restore(&saved.snapshot).entries);

    let mut some = Restored { only: "data/data/com.game".into(), ..Restored::default() };
    node.repo().restore(&saved.snapshot, &mut some, &Run::default()).unwrap();
    assert_eq!(some.contents.len(), 23, "only what the target wants");
}

#[test]
fn we_read_what_restic_wrote() {
    let node = Node::new();
    let from = tempfile::tempdir().unwrap();
    fs::write(from.path().join("a.txt"), "from restic").unwrap();
    node.restic_says(&["backup", from.path().to_str().unwrap()]);
    let [snapshot] = &node.snapshots()[..] else { panic!("one copy") };
    let restored = node.restore(snapshot);
    assert!(restored.contents.values().any(|content| content == b"from restic"));
    node.repo().verify_whole(snapshot, &Run::default()).unwrap();
}

#[test]
fn with_the_code_alone_the_key_and_what_lies_there_are_found_again() {
    let (node, phone) = (Node::new(), Arc::new(Phone::with_apps()));
    let saved = node.save(&phone, None);
    let [file] = &node.files("keys")[..] else { panic!("one key file") };
    let file = fs::read(file).unwrap();
    assert_eq!(node.code.open(&file).unwrap().to_text(), node.key.to_text());
    assert!(snapshot::RecoveryCode::random().open(&file).is_none());
    for nonsense in ["", "{}", r#"{"N":3,"r":8,"p":1,"salt":"","data":""}"#, r#"{"N":1099511627776,"r":8,"p":1}"#] {
        assert!(node.code.open(nonsense.as_bytes()).is_none(), "{nonsense}");
    }
    let found = node.repo().found(&Run::default()).unwrap();
    let [found] = &found[..] else { panic!("one copy: {found:?}") };
    assert_eq!((&found.snapshot, &found.tree), (&saved.snapshot, &saved.tree));
    assert_eq!((found.files, found.bytes, found.added), (saved.files, saved.bytes, saved.added));
    // A key file that restic has made.
    let restic = tempfile::tempdir().unwrap();
    let said = std::process::Command::new("restic")
        .args(["init", "--repo", restic.path().to_str().unwrap()])
        .env("RESTIC_PASSWORD", node.code.text())
        .output()
        .unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let theirs = fs::read_dir(restic.path().join("keys")).unwrap().next().unwrap().unwrap().path();
    assert!(node.code.open(&fs::read(theirs).unwrap()).is_some());
}

#[test]
fn the_code_opens_it_and_no_other() {
    let (node, other) = (Node::new(), Node::new());
    node.save(&Arc::new(Phone::with_apps()), None);
    assert!(!node.restic_as(other.code.text(), &["snapshots"]).status.success());
    let refused =
        snapshot::Repo::new(Arc::new(store::Folder::open(node.folder.path()).unwrap()), other.key.clone(), None);
    assert_eq!(refused.snapshots(&Run::default()), Err(snapshot::Error::Key));
    assert_eq!(refused.init(&other.code, &Run::default()), Err(snapshot::Error::Key), "a repository is made once");
    // Again with its own key is nothing new.
    node.repo().init(&node.code, &Run::default()).unwrap();
    assert_eq!(snapshot::Key::parse(&node.key.to_text()).unwrap().to_text(), node.key.to_text());
}
