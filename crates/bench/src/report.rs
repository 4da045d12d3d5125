//! The figures, as a table for docs/benchmarks.md.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// A table being built.
#[derive(Debug)]
pub struct Report {
    /// The names of the marks in the document.
    name: &'static str,
    /// The machine it was measured on.
    on: String,
    lines: Vec<[String; 6]>,
}

/// One line of the table.
#[derive(Debug, Default)]
pub struct Line<'a> {
    /// The goal's number in PERFORMANCE.md.
    pub goal: &'a str,
    pub what: String,
    pub ours: String,
    pub floor: String,
    pub raw: String,
    /// The goal.
    pub wanted: &'a str,
}

impl Report {
    pub const fn new(name: &'static str, on: String) -> Self {
        Self { name, on, lines: Vec::new() }
    }

    pub fn add(&mut self, line: Line<'_>) {
        let Line { goal, what, ours, floor, raw, wanted } = line;
        println!("{goal:>4}  {what}: ours {ours}; floor {floor}; raw {raw}; wanted {wanted}");
        self.lines.push([goal.to_owned(), what, ours, floor, raw, wanted.to_owned()]);
    }

    /// Replaces the part of the document between the two marks.
    pub fn write(&self, to: &Path) -> anyhow::Result<()> {
        let begin = format!("<!-- {}: written by `make bench` -->\n", self.name);
        let end = format!("<!-- end of {} -->\n", self.name);
        let mut table = format!(
            "{}.\n\n| goal | measure | ours | floor | raw database | wanted |\n|---|---|---|---|---|---|\n",
            self.on
        );
        for [goal, what, ours, floor, raw, wanted] in &self.lines {
            writeln!(table, "| {goal} | {what} | {ours} | {floor} | {raw} | {wanted} |")?;
        }
        let text = std::fs::read_to_string(to).unwrap_or_else(|_| format!("# Benchmarks\n\n{begin}{end}"));
        let (before, rest) =
            text.split_once(&begin).ok_or_else(|| anyhow::anyhow!("{} has lost its marks", to.display()))?;
        let after = rest.split_once(&end).map_or("", |(_, after)| after);
        Ok(std::fs::write(to, format!("{before}{begin}{table}{end}{after}"))?)
    }
}

/// `0.24 ms`, `12 µs`.
pub fn time(duration: Duration) -> String {
    if duration < Duration::from_millis(1) {
        format!("{} µs", duration.as_micros())
    } else {
        format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
    }
}

/// `7,858/s`.
pub fn rate(per_second: f64) -> String {
    let mut digits = format!("{per_second:.0}");
    let mut at = digits.len();
    while at > 3 {
        at -= 3;
        digits.insert(at, ',');
    }
    digits + "/s"
}
