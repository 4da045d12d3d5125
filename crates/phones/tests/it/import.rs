//! Phones out of spreadsheets.

use axum::body::Body;
use http::Method;
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;

use super::{PHONES, check_counters, world};

db_test! {
    async fn good_rows_become_phones_and_bad_ones_are_named(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, user) = world(&clerk).await;
        let file = "用户手机号或识别码,套餐,归属机房,云盘 (GB),有效天数,名称,备注,池\r\n\
            13800000001,VIP,杭州机房,32,30,主力机,,\r\n\
            ZSF1,svip,杭州机房,64,365,,企业,dedicated\r\n\
            13800000009,VIP,杭州机房,32,30,,,专属\r\n\
            13800000001,GOLD,上海机房,0,1000,a b,,各自\r\n";
        let body = format!("--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"phones.csv\"\r\n\r\n{file}\r\n--X--\r\n");
        let import = format!("{PHONES}/import");
        let preview = clerk.send(Method::POST, &import, "multipart/form-data; boundary=X", Body::from(body)).await.data();
        assert_eq!((&preview["goodRows"], &preview["badRows"]), (&json!(2), &json!(2)), "{preview}");
        let bad: Vec<String> = preview["bad"].as_array().unwrap().iter()
            .map(|bad| format!("{} {}", bad["row"], bad["field"].as_str().unwrap())).collect();
        assert_eq!(bad[0], "4 userNumber");
        for field in ["5 plan", "5 diskGb", "5 days", "5 name", "5 pool"] {
            assert!(bad.iter().any(|one| one == field), "{field}: {bad:?}");
        }

        let task = clerk.post(&format!("{import}/{}/run", preview["importId"].as_str().unwrap()), json!({})).await.data();
        let work = app.work().await;
        let task = clerk.finished(task["taskId"].as_str().unwrap()).await;
        work.stop().await;
        assert_eq!(task["state"], "succeeded", "{task}");
        let page = clerk.get(PHONES).await.data();
        assert_eq!((&page["total"], &page["list"][0]["plan"], &page["list"][0]["user"]["id"]), (&json!(2), &json!(4), &json!(user)));
        assert_eq!((&page["list"][0]["pool"], &page["list"][1]["pool"]), (&json!(2), &json!(1)));
        check_counters(&app).await;
    }
}
