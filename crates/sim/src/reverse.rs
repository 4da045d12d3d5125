//! Ports: those of a card that a host opens (`adb forward`), and those that lead from the card to a host
//! (`adb reverse`).

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::card::Card;
use crate::shell::fd::Said;
use crate::shell::pipe::{Reader, Writer, pipe};

/// What a port leads to.
#[derive(Clone, Debug)]
pub(crate) struct Reverse {
    target: String,
    host: UnboundedSender<(u32, Said)>,
}

/// One service listens on every card: what it hears it says again.
const ECHO: u16 = 7;

impl Card {
    /// Connects to a port of the card: nothing if nobody listens there.
    pub(crate) fn dial(&self, port: u16) -> Option<(Writer, Arc<Reader>)> {
        let (to, heard) = pipe();
        let (says, from) = pipe();
        if port == ECHO {
            tokio::spawn(async move {
                loop {
                    let bytes = heard.read(64 * 1024).await;
                    if bytes.is_empty() || says.write(&bytes).await.is_err() {
                        break;
                    }
                }
            });
            return Some((to, Arc::new(from)));
        }
        let Reverse { target, host } = self.state().reverse.get(&port).cloned()?;
        host.send((0, Said::Dial { target, from_card: heard, to_card: says })).ok()?;
        Some((to, Arc::new(from)))
    }

    /// The connection that led somewhere is gone.
    pub(crate) fn forget_host(&self, host: &UnboundedSender<(u32, Said)>) {
        self.state().reverse.retain(|_, reverse| !reverse.host.same_channel(host));
    }
}

fn port(address: &str) -> Option<u16> {
    address.strip_prefix("tcp:")?.parse().ok()
}

fn counted(text: &str) -> String {
    format!("{:04x}{text}", text.len())
}

fn failed(why: &str) -> String {
    format!("FAIL{}", counted(why))
}

/// Answers a command of `adb reverse` (AOSP `adb_listeners.cpp`).
pub(crate) fn command(card: &Card, line: &str, host: &UnboundedSender<(u32, Said)>) -> String {
    let ports = &mut card.state().reverse;
    if line == "list-forward" {
        let list: String =
            ports.iter().map(|(port, reverse)| format!("host-1 tcp:{port} {}\n", reverse.target)).collect();
        // Only the host's own server says that it is well before it lists.
        return counted(&list);
    }
    if line == "killforward-all" {
        ports.clear();
        return "OKAY".into();
    }
    if let Some(address) = line.strip_prefix("killforward:") {
        let removed = port(address).and_then(|port| ports.remove(&port));
        return if removed.is_some() { "OKAY".into() } else { failed(&format!("listener '{address}' not found")) };
    }
    let Some(rest) = line.strip_prefix("forward:") else { return failed("unknown command") };
    let (rest, norebind) = rest.strip_prefix("norebind:").map_or((rest, false), |rest| (rest, true));
    let Some((local, target)) = rest.split_once(';') else { return failed("bad forward") };
    let Some(wanted) = port(local) else { return failed(&format!("cannot bind listener: unknown socket '{local}'")) };
    if norebind && ports.contains_key(&wanted) {
        return failed("cannot rebind existing socket");
    }
    let free = || (40_000..60_000).find(|port| !ports.contains_key(port));
    let Some(port) = (if wanted == 0 { free() } else { Some(wanted) }) else { return failed("no free port") };
    ports.insert(port, Reverse { target: target.to_owned(), host: host.clone() });
    if wanted == 0 { format!("OKAY{}", counted(&port.to_string())) } else { "OKAY".into() }
}
