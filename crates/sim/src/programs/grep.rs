//! `grep`.

use ::regex::bytes::Regex;

use super::input::{Input, bare};
use super::options::Options;
use super::proc::{Outcome, Proc};
use super::regex::{Style, compile};
use crate::files::join;
use crate::shell::fd::Stop;

struct Search {
    wanted: Vec<Regex>,
    options: Options,
    named: bool,
    max: u64,
    before: usize,
    after: usize,
}

impl Search {
    fn find<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let fits = |found: &::regex::bytes::Match<'_>| {
            let whole = !self.options.has('x') || found.len() == line.len();
            let apart = !self.options.has('w')
                || !word(found.start().checked_sub(1).and_then(|at| line.get(at))) && !word(line.get(found.end()));
            // What is nothing at all makes a line fit, but there is nothing of it to print.
            whole && apart && !(self.options.has('o') && found.is_empty())
        };
        let found = self.wanted.iter().flat_map(|regex| regex.find_iter(line)).filter(fits);
        found.min_by_key(|found| (found.start(), usize::MAX - found.len())).map(|found| &line[found.range()])
    }
}

/// `grep`.
pub async fn grep(proc: Proc) -> Outcome {
    let long = [("include", 'I'), ("color", 'Q'), ("quiet", 'q'), ("count", 'c'), ("invert-match", 'v')];
    let Some(mut options) = proc.options("EFGvcqinlLohHrRsxwae:f:m:A:B:C:I:Q", &long).await else { return Ok(2) };
    let mut patterns: Vec<String> = options.values('e').flat_map(|text| text.split('\n')).map(str::to_owned).collect();
    for path in options.values('f').map(str::to_owned).collect::<Vec<_>>() {
        let Some(mut input) = proc.input(&path).await else { return Ok(2) };
        while let Some(line) = input.line().await? {
            patterns.push(String::from_utf8_lossy(bare(&line)).into_owned());
        }
    }
    if patterns.is_empty() && options.value('f').is_none() {
        if options.rest.is_empty() {
            proc.err("no REGEX").await;
            return Ok(2);
        }
        patterns = options.rest.remove(0).split('\n').map(str::to_owned).collect();
    }
    let style = match proc.name() {
        "egrep" => Style::Extended,
        "fgrep" => Style::Fixed,
        _ if options.has('F') => Style::Fixed,
        _ if options.has('E') => Style::Extended,
        _ => Style::Basic,
    };
    let wanted = patterns.iter().map(|pattern| compile(pattern, style, options.has('i'))).collect::<Result<_, _>>();
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(why) => {
            proc.err(&why).await;
            return Ok(2);
        }
    };
    let recursive = options.has('r') || options.has('R');
    let (paths, mut code) = paths(&proc, &options, recursive).await;
    let named = (options.rest.len() > 1 || recursive || options.has('H')) && !options.has('h');
    let around = options.number('C').unwrap_or(0);
    let lines = |flag| usize::try_from(options.number(flag).unwrap_or(around)).unwrap_or(0);
    let (before, after, max) = (lines('B'), lines('A'), options.number('m').unwrap_or(u64::MAX));
    let search = Search { wanted, options, named, max, before, after };
    let mut found = false;
    for path in paths {
        let Some(input) = proc.input(&path).await else {
            code = 2;
            continue;
        };
        found |= search_one(&proc, &search, input).await? > 0;
        if found && search.options.has('q') {
            return Ok(0);
        }
    }
    Ok(if code > 0 { code } else { u8::from(!found) })
}

/// The files to look into.
async fn paths(proc: &Proc, options: &Options, recursive: bool) -> (Vec<String>, u8) {
    let given = match (options.rest.is_empty(), recursive) {
        (true, true) => vec![".".to_owned()],
        (true, false) => vec!["-".to_owned()],
        (false, _) => options.rest.clone(),
    };
    if !recursive {
        return (given, 0);
    }
    let (mut found, mut left, mut code) = (Vec::new(), given, 0);
    left.reverse();
    while let Some(path) = left.pop() {
        match proc.inode(&path, true) {
            Ok(inode) if inode.is_folder() => {
                let children = proc.children(&path);
                if let Err(why) = children {
                    proc.err_file(&path, why).await;
                }
                let children = children.unwrap_or_default();
                left.extend(children.into_iter().rev().map(|(name, _)| join(&path, &name)));
            }
            Ok(_) => found.push(path),
            Err(why) => {
                proc.err_file(&path, why).await;
                code = 2;
            }
        }
    }
    (found, code)
}

async fn search_one(proc: &Proc, search: &Search, mut input: Input) -> Result<u64, Stop> {
    let options = &search.options;
    let name = if input.name == "-" { "(standard input)".to_owned() } else { input.name.clone() };
    let quiet = ['q', 'c', 'l', 'L'].iter().any(|flag| options.has(*flag));
    let (mut hits, mut number, mut kept, mut after, mut last) = (0, 0_u64, Vec::new(), 0, 0);
    while let Some(line) = input.line().await? {
        number += 1;
        let text = bare(&line);
        let found = search.find(text);
        let prefix = |sign: char, number: u64| {
            let name = if search.named { format!("{name}{sign}") } else { String::new() };
            if options.has('n') { format!("{name}{number}{sign}") } else { name }
        };
        let print = |sign: char, number: u64, text: &[u8]| [prefix(sign, number).as_bytes(), text, b"\n"].concat();
        if found.is_some() == options.has('v') {
            if after > 0 && !quiet {
                after -= 1;
                last = number;
                proc.out(print('-', number, text)).await?;
            } else if search.before > 0 {
                kept.push((number, text.to_vec()));
                if kept.len() > search.before {
                    kept.remove(0);
                }
            }
            continue;
        }
        hits += 1;
        if options.has('q') || options.has('l') {
            break;
        }
        if !quiet {
            let gap = search.before + search.after > 0
                && last > 0
                && kept.first().map_or(number, |(number, _)| *number) > last + 1;
            if gap {
                proc.out("--\n").await?;
            }
            for (number, text) in kept.drain(..) {
                proc.out(print('-', number, &text)).await?;
            }
            if options.has('o') {
                let mut rest = text;
                while let Some(found) = search.find(rest).filter(|found| !found.is_empty()) {
                    proc.out(print(':', number, found)).await?;
                    let end = found.as_ptr() as usize - rest.as_ptr() as usize + found.len();
                    rest = &rest[end..];
                }
            } else {
                proc.out(print(':', number, text)).await?;
            }
            (after, last) = (search.after, number);
        }
        if hits >= search.max {
            break;
        }
    }
    if options.has('c') {
        let name = if search.named { format!("{name}:") } else { String::new() };
        proc.out(format!("{name}{hits}\n")).await?;
    }
    if options.has('l') && hits > 0 || options.has('L') && hits == 0 {
        proc.out(format!("{name}\n")).await?;
    }
    Ok(hits)
}
