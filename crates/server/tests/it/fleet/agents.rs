//! Room agents: joining once, being known again, being cut off.

use serde_json::json;
use server::domains::fleet::{JoinRefusal, Refusal, authenticate, enrol, open_session, take};
use testkit::db_test;

use super::{ROOMS, site};
use crate::support::TestApp;

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

        let joined = enrol(&app.app, token, "agent-1", "3.2.1", "10.9.9.9").await.unwrap().unwrap();
        assert_eq!(joined.room.0, here.room);
        assert_eq!(enrol(&app.app, token, "agent-2", "3.2.1", "").await.unwrap().unwrap_err(), JoinRefusal::Used);
        assert_eq!(enrol(&app.app, "skyjoin_x", "agent-2", "3.2.1", "").await.unwrap().unwrap_err(), JoinRefusal::Unknown);
        assert_eq!(authenticate(&app.app, &joined.credential).await.unwrap().unwrap().id, joined.agent);
        assert_eq!(authenticate(&app.app, token).await.unwrap().unwrap_err(), JoinRefusal::Unknown);

        let late = clerk.post(TOKENS, json!({ "roomId": here.room, "hours": 1 })).await.data();
        let back = clerk.post(TOKENS, json!({ "roomId": here.room })).await.data();
        clerk.post(&format!("{TOKENS}/{}/revoke", back["id"]), json!({})).await.data();
        app.app.clock.advance_seconds(3601);
        for (token, refusal) in [(late, JoinRefusal::Expired), (back, JoinRefusal::Revoked)] {
            let answer = enrol(&app.app, token["token"].as_str().unwrap(), "x", "1", "").await.unwrap();
            assert_eq!(answer.unwrap_err(), refusal);
        }
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| line.starts_with("room agent room_agent_enrol 4003")).count(), 4);
    }

    async fn a_revoked_agent_is_cut_off_at_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let made = clerk.post(TOKENS, json!({ "roomId": here.room })).await.data();
        let joined = enrol(&app.app, made["token"].as_str().unwrap(), "agent-1", "3.2.1", "10.9.9.9").await.unwrap().unwrap();
        let row = authenticate(&app.app, &joined.credential).await.unwrap().unwrap();
        let old = open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap();
        let session = open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap();
        assert_eq!(take(&app.app, &old, &[]).await.unwrap().unwrap_err(), Refusal::Closed, "a newer connection is there");
        assert!(take(&app.app, &session, &[]).await.unwrap().is_ok());
        assert!(clerk.get(AGENTS).await.data()["list"][0]["connectedSince"].is_string());

        clerk.post(&format!("{AGENTS}/{}/revoke", joined.agent), json!({})).await.data();
        assert_eq!(take(&app.app, &session, &[]).await.unwrap().unwrap_err(), Refusal::Closed);
        assert_eq!(authenticate(&app.app, &joined.credential).await.unwrap().unwrap_err(), JoinRefusal::Revoked);
        assert_eq!(clerk.post(&format!("{AGENTS}/{}/revoke", joined.agent), json!({})).await.brief(), (409, 4009));
        assert_eq!(clerk.delete(&format!("{}/{}", ROOMS, here.room), json!({})).await.brief(), (409, 4009));
    }
}
