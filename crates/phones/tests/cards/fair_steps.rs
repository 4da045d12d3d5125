//! Steps that cannot begin are in nobody's way.

use entity::CardId;
use entity::saga_step::{self, StepName, StepState};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::EntityTrait as _;
use testapp::TestApp;
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::put_on;

use super::apps::next_phone;

/// More than are looked at at once.
const MANY: i32 = 250;

db_test! {
    async fn steps_that_cannot_begin_hide_none_behind_them(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, first, _) = Hand::asked(&app, &clerk, 3).await;
        hand.step(&app).await;
        let busy = saga_step::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        let free = CardId(hand.cards[2]);
        assert_ne!(busy.card_id, free);
        // At a card where something else is, and such as this agent is too old for.
        let tx = app.app.db.begin_write().await.unwrap();
        for (name, card) in [(StepName::Check, busy.card_id), (StepName::Start, free)] {
            let rows = (2..MANY + 2).map(|attempt| saga_step::ActiveModel {
                id: NotSet,
                name: Set(name),
                attempt: Set(attempt),
                card_id: Set(card),
                agent_id: Set(None),
                state: Set(StepState::Waiting),
                began_at: Set(None),
                ..busy.clone().into()
            });
            saga_step::Entity::insert_many(rows).exec_without_returning(&*tx).await.unwrap();
        }
        tx.commit().await.unwrap();
        let id = next_phone(&app, &clerk, first).await;
        put_on(&clerk, &[id]).await;
        let given = hand.step(&app).await;
        assert_eq!((&given["act"]["kind"], &given["mark"]["phone"]), (&"check".into(), &id.into()), "{given}");
    }
}
