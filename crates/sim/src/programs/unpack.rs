//! `tar`: unpacking and listing.

use std::io::Write as _;
use std::sync::Arc;

use bytes::{Buf as _, Bytes, BytesMut};
use flate2::write::GzDecoder;

use super::archive::Wanted;
use super::input::Input;
use super::meta::{letters, user};
use super::proc::{Outcome, Proc};
use super::tar::{BLOCK, Entry, padding, read, records};
use crate::files::{FileError, Meta, Moment};
use crate::shell::fd::{Fd, Stop};

/// A name or a pax header is no longer.
const LONG: u64 = 1 << 20;

/// An archive that is read.
struct Source {
    input: Input,
    unzip: Option<GzDecoder<Vec<u8>>>,
    first: bool,
    buffer: BytesMut,
}

/// Why an archive cannot be read on.
enum Bad {
    Stop(Stop),
    Archive(&'static str),
}

impl From<Stop> for Bad {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<FileError> for Bad {
    fn from(why: FileError) -> Self {
        Self::Stop(Stop::Failed(why))
    }
}

impl Source {
    /// Up to `most` bytes; none at the end.
    async fn some(&mut self, most: usize) -> Result<Bytes, Bad> {
        while self.buffer.is_empty() {
            let bytes = self.input.chunk().await?;
            if bytes.is_empty() {
                return Ok(Bytes::new());
            }
            // A packed one is known by its beginning.
            if std::mem::take(&mut self.first) && bytes.starts_with(&[0x1f, 0x8b]) {
                self.unzip = Some(GzDecoder::new(Vec::new()));
            }
            match &mut self.unzip {
                None => self.buffer.extend_from_slice(&bytes),
                Some(unzip) => {
                    unzip.write_all(&bytes).and_then(|()| unzip.flush()).map_err(|_| Bad::Archive("bad gzip"))?;
                    self.buffer.extend_from_slice(&std::mem::take(unzip.get_mut()));
                }
            }
        }
        let count = self.buffer.len().min(most);
        Ok(self.buffer.copy_to_bytes(count))
    }

    async fn exactly(&mut self, count: usize) -> Result<Option<Vec<u8>>, Bad> {
        let mut out = Vec::new();
        while out.len() < count {
            let bytes = self.some(count - out.len()).await?;
            if bytes.is_empty() {
                return if out.is_empty() { Ok(None) } else { Err(Bad::Archive("short read")) };
            }
            out.extend_from_slice(&bytes);
        }
        Ok(Some(out))
    }

    async fn skip(&mut self, mut count: u64) -> Result<(), Bad> {
        while count > 0 {
            let bytes = self.some(usize::try_from(count.min(64 * 1024)).unwrap_or(0)).await?;
            if bytes.is_empty() {
                return Err(Bad::Archive("short read"));
            }
            count -= bytes.len() as u64;
        }
        Ok(())
    }

    /// The next entry, with what headers before it say of it.
    async fn entry(&mut self) -> Result<Option<Entry>, Bad> {
        let mut said: Vec<(String, String)> = Vec::new();
        loop {
            let Some(block) = self.exactly(BLOCK).await? else { return Ok(None) };
            let block: &[u8; BLOCK] = block.as_slice().try_into().map_err(|_| Bad::Archive("short read"))?;
            let Some(mut entry) = read(block).map_err(Bad::Archive)? else { return Ok(None) };
            if !matches!(entry.kind, b'L' | b'K' | b'x' | b'g') {
                for (name, value) in said {
                    match name.as_str() {
                        "path" => entry.name = value,
                        "linkpath" => entry.target = value,
                        "size" => entry.size = value.parse().unwrap_or(entry.size),
                        "mtime" => {
                            entry.meta.modified = super::moments::parse(&format!("@{value}")).unwrap_or_default()
                        }
                        "RHT.security.selinux" => entry.meta.context = Some(value.trim_end_matches('\0').into()),
                        _ => {}
                    }
                }
                return Ok(Some(entry));
            }
            if entry.size > LONG {
                return Err(Bad::Archive("bad header"));
            }
            let content = self.exactly(usize::try_from(entry.size).unwrap_or(0)).await?.unwrap_or_default();
            self.skip(padding(entry.size) as u64).await?;
            let text = || String::from_utf8_lossy(&content).trim_end_matches('\0').to_owned();
            match entry.kind {
                b'L' => said.push(("path".into(), text())),
                b'K' => said.push(("linkpath".into(), text())),
                _ => said.extend(records(&content)),
            }
        }
    }
}

/// Unpacks or lists an archive.
pub async fn unpack(proc: &Proc, wanted: &Wanted, archive: Option<String>) -> Outcome {
    let input = match &archive {
        None => proc.stdin(),
        Some(path) => match proc.input(path).await {
            Some(input) => input,
            None => return Ok(1),
        },
    };
    let mut source = Source { input, unzip: None, first: true, buffer: BytesMut::new() };
    match run(proc, wanted, &mut source).await {
        Ok(code) => Ok(code),
        Err(Bad::Stop(stop)) => Err(stop),
        Err(Bad::Archive(why)) => proc.fail(why).await,
    }
}

async fn run(proc: &Proc, wanted: &Wanted, source: &mut Source) -> Result<u8, Bad> {
    let names = &wanted.options.rest;
    let strip = wanted.options.value('s').and_then(|text| text.parse().ok()).unwrap_or(0);
    let (mut folders, mut code, mut any) = (Vec::new(), 0, false);
    while let Some(mut entry) = source.entry().await? {
        any = true;
        let asked = |name: &String| {
            let (name, entry) = (name.trim_end_matches('/'), entry.name.trim_end_matches('/'));
            entry == name || entry.starts_with(&format!("{name}/"))
        };
        let skipped = !names.is_empty() && !names.iter().any(asked) || wanted.leaves_out(&entry.name);
        let (size, pad) = (entry.size, padding(entry.size) as u64);
        if strip > 0 {
            let parts: Vec<&str> = entry.name.split('/').filter(|part| !part.is_empty()).collect();
            entry.name = parts.get(strip..).map(|parts| parts.join("/")).unwrap_or_default();
        }
        if skipped || entry.name.is_empty() {
            source.skip(size + pad).await?;
            continue;
        }
        if wanted.options.has('t') {
            proc.out(line(&entry, wanted.options.has('v'))).await?;
            source.skip(size + pad).await?;
            continue;
        }
        if wanted.options.has('v') {
            proc.out(format!("{}\n", entry.name)).await?;
        }
        code |= one(proc, wanted, source, &entry, &mut folders).await?;
        source.skip(pad).await?;
        tokio::task::yield_now().await;
    }
    // Times of folders last, since what is put into them changes them.
    for (path, meta) in folders.into_iter().rev() {
        if let Ok(folder) = proc.files().find_own(&path, false) {
            folder.change(|new| restore(proc, new, &meta, wanted));
        }
    }
    if !any {
        return Err(Bad::Archive("short read"));
    }
    Ok(code)
}

/// Rights, owners and time as the archive has them; root keeps owners, as `tar` does.
fn restore(proc: &Proc, new: &mut Meta, meta: &Meta, wanted: &Wanted) {
    new.mode = meta.mode;
    if proc.uid == 0 && !wanted.options.has('o') {
        (new.uid, new.gid) = (meta.uid, meta.gid);
    }
    new.modified = if wanted.options.has('m') { Moment::now() } else { meta.modified };
    if meta.context.is_some() {
        new.context.clone_from(&meta.context);
    }
}

/// Unpacks one entry, whose content follows.
async fn one(
    proc: &Proc,
    wanted: &Wanted,
    source: &mut Source,
    entry: &Entry,
    folders: &mut Vec<(String, Meta)>,
) -> Result<u8, Bad> {
    if entry.name.split('/').any(|part| part == "..") {
        proc.err(&format!("skipped '{}'", entry.name)).await;
        source.skip(entry.size).await?;
        return Ok(1);
    }
    let path = proc.path(entry.name.trim_start_matches('/'));
    let path = path.trim_end_matches('/').to_owned();
    if wanted.options.has('O') {
        copy(source, entry.size, &proc.fds[1]).await?;
        return Ok(0);
    }
    let made = make(proc, entry, &path);
    match made {
        Ok(file) => {
            if let Some(file) = &file {
                copy(source, entry.size, &Fd::file(Arc::clone(file), false)).await?;
            }
            if entry.kind == b'5' {
                folders.push((path, entry.meta.clone()));
            } else if entry.kind != b'1' {
                let own = proc.files().find_own(&path, false)?;
                own.change(|new| restore(proc, new, &entry.meta, wanted));
            }
            Ok(0)
        }
        Err(why) => {
            proc.err(&format!("can't create '{}': {}", entry.name, why.words())).await;
            source.skip(entry.size).await?;
            Ok(1)
        }
    }
}

/// Makes what an entry is; a file comes back to be filled.
fn make(proc: &Proc, entry: &Entry, path: &str) -> Result<Option<Arc<crate::files::Inode>>, FileError> {
    let mut files = proc.files();
    match files.make_folders_above(path) {
        Ok(()) | Err(FileError::ReadOnly) => {}
        Err(why) => return Err(why),
    }
    match entry.kind {
        b'5' => match files.make_folder(path, proc.new_meta(entry.meta.mode)) {
            Ok(()) | Err(FileError::Exists) => Ok(None),
            Err(why) => Err(why),
        },
        b'1' | b'2' => {
            match files.unlink(path) {
                Ok(()) | Err(FileError::Missing) => {}
                Err(why) => return Err(why),
            }
            if entry.kind == b'2' {
                files.make_link(path, &entry.target, proc.new_meta(0o777))?;
            } else {
                files.name_again(&proc.path(entry.target.trim_start_matches('/')), path)?;
            }
            Ok(None)
        }
        b'0' | b'7' => {
            match files.unlink(path) {
                Ok(()) | Err(FileError::Missing) => {}
                Err(why) => return Err(why),
            }
            files.open(path, proc.new_meta(entry.meta.mode)).map(Some)
        }
        _ => Err(FileError::NotPermitted),
    }
}

async fn copy(source: &mut Source, size: u64, to: &Fd) -> Result<(), Bad> {
    let mut left = size;
    while left > 0 {
        let bytes = source.some(usize::try_from(left.min(256 * 1024)).unwrap_or(0)).await?;
        if bytes.is_empty() {
            return Err(Bad::Archive("short read"));
        }
        left -= bytes.len() as u64;
        to.write(&bytes).await?;
    }
    Ok(())
}

/// An entry as `tar -t` shows it.
fn line(entry: &Entry, long: bool) -> String {
    let target = match entry.kind {
        b'2' => format!(" -> {}", entry.target),
        b'1' => format!(" link to {}", entry.target),
        _ => String::new(),
    };
    if !long {
        return format!("{}{target}\n", entry.name);
    }
    let kind = match entry.kind {
        b'5' => 0o040_000,
        b'2' => 0o120_000,
        _ => 0o100_000,
    };
    let (meta, time) = (&entry.meta, super::moments::format("%Y-%m-%d %H:%M", entry.meta.modified));
    let owners = format!("{}/{}", user(meta.uid), user(meta.gid));
    format!("{} {owners} {:9} {time} {}{target}\n", letters(kind | meta.mode), entry.size, entry.name)
}
