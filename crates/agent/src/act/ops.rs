//! Which of Android's operations (`appops`) were set for apps, and how they are set again.

use std::collections::HashMap;

use adb::{Card, Command, Error, quoted};
use wire::copy::{MAX_NAME, MAX_OPS, PackageData};

use crate::listing;
use crate::refused::Refused;

/// Before the name of each package.
const NEXT: &str = "= ";
/// Before an operation whose mode is that of all that runs as the user of the package.
const OF_USER: &str = "Uid mode: ";
/// The modes of an operation (AOSP `AppOpsManager.MODE_NAMES`).
const MODES: [&str; 6] = ["allow", "ignore", "deny", "default", "foreground", "ask"];
/// Writes down at once what was set: Android does so a while later, and what it has not written is gone once its framework is
/// stopped. One that does not know that says so.
pub const WRITE: &str = "cmd appops write-settings 2>&1 || :\n";

/// What was set for these packages. Those for which nothing was are missing.
///
/// # Errors
/// The card does not answer.
pub async fn of(card: &Card, names: &[&str]) -> Result<HashMap<String, Vec<String>>, Refused> {
    let names: String = names.iter().filter(|name| !name.contains('\n')).map(|name| format!("{name}\n")).collect();
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let script = format!(
        "while read -r name; do echo \"{NEXT}$name\"; cmd appops get --user 0 \"$name\" </dev/null 2>/dev/null || :; done"
    );
    let said = listing::whole(card, &Command::script(&script).stdin(names)).await?;
    Ok(read(&String::from_utf8_lossy(&said)))
}

/// Lines that set for a package what was set for it, where a card that `has` these has it otherwise. What Android refuses of it
/// stays as it is there.
///
/// # Errors
/// Its name can be in no line.
pub fn changes(package: &PackageData, has: Option<&Vec<String>>) -> Result<Vec<String>, Error> {
    let is_so = |op: &&String| has.is_some_and(|has| has.contains(op));
    let mut lines = Vec::new();
    for op in package.ops.iter().filter(|op| !is_so(op)) {
        let Some((is_of_user, operation, mode)) = parted(op) else { continue };
        let of = if is_of_user { "--uid " } else { "" };
        let name = quoted(&package.name)?;
        lines.push(format!("cmd appops set --user 0 {of}{name} {operation} {mode} 2>&1 || :\n"));
    }
    Ok(lines)
}

/// Reads which operations were set for which package, with their modes and without when they were used last (AOSP
/// `AppOpsService.onShellCommand`): `Uid mode: CAMERA: ignore`, `READ_SMS: allow; time=+1m ago`.
fn read(said: &str) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let mut name = "";
    for line in said.lines() {
        if let Some(next) = line.strip_prefix(NEXT) {
            name = next.trim();
            continue;
        }
        let line = line.trim();
        let Some((is_of_user, operation, mode)) = parted(line.split(';').next().unwrap_or(line)) else { continue };
        if name.is_empty() {
            continue;
        }
        let op = format!("{}{operation}: {mode}", if is_of_user { OF_USER } else { "" });
        let ops = found.entry(name.to_owned()).or_default();
        if ops.len() < MAX_OPS && !ops.contains(&op) {
            ops.push(op);
        }
    }
    found
}

/// `CAMERA: ignore`, also of all that runs as a user; none if it is something else.
fn parted(op: &str) -> Option<(bool, &str, &str)> {
    let (is_of_user, op) = op.strip_prefix(OF_USER).map_or((false, op), |op| (true, op));
    let (operation, mode) = op.split_once(": ")?;
    let mode = mode.trim();
    let is_one = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_operation = !operation.is_empty() && operation.chars().all(is_one) && operation.len() < MAX_NAME / 2;
    (is_operation && MODES.contains(&mode)).then_some((is_of_user, operation, mode))
}

#[cfg(test)]
mod tests {
    use wire::copy::PackageData;

    use super::{changes, read};

    #[test]
    fn operations_are_told_with_their_modes_however_android_prints_them() {
        let said = "= com.game\n\
Uid mode: COARSE_LOCATION: foreground\n\
FINE_LOCATION: ignore\n\
CAMERA: ignore; rejectTime=+3d2h ago\n\
READ_SMS: allow; time=+1m2s ago; duration=+5ms\n\
READ_SMS: allow\n\
Default mode: allow\n\
= com.shop\n\
No operations.\n\
= com.odd\n\
java.lang.SecurityException: uid 0\n\
WAKE_LOCK: whatever\n\
TOAST_WINDOW: deny\n";
        let found = read(said);
        assert_eq!(
            found["com.game"],
            ["Uid mode: COARSE_LOCATION: foreground", "FINE_LOCATION: ignore", "CAMERA: ignore", "READ_SMS: allow"]
        );
        assert_eq!((found.get("com.shop"), &found["com.odd"][..]), (None, &["TOAST_WINDOW: deny".to_owned()][..]));
    }

    #[test]
    fn what_is_otherwise_is_set_again_and_nothing_that_is_no_operation_comes_into_a_line() {
        let ops =
            ["Uid mode: COARSE_LOCATION: foreground", "CAMERA: ignore", "READ_SMS: allow", "CAMERA: x; reboot", "a"];
        let game =
            PackageData { name: "com.game".into(), ops: ops.map(str::to_owned).to_vec(), ..PackageData::default() };
        let has = vec!["READ_SMS: allow".to_owned(), "CAMERA: allow".to_owned()];
        let lines = changes(&game, Some(&has)).unwrap_or_default();
        let name = adb::quoted("com.game").unwrap_or_default();
        assert_eq!(
            lines,
            [
                format!("cmd appops set --user 0 --uid {name} COARSE_LOCATION foreground 2>&1 || :\n"),
                format!("cmd appops set --user 0 {name} CAMERA ignore 2>&1 || :\n"),
            ]
        );
        assert_eq!(changes(&game, None).unwrap_or_default().len(), 3);
        assert!(changes(&game, Some(&game.ops)).unwrap_or_default().is_empty());
    }
}
