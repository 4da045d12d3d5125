//! Current figures and the trends of the last days.
//!
//! Totals come from kept counters, days from index ranges: a million customers make no difference.

use std::collections::BTreeSet;

use base::access::session;
use base::day::last_days;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use db::sql;
use entity::operation::OperationState;
use entity::{OperatorId, RoomId, room};
use fleet::Fleet;
use fleet::{StatusCounts, count_all};
use kernel::rules::{Check, Violation};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait as _, QuerySelect as _, Value};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::integrity::{self, Integrity};

/// The requested number of days.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DashboardQuery {
    /// 1 to 30 days, including today; 7 if omitted.
    #[serde(default = "a_week", deserialize_with = "kernel::coded::number")]
    #[param(minimum = 1, maximum = 30)]
    pub days: i64,
}

const fn a_week() -> i64 {
    7
}

/// Current figures.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardCounts {
    pub client_users: u64,
    pub client_users_active: u64,
    pub client_users_disabled: u64,
    /// Operators with an active session.
    pub operators_online: i64,
    pub tasks_running: i64,
    pub logout_requests_open: i64,
}

/// Figures of today.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardToday {
    pub registrations: i64,
    pub sign_ins: i64,
}

/// Figures of one day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardDay {
    /// `YYYY-MM-DD` in the server's zone.
    pub day: String,
    pub registrations: i64,
    pub sign_ins: i64,
}

/// Figures of the fleet.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardFleet {
    pub rooms: i64,
    /// Of these, those with a connected agent.
    pub rooms_connected: i64,
    pub cards: StatusCounts,
    /// Operations that are not over.
    pub operations: i64,
    /// Unresolved differences between the records and the rooms.
    pub findings: i64,
}

async fn fleet(ctx: &OpCtx) -> Outcome<DashboardFleet> {
    let db = ctx.read();
    let rooms: Vec<RoomId> = room::Entity::find().select_only().column(room::Column::Id).into_tuple().all(db).await?;
    let connected = rooms.iter().filter(|id| ctx.app.part::<Fleet>().agents_in(**id) > 0).count();
    let open = "SELECT CAST(count(*) AS BIGINT) FROM operation WHERE state < $1";
    let findings = "SELECT CAST(count(*) AS BIGINT) FROM finding WHERE ignored_at IS NULL";
    Ok(DashboardFleet {
        rooms: i64::try_from(rooms.len()).unwrap_or(i64::MAX),
        rooms_connected: i64::try_from(connected).unwrap_or(i64::MAX),
        cards: count_all(db).await?,
        operations: one_count(db, open, vec![OperationState::Finished.code().into()]).await?,
        findings: one_count(db, findings, vec![]).await?,
    })
}

/// What the dashboard shows.
#[derive(Debug, Serialize, ToSchema)]
pub struct Dashboard {
    /// Current figures.
    pub counts: DashboardCounts,
    /// Figures of today.
    pub today: DashboardToday,
    /// Figures of the fleet, for those who may see it.
    pub fleet: Option<DashboardFleet>,
    /// Whether the data is intact; null until that was checked.
    pub integrity: Option<Integrity>,
    /// Figures of each day, oldest first; the last one is today.
    pub trend: Vec<DashboardDay>,
}

/// Collects the figures.
///
/// # Errors
/// When the number of days is out of range or a read fails.
pub async fn gather(ctx: &OpCtx, days: i64) -> Outcome<Dashboard> {
    let mut check = Check::new();
    if !(1..=30).contains(&days) {
        check.add("days", Violation::new("integer.range").with("min", 1).with("max", 30));
    }
    check.finish()?;
    let (db, now, zone) = (ctx.read(), ctx.now(), ctx.app.config.zone());
    let customers = customers::counts(db).await?;
    let days = last_days(now, zone, days.unsigned_abs());
    let bounds: Vec<UtcTime> = days.iter().map(|(_, begin)| *begin).collect();
    let registrations = per_day(db, "client_user WHERE registered_at", &bounds).await?;
    let sign_ins = per_day(db, "client_user_record WHERE kind = 2 AND at", &bounds).await?;
    let trend: Vec<DashboardDay> = days
        .iter()
        .zip(registrations.into_iter().zip(sign_ins))
        .map(|((day, _), (registrations, sign_ins))| DashboardDay { day: day.to_string(), registrations, sign_ins })
        .collect();
    let today = trend.last().map_or((0, 0), |day| (day.registrations, day.sign_ins));
    let sessions = session::live(&ctx.app, db, None).await?;
    let online: BTreeSet<OperatorId> = sessions.iter().map(|(session, _)| session.operator_id).collect();
    Ok(Dashboard {
        counts: DashboardCounts {
            client_users: customers.all,
            client_users_active: customers.active,
            client_users_disabled: customers.disabled,
            operators_online: i64::try_from(online.len()).unwrap_or(i64::MAX),
            tasks_running: one_count(db, "SELECT CAST(count(*) AS BIGINT) FROM task WHERE state = 2", vec![]).await?,
            logout_requests_open: one_count(
                db,
                "SELECT CAST(count(*) AS BIGINT) FROM logout_request WHERE status = 1",
                vec![],
            )
            .await?,
        },
        fleet: if ctx.may("device:list") { Some(fleet(ctx).await?) } else { None },
        integrity: integrity::latest(db, ctx.lang()).await?,
        today: DashboardToday { registrations: today.0, sign_ins: today.1 },
        trend,
    })
}

/// Rows per day, all days in one statement. `rows` ends in the column of their time.
async fn per_day(db: &impl ConnectionTrait, rows: &str, begins: &[UtcTime]) -> Result<Vec<i64>, DbErr> {
    let parts: Vec<String> = (0..begins.len())
        .map(|at| {
            // The last day has no end yet.
            let column = rows.rsplit(' ').next().unwrap_or_default();
            let end = if at + 1 < begins.len() { format!(" AND {column} < ${}", at + 2) } else { String::new() };
            format!("SELECT {at} AS d, CAST(count(*) AS BIGINT) AS n FROM {rows} >= ${}{end}", at + 1)
        })
        .collect();
    let values = begins.iter().map(|begin| Value::from(begin.millis()));
    let text = format!("{} ORDER BY d", parts.join(" UNION ALL "));
    let found = db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    found.iter().map(|row| row.try_get("", "n")).collect()
}

async fn one_count(db: &impl ConnectionTrait, text: &str, values: Vec<Value>) -> Result<i64, DbErr> {
    let row = db.query_one_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    row.map_or(Ok(0), |row| row.try_get_by_index(0))
}
