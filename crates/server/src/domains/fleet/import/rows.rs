//! The rows of an uploaded file, read on a thread of their own, each value checked by the rules of the form.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use kernel::ip4::Ip4;
use kernel::rules::{Check, FieldError, Invalid, Violation, integer_text_between, line, max_chars, whole_number};
use kernel::text::{Text, text};
use tokio::sync::mpsc;

use crate::fault::{Fault, Outcome};
use crate::sheet;

/// Rows that a file may have.
const MOST: u32 = 200_000;
/// Rows handed on at a time, and taken in one transaction.
pub const STEP: usize = 500;

/// A column that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Serial,
    Room,
    Frame,
    Slot,
    Position,
    IntranetIp,
    AdbPort,
    ExtranetIp,
    ExtranetPort,
    Manufacturer,
    Model,
    Board,
    Size,
    Assignable,
    Overcommit,
    Remark,
}

impl Field {
    pub const ALL: [Self; 16] = [
        Self::Serial,
        Self::Room,
        Self::Frame,
        Self::Slot,
        Self::Position,
        Self::IntranetIp,
        Self::AdbPort,
        Self::ExtranetIp,
        Self::ExtranetPort,
        Self::Manufacturer,
        Self::Model,
        Self::Board,
        Self::Size,
        Self::Assignable,
        Self::Overcommit,
        Self::Remark,
    ];

    /// The name that forms and errors use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Room => "room",
            Self::Frame => "frame",
            Self::Slot => "slot",
            Self::Position => "position",
            Self::IntranetIp => "intranetIp",
            Self::AdbPort => "adbPort",
            Self::ExtranetIp => "extranetIp",
            Self::ExtranetPort => "extranetPort",
            Self::Manufacturer => "manufacturer",
            Self::Model => "model",
            Self::Board => "board",
            Self::Size => "size",
            Self::Assignable => "isAssignable",
            Self::Overcommit => "isOvercommit",
            Self::Remark => "remark",
        }
    }

    /// The heading that the template and our own exports give it.
    pub const fn title(self) -> Text {
        match self {
            Self::Serial => text("序列号", "Serial"),
            Self::Room => text("机房", "Room"),
            Self::Frame => text("机架", "Frame"),
            Self::Slot => text("主机槽位", "Host slot"),
            Self::Position => text("卡位", "Position"),
            Self::IntranetIp => text("内网 IP", "Intranet IP"),
            Self::AdbPort => text("ADB 端口", "ADB port"),
            Self::ExtranetIp => text("外网 IP", "Extranet IP"),
            Self::ExtranetPort => text("外网端口", "Extranet port"),
            Self::Manufacturer => text("厂商", "Manufacturer"),
            Self::Model => text("型号", "Model"),
            Self::Board => text("板卡型号", "Board"),
            Self::Size => text("规格", "Size"),
            Self::Assignable => text("可分配", "Assignable"),
            Self::Overcommit => text("超分", "Overcommit"),
            Self::Remark => text("备注", "Remark"),
        }
    }

    fn under(heading: &str) -> Option<Self> {
        let heading = heading.trim();
        Self::ALL.into_iter().find(|field| {
            let Text { zh, en } = field.title();
            heading == zh || heading.eq_ignore_ascii_case(en) || heading.eq_ignore_ascii_case(field.name())
        })
    }

    /// What is wrong with a value that is there.
    fn check(self, check: &mut Check, value: &str) {
        let name = self.name();
        match self {
            Self::Serial | Self::Room | Self::Frame | Self::Manufacturer | Self::Model => {
                check.field(name, line(value, 64));
            }
            Self::Board => _ = check.field(name, line(value, 32)),
            Self::Size => _ = check.field(name, line(value, 32)),
            Self::Remark => _ = check.field(name, max_chars(value, 256)),
            Self::Slot => _ = check.field(name, integer_text_between(value, 1, 100)),
            Self::Position => _ = check.field(name, integer_text_between(value, 1, 256)),
            Self::IntranetIp | Self::ExtranetIp => _ = check.field(name, value.parse::<Ip4>()),
            Self::AdbPort | Self::ExtranetPort => {
                let number = check.field(name, whole_number(value));
                if let Some(number) = number {
                    check.field(name, kernel::rules::port(number));
                }
            }
            Self::Assignable | Self::Overcommit => {
                if flag(value).is_none() {
                    check.add(name, Violation::not_a_choice("是, 否, yes, no, 1, 0"));
                }
            }
        }
    }
}

/// A yes or a no, as people write it.
pub fn flag(value: &str) -> Option<bool> {
    match value.trim().to_lowercase().as_str() {
        "是" | "yes" | "y" | "true" | "1" => Some(true),
        "否" | "no" | "n" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// A row of the file. A cell that is empty says nothing.
#[derive(Debug)]
pub struct Line {
    /// Its number in the file.
    pub row: u32,
    pub cells: BTreeMap<Field, String>,
    /// What is wrong with it.
    pub problems: Vec<FieldError>,
}

impl Line {
    /// What stands in a column.
    pub fn text(&self, field: Field) -> Option<&str> {
        self.cells.get(&field).map(String::as_str)
    }

    /// A number that was checked.
    pub fn number(&self, field: Field) -> Option<i32> {
        self.text(field)?.parse().ok()
    }

    /// An address that was checked.
    pub fn ip(&self, field: Field) -> Option<Ip4> {
        self.text(field)?.parse().ok()
    }

    /// Notes a problem.
    pub fn problem(&mut self, field: Field, violation: Violation) {
        if self.problems.iter().all(|known| known.field != field.name()) {
            self.problems.push(FieldError { field: field.name().to_owned(), violation });
        }
    }
}

/// Some rows of the file.
#[derive(Debug)]
pub struct Batch {
    /// The columns that the file has, in its order.
    pub columns: Arc<[Field]>,
    pub lines: Vec<Line>,
}

/// Reads the file, [`STEP`] rows at a time. The last message is an error if the file is none.
pub fn read(path: PathBuf) -> mpsc::Receiver<Outcome<Batch>> {
    let (to, from) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        let mut reader = Reader::default();
        let mut fault = None;
        let read = sheet::read(&path, |row, cells| match reader.take(row, cells) {
            Ok(Some(batch)) => match to.blocking_send(Ok(batch)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            },
            Ok(None) => ControlFlow::Continue(()),
            Err(found) => {
                fault = Some(found);
                ControlFlow::Break(())
            }
        });
        let last = match (fault, read) {
            (Some(fault), _) => Err(fault),
            (None, Err(problem)) => Err(problem.into()),
            (None, Ok(())) => reader.finish(),
        };
        // Whoever does not listen any more does not need it.
        _ = to.blocking_send(last);
    });
    from
}

#[derive(Default)]
struct Reader {
    /// Where each column stands; empty until the heading was read.
    places: Vec<(usize, Field)>,
    columns: Arc<[Field]>,
    lines: Vec<Line>,
    count: u32,
    /// The row in which a serial, an address or a position was seen first.
    seen: HashMap<(Field, String), u32>,
}

impl Reader {
    fn take(&mut self, row: u32, cells: Vec<String>) -> Outcome<Option<Batch>> {
        if self.places.is_empty() {
            self.read_heading(&cells)?;
            return Ok(None);
        }
        self.count += 1;
        if self.count > MOST {
            return Err(Fault::field("file", Violation::new("sheet.tooManyRows").with("max", MOST)));
        }
        let line = self.line(row, cells);
        self.lines.push(line);
        Ok((self.lines.len() == STEP).then(|| self.batch()))
    }

    fn finish(mut self) -> Outcome<Batch> {
        if self.places.is_empty() {
            return Err(Fault::field("file", Violation::new("file.empty")));
        }
        Ok(self.batch())
    }

    fn batch(&mut self) -> Batch {
        Batch { columns: self.columns.clone(), lines: std::mem::take(&mut self.lines) }
    }

    fn read_heading(&mut self, cells: &[String]) -> Outcome<()> {
        for (at, cell) in cells.iter().enumerate() {
            if let Some(field) = Field::under(cell)
                && self.places.iter().all(|(_, known)| *known != field)
            {
                self.places.push((at, field));
            }
        }
        for needed in [Field::Room, Field::IntranetIp] {
            if self.places.iter().all(|(_, field)| *field != needed) {
                let Text { zh, en } = needed.title();
                let missing = Violation::new("sheet.columnMissing").with("column", format!("{zh} / {en}"));
                return Err(Fault::field("file", missing));
            }
        }
        self.columns = self.places.iter().map(|(_, field)| *field).collect();
        Ok(())
    }

    fn line(&mut self, row: u32, mut cells: Vec<String>) -> Line {
        let mut check = Check::new();
        let mut found = BTreeMap::new();
        for (at, field) in &self.places {
            let value = cells.get_mut(*at).map(std::mem::take).unwrap_or_default();
            if !value.is_empty() {
                field.check(&mut check, &value);
                found.insert(*field, value);
            }
        }
        for needed in [Field::Room, Field::IntranetIp] {
            if !found.contains_key(&needed) {
                check.add(needed.name(), Violation::new("required"));
            }
        }
        let text = |field: Field| found.get(&field).map(String::as_str);
        let address = format!(
            "{}\u{1f}{}\u{1f}{}",
            text(Field::Room).unwrap_or_default(),
            text(Field::IntranetIp).unwrap_or_default(),
            text(Field::AdbPort).unwrap_or("5555")
        );
        let place = text(Field::Position).map(|position| {
            format!(
                "{}\u{1f}{}\u{1f}{}\u{1f}{position}",
                text(Field::Room).unwrap_or_default(),
                text(Field::Frame).unwrap_or_default(),
                text(Field::Slot).unwrap_or_default()
            )
        });
        let keys = [
            (Field::Serial, text(Field::Serial).map(str::to_owned)),
            (Field::IntranetIp, Some(address)),
            (Field::Position, place),
        ];
        for (field, key) in keys.into_iter().filter_map(|(field, key)| key.map(|key| (field, key))) {
            let first = *self.seen.entry((field, key)).or_insert(row);
            if first != row {
                check.add(field.name(), Violation::new("sheet.sameAs").with("row", first));
            }
        }
        let problems = check.finish().err().map_or_else(Vec::new, |Invalid(problems)| problems);
        Line { row, cells: found, problems }
    }
}
