//! Who holds a lock, for whoever finds it taken.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use serde::{Deserialize, Serialize};

/// The attribute of a database's file. It belongs to the file and not to one of its names.
const ATTRIBUTE: &str = "user.skyrack.holder";
/// The longest that is read.
const LONGEST: usize = 8192;
/// How often it is looked who holds a lock, and the time in between: whoever has just taken it writes his name in a
/// moment.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);
/// A server that is refused ends within two seconds, all of its start included.
const _: () = assert!(PAUSE.as_millis() * (LOOKS as u128) <= 500);

/// The process that holds a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    pub data_dir: String,
    /// The database, without its password.
    pub database: String,
    /// Where it listens; nothing for a command, and for a console that is starting.
    pub address: Option<String>,
    pub since: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.address {
            Some(address) => write!(f, "the console at {address}")?,
            None => write!(f, "a console that is starting, or a command")?,
        }
        let Self { pid, host, data_dir, database, since, .. } = self;
        write!(f, " (process {pid} on {host}, data folder {data_dir}, database {database}, since {since})")
    }
}

impl Holder {
    /// Writes it into a lock file, after its first `from` bytes.
    ///
    /// # Errors
    /// When the file refuses, on a full disk say.
    pub fn write_into(&self, file: &File, from: u64) -> io::Result<()> {
        file.set_len(from)?;
        file.write_all_at(&serde_json::to_vec(self)?, from)
    }

    /// Attaches it to a database's file, whose content is SQLite's alone.
    ///
    /// # Errors
    /// When the file system has no attributes, or no space.
    pub fn attach_to(&self, database: &File) -> io::Result<()> {
        Ok(fsetxattr(database, ATTRIBUTE, &serde_json::to_vec(self)?, XattrFlags::empty())?)
    }

    /// The holder of a lock file, as [`Holder::write_into`] has left it.
    pub fn of_lock(mut file: &File, from: u64) -> Option<Self> {
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(from)).ok()?;
        file.take(LONGEST as u64).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The holder of a database's file.
    pub fn of_database(file: &File) -> Option<Self> {
        let mut text = Vec::with_capacity(LONGEST);
        fgetxattr(file, ATTRIBUTE, rustix::buffer::spare_capacity(&mut text)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Whether it can be the present one: the words of a process that was killed stay until the next one's.
    fn may_run(&self) -> bool {
        self.host != host_name() || Path::new("/proc").join(self.pid.to_string()).exists()
    }
}

/// Who holds the lock, in words; waits a moment for one who has just taken it.
pub fn named(look: impl Fn() -> Option<Holder>) -> String {
    for _ in 0..LOOKS {
        if let Some(holder) = look().filter(Holder::may_run) {
            return holder.to_string();
        }
        sleep(PAUSE);
    }
    "a process that has not said which it is".to_owned()
}

pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".to_owned() } else { name.trim().to_owned() }
}
