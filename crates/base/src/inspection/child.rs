//! The inspector process: `skyrack inspect`. It confines itself, reads its standard input, answers and exits.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::os::fd::AsFd as _;
use std::process::ExitCode;

use db::Trouble;
use inspect::Fault;
use kernel::rules::FileKind;

use super::{Ask, MOST_ROWS, Told, What};
use crate::sheet::{self, Problem};

/// Exit code if the system does not confine it; it has read nothing then.
pub const NOT_CONFINED: u8 = 3;
/// Exit code if it cannot read or write, unless our own disk is the reason: then it is the system's number of that.
const NO_ANSWER: u8 = 4;

/// Rows that are returned: a heading, the maximum that any import accepts, and one that shows that there are more.
const TOLD_ROWS: u32 = MOST_ROWS + 2;
/// Characters of a cell that are returned: more than any field accepts, so that a longer one is still too long.
const CELL: usize = 1024;

/// Answers the question about the file on its standard input. Called before there is a second thread.
#[must_use]
pub fn main(ask: &str) -> ExitCode {
    let prepared = || -> io::Result<(What, File)> {
        let Ask { what, limits, parent } = serde_json::from_str(ask)?;
        if let Some(parent) = parent {
            inspect::end_with(parent)?;
        }
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        inspect::confine(&limits)?;
        Ok((what, file))
    };
    let (what, file) = match prepared() {
        Ok(prepared) => prepared,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(NOT_CONFINED);
        }
    };
    match answer(what, &file, &mut BufWriter::with_capacity(64 << 10, io::stdout().lock())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(of_the_disk(&error).unwrap_or(NO_ANSWER))
        }
    }
}

/// The system's number of an error that says nothing about the file.
fn of_the_disk(error: &io::Error) -> Option<u8> {
    Trouble::in_chain(error)?;
    u8::try_from(error.raw_os_error()?).ok()
}

/// Writes the answer, preceded by a line of JSON for each row of a table.
fn answer(what: What, file: &File, to: &mut impl Write) -> io::Result<()> {
    let told = match what {
        What::Content(kind) => inspect::inspect(file, kind).map(Told::Content),
        What::Package => {
            inspect::inspect(file, FileKind::AndroidApp).map(|_| Told::Package(inspect::android_package(file)))
        }
        What::Profile => inspect::profile(file).map(Told::Profile),
        What::Rows => rows(file, to)?,
    };
    let told = match told {
        Ok(told) => told,
        Err(Fault::Refused(violation)) => Told::Refused(violation),
        Err(Fault::Io(error)) => return Err(error),
    };
    serde_json::to_writer(&mut *to, &told)?;
    to.write_all(b"\n")?;
    to.flush()
}

fn rows(file: &File, to: &mut impl Write) -> io::Result<Result<Told, Fault>> {
    let (mut count, mut failed) = (0_u32, None);
    let read = sheet::read(file, |row, mut cells| {
        cells.iter_mut().for_each(cut);
        let written = serde_json::to_writer(&mut *to, &(row, cells)).map_err(io::Error::from);
        failed = written.and_then(|()| to.write_all(b"\n")).err();
        count += 1;
        if failed.is_some() || count == TOLD_ROWS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(match read {
        Ok(()) => Ok(Told::End { rows: count }),
        Err(Problem::File(why)) => Ok(Told::Unread(why)),
        Err(Problem::Refused(violation)) => Err(Fault::Refused(violation)),
        Err(Problem::Disk(error)) => Err(Fault::Io(error)),
    })
}

fn cut(cell: &mut String) {
    if let Some((at, _)) = cell.char_indices().nth(CELL) {
        cell.truncate(at);
    }
}
