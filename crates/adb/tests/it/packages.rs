use adb::{Card, Device as _, Error, InstallFailure, InstallOptions, PackageName};
use sim::Apk;

use crate::support::{card, room};

async fn install(card: &Card, apk: &Apk, options: InstallOptions) -> Result<(), Error> {
    let file = apk.file(400_000);
    card.install(&mut &*file, file.len() as u64, options).await
}

fn failed(why: InstallFailure) -> Result<(), Error> {
    Err(Error::Install(why))
}

async fn life_of_a_package(faults: &str) {
    let room = room(1, faults).await;
    let card = card(&room).await;
    let usual = InstallOptions::default();
    assert_eq!(install(&card, &Apk::new("com.example.game", 7), usual).await, Ok(()));
    assert_eq!(card.packages().await.unwrap().get("com.example.game"), Some(&7));

    let keep = InstallOptions { replace: false, ..usual };
    let again = Apk::new("com.example.game", 8);
    assert_eq!(install(&card, &again, keep).await, failed(InstallFailure::AlreadyExists));
    let older = Apk::new("com.example.game", 6);
    assert_eq!(install(&card, &older, usual).await, failed(InstallFailure::VersionDowngrade));
    let stranger = Apk { signer: "b".into(), ..again.clone() };
    assert_eq!(install(&card, &stranger, usual).await, failed(InstallFailure::UpdateIncompatible));
    let intel = Apk { abi: "x86_64".into(), ..Apk::new("com.example.other", 1) };
    assert_eq!(install(&card, &intel, usual).await, failed(InstallFailure::NoMatchingAbis));
    let future = Apk { min_sdk: 99, ..Apk::new("com.example.other", 1) };
    assert_eq!(install(&card, &future, usual).await, failed(InstallFailure::OlderSdk));
    let noise = vec![9; 1000];
    assert_eq!(card.install(&mut &*noise, 1000, usual).await, failed(InstallFailure::InvalidApk));

    let name = PackageName::new("com.example.game").unwrap();
    assert_eq!(card.uninstall(&name).await, Ok(()));
    assert_eq!(card.uninstall(&name).await.unwrap_err().reason().code(), "device_fail");
    let state = room.cards[0].state();
    assert_eq!((state.effects["install:com.example.game"], state.effects["uninstall:com.example.game"]), (1, 1));
    assert_eq!(state.files.list("/data/local/tmp").len(), 0, "no package is left lying around");
}

#[tokio::test]
async fn streamed_into_the_package_manager() {
    life_of_a_package("").await;
}

#[tokio::test]
async fn through_a_file_on_an_old_card() {
    life_of_a_package("old").await;
}

#[tokio::test]
async fn a_full_card_is_told_apart() {
    let room = room(2, "no_space@0,wrong_signer@1").await;
    let usual = InstallOptions::default();
    let apk = Apk::new("com.example.game", 1);
    let full = install(&card(&room).await, &apk, usual).await.unwrap_err();
    assert_eq!((full.reason().code(), &full), ("no_space", &Error::Install(InstallFailure::InsufficientStorage)));
    let other = Card::connect(room.cards[1].address, &crate::support::options()).await.unwrap();
    assert_eq!(install(&other, &apk, usual).await, failed(InstallFailure::UpdateIncompatible));
}

#[tokio::test]
async fn a_file_shorter_than_it_was_said_to_be_is_our_fault() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let short = card.install(&mut &b"abc"[..], 1000, InstallOptions::default()).await.unwrap_err();
    assert_eq!(short.reason().code(), "local_file");
}
