//! A walk over faults: at which step what goes wrong, and what has to become of it. What is walked, and what is not, stands
//! in `docs/testing.md`.
//!
//! A test acts as the agent: it does what the console asks for, and meets the faults of a run on the way, in their order.
//! After each of them it looks whether that died where it should have, and after each step whether the books are whole.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use entity::saga::{self, Model as Saga, SagaState};
use entity::saga_step::{self, Model as Step, StepName, StepState};
use entity::{GroupId, SagaStepId, placement};
use phones::saga_round;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::TestDb;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, phone as first_phone};
use testroom::room::console;

use super::cleared::{profile, try_out};
use super::copy_steps::{back_up, last, made, on};
use super::lost_steps::{PACE, PATIENCE, is_found, passes};
use super::put_on::row;
use super::quarantine_steps::wipe_left;
use super::whole::are_whole;

/// No run has so many steps.
const STEPS: usize = 150;
/// Longer than any step may take of which nothing is heard, with the quarter of an hour beyond that.
const SILENCE: i64 = 3_600 + 120 + 900 + 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// What goes wrong at a step.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The console dies before it has heard how the step ended.
    ConsoleBefore,
    /// It dies when that is written, and its agent does not know so: it tells once more.
    ConsoleAfter,
    /// The agent dies before it has written down that it has the step.
    AgentBefore,
    /// It dies in the middle, and does it again.
    AgentDuring,
    /// It dies before it has heard that its result is kept: it tells once more.
    AgentAfter,
    /// It is frozen until its step is given away, and tells of it after all.
    Frozen,
    /// The link to the room breaks for three days.
    RoomAway,
    /// The agent is there, and says nothing of the step.
    Silent,
    /// The clock is set by so many seconds.
    Clock(i64),
    /// The step fails: with this code, and with this effect.
    Says(&'static str, &'static str),
    /// The card is lost, and is back only after it was given up.
    Lost,
    /// Whoever has asked for it cancels.
    Cancelled,
    /// Somebody wants the phone that is being taken off.
    WantedBack,
}

/// What it has come to after that.
#[derive(Clone, Copy, Debug)]
pub enum Ends {
    /// It goes on where it was, at once or when the cause is gone (letters A and W).
    GoesOn,
    /// The phone goes to the next card, and this one is left, cleared or set aside (C).
    NextCard,
    /// It is over, and the phone as it was (X).
    Over,
    /// The phone stays on its card, and goes on there, for good or until it is tried again (B).
    Stays,
    /// The phone is copied once more from the beginning (R).
    Afresh,
    /// A person has to look (D, E and Q).
    Held,
    /// A person is asked whether an older copy comes (O).
    Asked,
}

/// At which step what goes wrong, and what it comes to.
pub type Cell = (&'static str, Fault, Ends);

impl Fault {
    /// The code that is told of it.
    const fn code(self) -> &'static str {
        match self {
            Self::Says(code, _) => code,
            Self::Silent => "agent_silent",
            Self::Lost => "card_gone",
            Self::WantedBack => "came_back",
            Self::ConsoleBefore
            | Self::ConsoleAfter
            | Self::AgentBefore
            | Self::AgentDuring
            | Self::AgentAfter
            | Self::Frozen
            | Self::RoomAway
            | Self::Clock(_)
            | Self::Cancelled => "",
        }
    }

    /// What has to be written of the try at which it came.
    const fn try_is(self) -> (StepState, &'static str) {
        match self {
            Self::ConsoleBefore | Self::AgentDuring | Self::Clock(_) | Self::Cancelled => (StepState::Running, ""),
            Self::ConsoleAfter | Self::AgentAfter | Self::WantedBack => (StepState::Done, ""),
            Self::AgentBefore => (StepState::Dropped, ""),
            Self::Frozen | Self::RoomAway => (StepState::Dropped, "agent_gone"),
            Self::Silent | Self::Says(..) => (StepState::Failed, self.code()),
            Self::Lost => (StepState::Failed, "adb_unreachable"),
        }
    }
}

/// Whoever dies, is away or sets the clock at one of these steps: it goes on. Two runs, for those who die after it.
pub fn deaths(steps: &[&'static str]) -> [Vec<Cell>; 2] {
    use Fault::{AgentAfter, AgentBefore, AgentDuring, Clock, ConsoleAfter, ConsoleBefore, Frozen, RoomAway};
    let faults = [
        AgentBefore,
        Frozen,
        RoomAway,
        Clock(HOUR),
        Clock(-HOUR),
        AgentDuring,
        Clock(-HOUR),
        Clock(HOUR),
        ConsoleBefore,
        ConsoleAfter,
    ];
    let all = steps.iter().flat_map(|at| faults.map(|fault| (*at, fault, Ends::GoesOn))).collect();
    [all, steps.iter().map(|at| (*at, AgentAfter, Ends::GoesOn)).collect()]
}

/// A console, a room of eight cards whose agent is the test, and a phone after which others are made.
pub struct Walk {
    pub app: TestApp,
    pub hand: Hand,
    pub phone: i64,
    group: GroupId,
    /// What was asked for last.
    operation: Value,
    copies: u64,
}

impl Walk {
    /// Nothing is on the cards.
    pub async fn blank(db: TestDb) -> Self {
        let app = TestApp::new(db).await;
        let (hand, phone, group) = {
            let clerk = app.admin().await;
            let hand = Box::pin(Hand::take(&app, &clerk)).await;
            let phone = first_phone(&app, &clerk, hand.room).await;
            (hand, phone, clerk.group.unwrap())
        };
        Self { app, hand, phone, group, operation: Value::Null, copies: 0 }
    }

    /// The phone is on the first card and has a copy that was read back; how its cards are wiped was tried.
    pub async fn saved(db: TestDb) -> Self {
        let app = TestApp::new(db).await;
        let (hand, phone, group) = {
            let clerk = app.admin().await;
            let (hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
            let known = profile(&app, hand.cards[0]).await;
            try_out(&clerk, known).await;
            back_up(&app, &clerk, &phones).await;
            (hand, phones[0], clerk.group.unwrap())
        };
        let walk = Self { app, hand, phone, group, operation: Value::Null, copies: 0 };
        let walk = Box::pin(walk.meets(&[])).await;
        assert_eq!(row(&walk.app, phone).await.kept_id, Some(last(&walk.app).await.id));
        walk
    }

    /// An operator whose session is fresh, and who has asked for nothing yet.
    pub async fn clerk(&self) -> Caller<'_> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.app.signed_in(&format!("walker{}", NEXT.fetch_add(1, Relaxed)), self.group).await
    }

    /// One more phone of the same user, blank and off, for a month.
    pub async fn one_more(&self) -> i64 {
        let user = row(&self.app, self.phone).await.user_id;
        let expires = self.app.app.clock.now().plus_seconds(30 * DAY);
        let body = json!({ "userId": user, "plan": 2, "roomId": self.hand.room, "diskGb": 1, "expiresAt": expires });
        self.clerk().await.post(PHONES, body).await.data()["firstId"].as_i64().unwrap()
    }

    /// Asks for an operation, which begins.
    pub async fn asks(&mut self, path: &str, body: Value) {
        let made = self.clerk().await.post(path, body).await.data();
        fleet::operation::round(&self.app.app).await.unwrap();
        self.operation = made["id"].clone();
    }

    /// Asks for the put-on or the take-off of a phone.
    pub async fn asks_for(&mut self, act: &str, phone: i64) {
        self.asks(&format!("{PHONES}/{act}"), json!({ "selection": { "ids": [phone] } })).await;
    }

    /// Cancels what was asked for last.
    pub async fn cancels(&self) {
        self.clerk().await.post(&format!("{OPERATIONS}/{}/cancel", self.operation), json!({})).await.data();
    }

    /// How many phones what was asked for last has succeeded, failed and been cancelled for, and is under way for.
    pub async fn told(&self) -> [i64; 4] {
        fleet::operation::round(&self.app.app).await.unwrap();
        let told = get(&self.clerk().await, &self.operation).await;
        ["succeeded", "failed", "cancelled", "running"].map(|field| told[field].as_i64().unwrap())
    }

    /// The codes of what waits for a person.
    pub async fn held(&self) -> Vec<String> {
        let held = saga::Entity::find().filter(saga::Column::State.eq(SagaState::Held));
        held.all(self.app.app.db.read()).await.unwrap().into_iter().map(|saga| saga.code).collect()
    }

    /// A person says that all of that goes on, and it does.
    pub async fn decides(self) -> Self {
        self.decides_and_meets(&[]).await
    }

    /// The same, and it meets these faults on the way.
    pub async fn decides_and_meets(self, cells: &[Cell]) -> Self {
        let held = saga::Entity::find().filter(saga::Column::State.eq(SagaState::Held));
        for saga in held.all(self.app.app.db.read()).await.unwrap() {
            let db = self.app.app.db.read();
            let stay = match saga.placement_id {
                Some(stay) => placement::Entity::find_by_id(stay).one(db).await.unwrap(),
                None => None,
            };
            // It takes two where it may be in no copy.
            if stay.is_some_and(|stay| stay.is_quarantined) {
                Box::pin(wipe_left(&self.app, self.group, saga.phone_id.0)).await;
                continue;
            }
            let retry = format!("/api/phone/v1/sagas/{}/retry", saga.id);
            self.clerk().await.post(&retry, json!({ "reason": "as the test says" })).await.data();
        }
        let walk = Box::pin(self.meets(cells)).await;
        assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
        walk
    }

    /// The card that a phone is on.
    pub async fn at(&self, phone: i64) -> Option<i64> {
        let stay = row(&self.app, phone).await.holds_id?;
        let found = placement::Entity::find_by_id(stay).one(self.app.app.db.read()).await.unwrap();
        found.map(|stay| stay.card_id.0)
    }

    /// Whether the cards, the first so many of them, are for phones.
    pub async fn are_for_phones(&self, cards: usize, are_so: bool) {
        let body = json!({ "selection": { "ids": self.hand.cards[..cards] }, "assignable": are_so });
        self.clerk().await.post("/api/fleet/v1/cards/flags", body).await.data();
    }

    /// The console dies and starts again; its agent comes back with these steps, and whether each has ended.
    pub async fn console_dies(self, held: &[(&Value, bool)]) -> Self {
        let Self { app, mut hand, phone, group, operation, copies } = self;
        hand.goes(&app).await;
        let app = app.restarted().await;
        hand.console = console(&app).await;
        hand.comes_back(wire::PROTOCOL, held).await;
        Self { app, hand, phone, group, operation, copies }
    }

    /// Does what the console asks for, until nothing is left, and meets these faults on the way, each at the next step that
    /// is called so.
    pub async fn meets(mut self, cells: &[Cell]) -> Self {
        let mut cells = cells.iter();
        let (mut next, mut at_hand) = (cells.next(), None);
        for _ in 0..STEPS {
            let step = match at_hand.take() {
                Some(step) => Some(step),
                None => self.next_step().await,
            };
            let Some(step) = step else { break };
            match next.filter(|(at, ..)| step["act"]["kind"] == *at) {
                Some(cell) => {
                    let (walk, left) = Box::pin(self.meet(*cell, step)).await;
                    self = walk;
                    (at_hand, next) = (left, cells.next());
                }
                None => self.does(&step).await,
            }
            are_whole(&self.app).await;
        }
        assert!(next.is_none(), "it never came to {next:?}");
        assert!(open_steps(&self.app).await.is_empty(), "it does not end");
        self
    }

    /// The next step, if there is one: nobody waits longer for its time than the console says.
    async fn next_step(&mut self) -> Option<Value> {
        loop {
            Box::pin(saga_round(&self.app.app)).await.unwrap();
            let open = open_steps(&self.app).await;
            let steady = self.app.app.clock.steady();
            let due = open.iter().map(|step| if step.state == StepState::Running { steady } else { step.not_before });
            let soonest = due.min()?;
            if soonest <= steady {
                return Some(self.hand.step(&self.app).await);
            }
            self.app.app.clock.advance_seconds(soonest.seconds_since(steady) + 1);
        }
    }

    /// A step is done.
    async fn does(&mut self, step: &Value) {
        let output = match step["act"]["kind"].as_str().unwrap() {
            "stop" | "prove" => "boot".to_owned(),
            "copy" => {
                self.copies += 1;
                made('a').replace(&"a".repeat(64), &format!("{:064x}", self.copies))
            }
            _ => String::new(),
        };
        self.hand.done(step, &output).await;
    }

    /// A fault comes at a step: it dies there, and becomes what it has to. Returns the step, if the agent still has it.
    async fn meet(mut self, (at, fault, ends): Cell, step: Value) -> (Self, Option<Value>) {
        let (before, tried) = self.stands(&step).await;
        assert_eq!((tried.state, tried.name), (StepState::Running, before.step), "{at}: {fault:?}");
        let mut at_hand = false;
        match fault {
            Fault::ConsoleBefore => {
                self = self.console_dies(&[(&step, false)]).await;
                at_hand = true;
            }
            Fault::ConsoleAfter => {
                self.does(&step).await;
                self = self.console_dies(&[(&step, true)]).await;
                self.does(&step).await;
            }
            Fault::AgentBefore => {
                self.hand.goes(&self.app).await;
                self.hand.comes_back(wire::PROTOCOL, &[]).await;
            }
            Fault::AgentDuring => {
                self.hand.goes(&self.app).await;
                self.hand.comes_back(wire::PROTOCOL, &[(&step, false)]).await;
                at_hand = true;
            }
            Fault::AgentAfter => {
                self.does(&step).await;
                self.hand.goes(&self.app).await;
                self.hand.comes_back(wire::PROTOCOL, &[(&step, true)]).await;
                self.does(&step).await;
            }
            Fault::Frozen => self.is_away(&step, 120).await,
            Fault::RoomAway => self.is_away(&step, 3 * DAY).await,
            Fault::Silent => {
                Box::pin(saga_round(&self.app.app)).await.unwrap();
                self.app.app.clock.advance_seconds(SILENCE);
                Box::pin(saga_round(&self.app.app)).await.unwrap();
                // What it says after all counts for nothing.
                self.does(&step).await;
            }
            Fault::Clock(seconds) => {
                self.app.app.clock.jump_seconds(seconds);
                Box::pin(saga_round(&self.app.app)).await.unwrap();
                at_hand = true;
            }
            Fault::Says(code, effect) => {
                let why = json!({ "end": "failed", "code": code, "reason": "as the test says", "effect": effect });
                self.hand.tell(&step, why).await;
            }
            Fault::Lost => {
                let card = step["card"].as_i64().unwrap();
                is_found(&mut self.hand, card, false).await;
                let why = json!({ "end": "failed", "code": "adb_unreachable", "reason": "as the test says", "effect": "neverBegan" });
                self.hand.tell(&step, why).await;
                for seconds in [PACE, PATIENCE] {
                    Box::pin(passes(&self.app, seconds)).await;
                }
                is_found(&mut self.hand, card, true).await;
            }
            Fault::Cancelled => {
                self.cancels().await;
                Box::pin(saga_round(&self.app.app)).await.unwrap();
                at_hand = true;
            }
            Fault::WantedBack => {
                self.asks_for("put-on", before.phone_id.0).await;
                Box::pin(saga_round(&self.app.app)).await.unwrap();
                self.does(&step).await;
            }
        }
        let (after, tried) = self.stands(&step).await;
        assert_eq!((tried.state, &*tried.code), fault.try_is(), "it did not die at {at} of {fault:?}");
        became((at, fault, ends), &before, &after);
        (self, Some(step).filter(|_| at_hand))
    }

    /// The agent is away for so long that its step is given away, and tells of it when it is back: that counts for nothing.
    async fn is_away(&mut self, step: &Value, seconds: i64) {
        self.hand.goes(&self.app).await;
        Box::pin(saga_round(&self.app.app)).await.unwrap();
        self.app.app.clock.advance_seconds(seconds);
        Box::pin(saga_round(&self.app.app)).await.unwrap();
        self.hand.comes_back(wire::PROTOCOL, &[(step, false)]).await;
        let late = json!({ "end": "failed", "code": "not_ours", "reason": "as the test says", "effect": "proved" });
        self.hand.tell(step, late).await;
    }

    /// How the saga of a step stands, and the try.
    async fn stands(&self, step: &Value) -> (Saga, Step) {
        let db = self.app.app.db.read();
        let id = SagaStepId(step["task"].as_i64().unwrap());
        let tried = saga_step::Entity::find_by_id(id).one(db).await.unwrap().unwrap();
        let saga = saga::Entity::find_by_id(tried.saga_id).one(db).await.unwrap().unwrap();
        (saga, tried)
    }
}

/// Whether a saga has become what it has to.
fn became((at, fault, ends): Cell, before: &Saga, after: &Saga) {
    let told = format!("{at}: {fault:?} does not end as {ends:?}: {before:?} became {after:?}");
    let is_same = (after.placement_id, after.cards) == (before.placement_id, before.cards);
    let is_so = match ends {
        Ends::GoesOn => {
            let has_ended = match after.state {
                SagaState::Running | SagaState::GoingBack | SagaState::Done => false,
                // One that goes back has failed for what it goes back for.
                SagaState::Failed => before.state != SagaState::GoingBack || after.code != before.code,
                SagaState::Waiting | SagaState::Held | SagaState::Cancelled => true,
            };
            is_same && !has_ended
        }
        Ends::NextCard => {
            let goes_on = matches!(after.state, SagaState::Waiting | SagaState::Running);
            goes_on && after.cards == before.cards + 1 && after.placement_id != before.placement_id
        }
        Ends::Over => after.state == SagaState::Failed && after.code == fault.code(),
        Ends::Stays => {
            let goes_back = matches!(after.state, SagaState::GoingBack | SagaState::Failed | SagaState::Held);
            is_same && goes_back && after.code == fault.code()
        }
        Ends::Afresh => is_same && (after.state, after.step) == (SagaState::Running, StepName::Packages),
        Ends::Asked => {
            let asks = (after.state, &*after.code) == (SagaState::Held, "older_copy");
            asks && after.placement_id.is_none() && after.cards == before.cards
        }
        Ends::Held => is_same && after.state == SagaState::Held && after.code == fault.code(),
    };
    assert!(is_so, "{told}");
}

async fn open_steps(app: &TestApp) -> Vec<Step> {
    let open = saga_step::Column::State.is_in([StepState::Waiting, StepState::Running]);
    saga_step::Entity::find().filter(open).all(app.app.db.read()).await.unwrap()
}
