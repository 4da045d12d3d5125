//! `stat`, `chmod`, `chown`, `chcon`, `restorecon`, and how rights and owners are written.

use std::fmt::Write as _;
use std::sync::Arc;

use parking_lot::Mutex;

use super::proc::{Outcome, Proc};
use crate::files::{FileError, Files, Inode, Kind, Meta, PAGE, groups, join};
use crate::users::RANGE;

/// Users of Android by number (AOSP `android_filesystem_config.h`).
const USERS: &[(u32, &str)] = &[
    (0, "root"),
    (1000, "system"),
    (1001, "radio"),
    (1002, "bluetooth"),
    (1004, "input"),
    (1007, "log"),
    (1011, "adb"),
    (1013, "media"),
    (1015, "sdcard_rw"),
    (1023, "media_rw"),
    (1028, "sdcard_r"),
    (1077, "external_storage"),
    (1078, "ext_data_rw"),
    (1079, "ext_obb_rw"),
    (2000, "shell"),
    (2001, "cache"),
    (3001, "net_bt_admin"),
    (3002, "net_bt"),
    (3003, "inet"),
    (3006, "net_bw_stats"),
    (3009, "readproc"),
    (3011, "uhid"),
    (9997, "everybody"),
    (9998, "misc"),
    (9999, "nobody"),
];

/// The name of a user or group.
#[must_use]
pub fn user(id: u32) -> String {
    let (user, app) = (id / RANGE, id % RANGE);
    match USERS.iter().find(|user| user.0 == app) {
        Some((_, name)) if user == 0 => (*name).to_owned(),
        Some((_, name)) => format!("u{user}_{name}"),
        None if (10_000..20_000).contains(&app) => format!("u{user}_a{}", app - 10_000),
        None if (20_000..30_000).contains(&app) => format!("u{user}_a{}_cache", app - 20_000),
        None => id.to_string(),
    }
}

/// The number of a user or group.
#[must_use]
pub fn user_id(name: &str) -> Option<u32> {
    let known = USERS.iter().find(|user| user.1 == name).map(|user| user.0);
    let of_user = || {
        let (user, name) = name.strip_prefix('u')?.split_once('_')?;
        let app = match name.strip_prefix('a').and_then(|number| number.parse::<u32>().ok()) {
            Some(number) => number + 10_000,
            None => USERS.iter().find(|user| user.1 == name)?.0,
        };
        Some(user.parse::<u32>().ok()? * RANGE + app)
    };
    known.or_else(of_user).or_else(|| name.parse().ok())
}

/// Rights as `ls` writes them.
#[must_use]
pub fn letters(mode: u32) -> String {
    let kind = match mode & 0o170_000 {
        0o040_000 => 'd',
        0o120_000 => 'l',
        0o020_000 => 'c',
        _ => '-',
    };
    let mut out = String::from(kind);
    for (shift, special, set, only) in [(6, 0o4000, 's', 'S'), (3, 0o2000, 's', 'S'), (0, 0o1000, 't', 'T')] {
        let bits = mode >> shift;
        out.push(if bits & 4 > 0 { 'r' } else { '-' });
        out.push(if bits & 2 > 0 { 'w' } else { '-' });
        out.push(match (bits & 1 > 0, mode & special > 0) {
            (true, true) => set,
            (false, true) => only,
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    out
}

/// Rights from `755` or `u+x,go-w`, seen from what they were.
#[must_use]
pub fn mode(text: &str, old: u32, is_folder: bool) -> Option<u32> {
    if text.bytes().all(|byte| (b'0'..=b'7').contains(&byte)) {
        return u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777);
    }
    let mut mode = old & 0o7777;
    for clause in text.split(',') {
        let at = clause.find(['+', '-', '='])?;
        let (who, acts) = clause.split_at(at);
        let who = if who.is_empty() || who.contains('a') { "ugo" } else { who };
        let mut chars = acts.chars().peekable();
        while let Some(act) = chars.next() {
            let mut bits = 0;
            while let Some(letter) = chars.next_if(|c| !"+-=".contains(*c)) {
                for group in who.chars() {
                    let shift = match group {
                        'u' => 6,
                        'g' => 3,
                        'o' => 0,
                        _ => return None,
                    };
                    bits |= match letter {
                        'r' => 4 << shift,
                        'w' => 2 << shift,
                        'x' => 1 << shift,
                        'X' if is_folder || old & 0o111 > 0 => 1 << shift,
                        'X' => 0,
                        's' if group == 'u' => 0o4000,
                        's' if group == 'g' => 0o2000,
                        's' => 0,
                        't' => 0o1000,
                        'u' => ((old >> 6) & 7) << shift,
                        'g' => ((old >> 3) & 7) << shift,
                        'o' => (old & 7) << shift,
                        _ => return None,
                    };
                }
            }
            let mask = who.chars().fold(0, |all, group| {
                all | match group {
                    'u' => 0o4700,
                    'g' => 0o2070,
                    _ => 0o1007,
                }
            });
            mode = match act {
                '+' => mode | bits,
                '-' => mode & !bits,
                _ => mode & !mask | bits,
            };
        }
    }
    Some(mode)
}

/// Changes what is at each path, and with `recursive` all below; returns the exit code. `refused` says what was wanted of
/// a path whose owner somebody else is.
async fn each(
    proc: &Proc,
    paths: &[String],
    (recursive, follow): (bool, bool),
    change: impl Fn(&mut Meta, &Inode, &str) -> Result<(), FileError> + Send + Sync,
    refused: impl Fn(&str) -> String + Send + Sync,
) -> Outcome {
    let mut left: Vec<(String, bool)> = paths.iter().rev().map(|path| (path.clone(), follow)).collect();
    let mut code = 0;
    while let Some((path, follow)) = left.pop() {
        proc.card.flash.work().await;
        let full = proc.path(&path);
        let found: Result<Arc<Inode>, FileError> = proc.files().find_own(&full, follow);
        let changed = match found {
            Ok(inode) => {
                let (place, mut meta) = (proc.find(&path, follow)?.path, inode.meta());
                let changed = change(&mut meta, &inode, &place);
                changed.map(|()| {
                    inode.change(|old| *old = meta);
                    inode
                })
            }
            Err(why) => Err(why),
        };
        match changed {
            Ok(inode) => {
                if recursive && inode.is_folder() {
                    let children = proc.children(&path)?;
                    left.extend(children.into_iter().rev().map(|(name, _)| (join(&path, &name), false)));
                }
            }
            Err(why) => {
                let what = if why == FileError::NotPermitted { refused(&path) } else { path };
                proc.err(&format!("{what}: {}", why.words())).await;
                code = 1;
            }
        }
    }
    Ok(code)
}

/// `chmod`.
pub async fn chmod(proc: Proc) -> Outcome {
    let (flags, rest): (Vec<&String>, Vec<&String>) =
        proc.args().iter().partition(|arg| matches!(arg.as_str(), "-R" | "-f" | "-v" | "-Rf" | "-fR"));
    let recursive = flags.iter().any(|flag| flag.contains('R'));
    let [text, paths @ ..] = rest.as_slice() else { return proc.fail("Needs 2 arguments").await };
    if mode(text, 0, false).is_none() {
        return proc.fail(&format!("bad mode '{text}'")).await;
    }
    let paths: Vec<String> = paths.iter().map(|path| (*path).clone()).collect();
    let wanted = |old: u32, is_folder| mode(text, old, is_folder).unwrap_or(old);
    let change = |meta: &mut Meta, inode: &Inode, _: &str| {
        if inode.kind() != Kind::Link {
            meta.mode = wanted(meta.mode, inode.is_folder());
        }
        Ok(())
    };
    let refused = |path: &str| {
        let mode = proc.inode(path, true).map_or(0, |inode| wanted(inode.meta().mode, inode.is_folder()));
        format!("chmod '{path}' to {mode:04o}")
    };
    each(&proc, &paths, (recursive, true), change, refused).await
}

/// `chown` and `chgrp`.
pub async fn chown(proc: Proc) -> Outcome {
    let Some(options) = proc.options("fhRvLPH", &[("no-dereference", 'h')]).await else { return Ok(1) };
    let [owner, paths @ ..] = options.rest.as_slice() else { return proc.fail("Needs 2 arguments").await };
    let (user, group) = match owner.split_once([':', '.']) {
        _ if proc.name() == "chgrp" => ("", owner.as_str()),
        Some((user, group)) => (user, group),
        None => (owner.as_str(), ""),
    };
    let (uid, gid) = (user_id(user), user_id(group));
    for (name, id, what) in [(user, uid, "user"), (group, gid, "group")] {
        if !name.is_empty() && id.is_none() {
            return proc.fail(&format!("no {what} '{name}'")).await;
        }
    }
    let change = |meta: &mut Meta, _: &Inode, _: &str| {
        // Nobody but root gives a file away; its owner may give it to a group that he is in.
        let is_in = |group: u32| group == meta.gid || group == proc.uid || groups(proc.uid).contains(&group);
        let is_allowed = uid.is_none_or(|uid| uid == meta.uid) && gid.is_none_or(is_in);
        if proc.uid != 0 && !is_allowed {
            return Err(FileError::NotPermitted);
        }
        (meta.uid, meta.gid) = (uid.unwrap_or(meta.uid), gid.unwrap_or(meta.gid));
        Ok(())
    };
    let refused = |path: &str| format!("'{path}' to '{user}:{group}'");
    each(&proc, paths, (options.has('R'), !options.has('h')), change, refused).await
}

/// `chcon`.
pub async fn chcon(proc: Proc) -> Outcome {
    let Some(options) = proc.options("hRv", &[]).await else { return Ok(1) };
    let [context, paths @ ..] = options.rest.as_slice() else { return proc.fail("Needs 2 arguments").await };
    let change = |meta: &mut Meta, _: &Inode, _: &str| {
        meta.context = Some(context.as_str().into());
        Ok(())
    };
    let refused = |path: &str| format!("'{path}' to {context}");
    each(&proc, paths, (options.has('R'), !options.has('h')), change, refused).await
}

/// `restorecon`: the usual context of the place, which for an application's folder is its own. With `-v` it says what it
/// changes, with `-n` it changes nothing.
pub async fn restorecon(proc: Proc) -> Outcome {
    let Some(options) = proc.options("DFnRrv", &[]).await else { return Ok(1) };
    let recursive = options.has('R') || options.has('r');
    let card = Arc::clone(&proc.card);
    let said = Mutex::new(String::new());
    let change = |meta: &mut Meta, inode: &Inode, path: &str| {
        let wanted: Option<Box<str>> = crate::packages::context(&card, path).map(Into::into);
        let (from, to) = (Files::context(path, inode), wanted.as_deref().unwrap_or_else(|| Files::usual_context(path)));
        if from != to && options.has('v') {
            // As the log of libselinux, which goes to the errors.
            let _ = writeln!(said.lock(), "SELinux:  Relabeling {path} from {from} to {to}.");
        }
        if !options.has('n') {
            meta.context = wanted;
        }
        Ok(())
    };
    let code = each(&proc, &options.rest, (recursive, false), change, |path| format!("'{path}'")).await?;
    proc.fds[2].write(said.into_inner().as_bytes()).await?;
    Ok(code)
}

/// What `stat -c` prints for one letter.
fn letter(letter: char, path: &str, found: &str, inode: &Inode) -> Option<String> {
    let meta = inode.meta();
    Some(match letter {
        'a' => format!("{:o}", meta.mode),
        'A' => letters(inode.mode()),
        'b' => (inode.charged() / 512).to_string(),
        'B' => "512".into(),
        'C' => Files::context(found, inode),
        'd' => "64772".into(),
        'D' => "fd04".into(),
        'f' => format!("{:x}", inode.mode()),
        'F' => match inode.kind() {
            Kind::Folder => "directory",
            Kind::Link => "symbolic link",
            Kind::Device => "character device",
            Kind::File if inode.size() == 0 => "regular empty file",
            Kind::File => "regular file",
        }
        .into(),
        'g' => meta.gid.to_string(),
        'G' => user(meta.gid),
        'h' => if inode.is_folder() { 2 } else { inode.names() }.to_string(),
        'i' => inode.number.to_string(),
        'm' => if found.starts_with("/data") { "/data" } else { "/" }.into(),
        'n' => path.into(),
        'N' => match inode.target() {
            Some(target) => format!("`{path}' -> `{target}'"),
            None => format!("`{path}'"),
        },
        'o' => PAGE.to_string(),
        's' => inode.size().to_string(),
        't' | 'T' => "0".into(),
        'u' => meta.uid.to_string(),
        'U' => user(meta.uid),
        'x' | 'y' | 'z' => {
            let time = if letter == 'z' { inode.changed() } else { meta.modified };
            super::moments::format("%Y-%m-%d %H:%M:%S.%N %z", time)
        }
        'X' | 'Y' => meta.modified.seconds.to_string(),
        'Z' => inode.changed().seconds.to_string(),
        'W' | 'w' => "0".into(),
        '%' => "%".into(),
        _ => return None,
    })
}

const USUAL: &str = "  File: %N\n  Size: %s\t Blocks: %b\t IO Blocks: %B\t%F\nDevice: %Dh/%dd\t Inode: %i\t Links: %h\n\
Access: (0%a/%A)\tUid: (%u/%U)\tGid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z\n";

/// `stat`.
pub async fn stat(proc: Proc) -> Outcome {
    let Some(options) = proc.options("c:fLt", &[("format", 'c'), ("printf", 'c')]).await else { return Ok(1) };
    if options.has('f') {
        let (total, free) = (crate::card::DISK / PAGE, proc.card.free() / PAGE);
        let text = options.value('c').unwrap_or("%b %f %a %S").replace("%b", &total.to_string());
        let text = text.replace("%f", &free.to_string()).replace("%a", &free.to_string()).replace("%S", "4096");
        proc.out(text + "\n").await?;
        return Ok(0);
    }
    let format = options.value('c').map_or_else(|| USUAL.to_owned(), |format| format!("{format}\n"));
    let mut code = 0;
    for path in &options.rest {
        let found = match proc.find(path, options.has('L')) {
            Ok(found) => found,
            Err(why) => {
                proc.err(&format!("'{path}': {}", why.words())).await;
                code = 1;
                continue;
            }
        };
        let Some(inode) = found.inode else { continue };
        proc.out(filled(&format, |c| letter(c, path, &found.path, &inode))).await?;
    }
    Ok(code)
}

/// A format with its letters replaced; a width such as `%5s` is kept.
fn filled(format: &str, letter: impl Fn(char) -> Option<String>) -> String {
    let (mut out, mut rest) = (String::new(), format);
    while let Some((before, after)) = rest.split_once('%') {
        out += before;
        let width = after.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
        let mut chars = after[width..].chars();
        let c = chars.next().unwrap_or('%');
        let text = letter(c).unwrap_or_else(|| "?".into());
        let wanted: i64 = after[..width].parse().unwrap_or(0);
        let gap = usize::try_from(wanted.unsigned_abs()).unwrap_or(0).saturating_sub(text.len());
        let gap = " ".repeat(gap.min(1000));
        out += &if wanted < 0 { text + &gap } else { gap + &text };
        rest = chars.as_str();
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_read_and_written() {
        for (text, old, new) in [
            ("755", 0, 0o755),
            ("u+x", 0o644, 0o744),
            ("go-w", 0o666, 0o644),
            ("a=r", 0o777, 0o444),
            ("+s", 0o755, 0o6755),
        ] {
            assert_eq!(mode(text, old, false), Some(new), "{text}");
        }
        assert_eq!(mode("u+q", 0, false), None);
        assert_eq!(mode("9", 0, false), None);
        assert_eq!(letters(0o104_755), "-rwsr-xr-x");
        assert_eq!(letters(0o041_777), "drwxrwxrwt");
        for (id, name) in [(10_123, "u0_a123"), (1_010_123, "u10_a123"), (1_001_000, "u10_system")] {
            assert_eq!((user(id).as_str(), user_id(name)), (name, Some(id)));
        }
    }
}
