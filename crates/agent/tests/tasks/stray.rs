//! Cards that are erased at an operator's word: a phone that the task does not expect stays where it is.

use wire::{Act, Console, Effect, Mark, Task, TaskResult};

use super::{Desk, Line, ask, effect, effects, failed, interrupted, room, task};

const THEIRS: Mark = Mark { phone: 18, placement: 5 };
const ANOTHERS: Mark = Mark { phone: 17, placement: 4 };
const FILE: &str = "/data/skyrack/owner";

/// A card with data that says whose it is.
async fn carries(room: &sim::Room, card: usize, mark: &str) {
    room.cards[card].put_file("/data/skyrack", "owner", format!("{mark}\n").as_bytes()).unwrap();
    ask(room, card, "echo data >/sdcard/mine").await;
}

/// What is on a card: its mark, and the data.
async fn there(room: &sim::Room, card: usize) -> String {
    ask(room, card, &format!("cat {FILE} 2>/dev/null || echo none; cat /sdcard/mine 2>/dev/null || echo none")).await
}

async fn done(line: &mut Line, task: Task) -> TaskResult {
    let id = task.key.task;
    line.say(&Console::Tasks { tasks: vec![task] }).await;
    line.results(1).await.remove(&id).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_nobody_expects_on_a_card_is_not_erased() {
    let (room, desk, folder) = (room(5).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let marks = ["18.5", "wiping 18.5", "18.5 and more"];
    for (card, mark) in marks.into_iter().enumerate() {
        carries(&room, card, mark).await;
    }
    let mut id = 0;
    for (card, carried) in marks.into_iter().enumerate() {
        for (act, mark) in [
            (Act::Wipe, None),
            (Act::FactoryReset, None),
            (Act::Wipe, Some(ANOTHERS)),
            (Act::FactoryReset, Some(ANOTHERS)),
        ] {
            id += 1;
            let result = done(&mut line, Task { mark, ..task(&room, id, card, act.clone()) }).await;
            assert_eq!(
                (failed(&result), effect(&result)),
                ("stray_phone", Some(Effect::NeverBegan)),
                "{act:?} {mark:?}"
            );
        }
        assert_eq!(there(&room, card).await, format!("{carried}\ndata"));
        assert_eq!((room.cards[card].boots(), effects(&room, card, "wipe")), (1, 0));
    }

    // What is expected there goes, as far as the act goes.
    for (card, mark) in marks.into_iter().enumerate().take(2) {
        for (act, left) in [(Act::Wipe, format!("{mark}\nnone")), (Act::FactoryReset, "none\nnone".to_owned())] {
            id += 1;
            let result = done(&mut line, Task { mark: Some(THEIRS), ..task(&room, id, card, act) }).await;
            assert_eq!((failed(&result), there(&room, card).await), ("succeeded", left), "{:?}", result.outcome);
        }
        assert_eq!(room.cards[card].boots(), 2);
    }
    // So does what is nobody's.
    carries(&room, 3, "clean 00ff").await;
    ask(&room, 4, "echo data >/sdcard/mine").await;
    for (card, mark) in [(3, "clean 00ff"), (4, "none")] {
        for (act, left) in [(Act::Wipe, format!("{mark}\nnone")), (Act::FactoryReset, "none\nnone".to_owned())] {
            id += 1;
            let result = done(&mut line, task(&room, id, card, act)).await;
            assert_eq!((failed(&result), there(&room, card).await), ("succeeded", left), "{:?}", result.outcome);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_mark_goes_where_that_was_asked_for_and_a_phones_stays() {
    let (room, desk, folder) = (room(12).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let reset = |id, card, damaged| Task { damaged, ..task(&room, id, card, Act::FactoryReset) };
    let damaged = ["18.5 and more", "18", "", "wiping", "wiping 18", "18.05", "18.5.1", "18.5\n18.5", "wiping clean 1"];
    for (card, mark) in damaged.into_iter().enumerate() {
        carries(&room, card, mark).await;
        let id = 1 + card as i64;
        let result = done(&mut line, reset(id, card, false)).await;
        assert_eq!((failed(&result), effect(&result)), ("stray_phone", Some(Effect::NeverBegan)), "{mark}");
        assert!(there(&room, card).await.ends_with("data"), "{mark}");
        let result = done(&mut line, reset(100 + id, card, true)).await;
        assert_eq!((failed(&result), there(&room, card).await.as_str()), ("succeeded", "none\nnone"), "{mark}");
    }
    // What not even root can read is none either.
    ask(&room, 9, "mkdir -p /data/skyrack/owner; echo data >/sdcard/mine").await;
    assert_eq!(failed(&done(&mut line, reset(200, 9, false)).await), "stray_phone");
    assert_eq!(failed(&done(&mut line, reset(201, 9, true)).await), "succeeded");
    // A phone that the task does not name stays, and so does what nobody can read.
    for (id, mark) in (300..).step_by(2).zip(["18.5", "wiping 18.5"]) {
        carries(&room, 10, mark).await;
        assert_eq!(failed(&done(&mut line, reset(id, 10, true)).await), "stray_phone", "{mark}");
        let other = Task { mark: Some(ANOTHERS), ..reset(id + 1, 10, true) };
        assert_eq!(failed(&done(&mut line, other).await), "stray_phone", "{mark}");
        assert_eq!(there(&room, 10).await, format!("{mark}\ndata"));
    }
    carries(&room, 11, "18.5 and more").await;
    room.set_fault(11, "rootless".parse().unwrap(), true);
    assert_eq!(failed(&done(&mut line, task(&room, 400, 11, Act::Reboot)).await), "succeeded");
    assert_eq!(failed(&done(&mut line, reset(401, 11, true)).await), "mark_unreadable");
    assert_eq!((effects(&room, 10, "wipe"), effects(&room, 11, "wipe")), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_has_lost_root_may_carry_a_phone_only_where_one_was() {
    let (room, desk, folder) = (room(2).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    carries(&room, 0, "18.5").await;
    for card in 0..2 {
        room.set_fault(card, "rootless".parse().unwrap(), true);
        assert_eq!(failed(&done(&mut line, task(&room, card as i64 + 1, card, Act::Reboot)).await), "succeeded");
    }
    for (id, act) in (11..).zip([Act::Wipe, Act::FactoryReset]) {
        let result = done(&mut line, Task { mark: Some(THEIRS), ..task(&room, id, 0, act.clone()) }).await;
        assert_eq!((failed(&result), effect(&result)), ("mark_unreadable", Some(Effect::NeverBegan)));
        let result = done(&mut line, task(&room, id + 10, 1, act)).await;
        assert_eq!(failed(&result), "succeeded", "{:?}", result.outcome);
    }
    assert_eq!((effects(&room, 0, "wipe"), effects(&room, 1, "wipe")), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_whose_agent_died_is_told_as_the_card_has_noted_it() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    {
        // The journal exists once an agent has run.
        let _first = desk.agent(folder.path()).await;
    }
    carries(&room, 0, "18.5").await;
    {
        let journal = rusqlite::Connection::open(folder.path().join("journal.db")).unwrap();
        interrupted(&journal, &room, 0, &task(&room, 1, 0, Act::Wipe), None).await;
    }
    let kept = "mkdir -p /data/local/tmp/.skyrack; echo '18.5\n\n97' >/data/local/tmp/.skyrack/1.1";
    ask(&room, 0, kept).await;
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let result = line.results(1).await.remove(&1).unwrap();
    assert_eq!((failed(&result), effect(&result)), ("stray_phone", Some(Effect::NeverBegan)));
    assert_eq!(there(&room, 0).await, "18.5\ndata");
}
