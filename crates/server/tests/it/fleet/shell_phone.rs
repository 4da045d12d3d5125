//! A shell on a card that has a customer's phone: for a reason, and not while something is done to the phone.

use std::time::Duration;

use entity::placement::{self, Role};
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{CardId, OperationId, PhoneId, PlacementId, SagaId, operation_log, shell_record};
use futures::SinkExt as _;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::OPERATIONS;
use testroom::phone::{another, phone as new_phone};
use testroom::room::{Socket, console, hear, until};
use testroom::site::CARDS;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::shell_record::{Place, opened_for};
use crate::operation::second_look::put_on;

/// Something is begun with the phone of a stay, as far as the books go.
async fn begun(app: &TestApp, (phone, stay, room): (i64, PlacementId, i64), kind: SagaKind, by: Option<i64>) -> SagaId {
    let row = saga::ActiveModel {
        locks_phone: Set(true),
        placement_id: Set(Some(stay)),
        operation_id: Set(by.map(OperationId)),
        ..testroom::saga::row(kind, (phone, room), StepName::Copy, app.app.clock.now())
    };
    testroom::saga::write(app, row).await
}

async fn is_over(app: &TestApp, id: SagaId) {
    let tx = app.app.db.begin_write().await.unwrap();
    let ended_at = Set(Some(app.app.clock.now()));
    let row = saga::ActiveModel { id: Set(id), state: Set(SagaState::Done), ended_at, ..Default::default() };
    saga::Entity::update(row).exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

async fn stay(app: &TestApp, card: &Value) -> PlacementId {
    let stays = placement::Entity::find().filter(placement::Column::CardId.eq(CardId(card.as_i64().unwrap())));
    stays.filter(placement::Column::Role.ne(Role::Ended)).one(app.app.db.read()).await.unwrap().unwrap().id
}

/// A card is prepared for a phone, and for no other one any more.
async fn comes(app: &TestApp, phone: i64, card: &Value) {
    let (card_id, at) = (CardId(card.as_i64().unwrap()), app.app.clock.now());
    let tx = app.app.db.begin_write().await.unwrap();
    let over = placement::ActiveModel { role: Set(Role::Ended), ended_at: Set(Some(at)), ..Default::default() };
    let before = placement::Entity::update_many().set(over).filter(placement::Column::CardId.eq(card_id));
    before.exec(&*tx).await.unwrap();
    let stay = placement::ActiveModel {
        phone_id: Set(PhoneId(phone)),
        card_id: Set(card_id),
        role: Set(Role::Incoming),
        is_quarantined: Set(false),
        began_at: Set(at),
        ended_at: Set(None),
        ..Default::default()
    };
    placement::Entity::insert(stay).exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// Why a shell ends, within five seconds and what the test takes by itself.
async fn why(shell: &mut Socket) -> String {
    let ended = timeout(Duration::from_secs(10), hear(shell, "ended")).await.expect("it goes on");
    ended["reason"].as_str().unwrap().to_owned()
}

db_test! {
    async fn it_is_opened_for_a_reason_that_is_kept_and_ends_when_something_begins(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 36).await;
        let card = &place.card["id"];
        let phone = new_phone(&app, &clerk, place.room_id).await;
        put_on(&app, phone, card.as_i64().unwrap()).await;
        let path = format!("{CARDS}/{card}/shell");
        for body in [json!({}), json!({ "reason": " " })] {
            assert_eq!(clerk.post(&path, body).await.errors(), ["reason required"]);
        }
        assert_eq!(clerk.post(&path, json!({ "reason": "字".repeat(257) })).await.errors(), ["reason text.tooLong"]);

        let mut shell = opened_for(&clerk, &console, card, "客户报障").await;
        let record = shell_record::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(record.reason, "客户报障");
        let lines = operation_log::Entity::find().filter(operation_log::Column::Action.eq("card_shell"));
        let lines = lines.all(app.app.db.read()).await.unwrap();
        assert_eq!(lines.iter().map(|line| &*line.message).collect::<Vec<_>>(), ["客户报障"]);
        let asked = json!({ "objectKind": "phone", "objectId": phone.to_string(), "pageNum": 1, "pageSize": 20 });
        let log = clerk.post("/api/user/v1/operation/log/list", asked).await.data();
        assert!(log["list"].as_array().unwrap().iter().any(|line| line["action"] == "card_shell"), "{log}");

        // The first copy, which nobody has asked for and for which the phone goes on, is in nobody's way.
        let stay = stay(&app, card).await;
        let live = begun(&app, (phone, stay, place.room_id), SagaKind::BackUp, None).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        shell.send(Message::binary(b"effect during\n".to_vec())).await.unwrap();
        until("it ran", async || place.has_run("effect:during")).await;
        is_over(&app, live).await;
        let restart = begun(&app, (phone, stay, place.room_id), SagaKind::Restart, None).await;
        let said = why(&mut shell).await;
        assert!(said.contains("being done to the cloud phone") && said.contains("正在对卡上的云手机执行操作"), "{said}");
        // Nor is another one opened before it is over.
        assert_eq!(clerk.post(&path, json!({ "reason": "客户报障" })).await.brief(), (409, 4009));
        is_over(&app, restart).await;
        let mut shell = opened_for(&clerk, &console, card, "客户报障").await;
        // A copy that an operator has asked for stops the phone.
        let made = clerk.post(OPERATIONS, json!({ "selection": { "ids": [card] }, "act": { "kind": "screenshot" } })).await.data();
        begun(&app, (phone, stay, place.room_id), SagaKind::BackUp, made["id"].as_i64()).await;
        assert!(why(&mut shell).await.contains("being done to the cloud phone"));
        assert_eq!(clerk.get("/api/user/v1/operation/log/verify").await.data()["ok"], true);
    }

    async fn it_ends_when_a_phone_comes_on_the_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 37).await;
        let card = &place.card["id"];
        // Nobody's: for no reason.
        let mut shell = opened_for(&clerk, &console, card, "").await;
        let (first, next) = (new_phone(&app, &clerk, place.room_id).await, another(&app, &clerk, place.room_id).await);
        comes(&app, first, card).await;
        let said = why(&mut shell).await;
        assert!(said.contains("another cloud phone") && said.contains("卡上换了云手机"), "{said}");
        // And another one in its place.
        let mut shell = opened_for(&clerk, &console, card, "客户报障").await;
        comes(&app, next, card).await;
        assert!(why(&mut shell).await.contains("another cloud phone"));
    }
}
