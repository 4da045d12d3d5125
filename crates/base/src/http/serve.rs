//! The HTTP server: our own accept loop, because `axum::serve` installs no timer and a slow client
//! would hold a connection for ever (RELIABILITY 0.8).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http_body::Body as _;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use super::connections::{Connection, Connections, Limits};
use super::deadline::{Late, Timed, TimedBody};
use super::held::Held;
use super::taken::Taken;
use crate::config::Config;

/// Running requests have this long to finish after a stop.
const DRAIN: Duration = Duration::from_secs(10);
/// Bytes of a request that are read at a time, and the maximum size of its header. The allocator keeps whole pages of
/// larger pieces for each thread and each size.
const BUFFER: usize = 32 * 1024;
/// A TLS handshake must be complete within this.
const HANDSHAKE_DEADLINE: Duration = Duration::from_secs(10);

/// Lets this process open as many files as the system allows: each connection is one, and if files run out before
/// connections do, unauthenticated clients lock everybody out.
pub fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "could not raise the limit of open files");
    }
}

/// Serves `router` on `listener` until `stop`, then lets running requests finish.
///
/// # Errors
/// When the TLS files cannot be used.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    config: &Config,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    serve_until(listener, router, config, stop).await?.finish().await;
    Ok(())
}

/// Accepts until `stop`, and returns the connections that are left. The listener is gone by then: whoever shares it gets
/// every connection from then on.
///
/// # Errors
/// When the TLS files cannot be used.
pub async fn serve_until(
    listener: TcpListener,
    router: Router,
    config: &Config,
    stop: CancellationToken,
) -> anyhow::Result<Remaining> {
    let tls = tls(config)?;
    Ok(accept(listener, router, tls, Limits::of(config), stop).await)
}

/// The same without encryption, whatever the configuration says: for endpoints reachable only from this machine and
/// those it names.
pub async fn serve_plain(listener: TcpListener, router: Router, config: &Config, stop: CancellationToken) {
    accept(listener, router, None, Limits::of(config), stop).await.finish().await;
}

/// The connections that are left when no more are accepted.
#[must_use]
pub struct Remaining(GracefulShutdown);

impl Remaining {
    /// Lets running requests finish.
    pub async fn finish(self) {
        if tokio::time::timeout(DRAIN, self.0.shutdown()).await.is_err() {
            tracing::warn!("some requests were still running {}s after shutdown began", DRAIN.as_secs());
        }
    }
}

async fn accept(
    listener: TcpListener,
    router: Router,
    tls: Option<TlsAcceptor>,
    limits: Limits,
    stop: CancellationToken,
) -> Remaining {
    let connections = Connections::new(limits);
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            // After a stop none of those that wait is for us.
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Usually out of file descriptors: retrying at once would only spin.
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let Some(connection) = connections.admit(peer.ip()) else {
            metrics::counter!("skyrack_connections_refused_total").increment(1);
            continue;
        };
        _ = stream.set_nodelay(true);
        let (router, tls, watcher) = (router.clone(), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            let outcome = tokio::select! {
                () = connection.closed() => Err(anyhow::anyhow!("closed to make room")),
                outcome = encrypted(stream, peer, router, tls, watcher, &connection) => outcome,
            };
            if let Err(error) = outcome {
                tracing::debug!(%error, %peer, "a connection ended early");
            }
        });
    }
    Remaining(graceful)
}

/// Serves a connection, encrypted if there is a certificate.
async fn encrypted(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    tls: Option<TlsAcceptor>,
    watcher: Watcher,
    connection: &Arc<Connection>,
) -> anyhow::Result<()> {
    let Some(tls) = tls else { return requests(stream, peer, router, watcher, connection).await };
    let stream = tokio::time::timeout(HANDSHAKE_DEADLINE, tls.accept(stream)).await.context("TLS handshake")??;
    requests(stream, peer, router, watcher, connection).await
}

/// Serves the requests of a connection.
async fn requests<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    watcher: Watcher,
    connection: &Arc<Connection>,
) -> anyhow::Result<()> {
    let stream = Timed::new(stream, connection.clone());
    let connection = connection.clone();
    let service = hyper::service::service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let (asking, late, connection) = (connection.ask(), Late::default(), connection.clone());
        let mut request = request.map(|body| {
            if body.is_end_stream() { Body::new(body) } else { Body::new(TimedBody::new(body, late.clone())) }
        });
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(late);
        let answer = router.clone().call(request);
        async move {
            let Ok(response) = answer.await;
            if response.status() == http::StatusCode::SWITCHING_PROTOCOLS {
                connection.upgrade();
            }
            Ok::<_, Infallible>(response.map(|body| Taken::new(Held::new(body, asking), connection)))
        }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // The header deadlines are those of `Timed`, which start with the connection.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None::<Duration>).max_buf_size(BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(64)
        .max_pending_accept_reset_streams(32)
        .keep_alive_interval(Duration::from_secs(30));
    let served = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
    watcher.watch(served).await.map_err(|error| anyhow::anyhow!("{error}"))
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
        .context("tls_cert and tls_key do not match")?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(server))))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use axum::Router;
    use axum::body::{Body, Bytes};
    use axum::routing::get;
    use futures::StreamExt as _;
    use h2::client::SendRequest;
    use hyper_util::server::graceful::GracefulShutdown;
    use tokio::task::JoinHandle;
    use tokio::time::{Instant, sleep, timeout};

    use super::requests;
    use crate::http::connections::{Connections, Limits};

    const STALL: Duration = Duration::from_secs(3);

    /// An HTTP/2 client with this window that has requested a long answer; and its connection, which answers pings.
    async fn asked(window: u32) -> (h2::RecvStream, JoinHandle<()>, SendRequest<Bytes>) {
        let answer = async || {
            let piece = || Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 100_000]));
            Body::from_stream(futures::stream::repeat_with(piece).take(2))
        };
        let router = Router::new().route("/", get(answer));
        let limits = Limits { total: 9, per_network: 9, silent: 9, trusted: Vec::new(), stall: STALL };
        let peer = SocketAddr::from(([127, 0, 0, 1], 50_000));
        let connection = Connections::new(limits).admit(peer.ip()).expect("there is room");
        let (here, there) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let graceful = GracefulShutdown::new();
            requests(there, peer, router, graceful.watcher(), &connection).await
        });
        let builder = h2::client::Builder::new().initial_window_size(window).to_owned();
        let (mut client, line) = builder.handshake::<_, Bytes>(here).await.expect("HTTP/2");
        let line = tokio::spawn(async move { _ = line.await });
        let request = http::Request::get("http://x/").body(()).expect("a request");
        let (answer, _) = client.send_request(request, true).expect("it is sent");
        (answer.await.expect("its header needs no window").into_body(), line, client)
    }

    #[tokio::test]
    async fn a_window_that_stays_closed_holds_no_place_for_ever() {
        for window in [0, 1000] {
            let (_body, line, _client) = asked(window).await;
            let since = Instant::now();
            // The server checks every five seconds.
            timeout(STALL * 4, line).await.expect("nothing moves, and it is still connected").expect("it ends");
            assert!(since.elapsed() >= STALL, "{window}: it has its time");
        }
    }

    #[tokio::test]
    async fn whoever_takes_slowly_gets_all_of_it() {
        let (mut body, line, _client) = asked(10_000).await;
        let (mut received, since) = (0, Instant::now());
        while let Some(piece) = body.data().await {
            let size = piece.expect("the connection goes on").len();
            received += size;
            body.flow_control().release_capacity(size).expect("what came may be released");
            sleep(Duration::from_millis(150)).await;
        }
        assert_eq!(received, 200_000);
        assert!(since.elapsed() > STALL * 2 && !line.is_finished());
    }
}
