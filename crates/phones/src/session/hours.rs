//! What became of each pool (a room's cards of one board) hour by hour. It is added up once an hour is over, so that nobody reads
//! millions of stays to show two days; of the hours that are not added up yet, which are one or two, the stays are read.

use std::collections::BTreeMap;
use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use db::{WriteTx, sql};
use entity::RoomId;
use entity::phone::UseType;
use entity::phone_session::SessionEnd;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Value};

use crate::phone::counts::{Wanted, alike};

/// An hour, in milliseconds.
const HOUR: i64 = 3_600_000;
/// An hour is added up so long after its end, in milliseconds: whatever took its moment before that is committed by then.
const SETTLED: i64 = 300_000;
/// How often it is looked whether one is over.
pub const LOOK: Duration = Duration::from_mins(1);
/// Hours before now that are added up where they were not: as many as anybody is shown.
const LATELY: i64 = 48;
/// Of so many hours that are not added up, and not of more, the stays are read.
const BEHIND: i64 = 3;
/// For so many hours it is kept what became of pools.
const KEPT: i64 = 400 * 24;
/// Rows in one statement.
const ROWS: usize = 200;

/// A room, and a board.
type Pool = (RoomId, String);

/// The hour that a moment is in.
fn hour_of(at: UtcTime) -> UtcTime {
    UtcTime(at.millis().div_euclid(HOUR) * HOUR)
}

const fn hours_later(at: UtcTime, hours: i64) -> UtcTime {
    UtcTime(at.millis() + hours * HOUR)
}

/// A phone has come on a card.
#[derive(Clone, Debug, FromQueryResult)]
struct Came {
    room_id: RoomId,
    board: String,
    began_at: UtcTime,
    asked_at: Option<UtcTime>,
}

/// A phone has left its card.
#[derive(Clone, Debug, FromQueryResult)]
struct Went {
    room_id: RoomId,
    board: String,
    ended_at: UtcTime,
    why: SessionEnd,
}

/// What became of a pool in an hour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hour {
    arrivals: i64,
    waits: i64,
    wait_s: i64,
    longest_s: i64,
    /// For how long its cards held phones, together, in milliseconds.
    hold: i64,
    left: BTreeMap<SessionEnd, i64>,
}

impl Hour {
    /// One until `end` in which so many phones were on cards from the begin on.
    fn of(held: i64, begin: UtcTime, end: UtcTime) -> Self {
        Self { hold: held * (end.millis() - begin.millis()), ..Self::default() }
    }

    fn came(&mut self, one: &Came, end: UtcTime) {
        self.arrivals += 1;
        self.hold += end.millis() - one.began_at.millis();
        if let Some(asked) = one.asked_at {
            let wait = one.began_at.seconds_since(asked);
            self.waits += 1;
            self.wait_s += wait;
            self.longest_s = self.longest_s.max(wait);
        }
    }

    fn went(&mut self, one: &Went, end: UtcTime) {
        self.hold -= end.millis() - one.ended_at.millis();
        *self.left.entry(one.why).or_default() += 1;
    }
}

/// What became of the pools in each hour from `from` on, up to now, of which these phones came and went; `held` are those that are
/// on cards now.
fn add_up(
    from: UtcTime,
    now: UtcTime,
    mut held: BTreeMap<Pool, i64>,
    (came, went): (&[Came], &[Went]),
) -> BTreeMap<UtcTime, BTreeMap<Pool, Hour>> {
    // Those that were on cards at the begin: without those that came since, and with those that went.
    for one in came {
        *held.entry((one.room_id, one.board.clone())).or_default() -= 1;
    }
    for one in went {
        *held.entry((one.room_id, one.board.clone())).or_default() += 1;
    }
    let mut found = BTreeMap::new();
    let mut begin = from;
    while begin < now {
        let end = hours_later(begin, 1).min(now);
        let is_here = |at: UtcTime| begin <= at && at < end;
        let mut pools: BTreeMap<Pool, Hour> =
            held.iter().map(|(pool, phones)| (pool.clone(), Hour::of(*phones, begin, end))).collect();
        for one in came.iter().filter(|one| is_here(one.began_at)) {
            let pool = (one.room_id, one.board.clone());
            pools.entry(pool.clone()).or_default().came(one, end);
            *held.entry(pool).or_default() += 1;
        }
        for one in went.iter().filter(|one| is_here(one.ended_at)) {
            let pool = (one.room_id, one.board.clone());
            pools.entry(pool.clone()).or_default().went(one, end);
            *held.entry(pool).or_default() -= 1;
        }
        pools.retain(|_, hour| *hour != Hour::default());
        found.insert(begin, pools);
        begin = hours_later(begin, 1);
    }
    found
}

/// The same from the stays.
async fn read(
    db: &impl ConnectionTrait,
    from: UtcTime,
    now: UtcTime,
) -> Outcome<BTreeMap<UtcTime, BTreeMap<Pool, Hour>>> {
    let of = |text: &str| sql::statement(db.get_database_backend(), text, [from.millis().into()]);
    let came = "SELECT room_id, board, began_at, asked_at FROM phone_session WHERE began_at >= $1";
    let came = Came::find_by_statement(of(came)).all(db).await?;
    let went = "SELECT room_id, board, ended_at, why FROM phone_session WHERE ended_at >= $1";
    let went = Went::find_by_statement(of(went)).all(db).await?;
    let mut wanted = Wanted::default();
    wanted.use_type(UseType::On);
    let mut held: BTreeMap<Pool, i64> = BTreeMap::new();
    for some in alike(db, &wanted).await? {
        let pool = (some.room, some.plan.board().to_owned());
        *held.entry(pool).or_default() += i64::try_from(some.count).unwrap_or(i64::MAX);
    }
    Ok(add_up(from, now, held, (&came, &went)))
}

#[derive(Debug, FromQueryResult)]
struct Until {
    at: UtcTime,
}

/// Hours that began before then are added up; none if none ever was.
async fn added_up(db: &impl ConnectionTrait) -> Result<Option<UtcTime>, DbErr> {
    let text = "SELECT at FROM pool_hour_until";
    let found = Until::find_by_statement(sql::statement(db.get_database_backend(), text, [])).one(db).await?;
    Ok(found.map(|row| row.at))
}

/// The same, as far as it can be: a clock that was ahead has not seen what has come since.
async fn until(db: &impl ConnectionTrait, now: UtcTime) -> Result<Option<UtcTime>, DbErr> {
    Ok(added_up(db).await?.map(|at| at.min(hour_of(now))))
}

/// Adds up the hours that are over. There is never more to do at once.
///
/// # Errors
/// When the database refuses; the next look goes on.
pub async fn round(app: &App) -> Outcome<bool> {
    let now = app.clock.now();
    let over = hour_of(UtcTime(now.millis() - SETTLED));
    let earliest = hours_later(over, -LATELY);
    // What a clock has written that was ahead may be wrong.
    let known = added_up(app.db.read()).await?.filter(|at| *at <= hour_of(now));
    let from = known.map_or(earliest, |at| at.max(earliest));
    if from >= over {
        return Ok(false);
    }
    let mut hours = read(app.db.read(), from, now).await?;
    hours.retain(|at, _| *at < over);
    let mut tx = app.db.begin_write().await?;
    write(&mut tx, from, &hours).await?;
    for (text, value) in [
        ("DELETE FROM pool_hour WHERE at < $1", hours_later(over, -KEPT)),
        ("DELETE FROM pool_hour_left WHERE at < $1", hours_later(over, -KEPT)),
        ("INSERT INTO pool_hour_until (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at", over),
    ] {
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, [value.millis().into()])).await?;
    }
    tx.commit().await?;
    Ok(false)
}

/// Writes what became of pools from `from` on, in the place of whatever stands there.
async fn write(tx: &mut WriteTx, from: UtcTime, hours: &BTreeMap<UtcTime, BTreeMap<Pool, Hour>>) -> Result<(), DbErr> {
    for table in ["pool_hour", "pool_hour_left"] {
        let text = format!("DELETE FROM {table} WHERE at >= $1");
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, [from.millis().into()])).await?;
    }
    let (mut rows, mut left): (Vec<[Value; 8]>, Vec<[Value; 5]>) = (Vec::new(), Vec::new());
    for (at, pools) in hours {
        for ((room, board), hour) in pools {
            let key = || -> [Value; 3] { [at.millis().into(), room.0.into(), board.as_str().into()] };
            let [at, room, board] = key();
            rows.push([
                at,
                room,
                board,
                hour.arrivals.into(),
                hour.waits.into(),
                hour.wait_s.into(),
                hour.longest_s.into(),
                (hour.hold.max(0) / 1000).into(),
            ]);
            for (why, phones) in &hour.left {
                let [at, room, board] = key();
                left.push([at, room, board, why.code().into(), (*phones).into()]);
            }
        }
    }
    let columns = "pool_hour (at, room_id, board, arrivals, waits, wait_s, longest_s, hold_s)";
    insert(tx, columns, rows).await?;
    insert(tx, "pool_hour_left (at, room_id, board, why, phones)", left).await
}

async fn insert<const N: usize>(tx: &mut WriteTx, columns: &str, rows: Vec<[Value; N]>) -> Result<(), DbErr> {
    for some in rows.chunks(ROWS) {
        let text = format!("INSERT INTO {columns} VALUES {}", sql::value_groups(some.len(), N));
        let values = some.iter().flatten().cloned();
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// What became of all pools in an hour, or of one in what has passed of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromQueryResult)]
pub struct HourOfAll {
    pub at: UtcTime,
    pub arrivals: i64,
    pub waits: i64,
    pub wait_s: i64,
    pub longest_s: i64,
    pub hold_s: i64,
}

/// What became of all pools in each hour from `since` on up to now, the first one first; hours of which nothing is known are not
/// among them.
///
/// # Errors
/// When a read fails.
pub async fn course(db: &impl ConnectionTrait, since: UtcTime, now: UtcTime) -> Outcome<Vec<HourOfAll>> {
    let Some(until) = until(db, now).await? else { return Ok(Vec::new()) };
    let text = "SELECT at, CAST(SUM(arrivals) AS BIGINT) AS arrivals, CAST(SUM(waits) AS BIGINT) AS waits, \
                CAST(SUM(wait_s) AS BIGINT) AS wait_s, MAX(longest_s) AS longest_s, CAST(SUM(hold_s) AS BIGINT) AS hold_s \
                FROM pool_hour WHERE at >= $1 AND at < $2 GROUP BY at ORDER BY at";
    let values = [since.millis().into(), until.millis().into()];
    let mut found =
        HourOfAll::find_by_statement(sql::statement(db.get_database_backend(), text, values)).all(db).await?;
    if until < hours_later(hour_of(now), -BEHIND) {
        return Ok(found);
    }
    for (at, pools) in read(db, until, now).await? {
        let mut all = HourOfAll { at, arrivals: 0, waits: 0, wait_s: 0, longest_s: 0, hold_s: 0 };
        for hour in pools.values() {
            all.arrivals += hour.arrivals;
            all.waits += hour.waits;
            all.wait_s += hour.wait_s;
            all.longest_s = all.longest_s.max(hour.longest_s);
            all.hold_s += hour.hold.max(0) / 1000;
        }
        found.push(all);
    }
    Ok(found)
}

/// Phones that came on cards, and those that left them, by why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    pub came: i64,
    pub left: BTreeMap<SessionEnd, i64>,
}

#[derive(Debug, FromQueryResult)]
struct Count {
    n: i64,
}

#[derive(Debug, FromQueryResult)]
struct LeftBy {
    why: SessionEnd,
    n: i64,
}

impl Flow {
    /// Adds what these two statements count between two moments.
    async fn add(
        &mut self,
        db: &impl ConnectionTrait,
        (came, left): (&str, &str),
        (from, to): (UtcTime, UtcTime),
    ) -> Result<(), DbErr> {
        let of =
            |text: &str| sql::statement(db.get_database_backend(), text, [from.millis().into(), to.millis().into()]);
        self.came += Count::find_by_statement(of(came)).one(db).await?.map_or(0, |row| row.n);
        for row in LeftBy::find_by_statement(of(left)).all(db).await? {
            *self.left.entry(row.why).or_default() += row.n;
        }
        Ok(())
    }
}

/// How the stays say it, and the hours that are added up.
const OF_STAYS: (&str, &str) = (
    "SELECT CAST(COUNT(*) AS BIGINT) AS n FROM phone_session WHERE began_at >= $1 AND began_at < $2",
    "SELECT why, CAST(COUNT(*) AS BIGINT) AS n FROM phone_session WHERE ended_at >= $1 AND ended_at < $2 GROUP BY why",
);
const OF_HOURS: (&str, &str) = (
    "SELECT CAST(COALESCE(SUM(arrivals), 0) AS BIGINT) AS n FROM pool_hour WHERE at >= $1 AND at < $2",
    "SELECT why, CAST(SUM(phones) AS BIGINT) AS n FROM pool_hour_left WHERE at >= $1 AND at < $2 GROUP BY why",
);

/// Phones that came on cards and left them since a moment, which lies two days back at most: of whole hours as they are added up,
/// and of the rest of the first one and of the last ones from the stays.
///
/// # Errors
/// When a read fails.
pub async fn flow_since(db: &impl ConnectionTrait, since: UtcTime, now: UtcTime) -> Outcome<Flow> {
    let mut flow = Flow::default();
    let (first, ever) = (hours_later(hour_of(UtcTime(since.millis() - 1)), 1), UtcTime(i64::MAX));
    match until(db, now).await?.filter(|until| first < *until) {
        Some(until) => {
            flow.add(db, OF_STAYS, (since, first)).await?;
            flow.add(db, OF_HOURS, (first, until)).await?;
            flow.add(db, OF_STAYS, (until, ever)).await?;
        }
        None => flow.add(db, OF_STAYS, (since, ever)).await?,
    }
    Ok(flow)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use entity::RoomId;
    use entity::phone_session::SessionEnd;
    use kernel::time::UtcTime;

    use super::{Came, HOUR, Hour, Pool, Went, add_up};

    /// So many minutes after the first hour began.
    fn at(minute: i64) -> UtcTime {
        UtcTime(100 * HOUR + minute * 60_000)
    }

    fn pool(room: i64) -> Pool {
        (RoomId(room), "RK_3399".to_owned())
    }

    fn came(room: i64, began: i64, asked: Option<i64>) -> Came {
        let (room_id, board) = pool(room);
        Came { room_id, board, began_at: at(began), asked_at: asked.map(at) }
    }

    fn went(room: i64, ended: i64, why: SessionEnd) -> Went {
        let (room_id, board) = pool(room);
        Went { room_id, board, ended_at: at(ended), why }
    }

    const MINUTE: i64 = 60_000;

    #[test]
    fn an_hour_has_who_came_who_left_and_for_how_long_cards_were_held() {
        // Three are there now, as at first: one has left in the first hour, and of the two that came in the second one has left again.
        let held = BTreeMap::from([(pool(1), 3)]);
        let all_came = [came(1, 75, Some(65)), came(2, 10, None), came(1, 80, Some(79))];
        let all_went =
            [went(1, 30, SessionEnd::Idle), went(2, 20, SessionEnd::Needed), went(1, 85, SessionEnd::TakenOff)];
        let found = add_up(at(0), at(90), held, (&all_came, &all_went));
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [at(0), at(60)]);
        let one = |why| BTreeMap::from([(why, 1)]);
        let first = Hour { hold: (3 * 30 + 2 * 30) * MINUTE, left: one(SessionEnd::Idle), ..Hour::default() };
        assert_eq!(found[&at(0)][&pool(1)], first);
        let other = Hour { arrivals: 1, hold: 10 * MINUTE, left: one(SessionEnd::Needed), ..Hour::default() };
        assert_eq!(
            found[&at(0)][&pool(2)],
            other,
            "it came and left within the hour, and nobody is known to have waited"
        );
        let second = Hour {
            arrivals: 2,
            waits: 2,
            wait_s: 660,
            longest_s: 600,
            hold: (2 * 30 + 15 + 10 - 5) * MINUTE,
            left: one(SessionEnd::TakenOff),
        };
        assert_eq!(found[&at(60)][&pool(1)], second, "as far as it has passed");
        assert!(!found[&at(60)].contains_key(&pool(2)), "of a pool without phones there is nothing to say");
    }
}
