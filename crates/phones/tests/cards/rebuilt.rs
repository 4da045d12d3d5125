//! The books of a storage node are made anew from what lies there and the master key: for a database that was restored to an earlier
//! hour, and for a new one that has its phones again.

use entity::backup::{self, BackupState};
use entity::{backup_package, package_blob, repo, store_node};
use phones::rebuild::Rebuilt;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::done;
use testroom::phone::{PHONES, put_on};
use testroom::room::until;

use super::apps::next_phone;
use super::by_rule::run;
use super::copied::{Scene, copies};
use super::copy_steps::on;
use super::lost_steps::{PACE, ask, is_backed_up, lose, passes};
use super::put_on::{row, walked};
use super::verified::{flip, packs, verify};

const NODES: &str = "/api/storage/v1/nodes";

async fn rebuild(app: &TestApp, scene: &Scene<'_>, is_meant: bool) -> Rebuilt {
    let (db, config, clock) = (&app.app.db, &app.app.config, &app.app.clock);
    server::catalogue::rebuild(db, config, clock, &scene.place(), is_meant).await.unwrap()
}

/// How many rows of nodes, repositories, copies, packages and needs there are.
async fn rows(app: &TestApp) -> [u64; 5] {
    let db = app.app.db.read();
    [
        store_node::Entity::find().count(db).await.unwrap(),
        repo::Entity::find().count(db).await.unwrap(),
        backup::Entity::find().count(db).await.unwrap(),
        package_blob::Entity::find().count(db).await.unwrap(),
        backup_package::Entity::find().count(db).await.unwrap(),
    ]
}

db_test! {
    async fn what_lies_at_a_node_comes_back_into_the_books_and_phones_with_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Box::pin(Scene::with(&app, &clerk, 97, 4)).await;
        scene.room().cards[0].install(&[("base.apk", &*sim::Apk::new("com.game", 7).file(50_000))]).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        // Of one moment there is one copy.
        app.app.clock.advance_seconds(2);
        scene.room().cards[0].put_file("/data/media/0/DCIM", "2.jpg", b"of the last hour").unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let (before, all) = (copies(&app).await, rows(&app).await);
        assert_eq!(all, [1, 1, 2, 1, 2]);
        assert_eq!(rebuild(&app, &scene, true).await, Rebuilt { known: 2, ..Rebuilt::default() });

        // The database was restored to the hour before the last copy.
        let (first, last) = (before[0].id, before[1].id);
        for statement in [
            format!("UPDATE phone SET kept_id = {first} WHERE kept_id IS NOT NULL"),
            format!("UPDATE saga SET backup_id = NULL WHERE backup_id = {last}"),
            format!("DELETE FROM backup_package WHERE backup_id = {last}"),
            format!("DELETE FROM backup WHERE id = {last}"),
        ] {
            run(&app, &statement).await;
        }
        let one = Rebuilt { copies: 1, known: 1, ..Rebuilt::default() };
        let restored = rows(&app).await;
        assert_eq!(rebuild(&app, &scene, false).await, one);
        assert_eq!(rows(&app).await, restored, "nothing was meant");
        assert_eq!(rebuild(&app, &scene, true).await, one);
        assert_eq!(rows(&app).await, all);
        let now = copies(&app).await;
        assert_eq!(now[0], before[0], "what the books had is as it was");
        assert_eq!((&now[1].snapshot, now[1].state, now[1].is_rebuilt), (&before[1].snapshot, BackupState::Uploaded, true));
        assert_eq!((&now[1].tree, now[1].bytes, now[1].files), (&before[1].tree, before[1].bytes, before[1].files));
        assert_eq!(row(&app, scene.phone).await.kept_id, Some(first), "nobody has read it back");
        assert_eq!(verify(&clerk, now[1].id.0).await["card"], Value::Null);
        assert_eq!(row(&app, scene.phone).await.kept_id, Some(now[1].id));
        assert_eq!(rebuild(&app, &scene, true).await, Rebuilt { known: 2, ..Rebuilt::default() });

        // The database is a new one, and has the phones again: as blank ones.
        let made = clerk.get(NODES).await.data()["list"][0].clone();
        let blank = next_phone(&app, &clerk, scene.phone).await;
        for statement in [
            "UPDATE phone SET kept_id = NULL",
            "UPDATE saga SET backup_id = NULL",
            "DELETE FROM backup_package",
            "DELETE FROM backup",
            "DELETE FROM package_blob",
            "DELETE FROM repo",
            "DELETE FROM store_usage",
            "DELETE FROM store_node_agent",
            "DELETE FROM store_node",
            "DELETE FROM secret WHERE name LIKE 'repo.%' OR name LIKE 'storeNode.%'",
        ] {
            run(&app, statement).await;
        }
        let whole = Rebuilt { is_new_node: true, repos: 1, copies: 2, packages: 1, ..Rebuilt::default() };
        let told = rebuild(&app, &scene, false).await;
        assert_eq!((&told, rows(&app).await), (&whole, [0; 5]));
        run(&app, &format!("UPDATE phone SET code = 'CP-9999999' WHERE id = {}", scene.phone)).await;
        let unknown = rebuild(&app, &scene, true).await;
        assert_eq!((unknown.copies, unknown.left_out.len()), (0, 1), "{unknown:?}");
        run(&app, &format!("UPDATE phone SET code = 'CP-0000001' WHERE id = {blank}")).await;
        assert_eq!(rebuild(&app, &scene, true).await, Rebuilt { is_new_node: false, ..whole });
        assert_eq!(rows(&app).await, all);

        // Somebody names the agent that reaches it.
        let found = clerk.get(NODES).await.data()["list"][0].clone();
        let agents = json!([made["agents"][0]["agent"]["id"]]);
        let body = json!({ "name": found["name"], "city": "杭州", "place": found["place"], "agents": agents, "capacity": 9,
            "unit": "gb", "partitions": found["partitions"], "version": found["version"] });
        let node = format!("{NODES}/{}", found["id"]);
        clerk.put(&node, body).await.data();
        until("the node is reached", async || clerk.get(&node).await.data()["state"] == 1).await;
        let now = copies(&app).await;
        let (old, new) = (now[0].id, now[1].id);
        assert_eq!(verify(&clerk, new.0).await["state"], 4);
        assert_eq!(verify(&clerk, old.0).await["state"], 4);
        let phone = row(&app, blank).await;
        assert_eq!((phone.kept_id, phone.is_blank), (Some(new), false), "not the older one, though it was read later");
        let asked = put_on(&clerk, &[blank]).await;
        assert_eq!(done(&clerk, &asked["id"]).await["succeeded"], 1, "{:?}", walked(&clerk, blank).await);
        let state = scene.room().cards[3].state();
        let files: Vec<String> = state.files.children("/data/media/0/DCIM").into_iter().map(|file| file.0).collect();
        assert!(files.contains(&"2.jpg".to_owned()) && state.packages.contains_key("com.game"), "{files:?}");
    }

    async fn a_copy_that_was_found_again_is_as_old_as_it_says_whatever_its_number(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let all = copies(&app).await;
        let (own, found) = (all[0].id, all[1].id);
        // The books were behind, and what was found at the node is older than what they had.
        for statement in [
            format!("UPDATE phone SET kept_id = {own} WHERE id = {phone}"),
            format!("UPDATE backup SET is_rebuilt = TRUE, began_at = 1000 WHERE id = {found}"),
        ] {
            run(&app, &statement).await;
        }
        lose(&app, &mut hand, &clerk, phone).await;
        let offer = async || clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"]["offer"].clone();
        assert_eq!(offer().await["backupId"], json!(own));
        // Of what a person has to have read back first nothing is given up.
        for statement in [
            format!("UPDATE phone SET kept_id = NULL WHERE id = {phone}"),
            format!("UPDATE backup SET damage = 'a pack is gone' WHERE id = {own}"),
            format!("UPDATE backup SET state = 3 WHERE id = {found}"),
        ] {
            run(&app, &statement).await;
        }
        passes(&app, PACE).await;
        assert_eq!(offer().await, Value::Null);
        assert_eq!(ask(&clerk, "accept-copy", json!({}), phone).await.1, "copy_unread");
    }

    async fn a_copy_that_was_found_again_and_is_damaged_stays_and_may_be_whole_the_next_time(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Box::pin(Scene::open(&app, &clerk, 55)).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let found = copies(&app).await[0].id;
        for statement in [
            "UPDATE phone SET kept_id = NULL".to_owned(),
            format!("UPDATE backup SET is_rebuilt = TRUE, state = 3, verified_at = NULL WHERE id = {found}"),
        ] {
            run(&app, &statement).await;
        }
        let flip_all = async || packs(&scene.repository().await).iter().for_each(|pack| flip(pack));
        flip_all().await;
        for _ in 0..2 {
            let damaged = verify(&clerk, found.0).await;
            assert!(damaged["state"] == 3 && damaged["damage"] != "", "{damaged}");
            assert_eq!(row(&app, scene.phone).await.kept_id, None);
        }
        assert_eq!(rebuild(&app, &scene, true).await, Rebuilt { known: 1, ..Rebuilt::default() });
        // The disk had given something else.
        flip_all().await;
        let whole = verify(&clerk, found.0).await;
        assert_eq!((&whole["state"], &whole["damage"]), (&json!(4), &json!("")));
        assert_eq!(row(&app, scene.phone).await.kept_id, Some(found));

        // One that has failed is found again, if it was found at its node before: of others it is known why they are none.
        run(&app, "UPDATE phone SET kept_id = NULL").await;
        run(&app, "UPDATE backup SET state = 5, code = 'copy_damaged'").await;
        assert_eq!(rebuild(&app, &scene, true).await, Rebuilt { copies: 1, ..Rebuilt::default() });
        assert_eq!(copies(&app).await[0].state, BackupState::Uploaded);
        assert_eq!(verify(&clerk, found.0).await["state"], 4);
        run(&app, "UPDATE phone SET kept_id = NULL").await;
        run(&app, "UPDATE backup SET state = 5, is_rebuilt = FALSE").await;
        assert_eq!(rebuild(&app, &scene, true).await, Rebuilt { known: 1, ..Rebuilt::default() });
        assert_eq!(copies(&app).await[0].state, BackupState::Failed);
    }

    async fn what_an_earlier_master_key_has_sealed_at_a_node_is_sealed_anew(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Box::pin(Scene::open(&app, &clerk, 99)).await;
        scene.room().cards[0].install(&[("base.apk", &*sim::Apk::new("com.game", 7).file(50_000))]).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let blob = package_blob::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        let files = [scene.repository().await.join("skyrack-key"), scene.place().join(blob.folder).join("skyrack-key")];
        let before = async || {
            for table in ["repo", "package_blob"] {
                run(&app, &format!("UPDATE {table} SET sealed_with = 0")).await;
            }
            files.iter().for_each(|file| std::fs::write(file, "sealed with another key").unwrap());
        };
        let left = async || clerk.get(NODES).await.data()["list"][0]["sealedBefore"].clone();
        before().await;
        assert_eq!(left().await, 2);
        phones::node_seal(&app.app).await.unwrap();
        assert_eq!(left().await, 0);
        for file in &files {
            let text = std::fs::read_to_string(file).unwrap();
            assert!(phones::sealed::open(&app.app.vault, &text).is_ok(), "{}", file.display());
        }

        // Nothing comes back of a phone that may be erased at any moment, nor where nobody reaches the node.
        before().await;
        run(&app, "UPDATE phone SET life = 5, stays_until = 9999999999999").await;
        phones::node_seal(&app.app).await.unwrap();
        assert_eq!(left().await, 1, "the package is nobody's");
        assert_eq!(std::fs::read_to_string(&files[0]).unwrap(), "sealed with another key");
        run(&app, "UPDATE phone SET life = 2, stays_until = NULL").await;
        scene.stop_agent().await;
        phones::node_seal(&app.app).await.unwrap();
        assert_eq!(left().await, 1);
    }

    async fn what_does_not_open_or_is_no_copy_is_told_and_left_alone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Box::pin(Scene::open(&app, &clerk, 98)).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let repository = scene.repository().await;
        let foreign = scene.place().join("p00/cp-0000009-0a0b0c0d");
        std::fs::create_dir_all(&foreign).unwrap();
        std::fs::copy(repository.join("skyrack-key"), foreign.join("skyrack-key")).unwrap();
        let told = rebuild(&app, &scene, true).await;
        assert!(told.known == 1 && told.left_out.len() == 1, "{told:?}");
        assert!(told.left_out[0].contains("cp-0000009-0a0b0c0d"), "{told:?}");

        // The books know of that time, and the phone was made after it: its number was another one's.
        run(&app, "UPDATE repo SET folder = 'p00/elsewhere'").await;
        run(&app, "UPDATE phone SET created_at = 9999999999999").await;
        let told = rebuild(&app, &scene, true).await;
        assert_eq!((told.repos, told.copies, told.left_out.len()), (0, 0, 2), "{told:?}");

        // The disk of a partition is not mounted.
        let marker = scene.place().join("p01/skyrack-node.json");
        std::fs::remove_file(&marker).unwrap();
        let (db, config, clock) = (&app.app.db, &app.app.config, &app.app.clock);
        let refused = server::catalogue::rebuild(db, config, clock, &scene.place(), true).await;
        assert!(refused.unwrap_err().to_string().contains("mounted"));
    }
}
