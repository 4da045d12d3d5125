//! The order of tasks: each once, one at a time per lane, urgent ones first.

use std::time::Duration;

use queue::{Creator, TaskState};

use crate::kit::{Quick, Way, ask, engine, start, until};

testkit::db_test! {
    async fn four_runners_run_each_task_exactly_once(db) {
        let (queue, world, _) = engine(&db).await;
        let other = queue::Queue::new(db.reopen().await, kernel::clock::Clock::default());
        let mut runners = Vec::new();
        for queue in [&queue, &other, &queue, &other] {
            runners.push(start(queue, &world).await);
        }

        let jobs = (0..300).map(|n| Quick::new(&format!("job {n}"), Way::Well));
        let tx = db.begin_write().await.unwrap();
        let ids = queue.enqueue_many(&tx, jobs, &Creator::system()).await.unwrap();
        tx.commit().await.unwrap();

        for id in &ids {
            assert_eq!(until(&queue, id, TaskState::Succeeded).await.attempt, 1);
        }
        let runs = world.runs.lock().clone();
        assert_eq!((runs.len(), runs.values().sum::<u32>()), (300, 300));
        for runner in runners {
            runner.stop(Duration::from_secs(5)).await;
        }
    }

    async fn tasks_of_one_lane_never_run_side_by_side(db) {
        let (queue, world, _) = engine(&db).await;
        let other = queue::Queue::new(db.reopen().await, kernel::clock::Clock::default());
        let runners = [start(&queue, &world).await, start(&other, &world).await];

        let jobs = (0..40).map(|n| Quick { lane: Some("card 1".to_owned()), ..Quick::new(&format!("{n}"), Way::Well) });
        let tx = db.begin_write().await.unwrap();
        let ids = queue.enqueue_many(&tx, jobs, &Creator::system()).await.unwrap();
        tx.commit().await.unwrap();
        // A failure in the lane must not block it.
        let failing = Quick { lane: Some("card 1".to_owned()), ..Quick::new("fails", Way::Hopeless) };
        let failing = ask(&queue, &db, &failing).await;

        let mut starts = Vec::new();
        for id in &ids {
            starts.push(until(&queue, id, TaskState::Succeeded).await.started_at);
        }
        until(&queue, &failing, TaskState::Failed).await;
        assert_eq!(world.side_by_side.lock().1, 1, "never two at once");
        assert!(starts.is_sorted(), "in the order they came");
        for runner in runners {
            runner.stop(Duration::from_secs(5)).await;
        }
    }
}
