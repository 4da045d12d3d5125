//! Which image takes phones of which other one: an operator says so, for one direction and within a board.

use entity::ImageId;
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::images::{IMAGES, NEW, OLD, image, room, running, say};

const PAIRS: &str = "/api/fleet/v1/pairs";

/// The other images that take phones of one.
async fn takers(app: &TestApp, image: i64) -> Vec<i64> {
    let found = fleet::takers(app.app.db.read(), &[ImageId(image)]).await.unwrap();
    found.into_values().flatten().map(|image| image.0).collect()
}

/// What an image's pairs are called: those on whose cards its phones may come, and those whose phones may come on its own.
async fn seen(clerk: &Caller<'_>, image: i64) -> (Vec<String>, Vec<String>) {
    let pairs = clerk.get(&format!("{IMAGES}/{image}/pairs")).await.data();
    let names = |of: &str, which: &str| {
        let all = pairs[of].as_array().unwrap().iter();
        all.map(|pair| pair[which]["name"].as_str().unwrap().to_owned()).collect()
    };
    (names("to", "to"), names("from", "from"))
}

fn says(to: i64) -> Value {
    json!({ "toId": to, "reason": "已在实机上验证" })
}

db_test! {
    async fn an_image_takes_phones_of_another_one_and_not_the_other_way_round(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let (_, session) = room(&app, &admin).await;
        say(&app, &session, &[running(1, OLD), running(2, NEW)]).await;
        let (old, new) = (image(&admin, OLD).await, image(&admin, NEW).await);
        let clerk = app.operator("clerk", &["systemImage:list", "systemImage:declare"]).await;
        let reader = app.operator("reader", &["systemImage:list"]).await;
        let all = format!("{IMAGES}/{old}/pairs");
        assert_eq!(seen(&reader, old).await, (vec![], vec![]));
        assert_eq!(reader.post(&all, says(new)).await.status(), 4003);
        let made = clerk.post(&all, says(new)).await.data();
        assert_eq!((&made["from"]["id"], &made["to"]["id"], &made["createdBy"]), (&json!(old), &json!(new), &json!("clerk")));
        assert_eq!((takers(&app, old).await, takers(&app, new).await), (vec![new], vec![]));
        assert_eq!(seen(&reader, old).await, (vec![NEW.to_owned()], vec![]));
        assert_eq!(seen(&reader, new).await, (vec![], vec![OLD.to_owned()]));
        // What is called otherwise by now is shown by that.
        admin.post(&format!("{IMAGES}/{new}/adopt"), json!({ "version": "11.0" })).await.data();
        assert_eq!(seen(&reader, old).await.0, ["11.0"]);

        let again = clerk.post(&all, says(new)).await;
        assert_eq!((again.brief(), again.errors()), ((409, 4009), vec!["toId taken".to_owned()]));
        let back = clerk.post(&format!("{IMAGES}/{new}/pairs"), says(old)).await.data();
        assert_eq!(takers(&app, new).await, [old], "that is another pair");
        let one = format!("{PAIRS}/{}", made["id"]);
        assert_eq!(clerk.delete(&one, json!({})).await.status(), 4003);
        assert_eq!(admin.delete(&one, json!({})).await.status(), 0);
        assert_eq!(admin.delete(&one, json!({})).await.status(), 4004);
        assert_eq!((takers(&app, old).await, takers(&app, new).await), (vec![], vec![old]));
        assert_eq!(seen(&reader, old).await, (vec![], vec!["11.0".to_owned()]));
        assert!(back["id"].is_i64());
        let trail = app.audit_trail().await;
        for line in ["clerk image_declare 0", "admin image_undeclare 0"] {
            assert!(trail.contains(&line.to_owned()), "{line}: {trail:?}");
        }
    }

    async fn what_makes_no_sense_is_refused(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let (_, session) = room(&app, &admin).await;
        say(&app, &session, &[running(1, OLD)]).await;
        let tx = app.app.db.begin_write().await.unwrap();
        let other = format!("INSERT INTO image_known (board, fingerprint, found_at) VALUES ('MTK_G90', '{NEW}', 0)");
        tx.execute_unprepared(&other).await.unwrap();
        tx.commit().await.unwrap();
        let list = admin.get(&format!("{IMAGES}?board=MTK_G90")).await.data();
        let (old, elsewhere) = (image(&admin, OLD).await, list["list"][0]["id"].as_i64().unwrap());
        let all = format!("{IMAGES}/{old}/pairs");
        for to in [old, elsewhere] {
            assert_eq!(admin.post(&all, says(to)).await.brief(), (409, 4009), "itself, or one of another board");
        }
        assert_eq!(admin.post(&all, says(99_999)).await.errors(), ["toId reference.unknown"]);
        assert_eq!(admin.post(&all, json!({ "toId": elsewhere, "reason": "" })).await.errors(), ["reason required"]);
        assert_eq!(admin.post(&format!("{IMAGES}/99999/pairs"), says(old)).await.status(), 4004);
        assert_eq!(admin.get(&format!("{IMAGES}/99999/pairs")).await.status(), 4004);
        assert!(takers(&app, old).await.is_empty());
    }
}
