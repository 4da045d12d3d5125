//! Packages and files on their way to cards, and what goes when it is old.

use axum::body::Body;
use bytes::Bytes;
use entity::{operation, operation_file, operation_task, room_agent};
use fleet::operation::{FileRefusal, PruneOperations, claim, round, store_file};
use futures::stream;
use http::Method;
use queue::Creator;
use sea_orm::{ConnectionTrait as _, EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::{apk, db_test};
use testroom::operation::{OPERATIONS, done};
use testroom::room::{console, hurry, joined, run_agent, simulated, until_online};
use testroom::site::site;

use super::up;
use crate::fleet::state;

const FILES: &str = "/api/operation/v1/files";

pub async fn send(caller: &Caller<'_>, name: &str, content: &[u8]) -> Answer {
    let head = format!("--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    let body = [head.as_bytes(), content, b"\r\n--X--\r\n"].concat();
    caller.send(Method::POST, FILES, "multipart/form-data; boundary=X", Body::from(body)).await
}

fn package() -> Vec<u8> {
    apk::package("com.example.game", "2.1", 21, 300_000)
}

async fn rows(app: &TestApp) -> (u64, u64, u64) {
    let db = app.app.db.read();
    let files = operation_file::Entity::find().count(db).await.unwrap();
    let operations = operation::Entity::find().count(db).await.unwrap();
    (operations, operation_task::Entity::find().count(db).await.unwrap(), files)
}

db_test! {
    async fn packages_and_files_are_sent_once_and_reach_every_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 6, 16).await;
        let identity = joined(&app, &clerk, &console, site.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;
        until_online(&clerk, 16).await;

        let apk = send(&clerk, "game.apk", &package()).await.data();
        assert_eq!((&apk["isPackage"], &apk["size"]), (&json!(true), &json!(package().len())), "{apk}");
        assert_eq!((&apk["packageName"], &apk["packageVersion"]), (&json!("com.example.game"), &json!("2.1")));
        let all = json!({ "filter": { "roomId": site.room } });
        let body = json!({ "selection": all, "act": { "kind": "install", "fileId": apk["id"] } });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!(made["detail"], "game.apk (com.example.game)");
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["failed"]), (&json!(16), &json!(0)), "{ended}");
        for card in room.cards.iter() {
            assert!(card.state().packages["com.example.game"].version == 21);
        }

        room.set_fault(3, "no_space".parse().unwrap(), true);
        let save = send(&clerk, "存档.bin", &[9; 200_000]).await.data();
        assert_eq!((&save["isPackage"], &save["fileName"]), (&json!(false), &json!("存档.bin")));
        let body = json!({ "selection": all, "act": { "kind": "push", "fileId": save["id"], "path": "/sdcard/save.bin" } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["failed"]), (&json!(15), &json!(1)), "{ended}");
        assert_eq!(ended["reasons"][0]["code"], "no_space");
    }

    async fn what_cannot_be_installed_or_pushed_is_refused_at_its_field(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        let text = send(&clerk, "game.apk", b"no package at all").await.data();
        assert_eq!(text["isPackage"], false);
        assert_eq!(send(&clerk, "nothing.bin", b"").await.errors(), ["file required"]);
        let begin = async |body: Value| clerk.post(OPERATIONS, body).await;
        let ids = json!({ "ids": cards });
        let refused = begin(json!({ "selection": ids, "act": { "kind": "install", "fileId": text["id"] } })).await;
        assert_eq!(refused.errors(), ["act.fileId file.content"]);
        let path = json!({ "selection": ids, "act": { "kind": "push", "fileId": text["id"], "path": "sdcard/a" } });
        assert_eq!(begin(path).await.errors(), ["act.path path.absolute"]);
        assert_eq!(begin(json!({ "selection": ids, "act": { "kind": "install", "fileId": 99 } })).await.status(), 4004);

        // The agent of a room gets what a task of that room installs, and nothing else.
        let agent = state::agent(&app, &clerk, &site(&clerk, 3).await).await;
        let id = entity::OperationFileId(text["id"].as_i64().unwrap());
        assert!(fleet::operation::file_for(&app.app, agent.room, id).await.unwrap().is_none());
    }

    async fn a_screenshot_that_is_no_picture_is_not_kept(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let body = json!({ "selection": { "ids": [cards[0]] }, "act": { "kind": "screenshot" } });
        clerk.post(OPERATIONS, body).await.data();
        while round(&app.app).await.unwrap() {}
        let given = claim(&app.app, &session).await.unwrap();
        let agent = room_agent::Entity::find_by_id(session.agent).one(app.app.db.read()).await.unwrap().unwrap();
        let keep = async |bytes: &[u8]| {
            let body = stream::iter([Ok::<_, std::io::Error>(Bytes::copy_from_slice(bytes))]);
            store_file(&app.app, &agent, given[0].key, None, body).await.unwrap()
        };
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, 2, 2);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[1, 2, 3, 4]).unwrap();
        for bad in [&b"<html>"[..], &png[..40]] {
            let refused = keep(bad).await;
            assert!(matches!(refused, Err(FileRefusal::NoPicture(_))), "{refused:?}");
        }
        assert_eq!(keep(&png).await, Ok(()));
    }

    async fn what_is_old_goes_with_its_files(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        let file = send(&clerk, "a.bin", b"content").await.data();
        let push = json!({ "selection": { "ids": cards }, "act": { "kind": "push", "fileId": file["id"], "path": "/sdcard/a" } });
        let made = clerk.post(OPERATIONS, push).await.data();
        clerk.post(&format!("{OPERATIONS}/{}/cancel", made["id"]), json!({})).await.data();
        send(&clerk, "unused.bin", b"content").await.data();
        assert_eq!(rows(&app).await, (1, 8, 2));

        let prune = async || {
            let work = app.work().await;
            let tx = app.app.db.begin_write().await.unwrap();
            let id = app.app.queue.enqueue(&tx, &PruneOperations {}, &Creator::system()).await.unwrap();
            tx.commit().await.unwrap();
            clerk.finished(&id.0).await;
            work.stop().await;
        };
        prune().await;
        assert_eq!(rows(&app).await, (1, 8, 2), "it is young");
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE operation_file SET created_at = 1").await.unwrap();
        tx.commit().await.unwrap();
        prune().await;
        assert_eq!(rows(&app).await, (1, 8, 1), "no operation uses one of the files");
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE operation SET finished_at = 1").await.unwrap();
        tx.commit().await.unwrap();
        prune().await;
        assert_eq!(rows(&app).await, (0, 0, 0));
    }
}
