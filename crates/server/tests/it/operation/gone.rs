//! Agents that do not come back: their tasks end, and their places are free again.

use std::collections::BTreeSet;

use entity::operation_task::TaskStep;
use entity::{operation_task, room_agent};
use fleet::operation::{claim, record_results, resume, round};
use fleet::{Session, authenticate, close_session, enrol, open_session};
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, HERE, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::site::settings;
use wire::{Held, Key, Outcome, Reason, Task};

use super::{result, shell, up};

const AGENTS: &str = "/api/fleet/v1/agents";

/// A script that may take five seconds at each card.
async fn short(clerk: &Caller<'_>, cards: &[i64]) -> Value {
    let mut body = shell(cards);
    body["options"] = json!({ "seconds": 5, "stopAtPercent": 100 });
    clerk.post(OPERATIONS, body).await.data()
}

/// An agent that joins the room of another one.
async fn newcomer(app: &TestApp, clerk: &Caller<'_>, beside: &Session, name: &str) -> Session {
    let made = clerk.post("/api/fleet/v1/join-tokens", json!({ "roomId": beside.room })).await.data();
    let joined = enrol(&app.app, made["token"].as_str().unwrap(), name, "3.2.1", HERE).await.unwrap().unwrap();
    let row = authenticate(&app.app, &joined.credential).await.unwrap().unwrap();
    open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap().unwrap()
}

/// The same agent once more.
pub async fn returned(app: &TestApp, session: &Session) -> Session {
    let row = room_agent::Entity::find_by_id(session.agent).one(app.app.db.read()).await.unwrap().unwrap();
    open_session(&app.app, &row, "10.9.9.9", "3.2.1").await.unwrap().unwrap()
}

/// `state, code, attempt` of each task, in the order of the cards.
async fn tasks(app: &TestApp) -> Vec<(i16, String, i32)> {
    let select = operation_task::Entity::find().order_by_asc(operation_task::Column::Id);
    let rows = select.all(app.app.db.read()).await.unwrap();
    rows.into_iter().map(|row| (row.state.code(), row.code, row.attempt)).collect()
}

/// How many tasks are running, without a session, which a clock that is set may end.
async fn running(app: &TestApp) -> usize {
    tasks(app).await.iter().filter(|(state, ..)| *state == TaskStep::Running.code()).count()
}

fn brief(of: &Value) -> [i64; 5] {
    ["state", "pending", "running", "succeeded", "failed"].map(|field| of[field].as_i64().unwrap())
}

async fn finish(app: &TestApp, session: &Session, given: &[Task]) {
    let all: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
    record_results(&app.app, session, &all).await.unwrap();
}

db_test! {
    async fn an_agent_that_stays_away_gives_its_places_back_even_if_the_console_restarts(db) {
        let app = TestApp::new(db).await;
        let (session, made, token) = {
            let clerk = app.admin().await;
            let (session, cards) = up(&app, &clerk).await;
            settings(&clerk, "tasksPerRoom", 3).await;
            let made = short(&clerk, &cards).await;
            assert_eq!(claim(&app.app, &session).await.unwrap().len(), 3);
            (session, made, clerk.token.clone().unwrap())
        };
        // While connected it has as much time as it needs.
        app.app.clock.advance_seconds(1000);
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&app.anybody().token(token.as_str()), &made["id"]).await), [4, 5, 3, 0, 0]);
        app.app.clock.advance_seconds(-1000);

        close_session(&app.app, &session).await.unwrap();
        app.app.clock.advance_seconds(100);
        let app = app.restarted().await;
        let clerk = app.anybody().token(token);
        let other = newcomer(&app, &clerk, &session, "another").await;
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [4, 5, 3, 0, 0], "it may come back");
        assert!(claim(&app.app, &other).await.unwrap().is_empty(), "and has its places until then");

        app.app.clock.advance_seconds(100);
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [4, 5, 3, 0, 0], "it has two minutes to find the console again");
        app.app.clock.advance_seconds(30);
        round(&app.app).await.unwrap();
        let there = get(&clerk, &made["id"]).await;
        assert_eq!(brief(&there), [4, 5, 0, 0, 3]);
        assert_eq!((&there["reasons"][0]["code"], &there["reasons"][0]["count"]), (&json!("agent_gone"), &json!(3)));
        assert_ne!(there["reasons"][0]["words"], "agent_gone");
        for left in [3, 2] {
            let given = claim(&app.app, &other).await.unwrap();
            assert_eq!(given.len(), left);
            finish(&app, &other, &given).await;
        }
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [7, 0, 0, 5, 3]);
    }

    async fn a_clock_that_is_set_ends_no_task(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = short(&clerk, &cards).await;
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 8);
        let running = async || {
            round(&app.app).await.unwrap();
            get(&clerk, &made["id"]).await["running"].as_i64().unwrap()
        };
        for seconds in [3600, -7200, 3600] {
            app.app.clock.jump_seconds(seconds);
            assert_eq!(running().await, 8, "by {seconds} s, connected");
        }
        close_session(&app.app, &session).await.unwrap();
        app.app.clock.jump_seconds(3600);
        assert_eq!(running().await, 8, "it may come back");
        app.app.clock.jump_seconds(-7200);
        app.app.clock.advance_seconds(130);
        assert_eq!(running().await, 0, "nor does it keep them longer");
    }

    async fn a_clock_that_is_set_forward_before_a_restart_ends_no_task(db) {
        let app = TestApp::new(db).await;
        let session = {
            let clerk = app.admin().await;
            let (session, cards) = up(&app, &clerk).await;
            short(&clerk, &cards).await;
            assert_eq!(claim(&app.app, &session).await.unwrap().len(), 8);
            session
        };
        app.app.clock.jump_seconds(3600);
        let app = app.restarted().await;
        round(&app.app).await.unwrap();
        assert_eq!(running(&app).await, 8, "no agent can have returned yet");
        app.app.clock.advance_seconds(110);
        round(&app.app).await.unwrap();
        assert_eq!(running(&app).await, 8, "it may still come back");
        let back = returned(&app, &session).await;
        close_session(&app.app, &back).await.unwrap();
        app.app.clock.advance_seconds(20);
        round(&app.app).await.unwrap();
        assert_eq!(running(&app).await, 0, "and then it has stayed away");
    }

    async fn a_clock_that_is_set_back_before_a_restart_keeps_no_room_busy(db) {
        let app = TestApp::new(db).await;
        {
            let clerk = app.admin().await;
            let (session, cards) = up(&app, &clerk).await;
            short(&clerk, &cards).await;
            assert_eq!(claim(&app.app, &session).await.unwrap().len(), 8);
        }
        app.app.clock.jump_seconds(-86_400);
        let app = app.restarted().await;
        app.app.clock.advance_seconds(120);
        round(&app.app).await.unwrap();
        assert_eq!(running(&app).await, 8, "their five seconds and two minutes from the start");
        app.app.clock.advance_seconds(10);
        round(&app.app).await.unwrap();
        assert_eq!(running(&app).await, 0);
    }

    async fn what_an_agent_is_still_at_after_the_clock_was_set_and_the_console_restarted_has_its_time_once(db) {
        let app = TestApp::new(db).await;
        let (session, given) = {
            let clerk = app.admin().await;
            let (session, cards) = up(&app, &clerk).await;
            let mut body = shell(&cards);
            body["options"] = json!({ "seconds": 3600 });
            clerk.post(OPERATIONS, body).await.data();
            (session.clone(), claim(&app.app, &session).await.unwrap())
        };
        let held: Vec<Held> = given.iter().map(|task| Held { key: task.key, has_ended: false }).collect();
        assert_eq!(held.len(), 8);
        app.app.clock.jump_seconds(2 * 3600);
        let app = app.restarted().await;
        for passed in [60, 1200] {
            // Coming back more often gives no more.
            let session = returned(&app, &session).await;
            resume(&app.app, &session, &held).await.unwrap().unwrap();
            app.app.clock.advance_seconds(passed);
            round(&app.app).await.unwrap();
            assert_eq!(running(&app).await, 8, "an hour is not over");
        }
        app.app.clock.advance_seconds(3600 + 120 + 900 - 1260 - 30);
        round(&app.app).await.unwrap();
        assert_eq!(running(&app).await, 8, "it may still tell");
        app.app.clock.advance_seconds(60);
        round(&app.app).await.unwrap();
        assert_eq!(running(&app).await, 0, "and has not");
    }

    async fn tasks_of_a_revoked_agent_and_of_a_cancelled_operation_end_at_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let first = short(&clerk, &cards[..4]).await;
        let second = short(&clerk, &cards[4..]).await;
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 8);
        let stopped = clerk.post(&format!("{OPERATIONS}/{}/cancel", second["id"]), json!({})).await.data();
        assert_eq!(stopped["state"], 6);
        round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &first["id"]).await["running"], 4);

        clerk.post(&format!("{AGENTS}/{}/revoke", session.agent), json!({})).await.data();
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &first["id"]).await), [7, 0, 0, 0, 4]);
        assert_eq!(brief(&get(&clerk, &second["id"]).await), [8, 0, 0, 0, 4], "cancelling has an end");
        let other = newcomer(&app, &clerk, &session, "another").await;
        short(&clerk, &cards).await;
        assert_eq!(claim(&app.app, &other).await.unwrap().len(), 8, "the cards are free again");
    }

    async fn an_agent_that_another_of_its_name_has_taken_the_place_of_is_not_waited_for(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = short(&clerk, &cards).await;
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 8);
        newcomer(&app, &clerk, &session, "agent-1").await;
        round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["running"], 8, "both are there");
        close_session(&app.app, &session).await.unwrap();
        app.app.clock.advance_seconds(1);
        round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["running"], 8, "it was there when the other one joined");
        newcomer(&app, &clerk, &session, "agent-1").await;
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [7, 0, 0, 0, 8]);
    }

    async fn what_a_returned_agent_says_of_ended_tasks_is_kept_and_nothing_is_done_twice(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = short(&clerk, &cards).await;
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 8);
        close_session(&app.app, &session).await.unwrap();
        app.app.clock.advance_seconds(126);
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [7, 0, 0, 0, 8]);

        // It comes back with all of them: the first has ended, the others may not have begun.
        let session = returned(&app, &session).await;
        let held: Vec<Held> =
            given.iter().enumerate().map(|(at, task)| Held { key: task.key, has_ended: at == 0 }).collect();
        let answer = resume(&app.app, &session, &held).await.unwrap().unwrap();
        assert!(answer.forget.is_empty(), "the result of the first is wanted: {answer:?}");
        assert_eq!(answer.cancel.len(), 7, "what has not begun is not begun any more");
        let said = [
            result(given[0].key, Outcome::Succeeded),
            result(given[1].key, Outcome::Cancelled),
            result(given[2].key, Outcome::failed(Reason::NoSpace, "full")),
        ];
        for _ in 0..2 {
            assert_eq!(record_results(&app.app, &session, &said).await.unwrap().len(), 3);
            assert_eq!(brief(&get(&clerk, &made["id"]).await), [7, 0, 0, 1, 7]);
        }
        let rows = tasks(&app).await;
        let told: Vec<(i16, &str)> = rows[..4].iter().map(|(state, code, _)| (*state, code.as_str())).collect();
        assert_eq!(told, [(3, ""), (4, "agent_gone"), (4, "no_space"), (4, "agent_gone")]);

        // A person tries again what the agent is still at: its success is kept, and not done once more.
        let again = json!({ "code": "agent_gone", "confirmed": true });
        clerk.post(&format!("{OPERATIONS}/{}/retry", made["id"]), again).await.data();
        record_results(&app.app, &session, &[result(given[3].key, Outcome::Succeeded)]).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [4, 5, 0, 2, 1]);
        let tried = claim(&app.app, &session).await.unwrap();
        assert!(tried.len() == 5 && tried.iter().all(|task| task.key.attempt == 2 && task.key.task != given[3].key.task));
        record_results(&app.app, &session, &[result(given[4].key, Outcome::Succeeded)]).await.unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["running"], 5, "a result of an older try counts for nothing");
        finish(&app, &session, &tried).await;
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [7, 0, 0, 7, 1]);
    }

    async fn what_was_cancelled_while_its_agent_was_away_is_called_off_before_it_goes_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        short(&clerk, &cards[..4]).await;
        let second = short(&clerk, &cards[4..]).await;
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 8);
        close_session(&app.app, &session).await.unwrap();
        clerk.post(&format!("{OPERATIONS}/{}/cancel", second["id"]), json!({})).await.data();

        let session = returned(&app, &session).await;
        let held: Vec<Held> = given.iter().map(|task| Held { key: task.key, has_ended: false }).collect();
        let answer = resume(&app.app, &session, &held).await.unwrap().unwrap();
        assert!(answer.forget.is_empty(), "what it has begun may still be told: {answer:?}");
        let called_off: BTreeSet<Key> = answer.cancel.into_iter().collect();
        let of_second = given.iter().filter(|task| cards[4..].contains(&task.card)).map(|task| task.key);
        assert_eq!(called_off, of_second.collect::<BTreeSet<_>>());
    }

    async fn an_agent_that_is_there_and_silent_gives_its_places_back_in_the_end(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        settings(&clerk, "tasksPerRoom", 4).await;
        let made = short(&clerk, &cards).await;
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 4);
        finish(&app, &session, &given[..1]).await;
        // Its own five seconds, two minutes, and a quarter of an hour.
        app.app.clock.advance_seconds(5 + 120 + 900 - 1);
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [4, 4, 3, 1, 0], "it may still tell");
        let late = claim(&app.app, &session).await.unwrap();
        assert_eq!(late.len(), 1, "the place of the one that it told");
        app.app.clock.advance_seconds(1);
        round(&app.app).await.unwrap();
        let there = get(&clerk, &made["id"]).await;
        assert_eq!(brief(&there), [4, 3, 1, 1, 3], "what was given later has its own time");
        let reason = &there["reasons"][0];
        assert_eq!((&reason["code"], &reason["count"], &reason["unknown"]), (&json!("agent_silent"), &json!(3), &json!(3)), "{reason}");
        assert_ne!(reason["words"], "agent_silent");
        let next = claim(&app.app, &session).await.unwrap();
        assert_eq!(next.len(), 3, "places of host and room are free");

        // What it tells after all is kept, that it never began as well.
        let said = [
            result(given[1].key, Outcome::Succeeded),
            result(given[2].key, Outcome::Cancelled),
        ];
        assert_eq!(record_results(&app.app, &session, &said).await.unwrap().len(), 2);
        finish(&app, &session, &[late, next].concat()).await;
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [7, 0, 0, 6, 2]);
        let rows = operation_task::Entity::find().all(app.app.db.read()).await.unwrap();
        let told = given.iter().map(|task| rows.iter().find(|row| row.id.0 == task.key.task).unwrap());
        let told: Vec<(i16, &str)> = told.map(|row| (row.state.code(), row.code.as_str())).collect();
        assert_eq!(told, [(3, ""), (3, ""), (4, "agent_silent"), (4, "agent_silent")]);

        // One that may have run is tried again when a person has confirmed it.
        let again = |confirmed: bool| json!({ "code": "agent_silent", "confirmed": confirmed });
        let retry = format!("{OPERATIONS}/{}/retry", made["id"]);
        assert_eq!(clerk.post(&retry, again(false)).await.brief(), (409, 4009));
        clerk.post(&retry, again(true)).await.data();
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 2);
    }
}
