//! How tasks end: successfully, after failures, never, by a person, by a stop.

use std::time::Duration;

use kernel::lang::Lang;
use queue::{Cancelled, Creator, Runner, Settings, TaskState};

use crate::kit::{Count, Quick, Way, ask, effects, engine, registry, settings, start, until};

const GRACE: Duration = Duration::from_secs(5);

testkit::db_test! {
    async fn a_task_runs_to_its_end_and_says_what_it_made(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = start(&queue, &world).await;

        let id = ask(&queue, &db, &Count { name: "a".into(), until: 10, step: 3, pause_ms: 0 }).await;
        let task = until(&queue, &id, TaskState::Succeeded).await;

        assert_eq!(task.title().get(Lang::Zh), "数到 10");
        assert_eq!(task.message().unwrap().get(Lang::En), "Counted");
        assert_eq!((task.done, task.total), (10, Some(10)));
        assert_eq!(task.result().unwrap().name, "numbers.txt");
        assert_eq!(task.created_by_name, "wang");
        assert!(task.started_at >= Some(task.created_at) && task.finished_at >= task.started_at);
        assert_eq!((task.lease_until, task.attempt), (None, 1));
        assert_eq!(effects(&db).await, (10, 10));
        runner.stop(GRACE).await;
    }

    async fn a_task_of_a_transaction_that_is_undone_never_was(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = start(&queue, &world).await;

        let tx = db.begin_write().await.unwrap();
        let id = queue.enqueue(&tx, &Quick::new("ghost", Way::Well), &Creator::system()).await.unwrap();
        drop(tx);

        // A later task that is done proves that the claim had its chance.
        let later = ask(&queue, &db, &Quick::new("later", Way::Well)).await;
        until(&queue, &later, TaskState::Succeeded).await;
        assert_eq!(queue.find(&id).await.unwrap(), None);
        assert_eq!(world.runs_of("ghost"), 0);
        runner.stop(GRACE).await;
    }

    async fn a_passing_failure_is_tried_again_and_a_lasting_one_given_up(db) {
        let (queue, world, clock) = engine(&db).await;
        // A machine that stands still for a second takes no run from its server here.
        let patient = Settings { lease: Duration::from_secs(30), ..settings() };
        let runner = Runner::start(queue.clone(), registry(), world.clone(), patient).await.unwrap();

        let passing = ask(&queue, &db, &Quick::new("passing", Way::FailsFirst(1))).await;
        let lasting = ask(&queue, &db, &Quick::new("lasting", Way::FailsFirst(99))).await;
        let panics = ask(&queue, &db, &Quick::new("panics", Way::Panics)).await;
        while world.runs_of("passing") + world.runs_of("lasting") + world.runs_of("panics") < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // A run that goes on as the clock jumps would lose its lease.
        for id in [&passing, &lasting, &panics] {
            until(&queue, id, TaskState::Queued).await;
        }
        clock.advance_seconds(60);

        until(&queue, &passing, TaskState::Succeeded).await;
        until(&queue, &lasting, TaskState::Failed).await;
        let task = until(&queue, &panics, TaskState::Failed).await;
        assert_eq!([world.runs_of("passing"), world.runs_of("lasting"), world.runs_of("panics")], [2, 2, 2]);
        assert_eq!(task.message().unwrap().get(Lang::Zh), "任务多次执行出错，已停止。请稍后重试，或凭任务编号查看服务日志。");
        runner.stop(GRACE).await;
    }

    async fn a_hopeless_failure_is_not_tried_again_until_a_person_retries(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = start(&queue, &world).await;

        let id = ask(&queue, &db, &Quick::new("empty", Way::Hopeless)).await;
        let task = until(&queue, &id, TaskState::Failed).await;
        assert_eq!(task.message().unwrap().get(Lang::Zh), "文件是空的");
        assert_eq!(world.runs_of("empty"), 1);

        let tx = db.begin_write().await.unwrap();
        assert!(queue.retry(&tx, &id).await.unwrap());
        assert!(!queue.retry(&tx, &id).await.unwrap(), "it is queued already");
        tx.commit().await.unwrap();
        until(&queue, &id, TaskState::Failed).await;
        assert_eq!(world.runs_of("empty"), 2);
        runner.stop(GRACE).await;
    }

    async fn a_queued_task_is_cancelled_at_once_and_stays_so(db) {
        let (queue, world, _) = engine(&db).await;
        let id = ask(&queue, &db, &Quick::new("never", Way::Well)).await;

        let tx = db.begin_write().await.unwrap();
        assert_eq!(queue.cancel(&tx, &id).await.unwrap(), Cancelled::AtOnce);
        assert_eq!(queue.cancel(&tx, &id).await.unwrap(), Cancelled::TooLate);
        tx.commit().await.unwrap();

        let runner = start(&queue, &world).await;
        let later = ask(&queue, &db, &Quick::new("later", Way::Well)).await;
        until(&queue, &later, TaskState::Succeeded).await;
        assert_eq!(queue.find(&id).await.unwrap().unwrap().state, TaskState::Cancelled);
        assert_eq!(world.runs_of("never"), 0);
        runner.stop(GRACE).await;
    }

    async fn a_running_task_is_cancelled_at_its_next_checkpoint_and_goes_on_when_retried(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = start(&queue, &world).await;
        let id = ask(&queue, &db, &Count { name: "long".into(), until: 60, step: 2, pause_ms: 15 }).await;
        while effects(&db).await.0 < 6 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }

        let tx = db.begin_write().await.unwrap();
        assert_eq!(queue.cancel(&tx, &id).await.unwrap(), Cancelled::Asked);
        tx.commit().await.unwrap();
        let task = until(&queue, &id, TaskState::Cancelled).await;
        let (rows, _) = effects(&db).await;
        assert!(rows < 60, "it was still under way");
        assert_eq!(task.checkpoint, Some(rows.to_string()), "the batch under way is undone");

        let tx = db.begin_write().await.unwrap();
        assert!(queue.retry(&tx, &id).await.unwrap());
        tx.commit().await.unwrap();
        until(&queue, &id, TaskState::Succeeded).await;
        assert_eq!(effects(&db).await, (60, 60), "nothing was done twice");
        runner.stop(GRACE).await;
    }

    async fn a_job_that_waits_hears_the_cancel_soon(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = start(&queue, &world).await;
        let id = ask(&queue, &db, &Quick::new("waits", Way::Waits)).await;
        until(&queue, &id, TaskState::Running).await;

        let tx = db.begin_write().await.unwrap();
        queue.cancel(&tx, &id).await.unwrap();
        tx.commit().await.unwrap();

        until(&queue, &id, TaskState::Cancelled).await;
        runner.stop(GRACE).await;
    }

    async fn a_stop_releases_what_runs_and_the_next_start_goes_on(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = start(&queue, &world).await;
        let count = ask(&queue, &db, &Count { name: "long".into(), until: 60, step: 2, pause_ms: 10 }).await;
        let deaf = ask(&queue, &db, &Quick::new("deaf", Way::Sleeps)).await;
        while effects(&db).await.0 < 6 || world.runs_of("deaf") < 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }

        runner.stop(Duration::from_millis(300)).await;
        for id in [&count, &deaf] {
            let task = queue.find(id).await.unwrap().unwrap();
            assert_eq!((task.state, task.tries, task.lease_until), (TaskState::Queued, 0, None));
        }

        let runner = start(&queue, &world).await;
        until(&queue, &count, TaskState::Succeeded).await;
        assert_eq!(effects(&db).await, (60, 60));
        runner.stop(Duration::from_millis(100)).await;
    }

    async fn watchers_hear_of_each_step(db) {
        let (queue, world, _) = engine(&db).await;
        let runner = start(&queue, &world).await;
        let mut events = queue.events();

        let id = ask(&queue, &db, &Quick::new("seen", Way::Well)).await;

        let mut seen = Vec::new();
        while seen.last() != Some(&TaskState::Succeeded) {
            let event = tokio::time::timeout(GRACE, events.recv()).await.unwrap().unwrap();
            assert_eq!((&event.id, event.created_by), (&id, Some(entity::OperatorId(7))));
            seen.push(event.state);
        }
        assert!(seen.contains(&TaskState::Running), "{seen:?}");
        runner.stop(GRACE).await;
    }

    async fn old_tasks_are_forgotten_and_retried_ones_kept(db) {
        let (queue, world, clock) = engine(&db).await;
        let runner = start(&queue, &world).await;
        let old = ask(&queue, &db, &Count { name: "old".into(), until: 1, step: 1, pause_ms: 0 }).await;
        let again = ask(&queue, &db, &Quick::new("again", Way::Hopeless)).await;
        until(&queue, &old, TaskState::Succeeded).await;
        until(&queue, &again, TaskState::Failed).await;
        runner.stop(GRACE).await;
        clock.advance_seconds(3600);

        let expired = queue.expired(clock.now().plus_seconds(-60), 10).await.unwrap();
        assert_eq!(expired.len(), 2);
        assert_eq!(expired.iter().find(|task| task.id == old).unwrap().result_key.as_deref(), Some("result/1"));
        let tx = db.begin_write().await.unwrap();
        queue.retry(&tx, &again).await.unwrap();
        let ids: Vec<_> = expired.into_iter().map(|task| task.id).collect();
        assert_eq!(queue.forget(&tx, &ids).await.unwrap(), 1);
        tx.commit().await.unwrap();

        assert_eq!(queue.find(&old).await.unwrap(), None);
        assert_eq!(queue.find(&again).await.unwrap().unwrap().state, TaskState::Queued);
    }
}
