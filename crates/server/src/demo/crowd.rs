//! The demo company's customers at play: a crowd in this process, which calls the console as any application does.

use std::net::SocketAddr;

use base::app::App;
use crowd::{Crowd, Settings};
use tokio_util::sync::CancellationToken;

use super::room;

/// Each has a phone; about a quarter of them plays at a time.
pub const CUSTOMERS: u32 = 240;
const SEED: u64 = 24;
/// A visit lasts two to eight minutes, and the next one comes after another twenty: about half of the phones are off by then.
const SPEED: u32 = 2;

/// Lets them come until `stop`, in the background. Nothing depends on it, so that trouble is only told.
pub fn begin(app: &App, console: SocketAddr, stop: CancellationToken) {
    let app = app.clone();
    tokio::spawn(async move {
        if let Err(error) = play(&app, console, stop).await {
            tracing::warn!("nobody plays in the demo company: {error:#}");
        }
    });
}

async fn play(app: &App, console: SocketAddr, stop: CancellationToken) -> anyhow::Result<()> {
    platform::make_demo_gateway(app).await?;
    let Some((key, secret)) = open::crowd_key(app).await? else { return Ok(()) };
    let settings = Settings {
        console: room::address(console)?,
        key,
        secret: secret.expose_text().unwrap_or_default().to_owned(),
        customers: CUSTOMERS,
        seed: SEED,
        speed: SPEED,
    };
    let crowd = tokio::select! {
        gathered = Crowd::gather(settings) => gathered?,
        () = stop.cancelled() => return Ok(()),
    };
    crowd.play(stop).await;
    Ok(())
}
