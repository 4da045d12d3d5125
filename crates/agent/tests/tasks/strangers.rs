//! Another card at the address of one on which an attempt had begun: it is left alone, and nothing is told of it as if
//! it were the other one.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};
use wire::{Act, Console, Effect};

use super::{Desk, effect, effects, failed, interrupted, room, shell, task};

/// An address that leads to one card at the first connection, and to another one from then on. The first connection
/// ends when its card hangs up or `cut` is told.
async fn swapped(first: SocketAddr, then: SocketAddr, cut: tokio::sync::oneshot::Receiver<()>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let join = async |(mut caller, _): (TcpStream, SocketAddr), card: SocketAddr| {
        if let Ok(mut card) = TcpStream::connect(card).await {
            // It ends when either side hangs up.
            _ = tokio::io::copy_bidirectional(&mut caller, &mut card).await;
        }
    };
    tokio::spawn(async move {
        let caller = listener.accept().await.unwrap();
        tokio::select! {
            () = join(caller, first) => {}
            Ok(()) = cut => {}
        }
        loop {
            join(listener.accept().await.unwrap(), then).await;
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn what_had_begun_on_another_card_is_neither_done_on_this_one_nor_told_as_done() {
    let (room, desk, folder) = (room(5).await, Desk::open().await, tempfile::tempdir().unwrap());
    {
        // The journal exists once an agent has run.
        let _first = desk.agent(folder.path()).await;
    }
    let property = "persist.sys.skyrack".to_owned();
    let acts = [
        Act::SetProperty { name: property.clone(), value: "1".into() },
        Act::Reboot,
        Act::Uninstall { package: "com.example.absent".into() },
        shell("effect once"),
        Act::Screenshot,
    ];
    {
        let journal = rusqlite::Connection::open(folder.path().join("journal.db")).unwrap();
        for (card, (id, act)) in (1..).zip(acts).enumerate() {
            let mut task = task(&room, id, card, act);
            task.serial = Some("ANOTHER".into());
            let package = (id == 3).then_some("package:/data/app/com.example.absent/base.apk");
            interrupted(&journal, &room, card, &task, package).await;
        }
    }
    let (_agent, mut line) = desk.agent(folder.path()).await;
    assert_eq!(line.held.len(), 5);
    line.welcome().await;
    let all = line.results(5).await;
    for id in 1..=5 {
        let wanted = if id == 5 { Effect::NeverBegan } else { Effect::Unknown };
        assert_eq!((failed(&all[&id]), effect(&all[&id])), ("wrong_card", Some(wanted)), "task {id}");
    }
    assert!(!room.cards[0].state().props.contains_key(property.as_str()));
    assert_eq!((room.cards[1].boots(), effects(&room, 3, "effect:once")), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_is_swapped_while_a_task_runs_on_it_is_found_out() {
    let (room, desk, folder) = (room(4).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let (cut, is_cut) = tokio::sync::oneshot::channel();
    let mut script = task(&room, 1, 0, shell("sleep 20; effect once"));
    script.address = swapped(room.cards[0].address, room.cards[1].address, is_cut).await.to_string();
    line.say(&Console::Tasks { tasks: vec![script] }).await;
    line.begun().await;
    cut.send(()).unwrap();
    let all = line.results(1).await;
    assert_eq!((failed(&all[&1]), effect(&all[&1])), ("wrong_card", Some(Effect::Unknown)), "{all:?}");

    // A card that restarts hangs up by itself; the one that then answers is up, and is another one.
    let (_never, is_cut) = tokio::sync::oneshot::channel();
    let mut reboot = task(&room, 2, 2, Act::Reboot);
    reboot.address = swapped(room.cards[2].address, room.cards[3].address, is_cut).await.to_string();
    line.say(&Console::Tasks { tasks: vec![reboot] }).await;
    let all = line.results(1).await;
    assert_eq!((failed(&all[&2]), effect(&all[&2])), ("wrong_card", Some(Effect::Unknown)), "{all:?}");
    assert_eq!(room.cards[3].boots(), 1);
}
