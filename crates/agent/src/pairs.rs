//! Names of what lies on a card, and what is known of each, which comes by itself in the same order.

use crate::listing::{Timed, TimedListing, Unread};

/// A line with numbers is no longer.
const LINE: usize = 1024;

/// Names and what is known of them, line by line in their order, as it comes.
#[derive(Debug)]
pub struct Pairs<'a, T> {
    /// Those of which nothing was told yet.
    names: &'a [u8],
    /// What has come of a line.
    line: Vec<u8>,
    read: fn(&str) -> Option<T>,
}

impl<'a, T> Pairs<'a, T> {
    /// What is `read` of each line, for names that end with NUL.
    pub const fn of(names: &'a [u8], read: fn(&str) -> Option<T>) -> Self {
        Self { names, line: Vec::new(), read }
    }

    fn next_name(&mut self) -> Option<&'a [u8]> {
        while !self.names.is_empty() {
            let end = self.names.iter().position(|byte| *byte == 0).unwrap_or(self.names.len());
            let name = &self.names[..end];
            self.names = self.names.get(end + 1..).unwrap_or_default();
            if !name.is_empty() {
                return Some(name.strip_prefix(b"./").unwrap_or(name));
            }
        }
        None
    }

    /// Takes what has come, and tells of each name what is known of it.
    ///
    /// # Errors
    /// It is something else, or of more names.
    pub fn take(&mut self, mut bytes: &[u8], each: &mut impl FnMut(&[u8], T)) -> Result<(), Unread> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&bytes[..end]);
            self.line_ends(each)?;
            bytes = &bytes[end + 1..];
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > LINE { Err(Unread::Because("stat prints no lines".into())) } else { Ok(()) }
    }

    fn line_ends(&mut self, each: &mut impl FnMut(&[u8], T)) -> Result<(), Unread> {
        let made = || Unread::Changed("files were made while they were listed".into());
        let name = self.next_name().ok_or_else(made)?;
        let line = String::from_utf8_lossy(&self.line);
        let known = (self.read)(line.trim_end()).ok_or_else(|| Unread::Because(format!("stat says \"{line}\"")))?;
        each(name, known);
        self.line.clear();
        Ok(())
    }

    /// Nothing more comes.
    ///
    /// # Errors
    /// There are names of which nothing has come.
    pub fn end(&mut self, each: &mut impl FnMut(&[u8], T)) -> Result<(), Unread> {
        if !self.line.is_empty() {
            self.line_ends(each)?;
        }
        match self.next_name() {
            Some(_) => Err(Unread::Changed("files were removed while they were listed".into())),
            None => Ok(()),
        }
    }
}

/// What is listed now, held against what was.
#[derive(Debug)]
pub struct Compared<'a> {
    before: &'a TimedListing,
    counts: fn(&[u8]) -> bool,
    /// How much is as it was.
    same: usize,
    /// What is not, first.
    other: Option<String>,
}

impl<'a> Compared<'a> {
    /// Nothing yet, of what `counts`.
    pub const fn with(before: &'a TimedListing, counts: fn(&[u8]) -> bool) -> Self {
        Self { before, counts, same: 0, other: None }
    }

    /// One more.
    pub fn take(&mut self, name: &[u8], timed: Timed) {
        if !(self.counts)(name) {
            return;
        }
        if self.before.get(name) == Some(&timed) {
            self.same += 1;
        } else {
            self.other.get_or_insert_with(|| String::from_utf8_lossy(name).into_owned());
        }
    }

    /// What differs first; nothing if all is as it was.
    pub fn told(self) -> Option<String> {
        let all = self.before.keys().filter(|name| (self.counts)(name)).count();
        self.other.or_else(|| (self.same != all).then(|| "something that is gone".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Compared, Pairs};
    use crate::listing::{Entry, Timed, TimedListing, Unread};

    /// What comes of names and of what is known of them, which comes in pieces of this size.
    fn paired(names: &[u8], known: &[u8], piece: usize) -> Result<BTreeMap<Vec<u8>, Entry>, Unread> {
        let mut listing = BTreeMap::new();
        let mut each = |name: &[u8], entry| _ = listing.insert(name.to_vec(), entry);
        let mut pairs = Pairs::of(names, Entry::read);
        for piece in known.chunks(piece) {
            pairs.take(piece, &mut each)?;
        }
        pairs.end(&mut each)?;
        Ok(listing)
    }

    #[test]
    fn names_and_what_is_known_of_them_belong_together_or_are_refused() {
        let names = b"./a\0./a/b\nc\0./a/\xff\0";
        let known = b"41ed 0 0 4096\n81a4 1000 1001 12\na1ff 0 0 3\n";
        let listing = paired(names, known, 1000).ok().unwrap_or_default();
        for piece in [1, 2, 7, 15, 16] {
            assert_eq!(paired(names, known, piece).ok().as_ref(), Some(&listing), "{piece}");
        }
        let read: Vec<(&[u8], Entry)> = listing.iter().map(|(name, entry)| (name.as_slice(), *entry)).collect();
        let entry = |mode, uid, gid, size| Entry { mode, uid, gid, size };
        assert_eq!(
            read,
            [
                (b"a".as_slice(), entry(0o040_755, 0, 0, 4096)),
                (b"a/b\nc", entry(0o100_644, 1000, 1001, 12)),
                (b"a/\xff", entry(0o120_777, 0, 0, 3)),
            ]
        );
        assert!(read[0].1.is_folder() && read[1].1.is_file() && read[2].1.is_link());
        for other in ["41ed 0 0 4096\n81a4 1000 1001 12\n", "41ed 0 0 4096\n81a4 1000\na1ff 0 0 3\n", "a\nb\nc\n", ""] {
            assert!(
                matches!(paired(names, other.as_bytes(), 5), Err(Unread::Because(_) | Unread::Changed(_))),
                "{other}"
            );
        }
        let more = [known.as_slice(), b"81a4 0 0 0\n"].concat();
        assert!(matches!(paired(names, &more, 5), Err(Unread::Changed(_))));
        assert!(matches!(paired(names, &[b'1'; 2000], 100), Err(Unread::Because(_))), "a card that prints without end");
    }

    #[test]
    fn what_is_listed_once_more_is_compared_as_it_comes() {
        let timed =
            |inode| Timed { entry: Entry { mode: 0o100_644, uid: 1, gid: 2, size: 3 }, modified: 4, changed: 5, inode };
        let before: TimedListing = ["a/1", "a/2", "system/x"].map(|name| (name.as_bytes().to_vec(), timed(7))).into();
        let told = |now: &[(&str, u64)]| {
            let counts: fn(&[u8]) -> bool = |name| name.starts_with(b"a/");
            let mut compared = Compared::with(&before, counts);
            now.iter().for_each(|(name, inode)| compared.take(name.as_bytes(), timed(*inode)));
            compared.told()
        };
        assert_eq!(told(&[("a/2", 7), ("a/1", 7)]), None, "what does not count may change");
        assert_eq!(told(&[("a/2", 7), ("a/1", 8), ("system/y", 7)]).as_deref(), Some("a/1"));
        assert_eq!(told(&[("a/2", 7), ("a/1", 7), ("a/3", 7)]).as_deref(), Some("a/3"));
        assert_eq!(told(&[("a/2", 7), ("system/x", 7)]).as_deref(), Some("something that is gone"));
    }
}
