//! What Android adds that is no package manager, and the programs that are there for tests.

use std::time::Duration;

use super::proc::{Outcome, Proc};
use super::users;
use crate::packages;
use crate::picture;
use crate::users::OWNER;

/// `input` and its like.
pub async fn nothing(_proc: Proc) -> Outcome {
    Ok(0)
}

/// `am`.
pub async fn am(proc: Proc) -> Outcome {
    if let Some(code) = service(&proc, "activity").await? {
        return Ok(code);
    }
    match proc.texts().as_slice() {
        ["broadcast", rest @ ..] if rest.contains(&"android.intent.action.MASTER_CLEAR") => wipe(proc).await,
        ["broadcast", ..] => {
            proc.out("Broadcasting: Intent\nBroadcast completed: result=0\n").await?;
            Ok(0)
        }
        ["start" | "start-activity", rest @ ..] => {
            let (user, words) = packages::for_user(rest);
            if let Some(package) = component(&words) {
                proc.card.start_app(package, user.unwrap_or(OWNER));
            }
            proc.out("Starting: Intent\n").await?;
            Ok(0)
        }
        ["force-stop", rest @ .., package] => {
            proc.card.stop_app(package, packages::for_user(rest).0);
            proc.card.count(&format!("stop:{package}"));
            Ok(0)
        }
        [act, rest @ ..] if act.ends_with("-user") || *act == "get-started-user-state" => {
            users::am(&proc, act, rest).await
        }
        ["kill" | "kill-all" | "startservice" | "start-service" | "stopservice", ..] => Ok(0),
        _ => {
            proc.fds[2].write(b"Error: unknown am command\n").await?;
            Ok(255)
        }
    }
}

/// `appops`, as far as `set`, `get` and `write-settings` go: what was set for a package of the owner's can be got again.
pub async fn appops(proc: Proc) -> Outcome {
    if let Some(code) = service(&proc, "appops").await? {
        return Ok(code);
    }
    let texts = proc.texts();
    let (_, mut words) = packages::for_user(&texts);
    let is_of_user = words.contains(&"--uid");
    words.retain(|word| *word != "--uid");
    let (act, name, rest) = match words.as_slice() {
        ["write-settings"] => {
            proc.card.write_ops();
            proc.out("Current settings written.\n").await?;
            return Ok(0);
        }
        [act @ ("set" | "get"), name, rest @ ..] => (*act, *name, rest),
        _ => return proc.fail("Error: unknown appops command").await,
    };
    if !proc.card.state().packages.contains_key(name) {
        return proc.fail(&format!("Error: No UID for {name} in user 0")).await;
    }
    match (act, rest) {
        ("set", [operation, mode]) => {
            proc.card.change_op(name, (is_of_user, operation), mode);
            Ok(0)
        }
        ("get", []) => {
            proc.out(proc.card.ops(name)).await?;
            Ok(0)
        }
        _ => proc.fail("Error: bad appops arguments").await,
    }
}

/// The package that an intent names by its component (`-n com.game/.Main`) or by itself (`-p com.game`).
fn component<'a>(words: &[&'a str]) -> Option<&'a str> {
    let at = words.iter().position(|word| matches!(*word, "-n" | "-p"))?;
    words.get(at + 1)?.split('/').next()
}

/// A factory reset: everything is gone at once, and the card restarts.
pub async fn wipe(proc: Proc) -> Outcome {
    if !matches!(proc.texts().as_slice(), ["--wipe_data"] | ["data"] | ["broadcast", ..]) {
        return proc.fail("Needs data").await;
    }
    // The broadcast is the framework's affair, which asks nobody here who he is.
    if proc.uid != 0 && proc.name() != "am" {
        return proc.fail("must be root").await;
    }
    proc.card.count("wipe");
    proc.card.clear();
    reboot(proc).await
}

/// `reboot`: nobody sees how it ends.
pub async fn reboot(proc: Proc) -> Outcome {
    let card = proc.card;
    // The order has been given: it is carried out whatever happens to who gave it.
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        card.count("reboot");
        card.restart();
    });
    std::future::pending().await
}

/// `stop` and `start`: Android's framework.
pub async fn framework(proc: Proc) -> Outcome {
    if proc.uid != 0 {
        return proc.fail("must be root").await;
    }
    let runs = proc.name() == "start";
    if !runs {
        // Its services are given time to end.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    proc.card.count(proc.name());
    proc.card.set_framework(runs);
    Ok(0)
}

/// What programs say whose service is not there: the framework is down.
///
/// # Errors
/// It is.
pub async fn service(proc: &Proc, name: &str) -> Result<Option<u8>, crate::shell::fd::Stop> {
    if proc.card.has_framework() {
        return Ok(None);
    }
    proc.fds[2].write(format!("cmd: Can't find service: {name}\n").as_bytes()).await?;
    Ok(Some(20))
}

/// `svc`.
pub async fn svc(proc: Proc) -> Outcome {
    if let ["power", "reboot", ..] = proc.texts().as_slice() { reboot(proc).await } else { Ok(0) }
}

/// `screencap`.
pub async fn screencap(proc: Proc) -> Outcome {
    proc.card.count("screencap");
    let picture = picture::png(proc.card.index, proc.card.boots());
    let Some(path) = proc.args().iter().find(|arg| !arg.starts_with('-')) else {
        proc.out(&picture).await?;
        return Ok(0);
    };
    let opened = proc.files().open(&proc.path(path), proc.new_meta(0o644));
    let written = opened.and_then(|file| file.truncate(0).and_then(|()| file.write(0, &picture)));
    match written {
        Ok(()) => Ok(0),
        Err(why) => {
            let text = format!("Error opening file: {path} ({})\n", why.words());
            proc.fds[2].write(text.as_bytes()).await?;
            Ok(1)
        }
    }
}

/// `dumpsys`.
pub async fn dumpsys(proc: Proc) -> Outcome {
    let card = &proc.card;
    let text = match proc.texts().as_slice() {
        ["battery", ..] => format!(
            "Current Battery Service state:\n  AC powered: true\n  level: 100\n  temperature: {}\n",
            card.temperature() / 100
        ),
        ["user"] if card.has_framework() => users::dump(card),
        ["user"] => {
            proc.fds[2].write(b"Can't find service: user\n").await?;
            return Ok(0);
        }
        ["package", rest @ ..] => packages::dump(card, rest.iter().find(|word| !word.starts_with('-')).copied()),
        ["-l", ..] => "Currently running services:\n  activity\n  battery\n  package\n  user\n".into(),
        args => format!("dumpsys of {}: {}\n", card.serial(), args.join(" ")),
    };
    proc.out(text).await?;
    Ok(0)
}

/// `logcat` and `dmesg`.
pub async fn log(proc: Proc) -> Outcome {
    proc.out(format!("{} of {}: {}\n", proc.name(), proc.card.serial(), proc.args().join(" "))).await?;
    Ok(0)
}

/// `wm`.
pub async fn wm(proc: Proc) -> Outcome {
    if let ["size"] = proc.texts().as_slice() {
        proc.out("Physical size: 1080x1920\n").await?;
    }
    Ok(0)
}

/// `settings`: what was put can be got again, as a property.
pub async fn settings(proc: Proc) -> Outcome {
    let key = |space: &str, name: &str| format!("sim.settings.{space}.{name}");
    match proc.texts().as_slice() {
        ["put", space, name, value, ..] => {
            proc.card.state().props.insert(key(space, name).into(), (*value).into());
        }
        ["delete", space, name] => {
            let had = proc.card.state().props.remove(key(space, name).as_str()).is_some();
            proc.out(format!("Deleted {} rows\n", u8::from(had))).await?;
        }
        ["get", space, name] => {
            let value = proc.card.state().props.get(key(space, name).as_str()).map(ToString::to_string);
            proc.out(format!("{}\n", value.unwrap_or_else(|| "null".into()))).await?;
        }
        _ => {}
    }
    Ok(0)
}

/// `argv`, for tests: prints its arguments one by one, so that a test sees what arrived.
pub async fn argv(proc: Proc) -> Outcome {
    proc.out(proc.args().iter().fold(String::new(), |all, arg| all + arg + "\0")).await?;
    Ok(0)
}

/// `effect`, for tests: something that must happen exactly once.
pub async fn effect(proc: Proc) -> Outcome {
    let [name] = proc.args() else { return proc.fail("Needs 1 argument").await };
    proc.card.count(&format!("effect:{name}"));
    proc.out(format!("{name}\n")).await?;
    Ok(0)
}

/// `plant PATH SIZE [SEED]`, for tests: a file whose content is computed from the seed and takes no space here.
pub async fn plant(proc: Proc) -> Outcome {
    let [path, size, rest @ ..] = proc.args() else { return proc.fail("Needs 2 arguments").await };
    let seed = rest.first().and_then(|seed| seed.parse().ok()).unwrap_or(proc.card.seed);
    let Some(size) = super::sizes::size(size) else { return proc.fail("bad size").await };
    match proc.card.plant(&proc.path(path), seed, size) {
        Ok(()) => Ok(0),
        Err(why) => proc.fail(&format!("{path}: {}", why.words())).await,
    }
}
