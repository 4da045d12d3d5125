//! Schedules: once for each time, whatever the number of servers, and only the latest of the missed ones.

use std::time::Duration;

use db::sql::statement;
use queue::{Runner, Settings};
use sea_orm::ConnectionTrait as _;

use crate::kit::{Quick, Way, engine, registry, settings};

async fn fired(db: &db::Db) -> (i64, i64) {
    let text = "SELECT COUNT(*) AS tasks, COUNT(DISTINCT fire_time) AS times FROM task WHERE schedule = 'nightly'";
    let row = db.read().query_one_raw(statement(db.backend(), text, [])).await.unwrap().unwrap();
    (row.try_get("", "tasks").unwrap(), row.try_get("", "times").unwrap())
}

testkit::db_test! {
    async fn two_servers_fire_a_time_once_and_missed_times_once(db) {
        let (queue, world, clock) = engine(&db).await;
        let nightly = || registry().every("nightly", "0 3 * * *", &Quick::new("night", Way::Well)).unwrap();
        let start = |settings: Settings| Runner::start(queue.clone(), nightly(), world.clone(), settings);

        let first = start(settings()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(fired(&db).await, (0, 0), "a new schedule waits for its time");
        first.stop(Duration::from_secs(1)).await;

        // Ten nights later two servers start at once.
        clock.advance_seconds(10 * 24 * 3600);
        let runners = [start(settings()).await.unwrap(), start(settings()).await.unwrap()];
        for _ in 0..300 {
            if world.runs_of("night") > 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(fired(&db).await, (1, 1));
        assert_eq!(world.runs_of("night"), 1);
        for runner in runners {
            runner.stop(Duration::from_secs(1)).await;
        }
    }

    async fn a_schedule_that_is_set_fires_by_itself_until_it_is_removed(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = crate::kit::start(&queue, &world).await;

        let tx = db.begin_write().await.unwrap();
        assert!(queue.set_schedule(&tx, "bad", "not a cron", &Quick::new("x", Way::Well)).await.is_err());
        queue.set_schedule(&tx, "nightly", "* * * * * *", &Quick::new("each second", Way::Well)).await.unwrap();
        tx.commit().await.unwrap();
        while world.runs_of("each second") < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let tx = db.begin_write().await.unwrap();
        assert!(queue.remove_schedule(&tx, "nightly").await.unwrap());
        assert!(!queue.remove_schedule(&tx, "nightly").await.unwrap());
        tx.commit().await.unwrap();

        let (tasks, times) = fired(&db).await;
        assert_eq!(tasks, times, "one task for each time");
        runner.stop(Duration::from_secs(1)).await;
    }
}
