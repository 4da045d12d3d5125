//! The console's side of the protocol: replies to the agent, and messages it sends on its own.

use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use entity::CardId;
use tokio::time::Instant;
use wire::{Agent, BOOKS, Console, Farewell, MAX_BATCH, Mark, STORES};

use super::convert;
use super::socket::Wire;
use crate::address::plan;
use crate::agent;
use crate::agent::connections::Connections;
use crate::agent::connections::FromCard;
use crate::finding;
use crate::finding::Sighting;
use crate::operation;
use crate::operation::{Operations, Wakes};
use crate::place::nets;
use crate::settings::FleetSettings;
use crate::state;
use crate::state::Fleet;
use crate::state::Report;
use crate::state::{Refusal, Session};
use crate::steps::Book;

/// A changed list of cards is sent at most this often.
const ROSTER: Duration = Duration::from_secs(5);
/// Approximate maximum of bytes of tasks in one frame.
const TASKS: usize = wire::MAX_FRAME / 2;
/// Looking for tasks takes at most a fifth of an agent's time, however little is found: its cost grows with the number of
/// waiting ones.
const REST: u32 = 4;
/// Cards in a scan; more than any room has.
const SWEEP: usize = 200_000;

/// How long an agent gets no more after it was given so many tasks, which took so long: the more there were, the more of
/// that was work, and who gets all that are given at once does not rest at all.
fn rest(took: Duration, given: usize) -> Duration {
    let given = u32::try_from(given).unwrap_or(operation::GIVEN);
    took * REST * operation::GIVEN.saturating_sub(given) / operation::GIVEN
}

/// The session with one agent.
pub struct Talk<'a> {
    app: &'a App,
    session: Session,
    /// The id of its connection in `agent::connections`.
    line: u64,
    /// What the agent speaks.
    protocol: u32,
    settings: FleetSettings,
    /// The number of the list of cards that was sent last, and when.
    roster: Option<(u64, Instant)>,
    /// The number of the management networks that were sent last.
    networks: u64,
    revision: u64,
    /// How far it has followed the wakes of its room.
    woken: Wakes,
    /// When it has looked for tasks last.
    looked: Instant,
    /// How long it rests from that.
    rest: Duration,
    /// The pieces of a scan that have arrived.
    sweep: Vec<Sighting>,
}

impl<'a> Talk<'a> {
    pub fn new(app: &'a App, session: Session, line: u64, protocol: u32) -> Self {
        Self {
            app,
            session,
            line,
            protocol,
            settings: FleetSettings::default(),
            roster: None,
            networks: 0,
            revision: 0,
            woken: Wakes::default(),
            looked: Instant::now(),
            rest: Duration::ZERO,
            sweep: Vec::new(),
        }
    }

    /// Sends what the agent needs first. `Ok(Ok(false))` if the agent is gone, `Ok(Err(_))` if the console closes the
    /// connection.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn welcome(
        &mut self,
        wire: &mut Wire,
        held: Vec<wire::Held>,
        stay: i64,
    ) -> Outcome<Result<bool, Farewell>> {
        let Some(returned) = operation::resume(self.app, &self.session, &held).await? else {
            return Ok(Err(self.why_closed().await?));
        };
        let operation::Returned { mut forget, mut cancel } = returned;
        for Book(steps) in self.app.parts::<Book>() {
            let returned = steps.resume(self.app, &self.session, &held, stay).await?;
            forget.extend(returned.forget);
            cancel.extend(returned.cancel);
        }
        if !forget.is_empty() && !wire.say(&Console::Kept { keys: forget }).await {
            return Ok(Ok(false));
        }
        // Before the welcome, after which the agent resumes the tasks it holds.
        if !cancel.is_empty() && !wire.say(&Console::Cancel { keys: cancel }).await {
            return Ok(Ok(false));
        }
        if self.protocol >= STORES {
            // Such as how fast it may transfer: it does so from the welcome on.
            for Book(steps) in self.app.parts::<Book>() {
                let greeting = steps.greets(self.app, &self.session).await?;
                if let Some(greeting) = greeting
                    && !wire.say(&greeting).await
                {
                    return Ok(Ok(false));
                }
            }
        }
        self.settings = FleetSettings::clone(&*self.app.settings.get::<FleetSettings>(self.app).await?);
        let heartbeat_seconds = convert::beat(&self.settings);
        let limits = convert::limits(&self.settings);
        Ok(Ok(wire.say(&Console::Welcome { heartbeat_seconds, limits }).await && self.send_roster(wire).await?))
    }

    /// Handles a message. `Ok(Ok(false))` if the agent is gone, `Ok(Err(_))` if the console closes the connection.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn hear(&mut self, wire: &mut Wire, said: Agent) -> Outcome<Result<bool, Farewell>> {
        if !self.is_open() {
            return Ok(Err(self.why_closed().await?));
        }
        match said {
            Agent::Hello { .. } => Ok(Err(Farewell::Misbehaved)),
            Agent::Reports { seq, reports } => {
                if reports.len() > MAX_BATCH {
                    return Ok(Err(Farewell::Misbehaved));
                }
                let reports: Vec<Report> = reports.iter().map(convert::report).collect();
                match state::take(self.app, &self.session, &reports).await? {
                    Ok(taken) if taken.foreign > 0 => {
                        metrics::counter!("skyrack_agent_foreign_reports_total").increment(taken.foreign.into());
                        tracing::debug!(
                            agent = self.session.agent.0,
                            taken.foreign,
                            "dropped reports about cards of another room"
                        );
                        Ok(Ok(wire.say(&Console::Taken { seq }).await))
                    }
                    Ok(_) => Ok(Ok(wire.say(&Console::Taken { seq }).await)),
                    Err(Refusal::Closed) => Ok(Err(self.why_closed().await?)),
                }
            }
            Agent::Sightings { cards } => {
                if cards.len() > MAX_BATCH {
                    return Ok(Err(Farewell::Misbehaved));
                }
                let cards: Vec<Sighting> = cards.into_iter().filter_map(convert::sighting).collect();
                finding::sighted(self.app, &self.session, &cards, false).await?;
                Ok(Ok(true))
            }
            Agent::Sweep { cards, is_last } => {
                if cards.len() > MAX_BATCH || self.sweep.len() > SWEEP {
                    return Ok(Err(Farewell::Misbehaved));
                }
                self.sweep.extend(cards.into_iter().filter_map(convert::sighting));
                if is_last {
                    let all = std::mem::take(&mut self.sweep);
                    finding::sighted(self.app, &self.session, &all, true).await?;
                    let marks = all.iter().filter_map(|card| Mark::read(card.mark.as_deref()?));
                    let stay = marks.map(|mark| mark.placement).max().unwrap_or(0);
                    for Book(steps) in self.app.parts::<Book>() {
                        steps.swept(self.app, &self.session, stay).await?;
                    }
                }
                Ok(Ok(true))
            }
            Agent::ShellOpened { stream } => {
                self.app.part::<Connections>().hand_on(self.line, stream, FromCard::Opened);
                Ok(Ok(true))
            }
            Agent::ShellEnded { stream, exit, reason } => {
                let reason = reason.chars().take(500).collect();
                self.app.part::<Connections>().hand_on(self.line, stream, FromCard::Ended { exit, reason });
                Ok(Ok(true))
            }
            Agent::BmcSeen { stream, look } => {
                self.app.part::<Connections>().hand_on(self.line, stream, FromCard::Bmc(Box::new(look)));
                Ok(Ok(true))
            }
            Agent::FolderSeen { stream, look } => {
                self.app.part::<Connections>().hand_on(self.line, stream, FromCard::Folder(look));
                Ok(Ok(true))
            }
            Agent::CopySeen { stream, look } => {
                self.app.part::<Connections>().hand_on(self.line, stream, FromCard::Copy(Box::new(look)));
                Ok(Ok(true))
            }
            Agent::StoreSeen { stream, seen } => {
                self.app.part::<Connections>().hand_on(self.line, stream, FromCard::Store(Box::new(seen)));
                Ok(Ok(true))
            }
            Agent::Progress { tries } => {
                if tries.len() > MAX_BATCH {
                    return Ok(Err(Farewell::Misbehaved));
                }
                for Book(steps) in self.app.parts::<Book>() {
                    steps.progress(self.app, &self.session, &tries).await?;
                }
                Ok(Ok(true))
            }
            // That it runs was recorded when it was claimed.
            Agent::Begun { keys: _ } => Ok(Ok(true)),
            Agent::Results { mut results } => {
                if results.len() > MAX_BATCH {
                    return Ok(Err(Farewell::Misbehaved));
                }
                wire.more_results(&mut results);
                let mut left = Vec::new();
                for Book(steps) in self.app.parts::<Book>() {
                    left.extend(steps.record(self.app, &self.session, &results).await?);
                }
                let mut keys = operation::record_results(self.app, &self.session, &results).await?;
                keys.retain(|key| !left.contains(key));
                Ok(Ok(wire.say(&Console::Kept { keys }).await && self.give(wire).await?))
            }
        }
    }

    /// Forwards output of a shell.
    pub fn pass_on(&self, stream: u64, bytes: Vec<u8>) {
        self.app.part::<Connections>().hand_on(self.line, stream, FromCard::Bytes(bytes));
    }

    /// Checks for changes on this side. `Ok(Ok(false))` if the agent is gone.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn look(&mut self, wire: &mut Wire) -> Outcome<Result<bool, Farewell>> {
        if !self.is_open() {
            return Ok(Err(self.why_closed().await?));
        }
        let settings = self.app.settings.get::<FleetSettings>(self.app).await?;
        if *settings != self.settings {
            self.settings = FleetSettings::clone(&*settings);
            let heartbeat_seconds = convert::beat(&self.settings);
            let limits = convert::limits(&self.settings);
            if !wire.say(&Console::Settings { heartbeat_seconds, limits }).await {
                return Ok(Ok(false));
            }
        }
        // Before the tasks that may be in the new networks.
        let has_moved = self.networks != self.app.part::<Fleet>().networks_number(self.session.room);
        if has_moved && !self.send_networks(wire).await? {
            return Ok(Ok(false));
        }
        if !self.give(wire).await? {
            return Ok(Ok(false));
        }
        let number = self.app.part::<Fleet>().roster_number(self.session.room);
        let is_due = self.roster.is_none_or(|(sent, at)| sent != number && at.elapsed() >= ROSTER);
        if is_due && !self.send_roster(wire).await? {
            return Ok(Ok(false));
        }
        Ok(Ok(true))
    }

    /// Sends the agent its new tasks, and those it should cancel. `false` if it is gone.
    async fn give(&mut self, wire: &mut Wire) -> Outcome<bool> {
        let started = Instant::now();
        // Read before the tasks are: what wakes the room meanwhile is followed by the next poll.
        let woken = self.app.part::<Operations>().wakes(self.session.room);
        // A rate-limited agent is served by the next poll.
        if !woken.are_due(self.woken, started.duration_since(self.looked), self.rest) {
            return Ok(true);
        }
        let keys = operation::cancelled(self.app, &self.session).await?;
        if !keys.is_empty() && !wire.say(&Console::Cancel { keys }).await {
            return Ok(false);
        }
        let mut tasks = operation::claim(self.app, &self.session).await?;
        if self.protocol >= BOOKS {
            for Book(steps) in self.app.parts::<Book>() {
                tasks.extend(steps.claim(self.app, &self.session).await?);
            }
        }
        self.woken = woken;
        let given = tasks.len();
        let mut tasks = tasks.into_iter().peekable();
        while tasks.peek().is_some() {
            // A revoked agent gets nothing more; what was to go to a replaced connection is handed out again when the
            // newer one reports what it holds.
            if !self.is_open() {
                return Ok(true);
            }
            let mut bytes = 0;
            let fits = std::iter::from_fn(|| {
                tasks.next_if(|task| {
                    // At least one is sent, whatever its size.
                    let is_first = bytes == 0;
                    bytes += convert::size(task);
                    is_first || bytes <= TASKS
                })
            });
            let tasks = fits.take(MAX_BATCH).collect();
            if !wire.say(&Console::Tasks { tasks }).await {
                return Ok(false);
            }
        }
        (self.looked, self.rest) = (Instant::now(), rest(started.elapsed(), given));
        Ok(true)
    }

    /// Sends the list of the room's cards, in pieces.
    async fn send_roster(&mut self, wire: &mut Wire) -> Outcome<bool> {
        // Read before the cards are: after a change in between it is sent again.
        let number = self.app.part::<Fleet>().roster_number(self.session.room);
        self.revision += 1;
        let mut after = CardId(0);
        loop {
            let cards = state::roster(self.app, self.session.room, after, MAX_BATCH as u64).await?;
            let is_last = cards.len() < MAX_BATCH;
            after = cards.last().map_or(after, |card| card.id);
            let cards = cards.into_iter().map(convert::roster_card).collect();
            if !wire.say(&Console::Roster { revision: self.revision, cards, is_last }).await {
                return Ok(false);
            }
            if is_last {
                self.roster = Some((number, Instant::now()));
                return self.send_networks(wire).await;
            }
        }
    }

    /// Whether the session is still the agent's current one. What is said in another is worth nothing.
    fn is_open(&self) -> bool {
        self.app.part::<Fleet>().is_open(&self.session)
    }

    /// Sends where other cards may be, and the room's controllers.
    async fn send_networks(&mut self, wire: &mut Wire) -> Outcome<bool> {
        let room = self.session.room;
        // Read before they are: after a change in between they are sent again.
        self.networks = self.app.part::<Fleet>().networks_number(room);
        let ranges = plan::adb_ranges(self.app, room).await?;
        let management_nets = nets::for_agents(self.app, room).await?;
        Ok(wire.say(&Console::Ranges { ranges, management_nets }).await)
    }

    /// Why the session is closed.
    async fn why_closed(&self) -> Outcome<Farewell> {
        Ok(if agent::is_revoked(self.app, self.session.agent).await? { Farewell::Revoked } else { Farewell::Replaced })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::rest;
    use crate::operation::GIVEN;

    #[test]
    fn who_is_given_much_rests_little() {
        let (took, given) = (Duration::from_millis(300), GIVEN as usize);
        assert_eq!(rest(took, 0), Duration::from_millis(1_200));
        assert_eq!(rest(took, given / 2), Duration::from_millis(600));
        // With the steps of phones there may be more.
        assert_eq!([rest(took, given), rest(took, given + 500)], [Duration::ZERO; 2]);
    }
}
