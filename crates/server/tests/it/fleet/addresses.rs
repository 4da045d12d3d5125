//! Address plans and BMC mappings.

use fleet::sighted;
use sea_orm::{ConnectionTrait as _, EntityTrait as _};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::site::{CARDS, PLANS, fill, kind, site};

use super::files::send as import;
use super::findings::{FINDINGS, sighting};
use super::state::agent;

const BMCS: &str = "/api/fleet/v1/bmcs";

fn plan(room: i64, name: &str, inside: Value, outside: Value) -> Value {
    json!({ "roomId": room, "name": name, "intranet": inside, "extranet": outside })
}

db_test! {
    async fn a_plan_expands_to_pairs_of_equal_number(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let inside = json!({ "startIp": "10.1.5.1", "endIp": "10.1.5.200", "startPort": 5555 });
        let body = plan(here.room, "二期", inside, json!({ "startIp": "203.0.113.9", "startPort": 30001, "endPort": 30200 }));
        let shown = clerk.post(&format!("{PLANS}/preview"), body).await.data();
        assert_eq!((&shown["span"], &shown["overlaps"]), (&json!(200), &Value::Null));
        assert_eq!(shown["last"][49], json!({ "at": 199, "intranetIp": "10.1.5.200", "adbPort": 5555,
            "extranetIp": "203.0.113.9", "extranetPort": 30200 }));

        for (inside, outside, error) in [
            (json!({ "startIp": "10.1.6.9", "endIp": "10.1.6.1", "startPort": 5555 }), json!({ "startIp": "203.0.113.9", "startPort": 1 }),
                "intranet.endIp ip.endNotGreater"),
            (json!({ "startIp": "10.1.6.1", "endIp": "10.1.6.9", "startPort": 5555, "endPort": 5557 }), json!({ "startIp": "203.0.113.9", "startPort": 1 }),
                "intranet.endPort span.unequal"),
            (json!({ "startIp": "10.1.6.1", "endIp": "10.1.6.9", "startPort": 5555 }), json!({ "startIp": "203.0.113.9", "startPort": 10, "endPort": 9 }),
                "extranet.endPort port.endBeforeStart"),
            (json!({ "startIp": "10.1.6.1", "endIp": "10.1.6.9", "startPort": 5555 }), json!({ "startIp": "203.0.113.9", "startPort": 1, "endPort": 8 }),
                "extranet plan.unequal"),
            (json!({ "startIp": "0.0.0.0", "endIp": "255.255.255.255", "startPort": 1 }), json!({ "startIp": "203.0.113.9", "startPort": 1 }),
                "intranet.endIp ip.spanTooLarge"),
            (json!({ "startIp": "::1", "startPort": 1 }), json!({ "startIp": "203.0.113.9", "startPort": 1 }), "intranet type.wrong"),
            (json!({ "startIp": "10.1.0.8", "endIp": "10.1.0.9", "startPort": 5555 }), json!({ "startIp": "203.0.113.9", "startPort": 1, "endPort": 2 }),
                "intranet range.overlaps"),
            (json!({ "startIp": "10.1.6.1", "endIp": "10.1.6.2", "startPort": 5555 }), json!({ "startIp": "203.0.113.1", "startPort": 20008, "endPort": 20009 }),
                "extranet range.overlaps"),
        ] {
            let answer = clerk.post(PLANS, plan(here.room, "坏", inside.clone(), outside)).await;
            assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec![error.to_owned()]), "{inside}");
        }
        let twin = plan(here.room, "卡网段", json!({ "startIp": "10.1.6.1", "startPort": 5555 }), json!({ "startIp": "203.0.113.9", "startPort": 1 }));
        let twin = clerk.post(PLANS, twin).await;
        assert_eq!((twin.brief(), twin.errors()), ((409, 4009), vec!["name taken".to_owned()]));
        let found = clerk.get(&format!("{PLANS}?keyWord=10.1.0.7")).await.data();
        assert_eq!((&found["total"], &found["list"][0]["id"]), (&json!(1), &json!(here.plan)));
    }

    async fn cards_are_written_down_where_they_may_be_connected_to(db) {
        let app = TestApp::with(db, |config| config.allow_outbound.clear()).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let url = format!("{PLANS}/{}", here.plan);
        for (start, end) in [
            ("127.0.0.1", "127.0.0.1"),
            ("169.254.0.1", "169.254.0.1"),
            ("224.0.0.1", "224.0.0.1"),
            ("126.255.255.250", "127.0.0.5"),
            ("168.63.129.10", "168.63.129.20"),
        ] {
            let (first, last) = (start.parse::<std::net::Ipv4Addr>().unwrap(), end.parse::<std::net::Ipv4Addr>().unwrap());
            let count = u32::from(last) - u32::from(first);
            let end = (count > 0).then_some(end);
            let inside = json!({ "startIp": start, "endIp": end, "startPort": 5555 });
            let last = (count > 0).then_some(30001 + count);
            let outside = json!({ "startIp": "203.0.113.200", "startPort": 30001, "endPort": last });
            let body = plan(here.room, "坏", inside, outside);
            for answer in [clerk.post(PLANS, body.clone()).await, clerk.put(&url, body).await] {
                assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec!["intranet address.refused".to_owned()]), "{start}");
            }
            let card = kind(json!({ "roomId": here.room, "intranetIp": start }));
            let answer = clerk.post(CARDS, card).await;
            let is_refused = answer.errors() == ["intranetIp address.refused"];
            assert_eq!(is_refused, !["126.255.255.250", "168.63.129.10"].contains(&start), "{start}");
        }
        let made = clerk.post(CARDS, kind(json!({ "roomId": here.room, "intranetIp": "10.1.0.1" }))).await.data();
        let moved = kind(json!({ "roomId": here.room, "intranetIp": "127.0.0.1" }));
        let refused = ((400, 4000), vec!["intranetIp address.refused".to_owned()]);
        let answer = clerk.put(&format!("{CARDS}/{}", made["id"]), moved).await;
        assert_eq!((answer.brief(), answer.errors()), refused);
        let moved = json!({ "roomId": here.room, "intranetIp": "169.254.169.254" });
        let answer = clerk.post(&format!("{CARDS}/{}/move", made["id"]), moved).await;
        assert_eq!((answer.brief(), answer.errors()), refused);

        // A file says it of its rows, whether they make a card or change one.
        let file = "序列号,机房,内网 IP,ADB 端口,厂商,型号,板卡型号,ID\n\
            SN-1,机房 1,127.0.0.1,5555,瑞芯,R,B,\n\
            SN-2,机房 1,10.1.4.1,5555,瑞芯,R,B,\n";
        let file = format!("{file},机房 1,224.0.0.1,5555,瑞芯,R,B,{}\n", made["id"]);
        let preview = import(&clerk, &file).await.data();
        let bad: Vec<String> = preview["bad"].as_array().unwrap().iter()
            .map(|bad| format!("{} {} {}", bad["row"], bad["field"].as_str().unwrap(), bad["message"].as_str().unwrap())).collect();
        let words = "不能使用本机、链路本地、组播或保留地址";
        assert_eq!(bad, [format!("2 intranetIp {words}"), format!("4 intranetIp {words}")], "{preview}");
        assert_eq!((&preview["newRows"], &preview["changedRows"]), (&json!(1), &json!(0)), "{preview}");

        // An agent may say anything of where it found a card: a new one, and one that has moved.
        let session = agent(&app, &clerk, &here).await;
        clerk.put(&format!("{CARDS}/{}", made["id"]),
            kind(json!({ "roomId": here.room, "intranetIp": "10.1.0.1", "serial": "SN-OLD" }))).await.data();
        let seen = [sighting("SN-NEW", "169.254.169.254", "R"), sighting("SN-OLD", "127.0.0.1", "RK3399-Card")];
        sighted(&app.app, &session, &seen, false).await.unwrap();
        let found = clerk.get(FINDINGS).await.data()["list"].clone();
        assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
        for finding in found.as_array().unwrap() {
            let answer = clerk.post(&format!("{FINDINGS}/{}/fix", finding["id"]), json!({})).await;
            assert_eq!((answer.brief(), answer.errors()), refused, "{finding}");
        }
        let kept = clerk.get(&format!("{CARDS}/{}", made["id"])).await.data();
        assert_eq!(kept["intranetIp"], "10.1.0.1");
    }

    async fn the_database_itself_refuses_ranges_that_overlap(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let tx = app.app.db.begin_write().await.unwrap();
        let sql = format!("INSERT INTO address_plan (room_id, name, span, start_ip, end_ip, start_port, end_port, extranet_start_ip, \
            extranet_end_ip, extranet_start_port, extranet_end_port, remark, created_at, updated_at) \
            SELECT room_id, 'b', span, start_ip, end_ip, start_port, end_port, extranet_start_ip + 99, extranet_end_ip + 99, \
            extranet_start_port, extranet_end_port, '', 0, 0 FROM address_plan WHERE id = {}", here.plan);
        let error = tx.execute_unprepared(&sql).await.unwrap_err().to_string();
        assert!(error.contains("ranges overlap"), "{error}");
    }

    async fn a_bmc_keeps_its_password_to_itself_and_knows_its_cards(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let body = json!({ "roomId": here.room, "hostId": here.hosts[0], "address": "10.1.8.1", "username": "root", "password": "Sup3r-secret",
            "ranges": [{ "startSlot": 1, "endSlot": 4, "startIp": "10.1.0.1", "endIp": "10.1.0.4" }] });
        let answer = clerk.post(BMCS, body.clone()).await;
        assert!(!String::from_utf8_lossy(&answer.bytes).contains("Sup3r"));
        let made = answer.data();
        assert_eq!((&made["password"]["set"], &made["port"]), (&json!(true), &json!(443)));

        let card = entity::card::Entity::find_by_id(entity::CardId(cards[2])).one(app.app.db.read()).await.unwrap().unwrap();
        let (bmc, slot) = fleet::bmc_of_card(app.app.db.read(), &card).await.unwrap().unwrap();
        assert_eq!((bmc.id.0, slot), (made["id"].as_i64().unwrap(), 3));
        let secret = fleet::bmc_password(&app.app, bmc.id).await.unwrap();
        assert!(secret.is_some());

        for (change, error) in [
            (json!({ "ranges": [{ "startSlot": 1, "endSlot": 3, "startIp": "10.1.0.5", "endIp": "10.1.0.8" }] }), "ranges[0].endIp slots.unequal"),
            (json!({ "ranges": [{ "startSlot": 1, "endSlot": 2, "startIp": "10.1.0.4", "endIp": "10.1.0.5" }] }), "ranges[0].startIp range.overlaps"),
            (json!({ "address": "10.1.8.1", "ranges": [] }), "address taken"),
            (json!({ "hostId": 999, "ranges": [] }), "hostId reference.unknown"),
        ] {
            let mut body = body.clone();
            body["address"] = "10.1.8.2".into();
            for (field, value) in change.as_object().unwrap() {
                body[field] = value.clone();
            }
            let answer = clerk.post(BMCS, body).await;
            let brief = if error.ends_with(" taken") { (409, 4009) } else { (400, 4000) };
            assert_eq!((answer.brief(), answer.errors()), (brief, vec![error.to_owned()]));
        }
        let url = format!("{BMCS}/{}", made["id"]);
        let mut body = body;
        body.as_object_mut().unwrap().remove("password");
        let kept = clerk.put(&url, body.clone()).await.data();
        assert_eq!(kept["password"]["set"], true);
        body["password"] = "".into();
        assert_eq!(clerk.put(&url, body).await.data()["password"]["set"], false);
        clerk.delete(&url, json!({})).await.data();
        assert_eq!(clerk.get(BMCS).await.data()["total"], 0);
    }
}
