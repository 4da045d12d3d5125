//! Copies that are read back later: what is damaged is told, an older copy takes the place of the one that a phone lived
//! by, and the next one lies elsewhere. And a repository that is opened with the master key alone.

use std::fs;
use std::path::{Path, PathBuf};

use entity::{phone, repo};
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::room::until;
use testroom::site::settings;

use super::copied::{BACKUPS, Scene, restic};

const ATTENTION: &str = "/api/general/v1/attention";

pub async fn seen(clerk: &Caller<'_>, id: i64) -> Value {
    clerk.get(&format!("{BACKUPS}/{id}")).await.data()
}

/// Has a copy read back, and waits for the end of it and of what follows.
pub async fn verify(clerk: &Caller<'_>, id: i64) -> Value {
    assert_eq!(clerk.post(&format!("{BACKUPS}/{id}/verify"), json!({})).await.brief(), (200, 0));
    quiet(clerk).await;
    seen(clerk, id).await
}

async fn quiet(clerk: &Caller<'_>) {
    until("all is read", async || {
        let list = clerk.get(BACKUPS).await.data();
        list["list"].as_array().unwrap().iter().all(|copy| copy["isVerifying"] == false)
    })
    .await;
}

async fn kept(app: &TestApp, phone: i64) -> Option<i64> {
    let found = phone::Entity::find_by_id(entity::PhoneId(phone)).one(app.app.db.read()).await.unwrap().unwrap();
    found.kept_id.map(|id| id.0)
}

/// The newest copy's id.
pub async fn newest(clerk: &Caller<'_>) -> i64 {
    clerk.get(BACKUPS).await.data()["list"][0]["id"].as_i64().unwrap()
}

/// The packs of a repository.
pub fn packs(repository: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(repository.join("data")).unwrap().flatten();
    folders.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten()).map(|file| file.path()).collect()
}

pub fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    // Packs are written to be read only.
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

async fn concerns(clerk: &Caller<'_>) -> String {
    clerk.get(ATTENTION).await.data().to_string()
}

db_test! {
    async fn reading_copies_back_counts_with_what_else_one_operator_lets_begin(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 34).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        settings(&clerk, "approvalAbove", 2).await;
        verify(&clerk, copy).await;
        let again = clerk.post(&format!("{BACKUPS}/{copy}/verify"), json!({})).await;
        assert_eq!(again.brief(), (409, 4009), "with the copy itself it is the third");
        assert_eq!(seen(&clerk, copy).await["isVerifying"], false);
        settings(&clerk, "approvalAbove", 3).await;
        verify(&clerk, copy).await;
    }

    async fn an_older_copy_takes_the_place_of_a_damaged_one_and_the_next_lies_elsewhere(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 31).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let (first, repository) = (newest(&clerk).await, scene.repository().await);
        let old = packs(&repository);
        scene.room().cards[0].plant("/data/media/0/second.mp4", 21, 6 << 20).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let second = newest(&clerk).await;
        assert_eq!(kept(&app, scene.phone).await, Some(second));
        let before = seen(&clerk, second).await["verifiedAt"].clone();

        // All is well: the phone is not touched, and can be dealt with meanwhile.
        let whole = verify(&clerk, second).await;
        assert_eq!((&whole["state"], &whole["damage"], &whole["code"]), (&json!(4), &json!(""), &json!("")));
        assert_ne!(whole["verifiedAt"], before);
        scene.goes_on().await;
        assert!(!concerns(&clerk).await.contains("backupDamaged"));

        // A bit of what only the second one has.
        let own = packs(&repository).into_iter().find(|pack| !old.contains(pack) && fs::metadata(pack).unwrap().len() > 1 << 20);
        let own = own.unwrap();
        flip(&own);
        let damaged = verify(&clerk, second).await;
        assert_eq!(damaged["state"], 4, "what was verified stays so in the books");
        assert!(damaged["damage"].as_str().unwrap().contains("is not what was written"), "{damaged}");
        assert_eq!(kept(&app, scene.phone).await, Some(first), "an older one was read, and takes its place");
        assert_eq!(seen(&clerk, first).await["damage"], "");
        let told = concerns(&clerk).await;
        assert!(told.contains("storeNodeDamage-") && !told.contains("\"backupDamaged\""), "{told}");
        let list = |filter: &str| { let path = format!("{BACKUPS}?{filter}"); let clerk = &clerk; async move { clerk.get(&path).await.data()["total"].clone() } };
        assert_eq!((list("isDamaged=true").await, list("isDamaged=false").await), (json!(1), json!(1)));

        // The next copy is not made of what is damaged.
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let third = newest(&clerk).await;
        assert_eq!(kept(&app, scene.phone).await, Some(third));
        assert_eq!(repo::Entity::find().count(app.app.db.read()).await.unwrap(), 2);
        let (third_at, second_at) = (seen(&clerk, third).await, seen(&clerk, second).await);
        assert_ne!(third_at["folder"], second_at["folder"]);
        assert_eq!(third_at["readFiles"], third_at["files"], "all of it was read");
        let opened = clerk.post(&format!("{BACKUPS}/{third}/reveal"), json!({})).await.data();
        let there = scene.place().join(third_at["folder"].as_str().unwrap());
        assert!(restic(&there, opened["code"].as_str().unwrap(), &["check", "--read-data"]).contains("no errors were found"));

        // A pack of the first one is gone, another is cut off: told, and the phone lives by the third one.
        let mut by_size = old.clone();
        by_size.sort_by_key(|pack| fs::metadata(pack).unwrap().len());
        let [.., cut, gone] = by_size.as_slice() else { panic!("one pack only: {old:?}") };
        let bytes = fs::read(gone).unwrap();
        fs::remove_file(gone).unwrap();
        assert_ne!(verify(&clerk, first).await["damage"], "");
        fs::write(gone, bytes).unwrap();
        assert_eq!(verify(&clerk, first).await["damage"], "", "it is back, and whole again");
        let bytes = fs::read(cut).unwrap();
        fs::remove_file(cut).unwrap();
        fs::write(cut, &bytes[..bytes.len() - 1]).unwrap();
        assert_ne!(verify(&clerk, first).await["damage"], "");
        assert_eq!(kept(&app, scene.phone).await, Some(third));
        let trail = app.audit_trail().await;
        for wanted in ["admin backup_verify 0", "admin phone_copy_damaged 0", "admin phone_copy_verified 0"] {
            assert!(trail.contains(&wanted.to_owned()), "{wanted}: {trail:?}");
        }
    }

    async fn a_damaged_copy_beats_none_and_one_that_cannot_be_read_is_not_damaged(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 32).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let only = newest(&clerk).await;

        // The disk is away.
        let aside = scene.place().with_extension("aside");
        fs::rename(scene.place(), &aside).unwrap();
        fs::create_dir_all(scene.place()).unwrap();
        let away = verify(&clerk, only).await;
        assert_eq!((&away["state"], &away["code"], &away["damage"]), (&json!(4), &json!("wrong_store"), &json!("")));
        fs::remove_dir(scene.place()).unwrap();
        fs::rename(&aside, scene.place()).unwrap();
        assert_eq!(verify(&clerk, only).await["code"], "");

        scene.stop_agent().await;
        assert_eq!(clerk.post(&format!("{BACKUPS}/{only}/verify"), json!({})).await.brief().0, 409, "nobody is there to read it");
        scene.start_agent().await;

        for pack in packs(&scene.repository().await) {
            flip(&pack);
        }
        let damaged = verify(&clerk, only).await;
        assert_eq!((&damaged["state"], &damaged["isKept"]), (&json!(4), &json!(true)), "{damaged}");
        assert!(!damaged["damage"].as_str().unwrap().is_empty());
        assert!(concerns(&clerk).await.contains("\"backupDamaged\""));
        scene.goes_on().await;
        // The whole folder is gone: that is no disk that is away.
        fs::remove_dir_all(scene.repository().await).unwrap();
        assert_ne!(verify(&clerk, only).await["damage"], "");
        assert_eq!(scene.backed_up().await, (1, vec![]));
        assert_eq!(kept(&app, scene.phone).await, Some(newest(&clerk).await));
        assert!(!concerns(&clerk).await.contains("\"backupDamaged\""));
        assert_eq!(clerk.post(&format!("{BACKUPS}/999/verify"), json!({})).await.brief().0, 404);
    }

    async fn store_and_master_key_alone_open_a_repository(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 33).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let repository = scene.repository().await;
        let text = fs::read_to_string(repository.join("skyrack-key")).unwrap();
        let opened = phones::sealed::open(&app.app.vault, &text).unwrap();
        let code = opened.code.expose_text().unwrap();
        let target = tempfile::tempdir().unwrap();
        restic(&repository, code, &["restore", "latest", "--target", target.path().to_str().unwrap()]);
        assert_eq!(fs::read(target.path().join("data/media/0/DCIM/1.jpg")).unwrap(), b"a picture");
    }
}

#[test]
fn the_program_prints_the_code_without_a_database_and_makes_no_key_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let file = folder.path().join("skyrack-key");
    let run = || {
        let mut command = std::process::Command::new(testapp::program());
        command.arg("recovery-code").arg(&file).arg("--data-dir").arg(&data).output().unwrap()
    };
    fs::write(&file, "{}").unwrap();
    let refused = run();
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("no master key"));
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0, "a new key would only be taken for the lost one");

    let vault = vault::Vault::open(&vault::Source::Made(data.join("master.key"))).unwrap();
    let refused = run();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no skyrack-key"), "{refused:?}");
    fs::write(&file, phones::sealed::seal(&vault, "CP-0000007", "p00/cp-0000007-ab", "1111-2222")).unwrap();
    let told = run();
    assert_eq!(String::from_utf8_lossy(&told.stdout), "CP-0000007 (p00/cp-0000007-ab): 1111-2222\n", "{told:?}");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1, "it needs no database");
}
