//! Increasing waits after failures, stored in the database so that they survive a restart. The only limiter for
//! everything that checks a secret: password, one-time code, captcha.
//!
//! Failures belong to the account, never to a session or a step of signing in (CVE-2026-76213). A device from which the
//! account has signed in before has its own count (`device`), so that outsiders who fail on purpose cannot lock the
//! owner out.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::net::IpAddr;

use base::fault::{Fault, Outcome};
use base::http::connections::network;
use entity::OperatorId;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr};
use tokio::sync::{Mutex, MutexGuard};

use super::device::DeviceId;

/// Failures of an account before it has to wait.
const ACCOUNT_FREE: i64 = 5;
/// Failures from an address before it has to wait.
const ADDRESS_FREE: i64 = 20;
/// Wrong one-time codes before an account has to wait, and before it has to wait long.
const CODES_FREE: i64 = 5;
const CODES_A_DAY: i64 = 20;
/// Failures from an address before a captcha is required.
const ADDRESS_TRUSTED: i64 = 10;
/// The longest wait after wrong passwords.
const MAX_WAIT_S: i64 = 900;
/// Failures of an account are forgotten after this long without a new one.
const FORGET_S: i64 = 24 * 3600;
/// Failures from an address are forgotten sooner: many people share one.
const FORGET_ADDRESS_S: i64 = 15 * 60;

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A username or a password.
    Password,
    /// A one-time code, or a recovery code.
    Code,
    /// What says nothing about an account: a captcha, an identity that is linked to nobody. It counts only for the
    /// address.
    Stranger,
}

/// For whom failures are counted.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The account or, from a device that it trusts, the device; or the account while it is signed in.
    lane: String,
    /// None if it is known not to be an outsider.
    address: Option<String>,
    /// Wrong one-time codes.
    codes: String,
}

/// The state of a subject.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    failures: i64,
    address_failures: i64,
    blocked_until: i64,
    codes_blocked_until: i64,
}

impl Subject {
    /// The named account, existing or not, and the address of the request.
    #[must_use]
    pub fn new(account: &str, ip: IpAddr) -> Self {
        let account: String = account.to_lowercase().chars().take(64).collect();
        Self {
            lane: format!("account:{account}"),
            address: Some(format!("address:{}", network(ip))),
            codes: format!("codes:{account}"),
        }
    }

    /// A device that the account trusts.
    #[must_use]
    pub fn device(id: DeviceId) -> Self {
        Self { lane: format!("device:{id}"), address: None, codes: format!("codes:device:{id}") }
    }

    /// A signed-in account that confirms its identity: outsiders must not keep its owner from that.
    #[must_use]
    pub fn signed_in(id: OperatorId) -> Self {
        Self { lane: format!("own:{id}"), address: None, codes: format!("codes:own:{id}") }
    }

    /// Whether this is a device that the account trusts.
    #[must_use]
    pub const fn is_trusted(&self) -> bool {
        self.address.is_none()
    }

    /// Reads the state.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn standing(&self, db: &impl ConnectionTrait, now: UtcTime) -> Result<Standing, DbErr> {
        let address = self.address.as_deref().unwrap_or_default();
        let rows = db
            .query_all_raw(db::sql::statement(
                db.get_database_backend(),
                "SELECT name, CAST(failures AS BIGINT) AS failures, blocked_until, updated_at FROM sign_in_throttle \
                 WHERE name IN ($1, $2, $3)",
                [self.lane.as_str().into(), self.codes.as_str().into(), address.into()],
            ))
            .await?;
        let mut standing = Standing::default();
        for row in rows {
            let name: String = row.try_get("", "name")?;
            let blocked_until: i64 = row.try_get("", "blocked_until")?;
            let age_s = now.seconds_since(UtcTime(row.try_get("", "updated_at")?));
            let failures: i64 = row.try_get("", "failures")?;
            if name == self.codes {
                standing.codes_blocked_until = blocked_until;
                continue;
            }
            standing.blocked_until = standing.blocked_until.max(blocked_until);
            if name == self.lane && age_s < FORGET_S {
                standing.failures = failures;
            } else if name == address && age_s < FORGET_ADDRESS_S {
                standing.address_failures = failures;
            }
        }
        Ok(standing)
    }

    /// Counts a failure.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn failed(&self, tx: &impl ConnectionTrait, what: Failure, now: UtcTime) -> Result<(), DbErr> {
        if what == Failure::Code {
            count(tx, &self.codes, FORGET_S, wait_for_code_s, now).await?;
        }
        if what != Failure::Stranger || self.address.is_none() {
            count(tx, &self.lane, FORGET_S, |failures| wait_s(failures, ACCOUNT_FREE), now).await?;
        }
        if let Some(address) = &self.address {
            count(tx, address, FORGET_ADDRESS_S, |failures| wait_s(failures, ADDRESS_FREE), now).await?;
        }
        // Made-up names leave rows behind; one failure in about two hundred removes them.
        if rand::random::<u8>() == 0 {
            let stale = now.plus_seconds(-FORGET_S).millis();
            tx.execute_raw(db::sql::statement(
                tx.get_database_backend(),
                "DELETE FROM sign_in_throttle WHERE updated_at < $1 AND blocked_until < $2",
                [stale.into(), now.millis().into()],
            ))
            .await?;
        }
        Ok(())
    }

    /// Forgets the account's failures after everything required was right. The address keeps its own: an attacker with
    /// one valid account must not clear them.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn succeeded(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        forget(tx, &[&self.lane, &self.codes]).await
    }

    /// Forgets the failures after a right password alone; wrong one-time codes stay counted.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn password_was_right(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        forget(tx, &[&self.lane]).await
    }
}

impl Standing {
    /// Refuses a subject that still has to wait.
    ///
    /// # Errors
    /// [`Fault::TooMany`] with the remaining seconds.
    pub fn admit(self, now: UtcTime) -> Outcome<()> {
        wait_until(self.blocked_until, now)
    }

    /// Refuses a one-time code while the wait for codes runs.
    ///
    /// # Errors
    /// [`Fault::TooMany`] with the remaining seconds.
    pub fn admit_code(self, now: UtcTime) -> Outcome<()> {
        wait_until(self.codes_blocked_until, now)
    }

    /// Whether a captcha is required before anything is checked: after this many failures of an account.
    #[must_use]
    pub const fn needs_captcha(self, after: i64) -> bool {
        self.failures >= after || self.address_failures > ADDRESS_TRUSTED
    }

    /// Whether there is anything to forget.
    #[must_use]
    pub const fn has_failures(self) -> bool {
        self.failures > 0
    }
}

fn wait_until(blocked_until: i64, now: UtcTime) -> Outcome<()> {
    let left_ms = blocked_until - now.millis();
    if left_ms > 0 {
        return Err(Fault::TooMany { retry_after_s: left_ms.unsigned_abs().div_ceil(1000) });
    }
    Ok(())
}

/// 2, 4, 8, ... seconds from the last free failure on.
fn wait_s(failures: i64, free: i64) -> i64 {
    match u32::try_from(failures - free) {
        Ok(over) => 2_i64.saturating_pow((over + 1).min(10)).min(MAX_WAIT_S),
        Err(_) => 0,
    }
}

/// Six digits are few: five attempts in a quarter of an hour, about two dozen a day.
const fn wait_for_code_s(failures: i64) -> i64 {
    match failures {
        ..CODES_FREE => 0,
        CODES_FREE..CODES_A_DAY => MAX_WAIT_S,
        _ => 4 * 3600,
    }
}

async fn count(
    tx: &impl ConnectionTrait,
    name: &str,
    forget_s: i64,
    wait_s: impl Fn(i64) -> i64,
    now: UtcTime,
) -> Result<(), DbErr> {
    let stale = now.plus_seconds(-forget_s).millis();
    let row = tx
        .query_one_raw(db::sql::statement(
            tx.get_database_backend(),
            "INSERT INTO sign_in_throttle (name, failures, blocked_until, updated_at) VALUES ($1, 1, 0, $2) \
             ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at, failures = \
             CASE WHEN sign_in_throttle.updated_at < $3 THEN 1 ELSE sign_in_throttle.failures + 1 END \
             RETURNING CAST(failures AS BIGINT) AS failures",
            [name.into(), now.millis().into(), stale.into()],
        ))
        .await?;
    let failures: i64 = row.map_or(Ok(1), |row| row.try_get("", "failures"))?;
    let wait_s = wait_s(failures);
    if wait_s > 0 {
        tx.execute_raw(db::sql::statement(
            tx.get_database_backend(),
            "UPDATE sign_in_throttle SET blocked_until = $2 WHERE name = $1",
            [name.into(), now.plus_seconds(wait_s).millis().into()],
        ))
        .await?;
    }
    Ok(())
}

async fn forget(tx: &impl ConnectionTrait, names: &[&str]) -> Result<(), DbErr> {
    for name in names {
        let sql = "DELETE FROM sign_in_throttle WHERE name = $1";
        tx.execute_raw(db::sql::statement(tx.get_database_backend(), sql, [(*name).into()])).await?;
    }
    Ok(())
}

/// Attempts of one subject are serialized, so that a burst of parallel guesses is counted guess by guess instead of
/// being admitted as a whole.
#[derive(Debug)]
pub struct Turns {
    stripes: Vec<Mutex<()>>,
    /// A random key per process: nobody can choose names that share a stripe with another account.
    hasher: RandomState,
}

impl Default for Turns {
    fn default() -> Self {
        Self { stripes: (0..128).map(|_| Mutex::new(())).collect(), hasher: RandomState::new() }
    }
}

impl Turns {
    /// Waits for the subject's turn, which lasts until the guard is dropped.
    pub async fn of(&self, subject: &Subject) -> MutexGuard<'_, ()> {
        let stripe = self.hasher.hash_one(&subject.lane) % self.stripes.len() as u64;
        self.stripes[usize::try_from(stripe).unwrap_or_default()].lock().await
    }
}

#[cfg(test)]
mod tests {
    use super::{wait_for_code_s, wait_s};

    #[test]
    fn waits_grow_up_to_a_quarter_of_an_hour() {
        let waits: Vec<_> = [1, 4, 5, 6, 7, 13, 14, 15, 1000].iter().map(|failures| wait_s(*failures, 5)).collect();
        assert_eq!(waits, [0, 0, 2, 4, 8, 512, 900, 900, 900]);
    }

    /// What a day of guessing without a pause allows (RELIABILITY, S4 and W-11).
    #[test]
    fn an_hour_allows_few_passwords_and_a_day_few_codes() {
        let tries = |seconds: i64, wait: &dyn Fn(i64) -> i64| {
            let (mut at, mut count) = (0, 0);
            while at < seconds {
                count += 1;
                at += wait(count);
            }
            count
        };
        let passwords = tries(3600, &|failures| wait_s(failures, 5));
        assert!(passwords <= 40, "{passwords}");
        let codes = tries(24 * 3600, &wait_for_code_s);
        assert!(codes <= 26, "{codes}");
    }
}
