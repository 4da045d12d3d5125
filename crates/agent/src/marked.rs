//! Where a card carries whose it is, and how it is asked.

use std::sync::LazyLock;

use wire::{Carried, Mark};

/// The file that carries the mark, and the folder that it lies in.
pub const FOLDER: &str = Mark::FOLDER;
pub static FILE: LazyLock<String> = LazyLock::new(|| format!("{FOLDER}/{}", Mark::NAME));
/// Prints the mark, as [`Carried`] reads it. For looks as well.
pub static QUESTION: LazyLock<String> = LazyLock::new(|| {
    let (file, nothing, unreadable) = (&*FILE, Carried::NOTHING, Carried::UNREADABLE);
    format!(
        "cat {file} 2>/dev/null || {{ [ \"$(id -u)\" = 0 ] && [ ! -e {file} ] && echo '{nothing}' || echo '{unreadable}'; }}"
    )
});
