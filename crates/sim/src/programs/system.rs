//! Who the card is: properties, users, and the files that the kernel makes up.

use std::fmt::Write as _;

use super::proc::{Outcome, Proc};
use crate::card::{Card, Phase};
use crate::fault::Fault;
use crate::files::groups;
use crate::users::{OWNER, Run};

/// What is in a file that Android or the kernel makes up.
#[must_use]
pub fn made(card: &Card, path: &str) -> Option<String> {
    let up = card.uptime();
    Some(match path {
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
        "/proc/mounts" => mounted(card).iter().fold(String::new(), |text, [source, place, kind, options]| {
            // The kernel escapes what would end a word or a line (`mangle`).
            let place =
                place.replace('\\', "\\134").replace(' ', "\\040").replace('\t', "\\011").replace('\n', "\\012");
            text + &format!("{source} {place} {kind} {options} 0 0\n")
        }),
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
        _ => partition(card, path.strip_prefix("/dev/block/by-name/")?),
    })
}

/// What is mounted: source, place, kind and options of each.
#[must_use]
pub fn mounted(card: &Card) -> Vec<[String; 4]> {
    let brought = [
        ["/dev/block/by-name/system", "/system", "ext4", "ro,seclabel,relatime"],
        ["/dev/block/by-name/userdata", "/data", "ext4", "rw,seclabel,nosuid,nodev"],
    ];
    let mut all: Vec<[String; 4]> = brought.map(|one| one.map(str::to_owned)).into();
    for (place, mount) in card.state().files.mounts() {
        all.push([&*mount.source, &**place, &*mount.kind, "rw,relatime"].map(str::to_owned));
    }
    all
}

/// What is on a partition of the system's: the same on every card of the image, until somebody changes a file of it.
fn partition(card: &Card, name: &str) -> String {
    let image = card.fingerprint();
    let mut text = format!("{image} {name}\n");
    let root = format!("/{name}/");
    for (path, inode) in card.state().files.changes_of_system().iter().filter(|(path, _)| path.starts_with(&root)) {
        match inode {
            Some(inode) => {
                let content = inode.whole(1 << 20).unwrap_or_default();
                let sum = content
                    .iter()
                    .fold(u64::from(inode.mode()), |sum, byte| crate::chance::number(sum, u64::from(*byte), 31));
                let _ = writeln!(text, "{path} {} {sum:016x}", content.len());
            }
            None => {
                let _ = writeln!(text, "{path} is gone");
            }
        }
    }
    text
}

fn stat(card: &Card, up: f64) -> String {
    let ticks = (up * 100.0) as u64;
    let busy = card.number(6, 5, 80);
    let (user, idle) = (ticks * busy / 100, ticks * (100 - busy) / 100);
    format!("cpu  {user} 0 {} {idle} 0 0 0 0 0 0\nctxt 1\nbtime 1\nprocesses 4711\n", user / 4)
}

/// The value of a property.
#[must_use]
pub fn prop(card: &Card, name: &str) -> Option<String> {
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
        "ro.build.fingerprint" => card.fingerprint(),
        "ro.product.cpu.abi" => "arm64-v8a".into(),
        // As on boards of a rack: unlocked, so that nothing but the partitions themselves says whether they are whole.
        "ro.boot.verifiedbootstate" => "orange".into(),
        "ro.crypto.state" => if card.state().is_encrypted() { "encrypted" } else { "unencrypted" }.into(),
        "ro.crypto.type" if card.state().is_encrypted() => "file".into(),
        // Since Android 7.
        "sys.user.0.ce_available" if !old => {
            let is_open = card.state().user(OWNER).is_some_and(|owner| owner.run == Run::Unlocked);
            (card.phase().0 == Phase::Booted && is_open).then(|| "true".into())?
        }
        "init.svc.zygote" => if card.is_stopped() { "stopped" } else { "running" }.into(),
        "service.adb.tcp.port" => card.address.port().to_string(),
        "gsm.sim.state" => "ABSENT".into(),
        _ => return None,
    })
}

/// Properties that every card has.
pub const PROPERTIES: &[&str] = &[
    "ro.boot.serialno",
    "ro.boot.verifiedbootstate",
    "ro.board.platform",
    "ro.build.fingerprint",
    "ro.build.version.release",
    "ro.build.version.sdk",
    "ro.build.version.security_patch",
    "ro.crypto.state",
    "ro.crypto.type",
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
    "sys.user.0.ce_available",
];

fn props(card: &Card) -> String {
    let set: Vec<String> = card.state().props.keys().map(ToString::to_string).collect();
    let mut names: Vec<&str> = PROPERTIES.iter().copied().chain(set.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().fold(String::new(), |mut all, name| {
        if let Some(value) = prop(card, name) {
            let _ = writeln!(all, "[{name}]: [{value}]");
        }
        all
    })
}

/// Sets a property.
///
/// # Errors
/// It is read-only or too long, in words.
pub fn set_prop(card: &Card, name: &str, value: &str) -> Result<(), String> {
    if name.starts_with("ro.") {
        return Err(format!("failed to set property '{name}' to '{value}'"));
    }
    if value.len() > 91 {
        return Err(format!("value '{value}' too long"));
    }
    card.count(&format!("setprop:{name}"));
    card.state().props.insert(name.into(), value.into());
    Ok(())
}

/// `getprop`.
pub async fn getprop(proc: Proc) -> Outcome {
    let text = match proc.args() {
        [] => props(&proc.card),
        [name, default @ ..] => {
            let value = prop(&proc.card, name).filter(|value| !value.is_empty());
            value.or_else(|| default.first().cloned()).unwrap_or_default() + "\n"
        }
    };
    proc.out(text).await?;
    Ok(0)
}

/// `setprop`.
pub async fn setprop(proc: Proc) -> Outcome {
    let [name, value] = proc.args() else {
        proc.fds[2].write(b"usage: setprop NAME VALUE\n").await?;
        return Ok(1);
    };
    match set_prop(&proc.card, name, value) {
        Ok(()) => Ok(0),
        Err(why) => proc.fail(&why).await,
    }
}

/// `id`.
pub async fn id(proc: Proc) -> Outcome {
    let Some(options) = proc.options("gGnuZr", &[]).await else { return Ok(1) };
    let name = super::meta::user(proc.uid);
    let uid = proc.uid;
    let context = if proc.card.has_root() { "u:r:su:s0" } else { "u:r:shell:s0" };
    let groups: Vec<u32> = std::iter::once(uid).chain(groups(uid).iter().copied()).collect();
    let each = |shown: &dyn Fn(u32) -> String, between| {
        groups.iter().map(|group| shown(*group)).collect::<Vec<_>>().join(between)
    };
    let text = match () {
        () if options.has('Z') => context.into(),
        () if options.has('G') && options.has('n') => each(&super::meta::user, " "),
        () if options.has('G') => each(&|group| group.to_string(), " "),
        () if options.has('n') => name,
        () if options.has('u') || options.has('g') => uid.to_string(),
        () => {
            let groups = each(&|group| format!("{group}({})", super::meta::user(group)), ",");
            format!("uid={uid}({name}) gid={uid}({name}) groups={groups} context={context}")
        }
    };
    proc.out(text + "\n").await?;
    Ok(0)
}

/// `whoami`.
pub async fn whoami(proc: Proc) -> Outcome {
    proc.out(super::meta::user(proc.uid) + "\n").await?;
    Ok(0)
}

/// `uname`.
pub async fn uname(proc: Proc) -> Outcome {
    let Some(options) = proc.options("asnrvmo", &[]).await else { return Ok(1) };
    let parts = [('s', "Linux"), ('n', "localhost"), ('r', "5.10.160"), ('v', "#1 SMP PREEMPT"), ('m', "aarch64")];
    let any = parts.iter().any(|part| options.has(part.0)) || options.has('o');
    let shown = parts.iter().filter(|part| options.has('a') || !any || options.has(part.0)).map(|part| part.1);
    let mut text = shown.collect::<Vec<_>>();
    if options.has('o') {
        text.push("Android");
    }
    proc.out(text.join(" ") + "\n").await?;
    Ok(0)
}

/// `hostname`.
pub async fn hostname(proc: Proc) -> Outcome {
    proc.out("localhost\n").await?;
    Ok(0)
}

/// `nproc`.
pub async fn nproc(proc: Proc) -> Outcome {
    proc.out("8\n").await?;
    Ok(0)
}

/// `getenforce`.
pub async fn getenforce(proc: Proc) -> Outcome {
    proc.out("Permissive\n").await?;
    Ok(0)
}
