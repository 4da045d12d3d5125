//! Cloud phones in figures: each is that of the list to which it leads, also once hours are added up, and Prometheus hears the same.

use base::owned::Owned;
use entity::phone_session::{self, SessionEnd};
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{ConnectId, PhoneId};
use kernel::time::UtcTime;
use phones::stream::beat;
use phones::stream::id::StreamId;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::connects::{application, asks, run};
use super::sessions::uses;
use super::{DAY, PHONES, make, put_on, world};

const SESSIONS: &str = "/api/phone/v1/sessions";
const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// Goes on to so many minutes after the next noon in Shanghai: no test depends on when it runs.
fn noon(app: &TestApp, minutes: i64) {
    let now = app.app.clock.now().millis() / 1_000 + 8 * HOUR;
    app.app.clock.advance_seconds((12 * HOUR - now).rem_euclid(DAY) + minutes * MINUTE);
}

/// Writes a stay like the one of `phone` that goes on, but at another time. Nobody counts it.
async fn stay(app: &TestApp, phone: i64, (asked, began, ended): (Option<UtcTime>, UtcTime, UtcTime), why: SessionEnd) {
    let tx = app.app.db.begin_write().await.unwrap();
    let of = phone_session::Entity::find().filter(phone_session::Column::PhoneId.eq(PhoneId(phone)));
    let like = of.filter(phone_session::Column::EndedAt.is_null()).one(&*tx).await.unwrap().unwrap();
    let row = phone_session::ActiveModel {
        phone_id: Set(like.phone_id),
        placement_id: Set(like.placement_id),
        card_id: Set(like.card_id),
        room_id: Set(like.room_id),
        board: Set(like.board),
        asked_at: Set(asked),
        began_at: Set(began),
        ended_at: Set(Some(ended)),
        why: Set(Some(why)),
        app_id: Set(None),
        gateway: Set(String::new()),
        streams: Set(0),
        streamed_s: Set(0),
        first_stream_at: Set(None),
        last_stream_at: Set(None),
        stream_at: Set(None),
        ..Default::default()
    };
    phone_session::Entity::insert(row).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// Writes something that was done to a phone.
pub async fn done(
    app: &TestApp,
    (room, phone): (i64, i64),
    kind: SagaKind,
    (state, code): (SagaState, &str),
    at: UtcTime,
) {
    let row = saga::ActiveModel {
        state: Set(state),
        code: Set(code.to_owned()),
        ended_at: Set(state.is_over().then_some(at)),
        ..testroom::saga::row(kind, (phone, room), StepName::Reserve, at)
    };
    testroom::saga::write(app, row).await;
}

async fn overview(clerk: &Caller<'_>) -> Value {
    clerk.get(&format!("{PHONES}/overview")).await.data()
}

async fn hours(clerk: &Caller<'_>) -> Vec<Value> {
    clerk.get(&format!("{PHONES}/hours")).await.data().as_array().unwrap().clone()
}

db_test! {
    async fn each_figure_is_that_of_the_list_to_which_it_leads(db) {
        let app = TestApp::new(db).await;
        noon(&app, 20);
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 8).await;
        make(&clerk, &app, (room, user), 5, 2).await;
        for (phone, ip) in ids.iter().zip(["10.9.0.7", "10.9.0.8", "10.9.0.9"]) {
            put_on(&app, &clerk, room, *phone, ip).await;
        }
        let by = application(&clerk).await;
        uses(&app, by, ids[0]).await;
        // No card is free for these.
        for (phone, later) in ids[3..6].iter().zip([100, 20, 10]) {
            asks(&app, by, *phone).await.unwrap();
            app.app.clock.advance_seconds(later);
        }
        let now = app.app.clock.now();
        let ago = |seconds: i64| now.plus_seconds(-seconds);
        let failed = (SagaState::Failed, "unhealthy");
        done(&app, (room, ids[6]), SagaKind::PutOn, failed, ago(HOUR)).await;
        done(&app, (room, ids[6]), SagaKind::TakeOff, failed, ago(2 * HOUR)).await;
        done(&app, (room, ids[6]), SagaKind::BackUp, failed, ago(HOUR)).await;
        done(&app, (room, ids[7]), SagaKind::TakeOff, (SagaState::Failed, "came_back"), ago(HOUR)).await;
        done(&app, (room, ids[7]), SagaKind::PutOn, (SagaState::Cancelled, ""), ago(HOUR)).await;
        done(&app, (room, ids[0]), SagaKind::PutOn, failed, ago(25 * HOUR)).await;
        done(&app, (room, ids[1]), SagaKind::Clear, (SagaState::Held, "no_profile"), ago(HOUR)).await;
        for (began, ended, why) in [
            (30 * HOUR, 25 * HOUR, SessionEnd::TakenOff),
            (25 * HOUR, 23 * HOUR, SessionEnd::Idle),
            (23 * HOUR + 30 * MINUTE, HOUR, SessionEnd::Needed),
            (2 * HOUR, 30 * MINUTE, SessionEnd::TakenOff),
            (26 * HOUR, 10 * MINUTE, SessionEnd::CardLost),
            (5 * HOUR, 3 * HOUR, SessionEnd::Idle),
            (6 * HOUR, 4 * HOUR, SessionEnd::Idle),
        ] {
            stay(&app, ids[0], (None, ago(began), ago(ended)), why).await;
        }
        // By the stays alone, and by the hours that are added up.
        for turn in 0..2 {
            let told = overview(&clerk).await;
            let figures = |names: &[&str]| names.iter().map(|name| told[*name].as_i64().unwrap()).collect::<Vec<_>>();
            assert_eq!(figures(&["all", "on", "off", "used", "noBackup"]), [10, 3, 7, 1, 3], "{turn}: {told}");
            assert_eq!(figures(&["queued", "held", "expiresSoon"]), [3, 1, 2], "{turn}: {told}");
            assert_eq!(figures(&["putOn", "left", "byRule"]), [7, 6, 3], "{turn}: {told}");
            assert_eq!(figures(&["failed", "putOnFailed", "takeOffFailed"]), [1, 1, 1], "{turn}: {told}");
            assert_eq!(told["byRules"], json!([{ "why": 11, "count": 2 }, { "why": 10, "count": 1 }]), "{turn}");
            let (median, longest) = (told["medianWaitS"].as_i64().unwrap(), told["longestWaitS"].as_i64().unwrap());
            assert!((30..90).contains(&median) && (130..190).contains(&longest), "{median} {longest}");

            let (day_ago, today) = (told["dayAgo"].as_str().unwrap(), told["today"].as_str().unwrap());
            for (figure, list, filter) in [
                ("on", PHONES, "useType=1".to_owned()),
                ("off", PHONES, "life=2&useType=2".to_owned()),
                ("noBackup", PHONES, "noBackup=true".to_owned()),
                ("queued", PHONES, "queued=true".to_owned()),
                ("held", PHONES, "held=true".to_owned()),
                ("expiresSoon", PHONES, "expiresSoon=true".to_owned()),
                ("failed", PHONES, "failed=true".to_owned()),
                ("used", SESSIONS, "isUsed=true".to_owned()),
                ("putOn", SESSIONS, format!("startTime={day_ago}")),
                ("left", SESSIONS, format!("leftStart={day_ago}")),
                ("byRule", SESSIONS, format!("byRule=true&leftStart={today}")),
            ] {
                let page = clerk.get(&format!("{list}?{filter}")).await.data();
                let rows = page["list"].as_array().unwrap().len();
                assert_eq!((&page["total"], &json!(rows)), (&told[figure], &told[figure]), "{turn}: {figure}");
            }
            phones::hours_round(&app.app).await.unwrap();
        }
        // Whatever is not waited for or has not failed is in the others.
        for (filter, total) in [("queued=false", 7), ("failed=false", 9), ("queued=true&plan=3", 0)] {
            assert_eq!(clerk.get(&format!("{PHONES}?{filter}")).await.data()["total"], total, "{filter}");
        }
    }

    async fn hours_are_added_up_once_they_are_over_and_say_the_same_as_the_stays(db) {
        let app = TestApp::new(db).await;
        noon(&app, 20);
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let phone = make(&clerk, &app, (room, user), 30, 1).await[0];
        put_on(&app, &clerk, room, phone, "10.9.0.7").await;
        // The hour that goes on began at noon; so many minutes after one that began so many hours before that.
        let begin = app.app.clock.now().millis() / 3_600_000 * 3_600_000;
        let at = |hours: i64, minutes: i64| UtcTime(begin - hours * 3_600_000 + minutes * 60_000);
        run(&app, &format!("UPDATE phone_session SET began_at = {}", at(3, 0).millis())).await;
        stay(&app, phone, (Some(at(2, 5)), at(2, 10), at(1, 20)), SessionEnd::Idle).await;
        stay(&app, phone, (Some(at(2, 29)), at(2, 30), at(2, 45)), SessionEnd::Needed).await;
        stay(&app, phone, (None, at(25, 0), at(25, 30)), SessionEnd::TakenOff).await;

        let nothing = hours(&clerk).await;
        assert!(nothing.len() == 48 && nothing.iter().all(|hour| hour["putOn"] == 0), "nothing is added up yet");
        phones::hours_round(&app.app).await.unwrap();
        let told = hours(&clerk).await;
        let of = |back: usize| {
            let hour = &told[47 - back];
            (hour["putOn"].as_i64().unwrap(), hour["waitS"].as_i64(), hour["longestWaitS"].as_i64(), hour["on"].as_i64().unwrap())
        };
        assert_eq!(told[45]["at"], json!(at(2, 0)));
        assert_eq!(of(0), (0, None, None, 1), "it goes on, and so does the phone");
        assert_eq!(of(1), (0, None, None, 1), "one for the whole hour, and one for a third of it");
        assert_eq!(of(2), (2, Some(180), Some(300), 2));
        assert_eq!(of(3), (1, None, None, 1));
        assert_eq!(of(25), (1, None, None, 1), "for half of it");
        assert_eq!(of(24), (0, None, None, 0));

        // Made anew from the stays it is the same; another look changes nothing.
        for forget in ["", "DELETE FROM pool_hour", "DELETE FROM pool_hour_until"] {
            if !forget.is_empty() {
                run(&app, forget).await;
            }
            phones::hours_round(&app.app).await.unwrap();
            let again = hours(&clerk).await;
            assert_eq!(again == told, forget != "DELETE FROM pool_hour", "{forget}");
        }

        // An hour that is over is added up some minutes later, and is right before that, too.
        for (minutes, name) in [(42, "second"), (10, "third")] {
            app.app.clock.advance_seconds(minutes * MINUTE);
            phones::hours_round(&app.app).await.unwrap();
            let later = hours(&app.signed_in(name, clerk.group.unwrap()).await).await;
            assert_eq!((&later[46]["on"], &later[44]["putOn"]), (&json!(1), &json!(2)), "{minutes}");
        }
    }

    async fn a_clock_that_was_ahead_loses_nothing(db) {
        let app = TestApp::new(db).await;
        noon(&app, 20);
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let phone = make(&clerk, &app, (room, user), 30, 1).await[0];
        put_on(&app, &clerk, room, phone, "10.9.0.7").await;
        app.app.clock.jump_seconds(5 * HOUR);
        phones::hours_round(&app.app).await.unwrap();
        app.app.clock.jump_seconds(-5 * HOUR);
        let now = app.app.clock.now();
        stay(&app, phone, (None, now.plus_seconds(-MINUTE), now), SessionEnd::Idle).await;
        phones::hours_round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(HOUR);
        phones::hours_round(&app.app).await.unwrap();
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        let told = hours(&clerk).await;
        assert_eq!(told[46]["putOn"], 2, "{told:?}");
        assert_eq!(overview(&clerk).await["putOn"], 2);
    }

    async fn figures_are_told_to_those_who_may_see_what_they_count(db) {
        let app = TestApp::new(db).await;
        let other = app.operator("other", &["dashboard:view"]).await;
        for path in ["/api/phone/v1/phones/overview", "/api/phone/v1/phones/hours", "/api/storage/v1/nodes/totals"] {
            assert_eq!(other.get(path).await.brief().1, 4003, "{path}");
        }
        let clerk = app.operator("clerk", &["phone:list", "storage:list"]).await;
        let told = overview(&clerk).await;
        assert_eq!((&told["all"], &told["medianWaitS"], &told["byRules"]), (&json!(0), &Value::Null, &json!([])));
        assert_eq!(clerk.get("/api/storage/v1/nodes/totals").await.data()["daysToFull"], Value::Null);
    }

    async fn storage_is_as_full_as_its_nodes_in_use_and_lasts_until_the_first_is_full(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        // Name, state, capacity, used, left on the disk, days: nearly full, with a small disk, out of use, full and not reached.
        for (name, state, capacity, used, free, days) in [
            ("a", 1, 100, 90, "100", "12"),
            ("b", 1, 200, 10, "30", "5"),
            ("c", 3, 5_000, 1_000, "NULL", "1"),
            ("d", 4, 10, 10, "NULL", "NULL"),
        ] {
            run(&app, &format!(
                "INSERT INTO store_node (name, city, driver, host, account, secret, place, is_tls, pin, capacity_bytes, partitions, \
                 has_snapshots, strategy, cycle_days, state, trouble, created_at, updated_at, used_bytes, free_bytes, days_to_full) \
                 VALUES ('{name}', '', 1, '', '', '', '/{name}', FALSE, '', {capacity}, 1, FALSE, 1, 1, {state}, '', 0, 0, {used}, {free}, {days})"
            )).await;
        }
        let told = clerk.get("/api/storage/v1/nodes/totals").await.data();
        let wanted = json!({ "nodes": 3, "unreachable": 1, "full": 1, "nearlyFull": 1, "usedBytes": 110, "limitBytes": 150, "daysToFull": 5 });
        assert_eq!(told, wanted);
    }

    async fn prometheus_hears_of_phones_by_room_and_of_none_by_its_code(db) {
        let app = TestApp::counting(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 5).await;
        for (phone, ip) in ids.iter().zip(["10.9.0.7", "10.9.0.8"]) {
            put_on(&app, &clerk, room, *phone, ip).await;
        }
        let by = application(&clerk).await;
        uses(&app, by, ids[1]).await;
        asks(&app, by, ids[2]).await.unwrap();
        asks(&app, by, ids[3]).await.unwrap();
        done(&app, (room, ids[0]), SagaKind::Clear, (SagaState::Held, "no_profile"), app.app.clock.now()).await;
        beat(&app.app, Owned::everybodys(), &[StreamId { connect: ConnectId(1), number: 1 }]).await.unwrap();
        let told = String::from_utf8(app.metrics().await.bytes).unwrap();
        for line in [
            r#"skyrack_phones{room="杭州机房",place="on"} 2"#,
            r#"skyrack_phones{room="杭州机房",place="off"} 3"#,
            r#"skyrack_phone_streams{room="杭州机房"} 1"#,
            r#"skyrack_phone_queue{room="杭州机房",board="RK_3399"} 2"#,
            r#"skyrack_phone_queue{room="杭州机房",board="STARPRO"} 0"#,
            r#"skyrack_phone_sagas{kind="put_on",state="waiting"} 2"#,
            r#"skyrack_phone_sagas{kind="put_on",state="running"} 0"#,
            r#"skyrack_phone_sagas{kind="clear",state="held"} 1"#,
            "# TYPE skyrack_phone_sagas gauge",
            "skyrack_stream_heartbeats_total",
        ] {
            assert!(told.contains(line), "{line}: {told}");
        }
        assert!(!told.contains("CP-00000"), "a phone is no label");
    }
}
