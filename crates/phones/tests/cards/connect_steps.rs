//! Whoever connects to phones that leave their cards, with a test that acts as the agent: no ticket opens what the next tenant
//! has, and a phone that somebody wants stays.

use base::owned::Owned;
use entity::phone::UseType;
use entity::{OpenAppId, PhoneId};
use phones::connect::{By, Seen, ask, draw, find, opened, seen};
use phones::saga_round;
use sea_orm::ConnectionTrait as _;
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::phone::put_on;

use super::apps::next_phone;
use super::cleared::{profile, try_out};
use super::copy_steps::on;
use super::lost_steps::is_found;
use super::off_steps::{goes_off, take_off};
use super::put_on::row;

pub async fn application(clerk: &Caller<'_>) -> OpenAppId {
    let body = json!({ "name": "后台", "owner": 1, "scopes": ["phone"], "perSecond": 5 });
    OpenAppId(clerk.post("/api/platform/v1/open-apps", body).await.data()["id"].as_i64().unwrap())
}

/// What is told to whoever connects to a phone, and the ticket if there is one.
pub async fn connects(app: &TestApp, by: OpenAppId, phone: i64) -> (Seen, Option<String>) {
    let mut tx = app.app.db.begin_write().await.unwrap();
    let row = find(&tx, Owned::everybodys(), PhoneId(phone)).await.unwrap().unwrap();
    let seen = ask(&app.app, &mut tx, &row, By { app_id: by, name: "后台" }).await.unwrap().unwrap().seen;
    let mut ticket = None;
    if matches!(seen, Seen::Ready(_)) {
        ticket = draw(&tx, &row, by, app.app.clock.now()).await.unwrap().map(|drawn| drawn.ticket);
    }
    tx.commit().await.unwrap();
    (seen, ticket)
}

/// The card that a ticket opens.
async fn opens(app: &TestApp, ticket: &str) -> Option<i64> {
    let tx = app.app.db.begin_write().await.unwrap();
    let found = opened(&tx, Owned::everybodys(), ticket, app.app.clock.now()).await.unwrap();
    found.map(|opened| opened.card.id.0)
}

db_test! {
    async fn an_old_ticket_does_not_open_the_next_tenants_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        // No other card is free: its own is needed as soon as it has left it.
        hand.keep(&clerk, 1).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        let by = application(&clerk).await;
        let ticket = connects(&app, by, phones[0]).await.1.unwrap();
        assert_eq!(opens(&app, &ticket).await, Some(hand.cards[0]));

        take_off(&app, &clerk, phones[0]).await;
        assert_eq!(opens(&app, &ticket).await, None, "it is being taken off");
        goes_off(&app, &mut hand, "boot-1", 'a').await;
        assert_eq!((row(&app, phones[0]).await.use_type, opens(&app, &ticket).await), (UseType::Off, None));
        hand.does(&app, "clear").await;
        hand.says(&app, "prove", "boot-2").await;
        hand.does(&app, "markClean").await;

        let next = next_phone(&app, &clerk, phones[0]).await;
        put_on(&clerk, &[next]).await;
        fleet::operation::round(&app.app).await.unwrap();
        hand.is_put_on(&app).await;
        assert_eq!(opens(&app, &ticket).await, None);
        let theirs = connects(&app, by, next).await.1.unwrap();
        assert_eq!(opens(&app, &theirs).await, Some(hand.cards[0]), "the same card");
    }

    async fn who_looks_in_the_moment_in_which_the_phone_comes_is_not_told_that_it_does_not(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        connects(&app, by, next).await;
        // Read before it was bound, and judged after that.
        let stale = row(&app, next).await;
        hand.is_put_on(&app).await;
        let seen = seen(&app.app, app.app.db.read(), &stale, by).await.unwrap();
        assert!(matches!(seen, Seen::Ready(_)), "{seen:?}");
    }

    async fn a_ticket_is_good_for_one_revision_of_its_phone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let ticket = connects(&app, by, phones[0]).await.1.unwrap();
        assert!(hand.cards.contains(&opens(&app, &ticket).await.unwrap()));
        // As if it had moved, and had left its row as it was.
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE phone SET endpoint_rev = endpoint_rev + 1").await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(opens(&app, &ticket).await, None);
        let another = connects(&app, by, phones[0]).await.1.unwrap();
        assert!(opens(&app, &another).await.is_some());
        assert_eq!(opens(&app, &ticket).await, None);
    }

    async fn nobody_is_sent_to_a_card_that_does_not_answer(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let before = connects(&app, by, phones[0]).await.1.unwrap();
        let card = opens(&app, &before).await.unwrap();
        is_found(&mut hand, card, false).await;
        let (told, ticket) = connects(&app, by, phones[0]).await;
        assert!(matches!(told, Seen::Coming { percent: None }) && ticket.is_none(), "{told:?}");
        let told = seen(&app.app, app.app.db.read(), &row(&app, phones[0]).await, by).await.unwrap();
        assert!(matches!(told, Seen::Coming { .. }), "{told:?}");
        is_found(&mut hand, card, true).await;
        let (told, ticket) = connects(&app, by, phones[0]).await;
        assert!(matches!(told, Seen::Ready(_)) && ticket.is_some(), "{told:?}");
    }

    async fn a_phone_that_is_to_be_taken_off_stays_for_who_connects(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let before = row(&app, phones[0]).await;
        take_off(&app, &clerk, phones[0]).await;
        let (seen, ticket) = connects(&app, by, phones[0]).await;
        assert!(matches!(seen, Seen::Coming { .. }) && ticket.is_none(), "{seen:?}");
        saga_round(&app.app).await.unwrap();
        let (seen, ticket) = connects(&app, by, phones[0]).await;
        assert!(matches!(seen, Seen::Ready(_)), "{seen:?}");
        let after = row(&app, phones[0]).await;
        assert_eq!((after.holds_id, after.endpoint_rev), (before.holds_id, before.endpoint_rev));
        assert!(opens(&app, &ticket.unwrap()).await.is_some());
    }
}
