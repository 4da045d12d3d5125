//! Several consoles of which one serves.

use agent::{Consoles, Identity};

use super::{Desk, live};

#[tokio::test(flavor = "multi_thread")]
async fn of_several_consoles_the_active_one_is_found_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (Desk::open().await, Desk::open().await);
    let consoles = Consoles::new(vec![first.url.clone(), second.url.clone()]).unwrap();
    let _life = live(Identity { consoles, ..first.identity() }, folder.path());

    first.answer("GET /agent/v1/connect", "503 Service Unavailable").await;
    let mut line = second.pick_up().await;
    line.welcome().await;
    // The second one stops; the first one has taken over.
    drop(line);
    let mut line = first.pick_up().await;
    line.welcome().await;
    // The first one hangs: its connection stays open, and nothing arrives any more.
    second.answer("GET /readyz", "200 OK").await;
    second.pick_up().await.welcome().await;
    drop(line);
}
