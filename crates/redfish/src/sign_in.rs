//! Authentication: with a session if the BMC supports them, otherwise with HTTP Basic (DSP0266, 13.3).
//!
//! The service root, which is public, shows which. One request contains the password for each attempt, so that a wrong
//! one counts once towards the BMC's lockout.

use std::fmt;
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::answer::{Answer, link, local_path};
use crate::client::{Client, ROOT};
use crate::error::Error;

const SESSIONS: &str = "/redfish/v1/SessionService/Sessions";
/// After a refused password nothing is tried for this long: BMCs lock accounts.
const COOL_DOWN: Duration = Duration::from_mins(1);

/// Username and password. Printed as the username only.
#[derive(Clone)]
pub struct Login {
    name: String,
    password: Zeroizing<String>,
}

impl Login {
    /// A username and its password.
    #[must_use]
    pub fn new(name: &str, password: &str) -> Self {
        Self { name: name.to_owned(), password: Zeroizing::new(password.to_owned()) }
    }

    pub(crate) fn none() -> Self {
        Self::new("", "")
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({})", self.name)
    }
}

/// The state of the authentication at the BMC.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) session: Session,
    refused: Option<(Instant, Error)>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State(***)")
    }
}

impl State {
    /// Remembers a refusal: it is repeated for a minute without asking the BMC.
    pub(crate) fn refuse(&mut self, error: Error) -> Error {
        self.refused = Some((Instant::now(), error.clone()));
        error
    }

    fn opened(&mut self, mut answer: Answer) -> Result<Zeroizing<String>, Error> {
        let (token, location) = (answer.token.take(), answer.location.take());
        let body = answer.judge()?;
        let token = token.ok_or_else(|| Error::protocol("a session without a token"))?;
        let named = body.get("@odata.id").and_then(Value::as_str).map(str::to_owned);
        let path = location.or(named).and_then(|place| local_path(&place));
        self.session = Session::Open { token: token.clone(), path };
        Ok(token)
    }

    fn standing_refusal(&self) -> Result<(), Error> {
        match &self.refused {
            Some((at, error)) if at.elapsed() < COOL_DOWN => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Default)]
pub(crate) enum Session {
    #[default]
    None,
    Open {
        token: Zeroizing<String>,
        path: Option<String>,
    },
    /// The BMC has no sessions: each request contains username and password.
    Basic,
}

/// The authentication of a request.
pub(crate) enum Proof {
    Nothing,
    Token(Zeroizing<String>),
    Basic,
}

impl Client {
    /// The authentication for the next request: the open session's, or a new one's.
    pub(crate) async fn proof(&self, state: &mut State) -> Result<Proof, Error> {
        if let Session::Open { token, .. } = &state.session {
            return Ok(Proof::Token(token.clone()));
        }
        state.standing_refusal()?;
        if matches!(state.session, Session::Basic) {
            return Ok(Proof::Basic);
        }
        let token = match self.sessions_at().await? {
            Some(path) => self.open(state, &path).await?,
            None => None,
        };
        match token {
            Some(token) => Ok(Proof::Token(token)),
            None if self.login.name.contains(':') => {
                Err(Error::Unsupported { what: "a name with a colon, without sessions".to_owned() })
            }
            None => {
                state.session = Session::Basic;
                Ok(Proof::Basic)
            }
        }
    }

    /// Where sessions are created; none if the BMC has no sessions.
    async fn sessions_at(&self) -> Result<Option<String>, Error> {
        let answer = self.send(Method::GET, ROOT, None, &Proof::Nothing).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            // Contrary to the standard its root is not public. The scheme that it requires here is accepted everywhere.
            return Ok((!answer.demands_basic()).then(|| SESSIONS.to_owned()));
        }
        let root = answer.judge()?;
        let named = root.pointer("/Links/Sessions").and_then(link);
        Ok(named.or_else(|| root.get("SessionService").map(|_| SESSIONS.to_owned())))
    }

    /// Opens a session; none if the BMC lists a session service and has none.
    async fn open(&self, state: &mut State, sessions: &str) -> Result<Option<Zeroizing<String>>, Error> {
        let body = json!({ "UserName": self.login.name, "Password": self.login.password.as_str() });
        let answer = self.send(Method::POST, sessions, Some(&body), &Proof::Nothing).await?;
        match answer.status {
            StatusCode::UNAUTHORIZED => Err(state.refuse(Error::AuthRefused)),
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => Ok(None),
            // iLO's way of answering 401.
            StatusCode::BAD_REQUEST if answer.names("UnauthorizedLoginAttempt") => {
                Err(state.refuse(Error::AuthRefused))
            }
            StatusCode::SERVICE_UNAVAILABLE if answer.lacks_sessions() => Err(Error::NoSession),
            status if status.is_client_error() => {
                // Whatever the reason, it may have counted the attempt.
                let Err(error) = answer.judge() else { return Ok(None) };
                Err(state.refuse(error))
            }
            _ => state.opened(answer).map(Some),
        }
    }

    /// Adds the authentication to a request.
    pub(crate) fn prove(&self, request: RequestBuilder, proof: &Proof) -> RequestBuilder {
        match proof {
            Proof::Nothing => request,
            Proof::Token(token) => request.header("X-Auth-Token", token.as_str()),
            Proof::Basic => request.basic_auth(&self.login.name, Some(self.login.password.as_str())),
        }
    }
}
