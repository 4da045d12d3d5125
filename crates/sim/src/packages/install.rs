//! Installing: at once, or by a session of several files.

use std::sync::Arc;

use super::{Apk, Package, answer, code_folder, data};
use crate::card::{Card, State};
use crate::fault::Fault;
use crate::files::{FileError, Inode, Meta, Moment, join};
use crate::programs::proc::{Outcome, Proc};
use crate::shell::fd::Stop;

/// Sessions that are open at once.
const SESSIONS: usize = 50;

/// An installation that is being prepared.
#[derive(Debug, Default)]
pub struct Session {
    flags: Vec<String>,
    /// For whom it is; nobody: for everybody.
    user: Option<u32>,
    /// Files by their names in it.
    files: Vec<(String, Arc<Inode>)>,
}

const NO_SPACE: &str = "INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location";
const NO_APK: &str = "INSTALL_PARSE_FAILED_NOT_APK: Failed to parse";

/// Takes as many bytes of the input as were announced, into a file without a name. What does not fit is read all the
/// same, since the host sends it.
async fn take(proc: &Proc, size: u64) -> Result<Result<Arc<Inode>, String>, Stop> {
    let file = Arc::new(Inode::file(&Arc::clone(&proc.card.state().files.store), Meta::new(0o644)));
    let (mut done, mut result) = (0, Ok(()));
    if proc.card.free() < size {
        result = Err(FileError::NoSpace);
    }
    while done < size {
        let most = usize::try_from((size - done).min(64 * 1024)).unwrap_or(0);
        let bytes = proc.fds[0].read(most).await?;
        if bytes.is_empty() {
            return Ok(Err(format!("{NO_APK}: {done} of {size} bytes came")));
        }
        if result.is_ok() {
            result = file.write(done, &bytes);
        }
        done += bytes.len() as u64;
    }
    Ok(match result {
        Ok(()) => Ok(file),
        Err(FileError::NoSpace) => Err(NO_SPACE.into()),
        Err(why) => Err(format!("INSTALL_FAILED_INTERNAL_ERROR: {}", why.words())),
    })
}

/// A copy of a file that is on the card.
fn copy(proc: &Proc, path: &str) -> Result<Arc<Inode>, String> {
    let source = proc.open(path).map_err(|_| "INSTALL_FAILED_INVALID_URI".to_owned())?;
    let copied = Arc::new(Inode::file(&Arc::clone(&proc.card.state().files.store), Meta::new(0o644)));
    let mut done = 0;
    loop {
        let bytes = source.read(done, 1 << 20).map_err(|why| format!("INSTALL_FAILED_INVALID_URI: {}", why.words()))?;
        if bytes.is_empty() {
            return Ok(copied);
        }
        copied.write(done, &bytes).map_err(|_| NO_SPACE.to_owned())?;
        done += bytes.len() as u64;
    }
}

/// The value of a flag.
fn value<'a>(args: &[&'a str], flag: &str) -> Option<&'a str> {
    args.iter().skip_while(|arg| **arg != flag).nth(1).copied()
}

/// `pm install`.
pub async fn install(proc: &Proc, user: Option<u32>, args: &[&str]) -> Outcome {
    let file = match value(args, "-S").and_then(|size| size.parse().ok()) {
        Some(size) => take(proc, size).await?,
        None => match args.iter().find(|arg| arg.starts_with('/')) {
            Some(path) => copy(proc, path),
            None => Err("INSTALL_FAILED_INVALID_URI".into()),
        },
    };
    let flags: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let session = |file| Session { flags, user, files: vec![("base.apk".into(), file)] };
    let result = file.and_then(|file| put(&proc.card, session(file)));
    answer(proc, result).await
}

/// `pm install-create`.
pub async fn create(proc: &Proc, user: Option<u32>, args: &[&str]) -> Outcome {
    let size = value(args, "-S").and_then(|size| size.parse::<u64>().ok()).unwrap_or(0);
    if proc.card.free() < size {
        return answer(proc, Err(NO_SPACE.into())).await;
    }
    let id = u32::try_from(100_000 + proc.card.fresh() % 900_000).unwrap_or(1);
    let flags = args.iter().map(|arg| (*arg).to_owned()).collect();
    let session = Session { flags, user, files: Vec::new() };
    let full = {
        let sessions = &mut proc.card.state().sessions;
        let full = sessions.len() >= SESSIONS;
        if !full {
            sessions.insert(id, session);
        }
        full
    };
    if full {
        return answer(proc, Err("INSTALL_FAILED_INTERNAL_ERROR: Too many active sessions".into())).await;
    }
    proc.out(format!("Success: created install session [{id}]\n")).await?;
    Ok(0)
}

/// `pm install-write`.
pub async fn write(proc: &Proc, args: &[&str]) -> Outcome {
    let size = value(args, "-S").and_then(|size| size.parse::<u64>().ok());
    let mut plain = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if *word == "-S" {
            words.next();
        } else if *word == "-" || !word.starts_with('-') {
            plain.push(*word);
        }
    }
    let [id, name, rest @ ..] = plain.as_slice() else {
        return answer(proc, Err("INSTALL_FAILED_INVALID_URI".into())).await;
    };
    let path = rest.first().copied().filter(|path| *path != "-");
    let file = match (path, size) {
        (Some(path), _) => copy(proc, path),
        (None, Some(size)) => take(proc, size).await?,
        (None, None) => Err("must specify a APK size".into()),
    };
    let file = match file {
        Ok(file) => file,
        Err(why) => return answer(proc, Err(why)).await,
    };
    let bytes = file.size();
    let known = {
        let mut state = proc.card.state();
        let session = id.parse().ok().and_then(|id: u32| state.sessions.get_mut(&id));
        session.map(|session| session.files.push(((*name).to_owned(), file))).is_some()
    };
    if !known {
        return answer(proc, Err(format!("INSTALL_FAILED_INTERNAL_ERROR: Unknown session {id}"))).await;
    }
    proc.out(format!("Success: streamed {bytes} bytes\n")).await?;
    Ok(0)
}

/// `pm install-commit`.
pub async fn commit(proc: &Proc, id: &str) -> Outcome {
    let session = id.parse().ok().and_then(|id: u32| proc.card.state().sessions.remove(&id));
    let result = match session {
        Some(session) => put(&proc.card, session),
        None => Err(format!("INSTALL_FAILED_INTERNAL_ERROR: Unknown session {id}")),
    };
    answer(proc, result).await
}

/// `pm install-abandon`.
pub async fn abandon(proc: &Proc, id: &str) -> Outcome {
    let known = id.parse().ok().and_then(|id: u32| proc.card.state().sessions.remove(&id)).is_some();
    if known { answer(proc, Ok(())).await } else { answer(proc, Err(format!("Unknown session {id}"))).await }
}

/// What the package manager thinks of a package.
fn check(card: &Card, apk: &Apk, flags: &[String]) -> Result<Option<Package>, String> {
    let other = || format!("INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package {} signatures do not match", apk.name);
    let has = |flag: &str| flags.iter().any(|known| known == flag);
    if !apk.abi.is_empty() && apk.abi != "arm64-v8a" {
        return Err("INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113".into());
    }
    if apk.min_sdk > 32 {
        return Err(format!("INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #{}", apk.min_sdk));
    }
    if card.faults.has(Fault::WrongSigner) {
        return Err(other());
    }
    let old = card.state().packages.get(apk.name.as_str()).cloned();
    if let Some(old) = &old {
        if *old.signer != *apk.signer {
            return Err(other());
        }
        if !old.is_installed() {
            return Ok(Some(old.clone()));
        }
        if !has("-r") {
            return Err(format!("INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {}", apk.name));
        }
        if old.version > apk.version && !has("-d") {
            return Err("INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected".into());
        }
    }
    Ok(old)
}

/// Installs what a session has.
fn put(card: &Card, session: Session) -> Result<(), String> {
    let mut read = Vec::new();
    for (name, file) in session.files {
        let (apk, version_name) = Apk::of(&file).ok_or(NO_APK)?;
        read.push((name, file, apk, version_name));
    }
    let Some((_, _, apk, version_name)) = read.first() else {
        return Err("INSTALL_FAILED_INVALID_APK: No packages staged".into());
    };
    let told = |name: &str| !name.starts_with("apk.h");
    if read.iter().any(|(_, _, other, _)| told(&other.name) && other.name != apk.name) {
        return Err("INSTALL_FAILED_INVALID_APK: Inconsistent package in session".into());
    }
    if card.free() == 0 {
        return Err(NO_SPACE.into());
    }
    let old = check(card, apk, &session.flags)?;
    let (apk, version_name) = (apk.clone(), version_name.clone());
    let mut state = card.state();
    let users = match session.user {
        Some(user) if state.user(user).is_none() => {
            return Err(format!("INSTALL_FAILED_INTERNAL_ERROR: no user {user}"));
        }
        Some(user) => vec![user],
        None => state.users().into_iter().map(|user| user.0).collect(),
    };
    enter(&mut state, &apk, &version_name, old, &users);
    let placed = place(&mut state, &apk.name, read);
    users.into_iter().for_each(|user| data::prepare_data(&mut state, user));
    drop(state);
    placed.map_err(|_| NO_SPACE.to_owned())?;
    card.count(&format!("install:{}", apk.name));
    Ok(())
}

/// Enters a package, or what is new of it, for these users.
fn enter(state: &mut State, apk: &Apk, version_name: &str, old: Option<Package>, users: &[u32]) {
    let now = Moment::now();
    let mut package = Package {
        version: apk.version,
        version_name: version_name.into(),
        signer: apk.signer.as_str().into(),
        uid: old.as_ref().map_or_else(|| data::app_id(state), |old| old.uid),
        users: old.as_ref().map(|old| old.users.clone()).unwrap_or_default(),
        installed: old.as_ref().map_or(now, |old| old.installed),
        updated: now,
    };
    users.iter().for_each(|user| data::add_user(&mut package, *user));
    state.packages.insert(apk.name.as_str().into(), package);
}

/// Puts the files of a package where they belong, in place of those before.
fn place(state: &mut State, name: &str, read: Vec<(String, Arc<Inode>, Apk, String)>) -> Result<(), FileError> {
    let folder = code_folder(name);
    let _ = state.files.remove_all(&folder);
    let meta = |mode| Meta { uid: 1000, gid: 1000, ..Meta::new(mode) };
    let mut placed = state.files.make_folder(&folder, meta(0o771));
    for (at, (name, file, ..)) in read.into_iter().enumerate() {
        let name = if at == 0 { "base.apk".to_owned() } else { split_name(&name) };
        file.change(|own| *own = meta(0o644));
        placed = placed.and_then(|()| state.files.place_file(&join(&folder, &name), file));
    }
    placed
}

/// Where a further file of a package goes.
fn split_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.strip_prefix(|c: char| c.is_ascii_digit()).and_then(|rest| rest.strip_prefix('_')).unwrap_or(name);
    if name.starts_with("split_") { name.to_owned() } else { format!("split_{name}") }
}
