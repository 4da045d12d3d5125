//! A database of many phones. The demo company's own come through the product; the others are written by SQL, with every
//! row, document and counter that the product would have written with them.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use db::kept::Packed;
use db::{Db, search, sql};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::plan;

/// Phones and stays written in one transaction.
const PHONES: usize = 50_000;
const SESSIONS: usize = 250_000;
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// For how long there have been stays.
const PAST: i64 = 120 * DAY;
/// Of ten phones three have a name.
const NAMES: [&str; 3] = ["主力机", "挂机", "小号"];
/// Where phone number `i` is in its life: 78 of 100 are active, 8 have expired, 3 are frozen, 5 released, 6 erased.
const LIFE: &str = "CASE WHEN i % 100 < 78 THEN 2 WHEN i % 100 < 86 THEN 4 WHEN i % 100 < 89 THEN 3 \
    WHEN i % 100 < 94 THEN 5 ELSE 6 END";
/// Seven of eight were used; of those all but the erased ones live by a copy.
const USED: &str = "i % 8 <> 0";
/// Of those that were used one of some forty is of an image that the others have left, with the copy that it lives by.
const IMAGE: &str = "CASE WHEN i % 50 = 1 THEN 'A10-3.6.1' ELSE 'A11-3.8.2' END";
/// Whatever runs on the card is of its board.
const PLAN: &str = "CASE card_model.board WHEN 'RK_3399' THEN 2 WHEN 'MTK_G90' THEN 3 ELSE 4 END";

/// How much is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub phones: u64,
    pub sessions: u64,
}

impl Size {
    /// Ten phones for one card. The demo company has a phone on each of its cards that is in use: about six of ten.
    fn cards(self) -> u64 {
        (self.phones / 10).max(480)
    }

    /// Four phones for one customer.
    fn users(self) -> u64 {
        (self.phones / 4).max(3_000)
    }
}

/// Fills an empty database.
pub async fn fill(binary: &Path, data: &Path, url: &str, size: Size) -> anyhow::Result<()> {
    let (users, cards) = (size.users().to_string(), size.cards().to_string());
    plan::seed(binary, data, url, &["--client-users", &users, "--cards", &cards])?;
    let started = Instant::now();
    let db = db::connect(&db::Settings { url: url.to_owned(), readers: 1 }).await?;
    let there = There::look(&db, size).await?;
    for first in (0..there.phones).step_by(PHONES) {
        let last = there.phones.min(first + i64::try_from(PHONES)?) - 1;
        write(&db, &there.phones_of(first, last)).await?;
    }
    for first in (0..there.sessions).step_by(SESSIONS) {
        let last = there.sessions.min(first + i64::try_from(SESSIONS)?) - 1;
        write(&db, &[there.sessions_of(first, last)]).await?;
    }
    write(&db, &there.saved()).await?;
    write(&db, &there.counters()).await?;
    db.close().await?;
    if there.engine == DbBackend::Postgres {
        // Its autovacuum would do so by and by, and then in the middle of what is measured.
        let db = sea_orm::Database::connect(url).await?;
        db.execute_unprepared("VACUUM (ANALYZE)").await?;
        db.close().await?;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("filled {} phones and {} stays in {seconds:.1} s", there.phones, there.sessions);
    Ok(())
}

/// Runs statements in one transaction.
async fn write(db: &Db, statements: &[String]) -> anyhow::Result<()> {
    let tx = db.begin_write().await?;
    // A phone names its copy, and the copy its phone.
    sql::defer_references(&*tx).await?;
    for text in statements {
        tx.execute_unprepared(text).await.with_context(|| text.chars().take(200).collect::<String>())?;
    }
    Ok(tx.commit().await?)
}

/// The one number that a query answers.
pub async fn number(db: &impl ConnectionTrait, text: &str) -> anyhow::Result<i64> {
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), text)).await?;
    Ok(row.with_context(|| format!("no row: {text}"))?.try_get_by_index(0)?)
}

/// The first id of a table and how many there are, without gaps.
async fn span(db: &impl ConnectionTrait, table: &str) -> anyhow::Result<(i64, i64)> {
    let first = number(db, &format!("SELECT COALESCE(MIN(id), 0) FROM {table}")).await?;
    let last = number(db, &format!("SELECT COALESCE(MAX(id), 0) FROM {table}")).await?;
    let count = number(db, &format!("SELECT COUNT(*) FROM {table}")).await?;
    ensure!(count > 0 && last - first + 1 == count, "ids of {table}: {first} to {last}, and {count} rows");
    Ok((first, count))
}

/// A table of the numbers from `first` to `last`.
fn numbers(first: i64, last: i64) -> String {
    // PostgreSQL takes a bare number for one of 32 bits.
    format!("WITH RECURSIVE n(i) AS (SELECT CAST({first} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < {last})")
}

/// What is still to be written, the first free ids, and what the new rows refer to.
#[derive(Debug)]
struct There {
    engine: DbBackend,
    now: i64,
    phones: i64,
    sessions: i64,
    /// The id of phone number 0. Those of its stay, repository and copy are as many after the first ones of theirs.
    phone: i64,
    stay: i64,
    repo: i64,
    copy: i64,
    session: i64,
    users: (i64, i64),
    cards: (i64, i64),
    node: i64,
    app: i64,
}

impl There {
    async fn look(db: &Db, size: Size) -> anyhow::Result<Self> {
        let now = UtcTime::now().millis();
        let node = format!(
            "INSERT INTO store_node (name, city, driver, host, account, secret, place, is_tls, pin, capacity_bytes, used_bytes, \
             partitions, has_snapshots, strategy, cycle_days, state, trouble, created_at, updated_at) \
             VALUES ('bench', '杭州', 1, '', '', '', 'copies', FALSE, '', 1099511627776000, 0, 4, FALSE, 1, 1, 4, '', {now}, {now})"
        );
        write(db, &[node]).await?;
        let read = db.read();
        let next = async |table: &str| number(read, &format!("SELECT COALESCE(MAX(id), 0) + 1 FROM {table}")).await;
        let count = async |table: &str| number(read, &format!("SELECT COUNT(*) FROM {table}")).await;
        let phones = i64::try_from(size.phones)? - count("phone").await?;
        ensure!(phones >= 8, "the demo company has as many phones already");
        Ok(Self {
            engine: db.backend(),
            now,
            phones,
            sessions: (i64::try_from(size.sessions)? - count("phone_session").await?).max(0),
            phone: next("phone").await?,
            stay: next("placement").await?,
            repo: next("repo").await?,
            copy: next("backup").await?,
            session: next("phone_session").await?,
            users: span(read, "client_user").await?,
            cards: span(read, "card").await?,
            node: number(read, "SELECT id FROM store_node WHERE name = 'bench'").await?,
            app: number(read, "SELECT MIN(id) FROM open_app").await?,
        })
    }

    /// When the first stay began.
    const fn begin(&self) -> i64 {
        self.now - PAST - DAY
    }

    /// The card that phone number `number` was on last: no phone's neighbour is its neighbour there.
    fn card(&self, number: &str) -> String {
        let (first, count) = self.cards;
        format!("{first} + ({number} * 31) % {count}")
    }

    /// Phones with their documents, and what those that were used have left: a stay, a repository, and the copy that each
    /// lives by.
    fn phones_of(&self, first: i64, last: i64) -> Vec<String> {
        let Self { engine, now, phone, stay, repo, copy, users: (user, users), node, .. } = *self;
        let (some, card, begin) = (numbers(first, last), self.card("i"), self.begin());
        // Multiplied here: PostgreSQL would do it in 32 bits.
        let (quarter, year) = (90 * DAY, 365 * DAY);
        let lives = format!("{some}, m AS (SELECT i, {LIFE} AS life FROM n)");
        let named: String = (0..).zip(NAMES).map(|(at, name)| format!("WHEN {at} THEN '{name}' ")).collect();
        let phones = format!(
            "{lives} INSERT INTO phone (id, code, name, user_id, plan, room_id, life, use_type, is_blank, kept_id, endpoint_rev, \
             disk_gb, used_bytes, expires_at, term, image, source, frozen_reason, stays_until, last_used_at, last_backup_at, \
             remark, created_at, updated_at) \
             SELECT {phone} + i, 'CP-' || substr(CAST(10000000 + {phone} + i AS TEXT), 2), CASE i % 10 {named}ELSE '' END, \
             {user} + (i * 7919) % {users}, {PLAN}, card.room_id, life, 2, i % 8 = 0, \
             CASE WHEN {USED} AND life <> 6 THEN {copy} + i END, 1, \
             CASE WHEN i % 20 = 0 THEN 128 WHEN i % 20 < 6 THEN 64 ELSE 32 END, \
             CASE WHEN {USED} THEN (i * 7919) % 30 * 1073741824 + 2097152 ELSE 0 END, \
             CASE life WHEN 4 THEN {now} - i % 5 * {DAY} - {HOUR} WHEN 5 THEN {now} - {quarter} WHEN 6 THEN {now} - {quarter} \
             ELSE {now} + (i * 104729) % {year} + {DAY} END, \
             CASE i % 5 WHEN 0 THEN 360 WHEN 1 THEN 90 ELSE 30 END, CASE WHEN {USED} THEN {IMAGE} ELSE '' END, \
             1 + (i * 7) % 5, CASE life WHEN 3 THEN '风控' ELSE '' END, \
             CASE life WHEN 5 THEN {now} + (i % 20 + 5) * {DAY} END, \
             CASE WHEN {USED} THEN {now} - (i * 7919) % {quarter} - {HOUR} END, \
             CASE WHEN {USED} AND life <> 6 THEN {now} - (i * 7907) % {quarter} - {HOUR} END, \
             '', {now} - {year} + i, {now} \
             FROM m JOIN card ON card.id = {card} JOIN card_model ON card_model.id = card.model_id"
        );
        let stays = format!(
            "{some} INSERT INTO placement (id, phone_id, card_id, role, is_quarantined, began_at, ended_at) \
             SELECT {stay} + i, {phone} + i, {card}, 0, FALSE, {begin}, {now} - {HOUR} FROM n WHERE {USED}"
        );
        let repos = format!(
            "{lives} INSERT INTO repo (id, phone_id, node_id, folder, made_at, created_at) \
             SELECT {repo} + i, {phone} + i, {node}, 'bench-' || CAST({phone} + i AS TEXT), {begin}, {begin} \
             FROM m WHERE {USED} AND life <> 6"
        );
        let copies = format!(
            "{lives} INSERT INTO backup (id, phone_id, repo_id, node_id, snapshot, kind, card_id, image, board, state, damage, is_live, \
             files, bytes, added_bytes, manifest, code, restores, millis, began_at, verified_at) \
             SELECT {copy} + i, {phone} + i, {repo} + i, {node}, '{}', 1, card.id, {IMAGE}, card_model.board, 4, '', FALSE, \
             2000, (i * 7919) % 30 * 1073741824 + 2097152, 1048576, '{{}}', '', 0, 60000, {now} - {DAY}, {now} - {HOUR} \
             FROM m JOIN card ON card.id = {card} JOIN card_model ON card_model.id = card.model_id WHERE {USED} AND life <> 6",
            "0".repeat(64)
        );
        let column = if engine == DbBackend::Sqlite { "rowid" } else { "id" };
        let found: String = NAMES.iter().map(|name| format!("WHEN '{name}' THEN '{}' ", tail(name))).collect();
        let documents = format!(
            "INSERT INTO phone_search ({column}, text) SELECT id, '{}' || lower(code) || CASE name {found}ELSE '{}' END \
             FROM phone WHERE id BETWEEN {} AND {} ORDER BY id",
            &search::document(&[""])[..1],
            tail(""),
            phone + first,
            phone + last
        );
        vec![phones, stays, repos, copies, documents]
    }

    /// The company's own phones are on cards, and go on: an hour after they came nearly all have been copied meanwhile.
    fn saved(&self) -> Vec<String> {
        let Self { now, repo, copy, phones, node, .. } = *self;
        let (repo, copy) = (repo + phones, copy + phones);
        let which = "FROM phone JOIN placement ON placement.id = phone.holds_id JOIN card ON card.id = placement.card_id \
             JOIN card_model ON card_model.id = card.model_id WHERE phone.use_type = 1 AND phone.id % 50 <> 0";
        let repos = format!(
            "INSERT INTO repo (id, phone_id, node_id, folder, made_at, created_at) \
             SELECT {repo} + phone.id, phone.id, {node}, 'bench-own-' || CAST(phone.id AS TEXT), {now}, {now} {which}"
        );
        let copies = format!(
            "INSERT INTO backup (id, phone_id, repo_id, node_id, snapshot, kind, card_id, image, board, state, damage, is_live, \
             files, bytes, added_bytes, manifest, code, restores, millis, began_at, verified_at) \
             SELECT {copy} + phone.id, phone.id, {repo} + phone.id, {node}, '{}', 1, card.id, phone.image, card_model.board, 4, '', \
             TRUE, 2000, 2097152, 1048576, '{{}}', '', 0, 60000, {now} - {HOUR}, {now} {which}",
            "0".repeat(64)
        );
        vec![repos, copies]
    }

    /// Stays that are over, each on the card that its phone was on last, oldest first.
    fn sessions_of(&self, first: i64, last: i64) -> String {
        let Self { phone, stay, session, app, sessions, phones, .. } = *self;
        // Those that were used: of each eight numbers all but the first.
        let used = phones - (phones + 7) / 8;
        let (some, card, begin, pace) = (numbers(first, last), self.card("p"), self.begin(), PAST / sessions.max(1));
        format!(
            "{some}, m AS (SELECT i, i % {used} AS u FROM n), \
             k AS (SELECT i, u / 7 * 8 + u % 7 + 1 AS p, {begin} + i * {pace} AS began, 600000 + (i * 7919) % 7200000 AS span FROM m) \
             INSERT INTO phone_session (id, phone_id, placement_id, card_id, room_id, board, asked_at, began_at, ended_at, why, \
             app_id, gateway, streams, streamed_s, first_stream_at, last_stream_at) \
             SELECT {session} + i, {phone} + p, {stay} + p, card.id, card.room_id, card_model.board, began - 20000, began, \
             began + span, CASE i % 4 WHEN 0 THEN 11 WHEN 1 THEN 10 WHEN 2 THEN 9 ELSE 1 END, {app}, 'gw-1', 1 + i % 3, \
             span / 2000, began + 1000, began + span / 2 \
             FROM k JOIN card ON card.id = {card} JOIN card_model ON card_model.id = card.model_id"
        )
    }

    /// The kept counters of phones, stays and copies; the phones of each customer; and the numbers that come next.
    fn counters(&self) -> Vec<String> {
        let mut all: Vec<String> = phones::COUNTED.iter().flat_map(Packed::counted_anew).collect();
        all.push(
            "UPDATE client_user SET phone_count = \
             (SELECT COUNT(*) FROM phone WHERE phone.user_id = client_user.id AND phone.life <> 6)"
                .to_owned(),
        );
        if self.engine == DbBackend::Postgres {
            let tables = ["phone", "placement", "repo", "backup", "phone_session"];
            all.extend(tables.map(|table| {
                format!("SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT MAX(id) FROM {table}))")
            }));
        }
        all
    }
}

/// What follows the code in the document of a phone of this name.
fn tail(name: &str) -> String {
    search::document(&["", name])[1..].to_owned()
}
