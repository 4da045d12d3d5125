//! The folder of this machine.

use std::fs;

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
