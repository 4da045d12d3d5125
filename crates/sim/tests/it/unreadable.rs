//! A folder that the disk does not give, as the switchboard makes one.

use adb::{Device as _, DevicePath};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{all, card, room, said};

/// Posts to the switchboard of a room; the answer's status and body.
pub async fn post(room: &sim::Room, path: &str, body: &str) -> (u16, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asks = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let answer = tokio::select! {
        answer = asks => answer,
        ended = sim::control::serve(room, listener) => panic!("{ended:?}"),
    };
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[tokio::test]
async fn a_folder_that_the_disk_does_not_give_is_not_even_roots() {
    let room = room(2, "").await;
    let card = card(&room, 0).await;
    said(&card, "mkdir -p /data/bad/below /data/good; echo x >/data/bad/file; echo y >/data/good/file").await;
    let (status, body) = post(&room, "/cards/0/unreadable", r#"{"paths":["/data/bad"]}"#).await;
    assert_eq!((status, body.as_str()), (200, r#"{"unreadable":["/data/bad"]}"#));
    let failed = "I/O error\n";
    for (line, out, err) in [
        ("find /data/bad /data/good", "/data/bad\n/data/good\n/data/good/file\n", format!("find: /data/bad: {failed}")),
        ("ls /data/bad", "", format!("ls: /data/bad: {failed}")),
        ("cat /data/bad/file", "", format!("cat: /data/bad/file: {failed}")),
        ("ls -d /data/bad", "/data/bad\n", String::new()),
        ("tar -cf - /data/bad | tar -t", "data/bad/\n", format!("tar: /data/bad: {failed}tar: had errors\n")),
        ("rm -r /data/bad", "", format!("rm: /data/bad: {failed}")),
    ] {
        let exit = u8::from(!line.contains("tar") && !err.is_empty());
        all(&card, &[(line, out, &err, exit)]).await;
    }
    let listed = card.list(&DevicePath::new("/data/bad").unwrap(), 100).await.unwrap();
    assert!(listed.is_none_or(|folder| folder.entries.is_empty()));

    // Not even a file that could be found; and it goes away as it came.
    post(&room, "/cards/0/unreadable", r#"{"paths":["/data/bad/file"]}"#).await;
    all(
        &card,
        &[(
            "find /data/bad; cat /data/bad/file",
            "/data/bad\n/data/bad/below\n/data/bad/file\n",
            "cat: /data/bad/file: I/O error\n",
            1,
        )],
    )
    .await;
    assert_eq!(post(&room, "/cards/0/unreadable", r#"{"paths":[]}"#).await.0, 200);
    assert_eq!(said(&card, "cat /data/bad/file").await, "x\n");
    assert_eq!(post(&room, "/cards/9/unreadable", r#"{"paths":[]}"#).await.0, 404);
}
