//! Gateways say which streams go on, and which have ended.

use axum::response::Response;
use base::fault::Outcome;
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use kernel::lang::Lang;
use kernel::rules::{Check, Violation, at_most};
use kernel::time::UtcTime;
use phones::connect::words;
use phones::stream::id::StreamId;
use phones::stream::{Ended, Order, Streams, Told, beat, end};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing};
use super::guard::Caller;

/// Streams of a call.
const MOST: usize = 500;
/// When gateways speak again, in seconds.
const PACE: i64 = 10;

/// Each is read as a whole or refused at its field, which `field` is within a row.
fn check_ids<'a>(check: &mut Check, count: usize, ids: impl Iterator<Item = &'a str>, field: &str) {
    check.field("streams", at_most(count, MOST));
    for (at, id) in ids.take(MOST).enumerate() {
        if id.parse::<StreamId>().is_err() {
            check.add(format!("streams[{at}]{field}"), Violation::wrong_type());
        }
    }
}

/// Streams that go on.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenHeartbeat {
    /// Their `streamId`, 500 at most: of more, send several calls.
    #[schema(max_items = 500)]
    pub streams: Vec<String>,
}

impl Validate for OpenHeartbeat {
    fn check(&self, check: &mut Check) {
        check_ids(check, self.streams.len(), self.streams.iter().map(String::as_str), "");
    }
}

kernel::named_enum! {
    /// What a gateway is to do with a stream.
    pub enum OpenOrderKind {
        /// Tell whoever uses the phone that it ends at `endsAt`.
        Warn = "warn" ("提醒", "Warn"),
        /// End it.
        End = "end" ("结束", "End"),
        /// End it, and have the client connect again.
        Reconnect = "reconnect" ("重新连接", "Reconnect"),
    }
}

/// What a gateway is to do with a stream.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenOrder {
    pub stream_id: String,
    pub order: OpenOrderKind,
    /// When it ends, of one that is only warned; null otherwise.
    pub ends_at: Option<UtcTime>,
    /// Why; null where it is only warned.
    pub code: Option<String>,
    /// The same for people.
    pub msg: Option<String>,
}

impl OpenOrder {
    fn of(told: Told, lang: Lang) -> Option<Self> {
        let plain = |order| Self { stream_id: told.stream.to_string(), order, ends_at: None, code: None, msg: None };
        let because =
            |order, code: &str| Self { code: Some(code.to_owned()), msg: Some(words(code, lang)), ..plain(order) };
        Some(match told.order {
            Order::GoesOn => return None,
            Order::Warn(at) => Self { ends_at: Some(at), ..plain(OpenOrderKind::Warn) },
            Order::End(code) => because(OpenOrderKind::End, code),
            Order::Reconnect(code) => because(OpenOrderKind::Reconnect, code),
        })
    }
}

/// What a gateway is told.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenOrders {
    /// Streams that something is to be done with; whatever is not named goes on.
    pub orders: Vec<OpenOrder>,
    /// In how many seconds to speak again.
    pub next_seconds: i64,
}

/// Tells which streams go on, every ten seconds, and answers what to do with some of them. It may be sent again: nothing is
/// written, and no `Idempotency-Key` is needed. A gateway that is silent ends nothing.
#[utoipa::path(post, path = "/open/v1/streams/heartbeats", tag = "gateway", request_body = OpenHeartbeat,
    responses((status = 200, body = Reply<OpenOrders>)))]
pub async fn open_stream_heartbeat(caller: Caller, Valid(heartbeat): Valid<OpenHeartbeat>) -> ApiResult<OpenOrders> {
    reply(orders(&caller, &heartbeat.streams).await?)
}

async fn orders(caller: &Caller, streams: &[String]) -> Outcome<OpenOrders> {
    // They were looked at.
    let streams: Vec<StreamId> = streams.iter().filter_map(|id| id.parse().ok()).collect();
    let told = beat(&caller.app, caller.whose(), &streams).await?;
    let orders = told.into_iter().filter_map(|told| OpenOrder::of(told, caller.lang)).collect();
    Ok(OpenOrders { orders, next_seconds: PACE })
}

/// Streams that have ended.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenStreamsEnded {
    /// 500 at most.
    #[schema(max_items = 500)]
    pub streams: Vec<OpenStreamEnded>,
}

/// A stream that has ended.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenStreamEnded {
    pub stream_id: String,
    /// When; now if it is left out. One before it began, or to come, counts as the nearest that can be.
    #[serde(default)]
    pub at: Option<UtcTime>,
}

impl Validate for OpenStreamsEnded {
    fn check(&self, check: &mut Check) {
        check_ids(check, self.streams.len(), self.streams.iter().map(|one| one.stream_id.as_str()), ".streamId");
    }
}

/// How many of them ended by that.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenStreamsEndedCount {
    /// The others had ended before, were taken over by somebody, or never were.
    pub ended: usize,
}

impl Act for OpenStreamsEnded {
    type Answer = OpenStreamsEndedCount;

    async fn run(self, doing: &mut Doing) -> Acted<OpenStreamsEndedCount> {
        let now = doing.now;
        let of = |one: OpenStreamEnded| {
            let stream = one.stream_id.parse().ok()?;
            Some(Ended { stream, at: one.at.unwrap_or(now) })
        };
        let streams: Vec<Ended> = self.streams.into_iter().filter_map(of).collect();
        let whose = doing.caller.whose();
        let phones = end(&doing.caller.app, &mut doing.tx, whose, &streams, now).await?;
        for phone in &phones {
            doing.caller.app.part::<Streams>().forget(*phone);
        }
        let ended = phones.len();
        doing.touched.extend(phones);
        Ok(OpenStreamsEndedCount { ended })
    }
}

/// Tells that streams have ended: nobody uses their phones any more. Those that were taken over stay as they are.
#[utoipa::path(post, path = "/open/v1/streams/ended", tag = "gateway", request_body = OpenStreamsEnded,
    responses((status = 200, body = Reply<OpenStreamsEndedCount>)))]
pub async fn open_stream_end(acting: Acting, Valid(ended): Valid<OpenStreamsEnded>) -> Response {
    acting.once(ended).await
}
