//! Authentication at BMCs: each implements the standard differently.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use redfish::{Bmc as _, Client, Error, Limits, Login, Trust};

/// The content of the service root.
#[derive(Clone, Copy, Debug)]
enum Root {
    Sessions,
    ServiceOnly,
    Neither,
    /// It refuses unauthenticated clients, and requires this scheme.
    Shut(&'static str),
}

/// A BMC that answers according to its fields, and counts.
struct Odd {
    root: Root,
    /// To a request for a session.
    session: (StatusCode, &'static str),
    /// Whether it accepts the session that it created, and the right username and password by Basic.
    honours: bool,
    demands: &'static str,
    /// Requests for a session, and requests with Basic.
    asked: AtomicUsize,
    basic: AtomicUsize,
}

const NO_SESSIONS: (StatusCode, &str) = (StatusCode::NOT_FOUND, "");
/// base64 of `admin:right`.
const RIGHT: &str = "Basic YWRtaW46cmlnaHQ=";

impl Odd {
    fn new(root: Root, session: (StatusCode, &'static str)) -> Self {
        let (asked, basic) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { root, session, honours: true, demands: "Basic realm=\"bmc\"", asked, basic }
    }

    async fn start(self) -> (Arc<Self>, String) {
        let odd = Arc::new(self);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(Arc::clone(&odd));
        tokio::spawn(async move { axum::serve(listener, router).await });
        (odd, url)
    }

    fn counts(&self) -> (usize, usize) {
        (self.asked.load(Ordering::Relaxed), self.basic.load(Ordering::Relaxed))
    }

    fn root(&self, headers: &HeaderMap) -> Response {
        match self.root {
            Root::Sessions => {
                r#"{"Links":{"Sessions":{"@odata.id":"/redfish/v1/SessionService/Sessions"}},"Systems":{"@odata.id":"/redfish/v1/Systems"}}"#
                    .into_response()
            }
            Root::ServiceOnly => r#"{"SessionService":{"@odata.id":"/redfish/v1/SessionService"}}"#.into_response(),
            Root::Neither => r#"{"Systems":{"@odata.id":"/redfish/v1/Systems"}}"#.into_response(),
            Root::Shut(scheme) if !self.lets_in(headers) => refuse(scheme),
            Root::Shut(_) => "{}".into_response(),
        }
    }

    fn lets_in(&self, headers: &HeaderMap) -> bool {
        let token = headers.get("X-Auth-Token").is_some_and(|token| token == "given");
        let basic = headers.get(header::AUTHORIZATION);
        if basic.is_some() {
            self.basic.fetch_add(1, Ordering::Relaxed);
        }
        self.honours && (token || basic.is_some_and(|given| given == RIGHT))
    }
}

fn refuse(scheme: &str) -> Response {
    if scheme.is_empty() {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, scheme)]).into_response()
}

async fn answer(State(odd): State<Arc<Odd>>, request: Request) -> Response {
    match request.uri().path() {
        "/redfish/v1/" => odd.root(request.headers()),
        "/redfish/v1/SessionService/Sessions" => {
            odd.asked.fetch_add(1, Ordering::Relaxed);
            (odd.session.0, [("X-Auth-Token", "given")], odd.session.1).into_response()
        }
        _ if odd.lets_in(request.headers()) => r#"{"Members":[]}"#.into_response(),
        _ => refuse(odd.demands),
    }
}

fn client(url: &str, password: &str) -> Client {
    Client::new(url, Login::new("admin", password), Trust::NoTls, Limits::default()).unwrap()
}

#[tokio::test]
async fn without_sessions_basic_is_used() {
    for (root, session) in [
        (Root::Neither, NO_SESSIONS),
        (Root::Sessions, NO_SESSIONS),
        (Root::Sessions, (StatusCode::METHOD_NOT_ALLOWED, "")),
        (Root::ServiceOnly, (StatusCode::NOT_IMPLEMENTED, "")),
        (Root::Shut("Basic realm=\"all of it\""), NO_SESSIONS),
        (Root::Shut("Digest qop=\"auth\", Basic realm=\"all of it\""), NO_SESSIONS),
    ] {
        let (odd, url) = Odd::new(root, session).start().await;
        let bmc = client(&url, "right");
        assert_eq!(bmc.slots().await, Ok(vec![]), "{root:?} {session:?}");
        assert_eq!(bmc.slots().await, Ok(vec![]));
        let named = usize::from(matches!(root, Root::Sessions | Root::ServiceOnly));
        assert_eq!(odd.counts(), (named, 2), "how it signs in is found out once: {root:?} {session:?}");
    }
}

#[tokio::test]
async fn with_sessions_no_request_carries_the_password() {
    let given = (StatusCode::CREATED, "{}");
    for root in [Root::Sessions, Root::ServiceOnly, Root::Shut(""), Root::Shut("Digest qop=\"auth\"")] {
        let (odd, url) = Odd::new(root, given).start().await;
        let bmc = client(&url, "right");
        assert_eq!(bmc.slots().await, Ok(vec![]), "{root:?}");
        assert_eq!(odd.counts(), (1, 0), "{root:?}");
    }
}

#[tokio::test]
async fn each_refusal_has_words_of_its_own_and_is_not_tried_again() {
    const ILO: &str = r#"{"error":{"@Message.ExtendedInfo":[{"MessageId":"Base.0.10.UnauthorizedLoginAttempt"}]}}"#;
    const LOCKED: &str = r#"{"error":{"message":"The account is locked."}}"#;
    for (session, code) in [
        ((StatusCode::UNAUTHORIZED, ""), "bmc_auth_refused"),
        ((StatusCode::BAD_REQUEST, ILO), "bmc_auth_refused"),
        ((StatusCode::BAD_REQUEST, ""), "bmc_failed"),
        ((StatusCode::FORBIDDEN, LOCKED), "bmc_forbidden"),
        ((StatusCode::TOO_MANY_REQUESTS, ""), "bmc_failed"),
    ] {
        let (odd, url) = Odd::new(Root::Sessions, session).start().await;
        let bmc = client(&url, "wrong");
        for _ in 0..3 {
            assert_eq!(bmc.slots().await.unwrap_err().reason().code(), code, "{session:?}");
        }
        assert_eq!(odd.counts(), (1, 0), "{session:?}");
    }
}

#[tokio::test]
async fn a_busy_bmc_and_a_full_one_refuse_nobody() {
    const FULL: &str = r#"{"error":{"@Message.ExtendedInfo":[{"MessageId":"Base.1.18.SessionLimitExceeded"}]}}"#;
    for (body, code) in [(FULL, "bmc_no_session"), ("", "bmc_failed")] {
        let (odd, url) = Odd::new(Root::Sessions, (StatusCode::SERVICE_UNAVAILABLE, body)).start().await;
        let bmc = client(&url, "right");
        for _ in 0..2 {
            assert_eq!(bmc.slots().await.unwrap_err().reason().code(), code);
        }
        assert_eq!(odd.counts(), (2, 0), "the password was not refused, so it may be tried again");
    }
}

#[tokio::test]
async fn a_wrong_password_by_basic_is_tried_once() {
    for demands in ["Basic realm=\"bmc\"", ""] {
        let (odd, url) = Odd { demands, ..Odd::new(Root::Neither, NO_SESSIONS) }.start().await;
        let bmc = client(&url, "wrong");
        for _ in 0..5 {
            assert_eq!(bmc.slots().await, Err(Error::AuthRefused));
        }
        assert_eq!(odd.counts(), (0, 1));
    }
}

#[tokio::test]
async fn a_scheme_that_is_not_spoken_is_no_wrong_password() {
    let digest = Odd { demands: "Digest qop=\"auth\"", honours: false, ..Odd::new(Root::Neither, NO_SESSIONS) };
    let (odd, url) = digest.start().await;
    let bmc = client(&url, "right");
    for _ in 0..3 {
        assert_eq!(bmc.slots().await, Err(Error::NoScheme));
    }
    assert_eq!(odd.counts(), (0, 1));
}

#[tokio::test]
async fn a_session_that_is_not_honoured_is_no_wrong_password() {
    let liar = Odd { honours: false, ..Odd::new(Root::Sessions, (StatusCode::CREATED, "{}")) };
    let (odd, url) = liar.start().await;
    let bmc = client(&url, "right");
    for _ in 0..3 {
        assert_eq!(bmc.slots().await, Err(Error::SessionRefused));
    }
    assert_eq!(odd.counts(), (2, 0), "it was opened anew once");
}

#[tokio::test]
async fn a_name_that_basic_cannot_carry_is_not_sent() {
    let (odd, url) = Odd::new(Root::Neither, NO_SESSIONS).start().await;
    let bmc = Client::new(&url, Login::new("ad:min", "right"), Trust::NoTls, Limits::default()).unwrap();
    assert_eq!(bmc.slots().await.unwrap_err().reason().code(), "bmc_unsupported");
    assert_eq!(odd.counts(), (0, 0));
}
