//! Stays of phones on cards: the list with its filters and totals, and the file.

use base::owned::Owned;
use entity::{OpenAppId, PhoneId, phone_session, placement};
use phones::connect::{By, ask, draw, find, opened, spend};
use phones::pass;
use sea_orm::{ConnectionTrait as _, EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;

use super::connects::application;
use super::{DAY, PHONES, check_counters, id, make, put_on, world};

const SESSIONS: &str = "/api/phone/v1/sessions";

/// Somebody begins to use a phone that is on its card.
pub async fn uses(app: &TestApp, by: OpenAppId, phone: i64) {
    let (mut tx, now) = (app.app.db.begin_write().await.unwrap(), app.app.clock.now());
    let row = find(&tx, Owned::everybodys(), PhoneId(phone)).await.unwrap().unwrap();
    ask(&app.app, &mut tx, &row, By { app_id: by, name: "后台" }).await.unwrap().unwrap();
    let drawn = draw(&tx, &row, by, now).await.unwrap().unwrap();
    let found = opened(&tx, Owned::everybodys(), &drawn.ticket, now).await.unwrap().unwrap();
    spend(&app.app, &mut tx, &found, "gw-1", now).await.unwrap();
    tx.commit().await.unwrap();
}

db_test! {
    async fn stays_are_listed_counted_and_given_as_a_file(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &testapp::CODES).await;
        let (room, user) = world(&clerk).await;
        let other = id(&clerk.post("/api/fleet/v1/rooms", json!({ "name": "上海机房", "city": "上海" })).await.data());
        let ids = make(&clerk, &app, (room, user), 30, 3).await;
        let there = make(&clerk, &app, (other, user), 30, 1).await[0];
        for (phone, ip) in ids.iter().zip(["10.9.0.7", "10.9.0.8", "10.9.0.9"]) {
            put_on(&app, &clerk, room, *phone, ip).await;
        }
        put_on(&app, &clerk, other, there, "10.9.1.7").await;
        let gone = json!({ "selection": { "ids": [ids[2]] }, "reason": "退订" });
        clerk.post(&format!("{PHONES}/release"), gone).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(8 * DAY);
        assert_eq!(pass(&app.app).await.unwrap().erased, 1);
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        let by = application(&clerk).await;
        uses(&app, by, ids[0]).await;

        let phone = clerk.get(&format!("{PHONES}/{}", ids[1])).await.data();
        let (card, code) = (phone["card"]["id"].clone(), phone["code"].as_str().unwrap().to_owned());
        for (filter, total) in [
            (String::new(), 4),
            ("isOn=true".to_owned(), 3),
            ("isOn=false".to_owned(), 1),
            ("isUsed=true".to_owned(), 1),
            ("isUsed=false".to_owned(), 3),
            ("isOn=true&isUsed=false".to_owned(), 2),
            ("isOn=false&isUsed=true".to_owned(), 0),
            (format!("roomId={room}"), 3),
            (format!("roomId={other}"), 1),
            (format!("roomId={room}&isOn=true"), 2),
            ("roomId=987654321".to_owned(), 0),
            (format!("phoneId={}", ids[1]), 1),
            (format!("phoneId={}&roomId={room}", ids[1]), 1),
            (format!("phoneId={}&roomId={other}", ids[1]), 0),
            (format!("cardId={card}"), 1),
            (format!("keyWord={code}"), 1),
            ("keyWord=10.9.1.7".to_owned(), 1),
            ("keyWord=no-such-thing".to_owned(), 0),
            ("why=4".to_owned(), 1),
            ("why=11".to_owned(), 0),
            (format!("why=4&roomId={other}"), 0),
            (format!("why=4&phoneId={}", ids[2]), 1),
            ("byRule=true".to_owned(), 0),
            ("byRule=false".to_owned(), 4),
            ("why=4&byRule=true".to_owned(), 0),
            ("isOn=true&byRule=false".to_owned(), 3),
            ("leftStart=2099-01-01T00:00:00Z".to_owned(), 0),
            ("leftStart=2001-01-01T00:00:00Z".to_owned(), 1),
            ("leftEnd=2001-01-01T00:00:00Z".to_owned(), 0),
            (format!("leftStart=2001-01-01T00:00:00Z&roomId={room}&why=4&byRule=false"), 1),
            (format!("leftStart=2001-01-01T00:00:00Z&roomId={other}"), 0),
            ("startTime=2099-01-01T00:00:00Z".to_owned(), 0),
            ("startTime=2001-01-01T00:00:00Z&endTime=2099-01-01T00:00:00Z".to_owned(), 4),
        ] {
            let page = clerk.get(&format!("{SESSIONS}?{filter}")).await.data();
            let listed = page["list"].as_array().unwrap().len();
            assert_eq!((&page["total"], listed), (&json!(total), total), "{filter}");
            let file = clerk.get(&format!("{SESSIONS}/file?format=csv&{filter}")).await.table();
            assert_eq!(file.len() - 1, total, "the file of {filter}");
        }
        let wrong = clerk.get(&format!("{SESSIONS}?leftStart=2026-11-02T00:00:00Z&leftEnd=2026-11-01T00:00:00Z")).await;
        assert_eq!(wrong.errors(), ["leftEnd time.endBeforeStart"]);
        let all = clerk.get(SESSIONS).await.data()["list"].as_array().unwrap().clone();
        let of = |phone: i64| all.iter().find(|row| row["phone"]["id"] == phone).unwrap();
        let erased = of(ids[2]);
        assert_eq!((&erased["why"], &erased["streams"], &erased["app"]), (&json!(4), &json!(0), &Value::Null), "{erased}");
        assert!(erased["onS"].as_i64().unwrap() >= 8 * DAY && erased["endedAt"].is_string(), "{erased}");
        let used = of(ids[0]);
        assert_eq!((&used["streams"], &used["app"]["name"], &used["gateway"]), (&json!(1), &json!("后台"), &json!("gw-1")), "{used}");
        assert_eq!((&used["waitS"], &used["user"]["name"]), (&Value::Null, &json!("张三丰")), "nobody is known to have waited");
        check_counters(&app).await;
    }

    async fn phones_that_were_on_cards_before_stays_were_written_get_theirs(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &testapp::CODES).await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 3).await;
        for (phone, ip) in ids.iter().zip(["10.9.0.7", "10.9.0.8"]) {
            put_on(&app, &clerk, room, *phone, ip).await;
        }
        // As it was before: one has none, and nobody has counted the others.
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared(&format!("DELETE FROM phone_session WHERE phone_id = {}", ids[0])).await.unwrap();
        let change = include_str!("../../../migration/src/sql/m20261129_000030_by_rule.sql");
        let (_, moved) = change.split_once("-- Phones that were on cards before").unwrap();
        let moved: String = moved.lines().skip(1).filter(|line| !line.starts_with("--")).map(|line| format!("{line}\n")).collect();
        for statement in moved.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
            tx.execute_unprepared(statement).await.unwrap();
        }
        tx.commit().await.unwrap();
        let all = phone_session::Entity::find().order_by_asc(phone_session::Column::Id).all(app.app.db.read()).await.unwrap();
        let mut phones: Vec<i64> = all.iter().map(|stay| stay.phone_id.0).collect();
        phones.sort_unstable();
        assert_eq!(phones, ids[..2], "each once, and none for one that is off");
        let late = all.last().unwrap();
        let stay = placement::Entity::find_by_id(late.placement_id).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((late.phone_id.0, late.card_id, late.began_at), (ids[0], stay.card_id, stay.began_at));
        assert_eq!((&*late.board, late.room_id.0, late.ended_at, late.streams), ("RK_3399", room, None, 0));
        check_counters(&app).await;
        assert_eq!(clerk.get(&format!("{SESSIONS}?isOn=true")).await.data()["total"], 2);
    }
}
