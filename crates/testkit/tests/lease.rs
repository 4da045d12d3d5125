//! Of several consoles on one PostgreSQL one is active, and one that no longer is writes nothing.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::time::{Duration, Instant};

use db::Db;
use db::lease::{Candidate, Console, Lease, Look, keep_out};
use sea_orm_migration::sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use testkit::{Engine, TestDb, run};

fn console(name: &str) -> Console {
    Console {
        holder: format!("{name}-id"),
        name: name.to_owned(),
        address: format!("http://{name}:8080/"),
        files: "s3:one".to_owned(),
    }
}

fn candidate(db: &TestDb, name: &str) -> Candidate {
    Candidate::new(db.url(), console(name)).unwrap()
}

fn taken(look: Look) -> Lease {
    let Look::Taken(lease) = look else { panic!("the lease should be free: {look:?}") };
    *lease
}

/// The lease for a console of this name, and its database handle.
async fn active(db: &TestDb, name: &str) -> (Lease, Db) {
    let lease = taken(candidate(db, name).look().await.unwrap());
    let own = db.reopen().await;
    own.stand_behind(lease.hold());
    (lease, own)
}

async fn execute(db: &Db, sql: &str) {
    db.begin_write().await.unwrap().execute_unprepared(sql).await.unwrap();
}

async fn commit(db: &Db, sql: &str) {
    let tx = db.begin_write().await.unwrap();
    tx.execute_unprepared(sql).await.unwrap();
    tx.commit().await.unwrap();
}

/// As if the holder had been suspended for a while: no waiting, no clock.
async fn age(db: &TestDb) {
    commit(db, "UPDATE console_lease SET beat_at = beat_at - 60000").await;
}

/// The session that the row names.
async fn backend(db: &TestDb) -> i32 {
    let sql = "SELECT backend FROM console_lease";
    let row = db.read().query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap().unwrap();
    row.try_get("", "backend").unwrap()
}

const NOTE: &str = "INSERT INTO kept_count (list, block, cell, n) VALUES (99, 1, 1, 1)";

async fn notes(db: &TestDb) -> i64 {
    let sql = "SELECT count(*) AS n FROM kept_count WHERE list = 99";
    let row = db.read().query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap().unwrap();
    row.try_get("", "n").unwrap()
}

#[test]
fn one_is_active_and_the_others_hear_which() {
    run(Engine::Postgres, |db| async move {
        let first = taken(candidate(&db, "a").look().await.unwrap());
        assert!(first.hold().is_proved() && first.before().is_none());
        let mut second = candidate(&db, "b");
        for _ in 0..2 {
            let Look::Standby(Some(seen)) = second.look().await.unwrap() else { panic!("a is active") };
            assert_eq!(seen.console, console("a"));
            assert!(seen.since.millis() > 0);
        }
        let Err(Some(seen)) = keep_out(db.url()).await.unwrap() else { panic!("a is active") };
        assert_eq!(seen.console.name, "a");

        let (hold, epoch) = (first.hold(), first.hold().epoch());
        first.release().await;
        assert!(hold.is_lost() && !hold.is_proved(), "nothing is answered after the release");
        let next = taken(second.look().await.unwrap());
        assert_eq!(next.hold().epoch(), epoch + 1);
        assert!(next.opens_at() <= Instant::now(), "after a release nobody waits");
        assert_eq!(next.before().unwrap().console.name, "a");
    });
}

#[test]
fn one_that_dies_loses_the_lease_with_its_connection() {
    run(Engine::Postgres, |db| async move {
        let (first, _) = active(&db, "a").await;
        let epoch = first.hold().epoch();
        drop(first);
        let mut second = candidate(&db, "b");
        let next = loop {
            match second.look().await.unwrap() {
                Look::Taken(lease) => break *lease,
                // The database has not noticed yet.
                Look::Standby(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        assert_eq!(next.hold().epoch(), epoch + 1);
        // Its heartbeat was valid for two seconds; for that long it might have answered reads.
        assert!(next.opens_at() > Instant::now());
    });
}

#[test]
fn the_same_installation_does_not_wait_for_itself() {
    run(Engine::Postgres, |db| async move {
        drop(active(&db, "a").await);
        let mut again = candidate(&db, "a");
        let next = loop {
            match again.look().await.unwrap() {
                Look::Taken(lease) => break *lease,
                Look::Standby(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        assert!(next.opens_at() <= Instant::now());
    });
}

#[test]
fn a_sleeper_in_the_middle_of_a_batch_writes_nothing_when_he_wakes() {
    run(Engine::Postgres, |db| async move {
        let (mut sleeper, its_db) = active(&db, "a").await;
        let under_way = its_db.begin_write().await.unwrap();
        under_way.execute_unprepared(NOTE).await.unwrap();
        age(&db).await;

        let (next, next_db) = active(&db, "b").await;
        assert!(under_way.commit().await.is_err(), "the batch of the sleeper was committed");
        assert_eq!(notes(&db).await, 0);
        assert!(its_db.begin_write().await.is_err(), "the sleeper began another batch");
        assert!(!sleeper.beat().await && sleeper.hold().is_lost());

        let tx = next_db.begin_write().await.unwrap();
        tx.execute_unprepared(NOTE).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(notes(&db).await, 1);
        assert!(next.hold().is_proved());
    });
}

#[test]
fn one_that_takes_over_ends_no_session_of_another_database() {
    run(Engine::Postgres, |db| async move {
        // Both are copies of one template, so that their tables have the same numbers, and locks are listed for all
        // databases of the server.
        let neighbour = TestDb::fresh(Engine::Postgres).await.unwrap();
        let (mut its_lease, its_db) = active(&neighbour, "neighbour").await;
        let under_way = its_db.begin_write().await.unwrap();
        under_way.execute_unprepared(NOTE).await.unwrap();

        let (_sleeper, sleepers_db) = active(&db, "a").await;
        let asleep = sleepers_db.begin_write().await.unwrap();
        asleep.execute_unprepared(NOTE).await.unwrap();
        age(&db).await;
        let (_next, next_db) = active(&db, "b").await;
        assert!(asleep.commit().await.is_err(), "the batch of the sleeper was committed");
        under_way.commit().await.expect("a batch of the neighbour was ended");
        assert_eq!(notes(&neighbour).await, 1);

        // As if the session of `b` were long gone, and the neighbour's had got its number.
        let session = backend(&neighbour).await;
        let sql = format!("UPDATE console_lease SET backend = {session}, beat_at = beat_at - 60000");
        commit(&next_db, &sql).await;
        assert!(matches!(candidate(&db, "c").look().await.unwrap(), Look::Standby(_)), "the lock is not free");
        // A session that had been ended would be noticed by this heartbeat, and replaced by the next one.
        assert!(its_lease.beat().await && its_lease.beat().await);
        assert_eq!(backend(&neighbour).await, session, "the session of the neighbour was ended");
        drop((its_lease, its_db));
        neighbour.remove().await;
    });
}

#[test]
fn the_fence_alone_stops_a_writer_with_a_fresh_connection() {
    run(Engine::Postgres, |db| async move {
        let (first, its_db) = active(&db, "a").await;
        let hold = first.hold();
        age(&db).await;
        let (_next, _) = active(&db, "b").await;
        // Its pool opens a new connection: only the epoch shows that its term is over.
        let fresh = db.reopen().await;
        fresh.stand_behind(hold.clone());
        let refused = fresh.begin_write().await.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("another console has taken over"), "{refused}");
        assert!(hold.is_lost(), "the first refusal ends the term");
        drop(its_db);
    });
}

#[test]
fn beats_and_batches_do_not_wait_for_each_other() {
    run(Engine::Postgres, |db| async move {
        let (mut lease, own) = active(&db, "a").await;
        let long = own.begin_write().await.unwrap();
        long.execute_unprepared(NOTE).await.unwrap();
        // With a lock that conflicts this would end in `lock_timeout`.
        for _ in 0..3 {
            assert!(lease.beat().await && lease.hold().is_proved());
        }
        long.commit().await.unwrap();
        assert_eq!(notes(&db).await, 1);
    });
}

#[test]
fn a_session_that_breaks_is_made_anew_and_the_lease_stays() {
    run(Engine::Postgres, |db| async move {
        let (mut lease, own) = active(&db, "a").await;
        execute(&db, "SELECT pg_terminate_backend(backend) FROM console_lease").await;
        // The first heartbeat finds the broken connection, the next one opens another.
        assert!(lease.beat().await && lease.beat().await);
        let Look::Standby(Some(seen)) = candidate(&db, "b").look().await.unwrap() else { panic!("a is active") };
        assert_eq!(seen.console.name, "a");
        own.begin_write().await.unwrap().commit().await.unwrap();
        assert!(lease.hold().is_proved());
    });
}

#[test]
fn of_two_that_want_to_take_over_one_does() {
    run(Engine::Postgres, |db| async move {
        let (first, _) = active(&db, "a").await;
        age(&db).await;
        let (mut b, mut c) = (candidate(&db, "b"), candidate(&db, "c"));
        let (b, c) = tokio::join!(b.look(), c.look());
        let leases: Vec<Lease> = [b.unwrap(), c.unwrap()]
            .into_iter()
            .filter_map(|look| match look {
                Look::Taken(lease) => Some(*lease),
                Look::Standby(_) => None,
            })
            .collect();
        assert_eq!(leases.len(), 1);
        assert_eq!(leases[0].hold().epoch(), first.hold().epoch() + 1);
        assert!(leases[0].hold().is_proved());
    });
}

#[test]
fn an_empty_database_can_be_begun() {
    run(Engine::Postgres, |db| async move {
        let tx = db.begin_write().await.unwrap();
        tx.execute_unprepared("DROP TABLE console_lease").await.unwrap();
        tx.commit().await.unwrap();
        let (lease, own) = active(&db, "a").await;
        assert_eq!(lease.hold().epoch(), 1);
        own.begin_write().await.unwrap().commit().await.unwrap();
    });
}

#[test]
fn a_command_that_wants_silence_keeps_consoles_out() {
    run(Engine::Postgres, |db| async move {
        taken(candidate(&db, "before").look().await.unwrap()).release().await;
        let Ok(held) = keep_out(db.url()).await.unwrap() else { panic!("nobody is active") };
        // Another command is not told that the console that ended is the one to stop.
        assert!(matches!(keep_out(db.url()).await.unwrap(), Err(None)));
        let mut console = candidate(&db, "a");
        assert!(matches!(console.look().await.unwrap(), Look::Standby(None)));
        // One that is killed loses its connection, which the database may notice a moment later.
        drop(held);
        assert!(keep_out(db.url()).await.unwrap().is_ok(), "a lock that a kill left is in nobody's way");
    });
}
