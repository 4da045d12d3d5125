//! Shells on cards, opened from the console.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use adb::{Error, ShellEvent, WindowSize};
use tokio::sync::mpsc;
use tokio::time::timeout;
use wire::Agent as Say;

use crate::act::{mistaken, state};
use crate::cards::Cards;

/// Concurrent shells.
const MOST: usize = 64;
/// Timeout for opening a shell.
const OPENING: Duration = Duration::from_secs(15);
/// Pieces that may queue for a slow side.
const LAG: usize = 64;

/// What a shell sends to the console.
#[derive(Debug)]
pub enum Out {
    /// Output.
    Bytes(u64, Vec<u8>),
    /// A change of its state.
    Say(Say),
}

enum In {
    Bytes(Vec<u8>),
    Resize(WindowSize),
}

/// The shells of one connection; they end with it.
#[derive(Debug)]
pub struct Shells {
    cards: Arc<Cards>,
    open: HashMap<u64, mpsc::Sender<In>>,
    out: mpsc::Sender<Out>,
}

impl Shells {
    /// No shells yet, and the receiver of their output.
    #[must_use]
    pub fn new(cards: Arc<Cards>) -> (Self, mpsc::Receiver<Out>) {
        let (out, outgoing) = mpsc::channel(LAG);
        (Self { cards, open: HashMap::new(), out }, outgoing)
    }

    /// Opens a shell.
    pub fn open(&mut self, stream: u64, address: &str, serial: Option<String>, size: WindowSize) {
        self.open.retain(|_, shell| !shell.is_closed());
        let (say, hear) = mpsc::channel(LAG);
        let (cards, out, address) = (Arc::clone(&self.cards), self.out.clone(), address.parse::<SocketAddr>());
        let is_full = self.open.len() >= MOST;
        self.open.insert(stream, say);
        tokio::spawn(async move {
            let ended = match address {
                _ if is_full => Err(format!("{MOST} shells are open in this room already")),
                Ok(address) => talk(&cards, address, serial, size, stream, hear, &out).await,
                Err(_) => Err("the card has no address".to_owned()),
            };
            let (exit, reason) = match ended {
                Ok(exit) => (exit, String::new()),
                Err(reason) => (None, reason),
            };
            // Nobody listens after the connection has ended.
            let _ = out.send(Out::Say(Say::ShellEnded { stream, exit, reason })).await;
        });
    }

    /// Forwards input. A shell whose input arrives faster than the card reads is closed, so that nobody else waits.
    pub fn typed(&mut self, stream: u64, bytes: Vec<u8>) {
        self.pass(stream, In::Bytes(bytes));
    }

    /// Forwards the terminal's size.
    pub fn resize(&mut self, stream: u64, size: WindowSize) {
        self.pass(stream, In::Resize(size));
    }

    /// Ends a shell.
    pub fn close(&mut self, stream: u64) {
        self.open.remove(&stream);
    }

    /// Sends an answer when it is known, without anybody waiting.
    pub fn answer(&self, words: impl Future<Output = Say> + Send + 'static) {
        let out = self.out.clone();
        // Nobody listens after the connection has ended.
        tokio::spawn(async move { out.send(Out::Say(words.await)).await });
    }

    fn pass(&mut self, stream: u64, what: In) {
        if let Some(shell) = self.open.get(&stream)
            && shell.try_send(what).is_err()
        {
            self.open.remove(&stream);
        }
    }
}

async fn talk(
    cards: &Cards,
    address: SocketAddr,
    serial: Option<String>,
    size: WindowSize,
    stream: u64,
    mut hear: mpsc::Receiver<In>,
    out: &mpsc::Sender<Out>,
) -> Result<Option<u8>, String> {
    let words = |error: Error| error.to_string();
    let opening = async {
        let card = cards.get(address).await.map_err(words)?;
        if serial.is_some()
            && let Some(why) = mistaken(address, &state(&card).await.map_err(words)?, serial.as_deref())
        {
            return Err(why);
        }
        card.shell(size).await.map_err(words)
    };
    let shell = match timeout(OPENING, opening).await {
        Ok(shell) => shell?,
        Err(_) => return Err(format!("the card opened no shell within {} s", OPENING.as_secs())),
    };
    let gone = "the connection to the console has ended";
    out.send(Out::Say(Say::ShellOpened { stream })).await.map_err(|_| gone)?;
    loop {
        tokio::select! {
            said = shell.read() => match said.map_err(words)? {
                ShellEvent::Output(bytes) => out.send(Out::Bytes(stream, bytes.to_vec())).await.map_err(|_| gone)?,
                ShellEvent::Exit(code) => return Ok(code),
            },
            typed = hear.recv() => match typed {
                Some(In::Bytes(bytes)) => shell.write(&bytes).await.map_err(words)?,
                Some(In::Resize(size)) => shell.resize(size).await.map_err(words)?,
                None => return Err("closed".to_owned()),
            },
        }
    }
}
