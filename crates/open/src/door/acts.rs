//! Calls that change something: each is done once, however often it is sent.
//!
//! What is answered is written in the transaction of what is done, so that nothing can come between them. Writers come one
//! after the other (`db::lane`): of two who send the same at a time, the second finds what the first was answered.

use axum::body::{Body, to_bytes};
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse as _, Response};
use base::fault::Fault;
use base::http::Reply;
use base::http::ops::Audit;
use db::journal::Entry;
use db::{WriteTx, sql};
use entity::{OpenAppId, OpenKeyId, PhoneId};
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use kernel::rules::Violation;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use phones::connect::tell;
use phones::own;
use sea_orm::{ConnectionTrait as _, DbErr};
use serde::Serialize;
use vault::Secret;

use super::guard::{Caller, Signed};
use super::refusal::{Coded, Reason, Refusal, with_code};

/// How long an answer is given again, in seconds.
pub const KEPT: i64 = 48 * 3600;
/// Characters of a key.
const KEY: usize = 64;
/// Bytes of an answer.
const ANSWER: usize = 1024 * 1024;
/// What a sealed answer begins with: no other does.
const SEALED: &str = "sealed:";
/// What such answers are, for the vault.
const PURPOSE: &str = "open.act";

const KEY_REUSED: Text = text(
    "该 Idempotency-Key 已用于另一个请求，请换一个",
    "This Idempotency-Key was used for another request; take a new one",
);

/// What an act comes to, or why it is refused; then nothing of it is done.
pub type Acted<T> = Result<T, Refusal>;

/// What a call changes. It is given a transaction, and neither commits nor answers.
pub trait Act: Send {
    /// `data` of the answer.
    type Answer: Serialize + Send;
    /// For how many seconds it is answered again as it was.
    const KEPT: i64 = KEPT;
    /// Something in the answer lets somebody in: it is sealed where it is kept to be given again.
    const IS_SECRET: bool = false;

    /// Does it.
    fn run(self, doing: &mut Doing) -> impl Future<Output = Acted<Self::Answer>> + Send;
}

/// An act that is being done.
#[derive(Debug)]
pub struct Doing {
    pub caller: Caller,
    pub tx: WriteTx,
    pub now: UtcTime,
    /// Phones of which open pages of the console hear once it is done.
    pub touched: Vec<PhoneId>,
    /// What was begun with phones, of which agents hear then.
    pub begun: Vec<own::Begun>,
}

impl Doing {
    /// Who did it, for people: no operator is called so.
    pub fn who(&self) -> String {
        format!("Open API · {}", self.caller.known.name)
    }

    /// Tells the operation log, where the application is who did it, by which of its keys: it is in its history as well.
    pub fn log(&mut self, audit: Audit) {
        let Caller { known, meta, action, .. } = &self.caller;
        let audit = audit.with("openApp", [known.app.0]).note(known.key.clone());
        let entry = Entry {
            at: self.now,
            operator_name: self.who(),
            ip: meta.ip.to_string(),
            action: (*action).to_owned(),
            request_id: meta.request_id.to_string(),
            ..Entry::default()
        };
        self.tx.record(audit.fill(entry));
    }
}

/// A call that changes something, with what it takes to do that once.
#[derive(Clone, Debug)]
pub struct Acting {
    caller: Caller,
    signed: Signed,
}

impl<S: Sync> FromRequestParts<S> for Acting {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let missing = || Fault::Internal(anyhow::anyhow!("a handler that changes something asks for it with GET"));
        let signed = parts.extensions.get::<Signed>().cloned().ok_or_else(missing)?;
        let key = &signed.idempotency_key;
        let wrong = if key.is_empty() {
            Some(Violation::new("required"))
        } else if key.len() > KEY {
            Some(Violation::new("text.tooLong").with("max", KEY).with("count", key.len()))
        } else if key.bytes().all(|byte| byte.is_ascii_graphic()) {
            None
        } else {
            Some(Violation::new("text.control"))
        };
        match wrong {
            Some(violation) => Err(Fault::field("Idempotency-Key", violation)),
            None => Ok(Self { caller, signed }),
        }
    }
}

/// Whether there is anything to do.
enum Begun {
    Now(WriteTx),
    /// It was done, or refused, before.
    Again(Told),
}

impl Acting {
    /// Does it, unless it was done or refused before: then it is answered as it was then.
    pub async fn once<A: Act>(self, act: A) -> Response {
        match self.answered(act).await {
            Ok(response) => response,
            Err(refusal) => refusal.answer(&self.caller.meta),
        }
    }

    async fn answered<A: Act>(&self, act: A) -> Acted<Response> {
        let tx = match self.begin(A::KEPT).await? {
            Begun::Now(tx) => tx,
            Begun::Again(told) => return Ok(told.response()),
        };
        let (caller, now) = (self.caller.clone(), self.caller.app.clock.now());
        let mut doing = Doing { caller, tx, now, touched: Vec::new(), begun: Vec::new() };
        let refusal = match act.run(&mut doing).await {
            Ok(answer) => {
                let told = Told::of(answer)?;
                let response = self.end(doing.tx, told, A::IS_SECRET).await?;
                for phone in doing.touched {
                    tell(&self.caller.app, phone);
                }
                for begun in doing.begun {
                    begun.tell(&self.caller.app);
                }
                return Ok(response);
            }
            Err(refusal) => refusal,
        };
        // What it has written is taken back.
        drop(doing);
        let meta = &self.caller.meta;
        let response = with_code(refusal.answer(meta), meta).await;
        if ![StatusCode::NOT_FOUND, StatusCode::CONFLICT].contains(&response.status()) {
            // Nothing was decided: whoever sends it again has it tried again.
            return Ok(response);
        }
        let told = Told::read(response).await?;
        match self.begin(A::KEPT).await? {
            Begun::Now(tx) => self.end(tx, told, false).await,
            // Somebody has sent the same meanwhile.
            Begun::Again(told) => Ok(told.response()),
        }
    }

    /// Opens the transaction of an act, and uses its nonce up.
    async fn begin(&self, kept: i64) -> Acted<Begun> {
        let (app, known) = (&self.caller.app, &self.caller.known);
        let tx = app.db.begin_write().await?;
        // It may have waited for its turn: the key lives, and the application is on.
        match still(&tx, known.key_id).await? {
            None => return Err(Refusal::Unsigned(Reason::UnknownKey)),
            Some(false) => return Err(Refusal::AppOff),
            Some(true) => {}
        }
        if !spend(&tx, known.key_id, &self.signed).await? {
            return Err(Refusal::Unsigned(Reason::Nonce));
        }
        let Some(earlier) = find(&tx, known.app, &self.signed.idempotency_key).await? else {
            return Ok(Begun::Now(tx));
        };
        if earlier.at <= app.clock.now().plus_seconds(-kept) {
            forget(&tx, known.app, &self.signed.idempotency_key).await?;
            return Ok(Begun::Now(tx));
        }
        let is_same = earlier.asked == self.signed.asked;
        let Told { status, code, answer } = earlier.told;
        let answer = match answer.strip_prefix(SEALED).filter(|_| is_same) {
            None => answer,
            Some(sealed) => match self.unsealed(sealed) {
                Ok(answer) => answer,
                // The master key was replaced since: by what it says nobody is let in any more, and it is done anew.
                Err(why) => {
                    tracing::warn!(?why, act = self.caller.action, "an answer that is kept cannot be read");
                    forget(&tx, known.app, &self.signed.idempotency_key).await?;
                    return Ok(Begun::Now(tx));
                }
            },
        };
        // Who did it may wait for the disk still; once this is on it, so is that.
        tx.commit().await?;
        if !is_same {
            return Err(Refusal::Conflict("key_reused", KEY_REUSED));
        }
        Ok(Begun::Again(Told { status, code, answer }))
    }

    /// Where an answer is kept, for the vault.
    fn place(&self) -> String {
        format!("{}.{}", self.caller.known.app, self.signed.idempotency_key)
    }

    fn sealed(&self, answer: &str) -> String {
        let sealed = self.caller.app.vault.seal(PURPOSE, &self.place(), &Secret::from(answer.to_owned()));
        format!("{SEALED}{}", hex::encode(sealed))
    }

    fn unsealed(&self, sealed: &str) -> Result<String, Fault> {
        let sealed = hex::decode(sealed).map_err(Fault::internal)?;
        let answer = self.caller.app.vault.unseal(PURPOSE, &self.place(), &sealed).map_err(Fault::internal)?;
        Ok(answer.expose_text().unwrap_or_default().to_owned())
    }

    /// Writes what is answered beside what was done, sealed if it is a secret.
    async fn end(&self, tx: WriteTx, told: Told, is_secret: bool) -> Acted<Response> {
        let kept = if is_secret { self.sealed(&told.answer) } else { told.answer.clone() };
        let text = "INSERT INTO open_act (app_id, act_key, asked, status, code, answer, at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let values = [
            self.caller.known.app.0.into(),
            self.signed.idempotency_key.as_str().into(),
            self.signed.asked.as_str().into(),
            told.status.into(),
            told.code.as_str().into(),
            kept.as_str().into(),
            self.caller.app.clock.now().millis().into(),
        ];
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        tx.commit().await?;
        Ok(told.response())
    }
}

/// An answer, as it is given again.
#[derive(Debug)]
struct Told {
    /// Of HTTP.
    status: i16,
    /// Why it was refused; empty if it was not.
    code: String,
    /// The body.
    answer: String,
}

impl Told {
    fn of(data: impl Serialize) -> Acted<Self> {
        let reply = Reply { status: 0, msg: "", data, success: true };
        let answer = serde_json::to_string(&reply).map_err(Fault::internal)?;
        Ok(Self { status: 200, code: String::new(), answer })
    }

    async fn read(response: Response) -> Acted<Self> {
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, ANSWER).await.map_err(Fault::internal)?;
        Ok(Self {
            status: i16::try_from(parts.status.as_u16()).map_err(Fault::internal)?,
            code: parts.extensions.get::<Coded>().map(|coded| coded.0.to_string()).unwrap_or_default(),
            answer: String::from_utf8(bytes.to_vec()).map_err(Fault::internal)?,
        })
    }

    fn response(self) -> Response {
        let Self { status, code, answer } = self;
        let known = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
        let status = known.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let json = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let mut response = (status, json, Body::from(answer)).into_response();
        if !code.is_empty() {
            response.extensions_mut().insert(Coded(code.into()));
        }
        response
    }
}

/// What was answered earlier to the same key.
struct Earlier {
    asked: String,
    at: UtcTime,
    told: Told,
}

/// Whether the application of a key is on; none if the key does not live any more.
async fn still(tx: &WriteTx, key: OpenKeyId) -> Result<Option<bool>, DbErr> {
    let text = "SELECT a.is_enabled FROM open_key k JOIN open_app a ON a.id = k.app_id \
                WHERE k.id = $1 AND k.revoked_at IS NULL";
    let row = tx.query_one_raw(sql::statement(tx.get_database_backend(), text, [key.0.into()])).await?;
    row.map(|row| row.try_get("", "is_enabled")).transpose()
}

/// Remembers the nonce of a call. False if it was there before.
///
/// # Errors
/// When the write fails.
pub async fn spend(tx: &WriteTx, key: OpenKeyId, signed: &Signed) -> Result<bool, DbErr> {
    let text =
        "INSERT INTO open_nonce (key_id, nonce, ends_at) VALUES ($1, $2, $3) ON CONFLICT (key_id, nonce) DO NOTHING";
    let values = [key.0.into(), signed.nonce.as_str().into(), signed.ends_at.millis().into()];
    let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(done.rows_affected() == 1)
}

async fn find(tx: &WriteTx, app: OpenAppId, key: &str) -> Result<Option<Earlier>, DbErr> {
    let text = "SELECT asked, status, code, answer, at FROM open_act WHERE app_id = $1 AND act_key = $2";
    let statement = sql::statement(tx.get_database_backend(), text, [app.0.into(), key.into()]);
    let Some(row) = tx.query_one_raw(statement).await? else { return Ok(None) };
    let told =
        Told { status: row.try_get("", "status")?, code: row.try_get("", "code")?, answer: row.try_get("", "answer")? };
    Ok(Some(Earlier { asked: row.try_get("", "asked")?, at: row.try_get("", "at")?, told }))
}

async fn forget(tx: &WriteTx, app: OpenAppId, key: &str) -> Result<(), DbErr> {
    let text = "DELETE FROM open_act WHERE app_id = $1 AND act_key = $2";
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, [app.0.into(), key.into()])).await?;
    Ok(())
}
