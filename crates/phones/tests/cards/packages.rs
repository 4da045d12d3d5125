//! Packages of apps: saved once a storage node, needed by copies, told when they are damaged and mended by the next copy of
//! any phone that has the app. Over a real agent, read by Debian's `restic`, and step by step with a test that acts as the
//! agent.

use axum::body::Body;
use entity::backup::BackupState;
use entity::phone::UseType;
use entity::{backup_package, package_blob};
use http::Method;
use sea_orm::{EntityTrait as _, PaginatorTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;

use super::by_rule::run;
use super::copied::{BACKUPS, Scene, restic};
use super::copy_steps::{back_up, last, made, on};
use super::off_steps::take_off_now;
use super::put_on::row;
use super::taken_off::{ended, take_off};
use super::verified::{flip, newest, packs, seen, verify};

fn hash(letter: char) -> String {
    letter.to_string().repeat(64)
}

/// What an agent with a try asks and tells.
struct Talk<'a> {
    agent: Caller<'a>,
    step: Value,
}

impl<'a> Talk<'a> {
    /// The next step, which has to be this one.
    async fn next(app: &'a TestApp, hand: &mut Hand, kind: &str) -> Self {
        let step = hand.step(app).await;
        assert_eq!(step["act"]["kind"], kind, "{step}");
        Self { agent: app.anybody().token(format!("Bearer {}", hand.identity.credential)), step }
    }

    fn path(&self, what: &str) -> String {
        format!("/agent/v1/tasks/phone/{}/1/{what}", self.step["task"])
    }

    async fn tells(&self, paper: Value) -> u16 {
        let body = Body::from(paper.to_string());
        self.agent.send(Method::PUT, &self.path("paper"), "application/json", body).await.http.as_u16()
    }

    /// It has found a game of two files on the card.
    async fn finds_the_game(&self) {
        let apk = |name: &str, letter: char| json!({ "name": name, "size": 9, "modified": 5, "sha256": hash(letter) });
        let game = json!({ "name": "com.game", "versionCode": 7, "isOwn": true, "path": "/data/app/com.game/base.apk",
            "apks": [apk("base.apk", 'a'), apk("split_config.zh.apk", 'b'), apk("odd.apk", 'X')] });
        let image = json!({ "name": "android", "apks": [apk("framework-res.apk", 'c')] });
        assert_eq!(self.tells(json!({ "manifest": { "version": 1, "packages": [game, image] } })).await, 204);
    }

    /// Where the files lie, or are to lie: folder and snapshot of each, by its letter.
    async fn places(&self) -> Vec<(char, String, String)> {
        let keys = self.agent.get(&self.path("keys")).await.json();
        let packages = keys["packages"].as_array().unwrap().iter();
        let text = |package: &Value, field: &str| package[field].as_str().unwrap().to_owned();
        let mut places: Vec<_> = packages
            .map(|one| (text(one, "sha256").chars().next().unwrap(), text(one, "folder"), text(one, "snapshot")))
            .collect();
        places.sort();
        places
    }

    async fn saves(&self, letter: char, folder: &str, snapshot: char) {
        let saved = json!({ "sha256": hash(letter), "folder": folder, "snapshot": hash(snapshot), "added": 5 });
        assert_eq!(self.tells(json!({ "saved": [saved] })).await, 204);
    }

    async fn ends(self, hand: &mut Hand) {
        hand.tell(&self.step, json!({ "end": "succeeded" })).await;
    }
}

/// The rest of a copy whose packages are saved.
async fn copied(app: &TestApp, hand: &mut Hand, snapshot: char) -> i64 {
    hand.says(app, "stop", "boot").await;
    hand.says(app, "copy", &made(snapshot)).await;
    hand.does(app, "start").await;
    hand.does(app, "verify").await;
    last(app).await.id.0
}

async fn blobs(app: &TestApp) -> Vec<package_blob::Model> {
    package_blob::Entity::find().order_by_asc(package_blob::Column::Id).all(app.app.db.read()).await.unwrap()
}

async fn damage(clerk: &Caller<'_>, copy: i64) -> String {
    clerk.get(&format!("{BACKUPS}/{copy}")).await.data()["damage"].as_str().unwrap().to_owned()
}

db_test! {
    async fn a_package_is_saved_once_and_mended_by_whichever_phone_has_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = on(&app, &clerk, 2).await;

        // Only one of its two files is saved, whatever the agent says in the end: the phone is not even stopped.
        back_up(&app, &clerk, &phones[..1]).await;
        let talk = Talk::next(&app, &mut hand, "packages").await;
        assert_eq!(talk.places().await, []);
        talk.finds_the_game().await;
        let places = talk.places().await;
        let letters: Vec<char> = places.iter().map(|place| place.0).collect();
        assert_eq!(letters, ['a', 'b'], "nothing of the image, and nothing that is no hash");
        assert!(places.iter().all(|place| place.1.contains("/packages/") && place.2.is_empty()), "{places:?}");
        talk.saves('a', &places[0].1, '1').await;
        talk.saves('b', "p00/packages/elsewhere", '2').await;
        talk.ends(&mut hand).await;
        assert_eq!(last(&app).await.code, "packages_missing");

        // What was saved is not saved again, and what lies in the way of the other is left alone.
        back_up(&app, &clerk, &phones[..1]).await;
        let talk = Talk::next(&app, &mut hand, "packages").await;
        talk.finds_the_game().await;
        let second = talk.places().await;
        assert_eq!((&second[0].2, &second[1].2), (&hash('1'), &String::new()));
        assert_eq!(talk.tells(json!({ "damaged": [hash('b'), hash('a')] })).await, 204);
        let third = talk.places().await;
        assert_eq!(third[0], second[0], "what is whole stays where it is");
        assert_ne!(third[1].1, second[1].1);
        talk.saves('b', &third[1].1, '2').await;
        talk.ends(&mut hand).await;
        let first_copy = copied(&app, &mut hand, 'd').await;
        assert_eq!(backup_package::Entity::find().count(app.app.db.read()).await.unwrap(), 2);

        // The other phone has the same app.
        back_up(&app, &clerk, &phones[1..]).await;
        let talk = Talk::next(&app, &mut hand, "packages").await;
        talk.finds_the_game().await;
        assert!(talk.places().await.iter().all(|place| !place.2.is_empty()));
        talk.ends(&mut hand).await;
        let second_copy = copied(&app, &mut hand, 'e').await;
        assert_eq!(backup_package::Entity::find().count(app.app.db.read()).await.unwrap(), 4);

        // One file is damaged: both copies are, and nothing of their own is.
        clerk.post(&format!("{BACKUPS}/{first_copy}/verify"), json!({})).await.data();
        let talk = Talk::next(&app, &mut hand, "verify").await;
        assert_eq!(talk.places().await.len(), 2);
        assert_eq!(talk.tells(json!({ "damaged": [hash('a'), hash('f')] })).await, 204);
        let end = json!({ "end": "failed", "code": "package_damaged", "reason": "", "effect": "neverBegan" });
        hand.tell(&talk.step, end).await;
        for copy in [first_copy, second_copy] {
            assert!(damage(&clerk, copy).await.contains("com.game"), "{copy}");
        }
        let english = clerk.clone().lang("en");
        assert_eq!(damage(&english, second_copy).await, "Damaged packages of apps: com.game");
        let total = async |filter: &str| clerk.get(&format!("{BACKUPS}?{filter}&state=4")).await.data()["total"].clone();
        assert_eq!((total("isDamaged=true").await, total("isDamaged=false").await), (json!(2), json!(0)));
        assert!(clerk.get("/api/general/v1/attention").await.data().to_string().contains("\"backupDamaged\""));
        let detail = clerk.get(&format!("{BACKUPS}/{first_copy}")).await.data();
        let game = &detail["manifest"]["packages"][0];
        assert_eq!((&game["isDamaged"], &game["apks"]), (&json!(true), &json!({ "files": 2, "bytes": 18 })), "{detail}");

        // The next copy of whichever phone saves it anew, elsewhere; a late word about the old place counts for nothing.
        back_up(&app, &clerk, &phones[1..]).await;
        let talk = Talk::next(&app, &mut hand, "packages").await;
        talk.finds_the_game().await;
        let mended = talk.places().await;
        assert!(mended[0].1 != second[0].1 && mended[0].2.is_empty() && mended[1] == (third[1].0, third[1].1.clone(), hash('2')));
        talk.saves('a', &second[0].1, '3').await;
        assert!(damage(&clerk, first_copy).await.contains("com.game"));
        talk.saves('a', &mended[0].1, '3').await;
        for copy in [first_copy, second_copy] {
            assert_eq!(damage(&clerk, copy).await, "", "{copy}");
        }
        talk.ends(&mut hand).await;
        copied(&app, &mut hand, '7').await;
    }

    async fn an_app_is_saved_while_its_phone_goes_on_and_restic_reads_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 36).await;
        let game = sim::Apk::new("com.game", 7);
        let (base, split) = (game.file(3 << 20), game.file(70_000));
        scene.room().cards[0].install(&[("base.apk", &*base), ("split_config.zh.apk", &*split)]).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        scene.goes_on().await;
        let first = newest(&clerk).await;
        let detail = seen(&clerk, first).await;
        let packages = detail["manifest"]["packages"].as_array().unwrap();
        let found = packages.iter().find(|package| package["name"] == "com.game").unwrap();
        let bytes = base.len() + split.len();
        assert_eq!((&found["versionCode"], &found["apks"]), (&json!(7), &json!({ "files": 2, "bytes": bytes })), "{found}");

        // Without this product it is one file in a repository of its own; it is in no phone's copy.
        let files = blobs(&app).await;
        assert_eq!(files.len(), 2);
        let folder = |blob: &package_blob::Model| scene.place().join(&blob.folder);
        for (blob, content) in [("base.apk", &base), ("split_config.zh.apk", &split)] {
            let blob = files.iter().find(|file| file.file == blob).unwrap();
            assert!(blob.is_whole() && blob.size == i64::try_from(content.len()).unwrap(), "{blob:?}");
            let sealed = std::fs::read_to_string(folder(blob).join("skyrack-key")).unwrap();
            let opened = phones::sealed::open(&app.app.vault, &sealed).unwrap();
            let code = opened.code.expose_text().unwrap();
            assert!(restic(&folder(blob), code, &["check", "--read-data"]).contains("no errors were found"));
            let target = tempfile::tempdir().unwrap();
            restic(&folder(blob), code, &["restore", "latest", "--target", target.path().to_str().unwrap()]);
            assert_eq!(std::fs::read(target.path().join(&blob.file)).unwrap(), *content);
        }
        let opened = clerk.post(&format!("{BACKUPS}/{first}/reveal"), json!({})).await.data();
        let held = restic(&scene.repository().await, opened["code"].as_str().unwrap(), &["ls", "latest"]);
        assert!(held.contains("1.jpg") && !held.contains(".apk"), "{held}");

        // Nothing of it is saved again.
        assert_eq!(scene.backed_up().await, (1, vec![]));
        assert_eq!(blobs(&app).await, files);

        // A bit of it flips: it is told by both copies, and mended by the next one.
        let large = files.iter().max_by_key(|file| file.size).unwrap();
        packs(&folder(large)).iter().for_each(|pack| flip(pack));
        let told = verify(&clerk, first).await;
        assert_eq!((&told["state"], &told["code"]), (&json!(4), &json!("package_damaged")), "{told}");
        for copy in [first, newest(&clerk).await] {
            assert!(damage(&clerk, copy).await.contains("com.game"));
        }
        assert_eq!(scene.backed_up().await, (1, vec![]));
        for copy in [first, newest(&clerk).await] {
            assert_eq!(damage(&clerk, copy).await, "");
        }
        assert_eq!(verify(&clerk, first).await["code"], "");
        let mended = blobs(&app).await.into_iter().find(|file| file.id == large.id).unwrap();
        assert!(mended.is_whole() && mended.folder != large.folder);
    }

    async fn what_is_gone_at_the_node_is_saved_anew_before_its_phone_leaves(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 41).await;
        let game = sim::Apk::new("com.game", 7);
        let (base, split, shop) = (game.file(3 << 20), game.file(70_000), sim::Apk::new("com.shop", 1).file(9_000));
        scene.room().cards[0].install(&[("base.apk", &*base), ("split_config.zh.apk", &*split)]).unwrap();
        scene.room().cards[0].install(&[("base.apk", &*shop)]).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let (first, files) = (newest(&clerk).await, blobs(&app).await);
        let at = |blob: &package_blob::Model| scene.place().join(&blob.folder);
        let of = |size: usize| files.iter().find(|file| file.size == i64::try_from(size).unwrap()).unwrap();
        // One is gone, of another one a pack is cut off; the third is as it was.
        let (gone, cut, whole) = (of(base.len()), of(split.len()), of(shop.len()));
        std::fs::remove_dir_all(at(gone)).unwrap();
        let pack = packs(&at(cut)).remove(0);
        let content = std::fs::read(&pack).unwrap();
        std::fs::remove_file(&pack).unwrap();
        std::fs::write(&pack, &content[1..]).unwrap();

        let asked = take_off(&clerk, scene.phone).await;
        assert_eq!(ended(&clerk, &asked).await, (1, vec![]));
        let now = blobs(&app).await;
        for before in [gone, cut] {
            let after = now.iter().find(|file| file.id == before.id).unwrap();
            assert!(after.is_whole() && after.folder != before.folder, "{after:?}");
            assert!(!packs(&at(after)).is_empty());
        }
        assert!(now.contains(whole), "what is there is not saved again");
        for copy in [first, newest(&clerk).await] {
            assert_eq!(damage(&clerk, copy).await, "");
            assert_eq!(verify(&clerk, copy).await["code"], "", "{copy}");
        }
    }

    async fn no_phone_lives_by_a_copy_whose_packages_are_gone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        back_up(&app, &clerk, &phones).await;
        let talk = Talk::next(&app, &mut hand, "packages").await;
        talk.finds_the_game().await;
        for (letter, folder, _) in talk.places().await {
            talk.saves(letter, &folder, letter).await;
        }
        talk.ends(&mut hand).await;
        let first = copied(&app, &mut hand, '1').await;

        // It looks whether they are there; of one that was saved anew meanwhile the old place says nothing.
        back_up(&app, &clerk, &phones).await;
        let talk = Talk::next(&app, &mut hand, "packages").await;
        talk.finds_the_game().await;
        let places = talk.places().await;
        assert_eq!(talk.tells(json!({ "missing": [places[0].1, "p00/packages/elsewhere"] })).await, 204);
        let anew = talk.places().await;
        assert!(anew[0].1 != places[0].1 && anew[0].2.is_empty() && anew[1] == places[1], "{anew:?}");
        assert!(damage(&clerk, first).await.contains("com.game"));
        talk.saves('a', &anew[0].1, '3').await;
        assert_eq!(talk.tells(json!({ "missing": [places[0].1] })).await, 204);
        assert_eq!((talk.places().await[0].2.clone(), damage(&clerk, first).await), (hash('3'), String::new()));
        talk.ends(&mut hand).await;

        // They go while the copy is made: it was read back, and is none to live by.
        hand.says(&app, "stop", "boot").await;
        hand.says(&app, "copy", &made('2')).await;
        hand.does(&app, "start").await;
        let talk = Talk::next(&app, &mut hand, "verify").await;
        assert_eq!(talk.tells(json!({ "damaged": [hash('b')] })).await, 204);
        let end = json!({ "end": "failed", "code": "packages_missing", "reason": "", "effect": "neverBegan" });
        hand.tell(&talk.step, end).await;
        let second = last(&app).await;
        assert_eq!((second.state, &*second.code), (BackupState::Uploaded, "packages_missing"));
        assert_eq!(row(&app, phones[0]).await.kept_id.map(|id| id.0), Some(first));

        // Somebody else finds one damaged while the phone is stopped to leave its card: it stays, and has it still.
        take_off_now(&app, &clerk, phones[0]).await;
        let talk = Talk::next(&app, &mut hand, "packages").await;
        talk.finds_the_game().await;
        let places = talk.places().await;
        assert_eq!(places.iter().map(|place| place.2.is_empty()).collect::<Vec<_>>(), [false, true]);
        talk.saves('b', &places[1].1, '4').await;
        talk.ends(&mut hand).await;
        hand.says(&app, "stop", "boot").await;
        hand.says(&app, "copy", &made('3')).await;
        hand.does(&app, "verify").await;
        let still = Talk::next(&app, &mut hand, "still").await;
        run(&app, "UPDATE package_blob SET damaged_at = 1").await;
        still.ends(&mut hand).await;
        hand.does(&app, "start").await;
        assert_eq!(row(&app, phones[0]).await.use_type, UseType::On);
    }

    async fn a_copy_says_who_signed_its_apps_what_was_set_for_them_which_have_keys_and_what_is_left_out(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 35).await;
        let card = &scene.room().cards[0];
        for name in ["com.game", "com.shop"] {
            card.install(&[("base.apk", &*sim::Apk::new(name, 7).file(4_096))]).unwrap();
        }
        let uid = card.state().packages["com.game"].uid;
        let book = format!(
            "<packages>\n    <package name=\"android\" sharedUserId=\"1000\">\n            <cert index=\"0\" key=\"616e\" />\n    </package>\n\
             <package name=\"com.game\" userId=\"{uid}\">\n<sigs count=\"1\">\n<cert index=\"1\" key=\"67616d65\" />\n</sigs>\n</package>\n\
             <package name=\"com.shop\" userId=\"10999\">\n<sigs count=\"1\">\n<cert index=\"0\" />\n</sigs>\n</package>\n</packages>\n"
        );
        card.put_file("/data/system", "packages.xml", book.as_bytes()).unwrap();
        card.plant(&format!("/data/misc/keystore/user_0/{uid}_USRPKEY_login"), 1, 64).unwrap();
        card.set_op("com.game", "CAMERA", "ignore");
        card.set_op("com.game", "READ_SMS", "allow");
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let detail = seen(&clerk, newest(&clerk).await).await;
        let manifest = &detail["manifest"];
        let of = |name: &str| {
            let all = manifest["packages"].as_array().unwrap();
            let found = all.iter().find(|package| package["name"] == name).unwrap();
            ["signers", "ops", "hasKeys"].map(|field| found[field].clone())
        };
        // `printf game | sha256sum`, and of "an".
        let (game, image) = ("6ca5cab77e702c787b4c14b3d3bf26bad43da606be6eed04ab0b9720120ae081", "ea325d761f98c6b73320e442b67f2a3574d9924716d788ddc0dbbdcaca853fe7");
        assert_eq!(of("com.game"), [json!([game]), json!(["CAMERA: ignore", "READ_SMS: allow"]), json!(true)]);
        assert_eq!(of("com.shop"), [json!([image]), json!([]), json!(false)]);
        let dropped = manifest["dropped"].as_array().unwrap();
        let bound = dropped.iter().find(|one| one["path"] == "misc").unwrap();
        assert_eq!(bound["why"], "bound", "{dropped:?}");
        assert!(bound["amount"]["bytes"].as_i64().unwrap() >= 64, "{bound}");
    }

    async fn a_manifest_of_an_earlier_agent_is_shown_without_what_it_does_not_say(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        back_up(&app, &clerk, &phones).await;
        let packages = Talk::next(&app, &mut hand, "packages").await;
        packages.finds_the_game().await;
        let detail = seen(&clerk, last(&app).await.id.0).await;
        let game = &detail["manifest"]["packages"][0];
        assert_eq!((&game["name"], &game["signers"], &game["ops"]), (&json!("com.game"), &json!([]), &json!([])), "{detail}");
        assert_eq!((&game["hasKeys"], &detail["manifest"]["dropped"]), (&Value::Null, &json!([])));

        // What no agent can have seen is not believed.
        let odd = json!({ "name": "com.game", "isOwn": true, "signers": [hash('a'), "no hash"], "ops": ["CAMERA:\u{7} ignore"],
            "hasKeys": true });
        let manifest = json!({ "version": 1, "packages": [odd], "dropped": [{ "path": "misc", "why": "for a new reason",
            "amount": { "files": 1, "bytes": 2 } }] });
        assert_eq!(packages.tells(json!({ "manifest": manifest })).await, 204);
        let detail = seen(&clerk, last(&app).await.id.0).await;
        let (game, dropped) = (&detail["manifest"]["packages"][0], &detail["manifest"]["dropped"][0]);
        assert_eq!((&game["signers"], &game["ops"]), (&json!([hash('a')]), &json!(["CAMERA: ignore"])), "{detail}");
        assert_eq!((&game["hasKeys"], &dropped["why"]), (&json!(true), &json!("other")));
        let many = json!({ "name": "com.game", "signers": vec![hash('a'); 17] });
        assert_eq!(packages.tells(json!({ "manifest": { "version": 1, "packages": [many] } })).await, 400);
    }

    async fn apps_that_change_while_a_phone_is_saved_are_saved_again_a_few_times(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = on(&app, &clerk, 1).await;
        back_up(&app, &clerk, &phones).await;
        for round in 1..=3 {
            hand.says(&app, "packages", &format!("apps {round}")).await;
            let step = hand.fails(&app, "stop", "apps_changed", "neverBegan").await;
            assert_eq!(step["act"]["installed"], format!("apps {round}"), "{step}");
        }
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(last(&app).await.code, "apps_changed");
    }
}
