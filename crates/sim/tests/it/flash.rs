//! A card with a slow flash.

use std::time::Duration;

use crate::support::{card, room, said, told};

#[tokio::test]
async fn what_takes_too_long_on_a_slow_flash_is_cut_off_where_it_is_and_can_be_gone_on_with() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    said(&card, "mkdir /data/x; i=0; while [ $i -lt 100 ]; do echo >/data/x/$i; i=$((i + 1)); done").await;
    room.cards[0].flash.set_pace(Duration::from_secs(1));
    let mut left = 100;
    for wanted in [124, 124, 0] {
        assert_eq!(told(&card, "timeout 45 rm -rf /data/x").await, (String::new(), String::new(), wanted));
        let now: u32 = said(&card, "find /data -path '/data/x/*' | wc -l").await.trim().parse().unwrap();
        assert!(now < left && (wanted == 0 || left - now < 46), "{left}, then {now}");
        left = now;
    }
    assert_eq!(left, 0);
    // Elsewhere nothing is slow, nor is it where nobody has made it so: a hundred things would take a hundred seconds.
    said(&card, "timeout 90 sh -c 'i=0; while [ $i -lt 100 ]; do echo >/data/y$i; i=$((i + 1)); done'").await;
    room.cards[0].flash.set_pace(Duration::ZERO);
    said(&card, "timeout 90 rm /data/y*").await;
}
