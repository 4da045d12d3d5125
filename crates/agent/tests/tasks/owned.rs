//! What is done to cards for phones: the card guards itself by the mark that it carries.

use std::time::Duration;

use futures::SinkExt as _;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use wire::{Act, Console, Effect, Key, Mark, Outcome, Task, TaskResult};

use super::{Desk, Line, ask, effect, effects, failed, room, shell, task};

const OURS: Mark = Mark { phone: 17, placement: 4 };
const OTHERS: Mark = Mark { phone: 18, placement: 5 };
const FILE: &str = "/data/skyrack/owner";

/// A step for the phone of a mark.
fn step(room: &sim::Room, id: i64, card: usize, mark: Mark, act: Act) -> Task {
    Task { key: Key::phone(id, 1), mark: Some(mark), ..task(room, id, card, act) }
}

async fn done(line: &mut Line, step: Task) -> TaskResult {
    let id = step.key.task;
    line.say(&Console::Tasks { tasks: vec![step] }).await;
    line.results(1).await.remove(&id).unwrap()
}

async fn marked(room: &sim::Room, card: usize) -> String {
    ask(room, card, &format!("cat {FILE} 2>/dev/null || echo none")).await
}

fn check(space: u64) -> Act {
    Act::Check { fingerprint: None, space }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_marked_restarted_seen_to_be_well_and_let_go() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let health = Act::Health { restored: false, launcher: true };
    let acts = [check(1 << 20), Act::Claim, check(1 << 20), Act::Claim, Act::Boot, health];
    for (id, act) in (1..).zip(acts) {
        let result = done(&mut line, step(&room, id, 0, OURS, act.clone())).await;
        assert_eq!(failed(&result), "succeeded", "{act:?}: {:?}", result.outcome);
    }
    assert_eq!((marked(&room, 0).await, room.cards[0].boots()), ("17.4".to_owned(), 2));
    assert_eq!(ask(&room, 0, "stat -c '%a %u' /data/skyrack").await, "700 0", "root's own");

    let image = Act::Check { fingerprint: Some("another/image".into()), space: 0 };
    for (id, act, wanted) in [(11, image, "image_differs"), (12, check(1 << 60), "no_space")] {
        let result = done(&mut line, step(&room, id, 0, OURS, act)).await;
        assert_eq!((failed(&result), effect(&result)), (wanted, Some(Effect::NeverBegan)));
    }
    for id in [21, 22] {
        let result = done(&mut line, step(&room, id, 0, OURS, Act::Unclaim)).await;
        assert_eq!((failed(&result), marked(&room, 0).await), ("succeeded", "none".to_owned()), "{:?}", result.outcome);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_has_lost_root_says_so_and_is_left_as_it_is() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    assert_eq!(failed(&done(&mut line, step(&room, 1, 0, OURS, Act::Claim)).await), "succeeded");
    room.set_fault(0, sim::Fault::Rootless, true);
    assert_eq!(failed(&done(&mut line, task(&room, 2, 0, Act::Reboot)).await), "succeeded");
    for (id, act) in (3..).zip([Act::Start { boot_id: None }, Act::Unclaim]) {
        let result = done(&mut line, step(&room, id, 0, OURS, act.clone())).await;
        assert_eq!((failed(&result), effect(&result)), ("not_root", Some(Effect::NeverBegan)), "{act:?}");
    }
    room.set_fault(0, sim::Fault::Rootless, false);
    assert_eq!(failed(&done(&mut line, task(&room, 5, 0, Act::Reboot)).await), "succeeded");
    assert_eq!(marked(&room, 0).await, "17.4");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_was_restored_is_well_only_as_it_was_left() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    assert_eq!(failed(&done(&mut line, step(&room, 1, 0, OURS, Act::Claim)).await), "succeeded");
    room.cards[0].install(&[("base.apk", &*sim::Apk::new("com.game", 7).file(9_000))]).unwrap();
    let uid = room.cards[0].state().packages["com.game"].uid;
    let data = "/data/user/0/com.game";
    let mine = format!("mkdir -p {data} && chown {uid}:{uid} {data} && restorecon -FD {data}");
    let noted = format!("{mine} && printf 'a-b\\nemptied\\n{uid} com.game\\n' >/data/local/skyrack-restoring");
    for (id, line_before, wanted) in [
        (2, "true".to_owned(), "nobody has noted what has come on the card".to_owned()),
        (3, noted.clone(), String::new()),
        (
            4,
            format!("chown 10999 {data}"),
            format!("user/0/com.game belongs to user 10999, and not to {uid}; so do 0 others"),
        ),
        (5, format!("{mine} && chcon u:object_r:another:s0 {data}"), "from u:object_r:another:s0 to".to_owned()),
        (
            6,
            format!("{mine} && echo '10999 com.gone' >>/data/local/skyrack-restoring"),
            "com.gone is not installed any more, nor are 0 others".to_owned(),
        ),
        (7, noted, String::new()),
    ] {
        ask(&room, 0, &line_before).await;
        let result = done(&mut line, step(&room, id, 0, OURS, Act::Health { restored: true, launcher: true })).await;
        match &result.outcome {
            Outcome::Failed { code, reason, effect } => {
                // What nobody has noted cannot be compared.
                let told =
                    if id == 2 { ("restore_unproved", Effect::NeverBegan) } else { ("unhealthy", Effect::Proved) };
                assert_eq!((code.code(), *effect, reason.contains(&wanted)), (told.0, told.1, true), "{reason}");
            }
            Outcome::Succeeded | Outcome::Cancelled => assert!(wanted.is_empty(), "{wanted}: {:?}", result.outcome),
        }
    }
    // A phone that brings nothing is not asked.
    ask(&room, 0, "rm /data/local/skyrack-restoring").await;
    let health = Act::Health { restored: false, launcher: true };
    assert_eq!(failed(&done(&mut line, step(&room, 8, 0, OURS, health)).await), "succeeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_comes_on_no_card_whose_launcher_does_not_run() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    assert_eq!(failed(&done(&mut line, step(&room, 1, 0, OURS, Act::Claim)).await), "succeeded");
    room.set_fault(0, sim::Fault::NoLauncher, true);
    // Where a phone is already, nobody asks.
    let restarts = step(&room, 2, 0, OURS, Act::Health { restored: false, launcher: false });
    assert_eq!(failed(&done(&mut line, restarts).await), "succeeded");
    let comes = step(&room, 3, 0, OURS, Act::Health { restored: false, launcher: true });
    line.say(&Console::Tasks { tasks: vec![comes] }).await;
    assert!(timeout(Duration::from_secs(4), line.results(1)).await.is_err(), "it is waited for");
    room.set_fault(0, sim::Fault::NoLauncher, false);
    assert_eq!(failed(&line.results(1).await.remove(&3).unwrap()), "succeeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_of_another_phone_is_left_as_it_is() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    assert_eq!(failed(&done(&mut line, step(&room, 1, 0, OTHERS, Act::Claim)).await), "succeeded");
    for (id, act) in (2..).zip([check(0), Act::Claim, Act::Boot, Act::Unclaim]) {
        let result = done(&mut line, step(&room, id, 0, OURS, act.clone())).await;
        assert_eq!((failed(&result), effect(&result)), ("not_ours", Some(Effect::NeverBegan)), "{act:?}");
    }
    assert_eq!((marked(&room, 0).await, room.cards[0].boots()), ("18.5".to_owned(), 1));

    // One that says it is clean is anybody's if it says it as it was marked.
    ask(&room, 0, &format!("echo 'clean 00ff' >{FILE}")).await;
    for (id, act) in (10..).zip([check(0), Act::Claim]) {
        let others = Task { clean: Some("clean 00fe".to_owned()), ..step(&room, id, 0, OURS, act.clone()) };
        assert_eq!(failed(&done(&mut line, others).await), "not_ours");
        assert_eq!(failed(&done(&mut line, step(&room, id + 10, 0, OURS, act)).await), "not_ours");
    }
    for (id, act) in (30..).zip([check(0), Act::Claim]) {
        let proved = Task { clean: Some("clean 00ff".to_owned()), ..step(&room, id, 0, OURS, act) };
        assert_eq!(failed(&done(&mut line, proved).await), "succeeded");
    }
    assert_eq!(marked(&room, 0).await, "17.4");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_without_a_mark_and_one_that_nobody_knows_touch_nothing() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let unmarked = Task { mark: None, ..step(&room, 1, 0, OURS, Act::Claim) };
    assert_eq!(failed(&done(&mut line, unmarked).await), "bad_argument");
    let mut newer = serde_json::to_value(Console::Tasks { tasks: vec![step(&room, 2, 0, OURS, Act::Claim)] }).unwrap();
    newer["tasks"][0]["act"] = serde_json::json!({ "kind": "levitate", "metres": 3 });
    line.socket.send(Message::text(newer.to_string())).await.unwrap();
    let result = line.results(1).await.remove(&2).unwrap();
    assert_eq!((failed(&result), effect(&result)), ("unknown_act", Some(Effect::NeverBegan)));
    assert_eq!(marked(&room, 0).await, "none");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_has_lost_the_console_changes_nothing_until_it_is_back() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent_on(Duration::from_millis(500), folder.path()).await;
    line.welcome().await;
    // The card is busy for longer than the console is heard.
    let busy = task(&room, 1, 0, shell("sleep 2; effect once"));
    line.say(&Console::Tasks { tasks: vec![busy] }).await;
    line.begun().await;
    line.say(&Console::Tasks { tasks: vec![step(&room, 2, 0, OURS, Act::Claim)] }).await;
    while effects(&room, 0, "effect:once") == 0 {
        sleep(Duration::from_millis(20)).await;
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(marked(&room, 0).await, "none", "whose the card is now, only the console knows");
    line.socket.send(Message::Ping(Default::default())).await.unwrap();
    assert_eq!(failed(&line.results(2).await[&2]), "succeeded");
    assert_eq!(marked(&room, 0).await, "17.4");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_was_stopped_in_the_middle_goes_on_at_a_card_of_another_and_changes_nothing() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    {
        // The journal exists once an agent has run.
        let _first = desk.agent(folder.path()).await;
    }
    {
        let journal = rusqlite::Connection::open(folder.path().join("journal.db")).unwrap();
        let boot_id = ask(&room, 0, "cat /proc/sys/kernel/random/boot_id").await;
        for (id, act) in (1..).zip([Act::Boot, Act::Unclaim, Act::Claim]) {
            let what = serde_json::to_string(&step(&room, id, 0, OURS, act)).unwrap();
            let begun = serde_json::json!({ "boot_id": boot_id }).to_string();
            let insert = "INSERT INTO try (book, task, attempt, what, begun) VALUES (1, ?1, 1, ?2, ?3)";
            journal.execute(insert, rusqlite::params![id, what, begun]).unwrap();
        }
    }
    // Meanwhile another agent was given the card, for another phone.
    ask(&room, 0, &format!("mkdir -p /data/skyrack; echo {OTHERS} >{FILE}")).await;
    let (_agent, mut line) = desk.agent(folder.path()).await;
    assert_eq!(line.held.len(), 3);
    line.welcome().await;
    let all = line.results(3).await;
    for id in 1..=3 {
        assert_eq!((failed(&all[&id]), effect(&all[&id])), ("not_ours", Some(Effect::NeverBegan)), "step {id}");
    }
    assert_eq!((marked(&room, 0).await, room.cards[0].boots()), ("18.5".to_owned(), 1));
}
