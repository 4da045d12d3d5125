//! The programs of a card, those that the console runs.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::card::{Card, DISK, Phase};
use crate::fault::Fault;
use crate::files::{FileError, Node};
use crate::packages;
use crate::picture;
use crate::sh::Ran;

/// Seconds since 1970.
#[must_use]
pub fn now() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u32::try_from(since.as_secs()).unwrap_or(u32::MAX))
}

fn out(text: impl Into<Vec<u8>>) -> Ran {
    Ran { out: text.into(), ..Ran::default() }
}

fn fail(code: u8, text: impl Into<String>) -> Ran {
    let mut text: String = text.into();
    text.push('\n');
    Ran { err: text.into_bytes(), code, ..Ran::default() }
}

/// Runs one program and counts it.
pub fn run(card: &Card, words: &[String], stdin: &[u8]) -> Ran {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((name, args)) = words.split_first() else { return Ran::default() };
    let name = name.rsplit('/').next().unwrap_or(name);
    card.count(&format!("run:{name}"));
    match (name, args) {
        ("true" | ":", _) => Ran::default(),
        ("false", _) => fail(1, ""),
        ("exit", args) => Ran { code: args.first().and_then(|code| code.parse().ok()).unwrap_or(0), ..Ran::default() },
        ("echo", args) => out(format!("{}\n", args.join(" "))),
        // Prints its arguments one by one, so that a test sees what arrived.
        ("argv", args) => out(args.iter().fold(String::new(), |all, arg| all + arg + "\0")),
        // Something that must happen exactly once.
        ("effect", [name]) => {
            card.count(&format!("effect:{name}"));
            out(format!("{name}\n"))
        }
        ("sh", ["-c", line, ..]) => crate::sh::run(card, line, stdin),
        ("sleep", [seconds, ..]) => {
            let seconds: f64 = seconds.parse().unwrap_or(0.0);
            Ran { after: Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0)), ..Ran::default() }
        }
        ("cat", []) => out(stdin),
        ("cat", paths) => cat(card, paths),
        ("wc", ["-c", ..]) => out(format!("{}\n", stdin.len())),
        ("seq", [last]) => {
            out((1..=last.parse::<u32>().unwrap_or(0).min(1_000_000)).fold(String::new(), |mut all, n| {
                let _ = writeln!(all, "{n}");
                all
            }))
        }
        ("getprop", []) => out(props(card)),
        ("getprop", [name, ..]) => out(format!("{}\n", prop(card, name).unwrap_or_default())),
        ("setprop", [name, value]) => set_prop(card, name, value),
        ("setprop", _) => fail(1, "usage: setprop NAME VALUE"),
        ("pm", args) | ("cmd", ["package", args @ ..]) => packages::pm(card, args, stdin),
        ("am", args) => am(card, args),
        ("recovery", ["--wipe_data"]) | ("wipe", ["data"]) => factory_reset(card),
        ("reboot", _) | ("svc", ["power", "reboot", ..]) => Ran { restarts: true, ..Ran::default() },
        ("screencap", args) => screencap(card, args),
        ("df", _) => df(card),
        ("ls", args) => ls(card, args),
        ("rm", args) => rm(card, args),
        ("mkdir", args) => each_path(card, args, Node::folder()),
        ("touch", args) => {
            each_path(card, args, Node { mode: 0o100_644, modified: now(), content: bytes::Bytes::new() })
        }
        ("id", _) => out("uid=0(root) gid=0(root) groups=0(root) context=u:r:su:s0\n"),
        ("whoami", _) => out("root\n"),
        ("uname", _) => out("Linux localhost 5.10.160 #1 SMP PREEMPT aarch64\n"),
        ("date", ["+%s"]) => out(format!("{}\n", now())),
        ("uptime", _) => out(format!(" up {:.0} seconds,  0 users,  load average: 1.20, 1.10, 1.00\n", card.uptime())),
        ("dumpsys", ["battery", ..]) => out(battery(card)),
        ("dumpsys" | "logcat" | "dmesg", args) => out(format!("{} of {}: {}\n", name, card.serial(), args.join(" "))),
        ("wm", ["size"]) => out("Physical size: 1080x1920\n"),
        ("tc", args) => tc(card, args),
        ("input" | "settings" | "svc" | "sync" | "ip" | "iptables" | "logger" | "chmod" | "chown", _) => Ran::default(),
        _ => fail(127, format!("/system/bin/sh: {name}: inaccessible or not found")),
    }
}

/// What is at a path: written, or made up.
#[must_use]
pub fn read(card: &Card, path: &str) -> Option<Node> {
    if let Some(node) = card.state().files.get(path) {
        return Some(node);
    }
    let up = card.uptime();
    let text = match path {
        "/proc/uptime" => format!("{up:.2} {:.2}\n", up * 3.0),
        "/proc/loadavg" => "1.20 1.10 1.00 2/812 4711\n".into(),
        "/proc/stat" => stat(card, up),
        "/proc/meminfo" => {
            let (total, free) = (4_045_312, card.number(5, 300_000, 2_500_000));
            format!("MemTotal:        {total} kB\nMemFree:         {} kB\nMemAvailable:    {free} kB\n", free / 2)
        }
        "/proc/net/dev" => {
            let bytes = (up * 125_000.0) as u64;
            format!("Inter-|   Receive\n face |bytes\n  eth0: {bytes} 1 0 0 0 0 0 0 {} 1 0 0 0 0 0 0\n", bytes / 7)
        }
        "/proc/version" => "Linux version 5.10.160\n".into(),
        "/proc/sys/kernel/random/boot_id" => {
            let half = |purpose| crate::chance::number(card.seed, card.index as u64, purpose + card.boots() * 1000);
            let (high, low) = (half(100), half(101));
            format!(
                "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}\n",
                high >> 32,
                high >> 16 & 0xffff,
                high & 0xfff,
                low >> 52,
                low & 0xffff_ffff_ffff
            )
        }
        "/sys/class/thermal/thermal_zone0/temp" => format!("{}\n", card.temperature()),
        "/sys/class/thermal/thermal_zone0/type" => "soc-thermal\n".into(),
        "/system/build.prop" => props(card),
        "/system/bin/sh" => "\u{7f}ELF".into(),
        _ => return None,
    };
    Some(Node::text(text))
}

/// Writes a file, if there is room on the card's disk.
///
/// # Errors
/// The path is read-only, or the card is full.
pub fn write(card: &Card, path: &str, node: Node) -> Result<(), FileError> {
    if !node.content.is_empty() && card.used() + node.content.len() as u64 > DISK {
        return Err(FileError::NoSpace);
    }
    card.state().files.put(path, node)
}

fn stat(card: &Card, up: f64) -> String {
    let ticks = (up * 100.0) as u64;
    let busy = card.number(6, 5, 80);
    let (user, idle) = (ticks * busy / 100, ticks * (100 - busy) / 100);
    format!("cpu  {user} 0 {} {idle} 0 0 0 0 0 0\nctxt 1\nbtime 1\nprocesses 4711\n", user / 4)
}

fn prop(card: &Card, name: &str) -> Option<String> {
    if let Some(value) = card.state().props.get(name) {
        return Some(value.to_string());
    }
    let (platform, model, board) = card.board();
    let old = card.faults.has(Fault::Old);
    Some(match name {
        "sys.boot_completed" | "dev.bootcomplete" => match card.phase().0 {
            Phase::Booted => "1".into(),
            Phase::Off | Phase::Starting | Phase::Booting => return None,
        },
        "ro.serialno" | "ro.boot.serialno" => card.serial(),
        "ro.product.model" => model.into(),
        "ro.product.name" | "ro.product.device" | "ro.board.platform" => platform.into(),
        "ro.product.board" => board.into(),
        "ro.product.manufacturer" | "ro.product.brand" => "Skyrack".into(),
        "ro.build.version.release" => if old { "6.0" } else { "12" }.into(),
        "ro.build.version.sdk" => if old { "23" } else { "32" }.into(),
        "ro.build.version.security_patch" => "2026-06-05".into(),
        "ro.build.fingerprint" => {
            format!("skyrack/{platform}/{platform}:12/SQ3A.220705/{}:user/release-keys", 1000 + card.number(8, 0, 2))
        }
        "ro.product.cpu.abi" => "arm64-v8a".into(),
        "service.adb.tcp.port" => card.address.port().to_string(),
        "gsm.sim.state" => "ABSENT".into(),
        _ => return None,
    })
}

const NAMES: &[&str] = &[
    "ro.boot.serialno",
    "ro.board.platform",
    "ro.build.fingerprint",
    "ro.build.version.release",
    "ro.build.version.sdk",
    "ro.build.version.security_patch",
    "ro.product.board",
    "ro.product.brand",
    "ro.product.cpu.abi",
    "ro.product.device",
    "ro.product.manufacturer",
    "ro.product.model",
    "ro.product.name",
    "ro.serialno",
    "service.adb.tcp.port",
    "sys.boot_completed",
];

fn props(card: &Card) -> String {
    let set: Vec<String> = card.state().props.keys().map(ToString::to_string).collect();
    let mut names: Vec<&str> = NAMES.iter().copied().chain(set.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().fold(String::new(), |mut all, name| {
        if let Some(value) = prop(card, name) {
            let _ = writeln!(all, "[{name}]: [{value}]");
        }
        all
    })
}

fn set_prop(card: &Card, name: &str, value: &str) -> Ran {
    if name.starts_with("ro.") {
        return fail(1, format!("setprop: failed to set property '{name}' to '{value}'"));
    }
    if value.len() > 91 {
        return fail(1, format!("setprop: value '{value}' too long"));
    }
    card.count(&format!("setprop:{name}"));
    card.state().props.insert(name.into(), value.into());
    Ran::default()
}

fn am(card: &Card, args: &[&str]) -> Ran {
    match args {
        ["broadcast", rest @ ..] if rest.contains(&"android.intent.action.MASTER_CLEAR") => factory_reset(card),
        ["broadcast", ..] => out("Broadcasting: Intent\nBroadcast completed: result=0\n"),
        ["start" | "start-activity", ..] => out("Starting: Intent\n"),
        ["force-stop", package] => {
            card.count(&format!("stop:{package}"));
            Ran::default()
        }
        _ => fail(255, "Error: unknown am command"),
    }
}

fn factory_reset(card: &Card) -> Ran {
    card.count("wipe");
    {
        let mut state = card.state();
        state.props.clear();
        state.packages.clear();
        state.files = crate::files::Files::default();
    }
    Ran { restarts: true, ..Ran::default() }
}

fn screencap(card: &Card, args: &[&str]) -> Ran {
    card.count("screencap");
    let picture = picture::png(card.index, card.boots());
    match args.iter().find(|arg| arg.starts_with('/')) {
        None => out(picture),
        Some(path) => match write(card, path, Node { mode: 0o100_644, modified: now(), content: picture.into() }) {
            Ok(()) => Ran::default(),
            Err(why) => fail(1, format!("Error opening file: {path} ({})", why.words())),
        },
    }
}

fn df(card: &Card) -> Ran {
    let used = card.used().min(DISK);
    out(format!(
        "Filesystem     1K-blocks     Used Available Use% Mounted on\n/dev/block/dm-5 {} {} {} {}% /data\n",
        DISK / 1024,
        used / 1024,
        DISK / 1024 - used / 1024,
        used * 100 / DISK
    ))
}

fn battery(card: &Card) -> String {
    format!(
        "Current Battery Service state:\n  AC powered: true\n  level: 100\n  temperature: {}\n",
        card.temperature() / 100
    )
}

/// `tc qdisc add dev eth0 root tbf rate 10mbit ...`: remembered as a property, to be looked at.
fn tc(card: &Card, args: &[&str]) -> Ran {
    match args {
        ["qdisc", "add" | "replace" | "change", rest @ ..] => {
            let rate = rest.iter().skip_while(|word| **word != "rate").nth(1).copied().unwrap_or("none");
            card.count("speed_limit");
            card.state().props.insert("sim.speed_limit".into(), rate.into());
            Ran::default()
        }
        ["qdisc", "del", ..] => {
            if card.state().props.remove("sim.speed_limit").is_none() {
                return fail(2, "Error: Cannot delete qdisc with handle of zero.");
            }
            card.count("speed_limit");
            Ran::default()
        }
        ["qdisc", "show", ..] => {
            let limit = prop(card, "sim.speed_limit");
            out(limit.map_or_else(
                || "qdisc fq_codel 0: root\n".into(),
                |rate| format!("qdisc tbf 8001: root rate {rate}\n"),
            ))
        }
        _ => fail(255, "Usage: tc qdisc { add | replace | del | show } ..."),
    }
}

fn cat(card: &Card, paths: &[&str]) -> Ran {
    let mut ran = Ran::default();
    for path in paths {
        match read(card, path) {
            Some(node) if !node.is_folder() => ran.out.extend_from_slice(&node.content),
            found => {
                let why = if found.is_some() { FileError::Folder } else { FileError::Missing };
                ran.err.extend(format!("cat: {path}: {}\n", why.words()).into_bytes());
                ran.code = 1;
            }
        }
    }
    ran
}

fn ls(card: &Card, args: &[&str]) -> Ran {
    let path = args.iter().find(|arg| !arg.starts_with('-')).copied().unwrap_or("/");
    match read(card, path) {
        None => fail(1, format!("ls: {path}: No such file or directory")),
        Some(node) if !node.is_folder() => out(format!("{path}\n")),
        Some(_) => {
            let names = card.state().files.list(path);
            out(names.into_iter().fold(String::new(), |all, (name, _)| all + &name + "\n"))
        }
    }
}

fn rm(card: &Card, args: &[&str]) -> Ran {
    let force = args.iter().any(|arg| arg.starts_with('-') && arg.contains('f'));
    let mut ran = Ran::default();
    for path in args.iter().filter(|arg| !arg.starts_with('-')) {
        let removed = card.state().files.remove(path);
        let why = match removed {
            Ok(true) => continue,
            Ok(false) if force => continue,
            Ok(false) => FileError::Missing,
            Err(why) => why,
        };
        ran.err.extend(format!("rm: {path}: {}\n", why.words()).into_bytes());
        ran.code = 1;
    }
    ran
}

fn each_path(card: &Card, args: &[&str], node: Node) -> Ran {
    for path in args.iter().filter(|arg| !arg.starts_with('-')) {
        if let Err(why) = write(card, path, node.clone()) {
            return fail(1, format!("{path}: {}", why.words()));
        }
    }
    Ran::default()
}
