//! What a browser loads and how soon a person sees something, in headless Chromium.

use std::net::SocketAddr;
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::report::{Line, Report};
use crate::subject::PASSWORD;

/// Opens the sign-in page and the home list, each in a fresh browser; the script reports what was transferred.
pub fn measure(at: SocketAddr, report: &mut Report) -> anyhow::Result<()> {
    let output = Command::new("node")
        .arg("web/tools/first-load.mjs")
        .arg(format!("http://{at}"))
        .env("SKYRACK_ADMIN_PASSWORD", PASSWORD)
        .output()
        .context("start node")?;
    ensure!(output.status.success(), "the browser: {}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout)?;
    let kilobytes = |value: &Value| format!("{:.0} KB", value.as_f64().unwrap_or(f64::NAN) / 1000.0);
    let milliseconds = |value: &Value| format!("{:.0} ms", value.as_f64().unwrap_or(f64::NAN));
    report.add(Line {
        goal: "23",
        what: "scripts of the sign-in screen, over the wire".to_owned(),
        ours: kilobytes(&found["loginBytes"]),
        wanted: "≤ 120 KB brotli",
        ..Line::default()
    });
    report.add(Line {
        goal: "24",
        what: "scripts of a list, all of the first load, over the wire".to_owned(),
        ours: format!(
            "{}; largest other screen {} more",
            kilobytes(&found["listBytes"]),
            kilobytes(&found["moreBytes"])
        ),
        wanted: "≤ 300 KB brotli, other screens ≤ 60 KB more",
        ..Line::default()
    });
    report.add(Line {
        goal: "25",
        what: "cold start of the list in Chromium: first paint / first row (first row while Chromium itself starts)"
            .to_owned(),
        ours: format!(
            "{} / {} ({})",
            milliseconds(&found["firstPaint"]),
            milliseconds(&found["firstRow"]),
            milliseconds(&found["firstRowAtStart"])
        ),
        wanted: "≤ 400 / ≤ 400 ms",
        ..Line::default()
    });
    report.add(Line {
        goal: "25",
        what: "the list again: loaded anew / another list, from a click in the menu to its rows".to_owned(),
        ours: format!("{} / {}", milliseconds(&found["reload"]), milliseconds(&found["click"])),
        wanted: "≤ 250 / ≤ 150 ms",
        ..Line::default()
    });
    report.add(Line {
        goal: "25",
        what: "from a click on a record to its detail: the first in the tab / another".to_owned(),
        ours: format!("{} / {}", milliseconds(&found["detail"]), milliseconds(&found["detailOther"])),
        wanted: "≤ 150 / ≤ 150 ms",
        ..Line::default()
    });
    report.add(Line {
        goal: "25",
        what: "within the list: search, from Enter to its rows / page 2 / the last page".to_owned(),
        ours: ["search", "page2", "lastPage"].map(|name| milliseconds(&found[name])).join(" / "),
        wanted: "≤ 150 / ≤ 150 / ≤ 150 ms",
        ..Line::default()
    });
    report.add(Line {
        goal: "25",
        what: "requests before the first row".to_owned(),
        ours: found["requests"].to_string(),
        wanted: "≤ 12",
        ..Line::default()
    });
    Ok(())
}
