//! Whether a phone is well after it has come on a card with what a copy holds: its launcher runs, every package is there that was
//! when the data was written, and the folders of apps are theirs and labelled so. Android starts in between, and may have thrown
//! away what it found to be somebody else's.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use adb::{Card, Command, Device as _};
use tokio::time::{Instant, sleep};
use wire::{Effect, Outcome, Reason};

use super::installed::inventory;
use super::noted::{TOGETHER, left, numbers};
use super::running::told;
use crate::clean::ROOT;
use crate::cover::OWNER;
use crate::done::Done;
use crate::listing::{self, ended};
use crate::refused::Refused;

/// How long the launcher may take from when Android is up.
const LAUNCHER: Duration = Duration::from_mins(1);
/// Interval between two looks for it.
const POLL: Duration = Duration::from_secs(1);
/// Which activity the home button leads to, and the processes of its package.
const HOME: &str = "h=\"$(cmd package resolve-activity --brief -a android.intent.action.MAIN \
     -c android.intent.category.HOME 2>/dev/null | tail -n 1)\"; echo \"$h\"; pidof \"${h%%/*}\"";
/// What is named where several launchers are there, and nobody has chosen one.
const NOBODY: &str = "android";

/// Whether a phone on a card that is up is there as it was left.
pub async fn as_left(card: &Card) -> Done {
    match differs(card).await {
        Ok(None) => Done::so(Outcome::Succeeded),
        // The card is well; what is on it is not.
        Ok(Some(why)) => Done::so(Outcome::failed(Reason::Unhealthy, why).with(Effect::Proved)),
        Err(why) => told(why),
    }
}

/// Whether the launcher runs on a card that is up, and on which nothing has come.
pub async fn launches(card: &Card) -> Done {
    match no_launcher(card).await {
        Ok(None) => Done::so(Outcome::Succeeded),
        // It is the card that is not well.
        Ok(Some(why)) => Done::so(Outcome::failed(Reason::Unhealthy, why).with(Effect::NeverBegan)),
        Err(why) => told(why),
    }
}

/// What is not as it was left; none if all is.
async fn differs(card: &Card) -> Result<Option<String>, Refused> {
    let left = left(card).await?;
    let there: BTreeSet<String> = inventory(card).await?.into_iter().map(|package| package.name).collect();
    if let Some(why) = missing(&left, &there) {
        return Ok(Some(why));
    }
    let mut folders = Vec::new();
    for place in ["user", "user_de"].map(|place| format!("{place}/{OWNER}")) {
        let found = numbers(card, &place).await?;
        if let Some(why) = others(&place, &left, &found) {
            return Ok(Some(why));
        }
        let known = found.into_keys().filter(|name| left.contains_key(name));
        folders.extend(known.map(|name| format!("{place}/{name}").into_bytes()));
    }
    folders.sort_unstable();
    if let Some(why) = mislabelled(card, &folders).await? {
        return Ok(Some(why));
    }
    no_launcher(card).await
}

/// Which packages are not installed any more.
fn missing(left: &HashMap<String, u32>, there: &BTreeSet<String>) -> Option<String> {
    let mut gone: Vec<&str> = left.keys().map(String::as_str).filter(|name| !there.contains(*name)).collect();
    gone.sort_unstable();
    let first = gone.first()?;
    Some(format!("{first} is not installed any more, nor are {} others", gone.len() - 1))
}

/// The numbers of apps (AOSP `android_filesystem_config.h`), the same for each user of a card.
const APPS: std::ops::Range<u32> = 10_000..20_000;
const USER: u32 = 100_000;

/// Which folders of apps are another app's. One that is the shell's or the system's was so on the phone that was copied: Android
/// gives none away to those.
fn others(place: &str, left: &HashMap<String, u32>, found: &HashMap<String, u32>) -> Option<String> {
    let mut others: Vec<(&str, u32, u32)> = found
        .iter()
        .filter_map(|(name, uid)| Some((name.as_str(), *uid, *left.get(name)?)))
        .filter(|(_, uid, wanted)| uid != wanted && APPS.contains(&(uid % USER)))
        .collect();
    others.sort_unstable();
    let (name, uid, wanted) = others.first()?;
    Some(format!("{place}/{name} belongs to user {uid}, and not to {wanted}; so do {} others", others.len() - 1))
}

/// The first folder whose security context is another one than its place has.
async fn mislabelled(card: &Card, folders: &[Vec<u8>]) -> Result<Option<String>, Refused> {
    for some in folders.chunks(TOGETHER) {
        let some: Vec<&[u8]> = some.iter().map(Vec::as_slice).collect();
        let command = Command::script(&format!("cd {ROOT} && xargs -0 -r restorecon -FDnv 2>&1"));
        let said = listing::whole(card, &command.stdin(ended(&some))).await?;
        if let Some(first) = String::from_utf8_lossy(&said).lines().next() {
            return Ok(Some(first.to_owned()));
        }
    }
    Ok(None)
}

/// Waits until the launcher runs. Where the card does not say which one that is, nothing is known of it.
async fn no_launcher(card: &Card) -> Result<Option<String>, Refused> {
    let since = Instant::now();
    loop {
        let said = card.run(&Command::script(HOME), adb::shell::COMMAND).await?.text();
        let (launcher, runs) = home(&said);
        let Some(launcher) = launcher.filter(|_| !runs) else { return Ok(None) };
        if since.elapsed() >= LAUNCHER {
            return Ok(Some(format!("the launcher {launcher} does not run")));
        }
        sleep(POLL).await;
    }
}

/// The package of the launcher, if the card says, and whether it runs.
fn home(said: &str) -> (Option<&str>, bool) {
    let mut lines = said.lines().map(str::trim);
    let named = lines.next().and_then(|line| line.split_once('/')).map(|(package, _)| package);
    let runs = lines.next().is_some_and(|line| !line.is_empty());
    (named.filter(|package| !package.contains(' ') && *package != NOBODY), runs)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::{home, missing, others};

    fn numbered(all: &[(&str, u32)]) -> HashMap<String, u32> {
        all.iter().map(|(name, uid)| ((*name).to_owned(), *uid)).collect()
    }

    #[test]
    fn what_is_gone_or_somebody_elses_is_named() {
        let left = numbered(&[("com.game", 10_061), ("com.chat", 10_062)]);
        let there = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(missing(&left, &there(&["com.chat", "com.game", "com.new"])), None);
        assert_eq!(
            missing(&left, &there(&["android"])).as_deref(),
            Some("com.chat is not installed any more, nor are 1 others")
        );
        assert_eq!(others("user/0", &left, &numbered(&[("com.game", 10_061), ("com.new", 3)])), None);
        assert_eq!(
            others("user/0", &left, &numbered(&[("com.chat", 2_000), ("com.game", 10_062)])).as_deref(),
            Some("user/0/com.game belongs to user 10062, and not to 10061; so do 0 others")
        );
    }

    #[test]
    fn a_launcher_is_known_by_its_package_where_the_card_says_which_it_is() {
        for (said, wanted) in [
            ("com.android.launcher3/.Launcher\n1204\n", (Some("com.android.launcher3"), true)),
            ("com.android.launcher3/.Launcher\r\n", (Some("com.android.launcher3"), false)),
            ("android/com.android.internal.app.ResolverActivity\n", (None, false)),
            ("No activity found\n", (None, false)),
            ("Error: unknown option --brief of cmd/package\n", (None, false)),
            ("", (None, false)),
        ] {
            assert_eq!(home(said), wanted, "{said}");
        }
    }
}
