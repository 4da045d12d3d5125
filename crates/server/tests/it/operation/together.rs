//! Two connections at once: of one agent that comes again, of one that is revoked, and of two agents in one room.

use entity::room_agent;
use fleet::operation::{claim, resume};
use fleet::{Fleet, close_session, open_session};
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::room::{console, dial, hear, joined, say, until};
use testroom::site::settings;

use super::gone::returned;
use super::{shell, up};

fn hello(held: &Value) -> Value {
    json!({ "type": "hello", "protocol": 1, "version": "3.2.1", "held": held })
}

/// What an agent that was sent these tasks says that it holds.
fn holding(tasks: &Value) -> Value {
    let held = |task: &Value| json!({ "task": task["task"], "attempt": task["attempt"], "hasEnded": false });
    tasks.as_array().unwrap().iter().map(held).collect()
}

db_test! {
    async fn a_connection_that_is_replaced_while_it_claims_gets_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (old, cards) = up(&app, &clerk).await;
        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
        let row = room_agent::Entity::find_by_id(old.agent).one(app.app.db.read()).await.unwrap().unwrap();

        // Nobody writes for now: the claim finds its tasks, and cannot mark them.
        let hold = app.app.db.begin_write().await.unwrap();
        let (ours, session) = (app.app.clone(), old.clone());
        let claimed = tokio::spawn(async move { claim(&ours, &session).await });
        let ours = app.app.clone();
        let opened = tokio::spawn(async move { open_session(&ours, &row, "10.9.9.9", "3.2.1").await });
        until("the agent is here once more", async || !app.app.part::<Fleet>().is_open(&old)).await;
        drop(hold);

        assert!(claimed.await.unwrap().unwrap().is_empty(), "nobody would read them");
        let new = opened.await.unwrap().unwrap().unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["running"], 0);
        assert_eq!(claim(&app.app, &new).await.unwrap().len(), 8);
    }

    async fn a_greeting_that_a_newer_one_has_overtaken_takes_nothing_from_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (old, cards) = up(&app, &clerk).await;
        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
        let new = returned(&app, &old).await;
        assert_eq!(claim(&app.app, &new).await.unwrap().len(), 8);
        // It held nothing when it said so; what runs now would run a second time.
        assert_eq!(resume(&app.app, &old, &[]).await.unwrap(), None);
        assert_eq!(get(&clerk, &made["id"]).await["running"], 8);
        assert!(claim(&app.app, &new).await.unwrap().is_empty());
        // Nor does its end close the newer one.
        close_session(&app.app, &old).await.unwrap();
        assert!(app.app.part::<Fleet>().is_open(&new));
        let row = room_agent::Entity::find_by_id(new.agent).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(row.disconnected_at, None);
    }

    async fn a_revoked_agent_claims_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
        clerk.post(&format!("/api/fleet/v1/agents/{}/revoke", session.agent), json!({})).await.data();
        assert!(claim(&app.app, &session).await.unwrap().is_empty());
        assert_eq!(resume(&app.app, &session, &[]).await.unwrap(), None);
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 8);
    }

    async fn both_agents_of_a_room_hear_what_is_cancelled(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (helper, cards) = up(&app, &clerk).await;
        close_session(&app.app, &helper).await.unwrap();
        let console = console(&app).await;
        let first = joined(&app, &clerk, &console, helper.room.0).await;
        let second = joined(&app, &clerk, &console, helper.room.0).await;
        settings(&clerk, "tasksPerRoom", 4).await;
        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();

        // Each is given half of the tasks while it is alone.
        let mut one = dial(&console, &first.credential).await.unwrap();
        say(&mut one, &hello(&json!([]))).await;
        let held = holding(&hear(&mut one, "tasks").await["tasks"]);
        assert_eq!(held.as_array().unwrap().len(), 4);
        drop(one);
        until("it is gone", async || app.app.part::<Fleet>().agents_in(helper.room) == 0).await;
        settings(&clerk, "tasksPerRoom", 8).await;
        let mut two = dial(&console, &second.credential).await.unwrap();
        say(&mut two, &hello(&json!([]))).await;
        assert_eq!(hear(&mut two, "tasks").await["tasks"].as_array().unwrap().len(), 4);
        let mut one = dial(&console, &first.credential).await.unwrap();
        say(&mut one, &hello(&held)).await;
        hear(&mut one, "ranges").await;

        clerk.post(&format!("{OPERATIONS}/{}/cancel", made["id"]), json!({})).await.data();
        for socket in [&mut one, &mut two] {
            assert_eq!(hear(socket, "cancel").await["keys"].as_array().unwrap().len(), 4);
        }
    }
}
