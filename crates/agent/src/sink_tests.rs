#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use snapshot::{Entry, EntryKind, Sink as _};
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use wire::copy::PackageData;

use super::{CardSink, Part, SMALL, Wanted};
use crate::listing::{self, FILE, FOLDER, LINK, Timed, TimedListing};
use crate::owners::Owners;

fn entry(path: &[u8], kind: EntryKind, uid: u32) -> Entry {
    let path = PathBuf::from(OsStr::from_bytes(path));
    Entry { path, kind, mode: 0o640, uid, gid: uid, modified: (77, 5), changed: None, inode: 0 }
}

fn file(path: &[u8], size: usize, uid: u32) -> Entry {
    entry(path, EntryKind::File(size as u64), uid)
}

/// What an archive has: kind, owner, time and content, by the name.
type Unpacked = BTreeMap<Vec<u8>, (tar::EntryType, u64, u64, Vec<u8>)>;

fn unpacked(archive: &[u8], to: &mut Unpacked) {
    for entry in tar::Archive::new(archive).entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if let Some(target) = entry.link_name_bytes() {
            content = target.to_vec();
        }
        let header = entry.header();
        let told = (header.entry_type(), header.uid().unwrap(), header.mtime().unwrap(), content);
        to.insert(entry.path_bytes().to_vec(), told);
    }
}

/// What comes to a card that has `there`, how many archives it gets, and what has to be on it then.
async fn sent(there: TimedListing, things: Vec<(Entry, Vec<u8>)>) -> std::io::Result<(Unpacked, usize, Wanted)> {
    sent_without(Vec::new(), there, things).await
}

/// The same where nothing of these packages comes.
async fn sent_without(
    withheld: Vec<String>,
    there: TimedListing,
    things: Vec<(Entry, Vec<u8>)>,
) -> std::io::Result<(Unpacked, usize, Wanted)> {
    let (to, mut from) = mpsc::channel(1);
    let here = HashMap::from([("com.game".to_owned(), 10_201)]);
    let packages = [PackageData { name: "com.game".to_owned(), uid: 10_061, ..PackageData::default() }];
    let mut sink = CardSink::new(to, Owners::new(&packages, here), there).without(withheld);
    let sending = tokio::task::spawn_blocking(move || {
        for (entry, content) in things {
            if !sink.wants(&entry)? {
                continue;
            }
            sink.begin(&entry)?;
            if matches!(entry.kind, EntryKind::File(_)) {
                for piece in content.chunks(1000) {
                    sink.content(piece)?;
                }
                sink.end()?;
            }
        }
        sink.finish()
    });
    let (mut all, mut parts) = (Unpacked::new(), 0);
    while let Some(part) = from.recv().await {
        parts += 1;
        match part {
            Part::Whole(archive) => unpacked(&archive, &mut all),
            Part::Stream(mut content, size) => {
                let mut archive = Vec::new();
                content.read_to_end(&mut archive).await.unwrap();
                assert_eq!(archive.len() as u64, size);
                unpacked(&archive, &mut all);
            }
        }
    }
    Ok((all, parts, sending.await.unwrap()?))
}

#[tokio::test]
async fn everything_comes_with_its_owner_here_and_large_files_alone() {
    let large: Vec<u8> = (0..SMALL + 5).map(|at| u8::try_from(at % 251).unwrap()).collect();
    let long = [b"data/user/0/com.game/files/".as_slice(), &[b'n'; 180]].concat();
    let things = vec![
        (entry(b"data", EntryKind::Folder, 0), vec![]),
        (entry(b"data/user/0", EntryKind::Folder, 1_000), vec![]),
        (entry(b"data/user/0/com.game", EntryKind::Folder, 10_061), vec![]),
        (file(b"data/user/0/com.game/a\nb\xff", 3, 10_061), b"abc".to_vec()),
        (file(b"data/user/0/com.game/empty", 0, 10_061), vec![]),
        (file(&long, 2, 10_061), b"hi".to_vec()),
        (entry(b"data/user/0/com.game/link", EntryKind::Link("/sdcard".into()), 10_061), vec![]),
        (file(b"data/user/0/com.game/save", large.len(), 20_061), large.clone()),
        (file(b"data/user/0/com.gone/x", 1, 10_099), b"x".to_vec()),
        (file(b"data/media/0/1.jpg", 1, 1_023), b"p".to_vec()),
    ];
    let (all, parts, wanted) = sent(TimedListing::new(), things).await.unwrap();
    assert_eq!(parts, 3, "those before the large one, it alone, and those after it");
    let names: Vec<&[u8]> = all.keys().map(Vec::as_slice).collect();
    let long = &long[5..];
    let all_names: Vec<&[u8]> = vec![
        b"media/0/1.jpg",
        b"user/0/com.game",
        b"user/0/com.game/a\nb\xff",
        b"user/0/com.game/empty",
        long,
        b"user/0/com.game/link",
        b"user/0/com.game/save",
    ];
    assert_eq!(names, all_names, "nothing of an app that is not here, nor what every card has");
    let told = |name: &[u8]| &all[name];
    assert_eq!(told(b"user/0/com.game"), &(tar::EntryType::Directory, 10_201, 77, vec![]));
    assert_eq!(told(b"user/0/com.game/a\nb\xff"), &(tar::EntryType::Regular, 10_201, 77, b"abc".to_vec()));
    assert_eq!(told(long).3, b"hi");
    assert_eq!(told(b"user/0/com.game/link"), &(tar::EntryType::Symlink, 10_201, 77, b"/sdcard".to_vec()));
    assert_eq!((told(b"user/0/com.game/save").1, told(b"user/0/com.game/save").3 == large), (20_201, true));
    assert_eq!(told(b"media/0/1.jpg").1, 1_023);
    assert_eq!(wanted.keys().map(Vec::as_slice).collect::<Vec<_>>(), all_names);
    assert_eq!(wanted[&b"user/0/com.game"[..]].0.mode, FOLDER | 0o640);
    assert_eq!(wanted[&b"user/0/com.game/link"[..]].0.mode & LINK, LINK);
}

#[tokio::test]
async fn what_is_there_as_it_has_to_be_is_not_sent_again() {
    let timed = |size, uid, modified| Timed {
        entry: listing::Entry { mode: FILE | 0o640, uid, gid: uid, size },
        modified,
        changed: 999,
        inode: 9,
    };
    let there = TimedListing::from([
        (b"user/0/com.game/same".to_vec(), timed(3, 10_201, 77)),
        (b"user/0/com.game/shorter".to_vec(), timed(2, 10_201, 77)),
        (b"user/0/com.game/theirs".to_vec(), timed(3, 10_061, 77)),
        (b"user/0/com.game/later".to_vec(), timed(3, 10_201, 78)),
    ]);
    let names = ["same", "shorter", "theirs", "later", "missing"];
    let path = |name: &str| format!("data/user/0/com.game/{name}").into_bytes();
    let things = names.map(|name| (file(&path(name), 3, 10_061), b"abc".to_vec()));
    let (all, _, wanted) = sent(there, things.into()).await.unwrap();
    assert_eq!((all.len(), wanted.len()), (4, 5));
    assert!(!all.contains_key(&b"user/0/com.game/same"[..]));
}

#[tokio::test]
async fn what_no_copy_has_is_no_part_of_one() {
    for path in [&b"data/system/packages.xml"[..], b"data/user/0/../../../etc/x", b"/data/user/0/com.game/x", b"etc/x"]
    {
        let refused = sent(TimedListing::new(), vec![(file(path, 1, 0), b"x".to_vec())]).await;
        assert!(refused.is_err(), "{}", String::from_utf8_lossy(path));
    }
}

#[tokio::test]
async fn a_card_that_has_seen_the_end_of_an_archive_need_not_take_the_rest() {
    let (to, mut from) = mpsc::channel(1);
    let here = HashMap::from([("com.game".to_owned(), 10_201)]);
    let mut sink = CardSink::new(to, Owners::new(&[], here), TimedListing::new());
    let size = 2 << 20;
    let sending = tokio::task::spawn_blocking(move || {
        let large = file(b"data/user/0/com.game/large", size, 10_061);
        assert!(sink.wants(&large)?);
        sink.begin(&large)?;
        sink.content(&vec![7; size])?;
        sink.end()?;
        sink.finish()
    });
    let Some(Part::Stream(mut content, whole)) = from.recv().await else { panic!("a large file comes alone") };
    // All but the two blocks that end it.
    let mut archive = vec![0; usize::try_from(whole).unwrap() - 1024];
    content.read_exact(&mut archive).await.unwrap();
    drop(content);
    assert!(from.recv().await.is_none());
    assert_eq!(sending.await.unwrap().unwrap().len(), 1);
}

#[tokio::test]
async fn nothing_comes_of_a_package_that_is_left_out_whether_it_is_on_the_card_or_not() {
    let things = || {
        vec![
            (entry(b"data/user/0/com.game", EntryKind::Folder, 10_061), vec![]),
            (file(b"data/user/0/com.game/save", 1, 10_061), b"s".to_vec()),
            (file(b"data/user_de/0/com.game/save", 1, 10_061), b"s".to_vec()),
            (file(b"data/media/0/Android/data/com.game/map", 1, 10_061), b"m".to_vec()),
            (file(b"data/media/0/Android/obb/com.gone/main", 1, 10_099), b"o".to_vec()),
            (file(b"data/media/0/1.jpg", 1, 1_023), b"p".to_vec()),
        ]
    };
    let names = |all: &Unpacked| all.keys().map(|name| String::from_utf8(name.clone()).unwrap()).collect::<Vec<_>>();
    let (all, _, _) = sent(TimedListing::new(), things()).await.unwrap();
    assert_eq!(all.len(), 6, "{:?}", names(&all));
    let withheld = ["com.game", "com.gone"].map(str::to_owned).to_vec();
    let (all, _, wanted) = sent_without(withheld, TimedListing::new(), things()).await.unwrap();
    assert_eq!((names(&all), wanted.len()), (vec!["media/0/1.jpg".to_owned()], 1));
}
