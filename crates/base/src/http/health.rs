//! Whether the process is alive and ready, and where its metrics are collected.

use std::time::Duration;

use axum::Extension;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use super::{disks, outage};
use crate::app::App;
use crate::fault::Fault;

/// A database that takes longer is not ready.
const PATIENCE: Duration = Duration::from_secs(3);

/// Starts collecting metrics; once per process.
///
/// # Errors
/// When the buckets are empty, which they are not.
pub fn collect_metrics() -> anyhow::Result<PrometheusHandle> {
    static HANDLE: std::sync::OnceLock<PrometheusHandle> = std::sync::OnceLock::new();
    if let Some(handle) = HANDLE.get() {
        return Ok(handle.clone());
    }
    let recorder = PrometheusBuilder::new()
        .set_buckets(&[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0])?
        .build_recorder();
    let handle = HANDLE.get_or_init(|| recorder.handle()).clone();
    // A second recorder in one process (tests) is not an error: the first one keeps counting.
    _ = metrics::set_global_recorder(recorder);
    Ok(handle)
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
