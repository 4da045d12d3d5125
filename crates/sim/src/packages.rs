//! The package manager of a card.

use std::fmt::Write as _;

use crate::card::{Card, DISK, Package};
use crate::fault::Fault;
use crate::programs;
use crate::sh::Ran;

/// What is in a package, as far as a simulated card looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apk {
    /// The package's name.
    pub name: String,
    /// `versionCode`.
    pub version: i64,
    /// Who signed it.
    pub signer: String,
    /// The processor that its code is for; empty: any.
    pub abi: String,
    /// The oldest Android (API level) that it runs on.
    pub min_sdk: u32,
}

const MARK: &str = "SIMULATED-APK\n";

impl Apk {
    /// A package that any card takes.
    #[must_use]
    pub fn new(name: &str, version: i64) -> Self {
        Self { name: name.into(), version, signer: "a".into(), abi: String::new(), min_sdk: 21 }
    }

    /// The file, filled up to `size` bytes.
    #[must_use]
    pub fn file(&self, size: usize) -> Vec<u8> {
        let Self { name, version, signer, abi, min_sdk } = self;
        let mut file = format!("{MARK}{name}\n{version}\n{signer}\n{abi}\n{min_sdk}\n").into_bytes();
        file.resize(file.len().max(size), 0);
        file
    }

    /// Reads a file: one of [`Apk::file`], or a real package (a zip); one that does not tell its name gets one that is
    /// made of its content.
    #[must_use]
    pub fn read(file: &[u8]) -> Option<Self> {
        if file.starts_with(b"PK\x03\x04") {
            if let Some(told) = inspect::android_package(std::io::Cursor::new(file)) {
                return Some(Self::new(&told.name, told.version_code.unwrap_or(1)));
            }
            let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, file);
            let [a, b, c, d] = *digest.as_ref().first_chunk::<4>()?;
            return Some(Self::new(&format!("apk.h{a:02x}{b:02x}{c:02x}{d:02x}"), 1));
        }
        let text = file.strip_prefix(MARK.as_bytes())?;
        let text = String::from_utf8_lossy(&text[..text.len().min(4096)]);
        let mut lines = text.lines().map(str::to_owned);
        Some(Self {
            name: lines.next()?,
            version: lines.next()?.parse().ok()?,
            signer: lines.next()?,
            abi: lines.next()?,
            min_sdk: lines.next()?.parse().ok()?,
        })
    }
}

/// What every Android has.
const SYSTEM: &[(&str, i64)] = &[("android", 32), ("com.android.settings", 32), ("com.android.systemui", 32)];

/// `pm` and `cmd package`.
pub fn pm(card: &Card, args: &[&str], stdin: &[u8]) -> Ran {
    match args {
        ["install", rest @ ..] => {
            if rest.contains(&"-S") {
                return answer(install(card, rest, stdin));
            }
            let path = rest.iter().find(|arg| arg.starts_with('/'));
            match path.and_then(|path| programs::read(card, path)) {
                Some(file) => answer(install(card, rest, &file.content)),
                None => answer(Err("INSTALL_FAILED_INVALID_URI".into())),
            }
        }
        ["uninstall", rest @ ..] => {
            let name = rest.iter().rfind(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
            if card.state().packages.remove(name).is_none() {
                return answer(Err("DELETE_FAILED_INTERNAL_ERROR".into()));
            }
            card.count(&format!("uninstall:{name}"));
            answer(Ok(()))
        }
        ["list", "packages", rest @ ..] => list(card, rest),
        ["path", name] => match card.state().packages.contains_key(*name) {
            true => Ran { out: format!("package:/data/app/{name}/base.apk\n").into_bytes(), ..Ran::default() },
            false => Ran { code: 1, ..Ran::default() },
        },
        ["clear", name] => {
            card.count(&format!("clear:{name}"));
            answer(Ok(()))
        }
        _ => Ran { err: b"Unknown command\n".to_vec(), code: 255, ..Ran::default() },
    }
}

fn list(card: &Card, args: &[&str]) -> Ran {
    let codes = args.contains(&"--show-versioncode");
    let state = card.state();
    let system = SYSTEM.iter().map(|(name, version)| (*name, *version));
    let installed = state.packages.iter().map(|(name, package)| (&**name, package.version));
    let own_only = args.contains(&"-3");
    let text = system.filter(|_| !own_only).chain(installed).fold(String::new(), |mut all, (name, version)| {
        let _ =
            if codes { writeln!(all, "package:{name} versionCode:{version}") } else { writeln!(all, "package:{name}") };
        all
    });
    Ran { out: text.into_bytes(), ..Ran::default() }
}

/// What the package manager prints.
fn answer(result: Result<(), String>) -> Ran {
    match result {
        Ok(()) => Ran { out: b"Success\n".to_vec(), ..Ran::default() },
        Err(why) => Ran { out: format!("Failure [{why}]\n").into_bytes(), code: 1, ..Ran::default() },
    }
}

/// Installs a file with the flags of `pm install`.
fn install(card: &Card, args: &[&str], file: &[u8]) -> Result<(), String> {
    let apk = Apk::read(file).ok_or("INSTALL_PARSE_FAILED_NOT_APK: Failed to parse")?;
    if card.used() + file.len() as u64 > DISK {
        return Err("INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location".into());
    }
    if !apk.abi.is_empty() && apk.abi != "arm64-v8a" {
        return Err("INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113".into());
    }
    if apk.min_sdk > 32 {
        return Err(format!("INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #{}", apk.min_sdk));
    }
    if card.faults.has(Fault::WrongSigner) {
        return Err(format!("INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package {} signatures do not match", apk.name));
    }
    let mut state = card.state();
    if let Some(old) = state.packages.get(apk.name.as_str()) {
        if *old.signer != *apk.signer {
            return Err(format!("INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package {} signatures do not match", apk.name));
        }
        if !args.contains(&"-r") {
            return Err(format!("INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {}", apk.name));
        }
        if old.version > apk.version && !args.contains(&"-d") {
            return Err("INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected".into());
        }
    }
    let package = Package { version: apk.version, signer: apk.signer.into(), size: file.len() as u64 };
    state.packages.insert(apk.name.as_str().into(), package);
    drop(state);
    card.count(&format!("install:{}", apk.name));
    Ok(())
}
