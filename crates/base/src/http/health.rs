//! Whether the process is alive and ready, and where its metrics are collected.

use std::time::Duration;

use axum::Extension;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use parking_lot::Mutex;

use super::{disks, outage};
use crate::app::App;
use crate::fault::Fault;

/// A database that takes longer is not ready.
const PATIENCE: Duration = Duration::from_secs(3);
/// A busy console measures 15,000 calls a second, each of which takes eight bytes until then.
const FOLDING: Duration = Duration::from_secs(5);

/// Starts collecting metrics; once per process.
///
/// Blocks for up to 200 ms the first time: the recorder's clock (`quanta`) is compared with the system's in a loop until it
/// is exact enough, which it never is on some virtual machines. Nobody begins it whose metrics are not read.
///
/// # Errors
/// When the buckets are empty, which they are not.
pub fn collect_metrics() -> anyhow::Result<PrometheusHandle> {
    static HANDLE: Mutex<Option<PrometheusHandle>> = Mutex::new(None);
    let mut begun = HANDLE.lock();
    if let Some(handle) = &*begun {
        return Ok(handle.clone());
    }
    let recorder = PrometheusBuilder::new()
        .set_buckets(&[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0])?
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder)?;
    *begun = Some(handle.clone());
    Ok(handle)
}

/// Folds what was measured into its buckets again and again, and never ends: times wait one by one to be read, and a Prometheus
/// that never comes would have them fill the memory.
pub async fn keep_folding(collected: PrometheusHandle) {
    loop {
        tokio::time::sleep(FOLDING).await;
        collected.run_upkeep();
    }
}

/// The process is alive.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// The process can do its work: the database answers and accepts writes, and so do the folders beside it.
///
/// The body is for people and for scripts: one line that says what is wrong.
///
/// # Errors
/// With 503 and the reason.
pub async fn readyz(Extension(app): Extension<App>) -> Result<&'static str, Fault> {
    let probe = async { app.db.probe().await.map_err(|error| Fault::Unavailable(error.into())) };
    tokio::time::timeout(PATIENCE, outage::unless_lost(&app, probe))
        .await
        .unwrap_or_else(|_| Err(Fault::Unavailable(anyhow::anyhow!("the database does not answer"))))?;
    let config = app.config.clone();
    let asked = tokio::task::spawn_blocking(move || disks::check(&config));
    tokio::time::timeout(PATIENCE, asked)
        .await
        .map_err(|_| Fault::Unavailable(anyhow::anyhow!("a disk of files does not answer")))?
        .map_err(Fault::internal)?
        .map_err(|refuses| Fault::Unavailable(refuses.into()))?;
    Ok("ready\n")
}
