//! What programs read: files or their input, line by line or as it comes.

use bytes::{Bytes, BytesMut};

use super::proc::Proc;
use crate::shell::fd::{Fd, Stop};

/// A line is no longer; what is longer comes in parts.
const LINE: usize = 1 << 20;

/// Something to be read.
#[derive(Debug)]
pub struct Input {
    /// The name as it was given; `-` for the input.
    pub name: String,
    fd: Fd,
    buffer: BytesMut,
    ended: bool,
}

impl Input {
    /// From a descriptor.
    pub fn new(name: &str, fd: Fd) -> Self {
        Self { name: name.into(), fd, buffer: BytesMut::new(), ended: false }
    }

    /// The next bytes; none at the end.
    ///
    /// # Errors
    /// It is a folder.
    pub async fn chunk(&mut self) -> Result<Bytes, Stop> {
        if self.buffer.is_empty() { self.fd.read(64 * 1024).await } else { Ok(self.buffer.split().freeze()) }
    }

    /// The next line with its end, if it has one; nothing at the end.
    ///
    /// # Errors
    /// It is a folder.
    pub async fn line(&mut self) -> Result<Option<Bytes>, Stop> {
        self.part(b'\n').await
    }

    /// The next part that such a byte ends.
    ///
    /// # Errors
    /// It is a folder.
    pub async fn part(&mut self, end: u8) -> Result<Option<Bytes>, Stop> {
        let mut seen = 0;
        loop {
            if let Some(at) = self.buffer[seen..].iter().position(|byte| *byte == end) {
                return Ok(Some(self.buffer.split_to(seen + at + 1).freeze()));
            }
            seen = self.buffer.len();
            if self.ended || seen >= LINE {
                return Ok((seen > 0).then(|| self.buffer.split().freeze()));
            }
            let more = self.fd.read(64 * 1024).await?;
            self.ended = more.is_empty();
            self.buffer.extend_from_slice(&more);
        }
    }
}

/// A line without its end.
#[must_use]
pub fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

impl Proc {
    /// The program's input.
    pub fn stdin(&self) -> Input {
        Input::new("-", self.fds[0].clone())
    }

    /// Opens one file, or the input for `-`; nothing, after a complaint, if it cannot be read.
    pub async fn input(&self, path: &str) -> Option<Input> {
        if path == "-" {
            return Some(self.stdin());
        }
        if let Some(device) = crate::shell::fd::device(&self.path(path)) {
            return Some(Input::new(path, device));
        }
        match self.open(path) {
            Ok(inode) if inode.is_folder() => {
                self.err_file(path, crate::files::FileError::Folder).await;
                None
            }
            Ok(inode) => Some(Input::new(path, Fd::file(inode, false))),
            Err(why) => {
                self.err_file(path, why).await;
                None
            }
        }
    }

    /// Opens files, or the input if there are none; how many could not be read is the exit code.
    pub async fn inputs(&self, paths: &[String]) -> (Vec<Input>, u8) {
        if paths.is_empty() {
            return (vec![self.stdin()], 0);
        }
        let mut inputs = Vec::new();
        for path in paths {
            inputs.extend(self.input(path).await);
        }
        let code = u8::from(inputs.len() < paths.len());
        (inputs, code)
    }
}
