//! Spreadsheets: an import of 100,000 customers, and exports of about as many.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use rust_xlsxwriter::Workbook;
use serde_json::Value;

use crate::load::{Connection, Request};
use crate::report::{Line, Report, time};

const USERS: &str = "/api/user/v1/client-users";
/// Rows of the import.
const IMPORTED: u32 = 100_000;

/// Imports 100,000 customers from XLSX as a person does: upload, preview, start, wait for the task.
pub async fn import(at: SocketAddr, token: &str, engine: &str, report: &mut Report) -> anyhow::Result<()> {
    let file = workbook()?;
    let started = Instant::now();
    let preview =
        json(at, &Request::upload(&format!("{USERS}/import"), token, "customers.xlsx", &file), "the preview").await?;
    let previewed = started.elapsed();
    ensure!(preview["data"]["goodRows"] == IMPORTED, "the preview found {}", preview["data"]["goodRows"]);
    let id = preview["data"]["importId"].as_str().context("no import id")?;
    let run = Request::new("POST", &format!("{USERS}/import/{id}/run"), Some(token), "{}");
    let begun = Instant::now();
    let task = json(at, &run, "the start").await?;
    let task = task["data"]["taskId"].as_str().context("no task id")?.to_owned();
    let watch = Request::new("GET", &format!("/api/task/v1/tasks/{task}"), Some(token), "");
    let mut seen = Vec::new();
    loop {
        let answer = json(at, &watch, "the task").await?;
        let (state, done) = (&answer["data"]["state"], &answer["data"]["progress"]["done"]);
        if seen.last() != Some(done) {
            seen.push(done.clone());
        }
        match state.as_str() {
            Some("succeeded") => break,
            Some("queued" | "running") => tokio::time::sleep(Duration::from_millis(50)).await,
            _ => anyhow::bail!("the import ended badly: {answer}"),
        }
    }
    let all = started.elapsed();
    report.add(Line {
        goal: "import",
        what: format!(
            "{engine}: import of 100,000 from XLSX, upload to last row; {} steps of progress seen",
            seen.len()
        ),
        ours: format!("{} (preview {})", time(all), time(previewed)),
        wanted: "< 20 s",
        ..Line::default()
    });
    report.add(Line {
        goal: "9",
        what: format!("{engine}: insert of 1,000 in one transaction, audited (a batch of the import, mean)"),
        ours: time(begun.elapsed() / (IMPORTED / 1000)),
        wanted: "≤ 48 ms",
        ..Line::default()
    });
    Ok(())
}

/// Exports the guests in both formats: those from the import, and some more.
pub async fn export(at: SocketAddr, token: &str, engine: &str, report: &mut Report) -> anyhow::Result<()> {
    let list = Request::new("POST", "/api/user/v5/user/getPageUserInfo", Some(token), r#"{"loginMethod":6}"#);
    let rows = json(at, &list, "the list").await?["data"]["total"].as_u64().context("no total")?;
    for (goal, format, wanted) in [("11", "csv", "≤ 150 ms, first byte ≤ 20 ms"), ("12", "xlsx", "≤ 1.7 s")] {
        let path = format!("/api/user/v1/designjet/client_info/excel?format={format}&loginMethod=6");
        let mut rounds = Vec::new();
        let mut megabytes = 0.0;
        for _ in 0..3 {
            let mut connection = Connection::open(at).await?;
            let started = Instant::now();
            let answer = connection.send(&Request::new("GET", &path, Some(token), "")).await?;
            rounds.push((started.elapsed(), answer.first_byte));
            ensure!(answer.status == 200 && !answer.body.starts_with(b"{"), "the export was refused");
            megabytes = answer.body.len() as f64 / 1e6;
        }
        rounds.sort_unstable();
        let (all, first_byte) = rounds[1];
        report.add(Line {
            goal,
            what: format!("{engine}: {format} export of {rows}, {megabytes:.1} MB; time scaled to 100,000"),
            ours: format!("{} (first byte {})", time(all.mul_f64(1e5 / rows as f64)), time(first_byte)),
            wanted,
            ..Line::default()
        });
    }
    Ok(())
}

fn workbook() -> anyhow::Result<Vec<u8>> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet_with_constant_memory()?;
    for (column, title) in ["姓名", "邮箱", "备注"].into_iter().enumerate() {
        sheet.write(0, u16::try_from(column)?, title)?;
    }
    for row in 1..=IMPORTED {
        sheet.write(row, 0, format!("导入客户{row}"))?;
        sheet.write(row, 1, format!("import{row}@example.com"))?;
        sheet.write(row, 2, "from a spreadsheet")?;
    }
    Ok(book.save_to_buffer()?)
}

/// The envelope of an answer, which must be a success.
async fn json(at: SocketAddr, request: &Request, what: &str) -> anyhow::Result<Value> {
    let answer = Connection::open(at).await?.send(request).await?;
    let value: Value = serde_json::from_slice(&answer.body).with_context(|| format!("{what} is no JSON"))?;
    ensure!(value["status"] == 0, "{what} was refused: {value}");
    Ok(value)
}
