//! What is measured, in which order.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::ensure;

use crate::browser;
use crate::files;
use crate::load::{self, Connection, Figures, Request};
use crate::raw;
use crate::report::{Line, Report, rate, time};
use crate::subject::Subject;

/// A process is idle once it has given back what its start alone needed.
const AT_REST: Duration = Duration::from_secs(20);
const LIST: &str = "/api/user/v5/user/getPageUserInfo";
const TWO_FILTERS: &str = r#"{"status":2,"loginMethod":3,"pageSize":20}"#;

/// SQLite: ours, the floor on a copy of the file, the raw database.
pub async fn sqlite(binary: &Path, rows: u64, seconds: u64, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in("target")?;
    let file = folder.path().join("skyrack.db");
    let url = format!("sqlite:{}", file.display());
    // Filling it takes minutes, so it is done once and every run works on a copy.
    let seeded = Path::new("target/bench").join(format!("{rows}"));
    let seeded_file = seeded.join("skyrack.db");
    if !seeded_file.exists() {
        let unfinished = tempfile::tempdir_in("target")?;
        let file = unfinished.path().join("skyrack.db");
        seed(binary, unfinished.path(), &format!("sqlite:{}", file.display()), &["--client-users", &rows.to_string()])?;
        std::fs::create_dir_all("target/bench")?;
        std::fs::rename(unfinished.keep(), &seeded)?;
    }
    for entry in std::fs::read_dir(&seeded)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name()))?;
        }
    }

    let floor_file = folder.path().join("floor.db");
    std::fs::copy(&file, &floor_file)?;
    let floor = Subject::floor(&floor_file).await?;
    let db = db::connect(&db::Settings { url: url.clone(), readers: 1 }).await?;
    let ours = Subject::console(binary, folder.path(), &url).await?;
    all(&ours, Some(&floor), db.read(), rows, seconds, "SQLite", report).await?;
    report.add(Line {
        goal: "22",
        what: "installed size, console inside".to_owned(),
        ours: format!("{:.1} MB", std::fs::metadata(binary)?.len() as f64 / 1e6),
        wanted: "≤ 30 MB",
        ..Line::default()
    });
    Ok(())
}

/// PostgreSQL: ours and the raw database.
pub async fn postgres(binary: &Path, server: &str, rows: u64, seconds: u64, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in("target")?;
    seed(binary, folder.path(), server, &["--client-users", &rows.to_string()])?;
    let db = db::connect(&db::Settings { url: server.to_owned(), readers: 1 }).await?;
    let ours = Subject::console(binary, folder.path(), server).await?;
    all(&ours, None, db.read(), rows, seconds, "PostgreSQL", report).await
}

/// Fills an empty database.
pub fn seed(binary: &Path, data: &Path, database: &str, size: &[&str]) -> anyhow::Result<()> {
    let started = Instant::now();
    let status = Command::new(binary)
        .args(["seed", "--demo", "--database", database, "--data-dir"])
        .arg(data)
        .args(size)
        .env("SKYRACK_ADMIN_PASSWORD", crate::subject::PASSWORD)
        .status()?;
    ensure!(status.success(), "seeding failed");
    println!("seeded {} in {:.1} s", size.join(" "), started.elapsed().as_secs_f64());
    Ok(())
}

#[expect(clippy::too_many_lines, reason = "a plan reads best as one list")]
async fn all(
    ours: &Subject,
    floor: Option<&Subject>,
    db: &impl sea_orm::ConnectionTrait,
    rows: u64,
    seconds: u64,
    engine: &str,
    report: &mut Report,
) -> anyhow::Result<()> {
    tokio::time::sleep(AT_REST).await;
    let idle = ours.memory()?;
    let (start, at) = (ours.start, ours.address);
    let token = ours.sign_in().await?;
    let post = |path: &str, body: &str| Request::new("POST", path, Some(&token), body);
    let half = rows / 40;
    let deep = format!(r#"{{"pageNum":{half},"pageSize":20}}"#);

    let reads = [
        (
            "1, 2",
            "list, 2 filters, sort, exact total",
            post(LIST, TWO_FILTERS),
            "/list2",
            "≥ 0.4 × floor at 32; p50 ≤ 2.5 × floor, p99 ≤ 5 ms",
            "SELECT * FROM client_user WHERE status = 2 AND login_method = 3 ORDER BY id DESC LIMIT 20",
        ),
        (
            "-",
            "list, one frequent status, exact total",
            post(LIST, r#"{"status":1}"#),
            "",
            "",
            "SELECT * FROM client_user WHERE status = 1 ORDER BY id DESC LIMIT 20",
        ),
        (
            "3",
            "list all, exact total",
            post(LIST, "{}"),
            "/listall",
            "≤ 2 ms and ≥ 600/s on PostgreSQL",
            "SELECT count(*) FROM client_user",
        ),
        (
            "4",
            "page N/2, exact total",
            post(LIST, &deep),
            "/deep",
            "≤ 2.5 ms SQLite, ≤ 4 ms PostgreSQL",
            "SELECT * FROM client_user ORDER BY id DESC LIMIT 20 OFFSET 500000",
        ),
        (
            "2",
            "list all, latest sign-in first, exact total",
            post(LIST, r#"{"sort":"lastLoginAt","order":"desc"}"#),
            "",
            "p99 ≤ 10 ms",
            "",
        ),
        (
            "5",
            "substring in name or phone, exact total",
            post(LIST, r#"{"keyWord":"138001"}"#),
            "/search",
            "≤ 30 ms SQLite, ≤ 45 ms PostgreSQL",
            "",
        ),
    ];
    for (goal, what, request, floor_path, wanted, raw_sql) in reads {
        let mine = both(at, seconds, 200, request).await?;
        let theirs = match floor {
            Some(floor) if !floor_path.is_empty() => {
                show(both(floor.address, seconds, 50, Request::new("GET", floor_path, None, "")).await?)
            }
            Some(_) | None => String::new(),
        };
        let raw = if raw_sql.is_empty() { String::new() } else { time(raw::median(db, 20, raw_sql).await?) };
        report.add(Line { goal, what: format!("{engine}: {what}"), ours: show(mine), floor: theirs, raw, wanted });
    }

    files::import(at, &token, engine, report).await?;
    files::export(at, &token, engine, report).await?;

    let id = move |n: usize| 1 + (n as u64 * 7919) % rows;
    let auth = token.clone();
    let read = move |n: usize| {
        Request::new("GET", &format!("/api/user/v1/designjet/client_info?id={}", id(n)), Some(&auth), "")
    };
    let mine = load::crowd(at, 32, seconds, read).await?;
    let theirs = match floor {
        Some(floor) => rate(
            load::crowd(floor.address, 32, seconds, move |n| {
                Request::new("GET", &format!("/read/{}", id(n)), None, "")
            })
            .await?
            .per_second,
        ),
        None => String::new(),
    };
    report.add(Line {
        goal: "6",
        what: format!("{engine}: read one, 32 connections"),
        ours: rate(mine.per_second),
        floor: theirs,
        wanted: "≥ 0.3 × floor",
        ..Line::default()
    });

    let auth = token.clone();
    let update = move |n: usize| {
        let body = format!(r#"{{"name":"基准{n}","phone":"","email":"","remark":"bench {n}"}}"#);
        Request::new("PUT", &format!("/api/user/v1/client-users/{}", id(n)), Some(&auth), &body)
    };
    let mine = load::crowd(at, 32, seconds, update).await?;
    let theirs = match floor {
        Some(floor) => rate(
            load::crowd(floor.address, 32, seconds, move |n| {
                Request::new("PUT", &format!("/update/{}", id(n)), None, "")
            })
            .await?
            .per_second,
        ),
        None => String::new(),
    };
    report.add(Line {
        goal: "7",
        what: format!("{engine}: update one, audited, 32 connections"),
        ours: rate(mine.per_second),
        floor: theirs,
        wanted: "≥ 0.2 × limit",
        ..Line::default()
    });

    let auth = token.clone();
    let create = move |n: usize| {
        Request::new("POST", "/api/user/v1/client-users", Some(&auth), &format!(r#"{{"name":"新客户{n}"}}"#))
    };
    let mine = load::crowd(at, 32, seconds, create).await?;
    let theirs = match floor {
        Some(floor) => rate(
            load::crowd(floor.address, 32, seconds, |n| Request::new("POST", &format!("/create/{n}"), None, ""))
                .await?
                .per_second,
        ),
        None => String::new(),
    };
    report.add(Line {
        goal: "8",
        what: format!("{engine}: create one, audited, 32 connections"),
        ours: rate(mine.per_second),
        floor: theirs,
        wanted: "≥ 0.25 × limit",
        ..Line::default()
    });

    let loaded = ours.memory()?;
    let mut times = Vec::new();
    for n in 0..10_u64 {
        let ids: Vec<String> = (1..=1000).map(|k| (k + n * 1000).to_string()).collect();
        let status = 1 + n % 2;
        let body = format!(r#"{{"selection":{{"ids":[{}]}},"status":{status},"reason":"bench"}}"#, ids.join(","));
        let request = post("/api/user/v1/client-users/status", &body);
        let started = Instant::now();
        Connection::open(at).await?.send(&request).await?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    report.add(Line {
        goal: "10",
        what: format!("{engine}: bulk update of 1,000, audited"),
        ours: time(times[times.len() / 2]),
        wanted: "≤ 33 ms SQLite, ≤ 23 ms PostgreSQL",
        ..Line::default()
    });

    // The browser and the sign-ins displace the session, so they come last.
    if floor.is_some() {
        browser::measure(at, report)?;
    }
    let sign_ins = sign_in_rate(ours, seconds).await?;
    report.add(Line {
        goal: "13",
        what: format!("{engine}: sign-in, argon2id 19 MiB t2, 32 at once"),
        ours: rate(sign_ins),
        wanted: "≥ 60/s",
        ..Line::default()
    });
    let mib = |bytes: u64| format!("{:.0} MiB", bytes as f64 / 1_048_576.0);
    report.add(Line {
        goal: "19",
        what: format!("{engine}: idle memory, 20 s after the start"),
        ours: mib(idle),
        wanted: "≤ 44 MiB",
        ..Line::default()
    });
    report.add(Line {
        goal: "20",
        what: format!("{engine}: memory under load, anonymous"),
        ours: mib(loaded),
        wanted: "≤ 200 MiB",
        ..Line::default()
    });
    report.add(Line {
        goal: "21",
        what: format!("{engine}: cold start, migrated database"),
        ours: time(start),
        wanted: "≤ 150 ms",
        ..Line::default()
    });
    Ok(())
}

/// One connection alone, and 32 concurrently.
pub async fn both(
    at: std::net::SocketAddr,
    seconds: u64,
    count: usize,
    request: Request,
) -> anyhow::Result<(Figures, Figures)> {
    let one = request.clone();
    let alone = load::alone(at, count, move |_| one.clone()).await?;
    let crowd = load::crowd(at, 32, seconds, move |_| request.clone()).await?;
    Ok((alone, crowd))
}

fn show((alone, crowd): (Figures, Figures)) -> String {
    format!("{} / {}, {}", time(alone.p50), time(alone.p99), rate(crowd.per_second))
}

/// Sign-ins per second with 32 clients. Each displaces the one before, as configured.
async fn sign_in_rate(ours: &Subject, seconds: u64) -> anyhow::Result<f64> {
    let mut key = Connection::open(ours.address).await?;
    let mut bodies = Vec::new();
    for _ in 0..(seconds as usize * 150) {
        bodies.push(ours.credentials(&mut key).await?);
    }
    let bodies = std::sync::Arc::new(bodies);
    let next = move |n: usize| Request::new("POST", "/api/user/v1/designjet/login", None, &bodies[n % bodies.len()]);
    Ok(load::crowd(ours.address, 32, seconds, next).await?.per_second)
}
