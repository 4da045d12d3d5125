//! Phones whose copies lie on a storage node that is full, with a test that acts as the agent: they are copied whole to one
//! that has space, and live by what they have until that was read back.

use entity::backup::{self, BackupState};
use entity::repo;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::get;
use testroom::room::say;

use super::by_rule::run;
use super::copy_steps::{back_up, last, made, on};
use super::put_on::row;

const FIRST: &str = "杭州-存储-01";
const SECOND: &str = "杭州-存储-02";

/// So many hundredths of a node are used.
async fn used(app: &TestApp, node: &str, share: i64) {
    let used = format!("used_bytes = capacity_bytes / 100 * {share} + 100");
    run(app, &format!("UPDATE store_node SET {used} WHERE name = '{node}'")).await;
}

/// A second node that the agent reaches, as it says.
async fn second(app: &TestApp, clerk: &Caller<'_>, hand: &Hand) {
    let node = json!({ "name": SECOND, "city": "杭州", "place": "more", "agents": [hand.identity.agent], "capacity": 9,
        "unit": "gb", "partitions": 2 });
    clerk.post("/api/storage/v1/nodes", node).await.data();
    run(app, "UPDATE store_node SET state = 1, made = 2").await;
}

/// What the agent is asked for the next copy.
async fn asked(app: &TestApp, clerk: &Caller<'_>, hand: &mut Hand, phone: i64) -> Value {
    back_up(app, clerk, &[phone]).await;
    hand.says(app, "packages", "of these").await;
    hand.says(app, "stop", "boot-1").await;
    let step = hand.step(app).await;
    assert_eq!(step["act"]["kind"], "copy", "{step}");
    step
}

/// That copy is made, and its phone goes on; nobody has read it back yet.
async fn is_made(app: &TestApp, hand: &mut Hand, step: &Value, snapshot: char) {
    let result = json!({ "book": "phone", "task": step["task"], "attempt": 1, "outcome": { "end": "succeeded" },
        "output": made(snapshot) });
    say(&mut hand.socket, &json!({ "type": "results", "results": [result] })).await;
    hand.hear("kept").await;
    hand.does(app, "start").await;
}

/// Where a copy goes: the node, whether its repository is new there, and the copy before.
fn goes(step: &Value) -> (&Value, &Value, &Value) {
    let act = &step["act"];
    (&act["repo"]["node"]["name"], &act["isNew"], &act["parent"])
}

db_test! {
    async fn a_phone_on_a_full_node_moves_to_one_with_space_and_lives_by_the_old_copy_until_then(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let (first, next) = (json!(FIRST), json!(SECOND));
        let (a, b) = (json!("a".repeat(64)), json!("b".repeat(64)));
        let step = asked(&app, &clerk, &mut hand, phone).await;
        assert_eq!(goes(&step), (&first, &json!(true), &Value::Null), "{step}");
        is_made(&app, &mut hand, &step, 'a').await;
        hand.does(&app, "verify").await;
        let old = last(&app).await;
        assert_eq!(row(&app, phone).await.kept_id, Some(old.id));

        // It is full, and there is no other: it goes on there for as long as that goes.
        used(&app, FIRST, 96).await;
        let step = asked(&app, &clerk, &mut hand, phone).await;
        assert_eq!(goes(&step), (&first, &json!(false), &a), "{step}");
        hand.tell(&step, json!({ "end": "failed", "code": "store_full", "reason": "", "effect": "neverBegan" })).await;
        hand.does(&app, "start").await;

        // Another one that is full as well is none.
        second(&app, &clerk, &hand).await;
        used(&app, SECOND, 95).await;
        let step = asked(&app, &clerk, &mut hand, phone).await;
        assert_eq!(goes(&step), (&first, &json!(false), &a), "{step}");
        hand.tell(&step, json!({ "end": "failed", "code": "store_full", "reason": "", "effect": "neverBegan" })).await;
        hand.does(&app, "start").await;

        // One with space is: all of the phone goes there. What fails costs it nothing.
        used(&app, SECOND, 94).await;
        let step = asked(&app, &clerk, &mut hand, phone).await;
        assert_eq!(goes(&step), (&next, &json!(true), &Value::Null), "{step}");
        hand.tell(&step, json!({ "end": "failed", "code": "store_full", "reason": "", "effect": "neverBegan" })).await;
        hand.does(&app, "start").await;
        assert_eq!(row(&app, phone).await.kept_id, Some(old.id));

        let step = asked(&app, &clerk, &mut hand, phone).await;
        assert_eq!(goes(&step), (&next, &json!(true), &Value::Null), "{step}");
        is_made(&app, &mut hand, &step, 'b').await;
        assert_eq!(row(&app, phone).await.kept_id, Some(old.id), "nobody has read the new one back");
        hand.does(&app, "verify").await;
        let moved = last(&app).await;
        assert_eq!((moved.state, row(&app, phone).await.kept_id), (BackupState::Verified, Some(moved.id)));
        assert_ne!(moved.repo_id, old.repo_id);
        let old = backup::Entity::find_by_id(old.id).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((old.state, old.damage.is_empty()), (BackupState::Verified, true), "the old one stays");
        assert_eq!(repo::Entity::find().count(app.app.db.read()).await.unwrap(), 2);

        // It stays where it is now, also when the first one has space again, and goes back when that is the one with space.
        used(&app, FIRST, 10).await;
        let step = asked(&app, &clerk, &mut hand, phone).await;
        assert_eq!(goes(&step), (&next, &json!(false), &b), "{step}");
        is_made(&app, &mut hand, &step, 'c').await;
        hand.does(&app, "verify").await;
        used(&app, SECOND, 95).await;
        let step = asked(&app, &clerk, &mut hand, phone).await;
        assert_eq!(goes(&step), (&first, &json!(false), &a), "{step}");
        assert_eq!(repo::Entity::find().count(app.app.db.read()).await.unwrap(), 2);
    }

    async fn a_phone_whose_node_is_out_of_reach_waits_for_it_unless_it_has_moved_away(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let step = asked(&app, &clerk, &mut hand, phones[0]).await;
        is_made(&app, &mut hand, &step, 'a').await;
        hand.does(&app, "verify").await;
        second(&app, &clerk, &hand).await;
        run(&app, &format!("UPDATE store_node SET state = 4 WHERE name = '{FIRST}'")).await;
        // It comes back, and nothing has to be copied twice.
        let operation = back_up(&app, &clerk, &phones).await;
        phones::saga_round(&app.app).await.unwrap();
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["failed"], 1);
        assert_eq!(repo::Entity::find().count(app.app.db.read()).await.unwrap(), 1);
        // It comes back full.
        used(&app, FIRST, 96).await;
        let step = asked(&app, &clerk, &mut hand, phones[0]).await;
        assert_eq!(goes(&step), (&json!(SECOND), &json!(true), &Value::Null), "{step}");
        is_made(&app, &mut hand, &step, 'b').await;
        hand.does(&app, "verify").await;
        assert_eq!(row(&app, phones[0]).await.kept_id, Some(last(&app).await.id));
    }
}
