//! A backlog is processed to its end, each task once. How fast that goes is measured by `make bench`.

use std::time::Duration;

use queue::{Creator, Runner, Settings};
use sea_orm::ConnectionTrait as _;
use testkit::TestDb;

use crate::kit::{Quick, Way, engine, registry, settings};

const TASKS: usize = 1500;

/// Creates [`TASKS`] empty tasks, spread over as many lanes, and waits until all are done.
async fn drain(db: &TestDb, lanes: Option<usize>) {
    let (queue, world, _) = engine(db).await;
    let tx = db.begin_write().await.unwrap();
    let jobs = (0..TASKS).map(|n| Quick {
        lane: lanes.map(|lanes| format!("card {}", n % lanes)),
        ..Quick::new(&format!("{n}"), Way::Well)
    });
    queue.enqueue_many(&tx, jobs, &Creator::system()).await.unwrap();
    tx.commit().await.unwrap();

    let settings =
        Settings { light: 100, lease: Duration::from_secs(15), heartbeat: Duration::from_secs(5), ..settings() };
    let runner = Runner::start(queue.clone(), registry(), world.clone(), settings).await.unwrap();
    let open = "SELECT 1 AS one FROM task WHERE state <> 3 LIMIT 1";
    while db.read().query_one_raw(db::sql::statement(db.backend(), open, [])).await.unwrap().is_some() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let runs = world.runs.lock().clone();
    assert_eq!((runs.len(), runs.values().all(|times| *times == 1)), (TASKS, true));
    runner.stop(Duration::from_secs(5)).await;
}

testkit::db_test! {
    async fn each_task_of_a_backlog_runs_once(db) {
        drain(&db, None).await;
    }

    async fn each_task_of_a_backlog_on_many_cards_runs_once(db) {
        drain(&db, Some(1250)).await;
    }
}
