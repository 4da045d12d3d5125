//! Room agents: joining once, authentication, revocation.

use entity::{RoomId, operation_log, room_agent};
use fleet::{Fleet, JoinRefusal, Refusal, authenticate, enrol, open_session, take, tell_refused};
use sea_orm::{ActiveValue::Set, EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, HERE, TestApp};
use testkit::db_test;
use testroom::site::{ROOMS, site};

const TOKENS: &str = "/api/fleet/v1/join-tokens";
const AGENTS: &str = "/api/fleet/v1/agents";

db_test! {
    async fn a_token_lets_one_agent_join_its_room_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let made = clerk.post(TOKENS, json!({ "roomId": here.room })).await.data();
        let token = made["token"].as_str().unwrap();
        assert!(!clerk.get(TOKENS).await.json().to_string().contains(token));

        let joined = enrol(&app.app, token, "agent-1", "3.2.1", HERE).await.unwrap().unwrap();
        assert_eq!(joined.room.0, here.room);
        assert_eq!(enrol(&app.app, token, "agent-2", "3.2.1", HERE).await.unwrap().unwrap_err(), JoinRefusal::Used);
        assert_eq!(enrol(&app.app, "skyjoin_x", "agent-2", "3.2.1", HERE).await.unwrap().unwrap_err(), JoinRefusal::Unknown);
        assert_eq!(authenticate(&app.app, &joined.credential).await.unwrap().unwrap().id, joined.agent);
        assert_eq!(authenticate(&app.app, token).await.unwrap().unwrap_err(), JoinRefusal::Unknown);

        let late = clerk.post(TOKENS, json!({ "roomId": here.room, "hours": 1 })).await.data();
        let back = clerk.post(TOKENS, json!({ "roomId": here.room })).await.data();
        clerk.post(&format!("{TOKENS}/{}/revoke", back["id"]), json!({})).await.data();
        app.app.clock.advance_seconds(3601);
        for (token, refusal) in [(late, JoinRefusal::Expired), (back, JoinRefusal::Revoked)] {
            let answer = enrol(&app.app, token["token"].as_str().unwrap(), "x", "1", HERE).await.unwrap();
            assert_eq!(answer.unwrap_err(), refusal);
        }
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| line.starts_with("room agent room_agent_enrol 4003")).count(), 4);
    }

    async fn whoever_tries_tokens_is_slowed_down_and_leaves_a_line_not_thousands(db) {
        let app = TestApp::new(db).await;
        let stranger = app.anybody().from("2001:db8::1");
        let ask = json!({ "token": "skyjoin_x", "name": "agent-1", "version": "1" });
        // At the beginning of a minute, which all of it belongs to.
        app.app.clock.advance_seconds(60 - app.app.clock.now().millis() / 1000 % 60);
        let mut heard = Vec::new();
        for n in 0..40 {
            // Other addresses of the same /64 do not help.
            let ip = format!("2001:db8::{}", n + 1);
            heard.push(stranger.clone().from(&ip).post("/agent/v1/enrol", ask.clone()).await.http.as_u16());
        }
        assert_eq!((&heard[..10], &heard[10..]), ([403; 10].as_slice(), [429; 30].as_slice()));
        assert_eq!(app.anybody().from("2001:db8:0:1::1").post("/agent/v1/enrol", ask.clone()).await.http, 403);
        let lines = async || app.audit_trail().await.iter().filter(|line| line.contains("room_agent_enrol")).count();
        assert_eq!(lines().await, 1);
        tell_refused(&app.app).await.unwrap();
        assert_eq!(lines().await, 1, "it is not over yet");
        app.app.clock.advance_seconds(600);
        tell_refused(&app.app).await.unwrap();
        tell_refused(&app.app).await.unwrap();
        assert_eq!(lines().await, 2);
        let last = operation_log::Entity::find().order_by_desc(operation_log::Column::Id).one(app.app.db.read()).await.unwrap();
        assert_eq!(last.unwrap().message, "refused: 10 more within 10 minutes");
        assert_eq!(stranger.post("/agent/v1/enrol", ask).await.http, 403, "another minute");
    }

    async fn an_agents_name_is_a_name(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let made = clerk.post(TOKENS, json!({ "roomId": here.room })).await.data();
        let join = async |name: &str, version: &str| {
            app.anybody().post("/agent/v1/enrol", json!({ "token": made["token"], "name": name, "version": version })).await
        };
        for name in ["a\u{0}b", "a\u{1b}[2J", "a\nb", " ", "\u{202e}a"] {
            let refused = join(name, "1").await;
            assert_eq!((refused.brief(), refused.errors()[0].split_once(' ').unwrap().0), ((400, 4000), "name"), "{name:?}");
        }
        assert_eq!(join("a", "1\u{0}").await.errors(), ["version text.control"]);
        assert_eq!(join("机房 1", "3.2.1").await.http, 200);
    }

    async fn a_room_says_when_it_was_heard_of_last_however_many_agents_it_had(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (here, there) = (site(&clerk, 1).await, site(&clerk, 2).await);
        let now = app.app.clock.now();
        let tx = app.app.db.begin_write().await.unwrap();
        for number in 0..150 {
            // The first of them, which no page of the newest has, was there longest, and alone may come back.
            let left = now.plus_seconds(-number);
            let agent = room_agent::ActiveModel {
                room_id: Set(RoomId(here.room)),
                name: Set(format!("agent {number}")),
                version: Set("3.2.1".to_owned()),
                address: Set("10.0.0.1".to_owned()),
                credential_hash: Set(format!("hash {number}")),
                enrolled_at: Set(now.plus_seconds(-1000)),
                connected_at: Set(Some(now.plus_seconds(-900))),
                disconnected_at: Set(Some(left)),
                revoked_at: Set((number > 0).then_some(now)),
                revoked_by: Set(String::new()),
                ..Default::default()
            };
            room_agent::Entity::insert(agent).exec_without_returning(&*tx).await.unwrap();
        }
        tx.commit().await.unwrap();
        let heard = async |caller: &Caller<'_>, room: i64| {
            let tree = caller.get("/api/fleet/v1/tree").await.data();
            tree.as_array().unwrap().iter().find(|node| node["id"] == room).unwrap()["heard"].clone()
        };
        assert_eq!(heard(&clerk, here.room).await, json!({ "at": now, "usable": 1 }));
        assert_eq!(heard(&clerk, there.room).await, json!({ "at": null, "usable": 0 }));
        let viewer = app.operator("viewer", &["devicePanel:view"]).await;
        assert_eq!(heard(&viewer, here.room).await, Value::Null, "agents are for those who may see them");
        let frames = clerk.get(&format!("/api/fleet/v1/tree?roomId={}", here.room)).await.data();
        assert_eq!(frames[0]["heard"], Value::Null);
    }

    async fn a_revoked_agent_is_cut_off_at_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let made = clerk.post(TOKENS, json!({ "roomId": here.room })).await.data();
        let joined = enrol(&app.app, made["token"].as_str().unwrap(), "agent-1", "3.2.1", HERE).await.unwrap().unwrap();
        let row = authenticate(&app.app, &joined.credential).await.unwrap().unwrap();
        let old = open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap().unwrap();
        let session = open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap().unwrap();
        assert_eq!(take(&app.app, &old, &[]).await.unwrap().unwrap_err(), Refusal::Closed, "a newer connection is there");
        assert!(take(&app.app, &session, &[]).await.unwrap().is_ok());
        assert!(clerk.get(AGENTS).await.data()["list"][0]["connectedSince"].is_string());

        clerk.post(&format!("{AGENTS}/{}/revoke", joined.agent), json!({})).await.data();
        assert_eq!(take(&app.app, &session, &[]).await.unwrap().unwrap_err(), Refusal::Closed);
        assert_eq!(authenticate(&app.app, &joined.credential).await.unwrap().unwrap_err(), JoinRefusal::Revoked);
        // Its credential was checked before, and its greeting comes only now.
        assert!(open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap().is_none());
        assert_eq!(app.app.part::<Fleet>().agents_in(joined.room), 0);
        assert_eq!(clerk.post(&format!("{AGENTS}/{}/revoke", joined.agent), json!({})).await.brief(), (409, 4009));
        assert_eq!(clerk.delete(&format!("{}/{}", ROOMS, here.room), json!({})).await.brief(), (409, 4009));
    }
}
