//! Cards: the list and its counters, single cards, and what is done to many.

use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::site::{CARDS, fill, kind, site};

fn ids(page: &Value) -> Vec<i64> {
    page["list"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// The kept counters against what they count.
async fn check_counters(app: &TestApp) {
    let db = app.app.db.read();
    for (list, key, cell) in [
        (
            2,
            "-1",
            "(room_id << 21) | (model_id << 10) | (lifecycle << 7) | (run_status << 4) | (network_status << 2) | (CASE WHEN is_assignable THEN 2 ELSE 0 END) | (CASE WHEN is_overcommit THEN 1 ELSE 0 END)",
        ),
        (5, "CASE WHEN lifecycle = 5 THEN NULL ELSE -1 END", "0"),
        (3, "frame_id", "run_status * 10 + network_status"),
        (4, "host_id", "run_status * 10 + network_status"),
    ] {
        let counted = format!(
            "SELECT CAST({key} AS BIGINT) AS block, CAST({cell} AS BIGINT) AS cell, CAST(count(*) AS BIGINT) AS n FROM card WHERE {key} IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2"
        );
        let only = if list == 2 || list == 5 { "AND block = -1" } else { "AND block >= 0" };
        let kept = format!(
            "SELECT block, CAST(cell AS BIGINT) AS cell, n FROM kept_count WHERE list = {list} AND n <> 0 {only} ORDER BY block, cell"
        );
        let mut found = Vec::new();
        for text in [counted, kept] {
            let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap();
            let rows: Vec<(i64, i64, i64)> = rows
                .iter()
                .map(|row| {
                    (
                        row.try_get_by_index(0).unwrap(),
                        row.try_get_by_index(1).unwrap(),
                        row.try_get_by_index(2).unwrap(),
                    )
                })
                .filter(|row| list == 2 || list == 5 || row.0 >= 0)
                .collect();
            found.push(rows);
        }
        assert_eq!(found[0], found[1], "list {list}");
    }
}

db_test! {
    async fn a_range_becomes_cards_with_places_and_addresses(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let body = kind(json!({ "planId": here.plan, "first": 2, "count": 4, "frameId": here.frame }));
        let shown = clerk.post(&format!("{CARDS}/range/preview"), body.clone()).await.data();
        assert_eq!((&shown["newCards"], &shown["sample"][0]["intranetIp"], &shown["sample"][0]["extranetPort"]),
            (&json!(4), &json!("10.1.0.3"), &json!(20003)));
        assert_eq!(clerk.get(CARDS).await.data()["total"], 0);

        let made = clerk.post(&format!("{CARDS}/range"), body).await.data();
        assert_eq!((&made["newCards"], &made["taken"]), (&json!(4), &json!(0)));
        let rest = clerk.post(&format!("{CARDS}/range"), kind(json!({ "planId": here.plan, "count": 8, "frameId": here.frame }))).await.data();
        assert_eq!((&rest["newCards"], &rest["taken"]), (&json!(4), &json!(4)));
        let page = clerk.get(&format!("{CARDS}?sort=intranetIp&order=asc&pageSize=3")).await.data();
        assert_eq!((&page["total"], &page["list"][0]["intranetIp"], &page["list"][2]["intranetIp"]), (&json!(8), &json!("10.1.0.1"), &json!("10.1.0.3")));
        assert_eq!((&page["list"][2]["host"]["name"], &page["list"][2]["position"], &page["list"][2]["runStatus"]), (&json!("blade-1"), &json!(1), &json!(7)));
        let again = clerk.post(&format!("{CARDS}/range"), kind(json!({ "planId": here.plan, "count": 8 }))).await;
        assert_eq!(again.brief(), (409, 4009));
        let beyond = clerk.post(&format!("{CARDS}/range"), kind(json!({ "planId": here.plan, "first": 5, "count": 4 }))).await;
        assert_eq!(beyond.errors(), ["count integer.range"]);
        check_counters(&app).await;
    }

    async fn filters_totals_and_key_words_agree(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (one, two) = (site(&clerk, 1).await, site(&clerk, 2).await);
        let cards = fill(&clerk, &one).await;
        fill(&clerk, &two).await;
        let mut other = kind(json!({ "roomId": one.room, "intranetIp": "10.1.7.7", "serial": "SN-ZZ-0042", "isOvercommit": false }));
        other["board"] = "MTK_G90".into();
        let made = clerk.post(CARDS, other).await.data();
        clerk.post(&format!("{CARDS}/flags"), json!({ "selection": { "filter": { "roomId": two.room } }, "assignable": false })).await.data();
        clerk.post(&format!("{CARDS}/maintenance"), json!({ "selection": { "ids": [cards[1]] }, "state": 3, "reason": "检查" })).await.data();

        for (query, total) in [
            ("", 17), ("roomId=1", 9), ("roomId=2&assignable=false", 8), ("assignable=true", 9), ("overcommit=true", 16), ("overcommit=false", 1),
            ("board=MTK_G90", 1), ("board=RK_3399&roomId=1", 8), ("board=nothing", 0), ("manufacturer=%E7%91%9E%E8%8A%AF", 17),
            ("runStatus=3", 1), ("runStatus=7&roomId=1", 8), ("networkStatus=3", 17), ("networkStatus=1", 0),
            ("lifecycle=1", 17), ("lifecycle=5", 0), ("keyWord=SN-ZZ", 1), ("keyWord=zz-00", 1), ("keyWord=10.1.0.", 8),
            ("keyWord=113.2", 8), ("keyWord=zz", 1), ("maintenance=3", 1), ("roomId=99", 0), ("roomId=-1", 0), ("overdue=true", 0),
            ("maintenance=1", 16), ("maintenance=1&roomId=1&sort=serial&order=asc", 8), ("maintenance=1&keyWord=10.1.0.", 7),
            ("maintenance=2", 0), ("networkStatus=3&sort=runSince&order=asc", 17), ("runStatus=3&sort=runSince", 1),
            ("runStatus=3&assignable=true", 1), ("keyWord=10.1.0.&runStatus=3", 1),
        ] {
            let page = clerk.get(&format!("{CARDS}?{query}")).await.data();
            assert_eq!((&page["total"], ids(&page).len()), (&json!(total), total), "{query}");
        }
        // After a while, what is unknown or worked on stands out.
        app.app.clock.advance_seconds(61 * 60);
        let clerk = clerk.again().await;
        assert_eq!(clerk.get(&format!("{CARDS}/count?roomId=1")).await.data(), json!({ "total": 9, "overdue": 8 }));
        assert_eq!(made["adbPort"], 5555);
        check_counters(&app).await;
        for (query, error) in [("runStatus=9", "runStatus type.wrong"), ("sort=name", "sort type.wrong"), ("roomId=x", "roomId type.wrong"), ("assignable=2", "assignable type.wrong")] {
            assert_eq!(clerk.get(&format!("{CARDS}?{query}")).await.errors(), [error], "{query}");
        }
    }

    async fn a_card_is_changed_moved_and_retired_and_remembers_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (one, two) = (site(&clerk, 1).await, site(&clerk, 2).await);
        let body = kind(json!({ "roomId": one.room, "hostId": one.hosts[0], "position": 1, "intranetIp": "10.1.0.1", "serial": "SN1" }));
        let made = clerk.post(CARDS, body.clone()).await.data();
        assert_eq!((&made["extranetIp"], &made["extranetPort"]), (&json!("203.0.113.1"), &json!(20001)), "the plan says it");
        for (change, error) in [
            (json!({ "serial": "SN1", "intranetIp": "10.1.0.2", "position": 2 }), "serial taken"),
            (json!({ "serial": "SN2", "position": 2 }), "intranetIp taken"),
            (json!({ "serial": "SN2", "intranetIp": "10.1.0.2" }), "position taken"),
            (json!({ "serial": "SN2", "intranetIp": "10.1.0.2", "position": 5 }), "position integer.range"),
            (json!({ "serial": "SN2", "intranetIp": "10.1.0.2", "hostId": two.hosts[0] }), "hostId reference.unknown"),
            (json!({ "serial": "SN2", "intranetIp": "10.1.0.2", "extranetIp": "1.1.1.1" }), "extranetPort required"),
            (json!({ "adbPort": 65536 }), "adbPort port.range"),
            (json!({ "nonsense": 1 }), "nonsense field.unknown"),
        ] {
            let mut body = body.clone();
            for (field, value) in change.as_object().unwrap() {
                body[field] = value.clone();
            }
            let answer = clerk.post(CARDS, body).await;
            let brief = if error.ends_with(" taken") { (409, 4009) } else { (400, 4000) };
            assert_eq!((answer.brief(), answer.errors()), (brief, vec![error.to_owned()]));
        }
        let url = format!("{CARDS}/{}", made["id"]);
        let mut change = body.clone();
        change["remark"] = "换过主板".into();
        change["isOvercommit"] = false.into();
        let after = clerk.put(&url, change).await.data();
        assert_eq!((&after["remark"], &after["isOvercommit"], &after["position"]), (&json!("换过主板"), &json!(false), &json!(1)));

        let moved = clerk.post(&format!("{url}/move"),
            json!({ "roomId": two.room, "hostId": two.hosts[1], "position": 3, "intranetIp": "10.2.0.5", "reason": "调拨" })).await.data();
        assert_eq!((&moved["roomId"], &moved["host"]["name"], &moved["extranetIp"]), (&json!(two.room), &json!("blade-2"), &json!("203.0.113.2")));
        assert_eq!(clerk.get(&format!("{CARDS}?keyWord=10.2.0.5")).await.data()["total"], 1);

        let gone = json!({ "selection": { "ids": [made["id"]] }, "reason": "报废" });
        assert_eq!(clerk.post(&format!("{CARDS}/retire"), gone.clone()).await.data(), json!({ "changed": 1, "skipped": 0 }));
        assert_eq!(clerk.post(&format!("{CARDS}/retire"), gone).await.data(), json!({ "changed": 0, "skipped": 1 }));
        assert_eq!(clerk.put(&url, body.clone()).await.brief(), (409, 4009));
        assert_eq!(clerk.get(CARDS).await.data()["total"], 0);
        assert_eq!(clerk.get(&format!("{CARDS}?lifecycle=5")).await.data()["total"], 1);
        // Its address is free again, its serial is not.
        let mut next = body;
        next["serial"] = "SN3".into();
        next["roomId"] = two.room.into();
        next["hostId"] = two.hosts[1].into();
        next["position"] = 3.into();
        next["intranetIp"] = "10.2.0.5".into();
        clerk.post(CARDS, next).await.data();

        let events = clerk.get(&format!("{url}/events")).await.data();
        let axes: Vec<i64> = events["list"].as_array().unwrap().iter().rev().map(|event| event["axis"].as_i64().unwrap()).collect();
        assert_eq!(axes, [11, 14, 13, 14, 1, 10, 13], "{events}");
        let said = |axis: i64| {
            let event = events["list"].as_array().unwrap().iter().find(|event| event["axis"] == axis).unwrap();
            event["change"].as_str().unwrap().to_owned()
        };
        assert_eq!((said(1).as_str(), said(11).as_str(), said(14).as_str()), ("待上架 → 已报废", "是 → 否", ""));
        let host = clerk.get(&format!("/api/fleet/v1/hosts/{}", one.hosts[0])).await.data();
        assert!(host["history"][0]["until"].is_string(), "{host}");
        assert!(host["history"][0]["card"]["name"].is_string(), "{host}");
        check_counters(&app).await;
        assert!(db::journal::verify(app.app.db.read()).await.unwrap().is_ok());
    }
}
