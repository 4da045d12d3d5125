//! What a file descriptor of a simulated program leads to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;

use super::pipe::{Reader, Writer};
use crate::chance;
use crate::files::{FileError, Inode};

/// Why a program cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nobody reads what it writes: SIGPIPE.
    Broken,
    /// A file could not be read or written.
    Failed(FileError),
}

impl From<FileError> for Stop {
    fn from(why: FileError) -> Self {
        Self::Failed(why)
    }
}

/// What a shell tells the connection that it belongs to.
#[derive(Debug)]
pub enum Said {
    /// Standard output.
    Out(Bytes),
    /// Standard error.
    Err(Bytes),
    /// It has ended with this code.
    Exit(u8),
    /// It has read some of its input.
    Taken,
    /// A program of the card connects to a port that leads to the host.
    Dial {
        /// What the host opens.
        target: String,
        /// What the program says.
        from_card: Reader,
        /// What it hears.
        to_card: Writer,
    },
}

/// Bytes that may be on their way to the host.
pub const AHEAD: usize = 256 * 1024;

/// The way out of a shell: what is printed goes to the host as fast as it takes it.
#[derive(Debug)]
pub struct Outlet {
    id: u32,
    errors: bool,
    sender: UnboundedSender<(u32, Said)>,
    room: Arc<Semaphore>,
    /// Answers come late.
    slow: Arc<AtomicBool>,
}

/// How late an answer of a slow card is.
pub const LATE: Duration = Duration::from_secs(2);

impl Outlet {
    /// The two ways out of stream `id`. `room` holds as many permits as bytes may be on their way.
    pub fn pair(id: u32, sender: &UnboundedSender<(u32, Said)>, room: &Arc<Semaphore>, slow: bool) -> (Self, Self) {
        let slow = Arc::new(AtomicBool::new(slow));
        let way = |errors| Self { id, errors, sender: sender.clone(), room: Arc::clone(room), slow: Arc::clone(&slow) };
        (way(false), way(true))
    }

    async fn write(&self, bytes: &[u8]) -> Result<(), Stop> {
        self.be_late().await;
        for part in bytes.chunks(32 * 1024) {
            let permits = u32::try_from(part.len()).unwrap_or(u32::MAX);
            self.room.acquire_many(permits).await.map_err(|_| Stop::Broken)?.forget();
            let part = Bytes::copy_from_slice(part);
            let said = if self.errors { Said::Err(part) } else { Said::Out(part) };
            self.sender.send((self.id, said)).map_err(|_| Stop::Broken)?;
        }
        Ok(())
    }

    async fn be_late(&self) {
        if self.slow.swap(false, Ordering::Relaxed) {
            tokio::time::sleep(LATE).await;
        }
    }

    /// Says that the shell has ended.
    pub async fn exit(&self, code: u8) {
        self.be_late().await;
        let _ = self.sender.send((self.id, Said::Exit(code)));
    }
}

/// An open file: every descriptor that was made from it shares its place in the file.
#[derive(Debug)]
pub struct OpenFile {
    /// The file.
    pub inode: Arc<Inode>,
    place: Mutex<u64>,
    append: bool,
}

/// Files of `/dev`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// `/dev/null`.
    Null,
    /// `/dev/zero`.
    Zero,
    /// `/dev/random` and `/dev/urandom`.
    Random,
}

/// A file descriptor.
#[derive(Clone, Debug)]
pub enum Fd {
    /// A device.
    Device(Device),
    /// A file.
    File(Arc<OpenFile>),
    /// The reading end of a pipe.
    Reader(Arc<Reader>),
    /// The writing end of a pipe.
    Writer(Arc<Writer>),
    /// A here-document.
    Text(Arc<Mutex<Bytes>>),
    /// To the host.
    Outlet(Arc<Outlet>),
    /// Kept for `$( )`.
    Capture(Arc<Mutex<Vec<u8>>>),
}

/// What `$( )` keeps, at most.
const CAPTURED: usize = 16 * 1024 * 1024;

impl Fd {
    /// Nothing comes from it, and what goes there is gone.
    pub const NULL: Self = Self::Device(Device::Null);

    /// An open file.
    pub fn file(inode: Arc<Inode>, append: bool) -> Self {
        Self::File(Arc::new(OpenFile { inode, place: Mutex::new(0), append }))
    }

    /// A text to be read.
    pub fn text(text: impl Into<Bytes>) -> Self {
        Self::Text(Arc::new(Mutex::new(text.into())))
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// Nobody reads it, or the card is full.
    pub async fn write(&self, bytes: &[u8]) -> Result<(), Stop> {
        match self {
            Self::Device(_) => Ok(()),
            Self::File(file) => {
                // As much as fits is written, as a disk does.
                for part in bytes.chunks(64 * 1024) {
                    let mut place = file.place.lock();
                    let at = if file.append { file.inode.size() } else { *place };
                    file.inode.write(at, part)?;
                    *place = at + part.len() as u64;
                }
                Ok(())
            }
            Self::Writer(writer) => writer.write(bytes).await,
            Self::Outlet(outlet) => outlet.write(bytes).await,
            Self::Capture(kept) => {
                let mut kept = kept.lock();
                if kept.len() + bytes.len() > CAPTURED {
                    return Err(Stop::Failed(FileError::NoSpace));
                }
                kept.extend_from_slice(bytes);
                Ok(())
            }
            Self::Reader(_) | Self::Text(_) => Err(Stop::Broken),
        }
    }

    /// Up to `most` bytes; none at the end.
    ///
    /// # Errors
    /// It is a folder.
    pub async fn read(&self, most: usize) -> Result<Bytes, Stop> {
        Ok(match self {
            Self::Device(Device::Zero) => vec![0; most.min(64 * 1024)].into(),
            Self::Device(Device::Random) => {
                let words = most.min(64 * 1024).div_ceil(8);
                let bytes: Vec<u8> = (0..words).flat_map(|_| rand::random::<u64>().to_le_bytes()).collect();
                Bytes::from(bytes).slice(..most.min(64 * 1024))
            }
            Self::File(file) => {
                let mut place = file.place.lock();
                let bytes = file.inode.read(*place, most)?;
                *place += bytes.len() as u64;
                bytes
            }
            Self::Reader(reader) => reader.read(most).await,
            Self::Text(text) => {
                let mut text = text.lock();
                let count = text.len().min(most);
                text.split_to(count)
            }
            Self::Device(Device::Null) | Self::Writer(_) | Self::Outlet(_) | Self::Capture(_) => Bytes::new(),
        })
    }

    /// Up to and with the next line feed, and no byte more.
    ///
    /// # Errors
    /// It is a folder.
    pub async fn read_line(&self) -> Result<Bytes, Stop> {
        let cut = |bytes: &Bytes| bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        match self {
            Self::Reader(reader) => Ok(reader.read_until(b'\n').await),
            Self::File(file) => {
                let mut place = file.place.lock();
                let mut line = file.inode.read(*place, 64 * 1024)?;
                line.truncate(cut(&line));
                *place += line.len() as u64;
                Ok(line)
            }
            Self::Text(text) => {
                let mut text = text.lock();
                let end = cut(&text);
                Ok(text.split_to(end))
            }
            Self::Device(_) | Self::Writer(_) | Self::Outlet(_) | Self::Capture(_) => self.read(1).await,
        }
    }

    /// Goes to a place in a file; elsewhere nothing happens.
    pub fn seek(&self, to: u64) {
        if let Self::File(file) = self {
            *file.place.lock() = to;
        }
    }
}

/// A number that nobody foresees, for names of files.
#[must_use]
pub fn random_name() -> u64 {
    chance::number(rand::random(), 0, 0)
}

/// The devices that can be opened.
#[must_use]
pub fn device(path: &str) -> Option<Fd> {
    Some(Fd::Device(match path {
        "/dev/null" | "/dev/tty" => Device::Null,
        "/dev/zero" => Device::Zero,
        "/dev/random" | "/dev/urandom" => Device::Random,
        _ => return None,
    }))
}
