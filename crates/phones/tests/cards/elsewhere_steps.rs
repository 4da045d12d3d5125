//! Phones of a room whose agent is gone, with a test that acts as the agents of two rooms: two operators open them in the other
//! room, and what runs in the first one when its agent is back is stopped.

use std::collections::BTreeSet;

use entity::card::Occupancy;
use entity::phone::UseType;
use entity::placement::Role;
use entity::saga::{self, SagaKind, SagaState};
use entity::{GroupId, RoomAgentId, RoomId, store_node, store_node_agent};
use fleet::Fleet;
use phones::saga_round;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};
use testroom::room::until;
use testroom::site::{Site, site};

use super::apps::next_phone;
use super::back_steps::left;
use super::copy_steps::{last, on};
use super::lost_steps::{ask, held, is_backed_up, is_found, lose, nothing, quarantined, stands};
use super::put_on::{card, roles, row};

/// For so long an agent that is gone is waited for, and a little more.
const GRACE: i64 = 61;
/// Between two looks at lost cards.
const PACE: i64 = 5;

/// The agent of a room hangs up, and that is seen.
async fn hangs_up(app: &TestApp, hand: &mut Hand) {
    hand.socket.close(None).await.unwrap();
    until("the agent is gone", async || app.app.part::<Fleet>().agents_in(RoomId(hand.room)) == 0).await;
}

/// It stays away for so long that its room counts as away.
async fn stays_away(app: &TestApp) {
    app.app.clock.advance_seconds(GRACE);
    fleet::round(&app.app).await.unwrap();
}

/// The agent of the other room is there, and reaches the storage node as well.
pub async fn neighbour(app: &TestApp, clerk: &Caller<'_>, there: &Site) -> Hand {
    let mut other = Hand::of(app, clerk, there, 2).await;
    other.comes_back(wire::PROTOCOL, &[]).await;
    let node = store_node::Entity::find().one(app.app.db.read()).await.unwrap().unwrap().id;
    let reaches = store_node_agent::ActiveModel {
        node_id: Set(node),
        agent_id: Set(RoomAgentId(other.identity.agent)),
        checked_at: Set(None),
        millis: Set(0),
        code: Set(String::new()),
        step: Set(None),
        partition: Set(None),
        detail: Set(String::new()),
    };
    let tx = app.app.db.begin_write().await.unwrap();
    store_node_agent::Entity::insert(reaches).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    other
}

/// To how many of these phones it would be done, and why not to the others.
async fn judged(clerk: &Caller<'_>, phones: &[i64], room: i64, is_answered_for: bool) -> (i64, Vec<(String, i64)>) {
    let act = json!({ "kind": "openElsewhere", "roomId": room, "answeredFor": is_answered_for });
    let body = json!({ "selection": { "ids": phones }, "act": act });
    let found = clerk.post(&format!("{PHONES}/preview"), body).await.data();
    let will_run = found["willRun"].as_i64().unwrap();
    assert_eq!(found["needsApproval"], will_run > 0, "always two: {found}");
    let left = found["leftOut"].as_array().unwrap().iter();
    let left = left.map(|group| (group["code"].as_str().unwrap().to_owned(), group["count"].as_i64().unwrap()));
    (will_run, left.collect())
}

fn left_out(codes: &[(&str, i64)]) -> (i64, Vec<(String, i64)>) {
    (0, codes.iter().map(|(code, count)| ((*code).to_owned(), *count)).collect())
}

/// Two operators open phones in a room; the operation.
async fn opened(app: &TestApp, group: GroupId, body: Value) -> Value {
    let first = app.signed_in("first", group).await;
    let operation = first.post(&format!("{PHONES}/open-elsewhere"), body).await.data()["id"].clone();
    assert_eq!(get(&first, &operation).await["state"], 2, "one alone does not");
    let approve = format!("{OPERATIONS}/{operation}/approve");
    assert_eq!(first.post(&approve, json!({ "approved": true })).await.http, 409, "nor his own word twice");
    let second = app.signed_in("second", group).await;
    second.post(&approve, json!({ "approved": true })).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    get(&second, &operation).await
}

/// The sagas that clear cards, oldest first.
async fn clearings(app: &TestApp) -> Vec<saga::Model> {
    let all = saga::Entity::find().order_by_asc(saga::Column::Id).all(app.app.db.read()).await.unwrap();
    all.into_iter().filter(|saga| saga.kind == SagaKind::Clear).collect()
}

async fn card_of(clerk: &Caller<'_>, phone: i64) -> i64 {
    clerk.get(&format!("{PHONES}/{phone}")).await.data()["card"]["id"].as_i64().unwrap()
}

db_test! {
    async fn phones_of_a_room_without_an_agent_are_opened_in_another_one_by_two(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 3)).await;
        let (there, here) = (site(&clerk, 2).await, phones[0]);
        let (lost, uncopied) = (phones[1], phones[2]);
        Box::pin(is_backed_up(&app, &mut hand, &clerk, here)).await;
        Box::pin(is_backed_up(&app, &mut hand, &clerk, lost)).await;
        let its_card = Box::pin(lose(&app, &mut hand, &clerk, lost)).await;
        assert_eq!(stands(&clerk, lost).await, held("card_lost"));
        let cards = [card_of(&clerk, here).await, its_card];
        let before = row(&app, here).await;

        // Its agent is there, or was a moment ago.
        assert_eq!(judged(&clerk, &phones, there.room, true).await, left_out(&[("room_there", 3)]));
        hangs_up(&app, &mut hand).await;
        assert_eq!(judged(&clerk, &phones, there.room, true).await, left_out(&[("room_there", 3)]));
        stays_away(&app).await;
        assert_eq!(judged(&clerk, &phones, hand.room, true).await, left_out(&[("already_so", 3)]));
        assert_eq!(judged(&clerk, &phones, there.room, true).await, left_out(&[("copy_out_of_reach", 3)]));
        // Whoever asks for an agent's token has signed in of late.
        let late = app.signed_in("late", clerk.group.unwrap()).await;
        let mut other = Box::pin(neighbour(&app, &late, &there)).await;
        let fenced = left_out(&[("card_not_off", 2), ("no_whole_copy", 1)]);
        assert_eq!(judged(&clerk, &phones, there.room, false).await, fenced, "they would run twice");
        assert_eq!(judged(&clerk, &phones, there.room, true).await, (2, vec![("no_whole_copy".to_owned(), 1)]));
        // Some other agent of the room reaches no node.
        let tx = app.app.db.begin_write().await.unwrap();
        let apart = store_node_agent::Entity::update_many().col_expr(store_node_agent::Column::Code, Expr::value("timeout"));
        apart.exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        let apart = left_out(&[("copy_out_of_reach", 2), ("no_whole_copy", 1)]);
        assert_eq!(judged(&clerk, &phones, there.room, true).await, apart);
        let tx = app.app.db.begin_write().await.unwrap();
        let near = store_node_agent::Entity::update_many().col_expr(store_node_agent::Column::Code, Expr::value(""));
        near.exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();

        // It takes the right, a fresh proof, a reason, and a room that is there.
        let path = format!("{PHONES}/open-elsewhere");
        let body = |room: i64, reason: &str| {
            json!({ "selection": { "ids": phones }, "roomId": room, "answeredFor": true, "reason": reason })
        };
        let limited = app.operator("limited", &["phone:list", "phone:acceptCopy"]).await;
        assert_eq!(limited.post(&path, body(there.room, "fire")).await.status(), 4003);
        assert_eq!(clerk.post(&path, body(there.room, "fire")).await.status(), 4011);
        let fresh = app.signed_in("fresh", clerk.group.unwrap()).await;
        assert!(fresh.post(&path, body(there.room, "")).await.errors()[0].starts_with("reason"));
        assert_eq!(fresh.post(&path, body(999, "fire")).await.errors(), ["roomId reference.unknown"]);

        let ended = Box::pin(opened(&app, clerk.group.unwrap(), body(there.room, "fire"))).await;
        assert_eq!((&ended["succeeded"], &ended["skipped"]), (&json!(2), &json!(1)), "{ended}");
        assert!(ended["detail"].as_str().unwrap().contains("机房 2"), "who approves reads where to: {ended}");
        let gone = row(&app, here).await;
        assert_eq!((gone.use_type, gone.holds_id, gone.kept_id), (UseType::Off, None, before.kept_id));
        assert_eq!((gone.room_id, gone.endpoint_rev), (RoomId(there.room), before.endpoint_rev + 1));
        assert_eq!((row(&app, lost).await.room_id, stands(&clerk, lost).await), (RoomId(there.room), nothing()));
        assert_eq!(row(&app, uncopied).await.room_id, RoomId(hand.room));
        assert_eq!(clerk.get(&format!("{PHONES}?roomId={}", there.room)).await.data()["total"], 2, "it is counted there");
        assert_eq!(roles(&app).await, [Role::Outgoing, Role::Outgoing, Role::Holds]);
        assert_eq!(quarantined(&app).await, [true, true, false]);
        for old in cards {
            assert_eq!(card(&app, old).await.occupancy, Occupancy::Wiping);
        }
        let all = clearings(&app).await;
        assert!(all.iter().all(|saga| saga.state == SagaState::Held && saga.code == "card_away"), "{all:?}");
        assert!(app.audit_trail().await.contains(&"first phone_opened_elsewhere 0".to_owned()));
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, here).await, nothing(), "it takes no card before somebody wants it");

        // It is put on there with its copy.
        let made = put_on(&clerk, &[here]).await;
        let came_on = other.comes_with_copy(&app).await;
        assert!(other.cards.contains(&came_on), "{came_on}");
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["succeeded"], 1);
        assert_eq!(row(&app, here).await.use_type, UseType::On);

        // The room is back: what runs on the old cards is stopped, and kept for a person.
        hand.comes_back(wire::PROTOCOL, &[]).await;
        for old in cards {
            is_found(&mut hand, old, true).await;
        }
        app.app.clock.advance_seconds(PACE);
        let mut halted = BTreeSet::new();
        for _ in cards {
            halted.insert(hand.does(&app, "halt").await["card"].as_i64().unwrap());
        }
        assert_eq!(halted, BTreeSet::from(cards));
        let all = clearings(&app).await;
        assert!(all.iter().all(|saga| saga.state == SagaState::Held && saga.code == "card_was_lost"), "{all:?}");
        assert_eq!(quarantined(&app).await[..2], [true, true]);
    }

    async fn phones_that_are_off_move_with_whoever_waits_for_them(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, sealed) = Box::pin(left(&app, &clerk)).await;
        let (there, kept) = (site(&clerk, 2).await, last(&app).await.id);
        hangs_up(&app, &mut hand).await;
        stays_away(&app).await;
        let blank = next_phone(&app, &clerk, phone).await;
        let waits = put_on(&clerk, &[blank]).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, blank).await.1, SagaState::Waiting.code());
        // Whoever asks for an agent's token has signed in of late.
        let late = app.signed_in("late", clerk.group.unwrap()).await;
        let mut other = Box::pin(neighbour(&app, &late, &there)).await;
        // Nothing of them can run anywhere: nobody has to answer for it.
        let body = json!({ "selection": { "ids": [phone, blank] }, "roomId": there.room, "reason": "fire" });
        let ended = Box::pin(opened(&app, clerk.group.unwrap(), body)).await;
        assert_eq!(ended["succeeded"], 2, "{ended}");
        for one in [phone, blank] {
            assert_eq!(row(&app, one).await.room_id, RoomId(there.room));
        }
        assert_eq!((row(&app, phone).await.kept_id, card(&app, sealed).await.occupancy), (Some(kept), Occupancy::Sealed));

        for kind in ["check", "claim", "boot", "health"] {
            let step = other.does(&app, kind).await;
            assert!(other.cards.contains(&step["card"].as_i64().unwrap()), "{step}");
        }
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &waits["id"]).await["succeeded"], 1, "it is the same put-on");

        // The room is back with the card that it had left: its home is elsewhere.
        hand.comes_back(wire::PROTOCOL, &[]).await;
        for id in hand.cards.clone() {
            is_found(&mut hand, id, true).await;
        }
        put_on(&clerk, &[phone]).await;
        let came_on = other.comes_with_copy(&app).await;
        assert!(other.cards.contains(&came_on), "{came_on}");
        assert_eq!(hand.does(&app, "clear").await["card"], sealed, "it does not come back there any more");
    }

    async fn what_is_under_way_in_a_room_waits_for_its_agent(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let there = site(&clerk, 2).await;
        Box::pin(is_backed_up(&app, &mut hand, &clerk, phones[0])).await;
        ask(&clerk, "restart", json!({}), phones[0]).await;
        hangs_up(&app, &mut hand).await;
        stays_away(&app).await;
        let late = app.signed_in("late", clerk.group.unwrap()).await;
        let _other = Box::pin(neighbour(&app, &late, &there)).await;
        assert_eq!(judged(&clerk, &phones, there.room, true).await, left_out(&[("phone_under_way", 1)]));
    }
}
