//! Reports of agents, and their effects.

use entity::card::{Fact, Lifecycle, NetworkStatus, Power, RunStatus};
use entity::{CardId, RoomId, card, card_event};
use fleet::{
    FINE_MINUTES, HistoryOf, Metrics, PlacePoint, Probe, Report, Session, authenticate, close_session, end_minute,
    enrol, open_session, round, take, write_history,
};
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::json;
use testapp::{Caller, HERE, TestApp};
use testkit::db_test;
use testroom::site::{CARDS, Site, fill, site};

pub async fn agent(app: &TestApp, clerk: &Caller<'_>, here: &Site) -> Session {
    let made = clerk.post("/api/fleet/v1/join-tokens", json!({ "roomId": here.room })).await.data();
    let joined = enrol(&app.app, made["token"].as_str().unwrap(), "agent-1", "3.2.1", HERE).await.unwrap().unwrap();
    let row = authenticate(&app.app, &joined.credential).await.unwrap().unwrap();
    open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap().unwrap()
}

pub fn reports(cards: &[i64], up: bool) -> Vec<Report> {
    let probe = Probe { reached: true, tcp_open: up, adb_answers: up, booted: up };
    let metrics = Metrics { cpu: 40, memory: 50, storage: 60, loss: 0, temperature: 55, latency: 3, uptime: 100 };
    cards
        .iter()
        .map(|id| Report { card: CardId(*id), probe: Some(probe), power: Some(Power::On), metrics: Some(metrics) })
        .collect()
}

/// One round in which all of these are up.
pub async fn report(app: &TestApp, session: &Session, cards: &[i64]) {
    take(&app.app, session, &reports(cards, true)).await.unwrap().unwrap();
}

/// Puts a phone on a card, as the phones' side will.
pub async fn set_occupancy(app: &TestApp, id: i64, occupancy: card::Occupancy) {
    let by = fleet::By::console();
    let turn = |row: &card::Model| Some(card::Model { occupancy, ..row.clone() });
    fleet::apply(&app.app, &[CardId(id)], &by, "test", turn).await.unwrap();
}

async fn card(app: &TestApp, id: i64) -> card::Model {
    card::Entity::find_by_id(CardId(id)).one(app.app.db.read()).await.unwrap().unwrap()
}

async fn events(app: &TestApp) -> u64 {
    card_event::Entity::find().count(app.app.db.read()).await.unwrap()
}

db_test! {
    async fn two_good_rounds_win_three_misses_lose_and_the_rest_is_not_written(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;

        let first = take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        assert_eq!((first.known, first.changed), (8, 8), "the power was unknown");
        assert_eq!(card(&app, cards[0]).await.booted, Fact::Unknown);
        take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        let row = card(&app, cards[0]).await;
        assert_eq!((row.lifecycle, row.run_status, row.network_status), (Lifecycle::Registered, RunStatus::Idle, NetworkStatus::Online));
        assert_eq!(clerk.get(&format!("{CARDS}?runStatus=1&networkStatus=1")).await.data()["total"], 8);

        let before = events(&app).await;
        for _ in 0..5 {
            assert_eq!(take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap().changed, 0);
        }
        for up in [false, false, true, false, false] {
            assert_eq!(take(&app.app, &session, &reports(&cards[..1], up)).await.unwrap().unwrap().changed, 0);
        }
        assert_eq!(events(&app).await, before, "what changes nothing is written nowhere");
        assert_eq!(take(&app.app, &session, &reports(&cards[..1], false)).await.unwrap().unwrap().changed, 1);
        let row = card(&app, cards[0]).await;
        assert_eq!((row.run_status, row.network_status), (RunStatus::Offline, NetworkStatus::Offline));
        assert!(row.booted_ok_at.is_some());
        assert_eq!(events(&app).await, before + 3);
        let view = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data();
        assert_eq!((&view["live"]["metrics"]["temperature"], &view["live"]["against"]), (&json!(55), &json!([0, 0, 0, 0])));
    }

    async fn an_agent_speaks_for_its_own_room_only(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (here, there) = (site(&clerk, 1).await, site(&clerk, 2).await);
        let foreign = fill(&clerk, &there).await;
        let session = agent(&app, &clerk, &here).await;
        for _ in 0..3 {
            let taken = take(&app.app, &session, &reports(&foreign, true)).await.unwrap().unwrap();
            assert_eq!((taken.known, taken.foreign, taken.changed), (0, 8, 0));
        }
        assert_eq!(card(&app, foreign[0]).await.reached, Fact::Unknown);
    }

    async fn cards_of_an_agent_that_stays_away_go_offline_after_the_grace_period_and_return(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;
        for _ in 0..2 {
            take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        }
        close_session(&app.app, &session).await.unwrap();
        app.app.clock.advance_seconds(59);
        round(&app.app).await.unwrap();
        assert_eq!(card(&app, cards[3]).await.network_status, NetworkStatus::Online);
        app.app.clock.advance_seconds(2);
        round(&app.app).await.unwrap();
        let row = card(&app, cards[3]).await;
        assert_eq!((row.network_status, row.run_status, row.booted), (NetworkStatus::Offline, RunStatus::Offline, Fact::Yes));
        let last = clerk.get(&format!("{CARDS}/{}/events?pageSize=1", cards[3])).await.data();
        assert_eq!(last["list"][0]["reason"], "agent disconnected");

        let session = agent(&app, &clerk, &here).await;
        for _ in 0..2 {
            take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        }
        assert_eq!(clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"], 8);
    }

    async fn a_card_that_falls_silent_is_lost_after_three_beats(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;
        for _ in 0..2 {
            take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        }
        for _ in 0..4 {
            app.app.clock.advance_seconds(10);
            take(&app.app, &session, &reports(&cards[1..], true)).await.unwrap().unwrap();
            round(&app.app).await.unwrap();
        }
        assert_eq!(card(&app, cards[0]).await.reached, Fact::No);
        assert_eq!(card(&app, cards[1]).await.reached, Fact::Yes);
    }

    async fn a_clock_that_is_set_leaves_cards_online_and_does_not_hide_silence(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;
        for _ in 0..2 {
            take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        }
        for jump in [3600, -7200] {
            app.app.clock.jump_seconds(jump);
            round(&app.app).await.unwrap();
            assert_eq!(clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"], 8, "set by {jump} s");
        }
        // An hour before it was heard last by the wall clock, and silent for three beats nevertheless.
        app.app.clock.advance_seconds(40);
        take(&app.app, &session, &reports(&cards[1..], true)).await.unwrap().unwrap();
        round(&app.app).await.unwrap();
        assert_eq!(clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"], 7);

        close_session(&app.app, &session).await.unwrap();
        app.app.clock.jump_seconds(3600);
        round(&app.app).await.unwrap();
        assert_eq!(clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"], 7, "the grace period has not passed");
        app.app.clock.jump_seconds(-3600);
        app.app.clock.advance_seconds(61);
        round(&app.app).await.unwrap();
        assert_eq!(clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"], 0);
    }

    async fn a_minute_is_kept_for_cards_hosts_and_rooms(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;
        for _ in 0..3 {
            take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        }
        let now = app.app.clock.now().millis() / 60_000 / 15 * 15;
        end_minute(&app.app, now).await.unwrap();
        end_minute(&app.app, now + 1).await.unwrap();
        let at = |minute: i64| kernel::time::UtcTime(minute * 60_000).to_rfc3339();
        let url = |scope: &str, id: i64| format!("/api/fleet/v1/metrics?scope={scope}&id={id}&startTime={}&endTime={}", at(now), at(now + 1));
        let card = clerk.get(&url("card", cards[2])).await.data();
        assert_eq!(card["card"], json!([{ "at": at(now), "reports": 3, "cpu": 40, "memory": 50, "storage": 60, "loss": 0, "temperature": 55, "latency": 3 }]));
        let room = clerk.get(&url("room", here.room)).await.data();
        assert_eq!((room["place"].as_array().unwrap().len(), &room["place"][0]["idle"], &room["place"][0]["cpu"]), (2, &json!(8), &json!(40)));
        let frame = clerk.get(&url("frame", here.frame)).await.data();
        assert_eq!((frame["place"].as_array().unwrap().len(), &frame["place"][0]["online"], &frame["place"][0]["hottest"]), (1, &json!(8), &json!(55)));
        let long = clerk.get(&format!("/api/fleet/v1/metrics?scope=room&id=1&startTime={}&endTime={}", at(now), at(now + 600_000))).await;
        assert_eq!(long.errors(), ["endTime time.rangeTooLong"]);
    }

    async fn after_three_days_a_room_keeps_the_quarters_of_an_hour(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        // A full hour: only then it is looked.
        let now = app.app.clock.now().millis() / 3_600_000 * 60;
        let edge = now - FINE_MINUTES;
        let at = |minute: i64| kernel::time::UtcTime(minute * 60_000);
        let points: Vec<_> = (edge - 20..=edge + 20).map(|minute| PlacePoint { at: at(minute), idle: 8, ..PlacePoint::default() }).collect();
        write_history(&app.app, HistoryOf::Room(RoomId(here.room)), &points).await.unwrap();
        let minutes = async || {
            let span = format!("startTime={}&endTime={}", at(edge - 20).to_rfc3339(), at(edge + 20).to_rfc3339());
            let found = clerk.get(&format!("/api/fleet/v1/metrics?scope=room&id={}&{span}", here.room)).await.data();
            let of = |point: &serde_json::Value| kernel::time::UtcTime::parse_rfc3339(point["at"].as_str().unwrap()).unwrap().millis() / 60_000 - edge;
            found["place"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(minutes().await, (-20..=20).collect::<Vec<_>>());
        end_minute(&app.app, now).await.unwrap();
        assert_eq!(minutes().await, [-15, 0].into_iter().chain(1..=20).collect::<Vec<_>>());
    }

    async fn the_points_of_the_fleet_sum_its_rooms_and_leave_out_what_nobody_saw(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let now = app.app.clock.now().millis() / 60_000 / 15 * 15;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;
        for _ in 0..3 {
            take(&app.app, &session, &reports(&cards, true)).await.unwrap().unwrap();
        }
        end_minute(&app.app, now).await.unwrap();
        let there = site(&clerk, 2).await;
        let others = fill(&clerk, &there).await;
        let second = agent(&app, &clerk, &there).await;
        for _ in 0..3 {
            take(&app.app, &second, &reports(&others, true)).await.unwrap().unwrap();
        }
        // Nobody was there at +15, and between the quarters of an hour there is no point.
        end_minute(&app.app, now + 16).await.unwrap();
        end_minute(&app.app, now + 30).await.unwrap();
        let at = |minute: i64| kernel::time::UtcTime(minute * 60_000).to_rfc3339();
        let url = |from: i64, to: i64| format!("/api/fleet/v1/points?startTime={}&endTime={}", at(from), at(to));
        let points = clerk.get(&url(now - 60, now + 59)).await.data();
        let seen = |point: &serde_json::Value| (point["at"].clone(), point["online"].clone(), point["idle"].clone(), point["unknown"].clone());
        let points: Vec<_> = points.as_array().unwrap().iter().map(seen).collect();
        assert_eq!(points, [
            (json!(at(now)), json!(8), json!(8), json!(0)),
            (json!(at(now + 30)), json!(16), json!(16), json!(0)),
        ]);
        let long = clerk.get(&url(now, now + 600_000)).await;
        assert_eq!(long.errors(), ["endTime time.rangeTooLong"]);
        let viewer = app.operator("viewer", &["dashboard:view"]).await;
        assert_eq!(viewer.get(&url(now, now + 1)).await.status(), 4003);
    }

    async fn the_settings_of_the_fleet_are_checked(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["fleetSetting:get", "fleetSetting:update"]).await;
        let mut body = keeper.get("/api/fleet/v1/settings").await.data();
        body["graceSeconds"] = 30.into();
        assert_eq!(keeper.put("/api/fleet/v1/settings", body.clone()).await.data()["graceSeconds"], 30);
        body["version"] = 1.into();
        body["heartbeatSeconds"] = 4.into();
        body["approvalAbove"] = 100_000.into();
        assert_eq!(keeper.put("/api/fleet/v1/settings", body).await.errors(), ["heartbeatSeconds integer.range", "approvalAbove integer.range"]);
        assert_eq!(keeper.get("/api/fleet/v1/settings/history").await.data()["total"], 1);
    }
}
