//! The source of the master key: the environment, or a file that only the server may read.
//!
//! The file has a line for each key, `<id>:<base64 of 32 bytes>`; the highest id seals, all open.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

pub(crate) const KEY_BYTES: usize = 32;

type Key = Zeroizing<[u8; KEY_BYTES]>;

/// Where to look for the master key.
#[derive(Clone, PartialEq, Eq)]
pub enum Source {
    /// The key itself, from `SKYRACK_MASTER_KEY`: base64 of 32 bytes, or lines as in the file.
    Given(Zeroizing<String>),
    /// A file that must be there, from `SKYRACK_MASTER_KEY_FILE`.
    File(PathBuf),
    /// A file that is created, with a random key, if there is none.
    Made(PathBuf),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(_) => f.write_str("Given(***)"),
            Self::File(path) => write!(f, "File({})", path.display()),
            Self::Made(path) => write!(f, "Made({})", path.display()),
        }
    }
}

/// Why there is no master key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or created.
    #[error("the master key file {path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// It is missing, and there are values that it sealed.
    #[error(
        "the master key file {path} is missing, and this database keeps {count} secrets that it sealed: put the copy \
         of it back there, or take your leave of them with `skyrack forget-secrets`"
    )]
    Lost {
        /// Its expected path.
        path: PathBuf,
        /// Secrets.
        count: i64,
    },
    /// Others could read the key.
    #[error(
        "the master key file {path} can be read by others (mode {mode:03o}); make it 600 and consider its keys known"
    )]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The content is not a key.
    #[error("the master key must be base64 of {KEY_BYTES} bytes, or lines of `<id>:<base64>` with ids from 1")]
    Malformed,
    /// A key from outside cannot be replaced here.
    #[error("the master key comes from outside this server; add the new key there")]
    NotOurs,
}

/// The keys that this server has, by id.
pub struct MasterKeys(BTreeMap<i32, Key>);

impl std::fmt::Debug for MasterKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MasterKeys({:?})", self.0.keys())
    }
}

impl MasterKeys {
    /// Reads the keys, or generates the first one if `source` allows it.
    ///
    /// # Errors
    /// When there is none, it is malformed, or others could read it.
    pub fn open(source: &Source) -> Result<Self, KeyError> {
        match source {
            Source::Given(text) => Self::parse(text),
            Source::File(path) => Self::read(path),
            Source::Made(path) => match Self::read(path) {
                Err(KeyError::File { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {
                    let keys = Self::throwaway();
                    keys.write(path).map_err(|cause| KeyError::File { path: path.clone(), cause })?;
                    Ok(keys)
                }
                outcome => outcome,
            },
        }
    }

    /// A random key that is not stored.
    pub(crate) fn throwaway() -> Self {
        Self(BTreeMap::from([(1, random_key())]))
    }

    /// The file that would be created, if it does not exist.
    #[must_use]
    pub fn would_make(source: &Source) -> Option<&Path> {
        match source {
            Source::Made(path) => (!path.exists()).then_some(path),
            Source::Given(_) | Source::File(_) => None,
        }
    }

    /// Adds a random key to the file of `source`; from the next start on it is used for sealing.
    ///
    /// # Errors
    /// When the keys come from outside, or the file cannot be replaced.
    pub fn add(source: &Source) -> Result<i32, KeyError> {
        let (Source::File(path) | Source::Made(path)) = source else { return Err(KeyError::NotOurs) };
        let mut keys = Self::open(source)?;
        let id = keys.newest().0 + 1;
        keys.0.insert(id, random_key());
        keys.write(path).map_err(|cause| KeyError::File { path: path.clone(), cause })?;
        Ok(id)
    }

    pub(crate) fn newest(&self) -> (i32, &Key) {
        let (id, key) = self.0.last_key_value().expect("`parse` and `open` make at least one key");
        (*id, key)
    }

    pub(crate) fn get(&self, id: i32) -> Option<&Key> {
        self.0.get(&id)
    }

    fn read(path: &Path) -> Result<Self, KeyError> {
        let fault = |cause| KeyError::File { path: path.to_owned(), cause };
        let mut file = File::open(path).map_err(fault)?;
        // Asked of the open file, so that nobody can replace it in between.
        let mode = file.metadata().map_err(fault)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyError::Exposed { path: path.to_owned(), mode });
        }
        let mut text = Zeroizing::new(String::new());
        file.read_to_string(&mut text).map_err(fault)?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, KeyError> {
        let mut keys = BTreeMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (id, key) = line.split_once(':').unwrap_or(("1", line));
            let id: i32 = id.parse().ok().filter(|id| *id > 0).ok_or(KeyError::Malformed)?;
            let bytes = Zeroizing::new(STANDARD.decode(key).map_err(|_| KeyError::Malformed)?);
            let key: [u8; KEY_BYTES] = bytes.as_slice().try_into().map_err(|_| KeyError::Malformed)?;
            if keys.insert(id, Zeroizing::new(key)).is_some() {
                return Err(KeyError::Malformed);
            }
        }
        if keys.is_empty() { Err(KeyError::Malformed) } else { Ok(Self(keys)) }
    }

    /// Replaces the file in one step: after a power cut it contains the old keys or the new ones.
    fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = Zeroizing::new(String::new());
        for (id, key) in &self.0 {
            writeln!(text, "{id}:{}", *Zeroizing::new(STANDARD.encode(key.as_slice()))).map_err(io::Error::other)?;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let draft = path.with_extension(format!("new.{}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, path)?;
        File::open(folder)?.sync_all()
    }
}

pub(crate) fn random_key() -> Key {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    rand::fill(key.as_mut_slice()).expect("the system's random source works");
    key
}
