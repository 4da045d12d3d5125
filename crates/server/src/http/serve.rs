//! The HTTP server: our own accept loop, because `axum::serve` installs no timer and a slow client
//! would hold a connection for ever (RELIABILITY 0.8).

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::extract::ConnectInfo;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use crate::config::Config;

/// A request's header must be complete within this.
const HEADER_DEADLINE: Duration = Duration::from_secs(10);
/// Requests under way get this long to finish after a stop.
const DRAIN: Duration = Duration::from_secs(10);
/// A TLS handshake must be complete within this.
const HANDSHAKE_DEADLINE: Duration = Duration::from_secs(10);

/// Serves `router` on `listener` until `stop`, then lets requests under way finish.
///
/// # Errors
/// When the TLS files can not be used.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    config: &Config,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let tls = tls(config)?;
    let places = Arc::new(Semaphore::new(config.max_connections));
    let peers = Peers::default();
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Usually out of file descriptors: accepting at once again would only spin.
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let Ok(place) = places.clone().try_acquire_owned() else { continue };
        let Some(visit) = peers.admit(peer.ip(), config.max_connections_per_ip) else { continue };
        _ = stream.set_nodelay(true);
        let (router, tls, watcher) = (router.clone(), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            if let Err(error) = connection(stream, peer, router, tls, watcher).await {
                tracing::debug!(%error, %peer, "a connection ended early");
            }
            drop((place, visit));
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were still running {}s after the stop", DRAIN.as_secs());
    }
    Ok(())
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    tls: Option<TlsAcceptor>,
    watcher: hyper_util::server::graceful::Watcher,
) -> anyhow::Result<()> {
    let service = hyper::service::service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_DEADLINE).max_buf_size(64 * 1024);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(64)
        .max_pending_accept_reset_streams(32)
        .keep_alive_interval(Duration::from_secs(30));
    let outcome = match tls {
        Some(tls) => {
            let stream =
                tokio::time::timeout(HANDSHAKE_DEADLINE, tls.accept(stream)).await.context("TLS handshake")??;
            let conn = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
            watcher.watch(conn).await
        }
        None => {
            let conn = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
            watcher.watch(conn).await
        }
    };
    outcome.map_err(|error| anyhow::anyhow!("{error}"))
}

fn tls(config: &Config) -> anyhow::Result<Option<TlsAcceptor>> {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let (Some(cert), Some(key)) = (&config.tls_cert, &config.tls_key) else { return Ok(None) };
    let chain = CertificateDer::pem_file_iter(cert)
        .with_context(|| format!("tls_cert: cannot read {}", cert.display()))?
        .collect::<Result<Vec<_>, _>>()
        .with_context(|| format!("tls_cert: {} is not PEM", cert.display()))?;
    let key = PrivateKeyDer::from_pem_file(key).with_context(|| format!("tls_key: cannot read {}", key.display()))?;
    let mut server = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("tls_cert and tls_key do not fit together")?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(server))))
}

/// How many connections each address has open.
#[derive(Clone, Default)]
struct Peers(Arc<Mutex<HashMap<IpAddr, usize>>>);

impl Peers {
    fn admit(&self, ip: IpAddr, most: usize) -> Option<Visit> {
        let mut open = self.0.lock();
        let count = open.entry(ip).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Visit { peers: self.clone(), ip })
    }
}

/// An open connection of an address.
struct Visit {
    peers: Peers,
    ip: IpAddr,
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut open = self.peers.0.lock();
        if let Some(count) = open.get_mut(&self.ip) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.ip);
            }
        }
    }
}
