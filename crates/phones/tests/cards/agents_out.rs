//! Steps of phones whose agent was revoked, or replaced by one of the same name: what only looks is given to another one at once,
//! all else not before the leash of the former has ended, since it may be in the middle of it and not have heard.

use entity::saga_step::{self, StepName, StepState};
use entity::{RoomAgentId, room_agent};
use phones::saga_round;
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::room::{Socket, dial, hear, hello, joined, say, until};

/// The newest try of a step, and which agent has it.
async fn newest(app: &TestApp) -> (StepName, StepState, Option<RoomAgentId>) {
    let steps = saga_step::Entity::find().order_by_desc(saga_step::Column::Id);
    let step = steps.one(app.app.db.read()).await.unwrap().unwrap();
    (step.name, step.state, step.agent_id)
}

/// Another agent of the room, of the same name, is connected.
async fn another(app: &TestApp, clerk: &Caller<'_>, hand: &Hand) -> Socket {
    let other = joined(app, clerk, &hand.console, hand.room).await;
    let mut socket = dial(&hand.console, &other.credential).await.unwrap();
    say(&mut socket, &hello(2)).await;
    hear(&mut socket, "welcome").await;
    socket
}

/// The agent is revoked while it is connected; another one of the room is there.
async fn is_revoked(app: &TestApp, clerk: &Caller<'_>, hand: &mut Hand) -> RoomAgentId {
    let socket = another(app, clerk, hand).await;
    let agent = RoomAgentId(hand.identity.agent);
    clerk.post(&format!("/api/fleet/v1/agents/{agent}/revoke"), json!({})).await.data();
    hand.socket = socket;
    agent
}

db_test! {
    async fn what_only_looks_is_given_on_at_once_when_its_agent_is_revoked(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _, _) = Hand::asked(&app, &clerk, 1).await;
        assert_eq!(hand.step(&app).await["act"]["kind"], "check");
        let agent = is_revoked(&app, &clerk, &mut hand).await;
        let again = hand.does(&app, "check").await;
        let (name, _, by) = newest(&app).await;
        assert!(name == StepName::Claim && by != Some(agent), "{again}");
    }

    async fn what_only_looks_is_given_on_at_once_when_a_namesake_of_its_agent_has_joined(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _, _) = Hand::asked(&app, &clerk, 1).await;
        assert_eq!(hand.step(&app).await["act"]["kind"], "check");
        let agent = RoomAgentId(hand.identity.agent);
        hand.goes(&app).await;
        until("it is written down that it went", async || {
            let row = room_agent::Entity::find_by_id(agent).one(app.app.db.read()).await.unwrap().unwrap();
            row.disconnected_at.is_some()
        })
        .await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(newest(&app).await, (StepName::Check, StepState::Running, Some(agent)), "it may come back");
        app.app.clock.advance_seconds(1);
        hand.socket = another(&app, &clerk, &hand).await;
        hand.does(&app, "check").await;
    }

    async fn what_changes_a_card_is_given_on_once_the_leash_of_its_agent_has_ended_and_not_before(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _, _) = Hand::asked(&app, &clerk, 1).await;
        hand.does(&app, "check").await;
        assert_eq!(hand.step(&app).await["act"]["kind"], "claim");
        let agent = is_revoked(&app, &clerk, &mut hand).await;
        let is_its = (StepName::Claim, StepState::Running, Some(agent));
        saga_round(&app.app).await.unwrap();
        // A test takes some time by itself.
        app.app.clock.advance_seconds(75);
        saga_round(&app.app).await.unwrap();
        assert_eq!(newest(&app).await, is_its, "it may be in the middle of it");
        // Twice the leash, from the moment in which it was revoked.
        app.app.clock.advance_seconds(45);
        hand.does(&app, "claim").await;
    }
}
