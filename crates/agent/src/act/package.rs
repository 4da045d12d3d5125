//! The package manager's state of a package: it shows whether an installation completed that nobody saw ending.

use adb::{Card, Command, Device as _, Error, PackageName};
use wire::Act;

/// Lines of `dumpsys package` that change with each installation, or identify what is installed.
const TOLD: &[&str] = &["versionCode=", "lastUpdateTime=", "firstInstallTime="];

/// The package that an action installs or removes, if its name is known.
pub fn named_by(act: &Act) -> Option<&str> {
    if let Act::Install { package: Some(name), .. } | Act::Uninstall { package: name } = act {
        Some(name)
    } else {
        None
    }
}

/// The state of a package on a card: its path, version and times, as the card prints them; empty if it is not there.
///
/// # Errors
/// The card does not answer.
pub async fn package(card: &Card, name: &str) -> Result<String, Error> {
    let name = PackageName::new(name)?;
    let path = card.run(&Command::new("pm").arg("path").arg(&name), adb::shell::COMMAND).await?;
    let paths: Vec<String> =
        path.text().lines().map(str::trim).filter(|line| line.starts_with("package:")).map(str::to_owned).collect();
    if !path.succeeded() || paths.is_empty() {
        return Ok(String::new());
    }
    let dump = card.run(&Command::new("dumpsys").arg("package").arg(&name), adb::shell::COMMAND).await?.text();
    let told = dump.lines().map(str::trim).filter(|line| TOLD.iter().any(|word| line.contains(word)));
    Ok(paths.into_iter().chain(told.map(str::to_owned)).collect::<Vec<_>>().join("\n"))
}

/// Whether this state allows another installation of the package to be recognized.
pub fn tells_apart(known: &str) -> bool {
    known.is_empty() || known.contains("lastUpdateTime=")
}
