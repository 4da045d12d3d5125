//! A file of a package on its way from the engine of copies, which blocks a thread of its own, to whoever feeds a card with
//! it. Little is kept in between.

use std::io;

use aws_lc_rs::digest;
use snapshot::{Entry, EntryKind, Sink};
use tokio::io::{AsyncWriteExt as _, DuplexStream};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// The one file of a repository on its way to a card.
pub struct Pipe {
    to: DuplexStream,
    runtime: Handle,
    /// Whom to tell that something comes; nobody once he was told.
    begun: Option<oneshot::Sender<()>>,
    size: u64,
    sum: digest::Context,
    /// What is there instead.
    wrong: Option<String>,
}

impl Pipe {
    /// For a file of so many bytes. Whoever reads the other end is told when something comes.
    #[must_use]
    pub fn new(to: DuplexStream, begun: oneshot::Sender<()>, size: u64) -> Self {
        let sum = digest::Context::new(&digest::SHA256);
        Self { to, runtime: Handle::current(), begun: Some(begun), size, sum, wrong: None }
    }

    /// Whether something else was there.
    #[must_use]
    pub const fn is_wrong(&self) -> bool {
        self.wrong.is_some()
    }

    /// What is wrong with what came; none if it is all of the file with this SHA-256.
    #[must_use]
    pub fn verdict(self, sha256: &str) -> Option<String> {
        if self.wrong.is_some() {
            return self.wrong;
        }
        if self.begun.is_some() {
            return Some("there is no file".to_owned());
        }
        (hex::encode(self.sum.finish()) != sha256).then(|| "it is not what its hash says".to_owned())
    }
}

impl Sink for Pipe {
    fn wants(&mut self, entry: &Entry) -> io::Result<bool> {
        Ok(matches!(entry.kind, EntryKind::File(_)))
    }

    fn begin(&mut self, entry: &Entry) -> io::Result<()> {
        let wrong = match (self.begun.take(), &entry.kind) {
            (Some(begun), EntryKind::File(size)) if *size == self.size => {
                // If nobody waits any more, the next write says so.
                _ = begun.send(());
                return Ok(());
            }
            (Some(_), _) => "it has another size".to_owned(),
            (None, _) => "there is more than one file".to_owned(),
        };
        self.wrong = Some(wrong.clone());
        Err(io::Error::other(wrong))
    }

    fn content(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.runtime.block_on(self.to.write_all(bytes))
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use aws_lc_rs::digest;
    use snapshot::{Entry, EntryKind, Sink as _};
    use tokio::io::AsyncReadExt as _;
    use tokio::sync::oneshot;

    use super::Pipe;

    fn entry(kind: EntryKind) -> Entry {
        let (path, modified) = ("base.apk".into(), (0, 0));
        Entry { path, kind, mode: 0o644, uid: 0, gid: 0, modified, changed: None, inode: 0 }
    }

    fn hash(content: &[u8]) -> String {
        hex::encode(digest::digest(&digest::SHA256, content))
    }

    #[tokio::test]
    async fn what_comes_is_judged_by_its_hash_and_its_size() {
        let sent = |content: &'static [u8], told: u64| {
            let (to, mut from) = tokio::io::duplex(4);
            let (begun, ready) = oneshot::channel();
            let mut pipe = Pipe::new(to, begun, told);
            async move {
                let writing = tokio::task::spawn_blocking(move || {
                    assert!(!pipe.wants(&entry(EntryKind::Folder)).unwrap());
                    if pipe.begin(&entry(EntryKind::File(content.len() as u64))).is_ok() {
                        pipe.content(content).unwrap();
                    }
                    pipe.verdict(&hash(b"an app"))
                });
                let has_begun = ready.await.is_ok();
                let mut came = Vec::new();
                from.read_to_end(&mut came).await.unwrap();
                (has_begun, came, writing.await.unwrap())
            }
        };
        assert_eq!(sent(b"an app", 6).await, (true, b"an app".to_vec(), None));
        assert!(sent(b"no app", 6).await.2.unwrap().contains("hash"));
        let (has_begun, came, verdict) = sent(b"an app", 7).await;
        assert!(!has_begun && came.is_empty() && verdict.unwrap().contains("size"));
    }

    #[tokio::test]
    async fn what_nobody_takes_any_more_is_not_sent() {
        let (to, from) = tokio::io::duplex(4);
        let (begun, _ready) = oneshot::channel();
        let mut pipe = Pipe::new(to, begun, 6);
        drop(from);
        let refused = tokio::task::spawn_blocking(move || {
            pipe.begin(&entry(EntryKind::File(6))).unwrap();
            (pipe.content(b"an app").is_err(), pipe.is_wrong())
        });
        assert_eq!(refused.await.unwrap(), (true, false));
    }
}
