//! How long phones may be used, with a test that acts as the agent: whoever does is warned, ended, and comes back when the rules
//! let him.

use base::owned::Owned;
use entity::phone_session::SessionEnd;
use entity::rule_value::RuleField;
use entity::{OpenAppId, PhoneId, phone_use};
use phones::connect::{By, ask, find};
use phones::stream::Order;
use phones::stream::id::StreamId;
use sea_orm::EntityTrait as _;
use testapp::TestApp;
use testkit::db_test;

use super::by_rule::{is_over, night_in, noon, rule, whys};
use super::connect_steps::{application, connects};
use super::copy_steps::on;
use super::lost_steps::passes;
use super::stream_steps::{told, uses};

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;

/// Why nobody may connect to a phone.
pub async fn refused(app: &TestApp, by: OpenAppId, phone: i64) -> &'static str {
    let mut tx = app.app.db.begin_write().await.unwrap();
    let row = find(&tx, Owned::everybodys(), PhoneId(phone)).await.unwrap().unwrap();
    ask(&app.app, &mut tx, &row, By { app_id: by, name: "后台" }).await.unwrap().unwrap_err().code
}

/// Somebody plays on for so long, and his gateway says so: one that is silent warns nobody.
async fn plays(app: &TestApp, stream: StreamId, seconds: i64) {
    let mut left = seconds;
    while left > 0 {
        passes(app, left.min(MINUTE)).await;
        told(app, stream).await;
        left -= MINUTE;
    }
}

async fn used(app: &TestApp, phone: i64) -> phone_use::Model {
    phone_use::Entity::find_by_id(PhoneId(phone)).one(app.app.db.read()).await.unwrap().unwrap()
}

/// Whether a time that was counted is that one, give or take what a test takes by itself.
fn is_about(counted: i64, seconds: i64) -> bool {
    (seconds..seconds + 60).contains(&counted)
}

db_test! {
    async fn a_session_lasts_as_long_as_it_may_and_the_next_one_comes_ten_minutes_later(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        rule(&app, RuleField::LongestSession, 60).await;
        let first = uses(&app, by, phones[0]).await;
        passes(&app, 30 * MINUTE).await;
        assert_eq!(told(&app, first).await, Order::GoesOn);
        // Whoever connects anew goes on with the same session.
        is_over(&app, first).await;
        let stream = uses(&app, by, phones[0]).await;
        passes(&app, 24 * MINUTE).await;
        assert_eq!(told(&app, stream).await, Order::GoesOn);
        passes(&app, 2 * MINUTE).await;
        assert!(matches!(told(&app, stream).await, Order::Warn(_)));
        plays(&app, stream, 5 * MINUTE + 1).await;
        assert_eq!(told(&app, stream).await, Order::End("longest_session"));
        assert_eq!(refused(&app, by, phones[0]).await, "longest_session", "nor does another ticket help");
        is_over(&app, stream).await;
        assert_eq!(refused(&app, by, phones[0]).await, "longest_session");
        passes(&app, 9 * MINUTE).await;
        assert_eq!(refused(&app, by, phones[0]).await, "longest_session");
        passes(&app, MINUTE + 1).await;
        connects(&app, by, phones[0]).await.1.unwrap();
        assert!(whys(&app).await.is_empty(), "the phone has stayed where it is");
    }

    async fn a_limit_that_is_set_now_ends_nobody_without_a_warning_and_a_gateway_that_does_not_end_it_keeps_nobody(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phones[0]).await;
        passes(&app, 2 * HOUR).await;
        rule(&app, RuleField::LongestSession, 60).await;
        assert!(matches!(told(&app, stream).await, Order::Warn(_)), "not at once");
        plays(&app, stream, 4 * MINUTE).await;
        assert!(matches!(told(&app, stream).await, Order::Warn(_)));
        passes(&app, MINUTE + 1).await;
        assert_eq!(told(&app, stream).await, Order::End("longest_session"));
        assert!(whys(&app).await.is_empty(), "the gateway has a minute");
        passes(&app, MINUTE).await;
        assert_eq!(whys(&app).await, [SessionEnd::LongestSession]);
        hand.does(&app, "packages").await;
        assert_eq!(told(&app, stream).await, Order::End("longest_session"));
    }

    async fn the_hours_of_a_day_are_those_of_all_its_uses(db) {
        let app = TestApp::new(db).await;
        noon(&app).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        rule(&app, RuleField::DailyHours, 1).await;
        let stream = uses(&app, by, phones[0]).await;
        passes(&app, 40 * MINUTE).await;
        is_over(&app, stream).await;
        assert!(is_about(used(&app, phones[0]).await.seconds, 40 * MINUTE));
        passes(&app, 20 * MINUTE).await;
        let stream = uses(&app, by, phones[0]).await;
        passes(&app, 14 * MINUTE).await;
        assert_eq!(told(&app, stream).await, Order::GoesOn);
        passes(&app, 2 * MINUTE).await;
        assert!(matches!(told(&app, stream).await, Order::Warn(_)));
        plays(&app, stream, 5 * MINUTE + 1).await;
        assert_eq!(told(&app, stream).await, Order::End("daily_hours"));
        is_over(&app, stream).await;
        let day = used(&app, phones[0]).await;
        assert!(is_about(day.seconds, 61 * MINUTE) && is_about(day.last_s, 21 * MINUTE), "{day:?}");
        assert_eq!(refused(&app, by, phones[0]).await, "daily_hours");
        // Until four in the morning, and no longer.
        passes(&app, 14 * HOUR).await;
        assert_eq!(refused(&app, by, phones[0]).await, "daily_hours");
        passes(&app, HOUR).await;
        connects(&app, by, phones[0]).await.1.unwrap();
    }

    async fn of_a_use_over_four_in_the_morning_what_comes_after_that_counts_for_the_new_day(db) {
        let app = TestApp::new(db).await;
        noon(&app).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        // Half past three.
        passes(&app, 15 * HOUR + 30 * MINUTE).await;
        let stream = uses(&app, by, phones[0]).await;
        passes(&app, 50 * MINUTE).await;
        is_over(&app, stream).await;
        let first = used(&app, phones[0]).await;
        assert!(first.seconds >= 20 * MINUTE && first.seconds < 22 * MINUTE, "{first:?}");
        assert!(is_about(first.last_s, 50 * MINUTE), "{first:?}");
        passes(&app, 20 * MINUTE).await;
        let stream = uses(&app, by, phones[0]).await;
        passes(&app, 10 * MINUTE).await;
        is_over(&app, stream).await;
        let second = used(&app, phones[0]).await;
        assert_eq!(second.day, first.day);
        assert!(second.seconds >= 30 * MINUTE && second.seconds < 33 * MINUTE, "{second:?}");
    }

    async fn at_night_streams_end_and_nobody_connects(db) {
        let app = TestApp::new(db).await;
        noon(&app).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        night_in(&app, 20).await;
        let stream = uses(&app, by, phones[0]).await;
        passes(&app, 12 * MINUTE).await;
        assert_eq!(told(&app, stream).await, Order::GoesOn);
        passes(&app, 4 * MINUTE).await;
        assert!(matches!(told(&app, stream).await, Order::Warn(_)));
        plays(&app, stream, 5 * MINUTE).await;
        assert_eq!(told(&app, stream).await, Order::End("night_close"));
        assert_eq!(refused(&app, by, phones[0]).await, "night_close");
        is_over(&app, stream).await;
        assert!(whys(&app).await.is_empty(), "within the grace");
        passes(&app, 6 * MINUTE).await;
        assert_eq!(whys(&app).await, [SessionEnd::NightClose]);
        // It comes to nothing, and the night is over.
        hand.fails(&app, "packages", "wrong_store", "neverBegan").await;
        passes(&app, HOUR).await;
        connects(&app, by, phones[0]).await.1.unwrap();
    }
}
