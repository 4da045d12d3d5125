//! Storage nodes: made, looked at by agents, tested, drained, deleted; and what becomes of them when a disk is not mounted,
//! two agents see different folders, or an agent lies.

use std::fs;
use std::path::Path;

use entity::{RoomAgentId, store_node, store_node_agent};
use fleet::Fleet;
use sea_orm::{ConnectionTrait as _, EntityTrait as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::phone::phone;
use testroom::room::{console, dial, hear, hello, joined, run_agent, say, until};
use testroom::site::ROOMS;

const NODES: &str = "/api/storage/v1/nodes";
const MARKER: &str = "skyrack-node.json";

fn input(place: &str, agents: &[i64]) -> Value {
    json!({ "name": "杭州-存储-01", "city": "杭州", "place": place, "agents": agents, "capacity": 2, "unit": "gb",
        "partitions": 2, "latitude": 30.2741, "longitude": 120.1551 })
}

/// A change of the node at this address, as it is now.
async fn of(clerk: &Caller<'_>, one: &str, mut input: Value) -> Value {
    input["version"] = clerk.get(one).await.data()["version"].clone();
    input
}

async fn room(clerk: &Caller<'_>) -> i64 {
    clerk.post(ROOMS, json!({ "name": "机房", "city": "杭州" })).await.data()["id"].as_i64().unwrap()
}

async fn run(app: &TestApp, text: &str) {
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(text).await.unwrap();
    tx.commit().await.unwrap();
}

async fn connected(app: &TestApp, agent: i64) {
    let is_there = || async { app.app.part::<Fleet>().connected_since(RoomAgentId(agent)).is_some() };
    until("the agent is there", is_there).await;
}

/// State, trouble, and what each agent says: code, step and partition.
fn seen(node: &Value) -> (i64, String, Vec<(String, Value, Value)>) {
    let of =
        |agent: &Value| (agent["code"].as_str().unwrap().to_owned(), agent["step"].clone(), agent["partition"].clone());
    let agents = node["agents"].as_array().unwrap().iter().map(of).collect();
    (node["state"].as_i64().unwrap(), node["trouble"].as_str().unwrap().to_owned(), agents)
}

fn fine() -> (String, Value, Value) {
    (String::new(), Value::Null, Value::Null)
}

db_test! {
    async fn a_node_is_made_tested_measured_and_taken_out_of_use(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let identity = joined(&app, &clerk, &console, room(&clerk).await).await;
        let (agent, folder) = (identity.agent, tempfile::tempdir().unwrap());
        let made = clerk.post(NODES, input("copies", &[agent])).await.data();
        let one = format!("{NODES}/{}", made["id"]);
        let test = format!("{one}/test");
        assert_eq!((seen(&made).0, &made["capacityBytes"], &made["checkedAt"]), (4, &json!(2_i64 << 30), &Value::Null));
        assert!(made.get("mark").is_none(), "who knows it can pass a folder off as the node");

        phones::node_round(&app.app).await.unwrap();
        let away = clerk.get(&one).await.data();
        assert_eq!(seen(&away), (4, "机房代理失联或已吊销".to_owned(), vec![("agent_gone".to_owned(), Value::Null, Value::Null)]));

        let _agent = run_agent(identity, folder.path()).await;
        connected(&app, agent).await;
        phones::node_returned(&app.app).await.unwrap();
        let place = folder.path().join("stores/copies");
        assert!(place.join(MARKER).exists() && place.join("p01").join(MARKER).exists());
        let node = clerk.get(&one).await.data();
        assert_eq!((seen(&node), &node["made"]), ((1, String::new(), vec![fine()]), &json!(2)));
        assert!(node["usedBytes"].as_i64() < Some(1000) && node["freeBytes"].as_i64() > Some(0) && !node["measuredAt"].is_null());

        let tested = clerk.post(&test, json!({})).await.data();
        assert_eq!(seen(&tested), (1, String::new(), vec![fine()]));
        assert!(!tested["agents"][0]["checkedAt"].is_null() && tested["agents"][0]["connected"] == true);

        // An hour later something lies there, and it is nearly full.
        fs::File::create(place.join("p00/pack")).unwrap().set_len((2 << 30) / 10 * 9).unwrap();
        run(&app, "UPDATE store_node SET measured_at = measured_at - 3600000").await;
        phones::node_round(&app.app).await.unwrap();
        let node = clerk.get(&one).await.data();
        let used = node["usedBytes"].as_i64().unwrap();
        assert!(used > (2 << 30) / 10 * 9, "{used}");
        let usage = clerk.get(&format!("{one}/usage")).await.data();
        assert_eq!(usage.as_array().unwrap().last().unwrap()["usedBytes"], used);
        let told = clerk.get("/api/general/v1/attention").await.data().to_string();
        assert!(told.contains("杭州-存储-01 · 已用 90%"), "{told}");

        assert_eq!(clerk.post(&format!("{one}/resume"), json!({})).await.brief(), (409, 4009), "it is not drained");
        assert_eq!(clerk.post(&format!("{one}/retire"), json!({})).await.brief(), (409, 4009), "nor may it be retired");
        assert_eq!(clerk.post(&format!("{one}/drain"), json!({})).await.data()["state"], 2);
        phones::node_round(&app.app).await.unwrap();
        assert_eq!(clerk.get(&one).await.data()["state"], 2, "a look leaves it");
        assert_eq!(clerk.post(&format!("{one}/resume"), json!({})).await.data()["state"], 1);
        clerk.post(&format!("{one}/drain"), json!({})).await.data();
        assert_eq!(clerk.post(&format!("{one}/retire"), json!({})).await.data()["state"], 3);
        assert_eq!(clerk.post(&test, json!({})).await.brief(), (409, 4009));
        assert_eq!(clerk.put(&one, input("copies", &[agent])).await.brief(), (409, 4009));
        clerk.delete(&one, json!({})).await.data();
        assert_eq!(clerk.get(&one).await.brief(), (404, 4004));
        assert!(place.join("p00/pack").exists(), "what lies there is left as it is");
    }

    async fn a_disk_that_is_not_mounted_is_not_the_node(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let home = room(&clerk).await;
        let identity = joined(&app, &clerk, &console, home).await;
        let (agent, folder) = (identity.agent, tempfile::tempdir().unwrap());
        let _agent = run_agent(identity, folder.path()).await;
        connected(&app, agent).await;
        let made = clerk.post(NODES, input("copies", &[agent])).await.data();
        let one = format!("{NODES}/{}", made["id"]);
        let test = format!("{one}/test");
        phones::node_round(&app.app).await.unwrap();

        let (place, aside) = (folder.path().join("stores/copies"), folder.path().join("aside"));
        fs::rename(&place, &aside).unwrap();
        fs::create_dir(&place).unwrap();
        phones::node_round(&app.app).await.unwrap();
        let (state, trouble, agents) = seen(&clerk.get(&one).await.data());
        assert_eq!((state, &agents[0]), (4, &("wrong_store".to_owned(), json!(4), Value::Null)));
        assert!(trouble.starts_with("核对标记：该位置不是登记的存储节点"), "{trouble}");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "nothing is written below a mount");
        let told = clerk.get("/api/general/v1/attention").await.data().to_string();
        assert!(told.contains("杭州-存储-01 · 该位置不是登记的存储节点"), "{told}");
        assert_eq!(clerk.get(&format!("{NODES}?state=4")).await.data()["total"], 1);

        // What a read of the disk says is told as it is.
        fs::remove_dir(&place).unwrap();
        let tested = clerk.post(&test, json!({})).await.data();
        assert_eq!(seen(&tested).2[0], ("store_unreachable".to_owned(), json!(1), Value::Null));
        assert!(tested["agents"][0]["detail"].as_str().unwrap().contains("No such file"), "{tested}");
        fs::rename(&aside, &place).unwrap();
        assert_eq!(seen(&clerk.post(&test, json!({})).await.data()), (1, String::new(), vec![fine()]));

        // Another place is a new one, as long as nothing lies there; with copies it has to be moved with them.
        let moved = clerk.put(&one, of(&clerk, &one, input("others", &[agent])).await).await.data();
        assert_eq!(moved["made"], 0);
        assert_eq!(seen(&clerk.post(&test, json!({})).await.data()).0, 1);
        assert!(folder.path().join("stores/others").join(MARKER).exists());
        phone(&app, &clerk, home).await;
        let text = "INSERT INTO repo (phone_id, node_id, folder, created_at) SELECT phone.id, store_node.id, 'p', 0 \
                    FROM phone, store_node";
        run(&app, text).await;
        let moved = clerk.put(&one, of(&clerk, &one, input("third", &[agent])).await).await.data();
        assert_eq!(moved["made"], 2);
        let tested = clerk.post(&test, json!({})).await.data();
        assert_eq!(seen(&tested).2[0].0, "store_unreachable", "it is not made anew: {tested}");
        assert!(!folder.path().join("stores/third").exists());
        assert_eq!(clerk.delete(&one, json!({})).await.brief(), (409, 4009), "copies lie there");
        clerk.post(&format!("{one}/drain"), json!({})).await.data();
        assert_eq!(clerk.post(&format!("{one}/retire"), json!({})).await.brief(), (409, 4009));
    }

    async fn agents_that_see_different_folders_are_told_apart(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let place = room(&clerk).await;
        let (first, second) = (joined(&app, &clerk, &console, place).await, joined(&app, &clerk, &console, place).await);
        let agents = [first.agent, second.agent];
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let _first = run_agent(first, here.path()).await;
        let _second = run_agent(second, there.path()).await;
        for agent in agents {
            connected(&app, agent).await;
        }
        let made = clerk.post(NODES, input("copies", &agents)).await.data();
        let one = format!("{NODES}/{}", made["id"]);
        let test = format!("{one}/test");
        let (state, trouble, found) = seen(&clerk.post(&test, json!({})).await.data());
        assert_eq!((state, &found[0]), (1, &fine()), "one of them reaches it");
        assert_eq!(found[1].0, "store_unreachable", "it made no second node: {trouble}");
        assert!(!trouble.is_empty() && !there.path().join("stores").exists());

        // Now both see it, as with a disk of the network.
        fs::create_dir_all(there.path().join("stores")).unwrap();
        std::os::unix::fs::symlink(here.path().join("stores/copies"), there.path().join("stores/copies")).unwrap();
        let (_, _, found) = seen(&clerk.post(&test, json!({})).await.data());
        assert_eq!(found[1].0, "store_place_refused", "a link leads where that agent allows no node");
        fs::remove_file(there.path().join("stores/copies")).unwrap();
        copy(&here.path().join("stores/copies"), &there.path().join("stores/copies"));
        let node = clerk.post(&test, json!({})).await.data();
        assert_eq!(seen(&node), (1, String::new(), vec![fine(), fine()]));
    }

    async fn what_an_agent_says_is_not_believed_blindly(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let identity = joined(&app, &clerk, &console, room(&clerk).await).await;
        let made = clerk.post(NODES, input("copies", &[identity.agent])).await.data();
        let one = format!("{NODES}/{}", made["id"]);
        let test = format!("{one}/test");

        // An older one is not asked, and stays.
        let mut old = dial(&console, &identity.credential).await.unwrap();
        say(&mut old, &hello(2)).await;
        hear(&mut old, "welcome").await;
        let tested = clerk.post(&test, json!({})).await.data();
        assert_eq!(seen(&tested).2[0].0, "agent_too_old");

        let mut liar = dial(&console, &identity.credential).await.unwrap();
        say(&mut liar, &hello(wire::PROTOCOL)).await;
        hear(&mut liar, "welcome").await;
        connected(&app, identity.agent).await;
        let answer = async |liar: &mut _, seen: Value| {
            let (tested, ()) = tokio::join!(clerk.post(&test, json!({})), async {
                let asked = hear(liar, "storeLook").await;
                assert_eq!((&asked["aim"], &asked["node"]["at"]), (&json!("test"), &json!({ "driver": "folder", "path": "copies" })));
                say(liar, &json!({ "type": "storeSeen", "stream": asked["stream"], "seen": seen })).await;
            });
            tested
        };
        let lie = json!({ "made": 60_000, "free": u64::MAX, "used": u64::MAX, "millis": u64::MAX, "trouble": null });
        let node = answer(&mut liar, lie).await.data();
        assert_eq!((&node["made"], &node["freeBytes"], &node["usedBytes"]), (&json!(2), &json!(i64::MAX), &json!(i64::MAX)));
        assert_eq!((&node["limitBytes"], &node["daysToFull"]), (&json!(2_i64 << 30), &json!(0)));
        let lie = json!({ "made": 0, "millis": 1, "trouble": { "step": "levitate", "code": "x".repeat(900), "partition": 65_535,
            "reason": format!("\u{0}\u{1b}[31m{}", "长".repeat(9_000)) } });
        let node = answer(&mut liar, lie).await.data();
        let (state, trouble, found) = seen(&node);
        assert_eq!((state, found[0].0.len(), &found[0].1, &found[0].2), (4, 64, &json!(10), &Value::Null), "{trouble}");
        assert_eq!(node["agents"][0]["detail"].as_str().unwrap().chars().count(), 200);

        // The node is changed while it is asked; the answer is about another one.
        let (tested, ()) = tokio::join!(clerk.post(&test, json!({})), async {
            let asked = hear(&mut liar, "storeLook").await;
            clerk.put(&one, of(&clerk, &one, input("elsewhere", &[identity.agent])).await).await.data();
            say(&mut liar, &json!({ "type": "storeSeen", "stream": asked["stream"], "seen": { "made": 2, "millis": 1 } })).await;
        });
        assert_eq!(tested.status(), 4009);
        assert_eq!(clerk.get(&one).await.data()["made"], 0);
        // And while it is deleted.
        let (tested, ()) = tokio::join!(clerk.post(&test, json!({})), async {
            let asked = hear(&mut liar, "storeLook").await;
            clerk.delete(&one, json!({})).await.data();
            say(&mut liar, &json!({ "type": "storeSeen", "stream": asked["stream"], "seen": { "made": 2, "millis": 1 } })).await;
        });
        assert_eq!(tested.status(), 4004);
        assert!(store_node::Entity::find().one(app.app.db.read()).await.unwrap().is_none());
        assert!(store_node_agent::Entity::find().one(app.app.db.read()).await.unwrap().is_none());
    }

    async fn of_two_who_change_the_same_node_the_second_is_told(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let identity = joined(&app, &clerk, &console, room(&clerk).await).await;
        let made = clerk.post(NODES, input("copies", &[identity.agent])).await.data();
        let one = format!("{NODES}/{}", made["id"]);
        assert_eq!(made["version"], 1);
        let change = |version: Value, city: &str| {
            let mut body = input("copies", &[identity.agent]);
            body["version"] = version;
            body["city"] = json!(city);
            body
        };
        let changed = clerk.put(&one, change(json!(1), "上海")).await.data();
        assert_eq!((&changed["version"], &changed["city"]), (&json!(2), &json!("上海")));
        let late = clerk.put(&one, change(json!(1), "北京")).await;
        assert_eq!(late.brief(), (409, 4009));
        assert!(late.json()["msg"].as_str().unwrap().contains("他人修改"), "{late:?}");
        assert_eq!(clerk.put(&one, change(Value::Null, "北京")).await.errors(), ["version required"]);
        let now = clerk.get(&one).await.data();
        assert_eq!((&now["version"], &now["city"]), (&json!(2), &json!("上海")), "the first one's stays");
        // What agents find, and what is done with it, is nobody's change of it.
        phones::node_round(&app.app).await.unwrap();
        clerk.post(&format!("{one}/drain"), json!({})).await.data();
        assert_eq!(clerk.put(&one, change(json!(2), "北京")).await.data()["version"], 3);
    }

    async fn what_is_no_node_is_refused_field_by_field(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let place = room(&clerk).await;
        let (kept, gone) = (joined(&app, &clerk, &console, place).await, joined(&app, &clerk, &console, place).await);
        clerk.post(&format!("/api/fleet/v1/agents/{}/revoke", gone.agent), json!({})).await.data();
        clerk.post(NODES, input("copies", &[kept.agent, kept.agent])).await.data();
        let mut good = input("copies", &[kept.agent]);
        good["name"] = json!("杭州-存储-02");
        let wrong = [
            ("name", json!("杭州-存储-01"), "name taken"),
            ("name", json!(""), "name required"),
            ("city", json!(" 杭州"), "city text.leadingSpace"),
            ("place", json!("../copies"), "place path.node"),
            ("place", json!("/"), "place path.node"),
            ("place", json!("a/./../b"), "place path.node"),
            ("place", json!("."), "place path.node"),
            ("place", json!(""), "place required"),
            ("place", json!("x".repeat(257)), "place text.tooLong"),
            ("agents", json!([]), "agents list.empty"),
            ("agents", json!([gone.agent]), "agents reference.unknown"),
            ("agents", json!([kept.agent, 9_999]), "agents reference.unknown"),
            ("agents", json!((1..=17).collect::<Vec<_>>()), "agents list.tooMany"),
            ("capacity", json!(0), "capacity integer.range"),
            ("capacity", json!(100_000), "capacity integer.range"),
            ("partitions", json!(101), "partitions integer.range"),
            ("latitude", json!(90.5), "latitude number.range"),
            ("longitude", Value::Null, "longitude required"),
            ("cycle", json!(31), "cycle integer.range"),
        ];
        for (field, value, said) in wrong {
            let mut bad = good.clone();
            bad[field] = value;
            let answer = clerk.post(NODES, bad).await;
            assert_eq!(answer.errors(), [said], "{field}: {answer:?}");
        }
        for bad in [json!({}), json!({ "mark": "x" }), json!([]), json!(null)] {
            assert_eq!(clerk.post(NODES, bad).await.status(), 4000);
        }
        good["capacity"] = json!(99_999);
        good["unit"] = json!("tb");
        good["snapshots"] = json!(true);
        good["strategy"] = json!(3);
        good["cycle"] = json!(14);
        let made = clerk.post(NODES, good).await.data();
        assert_eq!(made["capacityBytes"], 99_999_i64 << 40);
        assert_eq!((&made["snapshots"], &made["strategy"], &made["cycle"]), (&json!(true), &json!(3), &json!(14)));
        for (filter, count) in [("snapshots=true", 1), ("snapshots=false", 1), ("strategy=3", 1), ("strategy=2", 1), ("strategy=4", 0)] {
            assert_eq!(clerk.get(&format!("{NODES}?{filter}")).await.data()["total"], count, "{filter}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to)
        } else {
            _ = fs::copy(entry.path(), to).unwrap()
        }
    }
}
