//! What Android's programs say of users and screen locks: parts of `pm`, `am` and `dumpsys`, and `locksettings`.

use std::fmt::Write as _;

use super::android::service;
use super::proc::{Outcome, Proc};
use crate::card::Card;
use crate::files::Moment;
use crate::users::{OWNER, Run, User};

/// `UserInfo.toString`.
fn info(id: u32, user: &User) -> String {
    format!("UserInfo{{{id}:{}:{:x}}}", user.name, user.flags)
}

/// `UserState.stateToString`, where -1 is none, and the number that stands for it.
const fn state(run: Run) -> (&'static str, i32) {
    match run {
        Run::Stopped => ("-1", -1),
        Run::Locked => ("RUNNING_LOCKED", 1),
        Run::Unlocked => ("RUNNING_UNLOCKED", 3),
    }
}

/// Complains as the programs do that are classes of the framework: with no name before it.
async fn refuse(proc: &Proc, text: &str, code: u8) -> Outcome {
    proc.fds[2].write(format!("{text}\n").as_bytes()).await?;
    Ok(code)
}

/// `pm list users`.
pub async fn list(proc: &Proc) -> Outcome {
    let users = proc.card.state().users();
    let text = users.into_iter().fold("Users:\n".to_owned(), |mut text, (id, user)| {
        let running = if user.run == Run::Stopped { "" } else { " running" };
        let _ = writeln!(text, "\t{}{running}", info(id, &user));
        text
    });
    proc.out(text).await?;
    Ok(0)
}

/// `pm create-user`.
pub async fn create(proc: &Proc, args: &[&str]) -> Outcome {
    if let Some(option) = args.iter().find(|arg| arg.starts_with('-')) {
        return refuse(proc, &format!("Error: unknown option {option}"), 1).await;
    }
    let Some(name) = args.first() else { return refuse(proc, "Error: no user name specified.", 1).await };
    let Some(id) = proc.card.create_user(name) else {
        return refuse(proc, "Error: couldn't create User.", 1).await;
    };
    proc.card.count("create-user");
    proc.out(format!("Success: created user id {id}\n")).await?;
    Ok(0)
}

/// `pm remove-user`.
pub async fn remove(proc: &Proc, args: &[&str]) -> Outcome {
    let Some(arg) = args.first() else { return refuse(proc, "Error: no user id specified.", 1).await };
    let Ok(id) = arg.parse() else {
        return refuse(proc, &format!("Error: user id '{arg}' is not a number."), 1).await;
    };
    if !proc.card.remove_user(id) {
        return refuse(proc, &format!("Error: couldn't remove user id {id}"), 1).await;
    }
    proc.card.count("remove-user");
    proc.out("Success: removed user\n").await?;
    Ok(0)
}

/// `am start-user` and its like. Those that only report a failure end with 0, as Android's do.
pub async fn am(proc: &Proc, act: &str, args: &[&str]) -> Outcome {
    if act == "get-current-user" {
        proc.out(format!("{OWNER}\n")).await?;
        return Ok(0);
    }
    let Some(id) = args.iter().find(|arg| !arg.starts_with('-')).and_then(|arg| arg.parse::<u32>().ok()) else {
        return refuse(proc, "Error: Argument expected", 255).await;
    };
    let user = proc.card.state().user(id);
    match act {
        "start-user" if proc.card.start_user(id) => proc.out("Success: user started\n").await?,
        "start-user" => return refuse(proc, "Error: could not start user", 0).await,
        "unlock-user" if user.as_ref().is_some_and(|user| !user.is_secure()) && proc.card.unlock_user(id) => {
            proc.out("Success: user unlocked\n").await?;
        }
        "unlock-user" => return refuse(proc, "Error: could not unlock user", 0).await,
        "stop-user" if id == OWNER => {
            return refuse(proc, "Switch failed: -3 (System user cannot be stopped)", 255).await;
        }
        "stop-user" if proc.card.stop_user(id) => {}
        "stop-user" => return refuse(proc, &format!("Switch failed: -1 (Unknown user {id})"), 255).await,
        "get-started-user-state" => {
            let run = user.map(|user| user.run).filter(|run| *run != Run::Stopped);
            let text = run.map_or_else(|| format!("User is not started: {id}"), |run| state(run).0.into());
            proc.out(text + "\n").await?;
        }
        _ => return refuse(proc, "Error: unknown am command", 255).await,
    }
    Ok(0)
}

/// A time span as `TimeUtils.formatDuration` writes it: `+1h2m3s4ms`.
fn span(milliseconds: u64) -> String {
    if milliseconds == 0 {
        return "0".into();
    }
    let seconds = milliseconds / 1000;
    let mut text = "+".to_owned();
    for (unit, amount) in
        [('d', seconds / 86_400), ('h', seconds / 3600 % 24), ('m', seconds / 60 % 60), ('s', seconds % 60)]
    {
        if amount > 0 || text.len() > 1 {
            let _ = write!(text, "{amount}{unit}");
        }
    }
    let _ = write!(text, "{}ms", milliseconds % 1000);
    text
}

/// How long ago a moment was.
fn ago(moment: Moment) -> String {
    let now = Moment::now();
    let nanos =
        i128::from(now.seconds - moment.seconds) * 1_000_000_000 + i128::from(now.nanos) - i128::from(moment.nanos);
    format!("{} ago", span(u64::try_from(nanos / 1_000_000).unwrap_or_default()))
}

/// `dumpsys user`, in the form of Android 9.
#[must_use]
pub fn dump(card: &Card) -> String {
    let users = card.state().users();
    let fingerprint = card.fingerprint();
    let since_start = format!("{} ago", span((card.uptime() * 1000.0) as u64));
    let mut text = "Users:\n".to_owned();
    for (id, user) in &users {
        let runs = user.run != Run::Stopped;
        let with_card = || if *id == OWNER { since_start.clone() } else { "<unknown>".into() };
        let started = if runs { user.started.map_or_else(with_card, ago) } else { "<unknown>".into() };
        let is_open = user.run == Run::Unlocked;
        let unlocked = if is_open { user.unlocked.map_or_else(with_card, ago) } else { "<unknown>".into() };
        let created = user.created.map_or_else(|| "<unknown>".into(), ago);
        let (serial, run) = (user.serial, state(user.run).0);
        let _ = writeln!(
            text,
            "  {} serialNo={serial}\n    State: {run}\n    Created: {created}\n    Last logged in: {started}\n    \
Last logged in fingerprint: {fingerprint}\n    Start time: {started}\n    Unlock time: {unlocked}\n    \
Has profile owner: false\n    Restrictions:\n      none\n    Device policy global restrictions:\n      null\n    \
Device policy local restrictions:\n      null\n    Effective restrictions:\n      none",
            info(*id, user)
        );
    }
    let running = users.iter().filter(|(_, user)| user.run != Run::Stopped);
    let states: Vec<String> = running.map(|(id, user)| format!("{id}={}", state(user.run).1)).collect();
    let _ = write!(
        text,
        "\n  Device owner id:-10000\n\n  Guest restrictions:\n    no_sms\n    no_install_unknown_sources\n    \
no_config_wifi\n    no_outgoing_calls\n\n  Device managed: false\n  Started users state: {{{}}}\n\n  Max users: {}\n  \
Supports switchable users: false\n  All guests ephemeral: false\n",
        states.join(", "),
        crate::users::MOST
    );
    text
}

/// What `locksettings` is told.
#[derive(Default)]
struct Wanted<'a> {
    old: &'a str,
    user: u32,
    new: &'a str,
}

/// Reads the arguments; an option that does not exist comes back.
fn wanted<'a>(args: &[&'a str]) -> Result<Wanted<'a>, &'a str> {
    let mut wanted = Wanted::default();
    let mut words = args.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--old" => wanted.old = words.next().unwrap_or_default(),
            "--user" => wanted.user = words.next().and_then(|id| id.parse().ok()).unwrap_or(OWNER),
            option if option.starts_with("--") => return Err(option),
            new if wanted.new.is_empty() => wanted.new = new,
            _ => {}
        }
    }
    Ok(wanted)
}

/// Why something is no screen lock, in the words of `PasswordValidationError`.
fn insufficient(act: &str, new: &str) -> Option<&'static str> {
    match () {
        () if act == "set-pin" && !new.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some("Contains an invalid character")
        }
        () if new.len() < 4 => Some("Password too short; required: 4"),
        () => None,
    }
}

/// `locksettings`: the screen lock of a user. Who tells the right one opens his storage.
pub async fn locksettings(proc: Proc) -> Outcome {
    if let Some(code) = service(&proc, "lock_settings").await? {
        return Ok(code);
    }
    let texts = proc.texts();
    let Some((act, args)) = texts.split_first() else { return Ok(255) };
    let failed = format!("Error while executing command: {act}");
    let wanted = match wanted(args) {
        Ok(wanted) => wanted,
        Err(option) => return refuse(&proc, &format!("Unknown option: {option}\n{failed}"), 255).await,
    };
    let Some(user) = proc.card.state().user(wanted.user) else { return refuse(&proc, &failed, 255).await };
    let complaint = match user.is_secure() {
        true if !user.opens_with(wanted.old) => Some(format!("Old password '{}' didn't match\n", wanted.old)),
        false if !wanted.old.is_empty() => Some("Old password provided but user has no password\n".into()),
        true | false => None,
    };
    if let Some(complaint) = complaint {
        proc.out(complaint).await?;
        return Ok(255);
    }
    proc.card.unlock_user(wanted.user);
    let set = |what: &str| {
        proc.card.set_credential(wanted.user, Some(wanted.new));
        format!("{what} set to '{}'\n", wanted.new)
    };
    if act.starts_with("set-")
        && let Some(why) = insufficient(act, wanted.new)
    {
        proc.out(format!("New credential doesn't satisfy admin policies: {why}\n")).await?;
        return Ok(255);
    }
    let said = match *act {
        "set-pin" => set("Pin"),
        "set-password" => set("Password"),
        "clear" => {
            proc.card.set_credential(wanted.user, None);
            "Lock credential cleared\n".into()
        }
        "verify" => "Lock credential verified successfully\n".into(),
        _ => return refuse(&proc, &format!("Unknown command: {act}"), 0).await,
    };
    proc.card.count(&format!("locksettings:{act}"));
    proc.out(said).await?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_android_writes_them() {
        for (milliseconds, text) in
            [(0, "0"), (760, "+760ms"), (2_342_760, "+39m2s760ms"), (90_000_005, "+1d1h0m0s5ms"), (1000, "+1s0ms")]
        {
            assert_eq!(span(milliseconds), text);
        }
    }
}
