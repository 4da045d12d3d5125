//! A test that acts as the agent of a room, step by step.

use std::collections::VecDeque;

use agent::Identity;
use entity::RoomId;
use fleet::Connections;
use phones::saga_round;
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};

use crate::phone::{phone as new_phone, put_on};
use crate::room::{Console, PATIENCE, Socket, console, dial, hear, hello, joined, said, say, until};
use crate::site::{Site, fill, site};

/// What an agent says of a copy that it has made.
pub fn made(snapshot: char) -> String {
    let id = |letter: char| letter.to_string().repeat(64);
    json!({ "snapshot": id(snapshot), "tree": id('e'), "files": 3, "read": 2, "bytes": 4_000, "added": 900, "hadParent": true,
        "still": id('d') })
    .to_string()
}

/// A room of eight cards that are up, whose agent is the test.
pub struct Hand {
    pub socket: Socket,
    /// Steps that it was given and has not begun.
    given: VecDeque<Value>,
    pub cards: Vec<i64>,
    pub room: i64,
    pub identity: Identity,
    pub console: Console,
}

impl Hand {
    pub async fn take(app: &TestApp, clerk: &Caller<'_>) -> Self {
        let here: Site = site(clerk, 1).await;
        Self::of(app, clerk, &here, 1).await
    }

    /// The same in a room that is there already, and has this number.
    pub async fn of(app: &TestApp, clerk: &Caller<'_>, here: &Site, number: u8) -> Self {
        let cards = fill(clerk, here).await;
        let console = console(app).await;
        let identity = joined(app, clerk, &console, here.room).await;
        let mut socket = dial(&console, &identity.credential).await.unwrap();
        say(&mut socket, &hello(2)).await;
        hear(&mut socket, "welcome").await;
        let probe = json!({ "reached": true, "tcpOpen": true, "adbAnswers": true, "booted": true });
        for seq in 1..=2 {
            let reports: Vec<Value> = cards.iter().map(|id| json!({ "card": id, "probe": probe })).collect();
            say(&mut socket, &json!({ "type": "reports", "seq": seq, "reports": reports })).await;
            hear(&mut socket, "taken").await;
        }
        let list = format!("/api/fleet/v1/cards?pageSize=100&roomId={}", here.room);
        until("the cards are online", async || {
            clerk.get(&format!("{list}&networkStatus=1")).await.data()["total"] == cards.len()
        })
        .await;
        let serial = |at: usize| usize::from(number - 1) * cards.len() + at;
        let seen = (1..=cards.len()).map(|at| json!({ "address": format!("10.{number}.0.{at}:5555"), "serial": format!("SN{}", serial(at)),
            "manufacturer": "瑞芯", "model": "RK3399-Card", "board": "RK_3399", "fingerprint": "an/image", "mark": "-" }));
        let seen: Vec<Value> = seen.collect();
        say(&mut socket, &json!({ "type": "sightings", "cards": seen })).await;
        until("the cards have said whose they are", async || {
            let found = clerk.get(&list).await.data();
            found["list"].as_array().unwrap().iter().all(|card| card["markState"] == 2)
        })
        .await;
        Self { socket, given: VecDeque::new(), cards, room: here.room, identity, console }
    }

    /// A hand with this many cards for phones (all of them: 8), and a blank phone that is to be put on, by an operation.
    pub async fn asked(app: &TestApp, clerk: &Caller<'_>, cards: usize) -> (Self, i64, Value) {
        let hand = Self::take(app, clerk).await;
        if cards < hand.cards.len() {
            hand.keep(clerk, cards).await;
        }
        let id = new_phone(app, clerk, hand.room).await;
        let made = put_on(clerk, &[id]).await;
        (hand, id, made)
    }

    /// Leaves this many cards for phones.
    pub async fn keep(&self, clerk: &Caller<'_>, count: usize) {
        let rest = json!({ "ids": self.cards[count..] });
        clerk.post("/api/fleet/v1/cards/flags", json!({ "selection": rest, "assignable": false })).await.data();
    }

    /// The next step.
    pub async fn step(&mut self, app: &TestApp) -> Value {
        // In a box: a long test holds many of these, and a test's thread has a small stack.
        Box::pin(saga_round(&app.app)).await.unwrap();
        while self.given.is_empty() {
            self.hear("tasks").await;
        }
        self.given.pop_front().unwrap()
    }

    /// Waits for a message of a type, within two minutes. Steps that come in between are kept: no console gives them twice.
    pub async fn hear(&mut self, kind: &str) {
        let heard = async {
            loop {
                let said = said(&mut self.socket).await;
                if said["type"] == "tasks" {
                    self.given.extend(said["tasks"].as_array().unwrap().iter().cloned());
                }
                if said["type"] == kind {
                    return;
                }
            }
        };
        tokio::time::timeout(PATIENCE, heard).await.unwrap_or_else(|_| panic!("no {kind} within two minutes"));
    }

    /// Says how a step ended, and waits until the console has written that down.
    async fn result(&mut self, result: Value) {
        say(&mut self.socket, &json!({ "type": "results", "results": [result] })).await;
        self.hear("kept").await;
    }

    pub async fn tell(&mut self, step: &Value, outcome: Value) {
        self.result(json!({ "book": "phone", "task": step["task"], "attempt": 1, "outcome": outcome })).await;
    }

    /// A step is done, and prints something.
    pub async fn done(&mut self, step: &Value, output: &str) {
        self.result(json!({ "book": "phone", "task": step["task"], "attempt": 1, "outcome": { "end": "succeeded" },
            "output": output }))
            .await;
    }

    /// Its connection breaks, and the console sees that. Steps that it was given and has not begun never arrived.
    pub async fn goes(&mut self, app: &TestApp) {
        // Whoever is gone already need not say goodbye.
        _ = self.socket.close(None).await;
        self.given.clear();
        let room = RoomId(self.room);
        until("the agent is gone", async || !app.app.part::<Connections>().rooms().contains(&room)).await;
    }

    /// It speaks another number from now on: what asks who can do a step finds the connection before no more.
    pub async fn speaks(&mut self, app: &TestApp, protocol: u32) {
        self.goes(app).await;
        self.comes_back(protocol, &[]).await;
    }

    /// It is back, speaks this protocol, and has these steps in its journal: whether each has ended.
    pub async fn comes_back(&mut self, protocol: u32, held: &[(&Value, bool)]) {
        self.socket = dial(&self.console, &self.identity.credential).await.unwrap();
        let held = held.iter().map(
            |(step, has_ended)| json!({ "book": "phone", "task": step["task"], "attempt": 1, "hasEnded": has_ended }),
        );
        let mut greeting = hello(protocol);
        greeting["held"] = held.collect();
        say(&mut self.socket, &greeting).await;
        self.hear("welcome").await;
    }

    /// It is back, and reaches a storage node that takes copies. No phone leaves for being idle.
    pub async fn stores(&mut self, app: &TestApp, clerk: &Caller<'_>, protocol: u32) {
        self.comes_back(protocol, &[]).await;
        let node = json!({ "name": "杭州-存储-01", "city": "杭州", "place": "copies", "agents": [self.identity.agent], "capacity": 9,
            "unit": "gb", "partitions": 2 });
        clerk.post("/api/storage/v1/nodes", node).await.data();
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE store_node SET state = 1, made = 2").await.unwrap();
        let never = "INSERT INTO rule_value (scope, id, field, value, at, by_name) VALUES (1, 0, 1, 0, 0, '')";
        tx.execute_unprepared(never).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The next step, which has to be this one, is done.
    pub async fn does(&mut self, app: &TestApp, kind: &str) -> Value {
        let step = Box::pin(self.step(app)).await;
        assert_eq!(step["act"]["kind"], kind, "{step}");
        self.tell(&step, json!({ "end": "succeeded" })).await;
        step
    }

    /// The next step, which has to be this one, is done. A console that was quick has given the one before already: it is
    /// called off first.
    pub async fn does_instead(&mut self, app: &TestApp, kind: &str) {
        let step = Box::pin(self.step(app)).await;
        if step["act"]["kind"] == kind {
            return self.tell(&step, json!({ "end": "succeeded" })).await;
        }
        self.hear("cancel").await;
        let called_off =
            json!({ "end": "failed", "code": "interrupted", "reason": "it was called off", "effect": "neverBegan" });
        self.tell(&step, called_off).await;
        self.does(app, kind).await;
    }

    /// The next step, which has to be this one, is done, and prints something.
    pub async fn says(&mut self, app: &TestApp, kind: &str, output: &str) {
        let step = Box::pin(self.step(app)).await;
        assert_eq!(step["act"]["kind"], kind, "{step}");
        self.done(&step, output).await;
    }

    /// The next step, which has to be this one, fails.
    pub async fn fails(&mut self, app: &TestApp, kind: &str, code: &str, effect: &str) -> Value {
        let step = Box::pin(self.step(app)).await;
        assert_eq!(step["act"]["kind"], kind, "{step}");
        self.tell(&step, json!({ "end": "failed", "code": code, "reason": "as the test says", "effect": effect }))
            .await;
        step
    }

    pub async fn is_put_on(&mut self, app: &TestApp) {
        for kind in ["check", "claim", "boot", "health"] {
            self.does(app, kind).await;
        }
    }

    /// A phone comes on a card with what its copy holds; the card.
    pub async fn comes_with_copy(&mut self, app: &TestApp) -> i64 {
        let card = self.does(app, "check").await["card"].clone();
        for kind in ["claim", "apps", "restore", "boot", "health"] {
            let step = self.does(app, kind).await;
            assert_eq!(step["card"], card, "{step}");
        }
        card.as_i64().unwrap()
    }
}
