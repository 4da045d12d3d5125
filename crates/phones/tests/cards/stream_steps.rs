//! Streams of phones that leave their cards, or whose cards do not answer, with a test that acts as the agent, and what is
//! written down of the stays.

use base::owned::Owned;
use entity::phone_session::{self, SessionEnd};
use entity::{OpenAppId, PhoneId};
use phones::connect::{opened, spend};
use phones::stream::id::StreamId;
use phones::stream::{Ended, Order, beat, end};
use sea_orm::{ConnectionTrait as _, EntityTrait as _, QueryOrder as _};
use testapp::TestApp;
use testkit::db_test;
use testroom::phone::{PHONES, put_on};

use super::cleared::{profile, try_out};
use super::connect_steps::{application, connects};
use super::copy_steps::{made, on};
use super::lost_steps::{held, is_found, nothing, passes, stands};
use super::off_steps::{is_copied, take_off_now};
use super::put_on::row;

/// Somebody begins to use a phone that is on its card.
pub async fn uses(app: &TestApp, by: OpenAppId, phone: i64) -> StreamId {
    let ticket = connects(app, by, phone).await.1.unwrap();
    let (mut tx, now) = (app.app.db.begin_write().await.unwrap(), app.app.clock.now());
    let found = opened(&tx, Owned::everybodys(), &ticket, now).await.unwrap().unwrap();
    let stream = spend(&app.app, &mut tx, &found, "gw-1", now).await.unwrap();
    tx.commit().await.unwrap();
    stream
}

/// What the gateway is told that has a stream.
pub async fn told(app: &TestApp, stream: StreamId) -> Order {
    let told = beat(&app.app, Owned::everybodys(), &[stream]).await.unwrap();
    told.first().map_or(Order::GoesOn, |told| told.order)
}

/// The stays, oldest first.
pub async fn stays(app: &TestApp) -> Vec<phone_session::Model> {
    let all = phone_session::Entity::find().order_by_asc(phone_session::Column::Id);
    all.all(app.app.db.read()).await.unwrap()
}

db_test! {
    async fn a_stream_ends_when_its_phone_leaves_the_card_and_the_next_stay_is_another(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phone).await;
        assert_eq!(told(&app, stream).await, Order::GoesOn);
        app.app.clock.advance_seconds(90);
        take_off_now(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        assert_eq!(told(&app, stream).await, Order::End("phone_off_machine"), "it is being taken off");
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", &made('a')).await;
        hand.does(&app, "verify").await;
        assert!(stays(&app).await[0].stream_at.is_some(), "it is on its card until the copy is sealed");
        hand.does(&app, "still").await;
        assert_eq!(told(&app, stream).await, Order::End("phone_off_machine"));
        let stay = stays(&app).await.remove(0);
        assert_eq!((stay.phone_id, stay.why, stay.stream_at), (PhoneId(phone), Some(SessionEnd::TakenOff), None));
        assert!(stay.streamed_s >= 90 && stay.streams == 1 && stay.ended_at == stay.last_stream_at, "{stay:?}");
        assert_eq!(row(&app, phone).await.last_used_at, stay.ended_at);

        // Late, and of nothing that is open.
        let (mut tx, now) = (app.app.db.begin_write().await.unwrap(), app.app.clock.now());
        let late = Ended { stream, at: now };
        assert!(end(&app.app, &mut tx, Owned::everybodys(), &[late], now).await.unwrap().is_empty());
        tx.commit().await.unwrap();

        // It comes back to the card that it has left: the same stay there, and another row.
        put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(5);
        hand.does(&app, "start").await;
        hand.does(&app, "health").await;
        let all = stays(&app).await;
        assert_eq!(all.len(), 2, "{all:?}");
        assert_eq!((all[1].placement_id, all[1].card_id), (stay.placement_id, stay.card_id));
        let waited = all[1].asked_at.map(|asked| all[1].began_at.seconds_since(asked));
        assert!(all[1].ended_at.is_none() && waited.is_some_and(|seconds| (5..300).contains(&seconds)), "{all:?}");
        assert_eq!(told(&app, stream).await, Order::End("left"), "the stream of before does not come back with it");
    }

    async fn who_waits_while_the_phone_leaves_takes_no_stream_to_the_next_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phone).await;
        take_off_now(&app, &clerk, phone).await;
        is_copied(&app, &mut hand, "boot-1", 'a').await;
        hand.does(&app, "verify").await;
        // As if the application had asked anew in the moment before the seal, without a word to the take-off.
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE connect SET state = 1").await.unwrap();
        tx.commit().await.unwrap();
        hand.does(&app, "still").await;
        put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        hand.does(&app, "start").await;
        hand.does(&app, "health").await;
        assert_eq!(told(&app, stream).await, Order::End("left"), "nobody has redeemed a ticket since");
    }

    async fn a_phone_that_somebody_uses_is_not_lost_whatever_its_card_says(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let by = application(&clerk).await;
        let stream = uses(&app, by, phone).await;
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        is_found(&mut hand, seen["card"]["id"].as_i64().unwrap(), false).await;
        for _ in 0..35 {
            assert_eq!(told(&app, stream).await, Order::GoesOn);
            passes(&app, 20).await;
        }
        assert_eq!(stands(&clerk, phone).await, nothing(), "its gateway has it, for more than ten minutes");
        // Its gateway falls silent, too.
        passes(&app, 30).await;
        passes(&app, 500).await;
        assert_eq!(stands(&clerk, phone).await, nothing(), "the time counts from then");
        passes(&app, 100).await;
        assert_eq!(stands(&clerk, phone).await, held("card_lost_no_copy"));
        assert_eq!(told(&app, stream).await, Order::GoesOn, "what is out of our reach is not out of the gateway's");
    }
}
