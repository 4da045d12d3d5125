//! Scanning the room's ranges from time to time for other cards.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use wire::{Range, Sighting};

use crate::cards::Cards;
use crate::look::meet;
use crate::looks::Looks;
use crate::work::News;

/// Delay after new ranges: the recorded cards have been polled by then.
pub const FIRST: Duration = Duration::from_secs(30);
/// Interval between two scans.
const EVERY: Duration = Duration::from_mins(10);
/// Addresses tried concurrently.
const AT_ONCE: usize = 64;
/// The largest number of addresses in a scan; larger ranges are a mistake.
const MOST: usize = 1 << 17;

/// Scans for ever, `first` after new ranges came ([`FIRST`] unless in a test).
pub async fn run(
    cards: Arc<Cards>,
    looks: Looks,
    mut ranges: watch::Receiver<Vec<Range>>,
    news: mpsc::UnboundedSender<News>,
    first: Duration,
) {
    let mut wait = first;
    loop {
        match timeout(wait, ranges.changed()).await {
            Ok(Ok(())) => {
                wait = first;
                continue;
            }
            Ok(Err(_)) => return,
            Err(_) => {}
        }
        let now = ranges.borrow().clone();
        if !now.is_empty() {
            let found = sweep(&cards, &looks, &now).await;
            // The link reads until the process ends.
            let _ = news.send(News::Swept(found));
        }
        wait = EVERY;
    }
}

/// What answers besides the cards that are polled.
async fn sweep(cards: &Cards, looks: &Looks, ranges: &[Range]) -> Vec<Sighting> {
    let known = looks.addresses();
    let options = cards.brief();
    let unknown =
        addresses(ranges).take(MOST).filter(|address| !known.contains(address) && cards.permit(*address).is_ok());
    futures::stream::iter(unknown)
        .map(|address| meet(&options, address))
        .buffer_unordered(AT_ONCE)
        .filter_map(|met| async move { met })
        .collect()
        .await
}

fn addresses(ranges: &[Range]) -> impl Iterator<Item = SocketAddr> {
    ranges.iter().flat_map(|range| {
        let (first, first_port) = (u32::from(range.first), u32::from(range.first_port));
        let ips = u32::from(range.last).saturating_sub(first);
        let ports = u32::from(range.last_port).saturating_sub(first_port);
        (0..=ips.max(ports)).filter_map(move |step| {
            let port = u16::try_from(first_port + step.min(ports)).ok()?;
            Some(SocketAddr::from((Ipv4Addr::from(first.checked_add(step.min(ips))?), port)))
        })
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use super::{Range, addresses};

    #[test]
    fn a_range_has_its_ends() {
        let all = |first: &str, last: &str, first_port, last_port| -> Vec<String> {
            let range = Range { first: first.parse().unwrap(), last: last.parse().unwrap(), first_port, last_port };
            addresses(&[range]).map(|address| address.to_string()).collect()
        };
        assert_eq!(all("10.0.0.255", "10.0.1.1", 5555, 5555), ["10.0.0.255:5555", "10.0.1.0:5555", "10.0.1.1:5555"]);
        assert_eq!(all("10.0.0.1", "10.0.0.1", 5555, 5556), ["10.0.0.1:5555", "10.0.0.1:5556"]);
        assert_eq!(all("10.0.0.1", "10.0.0.2", 5555, 5556), ["10.0.0.1:5555", "10.0.0.2:5556"]);
    }
}
