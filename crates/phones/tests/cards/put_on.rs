//! Phones that come on cards: over a real agent and simulated cards, and step by step with a test that acts as the agent.

use entity::card::{self, Lifecycle, Occupancy};
use entity::phone::{self, UseType};
use entity::placement::{self, Role};
use entity::saga::{self, SagaKind, SagaState};
use entity::{CardId, PhoneId, saga_step};
use phones::saga_round;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{done, get};
use testroom::phone::{PHONES, phone as new_phone, put_on};
use testroom::room::{console, dial, hear, hello, hurry, joined, run_agent, say, simulated, until, until_online};
use testroom::site::{fill, site};

/// `step attempt state code` of what was done to a phone last, oldest first.
pub async fn walked(clerk: &Caller<'_>, phone: i64) -> Vec<String> {
    let sagas = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data();
    let steps = sagas.as_array().unwrap().iter().rev().flat_map(|saga| saga["steps"].as_array().unwrap().clone());
    steps
        .map(|step| {
            format!("{} {} {} {}", step["name"], step["attempt"], step["state"], step["code"].as_str().unwrap())
        })
        .collect()
}

/// What the agent said of the steps that did not succeed.
pub async fn said(clerk: &Caller<'_>, phone: i64) -> Vec<String> {
    let sagas = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data();
    let steps = sagas.as_array().unwrap().iter().flat_map(|saga| saga["steps"].as_array().unwrap());
    steps.map(|step| step["reason"].as_str().unwrap().to_owned()).filter(|reason| !reason.is_empty()).collect()
}

pub async fn row(app: &TestApp, phone: i64) -> phone::Model {
    phone::Entity::find_by_id(PhoneId(phone)).one(app.app.db.read()).await.unwrap().unwrap()
}

pub async fn card(app: &TestApp, id: i64) -> card::Model {
    card::Entity::find_by_id(CardId(id)).one(app.app.db.read()).await.unwrap().unwrap()
}

/// The role of each stay, oldest first.
pub async fn roles(app: &TestApp) -> Vec<Role> {
    let rows = placement::Entity::find().order_by_asc(placement::Column::Id).all(app.app.db.read()).await.unwrap();
    rows.into_iter().map(|row| row.role).collect()
}

db_test! {
    async fn what_a_card_was_chosen_by_does_not_change_before_the_phone_is_on_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, _) = Box::pin(Hand::asked(&app, &clerk, 8)).await;
        let room = clerk.post("/api/fleet/v1/rooms", json!({ "name": "成都机房", "city": "成都" })).await.data()["id"].clone();
        let moves = json!({ "name": "", "roomId": room, "diskGb": 1, "remark": "" });
        let other = json!({ "selection": { "ids": [phone] }, "plan": 4 });
        // It waits for a card, and it is on its way to one.
        for _ in 0..2 {
            let refused = clerk.put(&format!("{PHONES}/{phone}"), moves.clone()).await;
            assert_eq!(refused.errors(), ["roomId phone.underWay"]);
            let made = clerk.post(&format!("{PHONES}/plan"), other.clone()).await.data();
            fleet::operation::round(&app.app).await.unwrap();
            assert_eq!(get(&clerk, &made["id"]).await["succeeded"], 0);
            saga_round(&app.app).await.unwrap();
        }
        // As if it had changed all the same: it does not come on a card that its copies would fit no more.
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE phone SET plan = 4").await.unwrap();
        tx.commit().await.unwrap();
        hand.is_put_on(&app).await;
        assert_eq!(row(&app, phone).await.use_type, UseType::Off);
        let last = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::PutOn)).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((last.state, &*last.code), (SagaState::Failed, "phone_other_board"));
    }

    async fn a_blank_phone_comes_on_a_simulated_card_over_a_real_agent(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let _work = app.work().await;
        let console = console(&app).await;
        let (room, here) = simulated(&clerk, 7, 2).await;
        let identity = joined(&app, &clerk, &console, here.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;
        until_online(&clerk, 2).await;

        let id = new_phone(&app, &clerk, here.room).await;
        let made = put_on(&clerk, &[id]).await;
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["failed"]), (&json!(1), &json!(0)), "{:?}", walked(&clerk, id).await);
        assert_eq!(walked(&clerk, id).await, ["3 1 3 ", "4 1 3 ", "7 1 3 ", "8 1 3 "]);

        let seen = clerk.get(&format!("{PHONES}/{id}")).await.data();
        assert_eq!((&seen["useType"], &seen["isBlank"], &seen["underWay"]), (&json!(1), &json!(false), &Value::Null));
        let on = seen["card"]["id"].as_i64().unwrap();
        let there = card(&app, on).await;
        assert_eq!(there.occupancy, Occupancy::InUse);
        let mark = format!("{id}.{}", row(&app, id).await.holds_id.unwrap());
        until("the card says itself whose it is", async || {
            let seen = clerk.get(&format!("/api/fleet/v1/cards/{on}")).await.data();
            seen["mark"] == mark && seen["markState"] == 4 && seen["phone"]["id"] == id
        }).await;
        let boots: u64 = room.cards.iter().map(|card| card.boots()).sum();
        assert_eq!(boots, 3, "its card restarted once");
        assert!(app.audit_trail().await.contains(&"admin phone_bound 0".to_owned()));

        let held = clerk.get(&format!("{PHONES}/{id}/coverage")).await.data();
        assert_eq!((&held["isCovered"], &held["code"]), (&json!(true), &json!("")), "{held}");
        assert!(held["found"]["kept"]["files"].as_i64() > Some(0), "{held}");

        let made = clerk.post(&format!("{PHONES}/restart"), json!({ "selection": { "ids": [id] } })).await.data();
        assert_eq!(done(&clerk, &made["id"]).await["succeeded"], 1, "{:?}", walked(&clerk, id).await);
        let boots: u64 = room.cards.iter().map(|card| card.boots()).sum();
        assert_eq!(boots, 4, "and once more");

        // It is there; another put-on has nothing to do.
        let again = put_on(&clerk, &[id]).await;
        assert_eq!(done(&clerk, &again["id"]).await["skipped"], 1);
    }

    async fn of_two_for_the_last_card_one_gets_it_and_the_other_is_next(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        hand.keep(&clerk, 1).await;
        let first = new_phone(&app, &clerk, hand.room).await;
        let body = json!({ "userId": row(&app, first).await.user_id, "plan": 2, "roomId": hand.room, "diskGb": 1, "count": 1,
            "expiresAt": app.app.clock.now().plus_seconds(86_400) });
        let second = clerk.post(PHONES, body).await.data()["firstId"].as_i64().unwrap();
        let made = put_on(&clerk, &[first, second]).await;
        let twice = put_on(&clerk, &[first]).await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &twice["id"]).await["failed"].as_i64().unwrap() + get(&clerk, &twice["id"]).await["skipped"].as_i64().unwrap(), 1);
        hand.is_put_on(&app).await;
        let seen = clerk.get(&format!("{PHONES}/{second}")).await.data()["underWay"].clone();
        assert_eq!((&seen["state"], &seen["position"]), (&json!(1), &json!(1)), "{seen}");
        let sagas = clerk.get(&format!("{PHONES}/{second}/sagas")).await.data();
        assert_eq!(sagas[0]["code"], "no_card");
        assert_eq!((roles(&app).await, row(&app, first).await.use_type), (vec![Role::Holds], UseType::On));

        // The operation is cancelled: what waits leaves the queue, what is done stays.
        clerk.post(&format!("/api/operation/v1/operations/{}/cancel", made["id"]), json!({})).await.data();
        saga_round(&app.app).await.unwrap();
        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["cancelled"], &ended["running"]), (&json!(1), &json!(1), &json!(0)), "{ended}");
        assert_eq!(row(&app, second).await.use_type, UseType::Off);
    }

    async fn a_card_that_does_not_fit_is_left_and_after_three_it_is_given_up(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, made) = Hand::asked(&app, &clerk, 8).await;
        let mut tried = Vec::new();
        for _ in 0..3 {
            let step = hand.fails(&app, "check", "not_ours", "neverBegan").await;
            tried.push(step["card"].as_i64().unwrap());
            assert_eq!(card(&app, tried[tried.len() - 1]).await.occupancy, Occupancy::Free, "nothing was done to it");
        }
        tried.dedup();
        assert_eq!(tried.len(), 3, "each time another card");
        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["failed"], roles(&app).await), (&json!(1), vec![Role::Ended; 3]), "{ended}");
        assert_eq!(row(&app, id).await.use_type, UseType::Off);
        // Nothing is left of it: it is retried as one that never ran, and goes.
        let retry = format!("/api/operation/v1/operations/{}/retry", made["id"]);
        clerk.post(&retry, json!({ "effect": 1 })).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        hand.is_put_on(&app).await;
        assert_eq!(row(&app, id).await.use_type, UseType::On);
    }

    async fn the_only_card_is_tried_again_once_it_was_cleared_and_given_up_after_three_tries(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, made) = Hand::asked(&app, &clerk, 1).await;
        for turn in 1..=3 {
            hand.does(&app, "check").await;
            // More often than that it is not claimed in one go: what was tried in the turns before does not count.
            for _ in 0..3 {
                hand.fails(&app, "claim", "adb_closed", "unknown").await;
                app.app.clock.advance_seconds(16);
            }
            hand.does(&app, "claim").await;
            hand.fails(&app, "boot", "not_ours", "neverBegan").await;
            assert_eq!(card(&app, hand.cards[0]).await.occupancy, Occupancy::Wiping);
            hand.does(&app, "unclaim").await;
            assert_eq!(card(&app, hand.cards[0]).await.occupancy, Occupancy::Free);
            let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"].clone();
            if turn == 3 {
                assert_eq!(seen, Value::Null, "it is over");
                break;
            }
            app.app.clock.advance_seconds(540);
            saga_round(&app.app).await.unwrap();
            let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"].clone();
            assert_eq!(seen["state"], 1, "it rests: {seen}");
            app.app.clock.advance_seconds(60);
        }
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["failed"], 1);
    }

    async fn a_card_that_was_only_looked_at_is_not_tried_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, _) = Hand::asked(&app, &clerk, 1).await;
        hand.fails(&app, "check", "not_ours", "neverBegan").await;
        app.app.clock.advance_seconds(3_000);
        saga_round(&app.app).await.unwrap();
        let clerk = clerk.again().await;
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"].clone();
        assert_eq!((&seen["state"], &seen["code"]), (&json!(1), &json!("no_card")), "{seen}");
    }

    async fn a_card_that_says_it_is_anothers_is_not_even_tried(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        hand.keep(&clerk, 2).await;
        let strange = json!({ "address": "10.1.0.1:5555", "serial": "SN1", "manufacturer": "瑞芯", "model": "RK3399-Card",
            "board": "RK_3399", "fingerprint": "an/image", "mark": "99.7" });
        say(&mut hand.socket, &json!({ "type": "sightings", "cards": [strange] })).await;
        until("it has said so", async || card(&app, hand.cards[0]).await.mark.as_deref() == Some("99.7")).await;
        let id = new_phone(&app, &clerk, hand.room).await;
        put_on(&clerk, &[id]).await;
        assert_eq!(hand.does(&app, "check").await["card"], hand.cards[1]);
    }

    async fn a_card_without_a_serial_gets_a_phone_once_it_has_said_it_whatever_its_model_is(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 1).await;
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE card SET serial = NULL").await.unwrap();
        tx.commit().await.unwrap();
        saga_round(&app.app).await.unwrap();
        let sagas = clerk.get(&format!("{PHONES}/{id}/sagas")).await.data();
        assert_eq!((&sagas[0]["state"], &sagas[0]["code"]), (&json!(1), &json!("no_card")));
        let other = json!({ "address": "10.1.0.1:5555", "serial": "SN1", "manufacturer": "瑞芯", "model": "RK3399-Pro",
            "board": "RK_3399", "fingerprint": "an/image", "mark": "-" });
        say(&mut hand.socket, &json!({ "type": "sightings", "cards": [other] })).await;
        until("it has said so", async || card(&app, hand.cards[0]).await.serial.is_some()).await;
        let step = hand.does(&app, "check").await;
        assert_eq!((&step["card"], &step["serial"]), (&json!(hand.cards[0]), &json!("SN1")), "{step}");
        let found = clerk.get("/api/fleet/v1/findings?kind=5").await.data();
        assert_eq!((&found["total"], &found["list"][0]["model"]), (&json!(1), &json!("RK3399-Pro")), "{found}");
    }

    async fn what_may_be_marked_is_cleared_and_the_phone_goes_to_another_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 2).await;
        hand.does(&app, "check").await;
        let lost = hand.fails(&app, "claim", "device_fail", "proved").await;
        let (first, mark) = (lost["card"].as_i64().unwrap(), lost["mark"].clone());
        assert_eq!(card(&app, first).await.occupancy, Occupancy::Wiping);
        // Both go on: the clearing of the one card, and the put-on on the other. A step each, in whichever order.
        let clearing = hand.step(&app).await;
        assert_eq!((&clearing["act"]["kind"], &clearing["card"], &clearing["mark"]), (&json!("unclaim"), &json!(first), &mark));
        hand.tell(&clearing, json!({ "end": "failed", "code": "adb_refused", "reason": "", "effect": "neverBegan" })).await;
        for kind in ["check", "claim", "boot"] {
            let step = hand.does(&app, kind).await;
            assert_ne!(step["card"], first);
        }
        let sick = hand.fails(&app, "health", "unhealthy", "neverBegan").await;
        let second = card(&app, sick["card"].as_i64().unwrap()).await;
        assert_eq!((second.lifecycle, second.fault_reason.contains("does not come up"), second.occupancy), (Lifecycle::Faulty, true, Occupancy::Wiping));
        hand.does(&app, "unclaim").await;
        assert_eq!(card(&app, second.id.0).await.occupancy, Occupancy::Free);
        // No third card: it waits, until the first one is cleared, a minute later.
        saga_round(&app.app).await.unwrap();
        assert_eq!(clerk.get(&format!("{PHONES}/{id}")).await.data()["underWay"]["state"], 1);
        app.app.clock.advance_seconds(61);
        hand.does(&app, "unclaim").await;
        assert_eq!(card(&app, first).await.occupancy, Occupancy::Free);
        assert_eq!(roles(&app).await, [Role::Ended, Role::Ended]);
    }

    async fn a_card_that_turns_out_to_be_anothers_waits_for_a_person(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 2).await;
        let first = hand.does(&app, "check").await["card"].clone();
        hand.does(&app, "claim").await;
        hand.fails(&app, "boot", "not_ours", "neverBegan").await;
        // Its clearing finds the same, and the phone goes to another card.
        let mut kinds = Vec::new();
        for _ in 0..2 {
            let step = hand.step(&app).await;
            let is_first = step["card"] == first;
            kinds.push((is_first, step["act"]["kind"].clone()));
            let why = json!({ "end": "failed", "code": "not_ours", "reason": "as the test says", "effect": "neverBegan" });
            hand.tell(&step, if is_first { why } else { json!({ "end": "succeeded" }) }).await;
        }
        kinds.sort_by_key(|(is_first, _)| !is_first);
        assert_eq!(kinds, [(true, json!("unclaim")), (false, json!("check"))]);
        for kind in ["claim", "boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert_eq!(row(&app, id).await.use_type, UseType::On);
        assert_eq!(card(&app, first.as_i64().unwrap()).await.occupancy, Occupancy::Wiping, "nobody else gets it");
        let held = saga::Entity::find().filter(saga::Column::EndedAt.is_null()).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((held.kind, held.state, &*held.code), (SagaKind::Clear, SagaState::Held, "not_ours"));
    }

    async fn a_card_that_is_only_to_be_cleared_can_be_retired(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _, _) = Hand::asked(&app, &clerk, 2).await;
        let retire = async |card: &Value| {
            let body = json!({ "selection": { "ids": [card] }, "reason": "烧毁" });
            clerk.post("/api/fleet/v1/cards/retire", body).await.data()["changed"].clone()
        };
        let first = hand.does(&app, "check").await["card"].clone();
        assert_eq!(retire(&first).await, 0, "a phone is being put on it");
        hand.fails(&app, "claim", "device_fail", "proved").await;
        hand.fails(&app, "unclaim", "adb_unreachable", "neverBegan").await;
        assert_eq!(retire(&first).await, 1, "it is to be cleared, and is away for good");
        for kind in ["check", "claim", "boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert_eq!(roles(&app).await, [Role::Ended, Role::Holds]);
        let open = saga::Entity::find().filter(saga::Column::EndedAt.is_null()).count(app.app.db.read()).await.unwrap();
        assert_eq!(open, 0, "nobody tries to clear it any more");
    }

    async fn a_phone_that_may_not_be_used_any_more_is_not_bound(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, made) = Hand::asked(&app, &clerk, 8).await;
        for kind in ["check", "claim", "boot"] {
            hand.does(&app, kind).await;
        }
        let step = hand.step(&app).await;
        clerk.post(&format!("{PHONES}/freeze"), json!({ "selection": { "ids": [id] }, "reason": "风控" })).await.data();
        hand.tell(&step, json!({ "end": "succeeded" })).await;
        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["failed"], row(&app, id).await.use_type), (&json!(1), UseType::Off), "{ended}");
        assert_eq!(roles(&app).await, [Role::Outgoing]);
        hand.does(&app, "unclaim").await;
        assert_eq!(roles(&app).await, [Role::Ended]);
    }

    async fn what_never_arrived_is_sent_again_and_a_late_word_counts_for_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 8).await;
        let given = hand.step(&app).await;
        let agent = saga_step::Entity::find().one(app.app.db.read()).await.unwrap().unwrap().agent_id.unwrap();
        assert_eq!(entity::card_busy::Entity::find().count(app.app.db.read()).await.unwrap(), 1);
        // The connection breaks; another agent of the room comes, which knows nothing of it.
        let console = console(&app).await;
        let other = joined(&app, &clerk, &console, hand.room).await;
        let mut socket = dial(&console, &other.credential).await.unwrap();
        say(&mut socket, &hello(2)).await;
        hear(&mut socket, "welcome").await;
        let old = std::mem::replace(&mut hand.socket, socket);
        drop(old);
        until("the console has noticed", async || app.app.part::<fleet::Fleet>().connected_since(agent).is_none()).await;
        saga_round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(119);
        saga_round(&app.app).await.unwrap();
        assert_eq!(walked(&clerk, id).await, ["3 1 2 "], "the first may still be at it");
        app.app.clock.advance_seconds(1);
        let again = hand.step(&app).await;
        assert_eq!((&again["card"], &again["act"]["kind"]), (&given["card"], &json!("check")));
        assert_ne!(again["task"], given["task"]);
        assert_eq!(walked(&clerk, id).await, ["3 1 5 agent_gone", "3 2 2 "]);
        // What the first one did counts for nothing.
        hand.tell(&given, json!({ "end": "failed", "code": "not_ours", "reason": "", "effect": "neverBegan" })).await;
        hand.tell(&again, json!({ "end": "succeeded" })).await;
        for kind in ["claim", "boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert_eq!(row(&app, id).await.use_type, UseType::On);
        assert_eq!(entity::card_busy::Entity::find().count(app.app.db.read()).await.unwrap(), 0);
    }

    async fn what_a_lost_agent_may_have_marked_is_cleared_whatever_the_next_one_finds(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _, _) = Hand::asked(&app, &clerk, 2).await;
        hand.does(&app, "check").await;
        let given = hand.step(&app).await;
        assert_eq!(given["act"]["kind"], "claim");
        let first = given["card"].as_i64().unwrap();
        let agent = saga_step::Entity::find().order_by_desc(saga_step::Column::Id).one(app.app.db.read()).await.unwrap().unwrap().agent_id.unwrap();
        let console = console(&app).await;
        let other = joined(&app, &clerk, &console, hand.room).await;
        let mut socket = dial(&console, &other.credential).await.unwrap();
        say(&mut socket, &hello(2)).await;
        hear(&mut socket, "welcome").await;
        drop(std::mem::replace(&mut hand.socket, socket));
        until("the console has noticed", async || app.app.part::<fleet::Fleet>().connected_since(agent).is_none()).await;
        saga_round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(120);
        // Another card answers there: it is not touched, and says nothing of the one that was.
        let again = hand.fails(&app, "claim", "wrong_card", "neverBegan").await;
        assert_eq!(again["card"], first);
        assert_eq!(card(&app, first).await.occupancy, Occupancy::Wiping, "it may carry the mark");
    }

    async fn a_card_that_restarts_and_an_agent_that_cannot_are_waited_for(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 8).await;
        let first = hand.does(&app, "check").await["card"].clone();
        let mut fails = async |kind: &str, code: &str, effect: &str, wait: i64| {
            assert_eq!(hand.fails(&app, kind, code, effect).await["card"], first, "{kind} {code}");
            saga_round(&app.app).await.unwrap();
            app.app.clock.advance_seconds(wait);
        };
        fails("claim", "agent_journal", "neverBegan", 61).await;
        fails("claim", "adb_closed", "unknown", 16).await;
        fails("claim", "interrupted", "neverBegan", 16).await;
        assert_eq!(hand.does(&app, "claim").await["card"], first);
        hand.does(&app, "boot").await;
        hand.fails(&app, "health", "adb_closed", "neverBegan").await;
        app.app.clock.advance_seconds(16);
        assert_eq!(hand.does(&app, "health").await["card"], first);
        assert_eq!((row(&app, id).await.use_type, roles(&app).await), (UseType::On, vec![Role::Holds]));
    }

    async fn a_room_whose_agent_speaks_the_older_protocol_puts_nothing_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        fill(&clerk, &here).await;
        let console = console(&app).await;
        let identity = joined(&app, &clerk, &console, here.room).await;
        let id = new_phone(&app, &clerk, here.room).await;
        put_on(&clerk, &[id]).await;
        let waits = async || {
            saga_round(&app.app).await.unwrap();
            let sagas = clerk.get(&format!("{PHONES}/{id}/sagas")).await.data();
            (sagas[0]["state"].clone(), sagas[0]["code"].clone())
        };
        assert_eq!(waits().await, (json!(1), json!("room_away")), "nobody is there, whatever it would speak");
        let mut socket = dial(&console, &identity.credential).await.unwrap();
        say(&mut socket, &hello(1)).await;
        hear(&mut socket, "welcome").await;
        assert_eq!(waits().await, (json!(1), json!("agent_too_old")));
        let open = saga::Entity::find().filter(saga::Column::EndedAt.is_null()).count(app.app.db.read()).await.unwrap();
        assert_eq!(open, 1);
    }
}
