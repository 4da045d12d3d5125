//! The object storage: one set of demands, met by a folder and by an S3 server that the test starts.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::str::FromStr as _;
use std::time::Duration;

use bytes::Bytes;
use courier::{ObjectError, ObjectKey, Objects, Place, S3};
use futures::TryStreamExt as _;

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

    // Given up half way: it never was.
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
    let s3 = server.bucket("skyrack");
    meets_all_demands(&Objects::open(&Place::S3(s3.clone())).unwrap()).await;

    let elsewhere = Objects::open(&Place::S3(S3 { bucket: "nobody-made-this".into(), ..s3.clone() })).unwrap();
    assert!(elsewhere.check().await.is_err());
    assert!(!format!("{s3:?}").contains("not-a-real-secret"));
}

#[tokio::test]
async fn a_store_that_is_down_is_told_soon() {
    // A port that was free a moment ago; nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let objects = Objects::open(&Place::S3(s3_at(port, "skyrack"))).unwrap();
    let failed = tokio::time::timeout(Duration::from_secs(30), objects.check()).await.unwrap();
    assert!(matches!(failed, Err(ObjectError::Store(_) | ObjectError::Io(_))));
}

fn files_below(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

fn s3_at(port: u16, bucket: &str) -> S3 {
    S3 {
        endpoint: format!("http://127.0.0.1:{port}"),
        region: "us-east-1".into(),
        bucket: bucket.into(),
        access_key_id: "test".into(),
        secret_access_key: "not-a-real-secret".to_owned().into(),
        virtual_host: false,
    }
}

/// moto's S3 server, from the Python environment of the tests. It ends with the test.
struct Moto {
    process: Child,
    port: u16,
}

impl Moto {
    fn start() -> Option<Self> {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/moto_server");
        if !program.exists() {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, port };
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("moto_server did not start within 30 s");
    }

    fn bucket(&self, name: &str) -> S3 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "PUT /{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        s3_at(self.port, name)
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
