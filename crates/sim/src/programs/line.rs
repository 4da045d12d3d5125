//! `cut`, `tr`, `uniq`, `seq`, `yes`.

use super::input::bare;
use super::proc::{Outcome, Proc};

/// Ranges such as `1,3-5,7-`, from 1.
fn ranges(text: &str) -> Option<Vec<(usize, usize)>> {
    text.split(',')
        .map(|part| match part.split_once('-') {
            None => part.parse().ok().map(|at| (at, at)),
            Some(("", last)) => Some((1, last.parse().ok()?)),
            Some((first, "")) => Some((first.parse().ok()?, usize::MAX)),
            Some((first, last)) => Some((first.parse().ok()?, last.parse().ok()?)),
        })
        .collect()
}

/// `cut`.
pub async fn cut(proc: Proc) -> Outcome {
    let Some(options) = proc.options("b:c:f:d:F:O:sn", &[]).await else { return Ok(1) };
    let chosen = ['f', 'c', 'b'].iter().find_map(|flag| Some((*flag, options.value(*flag)?)));
    let Some((kind, list)) = chosen else { return proc.fail("no list").await };
    let Some(ranges) = ranges(list) else { return proc.fail(&format!("bad {list}")).await };
    let takes = |number: usize| ranges.iter().any(|(first, last)| (*first..=*last).contains(&number));
    let delimiter = options.value('d').unwrap_or("\t");
    let (inputs, code) = proc.inputs(&options.rest).await;
    for mut input in inputs {
        while let Some(line) = input.line().await? {
            let text = String::from_utf8_lossy(bare(&line)).into_owned();
            let cut = match kind {
                'f' if !text.contains(delimiter) => {
                    if options.has('s') {
                        continue;
                    }
                    text
                }
                'f' => {
                    let fields = text.split(delimiter).enumerate();
                    fields.filter(|(at, _)| takes(at + 1)).map(|(_, field)| field).collect::<Vec<_>>().join(delimiter)
                }
                _ => text.chars().enumerate().filter(|(at, _)| takes(at + 1)).map(|(_, c)| c).collect(),
            };
            proc.out(cut + "\n").await?;
        }
    }
    Ok(code)
}

/// A set of `tr`: ranges, classes, escapes.
fn set(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        if let Some((class, after)) = rest.strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
            let has = |byte: &u8| match class {
                "alpha" => byte.is_ascii_alphabetic(),
                "digit" => byte.is_ascii_digit(),
                "alnum" => byte.is_ascii_alphanumeric(),
                "upper" => byte.is_ascii_uppercase(),
                "lower" => byte.is_ascii_lowercase(),
                "space" => byte.is_ascii_whitespace() || *byte == 11,
                "blank" => *byte == b' ' || *byte == b'\t',
                "punct" => byte.is_ascii_punctuation(),
                "cntrl" => byte.is_ascii_control(),
                "print" => (32..127).contains(byte),
                "xdigit" => byte.is_ascii_hexdigit(),
                _ => false,
            };
            out.extend((0..=255).filter(has));
            rest = after;
            continue;
        }
        let length = if first == '\\' {
            let digits = rest[1..].bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
            1 + digits.max(rest[1..].chars().next().map_or(0, char::len_utf8).min(4))
        } else {
            first.len_utf8()
        };
        let (unit, after) = rest.split_at(length.min(rest.len()));
        let (bytes, _) = crate::shell::common::unescape(unit);
        rest = after;
        let range = rest.strip_prefix('-').and_then(|rest| rest.chars().next());
        match (bytes.as_slice(), range) {
            ([from], Some(to)) if to.is_ascii() => {
                out.extend(*from..=u8::try_from(to).unwrap_or(*from));
                rest = &rest[1 + to.len_utf8()..];
            }
            _ => out.extend(bytes),
        }
    }
    out
}

/// `tr`.
pub async fn tr(proc: Proc) -> Outcome {
    let Some(options) = proc.options("cCsdt", &[]).await else { return Ok(1) };
    let Some(first) = options.rest.first() else { return proc.fail("Needs 1 argument").await };
    let mut from = set(first);
    if options.has('c') || options.has('C') {
        from = (0..=255).filter(|byte| !from.contains(byte)).collect();
    }
    let to = options.rest.get(1).map(|text| set(text)).unwrap_or_default();
    let deletes = options.has('d');
    let mut map: Vec<Option<u8>> = (0..=255).map(Some).collect();
    for (at, byte) in from.iter().enumerate() {
        map[usize::from(*byte)] = match (deletes, to.get(at).or(to.last())) {
            (true, _) => None,
            (false, Some(other)) => Some(*other),
            (false, None) => Some(*byte),
        };
    }
    let squeezed = if to.is_empty() { &from } else { &to };
    let mut last = None;
    let mut input = proc.stdin();
    loop {
        let bytes = input.chunk().await?;
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes.iter().filter_map(|byte| map[usize::from(*byte)]) {
            if !(options.has('s') && last == Some(byte) && squeezed.contains(&byte)) {
                out.push(byte);
            }
            last = Some(byte);
        }
        proc.out(&out).await?;
    }
}

/// `uniq`.
pub async fn uniq(proc: Proc) -> Outcome {
    let Some(options) = proc.options("cdui", &[]).await else { return Ok(1) };
    let (inputs, code) = proc.inputs(&options.rest[..options.rest.len().min(1)]).await;
    let Some(mut input) = inputs.into_iter().next() else { return Ok(code) };
    let same = |a: &[u8], b: &[u8]| if options.has('i') { a.eq_ignore_ascii_case(b) } else { a == b };
    let mut last: Option<(Vec<u8>, u64)> = None;
    loop {
        let line = input.line().await?.map(|line| bare(&line).to_vec());
        if let (Some(line), Some((before, count))) = (&line, &mut last)
            && same(line, before)
        {
            *count += 1;
            continue;
        }
        let ended = line.is_none();
        if let Some((before, count)) = std::mem::replace(&mut last, line.map(|line| (line, 1))) {
            let wanted = !(options.has('d') && count == 1 || options.has('u') && count > 1);
            if wanted {
                let mut text = if options.has('c') { format!("{count:7} ").into_bytes() } else { Vec::new() };
                text.extend(before);
                text.push(b'\n');
                proc.out(&text).await?;
            }
        }
        if ended {
            return Ok(code);
        }
    }
}

/// `seq`.
pub async fn seq(proc: Proc) -> Outcome {
    let mut args = proc.args().to_vec();
    let (mut separator, mut padded) = ("\n".to_owned(), false);
    while let Some(flag) = args.first().cloned() {
        match flag.as_str() {
            "-s" if args.len() > 1 => {
                separator = args.remove(1);
                args.remove(0);
            }
            "-w" => {
                padded = true;
                args.remove(0);
            }
            _ => break,
        }
    }
    let numbers: Option<Vec<f64>> = args.iter().map(|arg| arg.parse().ok()).collect();
    let (first, step, last) = match numbers.as_deref() {
        Some([last]) => (1.0, 1.0, *last),
        Some([first, last]) => (*first, 1.0, *last),
        Some([first, step, last]) => (*first, *step, *last),
        _ => return proc.fail("needs 1 to 3 numbers").await,
    };
    let decimals = |text: &String| text.split_once('.').map_or(0, |(_, digits)| digits.len());
    let precision = args.iter().take(args.len().saturating_sub(1).max(1)).map(decimals).max().unwrap_or(0);
    let width = if padded { args.iter().map(String::len).max().unwrap_or(0) } else { 0 };
    let mut at: f64 = 0.0;
    let mut text = String::new();
    loop {
        let value = first + at * step;
        let past = if step < 0.0 { value < last } else { value > last };
        if past || step == 0.0 && at > 0.0 {
            break;
        }
        if at > 0.0 {
            text += &separator;
        }
        text += &format!("{value:0width$.precision$}");
        at += 1.0;
        if text.len() > 16 * 1024 {
            proc.out(std::mem::take(&mut text)).await?;
            tokio::task::yield_now().await;
        }
    }
    if at > 0.0 {
        text.push('\n');
    }
    proc.out(text).await?;
    Ok(0)
}

/// `yes`.
pub async fn yes(proc: Proc) -> Outcome {
    let line = if proc.args().is_empty() { "y".to_owned() } else { proc.args().join(" ") } + "\n";
    let text = line.repeat((4096 / line.len()).max(1));
    loop {
        proc.out(&text).await?;
        tokio::task::yield_now().await;
    }
}
