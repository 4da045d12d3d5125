//! `sort`.

use std::cmp::Ordering;

use super::input::bare;
use super::proc::{Outcome, Proc};

/// What is sorted is kept, up to so many bytes.
const KEPT: usize = 64 << 20;

/// One `-k`.
#[derive(Clone, Default)]
struct Key {
    first: usize,
    skip: usize,
    last: Option<usize>,
    numeric: bool,
    reverse: bool,
    fold: bool,
}

fn key(text: &str) -> Option<Key> {
    let letters: String = text.chars().filter(char::is_ascii_alphabetic).collect();
    let numbers: String = text.chars().filter(|c| !c.is_ascii_alphabetic()).collect();
    let (first, last) = numbers.split_once(',').map_or((numbers.as_str(), None), |(first, last)| (first, Some(last)));
    let (first, skip) = first.split_once('.').unwrap_or((first, "1"));
    Some(Key {
        first: first.parse().ok()?,
        skip: skip.parse::<usize>().ok()?.saturating_sub(1),
        last: match last {
            Some(last) => Some(last.split('.').next().unwrap_or(last).parse().ok()?),
            None => None,
        },
        numeric: letters.contains('n'),
        reverse: letters.contains('r'),
        fold: letters.contains('f'),
    })
}

/// What a key takes out of a line.
fn cut<'a>(line: &'a [u8], key: &Key, separator: Option<u8>) -> &'a [u8] {
    if key.first == 0 {
        return line;
    }
    let mut starts = vec![0];
    match separator {
        Some(separator) => {
            starts.extend(line.iter().enumerate().filter(|(_, b)| **b == separator).map(|(at, _)| at + 1))
        }
        None => starts.extend(
            (1..line.len()).filter(|at| line[*at].is_ascii_whitespace() && !line[at - 1].is_ascii_whitespace()),
        ),
    }
    let Some(start) = starts.get(key.first - 1).copied() else { return &[] };
    let end = match key.last.and_then(|last| starts.get(last)) {
        Some(next) => next - usize::from(separator.is_some()),
        None => line.len(),
    };
    line.get((start + key.skip).min(end)..end).unwrap_or_default()
}

/// The number that a text begins with.
fn number(text: &[u8]) -> f64 {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start();
    let end = text.char_indices().find(|(at, c)| !(c.is_ascii_digit() || *c == '.' || *at == 0 && *c == '-'));
    text[..end.map_or(text.len(), |(at, _)| at)].parse().unwrap_or(0.0)
}

fn compare(a: &[u8], b: &[u8], key: &Key) -> Ordering {
    let order = if key.numeric {
        number(a).total_cmp(&number(b))
    } else if key.fold {
        a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
    } else {
        a.cmp(b)
    };
    if key.reverse { order.reverse() } else { order }
}

/// `sort`.
pub async fn sort(proc: Proc) -> Outcome {
    let Some(options) = proc.options("bfgk:no:rst:uxzhVcCmdiM", &[]).await else { return Ok(1) };
    let Some(mut keys) = options.values('k').map(key).collect::<Option<Vec<_>>>() else {
        return proc.fail("bad key").await;
    };
    let whole = Key {
        numeric: options.has('n') || options.has('g'),
        reverse: options.has('r'),
        fold: options.has('f'),
        ..Key::default()
    };
    for key in &mut keys {
        if !key.numeric && !key.reverse && !key.fold {
            (key.numeric, key.reverse, key.fold) = (whole.numeric, whole.reverse, whole.fold);
        }
    }
    if keys.is_empty() {
        keys.push(whole.clone());
    }
    let separator = options.value('t').and_then(|text| text.bytes().next());
    let end = if options.has('z') { 0 } else { b'\n' };
    let (mut lines, mut bytes) = (Vec::new(), 0);
    let (inputs, code) = proc.inputs(&options.rest).await;
    for mut input in inputs {
        while let Some(line) = input.part(end).await? {
            bytes += line.len();
            if bytes > KEPT {
                return proc.fail("out of memory").await;
            }
            let line = if end == 0 { line.strip_suffix(b"\0").unwrap_or(&line) } else { bare(&line) };
            lines.push(line.to_vec());
        }
    }
    let by_keys = |a: &Vec<u8>, b: &Vec<u8>| {
        let orders = keys.iter().map(|key| compare(cut(a, key, separator), cut(b, key, separator), key));
        orders.fold(Ordering::Equal, Ordering::then)
    };
    lines.sort_by(|a, b| {
        let last = || if options.has('s') || options.has('u') { Ordering::Equal } else { a.cmp(b) };
        by_keys(a, b).then_with(|| if whole.reverse { last().reverse() } else { last() })
    });
    if options.has('u') {
        lines.dedup_by(|a, b| by_keys(a, b) == Ordering::Equal);
    }
    let mut out = Vec::new();
    for line in lines {
        out.extend(line);
        out.push(end);
    }
    match options.value('o') {
        Some(path) => {
            let file = proc.files().open(&proc.path(path), proc.new_meta(0o666))?;
            file.truncate(0)?;
            file.write(0, &out)?;
        }
        None => proc.out(&out).await?,
    }
    Ok(code)
}
