//! Cards out of and into spreadsheets.

use axum::body::Body;
use http::Method;
use serde_json::{Value, json};
use server::demo;
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;
use testroom::site::{CARDS, fill, kind, site};

const IMPORT: &str = "/api/fleet/v1/cards/import";

pub async fn send(caller: &Caller<'_>, content: &str) -> Answer {
    let body = format!(
        "--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"cards.csv\"\r\n\r\n{content}\r\n--X--\r\n"
    );
    caller.send(Method::POST, IMPORT, "multipart/form-data; boundary=X", Body::from(body)).await
}

async fn run(app: &TestApp, caller: &Caller<'_>, preview: &Value) -> Value {
    let task = caller.post(&format!("{IMPORT}/{}/run", preview["importId"].as_str().unwrap()), json!({})).await.data();
    let work = app.work().await;
    let task = caller.finished(task["taskId"].as_str().unwrap()).await;
    work.stop().await;
    task
}

db_test! {
    async fn a_preview_says_what_is_wrong_and_what_would_change(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let file = "序列号,机房,机架,主机槽位,卡位,内网 IP,ADB 端口,厂商,型号,板卡型号,备注,可分配\n\
            SN-A,机房 1,A-01,1,1,10.1.0.1,,,,,,\n\
            ,机房 1,,,,10.1.0.2,,,,,换过电源,否\n\
            ,机房 1,,,,10.1.0.3,,,,,,\n\
            SN-NEW,机房 1,,,,10.1.4.1,5555,瑞芯,RK3399-Card,RK_3399,,是\n\
            ,机房 9,,,,10.1.0.4,,,,,,\n\
            ,机房 1,A-01,3,1,10.1.0.5,,,,,,\n\
            ,机房 1,A-01,1,9,10.1.0.6,,,,,,\n\
            ,机房 1,A-01,2,4,10.1.0.7,,,,,,\n\
            ,机房 1,,,,10.1.4.9,,,,,,也许\n\
            ,机房 1,,,,10.1.0.2,,,,,,\n";
        let preview = send(&clerk, file).await.data();
        assert_eq!(
            ["totalRows", "newRows", "changedRows", "unchangedRows", "badRows"].map(|field| preview[field].as_i64().unwrap()),
            [10, 1, 2, 1, 6], "{preview}"
        );
        let bad: Vec<String> = preview["bad"].as_array().unwrap().iter()
            .map(|bad| format!("{} {}", bad["row"], bad["field"].as_str().unwrap())).collect();
        assert_eq!(bad, ["6 room", "7 slot", "8 position", "9 position", "10 isAssignable", "11 intranetIp"]);
        assert_eq!(preview["changes"], json!([
            { "row": 2, "cardId": cards[0], "fields": [{ "field": "serial", "from": "", "to": "SN-A" }] },
            { "row": 3, "cardId": cards[1], "fields": [
                { "field": "isAssignable", "from": "true", "to": "false" }, { "field": "remark", "from": "", "to": "换过电源" }] },
        ]));
        assert_eq!(clerk.get(CARDS).await.data()["total"], 8, "a preview writes no card");

        let task = run(&app, &clerk, &preview).await;
        assert_eq!((&task["state"], &task["message"]), (&json!("succeeded"), &json!("新增 1 台，修改 2 台，未变 1 台，跳过 6 行")), "{task}");
        assert_eq!(clerk.get(&format!("{CARDS}?keyWord=SN-")).await.data()["total"], 2);
        assert_eq!(clerk.get(&format!("{CARDS}?assignable=false")).await.data()["total"], 1);
        let again = send(&clerk, file).await.data();
        assert_eq!((&again["newRows"], &again["changedRows"], &again["unchangedRows"]), (&json!(0), &json!(0), &json!(4)));
        let url = format!("{IMPORT}/{}/run", again["importId"].as_str().unwrap());
        assert_eq!(clerk.post(&url, json!({})).await.brief(), (409, 4009));
        assert!(db::journal::verify(app.app.db.read()).await.unwrap().is_ok());
    }

    async fn an_export_can_be_sent_back_and_changes_nothing(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 10, 300).await.unwrap();
        let clerk = app.admin().await;
        let file = clerk.get("/api/fleet/v1/cards/file?format=csv").await;
        assert_eq!(file.http.as_u16(), 200);
        let text = String::from_utf8(file.bytes).unwrap();
        assert_eq!(text.lines().count(), 301);
        let preview = send(&clerk, &text).await.data();
        assert_eq!((&preview["totalRows"], &preview["unchangedRows"]), (&json!(300), &json!(300)), "{preview}");
        let template = clerk.get(&format!("{IMPORT}/template?format=csv")).await;
        let preview = send(&clerk, &String::from_utf8(template.bytes).unwrap()).await.data();
        assert_eq!(preview["columns"].as_array().unwrap().len(), 17);
        let bad = send(&clerk, "序列号\nx\n").await;
        assert_eq!(bad.errors(), ["file sheet.columnMissing"]);
    }

    async fn an_export_that_was_edited_changes_what_was_edited_or_says_which_column(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let file = String::from_utf8(clerk.get("/api/fleet/v1/cards/file?format=csv").await.bytes).unwrap();
        // The headings that people know from other consoles mean the same.
        let file = file.replacen("ADB 端口", "内网端口", 1).replacen("板卡型号", "板卡", 1);
        let port = file.replacen("10.1.0.3,5555", "10.1.0.3,6000", 1);
        assert_ne!(port, file, "{file}");
        let preview = send(&clerk, &port).await.data();
        assert_eq!(preview["changes"], json!([
            { "row": 7, "cardId": cards[2], "fields": [{ "field": "adbPort", "from": "5555", "to": "6000" }] }]), "{preview}");
        assert_eq!((&preview["unchangedRows"], &preview["badRows"]), (&json!(7), &json!(0)));
        let left: Vec<&str> = preview["left"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert!(left.contains(&"运行状态") && left.contains(&"刀片地址") && !left.contains(&"主机"), "{left:?}");
        run(&app, &clerk, &preview).await;
        assert_eq!(clerk.get(&format!("{CARDS}/{}", cards[2])).await.data()["adbPort"], 6000);

        let host = send(&clerk, "机房,机架,主机,卡位,内网 IP,厂商,型号,板卡\n机房 1,A-01,blade-9,1,10.1.5.1,瑞芯,R,B\n").await.data();
        assert_eq!((&host["bad"][0]["field"], &host["bad"][0]["label"]), (&json!("host"), &json!("主机")), "{host}");
        let moved = send(&clerk, "机房,机架,主机,主机槽位,卡位,内网 IP\n机房 1,A-01,blade-1,2,1,10.1.0.1\n").await.data();
        assert_eq!((&moved["bad"][0]["label"], &moved["bad"][0]["message"]),
            (&json!("主机槽位"), &json!("与“主机 / Host”列不一致，请改成一致或清空其中一个")), "{moved}");
        let placeless = send(&clerk, "机房,主机槽位,卡位,内网 IP\n机房 1,1,1,10.1.0.1\n").await.data();
        assert_eq!(placeless["bad"][0]["field"], "frame", "{placeless}");
        let unknown = send(&clerk, "机房,内网 IP,机柜号,\n机房 1,10.1.0.1,7,\n").await;
        assert_eq!(unknown.errors(), ["file sheet.columnUnknown"]);
        assert!(String::from_utf8_lossy(&unknown.bytes).contains("机柜号"));
        assert_eq!(send(&clerk, "机房,内网 IP,Room\n机房 1,10.1.0.1,7\n").await.errors(), ["file sheet.columnTwice"]);
    }

    async fn bad_rows_are_a_file_that_is_mended_and_sent_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        fill(&clerk, &site(&clerk, 1).await).await;
        let file = "机房,机架,主机槽位,卡位,内网 IP,备注\n\
            机房 1,,,,10.1.0.1,好\n\
            机房 9,,,,10.1.0.2,=坏\n\
            机房 1,A-09,1,1,10.1.0.3,\n";
        let preview = send(&clerk, file).await.data();
        let url = format!("{IMPORT}/{}/bad?format=csv", preview["importId"].as_str().unwrap());
        let bad = String::from_utf8(clerk.get(&url).await.bytes).unwrap();
        let lines: Vec<&str> = bad.lines().collect();
        assert_eq!(lines.len(), 3, "{bad}");
        assert!(lines[0].contains("内网 IP") && lines[0].ends_with(",备注,原因"), "{bad}");
        assert!(lines[1].contains("机房 9") && lines[1].contains("机房：") && !bad.contains("10.1.0.1"), "{bad}");
        assert!(lines[2].contains("机架："), "{bad}");
        let mended = bad.replace("机房 9", "机房 1").replace("A-09", "A-01").replace(",1,1,10.1.0.3", ",1,3,10.1.0.3");
        let again = send(&clerk, &mended).await.data();
        assert_eq!((&again["badRows"], &again["totalRows"], &again["left"]), (&json!(0), &json!(2), &json!(["原因"])), "{again}");
        let english = clerk.clone().lang("en").get(&url.replace("csv", "xlsx")).await;
        assert_eq!(english.http.as_u16(), 200);

        let other = app.operator("other", &["device:import"]).await;
        assert_eq!(other.get(&url).await.http.as_u16(), 404, "it is the file of who sent it");
        run(&app, &clerk, &preview).await;
        assert_eq!(clerk.get(&url).await.brief(), (409, 4009), "the rows that were taken would be bad now");
    }

    async fn the_demo_company_has_rooms_and_counted_cards(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 10, 480).await.unwrap();
        let clerk = app.admin().await;
        let tree = clerk.get("/api/fleet/v1/tree?whole=true").await.data();
        let rooms: Vec<&Value> = tree.as_array().unwrap().iter().filter(|node| node["kind"] == "room").collect();
        assert_eq!(rooms.iter().map(|room| room["counts"]["total"].as_i64().unwrap()).collect::<Vec<_>>(), [160, 160, 160]);
        let page = clerk.get(&format!("{CARDS}?runStatus=2&pageSize=500")).await.data();
        assert_eq!(page["list"].as_array().unwrap().len() as i64, page["total"].as_i64().unwrap());
        assert!(page["total"].as_i64().unwrap() > 200);
        let far = clerk.get(&format!("{CARDS}?pageNum=24&sort=intranetIp")).await.data();
        assert_eq!((&far["total"], far["list"].as_array().unwrap().len()), (&json!(480), 20));
        let other = clerk.post(CARDS, kind(json!({ "roomId": 1, "intranetIp": "10.4.0.1" }))).await;
        assert_eq!(other.errors(), ["intranetIp taken"]);
    }
}
