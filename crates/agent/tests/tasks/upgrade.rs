//! A console that speaks another protocol: the agent stays, does nothing, and works again once it is understood.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use wire::{Act, Console, Outcome, upgrade};

use super::{Desk, room, task};

#[tokio::test]
async fn it_waits_for_the_upgrade_and_works_after_it() {
    let (room, folder) = (room(1).await, tempfile::tempdir().unwrap());
    let desk = Desk::open().await;
    let (_life, mut line) = desk.agent(folder.path()).await;
    for speaks in [vec![wire::PROTOCOL + 1, wire::PROTOCOL + 2], vec![0]] {
        let told = upgrade::Console::Upgrade { speaks, version: "9".to_owned() };
        line.socket.send(Message::text(serde_json::to_string(&told).unwrap())).await.unwrap();
        // Of a protocol that it does not know, and of its own: neither makes it do anything, or go.
        line.socket.send(Message::text(r#"{"type":"moonshine"}"#)).await.unwrap();
        line.say(&Console::Tasks { tasks: vec![task(&room, 1, 0, Act::Shell { script: "effect once".into() })] }).await;
        line.socket.send(Message::Ping(b"there".to_vec().into())).await.unwrap();
        loop {
            match timeout(Duration::from_secs(60), line.socket.next()).await.unwrap().unwrap().unwrap() {
                Message::Pong(bytes) if &bytes[..] == b"there" => break,
                Message::Text(said) => panic!("it speaks up: {said}"),
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {}
            }
        }
        assert!(!room.cards[0].state().effects.contains_key("effect:once"));
        // The console is replaced by another version.
        drop(line);
        line = desk.pick_up().await;
    }
    line.welcome().await;
    line.say(&Console::Tasks { tasks: vec![task(&room, 1, 0, Act::Shell { script: "effect once".into() })] }).await;
    assert_eq!(line.results(1).await[&1].outcome, Outcome::Succeeded);
    assert_eq!(room.cards[0].state().effects.get("effect:once"), Some(&1));
}
