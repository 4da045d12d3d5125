#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::HashMap;
use std::path::PathBuf;

use bytes::Bytes;

use super::{BATCH, NAMES, Plan, SMALL, entries};
use crate::archive::{still_there, unpacked};
use crate::cover::Kept;
use crate::listing::{Entry, Timed};
use crate::refused::Refused;

/// An archive of these files; those without content are further names of the one before.
fn archive(files: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let mut made = tar::Builder::new(Vec::new());
    let mut first = "";
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o600);
        if let Some(content) = content {
            header.set_size(content.len() as u64);
            made.append_data(&mut header, name, *content).unwrap();
            first = name;
        } else {
            header.set_entry_type(tar::EntryType::Link);
            header.set_size(0);
            made.append_link(&mut header, name, first).unwrap();
        }
    }
    made.into_inner().unwrap()
}

fn read(archive: Vec<u8>, wanted: &[(&str, u64)]) -> Result<HashMap<usize, Bytes>, Refused> {
    let names: Vec<Vec<u8>> = wanted.iter().map(|it| it.0.as_bytes().to_vec()).collect();
    unpacked(archive, &names, &wanted.iter().map(|it| it.1).collect::<Vec<_>>())
}

#[test]
fn small_files_are_fetched_together_and_large_ones_alone() {
    let file = |name: String, size| (PathBuf::from(&name), format!("data/{name}").into_bytes(), size);
    let many = (0..NAMES + 1).map(|at| file(format!("a{at:04}"), 0));
    let plan = Plan::of(many.chain([file("b".into(), SMALL), file("c".into(), SMALL - 1), file("d".into(), 5)]));
    let sizes: Vec<usize> = plan.batches.iter().map(Vec::len).collect();
    assert_eq!(sizes, [NAMES, 3]);
    assert_eq!((plan.places[&PathBuf::from("a1000")], plan.places[&PathBuf::from("d")]), ((1, 0), (1, 2)));
    assert!(!plan.places.contains_key(&PathBuf::from("b")));
    let from = ["a1000", "b", "d", "e"].map(|path| plan.from(&PathBuf::from(path)));
    assert_eq!(from, [Some(&b"data/a1000"[..]), Some(b"data/b"), Some(b"data/d"), None]);
    let half = BATCH / 2 - 1;
    let plan = Plan::of((0..5).map(|at| file(at.to_string(), half)));
    assert_eq!(plan.batches.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
}

#[test]
fn archives_that_come_one_after_the_other_are_one() {
    let two = [archive(&[("./a", Some(b"one")), ("./b", Some(b""))]), archive(&[("./c\n", Some(b"three"))])].concat();
    let files = read(two, &[("a", 3), ("b", 0), ("c\n", 5)]).unwrap();
    assert_eq!([&files[&0][..], &files[&1], &files[&2]], [&b"one"[..], b"", b"three"]);
}

#[test]
fn a_second_name_of_a_file_has_its_content() {
    let files = read(archive(&[("./a", Some(b"one")), ("./b", None)]), &[("a", 3), ("b", 3)]).unwrap();
    assert_eq!(files[&1], files[&0]);
}

#[test]
fn a_name_of_any_length_is_a_name() {
    let long = format!("{}/{}", "x".repeat(150), "长".repeat(80));
    let files = read(archive(&[(&format!("./{long}"), Some(b"1"))]), &[(&long, 1)]).unwrap();
    assert_eq!(files[&0], "1");
}

#[test]
fn what_is_not_what_was_listed_is_refused() {
    for (files, wanted, why) in [
        (&[("./a", Some(&b"one"[..]))][..], &[("a", 4)][..], "a has 3 bytes now, and had 4"),
        (&[("./a", Some(b"one"))], &[("b", 3)], "a came instead of b"),
        (&[("./a", Some(b"one"))], &[], "a was not asked for"),
        (&[], &[("a", 3)], "a did not come"),
    ] {
        assert_eq!(read(archive(files), wanted).unwrap_err().1, why);
    }
    let mut cut = archive(&[("./a", Some(&[7; 5_000]))]);
    cut.truncate(3_000);
    assert!(read(cut, &[("a", 5_000)]).unwrap_err().1.contains("cut off"));
}

#[test]
fn what_a_phone_that_goes_on_has_made_of_its_files_is_seen() {
    let names = ["a", "gone", "b", "turned", "c", "last"].map(|name| name.as_bytes().to_vec());
    let mut made = tar::Builder::new(Vec::new());
    for (name, content) in [("./a", "one"), ("./b", "grown"), ("./turned/x", "in a folder")] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        made.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    let all = [made.into_inner().unwrap(), archive(&[("./c", Some(b"")), ("./last", Some(&[7; 5_000]))])].concat();
    let mut files = still_there(all.clone(), &names).unwrap();
    assert_eq!(files.remove(&5).unwrap().len(), 5_000);
    let mut came: Vec<(usize, Bytes)> = files.into_iter().collect();
    came.sort_unstable();
    assert_eq!(came, [(0, Bytes::from("one")), (2, Bytes::from("grown")), (4, Bytes::new())]);
    // The last one is cut off: it is none.
    let cut = all[..all.len() - 4_000].to_vec();
    assert!(!still_there(cut, &names).unwrap().contains_key(&5));
}

#[test]
fn what_is_kept_is_told_with_its_links() {
    let kept = |path: &[u8], mode, size| Kept {
        path: path.to_vec(),
        from: None,
        timed: Timed { entry: Entry { mode, uid: 1, gid: 2, size }, modified: 3, changed: 4, inode: 5 },
    };
    let all = [kept(b"data", 0o040_771, 0), kept(b"data/f\xff", 0o104_755, 9), kept(b"data/l", 0o120_777, 4)];
    let told = entries(&all, vec!["/to".to_owned()]).unwrap();
    assert_eq!((told[1].mode, told[1].modified, told[1].changed), (0o4755, (3, 0), Some((4, 0))));
    assert_eq!(told[2].kind, snapshot::EntryKind::Link("/to".into()));
    assert!(entries(&all, Vec::new()).is_err(), "a link leads somewhere");
}
