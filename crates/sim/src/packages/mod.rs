//! The package manager of a card.

mod apk;
mod install;

use std::fmt::Write as _;
use std::sync::Arc;

pub use apk::Apk;
pub use install::Session;

use crate::card::Card;
use crate::files::Moment;
use crate::programs::android;
use crate::programs::proc::{Outcome, Proc};

/// An installed package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// `versionCode`.
    pub version: i64,
    /// `versionName`.
    pub version_name: Box<str>,
    /// Who signed it.
    pub signer: Box<str>,
    /// The user that it runs as.
    pub uid: u32,
    /// When it was installed first.
    pub installed: Moment,
    /// When it was installed last.
    pub updated: Moment,
}

/// What every Android has.
const SYSTEM: &[(&str, i64)] = &[("android", 32), ("com.android.settings", 32), ("com.android.systemui", 32)];

/// Where a package's files are.
pub(crate) fn code_folder(name: &str) -> String {
    format!("/data/app/{name}")
}

/// Where a package keeps its data.
pub(crate) fn data_folders(name: &str) -> [String; 2] {
    [format!("/data/data/{name}"), format!("/data/user_de/0/{name}")]
}

/// The context of an application's data.
pub(crate) fn app_context(uid: u32) -> String {
    let app = uid.saturating_sub(10_000);
    format!("u:object_r:app_data_file:s0:c{},c{},c512,c768", app & 0xff, 256 + (app >> 8))
}

/// The context that something at a path should have, where it is not the usual one of the place.
#[must_use]
pub fn context(card: &Card, path: &str) -> Option<String> {
    let below = path.strip_prefix("/data/data/").or_else(|| path.strip_prefix("/data/user_de/0/"))?;
    let name = below.split('/').next()?;
    card.state().packages.get(name).map(|package| app_context(package.uid))
}

/// `cmd`.
pub async fn cmd(proc: Proc) -> Outcome {
    match proc.args() {
        [service, rest @ ..] if service == "package" => {
            let words = std::iter::once("pm".to_owned()).chain(rest.iter().cloned()).collect();
            pm(proc.with(words)).await
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
    match proc.texts().as_slice() {
        ["install", rest @ ..] => install::install(&proc, rest).await,
        ["install-create", rest @ ..] => install::create(&proc, rest).await,
        ["install-write", rest @ ..] => install::write(&proc, rest).await,
        ["install-commit", .., id] => install::commit(&proc, id).await,
        ["install-abandon" | "install-destroy", id] => install::abandon(&proc, id).await,
        ["uninstall", rest @ ..] => {
            let name = rest.iter().rfind(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
            let keeps = rest.contains(&"-k");
            let removed = card.state().packages.remove(name).is_some();
            if !removed {
                return answer(&proc, Err("DELETE_FAILED_INTERNAL_ERROR".into())).await;
            }
            card.remove_all(&code_folder(name));
            if !keeps {
                data_folders(name).iter().for_each(|folder| card.remove_all(folder));
            }
            card.count(&format!("uninstall:{name}"));
            answer(&proc, Ok(())).await
        }
        ["list", "packages", rest @ ..] => {
            let text = list(&card, rest);
            proc.out(text).await?;
            Ok(0)
        }
        ["path", .., name] => {
            let known = card.state().packages.contains_key(*name);
            if !known {
                return Ok(1);
            }
            let files = card.state().files.children(&code_folder(name));
            let text: String =
                files.into_iter().map(|(file, _)| format!("package:{}/{file}\n", code_folder(name))).collect();
            proc.out(text).await?;
            Ok(0)
        }
        ["clear", .., name] => {
            let known = card.state().packages.contains_key(*name);
            if known {
                install::clear_data(&card, name);
            }
            card.count(&format!("clear:{name}"));
            answer(&proc, Ok(())).await
        }
        ["dump", name] => {
            proc.out(dump(&card, Some(name))).await?;
            Ok(0)
        }
        _ => {
            proc.fds[2].write(b"Unknown command\n").await?;
            Ok(255)
        }
    }
}

fn list(card: &Card, args: &[&str]) -> String {
    let state = card.state();
    let system = SYSTEM.iter().map(|(name, version)| (*name, *version, 1000));
    let installed = state.packages.iter().map(|(name, package)| (&**name, package.version, package.uid));
    let (own, codes) = (args.contains(&"-3"), args.contains(&"--show-versioncode"));
    let (paths, users) = (args.contains(&"-f"), args.contains(&"-U"));
    let wanted = args.iter().rfind(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
    let all = system.filter(|_| !own).chain(installed.filter(|_| !args.contains(&"-s")));
    all.filter(|(name, ..)| name.contains(wanted)).fold(String::new(), |mut text, (name, version, uid)| {
        let path = if paths { format!("{}/base.apk=", code_folder(name)) } else { String::new() };
        let code = if codes { format!(" versionCode:{version}") } else { String::new() };
        let user = if users { format!(" uid:{uid}") } else { String::new() };
        let _ = writeln!(text, "package:{path}{name}{code}{user}");
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

/// `dumpsys package`, of one package or of all.
#[must_use]
pub fn dump(card: &Card, wanted: Option<&str>) -> String {
    let state = card.state();
    let chosen: Vec<_> =
        state.packages.iter().filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name.as_ref())).collect();
    if let Some(wanted) = wanted.filter(|_| chosen.is_empty()) {
        return format!("Unable to find package: {wanted}\n");
    }
    let time = |moment| crate::programs::clock::format("%Y-%m-%d %H:%M:%S", moment);
    let mut text = "Packages:\n".to_owned();
    for (name, package) in chosen {
        let Package { version, version_name, signer, uid, installed, updated } = package;
        let code = code_folder(name);
        let mark = crate::chance::number(card.seed, u64::from(*uid), 17) & 0xff_ffff;
        let _ = writeln!(
            text,
            "  Package [{name}] ({mark:06x}):\n    userId={uid}\n    pkg=Package{{{mark:06x} {name}}}\n    codePath={code}\n    \
resourcePath={code}\n    primaryCpuAbi=arm64-v8a\n    versionCode={version} minSdk=21 targetSdk=32\n    \
versionName={version_name}\n    dataDir=/data/user/0/{name}\n    timeStamp={}\n    firstInstallTime={}\n    \
lastUpdateTime={}\n    signatures=PackageSignatures{{{mark:06x} version:2, signatures:[{signer}], past signatures:[]}}\n    \
User 0: ceDataInode={mark} installed=true hidden=false suspended=false stopped=false notLaunched=false enabled=0",
            time(*updated),
            time(*installed),
            time(*updated)
        );
    }
    text
}
