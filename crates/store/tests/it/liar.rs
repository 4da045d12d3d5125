//! A server that truncates, lies about sizes, drops, is full or says nothing: each is told apart, and nothing that is not
//! whole ever has its name.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use bytes::Bytes;
use store::{Ftp, FtpSettings, Kind, Limit, Step, Store as _};

use crate::vsftpd::here;

/// What it does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vice {
    None,
    /// Keeps half of what it gets, and says that all is well.
    Truncates,
    /// Says another size than the file has.
    LiesAboutSize,
    /// Hangs up in the middle of a transfer.
    Drops,
    /// Has no room.
    Full,
    /// Sends less than there is, and says that all is well.
    SendsHalf,
    /// Does not rename onto a file that is there.
    NeverOverwrites,
}

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// Serves one connection after the other, in threads.
fn serve(vice: Vice) -> (u16, Files) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, files) = (listener.local_addr().unwrap().port(), Files::default());
    let shared = Arc::clone(&files);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, files) = (stream.unwrap(), Arc::clone(&shared));
            thread::spawn(move || _ = talk(&stream, &files, vice));
        }
    });
    (port, files)
}

fn talk(stream: &TcpStream, files: &Files, vice: Vice) -> std::io::Result<()> {
    let mut out = stream;
    let mut say = |text: &str| out.write_all(format!("{text}\r\n").as_bytes());
    say("220 ready")?;
    let (mut data, mut from) = (None, String::new());
    for line in BufReader::new(stream).lines() {
        let line = line?;
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let rest = rest.to_owned();
        match command {
            "USER" => say("331 password")?,
            "PASS" => say("230 in")?,
            "TYPE" | "NOOP" => say("200 ok")?,
            "MKD" => say("550 exists")?,
            "PASV" => {
                let listener = TcpListener::bind("127.0.0.1:0")?;
                let port = listener.local_addr()?.port();
                data = Some(listener);
                // A private address, as behind NAT.
                say(&format!("227 Entering Passive Mode (10,9,8,7,{},{})", port >> 8, port & 255))?;
            }
            "STOR" => {
                let (mut peer, _) = data.take().unwrap().accept()?;
                say("150 send")?;
                let mut bytes = Vec::new();
                if vice == Vice::Drops {
                    let mut some = vec![0; 10_000];
                    peer.read_exact(&mut some)?;
                    return Ok(());
                }
                peer.read_to_end(&mut bytes)?;
                if vice == Vice::Full {
                    say("552 no room")?;
                    continue;
                }
                if vice == Vice::Truncates {
                    bytes.truncate(bytes.len() / 2);
                }
                files.lock().unwrap().insert(rest, bytes);
                say("226 done")?;
            }
            "RETR" => {
                let found = files.lock().unwrap().get(&rest).cloned();
                let (mut peer, _) = data.take().unwrap().accept()?;
                let Some(bytes) = found else {
                    say("550 no such file")?;
                    continue;
                };
                say("150 coming")?;
                match vice {
                    Vice::Drops => {
                        peer.write_all(&bytes[..bytes.len() * 99 / 100])?;
                        return Ok(());
                    }
                    Vice::SendsHalf => peer.write_all(&bytes[..bytes.len() / 2])?,
                    Vice::None | Vice::Truncates | Vice::LiesAboutSize | Vice::Full | Vice::NeverOverwrites => {
                        peer.write_all(&bytes)?;
                    }
                }
                drop(peer);
                say("226 done")?;
            }
            "SIZE" => match files.lock().unwrap().get(&rest) {
                Some(bytes) if vice == Vice::LiesAboutSize => say(&format!("213 {}", bytes.len() + 1))?,
                Some(bytes) => say(&format!("213 {}", bytes.len()))?,
                None => say("550 no such file")?,
            },
            "RNFR" => {
                from = rest;
                say("350 to?")?;
            }
            "RNTO" => {
                let mut files = files.lock().unwrap();
                if vice == Vice::NeverOverwrites && files.contains_key(&rest) {
                    say("550 exists")?;
                } else if let Some(bytes) = files.remove(&from) {
                    files.insert(rest, bytes);
                    say("250 renamed")?;
                } else {
                    say("550 no such file")?;
                }
            }
            "DELE" => {
                let gone = files.lock().unwrap().remove(&rest).is_some();
                say(if gone { "250 gone" } else { "550 no such file" })?;
            }
            _ => say("502 no")?,
        }
    }
    Ok(())
}

fn ftp(port: u16) -> Ftp {
    let settings = FtpSettings {
        host: "127.0.0.1".to_owned(),
        port,
        user: "u".to_owned(),
        password: "p".to_owned().into(),
        folder: "/node".to_owned(),
        is_active: false,
        pin: None,
        outbound: here(),
    };
    Ftp::new(settings, Limit::default())
}

fn large() -> [Bytes; 1] {
    [Bytes::from(vec![7; 3_000_000])]
}

#[test]
fn an_honest_one_is_believed_and_its_private_address_is_not_used() {
    let (port, files) = serve(Vice::None);
    ftp(port).write("a/pack", &large()).unwrap();
    assert_eq!(files.lock().unwrap().keys().collect::<Vec<_>>(), ["/node/a/pack"]);
    assert_eq!(ftp(port).read("a/pack").unwrap(), large()[0]);
}

#[test]
fn nothing_that_is_not_whole_has_its_name() {
    for (vice, kind) in [
        (Vice::Truncates, Kind::Broken),
        (Vice::LiesAboutSize, Kind::Broken),
        (Vice::Drops, Kind::Unreachable),
        (Vice::Full, Kind::Full),
    ] {
        let (port, files) = serve(vice);
        let trouble = ftp(port).write("a/pack", &large()).unwrap_err();
        assert_eq!((trouble.kind, trouble.step), (kind, Step::Write), "{vice:?}: {trouble}");
        assert!(!files.lock().unwrap().contains_key("/node/a/pack"), "{vice:?}");
    }
}

#[test]
fn what_comes_back_short_is_not_believed() {
    for (vice, kind) in
        [(Vice::SendsHalf, Kind::Broken), (Vice::LiesAboutSize, Kind::Broken), (Vice::Drops, Kind::Unreachable)]
    {
        let (port, files) = serve(vice);
        files.lock().unwrap().insert("/node/a/pack".to_owned(), large().concat());
        let trouble = ftp(port).read("a/pack").unwrap_err();
        assert_eq!((trouble.kind, trouble.step), (kind, Step::Read), "{vice:?}: {trouble}");
    }
}

#[test]
fn a_name_that_is_taken_by_the_same_bytes_is_written() {
    let (port, files) = serve(Vice::NeverOverwrites);
    let store = ftp(port);
    store.write("a/pack", &large()).unwrap();
    store.write("a/pack", &large()).unwrap();
    assert_eq!(files.lock().unwrap().len(), 1, "no half file is left");
    let other = store.write("a/pack", &[Bytes::from_static(b"other")]).unwrap_err();
    assert_eq!(other.step, Step::Rename, "{other}");
}

#[test]
fn one_that_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        // It hangs up after a moment without a word.
        let (stream, _) = listener.accept().unwrap();
        thread::sleep(std::time::Duration::from_millis(200));
        drop(stream);
    });
    let trouble = ftp(port).read("a").unwrap_err();
    assert_eq!((trouble.kind, trouble.step), (Kind::Unreachable, Step::Connect), "{trouble}");
}
