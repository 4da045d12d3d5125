//! Folders and files of a card: looked into, written, fetched.

use sea_orm::ConnectionTrait as _;
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, done};
use testroom::room::{console, hurry, joined, run_agent, simulated, until_online};
use testroom::site::CARDS;

use super::files::send;

db_test! {
    async fn a_folder_is_looked_into_and_a_file_goes_there_and_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 24, 2).await;
        let cards = clerk.get(CARDS).await.data();
        let card = &cards["list"][0];
        let look = async |path: &str| clerk.get(&format!("{CARDS}/{}/files?path={path}", card["id"])).await;
        assert_eq!(look("/sdcard").await.status(), 4009, "no agent is there");
        assert_eq!(look("sdcard").await.errors(), ["path path.absolute"]);
        assert_eq!(look("/a/../b").await.errors(), ["path path.absolute"]);
        assert_eq!(clerk.get(&format!("{CARDS}/9999/files?path=/")).await.status(), 4004);

        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(joined(&app, &clerk, &console, site.room).await, folder.path()).await;
        until_online(&clerk, 2).await;
        let empty = look("/sdcard/Download").await.data();
        assert_eq!((&empty["entries"], &empty["isCut"]), (&json!([]), &json!(false)), "{empty}");

        let save = send(&clerk, "save.bin", &[9; 200_000]).await.data();
        let one = json!({ "ids": [card["id"]] });
        let body = json!({ "selection": one, "act": { "kind": "push", "fileId": save["id"], "path": "/sdcard/Download/存档 1.bin" } });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!(done(&clerk, &made["id"]).await["succeeded"], 1);
        let seen = look("/sdcard/Download").await.data();
        let found = &seen["entries"][0];
        assert_eq!((&found["name"], &found["kind"], &found["size"]), (&json!("存档 1.bin"), &json!("file"), &json!(200_000)));
        assert!(found["modifiedAt"].as_str().unwrap().starts_with("20"), "{seen}");
        let above = look("/sdcard/").await.data();
        assert!(above["entries"].as_array().unwrap().iter().any(|each| each["name"] == "Download" && each["kind"] == "folder"), "{above}");
        assert_eq!(look("/sdcard/nothing").await.brief(), (404, 4004));

        let pull = async |path: &str| {
            let made = clerk.post(OPERATIONS, json!({ "selection": one, "act": { "kind": "pull", "path": path } })).await.data();
            assert_eq!(made["detail"], path);
            done(&clerk, &made["id"]).await;
            clerk.get(&format!("{OPERATIONS}/{}/tasks", made["id"])).await.data()["list"][0].clone()
        };
        let task = pull("/sdcard/Download/存档 1.bin").await;
        assert_eq!((&task["hasFile"], &task["code"]), (&json!(true), &json!("")), "{task}");
        let file = clerk.get(&format!("/api/operation/v1/tasks/{}/file", task["id"])).await;
        assert_eq!(file.bytes, [9; 200_000]);
        assert_eq!(file.headers["content-type"], "application/octet-stream");
        assert!(file.headers["content-disposition"].to_str().unwrap().contains("%E5%AD%98%E6%A1%A3%201.bin"));
        let task = pull("/sdcard/nothing").await;
        assert_eq!((&task["hasFile"], &task["code"]), (&json!(false), &json!("no_such_file")), "{task}");

        // A file of a card is for those who may fetch files.
        let other = app.operator("looks", &["operation:list", "device:get"]).await;
        assert_eq!(other.get(&format!("/api/operation/v1/tasks/{}/file", task["id"])).await.brief(), (200, 4003));
        assert_eq!(other.get(&format!("{CARDS}/{}/files?path=/", card["id"])).await.brief(), (200, 4003));

        // Another card at the address is not asked.
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE card SET serial = 'another' || id").await.unwrap();
        tx.commit().await.unwrap();
        let refused = look("/sdcard").await;
        assert_eq!(refused.brief(), (409, 4009));
        assert!(refused.json()["msg"].as_str().unwrap().contains("与登记不符"), "{}", refused.json());
        drop(room);
    }
}
