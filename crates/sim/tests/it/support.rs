//! A room of cards that boot fast, and what is said by them.

use std::time::Duration;

use adb::{Card, Command, Device as _, InstallOptions, Options};
use sim::{Apk, Room, Settings};

/// The longest that a line takes.
const SOON: Duration = Duration::from_secs(20);

/// A room with this many cards.
pub async fn room(cards: usize, faults: &str) -> Room {
    let faults = faults.parse().unwrap();
    let settings = Settings { cards, faults, boot: Duration::from_millis(100), ..Settings::default() };
    Room::start(settings).await.unwrap()
}

/// A card of a room, connected, once it has booted.
pub async fn card(room: &Room, index: usize) -> Card {
    for _ in 0..400 {
        if let Ok(card) = Card::connect(room.cards[index].address, &Options::default()).await
            && card.is_booted().await == Ok(true)
        {
            return card;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("card {index} does not boot");
}

/// Restarts the first card.
pub async fn restarted(room: &Room) -> Card {
    room.cards[0].restart();
    card(room, 0).await
}

/// Output, errors and exit code of a line.
pub async fn told(card: &Card, line: &str) -> (String, String, u8) {
    let output = card.run(&Command::script(line), SOON).await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.exit.unwrap())
}

/// The output of a line that succeeds.
pub async fn said(card: &Card, line: &str) -> String {
    let (out, err, exit) = told(card, line).await;
    assert!(exit == 0 && err.is_empty(), "{line}: {exit}, {out}{err}");
    out
}

/// Checks what lines say, on both ways out, and how they end.
pub async fn all(card: &Card, lines: &[(&str, &str, &str, u8)]) {
    for (line, out, err, exit) in lines {
        assert_eq!(told(card, line).await, ((*out).into(), (*err).into(), *exit), "{line}");
    }
}

/// Installs a package for everybody.
pub async fn install(card: &Card, name: &str) {
    let file = Apk::new(name, 1).file(2000);
    card.install(&mut &*file, file.len() as u64, InstallOptions::default()).await.unwrap();
}
