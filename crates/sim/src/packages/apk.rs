//! What is in a package, as far as a simulated card looks.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use aws_lc_rs::digest::{Context, SHA256};

use crate::files::Inode;

/// What is in a package, as far as a simulated card looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apk {
    /// The package's name.
    pub name: String,
    /// `versionCode`.
    pub version: i64,
    /// Who signed it.
    pub signer: String,
    /// The processor that its code is for; empty: any.
    pub abi: String,
    /// The oldest Android (API level) that it runs on.
    pub min_sdk: u32,
    /// The permissions that it asks for.
    pub permissions: Vec<String>,
}

/// The API level of the cards, which is that of Android 12L.
pub(super) const SDK: u32 = 32;
const MARK: &str = "SIMULATED-APK\n";
/// Before the permissions, with commas between, in a line of their own.
const ASKS: &str = "permissions:";

/// A zip ends with this, and a comment of no more than 64 KiB.
const ZIP_END: &[u8] = b"PK\x05\x06";

impl Apk {
    /// A package that any card takes.
    #[must_use]
    pub fn new(name: &str, version: i64) -> Self {
        let (signer, abi, permissions) = ("a".into(), String::new(), Vec::new());
        Self { name: name.into(), version, signer, abi, min_sdk: 21, permissions }
    }

    /// The same package, which asks for these permissions.
    #[must_use]
    pub fn asking(self, permissions: &[&str]) -> Self {
        Self { permissions: permissions.iter().map(|name| (*name).to_owned()).collect(), ..self }
    }

    /// The file, filled up to `size` bytes.
    #[must_use]
    pub fn file(&self, size: usize) -> Vec<u8> {
        let Self { name, version, signer, abi, min_sdk, permissions } = self;
        let mut file = format!("{MARK}{name}\n{version}\n{signer}\n{abi}\n{min_sdk}\n").into_bytes();
        if !permissions.is_empty() {
            file.extend_from_slice(format!("{ASKS}{}\n", permissions.join(",")).as_bytes());
        }
        file.resize(file.len().max(size), 0);
        file
    }

    /// Reads a file: one of [`Apk::file`], or a real package (a zip); one that does not tell its name gets one that is
    /// made of its content. Nothing for one that was cut off.
    #[must_use]
    pub fn read(file: &[u8]) -> Option<Self> {
        Self::read_from(Cursor::new(file)).map(|(apk, _)| apk)
    }

    /// The same of a card's file, with the name of the version where it is told.
    pub(super) fn of(inode: &Arc<Inode>) -> Option<(Self, String)> {
        Self::read_from(Content { inode: Arc::clone(inode), at: 0 })
    }

    fn read_from(mut source: impl Read + Seek) -> Option<(Self, String)> {
        let mut head = Vec::new();
        source.by_ref().take(4096).read_to_end(&mut head).ok()?;
        if head.starts_with(b"PK\x03\x04") {
            if !has_end(&mut source) {
                return None;
            }
            source.rewind().ok()?;
            if let Some(told) = inspect::android_package(&mut source) {
                source.rewind().ok()?;
                let permissions = inspect::android_permissions(&mut source, SDK);
                let apk = Self { permissions, ..Self::new(&told.name, told.version_code.unwrap_or(1)) };
                return Some((apk, told.version_name));
            }
            let [a, b, c, d] = hash(&mut source)?;
            return Some((Self::new(&format!("apk.h{a:02x}{b:02x}{c:02x}{d:02x}"), 1), String::new()));
        }
        let text = head.strip_prefix(MARK.as_bytes())?;
        let text = String::from_utf8_lossy(text);
        let mut lines = text.split_inclusive('\n');
        // A line without an end was cut off.
        let whole = |line: &str| line.strip_suffix('\n').map(str::to_owned);
        let mut line = || lines.next().and_then(whole);
        let mut apk = Self {
            name: line()?,
            version: line()?.parse().ok()?,
            signer: line()?,
            abi: line()?,
            min_sdk: line()?.parse().ok()?,
            permissions: Vec::new(),
        };
        if let Some(asked) = lines.next().and_then(|line| line.strip_prefix(ASKS)) {
            apk.permissions = whole(asked)?.split(',').map(str::to_owned).collect();
        }
        let version_name = format!("{}.0", apk.version);
        Some((apk, version_name))
    }
}

/// Whether a zip has its end.
fn has_end(source: &mut (impl Read + Seek)) -> bool {
    let Ok(size) = source.seek(SeekFrom::End(0)) else { return false };
    let mut tail = Vec::new();
    let from = SeekFrom::Start(size.saturating_sub(65_557));
    if source.seek(from).is_err() || source.take(65_557).read_to_end(&mut tail).is_err() {
        return false;
    }
    let ends = |(at, window): (usize, &[u8])| {
        let comment = tail.get(at + 20..at + 22).map(|field| usize::from(u16::from_le_bytes([field[0], field[1]])));
        window == ZIP_END && comment.is_some_and(|comment| at + 22 + comment == tail.len())
    };
    tail.windows(ZIP_END.len()).enumerate().any(ends)
}

fn hash(source: &mut (impl Read + Seek)) -> Option<[u8; 4]> {
    source.rewind().ok()?;
    let (mut context, mut buffer) = (Context::new(&SHA256), vec![0; 64 * 1024]);
    loop {
        match source.read(&mut buffer).ok()? {
            0 => return context.finish().as_ref().first_chunk().copied(),
            count => context.update(&buffer[..count]),
        }
    }
}

/// A card's file as something to read.
struct Content {
    inode: Arc<Inode>,
    at: u64,
}

impl Read for Content {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.inode.read(self.at, into.len()).map_err(|why| std::io::Error::other(why.words()))?;
        into[..bytes.len()].copy_from_slice(&bytes);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }
}

impl Seek for Content {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.inode.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(std::io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_off_is_no_package() {
        let apk = Apk::new("com.example.game", 7);
        let file = apk.file(1000);
        assert_eq!(Apk::read(&file).unwrap(), apk);
        assert_eq!(Apk::read(&file[..20]), None);
        assert_eq!(Apk::read(&file[..file.iter().position(|byte| *byte == 0).unwrap() - 1]), None);
        let asks = apk.asking(&["android.permission.CAMERA", "android.permission.INTERNET"]);
        let file = asks.file(1000);
        assert_eq!(Apk::read(&file).unwrap(), asks);
        assert_eq!(Apk::read(&file[..file.iter().position(|byte| *byte == 0).unwrap() - 1]), None);
        let mut zip = b"PK\x03\x04 something".to_vec();
        assert_eq!(Apk::read(&zip), None, "a zip without an end");
        zip.extend_from_slice(b"PK\x05\x06");
        zip.extend_from_slice(&[0; 18]);
        assert!(Apk::read(&zip).unwrap().name.starts_with("apk.h"));
        assert_eq!(Apk::read(&zip[..zip.len() - 1]), None, "a zip whose end was cut off");
    }

    #[test]
    fn a_real_package_tells_what_it_asks_for() {
        let wanted = ["android.permission.CAMERA", "com.example.OWN"];
        let apk = Apk::read(&testkit::apk::asking("com.example.game", 7, &wanted, 1000)).unwrap();
        assert_eq!(apk, Apk::new("com.example.game", 7).asking(&wanted));
    }
}
