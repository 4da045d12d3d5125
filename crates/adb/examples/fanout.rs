//! A command on many cards at once: figures for goals 17 and 18 (shared/design/PERFORMANCE.md).
//!
//! `cargo build --release -p adb -p sim --examples && target/release/examples/fanout [CARDS] [IN_FLIGHT]`
//!
//! The simulated room is a process of its own (the example `room`), so both share the machine.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use adb::{Card, Command, Device as _, Options};

const FIRST: Ipv4Addr = Ipv4Addr::new(127, 64, 0, 1);
const PORT: u16 = 21555;
const ROUNDS: usize = 3;

/// The room ends with this.
struct Room(Child);

impl Drop for Room {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let cards = numbers.next().transpose()?.unwrap_or(10_000);
    let in_flight = numbers.next().transpose()?.unwrap_or(64);
    let mut room = start(cards)?;
    println!("{cards} cards, {in_flight} in flight; the room at rest: {}", memory(room.0.id())?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        for round in 1..=ROUNDS {
            let took = each(cards, in_flight, |card| async move {
                let connected = Card::connect(address(card), &Options::default()).await;
                ran(&connected.expect("a card")).await;
            });
            report(&format!("round {round}, fresh connections"), cards, took.await);
        }
        let kept: Vec<Card> = {
            let slots: Vec<_> = (0..cards).map(|_| parking_lot::Mutex::new(None)).collect();
            let slots = Arc::new(slots);
            let took = each(cards, in_flight, {
                let slots = Arc::clone(&slots);
                move |card| {
                    let slots = Arc::clone(&slots);
                    async move {
                        let connected = Card::connect(address(card), &Options::default()).await.expect("a card");
                        *slots[card].lock() = Some(connected);
                    }
                }
            });
            report("connecting alone", cards, took.await);
            slots.iter().map(|slot| slot.lock().clone().expect("connected")).collect()
        };
        println!(
            "with {cards} kept connections: the room {}, this process {}",
            memory(room.0.id()).unwrap_or_default(),
            memory(std::process::id()).unwrap_or_default()
        );
        let kept = Arc::new(kept);
        for round in 1..=ROUNDS {
            let kept = Arc::clone(&kept);
            let took = each(cards, in_flight, move |card| {
                let card = kept[card].clone();
                async move { ran(&card).await }
            });
            report(&format!("round {round}, kept connections"), cards, took.await);
        }
    });
    room.0.kill()?;
    Ok(())
}

fn start(cards: usize) -> Result<Room, Box<dyn std::error::Error>> {
    let binary = std::env::current_exe()?.with_file_name("room");
    let listen = format!("{FIRST}:{PORT}");
    let mut room = Process::new(binary)
        .args(["--cards", &cards.to_string(), "--listen", &listen, "--addresses"])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(room.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    print!("{line}");
    Ok(Room(room))
}

fn address(card: usize) -> SocketAddr {
    let offset = u32::try_from(card).expect("at most 16 million cards");
    SocketAddr::from((Ipv4Addr::from(u32::from(FIRST) + offset), PORT))
}

async fn ran(card: &Card) {
    let output = card.run(&Command::new("getprop").arg("ro.serialno"), Duration::from_secs(30)).await;
    assert!(output.is_ok_and(|output| output.succeeded() && output.stdout.len() > 10));
}

/// Does the work for every card, with this many in parallel.
async fn each<F, W>(cards: usize, in_flight: usize, work: F) -> Duration
where
    F: Fn(usize) -> W + Send + Sync + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    let started = Instant::now();
    let (work, next) = (Arc::new(work), Arc::new(AtomicUsize::new(0)));
    let workers: Vec<_> = (0..in_flight)
        .map(|_| {
            let (work, next) = (Arc::clone(&work), Arc::clone(&next));
            tokio::spawn(async move {
                loop {
                    let card = next.fetch_add(1, Ordering::Relaxed);
                    if card >= cards {
                        return;
                    }
                    work(card).await;
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.expect("every card answers");
    }
    started.elapsed()
}

fn report(what: &str, cards: usize, took: Duration) {
    let rate = cards as f64 / took.as_secs_f64();
    println!("{what}: {rate:.0} cards a second ({:.2} s)", took.as_secs_f64());
}

/// Resident memory, as counted by Linux.
fn memory(process: u32) -> std::io::Result<String> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kib: u64 = line.trim().trim_end_matches(" kB").trim().parse().unwrap_or(0);
    Ok(format!("{} MiB", kib / 1024))
}
