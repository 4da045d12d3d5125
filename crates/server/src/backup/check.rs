//! Whether a backup contains what its manifest lists.

use std::collections::BTreeSet;
use std::io::Read;
use std::str::FromStr as _;

use anyhow::{bail, ensure};
use aws_lc_rs::digest;
use courier::ObjectKey;

use super::tables;
use super::{Archive, MANIFEST, object_file, table_file};

/// The expected size and hash of a file.
struct Expected {
    name: String,
    what: String,
    size: u64,
    rows: Option<u64>,
    sha256: String,
}

impl Archive {
    /// Reads everything and returns what does not match the manifest, in words.
    pub fn problems(&mut self) -> Vec<String> {
        let expected = self.expected();
        let mut found = Vec::new();
        for expected in &expected {
            if let Some(problem) = self.problem_of(expected) {
                found.push(problem);
            }
        }
        let known: BTreeSet<&str> = expected.iter().map(|expected| expected.name.as_str()).collect();
        for name in self.zip.file_names() {
            match name {
                Ok(name) if name == MANIFEST || known.contains(&*name) => {}
                Ok(name) => found.push(format!("{name} is in it, but not in its manifest")),
                Err(error) => found.push(format!("the name of a file cannot be read: {error}")),
            }
        }
        let keys = self.manifest().files.iter().filter(|file| ObjectKey::from_str(&file.key).is_err());
        found.extend(keys.map(|file| format!("its manifest lists a file outside its folder: {}", file.key)));
        found
    }

    /// Reads everything.
    ///
    /// # Errors
    /// When anything does not match the manifest; the message names it.
    pub fn check(&mut self) -> anyhow::Result<()> {
        if self.is_checked {
            return Ok(());
        }
        let found = self.problems();
        let all = self.manifest().tables.len() + self.manifest().files.len();
        ensure!(found.is_empty(), "the backup is incomplete: {}", in_lines(&found, all));
        self.is_checked = true;
        Ok(())
    }

    /// Whether this version can restore it: it has the same schema and tables, and is complete.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check_for_restore(&mut self) -> anyhow::Result<()> {
        self.fits(&tables::schema())?;
        self.check()
    }

    fn fits(&self, schema: &str) -> anyhow::Result<()> {
        let manifest = self.manifest();
        if manifest.schema.as_str() > schema {
            bail!(
                "the backup was made by a newer version, Skyrack {} (schema {}; this version has {schema}): update first",
                manifest.version,
                manifest.schema
            );
        }
        if manifest.schema != schema {
            bail!(
                "the backup was made by an older version, Skyrack {} (schema {}; this version has {schema}): restore it with that version, then update",
                manifest.version,
                manifest.schema
            );
        }
        let missing: Vec<&str> = tables::kept()
            .map(|(table, _)| table.name)
            .filter(|table| !manifest.tables.iter().any(|entry| entry.name == *table))
            .collect();
        if !missing.is_empty() {
            bail!("the backup is incomplete: it does not list the tables {}", missing.join(", "));
        }
        let foreign: Vec<&str> = manifest
            .tables
            .iter()
            .map(|entry| entry.name.as_str())
            .filter(|name| !tables::kept().any(|(table, _)| table.name == *name))
            .collect();
        if !foreign.is_empty() {
            bail!("the backup lists tables that this version does not have: {}", foreign.join(", "));
        }
        Ok(())
    }

    fn expected(&self) -> Vec<Expected> {
        let tables = self.manifest().tables.iter().map(|table| Expected {
            name: table_file(&table.name),
            what: format!("table {}", table.name),
            size: table.size,
            rows: Some(table.rows),
            sha256: table.sha256.clone(),
        });
        let files = self.manifest().files.iter().map(|file| Expected {
            name: object_file(&file.key),
            what: format!("file {}", file.key),
            size: file.size,
            rows: None,
            sha256: file.sha256.clone(),
        });
        tables.chain(files).collect()
    }

    fn problem_of(&mut self, expected: &Expected) -> Option<String> {
        let Expected { name, what, size, rows, sha256 } = expected;
        let mut entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => return Some(format!("{what} is missing")),
            Err(error) => return Some(format!("{what} cannot be read: {error}")),
        };
        match measure(&mut entry) {
            Err(error) => Some(format!("{what} cannot be read: {error}")),
            Ok(found) if found.size != *size => Some(format!("{what} has {} bytes instead of {size}", found.size)),
            Ok(found) if found.sha256 != *sha256 => Some(format!("{what} was modified")),
            Ok(found) => rows
                .filter(|rows| *rows != found.lines)
                .map(|rows| format!("{what} has {} rows instead of {rows}", found.lines)),
        }
    }
}

/// What is wrong with a backup of `all` files and tables, each in a line of its own: whoever looks elsewhere for what is
/// lost needs all of the names.
pub(super) fn in_lines(found: &[String], all: usize) -> String {
    let lines: String = found.iter().map(|problem| format!("\n  {problem}")).collect();
    format!("{} problems in {all} files and tables:{lines}", found.len())
}

struct Measured {
    size: u64,
    lines: u64,
    sha256: String,
}

fn measure(from: &mut impl Read) -> std::io::Result<Measured> {
    let (mut hash, mut size, mut lines) = (digest::Context::new(&digest::SHA256), 0, 0);
    let mut piece = vec![0; 1 << 18];
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok(Measured { size, lines, sha256: hex::encode(hash.finish()) });
        }
        hash.update(&piece[..read]);
        size += read as u64;
        lines += piece[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
    }
}
