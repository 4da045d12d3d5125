//! An agent that is connected and says nothing of a step: the step ends, and its card is free for others.

use entity::operation_task::TaskEffect;
use entity::{card_busy, saga_step};
use phones::saga_round;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;
use testroom::hand::Hand;
use testroom::room::{hear, say};

use super::put_on::walked;

/// What a look at a card may take, what an agent has to return, and a quarter of an hour.
const PATIENCE: i64 = 60 + 120 + 900;

db_test! {
    async fn a_step_of_which_a_connected_agent_says_nothing_ends_and_frees_its_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 1).await;
        let given = hand.step(&app).await;
        assert_eq!(given["act"]["kind"], "check");
        let busy = async || card_busy::Entity::find().count(app.app.db.read()).await.unwrap();
        assert_eq!(busy().await, 1);
        saga_round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(PATIENCE - 60);
        saga_round(&app.app).await.unwrap();
        assert_eq!(walked(&clerk, id).await, ["3 1 2 "], "it may still tell");

        // That it waits for its place is a sign of life, and no progress.
        let sign = json!({ "book": "phone", "task": given["task"], "attempt": 1, "done": 0, "total": 0 });
        say(&mut hand.socket, &json!({ "type": "progress", "tries": [sign] })).await;
        say(&mut hand.socket, &json!({ "type": "reports", "seq": 9, "reports": [] })).await;
        hand.hear("taken").await;
        app.app.clock.advance_seconds(PATIENCE - 60);
        saga_round(&app.app).await.unwrap();
        assert_eq!(walked(&clerk, id).await, ["3 1 2 "], "its time begins anew");
        app.app.clock.advance_seconds(60);
        saga_round(&app.app).await.unwrap();
        assert_eq!(walked(&clerk, id).await, ["3 1 4 agent_silent"]);
        let step = saga_step::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(step.effect, Some(TaskEffect::NeverBegan), "it was only looked at");
        assert_eq!(busy().await, 0, "its card is free");

        // The agent is told, and what it says after all counts for nothing.
        let called_off = hear(&mut hand.socket, "cancel").await;
        assert_eq!((&called_off["keys"][0]["book"], &called_off["keys"][0]["task"]), (&json!("phone"), &given["task"]));
        hand.tell(&given, json!({ "end": "succeeded" })).await;
        assert_eq!(walked(&clerk, id).await, ["3 1 4 agent_silent"]);
    }
}
