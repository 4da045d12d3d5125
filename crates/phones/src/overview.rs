//! Cloud phones in figures, for the dashboard: how many are where, what waits and what has failed, and their course by the hour.
//!
//! Whoever has the dashboard open asks anew whenever something has changed. So each figure comes from kept counters, from what is
//! added up by the hour, or from an index that holds little more than what is counted.

use base::day;
use base::http::ops::OpCtx;
use base::http::{ApiResult, DomainRouter, Reply, reply};
use entity::phone::{Life, UseType};
use entity::phone_session::SessionEnd;
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use crate::phone::counts::Wanted;
use crate::phone::filter::PhoneFilter;
use crate::saga;
use crate::screens::perm;
use crate::session::{self, HourOfAll};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Phones that left their cards for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhonesLeft {
    pub why: SessionEnd,
    pub count: i64,
}

/// Cloud phones in figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneOverview {
    /// All but the erased ones.
    pub all: u64,
    /// On cards.
    pub on: u64,
    /// Active, and on no card.
    pub off: u64,
    /// Somebody uses them just now.
    pub used: u64,
    /// On cards, and without a verified copy.
    pub no_backup: u64,
    /// They wait for a card.
    pub queued: u64,
    /// For how many seconds those have waited by now: half of them for less than this.
    pub median_wait_s: Option<i64>,
    /// For how many seconds the one has waited that waits for longest.
    pub longest_wait_s: Option<i64>,
    /// Of which something waits for a person.
    pub held: u64,
    /// Active, and expiring within seven days.
    pub expires_soon: u64,
    /// 24 hours ago.
    pub day_ago: UtcTime,
    /// Phones that came on cards since then.
    pub put_on: i64,
    /// Phones that left their cards since then, for whatever reason.
    pub left: i64,
    /// Put-ons that have failed since then.
    pub put_on_failed: i64,
    /// Take-offs that have failed since then, those left aside whose phones somebody wanted back.
    pub take_off_failed: i64,
    /// The phones of these.
    pub failed: u64,
    /// When today began.
    pub today: UtcTime,
    /// Phones that rules have taken off since then.
    pub by_rule: i64,
    /// The same by why, the most frequent first.
    pub by_rules: Vec<PhonesLeft>,
}

/// Returns cloud phones in figures.
#[utoipa::path(get, path = "/api/phone/v1/phones/overview", tag = "phone",
    responses((status = 200, body = Reply<PhoneOverview>)))]
pub async fn phone_overview(ctx: OpCtx) -> ApiResult<PhoneOverview> {
    let (db, now) = (ctx.read(), ctx.now());
    let (day_ago, today) = (now.plus_seconds(-DAY), day::today(now, ctx.app.config.zone()));
    let (mut all, mut on, mut off) = (Wanted::default(), Wanted::default(), Wanted::default());
    all.life(None);
    on.life(None);
    on.use_type(UseType::On);
    off.life(Some(Life::Active));
    off.use_type(UseType::Off);
    let no_backup = PhoneFilter { no_backup: Some(true), ..PhoneFilter::default() };
    let held = PhoneFilter { held: Some(true), ..PhoneFilter::default() };
    let soon = PhoneFilter { expires_soon: Some(true), ..PhoneFilter::default() };
    let failed = PhoneFilter { failed: Some(true), ..PhoneFilter::default() };
    let queued = saga::queued(db).await?;
    let waits = saga::waits(db, queued, now).await?;
    let (put_on_failed, take_off_failed) = saga::failed_since(db, day_ago).await?;
    let lately = session::flow_since(db, day_ago, now).await?;
    let of_today = session::flow_since(db, today, now).await?;
    let rules = of_today.left.iter().filter(|(why, _)| why.is_by_rule());
    let mut by_rules: Vec<PhonesLeft> = rules.map(|(why, count)| PhonesLeft { why: *why, count: *count }).collect();
    by_rules.sort_by_key(|some| -some.count);
    reply(PhoneOverview {
        all: all.total(db).await?,
        on: on.total(db).await?,
        off: off.total(db).await?,
        used: session::streams(db).await?,
        no_backup: no_backup.at(now).total(ctx.db()).await?,
        queued,
        median_wait_s: waits.map(|waits| waits.median_s),
        longest_wait_s: waits.map(|waits| waits.longest_s),
        held: held.at(now).total(ctx.db()).await?,
        expires_soon: soon.at(now).total(ctx.db()).await?,
        day_ago,
        put_on: lately.came,
        left: lately.left.values().sum(),
        put_on_failed,
        take_off_failed,
        failed: failed.at(now).total(ctx.db()).await?,
        today,
        by_rule: by_rules.iter().map(|some| some.count).sum(),
        by_rules,
    })
}

/// What became of phones in an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneHour {
    /// When it began.
    pub at: UtcTime,
    /// Phones that came on cards.
    pub put_on: i64,
    /// For how many seconds somebody waited for one of these in the mean; none if it is known of none.
    pub wait_s: Option<i64>,
    /// For how many seconds at most.
    pub longest_wait_s: Option<i64>,
    /// Phones that were on cards in the mean, in what has passed of it.
    pub on: i64,
}

/// Hours that are told: the last day, with the one that goes on, and the day before.
const HOURS: i64 = 48;

/// An hour of which this is known, or nothing at all.
fn hour(at: UtcTime, found: Option<&HourOfAll>, now: UtcTime) -> PhoneHour {
    let Some(found) = found else { return PhoneHour { at, put_on: 0, wait_s: None, longest_wait_s: None, on: 0 } };
    let passed = now.seconds_since(at).clamp(1, HOUR);
    let has_waited = found.waits > 0;
    PhoneHour {
        at,
        put_on: found.arrivals,
        wait_s: has_waited.then(|| found.wait_s / found.waits),
        longest_wait_s: has_waited.then_some(found.longest_s),
        on: (found.hold_s + passed / 2) / passed,
    }
}

/// Returns what became of phones in each of the last 48 hours, the earliest first; the last one goes on.
#[utoipa::path(get, path = "/api/phone/v1/phones/hours", tag = "phone",
    responses((status = 200, body = Reply<Vec<PhoneHour>>)))]
pub async fn phone_hours(ctx: OpCtx) -> ApiResult<Vec<PhoneHour>> {
    let now = ctx.now();
    let last = UtcTime(now.millis().div_euclid(HOUR * 1000) * HOUR * 1000);
    let found = session::course(ctx.read(), last.plus_seconds(-(HOURS - 1) * HOUR), now).await?;
    let hours = (0..HOURS).rev().map(|back| {
        let at = last.plus_seconds(-back * HOUR);
        hour(at, found.iter().find(|hour| hour.at == at), now)
    });
    reply(hours.collect())
}

/// The access table of the figures.
pub fn router() -> DomainRouter {
    DomainRouter::new().view(perm::PHONE_LIST, routes!(phone_overview)).view(perm::PHONE_LIST, routes!(phone_hours))
}
