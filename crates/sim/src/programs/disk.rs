//! `du`, `df`, `dd`, `sync`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::list::human;
use super::options::Options;
use super::proc::{Outcome, Proc};
use super::sizes::size;
use crate::card::DISK;
use crate::files::{Inode, join};
use crate::shell::common::Later;
use crate::shell::fd::{Fd, Stop};

struct Sum<'a> {
    proc: &'a Proc,
    options: Options,
    depth: usize,
    seen: BTreeSet<u64>,
    code: u8,
}

impl Sum<'_> {
    fn shown(&self, bytes: u64) -> String {
        match () {
            () if self.options.has('h') => human(bytes),
            () if self.options.has('b') => bytes.to_string(),
            () if self.options.has('m') => bytes.div_ceil(1 << 20).to_string(),
            () => bytes.div_ceil(1024).to_string(),
        }
    }

    fn visit<'a>(&'a mut self, path: String, inode: Arc<Inode>, depth: usize) -> Later<'a, Result<u64, Stop>> {
        Box::pin(async move {
            // A file with several names counts once.
            if inode.names() > 1 && !inode.is_folder() && !self.seen.insert(inode.number) {
                return Ok(0);
            }
            let mut bytes = if self.options.has('b') { inode.size() } else { inode.charged() };
            if inode.is_folder() {
                match self.proc.children(&path) {
                    Ok(children) => {
                        for (name, child) in children {
                            bytes += self.visit(join(&path, &name), child, depth + 1).await?;
                        }
                    }
                    // What cannot be read has no line of its own.
                    Err(why) => {
                        self.proc.err_file(&path, why).await;
                        self.code = 1;
                        return Ok(bytes);
                    }
                }
                tokio::task::yield_now().await;
            }
            let shown = depth == 0 || (inode.is_folder() || self.options.has('a')) && depth <= self.depth;
            if shown {
                self.proc.out(format!("{}\t{path}\n", self.shown(bytes))).await?;
            }
            Ok(bytes)
        })
    }
}

/// `du`.
pub async fn du(proc: Proc) -> Outcome {
    let Some(options) = proc.options("d:achklmsxbLHK", &[("max-depth", 'd'), ("apparent-size", 'b')]).await else {
        return Ok(1);
    };
    let depth =
        if options.has('s') { 0 } else { options.value('d').and_then(|text| text.parse().ok()).unwrap_or(usize::MAX) };
    let paths = if options.rest.is_empty() { vec![".".to_owned()] } else { options.rest.clone() };
    let mut sum = Sum { proc: &proc, options, depth, seen: BTreeSet::new(), code: 0 };
    let mut total = 0;
    for path in paths {
        match proc.inode(&path, sum.options.has('L') || sum.options.has('H')) {
            Ok(inode) => total += sum.visit(path, inode, 0).await?,
            Err(why) => {
                proc.err_file(&path, why).await;
                sum.code = 1;
            }
        }
    }
    if sum.options.has('c') {
        proc.out(format!("{}\ttotal\n", sum.shown(total))).await?;
    }
    Ok(sum.code)
}

/// `df`.
pub async fn df(proc: Proc) -> Outcome {
    let Some(options) = proc.options("HPkhit:a", &[]).await else { return Ok(1) };
    for path in &options.rest {
        if let Err(why) = proc.inode(path, true) {
            proc.err(&format!("{path}: {}", why.words())).await;
            return Ok(1);
        }
    }
    let (free, shown) =
        (proc.card.free(), |bytes: u64| if options.has('h') { human(bytes) } else { (bytes / 1024).to_string() });
    let used = DISK - free;
    let head = if options.has('h') { "Size Used Avail Use%" } else { "1K-blocks     Used Available Use%" };
    proc.out(format!(
        "Filesystem     {head} Mounted on\n/dev/block/dm-5 {} {} {} {}% /data\n",
        shown(DISK),
        shown(used),
        shown(free),
        used * 100 / DISK
    ))
    .await?;
    Ok(0)
}

/// `dd`.
pub async fn dd(proc: Proc) -> Outcome {
    let (mut input, mut output) = (proc.fds[0].clone(), proc.fds[1].clone());
    let (mut block, mut count, mut skip, mut seek) = (512, None, 0, 0);
    let (mut path, mut keeps, mut quiet, mut exact) = (None, false, false, false);
    for arg in proc.args() {
        let Some((name, value)) = arg.split_once('=') else { return proc.fail(&format!("bad arg {arg}")).await };
        let number = || size(value);
        let known = match name {
            "if" => match proc.input_fd(value) {
                Ok(fd) => {
                    input = fd;
                    true
                }
                Err(why) => return proc.fail(&format!("{value}: {}", why.words())).await,
            },
            "of" => {
                path = Some(value);
                true
            }
            "bs" | "ibs" | "obs" => number().map(|bytes| block = bytes).is_some() && block > 0,
            "count" => number().map(|blocks| count = Some(blocks)).is_some(),
            "skip" => number().map(|blocks| skip = blocks).is_some(),
            "seek" => number().map(|blocks| seek = blocks).is_some(),
            "status" => {
                quiet = value == "none";
                true
            }
            "conv" => {
                keeps = value.split(',').any(|word| word == "notrunc");
                true
            }
            "iflag" => {
                exact = value.contains("fullblock");
                true
            }
            "oflag" => true,
            _ => false,
        };
        if !known {
            return proc.fail(&format!("bad arg {arg}")).await;
        }
    }
    if let Some(path) = path {
        output = match crate::shell::fd::device(&proc.path(path)) {
            Some(device) => device,
            None => {
                let file = proc.files().open(&proc.path(path), proc.new_meta(0o666))?;
                if !keeps {
                    file.truncate(seek * block)?;
                }
                Fd::file(file, false)
            }
        };
        output.seek(seek * block);
    }
    let started = Instant::now();
    let (mut whole, mut part, mut bytes, mut code) = (0_u64, 0_u64, 0_u64, 0);
    let most = usize::try_from(block.min(1 << 26)).unwrap_or(usize::MAX);
    for _ in 0..skip {
        if read_block(&input, most, true).await?.is_empty() {
            break;
        }
    }
    while count.is_none_or(|count| whole + part < count) {
        let chunk = read_block(&input, most, exact || !matches!(input, Fd::Reader(_))).await?;
        if chunk.is_empty() {
            break;
        }
        if let Err(stop) = output.write(&chunk).await {
            let Stop::Failed(why) = stop else { return Err(stop) };
            proc.err(&format!("{}: {}", path.unwrap_or("write"), why.words())).await;
            code = 1;
            break;
        }
        if chunk.len() == most {
            whole += 1
        } else {
            part += 1
        }
        bytes += chunk.len() as u64;
        tokio::task::yield_now().await;
    }
    if !quiet {
        let seconds = started.elapsed().as_secs_f64().max(0.001);
        let rate = human((bytes as f64 / seconds) as u64);
        let text = format!(
            "{whole}+{part} records in\n{whole}+{part} records out\n{bytes} bytes ({}) copied, {seconds:.3} s, {rate}/s\n",
            human(bytes)
        );
        proc.fds[2].write(text.as_bytes()).await?;
    }
    Ok(code)
}

/// One block: as it comes, or whole.
async fn read_block(input: &Fd, most: usize, whole: bool) -> Result<bytes::Bytes, Stop> {
    let first = input.read(most).await?;
    if !whole || first.len() == most || first.is_empty() {
        return Ok(first);
    }
    let mut block = bytes::BytesMut::from(first.as_ref());
    while block.len() < most {
        let more = input.read(most - block.len()).await?;
        if more.is_empty() {
            break;
        }
        block.extend_from_slice(&more);
    }
    Ok(block.freeze())
}

/// `sync`: everything is where it belongs already.
pub async fn sync(_proc: Proc) -> Outcome {
    Ok(0)
}

impl Proc {
    /// A file or device to be read.
    fn input_fd(&self, path: &str) -> Result<Fd, crate::files::FileError> {
        if let Some(device) = crate::shell::fd::device(&self.path(path)) {
            return Ok(device);
        }
        Ok(Fd::file(self.open(path)?, false))
    }
}

/// `fstrim`.
pub async fn fstrim(proc: Proc) -> Outcome {
    let Some(options) = proc.options("v", &[]).await else { return Ok(1) };
    let [path] = options.rest.as_slice() else { return proc.fail("Needs 1 argument").await };
    let free = proc.card.free();
    proc.card.count("fstrim");
    if options.has('v') {
        proc.out(format!("{path}: {free} bytes trimmed\n")).await?;
    }
    Ok(0)
}

/// `mount`: what is mounted; `-o remount,rw`, which lets root change the system's own files; `-t KIND SOURCE FOLDER`.
pub async fn mount(proc: Proc) -> Outcome {
    let words = proc.texts();
    if words.is_empty() {
        for [source, place, kind, options] in super::system::mounted(&proc.card) {
            proc.out(format!("{source} on {place} type {kind} ({options})\n")).await?;
        }
        return Ok(0);
    }
    if proc.uid != 0 {
        return proc.fail("Operation not permitted").await;
    }
    if let ["-t", kind, source, place] = words.as_slice() {
        let mounted = proc.files().mount(&proc.path(place), source, kind);
        return match mounted {
            Ok(()) => Ok(0),
            Err(why) => proc.fail(&format!("'{source}'->'{place}': {}", why.words())).await,
        };
    }
    let options: Vec<&str> = words.iter().flat_map(|word| word.split(',')).collect();
    match (options.contains(&"remount"), options.contains(&"rw")) {
        (true, writable) => {
            proc.files().remount(writable);
            Ok(0)
        }
        (false, _) => proc.fail("Invalid argument").await,
    }
}

/// `umount`.
pub async fn umount(proc: Proc) -> Outcome {
    let [place] = proc.args() else { return proc.fail("Needs 1 argument").await };
    if proc.uid != 0 {
        return proc.fail("Operation not permitted").await;
    }
    let unmounted = proc.files().unmount(&proc.path(place));
    match unmounted {
        Ok(()) => Ok(0),
        Err(why) => proc.fail(&format!("{place}: {}", why.words())).await,
    }
}
