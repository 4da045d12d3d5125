//! Apps that phones may not have, step by step with a test that acts as the agent and over a real one: they do not come with a copy,
//! which is kept for a while, and nothing takes what did not come for lost.

use entity::backup;
use entity::phone::UseType;
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::done;
use testroom::phone::{PHONES, put_on};
use testroom::room::until;

use super::apps::next_phone;
use super::back_steps::left;
use super::by_rule::run;
use super::copied::{BACKUPS, Scene};
use super::copy_steps::{last, made};
use super::off_steps::take_off;
use super::put_on::{row, walked};
use super::restore_steps::{copied, restore};
use super::restored::{OTHER, play};
use super::verified::newest;

const FORBIDDEN: &str = "/api/storage/v1/forbidden-apps";
const MONTH: i64 = 30 * 86_400;

/// From now on phones of this plan may not have an app, or none may; where that is written down.
async fn forbid(clerk: &Caller<'_>, package: &str, plan: Option<i64>) -> String {
    let body = json!({ "name": "小游戏", "package": package, "plan": plan });
    format!("{FORBIDDEN}/{}", clerk.post(FORBIDDEN, body).await.data()["id"])
}

/// All copies have a game with most of what there is, a chat and an app of the image.
async fn hold(app: &TestApp) {
    let of = |name: &str, is_own: bool, files: u64, bytes: u64| json!({ "name": name, "isOwn": is_own, "amount": { "files": files, "bytes": bytes } });
    let packages = [of("com.game", true, 7, 3_200), of("com.chat", true, 2, 700), of("com.image", false, 1, 100)];
    let manifest = json!({ "version": 1, "packages": packages });
    run(app, &format!("UPDATE backup SET manifest = '{manifest}', files = 10, bytes = 4000")).await;
}

/// What the agent is given for a step: the packages that it brings, and those that it leaves out.
async fn given(app: &TestApp, hand: &Hand, step: &Value) -> (Vec<String>, Value) {
    let agent = app.anybody().token(format!("Bearer {}", hand.identity.credential));
    let keys = agent.get(&format!("/agent/v1/tasks/phone/{}/1/keys", step["task"])).await.json();
    let packages = keys["manifest"]["packages"].as_array().unwrap();
    (packages.iter().map(|package| package["name"].as_str().unwrap().to_owned()).collect(), keys["withheld"].clone())
}

async fn kept(app: &TestApp, copy: entity::BackupId) -> Option<i64> {
    let row = backup::Entity::find_by_id(copy).one(app.app.db.read()).await.unwrap().unwrap();
    row.safe_until.map(|until| until.seconds_since(app.app.clock.now()))
}

fn is_a_month(seconds: Option<i64>) -> bool {
    seconds.is_some_and(|seconds| (MONTH - 120..=MONTH).contains(&seconds))
}

db_test! {
    async fn a_forbidden_app_does_not_come_with_a_copy_which_is_kept_for_a_month(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        hold(&app).await;
        let game = forbid(&clerk, "com.game", Some(2)).await;
        // Another plan's phones alone may not have that one, and the image has the other anyway.
        forbid(&clerk, "com.chat", Some(3)).await;
        forbid(&clerk, "com.image", None).await;
        restore(&app, &clerk, copy, blank).await;
        hand.does(&app, "check").await;
        hand.does(&app, "claim").await;
        let apps = hand.step(&app).await;
        let (without, left) = (vec!["com.chat".to_owned(), "com.image".to_owned()], json!(["com.game"]));
        assert_eq!((apps["act"]["kind"].as_str(), given(&app, &hand, &apps).await), (Some("apps"), (without.clone(), left.clone())));
        // Whatever is said meanwhile: an app without its data, or data without its app, would be neither.
        clerk.delete(&game, json!({})).await.data();
        hand.tell(&apps, json!({ "end": "succeeded" })).await;
        let data = hand.step(&app).await;
        assert_eq!((data["act"]["kind"].as_str(), given(&app, &hand, &data).await), (Some("restore"), (without, left)));
        hand.tell(&data, json!({ "end": "succeeded" })).await;
        assert_eq!(kept(&app, entity::BackupId(copy)).await, None, "the phone is not there yet");
        hand.does(&app, "boot").await;
        hand.does(&app, "health").await;
        assert!(is_a_month(kept(&app, entity::BackupId(copy)).await));
        let seen = clerk.get(&format!("{PHONES}/{blank}")).await.data()["withheld"].clone();
        assert_eq!((seen.as_array().unwrap().len(), &seen[0]["package"], &seen[0]["name"]), (1, &json!("com.game"), &json!("小游戏")), "{seen}");
        assert_eq!((&seen[0]["backupId"], seen[0]["keptUntil"].is_string()), (&json!(copy), true), "{seen}");
        let told = clerk.get(&format!("{PHONES}/{blank}/sagas")).await.data();
        assert_eq!(told[0]["withheld"], seen, "{told}");
        assert!(app.audit_trail().await.contains(&"admin phone_app_withheld 0".to_owned()));
        let other = clerk.get(&format!("{PHONES}/{}", last(&app).await.phone_id)).await.data();
        assert_eq!(other["withheld"], json!([]), "the phone that was copied is on its card with all of it");
    }

    async fn what_did_not_come_is_not_missed_when_the_phone_leaves_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, sealed) = Box::pin(left(&app, &clerk)).await;
        hold(&app).await;
        forbid(&clerk, "com.game", None).await;
        let before = last(&app).await;
        put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        // On the card that it has left the app is still.
        assert_ne!(hand.comes_with_copy(&app).await, sealed);
        assert_eq!(hand.does(&app, "clear").await["card"], sealed);
        hand.says(&app, "prove", "boot-2").await;
        hand.does(&app, "markClean").await;
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-3").await;
        let mut rest: Value = serde_json::from_str(&made('b')).unwrap();
        (rest["files"], rest["bytes"]) = (json!(3), json!(900));
        hand.says(&app, "copy", &rest.to_string()).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        let (phone, copy) = (row(&app, phone).await, last(&app).await);
        assert_eq!((phone.use_type, phone.kept_id, copy.is_shrunk), (UseType::Off, Some(copy.id), false));
        assert_ne!(copy.id, before.id);
        assert!(is_a_month(kept(&app, before.id).await), "the phone lives by another one, and this has the app");
        assert_eq!(kept(&app, copy.id).await, None);
    }

    async fn a_phone_comes_back_to_its_card_where_its_copy_is_damaged(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, sealed) = Box::pin(left(&app, &clerk)).await;
        hold(&app).await;
        forbid(&clerk, "com.game", None).await;
        run(&app, "UPDATE backup SET damage = 'repo_damaged'").await;
        put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(hand.does(&app, "start").await["card"], sealed, "it may be all that is left of it");
    }

    async fn nothing_of_a_forbidden_app_is_on_a_real_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::with(&app, &clerk, 97, 4).await;
        play(&scene);
        scene.room().cards[0].install(&[("base.apk", &*sim::Apk::new("com.chat", 2).file(50_000))]).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        let game = forbid(&clerk, "com.game", None).await;
        let second = next_phone(&app, &clerk, scene.phone).await;
        let begun = clerk.post(&format!("{BACKUPS}/{copy}/restore"), json!({ "phoneId": second })).await.data();
        assert_eq!(done(&clerk, &begun["id"]).await["succeeded"], 1, "{:?}", walked(&clerk, second).await);
        let to = &scene.room().cards[OTHER];
        let has = |package: &str| to.state().packages.contains_key(package);
        let is_there = |path: &str| to.state().files.find_own(path, false).is_ok();
        assert!(has("com.chat") && !has("com.game"));
        for gone in ["/data/data/com.game", "/data/user_de/0/com.game", "/data/media/0/Android/data/com.game"] {
            assert!(!is_there(gone), "{gone}");
        }
        for came in ["/data/data/com.android.settings/files/mine", "/data/media/0/DCIM/1.jpg"] {
            assert!(is_there(came), "{came}");
        }
        // Nor does it come by itself; once phones may have it, it does.
        let brings = async || {
            clerk.post(&format!("{BACKUPS}/{copy}/apps"), json!({ "phoneId": second })).await.data();
            let path = format!("{PHONES}/{second}/sagas");
            until("the apps are there", async || {
                let last = clerk.get(&path).await.data()[0].clone();
                last["kind"] == 5 && last["state"] == 4
            })
            .await;
            clerk.get(&path).await.data()[0]["withheld"].clone()
        };
        assert_eq!(brings().await[0]["package"], "com.game");
        assert!(!has("com.game"));
        clerk.delete(&game, json!({})).await.data();
        assert_eq!(brings().await, json!([]));
        assert!(has("com.game"));
        scene.goes_on().await;
    }
}
