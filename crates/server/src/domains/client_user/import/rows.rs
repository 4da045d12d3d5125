//! The rows of an uploaded file, read on a thread of their own, checked by the rules of the form, and
//! compared with each other and with the customers that are there.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use entity::client_user::{Column, Entity};
use kernel::rules::{Check, FieldError, Invalid, Violation};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use tokio::sync::mpsc;

use super::super::service::ClientUserInput;
use crate::fault::{Fault, Outcome};
use crate::http::Validate as _;
use crate::sheet;

/// Rows that a file may have.
const MOST: u32 = 200_000;
/// Rows handed on at a time, and taken in one transaction.
pub const STEP: usize = 1000;

/// A column that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Name,
    Phone,
    Email,
    IdentCode,
    Remark,
}

impl Field {
    pub const ALL: [Self; 5] = [Self::Name, Self::Phone, Self::Email, Self::IdentCode, Self::Remark];

    /// The name that the form and its errors use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Phone => "phone",
            Self::Email => "email",
            Self::IdentCode => "identCode",
            Self::Remark => "remark",
        }
    }

    /// The heading that the template and our own exports give it.
    pub const fn title(self) -> Text {
        match self {
            Self::Name => text("姓名", "Name"),
            Self::Phone => text("手机号", "Phone"),
            Self::Email => text("邮箱", "Email"),
            Self::IdentCode => text("识别码", "Identification code"),
            Self::Remark => text("备注", "Remark"),
        }
    }

    /// The column under this heading; others are left alone, so that an export can be sent back.
    fn under(heading: &str) -> Option<Self> {
        let heading = heading.trim();
        Self::ALL.into_iter().find(|field| {
            let Text { zh, en } = field.title();
            heading == zh || heading.eq_ignore_ascii_case(en) || heading.eq_ignore_ascii_case(field.name())
        })
    }
}

/// A row of the file.
#[derive(Debug)]
pub struct Line {
    /// Its number in the file.
    pub row: u32,
    /// What would be written.
    pub input: ClientUserInput,
    /// What is wrong with it.
    pub problems: Vec<FieldError>,
}

impl Line {
    /// What stands in a column.
    pub fn value(&self, field: &str) -> &str {
        let ClientUserInput { name, phone, email, ident_code, remark } = &self.input;
        match field {
            "name" => name,
            "phone" => phone,
            "email" => email,
            "identCode" => ident_code,
            _ => remark,
        }
    }
}

/// Some rows of the file.
#[derive(Debug)]
pub struct Batch {
    /// The columns that the file has, in its order.
    pub columns: Arc<[Field]>,
    /// The rows.
    pub lines: Vec<Line>,
}

/// Reads the file, [`STEP`] rows at a time. The last message is an error if the file is none.
pub fn read(path: PathBuf) -> mpsc::Receiver<Outcome<Batch>> {
    let (to, from) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        let mut reader = Reader::default();
        let mut fault = None;
        let read = sheet::read(&path, |row, cells| {
            let step = match reader.take(row, cells) {
                Ok(step) => step,
                Err(found) => {
                    fault = Some(found);
                    return ControlFlow::Break(());
                }
            };
            match step.map(|batch| to.blocking_send(Ok(batch))) {
                Some(Err(_)) => ControlFlow::Break(()),
                Some(Ok(())) | None => ControlFlow::Continue(()),
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
    /// The row in which a phone or a code was seen first.
    phones: HashMap<String, u32>,
    codes: HashMap<String, u32>,
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
        if self.places.iter().all(|(_, field)| *field != Field::Name) {
            let Text { zh, en } = Field::Name.title();
            return Err(Fault::field(
                "file",
                Violation::new("sheet.columnMissing").with("column", format!("{zh} / {en}")),
            ));
        }
        self.columns = self.places.iter().map(|(_, field)| *field).collect();
        Ok(())
    }

    fn line(&mut self, row: u32, mut cells: Vec<String>) -> Line {
        let mut cell = |wanted: Field| {
            let place = self.places.iter().find(|(_, field)| *field == wanted).map(|(at, _)| *at);
            place.and_then(|at| cells.get_mut(at)).map(std::mem::take).unwrap_or_default()
        };
        let input = ClientUserInput {
            name: cell(Field::Name),
            phone: cell(Field::Phone),
            email: cell(Field::Email),
            ident_code: cell(Field::IdentCode),
            remark: cell(Field::Remark),
        };
        let mut check = Check::new();
        input.check(&mut check);
        for (field, value, seen) in
            [(Field::Phone, &input.phone, &mut self.phones), (Field::IdentCode, &input.ident_code, &mut self.codes)]
        {
            if value.is_empty() {
                continue;
            }
            let first = *seen.entry(value.clone()).or_insert(row);
            if first != row {
                check.add(field.name(), Violation::new("sheet.sameAs").with("row", first));
            }
        }
        let problems = check.finish().err().map_or_else(Vec::new, |Invalid(problems)| problems);
        Line { row, input, problems }
    }
}

/// Notes which of the good rows carry a phone or a code that a customer has already.
///
/// # Errors
/// When a read fails.
pub async fn note_taken(db: &impl ConnectionTrait, lines: &mut [Line]) -> Result<(), DbErr> {
    for (column, field) in [(Column::Phone, Field::Phone), (Column::IdentCode, Field::IdentCode)] {
        let mut values: Vec<&str> = lines
            .iter()
            .filter(|line| line.problems.is_empty())
            .map(|line| line.value(field.name()))
            .filter(|value| !value.is_empty())
            .collect();
        // In key order, as the index is.
        values.sort_unstable();
        let mut taken: HashSet<String> = HashSet::new();
        for values in values.chunks(500) {
            let found: Vec<String> = Entity::find()
                .select_only()
                .column(column)
                .filter(column.is_in(values.iter().copied()))
                // The index on phones leaves the empty ones out; saying so lets it be used.
                .filter(column.ne(""))
                .into_tuple()
                .all(db)
                .await?;
            taken.extend(found);
        }
        for line in lines.iter_mut() {
            if line.problems.is_empty() && taken.contains(line.value(field.name())) {
                line.problems.push(FieldError { field: field.name().to_owned(), violation: Violation::taken() });
            }
        }
    }
    Ok(())
}
