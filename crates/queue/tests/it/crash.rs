//! What a crash leaves behind, and how it is recovered.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use db::sql::statement;
use queue::{Runner, Settings, TaskState};
use sea_orm::ConnectionTrait as _;

use crate::kit::{Count, Quick, Way, World, ask, effects, engine, registry, settings, start, until};

/// Tells the child which database to use.
const CHILD: &str = "QUEUE_TEST_CHILD";

testkit::db_test! {
    async fn a_run_whose_lease_was_lost_can_write_nothing(db) {
        let (queue, world, _) = engine(&db).await;
        // A server that sends no heartbeat: its lease expires while it is still working. Nor does it look for what has: it would
        // take up its own task where the other server is slow to start.
        let never = Duration::from_secs(600);
        let asleep = Settings { heartbeat: never, poll: never, lease: Duration::from_millis(200), ..settings() };
        let slow = Runner::start(queue.clone(), registry(), world.clone(), asleep).await.unwrap();
        let id = ask(&queue, &db, &Count { name: "slow".into(), until: 4, step: 2, pause_ms: 1500 }).await;
        while effects(&db).await.0 < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }

        let other_queue = queue::Queue::new(db.reopen().await, kernel::clock::Clock::default());
        let other_world = World::default();
        let other = start(&other_queue, &other_world).await;
        let task = until(&queue, &id, TaskState::Succeeded).await;
        tokio::time::sleep(Duration::from_millis(1600)).await;

        assert_eq!((task.attempt, other_world.runs_of("slow")), (2, 1));
        assert_eq!(effects(&db).await, (4, 4), "the first run's second batch was refused");
        let unchanged = queue.find(&id).await.unwrap().unwrap();
        assert_eq!(unchanged, task, "the first run wrote no end either");
        slow.stop(Duration::from_secs(5)).await;
        other.stop(Duration::from_secs(5)).await;
    }

    async fn a_task_that_kills_its_server_is_given_up(db) {
        let (queue, world, _) = engine(&db).await;
        let id = ask(&queue, &db, &Quick::new("poison", Way::Well)).await;
        // As two crashes would leave it: running, out of attempts, and silent for long.
        let tx = db.begin_write().await.unwrap();
        let text = "UPDATE task SET state = 2, attempt = 2, tries = 2, lease_until = 1";
        tx.execute_raw(statement(db.backend(), text, [])).await.unwrap();
        tx.commit().await.unwrap();

        let runner = start(&queue, &world).await;
        let task = until(&queue, &id, TaskState::Failed).await;
        assert!(task.message().unwrap().zh.contains("多次中断"));
        assert_eq!(world.runs_of("poison"), 0);
        runner.stop(Duration::from_secs(1)).await;
    }

    async fn kill_9_in_mid_task_loses_nothing_and_does_nothing_twice(db) {
        const UNTIL: i64 = 400;
        let (queue, _, _) = engine(&db).await;
        let id = ask(&queue, &db, &Count { name: "victim".into(), until: UNTIL, step: 4, pause_ms: 2 }).await;

        let mut kills = 0;
        let mut at = 0;
        while kills < 6 {
            let mut child = Process(spawn_child(db.url()));
            // Let it make some progress, so that each run has something to lose.
            while effects(&db).await.0 < at + 20 && queue.find(&id).await.unwrap().unwrap().state != TaskState::Succeeded {
                assert!(child.0.try_wait().unwrap().is_none(), "the child ended by itself");
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
            child.0.kill().unwrap();
            child.0.wait().unwrap();
            at = effects(&db).await.0;
            kills += 1;
        }
        let task = queue.find(&id).await.unwrap().unwrap();
        assert_eq!(task.state, TaskState::Running, "nobody could write an end");
        assert_eq!(task.checkpoint, Some(at.to_string()), "the checkpoint is as far as the work");

        let _child = Process(spawn_child(db.url()));
        let task = until(&queue, &id, TaskState::Succeeded).await;
        assert_eq!(effects(&db).await, (UNTIL, UNTIL));
        assert_eq!(task.attempt, 7, "each life was one run");
    }
}

/// A child that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// This very binary, as a server that runs tasks until it is killed.
fn spawn_child(url: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child_of_the_kill_test", "--ignored", "--nocapture"])
        .env(CHILD, url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "it is the process that the kill test starts and kills"]
fn child_of_the_kill_test() {
    let url = std::env::var(CHILD).unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let db = testkit::open(&url).await;
        let queue = queue::Queue::new(db, kernel::clock::Clock::default());
        let settings = Settings { is_alone: true, ..settings() };
        let _runner = Runner::start(queue, registry(), World::default(), settings).await.unwrap();
        std::future::pending::<()>().await;
    });
}
