//! Whether the process is alive and ready, and where its metrics are collected.

use axum::Extension;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use sea_orm::ConnectionTrait as _;

use crate::app::App;
use crate::fault::Fault;

/// Starts collecting metrics; once a process.
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
    // A second recorder in one process (tests) is no fault: the first one keeps counting.
    _ = metrics::set_global_recorder(recorder);
    Ok(handle)
}

/// The process is alive.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// The process can do its work: the database answers.
pub async fn readyz(Extension(app): Extension<App>) -> Result<&'static str, Fault> {
    app.db.read().execute_unprepared("SELECT 1").await.map_err(|error| Fault::Unavailable(error.into()))?;
    Ok("ready\n")
}
