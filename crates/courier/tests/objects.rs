//! The object storage: the same requirements, met by a folder and by an S3 server that the test starts.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use bytes::Bytes;
use courier::{Aside, ObjectError, ObjectKey, Objects, Place, S3};
use futures::TryStreamExt as _;
use outbound::{Net, Rule};
use testkit::moto::Moto;

/// Longer than two parts, with a rest.
const LARGE: usize = 14 * 1024 * 1024 + 17;

async fn meets_all_demands(objects: &Objects) {
    objects.check().await.unwrap();

    // Small, known by its hash.
    let small = objects.put("export", Bytes::from_static(b"hello")).await.unwrap();
    assert_eq!(small.size, 5);
    assert_eq!(small.sha256, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    assert_eq!(ObjectKey::from_str(small.key.as_str()).unwrap(), small.key);
    assert_eq!(objects.read(&small.key, 5).await.unwrap(), "hello");
    assert!(matches!(objects.read(&small.key, 4).await, Err(ObjectError::TooLarge { size: 5, limit: 4, .. })));

    // Empty.
    let empty = objects.put("export", Bytes::new()).await.unwrap();
    assert_eq!((empty.size, objects.read(&empty.key, 0).await.unwrap().len()), (0, 0));

    // Large, in odd pieces, streamed both ways.
    let content: Bytes = (0..LARGE).map(|n| u8::try_from(n % 251).unwrap()).collect::<Vec<_>>().into();
    let mut incoming = objects.create("import");
    for piece in content.chunks(100_003) {
        incoming.write(content.slice_ref(piece)).await.unwrap();
    }
    let large = incoming.finish().await.unwrap();
    let outgoing = objects.get(&large.key).await.unwrap();
    assert_eq!((large.size, outgoing.size), (LARGE as u64, LARGE as u64));
    let got = outgoing
        .stream
        .try_fold(Vec::new(), async |mut all, piece| {
            all.extend_from_slice(&piece);
            Ok(all)
        })
        .await
        .unwrap();
    assert!(got == content, "it comes back as it went");

    // Abandoned half-way: it does not exist.
    let mut given_up = objects.create("import");
    let key = given_up.key().clone();
    given_up.write(content.clone()).await.unwrap();
    given_up.abort().await.unwrap();
    assert!(matches!(objects.get(&key).await, Err(ObjectError::NotFound(_))));

    // Deleted, twice.
    for stored in [&small, &empty, &large] {
        objects.delete(&stored.key).await.unwrap();
        objects.delete(&stored.key).await.unwrap();
        assert!(matches!(objects.get(&stored.key).await, Err(ObjectError::NotFound(_))));
    }
}

#[tokio::test]
async fn a_folder_meets_all_demands_and_keeps_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data").join("objects");
    let objects = Objects::open(&Place::Folder(root.clone())).unwrap();
    meets_all_demands(&objects).await;

    let mut dropped = objects.create("import");
    dropped.write(vec![1; LARGE].into()).await.unwrap();
    drop(dropped);
    for _ in 0..100 {
        if files_below(&root).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(files_below(&root), Vec::<PathBuf>::new());
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&root).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
}

/// Restores two objects, one of which already exists.
async fn objects_come_back_whole_or_go_again(place: &Place) {
    let objects = Objects::open(place).unwrap();
    let known = objects.put("import", Bytes::from_static(b"known")).await.unwrap();
    let lost = objects.put("export", Bytes::from_static(b"lost")).await.unwrap();
    objects.delete(&lost.key).await.unwrap();

    for is_meant in [false, true] {
        let mut aside = Aside::begin(place).unwrap();
        assert_eq!(aside.put(&known.key, &mut b"known".as_slice()).await.unwrap(), known);
        assert_eq!(aside.put(&lost.key, &mut b"lost".as_slice()).await.unwrap(), lost);
        aside.publish().unwrap();
        assert_eq!(objects.read(&lost.key, 9).await.unwrap(), "lost");
        if !is_meant {
            aside.give_up().await.unwrap();
            assert!(matches!(objects.get(&lost.key).await, Err(ObjectError::NotFound(_))));
        }
        assert_eq!(objects.read(&known.key, 9).await.unwrap(), "known", "what was there before stays");
    }
}

#[tokio::test]
async fn objects_come_back_into_a_folder_and_nothing_is_left_of_a_run_that_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("objects");
    let place = Place::Folder(root.clone());
    objects_come_back_whole_or_go_again(&place).await;
    assert_eq!(files_below(&root).len(), 2);

    let key = ObjectKey::from_str("export/0199c5a0-0000-7000-8000-000000000000").unwrap();
    let mut killed = Aside::begin(&place).unwrap();
    killed.put(&key, &mut b"half".as_slice()).await.unwrap();
    let objects = Objects::open(&place).unwrap();
    assert!(matches!(objects.get(&key).await, Err(ObjectError::NotFound(_))), "what is aside is not there");
    let mut again = Aside::begin(&place).unwrap();
    again.put(&key, &mut b"whole".as_slice()).await.unwrap();
    again.publish().unwrap();
    assert_eq!(objects.read(&key, 9).await.unwrap(), "whole");
    assert_eq!(files_below(&root).len(), 3);

    let fresh = folder.path().join("fresh");
    let mut refused = Aside::begin(&Place::Folder(fresh.clone())).unwrap();
    refused.put(&key, &mut b"whole".as_slice()).await.unwrap();
    refused.give_up().await.unwrap();
    assert!(!fresh.exists(), "a refused one leaves nothing");
}

#[tokio::test]
async fn objects_come_back_into_a_bucket() {
    let Some(server) = Moto::start() else { return testkit::skip(".venv/bin/moto_server (make test gets it)") };
    objects_come_back_whole_or_go_again(&Place::S3(bucket(&server, "skyrack"))).await;
}

/// The keys of uploads that were begun and are not finished.
fn unfinished(server: &Moto, bucket: &str) -> Vec<String> {
    let listing = server.get(&format!("/{bucket}?uploads"));
    let keys = listing.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
    keys.map(|(key, _)| key.to_owned()).collect()
}

#[tokio::test]
async fn what_a_killed_console_has_sent_of_an_object_goes_with_it() {
    let Some(server) = Moto::start() else { return testkit::skip(".venv/bin/moto_server (make test gets it)") };
    let objects = Objects::open(&Place::S3(bucket(&server, "skyrack"))).unwrap();
    let mut keys = Vec::new();
    for _ in 0..2 {
        let mut incoming = objects.create("import");
        keys.push(incoming.key().clone());
        incoming.write(vec![1; LARGE].into()).await.unwrap();
        // Nobody finishes or aborts it any more.
        std::mem::forget(incoming);
    }
    for _ in 0..6000 {
        if unfinished(&server, "skyrack").len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let [killed, other] = &keys[..] else { panic!("{keys:?}") };
    objects.remove(killed).await.unwrap();
    assert_eq!(unfinished(&server, "skyrack"), [other.to_string()], "another's is not touched");
    objects.remove(killed).await.unwrap();
    objects.remove(other).await.unwrap();
    assert_eq!(unfinished(&server, "skyrack"), [""; 0]);
}

#[test]
fn only_keys_of_our_own_making_are_keys() {
    for text in [
        "",
        "/",
        "export/",
        "export/../../etc/passwd",
        "../0199c5a0-0000-7000-8000-000000000000",
        "export/a b",
        "导出/x",
    ] {
        assert!(ObjectKey::from_str(text).is_err(), "{text}");
    }
    assert!(ObjectKey::from_str("export/0199c5a0-0000-7000-8000-000000000000").is_ok());
}

#[tokio::test]
async fn an_s3_server_meets_all_demands() {
    let Some(server) = Moto::start() else { return testkit::skip(".venv/bin/moto_server (make test gets it)") };
    let s3 = bucket(&server, "skyrack");
    meets_all_demands(&Objects::open(&Place::S3(s3.clone())).unwrap()).await;

    let elsewhere = Objects::open(&Place::S3(S3 { bucket: "nobody-made-this".into(), ..s3.clone() })).unwrap();
    assert!(elsewhere.check().await.is_err());
    assert!(!format!("{s3:?}").contains("not-a-real-secret"));
}

#[tokio::test]
async fn a_store_that_is_down_is_told_soon() {
    // A port that was free a moment ago; nobody listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let objects = Objects::open(&Place::S3(s3_at(address, "skyrack"))).unwrap();
    let failed = tokio::time::timeout(Duration::from_secs(30), objects.check()).await.unwrap();
    assert!(matches!(failed, Err(ObjectError::Store(_) | ObjectError::Io(_))));
}

#[tokio::test]
async fn a_bucket_on_this_machine_is_refused_unless_it_is_excepted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
        let endpoint = format!("http://{host}:{port}");
        let s3 = S3 { endpoint, outbound: Rule::default(), ..s3_at(listener.local_addr().unwrap(), "skyrack") };
        let failed = Objects::open(&Place::S3(s3)).unwrap().check().await;
        assert!(format!("{failed:?}").contains("it is this machine"), "{host}: {failed:?}");
    }
    assert!(listener.accept().is_err(), "nobody connected");
}

fn files_below(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

fn s3_at(address: SocketAddr, bucket: &str) -> S3 {
    S3 {
        endpoint: format!("http://{address}"),
        region: "us-east-1".into(),
        bucket: bucket.into(),
        access_key_id: "test".into(),
        secret_access_key: "not-a-real-secret".to_owned().into(),
        virtual_host: false,
        outbound: Rule::new(vec![Net::LOOPBACK]),
    }
}

fn bucket(server: &Moto, name: &str) -> S3 {
    server.bucket(name);
    s3_at(server.address, name)
}
