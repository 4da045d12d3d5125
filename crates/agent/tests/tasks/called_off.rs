//! What the console took back while the agent was away: it is neither begun nor done again, and what it has done is told
//! truthfully.

use std::time::Duration;

use futures::SinkExt as _;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;
use wire::{Act, Console, Effect};

use super::{Desk, ask, effect, effects, failed, interrupted, room, shell, task};

#[tokio::test(flavor = "multi_thread")]
async fn what_was_called_off_while_an_agent_was_away_is_not_done_when_it_returns() {
    let (room, desk, folder) = (room(4).await, Desk::open().await, tempfile::tempdir().unwrap());
    {
        // The journal exists once an agent has run.
        let _first = desk.agent(folder.path()).await;
    }
    let name = "persist.sys.skyrack";
    let tasks = [
        // Begun, and the agent died before its card was told.
        task(&room, 1, 0, shell("effect late")),
        // What may be done twice: a property and a picture.
        task(&room, 2, 1, Act::SetProperty { name: name.into(), value: "late".into() }),
        task(&room, 3, 2, Act::Screenshot),
        // Never begun.
        task(&room, 4, 3, shell("effect late")),
    ];
    {
        let journal = rusqlite::Connection::open(folder.path().join("journal.db")).unwrap();
        let arrived = "INSERT INTO try (task, attempt, what, begun) VALUES (?1, 1, ?2, ?3)";
        let boot_id = ask(&room, 0, "cat /proc/sys/kernel/random/boot_id").await;
        let untold = serde_json::json!({ "boot_id": boot_id }).to_string();
        for (task, begun) in [(&tasks[0], Some(untold)), (&tasks[3], None)] {
            let what = serde_json::to_string(task).unwrap();
            journal.execute(arrived, rusqlite::params![task.key.task, what, begun]).unwrap();
        }
        for card in [1, 2] {
            interrupted(&journal, &room, card, &tasks[card], None).await;
        }
    }
    let (_agent, mut line) = desk.agent(folder.path()).await;
    assert_eq!(line.held.len(), 4);
    line.say(&Console::Cancel { keys: tasks.iter().map(|task| task.key).collect() }).await;
    line.welcome().await;
    let all = line.results(4).await;
    assert_eq!((failed(&all[&1]), effects(&room, 0, "effect:late")), ("cancelled", 0), "its card was never told");
    assert_eq!((failed(&all[&2]), effect(&all[&2])), ("interrupted", Some(Effect::Unknown)));
    assert!(!room.cards[1].state().props.contains_key(name), "it is not set once more");
    assert_eq!((failed(&all[&3]), effect(&all[&3])), ("interrupted", Some(Effect::NeverBegan)));
    assert!(!all[&3].has_file);
    assert_eq!((failed(&all[&4]), effects(&room, 3, "effect:late")), ("cancelled", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_console_no_longer_knows_does_not_begin_when_its_place_is_free() {
    let (room, desk, folder) = (room(2).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let tasks = vec![task(&room, 1, 0, shell("sleep 4; effect one"))];
    line.say(&Console::Tasks { tasks }).await;
    line.begun().await;
    // It waits for its card. The one on another card tells that both have arrived.
    let waits = task(&room, 2, 0, shell("effect two"));
    line.say(&Console::Tasks { tasks: vec![waits.clone(), task(&room, 3, 1, shell("true"))] }).await;
    assert!(line.results(1).await.contains_key(&3));
    // The connection breaks, and meanwhile the task is given up and tried elsewhere.
    drop(line);
    let mut line = desk.pick_up().await;
    assert_eq!(line.held.len(), 3);
    line.say(&Console::Kept { keys: vec![waits.key] }).await;
    line.welcome().await;
    let all = line.results(3).await;
    assert_eq!((failed(&all[&1]), effects(&room, 0, "effect:one")), ("succeeded", 1), "what runs runs to its end");
    assert_eq!((failed(&all[&2]), effects(&room, 0, "effect:two")), ("cancelled", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_has_lost_the_console_begins_nothing() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent_on(Duration::from_millis(500), folder.path()).await;
    line.welcome().await;
    // The card is busy for longer than the console is heard.
    line.say(&Console::Tasks { tasks: vec![task(&room, 1, 0, shell("sleep 2; effect one"))] }).await;
    line.begun().await;
    line.say(&Console::Tasks { tasks: vec![task(&room, 2, 0, shell("effect two"))] }).await;
    while effects(&room, 0, "effect:one") == 0 {
        sleep(Duration::from_millis(20)).await;
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(effects(&room, 0, "effect:two"), 0, "whether it is still wanted, only the console knows");
    line.socket.send(Message::Ping(Default::default())).await.unwrap();
    assert_eq!(failed(&line.results(2).await[&2]), "succeeded");
    assert_eq!(effects(&room, 0, "effect:two"), 1);
}
