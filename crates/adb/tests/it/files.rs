use adb::{Card, Device as _, DevicePath, Error};

use crate::support::{card, room};

fn path(text: &str) -> DevicePath {
    DevicePath::new(text).unwrap()
}

async fn push(card: &Card, bytes: &[u8], to: &str) -> Result<u64, Error> {
    card.push(&mut &*bytes, &path(to), 0o644).await
}

async fn pull(card: &Card, from: &str, limit: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    card.pull(&path(from), &mut bytes, limit).await.map(|_| bytes)
}

async fn comes_back_as_it_went(faults: &str) {
    let room = room(1, faults).await;
    let card = card(&room).await;
    for size in [0, 1, 65_535, 65_536, 65_537, 3_000_000] {
        let bytes: Vec<u8> = (0..size).map(|n: u32| u8::try_from(n % 251).unwrap()).collect();
        let to = format!("/data/local/tmp/a, b'{size}");
        assert_eq!(push(&card, &bytes, &to).await, Ok(u64::from(size)));
        assert!(pull(&card, &to, 1 << 30).await.unwrap() == bytes, "{size}");
        let stat = card.stat(&path(&to)).await.unwrap().unwrap();
        assert!(stat.is_file() && stat.size == u64::from(size) && stat.modified > 1_600_000_000, "{stat:?}");
        assert_eq!(stat.mode & 0o777, 0o644);
    }
    assert_eq!(card.stat(&path("/data/nothing")).await, Ok(None));
    assert!(card.stat(&path("/data")).await.unwrap().unwrap().is_folder());
}

async fn a_folder_is_listed(faults: &str) {
    let room = room(1, faults).await;
    let card = card(&room).await;
    for (name, size) in [("b.txt", 5), ("a 名.bin", 70_000)] {
        push(&card, &vec![7; size], &format!("/data/local/tmp/{name}")).await.unwrap();
    }
    let found = card.list(&path("/data/local/tmp"), 100).await.unwrap().unwrap();
    let mut seen: Vec<(String, u64)> = found.entries.iter().map(|each| (each.name.clone(), each.stat.size)).collect();
    seen.sort();
    assert_eq!(seen, [("a 名.bin".to_owned(), 70_000), ("b.txt".to_owned(), 5)]);
    assert!(found.entries.iter().all(|each| each.stat.is_file() && each.stat.modified > 1_600_000_000));
    assert!(!found.is_cut);
    let some = card.list(&path("/data/local/tmp"), 1).await.unwrap().unwrap();
    assert_eq!((some.entries.len(), some.is_cut), (1, true));
    let above = card.list(&path("/data/local"), 100).await.unwrap().unwrap();
    assert!(above.entries.iter().any(|each| each.name == "tmp" && each.stat.is_folder()), "{above:?}");
    assert_eq!(card.list(&path("/data/nothing"), 100).await, Ok(None));
    assert!(card.list(&path("/data/local/tmp/b.txt"), 100).await.is_err());
    assert!(card.is_open());
}

#[tokio::test]
async fn a_folder_is_listed_by_cards_of_both_ages() {
    a_folder_is_listed("").await;
    a_folder_is_listed("old").await;
}

#[tokio::test]
async fn a_file_comes_back_as_it_went() {
    comes_back_as_it_went("").await;
}

#[tokio::test]
async fn a_file_comes_back_as_it_went_on_an_old_card() {
    comes_back_as_it_went("old").await;
}

#[tokio::test]
async fn a_refused_push_keeps_the_reason() {
    let room = room(1, "").await;
    let card = card(&room).await;
    for size in [10, 2_000_000] {
        let error = push(&card, &vec![1; size], "/system/app/x.apk").await.unwrap_err();
        assert_eq!(error, Error::DeviceFail { reason: "couldn't create file: Read-only file system".into() });
    }
    assert!(!room.cards[0].state().effects.keys().any(|key| key.starts_with("push:")));
    assert!(card.is_open());
}

#[tokio::test]
async fn a_full_card_says_so() {
    let room = room(1, "no_space").await;
    let card = card(&room).await;
    let error = push(&card, &vec![1; 200_000], "/data/local/tmp/x").await.unwrap_err();
    assert_eq!(error.reason().code(), "no_space", "{error}");
}

#[tokio::test]
async fn a_pull_knows_its_limit_and_what_is_missing() {
    let room = room(1, "").await;
    let card = card(&room).await;
    push(&card, &vec![1; 200_000], "/data/local/tmp/x").await.unwrap();
    assert_eq!(pull(&card, "/data/local/tmp/x", 100_000).await, Err(Error::TooLarge { limit: 100_000 }));
    let missing = pull(&card, "/data/local/tmp/y", 1000).await.unwrap_err();
    assert!(missing.to_string().contains("No such file or directory"), "{missing}");
    assert!(card.is_open());
}
