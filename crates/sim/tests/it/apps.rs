//! The numbers of applications: other ones on every card, and after every removal.

use adb::{Card, Device as _, PackageName};

use crate::support::{card, install, room, said, told};

const NAME: &str = "com.example.game";

/// The number by which everything that names it agrees.
async fn number(card: &Card) -> u32 {
    let listed = said(card, &format!("pm list packages -U {NAME}")).await;
    let number: u32 = listed.trim().strip_prefix(&format!("package:{NAME} uid:")).unwrap().parse().unwrap();
    let dumped = said(card, &format!("dumpsys package {NAME}")).await;
    assert!(dumped.contains(&format!("    userId={number}\n")), "{dumped}");
    for folder in ["/data/data", "/data/user/0", "/data/user_de/0"] {
        let owner = said(card, &format!("stat -c '%u %g %U' {folder}/{NAME}/")).await;
        assert_eq!(owner, format!("{number} {number} u0_a{}\n", number - 10_000));
    }
    let caches = said(card, &format!("stat -c '%g %G' /data/data/{NAME}/cache")).await;
    assert_eq!(caches, format!("{} u0_a{}_cache\n", number + 10_000, number - 10_000));
    number
}

#[tokio::test]
async fn an_application_has_another_number_on_every_card_and_after_every_removal() {
    let room = room(4, "").await;
    let mut seen = Vec::new();
    for index in 0..4 {
        let card = card(&room, index).await;
        install(&card, NAME).await;
        seen.push(number(&card).await);
        install(&card, NAME).await;
        assert_eq!(number(&card).await, seen[seen.len() - 1], "an update keeps it");
        card.uninstall(&PackageName::new(NAME).unwrap()).await.unwrap();
        install(&card, NAME).await;
        seen.push(number(&card).await);
    }
    let distinct: std::collections::BTreeSet<u32> = seen.iter().copied().collect();
    assert_eq!(distinct.len(), seen.len(), "{seen:?}");
}

#[tokio::test]
async fn data_that_were_kept_keep_their_owner() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    install(&card, NAME).await;
    let before = number(&card).await;
    said(&card, &format!("echo saved >/data/data/{NAME}/save; pm uninstall -k {NAME}")).await;
    let listed = said(&card, "pm list packages -3; pm path com.example.game || ls /data/app").await;
    assert_eq!(listed, "", "only its data are left");
    assert_eq!(told(&card, &format!("pm uninstall {NAME}")).await.0, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n");
    install(&card, "com.example.other").await;
    install(&card, NAME).await;
    assert_eq!(number(&card).await, before);
    assert_eq!(said(&card, &format!("cat /data/data/{NAME}/save")).await, "saved\n");
    // A reset keeps nothing, and still gives no number twice.
    room.cards[0].clear();
    install(&card, NAME).await;
    assert_ne!(number(&card).await, before);
}
