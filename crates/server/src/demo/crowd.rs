//! The demo company's customers at play: a crowd in this process, which calls the console as any application does.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use base::app::App;
use crowd::{Crowd, Settings, Watcher};
use tokio_util::sync::CancellationToken;

use super::room;

/// Each has a phone; about a quarter of them plays at a time.
pub const CUSTOMERS: u32 = 240;
const SEED: u64 = 24;
/// A visit lasts two to eight minutes, and the next one comes after another twenty: about half of the phones are off by then.
const SPEED: u32 = 2;

/// Lets them come until `stop`, in the background. Nothing depends on it, so that trouble is only told.
/// `cards` are those of the demo's rooms: whoever plays there opens an app, which writes more meanwhile.
pub fn begin(app: &App, console: SocketAddr, cards: Vec<Arc<sim::Card>>, stop: CancellationToken) {
    let app = app.clone();
    tokio::spawn(async move {
        if let Err(error) = play(&app, console, &cards, stop).await {
            tracing::warn!("nobody plays in the demo company: {error:#}");
        }
    });
}

fn watcher(cards: &[Arc<sim::Card>]) -> Watcher {
    let cards: HashMap<String, _> =
        cards.iter().map(|card| (card.address.ip().to_string(), Arc::clone(card))).collect();
    Watcher::new(move |address, is_used| {
        if let Some(card) = cards.get(address) {
            card.set_used(is_used);
        }
    })
}

async fn play(app: &App, console: SocketAddr, cards: &[Arc<sim::Card>], stop: CancellationToken) -> anyhow::Result<()> {
    platform::make_demo_gateway(app).await?;
    let Some((key, secret)) = open::crowd_key(app).await? else { return Ok(()) };
    let settings = Settings {
        console: room::address(console)?,
        key,
        secret: secret.expose_text().unwrap_or_default().to_owned(),
        customers: CUSTOMERS,
        seed: SEED,
        speed: SPEED,
        switchboard: None,
    };
    let crowd = tokio::select! {
        gathered = Crowd::gather(settings) => gathered?,
        () = stop.cancelled() => return Ok(()),
    };
    crowd.watched(watcher(cards)).play(stop).await;
    Ok(())
}
