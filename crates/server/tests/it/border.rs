//! Unauthenticated clients: who may connect, time limits for the peer, and invalid requests.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use base::config::Config;
use base::http::serve::serve;
use futures::future::join_all;
use testapp::TestApp;
use testkit::db_test;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A server behind a real port. It stops with the value.
struct Door {
    at: SocketAddr,
    _stop: DropGuard,
}

async fn open(router: Router, config: Config) -> Door {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (at, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let stopped = stop.clone();
    tokio::spawn(async move { serve(listener, router, &config, stopped).await.unwrap() });
    Door { at, _stop: stop.drop_guard() }
}

/// A server that answers at once, and at `/later` when everybody else has long been sent away.
async fn simple() -> Door {
    let later = get(async || {
        sleep(Duration::from_secs(13)).await;
        "later"
    });
    open(Router::new().route("/", get("here")).route("/later", later), Config::default()).await
}

impl Door {
    async fn connect(&self, from: [u8; 4]) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        socket.connect(self.at).await.unwrap()
    }

    /// Says something and answers all that comes back until the server hangs up.
    async fn hear(&self, words: &[u8]) -> String {
        let mut stream = self.connect([127, 0, 0, 1]).await;
        stream.write_all(words).await.unwrap();
        end(stream).await
    }
}

/// What comes until the server hangs up. One that does not is a test that hangs, and ends here.
async fn end(mut stream: TcpStream) -> String {
    let mut heard = Vec::new();
    let ended = timeout(Duration::from_secs(60), stream.read_to_end(&mut heard)).await;
    // A reset is an end as well.
    assert!(ended.is_ok(), "it is still connected");
    String::from_utf8_lossy(&heard).into_owned()
}

const ASK: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const NO_SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

#[tokio::test]
async fn silent_connections_of_a_few_addresses_shut_nobody_out() {
    let door = simple().await;
    let mut silent = Vec::new();
    for n in 0..2000_u32 {
        silent.push(door.connect([127, 0, 0, 1 + u8::try_from(n % 4).unwrap()]).await);
    }
    for address in 1..=5 {
        let mut fifth = door.connect([127, 0, 0, address]).await;
        fifth.write_all(ASK.as_bytes()).await.unwrap();
        assert!(end(fifth).await.ends_with("here"), "127.0.0.{address}");
    }
}

#[tokio::test]
async fn whoever_does_not_ask_is_sent_away_and_whoever_waits_is_not() {
    let door = simple().await;
    let greeted = [PREFACE, NO_SETTINGS].concat();
    let silent: [&[u8]; 6] = [b"", b"G", &PREFACE[..12], PREFACE, &greeted, b"GET / HTTP/1.1\r\nHost: x\r\n"];
    let trickle = async {
        let mut stream = door.connect([127, 0, 0, 1]).await;
        for byte in ASK.bytes().cycle().filter(|byte| *byte != b'\n').take(120) {
            if stream.write_all(&[byte]).await.is_err() {
                return;
            }
            sleep(Duration::from_millis(500)).await;
        }
        panic!("a header may take for ever");
    };
    let second = async {
        let mut stream = door.connect([127, 0, 0, 1]).await;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let mut first = String::new();
        while !first.ends_with("here") {
            first.push(char::from(stream.read_u8().await.unwrap()));
        }
        stream.write_all(b"GET / HTT").await.unwrap();
        end(stream).await
    };
    let later = door.hear(b"GET /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let all = join_all(silent.into_iter().map(|words| door.hear(words)));
    let (heard, (), later, second) = tokio::join!(all, trickle, later, second);
    assert!(heard.iter().all(|heard| !heard.contains("200")), "{heard:?}");
    assert!(later.ends_with("later"), "{later}");
    assert_eq!(second, "", "the second header never ended");
}

db_test! {
    async fn a_body_has_to_come_and_to_keep_coming(db) {
        let app = TestApp::new(db).await;
        let door = open(app.router.clone(), app.app.config.clone()).await;
        let head = "POST /api/user/v1/client/login/captcha HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n";
        let trickle = async {
            let mut stream = door.connect([127, 0, 0, 1]).await;
            stream.write_all(head.as_bytes()).await.unwrap();
            let (mut from, mut to) = stream.into_split();
            let sending = tokio::spawn(async move {
                while to.write_all(b" ").await.is_ok() {
                    sleep(Duration::from_millis(500)).await;
                }
            });
            let mut heard = vec![0; 12];
            timeout(Duration::from_secs(60), from.read_exact(&mut heard)).await.unwrap().unwrap();
            sending.abort();
            String::from_utf8(heard).unwrap()
        };
        let (silent, trickle) = tokio::join!(door.hear(head.as_bytes()), trickle);
        assert!(silent.starts_with("HTTP/1.1 408") && silent.contains(r#""status":4008"#), "{silent}");
        assert_eq!(trickle, "HTTP/1.1 408");
    }

    async fn who_sends_a_file_is_asked_before_it_is_read(db) {
        let app = TestApp::new(db).await;
        let door = open(app.router.clone(), app.app.config.clone()).await;
        let head = "PUT /agent/v1/tasks/1/1/file HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer skyagent_x\r\nContent-Length: 33000000\r\n\r\n";
        assert!(door.hear(head.as_bytes()).await.starts_with("HTTP/1.1 401"));
    }

    async fn a_tunnel_and_a_request_for_two_hosts_are_refused(db) {
        let app = TestApp::new(db).await;
        let door = open(app.router.clone(), app.app.config.clone()).await;
        for (request, code) in [
            ("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n", "method.connect"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", "host.twice"),
            ("GET /api/user/v1/client/login/oidc/a%00b/start HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "text.control"),
        ] {
            let heard = door.hear(request.as_bytes()).await;
            assert!(heard.starts_with("HTTP/1.1 400") && heard.contains(r#""status":4000"#) && heard.contains(code), "{heard}");
        }
        assert!(door.hear(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.starts_with("HTTP/1.1 200"));
    }

    async fn metrics_are_on_their_own_listener_only(db) {
        let app = TestApp::counting(db).await;
        for path in ["/metrics", "/metrics/cards?room=1", "/metrics/"] {
            assert_eq!(app.anybody().get(path).await.brief(), (404, 4004), "{path}");
        }
        assert!(String::from_utf8(app.metrics().await.bytes).unwrap().contains("skyrack_http_requests_total"));
        let door = open(app.prometheus(), app.app.config.clone()).await;
        assert!(door.hear(b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.starts_with("HTTP/1.1 200"));
        assert!(door.hear(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.starts_with("HTTP/1.1 404"));
    }

    async fn nothing_is_measured_where_nobody_reads_it(db) {
        let app = TestApp::new(db).await;
        app.anybody().get("/healthz").await;
        // Collecting begins as Prometheus is there, and every test has a process of its own.
        assert!(!String::from_utf8(app.metrics().await.bytes).unwrap().contains("skyrack_http"), "times wait to be read");
        app.anybody().get("/healthz").await;
        assert!(String::from_utf8(app.metrics().await.bytes).unwrap().contains("skyrack_http_requests_total"));
    }

    async fn browsers_remember_that_it_is_encrypted_where_it_is(db) {
        let app = TestApp::with(db, |config| config.trusted_proxies = vec!["10.0.0.1".parse().unwrap()]).await;
        let hsts = async |from: &str, proto: &str| {
            let answer = app.anybody().from(from).header("x-forwarded-proto", proto).get("/healthz").await;
            answer.headers.get("strict-transport-security").is_some_and(|value| value == "max-age=31536000")
        };
        assert!(hsts("10.0.0.1", "https").await);
        assert!(!hsts("10.0.0.1", "http").await && !hsts("10.0.0.2", "https").await, "no proxy, or in the clear");
    }

    async fn one_customer_of_a_proxy_does_not_take_up_what_is_there_for_all(db) {
        let app = TestApp::with(db, |config| {
            config.trusted_proxies = vec!["10.0.0.1".parse().unwrap()];
            config.max_connections_per_ip = 2;
        })
        .await;
        let admin = app.admin().await.from("10.0.0.1");
        let stream = async |ip: &str| {
            let caller = admin.clone().header("x-forwarded-for", ip);
            caller.begin(http::Method::GET, "/api/general/v1/events", "application/json", axum::body::Body::empty()).await
        };
        let held = [stream("2001:db8::1").await, stream("2001:db8::2").await];
        assert!(held.iter().all(|answer| answer.status() == 200));
        assert_eq!(stream("2001:db8::3").await.status(), 429);
        assert_eq!(stream("2001:db8:1::1").await.status(), 200);
        // What a proxy adds and nobody can read says nothing of what stands before it.
        for forged in ["2001:db8:9::1, unknown", "2001:db8:9::1, "] {
            let held = [stream(forged).await, stream(&forged.replace(":9:", ":8:")).await];
            assert!(held.iter().all(|answer| answer.status() == 200));
            assert_eq!(stream(&forged.replace(":9:", ":7:")).await.status(), 429, "all of them are the proxy's: {forged}");
        }
        drop(held);
        assert_eq!(stream("2001:db8::3").await.status(), 200);
    }
}

#[test]
fn other_machines_are_served_without_tls_only_where_somebody_says_so() {
    let at = |listen: &str, insecure_http| {
        let config = Config { listen: listen.parse().unwrap(), insecure_http, ..Config::default() };
        config.exposure().map(|warning| warning.is_some()).map_err(|error| error.to_string())
    };
    for here in ["127.0.0.1:80", "[::1]:80", "127.9.9.9:1"] {
        assert_eq!(at(here, false), Ok(false), "{here}");
    }
    for open in ["0.0.0.0:8080", "[::]:8080", "10.0.0.9:80", "[::ffff:10.0.0.9]:80"] {
        assert!(at(open, false).unwrap_err().contains("--insecure-http"), "{open}");
        assert_eq!(at(open, true), Ok(true), "{open}");
    }
    let tls = Config { listen: "0.0.0.0:443".parse().unwrap(), tls_cert: Some("x".into()), ..Config::default() };
    assert_eq!(tls.exposure().unwrap(), None);
}

/// What is commented out in the sample shows the default; what cannot be shown so is an example, after a space.
#[test]
fn the_sample_configuration_shows_the_defaults() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/skyrack.toml");
    let sample = std::fs::read_to_string(file).unwrap();
    let is_key =
        |line: &&str| line.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let shown: Vec<&str> = sample.lines().filter(is_key).collect();
    let text: String = sample
        .lines()
        .map(|line| if is_key(&line) { &line[1..] } else { line })
        .fold(String::new(), |text, line| text + line + "\n");
    let shown_values: serde_json::Value = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    let defaults = serde_json::to_value(Config::default()).unwrap();
    let mut compared = 0;
    for (key, default) in defaults.as_object().unwrap() {
        if default.is_null() {
            assert!(sample.contains(&format!("# {key} = ")), "{key} is not explained");
            assert!(shown_values.get(key).is_none(), "{key} has no default to show");
            continue;
        }
        assert_eq!(shown_values.get(key), Some(default), "{key}");
        compared += 1;
    }
    assert!(compared > 15 && shown.len() >= compared, "{compared}");
}
