//! A backlog is processed fast. The bound is wide, since a machine under test is busy; `make bench` measures.

use std::time::{Duration, Instant};

use queue::{Creator, Runner, Settings};
use sea_orm::ConnectionTrait as _;
use testkit::TestDb;

use crate::kit::{Quick, Way, engine, registry, settings};

const TASKS: usize = 5000;

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

    let begun = Instant::now();
    let settings =
        Settings { light: 100, lease: Duration::from_secs(15), heartbeat: Duration::from_secs(5), ..settings() };
    let runner = Runner::start(queue.clone(), registry(), world.clone(), settings).await.unwrap();
    let open = "SELECT 1 AS one FROM task WHERE state <> 3 LIMIT 1";
    while db.read().query_one_raw(db::sql::statement(db.backend(), open, [])).await.unwrap().is_some() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{TASKS} empty tasks took half a minute");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    eprintln!("{TASKS} tasks in {:?}", begun.elapsed());
    assert_eq!(world.runs.lock().len(), TASKS);
    runner.stop(Duration::from_secs(5)).await;
}

testkit::db_test! {
    async fn a_backlog_of_empty_tasks_drains_in_batches(db) {
        drain(&db, None).await;
    }

    async fn a_backlog_on_many_cards_drains_as_fast(db) {
        drain(&db, Some(1250)).await;
    }
}
