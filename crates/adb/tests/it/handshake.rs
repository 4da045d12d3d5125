use std::sync::Arc;
use std::time::Duration;

use adb::{Card, Command, Device as _, Error, Options, PublicKey, RoomKey};
use sim::{Room, Settings, Trust};

use crate::support::{card, options, room};

async fn trusting(trust: Trust) -> Room {
    Room::start(Settings { trust, ..Settings::default() }).await.unwrap()
}

fn with_key(key: &Arc<RoomKey>) -> Options {
    Options { key: Some(Arc::clone(key)), ..options() }
}

#[tokio::test]
async fn a_card_says_who_it_is() {
    let room = room(1, "").await;
    let card = card(&room).await;
    assert_eq!(card.banner().kind, "device");
    assert!(card.banner().props.contains(&("ro.product.model".into(), "RK3399".into())), "{:?}", card.banner());
    assert!(card.abilities().separate_stderr);
}

#[tokio::test]
async fn an_approved_key_is_known_the_next_time() {
    let room = trusting(Trust::Approves).await;
    let key = Arc::new(RoomKey::generate().unwrap());
    for expected in [("auth:unknown", 1), ("auth:known", 1)] {
        let card = Card::connect(room.cards[0].address, &with_key(&key)).await.unwrap();
        assert!(card.run(&Command::new("true"), Duration::from_secs(5)).await.unwrap().succeeded());
        assert_eq!(room.cards[0].state().effects.get(expected.0), Some(&expected.1));
    }
}

#[tokio::test]
async fn a_strange_key_and_no_key_are_told_apart() {
    let room = trusting(Trust::Known).await;
    let key = Arc::new(RoomKey::generate().unwrap());
    let address = room.cards[0].address;
    assert_eq!(Card::connect(address, &with_key(&key)).await.unwrap_err(), Error::AuthRefused);
    assert_eq!(Card::connect(address, &options()).await.unwrap_err(), Error::AuthNeeded);
    room.cards[0].state().keys.push(key.public().clone());
    assert!(Card::connect(address, &with_key(&key)).await.is_ok());
}

#[test]
fn a_key_survives_being_stored() {
    let key = RoomKey::generate().unwrap();
    let again = RoomKey::from_pkcs8(&key.to_pkcs8()).unwrap();
    assert_eq!(key.public(), again.public());
    let token = [7; 20];
    let signature = again.sign(&token).unwrap();
    assert!(key.public().verifies(&token, &signature));
    assert!(!key.public().verifies(&[8; 20], &signature));
    let line = key.public().line("skyrack@room 1\n");
    assert!(line.ends_with(" skyrack@room1"), "{line}");
    assert_eq!(&PublicKey::from_line(&line).unwrap(), key.public());
    assert!(RoomKey::from_pkcs8(b"no key").is_err());
    assert!(key.sign(&[0; 19]).is_err());
}

/// Another library verifies the signature: PKCS#1 v1.5 over a SHA-1 digest.
#[test]
fn aws_lc_accepts_the_signature() {
    use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
    use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, UnparsedPublicKey};
    let key = RoomKey::generate().unwrap();
    let token = digest(&SHA1_FOR_LEGACY_USE_ONLY, b"a message");
    let signature = key.sign(token.as_ref()).unwrap();
    let pair = aws_lc_rs::rsa::KeyPair::from_pkcs8(&key.to_pkcs8()).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, pair.public_key().as_ref())
        .verify(b"a message", &signature)
        .expect("a valid signature");
}

#[tokio::test]
async fn nothing_listens_there() {
    let room = room(1, "refuses").await;
    // The simulator takes a moment to stop listening.
    let mut last = None;
    for _ in 0..100 {
        last = Card::connect(room.cards[0].address, &options()).await.err();
        if last == Some(Error::Refused) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(last, Some(Error::Refused));
    assert_eq!(Error::Refused.reason().code(), "adb_refused");
}
