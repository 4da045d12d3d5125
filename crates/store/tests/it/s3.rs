//! moto, and a bucket that is busy or shut.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use courier::S3;
use store::{Kind, Limit, S3Bucket, Step, Store as _, Trouble, Within};
use testkit::moto::Moto;
use tokio::runtime::Runtime;

use crate::same::judge;
use crate::vsftpd::here;

fn settings(address: &str, bucket: &str) -> S3 {
    S3 {
        endpoint: format!("http://{address}"),
        region: "us-east-1".into(),
        bucket: bucket.into(),
        access_key_id: "test".into(),
        secret_access_key: "not-a-real-secret".to_owned().into(),
        virtual_host: false,
        outbound: here(),
    }
}

#[test]
fn a_bucket_does_what_every_store_does() {
    let Some(server) = Moto::start() else { return testkit::skip(".venv/bin/moto_server (make test gets it)") };
    server.bucket("phones");
    let runtime = Runtime::new().unwrap();
    let settings = settings(&server.address.to_string(), "phones");
    let bucket = |prefix: &str| S3Bucket::new(&settings, prefix, Limit::default(), runtime.handle().clone()).unwrap();
    judge(&bucket("/room-1/"));
    judge(&Within::new(std::sync::Arc::new(bucket("")), "phone-1"));
    // What lies beside is not listed: `room-1` is no `room-12`.
    bucket("room-12").write("data/x", &[bytes::Bytes::from_static(b"x")]).unwrap();
    assert_eq!(bucket("room-1").list("data", true).unwrap().len(), 1);
}

/// A server that answers everything with this, until the test ends.
fn answers(status: &'static str) -> Trouble {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut asked = [0; 4096];
                _ = stream.read(&mut asked);
                _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            });
        }
    });
    let runtime = Runtime::new().unwrap();
    let bucket = S3Bucket::new(&settings(&address, "phones"), "", Limit::default(), runtime.handle().clone()).unwrap();
    bucket.write("data/x", &[bytes::Bytes::from_static(b"x")]).unwrap_err()
}

#[test]
fn busy_and_shut_are_told_apart() {
    let busy = answers("503 Slow Down");
    assert_eq!((busy.kind, busy.step), (Kind::Unreachable, Step::Write), "{busy}");
    let shut = answers("403 Forbidden");
    assert_eq!((shut.kind, shut.step), (Kind::Refused, Step::Write), "{shut}");
    let full = answers("507 Insufficient Storage");
    assert_eq!((full.kind, full.step), (Kind::Full, Step::Write), "{full}");
}
