//! The folder of this machine.

use std::fs;
use std::time::Duration;

use bytes::Bytes;
use store::{Folder, Kind, Step, Store as _, Within};

use crate::same::judge;

#[test]
fn a_folder_does_what_every_store_does() {
    let folder = tempfile::tempdir().unwrap();
    judge(&Folder::open(folder.path()).unwrap());
}

#[test]
fn a_folder_of_a_store_is_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::sync::Arc::new(Folder::open(folder.path()).unwrap());
    judge(&Within::new(whole, "phone-1"));
    assert!(folder.path().join("phone-1/config").exists());
}

#[test]
fn nothing_leads_out_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Folder::open(folder.path()).unwrap();
    for path in ["../x", "/etc/passwd", "a/../../x", "a/./../b/../../c"] {
        assert_eq!(store.read(path).unwrap_err().kind, Kind::Refused, "{path}");
        assert_eq!(store.write(path, &[Bytes::from_static(b"x")]).unwrap_err().kind, Kind::Refused, "{path}");
        assert_eq!(store.remove(path).unwrap_err().kind, Kind::Refused, "{path}");
    }
}

#[test]
fn a_disk_that_is_not_mounted_is_no_empty_node() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("node");
    assert_eq!(Folder::open(&place).unwrap_err().step, Step::Connect);
    fs::create_dir(&place).unwrap();
    let store = Folder::open(&place).unwrap();
    fs::remove_dir(&place).unwrap();
    assert!(store.write("data/ab/pack", &[Bytes::from_static(b"x")]).is_err(), "not made anew below the mount");
    assert!(!place.exists());
}

#[test]
fn what_somebody_left_half_is_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Folder::open(folder.path()).unwrap();
    store.write("data/ab/pack", &[Bytes::from_static(b"x")]).unwrap();
    fs::write(folder.path().join(store::part_name("data/ab/other")), "half").unwrap();
    assert_eq!(store.list("data", true).unwrap().len(), 1);
}

#[test]
fn what_belongs_to_the_disk_is_nobodys() {
    let folder = tempfile::tempdir().unwrap();
    let store = Folder::open(folder.path()).unwrap();
    fs::create_dir(folder.path().join("lost+found")).unwrap();
    fs::write(folder.path().join("lost+found/#12"), "found by fsck").unwrap();
    assert!(store.things_in("", 9).unwrap().is_empty() && store.list("", true).unwrap().is_empty());
    assert_eq!(store.used_in("", Duration::from_mins(1)).unwrap(), Some(0));
    fs::create_dir(folder.path().join("photos")).unwrap();
    assert_eq!(store.things_in("", 9).unwrap(), ["photos"], "an empty folder is something");
}

#[test]
fn it_says_how_much_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = Folder::open(folder.path()).unwrap();
    let free = store.free().unwrap().unwrap();
    let told = std::process::Command::new("df").args(["-B1", "--output=avail"]).arg(folder.path()).output().unwrap();
    let told: u64 = String::from_utf8(told.stdout).unwrap().lines().nth(1).unwrap().trim().parse().unwrap();
    // Others write meanwhile.
    assert!(free.abs_diff(told) < 1 << 30, "{free} and {told}");
}

#[test]
fn who_has_no_patience_is_told_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Folder::open(folder.path()).unwrap();
    store.write("data/ab/pack", &[Bytes::from_static(b"x")]).unwrap();
    assert_eq!(store.used_in("", Duration::ZERO).unwrap(), None);
}
