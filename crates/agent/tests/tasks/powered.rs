//! Power by a BMC that is dead: it is visited once, and whoever waits for it ends with the first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;
use wire::{Act, BmcAccess, Console, Effect, PowerOrder};

use super::{Desk, effect, failed, room, task};

/// A BMC that takes connections and never says a word: its address, and how often it was visited.
async fn dead() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (url, visits) = (format!("https://{}", listener.local_addr().unwrap()), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&visits);
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            open.push(stream);
        }
    });
    (url, visits)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_bmc_is_visited_once_for_all_who_wait_for_it() {
    let (room, desk, folder) = (room(8).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    // One that nobody has spoken to yet, and one whose certificate is known.
    let bmcs = [(dead().await, String::new()), (dead().await, "0".repeat(64))];
    let mut tasks = Vec::new();
    for ((url, _), certificate) in &bmcs {
        for slot in 1..=4 {
            let (username, password) = ("admin".to_owned(), "simulated".to_owned());
            let bmc = BmcAccess { url: url.clone(), username, password, certificate: certificate.clone(), slot };
            let id = tasks.len();
            tasks.push(task(&room, id as i64 + 1, id, Act::Power { order: PowerOrder::Off, bmc }));
        }
    }
    line.say(&Console::Tasks { tasks }).await;
    let all = line.results(8).await;
    for result in all.values() {
        assert!(failed(result).starts_with("bmc_"), "{result:?}");
        assert_eq!(effect(result), Some(Effect::NeverBegan), "{result:?}");
    }
    let visits: Vec<usize> = bmcs.iter().map(|((_, visits), _)| visits.load(Ordering::Relaxed)).collect();
    assert_eq!(visits, [1, 1]);
}
