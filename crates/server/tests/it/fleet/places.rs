//! Rooms, frames and hosts.

use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::site::{CARDS, FRAMES, HOSTS, ROOMS, fill, site};

const RACKS: &str = "/api/fleet/v1/racks";

db_test! {
    async fn a_room_keeps_its_lines_and_its_place_on_the_map(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["room:list", "room:create", "room:update", "room:delete", "deviceMap:view"]).await;
        let body = json!({ "name": "杭州一号", "city": "杭州", "latitude": 30.2741, "longitude": 120.1551, "timeZone": "Asia/Shanghai",
            "lines": [{ "carrier": 1, "name": "电信 A", "mbit": 10000, "contact": "10000" }] });
        let made = clerk.post(ROOMS, body.clone()).await.data();
        assert_eq!((&made["latitude"], &made["lines"][0]["name"]), (&json!(30.2741), &json!("电信 A")));
        assert_eq!(made["timeZone"], "Asia/Shanghai");

        let url = format!("{ROOMS}/{}", made["id"]);
        let body = json!({ "name": "杭州一号", "city": "杭州", "lines": [
            { "carrier": 2, "name": "联通", "mbit": 1000 }, { "carrier": 3, "name": "移动", "mbit": 2000 }] });
        let after = clerk.put(&url, body).await.data();
        assert_eq!((after["lines"].as_array().unwrap().len(), &after["latitude"]), (2, &Value::Null));
        assert_eq!(after["timeZone"], "", "that of the console");
        assert_eq!(clerk.get("/api/fleet/v1/map").await.data()[0]["name"], "杭州一号");
        clerk.delete(&url, json!({})).await.data();
        assert_eq!(clerk.get(&url).await.brief(), (404, 4004));
        assert_eq!(app.audit_trail().await, ["clerk room_create 0", "clerk room_update 0", "clerk room_delete 0"]);
    }

    async fn bad_places_are_named_at_their_fields(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        for (url, body, errors) in [
            (ROOMS, json!({ "name": "机房 1", "city": "杭州" }), vec!["name taken"]),
            (ROOMS, json!({ "name": " x", "city": "", "latitude": 91.0, "longitude": 0.0 }),
                vec!["name text.leadingSpace", "city required", "latitude number.range"]),
            (ROOMS, json!({ "name": "x", "city": "x", "latitude": 9.0 }), vec!["longitude required"]),
            (ROOMS, json!({ "name": "x", "city": "x", "lines": [{ "carrier": 1, "name": "a", "mbit": 0 }] }),
                vec!["lines[0].mbit integer.range"]),
            (ROOMS, json!({ "name": "x", "city": "x", "timeZone": "Asia/Hangzhou" }), vec!["timeZone timeZone.unknown"]),
            (ROOMS, json!({ "name": "x", "city": "x", "timeZone": "asia/shanghai" }), vec!["timeZone timeZone.unknown"]),
            (FRAMES, json!({ "roomId": 99, "name": "x", "slots": 1 }), vec!["roomId reference.unknown"]),
            (FRAMES, json!({ "roomId": here.room, "name": "A-01", "slots": 1 }), vec!["name taken"]),
            (FRAMES, json!({ "roomId": here.room, "name": "x", "slots": 101 }), vec!["slots integer.range"]),
            (HOSTS, json!({ "frameId": here.frame, "slot": 1, "name": "x", "positions": 4 }), vec!["slot taken"]),
            (HOSTS, json!({ "frameId": here.frame, "slot": 5, "name": "x", "positions": 4 }), vec!["slot integer.range"]),
            (HOSTS, json!({ "frameId": here.frame, "slot": 3, "name": "x", "positions": 4, "bladeAddress": "10.1.9.1" }),
                vec!["bladeAddress taken"]),
            (HOSTS, json!({ "frameId": here.frame, "slot": 3, "name": "x", "positions": 4, "bladeAddress": "10.1.9" }),
                vec!["bladeAddress type.wrong"]),
        ] {
            let answer = clerk.post(url, body.clone()).await;
            let brief = if errors[0].ends_with(" taken") { (409, 4009) } else { (400, 4000) };
            assert_eq!((answer.brief(), answer.errors()), (brief, errors.iter().map(ToString::to_string).collect()), "{body}");
        }
    }

    async fn a_rack_is_built_whole_once_and_says_first_what_is_in_its_way(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["room:list", "room:create"]).await;
        let here = site(&app.admin().await, 1).await;
        let body = json!({ "roomId": here.room, "name": "B-01", "hosts": 3, "positions": 4 });
        let told = clerk.post(&format!("{RACKS}/preview"), body.clone()).await.data();
        assert_eq!((&told["proposedStart"], &told["positions"], &told["freeAddresses"]), (&json!("10.1.9.3"), &json!(12), &json!(8)));
        let taken = json!({ "roomId": here.room, "name": "B-01", "hosts": 3, "positions": 4, "bladeStart": "10.1.9.2" });
        let told = clerk.post(&format!("{RACKS}/preview"), taken.clone()).await.data();
        assert_eq!((&told["takenAddresses"], &told["hosts"][2]["bladeAddress"]), (&json!(["10.1.9.2"]), &json!("10.1.9.4")));
        let refused = clerk.post(RACKS, taken).await;
        assert_eq!((refused.brief(), refused.errors()), ((409, 4009), vec!["bladeStart taken".to_owned()]));
        assert_eq!(clerk.get(&format!("{FRAMES}?keyWord=B-01")).await.data()["total"], 0, "nothing is left of what was refused");

        let good = json!({ "roomId": here.room, "name": "B-01", "hosts": 3, "positions": 4, "bladeStart": "10.1.9.3" });
        let made = clerk.post(RACKS, good.clone()).await.data();
        assert_eq!((made["hostIds"].as_array().unwrap().len(), &made["wasBuilt"]), (3, &json!(false)));
        let again = clerk.post(RACKS, good.clone()).await.data();
        assert_eq!((&again["hostIds"], &again["wasBuilt"]), (&made["hostIds"], &json!(true)));
        assert_eq!(clerk.post(&format!("{RACKS}/preview"), good).await.data()["isBuilt"], true);
        let hosts = clerk.get(&format!("{HOSTS}?frameId={}", made["frameId"])).await.data();
        assert_eq!((&hosts["total"], &hosts["list"][2]["bladeAddress"], &hosts["list"][2]["positions"]),
            (&json!(3), &json!("10.1.9.5"), &json!(4)));
        let other = clerk.post(RACKS, json!({ "roomId": here.room, "name": "B-01", "hosts": 2, "positions": 4 })).await;
        assert_eq!(other.errors(), ["name taken"]);
        let far = clerk.post(RACKS, json!({ "roomId": here.room, "name": "x", "hosts": 3, "positions": 4, "bladeStart": "255.255.255.254" })).await;
        assert_eq!(far.errors(), ["bladeStart ip.spanTooLarge"]);
    }

    async fn what_is_in_use_is_not_deleted_and_not_made_too_small(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        fill(&clerk, &here).await;
        for url in [format!("{ROOMS}/{}", here.room), format!("{FRAMES}/{}", here.frame), format!("{HOSTS}/{}", here.hosts[0])] {
            assert_eq!(clerk.delete(&url, json!({})).await.brief(), (409, 4009), "{url}");
        }
        let small = clerk.put(&format!("{HOSTS}/{}", here.hosts[0]),
            json!({ "frameId": here.frame, "slot": 1, "name": "b", "positions": 3 })).await;
        assert_eq!(small.errors(), ["positions integer.range"]);
        let small = clerk.put(&format!("{FRAMES}/{}", here.frame),
            json!({ "roomId": here.room, "name": "A-01", "slots": 1 })).await;
        assert_eq!(small.errors(), ["slots integer.range"]);
    }

    async fn the_tree_counts_cards_by_status_on_every_level(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (one, two) = (site(&clerk, 1).await, site(&clerk, 2).await);
        let cards = fill(&clerk, &one).await;
        fill(&clerk, &two).await;
        clerk.post(&format!("{CARDS}/maintenance"), json!({ "selection": { "ids": [cards[0], cards[5]] }, "state": 3, "reason": "换风扇" })).await.data();
        clerk.post(&format!("{CARDS}/retire"), json!({ "selection": { "ids": [cards[7]] }, "reason": "烧毁" })).await.data();

        let of = |nodes: Value, id: i64| {
            let node = nodes.as_array().unwrap().iter().find(|node| node["id"] == id).unwrap()["counts"].clone();
            (node["total"].as_i64().unwrap(), node["maintenance"].as_i64().unwrap(), node["unknown"].as_i64().unwrap())
        };
        assert_eq!(of(clerk.get("/api/fleet/v1/tree").await.data(), one.room), (7, 2, 5));
        assert_eq!(of(clerk.get("/api/fleet/v1/tree").await.data(), two.room), (8, 0, 8));
        assert_eq!(of(clerk.get(&format!("/api/fleet/v1/tree?roomId={}", one.room)).await.data(), one.frame), (7, 2, 5));
        let hosts = clerk.get(&format!("/api/fleet/v1/tree?frameId={}", one.frame)).await.data();
        assert_eq!((of(hosts.clone(), one.hosts[0]), of(hosts, one.hosts[1])), ((4, 1, 3), (3, 1, 2)));
        assert_eq!(clerk.get(&format!("/api/fleet/v1/cells?roomId={}", one.room)).await.data().as_array().unwrap().len(), 7);
        let host = clerk.get(&format!("{HOSTS}/{}", one.hosts[1])).await.data();
        assert_eq!((host["cards"].as_array().unwrap().len(), host["history"].as_array().unwrap().len()), (3, 4));
    }

    async fn work_on_a_place_takes_its_cards_and_gives_them_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let one = json!({ "selection": { "ids": [cards[0]] }, "state": 2, "reason": "慢" });
        clerk.post(&format!("{CARDS}/maintenance"), one).await.data();
        let frame = format!("{FRAMES}/{}/maintenance", here.frame);
        let done = clerk.post(&frame, json!({ "state": 3, "reason": "断电检修" })).await.data();
        assert_eq!(done, json!({ "changed": 7, "skipped": 1 }), "the card that is worked on stays as it is");

        let total = |maintenance: i64| format!("{CARDS}?maintenance={maintenance}");
        assert_eq!(clerk.get(&total(3)).await.data()["total"], 7);
        assert_eq!(clerk.get(&total(2)).await.data()["total"], 1);
        let done = clerk.post(&frame, json!({ "state": 1 })).await.data();
        assert_eq!(done, json!({ "changed": 7, "skipped": 1 }));
        assert_eq!(clerk.get(&total(1)).await.data()["total"], 7);
        let late = clerk.post(&frame, json!({ "state": 3, "reason": "x", "until": "2020-01-01T00:00:00Z" })).await;
        assert_eq!(late.errors(), ["until time.notAfterNow"]);
        assert_eq!(clerk.post(&frame, json!({ "state": 3 })).await.errors(), ["reason required"]);
    }

    async fn prometheus_hears_of_the_rooms_that_there_are(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let made = clerk.post(ROOMS, json!({ "name": "机房 \"B\\1\"", "city": "杭州" })).await.data();
        let metrics = async || String::from_utf8(app.metrics().await.bytes).unwrap();
        let told = metrics().await;
        let line = r#"skyrack_cards{room="机房 \"B\\1\"",run_status="idle"} 0"#;
        assert!(told.contains(line) && told.contains("# TYPE skyrack_room_agents gauge"), "{told}");
        clerk.delete(&format!("{ROOMS}/{}", made["id"]), json!({})).await.data();
        assert!(!metrics().await.contains("机房"), "a room that is gone leaves nothing behind");
    }
}
