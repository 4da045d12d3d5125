//! Lines of the anchor file, and whether this console has written them.
//!
//! ```text
//! <id of the master key>:<HMAC-SHA256> [restored ]<time> <number> <hash>
//! ```
//!
//! The signature covers the line and a running hash over all lines before it: a line that was changed, inserted or
//! removed breaks every later signature, and a valid signature vouches for everything above it, whatever key that was
//! signed with. The signature comes first, so that a line torn by a crash lacks its end and is invalid. Lines of
//! earlier versions have no signature.

use aws_lc_rs::digest;
use db::journal::Head;
use kernel::time::UtcTime;
use vault::{Unsealable, Vault};

/// The purpose of the vault's signature.
const PURPOSE: &str = "audit.anchor";
/// The prefix of an anchor set by a restore.
const RESTORED: &str = "restored ";

/// The content of the file, as far as it can be trusted.
#[derive(Debug, Default)]
pub struct Anchored {
    /// Every anchor, oldest first.
    pub all: Vec<Head>,
    /// Those that the log must still contain: after a restore not those that the backup did not have.
    pub asked_for: Vec<Head>,
    /// Whether any line has a signature.
    pub is_signed: bool,
    /// The first anchor without a valid signature.
    pub unvouched: Option<i64>,
    /// A signature by an available key is invalid: the line is not ours, or one above it was changed.
    pub forged: Option<i64>,
    /// The running hash.
    state: [u8; 32],
}

struct Line<'a> {
    signature: Option<(i32, Vec<u8>)>,
    body: &'a str,
    head: Head,
    is_restored: bool,
}

impl Anchored {
    /// Reads the file. Invalid lines are skipped.
    pub fn read(text: &str, vault: &Vault) -> Self {
        let mut anchored = Self::default();
        for line in text.lines() {
            if let Some(parsed) = parse(line) {
                anchored.take(line, parsed, vault);
            }
        }
        anchored
    }

    fn take(&mut self, text: &str, line: Line<'_>, vault: &Vault) {
        let id = line.head.id;
        let vouched = match &line.signature {
            None => Err(Unsealable::Tampered),
            Some((key, signature)) => {
                self.is_signed = true;
                let outcome = vault.verify(PURPOSE, &self.signed(line.body), *key, signature);
                if outcome == Err(Unsealable::Tampered) {
                    self.forged.get_or_insert(id);
                }
                outcome
            }
        };
        if vouched.is_ok() {
            self.unvouched = None;
        } else {
            self.unvouched.get_or_insert(id);
        }
        self.state = step(&self.state, text);
        if line.is_restored {
            self.asked_for.retain(|older| older.id <= id);
        }
        self.asked_for.push(line.head.clone());
        self.all.push(line.head);
    }

    /// The next line.
    pub fn line(&self, head: &Head, is_restored: bool, at: UtcTime, vault: &Vault) -> String {
        let before = if is_restored { RESTORED } else { "" };
        let body = format!("{before}{} {} {}", at.to_rfc3339(), head.id, hex::encode(&head.hash));
        let (key, signature) = vault.sign(PURPOSE, &self.signed(&body));
        format!("{key}:{} {body}", hex::encode(signature))
    }

    fn signed(&self, body: &str) -> Vec<u8> {
        [&self.state, body.as_bytes()].concat()
    }
}

fn step(state: &[u8; 32], line: &str) -> [u8; 32] {
    let mut next = [0; 32];
    let text = [state, line.as_bytes()].concat();
    next.copy_from_slice(digest::digest(&digest::SHA256, &text).as_ref());
    next
}

fn parse(line: &str) -> Option<Line<'_>> {
    let (signature, body) = match line.split_once(' ').and_then(|(first, rest)| Some((signature(first)?, rest))) {
        Some((signature, rest)) => (Some(signature), rest),
        None => (None, line),
    };
    let (is_restored, anchor) = body.strip_prefix(RESTORED).map_or((false, body), |rest| (true, rest));
    let mut parts = anchor.split(' ');
    let (_at, id, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let head = Head { id: id.parse().ok()?, hash: hex::decode(hash).ok()? };
    let length = if head.id == 0 { 0 } else { 32 };
    (parts.next().is_none() && head.hash.len() == length).then_some(Line { signature, body, head, is_restored })
}

fn signature(text: &str) -> Option<(i32, Vec<u8>)> {
    let (key, signature) = text.split_once(':')?;
    let signature = hex::decode(signature).ok().filter(|bytes| bytes.len() == 32)?;
    Some((key.parse().ok()?, signature))
}
