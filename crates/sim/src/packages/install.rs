//! Installing: at once, or by a session of several files.

use std::sync::Arc;

use super::apk::SDK;
use super::{Apk, Package, answer, code_folder, data, exception};
use crate::card::{Card, State};
use crate::fault::Fault;
use crate::files::{FileError, Inode, Meta, Moment, join};
use crate::programs::proc::{Outcome, Proc};
use crate::shell::fd::Stop;

/// Sessions that are open at once.
const SESSIONS: usize = 50;

/// An installation that is being prepared. It outlasts a restart, as Android keeps it for days.
#[derive(Debug)]
pub struct Session {
    id: u32,
    flags: Vec<String>,
    /// For whom it is; nobody: for everybody.
    user: Option<u32>,
    /// Files by their names in it.
    files: Vec<(String, Arc<Inode>)>,
}

const NO_SPACE: &str = "INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location";
const NO_APK: &str = "INSTALL_PARSE_FAILED_NOT_APK: Failed to parse";

/// Why a file did not come.
enum Lost {
    /// It could not be written.
    Unwritten(FileError),
    /// Its end did not come.
    Short { came: u64, size: u64 },
    /// It is not there, or cannot be read.
    Unread(String),
}

impl Lost {
    /// What `pm install` says of it.
    fn verdict(&self) -> String {
        match self {
            Self::Unwritten(FileError::NoSpace) => NO_SPACE.into(),
            Self::Unwritten(why) => format!("INSTALL_FAILED_INTERNAL_ERROR: {}", why.words()),
            Self::Short { came, size } => format!("{NO_APK}: {came} of {size} bytes came"),
            Self::Unread(_) => "INSTALL_FAILED_INVALID_URI".into(),
        }
    }

    /// What `pm install-write` says of it, and how it ends.
    fn complaint(&self) -> (String, u8) {
        match self {
            Self::Unwritten(FileError::NoSpace) => {
                ("Error: failed to write; write failed: ENOSPC (No space left on device)".into(), 1)
            }
            Self::Unwritten(why) => (format!("Error: failed to write; {}", why.words()), 1),
            Self::Short { came, size } => (format!("Error: failed to write; {came} of {size} bytes came"), 1),
            Self::Unread(path) => (format!("Error: Unable to open file: {path}"), 255),
        }
    }
}

/// A file without a name.
fn new_file(card: &Card) -> Arc<Inode> {
    Arc::new(Inode::file(&Arc::clone(&card.state().files.store), Meta::new(0o644)))
}

/// Takes as many bytes of the input as were announced. What does not fit is read all the same, since the host sends it.
async fn take(proc: &Proc, size: u64) -> Result<Result<Arc<Inode>, Lost>, Stop> {
    let file = new_file(&proc.card);
    let (mut done, mut result) = (0, Ok(()));
    if proc.card.free() < size {
        result = Err(FileError::NoSpace);
    }
    while done < size {
        let most = usize::try_from((size - done).min(64 * 1024)).unwrap_or(0);
        let bytes = proc.fds[0].read(most).await?;
        if bytes.is_empty() {
            return Ok(Err(Lost::Short { came: done, size }));
        }
        if result.is_ok() {
            result = file.write(done, &bytes);
        }
        done += bytes.len() as u64;
    }
    Ok(result.map(|()| file).map_err(Lost::Unwritten))
}

/// A copy of a file that is on the card.
fn copy(proc: &Proc, path: &str) -> Result<Arc<Inode>, Lost> {
    let unread = |_: FileError| Lost::Unread(path.to_owned());
    let source = proc.open(path).map_err(unread)?;
    let copied = new_file(&proc.card);
    let mut done = 0;
    loop {
        let bytes = source.read(done, 1 << 20).map_err(unread)?;
        if bytes.is_empty() {
            return Ok(copied);
        }
        copied.write(done, &bytes).map_err(Lost::Unwritten)?;
        done += bytes.len() as u64;
    }
}

/// The number of a new session.
fn session_id(card: &Card) -> u32 {
    u32::try_from(100_000 + card.fresh() % 900_000).unwrap_or(1)
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
            None => Err(Lost::Unread(String::new())),
        },
    };
    let flags: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let id = session_id(&proc.card);
    let session = |file| Session { id, flags, user, files: vec![("base.apk".into(), file)] };
    let result = file.map_err(|lost| lost.verdict()).and_then(|file| put(&proc.card, session(file)));
    answer(proc, result).await
}

/// `pm install-create`.
pub async fn create(proc: &Proc, user: Option<u32>, args: &[&str]) -> Outcome {
    let size = value(args, "-S").and_then(|size| size.parse::<u64>().ok()).unwrap_or(0);
    if proc.card.free() < size.max(1) {
        return answer(proc, Err(NO_SPACE.into())).await;
    }
    let id = session_id(&proc.card);
    let flags = args.iter().map(|arg| (*arg).to_owned()).collect();
    let session = Session { id, flags, user, files: Vec::new() };
    let full = {
        let sessions = &mut proc.card.state().sessions;
        let full = sessions.len() >= SESSIONS;
        if !full {
            sessions.insert(id, session);
        }
        full
    };
    if full {
        let thrown = format!("java.lang.IllegalStateException: Too many active sessions for UID {}", proc.uid);
        return exception(proc, "install-create", &thrown).await;
    }
    proc.out(format!("Success: created install session [{id}]\n")).await?;
    Ok(0)
}

/// What the framework throws where a session is not there, or its number is none.
fn no_session(id: &str) -> String {
    match id.parse::<i32>() {
        Ok(id) => format!("java.lang.SecurityException: Caller has no access to session {id}"),
        Err(_) => format!("java.lang.NumberFormatException: For input string: \"{id}\""),
    }
}

/// The session of this number, if it is there.
fn session<'a>(state: &'a mut State, id: &str) -> Result<&'a mut Session, String> {
    let found = id.parse().ok().and_then(|id: u32| state.sessions.get_mut(&id));
    found.ok_or_else(|| no_session(id))
}

/// The session of this number, which is one no more.
fn ended(card: &Card, id: &str) -> Result<Session, String> {
    let found = id.parse().ok().and_then(|id: u32| card.state().sessions.remove(&id));
    found.ok_or_else(|| no_session(id))
}

/// `pm install-write`.
pub async fn write(proc: &Proc, args: &[&str]) -> Outcome {
    const ACT: &str = "install-write";
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
        return exception(proc, ACT, "java.lang.NumberFormatException: s == null").await;
    };
    let is_name = !name.is_empty() && !name.contains('/') && !matches!(*name, "." | "..");
    let known = session(&mut proc.card.state(), id).map(|_| ());
    let known = known.and_then(|()| {
        if is_name { Ok(()) } else { Err(format!("java.lang.IllegalArgumentException: Invalid name: {name}")) }
    });
    if let Err(thrown) = known {
        return exception(proc, ACT, &thrown).await;
    }
    let path = rest.first().copied().filter(|path| *path != "-");
    let file = match (path, size) {
        (Some(path), _) => copy(proc, path),
        (None, Some(size)) if size > 0 => take(proc, size).await?,
        (None, _) => {
            proc.fds[2].write(b"Error: must specify a APK size\n").await?;
            return Ok(1);
        }
    };
    let file = match file {
        Ok(file) => file,
        Err(lost) => {
            let (text, code) = lost.complaint();
            proc.fds[2].write(format!("{text}\n").as_bytes()).await?;
            return Ok(code);
        }
    };
    let bytes = file.size();
    // It may have been abandoned meanwhile.
    let written = session(&mut proc.card.state(), id).map(|session| {
        session.files.retain(|(other, _)| other != name);
        session.files.push(((*name).to_owned(), file));
    });
    if let Err(thrown) = written {
        return exception(proc, ACT, &thrown).await;
    }
    proc.out(format!("Success: streamed {bytes} bytes\n")).await?;
    Ok(0)
}

/// `pm install-commit`.
pub async fn commit(proc: &Proc, id: &str) -> Outcome {
    match ended(&proc.card, id) {
        Ok(session) => answer(proc, put(&proc.card, session)).await,
        Err(thrown) => exception(proc, "install-commit", &thrown).await,
    }
}

/// `pm install-abandon`.
pub async fn abandon(proc: &Proc, id: &str) -> Outcome {
    match ended(&proc.card, id) {
        Ok(_) => answer(proc, Ok(())).await,
        Err(thrown) => exception(proc, "install-abandon", &thrown).await,
    }
}

impl Card {
    /// Puts a package on the card as `pm install -r` does, for all users and with nothing granted: its base, which comes
    /// first, and its splits, by their names (`base.apk`, `split_config.zh.apk`).
    ///
    /// # Errors
    /// What the package manager says when it refuses.
    pub fn install(&self, files: &[(&str, &[u8])]) -> Result<(), String> {
        let mut session = Session { id: session_id(self), flags: vec!["-r".into()], user: None, files: Vec::new() };
        for (name, bytes) in files {
            let file = new_file(self);
            file.write(0, bytes).map_err(|why| Lost::Unwritten(why).verdict())?;
            session.files.push(((*name).to_owned(), file));
        }
        put(self, session)
    }
}

/// What the package manager thinks of a package.
fn check(card: &Card, apk: &Apk, flags: &[String]) -> Result<Option<Package>, String> {
    let other = || format!("INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package {} signatures do not match", apk.name);
    let has = |flag: &str| flags.iter().any(|known| known == flag);
    if !apk.abi.is_empty() && apk.abi != "arm64-v8a" {
        return Err("INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113".into());
    }
    if apk.min_sdk > SDK {
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

/// Whether a further file of a session fits the first one (AOSP `PackageInstallerSession.assertApkConsistentLocked`).
fn agrees(apk: &Apk, other: &Apk, path: &str) -> Result<(), String> {
    let told = |what: String| Err(format!("INSTALL_FAILED_INVALID_APK: {path} {what}"));
    if other.name != apk.name {
        return told(format!("package {} inconsistent with {}", other.name, apk.name));
    }
    if other.version != apk.version {
        return told(format!("version code {} inconsistent with {}", other.version, apk.version));
    }
    if other.signer != apk.signer { told("signatures are inconsistent".into()) } else { Ok(()) }
}

/// Installs what a session has.
fn put(card: &Card, session: Session) -> Result<(), String> {
    let (mut files, mut read) = (session.files, Vec::new());
    // The base comes first, whenever it was written.
    if let Some(at) = files.iter().position(|(name, _)| plain_name(name) == "base.apk") {
        files[..=at].rotate_right(1);
    }
    for (name, file) in files {
        let (apk, version_name) = Apk::of(&file).ok_or(NO_APK)?;
        read.push((name, file, apk, version_name));
    }
    let Some((_, _, apk, version_name)) = read.first() else {
        return Err("INSTALL_FAILED_INVALID_APK: No packages staged".into());
    };
    // One that does not tell its name fits anything.
    for (name, _, other, _) in read.iter().filter(|(_, _, other, _)| !other.name.starts_with("apk.h")) {
        agrees(apk, other, &format!("/data/app/vmdl{}.tmp/{name}", session.id))?;
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
    let grants = session.flags.iter().any(|flag| flag == "-g");
    if let Some(package) = state.packages.get_mut(apk.name.as_str()).filter(|_| grants) {
        users.iter().for_each(|user| package.permissions.grant_all(*user));
    }
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
        stopped: old.as_ref().map(|old| old.stopped.clone()).unwrap_or_default(),
        suspended: old.as_ref().map(|old| old.suspended.clone()).unwrap_or_default(),
        ops: old.as_ref().map(|old| old.ops.clone()).unwrap_or_default(),
        permissions: old.map(|old| old.permissions).unwrap_or_default(),
    };
    package.permissions.ask(&apk.permissions);
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

/// The name of a file of a package, without the number that `adb` puts before it.
fn plain_name(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.strip_prefix(|c: char| c.is_ascii_digit()).and_then(|rest| rest.strip_prefix('_')).unwrap_or(name)
}

/// Where a further file of a package goes.
fn split_name(name: &str) -> String {
    let name = plain_name(name);
    if name.starts_with("split_") { name.to_owned() } else { format!("split_{name}") }
}
