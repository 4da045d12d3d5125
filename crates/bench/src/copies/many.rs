//! Many phones at once: how much memory their agent takes for it.

use std::path::Path;

use super::bare::Adb;
use super::place::{BACK_UP, COPY, PUT_ON, Place, RESTORE};
use super::{BESIDES, GOAL, Size, free, gib, scratch, seconds};
use crate::report::{Line, Report};

pub const WANTED: &str = "< 250 MiB";
/// Among so many cards thirty have each another one of their image: the simulator has nine.
const CARDS: usize = 72;
/// Seeds of what is on two phones are so far apart.
const APART: u64 = 1_000_000;

pub async fn measure(binary: &Path, size: Size, report: &mut Report) -> anyhow::Result<()> {
    let (mib, count) = (size.mib, usize::try_from(size.transfers)?);
    let what = format!("peak memory of an agent that backs up {count} phones of {mib} MiB, all asked for at once");
    let restoring = "the same agent, which then restores them on other cards".to_owned();
    // A node that is nearly full takes no new phones.
    let needed = size.bytes(size.transfers) * 10 / 9 + BESIDES;
    // What was restored lies on the cards.
    let needed_to_restore = needed + size.bytes(size.transfers);
    let room = free().await?;
    let lacks = |needed: u64| format!("not measured yet: {} are free, and {} are needed", gib(room), gib(needed));
    if room < needed {
        for (what, needed) in [(what, needed), (restoring, needed_to_restore)] {
            report.add(Line { goal: GOAL, what, ours: lacks(needed), wanted: WANTED, ..Line::default() });
        }
        return Ok(());
    }
    let (_folder, path) = scratch()?;
    let place = Place::open(binary, &path, CARDS).await?;
    let adb = Adb::new(&path)?;
    // One of them is kept in reserve.
    let sources = place.sources(count + 1).await?;
    let phones = place.phones(count).await?;
    place.leave(&sources, true).await?;
    place.act("put-on", &phones).await?;
    for (number, phone) in (1..).zip(&phones) {
        let card = place.card_of(*phone).await?;
        adb.connect(&card).await?;
        adb.fill(&card, size, number * APART).await?;
    }
    for (what, act, (saga, step), needed) in
        [(what, "back-up", (BACK_UP, COPY), needed), (restoring, "put-on", (PUT_ON, RESTORE), needed_to_restore)]
    {
        if room < needed {
            report.add(Line { goal: GOAL, what, ours: lacks(needed), wanted: WANTED, ..Line::default() });
            continue;
        }
        if act == "put-on" {
            place.leave(&sources, false).await?;
            place.act("take-off", &phones).await?;
        }
        let before = place.agent_peak()?;
        let took = place.act(act, &phones).await?;
        let peak = place.agent_peak()?;
        let mut spans = Vec::new();
        for phone in &phones {
            spans.push(place.step(*phone, saga, step).await?);
        }
        report.add(Line {
            goal: GOAL,
            what,
            ours: format!(
                "{} MiB, {} MiB before; all done in {}, {} with the agent at a time, of which it does one a processor",
                peak >> 20,
                before >> 20,
                seconds(took),
                at_once(&spans)
            ),
            wanted: WANTED,
            ..Line::default()
        });
    }
    Ok(())
}

/// The most of these spans that overlap.
fn at_once(spans: &[(i64, i64)]) -> usize {
    let at = |moment: i64| spans.iter().filter(|(began, ended)| *began <= moment && moment < *ended).count();
    spans.iter().map(|(began, _)| at(*began)).max().unwrap_or(0)
}
