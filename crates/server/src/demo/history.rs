//! Thirty days of figures of the demo company's settled rooms, as their agents would have reported them: the rhythm of
//! days and weeks, and three incidents to look at. The same every time, relative to now.

use std::collections::BTreeMap;

use base::app::App;
use base::demo::Random;
use entity::card::{self, RunStatus};
use fleet::{FINE_MINUTES, HOST_STEP, HistoryOf, PlacePoint, write_history};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};

use super::calendar;
use super::fleet::failed;
use super::room::{Site, of};

const MINUTE: i64 = 60_000;
const DAY_MINUTES: i64 = 1440;
const DAYS: i64 = 30;

/// The cards of a room or of a host, as they are now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cards {
    pub all: u32,
    pub in_use: u32,
    pub maintenance: u32,
    pub fault: u32,
}

impl Cards {
    fn add(&mut self, status: RunStatus) {
        self.all += 1;
        match status {
            RunStatus::InUse => self.in_use += 1,
            RunStatus::Maintenance => self.maintenance += 1,
            RunStatus::Fault => self.fault += 1,
            RunStatus::Idle | RunStatus::Offline | RunStatus::Unknown | RunStatus::Upgrading => {}
        }
    }

    /// The same with about as many users as there are at this hour, at least: on a busy machine agents have not told of all
    /// of them yet, and a month would lie behind the room in which nobody came.
    fn with_users(self, now: UtcTime) -> Self {
        let free = self.all.saturating_sub(self.maintenance + self.fault);
        let usual = (0.9 * f64::from(free) * calendar::busy(now)) as u32;
        Self { in_use: self.in_use.max(usual), ..self }
    }
}

/// What went wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incident {
    /// One host, by its number in the room, had no power.
    HostDown(usize),
    /// The room's agent was away.
    AgentGone,
    /// The cooling failed.
    Heat,
}

/// By the site's name: minutes ago at which it began and ended.
const INCIDENTS: [(&str, Incident, i64, i64); 3] = [
    ("杭州滨江机房", Incident::HostDown(3), 3 * DAY_MINUTES + 310, 3 * DAY_MINUTES + 180),
    ("广州南沙机房", Incident::AgentGone, 9 * DAY_MINUTES + 75, 9 * DAY_MINUTES + 30),
    ("成都双流机房", Incident::Heat, 5 * DAY_MINUTES + 400, 5 * DAY_MINUTES + 220),
];

/// Writes the history of rooms that were just made.
///
/// # Errors
/// When the database refuses.
pub async fn write(app: &App, sites: &[Site]) -> anyhow::Result<()> {
    let now = app.clock.now();
    let last = now.millis().div_euclid(MINUTE);
    for site in sites {
        let Some(room) = of(app, site).await? else { continue };
        let cards = card::Entity::find().filter(card::Column::RoomId.eq(room.id)).all(app.db.read()).await?;
        let (mut whole, mut hosts) = (Cards::default(), BTreeMap::<_, Cards>::new());
        for card in &cards {
            whole.add(card.run_status);
            if let Some(host) = card.host_id {
                hosts.entry(host).or_default().add(card.run_status);
            }
        }
        let whole = whole.with_users(now);
        let per_host = hosts.values().next().map_or(0, |cards| cards.all);
        let begin = last - DAYS * DAY_MINUTES;
        let is_kept = |minute: &i64| *minute > last - FINE_MINUTES || minute % HOST_STEP == 0;
        let points: Vec<_> = (begin..=last)
            .filter(is_kept)
            .map(|minute| {
                let down = |incident| if matches!(incident, Incident::HostDown(_)) { per_host } else { 0 };
                let incident = incident(site, last - minute);
                point(whole, minute, now, incident.map_or(0, down), incident, site.seed())
            })
            .collect();
        write_history(app, HistoryOf::Room(room.id), &points).await.map_err(failed)?;
        for (number, (host, cards)) in hosts.into_iter().enumerate() {
            let cards = cards.with_users(now);
            let points: Vec<_> = (begin..=last)
                .filter(|minute| minute % HOST_STEP == 0)
                .map(|minute| {
                    let incident = incident(site, last - minute).filter(|incident| match incident {
                        Incident::HostDown(which) => *which == number,
                        Incident::AgentGone | Incident::Heat => true,
                    });
                    let down = if matches!(incident, Some(Incident::HostDown(_))) { cards.all } else { 0 };
                    let salt = site.seed() + 100 + number as u64;
                    point(cards, minute, now, down, incident, salt)
                })
                .collect();
            write_history(app, HistoryOf::Host(host), &points).await.map_err(failed)?;
        }
    }
    Ok(())
}

/// What happened at a site so long ago.
#[must_use]
pub fn incident(site: &Site, minutes_ago: i64) -> Option<Incident> {
    INCIDENTS
        .iter()
        .find(|(name, _, begin, end)| *name == site.name && (*end..=*begin).contains(&minutes_ago))
        .map(|(_, incident, _, _)| *incident)
}

/// The figures of a place at a minute. `down` of its cards have no power.
#[must_use]
pub fn point(cards: Cards, minute: i64, now: UtcTime, down: u32, incident: Option<Incident>, salt: u64) -> PlacePoint {
    let at = UtcTime(minute * MINUTE);
    if incident == Some(Incident::AgentGone) {
        return PlacePoint { at, unknown: cards.all, ..PlacePoint::default() };
    }
    // Figures waver from one quarter of an hour to the next, not within.
    let mut random = Random::stream(salt, u32::try_from(minute / HOST_STEP).unwrap_or(0));
    let out = cards.maintenance + cards.fault + down;
    let free = cards.all.saturating_sub(out);
    let level = calendar::busy(at) / calendar::busy(now) * (0.97 + 0.06 * random.fraction());
    let in_use = ((f64::from(cards.in_use) * level).round() as u32).min(free);
    let strayed = u32::from(random.chance(6)).min(free - in_use);
    let online = cards.all - down - strayed;
    let load = f64::from(in_use) / f64::from(cards.all.max(1));
    let days_ago = (now.millis() / MINUTE - minute) as f64 / DAY_MINUTES as f64;
    let heat = if incident == Some(Incident::Heat) { 19.0 } else { 0.0 };
    let temperature = 36.0 + 17.0 * load + heat + 2.0 * random.fraction();
    PlacePoint {
        at,
        idle: free - in_use - strayed,
        in_use,
        maintenance: cards.maintenance,
        fault: cards.fault,
        offline: down + strayed,
        online,
        reporting: online,
        cpu: (14.0 + 52.0 * load + 4.0 * random.fraction()) as u8,
        memory: (50.0 + 22.0 * load + 2.0 * random.fraction()) as u8,
        // Disks fill, a little each day, to what the simulated cards tell.
        storage: (29.0 - 0.35 * days_ago) as u8,
        loss: u8::from(random.chance(3)),
        temperature: temperature as i8,
        hottest: (temperature + 7.0 + 5.0 * random.fraction()) as i8,
        latency: (4.0 + 9.0 * load * load + 3.0 * random.fraction()) as u16,
        ..PlacePoint::default()
    }
}
