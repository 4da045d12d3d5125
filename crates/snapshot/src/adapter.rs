//! A store as the library's backend.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use rustic_core::{BytesList, FileType, Id, ReadBackend, RusticResult, WriteBackend};
use store::{Listed, Store, Trouble, size_of};

use crate::run::{Run, refusal};

/// A store as the library's backend, for one run.
pub struct Adapter {
    store: Arc<dyn Store>,
    run: Run,
    /// How many whole packs are kept.
    most: usize,
    /// The packs that were read last, newest first.
    packs: Mutex<VecDeque<(Id, Bytes)>>,
}

impl Adapter {
    /// `store` for `run`. With `packs` more than none, a part of a pack is taken from the whole pack, and so many whole
    /// packs are kept: a restore asks for one blob after the other, 20,815 of them where 44 packs are.
    pub fn new(store: Arc<dyn Store>, run: Run, packs: usize) -> Self {
        Self { store, run, most: packs, packs: Mutex::default() }
    }

    fn tell<T>(&self, done: Result<T, Trouble>) -> RusticResult<T> {
        self.run.heard();
        done.map_err(|trouble| {
            let error = trouble.into();
            self.run.fail(crate::Error::clone(&error));
            refusal(&error)
        })
    }

    fn go_on(&self) -> RusticResult<()> {
        self.run.check().map_err(|error| refusal(&error))
    }

    fn pack(&self, id: &Id) -> RusticResult<Bytes> {
        let mut packs = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = packs.iter().position(|(known, _)| known == id) {
            if let Some(found) = packs.remove(at) {
                packs.push_front(found);
            }
        } else {
            // The lock is held on purpose: another thread that wants a part of this pack waits for it.
            let whole = self.tell(self.store.read(&path(FileType::Pack, id)))?;
            packs.push_front((*id, whole));
            packs.truncate(self.most);
        }
        Ok(packs.front().map(|(_, whole)| whole.clone()).unwrap_or_default())
    }
}

/// Where a file of a repository is.
fn path(kind: FileType, id: &Id) -> String {
    let name = id.to_hex();
    match kind {
        FileType::Config => "config".to_owned(),
        FileType::Pack => format!("data/{}/{}", &name[..2], &*name),
        FileType::Index | FileType::Key | FileType::Snapshot => format!("{}/{}", kind.dirname(), &*name),
    }
}

impl ReadBackend for Adapter {
    fn location(&self) -> String {
        "store".to_owned()
    }

    fn list_with_size(&self, kind: FileType) -> RusticResult<Vec<(Id, u32)>> {
        self.go_on()?;
        let found = match kind {
            FileType::Config => {
                let all = self.tell(self.store.list("", false))?;
                return Ok(all
                    .iter()
                    .filter(|one| one.name == "config")
                    .map(|one| (Id::default(), short(one)))
                    .collect());
            }
            FileType::Pack => self.tell(self.store.list(kind.dirname(), true))?,
            FileType::Index | FileType::Key | FileType::Snapshot => {
                self.tell(self.store.list(kind.dirname(), false))?
            }
        };
        let id = |one: &Listed| one.name.rsplit('/').next().filter(|name| name.len() == 64)?.parse().ok();
        Ok(found.iter().filter_map(|one| Some((id(one)?, short(one)))).collect())
    }

    fn read_full(&self, kind: FileType, id: &Id) -> RusticResult<Bytes> {
        self.go_on()?;
        self.tell(self.store.read(&path(kind, id)))
    }

    fn read_partial(&self, kind: FileType, id: &Id, _: bool, offset: u32, length: u32) -> RusticResult<Bytes> {
        self.go_on()?;
        let (from, length) = (offset as usize, length as usize);
        if self.most > 0 && kind == FileType::Pack {
            let whole = self.pack(id)?;
            let part = from.checked_add(length).filter(|to| *to <= whole.len()).map(|to| whole.slice(from..to));
            let short =
                || Trouble::new(store::Kind::Broken, store::Step::Read, format!("{} is cut off", path(kind, id)));
            return self.tell(part.ok_or_else(short));
        }
        self.tell(self.store.read_part(&path(kind, id), offset.into(), length))
    }

    fn warmup_path(&self, kind: FileType, id: &Id) -> String {
        path(kind, id)
    }
}

/// Sizes of the format have 32 bits; a file that is larger is none of the repository's.
fn short(one: &Listed) -> u32 {
    u32::try_from(one.size).unwrap_or(u32::MAX)
}

impl WriteBackend for Adapter {
    fn write_bytes(&self, kind: FileType, id: &Id, _: bool, content: BytesList) -> RusticResult<()> {
        // A snapshot of which a file could not be read must not exist: the library would save it. Nor is anything else
        // written for a run that has failed or was stopped.
        self.go_on()?;
        let parts = content.into_vec();
        debug_assert!(size_of(&parts) > 0, "nothing in a repository is empty");
        self.tell(self.store.write(&path(kind, id), &parts))?;
        if kind == FileType::Snapshot
            && let Err(refused) = self.go_on()
        {
            // It was stopped in the middle of this, or stood still: nobody will name this one.
            _ = self.store.remove(&path(kind, id));
            return Err(refused);
        }
        self.run.wrote(size_of(&parts));
        if kind == FileType::Pack {
            self.run.wrote_pack(id.to_hex().to_string());
        }
        Ok(())
    }

    fn remove(&self, kind: FileType, id: &Id, _: bool) -> RusticResult<()> {
        self.go_on()?;
        self.tell(self.store.remove(&path(kind, id)))
    }
}
