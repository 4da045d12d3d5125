//! What only a board can show is marked as untried until somebody says what came of it.

use entity::board_trial::BoardQuestion;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::images::{IMAGES, NEW, OLD, image, room, running, say};

const UNTRIED: i16 = 1;
const WORKS: i16 = 2;
const FAILS: i16 = 3;

async fn trials(clerk: &Caller<'_>, image: i64) -> Vec<Value> {
    clerk.get(&format!("{IMAGES}/{image}/trials")).await.data().as_array().unwrap().clone()
}

/// What came of each question of an image, in order.
async fn outcomes(clerk: &Caller<'_>, image: i64) -> Vec<i64> {
    trials(clerk, image).await.iter().map(|trial| trial["outcome"].as_i64().unwrap()).collect()
}

fn says(question: i16, outcome: i16) -> Value {
    json!({ "question": question, "outcome": outcome, "reason": "十次重启后 id -u 均为 0" })
}

db_test! {
    async fn every_question_is_untried_until_somebody_says_what_came_of_it(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let (_, session) = room(&app, &admin).await;
        say(&app, &session, &[running(1, OLD), running(2, NEW)]).await;
        let (old, new) = (image(&admin, OLD).await, image(&admin, NEW).await);
        let clerk = app.operator("clerk", &["systemImage:list", "systemImage:trial"]).await;
        let reader = app.operator("reader", &["systemImage:list"]).await;
        assert_eq!(outcomes(&reader, old).await, vec![i64::from(UNTRIED); BoardQuestion::ALL.len()]);
        let first = &trials(&reader, old).await[0];
        assert_eq!((&first["triedAt"], &first["triedBy"], &first["reason"]), (&Value::Null, &json!(""), &json!("")));

        let all = format!("{IMAGES}/{old}/trials");
        assert_eq!(reader.post(&all, says(1, WORKS)).await.status(), 4003);
        let told = clerk.post(&all, says(1, WORKS)).await.data();
        assert_eq!((&told["outcome"], &told["triedBy"]), (&json!(WORKS), &json!("clerk")));
        assert!(!told["triedAt"].is_null());
        // What is said last counts, whoever said something before.
        admin.post(&all, says(1, FAILS)).await.data();
        clerk.post(&all, says(8, WORKS)).await.data();
        let seen = trials(&reader, old).await;
        assert_eq!((&seen[0]["outcome"], &seen[0]["triedBy"]), (&json!(FAILS), &json!("admin")));
        assert_eq!(outcomes(&reader, old).await, [3, 1, 1, 1, 1, 1, 1, 2]);
        assert_eq!(outcomes(&reader, new).await, vec![i64::from(UNTRIED); BoardQuestion::ALL.len()], "another image");
        let back = clerk.post(&all, says(1, UNTRIED)).await.data();
        assert_eq!((&back["outcome"], &back["triedBy"]), (&json!(UNTRIED), &json!("clerk")), "who took it back stays to be seen");
        let trail = app.audit_trail().await;
        for line in ["clerk image_trial 0", "admin image_trial 0"] {
            assert!(trail.contains(&line.to_owned()), "{line}: {trail:?}");
        }
    }

    async fn what_makes_no_sense_is_refused(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let (_, session) = room(&app, &admin).await;
        say(&app, &session, &[running(1, OLD)]).await;
        let all = format!("{IMAGES}/{}/trials", image(&admin, OLD).await);
        let nothing_seen = json!({ "question": 1, "outcome": 2, "reason": "" });
        assert_eq!(admin.post(&all, nothing_seen).await.errors(), ["reason required"]);
        for (question, outcome) in [(0, WORKS), (9, WORKS), (1, 0), (1, 4)] {
            assert_eq!(admin.post(&all, says(question, outcome)).await.brief().0, 400, "{question} {outcome}");
        }
        assert_eq!(admin.post(&format!("{IMAGES}/99999/trials"), says(1, WORKS)).await.status(), 4004);
        assert_eq!(admin.get(&format!("{IMAGES}/99999/trials")).await.status(), 4004);
        assert_eq!(outcomes(&admin, image(&admin, OLD).await).await, vec![i64::from(UNTRIED); BoardQuestion::ALL.len()]);
    }
}
