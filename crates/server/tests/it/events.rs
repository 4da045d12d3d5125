//! Event streams: heard by who may, resumed, ended with the session.

use std::time::Duration;

use axum::body::Body;
use base::access::session as sessions;
use base::http::events::Audience;
use entity::session::EndReason;
use http::Method;
use http_body_util::BodyExt as _;
use platform::task::{PruneTasks, TOPIC};
use queue::Creator;
use sea_orm::ColumnTrait as _;
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;

use crate::architecture::{crates, sources};

const URL: &str = "/api/task/v1/events";
const GENERAL: &str = "/api/general/v1/events";

/// An open stream and what it has told so far.
struct Ear {
    body: Body,
    text: String,
}

impl Ear {
    async fn open(caller: &Caller<'_>) -> Self {
        Self::open_at(caller, URL).await
    }

    async fn open_at(caller: &Caller<'_>, url: &str) -> Self {
        let response = caller.begin(Method::GET, url, "application/json", Body::empty()).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body(), text: String::new() }
    }

    /// Listens until `word` was heard.
    async fn until(&mut self, word: &str) -> &str {
        while !self.text.contains(word) {
            assert!(self.hear(Duration::from_secs(10)).await, "the stream ended without {word}: {}", self.text);
        }
        &self.text
    }

    /// Listens for one piece; false when the stream has ended.
    async fn hear(&mut self, patience: Duration) -> bool {
        let frame = tokio::time::timeout(patience, self.body.frame()).await.expect("nothing was heard for too long");
        let Some(frame) = frame else { return false };
        self.text.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        true
    }

    fn last_id(&self) -> String {
        self.text.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap().to_owned()
    }
}

async fn ask(app: &TestApp, by: &Caller<'_>) -> String {
    let tx = app.app.db.begin_write().await.unwrap();
    let id = app.app.queue.enqueue(&tx, &PruneTasks {}, &Creator::operator(by.operator.unwrap(), "x")).await.unwrap();
    tx.commit().await.unwrap();
    id.0
}

db_test! {
    async fn one_hears_of_ones_own_tasks_and_with_the_code_of_all(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &[]).await;
        let viewer = app.operator("viewer", &["task:list"]).await;
        let other = app.operator("other", &[]).await;
        let work = app.work().await;
        let (mut own, mut all, mut deaf) = (Ear::open(&author).await, Ear::open(&viewer).await, Ear::open(&other).await);

        let id = ask(&app, &author).await;
        let told = own.until("succeeded").await;
        assert!(told.contains("event: task") && told.contains(&id) && told.contains("\"state\":\"running\""), "{told}");
        all.until("succeeded").await;
        let mine = ask(&app, &other).await;
        assert!(!deaf.until(&mine).await.contains(&id), "{}", deaf.text);
        work.stop().await;
    }

    async fn a_dashboard_hears_of_every_change(db) {
        let app = TestApp::new(db).await;
        let viewer = app.operator("viewer", &["dashboard:view"]).await;
        let author = app.operator("author", &[]).await;
        let work = app.work().await;
        let mut ear = Ear::open_at(&viewer, GENERAL).await;
        ask(&app, &author).await;
        ear.until("event: dashboard").await;
        work.stop().await;
    }

    async fn a_broken_stream_is_resumed_or_told_to_begin_anew(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &[]).await;
        let work = app.work().await;
        let mut ear = Ear::open(&author).await;
        ask(&app, &author).await;
        ear.until("succeeded").await;
        let last = ear.last_id();
        drop(ear);

        let missed = ask(&app, &author).await;
        let mut again = Ear::open(&author.clone().header("last-event-id", last)).await;
        let told = again.until("succeeded").await;
        assert!(told.contains(&missed) && !told.contains("event: reset"), "{told}");

        let mut stranger = Ear::open(&author.header("last-event-id", "ffffffff-7")).await;
        stranger.until("event: reset").await;
        work.stop().await;
    }

    async fn who_comes_just_after_something_happened_reads_again(db) {
        let app = TestApp::new(db).await;
        let (viewer, other) = (app.operator("viewer", &[]).await, app.operator("other", &[]).await);
        let publish = |data: &str| {
            let audience = Audience { code: None, operator: viewer.operator };
            app.app.events.publish(TOPIC, "task", &json!({ "id": data }), audience);
        };
        publish("missed");
        // A page that was read before it, and listens after it.
        let (mut ear, mut deaf) = (Ear::open(&viewer).await, Ear::open(&other).await);
        publish("next");
        let told = ear.until("next").await;
        assert!(told.contains("event: reset") && !told.contains("missed"), "{told}");
        // Nothing happened that another one would hear of.
        assert!(!deaf.until("beat").await.contains("event: reset"), "{}", deaf.text);
    }

    async fn a_stream_tells_nothing_of_others_while_a_second_factor_is_missing(db) {
        let app = TestApp::new(db).await;
        let viewer = app.operator("viewer", &["task:list"]).await;
        let other = app.operator("other", &["task:list"]).await;
        let (mut ear, mut control) = (Ear::open(&viewer).await, Ear::open(&other).await);
        ear.until("beat").await;
        control.until("beat").await;
        let publish = |data: &str, of: &Caller<'_>| {
            let audience = Audience { code: Some("task:list"), operator: of.operator };
            app.app.events.publish(TOPIC, "task", &json!({ "id": data }), audience);
        };
        publish("before", &other);
        ear.until("before").await;

        // It is required while the stream is open, and of those that are opened later.
        app.require_second_factor_of("viewer").await;
        let mut later = Ear::open(&viewer).await;
        later.until("beat").await;
        publish("theirs", &other);
        publish("mine", &viewer);
        control.until("mine").await;
        assert!(control.text.contains("theirs"));
        for ear in [&mut ear, &mut later] {
            assert!(!ear.until("mine").await.contains("theirs"), "{}", ear.text);
        }
    }

    async fn a_stream_ends_with_its_session(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &[]).await;
        let mut ear = Ear::open(&author).await;
        ear.until("beat").await;

        let tx = app.app.db.begin_write().await.unwrap();
        let mine = entity::session::Column::OperatorId.eq(author.operator.unwrap());
        assert_eq!(sessions::end_in(&*tx, app.app.clock.now(), EndReason::Displaced, mine).await.unwrap(), 1);
        tx.commit().await.unwrap();
        app.app.sessions.forget();

        assert!(!ear.hear(Duration::from_secs(5)).await, "{}", ear.text);
    }

    async fn a_stream_does_not_keep_its_session_alive(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &[]).await;
        let mut ear = Ear::open(&author).await;
        ear.until("beat").await;

        app.app.clock.advance_seconds(31 * 60);
        app.app.sessions.forget();

        assert!(!ear.hear(Duration::from_secs(5)).await, "{}", ear.text);
        assert_eq!(author.get("/api/task/v1/tasks").await.status(), 6014);
    }

    async fn streams_end_when_the_server_stops(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &[]).await;
        let mut ear = Ear::open(&author).await;
        ear.until("beat").await;
        app.app.events.close();
        assert!(!ear.hear(Duration::from_secs(5)).await, "{}", ear.text);
    }
}

#[test]
fn every_topic_is_handed_over() {
    let sources = sources(&crates());
    let declared = sources.iter().flat_map(|(path, text)| {
        let ours = if path.display().to_string().contains("/tests/") {
            ""
        } else {
            text.split("#[cfg(test)]").next().unwrap()
        };
        ours.matches(": Topic = Topic {")
    });
    let handed = server::domains::all().iter().flat_map(|domain| domain.events);
    assert_eq!(declared.count(), handed.count(), "`events` of a domain lacks one: nobody could hear it");
}
