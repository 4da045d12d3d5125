//! One poll of a card: how far it gets, what the card reports about itself, and its figures.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use adb::{Command, Device as _, Error};
use wire::{Metrics, Probe, Sighting};

use crate::cards::Cards;
use crate::marked::QUESTION;

/// Timeout of a poll.
const DEADLINE: Duration = Duration::from_secs(8);
/// Separates the parts of the answer.
const MARK: &str = "--skyrack--";

/// What is read, in this order. One script: a poll is one request and one answer.
static QUESTIONS: LazyLock<[&str; 13]> = LazyLock::new(|| {
    [
        "cat /proc/sys/kernel/random/boot_id",
        "getprop sys.boot_completed",
        "getprop ro.serialno",
        "getprop ro.product.manufacturer",
        "getprop ro.product.model",
        "getprop ro.product.board",
        "getprop ro.build.fingerprint",
        &QUESTION,
        "cat /proc/uptime",
        "cat /proc/stat",
        "cat /proc/meminfo",
        "df -k /data",
        "cat /sys/class/thermal/thermal_zone0/temp",
    ]
});

/// What a card says about itself, among them.
const IDENTITY: Range<usize> = 2..8;

/// CPU ticks since the card booted: (busy, all).
type Ticks = (u64, u64);

/// What is remembered about a card between polls.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    ticks: Option<Ticks>,
    /// A bit for each of the last ten polls that failed.
    misses: u16,
    /// What it last reported about itself.
    pub identity: Option<Sighting>,
    /// The console has received that.
    pub is_told: bool,
}

/// The result of a poll.
#[derive(Clone, Debug)]
pub struct Seen {
    /// How far it got.
    pub probe: Probe,
    /// Its figures, when ADB answers.
    pub metrics: Option<Metrics>,
    /// What it reports about itself, if that is new.
    pub sighting: Option<Sighting>,
}

/// Polls the card at `address`. Takes a few seconds at most, whatever the card does.
pub async fn look(cards: &Cards, address: SocketAddr, memory: &mut Memory) -> Seen {
    let outcome = tokio::time::timeout(DEADLINE, ask(cards, address)).await;
    let found = match outcome {
        Ok(found) => found,
        Err(_) => Err(Error::Timeout { step: "a look", after: DEADLINE }),
    };
    memory.misses = (memory.misses << 1) & 0x3ff;
    match found {
        Ok((parts, latency)) => seen(&parts, latency, address, memory),
        Err(error) => {
            memory.misses |= 1;
            memory.ticks = None;
            // The connection may be broken: the next poll opens a new one.
            cards.drop_connection(address).await;
            let tcp_open = !matches!(error, Error::Refused | Error::Unreachable { .. } | Error::AddressRefused { .. })
                && !matches!(error, Error::Timeout { step: "connecting", .. });
            Seen {
                probe: Probe { reached: true, tcp_open, adb_answers: false, booted: false },
                metrics: None,
                sighting: None,
            }
        }
    }
}

/// Identifies the card at an address; none if nothing answers that knows its serial.
pub async fn meet(options: &adb::Options, address: SocketAddr) -> Option<Sighting> {
    let ask = async {
        let card = adb::Card::connect(address, options).await.ok()?;
        let script = QUESTIONS[IDENTITY].join(&format!("; echo {MARK}; "));
        card.run(&Command::script(&script), DEADLINE).await.ok().map(|output| output.text())
    };
    let text = tokio::time::timeout(DEADLINE, ask).await.ok()??;
    let parts: Vec<String> = text.split(MARK).map(|part| part.trim().to_owned()).collect();
    let sighting = sighting(address, &parts);
    (!sighting.serial.is_empty()).then_some(sighting)
}

async fn ask(cards: &Cards, address: SocketAddr) -> Result<(Vec<String>, Duration), Error> {
    let card = cards.get(address).await?;
    let started = Instant::now();
    card.run(&Command::new("true"), DEADLINE).await?;
    let latency = started.elapsed();
    let script = QUESTIONS.join(&format!("; echo {MARK}; "));
    let text = card.run(&Command::script(&script), DEADLINE).await?.text();
    Ok((text.split(MARK).map(|part| part.trim().to_owned()).collect(), latency))
}

fn seen(parts: &[String], latency: Duration, address: SocketAddr, memory: &mut Memory) -> Seen {
    let part = |at: usize| parts.get(at).map_or("", String::as_str);
    let booted = part(1) == "1";
    let ticks = ticks(part(9));
    let cpu = match (memory.ticks, ticks) {
        (Some((busy, all)), Some((busy_now, all_now))) if all_now > all => {
            percent(busy_now.saturating_sub(busy), all_now - all)
        }
        (_, Some((busy, all))) => percent(busy, all),
        (_, None) => 0,
    };
    memory.ticks = ticks;
    let metrics = Metrics {
        cpu,
        memory: memory_percent(part(10)),
        storage: storage_percent(part(11)),
        loss: u8::try_from(memory.misses.count_ones() * 10).unwrap_or(100),
        temperature: temperature(part(12)),
        latency: u16::try_from(latency.as_millis()).unwrap_or(u16::MAX),
        uptime: part(8).split('.').next().and_then(|text| text.parse().ok()).unwrap_or(0),
    };
    let identity = sighting(address, parts.get(IDENTITY).unwrap_or_default());
    // Before it has booted a card may not know its own name.
    let is_known = memory.is_told && memory.identity.as_ref() == Some(&identity);
    let is_new = booted && !identity.serial.is_empty() && !is_known;
    if is_new {
        memory.identity = Some(identity.clone());
        memory.is_told = true;
    }
    Seen {
        probe: Probe { reached: true, tcp_open: true, adb_answers: true, booted },
        metrics: Some(metrics),
        sighting: is_new.then_some(identity),
    }
}

/// What a card says about itself: the answers to the questions of [`IDENTITY`].
fn sighting(address: SocketAddr, answers: &[String]) -> Sighting {
    let mut answers = answers.iter().cloned();
    let mut next = || answers.next().unwrap_or_default();
    Sighting {
        address: address.to_string(),
        serial: next(),
        manufacturer: next(),
        model: next(),
        board: next(),
        fingerprint: next(),
        mark: Some(next()),
    }
}

fn percent(part: u64, whole: u64) -> u8 {
    u8::try_from((part.saturating_mul(100)).checked_div(whole).unwrap_or(0).min(100)).unwrap_or(100)
}

/// The first line of `/proc/stat` (proc(5)): user, nice, system, idle, iowait, ...
fn ticks(text: &str) -> Option<Ticks> {
    let line = text.lines().find(|line| line.starts_with("cpu "))?;
    let all: Vec<u64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    let idle = all.get(3)? + all.get(4).copied().unwrap_or(0);
    // Guest time is in user time already.
    let total: u64 = all.iter().take(8).sum();
    Some((total.saturating_sub(idle), total))
}

fn memory_percent(text: &str) -> u8 {
    let of = |name: &str| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
    };
    match (of("MemTotal:"), of("MemAvailable:")) {
        (Some(total), Some(free)) => percent(total.saturating_sub(free), total),
        _ => 0,
    }
}

fn storage_percent(text: &str) -> u8 {
    adb::DiskSpace::parse(text).map_or(0, |space| percent(space.used, space.used + space.free))
}

/// Most kernels report thousandths of a degree, some whole degrees.
fn temperature(text: &str) -> i16 {
    let said: i64 = text.parse().unwrap_or(0);
    i16::try_from(if said.abs() >= 1000 { said / 1000 } else { said }).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{memory_percent, storage_percent, temperature, ticks};

    #[test]
    fn figures_are_read_as_the_kernel_writes_them() {
        assert_eq!(ticks("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3"), Some((150, 1000)));
        assert_eq!(ticks("nothing"), None);
        assert_eq!(memory_percent("MemTotal:  4000 kB\nMemFree: 1 kB\nMemAvailable:  1000 kB"), 75);
        let df = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/x 1000 250 750 25% /data";
        assert_eq!(storage_percent(df), 25);
        assert_eq!((temperature("45123"), temperature("47"), temperature("?")), (45, 47, 0));
    }
}
