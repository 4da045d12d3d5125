//! The raw database: the same queries in a loop on one connection, no HTTP at all.

use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, Statement};

/// The median time of `sql` over `count` runs.
pub async fn median(db: &impl ConnectionTrait, count: usize, sql: &str) -> anyhow::Result<Duration> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let started = Instant::now();
        db.query_all_raw(statement.clone()).await?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
