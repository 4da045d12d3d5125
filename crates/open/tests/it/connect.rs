//! Customers connect to their phones: they wait their turn, are let in, and leave.

use entity::card::Occupancy;
use entity::placement::{self, Role};
use entity::saga::SagaState;
use entity::{CardId, card, saga};
use http::Method;
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::{PHONES, another, phone as new_phone, put_on};

use super::{Act, Key, Said, act, application, ask, clerk, form, is, nonce};

pub const ADDRESSES: &str = "/api/platform/v1/service-addresses";
pub const REDEEM: &str = "/open/v1/tickets/redeem";
const FLAGS: &str = "/api/fleet/v1/cards/flags";

/// A room with cards, an agent that the test is, a phone that is off, an application of the company, and the key of a gateway.
pub struct Scene {
    pub hand: Hand,
    pub phone: i64,
    pub key: Key,
    pub door: Key,
}

/// A scene with so many cards for phones.
pub async fn scene(app: &TestApp, clerk: &Caller<'_>, cards: usize) -> Scene {
    let hand = Box::pin(Hand::take(app, clerk)).await;
    hand.keep(clerk, cards).await;
    let phone = new_phone(app, clerk, hand.room).await;
    gateway(clerk, "gw-1", json!(hand.room)).await;
    let mut of_gateway = form("网关", 1);
    of_gateway["scopes"] = json!(["gateway"]);
    let (key, door) = (application(clerk, form("后台", 1)).await, application(clerk, of_gateway).await);
    Scene { hand, phone, key, door }
}

/// A gateway of a room; its address.
pub async fn gateway(clerk: &Caller<'_>, name: &str, room: Value) -> String {
    let body = json!({ "name": name, "roomId": room, "kind": 1, "host": "gw.example.com", "port": 8443, "weight": 10 });
    format!("{ADDRESSES}/{}", clerk.post(ADDRESSES, body).await.data()["id"])
}

pub fn path(phone: i64) -> String {
    format!("/open/v1/phones/{phone}/connect")
}

pub async fn connect(app: &TestApp, key: &Key, phone: i64) -> Answer {
    act(app, key, Method::POST, &path(phone), Value::Null).await
}

pub async fn leave(app: &TestApp, key: &Key, phone: i64) -> Value {
    act(app, key, Method::DELETE, &path(phone), Value::Null).await.data()
}

/// Asks how far it is, with a nonce: whoever is ready gets a ticket.
pub async fn poll(app: &TestApp, key: &Key, phone: i64) -> Value {
    let (target, nonce) = (path(phone), nonce());
    let said = Said { nonce: &nonce, ..Said::get(app, &target) };
    said.by(app.anybody(), key).header("x-sky-nonce", nonce.as_str()).get(&target).await.data()
}

/// `state position` of an answer.
fn told(answer: &Value) -> (String, Option<i64>) {
    (answer["state"].as_str().unwrap_or_default().to_owned(), answer["position"].as_i64())
}

fn queued(position: i64) -> (String, Option<i64>) {
    ("queued".to_owned(), Some(position))
}

/// The page of a phone in the console.
async fn page(clerk: &Caller<'_>, phone: i64) -> Value {
    clerk.get(&format!("{PHONES}/{phone}")).await.data()
}

async fn sagas(app: &TestApp) -> Vec<saga::Model> {
    saga::Entity::find().order_by_asc(saga::Column::Id).all(app.app.db.read()).await.unwrap()
}

db_test! {
    async fn whoever_connects_waits_is_let_in_and_leaves(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, door } = scene(&app, &clerk, 1).await;
        assert_eq!(poll(&app, &key, phone).await, Value::Null, "nobody has connected");
        let asked = connect(&app, &key, phone).await.data();
        assert_eq!((told(&asked), &asked["ticket"], &asked["gateway"]), (queued(1), &Value::Null, &Value::Null), "{asked}");
        assert_eq!(told(&poll(&app, &key, phone).await), queued(1));
        let seen = page(&clerk, phone).await;
        assert_eq!((&seen["connect"]["state"], &seen["connect"]["app"]["name"]), (&json!(1), &json!("后台")), "{seen}");

        hand.does(&app, "check").await;
        assert_eq!(told(&poll(&app, &key, phone).await), ("preparing".to_owned(), None));
        for kind in ["claim", "boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert!(is(&ask(&app, &key, &path(phone)).await, 401, "nonce"), "what draws a ticket is asked for once");
        let ready = poll(&app, &key, phone).await;
        let there = json!({ "name": "gw-1", "host": "gw.example.com", "port": 8443 });
        assert_eq!((&ready["state"], &ready["gateway"]), (&json!("ready"), &there), "{ready}");
        assert!(ready["ticket"].as_str().unwrap().len() >= 43, "256 bits");
        assert_eq!(page(&clerk, phone).await["connect"]["state"], 2);

        let redeem = json!({ "ticket": ready["ticket"], "gateway": "gw-1" });
        let opened = act(&app, &door, Method::POST, REDEEM, redeem).await.data();
        let seen = page(&clerk, phone).await;
        assert_eq!((&opened["phoneId"], &opened["cardId"]), (&json!(phone.to_string()), &json!(seen["card"]["id"].to_string())));
        assert_eq!((&opened["cardAddress"], &opened["roomId"]), (&json!("10.1.0.1"), &json!(hand.room.to_string())), "{opened}");
        assert_eq!((&seen["connect"]["state"], &seen["useType"]), (&json!(3), &json!(1)));

        assert_eq!(leave(&app, &key, phone).await["state"], "left");
        assert_eq!(poll(&app, &key, phone).await, Value::Null);
        let seen = page(&clerk, phone).await;
        assert_eq!((&seen["connect"], &seen["useType"]), (&Value::Null, &json!(1)), "it has a card, and idles there");
        assert_eq!(leave(&app, &key, phone).await["state"], "left", "twice is no harm");
    }

    async fn of_two_who_connect_for_the_last_card_the_first_gets_it_and_the_other_is_next(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, .. } = scene(&app, &clerk, 1).await;
        let other = another(&app, &clerk, hand.room).await;
        // The same one twice at a time is one.
        let (one, two) = tokio::join!(connect(&app, &key, phone), connect(&app, &key, phone));
        assert_eq!((told(&one.data()), told(&two.data())), (queued(1), queued(1)));
        app.app.clock.advance_seconds(1);
        assert_eq!(told(&connect(&app, &key, other).await.data()), queued(2));
        assert_eq!(sagas(&app).await.len(), 2);
        hand.is_put_on(&app).await;
        assert_eq!(poll(&app, &key, phone).await["state"], "ready");
        let waits = poll(&app, &key, other).await;
        assert_eq!((told(&waits), &waits["code"]), (queued(1), &json!("no_card")));
        assert!(waits["msg"].as_str().unwrap().starts_with("暂无空闲卡，排在第 1 位"), "it says the place: {waits}");
        assert_eq!(leave(&app, &key, other).await["state"], "left");
        assert_eq!(sagas(&app).await.len(), 1, "nothing was done for it, and nothing is left of it");
    }

    async fn who_waits_in_front_of_a_screen_goes_before_who_does_not_and_leaves_alone_what_an_operator_asked_for(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, .. } = scene(&app, &clerk, 0).await;
        let other = another(&app, &clerk, hand.room).await;
        put_on(&clerk, &[other]).await;
        fleet::operation::round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(600);
        assert_eq!(told(&connect(&app, &key, phone).await.data()), queued(1), "ten minutes later, and before it");
        assert_eq!(page(&clerk, other).await["underWay"]["position"], 2);
        assert_eq!(told(&connect(&app, &key, other).await.data()), queued(2));
        assert_eq!(leave(&app, &key, other).await["state"], "left");
        assert_eq!(page(&clerk, other).await["underWay"]["position"], 2, "it is an operator's");
        let one = json!({ "selection": { "ids": [hand.cards[0]] }, "assignable": true });
        clerk.post(FLAGS, one).await.data();
        hand.is_put_on(&app).await;
        assert_eq!((&page(&clerk, phone).await["useType"], &page(&clerk, other).await["useType"]), (&json!(1), &json!(2)));
    }

    async fn who_leaves_before_the_card_is_marked_gives_it_back_and_after_that_nothing_is_turned_back(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, .. } = scene(&app, &clerk, 1).await;
        connect(&app, &key, phone).await.data();
        let check = hand.step(&app).await;
        assert_eq!(check["act"]["kind"], "check");
        leave(&app, &key, phone).await;
        hand.tell(&check, json!({ "end": "succeeded" })).await;
        assert_eq!(sagas(&app).await.iter().map(|saga| saga.state).collect::<Vec<_>>(), [SagaState::Cancelled]);
        let stays = placement::Entity::find().all(app.app.db.read()).await.unwrap();
        assert_eq!(stays.iter().map(|stay| stay.role).collect::<Vec<_>>(), [Role::Ended]);
        let on = card::Entity::find_by_id(CardId(hand.cards[0])).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(on.occupancy, Occupancy::Free);

        // Whoever leaves and comes back while it is looked at goes on.
        connect(&app, &key, phone).await.data();
        let check = hand.step(&app).await;
        leave(&app, &key, phone).await;
        connect(&app, &key, phone).await.data();
        hand.tell(&check, json!({ "end": "succeeded" })).await;
        hand.does(&app, "claim").await;
        leave(&app, &key, phone).await;
        for kind in ["boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert_eq!(page(&clerk, phone).await["useType"], 1);
    }

    async fn a_second_application_takes_over(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, door } = scene(&app, &clerk, 1).await;
        let later = application(&clerk, form("小程序", 1)).await;
        connect(&app, &key, phone).await.data();
        assert_eq!(told(&connect(&app, &later, phone).await.data()), queued(1));
        let over = poll(&app, &key, phone).await;
        assert_eq!((&over["state"], &over["code"]), (&json!("failed"), &json!("taken_over")), "{over}");
        assert!(over["msg"].as_str().unwrap().contains("别处"), "{over}");
        leave(&app, &key, phone).await;
        assert_eq!((told(&poll(&app, &later, phone).await), sagas(&app).await.len()), (queued(1), 1), "that is the other's");
        hand.is_put_on(&app).await;
        let ticket = poll(&app, &later, phone).await["ticket"].clone();
        connect(&app, &key, phone).await.data();
        let redeem = json!({ "ticket": ticket, "gateway": "gw-1" });
        assert!(is(&act(&app, &door, Method::POST, REDEEM, redeem).await, 404, "ticket_unknown"), "it is taken back");
        assert_eq!(poll(&app, &later, phone).await["code"], "taken_over");
        assert_eq!(page(&clerk, phone).await["connect"]["app"]["name"], "后台");
    }

    async fn who_cannot_connect_is_told_why(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { hand, phone, key, .. } = scene(&app, &clerk, 1).await;
        let user = page(&clerk, phone).await["user"]["id"].clone();
        let status = async |status: i64| {
            let body = json!({ "selection": { "ids": [user] }, "status": status, "reason": "风控" });
            clerk.post("/api/user/v1/client-users/status", body).await.data()
        };
        status(2).await;
        assert!(is(&connect(&app, &key, phone).await, 409, "user_disabled"));
        status(1).await;
        let one = json!({ "selection": { "ids": [phone] }, "reason": "欠费" });
        clerk.post(&format!("{PHONES}/freeze"), one).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        let frozen = connect(&app, &key, phone).await;
        assert!(is(&frozen, 409, "phone_frozen"), "{}", frozen.json());
        assert!(frozen.json()["msg"].as_str().unwrap().contains("欠费"), "{}", frozen.json());
        clerk.post(&format!("{PHONES}/thaw"), json!({ "selection": { "ids": [phone] } })).await.data();
        fleet::operation::round(&app.app).await.unwrap();

        let gateways = clerk.get(&format!("{ADDRESSES}?roomId={}", hand.room)).await.data()["list"].clone();
        clerk.post(&format!("{ADDRESSES}/{}/enabled", gateways[0]["id"]), json!({ "enabled": false })).await.data();
        assert!(is(&connect(&app, &key, phone).await, 409, "no_gateway"));
        assert!(sagas(&app).await.is_empty(), "no card is taken for somebody who could not be let in");
        gateway(&clerk, "gw-9", Value::Null).await;
        assert_eq!(told(&connect(&app, &key, phone).await.data()), queued(1), "one that serves all rooms will do");
    }

    async fn who_is_disabled_waits_no_more(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { phone, key, .. } = scene(&app, &clerk, 0).await;
        assert_eq!(told(&connect(&app, &key, phone).await.data()), queued(1));
        let user = page(&clerk, phone).await["user"]["id"].clone();
        let body = json!({ "selection": { "ids": [user] }, "status": 2, "reason": "风控" });
        clerk.post("/api/user/v1/client-users/status", body).await.data();
        for _ in 0..3 {
            let over = poll(&app, &key, phone).await;
            assert_eq!((&over["state"], &over["code"]), (&json!("failed"), &json!("user_disabled")), "{over}");
            app.app.clock.advance_seconds(10);
            phones::connect::round(&app.app).await.unwrap();
        }
        app.app.clock.advance_seconds(1);
        phones::connect::round(&app.app).await.unwrap();
        assert!(sagas(&app).await.is_empty(), "however often the app asks, it leaves the queue");
    }

    async fn an_answer_with_a_ticket_is_sealed_where_it_is_kept(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, .. } = scene(&app, &clerk, 1).await;
        connect(&app, &key, phone).await.data();
        hand.is_put_on(&app).await;
        let target = path(phone);
        let sent = Act::new(Method::POST, &target, Value::Null, "once-1");
        let first = sent.by(&app, &key).await;
        let ticket = first.data()["ticket"].as_str().unwrap().to_owned();
        let again = Act { nonce: nonce(), ..sent.clone() }.by(&app, &key).await;
        assert_eq!(first.bytes, again.bytes, "the same key gets the same answer");
        let kept = "SELECT answer FROM open_act WHERE act_key = 'once-1'";
        let kept = crate::text_of(&app, kept).await;
        assert!(kept.starts_with("sealed:") && !kept.contains(&ticket), "{kept}");
        // As if the master key had been replaced.
        crate::run(&app, "UPDATE open_act SET answer = 'sealed:00' WHERE act_key = 'once-1'").await;
        let anew = Act { nonce: nonce(), ..sent }.by(&app, &key).await.data();
        assert_eq!((&anew["state"], anew["ticket"] == ticket.as_str()), (&json!("ready"), false), "{anew}");
    }
}
