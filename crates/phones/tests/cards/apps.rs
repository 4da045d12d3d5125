//! Apps of a copy that are installed on another phone, over a real agent: with what they were granted, once, and not where
//! something is damaged or in the way.

use entity::{package_blob, phone};
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::done;
use testroom::phone::{another, put_on};
use testroom::room::until;
use testroom::site::settings;

use super::by_rule::run;
use super::copied::{BACKUPS, Scene};
use super::put_on::{row, walked};
use super::verified::{flip, newest, packs, seen};

const PHONES: &str = "/api/phone/v1/phones";
const CAMERA: &str = "android.permission.CAMERA";
const MICROPHONE: &str = "android.permission.RECORD_AUDIO";

/// One more phone of the same user, on no card.
pub async fn next_phone(app: &TestApp, clerk: &Caller<'_>, first: i64) -> i64 {
    let phone::Model { user_id, room_id, .. } = row(app, first).await;
    let expires = app.app.clock.now().plus_seconds(86_400);
    let body = json!({ "userId": user_id, "plan": 2, "roomId": room_id, "diskGb": 1, "expiresAt": expires });
    clerk.post(PHONES, body).await.data()["firstId"].as_i64().unwrap()
}

/// The same, on the card that is left.
async fn neighbour(app: &TestApp, clerk: &Caller<'_>, first: i64) -> i64 {
    let phone = next_phone(app, clerk, first).await;
    let made = put_on(clerk, &[phone]).await;
    assert_eq!(done(clerk, &made["id"]).await["succeeded"], 1, "{:?}", walked(clerk, phone).await);
    phone
}

async fn ask(clerk: &Caller<'_>, copy: i64, phone: i64) -> (u16, String) {
    let answer = clerk.post(&format!("{BACKUPS}/{copy}/apps"), json!({ "phoneId": phone })).await;
    (answer.brief().0, answer.json()["msg"].as_str().unwrap_or_default().to_owned())
}

/// Has the apps of a copy installed on a phone, and waits for the end: what was done last to the phone.
async fn bring(clerk: &Caller<'_>, copy: i64, phone: i64) -> Value {
    let (http, why) = ask(clerk, copy, phone).await;
    assert_eq!(http, 200, "{why}");
    let path = format!("{PHONES}/{phone}/sagas");
    until("the apps are there, or not", async || {
        let last = clerk.get(&path).await.data()[0].clone();
        last["kind"] == 5 && matches!(last["state"].as_i64(), Some(4 | 5))
    })
    .await;
    clerk.get(&path).await.data()[0].clone()
}

/// It has failed; what the agent said.
fn failed(saga: &Value) -> &str {
    assert_eq!((&saga["state"], &saga["code"]), (&json!(5), &json!("install_failed")), "{saga}");
    saga["steps"][0]["reason"].as_str().unwrap()
}

fn game(version: i64) -> sim::Apk {
    sim::Apk::new("com.game", version).asking(&["android.permission.INTERNET", CAMERA, MICROPHONE])
}

/// A game of two files on the first card, whose owner has granted it the camera.
fn play(scene: &Scene<'_>) {
    let card = &scene.room().cards[0];
    let (base, split) = (game(7).file(3 << 20), game(7).file(70_000));
    card.install(&[("base.apk", &*base), ("split_config.zh.apk", &*split)]).unwrap();
    card.grant("com.game", CAMERA).unwrap();
    card.set_op("com.game", "CAMERA", "ignore");
}

fn has(card: &sim::Card, package: &str) -> Option<i64> {
    card.state().packages.get(package).map(|package| package.version)
}

db_test! {
    async fn the_apps_of_a_backup_come_to_another_phone_with_what_they_were_granted(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 37).await;
        let second = neighbour(&app, &clerk, scene.phone).await;
        let (from, to) = (&scene.room().cards[0], &scene.room().cards[1]);
        play(&scene);
        from.install(&[("base.apk", &*sim::Apk::new("com.other", 2).file(50_000))]).unwrap();
        from.install(&[("base.apk", &*sim::Apk::new("com.third", 2).file(50_000))]).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        let detail = seen(&clerk, copy).await;
        let found = detail["manifest"]["packages"].as_array().unwrap().iter().find(|one| one["name"] == "com.game");
        let found = found.unwrap();
        assert_eq!((&found["versionName"], &found["grants"]), (&json!("7.0"), &json!(1)), "{found}");

        // One is signed by somebody else there, another is newer: the rest is installed.
        let other = sim::Apk { signer: "b".into(), ..sim::Apk::new("com.other", 1) };
        to.install(&[("base.apk", &*other.file(10))]).unwrap();
        to.install(&[("base.apk", &*sim::Apk::new("com.third", 3).file(10))]).unwrap();
        let saga = bring(&clerk, copy, second).await;
        assert_eq!(failed(&saga), "com.other (INSTALL_FAILED_UPDATE_INCOMPATIBLE); Package com.other signatures do not match");
        assert_eq!((has(to, "com.game"), has(to, "com.other"), has(to, "com.third")), (Some(7), Some(1), Some(3)));
        {
            let state = to.state();
            let permissions = &state.packages["com.game"].permissions;
            assert!(permissions.is_granted(0, CAMERA) && !permissions.is_granted(0, MICROPHONE));
            let files: Vec<String> = state.files.children("/data/app/com.game").into_iter().map(|file| file.0).collect();
            assert!(files.contains(&"base.apk".to_owned()) && files.contains(&"split_config.zh.apk".to_owned()), "{files:?}");
            assert!(state.sessions.is_empty());
        }
        let boots = to.boots();

        // Only what is missing is done: the permission of a version that is there as well.
        to.state().packages.remove("com.other");
        let saga = bring(&clerk, copy, second).await;
        assert_eq!((&saga["state"], &saga["code"]), (&json!(4), &json!("")), "{saga}");
        assert_eq!(has(to, "com.other"), Some(2));
        assert!(to.ops("com.game").starts_with("CAMERA: ignore"), "{}", to.ops("com.game"));
        let before = to.state().packages.clone();
        assert_eq!(bring(&clerk, copy, second).await["state"], 4);
        assert_eq!(to.state().packages, before, "nothing is installed twice");
        to.state().packages.remove("com.game");
        to.install(&[("base.apk", &*game(7).file(500))]).unwrap();
        assert_eq!(bring(&clerk, copy, second).await["state"], 4);
        assert!(to.state().packages["com.game"].permissions.is_granted(0, CAMERA));
        assert_eq!(to.boots(), boots, "the phone goes on");
        let trail = app.audit_trail().await;
        for wanted in ["admin backup_apps 0", "admin phone_apps_installed 0"] {
            assert!(trail.contains(&wanted.to_owned()), "{wanted}: {trail:?}");
        }
        // The phone itself has them.
        assert_eq!(bring(&clerk, copy, scene.phone).await["state"], 4);
        scene.goes_on().await;
    }

    async fn nothing_of_a_package_is_installed_where_it_is_damaged_or_there_is_no_space(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 38).await;
        let second = neighbour(&app, &clerk, scene.phone).await;
        let to = &scene.room().cards[1];
        play(&scene);
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;

        to.faults.set(sim::Fault::NoSpace, true);
        let saga = bring(&clerk, copy, second).await;
        assert!(failed(&saga).starts_with("com.game (INSTALL_FAILED_INSUFFICIENT_STORAGE)"), "{saga}");
        assert!(has(to, "com.game").is_none() && to.state().sessions.is_empty());
        to.faults.set(sim::Fault::NoSpace, false);

        // A bit of the base flips on the node: it is told, and by the copy as well.
        let blobs = package_blob::Entity::find().all(app.app.db.read()).await.unwrap();
        let base = blobs.iter().find(|blob| blob.file == "base.apk").unwrap();
        packs(&scene.place().join(&base.folder)).iter().for_each(|pack| flip(pack));
        let saga = bring(&clerk, copy, second).await;
        assert!(failed(&saga).starts_with("com.game (package_damaged)"), "{saga}");
        assert!(has(to, "com.game").is_none() && to.state().sessions.is_empty());
        assert!(seen(&clerk, copy).await["damage"].as_str().unwrap().contains("com.game"));

        // It is known now, and not tried again; the next copy of a phone that has the app saves it anew.
        let saga = bring(&clerk, copy, second).await;
        assert!(failed(&saga).starts_with("com.game (package_damaged)"), "{saga}");
        assert_eq!(scene.backed_up().await, (1, vec![]));
        assert_eq!(bring(&clerk, copy, second).await["state"], 4);
        assert_eq!(has(to, "com.game"), Some(7));
    }

    async fn apps_are_installed_only_where_that_can_be_done(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let scene = Scene::open(&app, &clerk, 39).await;
        let first = scene.phone;
        let refused = async |copy: i64, phone: i64, code: u16, words: &str| {
            let (http, why) = ask(&clerk, copy, phone).await;
            assert!(http == code && why.contains(words), "{http} {why}");
        };
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let bare = newest(&clerk).await;
        refused(bare, first, 409, "No packages of apps").await;
        refused(999, first, 404, "no such backup").await;

        play(&scene);
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        refused(copy, 999, 404, "no such cloud phone").await;
        let room = row(&app, first).await.room_id.0;
        refused(copy, another(&app, &clerk, room).await, 409, "another user's").await;
        refused(copy, next_phone(&app, &clerk, first).await, 409, "off the machine").await;

        // It holds more than its disk, by its last copy: nothing is installed by us.
        let holds = row(&app, first).await.used_bytes;
        run(&app, "UPDATE phone SET used_bytes = CAST(disk_gb AS BIGINT) * 1073741824 + 1").await;
        refused(copy, first, 409, "more than its disk").await;
        run(&app, &format!("UPDATE phone SET used_bytes = {holds}")).await;

        // Of two who press at once one has it.
        let (one, two) = tokio::join!(ask(&clerk, copy, first), ask(&clerk, copy, first));
        let mut both = [one.0, two.0];
        both.sort_unstable();
        assert_eq!(both, [200, 409]);
        until("it is over", async || clerk.get(&format!("{PHONES}/{first}")).await.data()["underWay"].is_null()).await;

        scene.room().cards[0].plant("/data/vendor_game/saves/one", 7, 2 << 20).unwrap();
        assert_eq!(scene.backed_up().await, (0, vec!["not_covered".to_owned()]));
        refused(newest(&clerk).await, first, 409, "was not completed").await;

        // With the copies and what was installed it is one too many for one operator.
        settings(&clerk, "approvalAbove", 1).await;
        refused(copy, first, 409, "").await;
        settings(&clerk, "approvalAbove", 0).await;
        scene.stop_agent().await;
        refused(copy, first, 409, "reaches the storage node").await;
    }
}
