//! `tar`: packing.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::input::bare;
use super::options::Options;
use super::proc::{Outcome, Proc};
use super::tar::{BLOCK, Entry, headers, letter, padding};
use super::unpack;
use crate::files::{Inode, Kind, join};
use crate::shell::common::Later;
use crate::shell::fd::{Fd, Stop};
use crate::shell::pattern::Pattern;

/// What `tar` was asked for, besides the archive and the names.
pub struct Wanted {
    /// The flags.
    pub options: Options,
    /// What is left out.
    pub excluded: Vec<Pattern>,
}

impl Wanted {
    /// Whether a name is left out.
    #[must_use]
    pub fn leaves_out(&self, name: &str) -> bool {
        let bare = name.trim_end_matches('/');
        let ends = bare.match_indices('/').map(|(at, _)| &bare[at + 1..]);
        std::iter::once(bare).chain(ends).any(|part| self.excluded.iter().any(|pattern| pattern.matches(part)))
    }
}

/// `tar`.
pub async fn tar(proc: Proc) -> Outcome {
    let mut args = proc.args().to_vec();
    // `tar czf file` as `tar -czf file`.
    if let Some(first) = args.first_mut().filter(|first| !first.starts_with('-')) {
        first.insert(0, '-');
    }
    let long = [
        ("create", 'c'),
        ("extract", 'x'),
        ("list", 't'),
        ("exclude", 'e'),
        ("directory", 'C'),
        ("numeric-owner", 'N'),
        ("preserve-permissions", 'p'),
        ("same-permissions", 'p'),
        ("no-same-owner", 'o'),
        ("no-same-permissions", 'P'),
        ("no-recursion", 'n'),
        ("strip-components", 's'),
        ("strip", 's'),
        ("selinux", 'S'),
        ("sparse", 'S'),
        ("gzip", 'z'),
        ("to-stdout", 'O'),
        ("touch", 'm'),
        ("keep-old", 'k'),
        ("full-time", 'F'),
    ];
    let Some(options) = proc.options_of(&args, "cxtvzhpPkmoOf:C:T:e:NnSs:F", &long).await else { return Ok(1) };
    let excluded = options.values('e').map(Pattern::of).collect();
    let mut proc = proc;
    let archive = options.value('f').filter(|path| *path != "-").map(|path| proc.path(path));
    let listed = match options.value('T') {
        Some(path) => match proc.input(path).await {
            Some(mut input) => {
                let mut names = Vec::new();
                while let Some(line) = input.line().await? {
                    names.push(String::from_utf8_lossy(bare(&line)).into_owned());
                }
                names
            }
            None => return Ok(1),
        },
        None => Vec::new(),
    };
    if let Some(folder) = options.value('C') {
        let path = proc.path(folder);
        match proc.inode(folder, true) {
            Ok(inode) if inode.is_folder() => proc.cwd = path,
            Ok(_) => return proc.fail(&format!("chdir '{folder}': Not a directory")).await,
            Err(why) => return proc.fail(&format!("chdir '{folder}': {}", why.words())).await,
        }
    }
    let wanted = Wanted { options, excluded };
    if wanted.options.has('c') {
        let names: Vec<String> = wanted.options.rest.iter().cloned().chain(listed).collect();
        return create(&proc, &wanted, archive, names).await;
    }
    if !wanted.options.has('x') && !wanted.options.has('t') {
        return proc.fail("Needs -txc").await;
    }
    unpack::unpack(&proc, &wanted, archive).await
}

/// An archive that is written.
struct Packer<'a> {
    proc: &'a Proc,
    wanted: &'a Wanted,
    out: Fd,
    zip: Option<GzEncoder<Vec<u8>>>,
    written: u64,
    /// Files with several names, by number: the first name.
    named: BTreeMap<u64, String>,
    code: u8,
}

impl Packer<'_> {
    async fn put(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.written += bytes.len() as u64;
        match &mut self.zip {
            None => self.out.write(bytes).await,
            Some(zip) => {
                let _ = zip.write_all(bytes);
                let packed = std::mem::take(zip.get_mut());
                self.out.write(&packed).await
            }
        }
    }

    fn add<'a>(&'a mut self, name: String, inode: Arc<Inode>) -> Later<'a, Result<(), Stop>> {
        Box::pin(async move {
            if self.wanted.leaves_out(&name) {
                return Ok(());
            }
            if inode.kind() == Kind::File
                && let Err(why) = self.proc.open(&name)
            {
                self.proc.err(&format!("can't open '{name}': {}", why.words())).await;
                self.code = 1;
                return Ok(());
            }
            self.add_one(&name, &inode).await?;
            if inode.is_folder() && !self.wanted.options.has('n') {
                let children = self.proc.children(&name);
                if let Err(why) = children {
                    self.proc.err_file(&name, why).await;
                    self.code = 1;
                }
                for (child, _) in children.unwrap_or_default() {
                    let path = join(&name, &child);
                    if let Ok(inode) = self.proc.inode(&path, self.wanted.options.has('h')) {
                        self.add(path, inode).await?;
                    }
                }
            }
            Ok(())
        })
    }

    async fn add_one(&mut self, name: &str, inode: &Arc<Inode>) -> Result<(), Stop> {
        let stored = name.trim_start_matches('/');
        let mut stored = if stored.is_empty() { "./".to_owned() } else { stored.to_owned() };
        if inode.is_folder() && !stored.ends_with('/') {
            stored.push('/');
        }
        if self.wanted.options.has('v') {
            // Where the archive goes to the output, names do not.
            let fd = if self.wanted.options.value('f').is_some_and(|path| path != "-") { 1 } else { 2 };
            self.proc.fds[fd].write(format!("{stored}\n").as_bytes()).await?;
        }
        let mut entry = Entry {
            name: stored.clone(),
            kind: letter(inode.kind()),
            meta: inode.meta(),
            size: 0,
            target: inode.target().unwrap_or_default(),
        };
        let mut has_content = inode.kind() == Kind::File;
        if has_content && inode.names() > 1 {
            if let Some(first) = self.named.get(&inode.number) {
                (entry.kind, entry.target, has_content) = (b'1', first.clone(), false);
            } else {
                self.named.insert(inode.number, stored);
            }
        }
        // What is written while it is read does not change how much follows.
        let size = if has_content { inode.size() } else { 0 };
        entry.size = size;
        self.put(&headers(&entry, self.wanted.options.has('N'))).await?;
        let mut done = 0;
        while done < size {
            let most = usize::try_from((size - done).min(256 * 1024)).unwrap_or(0);
            let mut bytes = inode.read(done, most)?.to_vec();
            // It has become shorter.
            if bytes.is_empty() {
                self.code = 1;
                bytes.resize(most, 0);
            }
            done += bytes.len() as u64;
            self.put(&bytes).await?;
            tokio::task::yield_now().await;
        }
        self.put(&vec![0; padding(size)]).await
    }

    async fn finish(mut self) -> Outcome {
        // Two blocks of zeros, and then up to whole records.
        let end = self.written + 2 * BLOCK as u64;
        let record = 20 * BLOCK as u64;
        let fill = usize::try_from(end.div_ceil(record) * record - self.written).unwrap_or(0);
        self.put(&vec![0; fill]).await?;
        if let Some(zip) = self.zip.take()
            && let Ok(rest) = zip.finish()
        {
            self.out.write(&rest).await?;
        }
        if self.code > 0 {
            self.proc.err("had errors").await;
        }
        Ok(self.code)
    }
}

async fn create(proc: &Proc, wanted: &Wanted, archive: Option<String>, names: Vec<String>) -> Outcome {
    if names.is_empty() {
        return proc.fail("empty archive").await;
    }
    let out = match archive {
        None => proc.fds[1].clone(),
        Some(path) => {
            let opened = proc.files().open(&path, proc.new_meta(0o666));
            match opened.and_then(|file| file.truncate(0).map(|()| file)) {
                Ok(file) => Fd::file(file, false),
                Err(why) => return proc.fail(&format!("can't open '{path}': {}", why.words())).await,
            }
        }
    };
    let zip = wanted.options.has('z').then(|| GzEncoder::new(Vec::new(), Compression::fast()));
    let mut packer = Packer { proc, wanted, out, zip, written: 0, named: BTreeMap::new(), code: 0 };
    for name in names {
        match proc.inode(&name, wanted.options.has('h')) {
            Ok(inode) => packer.add(name, inode).await?,
            Err(why) => {
                proc.err_file(&name, why).await;
                packer.code = 1;
            }
        }
    }
    packer.finish().await
}
