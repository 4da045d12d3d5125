//! `sha256sum`, `sha1sum`, `sha512sum`, `md5sum`.

use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512};
use md5::{Digest as _, Md5};

use super::input::{Input, bare};
use super::proc::{Outcome, Proc};
use crate::shell::fd::Stop;

enum Sum {
    Sha(Context),
    Md5(Md5),
}

impl Sum {
    fn new(program: &str) -> Self {
        match program {
            "md5sum" => Self::Md5(Md5::new()),
            "sha1sum" => Self::Sha(Context::new(&SHA1_FOR_LEGACY_USE_ONLY)),
            "sha512sum" => Self::Sha(Context::new(&SHA512)),
            _ => Self::Sha(Context::new(&SHA256)),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha(context) => context.update(bytes),
            Self::Md5(md5) => md5.update(bytes),
        }
    }

    fn finish(self) -> String {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match self {
            Self::Sha(context) => hex(context.finish().as_ref()),
            Self::Md5(md5) => hex(&md5.finalize()),
        }
    }
}

async fn of(proc: &Proc, input: &mut Input) -> Result<String, Stop> {
    let mut sum = Sum::new(proc.name());
    loop {
        let bytes = input.chunk().await?;
        if bytes.is_empty() {
            return Ok(sum.finish());
        }
        sum.update(&bytes);
        tokio::task::yield_now().await;
    }
}

/// All of them.
pub async fn sum(proc: Proc) -> Outcome {
    let Some(options) = proc.options("bcst", &[("check", 'c'), ("status", 's')]).await else { return Ok(1) };
    let (inputs, mut code) = proc.inputs(&options.rest).await;
    for mut input in inputs {
        if options.has('c') {
            code |= check(&proc, &mut input, options.has('s')).await?;
            continue;
        }
        let text = of(&proc, &mut input).await?;
        let line = if options.has('b') { format!("{text}\n") } else { format!("{text}  {}\n", input.name) };
        proc.out(line).await?;
    }
    Ok(code)
}

async fn check(proc: &Proc, list: &mut Input, quiet: bool) -> Outcome {
    let mut code = 0;
    while let Some(line) = list.line().await? {
        let line = String::from_utf8_lossy(bare(&line)).into_owned();
        let Some((wanted, name)) = line.split_once(' ') else { continue };
        let name = name.trim_start_matches([' ', '*']);
        let same = match proc.input(name).await {
            Some(mut input) => of(proc, &mut input).await? == wanted,
            None => false,
        };
        code |= u8::from(!same);
        if !quiet {
            proc.out(format!("{name}: {}\n", if same { "OK" } else { "FAILED" })).await?;
        }
    }
    Ok(code)
}
