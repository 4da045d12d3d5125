//! Whether the folders beside the database take files: the data folder and the one of uploaded files may be disks of
//! their own.

use std::io::{self, Write as _};
use std::path::Path;

use courier::Place;
use db::{Trouble, space};
use kernel::text::{Text, text};

use crate::config::Config;

const DATA_FULL: Text =
    text("数据目录所在磁盘已满，请清理空间", "The disk of the data folder is full; free some space there");
const DATA_FAILS: Text =
    text("数据目录无法写入，请联系管理员", "The data folder cannot be written to; contact the administrator");
const FILES_FULL: Text =
    text("存放上传文件的磁盘已满，请清理空间", "The disk of uploaded files is full; free some space there");
const FILES_FAIL: Text = text(
    "存放上传文件的目录无法写入，请联系管理员",
    "The folder of uploaded files cannot be written to; contact the administrator",
);

/// So much is written and thrown away: a page.
const PAGE: [u8; 4096] = [0; 4096];

/// A folder that takes no files.
#[derive(Debug, thiserror::Error)]
#[error("{what} takes no files: {cause}")]
pub struct Refuses {
    what: &'static str,
    full: Text,
    fails: Text,
    #[source]
    cause: io::Error,
}

impl Refuses {
    /// Which it is, and what to do.
    #[must_use]
    pub fn words(&self) -> Text {
        if Trouble::in_chain(&self.cause) == Some(Trouble::DiskFull) { self.full } else { self.fails }
    }
}

/// Asks the disks, and writes to each. Files in a bucket are not tried.
///
/// # Errors
/// The first folder that refuses.
pub fn check(config: &Config) -> Result<(), Refuses> {
    let refuses = |what, (full, fails)| move |cause| Refuses { what, full, fails, cause };
    takes_files(&config.data_dir).map_err(refuses("the data folder", (DATA_FULL, DATA_FAILS)))?;
    if let Place::Folder(folder) = config.object_place() {
        takes_files(&folder).map_err(refuses("the folder of uploaded files", (FILES_FULL, FILES_FAIL)))?;
    }
    Ok(())
}

fn takes_files(folder: &Path) -> io::Result<()> {
    space::check(folder)?;
    // Nothing is left of it when it is closed, whatever happens.
    tempfile::tempfile_in(folder)?.write_all(&PAGE)
}
