//! Programs about bytes: `base64`, `cmp`, `gzip`, `rev`, `xxd`.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::input::{Input, bare};
use super::proc::{Outcome, Proc};
use crate::files::Files;
use crate::shell::fd::Stop;

/// What is taken as a whole is no larger.
const WHOLE: usize = 64 << 20;

/// Everything that comes, if it is not too much.
async fn all(proc: &Proc, input: &mut Input) -> Result<Option<Vec<u8>>, Stop> {
    let mut bytes = Vec::new();
    loop {
        let more = input.chunk().await?;
        if more.is_empty() {
            return Ok(Some(bytes));
        }
        bytes.extend_from_slice(&more);
        if bytes.len() > WHOLE {
            proc.err(&format!("{}: too large for this card", input.name)).await;
            return Ok(None);
        }
    }
}

/// `base64`.
pub async fn base64(proc: Proc) -> Outcome {
    let Some(options) = proc.options("diw:", &[("decode", 'd')]).await else { return Ok(1) };
    let width = options.number('w').and_then(|width| usize::try_from(width).ok()).unwrap_or(76);
    let (inputs, mut code) = proc.inputs(&options.rest).await;
    for mut input in inputs {
        let Some(mut bytes) = all(&proc, &mut input).await? else { return Ok(1) };
        if options.has('d') {
            bytes.retain(|byte| !byte.is_ascii_whitespace());
            match STANDARD.decode(&bytes) {
                Ok(decoded) => proc.out(decoded).await?,
                Err(_) => code = 1,
            }
            continue;
        }
        let text = STANDARD.encode(&bytes);
        if width == 0 {
            proc.out(text).await?;
            continue;
        }
        for line in text.as_bytes().chunks(width) {
            proc.out([line, b"\n"].concat()).await?;
        }
    }
    Ok(code)
}

/// `cmp`.
pub async fn cmp(proc: Proc) -> Outcome {
    let Some(options) = proc.options("ls", &[]).await else { return Ok(2) };
    let [one, two] = options.rest.as_slice() else {
        proc.err("Need 2 arguments").await;
        return Ok(2);
    };
    let (Some(mut first), Some(mut second)) = (proc.input(one).await, proc.input(two).await) else { return Ok(2) };
    let (Some(a), Some(b)) = (all(&proc, &mut first).await?, all(&proc, &mut second).await?) else { return Ok(2) };
    let differs = a.iter().zip(&b).position(|(a, b)| a != b);
    match differs {
        None if a.len() == b.len() => return Ok(0),
        _ if options.has('s') => {}
        None => {
            let (short, length) = if a.len() < b.len() { (one, a.len()) } else { (two, b.len()) };
            let lines = a[..length].iter().filter(|byte| **byte == b'\n').count();
            proc.err(&format!("EOF on {short} after byte {length}, line {lines}")).await;
            return Ok(2);
        }
        Some(at) if !options.has('l') => {
            let line = 1 + a[..at].iter().filter(|byte| **byte == b'\n').count();
            proc.out(format!("{one} {two} differ: char {}, line {line}\n", at + 1)).await?;
        }
        Some(_) => {
            for (at, (a, b)) in a.iter().zip(&b).enumerate().filter(|(_, (a, b))| a != b) {
                proc.out(format!("{} {a:o} {b:o}\n", at + 1)).await?;
            }
        }
    }
    Ok(1)
}

/// `gzip`, `gunzip` and `zcat`.
pub async fn gzip(proc: Proc) -> Outcome {
    let Some(options) = proc.options("cdfk123456789", &[("decompress", 'd'), ("keep", 'k')]).await else {
        return Ok(1);
    };
    let unpacks = options.has('d') || proc.name() != "gzip";
    let aside = options.rest.is_empty() || options.has('c') || proc.name() == "zcat";
    let (inputs, mut code) = proc.inputs(&options.rest).await;
    for mut input in inputs {
        let Some(bytes) = all(&proc, &mut input).await? else { return Ok(1) };
        let made = if unpacks { unpacked(&bytes) } else { packed(&bytes) };
        let Some(made) = made else {
            proc.err(&format!("{}: not gzip", input.name)).await;
            code = 1;
            continue;
        };
        if aside {
            proc.out(made).await?;
            continue;
        }
        let name =
            if unpacks { input.name.strip_suffix(".gz").map(str::to_owned) } else { Some(input.name.clone() + ".gz") };
        let Some(name) = name else {
            proc.err(&format!("{}: no .gz", input.name)).await;
            code = 1;
            continue;
        };
        let mode = proc.inode(&input.name, true).map_or(0o644, |inode| inode.mode());
        let open = |files: &mut Files| files.open(&proc.path(&name), proc.new_meta(mode));
        let file = open(&mut proc.files())?;
        file.truncate(0)?;
        file.write(0, &made)?;
        if !options.has('k') {
            proc.files().unlink(&proc.path(&input.name))?;
        }
    }
    Ok(code)
}

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).ok()
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    // One byte more than is taken tells that it is too much.
    MultiGzDecoder::new(bytes).take(WHOLE as u64 + 1).read_to_end(&mut out).ok()?;
    (out.len() <= WHOLE).then_some(out)
}

/// `rev`.
pub async fn rev(proc: Proc) -> Outcome {
    let (inputs, code) = proc.inputs(proc.args()).await;
    for mut input in inputs {
        while let Some(line) = input.line().await? {
            let text: String = String::from_utf8_lossy(bare(&line)).chars().rev().collect();
            proc.out(text + "\n").await?;
        }
    }
    Ok(code)
}

/// `xxd`.
pub async fn xxd(proc: Proc) -> Outcome {
    let Some(options) = proc.options("c:g:l:pr", &[]).await else { return Ok(1) };
    let columns = options.number('c').and_then(|count| usize::try_from(count).ok()).filter(|count| *count > 0);
    let columns = columns.unwrap_or(if options.has('p') { 30 } else { 16 });
    let group =
        options.number('g').and_then(|count| usize::try_from(count).ok()).filter(|count| *count > 0).unwrap_or(2);
    let (inputs, code) = proc.inputs(&options.rest).await;
    for mut input in inputs {
        let Some(mut bytes) = all(&proc, &mut input).await? else { return Ok(1) };
        if options.has('r') {
            let digits: Vec<u8> = bytes.into_iter().filter(u8::is_ascii_hexdigit).collect();
            let pairs = digits.chunks_exact(2).filter_map(|pair| std::str::from_utf8(pair).ok());
            proc.out(pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect::<Vec<_>>()).await?;
            continue;
        }
        bytes.truncate(options.number('l').and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX));
        for (number, line) in bytes.chunks(columns).enumerate() {
            let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            if options.has('p') {
                proc.out(hex(line) + "\n").await?;
                continue;
            }
            let groups = line.chunks(group).map(hex).collect::<Vec<_>>().join(" ");
            let width = columns * 2 + columns.div_ceil(group) - 1;
            let shown = |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' };
            let text: String = line.iter().map(shown).collect();
            proc.out(format!("{:08x}: {groups:width$}  {text}\n", number * columns)).await?;
        }
    }
    Ok(code)
}
