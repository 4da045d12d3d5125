//! `rm`, `rmdir`, `unlink`, `mkdir`, `touch`, `truncate`, `mktemp`.

use super::proc::{Outcome, Proc};
use crate::files::{FileError, Moment, Right, join};
use crate::shell::common::Later;

/// `rm`.
pub async fn rm(proc: Proc) -> Outcome {
    let Some(options) = proc.options("fiRrv", &[]).await else { return Ok(1) };
    if options.rest.is_empty() && !options.has('f') {
        return proc.fail("Needs 1 argument").await;
    }
    let recursive = options.has('r') || options.has('R');
    let mut code = 0;
    for path in &options.rest {
        if path.trim_end_matches('/').is_empty() {
            return proc.fail("rm /. if you mean it").await;
        }
        match proc.inode(path, false) {
            Err(FileError::Missing | FileError::NotFolder) if options.has('f') => {}
            Err(why) => {
                proc.err_file(path, why).await;
                code = 1;
            }
            Ok(_) => code |= remove(&proc, path.trim_end_matches('/').to_owned(), recursive).await?,
        }
    }
    Ok(code)
}

fn remove(proc: &Proc, path: String, recursive: bool) -> Later<'_, Outcome> {
    Box::pin(async move {
        let full = proc.path(&path);
        let is_folder = proc.inode(&path, false).is_ok_and(|inode| inode.is_folder());
        let mut code = 0;
        let removed = if !is_folder {
            proc.card.flash.work().await;
            proc.files().unlink(&full)
        } else if recursive {
            match proc.children(&path) {
                Ok(children) => {
                    for (name, _) in children {
                        code |= remove(proc, join(&path, &name), true).await?;
                    }
                }
                Err(why) => {
                    proc.err_file(&path, why).await;
                    return Ok(1);
                }
            }
            proc.card.flash.work().await;
            match proc.files().remove_folder(&full) {
                // What could not be removed has been told of.
                Err(FileError::NotEmpty) if code > 0 => Ok(()),
                removed => removed,
            }
        } else {
            Err(FileError::Folder)
        };
        if let Err(why) = removed {
            proc.err_file(&path, why).await;
            code = 1;
        }
        Ok(code)
    })
}

/// `rmdir`.
pub async fn rmdir(proc: Proc) -> Outcome {
    let Some(options) = proc.options("p", &[("ignore-fail-on-non-empty", 'I')]).await else { return Ok(1) };
    let mut code = 0;
    for path in &options.rest {
        let mut path = path.trim_end_matches('/');
        loop {
            let removed = proc.files().remove_folder(&proc.path(path));
            if let Err(why) = removed {
                proc.err_file(path, why).await;
                code = 1;
                break;
            }
            match path.rsplit_once('/').filter(|(above, _)| options.has('p') && !above.is_empty()) {
                Some((above, _)) => path = above,
                None => break,
            }
        }
    }
    Ok(code)
}

/// `unlink`.
pub async fn unlink(proc: Proc) -> Outcome {
    let [path] = proc.args() else { return proc.fail("Needs 1 argument").await };
    let removed = proc.files().unlink(&proc.path(path));
    match removed {
        Ok(()) => Ok(0),
        Err(why) => proc.fail(&format!("Couldn't unlink '{path}': {}", why.words())).await,
    }
}

/// `mkdir`.
pub async fn mkdir(proc: Proc) -> Outcome {
    let Some(options) = proc.options("m:pvZ:", &[("parents", 'p'), ("mode", 'm')]).await else { return Ok(1) };
    let mode = options.value('m').map(|text| super::meta::mode(text, 0o777, true));
    let Some(mode) = mode.unwrap_or(Some(0o777 & !proc.umask)) else { return proc.fail("bad mode").await };
    let meta = crate::files::Meta { mode, ..proc.new_meta(0) };
    let mut code = 0;
    for path in &options.rest {
        let full = proc.path(path);
        let (mut done, mut told) = (Ok(()), path.as_str());
        if options.has('p') {
            let full = full.trim_end_matches('/');
            let cuts = full.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0).chain([full.len()]);
            for cut in cuts {
                let meta = if cut == full.len() { meta.clone() } else { proc.new_meta(0o777) };
                let mut files = proc.files();
                done = match files.find(&full[..cut], true).map(|found| found.inode) {
                    Ok(Some(inode)) if inode.is_folder() => Ok(()),
                    Ok(_) => Err(FileError::Exists),
                    Err(FileError::Missing) => files.make_folder(&full[..cut], meta),
                    Err(why) => Err(why),
                };
                drop(files);
                if done.is_err() {
                    // The one that cannot be made is told of, which may lie above the one that is wanted.
                    told = &path[..path.trim_end_matches('/').len().saturating_sub(full.len() - cut)];
                    break;
                }
            }
        } else {
            done = proc.files().make_folder(&full, meta.clone());
        }
        match done {
            Ok(()) if options.has('v') => proc.out(format!("mkdir: created directory '{path}'\n")).await?,
            Ok(()) => {}
            Err(why) => {
                proc.err(&format!("'{told}': {}", why.words())).await;
                code = 1;
            }
        }
    }
    Ok(code)
}

/// `touch`.
pub async fn touch(proc: Proc) -> Outcome {
    let long = [("date", 'd'), ("reference", 'r'), ("no-create", 'c')];
    let Some(options) = proc.options("acd:fmr:t:h", &long).await else { return Ok(1) };
    let moment = match (options.value('d'), options.value('t'), options.value('r')) {
        (Some(text), ..) => super::moments::parse(text),
        (_, Some(text), _) => super::moments::parse_stamp(text),
        (_, _, Some(path)) => proc.inode(path, true).ok().map(|inode| inode.meta().modified),
        _ => Some(Moment::now()),
    };
    let Some(moment) = moment else { return proc.fail("bad date").await };
    // Now is a time that everybody may set who may write; another one only the owner.
    let is_now = !['d', 't', 'r'].iter().any(|flag| options.value(*flag).is_some());
    let mut code = 0;
    for path in &options.rest {
        let full = proc.path(path);
        let found = proc.files().find_own(&full, !options.has('h'));
        let touched = match found {
            Err(FileError::NotPermitted) if is_now && proc.may(path, Right::Write) => proc.inode(path, true),
            Err(FileError::NotPermitted) if is_now => Err(FileError::Denied),
            Err(FileError::Missing) if options.has('c') => continue,
            Err(FileError::Missing) => proc.files().open(&full, proc.new_meta(0o666)),
            found => found,
        };
        match touched {
            Ok(inode) => inode.change(|meta| meta.modified = moment),
            Err(why) => {
                proc.err(&format!("'{path}': {}", why.words())).await;
                code = 1;
            }
        }
    }
    Ok(code)
}

/// `truncate`.
pub async fn truncate(proc: Proc) -> Outcome {
    let Some(options) = proc.options("cs:", &[("size", 's')]).await else { return Ok(1) };
    let Some(size) = options.value('s') else { return proc.fail("missing -s").await };
    let amount = super::sizes::size(size.trim_start_matches(['+', '-']));
    let Some(amount) = amount else { return proc.fail(&format!("bad size '{size}'")).await };
    let mut code = 0;
    for path in &options.rest {
        let opened = proc.files().open(&proc.path(path), proc.new_meta(0o666));
        let resized = opened.and_then(|file| {
            file.truncate(match size.chars().next() {
                Some('+') => file.size() + amount,
                Some('-') => file.size().saturating_sub(amount),
                _ => amount,
            })
        });
        if let Err(why) = resized {
            proc.err_file(path, why).await;
            code = 1;
        }
    }
    Ok(code)
}

/// `mktemp`.
pub async fn mktemp(proc: Proc) -> Outcome {
    let Some(options) = proc.options("dp:qtu", &[]).await else { return Ok(1) };
    let folder = options.value('p').unwrap_or("/data/local/tmp");
    let usual = format!("tmp.{}", "X".repeat(10));
    let template = options.rest.first().unwrap_or(&usual).as_str();
    let stem = template.trim_end_matches('X');
    let count = template.len() - stem.len();
    let letters = format!("{:016x}{:016x}", crate::shell::fd::random_name(), proc.card.fresh());
    let name = format!("{stem}{}", &letters[..count.min(letters.len())]);
    let path = if template.contains('/') && options.value('p').is_none() { name } else { join(folder, &name) };
    let full = proc.path(&path);
    let made = if options.has('d') {
        proc.files().make_folder(&full, proc.new_meta(0o700))
    } else {
        proc.files().open(&full, proc.new_meta(0o600)).map(|_| ())
    };
    match made {
        Ok(()) => {
            proc.out(format!("{path}\n")).await?;
            Ok(0)
        }
        Err(why) => proc.fail(&format!("Failed to create {path}: {}", why.words())).await,
    }
}
