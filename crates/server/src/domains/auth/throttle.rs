//! Growing waits after failures, per account and per address, kept in the database so that they
//! survive a restart. They belong to the account, never to a session (CVE-2026-76213).

use std::net::IpAddr;

use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr};

use crate::fault::{Fault, Outcome};

/// Failures of an account before it has to wait.
const ACCOUNT_FREE: i64 = 5;
/// Failures from an address before it has to wait.
const ADDRESS_FREE: i64 = 20;
/// The longest wait.
const MAX_WAIT_S: i64 = 900;
/// Failures are forgotten after this long without a new one.
const FORGET_S: i64 = 24 * 3600;

/// Who is being counted.
#[derive(Clone, Debug)]
pub struct Subject {
    account: String,
    address: String,
}

/// Where an account and an address stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Failures of the account since its last success.
    pub account_failures: i64,
    blocked_until: i64,
}

impl Subject {
    /// The account that was named, existing or not, and the address it came from.
    #[must_use]
    pub fn new(username: &str, ip: IpAddr) -> Self {
        let username: String = username.to_lowercase().chars().take(64).collect();
        Self { account: format!("account:{username}"), address: format!("address:{ip}") }
    }

    /// Reads the standing.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn standing(&self, db: &impl ConnectionTrait, now: UtcTime) -> Result<Standing, DbErr> {
        let rows = db
            .query_all_raw(db::sql::statement(
                db.get_database_backend(),
                "SELECT name, CAST(failures AS BIGINT) AS failures, blocked_until FROM sign_in_throttle \
                 WHERE name IN ($1, $2) AND updated_at > $3",
                [self.account.as_str().into(), self.address.as_str().into(), now.plus_seconds(-FORGET_S).millis().into()],
            ))
            .await?;
        let mut standing = Standing::default();
        for row in rows {
            if row.try_get::<String>("", "name")? == self.account {
                standing.account_failures = row.try_get("", "failures")?;
            }
            standing.blocked_until = standing.blocked_until.max(row.try_get("", "blocked_until")?);
        }
        Ok(standing)
    }

    /// Counts a failure.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn failed(&self, tx: &impl ConnectionTrait, now: UtcTime) -> Result<(), DbErr> {
        for (name, free) in [(&self.account, ACCOUNT_FREE), (&self.address, ADDRESS_FREE)] {
            let stale = now.plus_seconds(-FORGET_S).millis();
            let row = tx
                .query_one_raw(db::sql::statement(
                    tx.get_database_backend(),
                    "INSERT INTO sign_in_throttle (name, failures, blocked_until, updated_at) VALUES ($1, 1, 0, $2) \
                     ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at, failures = \
                     CASE WHEN sign_in_throttle.updated_at < $3 THEN 1 ELSE sign_in_throttle.failures + 1 END \
                     RETURNING CAST(failures AS BIGINT) AS failures",
                    [name.as_str().into(), now.millis().into(), stale.into()],
                ))
                .await?;
            let failures: i64 = row.map_or(Ok(1), |row| row.try_get("", "failures"))?;
            if failures >= free {
                let wait_s = 2_i64.saturating_pow(u32::try_from(failures - free + 1).unwrap_or(10).min(10)).min(MAX_WAIT_S);
                tx.execute_raw(db::sql::statement(
                    tx.get_database_backend(),
                    "UPDATE sign_in_throttle SET blocked_until = $2 WHERE name = $1",
                    [name.as_str().into(), now.plus_seconds(wait_s).millis().into()],
                ))
                .await?;
            }
        }
        Ok(())
    }

    /// Forgets the account's failures after a success. The address keeps its own: an attacker with one
    /// good account must not clear them.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn succeeded(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        tx.execute_raw(db::sql::statement(
            tx.get_database_backend(),
            "DELETE FROM sign_in_throttle WHERE name = $1",
            [self.account.as_str().into()],
        ))
        .await?;
        Ok(())
    }
}

impl Standing {
    /// Refuses whoever still has to wait.
    ///
    /// # Errors
    /// [`Fault::TooMany`] with the seconds that are left.
    pub fn admit(self, now: UtcTime) -> Outcome<()> {
        let left_ms = self.blocked_until - now.millis();
        if left_ms > 0 {
            return Err(Fault::TooMany { retry_after_s: (left_ms.unsigned_abs()).div_ceil(1000) });
        }
        Ok(())
    }
}
