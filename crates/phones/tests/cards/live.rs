//! The first copy of a phone whose apps go on writing, made over a real agent and read by Debian's `restic`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use entity::backup::{self, BackupState};
use sea_orm::{ConnectionTrait as _, EntityTrait as _, QueryOrder as _};
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::room::until;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::copied::{BACKUPS, Scene, restic};
use super::put_on::{row, said, walked};
use super::restored::play;

const DIARY: &str = "/data/media/0/diary";

/// Apps that write until nobody wants them to: a file that is written anew, one that grows, and one that comes and goes.
fn writers(card: &Arc<sim::Card>, stop: &CancellationToken) -> JoinHandle<()> {
    let (card, stop) = (Arc::clone(card), stop.clone());
    tokio::task::spawn_blocking(move || {
        let mut log = Vec::new();
        for turn in 0_usize.. {
            if stop.is_cancelled() {
                break;
            }
            let content = vec![u8::try_from(turn % 251).unwrap(); 1_000 + turn * 37 % 40_000];
            card.put_file(DIARY, "game.db", &content).unwrap();
            log.extend_from_slice(format!("turn {turn}\n").as_bytes());
            card.put_file(DIARY, "game.log", &log).unwrap();
            card.put_file(DIARY, "game.db-journal", &content).unwrap();
            std::thread::sleep(Duration::from_millis(2));
            card.state().files.remove_all(&format!("{DIARY}/game.db-journal")).unwrap();
        }
        card.put_file(DIARY, "game.db", b"at the end").unwrap();
    })
}

async fn last(app: &TestApp) -> Option<backup::Model> {
    backup::Entity::find().order_by_desc(backup::Column::Id).one(app.app.db.read()).await.unwrap()
}

/// What a copy restores to.
async fn restored(clerk: &Caller<'_>, scene: &Scene<'_>, copy: &backup::Model, target: &Path) {
    let opened = clerk.post(&format!("{BACKUPS}/{}/reveal", copy.id), json!({})).await.data();
    let (code, repository) = (opened["code"].as_str().unwrap(), scene.repository().await);
    assert!(restic(&repository, code, &["check", "--read-data"]).contains("no errors were found"));
    restic(&repository, code, &["restore", &copy.snapshot, "--target", target.to_str().unwrap()]);
    let snapshots = std::fs::read_dir(repository.join("snapshots")).unwrap().count();
    let copies = backup::Entity::find().all(scene.app().app.db.read()).await.unwrap();
    assert_eq!(snapshots, copies.len(), "one copy, however often it was read");
}

db_test! {
    async fn a_phone_whose_apps_go_on_writing_is_copied_and_what_changed_is_named(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 81).await;
        play(&scene);
        let there = &scene.room().cards[0];
        there.plant("/data/media/0/long.mp4", 9, 24 << 20).unwrap();
        // It was on its card for a while before anybody writes.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        let (boots, steps) = (there.boots(), walked(&clerk, scene.phone).await.len());
        let stop = CancellationToken::new();
        let writing = writers(there, &stop);
        // Also if this test ends before its end.
        let stop = stop.drop_guard();
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE placement SET began_at = began_at - 3600000").await.unwrap();
        tx.commit().await.unwrap();
        until("it is being copied", async || last(&app).await.is_some()).await;
        until("it is over", async || {
            assert!(!there.is_stopped(), "it goes on");
            last(&app).await.is_some_and(|copy| matches!(copy.state, BackupState::Verified | BackupState::Failed))
        })
        .await;
        drop(stop);
        writing.await.unwrap();
        let said = said(&clerk, scene.phone).await;
        assert_eq!(walked(&clerk, scene.phone).await[steps..], ["12 1 3 ", "14 1 3 ", "15 1 3 "], "{said:?}");
        scene.goes_on().await;
        assert_eq!(there.boots(), boots, "it did not restart");

        let live = last(&app).await.unwrap();
        assert_eq!((live.state, live.is_live, row(&app, scene.phone).await.kept_id), (BackupState::Verified, true, None), "{}", live.code);
        let detail = clerk.get(&format!("{BACKUPS}/{}", live.id)).await.data();
        let changed: Vec<&str> = detail["manifest"]["changed"].as_array().unwrap().iter().filter_map(|path| path.as_str()).collect();
        assert!(changed.contains(&"media/0/diary/game.db") && changed.contains(&"media/0/diary/game.log"), "{changed:?}");
        assert!(changed.iter().all(|path| path.starts_with("media/0/diary/")), "nobody has written elsewhere: {changed:?}");
        assert_eq!(detail["manifest"]["changedInAll"], changed.len());
        let target = tempfile::tempdir().unwrap();
        restored(&clerk, &scene, &live, target.path()).await;
        let read = |path: &str| std::fs::read(target.path().join(path)).unwrap_or_else(|_| panic!("{path} is not there"));
        assert_eq!(read("data/media/0/DCIM/一\n\"二\".jpg"), b"another one");
        assert_eq!(read("data/user/0/com.game/files/save"), b"level 9");
        let film = there.open("/data/media/0/long.mp4").unwrap().read(0, 32 << 20).unwrap();
        assert!(read("data/media/0/long.mp4") == film, "what nobody has changed is what it was");

        // The next copy takes nothing for unchanged that was read in the middle of a change.
        assert_eq!(scene.backed_up().await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        let next = last(&app).await.unwrap();
        assert_eq!((next.is_live, next.parent_id, row(&app, scene.phone).await.kept_id), (false, None, Some(next.id)));
        assert_eq!(next.read_files, next.files, "a copy that was made while the phone went on says nothing of what has not changed");
        let target = tempfile::tempdir().unwrap();
        restored(&clerk, &scene, &next, target.path()).await;
        for file in ["game.db", "game.log"] {
            let now = there.open(&format!("{DIARY}/{file}")).unwrap().read(0, 64 << 20).unwrap();
            assert!(std::fs::read(target.path().join("data/media/0/diary").join(file)).unwrap() == now, "{file}");
        }
        assert!(!target.path().join("data/media/0/diary/game.db-journal").exists());
        let detail = clerk.get(&format!("{BACKUPS}/{}", next.id)).await.data();
        assert_eq!((&detail["manifest"]["changed"], &detail["manifest"]["changedInAll"]), (&json!([]), &json!(0)));
    }
}
