//! Lists of phones and of their stays on cards: goals 1 to 6 of PERFORMANCE.md, and what an application reads.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use db::Db;
use kernel::time::UtcTime;
use serde_json::Value;

use super::door::Key;
use super::fill::{Size, fill, number};
use super::{PHONES, told};
use crate::load::{self, Figures, Request};
use crate::racks::ask;
use crate::raw;
use crate::report::{Line, Report, rate, time};
use crate::subject::Subject;

const SESSIONS: &str = "/api/phone/v1/sessions";
const COPIES: &str = "/api/storage/v1/backups";
/// What takes longer is asked for less often.
const SLOW: Duration = Duration::from_millis(200);
const ALONE: usize = 200;
const ALONE_SLOW: usize = 20;
/// Applications that read at a time: the console lets each call 5,000 times a second.
const APPS: usize = 6;
const DAY: i64 = 86_400;

const LISTS: &str = "≥ 3,200/s; p50 ≤ 0.6 ms, p99 ≤ 2.5 ms";
const ORDERS: &str = "p99 ≤ 10 ms";
const ALL: &str = "≤ 0.5 ms SQLite, ≤ 0.6 ms PostgreSQL";
const DEEP: &str = "≤ 1.0 ms SQLite, ≤ 2 ms PostgreSQL";
const FOUND: &str = "p99 ≤ 20 ms";

/// Fills a database, and measures what is read of it.
pub async fn measure(
    binary: &Path,
    database: Option<&str>,
    size: Size,
    seconds: u64,
    report: &mut Report,
) -> anyhow::Result<()> {
    let engine = if database.is_some() { "PostgreSQL" } else { "SQLite" };
    let folder = tempfile::tempdir_in("target")?;
    let url =
        database.map_or_else(|| format!("sqlite:{}", folder.path().join("skyrack.db").display()), ToOwned::to_owned);
    fill(binary, folder.path(), &url, size).await?;
    let ours = Subject::console(binary, folder.path(), &url).await?;
    let token = ours.sign_in().await?;
    let db = db::connect(&db::Settings { url, readers: 1 }).await?;
    let lists = Lists { at: ours.address, token: &token, seconds, engine, db: &db };
    // It wants that who asks has signed in a short while ago.
    let mut keys = Vec::with_capacity(APPS);
    for number in 1..=APPS {
        keys.push(Key::make(ours.address, &token, &format!("bench {number}"), &["user", "phone"]).await?);
    }
    lists.are_exact().await?;
    lists.of_phones(report).await?;
    lists.of_sessions(report).await?;
    lists.of_copies(report).await?;
    lists.singles(size, report).await;
    lists.door(keys, report).await?;
    report.add(Line {
        goal: "20",
        what: format!("{engine}: memory after all of this, anonymous"),
        ours: format!("{} MiB", ours.memory()? >> 20),
        wanted: "≤ 200 MiB",
        ..Line::default()
    });
    Ok(db.close().await?)
}

/// A console with many phones, and its database.
struct Lists<'a> {
    at: SocketAddr,
    token: &'a str,
    seconds: u64,
    engine: &'a str,
    db: &'a Db,
}

/// One that is asked for: goal, what it is, its path, the same of the raw database, and what is wanted.
type Asked = (&'static str, String, String, String, &'static str);

fn asked(goal: &'static str, what: &str, path: String, raw: &str, wanted: &'static str) -> Asked {
    (goal, what.to_owned(), path, raw.to_owned(), wanted)
}

impl Lists<'_> {
    async fn number(&self, text: &str) -> anyhow::Result<i64> {
        number(self.db.read(), text).await
    }

    /// The totals are what the database counts: others are not worth measuring.
    async fn are_exact(&self) -> anyhow::Result<()> {
        for (path, counted) in [
            (format!("{PHONES}?pageSize=1"), "SELECT COUNT(*) FROM phone WHERE life <> 6"),
            (
                format!("{PHONES}?life=2&useType=2&pageSize=1"),
                "SELECT COUNT(*) FROM phone WHERE life = 2 AND use_type = 2",
            ),
            (format!("{SESSIONS}?pageSize=1"), "SELECT COUNT(*) FROM phone_session"),
            (format!("{PHONES}?pool=2&pageSize=1"), "SELECT COUNT(*) FROM phone WHERE pool = 2 AND life <> 6"),
            (format!("{SESSIONS}?isOn=true&pageSize=1"), "SELECT COUNT(*) FROM phone_session WHERE ended_at IS NULL"),
            (format!("{SESSIONS}?why=11&pageSize=1"), "SELECT COUNT(*) FROM phone_session WHERE why = 11"),
            (format!("{COPIES}?pageSize=1"), "SELECT COUNT(*) FROM backup"),
            (
                format!("{COPIES}?state=4&isVerified=true&pageSize=1"),
                "SELECT COUNT(*) FROM backup WHERE verified_at > 0",
            ),
        ] {
            let page = ask(self.at, "GET", &path, self.token, &Value::Null).await?;
            let counted = self.number(counted).await?;
            ensure!(page["total"] == counted, "{path} says {}, and there are {counted}", page["total"]);
        }
        Ok(())
    }

    /// One connection alone, and 32 at a time.
    async fn timed(&self, next: impl Fn(usize) -> Request + Clone + Send + 'static) -> anyhow::Result<String> {
        let first = load::alone(self.at, 3, next.clone()).await?;
        let count = if first.p50 < SLOW { ALONE } else { ALONE_SLOW };
        let Figures { p50, p99, .. } = load::alone(self.at, count, next.clone()).await?;
        let crowd = load::crowd(self.at, 32, self.seconds, next).await;
        Ok(format!("{} / {}, {}", time(p50), time(p99), told(crowd.map(|figures| rate(figures.per_second)))))
    }

    async fn rows(&self, list: &str, rows: Vec<Asked>, report: &mut Report) {
        for (goal, what, path, raw, wanted) in rows {
            let request = Request::new("GET", &path, Some(self.token), "");
            let ours = told(self.timed(move |_| request.clone()).await);
            let raw =
                if raw.is_empty() { String::new() } else { told(raw::median(self.db.read(), 5, &raw).await.map(time)) };
            let what = format!("{}: {list} with exact total, {what}", self.engine);
            report.add(Line { goal, what, ours, raw, wanted, ..Line::default() });
        }
    }

    async fn of_phones(&self, report: &mut Report) -> anyhow::Result<()> {
        let half = self.number("SELECT COUNT(*) FROM phone WHERE life <> 6").await? / 40;
        let active = self.number("SELECT COUNT(*) FROM phone WHERE life = 2").await? / 40;
        let room = self.number("SELECT MIN(room_id) FROM phone").await?;
        let user = self.number("SELECT MIN(id) FROM client_user WHERE phone_count > 2").await?;
        let (soon, later) = (UtcTime::now().plus_seconds(30 * DAY), UtcTime::now().plus_seconds(33 * DAY));
        let page = |query: &str| format!("{PHONES}?{query}&pageSize=20");
        let period = format!("startTime={}&endTime={}", soon.to_rfc3339(), later.to_rfc3339());
        let skipped = (half - 1) * 20;
        let mut rows = vec![
            asked(
                "1, 2",
                "two filters, by expiry",
                page("life=2&useType=2&sort=expiresAt&order=asc"),
                "SELECT * FROM phone WHERE life = 2 AND use_type = 2 ORDER BY expires_at, id LIMIT 20",
                LISTS,
            ),
            asked("1, 2", "of one plan and room, newest first", page(&format!("plan=3&roomId={room}")), "", LISTS),
            asked("2", "frozen", page("life=3"), "", ORDERS),
            asked("2", "expired, longest first", page("life=4&sort=expiresAt&order=asc"), "", ORDERS),
            asked("2", "never used", page("isBlank=true"), "", ORDERS),
            asked("2", "given away", page("source=3"), "", ORDERS),
            asked("2", "on a card", page("useType=1"), "", ORDERS),
            asked("2", "on a card and without a copy", page("noBackup=true"), "", ORDERS),
            asked("2", "of which something waits for a person", page("held=true"), "", ORDERS),
            asked("2", "expiring within a week", page("expiresSoon=true"), "", ORDERS),
            asked(
                "2",
                "that expire on three days, by expiry",
                page(&format!("{period}&sort=expiresAt&order=asc")),
                "",
                ORDERS,
            ),
            asked("2", "of one customer", page(&format!("userId={user}")), "", ORDERS),
            asked("2", "of an image that few still have", page("image=A10-3.6.1"), "", ORDERS),
            asked("2", "of the image that most have", page("image=A11-3.8.2"), "", ORDERS),
            asked("2", "of one board", page("board=STARPRO"), "", ORDERS),
            asked("2", "dedicated", page("pool=2"), "", ORDERS),
            asked("2", "that wait for a card", page("queued=true"), "", ORDERS),
            asked("2", "of which something has failed", page("failed=true"), "", ORDERS),
            asked("2", "whose disks are nearly full", page("diskState=2"), "", ORDERS),
            asked("2", "whose disks have space", page("diskState=1"), "", ORDERS),
        ];
        for column in ["code", "plan", "diskGb", "usedBytes", "expiresAt", "lastUsedAt", "lastBackupAt"] {
            let order = page(&format!("sort={column}&order=asc"));
            rows.push(asked("2", &format!("all, in the order of {column}"), order, "", ORDERS));
        }
        // Those that have no value come last this way, too.
        for column in ["lastUsedAt", "lastBackupAt"] {
            let order = page(&format!("sort={column}&order=desc"));
            rows.push(asked("2", &format!("all, in the order of {column}, latest first"), order, "", ORDERS));
        }
        rows.extend([
            asked("3", "all", page("pageNum=1"), "SELECT COUNT(*) FROM phone WHERE life <> 6", ALL),
            asked(
                "4",
                "the middle page",
                page(&format!("pageNum={half}")),
                &format!("SELECT * FROM phone WHERE life <> 6 ORDER BY id DESC LIMIT 20 OFFSET {skipped}"),
                DEEP,
            ),
            asked("4", "the middle page of the active ones", page(&format!("life=2&pageNum={active}")), "", DEEP),
            asked("5", "key word, part of a code", page("keyWord=CP-00012"), "", FOUND),
            asked("5", "key word, part of a customer's phone", page("keyWord=138001"), "", FOUND),
            asked("5", "key word, a name that one of ten has", page("keyWord=%E4%B8%BB%E5%8A%9B"), "", FOUND),
        ]);
        self.rows("list of phones", rows, report).await;
        Ok(())
    }

    async fn of_sessions(&self, report: &mut Report) -> anyhow::Result<()> {
        let half = self.number("SELECT COUNT(*) FROM phone_session").await? / 40;
        let last = "FROM phone_session WHERE id = (SELECT MAX(id) FROM phone_session)";
        let phone = self.number(&format!("SELECT phone_id {last}")).await?;
        let card = self.number(&format!("SELECT card_id {last}")).await?;
        let room = self.number(&format!("SELECT room_id {last}")).await?;
        let from = UtcTime::now().plus_seconds(-30 * DAY).to_rfc3339();
        let until = UtcTime::now().plus_seconds(-28 * DAY).to_rfc3339();
        let page = |query: &str| format!("{SESSIONS}?{query}&pageSize=20");
        let skipped = (half - 1) * 20;
        let rows = vec![
            asked("1, 2", "two filters", page(&format!("roomId={room}&isOn=false")), "", LISTS),
            asked("2", "of phones that are there still", page("isOn=true"), "", ORDERS),
            asked("2", "of phones that somebody uses just now", page("isUsed=true"), "", ORDERS),
            asked("2", "in one room", page(&format!("roomId={room}")), "", ORDERS),
            asked("2", "of one phone", page(&format!("phoneId={phone}")), "", ORDERS),
            asked("2", "on one card", page(&format!("cardId={card}")), "", ORDERS),
            asked("2", "of two days", page(&format!("startTime={from}&endTime={until}")), "", ORDERS),
            asked("2", "that ended in two days", page(&format!("leftStart={from}&leftEnd={until}")), "", ORDERS),
            asked("2", "that ended for one reason", page("why=11"), "", ORDERS),
            asked("2", "that ended by a rule", page("byRule=true"), "", ORDERS),
            asked("3", "all", page("pageNum=1"), "SELECT COUNT(*) FROM phone_session", ALL),
            asked(
                "4",
                "the middle page",
                page(&format!("pageNum={half}")),
                &format!("SELECT * FROM phone_session ORDER BY id DESC LIMIT 20 OFFSET {skipped}"),
                DEEP,
            ),
            asked("5", "key word, part of a code", page("keyWord=CP-00012"), "", FOUND),
        ];
        self.rows("list of stays", rows, report).await;
        Ok(())
    }

    async fn of_copies(&self, report: &mut Report) -> anyhow::Result<()> {
        let half = self.number("SELECT COUNT(*) FROM backup").await? / 40;
        let last = "FROM backup WHERE id = (SELECT MAX(id) FROM backup)";
        let phone = self.number(&format!("SELECT phone_id {last}")).await?;
        let node = self.number(&format!("SELECT node_id {last}")).await?;
        let user = self.number("SELECT MIN(id) FROM client_user WHERE phone_count > 2").await?;
        let from = UtcTime::now().plus_seconds(-3 * DAY).to_rfc3339();
        let page = |query: &str| format!("{COPIES}?{query}&pageSize=20");
        let mut rows = vec![
            asked("1, 2", "two filters", page(&format!("nodeId={node}&state=4")), "", LISTS),
            asked("2", "of one phone", page(&format!("phoneId={phone}")), "", ORDERS),
            asked("2", "of one customer", page(&format!("userId={user}")), "", ORDERS),
            asked("2", "that were not read back", page("isVerified=false"), "", ORDERS),
            asked("2", "that phones live by", page("isKept=true"), "", ORDERS),
            asked("2", "that no phone lives by", page("isKept=false"), "", ORDERS),
            asked("2", "that are damaged", page("isDamaged=true"), "", ORDERS),
            asked("2", "of an image that few still have", page("image=A10-3.6.1"), "", ORDERS),
            asked("2", "of the image that most have", page("image=A11-3.8.2"), "", ORDERS),
            asked("2", "of one board", page("board=STARPRO"), "", ORDERS),
            asked("2", "of three days, all", page(&format!("startTime={from}")), "", ORDERS),
            asked("3", "all", page("pageNum=1"), "SELECT COUNT(*) FROM backup", ALL),
            asked("4", "the middle page", page(&format!("pageNum={half}")), "", DEEP),
            asked("5", "key word, part of a code", page("keyWord=CP-00012"), "", FOUND),
        ];
        for column in ["state", "bytes", "addedBytes", "files", "millis", "beganAt", "verifiedAt"] {
            let order = page(&format!("sort={column}&order=desc"));
            rows.push(asked("2", &format!("all, in the order of {column}, largest first"), order, "", ORDERS));
        }
        self.rows("list of copies", rows, report).await;
        Ok(())
    }

    /// Counts of the list's views, and single phones.
    async fn singles(&self, size: Size, report: &mut Report) {
        let counts = Request::new("GET", &format!("{PHONES}/counts"), Some(self.token), "");
        report.add(Line {
            goal: "-",
            what: format!("{}: phones by state, as the list's views show them", self.engine),
            ours: told(self.timed(move |_| counts.clone()).await),
            ..Line::default()
        });
        let (auth, phones) = (self.token.to_owned(), size.phones);
        let read = move |n: usize| {
            let id = 1 + (n as u64 * 7919) % phones;
            Request::new("GET", &format!("{PHONES}/{id}"), Some(&auth), "")
        };
        report.add(Line {
            goal: "6",
            what: format!("{}: read one phone", self.engine),
            ours: told(self.timed(read).await),
            wanted: "≥ 15,000/s",
            ..Line::default()
        });
    }

    /// Phones of a customer, as the company's own app reads them: each call is signed anew, by one of some applications.
    async fn door(&self, keys: Vec<Key>, report: &mut Report) -> anyhow::Result<()> {
        let first = self.number("SELECT MIN(id) FROM client_user WHERE phone_count > 0").await?;
        let users = self.number("SELECT COUNT(*) FROM client_user").await? - first;
        let users = usize::try_from(users).context("customers")?.max(1);
        let (keys, first) = (Arc::new(keys), usize::try_from(first)?);
        let next = move |n: usize| {
            let user = first + n.wrapping_mul(7919) % users;
            keys[n % keys.len()].read(&format!("/open/v1/users/{user}/phones"))
        };
        report.add(Line {
            goal: "-",
            what: format!("{}: Open API: phones of a customer, signed, by {APPS} applications", self.engine),
            ours: told(self.timed(next).await),
            ..Line::default()
        });
        Ok(())
    }
}
