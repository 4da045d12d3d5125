//! A part of a crowd's day, over a real agent and simulated cards: there are more phones than cards, so that phones leave for those
//! who wait, and come back with what they had. Nobody is on two cards, and everybody has his turn.
//!
//! `DAY_HOURS=24` makes a whole day in twelve minutes; `DAY_SEED=5` makes another one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crowd::{Crowd, Settings};
use entity::phone_use;
use entity::rule_value::RuleField;
use sea_orm::EntityTrait as _;
use serde_json::json;
use testapp::{CODES, Caller, TestApp};
use testkit::db_test;
use testroom::phone::PHONES;
use tokio_util::sync::CancellationToken;
use wire::Mark;

use super::by_rule::rule;
use super::copied::Scene;
use super::many_rounds::all_cards;
use super::put_on::row;
use super::rounds::asked;
use super::taken_off::{assignable, used};
use super::whole::books;

const APPS: &str = "/api/platform/v1/open-apps";
const ADDRESSES: &str = "/api/platform/v1/service-addresses";
/// So many seconds of the crowd's day pass in one: cards take as long as they take.
const SPEED: u32 = 120;
/// Each has a phone, and the room two cards for them.
const CUSTOMERS: u32 = 4;
/// From so many hours on it is chance no more how much of them everybody has had.
const LONG: u64 = 8;
/// A machine that runs other suites is slow.
const PATIENCE: Duration = Duration::from_mins(3);

/// One more customer, with a phone like that of the scene.
async fn customer(app: &TestApp, clerk: &Caller<'_>, scene: &Scene<'_>, number: u32) {
    let user = json!({ "name": format!("客户{number}"), "phone": format!("1390000{number:04}"), "identCode": format!("D{number}") });
    let user = clerk.post("/api/user/v1/client-users", user).await.data();
    let (room, expires) = (row(app, scene.phone).await.room_id, app.app.clock.now().plus_seconds(86_400));
    let phone = json!({ "userId": user["id"], "plan": 2, "roomId": room, "diskGb": 1, "expiresAt": expires });
    clerk.post(PHONES, phone).await.data();
}

/// The phone that runs on a card, as the card itself says.
fn runs(card: &sim::Card) -> Option<i64> {
    if !card.has_framework() {
        return None;
    }
    let file = card.state().files.find_own(&format!("{}/{}", Mark::FOLDER, Mark::NAME), false).ok()?;
    let text = file.read(0, 100).ok()?.to_vec();
    Mark::read(String::from_utf8(text).ok()?.trim()).map(|mark| mark.phone)
}

/// For how many seconds each phone was used that was.
async fn turns(app: &TestApp) -> Vec<i64> {
    let all = phone_use::Entity::find().all(app.app.db.read()).await.unwrap();
    all.into_iter().map(|row| row.seconds).collect()
}

db_test! {
    async fn over_a_day_nobody_is_on_two_cards_and_everybody_has_his_turn(db) {
        let (hours, seed) = (asked("DAY_HOURS", 1), asked("DAY_SEED", 1));
        eprintln!("DAY_SEED={seed}");
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (scene, first) = Box::pin(used(&app, &clerk, 73)).await;
        let all = all_cards(&app).await;
        let image = all.iter().find(|card| card.id.0 == first).unwrap().image_id;
        for other in all.iter().filter(|card| card.image_id != image) {
            assignable(&clerk, other.id.0, false).await;
        }
        for number in 1..CUSTOMERS {
            customer(&app, &clerk, &scene, number).await;
        }
        // Whoever is idle leaves for who waits, and for nothing else.
        rule(&app, RuleField::ReconnectGrace, 0).await;
        rule(&app, RuleField::IdleMinutes, 0).await;
        let gateway = json!({ "name": "gw-1", "kind": 1, "host": "gw.example.com", "port": 8443, "weight": 10 });
        clerk.post(ADDRESSES, gateway).await.data();
        let form = json!({ "name": "人群", "owner": 1, "scopes": ["user", "phone", "gateway"], "perSecond": 5000 });
        let made = clerk.post(APPS, form).await.data();
        let key = clerk.post(&format!("{APPS}/{}/keys", made["id"]), json!({})).await.data();
        let text = |field: &str| key[field].as_str().unwrap().to_owned();
        let (console, key, secret) = (scene.link.url.clone(), text("code"), text("secret"));
        let settings = Settings { console, key, secret, customers: CUSTOMERS, seed, speed: SPEED, switchboard: None };
        let crowd = Arc::new(Crowd::gather(settings).await.unwrap());
        assert_eq!(crowd.size(), (CUSTOMERS as usize, CUSTOMERS as usize));

        let (stop, came) = (CancellationToken::new(), Arc::clone(&crowd));
        let stopped = stop.clone();
        let playing = tokio::spawn(async move { came.play(stopped).await });
        let (began, day) = (Instant::now(), Duration::from_secs(hours * 3_600 / u64::from(SPEED)));
        loop {
            let mut running: Vec<i64> = scene.room().cards.iter().filter_map(|card| runs(card)).collect();
            let count = running.len();
            running.sort_unstable();
            running.dedup();
            assert_eq!(running.len(), count, "a phone runs on two cards");
            let had = turns(&app).await;
            if began.elapsed() >= day && had.len() == CUSTOMERS as usize {
                break;
            }
            assert!(began.elapsed() < day + PATIENCE, "somebody waits in vain: {had:?} of {CUSTOMERS}: {}", crowd.figures());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        stop.cancel();
        playing.await.unwrap();
        let (figures, had) = (crowd.figures(), turns(&app).await);
        eprintln!("{hours} h in {:?}: used for {had:?} s; {figures}", began.elapsed());
        assert_eq!(figures.shared, 0, "{figures}");
        let mean = had.iter().sum::<i64>() / i64::from(CUSTOMERS);
        assert!(hours < LONG || had.iter().all(|seconds| seconds * 4 >= mean), "somebody has had little: {had:?}");
        books(&app).await;
    }
}
