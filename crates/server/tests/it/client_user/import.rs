//! Customers out of spreadsheets.

use axum::body::Body;
use entity::client_user;
use http::Method;
use kernel::lang::Lang;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;

const IMPORT: &str = "/api/user/v1/client-users/import";
const LIST: &str = "/api/user/v5/user/getPageUserInfo";
const CODES: &[&str] = &["clientUser:list", "clientUser:create", "clientUser:import"];

async fn send(caller: &Caller<'_>, name: &str, content: &[u8]) -> Answer {
    let mut body =
        format!("--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n").into_bytes();
    body.extend(content);
    body.extend(b"\r\n--X--\r\n");
    caller.send(Method::POST, IMPORT, "multipart/form-data; boundary=X", Body::from(body)).await
}

async fn run(caller: &Caller<'_>, preview: &Value) -> Answer {
    caller.post(&format!("{IMPORT}/{}/run", preview["importId"].as_str().unwrap()), json!({})).await
}

/// `row field` of every problem.
fn problems(preview: &Value) -> Vec<String> {
    let bad = preview["bad"].as_array().unwrap();
    bad.iter().map(|bad| format!("{} {}", bad["row"], bad["field"].as_str().unwrap())).collect()
}

async fn customers(app: &TestApp) -> u64 {
    client_user::Entity::find().count(app.app.db.read()).await.unwrap()
}

db_test! {
    async fn a_file_that_comes_in_pieces_is_previewed_once_it_is_whole(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", CODES).await;
        let file = "姓名,手机号\r\n张三,13900000001\r\n".as_bytes();
        let uploads = format!("{IMPORT}/uploads");
        let announced = json!({ "fileName": "客户.csv", "size": file.len(), "modifiedAt": "2026-11-20T13:00:00Z" });
        let begun = clerk.post(&uploads, announced.clone()).await.data();
        let upload = format!("{uploads}/{}", begun["id"].as_str().unwrap());
        let piece = async |from: usize, to: usize| {
            let clerk = clerk.clone().header("upload-offset", from.to_string());
            let body = Body::from(file[from..to].to_vec());
            clerk.send(Method::PATCH, &upload, "application/partial-upload", body).await.data()
        };
        let finish = async || clerk.post(&format!("{upload}/finish"), json!({})).await;
        piece(0, 9).await;
        assert_eq!(finish().await.http.as_u16(), 409, "a part of it is no file");
        // The line broke: whoever announces it again goes on.
        assert_eq!(clerk.post(&uploads, announced).await.data()["offset"], 9);
        piece(9, file.len()).await;
        let other = app.operator("other", CODES).await;
        assert_eq!(other.post(&format!("{upload}/finish"), json!({})).await.http.as_u16(), 404, "it is another's");

        let found = finish().await.data();
        assert_eq!((&found["fileName"], &found["goodRows"]), (&json!("客户.csv"), &json!(1)), "{found}");
        assert_eq!(found["sample"], json!([["张三", "13900000001"]]));
        assert_eq!(finish().await.data(), found, "the answer was lost");
        let kept = entity::upload::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(kept.answer, Some(found["importId"].to_string()), "what stands in the file is not written down");

        let task = run(&clerk, &found).await.data();
        let work = app.work().await;
        let task = clerk.finished(task["taskId"].as_str().unwrap()).await;
        work.stop().await;
        assert_eq!((&task["state"], customers(&app).await), (&json!("succeeded"), 1), "{task}");
        assert_eq!(finish().await.http.as_u16(), 409, "it has been imported");
        let acts = ["begin", "finish", "run"].map(|act| format!("clerk client_user_import_{act} 0"));
        let trail = app.audit_trail().await;
        assert!(acts.iter().all(|act| trail.contains(act)), "{trail:?}");
    }

    async fn a_file_in_pieces_that_is_no_table_leaves_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", CODES).await.lang("en");
        let uploads = format!("{IMPORT}/uploads");
        let announced = json!({ "fileName": "a.xlsx", "size": 4, "modifiedAt": "2026-11-20T13:00:00Z" });
        let begun = clerk.post(&uploads, announced).await.data();
        let upload = format!("{uploads}/{}", begun["id"].as_str().unwrap());
        let at_start = clerk.clone().header("upload-offset", "0".to_owned());
        let body = Body::from(b"\0\0\0\0".to_vec());
        at_start.send(Method::PATCH, &upload, "application/partial-upload", body).await.data();
        let refused = clerk.post(&format!("{upload}/finish"), json!({})).await;
        assert_eq!(refused.http.as_u16(), 415, "{refused:?}");
        assert_eq!(entity::import_file::Entity::find().count(app.app.db.read()).await.unwrap(), 0);
        let large = json!({ "fileName": "b.csv", "size": (32 << 20) + 1, "modifiedAt": "2026-11-20T13:00:00Z" });
        assert_eq!(clerk.post(&uploads, large).await.http.as_u16(), 413);
    }

    async fn good_rows_are_taken_and_bad_ones_named(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", CODES).await;
        clerk.post("/api/user/v1/client-users", json!({ "name": "老客户", "phone": "13800000001" })).await.data();
        let file = "ID,姓名,手机号,邮箱,备注\r\n\
            9,张三,13900000001,zhang@163.com,=1+1\r\n\
            ,,13900000002,,没有姓名\r\n\
            ,李四,13800000001,,手机号已被占用\r\n\
            \r\n\
            ,王五,13900000001,,与张三相同\r\n\
            ,赵六,139,not mail,两处错误\r\n\
            ,孙七,,,\r\n";
        let (gbk, _, _) = encoding_rs::GBK.encode(file);

        let preview = send(&clerk, "C:\\客户.csv", &gbk).await.data();
        assert_eq!((&preview["totalRows"], &preview["goodRows"], &preview["badRows"]), (&json!(6), &json!(2), &json!(4)));
        assert_eq!(problems(&preview), ["3 name", "4 phone", "6 phone", "7 phone", "7 email"]);
        assert_eq!((&preview["bad"][2]["value"], &preview["bad"][2]["message"]), (&json!("13900000001"), &json!("与第 2 行重复")));
        assert_eq!((&preview["fileName"], &preview["columns"]), (&json!("客户.csv"), &json!(["name", "phone", "email", "remark"])));
        assert_eq!(preview["sample"][0], json!(["张三", "13900000001", "zhang@163.com", "=1+1"]));
        assert_eq!(customers(&app).await, 1, "a preview writes no customer");

        // Between preview and import another clerk registers one of the phones.
        let task = run(&clerk, &preview).await.data();
        clerk.post("/api/user/v1/client-users", json!({ "name": "抢先", "phone": "13900000001" })).await.data();
        let work = app.work().await;
        let task = clerk.finished(task["taskId"].as_str().unwrap()).await;
        work.stop().await;

        assert_eq!((&task["state"], &task["message"]), (&json!("succeeded"), &json!("已导入 1 行，跳过 5 行")), "{task}");
        let found = clerk.post(LIST, json!({ "keyWord": "孙七" })).await.data();
        assert_eq!(found["total"], 1);
        assert_eq!(found["list"][0]["identCode"].as_str().unwrap().len(), 10);
        assert_eq!(clerk.post(LIST, json!({})).await.data()["total"], 3);
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"clerk client_user_import_preview 0".to_owned()), "{trail:?}");
        assert_eq!(trail.last().unwrap(), "clerk client_user_import_run 0");
        let word = |lang| app.app.words.action("client_user_import_run", lang);
        assert_eq!([word(Lang::Zh), word(Lang::En)], ["导入客户端用户：写入", "Import client users: rows written"]);
        assert!(db::journal::verify(app.app.db.read()).await.unwrap().is_ok());
    }

    async fn a_file_is_imported_once_by_who_uploaded_it(db) {
        let app = TestApp::new(db).await;
        let (clerk, other) = (app.operator("clerk", CODES).await, app.operator("other", CODES).await);
        let preview = send(&clerk, "a.csv", "Name\nAlice\n".as_bytes()).await.data();

        assert_eq!(run(&other, &preview).await.brief(), (404, 4004));
        let (one, two) = tokio::join!(run(&clerk, &preview), run(&clerk, &preview));
        let mut outcomes = [one.brief(), two.brief()];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [(200, 0), (409, 4009)]);

        let bad = send(&clerk, "b.csv", "姓名,手机号\n,1\n张三,2\n".as_bytes()).await.data();
        assert_eq!((&bad["goodRows"], &bad["badRows"]), (&json!(0), &json!(2)));
        assert_eq!(run(&clerk, &bad).await.brief(), (409, 4009));
    }

    async fn a_long_import_goes_on_where_it_was_stopped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", CODES).await;
        let mut file = String::from("姓名,手机号\n");
        for n in 0..4500 {
            file += &format!("客户{n},139{n:08}\n");
        }
        let preview = send(&clerk, "long.csv", file.as_bytes()).await.data();
        assert_eq!(preview["goodRows"], 4500);
        let task = run(&clerk, &preview).await.data();
        let id = task["taskId"].as_str().unwrap();

        let work = app.work().await;
        while customers(&app).await == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        work.stop().await;
        let stopped_at = customers(&app).await;
        assert!(stopped_at % 1000 == 0 || stopped_at == 4500, "{stopped_at} rows are no whole steps");
        let work = app.work().await;
        let task = clerk.finished(id).await;
        work.stop().await;

        assert_eq!((&task["state"], &task["message"]), (&json!("succeeded"), &json!("已导入 4500 行，跳过 0 行")), "{task}");
        assert_eq!((customers(&app).await, &clerk.post(LIST, json!({})).await.data()["total"]), (4500, &json!(4500)));
        assert_eq!(clerk.post(LIST, json!({ "keyWord": "客户4321" })).await.data()["total"], 1);
        let written = app.audit_trail().await.iter().filter(|line| *line == "clerk client_user_import_run 0").count();
        assert_eq!(written, 1 + 5, "the begin, and five batches, none of them twice");
    }

    async fn what_is_no_table_of_customers_is_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", CODES).await;
        for (content, brief) in [
            (&b"\x89PNG\r\n\x1a\n\0\0"[..], (415, 4015)),
            (&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1], (415, 4015)),
            (b"PK\x03\x04 nothing of the kind", (415, 4015)),
            (b"", (400, 4000)),
            ("手机号,邮箱\n1,2\n".as_bytes(), (400, 4000)),
        ] {
            assert_eq!(send(&clerk, "x.xlsx", content).await.brief(), brief, "{content:?}");
        }
        assert_eq!(clerk.post(IMPORT, json!({})).await.brief(), (415, 4015));
        let large = vec![b'a'; (32 << 20) + 1];
        assert_eq!(send(&clerk, "large.csv", &large).await.brief(), (413, 4013));
        assert_eq!(run(&clerk, &json!({ "importId": "../../etc" })).await.http.as_u16(), 404);
    }

    async fn the_template_is_a_file_that_can_be_sent_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", CODES).await;
        for (lang, format) in [("zh", "xlsx"), ("en", "csv")] {
            let clerk = clerk.clone().lang(lang);
            let template = clerk.get(&format!("{IMPORT}/template?format={format}")).await;
            let preview = send(&clerk, "t", &template.bytes).await.data();
            assert_eq!((&preview["totalRows"], &preview["columns"]), (&json!(0), &json!(["name", "phone", "email", "identCode", "remark"])));
        }
    }
}
