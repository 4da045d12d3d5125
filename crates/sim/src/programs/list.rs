//! `ls`.

use std::sync::Arc;

use super::meta::{letters, user};
use super::options::Options;
use super::proc::{Outcome, Proc};
use crate::files::{Files, Inode, join};
use crate::shell::common::Later;

struct Entry {
    name: String,
    inode: Arc<Inode>,
    context: String,
}

/// `ls`.
pub async fn ls(proc: Proc) -> Outcome {
    let Some(options) = proc.options("AaCcdFfhHiLlmNnopqRrSstukgxZ1bw:", &[("color", 'Q'), ("full-time", 'T')]).await
    else {
        return Ok(1);
    };
    let (mut files, mut folders, mut code) = (Vec::new(), Vec::new(), 0);
    let paths = if options.rest.is_empty() { vec![".".to_owned()] } else { options.rest.clone() };
    for path in &paths {
        // A link that is named is followed, unless it is looked at itself.
        let follow = !(options.has('l') || options.has('d')) || options.has('L') || options.has('H');
        let found = proc.find(path, follow).or_else(|_| proc.find(path, false));
        match found.map(|found| (found.path, found.inode)) {
            Ok((_, Some(inode))) if inode.is_folder() && !options.has('d') => folders.push(path.clone()),
            Ok((full, Some(inode))) => {
                files.push(Entry { name: path.clone(), context: Files::context(&full, &inode), inode });
            }
            Ok((_, None)) => {}
            Err(why) => {
                proc.err_file(path, why).await;
                code = 1;
            }
        }
    }
    let titles = options.rest.len() > 1 || options.has('R');
    let mut blank = !files.is_empty();
    if !files.is_empty() {
        proc.out(listed(files, &options)).await?;
    }
    folders.sort();
    for folder in folders {
        let failed = folder_listed(&proc, folder, &options, titles, blank).await?;
        code |= failed;
        blank |= failed == 0;
    }
    Ok(code)
}

fn folder_listed<'a>(
    proc: &'a Proc,
    path: String,
    options: &'a Options,
    title: bool,
    blank: bool,
) -> Later<'a, Outcome> {
    Box::pin(async move {
        let (full, children) = match proc.find(&path, true).and_then(|found| Ok((found.path, proc.children(&path)?))) {
            Ok(read) => read,
            Err(why) => {
                proc.err_file(&path, why).await;
                return Ok(1);
            }
        };
        if title {
            proc.out(format!("{}{path}:\n", if blank { "\n" } else { "" })).await?;
        }
        let entry = |name: &str, inode: &Arc<Inode>| {
            let context = Files::context(&join(&full, name), inode);
            Entry { name: name.to_owned(), inode: Arc::clone(inode), context }
        };
        let all = options.has('a') || options.has('f');
        let shown = |name: &str| all || options.has('A') || !name.starts_with('.');
        let mut entries: Vec<Entry> =
            children.iter().filter(|(name, _)| shown(name)).map(|(name, inode)| entry(name, inode)).collect();
        if all {
            for name in ["..", "."] {
                if let Ok(inode) = proc.inode(&join(&path, name), true) {
                    entries.insert(0, entry(name, &inode));
                }
            }
        }
        if options.has('l') || options.has('s') {
            let pages: u64 = entries.iter().map(|entry| entry.inode.charged() / 1024).sum();
            proc.out(format!("total {pages}\n")).await?;
        }
        proc.out(listed(entries, options)).await?;
        let mut code = 0;
        if options.has('R') {
            for (name, inode) in children.iter().filter(|(name, inode)| inode.is_folder() && shown(name)) {
                let _ = inode;
                code |= folder_listed(proc, join(&path, name), options, true, true).await?;
            }
        }
        Ok(code)
    })
}

/// A size such as `1.5K`.
#[must_use]
pub fn human(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit < 5 {
        value /= 1024.0;
        unit += 1;
    }
    let letter = ["", "K", "M", "G", "T", "P"][unit];
    if unit > 0 && value < 10.0 { format!("{value:.1}{letter}") } else { format!("{value:.0}{letter}") }
}

fn listed(mut entries: Vec<Entry>, options: &Options) -> String {
    if !options.has('f') {
        entries.sort_by(|a, b| a.name.cmp(&b.name));
    }
    if options.has('t') {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.inode.meta().modified));
    }
    if options.has('S') {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.inode.size()));
    }
    if options.has('r') {
        entries.reverse();
    }
    let rows: Vec<Vec<String>> = entries.iter().map(|entry| columns(entry, options)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        for (at, text) in row.iter().enumerate() {
            if at + 1 == count {
                out += text;
                continue;
            }
            let gap = " ".repeat(widths[at] - text.chars().count());
            // Names are put to the left, numbers to the right.
            let number = text.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
            out += &if number { gap + text } else { text.clone() + &gap };
            out.push(' ');
        }
        out.push('\n');
    }
    out
}

fn columns(entry: &Entry, options: &Options) -> Vec<String> {
    let (inode, meta) = (&entry.inode, entry.inode.meta());
    let mut row = Vec::new();
    if options.has('i') {
        row.push(inode.number.to_string());
    }
    if options.has('s') {
        row.push((inode.charged() / 1024).to_string());
    }
    let long = options.has('l') || options.has('n') || options.has('o') || options.has('g');
    if long {
        row.push(letters(inode.mode()));
        row.push(if inode.is_folder() { 2 } else { inode.names() }.to_string());
        let name = |id| if options.has('n') { format!("{id}") } else { user(id) };
        if !options.has('g') {
            row.push(name(meta.uid));
        }
        if !options.has('o') {
            row.push(name(meta.gid));
        }
    }
    if options.has('Z') {
        row.push(entry.context.clone());
    }
    if long {
        row.push(if options.has('h') { human(inode.size()) } else { inode.size().to_string() });
        row.push(super::moments::format("%Y-%m-%d %H:%M", meta.modified));
    }
    let mark = match () {
        () if inode.is_folder() && (options.has('F') || options.has('p')) => "/",
        () if options.has('F') && inode.target().is_some() && !long => "@",
        () if options.has('F') && inode.target().is_none() && meta.mode & 0o111 > 0 => "*",
        () => "",
    };
    let target = inode.target().filter(|_| long).map(|target| format!(" -> {target}")).unwrap_or_default();
    row.push(format!("{}{mark}{target}", entry.name));
    row
}
