//! The list of phones, and single ones.

use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;

use super::{DAY, PHONES, USERS, check_counters, id, make, put_on, world};

fn codes(page: &Value) -> Vec<&str> {
    page["list"].as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap()).collect()
}

db_test! {
    async fn new_phones_get_codes_and_are_counted_at_their_user(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let expires = app.app.clock.now().plus_seconds(30 * DAY);
        let body = json!({ "userId": user, "plan": 3, "roomId": room, "name": "主力机", "diskGb": 64, "expiresAt": expires });
        let made = clerk.post(PHONES, body.clone()).await.data();
        assert_eq!((&made["created"], &made["firstCode"]), (&json!(1), &json!("CP-0000001")));
        let shown = clerk.get(&format!("{PHONES}/{}", made["firstId"])).await.data();
        assert_eq!(
            (&shown["user"]["name"], &shown["userPhone"], &shown["board"], &shown["room"]["name"], &shown["life"], &shown["useType"], &shown["source"]),
            (&json!("张三丰"), &json!("13800000001"), &json!("MTK_G90"), &json!("杭州机房"), &json!(2), &json!(2), &json!(5))
        );
        let mut many = body.clone();
        many["count"] = 1500.into();
        let made = clerk.post(PHONES, many).await.data();
        assert_eq!((&made["created"], &made["firstCode"], &made["lastCode"]), (&json!(1500), &json!("CP-0000002"), &json!("CP-0001501")));
        let user = clerk.get(&format!("/api/user/v1/designjet/client_info?id={user}")).await.data();
        assert_eq!(user["phoneCount"], 1501);
        check_counters(&app).await;

        for (field, value, code) in [
            ("count", json!(5001), "count integer.range"),
            ("diskGb", json!(0), "diskGb integer.range"),
            ("name", json!("a b"), "name name.characters"),
            ("userId", json!(99), "userId reference.unknown"),
            ("roomId", json!(99), "roomId reference.unknown"),
            ("expiresAt", json!(app.app.clock.now()), "expiresAt time.notFuture"),
        ] {
            let mut bad = body.clone();
            bad[field] = value;
            let found = clerk.post(PHONES, bad).await.errors();
            assert!(found.len() == 1 && found[0].split(' ').next() == code.split(' ').next(), "{field}: {found:?}");
        }
    }

    async fn a_phone_is_found_by_itself_its_user_and_its_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 2).await;
        let other = id(&clerk.post(USERS, json!({ "name": "李小龙", "phone": "13900000002" })).await.data());
        make(&clerk, &app, (room, other), 5, 1).await;
        put_on(&app, &clerk, room, ids[1], "10.9.0.7").await;
        clerk.put(&format!("{PHONES}/{}", ids[0]), json!({ "name": "直播间", "roomId": room, "diskGb": 32 })).await.data();

        for (question, found) in [
            ("keyWord=CP-0000003", vec!["CP-0000003"]),
            ("keyWord=直播", vec!["CP-0000001"]),
            ("keyWord=三丰", vec!["CP-0000002", "CP-0000001"]),
            ("keyWord=13900000002", vec!["CP-0000003"]),
            ("keyWord=10.9.0", vec!["CP-0000002"]),
            ("keyWord=王五", vec![]),
            ("useType=1", vec!["CP-0000002"]),
            ("useType=2&sort=expiresAt&order=asc", vec!["CP-0000003", "CP-0000001"]),
            ("isBlank=true", vec!["CP-0000003", "CP-0000001"]),
            ("isBlank=false", vec!["CP-0000002"]),
            ("board=RK_3399&plan=2", vec!["CP-0000003", "CP-0000002", "CP-0000001"]),
            ("board=STARPRO", vec![]),
            ("image=A11-3.8.2", vec!["CP-0000002"]),
            ("image=A11-3.8.2&useType=2", vec![]),
            ("image=A11-3.8", vec![]),
            ("expiresSoon=true", vec!["CP-0000003"]),
            ("noBackup=true", vec!["CP-0000002"]),
            ("noBackup=false", vec!["CP-0000003", "CP-0000001"]),
        ] {
            let page = clerk.get(&format!("{PHONES}?{question}")).await.data();
            assert_eq!((codes(&page), &page["total"]), (found.clone(), &json!(found.len())), "{question}");
        }
        let long = format!("{PHONES}?image={}", "A".repeat(65));
        assert_eq!(clerk.get(&long).await.errors(), ["image text.tooLong"]);
        let page = clerk.get(&format!("{PHONES}?userId={user}")).await.data();
        assert_eq!(codes(&page), ["CP-0000002", "CP-0000001"]);
        assert_eq!((&page["list"][0]["card"]["name"], &page["list"][1]["card"]), (&json!("10.9.0.7"), &Value::Null));
        let counts = clerk.get(&format!("{PHONES}/counts")).await.data();
        assert_eq!(counts, json!({ "all": 3, "on": 1, "off": 2, "frozen": 0, "expired": 0, "expiresSoon": 1, "held": 0 }));
        let hits = clerk.get("/api/general/v1/search?q=CP-0000002").await;
        assert!(hits.json().to_string().contains(&format!("/cloudPhone/list/{}", ids[1])), "{}", hits.json());
        check_counters(&app).await;
    }

    async fn phones_that_come_on_cards_of_their_own_are_found_and_counted(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 2).await;
        let expires = app.app.clock.now().plus_seconds(30 * DAY);
        let new = json!({ "userId": user, "plan": 2, "roomId": room, "diskGb": 32, "expiresAt": expires, "pool": 2 });
        let own = clerk.post(PHONES, new).await.data()["firstId"].as_i64().unwrap();
        put_on(&app, &clerk, room, ids[0], "10.9.0.7").await;
        let found = async |query: &str| {
            let page = clerk.get(&format!("{PHONES}?{query}")).await.data();
            assert_eq!(page["total"], page["list"].as_array().unwrap().len(), "{query}");
            codes(&page).join(" ")
        };
        assert_eq!(found("pool=2").await, "CP-0000003");
        assert_eq!(found("pool=1&sort=expiresAt&order=asc").await, "CP-0000001 CP-0000002");
        assert_eq!(found("pool=1&useType=1").await, "CP-0000001");
        assert_eq!(found("pool=2&keyWord=CP-0000003").await, "CP-0000003");
        check_counters(&app).await;
        // Whoever does not speak of it leaves it as it is.
        let change = async |phone: i64, pool: Value| {
            let mut body = json!({ "name": "", "roomId": room, "diskGb": 32 });
            if !pool.is_null() {
                body["pool"] = pool;
            }
            clerk.put(&format!("{PHONES}/{phone}"), body).await
        };
        assert_eq!(change(own, Value::Null).await.data()["pool"], 2);
        assert_eq!(change(own, json!(1)).await.data()["pool"], 1);
        let seen = change(ids[0], json!(2)).await.data();
        assert_eq!((&seen["pool"], &seen["isGuaranteed"]), (&json!(2), &json!(false)), "its card is shared");
        assert_eq!(found("pool=2").await, "CP-0000001");
        check_counters(&app).await;
        assert_eq!(change(own, json!(3)).await.errors(), ["pool type.wrong"]);
    }

    async fn a_disk_that_is_nearly_full_or_over_is_told_and_found(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 4).await;
        let told = async || clerk.get("/api/general/v1/attention").await.data().to_string();
        assert!(!told().await.contains("phonesDisk"));
        const GB: i64 = 1 << 30;
        for (phone, used) in ids.iter().zip([32 * GB / 10 * 9 - 1, 32 * GB / 10 * 9, 32 * GB, 32 * GB + 1]) {
            let tx = app.app.db.begin_write().await.unwrap();
            tx.execute_unprepared(&format!("UPDATE phone SET used_bytes = {used} WHERE id = {phone}")).await.unwrap();
            tx.commit().await.unwrap();
        }
        for (state, found) in
            [(1, vec!["CP-0000001"]), (2, vec!["CP-0000003", "CP-0000002"]), (3, vec!["CP-0000004"])]
        {
            let page = clerk.get(&format!("{PHONES}?diskState={state}")).await.data();
            assert_eq!((codes(&page), &page["total"]), (found.clone(), &json!(found.len())), "{state}");
            assert!(page["list"].as_array().unwrap().iter().all(|row| row["diskState"] == state), "{page}");
        }
        let all = told().await;
        assert!(all.contains("Phones that hold more than their disks: 1") && all.contains("/cloudPhone/list?diskState=3"), "{all}");
        assert!(all.contains("Phones whose disks are nearly full: 2") && all.contains("/cloudPhone/list?diskState=2"), "{all}");
    }

    async fn a_phone_on_the_machine_stays_in_its_room_and_its_disk_holds_what_is_used(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 2).await;
        put_on(&app, &clerk, room, ids[0], "10.9.0.7").await;
        let other = id(&clerk.post("/api/fleet/v1/rooms", json!({ "name": "成都机房", "city": "成都" })).await.data());
        let change = |phone: i64, room: i64, disk: i64| {
            let body = json!({ "name": "", "roomId": room, "diskGb": disk, "remark": "来电" });
            let clerk = clerk.clone();
            async move { clerk.put(&format!("{PHONES}/{phone}"), body).await }
        };
        assert_eq!(change(ids[0], other, 32).await.errors(), ["roomId phone.onMachine"]);
        assert_eq!(change(ids[0], room, 4).await.errors(), ["diskGb phone.diskUsed"]);
        assert_eq!(change(ids[0], room, 5).await.data()["diskGb"], 5);
        assert_eq!(change(ids[1], other, 16).await.data()["room"]["name"], "成都机房");
        assert_eq!(clerk.delete(&format!("/api/fleet/v1/rooms/{other}"), Value::Null).await.status(), 4009, "a phone has its home there");
        assert_eq!(app.audit_trail().await.iter().filter(|line| line.contains("phone_update 0")).count(), 2);
        check_counters(&app).await;
    }
}
