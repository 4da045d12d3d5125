//! `cat`, `head`, `tail`, `tee`, `wc`, `tac`.

use std::collections::VecDeque;

use super::input::Input;
use super::proc::{Outcome, Proc};
use crate::shell::fd::{Fd, Stop};

/// `cat`.
pub async fn cat(proc: Proc) -> Outcome {
    let Some(options) = proc.options("uetv", &[]).await else { return Ok(1) };
    let paths = if options.rest.is_empty() { vec!["-".to_owned()] } else { options.rest };
    let mut code = 0;
    for path in &paths {
        let Some(mut input) = proc.input(path).await else {
            code = 1;
            continue;
        };
        loop {
            let bytes = input.chunk().await?;
            if bytes.is_empty() {
                break;
            }
            proc.out(&bytes).await?;
        }
    }
    Ok(code)
}

/// `-5` as `-n 5`.
fn old_style(proc: &Proc) -> Vec<String> {
    let number = |arg: &String| arg.len() > 1 && arg.starts_with('-') && arg[1..].bytes().all(|b| b.is_ascii_digit());
    let args = proc.args().iter();
    args.flat_map(|arg| if number(arg) { vec!["-n".into(), arg[1..].into()] } else { vec![arg.clone()] }).collect()
}

/// `head`.
pub async fn head(proc: Proc) -> Outcome {
    let Some(options) = proc.options_of(&old_style(&proc), "n:c:qv", &[]).await else { return Ok(1) };
    let (inputs, code) = proc.inputs(&options.rest).await;
    let titles = (options.rest.len() > 1 && !options.has('q')) || options.has('v');
    for (at, mut input) in inputs.into_iter().enumerate() {
        if titles {
            proc.out(format!("{}==> {} <==\n", if at > 0 { "\n" } else { "" }, input.name)).await?;
        }
        match options.number('c') {
            Some(bytes) => first_bytes(&proc, &mut input, bytes).await?,
            None => {
                for _ in 0..options.number('n').unwrap_or(10) {
                    let Some(line) = input.line().await? else { break };
                    proc.out(&line).await?;
                }
            }
        }
    }
    Ok(code)
}

async fn first_bytes(proc: &Proc, input: &mut Input, mut left: u64) -> Result<(), Stop> {
    while left > 0 {
        let bytes = input.chunk().await?;
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        proc.out(&bytes[..count]).await?;
        left -= count as u64;
    }
    Ok(())
}

/// What `tail` keeps, at most.
const KEPT: usize = 16 << 20;

/// `tail`.
pub async fn tail(proc: Proc) -> Outcome {
    let Some(options) = proc.options_of(&old_style(&proc), "n:c:fFqv", &[]).await else { return Ok(1) };
    let by_bytes = options.value('c');
    let wanted = by_bytes.or_else(|| options.value('n')).unwrap_or("10");
    let from_start = wanted.starts_with('+');
    let Some(count) = super::sizes::size(wanted.trim_start_matches(['+', '-'])) else {
        return proc.fail(&format!("not integer: {wanted}")).await;
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let (inputs, code) = proc.inputs(&options.rest).await;
    let titles = options.rest.len() > 1 && !options.has('q') || options.has('v');
    for (at, mut input) in inputs.into_iter().enumerate() {
        if titles {
            proc.out(format!("{}==> {} <==\n", if at > 0 { "\n" } else { "" }, input.name)).await?;
        }
        match (by_bytes.is_some(), from_start) {
            (true, false) => last_bytes(&proc, &mut input, count).await?,
            (false, false) => last_lines(&proc, &mut input, count).await?,
            (true, true) => {
                let mut skip = count.saturating_sub(1);
                loop {
                    let bytes = input.chunk().await?;
                    if bytes.is_empty() {
                        break;
                    }
                    let cut = skip.min(bytes.len());
                    skip -= cut;
                    proc.out(&bytes[cut..]).await?;
                }
            }
            (false, true) => {
                let mut number = 0;
                while let Some(line) = input.line().await? {
                    number += 1;
                    if number >= count {
                        proc.out(&line).await?;
                    }
                }
            }
        }
    }
    Ok(code)
}

async fn last_bytes(proc: &Proc, input: &mut Input, count: usize) -> Result<(), Stop> {
    let mut kept: VecDeque<u8> = VecDeque::new();
    loop {
        let bytes = input.chunk().await?;
        if bytes.is_empty() {
            break;
        }
        kept.extend(&bytes);
        let over = kept.len().saturating_sub(count.min(KEPT));
        kept.drain(..over);
    }
    proc.out(kept.make_contiguous()).await
}

async fn last_lines(proc: &Proc, input: &mut Input, count: usize) -> Result<(), Stop> {
    let (mut kept, mut bytes) = (VecDeque::new(), 0);
    while let Some(line) = input.line().await? {
        bytes += line.len();
        kept.push_back(line);
        while kept.len() > count || bytes > KEPT {
            bytes -= kept.pop_front().map_or(0, |line| line.len());
        }
    }
    for line in kept {
        proc.out(&line).await?;
    }
    Ok(())
}

/// `tac`.
pub async fn tac(proc: Proc) -> Outcome {
    let (inputs, code) = proc.inputs(proc.args()).await;
    for mut input in inputs {
        let mut lines = Vec::new();
        while let Some(line) = input.line().await? {
            lines.push(line);
        }
        for line in lines.iter().rev() {
            proc.out(line).await?;
        }
    }
    Ok(code)
}

/// `tee`.
pub async fn tee(proc: Proc) -> Outcome {
    let Some(options) = proc.options("ai", &[]).await else { return Ok(1) };
    let (mut files, mut code) = (Vec::new(), 0);
    for path in &options.rest {
        let opened = proc.files().open(&proc.path(path), proc.new_meta(0o666));
        let opened = match opened {
            Ok(inode) if options.has('a') => Ok(inode),
            Ok(inode) => inode.truncate(0).map(|()| inode),
            Err(why) => Err(why),
        };
        match opened {
            Ok(inode) => files.push(Fd::file(inode, options.has('a'))),
            Err(why) => {
                proc.err_file(path, why).await;
                code = 1;
            }
        }
    }
    let mut input = proc.stdin();
    loop {
        let bytes = input.chunk().await?;
        if bytes.is_empty() {
            return Ok(code);
        }
        for file in &files {
            file.write(&bytes).await?;
        }
        proc.out(&bytes).await?;
    }
}

/// Lines, words, characters and bytes.
type Counts = [u64; 4];

async fn count(input: &mut Input) -> Result<Counts, Stop> {
    let (mut counts, mut in_word) = ([0; 4], false);
    loop {
        let bytes = input.chunk().await?;
        if bytes.is_empty() {
            return Ok(counts);
        }
        counts[3] += bytes.len() as u64;
        for byte in &bytes {
            counts[0] += u64::from(*byte == b'\n');
            let space = byte.is_ascii_whitespace();
            counts[1] += u64::from(!space && !in_word);
            in_word = !space;
            counts[2] += u64::from(byte & 0xc0 != 0x80);
        }
    }
}

/// `wc`.
pub async fn wc(proc: Proc) -> Outcome {
    let Some(options) = proc.options("lwmc", &[]).await else { return Ok(1) };
    let chosen: Vec<usize> =
        ['l', 'w', 'm', 'c'].iter().enumerate().filter(|(_, flag)| options.has(**flag)).map(|(at, _)| at).collect();
    let chosen = if chosen.is_empty() { vec![0, 1, 3] } else { chosen };
    // One number alone is not set in a column.
    let width = if chosen.len() > 1 || options.rest.len() > 1 { 7 } else { 0 };
    let line = |counts: &Counts, name: &str| {
        let numbers = chosen.iter().map(|at| format!("{:width$}", counts[*at])).collect::<Vec<_>>().join(" ");
        if name.is_empty() { format!("{numbers}\n") } else { format!("{numbers} {name}\n") }
    };
    let (inputs, code) = proc.inputs(&options.rest).await;
    let mut sums = [0; 4];
    for mut input in inputs {
        let counts = count(&mut input).await?;
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        proc.out(line(&counts, if options.rest.is_empty() { "" } else { &input.name })).await?;
    }
    if options.rest.len() > 1 {
        proc.out(line(&sums, "total")).await?;
    }
    Ok(code)
}
