//! A card that hangs, floods, lies or drops connections affects nobody else.

use std::time::Duration;

use adb::{Card, Command, Device as _, DevicePath, Error};
use sim::Fault;

use crate::support::{card, options, room};

const SOON: Duration = Duration::from_secs(5);

async fn run(card: &Card) -> Result<adb::Output, Error> {
    card.run(&Command::new("echo").arg("x"), Duration::from_secs(3)).await
}

#[tokio::test]
async fn a_card_that_never_speaks_ends_at_the_handshake() {
    let room = room(1, "silent").await;
    let error = Card::connect(room.cards[0].address, &options()).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { step: "the handshake", .. }), "{error}");
}

#[tokio::test]
async fn a_card_that_hangs_ends_at_the_step() {
    let room = room(1, "hangs").await;
    let card = card(&room).await;
    let error = run(&card).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { step: "opening a stream", .. }), "{error}");
}

#[tokio::test]
async fn garbage_and_lies_end_the_connection() {
    let room = room(2, "garbage@0,lies@1").await;
    for index in 0..2 {
        let card = Card::connect(room.cards[index].address, &options()).await.unwrap();
        let error = run(&card).await.unwrap_err();
        assert_eq!(error.reason().code(), "adb_protocol", "{error}");
        assert!(error.ends_connection());
        assert!(!card.is_open());
        assert_eq!(run(&card).await.unwrap_err(), error);
    }
}

#[tokio::test]
async fn endless_output_is_cut_off() {
    let room = room(1, "flood").await;
    let mut small = options();
    small.limits.output = 10_000;
    let card = Card::connect(room.cards[0].address, &small).await.unwrap();
    let output = card.run(&Command::new("logcat"), SOON).await.unwrap();
    assert_eq!((output.stdout.len(), output.truncated, output.exit), (10_000, true, None));
    // The stream is closed, and the connection is still usable.
    room.set_fault(0, Fault::Flood, false);
    assert!(run(&card).await.unwrap().succeeded());
}

#[tokio::test]
async fn a_cut_in_the_middle_of_a_transfer_is_no_success() {
    let room = room(1, "drops").await;
    let card = card(&room).await;
    let bytes = vec![1; 3_000_000];
    let path = DevicePath::new("/data/local/tmp/x").unwrap();
    assert_eq!(card.push(&mut &*bytes, &path, 0o644).await, Err(Error::Closed));
    assert!(!room.cards[0].state().effects.contains_key("push:/data/local/tmp/x"));
}

#[tokio::test]
async fn faults_switch_while_it_runs() {
    let room = room(1, "").await;
    let card = card(&room).await;
    assert!(run(&card).await.unwrap().succeeded());
    room.set_fault(0, Fault::Hangs, true);
    assert_eq!(run(&card).await.unwrap_err().reason().code(), "adb_timeout");
    room.set_fault(0, Fault::Hangs, false);
    assert!(run(&card).await.unwrap().succeeded());
}

#[tokio::test]
async fn a_card_that_dies_is_noticed_by_whoever_waits() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let waiting = tokio::spawn({
        let card = card.clone();
        async move { card.run(&Command::new("sleep").arg(30), SOON).await }
    });
    while !room.cards[0].state().effects.contains_key("run:sleep") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    room.cards[0].power(false);
    assert_eq!(waiting.await.unwrap(), Err(Error::Closed));
}

#[tokio::test]
async fn a_boot_loop_never_boots() {
    let room = room(1, "boot_loop").await;
    let mut boots = std::collections::BTreeSet::new();
    for _ in 0..500 {
        if let Ok(card) = Card::connect(room.cards[0].address, &options()).await
            && let Ok(id) = card.boot_id().await
        {
            boots.insert(id);
            assert_ne!(card.is_booted().await, Ok(true));
        }
        if boots.len() >= 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it should have started at least twice, and was seen with {boots:?}");
}

#[tokio::test]
async fn one_bad_card_delays_no_other() {
    let room = room(8, "hangs@0,flood@1,garbage@2,silent@3").await;
    let good = async |index: usize| {
        let card = Card::connect(room.cards[index].address, &options()).await?;
        run(&card).await
    };
    let bad = futures_of(&room);
    for index in 4..8 {
        assert!(good(index).await.unwrap().succeeded());
    }
    for task in bad {
        task.abort();
    }
}

fn futures_of(room: &sim::Room) -> Vec<tokio::task::JoinHandle<()>> {
    (0..4)
        .map(|index| {
            let address = room.cards[index].address;
            tokio::spawn(async move {
                if let Ok(card) = Card::connect(address, &options()).await {
                    let _ = run(&card).await;
                }
            })
        })
        .collect()
}
