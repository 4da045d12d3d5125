//! The programs of a card: those of `toybox`, those of Android that the console runs, and two for tests.

pub mod android;
mod archive;
mod bytes;
pub mod clock;
mod copy;
mod disk;
mod filter;
mod find;
mod grep;
mod input;
mod line;
mod list;
mod meta;
pub mod moments;
mod names;
mod network;
mod options;
pub mod proc;
mod process;
mod regex;
mod remove;
mod sed;
mod sizes;
mod sorting;
mod sums;
pub mod system;
mod tar;
mod unpack;
pub mod users;

use crate::card::Card;
use crate::files::{Kind, Right};
use crate::packages;
use crate::shell::Shell;
use crate::shell::common::{Later, NAME};
use crate::shell::fd::Stop;

use proc::{Outcome, Proc};

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
        "fstrim" => disk::fstrim,
        "mount" => disk::mount,
        "umount" => disk::umount,
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
        "appops" => android::appops,
        "locksettings" => users::locksettings,
        "recovery" | "wipe" => android::wipe,
        "reboot" => android::reboot,
        "stop" | "start" => android::framework,
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

/// The program of this name that a card has: without root there is no `su`.
#[must_use]
pub fn installed(card: &Card, name: &str) -> Option<Program> {
    let is_su = name.rsplit('/').next() == Some("su");
    find(name).filter(|_| !is_su || card.has_root())
}

/// Runs a program to its end; returns its exit code.
pub fn run(proc: Proc) -> Later<'static, u8> {
    Box::pin(async move {
        let Some(name) = proc.words.first().cloned() else { return 0 };
        let short = name.rsplit('/').next().unwrap_or(&name).to_owned();
        proc.card.count(&format!("run:{short}"));
        let errors = proc.fds[2].clone();
        let done = match installed(&proc.card, &name) {
            Some(program) => program(proc).await,
            None if name.contains('/') => script(proc).await,
            None => {
                let text = format!("{NAME}: {name}: inaccessible or not found\n");
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
        Some(inode) if inode.kind() != Kind::File || !proc.may(name, Right::Execute) || proc.open(name).is_err() => {
            (126, "can't execute: Permission denied")
        }
        Some(inode) => match inode.whole(1 << 20) {
            Some(bytes) if !bytes.starts_with(b"\x7fELF") => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                return Ok(Shell::within(&proc, name, &proc.words[1..]).run(&text).await);
            }
            _ => (126, "can't execute: Exec format error"),
        },
    };
    proc.fds[2].write(format!("{NAME}: {name}: {why}\n").as_bytes()).await?;
    Ok(code)
}
