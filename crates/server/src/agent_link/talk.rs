//! What the console answers an agent, and what it tells it unasked.

use std::time::Duration;

use entity::CardId;
use tokio::time::Instant;
use wire::{Agent, Console, Farewell, MAX_BATCH};

use super::convert;
use super::lines::FromCard;
use super::socket::Wire;
use crate::app::App;
use crate::domains::fleet::{self, FleetSettings, Refusal, Session};
use crate::domains::operation;
use crate::fault::Outcome;

/// A changed list of cards is sent so often at most.
const ROSTER: Duration = Duration::from_secs(5);
/// Bytes of tasks in one frame, at most about so many.
const TASKS: usize = wire::MAX_FRAME / 2;
/// Giving out tasks takes at most one part in so many of an agent's time: each look at what waits costs the more the
/// more there is.
const REST: u32 = 4;
/// Cards of a sweep; more than any room has.
const SWEEP: usize = 200_000;

/// The talk with one agent.
pub struct Talk<'a> {
    app: &'a App,
    session: Session,
    /// The number of its connection among [`super::Lines`].
    line: u64,
    settings: FleetSettings,
    /// The number of the list of cards that was sent last, and when.
    roster: Option<(u64, Instant)>,
    revision: u64,
    /// Before this no tasks are given out.
    rest: Instant,
    /// The pieces of a sweep that have come.
    sweep: Vec<fleet::Sighting>,
}

impl<'a> Talk<'a> {
    pub fn new(app: &'a App, session: Session, line: u64) -> Self {
        Self {
            app,
            session,
            line,
            settings: FleetSettings::default(),
            roster: None,
            revision: 0,
            rest: Instant::now(),
            sweep: Vec::new(),
        }
    }

    /// Says what the agent needs before anything else. `false` when it is gone.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn welcome(&mut self, wire: &mut Wire, held: Vec<wire::Held>) -> Outcome<bool> {
        let unwanted = operation::resume(self.app, &self.session, &held).await?;
        if !unwanted.is_empty() && !wire.say(&Console::Kept { keys: unwanted }).await {
            return Ok(false);
        }
        self.settings = FleetSettings::clone(&*self.app.settings.get::<FleetSettings>(self.app).await?);
        let heartbeat_seconds = convert::beat(&self.settings);
        let limits = convert::limits(&self.settings);
        Ok(wire.say(&Console::Welcome { heartbeat_seconds, limits }).await && self.send_roster(wire).await?)
    }

    /// Hears a message. `Ok(Ok(false))` when the agent is gone, `Ok(Err(_))` when it is sent away.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn hear(&mut self, wire: &mut Wire, said: Agent) -> Outcome<Result<bool, Farewell>> {
        match said {
            Agent::Hello { .. } => Ok(Err(Farewell::Misbehaved)),
            Agent::Reports { seq, reports } => {
                if reports.len() > MAX_BATCH {
                    return Ok(Err(Farewell::Misbehaved));
                }
                let reports: Vec<fleet::Report> = reports.iter().map(convert::report).collect();
                match fleet::take(self.app, &self.session, &reports).await? {
                    Ok(taken) if taken.foreign > 0 => {
                        metrics::counter!("skyrack_agent_foreign_reports_total").increment(taken.foreign.into());
                        tracing::debug!(
                            agent = self.session.agent.0,
                            taken.foreign,
                            "reports about cards that are not its own"
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
                let cards: Vec<fleet::Sighting> = cards.into_iter().filter_map(convert::sighting).collect();
                fleet::sighted(self.app, &self.session, &cards, false).await?;
                Ok(Ok(true))
            }
            Agent::Sweep { cards, is_last } => {
                if cards.len() > MAX_BATCH || self.sweep.len() > SWEEP {
                    return Ok(Err(Farewell::Misbehaved));
                }
                self.sweep.extend(cards.into_iter().filter_map(convert::sighting));
                if is_last {
                    let all = std::mem::take(&mut self.sweep);
                    fleet::sighted(self.app, &self.session, &all, true).await?;
                }
                Ok(Ok(true))
            }
            Agent::ShellOpened { stream } => {
                self.app.lines.hand_on(self.line, stream, FromCard::Opened);
                Ok(Ok(true))
            }
            Agent::ShellEnded { stream, exit, reason } => {
                let reason = reason.chars().take(500).collect();
                self.app.lines.hand_on(self.line, stream, FromCard::Ended { exit, reason });
                Ok(Ok(true))
            }
            Agent::BmcSeen { stream, look } => {
                self.app.lines.hand_on(self.line, stream, FromCard::Bmc(Box::new(look)));
                Ok(Ok(true))
            }
            Agent::FolderSeen { stream, look } => {
                self.app.lines.hand_on(self.line, stream, FromCard::Folder(look));
                Ok(Ok(true))
            }
            // That it runs was noted when it was given.
            Agent::Begun { keys: _ } => Ok(Ok(true)),
            Agent::Results { results } => {
                if results.len() > MAX_BATCH {
                    return Ok(Err(Farewell::Misbehaved));
                }
                let keys = operation::settle(self.app, &self.session, &results).await?;
                Ok(Ok(wire.say(&Console::Kept { keys }).await && self.give(wire).await?))
            }
        }
    }

    /// Passes on what a shell printed.
    pub fn pass_on(&self, stream: u64, bytes: Vec<u8>) {
        self.app.lines.hand_on(self.line, stream, FromCard::Bytes(bytes));
    }

    /// Looks for what has changed on this side. `Ok(Ok(false))` when the agent is gone.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn look(&mut self, wire: &mut Wire) -> Outcome<Result<bool, Farewell>> {
        if !self.app.fleet.is_open(&self.session) {
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
        if !self.give(wire).await? {
            return Ok(Ok(false));
        }
        let number = self.app.fleet.roster_number(self.session.room);
        let is_due = self.roster.is_none_or(|(sent, at)| sent != number && at.elapsed() >= ROSTER);
        if is_due && !self.send_roster(wire).await? {
            return Ok(Ok(false));
        }
        Ok(Ok(true))
    }

    /// Gives the agent what there is to be done, and tells it what is not any more. `false` when it is gone.
    async fn give(&mut self, wire: &mut Wire) -> Outcome<bool> {
        // Whoever rests is woken by the next look.
        let started = Instant::now();
        if started < self.rest || !self.app.operations.take_wake(self.session.room) {
            return Ok(true);
        }
        let keys = operation::cancelled(self.app, &self.session).await?;
        if !keys.is_empty() && !wire.say(&Console::Cancel { keys }).await {
            return Ok(false);
        }
        let tasks = operation::claim(self.app, &self.session).await?;
        let mut tasks = tasks.into_iter().peekable();
        while tasks.peek().is_some() {
            let mut bytes = 0;
            let fits = std::iter::from_fn(|| {
                tasks.next_if(|task| {
                    // One always goes, whatever its size.
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
        self.rest = Instant::now() + started.elapsed() * REST;
        Ok(true)
    }

    /// Sends the list of the room's cards, in pieces.
    async fn send_roster(&mut self, wire: &mut Wire) -> Outcome<bool> {
        // Read before the cards are: a change in between makes it due again.
        let number = self.app.fleet.roster_number(self.session.room);
        self.revision += 1;
        let mut after = CardId(0);
        loop {
            let cards = fleet::roster(self.app, self.session.room, after, MAX_BATCH as u64).await?;
            let is_last = cards.len() < MAX_BATCH;
            after = cards.last().map_or(after, |card| card.id);
            let cards = cards.into_iter().map(convert::roster_card).collect();
            if !wire.say(&Console::Roster { revision: self.revision, cards, is_last }).await {
                return Ok(false);
            }
            if is_last {
                self.roster = Some((number, Instant::now()));
                let ranges = fleet::adb_ranges(self.app, self.session.room).await?;
                return Ok(wire.say(&Console::Ranges { ranges }).await);
            }
        }
    }

    /// Why the session is not open any more.
    async fn why_closed(&self) -> Outcome<Farewell> {
        Ok(if fleet::is_revoked(self.app, self.session.agent).await? { Farewell::Revoked } else { Farewell::Replaced })
    }
}
