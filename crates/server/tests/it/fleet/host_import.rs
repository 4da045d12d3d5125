//! Hosts and their frames out of spreadsheets.

use axum::body::Body;
use http::Method;
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;
use testroom::site::{FRAMES, HOSTS, site};

const IMPORT: &str = "/api/fleet/v1/hosts/import";

async fn send(caller: &Caller<'_>, content: &str) -> Answer {
    let body = format!(
        "--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"hosts.csv\"\r\n\r\n{content}\r\n--X--\r\n"
    );
    caller.send(Method::POST, IMPORT, "multipart/form-data; boundary=X", Body::from(body)).await
}

fn problems(preview: &Value) -> Vec<String> {
    let bad = preview["bad"].as_array().unwrap();
    bad.iter().map(|bad| format!("{} {}", bad["row"], bad["field"].as_str().unwrap())).collect()
}

db_test! {
    async fn hosts_bring_their_frames_and_are_not_made_twice(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        site(&clerk, 1).await;
        let file = "机房,机架,槽位,主机,刀片地址,卡位数,备注\n\
            机房 1,B-01,1,H-01,10.1.9.11,12,\n\
            机房 1,B-01,6,H-06,10.1.9.12,12,靠窗\n\
            机房 1,A-01,3,H-03,,4,\n\
            机房 9,B-01,2,H-02,,12,\n\
            机房 1,A-01,1,H-01,,4,\n\
            机房 1,A-01,5,H-05,,4,\n\
            机房 1,B-01,7,H-07,10.1.9.1,12,\n\
            机房 1,B-01,6,H-08,,12,\n\
            机房 1,B-01,8,H-08,,300,\n";
        let preview = send(&clerk, file).await.data();
        assert_eq!((&preview["goodRows"], &preview["badRows"]), (&json!(3), &json!(6)), "{preview}");
        assert_eq!(problems(&preview), ["5 room", "6 slot", "7 slot", "8 bladeAddress", "9 slot", "10 positions"]);
        let task = clerk.post(&format!("{IMPORT}/{}/run", preview["importId"].as_str().unwrap()), json!({})).await.data();
        let work = app.work().await;
        clerk.finished(task["taskId"].as_str().unwrap()).await;
        work.stop().await;

        let frames = clerk.get(&format!("{FRAMES}?keyWord=B-01")).await.data();
        assert_eq!((&frames["total"], &frames["list"][0]["slots"]), (&json!(1), &json!(6)));
        let hosts = clerk.get(&format!("{HOSTS}?frameId={}", frames["list"][0]["id"])).await.data();
        assert_eq!((&hosts["total"], &hosts["list"][1]["bladeAddress"], &hosts["list"][1]["positions"]),
            (&json!(2), &json!("10.1.9.12"), &json!(12)));
        let again = send(&clerk, file).await.data();
        assert_eq!((&again["goodRows"], &again["badRows"]), (&json!(0), &json!(9)));
    }
}
