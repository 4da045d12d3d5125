//! The console, from its start to the signal that ends it.

use std::io::Write as _;
use std::net::SocketAddr;

use accounts::auth;
use anyhow::Context as _;
use base::app::App;
use base::config::Config;
use base::http::{health, serve};
use base::open::open;
use base::work::Work;
use kernel::clock::Clock;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::alone::Alone;
use crate::demo::Company;
use crate::duty::{self, Turn};
use crate::{boot, demo, domains, modes, router};

/// Serves until it is asked to stop; `demo` is the company that is shown.
///
/// # Errors
/// What keeps it from starting, or ends it.
pub async fn start(config: Config, demo: Option<Company>) -> anyhow::Result<()> {
    let config = if demo.is_some() { config.for_demo() } else { config };
    if let Some(warning) = config.exposure()? {
        tracing::warn!("{warning}");
    }
    if !config.oidc.is_empty() && config.public_url.is_empty() {
        tracing::warn!("oidc: sign-in with a provider is unavailable until public_url is set");
    }
    serve::raise_file_limit();
    let alone = Alone::lock(&config)?;
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone()));
    let work = |turn| work(config.clone(), demo, turn);
    duty::run(&config, &alone, stop, work).await?;
    tracing::info!("stopped");
    if demo.is_some() {
        // Whoever read it may be gone with the same Ctrl-C.
        _ = writeln!(std::io::stdout(), "Stopped. The data stays in {}.", config.data_dir.display());
    }
    Ok(())
}

/// A term as the active console.
async fn work(config: Config, demo: Option<Company>, turn: Turn) -> anyhow::Result<()> {
    let clock = Clock::default();
    // Needs nothing of the rest, and takes as long as to open the database.
    let surface = tokio::task::spawn_blocking(router::surface);
    let collected = config.metrics_listen.map(|_| tokio::task::spawn_blocking(health::collect_metrics));
    // The welcome to the demo company shows the password with the rest.
    let show: fn(&str) -> anyhow::Result<()> = if demo.is_some() { |_| Ok(()) } else { boot::show };
    let (db, first) = boot::open(&config, &clock, turn.hold(), show).await?;
    modes::tighten(&config);
    let app = open(config.clone(), db, clock, domains::all()).await?;
    let mut is_new = false;
    if let Some(which) = demo {
        is_new = which.found(&app).await?;
        anyhow::ensure!(
            is_new || platform::general::is_demo(&app).await?,
            "the database holds real data, and --demo never mixes with it: start without --demo, or name another --data-dir"
        );
    }
    let router = turn.guard(router::build_of(surface.await?, &app));
    tokio::spawn(try_inspection_out(app.clone()));
    // What the first round of work measures would be told to nobody.
    let collected = match collected {
        Some(begun) => Some(begun.await??),
        None => None,
    };
    let work = Work::start(&app, domains::all()).await?;
    let keys = tokio::spawn(auth::keep_keys_ahead(app.clone()));
    let stop = turn.stop.clone();
    let listener = turn.open().await?;
    let scheme = if config.tls_cert.is_some() { "https" } else { "http" };
    let address = format!("{scheme}://{}/", listener.local_addr()?);
    if let Some(which) = demo {
        let here = listener.local_addr()?;
        let demo::room::Alive { sites: alive, cards } = demo::room::live(&app, which, here, &stop).await?;
        // A standard output that is full or gone is no reason to end.
        _ = write!(std::io::stdout(), "{}", demo::welcome(&address, &first, &config, &alive, which));
        if which == Company::Whole {
            if !alive.is_empty() {
                demo::crowd::begin(&app, here, cards, stop.clone());
            }
            demo::enliven(&app, alive, is_new);
        }
    } else {
        _ = writeln!(std::io::stdout(), "Skyrack is ready at {address}");
    }
    tokio::spawn(end_streams(app.clone(), stop.clone()));
    if let Some((address, collected)) = config.metrics_listen.zip(collected) {
        let (listener, router) = (listen(address).await?, router::metrics(&app, collected.clone()));
        let folded = health::keep_folding(collected);
        let (config, stop) = (config.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                ended = serve::serve_plain(listener, router, &config, stop) => ended,
                () = folded => {}
            }
        });
    }
    serve::serve(listener, router, &config, stop).await?;
    keys.abort();
    work.stop().await;
    Ok(app.db.clone().close().await?)
}

/// Says at once what else the first upload would hear.
async fn try_inspection_out(app: App) {
    if let Err(fault) = app.inspection.try_out().await {
        tracing::error!(?fault, "uploaded files cannot be inspected on this machine and are refused");
    }
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}: is another program using the port?"))
}

async fn stop_on_signal(stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    tracing::info!("stopping; requests in progress may finish");
    stop.cancel();
}

/// Streams have no end of their own that the server could wait for.
async fn end_streams(app: App, stop: CancellationToken) {
    stop.cancelled().await;
    app.events.close();
}
