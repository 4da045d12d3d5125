//! The programs of a card: those of `toybox`, those of Android that the console runs, and two for tests.

mod android;
mod archive;
mod bytes;
mod clock;
mod copy;
mod disk;
mod filter;
mod find;
mod grep;
mod input;
mod line;
mod list;
mod meta;
mod names;
mod network;
mod options;
mod process;
mod regex;
mod remove;
mod sed;
mod sorting;
mod sums;
mod system;
mod tar;
mod unpack;

use std::sync::Arc;

use crate::card::Card;
use crate::files::{FileError, Found, Inode, Kind, join};
use crate::packages;
use crate::shell::fd::{Fd, Stop};
use crate::shell::{self, Later, Shell};

pub use clock::format as format_time;
pub use system::{made, prop};

/// A program that runs.
#[derive(Clone, Debug)]
pub struct Proc {
    /// The card.
    pub card: Arc<Card>,
    /// Its name and its arguments.
    pub words: Vec<String>,
    /// Input, output, errors.
    pub fds: [Fd; 3],
    /// The folder that it is in.
    pub cwd: String,
    /// Its variables.
    pub env: Vec<(String, String)>,
    /// Rights that its files do not get.
    pub umask: u32,
    /// Whose it is.
    pub uid: u32,
}

/// How a program ends: with an exit code, or because it cannot write.
pub type Outcome = Result<u8, Stop>;

/// A program.
pub type Program = fn(Proc) -> Later<'static, Outcome>;

macro_rules! table {
    ($name:expr, $($($word:literal)|+ => $program:path,)*) => {
        Some(match $name {
            $($($word)|+ => |proc| Box::pin($program(proc)),)*
            _ => return None,
        })
    };
}

/// The program of this name, which may be a path.
#[must_use]
pub fn find(name: &str) -> Option<Program> {
    let name = match name.rsplit_once('/') {
        Some(("/system/bin" | "/bin" | "/system/xbin" | "/vendor/bin", name)) => name,
        Some(_) => return None,
        None => name,
    };
    table! { name,
        "cat" => filter::cat,
        "head" => filter::head,
        "tail" => filter::tail,
        "tee" => filter::tee,
        "wc" => filter::wc,
        "tac" => filter::tac,
        "cut" => line::cut,
        "tr" => line::tr,
        "uniq" => line::uniq,
        "seq" => line::seq,
        "yes" => line::yes,
        "sort" => sorting::sort,
        "grep" | "egrep" | "fgrep" => grep::grep,
        "sed" => sed::sed,
        "echo" | "printf" | "test" | "[" | "true" | "false" | "sleep" => process::builtin,
        "cp" => copy::cp,
        "mv" => copy::mv,
        "ln" => copy::ln,
        "rm" => remove::rm,
        "rmdir" => remove::rmdir,
        "unlink" => remove::unlink,
        "mkdir" => remove::mkdir,
        "touch" => remove::touch,
        "truncate" => remove::truncate,
        "mktemp" => remove::mktemp,
        "basename" => names::basename,
        "dirname" => names::dirname,
        "realpath" => names::realpath,
        "readlink" => names::readlink,
        "stat" => meta::stat,
        "chmod" => meta::chmod,
        "chown" | "chgrp" => meta::chown,
        "chcon" => meta::chcon,
        "restorecon" => meta::restorecon,
        "ls" => list::ls,
        "find" => find::find,
        "du" => disk::du,
        "df" => disk::df,
        "dd" => disk::dd,
        "sync" => disk::sync,
        "tar" => archive::tar,
        "sha256sum" | "sha1sum" | "sha512sum" | "md5sum" => sums::sum,
        "base64" => bytes::base64,
        "cmp" => bytes::cmp,
        "gzip" | "gunzip" | "zcat" => bytes::gzip,
        "rev" => bytes::rev,
        "xxd" => bytes::xxd,
        "date" => clock::date,
        "uptime" => clock::uptime,
        "sh" | "mksh" => process::sh,
        "su" => process::su,
        "env" | "printenv" => process::env,
        "nohup" | "setsid" | "nice" | "ionice" => process::beside,
        "xargs" => process::xargs,
        "timeout" => process::timeout,
        "time" => process::time,
        "which" => process::which,
        "ps" => process::ps,
        "pidof" | "pgrep" => process::pidof,
        "kill" | "pkill" | "killall" => process::kill,
        "id" => system::id,
        "whoami" => system::whoami,
        "uname" => system::uname,
        "hostname" => system::hostname,
        "nproc" => system::nproc,
        "getprop" => system::getprop,
        "setprop" => system::setprop,
        "getenforce" => system::getenforce,
        "nc" | "netcat" => network::nc,
        "tc" => network::tc,
        "ip" | "iptables" | "ifconfig" | "logger" | "ndc" => network::nothing,
        "pm" => packages::pm,
        "cmd" => packages::cmd,
        "am" => android::am,
        "recovery" | "wipe" => android::wipe,
        "reboot" => android::reboot,
        "svc" => android::svc,
        "screencap" => android::screencap,
        "dumpsys" => android::dumpsys,
        "logcat" | "dmesg" => android::log,
        "wm" => android::wm,
        "settings" => android::settings,
        "input" | "monkey" | "content" | "media" | "setenforce" => android::nothing,
        "argv" => android::argv,
        "effect" => android::effect,
        "plant" => android::plant,
    }
}

/// Runs a program to its end; returns its exit code.
pub fn run(proc: Proc) -> Later<'static, u8> {
    Box::pin(async move {
        let Some(name) = proc.words.first().cloned() else { return 0 };
        let short = name.rsplit('/').next().unwrap_or(&name).to_owned();
        proc.card.count(&format!("run:{short}"));
        let errors = proc.fds[2].clone();
        let done = match find(&name) {
            Some(program) => program(proc).await,
            None if name.contains('/') => script(proc).await,
            None => {
                let text = format!("{}: {name}: inaccessible or not found\n", shell::NAME);
                errors.write(text.as_bytes()).await.map(|()| 127)
            }
        };
        match done {
            Ok(code) => code,
            Err(Stop::Broken) => 141,
            Err(Stop::Failed(why)) => {
                let _ = errors.write(format!("{short}: {}\n", why.words()).as_bytes()).await;
                1
            }
        }
    })
}

/// Runs a script that is among the card's files.
async fn script(proc: Proc) -> Outcome {
    let name = &proc.words[0];
    let found = proc.find(name, true).ok().and_then(|found| found.inode);
    let (code, why) = match &found {
        None => (127, "inaccessible or not found"),
        Some(inode) if inode.kind() != Kind::File || inode.mode() & 0o111 == 0 => {
            (126, "can't execute: Permission denied")
        }
        Some(inode) => match inode.whole(1 << 20) {
            Some(bytes) if !bytes.starts_with(b"\x7fELF") => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                return Ok(proc.shell(name, &proc.words[1..]).run(&text).await);
            }
            _ => (126, "can't execute: Exec format error"),
        },
    };
    proc.fds[2].write(format!("{}: {name}: {why}\n", shell::NAME).as_bytes()).await?;
    Ok(code)
}

impl Proc {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.words.first().map_or("", String::as_str);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// Its arguments.
    #[must_use]
    pub fn args(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Its arguments as texts.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        self.args().iter().map(String::as_str).collect()
    }

    /// Prints.
    ///
    /// # Errors
    /// Nobody reads it, or the card is full.
    pub async fn out(&self, bytes: impl AsRef<[u8]> + Send) -> Result<(), Stop> {
        self.fds[1].write(bytes.as_ref()).await
    }

    /// Complains, with its name before it.
    pub async fn err(&self, text: &str) {
        let _ = self.fds[2].write(format!("{}: {text}\n", self.name()).as_bytes()).await;
    }

    /// Complains of a file.
    pub async fn err_file(&self, path: &str, why: FileError) {
        self.err(&format!("{path}: {}", why.words())).await;
    }

    /// Complains, and ends with 1.
    ///
    /// # Errors
    /// None.
    pub async fn fail(&self, text: &str) -> Outcome {
        self.err(text).await;
        Ok(1)
    }

    /// A path as seen from where it is.
    #[must_use]
    pub fn path(&self, path: &str) -> String {
        shell::absolute(&self.cwd, path)
    }

    /// What is at a path.
    ///
    /// # Errors
    /// Nothing is.
    pub fn find(&self, path: &str, follow: bool) -> Result<Found, FileError> {
        if path.is_empty() {
            return Err(FileError::Missing);
        }
        self.card.find(&self.path(path), follow)
    }

    /// What is at a path.
    ///
    /// # Errors
    /// Nothing is.
    pub fn inode(&self, path: &str, follow: bool) -> Result<Arc<Inode>, FileError> {
        self.find(path, follow)?.inode.ok_or(FileError::Missing)
    }

    /// Names and things in a folder, with the card's own in `/proc`.
    ///
    /// # Errors
    /// It is none.
    pub fn children(&self, path: &str) -> Result<Vec<(String, Arc<Inode>)>, FileError> {
        let found = self.find(path, true)?;
        if !found.inode.is_some_and(|inode| inode.is_folder()) {
            return Err(FileError::NotFolder);
        }
        Ok(self.card.state().files.children(&found.path))
    }

    /// Rights of something new, as the mask leaves them.
    #[must_use]
    pub fn new_meta(&self, mode: u32) -> crate::files::Meta {
        crate::files::Meta { uid: self.uid, gid: self.uid, ..crate::files::Meta::new(mode & !self.umask) }
    }

    /// A shell with what this program has.
    #[must_use]
    pub fn shell(&self, name: &str, params: &[String]) -> Shell {
        let [stdin, stdout, stderr] = self.fds.clone();
        let mut shell = Shell::new(&self.card, stdin, stdout, stderr);
        for (name, value) in &self.env {
            shell.vars.import(name, value);
        }
        shell.cwd.clone_from(&self.cwd);
        shell.name = name.into();
        shell.params = params.to_vec();
        shell
    }

    /// The same with other words.
    #[must_use]
    pub fn with(&self, words: Vec<String>) -> Self {
        Self { words, ..self.clone() }
    }

    /// Where something goes that is copied to a path: into it, where that is a folder.
    #[must_use]
    pub fn within_folder(&self, target: &str, source: &str) -> String {
        let is_folder = self.inode(target, true).is_ok_and(|inode| inode.is_folder());
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or(source);
        if is_folder { join(target, name) } else { target.to_owned() }
    }
}
