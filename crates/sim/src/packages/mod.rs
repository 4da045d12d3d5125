//! The package manager of a card.

mod apk;
mod data;
mod dump;
mod install;
mod ops;
mod permissions;

use std::fmt::Write as _;
use std::sync::Arc;

pub use apk::Apk;
pub use data::context;
pub(crate) use data::{first_app, folders, forget_user, prepare_data};
pub use dump::dump;
pub use install::Session;
pub use ops::Ops;
pub(crate) use ops::forget_unwritten;
pub use permissions::Permissions;

use crate::card::{Card, State};
use crate::files::Moment;
use crate::programs::proc::{Outcome, Proc};
use crate::programs::{android, users};
use crate::users::{OWNER, RANGE};

/// An installed package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// `versionCode`.
    pub version: i64,
    /// `versionName`.
    pub version_name: Box<str>,
    /// Who signed it.
    pub signer: Box<str>,
    /// The number of the application, which is the user that it runs as for user 0.
    pub uid: u32,
    /// The users that have it; nobody, where only its data were kept.
    pub users: Vec<u32>,
    /// When it was installed first.
    pub installed: Moment,
    /// When it was installed last.
    pub updated: Moment,
    /// What it asks for, and what it was granted.
    pub permissions: Permissions,
    /// The modes of operations that were set for it.
    pub ops: Ops,
    /// The users for whom it was stopped by force, and has not been started since.
    pub stopped: Vec<u32>,
    /// The users for whom it is suspended.
    pub suspended: Vec<u32>,
}

impl Package {
    /// Whether anybody has it.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        !self.users.is_empty()
    }

    /// Whether it runs for a user who has it, once he is unlocked.
    #[must_use]
    pub fn may_run(&self, user: u32) -> bool {
        self.users.contains(&user) && !self.stopped.contains(&user) && !self.suspended.contains(&user)
    }
}

impl Card {
    /// The owner grants a package a permission, as `pm grant` does.
    ///
    /// # Errors
    /// What the package manager throws when it refuses.
    pub fn grant(&self, package: &str, permission: &str) -> Result<(), String> {
        permissions::set(&mut self.state(), "grant", (package, OWNER), permission)
    }
}

/// What every Android has.
const SYSTEM: &[(&str, i64)] = &[("android", 32), ("com.android.settings", 32), ("com.android.systemui", 32)];

/// Where a package's files are.
pub(crate) fn code_folder(name: &str) -> String {
    format!("/data/app/{name}")
}

/// What the package manager does when Android starts: it forgets packages whose files are gone (AOSP
/// `PackageManagerService`: "no longer exists; its data will be wiped").
pub(crate) fn scan(state: &mut State) {
    let State { packages, files, .. } = state;
    packages.retain(|name, package| !package.is_installed() || !files.children(&code_folder(name)).is_empty());
}

/// `cmd`.
pub async fn cmd(proc: Proc) -> Outcome {
    match proc.args() {
        [service, rest @ ..] if matches!(service.as_str(), "package" | "activity" | "lock_settings" | "appops") => {
            let as_program =
                |name: &str| proc.with(std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect());
            match service.as_str() {
                "package" => pm(as_program("pm")).await,
                "activity" => android::am(as_program("am")).await,
                "appops" => android::appops(as_program("appops")).await,
                _ => users::locksettings(as_program("locksettings")).await,
            }
        }
        [service, ..] => {
            proc.fds[2].write(format!("cmd: Can't find service: {service}\n").as_bytes()).await?;
            Ok(20)
        }
        [] => {
            proc.fds[2]
                .write(b"cmd: No service specified; use -l to list all running services. Use -w to start and wait.\n")
                .await?;
            Ok(20)
        }
    }
}

/// `pm`.
pub async fn pm(proc: Proc) -> Outcome {
    if let Some(code) = android::service(&proc, "package").await? {
        return Ok(code);
    }
    let card = Arc::clone(&proc.card);
    let texts = proc.texts();
    let (user, words) = for_user(&texts);
    match words.as_slice() {
        ["install", rest @ ..] => install::install(&proc, user, rest).await,
        ["install-create", rest @ ..] => install::create(&proc, user, rest).await,
        ["install-write", rest @ ..] => install::write(&proc, rest).await,
        ["install-commit", .., id] => install::commit(&proc, id).await,
        ["install-abandon" | "install-destroy", id] => install::abandon(&proc, id).await,
        ["install-existing", .., name] => install_existing(&proc, name, user.unwrap_or(OWNER)).await,
        [act @ ("suspend" | "unsuspend"), names @ ..] => suspend(&proc, *act == "suspend", names, user).await,
        [act @ ("grant" | "revoke"), rest @ ..] => permissions::change(&proc, act, rest, user.unwrap_or(OWNER)).await,
        ["uninstall", rest @ ..] => uninstall(&proc, rest, user).await,
        ["list", "packages", rest @ ..] => {
            let text = list(&card, rest, user.unwrap_or(OWNER));
            proc.out(text).await?;
            Ok(0)
        }
        // Whatever is asked for, it is the home button.
        ["resolve-activity", ..] => {
            proc.out("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n").await?;
            proc.out("com.android.launcher3/.Launcher\n").await?;
            Ok(0)
        }
        ["path", .., name] => path(&proc, name, user.unwrap_or(OWNER)).await,
        ["clear", .., name] => {
            data::clear(&mut card.state(), name, user.unwrap_or(OWNER));
            card.count(&format!("clear:{name}"));
            answer(&proc, Ok(())).await
        }
        ["dump", name] => {
            proc.out(dump(&card, Some(name))).await?;
            Ok(0)
        }
        ["list", "users"] => users::list(&proc).await,
        ["create-user", rest @ ..] => users::create(&proc, rest).await,
        ["remove-user", rest @ ..] => users::remove(&proc, rest).await,
        ["get-max-users"] => {
            proc.out(format!("Maximum supported users: {}\n", crate::users::MOST)).await?;
            Ok(0)
        }
        _ => {
            proc.fds[2].write(b"Unknown command\n").await?;
            Ok(255)
        }
    }
}

/// The user that `--user` names, if it is one, and the words without it.
pub(crate) fn for_user<'a>(words: &[&'a str]) -> (Option<u32>, Vec<&'a str>) {
    let Some(at) = words.iter().position(|word| *word == "--user") else { return (None, words.to_vec()) };
    let user = match words.get(at + 1) {
        Some(&("current" | "cur")) => Some(OWNER),
        Some(id) => id.parse().ok(),
        None => None,
    };
    (user, words.iter().enumerate().filter(|(index, _)| *index != at && *index != at + 1).map(|word| *word.1).collect())
}

/// `pm install-existing`: a further user gets what the card has.
async fn install_existing(proc: &Proc, name: &str, user: u32) -> Outcome {
    let is_there = {
        let mut state = proc.card.state();
        let known = state.user(user).is_some();
        let package = state.packages.get_mut(name).filter(|package| known && package.is_installed());
        let is_there = package.map(|package| data::add_user(package, user)).is_some();
        prepare_data(&mut state, user);
        is_there
    };
    if !is_there {
        let text = format!("android.content.pm.PackageManager$NameNotFoundException: Package {name} doesn't exist\n");
        proc.fds[2].write(text.as_bytes()).await?;
        return Ok(1);
    }
    proc.out(format!("Package {name} installed for user: {user}\n")).await?;
    Ok(0)
}

/// `pm suspend` and `pm unsuspend` (AOSP `PackageManagerShellCommand.runSuspend`).
async fn suspend(proc: &Proc, wanted: bool, names: &[&str], user: Option<u32>) -> Outcome {
    if names.is_empty() {
        proc.out("Error: package name not specified\n").await?;
        return Ok(1);
    }
    let user = user.unwrap_or(OWNER);
    for name in names {
        let is_there = {
            let mut state = proc.card.state();
            let package = state.packages.get_mut(*name).filter(|package| package.users.contains(&user));
            package.map(|package| mark(&mut package.suspended, user, wanted)).is_some()
        };
        if !is_there {
            proc.out(format!("java.lang.IllegalArgumentException: Unknown target package: {name}\n")).await?;
            return Ok(1);
        }
        proc.out(format!("Package {name} new suspended state: {wanted}\n")).await?;
    }
    Ok(0)
}

/// A user is among these from now on, or is no more.
pub(crate) fn mark(users: &mut Vec<u32>, user: u32, wanted: bool) {
    users.retain(|one| *one != user);
    users.extend(wanted.then_some(user));
}

/// `pm uninstall`: for one user, or for all; what no user has any more is gone.
async fn uninstall(proc: &Proc, args: &[&str], user: Option<u32>) -> Outcome {
    let name = args.iter().rfind(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
    let keeps = args.contains(&"-k");
    let removed = {
        let mut state = proc.card.state();
        // Data that were kept are gone only with another installation.
        let installed = state.packages.get(name).filter(|package| package.is_installed());
        let users = installed.map(|package| package.users.clone());
        match (users, user) {
            (None, _) => Err("DELETE_FAILED_INTERNAL_ERROR".into()),
            (Some(users), Some(user)) if !users.contains(&user) => Err(format!("not installed for {user}")),
            (Some(users), user) => {
                let leaving = users.into_iter().filter(|one| user.is_none_or(|user| user == *one));
                leaving.for_each(|user| data::remove_for(&mut state, name, user, keeps));
                Ok(())
            }
        }
    };
    if removed.is_ok() {
        proc.card.count(&format!("uninstall:{name}"));
    }
    answer(proc, removed).await
}

/// `pm path`.
async fn path(proc: &Proc, name: &str, user: u32) -> Outcome {
    let text = {
        let state = proc.card.state();
        let folder = code_folder(name);
        state.packages.get(name).filter(|package| package.users.contains(&user)).map(|_| {
            // Beside the package and its splits there may be what Android has made of them.
            let files = state.files.children(&folder).into_iter().filter(|(file, _)| file.ends_with(".apk"));
            files.map(|(file, _)| format!("package:{folder}/{file}\n")).collect::<String>()
        })
    };
    let Some(text) = text else { return Ok(1) };
    proc.out(text).await?;
    Ok(0)
}

fn list(card: &Card, args: &[&str], user: u32) -> String {
    let state = card.state();
    let system = SYSTEM.iter().map(|(name, version)| (*name, *version, 1000));
    let has = state.packages.iter().filter(|(_, package)| package.users.contains(&user));
    let installed = has.map(|(name, package)| (&**name, package.version, package.uid));
    let (own, codes) = (args.contains(&"-3"), args.contains(&"--show-versioncode"));
    let (paths, users) = (args.contains(&"-f"), args.contains(&"-U"));
    let wanted = args.iter().rfind(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
    let all = system.filter(|_| !own).chain(installed.filter(|_| !args.contains(&"-s")));
    all.filter(|(name, ..)| name.contains(wanted)).fold(String::new(), |mut text, (name, version, uid)| {
        let path = match paths {
            true if name == "android" => "/system/framework/framework-res.apk=".to_owned(),
            true if SYSTEM.iter().any(|own| own.0 == name) => format!("/system/priv-app/{name}/{name}.apk="),
            true => format!("{}/base.apk=", code_folder(name)),
            false => String::new(),
        };
        let code = if codes { format!(" versionCode:{version}") } else { String::new() };
        let owner = if users { format!(" uid:{}", user * RANGE + uid) } else { String::new() };
        let _ = writeln!(text, "package:{path}{name}{code}{owner}");
        text
    })
}

/// What the package manager prints.
async fn answer(proc: &Proc, result: Result<(), String>) -> Outcome {
    match result {
        Ok(()) => {
            proc.out("Success\n").await?;
            Ok(0)
        }
        Err(why) => {
            proc.out(format!("Failure [{why}]\n")).await?;
            Ok(1)
        }
    }
}

/// What is printed of an exception of the framework's (AOSP `BasicShellCommandHandler.exec`).
async fn exception(proc: &Proc, act: &str, thrown: &str) -> Outcome {
    let text = format!(
        "\nException occurred while executing '{act}':\n{thrown}\n\tat \
com.android.server.pm.PackageManagerShellCommand.onCommand(PackageManagerShellCommand.java)\n"
    );
    proc.fds[2].write(text.as_bytes()).await?;
    Ok(255)
}
