//! Phones that leave their cards by rule, with a test that acts as the agent: which, when, why, and not faster than anybody could
//! look.

use base::owned::Owned;
use entity::phone::{Life, UseType};
use entity::phone_session::SessionEnd;
use entity::rule_value::{self, RuleField, RuleScope, YearCardOffline};
use entity::saga::{self, SagaKind, SagaState};
use entity::webhook_delivery;
use phones::stream::id::StreamId;
use phones::stream::{Ended, end};
use phones::{pass, saga_round};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;

use super::apps::next_phone;
use super::cleared::{profile, try_out};
use super::connect_steps::{application, connects};
use super::copy_steps::on;
use super::lost_steps::passes;
use super::off_steps::{goes_off, is_copied, take_off};
use super::put_on::row;
use super::stream_steps::{stays, uses};

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
/// A test takes some time by itself: so many seconds before and after a limit it is far enough from it.
const SOME: i64 = 45;

/// Goes on to the next noon in Shanghai: no test depends on when it runs.
pub async fn noon(app: &TestApp) {
    let day = 86_400;
    let now = app.app.clock.now().millis() / 1_000 + 8 * HOUR;
    app.app.clock.advance_seconds((12 * HOUR - now).rem_euclid(day));
}

/// From now on this holds for everybody.
pub async fn rule(app: &TestApp, field: RuleField, value: i64) {
    let tx = app.app.db.begin_write().await.unwrap();
    let all = rule_value::Entity::delete_many().filter(rule_value::Column::Field.eq(field));
    all.exec(&*tx).await.unwrap();
    let row = rule_value::ActiveModel {
        scope: Set(RuleScope::Everybody),
        id: Set(0),
        field: Set(field),
        value: Set(value),
        room_id: Set(None),
        at: Set(app.app.clock.now()),
        by_name: Set("admin".to_owned()),
    };
    rule_value::Entity::insert(row).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// Who is idle for a minute leaves.
pub async fn short(app: &TestApp) {
    rule(app, RuleField::ReconnectGrace, 1).await;
    rule(app, RuleField::IdleMinutes, 1).await;
}

/// From noon on in so many minutes the night begins, for an hour.
pub async fn night_in(app: &TestApp, minutes: i64) {
    let from = 12 * 60 + minutes;
    rule(app, RuleField::NightClose, from * 1440 + from + 60).await;
}

/// A stream is over, as its gateway says.
pub async fn is_over(app: &TestApp, stream: StreamId) {
    let (mut tx, now) = (app.app.db.begin_write().await.unwrap(), app.app.clock.now());
    end(&app.app, &mut tx, Owned::everybodys(), &[Ended { stream, at: now }], now).await.unwrap();
    tx.commit().await.unwrap();
}

/// The take-offs that nobody has asked for, oldest first.
pub async fn begun(app: &TestApp) -> Vec<saga::Model> {
    let all = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::TakeOff));
    let all = all.filter(saga::Column::OperationId.is_null()).order_by_asc(saga::Column::Id);
    all.all(app.app.db.read()).await.unwrap()
}

/// Why phones leave, in the order in which they do.
pub async fn whys(app: &TestApp) -> Vec<SessionEnd> {
    begun(app).await.iter().map(|saga| saga.cause.unwrap()).collect()
}

pub async fn run(app: &TestApp, statement: &str) {
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(statement).await.unwrap();
    tx.commit().await.unwrap();
}

/// Four phones are taken off, which is as many as are stopped at once; a fifth, this one, leaves by rule, and waits for its turn.
pub async fn fifth_waits(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64) {
    let (hand, phones) = Box::pin(on(app, clerk, 5)).await;
    for phone in &phones[..4] {
        take_off(app, clerk, *phone).await;
    }
    saga_round(&app.app).await.unwrap();
    short(app).await;
    passes(app, MINUTE + 15).await;
    let waits = begun(app).await;
    assert_eq!((waits.len(), waits[0].phone_id.0, waits[0].state), (1, phones[4], SagaState::Waiting));
    (hand, phones[4])
}

/// An application is told of everything from now on.
async fn is_told(app: &TestApp, by: i64) {
    let row = format!("({by}, 'https://hooks.example.com/', 4092, 'SKYH1', TRUE, 0, 0)");
    let columns = "app_id, url, events, key_code, is_enabled, created_at, updated_at";
    run(app, &format!("INSERT INTO webhook ({columns}) VALUES {row}")).await;
}

/// What it is told, oldest first.
async fn told(app: &TestApp) -> Vec<Value> {
    let rows = webhook_delivery::Entity::find().order_by_asc(webhook_delivery::Column::Id);
    let rows = rows.all(app.app.db.read()).await.unwrap();
    rows.iter().map(|row| serde_json::from_str(&row.payload).unwrap()).collect()
}

db_test! {
    async fn a_phone_that_nobody_uses_leaves_and_it_is_said_why(db) {
        let app = TestApp::counting(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        is_told(&app, application(&clerk).await.0).await;
        passes(&app, HOUR).await;
        assert!(whys(&app).await.is_empty(), "where that is no limit nobody leaves");
        rule(&app, RuleField::IdleMinutes, 90).await;
        passes(&app, 30 * MINUTE - SOME).await;
        assert!(whys(&app).await.is_empty(), "not before that");
        passes(&app, SOME).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle]);
        is_copied(&app, &mut hand, "boot-1", 'a').await;
        hand.does(&app, "verify").await;
        assert_eq!(row(&app, phones[0]).await.use_type, UseType::On, "not before its copy is sealed");
        hand.does(&app, "still").await;
        assert_eq!(row(&app, phones[0]).await.use_type, UseType::Off);
        assert_eq!(stays(&app).await[0].why, Some(SessionEnd::Idle));
        let counted = String::from_utf8(app.metrics().await.bytes).unwrap();
        for line in [r#"skyrack_phones_taken_off_total{cause="idle"}"#, r#"skyrack_phone_sagas_ended_total{kind="take_off",outcome="done"}"#] {
            assert!(counted.contains(line), "{line}: {counted}");
        }
        let all = told(&app).await;
        let [off] = &all[..] else { panic!("once: {all:?}") };
        assert_eq!((&off["type"], &off["data"]["why"], &off["data"]["useType"]), (&json!("phone.off"), &json!("idle"), &json!(2)));
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        let seen = clerk.get(&format!("/api/phone/v1/phones/{}/sagas", phones[0])).await.data();
        let left = seen.as_array().unwrap().iter().find(|saga| saga["kind"] == 6).unwrap();
        assert_eq!((&left["cause"], &left["createdBy"]), (&json!(11), &json!("")), "{left}");
        passes(&app, HOUR).await;
        assert_eq!(whys(&app).await.len(), 1, "once");
    }

    async fn who_has_used_a_phone_may_come_back_for_a_while_and_who_is_about_to_is_waited_for(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phones[0]).await;
        rule(&app, RuleField::IdleMinutes, 1).await;
        passes(&app, HOUR).await;
        assert!(whys(&app).await.is_empty(), "somebody uses it");
        is_over(&app, stream).await;
        passes(&app, 5 * MINUTE - SOME).await;
        assert!(whys(&app).await.is_empty(), "within the grace");
        // Somebody has a ticket in the last moment.
        connects(&app, by, phones[0]).await.1.unwrap();
        passes(&app, SOME + 15).await;
        assert!(whys(&app).await.is_empty(), "somebody is about to come");
        run(&app, "UPDATE connect SET state = 4, ticket_hash = NULL, until = NULL, ended_at = 1").await;
        passes(&app, 15).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle]);
    }

    async fn a_phone_that_is_used_again_before_its_turn_stays(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, fifth) = Box::pin(fifth_waits(&app, &clerk)).await;
        let now = app.app.clock.now().millis();
        run(&app, &format!("UPDATE phone_session SET stream_at = {now} WHERE phone_id = {fifth}")).await;
        hand.fails(&app, "packages", "wrong_store", "neverBegan").await;
        saga_round(&app.app).await.unwrap();
        let over = begun(&app).await.remove(0);
        assert_eq!((over.state, &*over.code, over.cause), (SagaState::Cancelled, "came_back", Some(SessionEnd::Idle)));
        assert_eq!(row(&app, fifth).await.use_type, UseType::On);
    }

    async fn year_cards_stay_as_their_rule_says(db) {
        let app = TestApp::new(db).await;
        noon(&app).await;
        let clerk = app.admin().await;
        let (_hand, _) = Box::pin(on(&app, &clerk, 1)).await;
        run(&app, "UPDATE phone SET term = 360").await;
        short(&app).await;
        night_in(&app, 20).await;
        passes(&app, 5 * MINUTE).await;
        assert!(whys(&app).await.is_empty(), "never, if nobody has said otherwise");
        rule(&app, RuleField::YearCardOffline, YearCardOffline::AtNight.code().into()).await;
        passes(&app, 5 * MINUTE).await;
        assert!(whys(&app).await.is_empty(), "not by day");
        passes(&app, 11 * MINUTE).await;
        assert_eq!(whys(&app).await, [SessionEnd::NightClose]);
    }

    async fn year_cards_leave_like_others_where_the_rule_says_so(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, _) = Box::pin(on(&app, &clerk, 1)).await;
        run(&app, "UPDATE phone SET term = 360").await;
        short(&app).await;
        rule(&app, RuleField::YearCardOffline, YearCardOffline::AsOthers.code().into()).await;
        passes(&app, MINUTE + 15).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle]);
    }

    async fn what_was_bought_for_a_year_is_known(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        assert_eq!(row(&app, phones[0]).await.term, 30);
        let body = json!({ "selection": { "ids": [phones[0]] }, "days": 365 });
        clerk.post("/api/phone/v1/phones/renew", body).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(row(&app, phones[0]).await.term, 365);
    }

    async fn a_phone_that_has_expired_leaves(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        passes(&app, 15).await;
        let past = app.app.clock.now().millis() - 1;
        run(&app, &format!("UPDATE phone SET expires_at = {past}")).await;
        assert_eq!(pass(&app.app).await.unwrap().expired, 1);
        passes(&app, 15).await;
        assert_eq!(whys(&app).await, [SessionEnd::Expired]);
        goes_off(&app, &mut hand, "boot-1", 'a').await;
        let gone = row(&app, phones[0]).await;
        assert_eq!((gone.life, gone.use_type, stays(&app).await[0].why), (Life::Expired, UseType::Off, Some(SessionEnd::Expired)));
    }

    async fn of_those_who_could_leave_for_somebody_who_waits_the_one_does_that_is_idle_for_longest(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        // No other card is free.
        hand.keep(&clerk, 2).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        app.app.clock.advance_seconds(2 * MINUTE);
        let stream = uses(&app, by, phones[0]).await;
        is_over(&app, stream).await;
        passes(&app, 2 * MINUTE).await;
        assert!(whys(&app).await.is_empty(), "nobody waits, and being idle is no limit");
        connects(&app, by, next).await;
        passes(&app, 15).await;
        let all = begun(&app).await;
        assert_eq!((all.len(), all[0].phone_id.0, all[0].cause), (1, phones[1], Some(SessionEnd::Needed)));
        let waits = saga::Entity::find().filter(saga::Column::PhoneId.eq(next)).one(app.app.db.read()).await.unwrap();
        assert_eq!(all[0].rank_at, waits.unwrap().rank_at, "it has the place of whoever waits for its card");
        goes_off(&app, &mut hand, "boot-1", 'a').await;
        hand.does(&app, "clear").await;
        // Neither free nor left: it is being wiped for him, and nobody else has to leave for that.
        passes(&app, 15).await;
        passes(&app, 15).await;
        assert_eq!(begun(&app).await.len(), 1);
        hand.says(&app, "prove", "boot-2").await;
        hand.does(&app, "markClean").await;
        hand.is_put_on(&app).await;
        assert_eq!(row(&app, next).await.use_type, UseType::On);
        passes(&app, 2 * MINUTE).await;
        assert_eq!(whys(&app).await.len(), 1, "nobody else has to leave");
    }

    async fn who_an_operator_puts_on_drives_nobody_off(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        hand.keep(&clerk, 1).await;
        testroom::phone::put_on(&clerk, &[next]).await;
        fleet::operation::round(&app.app).await.unwrap();
        rule(&app, RuleField::ReconnectGrace, 1).await;
        passes(&app, 2 * MINUTE).await;
        passes(&app, 15).await;
        assert!(whys(&app).await.is_empty(), "nobody waits in front of a screen");
    }

    async fn a_rule_that_fits_everybody_takes_one_a_minute_of_a_small_pool(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, _) = Box::pin(on(&app, &clerk, 6)).await;
        app.app.clock.advance_seconds(HOUR);
        short(&app).await;
        let mut left = Vec::new();
        for _ in 0..9 {
            passes(&app, 15).await;
            left.push(begun(&app).await.len());
        }
        // The first look has a minute's, and real time passes as well.
        assert!(left[0] == 1 && left[2] == 1, "{left:?}");
        assert!((2..=3).contains(&left[5]) && (3..=4).contains(&left[8]), "{left:?}");
    }

    async fn without_a_place_for_its_copy_nobody_leaves(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, _) = Box::pin(on(&app, &clerk, 1)).await;
        short(&app).await;
        run(&app, "UPDATE store_node SET used_bytes = capacity_bytes").await;
        passes(&app, HOUR).await;
        assert!(begun(&app).await.is_empty(), "the store is full");
        run(&app, "UPDATE store_node SET used_bytes = 0").await;
        passes(&app, 15).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle]);
    }

    async fn one_whose_take_off_has_failed_is_left_alone_for_half_an_hour_and_keeps_nobody_else(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _) = Box::pin(on(&app, &clerk, 2)).await;
        app.app.clock.advance_seconds(HOUR);
        short(&app).await;
        passes(&app, 15).await;
        hand.fails(&app, "packages", "wrong_store", "neverBegan").await;
        passes(&app, MINUTE + 15).await;
        let all = begun(&app).await;
        assert_eq!((all.len(), all[0].state, &*all[0].code), (2, SagaState::Failed, "wrong_store"));
        assert_ne!(all[0].phone_id, all[1].phone_id, "the next one leaves");
        hand.fails(&app, "packages", "wrong_store", "neverBegan").await;
        passes(&app, 30 * MINUTE - 3 * MINUTE).await;
        assert_eq!(begun(&app).await.len(), 2, "not before half an hour");
        passes(&app, 4 * MINUTE).await;
        assert_eq!(begun(&app).await.len(), 3);
    }

    async fn a_preview_says_how_many_would_leave_now(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 3)).await;
        app.app.clock.advance_seconds(HOUR);
        let clerk = clerk.again().await;
        let by = application(&clerk).await;
        uses(&app, by, phones[0]).await;
        // As clocks in Shanghai show it.
        let now = app.app.clock.now().millis() / 60_000 + 480;
        let time = |minute: i64| format!("{:02}:{:02}", minute.rem_euclid(1_440) / 60, minute % 60);
        let night = |from: i64| json!({ "from": time(now + from), "to": time(now + from + 120) });
        for (values, leave, used) in [
            (json!({ "idleMinutes": 1 }), 2, 0),
            (json!({ "idleMinutes": 70 }), 0, 0),
            (json!({ "idleMinutes": 0, "nightClose": night(-60) }), 3, 1),
            (json!({ "idleMinutes": 0, "nightClose": night(60) }), 0, 0),
            (json!({ "idleMinutes": 0, "longestSession": 1 }), 1, 1),
            (json!({ "idleMinutes": 0, "head": 7 }), 0, 0),
        ] {
            let told = clerk.post("/api/phone/v1/rules/preview", json!({ "scope": 1, "version": 0, "values": values })).await.data();
            assert_eq!((&told["leave"], &told["inUse"], &told["phones"]), (&json!(leave), &json!(used), &json!(3)), "{values}");
        }
        let of = async |scope: Value| {
            let mut body = scope;
            body["version"] = json!(0);
            body["values"] = json!({ "idleMinutes": 1 });
            clerk.post("/api/phone/v1/rules/preview", body).await.data()["leave"].clone()
        };
        assert_eq!(of(json!({ "scope": 2, "plan": 2 })).await, 2);
        assert_eq!(of(json!({ "scope": 2, "plan": 3 })).await, 0, "they are of another plan");
        assert_eq!((of(json!({ "scope": 5, "phoneId": phones[0] })).await, of(json!({ "scope": 5, "phoneId": phones[1] })).await), (json!(0), json!(1)));
    }

    async fn a_wall_clock_that_is_set_takes_nobody_off(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, _) = Box::pin(on(&app, &clerk, 1)).await;
        rule(&app, RuleField::IdleMinutes, 30).await;
        passes(&app, 15).await;
        app.app.clock.jump_seconds(HOUR);
        passes(&app, 15).await;
        assert!(whys(&app).await.is_empty(), "nobody was idle for an hour");
        app.app.clock.jump_seconds(-2 * HOUR);
        passes(&app, 30 * MINUTE - 2 * SOME).await;
        assert!(whys(&app).await.is_empty());
        passes(&app, 2 * SOME).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle], "and one that was set back keeps nobody");
    }

    async fn a_console_that_starts_again_goes_on_with_those_who_leave_and_takes_nobody_twice(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        app.app.clock.advance_seconds(HOUR);
        short(&app).await;
        passes(&app, 15).await;
        let before = begun(&app).await;
        assert_eq!(before.len(), 1);
        let app = app.restarted().await;
        for _ in 0..4 {
            passes(&app, 15).await;
        }
        let after = begun(&app).await;
        assert_eq!((after.len(), after[0].cause, after[0].state.is_over()), (1, Some(SessionEnd::Idle), false));
        assert!(phones.contains(&after[0].phone_id.0));
    }
}
