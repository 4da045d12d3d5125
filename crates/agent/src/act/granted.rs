//! What apps are called by people, and what their owner has granted them: from what `dumpsys package` says of each.

use std::collections::HashMap;

use adb::{Card, Command};
use wire::copy::{MAX_GRANTS, MAX_NAME, PackageData};

use crate::listing;
use crate::refused::Refused;

/// Characters that are kept of the name of a version.
const VERSION: usize = 100;
/// Before the name of each package.
const NEXT: &str = "= ";

/// What is known of a package beside its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// What people call its version.
    pub version_name: String,
    /// The permissions that the owner has granted it while it ran.
    pub grants: Vec<String>,
}

/// Fills in those of `packages` that are not the image's.
///
/// # Errors
/// The card does not answer.
pub async fn find_grants(card: &Card, packages: &mut [PackageData]) -> Result<(), Refused> {
    let own: Vec<&str> =
        packages.iter().filter(|package| package.is_own).map(|package| package.name.as_str()).collect();
    let mut known = of(card, &own).await?;
    for package in packages.iter_mut().filter(|package| package.is_own) {
        let Known { version_name, grants } = known.remove(&package.name).unwrap_or_default();
        package.version_name = version_name;
        package.grants = grants;
    }
    Ok(())
}

/// What is known of these packages, all by one command. Those that are not there are missing.
///
/// # Errors
/// The card does not answer.
pub async fn of(card: &Card, names: &[&str]) -> Result<HashMap<String, Known>, Refused> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    // Of a large app it says a megabyte of what its parts answer to, which stays on the card.
    let script = format!(
        "while read -r name; do echo \"{NEXT}$name\"; dumpsys package \"$name\" </dev/null | \
         grep -E '^[A-Z]|^    versionName=|^ +User [0-9]|permissions:|granted=true' || :; done"
    );
    let names: String = names.iter().filter(|name| !name.contains('\n')).map(|name| format!("{name}\n")).collect();
    let said = listing::whole(card, &Command::script(&script).stdin(names)).await?;
    Ok(read(&String::from_utf8_lossy(&said)))
}

/// Reads what `dumpsys package` says of some packages (AOSP `Settings.dumpPackageLPr`, `dumpRuntimePermissionsLPr`).
fn read(said: &str) -> HashMap<String, Known> {
    let mut known: HashMap<String, Known> = HashMap::new();
    let mut name = String::new();
    // Where a line is: in the part of the package itself or of whom it shares its user with, at the owner, in the list of
    // what is granted while apps run.
    let (mut is_own_part, mut is_owner, mut is_runtime) = (false, false, false);
    for line in said.lines() {
        if let Some(next) = line.strip_prefix(NEXT) {
            next.trim().clone_into(&mut name);
            (is_own_part, is_owner, is_runtime) = (false, false, false);
            continue;
        }
        let text = line.trim();
        if !line.starts_with(' ') {
            // What an updated app of the image was before has a part of its own.
            is_own_part = matches!(text, "Packages:" | "Shared users:");
            (is_owner, is_runtime) = (false, false);
            continue;
        }
        if !is_own_part || name.is_empty() {
            continue;
        }
        if let Some(version) = text.strip_prefix("versionName=") {
            let found = known.entry(name.clone()).or_default();
            if found.version_name.is_empty() && version != "null" {
                found.version_name = version.chars().filter(|c| !c.is_control()).take(VERSION).collect();
            }
        } else if let Some(user) = text.strip_prefix("User ") {
            is_owner = user.split(':').next() == Some("0");
            is_runtime = false;
        } else if text.ends_with("permissions:") {
            is_runtime = text == "runtime permissions:";
        } else if is_owner
            && is_runtime
            && let Some((permission, "true")) = granted(text)
        {
            let grants = &mut known.entry(name.clone()).or_default().grants;
            if grants.len() < MAX_GRANTS && permission.len() <= MAX_NAME && !grants.iter().any(|it| it == permission) {
                grants.push(permission.to_owned());
            }
        }
    }
    known
}

/// `PERMISSION: granted=true, flags=[ ... ]`, of which the flags may be missing.
fn granted(text: &str) -> Option<(&str, &str)> {
    let (permission, rest) = text.split_once(": granted=")?;
    Some((permission, rest.split(',').next().unwrap_or(rest).trim()))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_the_owner_granted_while_it_ran_is_told_and_nothing_else() {
        let said = "= com.game\n\
Permissions:\n\
\x20 Permission [com.game.OWN] (1a):\n\
Packages:\n\
\x20   versionName=7.1 beta\n\
\x20   install permissions:\n\
\x20     android.permission.INTERNET: granted=true\n\
\x20   User 0: ceDataInode=5 installed=true\n\
\x20     runtime permissions:\n\
\x20       android.permission.CAMERA: granted=true, flags=[ USER_SET]\n\
\x20       android.permission.READ_SMS: granted=false, flags=[ ]\n\
\x20       android.permission.RECORD_AUDIO: granted=true\n\
\x20   User 10: ceDataInode=6 installed=true\n\
\x20     runtime permissions:\n\
\x20       android.permission.CALL_PHONE: granted=true, flags=[ ]\n\
Hidden system packages:\n\
\x20   versionName=1.0\n\
\x20   User 0: ceDataInode=5 installed=true\n\
\x20     runtime permissions:\n\
\x20       android.permission.BODY_SENSORS: granted=true, flags=[ ]\n\
= com.shared\n\
Packages:\n\
\x20   versionName=null\n\
\x20   User 0: ceDataInode=5 installed=true\n\
Shared users:\n\
\x20   User 0:\n\
\x20     runtime permissions:\n\
\x20       android.permission.CAMERA: granted=true, flags=[ ]\n\
= com.gone\n\
Unable to find package: com.gone\n";
        let found = read(said);
        let of = |name: &str| found.get(name).cloned().unwrap_or_default();
        assert_eq!(of("com.game").version_name, "7.1 beta");
        assert_eq!(of("com.game").grants, ["android.permission.CAMERA", "android.permission.RECORD_AUDIO"]);
        assert_eq!((of("com.shared").version_name.as_str(), of("com.shared").grants.len()), ("", 1));
        assert!(!found.contains_key("com.gone"), "{found:?}");
    }
}
