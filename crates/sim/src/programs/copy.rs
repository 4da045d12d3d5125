//! `cp`, `mv`, `ln`.

use std::sync::Arc;

use super::proc::{Outcome, Proc};
use crate::files::{FileError, Inode, Kind, Meta, join};
use crate::shell::common::Later;

/// What `cp` was asked for.
#[derive(Clone, Copy)]
struct Wanted {
    recursive: bool,
    keeps: bool,
    follows: bool,
    force: bool,
    newer: bool,
    spares: bool,
    tells: bool,
}

/// The sources and where they go; nothing, after a complaint, if that makes no sense.
async fn targets(proc: &Proc, rest: &[String], folder: Option<&str>) -> Option<Vec<(String, String)>> {
    if let Some(folder) = folder {
        return Some(rest.iter().map(|source| (source.clone(), proc.within_folder(folder, source))).collect());
    }
    let Some((target, sources)) = rest.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        proc.err("Needs 2 arguments").await;
        return None;
    };
    let is_folder = proc.inode(target, true).is_ok_and(|inode| inode.is_folder());
    if sources.len() > 1 && !is_folder {
        proc.err(&format!("'{target}' not directory")).await;
        return None;
    }
    Some(sources.iter().map(|source| (source.clone(), proc.within_folder(target, source))).collect())
}

/// `cp`.
pub async fn cp(proc: Proc) -> Outcome {
    let long = [("preserve", 'p'), ("archive", 'a'), ("recursive", 'r'), ("no-clobber", 'n'), ("no-dereference", 'P')];
    let Some(options) = proc.options("RraflpPdHLnvuTt:is", &long).await else { return Ok(1) };
    let Some(targets) = targets(&proc, &options.rest, options.value('t')).await else { return Ok(1) };
    let recursive = options.has('r') || options.has('R') || options.has('a');
    let wanted = Wanted {
        recursive,
        keeps: options.has('p') || options.has('a'),
        follows: options.has('L') || !(recursive || options.has('P') || options.has('d')),
        force: options.has('f'),
        newer: options.has('u'),
        spares: options.has('n'),
        tells: options.has('v'),
    };
    let mut code = 0;
    for (source, target) in targets {
        code |= copy(&proc, source, target, wanted).await?;
    }
    Ok(code)
}

/// Rights, time and context of the original, and its owners where it is root who keeps them.
fn keep(proc: &Proc, meta: &mut Meta, original: &Meta) {
    let owners = if proc.uid == 0 { (original.uid, original.gid) } else { (meta.uid, meta.gid) };
    meta.clone_from(original);
    (meta.uid, meta.gid) = owners;
}

fn copy(proc: &Proc, source: String, target: String, wanted: Wanted) -> Later<'_, Outcome> {
    Box::pin(async move {
        let inode = match proc.inode(&source, wanted.follows) {
            Ok(inode) => inode,
            Err(why) => {
                proc.err(&format!("bad '{source}': {}", why.words())).await;
                return Ok(1);
            }
        };
        let there = proc.inode(&target, false).ok();
        if there.as_ref().is_some_and(|there| there.number == inode.number) && !inode.is_folder() {
            proc.err(&format!("'{source}' is '{target}'")).await;
            return Ok(1);
        }
        if inode.is_folder() {
            return copy_folder(proc, &source, &target, &inode, wanted).await;
        }
        let older = |there: &Arc<Inode>| there.meta().modified >= inode.meta().modified;
        if there.as_ref().is_some_and(|there| wanted.spares || wanted.newer && older(there)) {
            return Ok(0);
        }
        if wanted.tells {
            proc.out(format!("'{source}' -> '{target}'\n")).await?;
        }
        if inode.kind() == Kind::File
            && let Err(why) = proc.open(&source)
        {
            proc.err_file(&target, why).await;
            return Ok(1);
        }
        if let Err(why) = copy_one(proc, &inode, &target, wanted) {
            proc.err_file(&target, why).await;
            return Ok(1);
        }
        // Others get a turn between two files.
        tokio::task::yield_now().await;
        Ok(0)
    })
}

async fn copy_folder(proc: &Proc, source: &str, target: &str, inode: &Arc<Inode>, wanted: Wanted) -> Outcome {
    if !wanted.recursive {
        proc.err(&format!("Skipped dir '{source}'")).await;
        return Ok(1);
    }
    let (from, to) = (proc.path(source), proc.path(target));
    if join(&to, "").starts_with(&join(&from, "")) {
        proc.err(&format!("'{target}' is a subdirectory of '{source}'")).await;
        return Ok(1);
    }
    let meta = inode.meta();
    let made = proc.files().make_folder(&to, proc.new_meta(meta.mode));
    match made {
        Ok(()) | Err(FileError::Exists) => {}
        Err(why) => {
            proc.err_file(target, why).await;
            return Ok(1);
        }
    }
    let mut code = 0;
    let children = proc.children(source);
    if let Err(why) = children {
        proc.err_file(source, why).await;
        code = 1;
    }
    for (name, _) in children.unwrap_or_default() {
        let wanted = Wanted { follows: false, ..wanted };
        code |= copy(proc, join(source, &name), join(target, &name), wanted).await?;
    }
    if wanted.keeps {
        proc.files().find_own(&to, true)?.change(|new| keep(proc, new, &meta));
    }
    Ok(code)
}

fn copy_one(proc: &Proc, inode: &Arc<Inode>, target: &str, wanted: Wanted) -> Result<(), FileError> {
    let (path, meta) = (proc.path(target), inode.meta());
    if wanted.force {
        match proc.files().unlink(&path) {
            Ok(()) | Err(FileError::Missing) => {}
            Err(why) => return Err(why),
        }
    }
    if inode.kind() == Kind::Link {
        let made = proc.files().make_link(&path, &inode.target().unwrap_or_default(), proc.new_meta(0o777));
        made?;
    } else {
        let copied = proc.files().open(&path, proc.new_meta(meta.mode))?;
        copied.truncate(0)?;
        let mut offset = 0;
        loop {
            let bytes = inode.read(offset, 1 << 20)?;
            if bytes.is_empty() {
                break;
            }
            copied.write(offset, &bytes)?;
            offset += bytes.len() as u64;
        }
    }
    if wanted.keeps {
        proc.files().find_own(&path, false)?.change(|new| keep(proc, new, &meta));
    }
    Ok(())
}

/// `mv`.
pub async fn mv(proc: Proc) -> Outcome {
    let Some(options) = proc.options("finvTt:", &[]).await else { return Ok(1) };
    let Some(targets) = targets(&proc, &options.rest, options.value('t')).await else { return Ok(1) };
    let mut code = 0;
    for (source, target) in targets {
        if options.has('n') && proc.inode(&target, false).is_ok() {
            continue;
        }
        let moved = match proc.inode(&source, false) {
            Ok(_) => proc.files().rename(&proc.path(&source), &proc.path(&target)),
            Err(why) => Err(why),
        };
        match moved {
            Ok(()) if options.has('v') => proc.out(format!("'{source}' -> '{target}'\n")).await?,
            Ok(()) => {}
            Err(why) => {
                let what = if matches!(why, FileError::Missing | FileError::Denied) {
                    format!("bad '{source}'")
                } else {
                    target
                };
                proc.err_file(&what, why).await;
                code = 1;
            }
        }
    }
    Ok(code)
}

/// `ln`.
pub async fn ln(proc: Proc) -> Outcome {
    let Some(options) = proc.options("sfnvrTt:", &[]).await else { return Ok(1) };
    let rest = match options.rest.as_slice() {
        [only] => vec![only.clone(), ".".into()],
        rest => rest.to_vec(),
    };
    let rest = if options.has('n') || options.has('T') {
        match rest.as_slice() {
            [source, target] if proc.inode(target, false).is_ok_and(|inode| inode.kind() == Kind::Link) => {
                Some(vec![(source.clone(), target.clone())])
            }
            _ => targets(&proc, &rest, None).await,
        }
    } else {
        targets(&proc, &rest, None).await
    };
    let mut code = 0;
    for (source, target) in rest.unwrap_or_default() {
        let path = proc.path(&target);
        if options.has('f') {
            let _ = proc.files().unlink(&path);
        }
        let made = if options.has('s') {
            proc.files().make_link(&path, &source, proc.new_meta(0o777))
        } else {
            proc.files().name_again(&proc.path(&source), &path)
        };
        if let Err(why) = made {
            let kind = if options.has('s') { "symbolic " } else { "" };
            proc.err(&format!("cannot create {kind}link from '{source}' to '{target}': {}", why.words())).await;
            code = 1;
        }
    }
    Ok(code)
}
