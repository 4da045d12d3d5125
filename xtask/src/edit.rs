//! Lines that go into files which are there: where each belongs follows from what stands beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};

/// Where a line goes.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Among the lines that begin like this, which stand together in the order of the alphabet. Where there are none yet,
    /// the file ends with it.
    Sorted(&'static str),
    /// Before the line that ends what the first line begins: `LastIn("[", "]")`.
    LastIn(&'static str, &'static str),
    /// Before the first line that begins like this.
    Before(&'static str),
    /// In the middle of a line, before this text.
    Within(&'static str),
}

impl Place {
    /// `text` with `line` where it belongs; none where there is no such place.
    fn insert(self, text: &str, line: &str) -> Option<String> {
        let mut lines: Vec<&str> = text.lines().collect();
        let at = match self {
            Self::Within(there) => {
                let at = text.find(there)?;
                return Some([&text[..at], line, &text[at..]].concat());
            }
            Self::Before(start) => lines.iter().position(|one| one.starts_with(start))?,
            Self::Sorted(start) => {
                let Some(first) = lines.iter().position(|one| one.starts_with(start)) else {
                    return Some([text, "\n", line, "\n"].concat());
                };
                let block = lines[first..].iter().take_while(|one| one.starts_with(start));
                first + block.take_while(|one| **one < line).count()
            }
            Self::LastIn(open, close) => {
                let open = lines.iter().position(|one| *one == open)?;
                open + lines[open..].iter().position(|one| *one == close)?
            }
        };
        lines.insert(at, line);
        Some(lines.join("\n") + "\n")
    }
}

/// Texts that go into files: the file, where in it, the text.
pub type Lines = &'static [(&'static str, Place, &'static str)];

/// The files under `root` with these lines in them, their names filled in by `fill`. Nothing is written.
///
/// # Errors
/// When a file is not there, or has no such place.
pub fn with_lines(
    root: &Path,
    lines: Lines,
    fill: impl Fn(&str) -> String,
) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let mut changed = BTreeMap::new();
    for (name, place, line) in lines {
        let path = root.join(fill(name));
        let text = match changed.remove(&path) {
            Some(text) => text,
            None => std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?,
        };
        let Some(text) = place.insert(&text, &fill(line)) else { bail!("{name} has no {place:?} for `{line}`") };
        changed.insert(path, text);
    }
    Ok(changed)
}

/// Writes `files`, with the folders that they are in, and tells it.
///
/// # Errors
/// When one cannot be written.
pub fn write<'a>(files: impl IntoIterator<Item = (&'a PathBuf, &'a String)>) -> anyhow::Result<()> {
    for (path, text) in files {
        std::fs::create_dir_all(path.parent().context("every file has a folder")?)?;
        std::fs::write(path, text)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Formats files that bring no others with them: how long a name is decides where a line ends.
///
/// # Errors
/// When that is not possible.
pub fn format<'a>(root: &Path, files: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let status = Command::new("rustfmt").args(["--edition", "2024", "--config-path"]).arg(root).args(files).status();
    ensure!(status.is_ok_and(|status| status.success()), "rustfmt failed: run `cargo fmt` before you go on");
    Ok(())
}
