//! Commands whose input is as long as a package, and comes while they run.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use adb::{Card, Command, Device as _, Error, InstallFailure, install_verdict, session_created, session_written};
use sim::Apk;
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};

use crate::support::{card, options, room};

const SOON: Duration = Duration::from_secs(5);

/// Bytes without end, and how many of them were read.
struct Counted(Arc<AtomicU64>);

impl AsyncRead for Counted {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let count = into.remaining();
        into.put_slice(&vec![b'x'; count]);
        self.0.fetch_add(count as u64, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

async fn pm(card: &Card, words: &[&str]) -> String {
    card.run(&Command::new("pm").args(words), SOON).await.unwrap().both()
}

/// A package is written into a new session, as the room agent does it.
async fn session(card: &Card, files: &[(&str, Vec<u8>)]) -> String {
    let id = session_created(&pm(card, &["install-create", "-r"]).await).unwrap();
    for (name, file) in files {
        let write = Command::new("pm").args(["install-write", "-S"]).arg(file.len()).arg(id).arg(name).arg("-");
        let said = card.feeding(&write, &mut file.as_slice(), file.len() as u64, SOON).await.unwrap();
        assert_eq!(session_written(&said.both(), file.len() as u64), Ok(()));
    }
    pm(card, &["install-commit", &id.to_string()]).await
}

#[tokio::test]
async fn a_package_comes_by_a_session_without_a_file() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let apk = Apk::new("com.example.game", 7);
    let said = session(&card, &[("base.apk", apk.file(3_000_000)), ("split_config.zh.apk", apk.file(70_000))]).await;
    assert_eq!(install_verdict(&said), Ok(()));
    let paths = pm(&card, &["path", "com.example.game"]).await;
    assert_eq!(
        paths,
        "package:/data/app/com.example.game/base.apk\npackage:/data/app/com.example.game/split_config.zh.apk"
    );
    assert_eq!(room.cards[0].state().files.list("/data/local/tmp").len(), 0, "no package is left lying around");
    // A package that is older than what is there is refused in the card's own words.
    let refused = install_verdict(&session(&card, &[("base.apk", Apk::new("com.example.game", 6).file(10))]).await);
    assert_eq!(refused.unwrap_err().failure, InstallFailure::VersionDowngrade);
}

#[tokio::test]
async fn twenty_megabytes_arrive_whole_and_both_outputs_come_apart() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let read = Arc::new(AtomicU64::new(0));
    let size = 20 << 20;
    let command = Command::script("wc -c; echo why >&2; exit 3");
    let output = card.feeding(&command, &mut Counted(Arc::clone(&read)), size, SOON).await.unwrap();
    assert_eq!((output.text(), output.stderr, output.exit), ("20971520\n".to_owned(), b"why\n".to_vec(), Some(3)));
    assert_eq!(read.load(Ordering::Relaxed), size, "no more is read than was told");
    let nothing = card.feeding(&Command::new("wc").arg("-c"), &mut tokio::io::empty(), 0, SOON).await.unwrap();
    assert_eq!(nothing.text(), "0\n");
}

#[tokio::test]
async fn the_source_is_read_as_fast_as_the_card_takes_it() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let read = Arc::new(AtomicU64::new(0));
    let (command, mut source) = (Command::script("sleep 1; wc -c"), Counted(Arc::clone(&read)));
    let feeding = card.feeding(&command, &mut source, 32 << 20, SOON);
    tokio::pin!(feeding);
    assert!(tokio::time::timeout(Duration::from_millis(500), &mut feeding).await.is_err());
    let ahead = read.load(Ordering::Relaxed);
    assert!((1..2 << 20).contains(&ahead), "{ahead} bytes were read for a card that reads none");
    assert_eq!(feeding.await.unwrap().text(), "33554432\n");
}

#[tokio::test]
async fn a_command_that_has_heard_enough_is_no_error() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let mut source = Counted(Arc::default());
    let output = card.feeding(&Command::script("head -c 5; exit 4"), &mut source, 64 << 20, SOON).await.unwrap();
    assert_eq!((output.text(), output.exit), ("xxxxx".to_owned(), Some(4)));
    // So it is with a session that is not there.
    let write = Command::new("pm").args(["install-write", "-S", "5000000", "77", "base.apk", "-"]);
    let said = card.feeding(&write, &mut source, 5_000_000, SOON).await.unwrap();
    let refused = session_written(&said.both(), 5_000_000).unwrap_err();
    assert_eq!(refused.words, "java.lang.SecurityException: Caller has no access to session 77");
}

#[tokio::test]
async fn what_it_prints_meanwhile_is_taken_and_bounded() {
    let room = room(1, "").await;
    let mut small = options();
    small.limits.output = 100_000;
    let card = Card::connect(room.cards[0].address, &small).await.unwrap();
    // It gives back all that it is fed: more than fits anywhere on the way.
    let output = card.feeding(&Command::new("cat"), &mut Counted(Arc::default()), 4 << 20, SOON).await.unwrap();
    assert_eq!((output.stdout.len(), output.truncated, output.exit), (100_000, true, Some(0)));
}

#[tokio::test]
async fn silence_of_either_side_ends_it() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let short = Duration::from_millis(300);
    let step = |result: Result<adb::Output, Error>| match result {
        Err(Error::Timeout { step, .. }) => step,
        other => panic!("{other:?}"),
    };
    let takes = card.feeding(&Command::new("sleep").arg(60), &mut Counted(Arc::default()), 64 << 20, short).await;
    assert_eq!(step(takes), "the card to take input");
    let ends = card.feeding(&Command::new("sleep").arg(60), &mut &b"x"[..], 1, short).await;
    assert_eq!(step(ends), "the end of a command that was fed");
    // The other end is kept open, and says nothing.
    let (_sender, mut source) = tokio::io::duplex(64);
    let comes = card.feeding(&Command::new("cat"), &mut source, 10, short).await;
    assert_eq!(step(comes), "the source of a command's input");
    assert!(card.run(&Command::new("true"), SOON).await.unwrap().succeeded(), "the connection goes on");
}

#[tokio::test]
async fn a_source_that_is_shorter_or_broken_is_our_fault() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let short = card.feeding(&Command::new("cat"), &mut &b"abc"[..], 1000, SOON).await.unwrap_err();
    assert_eq!(short, Error::Local { why: "the input has 3 bytes and not 1000".into() });
    let mut broken = (&b"begun"[..]).chain(Broken);
    let failed = card.feeding(&Command::new("cat"), &mut broken, 1000, SOON).await.unwrap_err();
    assert_eq!(failed.reason().code(), "local_file");
    let twice = card.feeding(&Command::new("cat").stdin("x"), &mut &b"y"[..], 1, SOON).await.unwrap_err();
    assert!(matches!(twice, Error::BadArgument { .. }), "{twice:?}");
}

/// A source that fails.
struct Broken;

impl AsyncRead for Broken {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Err(std::io::Error::other("the storage node went away")))
    }
}

#[tokio::test]
async fn a_card_that_goes_down_meanwhile_is_noticed() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let feeding = tokio::spawn({
        let card = card.clone();
        async move { card.feeding(&Command::script("sleep 30"), &mut Counted(Arc::default()), 64 << 20, SOON).await }
    });
    while !room.cards[0].state().effects.contains_key("run:sleep") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    room.cards[0].power(false);
    assert_eq!(feeding.await.unwrap(), Err(Error::Closed));
}

#[tokio::test]
async fn an_old_card_takes_no_input() {
    let room = room(1, "old").await;
    let refused = card(&room).await.feeding(&Command::new("cat"), &mut &b"x"[..], 1, SOON).await;
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
}

#[test]
fn the_words_of_the_package_manager_are_understood() {
    let refused = |said: &str| install_verdict(said).unwrap_err();
    assert_eq!(install_verdict("\tpkg: /data/local/tmp/x.apk\nSuccess\n"), Ok(()));
    assert_eq!(session_created("Success: created install session [1234567]\n"), Ok(1_234_567));
    assert_eq!(session_written("Success: streamed 12 bytes\n", 12), Ok(()));
    // What succeeded in part has not succeeded.
    assert!(install_verdict("Success: streamed 12 bytes\n").is_err());
    assert!(session_written("Success: streamed 11 bytes\n", 12).is_err());

    let split = refused("Failure [INSTALL_FAILED_INVALID_APK: Full install must include a base: splits=[config.en]]\n");
    assert_eq!((&*split.code, &split.failure), ("INSTALL_FAILED_INVALID_APK", &InstallFailure::InvalidApk));
    assert_eq!(split.words, "Full install must include a base: splits=[config.en]");
    let other = refused("Failure [INSTALL_FAILED_ABORTED: User rejected permissions]");
    assert_eq!(other.failure, InstallFailure::Other("INSTALL_FAILED_ABORTED: User rejected permissions".into()));
    let bare = refused("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]");
    assert_eq!((bare.failure, &*bare.words), (InstallFailure::InsufficientStorage, ""));
    let user = refused("Failure [not installed for 0]");
    assert_eq!((&*user.code, &*user.words), ("", "not installed for 0"));

    let thrown = "\nException occurred while executing 'install-create':\nandroid.os.ParcelableException: \
java.io.IOException: Requested internal only, but not enough space\n\tat android.util.ExceptionUtils.wrap\n";
    assert_eq!(session_created(thrown).unwrap_err().failure, InstallFailure::InsufficientStorage);
    let written = "Error: failed to write; write failed: ENOSPC (No space left on device)\n";
    assert_eq!(session_written(written, 12).unwrap_err().failure, InstallFailure::InsufficientStorage);
    assert_eq!(refused(&"x".repeat(2000)).words.len(), 500);
}
