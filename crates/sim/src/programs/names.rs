//! `basename`, `dirname`, `realpath`, `readlink`.

use super::proc::{Outcome, Proc};

/// `basename`.
pub async fn basename(proc: Proc) -> Outcome {
    let Some(options) = proc.options("as:", &[]).await else { return Ok(1) };
    let many = options.has('a') || options.value('s').is_some();
    let suffix = options.value('s').or_else(|| options.rest.get(1).filter(|_| !many).map(String::as_str)).unwrap_or("");
    let count = if many { options.rest.len() } else { 1 };
    if options.rest.is_empty() {
        return proc.fail("Needs 1 argument").await;
    }
    for path in &options.rest[..count] {
        let bare = path.trim_end_matches('/');
        let name = if bare.is_empty() { "/" } else { bare.rsplit('/').next().unwrap_or(bare) };
        let cut = name.strip_suffix(suffix).filter(|cut| !cut.is_empty()).unwrap_or(name);
        proc.out(format!("{cut}\n")).await?;
    }
    Ok(0)
}

/// `dirname`.
pub async fn dirname(proc: Proc) -> Outcome {
    for path in proc.args() {
        let bare = path.trim_end_matches('/');
        let folder = match bare.rsplit_once('/') {
            _ if bare.is_empty() => "/",
            None => ".",
            Some((folder, _)) => folder.trim_end_matches('/'),
        };
        proc.out(format!("{}\n", if folder.is_empty() { "/" } else { folder })).await?;
    }
    Ok(0)
}

/// `realpath`.
pub async fn realpath(proc: Proc) -> Outcome {
    let mut code = 0;
    for path in proc.args().iter().filter(|arg| !arg.starts_with('-')) {
        match proc.find(path, true) {
            Ok(found) => {
                let shown = proc.files().shown(&found.path);
                proc.out(format!("{shown}\n")).await?;
            }
            Err(why) => {
                proc.err_file(path, why).await;
                code = 1;
            }
        }
    }
    Ok(code)
}

/// `readlink`.
pub async fn readlink(proc: Proc) -> Outcome {
    let Some(options) = proc.options("efmnq", &[]).await else { return Ok(1) };
    let end = if options.has('n') { "" } else { "\n" };
    let mut code = 0;
    for path in &options.rest {
        let text = if options.has('f') || options.has('e') || options.has('m') {
            let files = proc.files();
            files.resolve(&proc.path(path), true).ok().map(|found| files.shown(&found.path))
        } else {
            proc.inode(path, false).ok().and_then(|inode| inode.target())
        };
        match text {
            Some(text) => proc.out(format!("{text}{end}")).await?,
            None => code = 1,
        }
    }
    Ok(code)
}
