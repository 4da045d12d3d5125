//! Rules by the clocks of rooms that are nine hours apart, with a test that acts as the agents of both.

use entity::phone_session::SessionEnd;
use entity::rule_value::RuleField;
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::{PHONES, put_on};
use testroom::room::until;
use testroom::site::{ROOMS, site};

use super::by_limit::refused;
use super::by_rule::{begun, is_over, noon, rule, run, whys};
use super::connect_steps::{application, connects};
use super::copy_steps::on;
use super::elsewhere_steps::neighbour;
use super::lost_steps::passes;
use super::put_on::row;
use super::stream_steps::uses;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;

/// A room gets a time zone.
async fn stands_in(clerk: &Caller<'_>, room: i64, zone: &str) {
    let url = format!("{ROOMS}/{room}");
    let name = clerk.get(&url).await.data()["name"].clone();
    let body = json!({ "name": name, "city": "杭州", "timeZone": zone });
    assert_eq!(clerk.put(&url, body).await.data()["timeZone"], zone);
}

/// A phone on a card of each of two rooms, and who acts as their agents. At noon in Shanghai it is one in the afternoon of the first
/// room, and four in the morning of the second one.
async fn apart(app: &TestApp, clerk: &Caller<'_>) -> ([Hand; 2], [i64; 2]) {
    let (hand, phones) = Box::pin(on(app, clerk, 1)).await;
    let there = site(clerk, 2).await;
    let mut other = Box::pin(neighbour(app, clerk, &there)).await;
    let body = json!({ "userId": row(app, phones[0]).await.user_id, "plan": 2, "roomId": there.room, "diskGb": 1,
        "expiresAt": app.app.clock.now().plus_seconds(30 * 24 * HOUR) });
    let second = clerk.post(PHONES, body).await.data()["firstId"].as_i64().unwrap();
    put_on(clerk, &[second]).await;
    fleet::operation::round(&app.app).await.unwrap();
    for _ in 0..4 {
        let step = other.step(app).await;
        other.tell(&step, json!({ "end": "succeeded" })).await;
    }
    until("it is on", async || row(app, second).await.holds_id.is_some()).await;
    stands_in(clerk, hand.room, "Asia/Tokyo").await;
    stands_in(clerk, there.room, "Africa/Abidjan").await;
    ([hand, other], [phones[0], second])
}

db_test! {
    async fn a_night_takes_phones_off_where_it_is_night(db) {
        let app = TestApp::new(db).await;
        noon(&app).await;
        let clerk = app.admin().await;
        let (_hands, phones) = Box::pin(apart(&app, &clerk)).await;
        let by = application(&clerk).await;
        // From twenty past one to twenty past two.
        let from = 13 * 60 + 20;
        rule(&app, RuleField::NightClose, from * 1440 + from + 60).await;
        passes(&app, 15 * MINUTE).await;
        assert!(whys(&app).await.is_empty(), "it is day in both");
        passes(&app, 10 * MINUTE).await;
        assert_eq!(whys(&app).await, [SessionEnd::NightClose], "in one of them");
        assert_eq!(begun(&app).await[0].phone_id.0, phones[0]);
        assert_eq!(refused(&app, by, phones[0]).await, "night_close");
        connects(&app, by, phones[1]).await.1.unwrap();
        // Whoever had a ticket has not come, and nine hours later it is night in the other one.
        run(&app, "UPDATE connect SET state = 4, ticket_hash = NULL, until = NULL, ended_at = 1").await;
        passes(&app, 9 * HOUR).await;
        assert_eq!(begun(&app).await.last().map(|saga| saga.phone_id.0), Some(phones[1]));
        assert_eq!(whys(&app).await.last(), Some(&SessionEnd::NightClose));
    }

    async fn the_hours_of_a_day_begin_anew_at_four_by_the_clocks_of_the_room(db) {
        let app = TestApp::new(db).await;
        noon(&app).await;
        let clerk = app.admin().await;
        let (_hands, phones) = Box::pin(apart(&app, &clerk)).await;
        let by = application(&clerk).await;
        rule(&app, RuleField::DailyHours, 1).await;
        // Two in the morning of the first room, five in the afternoon of the second one.
        passes(&app, 13 * HOUR).await;
        let mut streams = Vec::new();
        for phone in phones {
            streams.push(uses(&app, by, phone).await);
        }
        passes(&app, 61 * MINUTE).await;
        for stream in streams {
            is_over(&app, stream).await;
        }
        for phone in phones {
            assert_eq!(refused(&app, by, phone).await, "daily_hours");
        }
        passes(&app, HOUR).await;
        connects(&app, by, phones[0]).await.1.unwrap();
        assert_eq!(refused(&app, by, phones[1]).await, "daily_hours", "it is seven in the evening there");
        passes(&app, 8 * HOUR + 30 * MINUTE).await;
        assert_eq!(refused(&app, by, phones[1]).await, "daily_hours");
        passes(&app, HOUR).await;
        connects(&app, by, phones[1]).await.1.unwrap();
    }

    async fn a_room_that_names_no_zone_has_the_consoles(db) {
        let app = TestApp::with(db, |config| config.time_zone = "Africa/Abidjan".to_owned()).await;
        noon(&app).await;
        let clerk = app.admin().await;
        let (hands, phones) = Box::pin(apart(&app, &clerk)).await;
        let by = application(&clerk).await;
        let from = 4 * 60;
        rule(&app, RuleField::NightClose, from * 1440 + from + 60).await;
        connects(&app, by, phones[0]).await.1.unwrap();
        stands_in(&clerk, hands[0].room, "").await;
        assert_eq!(refused(&app, by, phones[0]).await, "night_close", "four in the morning");
    }
}
