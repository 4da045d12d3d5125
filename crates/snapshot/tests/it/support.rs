//! A phone in memory, a place to restore to, and stores that fail.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Cursor, Read};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use snapshot::{Entry, EntryKind, Key, RecoveryCode, Repo, Run, Save, Saved, Sink, Source};
use store::{Folder, Kind, Listed, Step, Store, Trouble};
use tempfile::TempDir;

/// A phone's files; what is read is counted.
#[derive(Debug, Default)]
pub struct Phone {
    pub entries: Vec<Entry>,
    pub contents: BTreeMap<PathBuf, Vec<u8>>,
    /// Paths whose content was opened.
    pub opened: Mutex<Vec<PathBuf>>,
    /// Cannot be opened.
    pub locked: Option<PathBuf>,
    /// Breaks off in the middle.
    pub broken: Option<PathBuf>,
    /// Not there any more: the first at once, the second in the middle.
    pub gone: [Option<PathBuf>; 2],
}

/// `length` bytes that no compression makes smaller, the same for the same `seed`.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

impl Phone {
    pub fn put(&mut self, path: &str, mode: u32, content: &[u8]) {
        let kind = EntryKind::File(content.len() as u64);
        self.add(path, kind, mode, (1_700_000_000, 123_456_789));
        self.contents.insert(path.into(), content.to_vec());
    }

    pub fn folder(&mut self, path: &str, mode: u32) {
        self.add(path, EntryKind::Folder, mode, (1_600_000_000, 0));
    }

    pub fn add(&mut self, path: impl Into<PathBuf>, kind: EntryKind, mode: u32, modified: (i64, u32)) {
        let (path, uid) = (path.into(), 10_000 + u32::try_from(self.entries.len()).unwrap() % 50);
        self.entries.retain(|one| one.path != path);
        self.entries.push(Entry { path, kind, mode, uid, gid: 1015, modified, changed: None, inode: 0 });
    }

    pub fn change(&mut self, path: &str, content: &[u8]) {
        self.entries.retain(|one| one.path != Path::new(path));
        self.add(path, EntryKind::File(content.len() as u64), 0o600, (1_700_000_001, 0));
        self.contents.insert(path.into(), content.to_vec());
    }

    /// Apps with small files and large ones, a link, odd rights, a name that is no UTF-8.
    pub fn with_apps() -> Self {
        let mut phone = Self::default();
        for folder in ["data", "data/data"] {
            phone.folder(folder, 0o771);
        }
        for app in ["com.a", "com.a.b", "com.game"] {
            phone.folder(&format!("data/data/{app}"), 0o700);
            phone.folder(&format!("data/data/{app}/files"), 0o2771);
            for file in 0..20_u64 {
                let content = noise(file + app.len() as u64 * 100, 100 + usize::try_from(file).unwrap() * 777);
                phone.put(&format!("data/data/{app}/files/{file}.db"), 0o600, &content);
            }
        }
        phone.put("data/data/com.game/files/world.bin", 0o640, &noise(7, 3 << 20));
        phone.put("data/data/com.game/files/zeros.bin", 0o640, &vec![0; 2 << 20]);
        phone.put("data/data/com.game/files/empty", 0o600, b"");
        phone.put("data/data/com.a/tool", 0o4755, b"#!/system/bin/sh\n");
        phone.add("data/data/com.a/link", EntryKind::Link("/data/data/com.game".into()), 0o777, (1_650_000_000, 5));
        let odd = OsString::from_vec(b"data/data/com.a/\xff\xfe odd \"name\"\n".to_vec());
        phone.add(odd, EntryKind::File(0), 0o600, (1, 0));
        // Sorts between a folder and what is in it, if names are compared as texts.
        phone.put("data/data/com.a.txt", 0o600, b"between");
        phone
    }

    pub fn opened(&self) -> Vec<PathBuf> {
        std::mem::take(&mut self.opened.lock().unwrap())
    }
}

impl Source for Phone {
    fn list(&self) -> io::Result<Vec<Entry>> {
        Ok(self.entries.clone())
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        self.opened.lock().unwrap().push(entry.path.clone());
        if self.locked.as_ref() == Some(&entry.path) {
            return Err(io::Error::other("the card is gone"));
        }
        if self.gone[0].as_ref() == Some(&entry.path) {
            return Err(io::Error::other(snapshot::Gone));
        }
        let content = self.contents.get(&entry.path).cloned().unwrap_or_default();
        if self.broken.as_ref() == Some(&entry.path) {
            let half = content.len() / 2;
            return Ok(Box::new(Cursor::new(content[..half].to_vec()).chain(Broken)));
        }
        if self.gone[1].as_ref() == Some(&entry.path) {
            let half = content.len() / 2;
            return Ok(Box::new(Cursor::new(content[..half].to_vec()).chain(Vanishing)));
        }
        // In short pieces, as a network gives them.
        Ok(Box::new(Pieces(Cursor::new(content))))
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the card is gone"))
    }
}

struct Vanishing;

impl Read for Vanishing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other(snapshot::Gone))
    }
}

struct Pieces(Cursor<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let most = to.len().min(1000);
        self.0.read(&mut to[..most])
    }
}

/// What was restored.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Restored {
    pub entries: Vec<Entry>,
    pub contents: BTreeMap<PathBuf, Vec<u8>>,
    pub last: PathBuf,
    /// Only what is below it.
    pub only: PathBuf,
}

impl Sink for Restored {
    fn wants(&mut self, entry: &Entry) -> io::Result<bool> {
        Ok(entry.path.starts_with(&self.only))
    }

    fn begin(&mut self, entry: &Entry) -> io::Result<()> {
        self.last.clone_from(&entry.path);
        self.entries.push(entry.clone());
        if matches!(entry.kind, EntryKind::File(_)) {
            self.contents.insert(entry.path.clone(), Vec::new());
        }
        Ok(())
    }

    fn content(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.contents.get_mut(&self.last).unwrap().extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        let entry = self.entries.last().unwrap();
        let size = self.contents[&self.last].len() as u64;
        assert_eq!(entry.kind, EntryKind::File(size), "{}", self.last.display());
        Ok(())
    }
}

/// Everything as on the phone: entries in order, contents.
pub fn expect_same(restored: &Restored, phone: &Phone) {
    let mut entries = phone.entries.clone();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    assert_eq!(restored.entries, entries);
    for entry in entries {
        if matches!(entry.kind, EntryKind::File(_)) {
            let content = phone.contents.get(&entry.path).cloned().unwrap_or_default();
            assert!(restored.contents[&entry.path] == content, "{}", entry.path.display());
        }
    }
}

/// A node in a folder.
pub struct Node {
    pub folder: TempDir,
    pub key: Key,
    pub code: RecoveryCode,
}

impl Node {
    pub fn without_repository() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), key: Key::random(), code: RecoveryCode::random() }
    }

    pub fn new() -> Self {
        let node = Self::without_repository();
        node.repo().init(&node.code, &Run::default()).unwrap();
        node
    }

    pub fn repo(&self) -> Repo {
        Repo::new(Arc::new(Folder::open(self.folder.path()).unwrap()), self.key.clone(), None)
    }

    /// The repository behind a store that fails.
    pub fn failing(&self, fails: Fails) -> Repo {
        let store = Failing { inner: Folder::open(self.folder.path()).unwrap(), fails, writes: AtomicUsize::new(0) };
        Repo::new(Arc::new(store), self.key.clone(), None)
    }

    pub fn save(&self, phone: &Arc<Phone>, parent: Option<&Saved>) -> Saved {
        save(&self.repo(), phone, parent).unwrap()
    }

    pub fn restore(&self, snapshot: &str) -> Restored {
        let mut restored = Restored::default();
        self.repo().restore(snapshot, &mut restored, &Run::default()).unwrap();
        restored
    }

    pub fn snapshots(&self) -> Vec<String> {
        self.repo().snapshots(&Run::default()).unwrap()
    }

    /// Files below a folder of the repository.
    pub fn files(&self, folder: &str) -> Vec<PathBuf> {
        let store = Folder::open(self.folder.path()).unwrap();
        let found = store.list(folder, true).unwrap();
        found.into_iter().map(|one| self.folder.path().join(folder).join(one.name)).collect()
    }

    /// Debian's `restic` on the repository.
    pub fn restic(&self, arguments: &[&str]) -> Output {
        self.restic_as(self.code.text(), arguments)
    }

    pub fn restic_as(&self, password: &str, arguments: &[&str]) -> Output {
        Command::new("restic")
            .args(["--no-cache", "--repo"])
            .arg(self.folder.path())
            .args(arguments)
            .env("RESTIC_PASSWORD", password)
            .output()
            .expect("restic is installed: scripts/setup.sh does it")
    }

    /// What `restic` prints; it has to succeed.
    pub fn restic_says(&self, arguments: &[&str]) -> String {
        let output = self.restic(arguments);
        let (said, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "restic {arguments:?}: {said}{error}");
        said.into_owned()
    }
}

pub fn save(repo: &Repo, phone: &Arc<Phone>, parent: Option<&Saved>) -> Result<Saved, snapshot::Error> {
    save_in(repo, phone, parent, &Run::default())
}

pub fn save_in(repo: &Repo, phone: &Arc<Phone>, parent: Option<&Saved>, run: &Run) -> Result<Saved, snapshot::Error> {
    let what = Save {
        parent: parent.map(|one| one.snapshot.clone()),
        at: 1_760_000_000,
        phone: "CP-0000001".to_owned(),
        manifest: "{\"packages\":[]}".to_owned(),
    };
    repo.save(Arc::clone(phone) as Arc<dyn Source>, &what, run)
}

/// When a store fails.
#[derive(Clone)]
pub enum Fails {
    /// It is full after so many writes and removals.
    FullAfter(usize),
    /// The process is killed after so many: nothing reaches it any more, and whoever asks is told that it is away.
    GoneAfter(usize),
    /// Stops the run once so much was written.
    StopAfter(usize, Run),
    /// Writes half of a file and says that all is well, at this write.
    LiesAt(usize),
    /// Whoever writes below this folder may not any more, by the time that it is written.
    OverAt(&'static str, Arc<AtomicBool>),
}

pub struct Failing {
    inner: Folder,
    fails: Fails,
    writes: AtomicUsize,
}

impl Failing {
    fn change(&self) -> Result<usize, Trouble> {
        let n = self.writes.fetch_add(1, Ordering::SeqCst);
        match &self.fails {
            Fails::FullAfter(most) if n >= *most => Err(Trouble::new(Kind::Full, Step::Write, "no space left")),
            Fails::GoneAfter(most) if n >= *most => Err(Trouble::new(Kind::Unreachable, Step::Write, "gone")),
            Fails::StopAfter(most, run) => {
                if n >= *most {
                    run.stop();
                }
                Ok(n)
            }
            Fails::FullAfter(_) | Fails::GoneAfter(_) | Fails::LiesAt(_) | Fails::OverAt(..) => Ok(n),
        }
    }
}

impl Store for Failing {
    fn list(&self, folder: &str, deep: bool) -> Result<Vec<Listed>, Trouble> {
        self.inner.list(folder, deep)
    }

    fn read(&self, path: &str) -> Result<Bytes, Trouble> {
        self.inner.read(path)
    }

    fn read_part(&self, path: &str, offset: u64, length: usize) -> Result<Bytes, Trouble> {
        self.inner.read_part(path, offset, length)
    }

    fn write(&self, path: &str, parts: &[Bytes]) -> Result<(), Trouble> {
        let n = self.change()?;
        if matches!(self.fails, Fails::LiesAt(at) if at == n) {
            let whole = parts.concat();
            return self.inner.write(path, &[whole[..whole.len() / 2].to_vec().into()]);
        }
        if let Fails::OverAt(folder, may) = &self.fails
            && path.starts_with(folder)
        {
            may.store(false, Ordering::SeqCst);
        }
        self.inner.write(path, parts)
    }

    fn remove(&self, path: &str) -> Result<(), Trouble> {
        self.change()?;
        self.inner.remove(path)
    }
}
