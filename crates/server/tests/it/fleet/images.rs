//! Which image a card runs, as it says itself, and what operators call it.

use entity::placement;
use fleet::{Session, Sighting, sighted};
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::phone::phone;
use testroom::site::{CARDS, fill, kind, site};

use super::findings::sighting;
use super::state::agent;
use crate::operation::second_look::put_on;

pub const IMAGES: &str = "/api/fleet/v1/images";
pub const OLD: &str = "rockchip/rk3399/rk3399:10/QQ2A/1001:userdebug/test-keys";
pub const NEW: &str = "rockchip/rk3399/rk3399:11/RQ3A/1101:userdebug/test-keys";

/// The card `number` of the first room, saying that it runs `fingerprint`.
pub fn running(number: u8, fingerprint: &str) -> Sighting {
    let seen = sighting(&format!("SN{number}"), &format!("10.1.0.{number}"), "RK3399-Card");
    Sighting { fingerprint: fingerprint.to_owned(), ..seen }
}

pub async fn say(app: &TestApp, session: &Session, seen: &[Sighting]) {
    sighted(&app.app, session, seen, false).await.unwrap();
}

/// What the card's detail calls its image.
async fn image_of(clerk: &Caller<'_>, card: i64) -> Value {
    clerk.get(&format!("{CARDS}/{card}")).await.data()["image"]["name"].clone()
}

/// The image with this fingerprint.
pub async fn image(clerk: &Caller<'_>, fingerprint: &str) -> i64 {
    let list = clerk.get(IMAGES).await.data();
    let found = list["list"].as_array().unwrap().iter().find(|image| image["fingerprint"] == fingerprint);
    found.unwrap()["id"].as_i64().unwrap()
}

/// `fingerprint version cards` of the images that a filter leaves, first found first.
async fn images(clerk: &Caller<'_>, filter: &str) -> Vec<String> {
    let page = clerk.get(&format!("{IMAGES}?sort=fingerprint&order=asc{filter}")).await.data();
    let rows = page["list"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            format!("{} {} {}", row["fingerprint"].as_str().unwrap(), row["version"].as_str().unwrap(), row["cards"])
        })
        .collect()
}

/// A room with eight cards, and an agent in it.
pub async fn room(app: &TestApp, clerk: &Caller<'_>) -> (Vec<i64>, Session) {
    let here = site(clerk, 1).await;
    let cards = fill(clerk, &here).await;
    let session = agent(app, clerk, &here).await;
    (cards, session)
}

db_test! {
    async fn a_card_runs_what_it_says_itself_whoever_asks_it_next(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (cards, session) = room(&app, &clerk).await;
        assert_eq!(image_of(&clerk, cards[0]).await, Value::Null, "it has not said so yet");

        say(&app, &session, &[running(1, OLD), running(2, OLD), running(3, NEW)]).await;
        assert_eq!(image_of(&clerk, cards[0]).await, OLD, "with its serial, at its first look");
        assert_eq!(images(&clerk, "").await, [format!("{OLD}  2"), format!("{NEW}  1")]);

        say(&app, &session, &[running(2, NEW)]).await;
        assert_eq!(image_of(&clerk, cards[1]).await, NEW, "it was flashed");
        say(&app, &session, &[running(2, "")]).await;
        assert_eq!(image_of(&clerk, cards[1]).await, NEW, "an agent of before does not ask for it");
        say(&app, &session, &[running(2, &"x".repeat(256))]).await;
        assert_eq!(image_of(&clerk, cards[1]).await, NEW, "half a fingerprint is that of another image");
        say(&app, &session, &[Sighting { serial: "OTHER".to_owned(), ..running(1, NEW) }]).await;
        assert_eq!(image_of(&clerk, cards[0]).await, OLD, "another card at its address does not speak for it");
        assert_eq!(images(&clerk, "").await, [format!("{OLD}  1"), format!("{NEW}  2")]);

        clerk.post(&format!("{CARDS}/retire"), json!({ "selection": { "ids": [cards[2]] }, "reason": "坏了" })).await.data();
        assert_eq!(images(&clerk, "").await, [format!("{OLD}  1"), format!("{NEW}  1")], "retired ones do not count");
    }

    async fn the_same_fingerprint_on_another_board_is_another_image(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, session) = room(&app, &clerk).await;
        let there = site(&clerk, 2).await;
        let mut body = kind(json!({ "planId": there.plan, "count": 1, "frameId": there.frame }));
        body["board"] = "MTK_G90".into();
        clerk.post("/api/fleet/v1/cards/range", body).await.data();
        let mut other = Sighting { ip: "10.2.0.1".parse().unwrap(), ..running(9, OLD) };
        other.model.board = "MTK_G90".to_owned();

        say(&app, &session, &[running(1, OLD)]).await;
        say(&app, &agent(&app, &clerk, &there).await, &[other]).await;
        assert_eq!(images(&clerk, "").await, [format!("{OLD}  1"), format!("{OLD}  1")]);
        assert_eq!(images(&clerk, "&board=MTK_G90").await, [format!("{OLD}  1")]);
    }

    async fn whose_a_card_says_it_is_stands_beside_the_books(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (cards, session) = room(&app, &clerk).await;
        let mark = async |text: Option<&str>| {
            say(&app, &session, &[Sighting { mark: text.map(str::to_owned), ..running(1, OLD) }]).await;
            let card = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data();
            (card["markState"].as_i64().unwrap(), card["mark"].clone())
        };
        assert_eq!(mark(None).await, (1, Value::Null), "an agent of before does not ask for it");
        assert_eq!(mark(Some("-")).await, (2, Value::Null));
        assert_eq!(mark(None).await, (2, Value::Null));
        assert_eq!(mark(Some("clean 00ff")).await, (6, json!("clean 00ff")), "nobody here has proved it");
        assert_eq!(mark(Some("17.4")).await, (6, json!("17.4")));
        assert_eq!(mark(Some("?")).await, (8, Value::Null));

        let phone = phone(&app, &clerk, session.room.0).await;
        put_on(&app, phone, cards[0]).await;
        let stay = placement::Entity::find().one(app.app.db.read()).await.unwrap().unwrap().id.0;
        assert_eq!(mark(Some(&format!("{phone}.{stay}"))).await.0, 4);
        assert_eq!(mark(Some(&format!("{phone}.{}", stay + 1))).await.0, 6);
        assert_eq!(mark(Some("-")).await.0, 7, "somebody has reset it by hand");
    }

    async fn an_image_is_adopted_by_its_version_and_cards_are_found_by_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (cards, session) = room(&app, &clerk).await;
        say(&app, &session, &[running(1, OLD), running(2, NEW)]).await;
        let id = clerk.get(&format!("{IMAGES}?keyWord=1101")).await.data()["list"][0]["id"].clone();
        let adopt = async |version: &str| {
            clerk.post(&format!("{IMAGES}/{id}/adopt"), json!({ "version": version })).await
        };

        for wrong in ["", "3..2", "latest", "1.2.3.4.5"] {
            let answer = adopt(wrong).await;
            assert_eq!(answer.json()["errors"][0]["field"], "version", "{wrong}");
        }
        let unknown = clerk.post(&format!("{IMAGES}/99999/adopt"), json!({ "version": "1.0" })).await;
        assert_eq!(unknown.json()["status"], 4004);

        let adopted = adopt("3.2.1").await.data();
        assert_eq!((&adopted["version"], &adopted["cards"], &adopted["adoptedBy"]), (&json!("3.2.1"), &json!(1), &json!("admin")));
        assert_eq!(image_of(&clerk, cards[1]).await, "3.2.1");
        assert_eq!(images(&clerk, "&adopted=true").await, [format!("{NEW} 3.2.1 1")]);
        assert_eq!(images(&clerk, "&adopted=false").await, [format!("{OLD}  1")]);
        assert_eq!(images(&clerk, "&keyWord=3.2").await, [format!("{NEW} 3.2.1 1")]);
        assert_eq!(images(&clerk, "&board=RK_3399").await.len(), 2);
        assert_eq!(images(&clerk, "&board=MTK_G90").await.len(), 0);
        assert_eq!(images(&clerk, &format!("&imageId={id}")).await.len(), 1);

        let found = clerk.get(&format!("{CARDS}?imageId={id}")).await.data();
        assert_eq!((found["total"].as_i64(), found["list"][0]["id"].as_i64()), (Some(1), Some(cards[1])));
        let adopted = adopt("3.2.2").await.data();
        assert_eq!(adopted["version"], "3.2.2", "whoever was wrong says it again");
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| *line == "admin image_adopt 0").count(), 2);
    }
}
