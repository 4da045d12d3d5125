//! Gateways that tell nothing of their streams, with a test that acts as the agent: nobody is taken off for that, nobody's wait runs
//! out, people see it, and it goes on when they speak again.

use base::owned::Owned;
use entity::phone_session::SessionEnd;
use entity::rule_value::RuleField;
use entity::saga::SagaState;
use entity::{OpenAppId, PhoneId, RoomId};
use phones::connect::{Seen, owned, round, seen};
use phones::saga_round;
use phones::stream::id::StreamId;
use phones::stream::{Order, Silences, silent_gateways};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::apps::next_phone;
use super::by_rule::{begun, rule, run, short, whys};
use super::connect_steps::{application, connects};
use super::copy_steps::on;
use super::lost_steps::passes;
use super::off_steps::take_off;
use super::stream_steps::{told, uses};

const ADDRESSES: &str = "/api/platform/v1/service-addresses";
const MINUTE: i64 = 60;

/// So many minutes pass, and the console looks meanwhile.
async fn minutes(app: &TestApp, count: usize) {
    for _ in 0..count {
        passes(app, MINUTE).await;
    }
}

/// The gateway names its streams.
async fn names(app: &TestApp, streams: &[StreamId]) {
    for stream in streams {
        told(app, *stream).await;
    }
}

fn stands_still(app: &TestApp, room: i64) -> bool {
    app.app.part::<Silences>().stands_still(RoomId(room))
}

/// What the address book and the dashboard say of the only gateway.
async fn told_of(clerk: &Caller<'_>) -> (Value, Option<Value>) {
    let book = clerk.get(ADDRESSES).await.data();
    let all = clerk.get("/api/general/v1/attention").await.data();
    let is_it = |concern: &&Value| concern["key"].as_str().unwrap().starts_with("gatewaySilent-");
    (book["list"][0]["silence"].clone(), all.as_array().unwrap().iter().find(is_it).cloned())
}

/// What Prometheus reads of the only gateway.
async fn gauge(app: &TestApp, name: &str) -> String {
    let answer = app.metrics().await;
    let text = String::from_utf8(answer.bytes).unwrap();
    let line = text.lines().find(|line| line.starts_with(&format!("{name}{{gateway=\"gw-1\","))).unwrap();
    line.rsplit_once(' ').unwrap().1.to_owned()
}

/// Somebody waits for a phone for so many seconds, and is heard of; the gateway names these streams. What he is told then.
async fn waits(app: &TestApp, by: OpenAppId, phone: i64, (seconds, streams): (i64, &[StreamId])) -> Seen {
    let mut last = Seen::Nobody;
    for _ in 0..seconds / 20 {
        names(app, streams).await;
        passes(app, 20).await;
        let db = app.app.db.read();
        let row = owned(db, Owned::everybodys(), PhoneId(phone)).await.unwrap().unwrap();
        last = seen(&app.app, db, &row, by).await.unwrap();
        round(&app.app).await.unwrap();
    }
    last
}

db_test! {
    async fn while_a_gateway_is_silent_nobody_is_taken_off_and_everybody_is_told(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 4)).await;
        let gateway = json!({ "name": "gw-1", "roomId": hand.room, "kind": 1, "host": "gw.example.com", "port": 8443, "weight": 1 });
        clerk.post(ADDRESSES, gateway).await.data();
        let by = application(&clerk).await;
        let streams = [uses(&app, by, phones[0]).await, uses(&app, by, phones[1]).await];
        names(&app, &streams).await;
        passes(&app, 15).await;
        assert!(!stands_still(&app, hand.room));
        assert_eq!((told_of(&clerk).await, gauge(&app, "skyrack_gateway_silent").await), ((Value::Null, None), "0".to_owned()));
        minutes(&app, 3).await;
        assert!(stands_still(&app, hand.room));
        short(&app).await;
        minutes(&app, 10).await;
        assert!(whys(&app).await.is_empty(), "two are idle for long, and nobody knows what else is wrong there");
        run(&app, &format!("UPDATE phone SET life = 3, frozen_reason = '欠费' WHERE id = {}", phones[3])).await;
        passes(&app, MINUTE).await;
        let said = begun(&app).await;
        assert_eq!((said.len(), said[0].cause, said[0].phone_id), (1, Some(SessionEnd::NotAllowed), PhoneId(phones[3])));
        assert_eq!(said[0].state, SagaState::Running, "an operator has said so");

        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        let (silence, concern) = told_of(&clerk).await;
        assert_eq!(
            (&silence["streams"], &silence["silent"], &silence["standsStill"]),
            (&json!(2), &json!(2), &json!(true)),
            "{silence}"
        );
        let concern = concern.unwrap();
        assert_eq!((&concern["urgent"], &concern["since"]), (&json!(true), &silence["since"]), "{concern}");
        assert!(concern["title"].as_str().unwrap().contains("gw-1"), "{concern}");
        assert_eq!(gauge(&app, "skyrack_gateway_silent").await, "1");
        assert_eq!(gauge(&app, "skyrack_gateway_streams_silent").await, "2");

        names(&app, &streams).await;
        passes(&app, MINUTE).await;
        assert_eq!(whys(&app).await, [SessionEnd::NotAllowed, SessionEnd::Idle], "it goes on");
        assert_eq!(begun(&app).await[1].phone_id, PhoneId(phones[2]));
        assert_eq!((told_of(&clerk).await, gauge(&app, "skyrack_gateway_silent").await), ((Value::Null, None), "0".to_owned()));
    }

    async fn who_cannot_be_warned_is_not_cut_off_and_stops_nobody_elses_room(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phones[0]).await;
        rule(&app, RuleField::LongestSession, 1).await;
        short(&app).await;
        assert!(matches!(told(&app, stream).await, Order::Warn(_)));
        passes(&app, 15).await;
        minutes(&app, 11).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle], "the other one, that nobody uses");
        assert_eq!(begun(&app).await[0].phone_id, PhoneId(phones[1]));
        assert!(!stands_still(&app, hand.room));
        let silence = silent_gateways(&app.app)[0].silence;
        assert_eq!((silence.streams, silence.silent, silence.stands_still), (1, 1, false));

        // Its gateway is there again: he is warned anew.
        for _ in 0..4 {
            assert!(matches!(told(&app, stream).await, Order::Warn(_)));
            passes(&app, MINUTE).await;
        }
        assert!(matches!(told(&app, stream).await, Order::Warn(_)));
        passes(&app, MINUTE + 1).await;
        assert_eq!(told(&app, stream).await, Order::End("longest_session"));
        assert_eq!(whys(&app).await.len(), 1, "the gateway has a minute");
        passes(&app, MINUTE).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle, SessionEnd::LongestSession]);
    }

    async fn while_a_gateway_is_silent_nobodys_wait_runs_out(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        // No other card is free.
        hand.keep(&clerk, 2).await;
        rule(&app, RuleField::QueueWait, 2).await;
        let streams = [uses(&app, by, phones[0]).await, uses(&app, by, phones[1]).await];
        names(&app, &streams).await;
        passes(&app, 15).await;
        minutes(&app, 3).await;
        assert!(stands_still(&app, hand.room));
        round(&app.app).await.unwrap();
        assert!(matches!(connects(&app, by, next).await.0, Seen::Queued { .. }));
        let now = waits(&app, by, next, (400, &[])).await;
        assert!(matches!(now, Seen::Queued { .. }), "nobody could leave for him: {now:?}");
        names(&app, &streams).await;
        passes(&app, 15).await;
        assert!(!stands_still(&app, hand.room));
        let now = waits(&app, by, next, (40, &streams)).await;
        assert!(matches!(now, Seen::Queued { .. }), "that did not count: {now:?}");
        let now = waits(&app, by, next, (120, &streams)).await;
        assert!(matches!(&now, Seen::Failed(code) if code == "queue_timeout"), "{now:?}");
    }

    async fn a_take_off_that_waits_for_its_turn_waits_for_the_gateway_too(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 7)).await;
        let by = application(&clerk).await;
        // As many as are stopped at once: one more waits for its turn.
        for phone in &phones[..4] {
            take_off(&app, &clerk, *phone).await;
        }
        saga_round(&app.app).await.unwrap();
        let streams = [uses(&app, by, phones[4]).await, uses(&app, by, phones[5]).await];
        names(&app, &streams).await;
        short(&app).await;
        passes(&app, MINUTE + 15).await;
        let waiting = begun(&app).await;
        assert_eq!((waiting.len(), waiting[0].phone_id.0, waiting[0].state), (1, phones[6], SagaState::Waiting));
        minutes(&app, 2).await;
        assert!(stands_still(&app, hand.room));
        hand.fails(&app, "packages", "wrong_store", "neverBegan").await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(begun(&app).await[0].state, SagaState::Waiting, "there is a place for it");
        names(&app, &streams).await;
        passes(&app, 15).await;
        assert_eq!(begun(&app).await[0].state, SagaState::Running);
    }

    async fn after_a_restart_nobody_is_taken_off_before_gateways_were_heard(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let streams = [uses(&app, by, phones[0]).await, uses(&app, by, phones[1]).await];
        names(&app, &streams).await;
        passes(&app, 15).await;
        assert!(!stands_still(&app, hand.room));
        let app = app.restarted().await;
        let told_of = |app: &TestApp| silent_gateways(&app.app).len();
        saga_round(&app.app).await.unwrap();
        assert_eq!((stands_still(&app, hand.room), told_of(&app)), (true, 0), "it has heard nobody yet, which is no alarm");
        passes(&app, MINUTE).await;
        assert_eq!((stands_still(&app, hand.room), told_of(&app)), (true, 0));
        passes(&app, MINUTE + 1).await;
        assert_eq!((stands_still(&app, hand.room), told_of(&app)), (true, 1));
        names(&app, &streams[..1]).await;
        passes(&app, 15).await;
        assert_eq!((stands_still(&app, hand.room), told_of(&app)), (false, 0), "one alone says nothing of its gateway");
        let silences = app.app.part::<Silences>();
        assert!(silences.is_silent(PhoneId(phones[1])) && !silences.is_silent(PhoneId(phones[0])));
    }
}
