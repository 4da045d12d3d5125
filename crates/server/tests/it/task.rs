//! Background tasks: who sees them, what may be done with them, and their files.

use std::time::Duration;

use base::app::App;
use bytes::Bytes;
use kernel::text::{Message, text};
use platform::task::PruneTasks;
use queue::{Creator, Job, JobCtx, JobError, Outcome, Registry, ResultFile, Runner, TaskId, TaskState};
use sea_orm::ConnectionTrait as _;
use serde::{Deserialize, Serialize};
use testapp::{Caller, TestApp};
use testkit::db_test;

/// Creates a file, or fails on request. It acts as an export of rooms.
#[derive(Serialize, Deserialize)]
struct Report {
    fails: bool,
}

impl Job for Report {
    type State = App;
    const KIND: &'static str = "room.export";

    fn title(&self) -> Message {
        text("导出{n}行", "Export {n} rows").with("n", 2)
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Outcome, JobError> {
        if self.fails {
            return Err(JobError::hopeless(text("没有数据", "There is nothing to export")));
        }
        let stored =
            ctx.state().objects.put("export", Bytes::from_static(b"a,b\n")).await.map_err(anyhow::Error::from)?;
        ctx.progress(2, Some(2));
        Ok(Outcome::done().with_file(ResultFile {
            key: stored.key.to_string(),
            name: "用户信息.csv".to_owned(),
            size: i64::try_from(stored.size).unwrap(),
        }))
    }
}

async fn ask<J: Job>(app: &TestApp, job: &J, by: &Caller<'_>) -> TaskId {
    let tx = app.app.db.begin_write().await.unwrap();
    let id = app.app.queue.enqueue(&tx, job, &Creator::operator(by.operator.unwrap(), "小王")).await.unwrap();
    tx.commit().await.unwrap();
    id
}

/// Runs tasks until this one is in `state`.
async fn run_until(app: &TestApp, id: &TaskId, state: TaskState) {
    let settings = queue::Settings { poll: Duration::from_millis(20), ..queue::Settings::default() };
    let registry = Registry::new().add::<Report>().add::<PruneTasks>();
    let runner = Runner::start(app.app.queue.clone(), registry, app.app.clone(), settings).await.unwrap();
    for _ in 0..500 {
        if app.app.queue.find(id).await.unwrap().unwrap().state == state {
            return runner.stop(Duration::from_secs(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the task did not become {state:?}");
}

fn url(id: &TaskId) -> String {
    format!("/api/task/v1/tasks/{id}")
}

db_test! {
    async fn a_task_is_seen_by_who_asked_for_it_and_by_who_may_see_all(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &[]).await;
        let viewer = app.operator("viewer", &["task:list"]).await;
        let other = app.operator("other", &["task:cancel", "task:retry"]).await;
        let id = ask(&app, &Report { fails: false }, &author).await;

        let seen = author.get(&url(&id)).await.data();
        assert_eq!(seen["title"], "导出2行");
        assert_eq!(viewer.clone().lang("en").get(&url(&id)).await.data()["title"], "Export 2 rows");
        assert_eq!((&seen["state"], &seen["canCancel"], &seen["canRetry"]), (&"queued".into(), &true.into(), &false.into()));
        assert_eq!((&seen["createdBy"], &seen["result"]), (&"小王".into(), &serde_json::Value::Null));
        assert_eq!(other.get(&url(&id)).await.brief(), (404, 4004));
        assert_eq!(other.get(&url(&TaskId("nothing".into()))).await.json()["msg"], other.get(&url(&id)).await.json()["msg"]);
        assert_eq!(author.get("/api/task/v1/tasks").await.brief(), (200, 4003));
    }

    async fn the_list_is_filtered_and_newest_first(db) {
        let app = TestApp::new(db).await;
        let viewer = app.operator("viewer", &["task:list"]).await;
        let first = ask(&app, &Report { fails: true }, &viewer).await;
        run_until(&app, &first, TaskState::Failed).await;
        let second = ask(&app, &Report { fails: false }, &viewer).await;
        let third = ask(&app, &PruneTasks {}, &viewer).await;

        for (query, found) in [
            ("", vec![&third, &second, &first]),
            ("?pageNum=2&pageSize=2", vec![&first]),
            ("?state=failed", vec![&first]),
            ("?state=queued&kind=room.export", vec![&second]),
            ("?keyWord=EXPORT", vec![&second, &first]),
            ("?keyWord=%E6%B8%85%E7%90%86", vec![&third]),
            ("?keyWord=%25", vec![]),
            ("?keyWord=%E5%B0%8F%E7%8E%8B&pageSize=1", vec![&third]),
            ("?startTime=2100-01-01T00:00:00Z", vec![]),
            ("?endTime=2100-01-01T00:00:00Z&state=", vec![&third, &second, &first]),
        ] {
            let page = viewer.get(&format!("/api/task/v1/tasks{query}")).await.data();
            let ids: Vec<&str> = page["list"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
            assert_eq!(ids, found.iter().map(|id| id.0.as_str()).collect::<Vec<_>>(), "{query}");
        }
        for (query, error) in [("?state=sleeping", "state type.wrong"), ("?pageSize=0", "pageSize integer.range"), ("?startTime=x", "startTime type.wrong")] {
            assert_eq!(viewer.get(&format!("/api/task/v1/tasks{query}")).await.errors(), [error], "{query}");
        }
    }

    async fn cancel_and_retry_move_a_task_and_are_audited(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &["task:cancel", "task:retry", "room:export"]).await;
        let id = ask(&app, &Report { fails: true }, &author).await;

        assert_eq!(author.post(&format!("{}/retry", url(&id)), serde_json::json!({})).await.brief(), (409, 4009));
        let cancelled = author.post(&format!("{}/cancel", url(&id)), serde_json::json!({})).await.data();
        assert_eq!((&cancelled["state"], &cancelled["canRetry"]), (&"cancelled".into(), &true.into()));
        assert_eq!(author.post(&format!("{}/cancel", url(&id)), serde_json::json!({})).await.brief(), (409, 4009));
        let queued = author.post(&format!("{}/retry", url(&id)), serde_json::json!({})).await.data();
        assert_eq!(queued["state"], "queued");
        run_until(&app, &id, TaskState::Failed).await;

        assert_eq!(author.get(&url(&id)).await.data()["message"], "没有数据");
        assert_eq!(author.post("/api/task/v1/tasks/nothing/cancel", serde_json::json!({})).await.brief(), (404, 4004));
        assert_eq!(app.audit_trail().await, ["author task_cancel 0", "author task_retry 0"]);
    }

    async fn whoever_retries_a_task_needs_what_asking_for_it_takes(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &["task:cancel", "task:retry", "room:export"]).await;
        let other = app.operator("other", &["task:list", "task:retry"]).await;
        let id = ask(&app, &Report { fails: true }, &author).await;
        author.post(&format!("{}/cancel", url(&id)), serde_json::json!({})).await.data();
        assert_eq!(author.get(&url(&id)).await.data()["canRetry"], true);
        assert_eq!(other.get(&url(&id)).await.data()["canRetry"], false);
        let kinds: Vec<&str> = app.app.job_needs.keys().copied().collect();
        assert!(["room.export", "clientUser.import", "operation.export"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
        for kind in kinds {
            let tx = app.app.db.begin_write().await.unwrap();
            tx.execute_unprepared(&format!("UPDATE task SET kind = '{kind}'")).await.unwrap();
            tx.commit().await.unwrap();
            let refused = other.post(&format!("{}/retry", url(&id)), serde_json::json!({})).await;
            assert_eq!(refused.brief(), (200, 4003), "{kind}");
        }
        assert!(app.audit_trail().await.contains(&"other task_retry 4003".to_owned()));
    }

    async fn a_result_file_is_fetched_by_who_may_and_the_log_knows(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &["room:export"]).await;
        let other = app.operator("other", &["task:cancel", "room:export"]).await;
        let viewer = app.operator("viewer", &["task:list", "device:export"]).await;
        let id = ask(&app, &Report { fails: false }, &author).await;
        let file = format!("{}/file", url(&id));
        assert_eq!(author.get(&file).await.brief(), (404, 4004), "not yet");
        run_until(&app, &id, TaskState::Succeeded).await;

        let got = author.get(&file).await;
        assert_eq!((got.http.as_u16(), got.bytes.as_slice()), (200, b"a,b\n".as_slice()));
        assert_eq!(got.headers["content-type"], "text/csv; charset=utf-8");
        assert_eq!(
            got.headers["content-disposition"],
            "attachment; filename=\"____.csv\"; filename*=UTF-8''%E7%94%A8%E6%88%B7%E4%BF%A1%E6%81%AF.csv"
        );
        assert_eq!(author.get(&url(&id)).await.data()["result"], serde_json::json!({ "fileName": "用户信息.csv", "size": 4, "canDownload": true }));
        assert_eq!(other.get(&file).await.brief(), (404, 4004));
        assert_eq!(viewer.get(&url(&id)).await.data()["result"]["canDownload"], false);
        assert_eq!(viewer.get(&file).await.brief(), (200, 4003), "to see all tasks is not to have what is in them");
        assert_eq!(app.audit_trail().await, ["author task_file 0"]);
    }

    async fn who_loses_the_right_to_a_list_loses_the_files_of_it(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let author = app.operator("author", &["room:export", "task:list"]).await;
        let id = ask(&app, &Report { fails: false }, &author).await;
        run_until(&app, &id, TaskState::Succeeded).await;
        let file = format!("{}/file", url(&id));
        assert_eq!(author.get(&file).await.http.as_u16(), 200);
        let left = crate::staff::menu_id(&admin, "task:list").await;
        admin.post("/v1/menus/allot", serde_json::json!({ "groupId": author.group, "menuIds": [left] })).await.data();
        let refused = author.get(&file).await;
        assert_eq!((refused.brief(), refused.bytes.starts_with(b"a,b")), ((200, 4003), false));
        assert!(refused.json()["msg"].as_str().unwrap().contains("room:export"));
        assert_eq!(author.get(&url(&id)).await.data()["result"]["canDownload"], false, "that it was made can be seen");
    }

    async fn old_tasks_go_with_their_files(db) {
        let app = TestApp::new(db).await;
        let author = app.operator("author", &[]).await;
        let old = ask(&app, &Report { fails: false }, &author).await;
        run_until(&app, &old, TaskState::Succeeded).await;
        let key = app.app.queue.find(&old).await.unwrap().unwrap().result_key.unwrap().parse().unwrap();
        app.app.clock.advance_seconds(31 * 24 * 3600);
        let recent = ask(&app, &Report { fails: true }, &author).await;
        run_until(&app, &recent, TaskState::Failed).await;

        let prune = ask(&app, &PruneTasks {}, &author).await;
        run_until(&app, &prune, TaskState::Succeeded).await;

        assert_eq!(app.app.queue.find(&old).await.unwrap(), None);
        assert!(app.app.queue.find(&recent).await.unwrap().is_some());
        assert!(matches!(app.app.objects.get(&key).await, Err(courier::ObjectError::NotFound(_))));
    }

    async fn the_programs_own_registry_starts_and_stops(db) {
        let app = TestApp::new(db).await;
        let work = app.work().await;
        let author = app.operator("author", &[]).await;
        let id = ask(&app, &PruneTasks {}, &author).await;
        for _ in 0..500 {
            if app.app.queue.find(&id).await.unwrap().unwrap().state == TaskState::Succeeded {
                return work.stop().await;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the task was not run");
    }
}
