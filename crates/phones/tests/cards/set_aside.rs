//! One row that is not as it should be ends in an error by itself: all else goes on, it is told, and tried again.

use entity::phone::UseType;
use entity::{PhoneId, placement};
use phones::{saga_pass, saga_round};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::{another, phone as new_phone, put_on};
use testroom::room::{hear, say};

use super::by_rule::run;
use super::put_on::row;

async fn is_told(clerk: &Caller<'_>) -> bool {
    clerk.get("/api/general/v1/attention").await.data().to_string().contains("\"phonesErrors\"")
}

async fn stays(app: &TestApp, phone: i64) -> u64 {
    let stays = placement::Entity::find().filter(placement::Column::PhoneId.eq(PhoneId(phone)));
    stays.count(app.app.db.read()).await.unwrap()
}

/// What an agent tells of a step that it has done.
fn done(step: &Value) -> Value {
    json!({ "book": "phone", "task": step["task"], "attempt": 1, "outcome": { "end": "succeeded" } })
}

db_test! {
    async fn a_put_on_that_ends_in_an_error_keeps_nobody_else_from_a_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        hand.keep(&clerk, 2).await;
        let (bad, good) = (new_phone(&app, &clerk, hand.room).await, another(&app, &clerk, hand.room).await);
        put_on(&clerk, &[bad]).await;
        put_on(&clerk, &[good]).await;
        // It has a place already, of which no saga knows: the database refuses another one.
        let columns = "phone_id, card_id, role, is_quarantined, began_at";
        run(&app, &format!("INSERT INTO placement ({columns}) VALUES ({bad}, {}, 1, FALSE, 0)", hand.cards[7])).await;
        assert!(!is_told(&clerk).await);

        saga_pass(&app.app).await.unwrap();
        assert_eq!((stays(&app, bad).await, stays(&app, good).await), (1, 1));
        // The third time in a row it is left alone for a minute: whatever a busy machine takes, that has not passed below.
        for pause in [5, 15] {
            app.app.clock.advance_seconds(pause);
            saga_pass(&app.app).await.unwrap();
        }
        assert!(is_told(&clerk).await);
        let step = hand.step(&app).await;
        assert_eq!((&step["act"]["kind"], &step["mark"]["phone"]), (&json!("check"), &json!(good)));

        // It is left alone for now, and then goes on by itself.
        run(&app, &format!("DELETE FROM placement WHERE phone_id = {bad}")).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stays(&app, bad).await, 0);
        app.app.clock.advance_seconds(60);
        saga_round(&app.app).await.unwrap();
        assert_eq!(stays(&app, bad).await, 1);
        assert!(!is_told(&clerk).await);
    }

    async fn a_result_that_cannot_be_written_down_keeps_none_of_the_others(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        let (bad, good) = (new_phone(&app, &clerk, hand.room).await, another(&app, &clerk, hand.room).await);
        put_on(&clerk, &[bad, good]).await;
        for kind in ["check", "check", "claim", "claim", "boot", "boot"] {
            hand.does(&app, kind).await;
        }
        let steps = [hand.step(&app).await, hand.step(&app).await];
        assert!(steps.iter().all(|step| step["act"]["kind"] == "health"), "{steps:?}");
        // Nothing leads from there to where it would be.
        run(&app, &format!("UPDATE saga SET state = 3 WHERE phone_id = {bad}")).await;
        say(&mut hand.socket, &json!({ "type": "results", "results": [done(&steps[0]), done(&steps[1])] })).await;
        let kept = hear(&mut hand.socket, "kept").await;
        let on = async |phone| row(&app, phone).await.use_type == UseType::On;
        // What the agent has told is not told again, and counts all the same once it can be written down, five seconds later.
        run(&app, &format!("UPDATE saga SET state = 2 WHERE phone_id = {bad}")).await;
        saga_round(&app.app).await.unwrap();
        assert!(on(good).await && !on(bad).await, "it is left alone for now");
        assert!(is_told(&clerk).await);
        let other = steps.iter().find(|step| step["mark"]["phone"] == good).unwrap();
        assert_eq!((kept["keys"].as_array().unwrap().len(), &kept["keys"][0]["task"]), (1, &other["task"]), "{kept}");
        app.app.clock.advance_seconds(5);
        saga_round(&app.app).await.unwrap();
        assert!(on(bad).await);
        assert!(!is_told(&clerk).await);
    }
}
