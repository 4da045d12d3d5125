//! Listing a folder of a card.

use std::net::SocketAddr;
use std::time::Duration;

use adb::{Device as _, DevicePath, Error};
use tokio::time::timeout;
use wire::{EntryKind, FolderEntry, FolderLook, Reason};

use super::{mistaken, state};
use crate::cards::Cards;

/// A person waits for it.
const PATIENCE: Duration = Duration::from_secs(15);
/// The largest number of entries.
const MOST: usize = 2000;
/// Approximate size limit of the answer in bytes: it is one frame.
const ANSWER: usize = wire::MAX_FRAME / 4 * 3;

/// Lists a folder, if the card is the expected one.
pub async fn look_into(cards: &Cards, address: &str, serial: Option<&str>, path: &str) -> FolderLook {
    match timeout(PATIENCE, list(cards, address, serial, path)).await {
        Ok(Ok(look)) => look,
        Ok(Err(error)) => failed(error.reason(), error.to_string()),
        Err(_) => failed(Reason::AdbTimeout, format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

async fn list(cards: &Cards, address: &str, serial: Option<&str>, path: &str) -> Result<FolderLook, Error> {
    let Ok(at) = address.parse::<SocketAddr>() else {
        return Err(Error::BadArgument { what: address.to_owned() });
    };
    let path = DevicePath::new(path)?;
    let card = cards.get(at).await?;
    if serial.is_some()
        && let Some(why) = mistaken(at, &state(&card).await?, serial)
    {
        return Ok(failed(Reason::WrongCard, why));
    }
    let Some(folder) = card.list(&path, MOST).await? else {
        return Ok(failed(Reason::NoSuchFile, format!("{path} does not exist")));
    };
    let mut entries: Vec<FolderEntry> = folder.entries.into_iter().map(entry).collect();
    entries.sort_by(|a, b| (a.kind != EntryKind::Folder, &a.name).cmp(&(b.kind != EntryKind::Folder, &b.name)));
    let mut left = ANSWER;
    // JSON may need six bytes for one of a name.
    let fits = entries.iter().take_while(|entry| {
        let size = 120 + entry.name.len() * 6;
        left.checked_sub(size).inspect(|rest| left = *rest).is_some()
    });
    let fitting = fits.count();
    let is_cut = folder.is_cut || fitting < entries.len();
    entries.truncate(fitting);
    Ok(FolderLook::Seen { entries, is_cut })
}

fn entry(found: adb::FolderEntry) -> FolderEntry {
    let stat = found.stat;
    let kind = if stat.is_folder() {
        EntryKind::Folder
    } else if stat.is_link() {
        EntryKind::Link
    } else if stat.is_file() {
        EntryKind::File
    } else {
        EntryKind::Other
    };
    // Linux has 255 bytes; a card may lie.
    let name = found.name.chars().take(255).collect();
    FolderEntry { name, kind, size: stat.size, modified: stat.modified }
}

fn failed(code: Reason, reason: String) -> FolderLook {
    FolderLook::Failed { code: code.into(), reason }
}
