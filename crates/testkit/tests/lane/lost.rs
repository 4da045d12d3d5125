//! Connections that broke, were ended, or were forgotten by the other side: all of a server's.

use std::time::Duration;

use db::{Commits, Db, Trouble};
use sea_orm_migration::sea_orm::{ConnectionTrait as _, DbBackend};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{note, there, write};

/// A way to the PostgreSQL at `url`, and its address, that forgets its connections when told to: both ends stay open, and
/// nothing passes any more. New ones pass.
async fn forgetful(url: &str) -> (String, watch::Sender<u32>) {
    let (before, rest) = url.split_once('@').unwrap();
    let (server, database) = rest.split_once('/').unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("{before}@{}/{database}", listener.local_addr().unwrap());
    let server = server.to_owned();
    let forget = watch::Sender::new(0);
    let forgotten = forget.clone();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let (server, mut forgotten) = (server.clone(), forgotten.subscribe());
            tokio::spawn(async move {
                let mut far = TcpStream::connect(server).await.unwrap();
                tokio::select! {
                    _ = copy_bidirectional(&mut near, &mut far) => {}
                    _ = forgotten.changed() => std::future::pending().await,
                }
            });
        }
    });
    (address, forget)
}

/// Writes until it is there, as somebody does who is told that the database was lost.
async fn insist(away: &Db, db: &Db, n: i64) {
    while !there(db).await.contains(&n) {
        // Refused, or in doubt: what is there decides.
        _ = write(away, n).await;
    }
}

testkit::db_test! {
    async fn a_connection_that_broke_in_the_middle_is_replaced(db) {
        if db.backend() != DbBackend::Postgres {
            return;
        }
        write(&db, 1).await.unwrap();
        let tx = db.begin_write().await.unwrap();
        note(&tx, 2).await.unwrap();
        let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'skyrack'";
        let other = db.reopen().await;
        other.read().execute_unprepared(ended).await.unwrap();
        let commits = Commits::default();
        let error = commits.count(tx.commit()).await.unwrap_err();
        assert_eq!(Trouble::of(&error), Some(Trouble::InDoubt), "its COMMIT was sent and not answered: {error}");
        assert!(commits.any(), "its caller may not be told that nothing was saved");
        let tx = db.begin_write().await.unwrap();
        other.read().execute_unprepared(ended).await.unwrap();
        let error = note(&tx, 2).await.unwrap_err();
        assert_eq!(Trouble::of(&error), Some(Trouble::Lost), "nothing of this is there: {error}");
        let commits = Commits::default();
        commits.count(tx.commit()).await.unwrap_err();
        assert!(!commits.any(), "a statement had failed, so that nothing was asked of the database");
        // The first write after an outage works, whatever happened to the idle connection.
        let again = db.begin_write().await;
        drop(again);
        write(&db, 3).await.unwrap();
        // All but the one that ended the others are gone, which the pool of that one may not know.
        assert_eq!(there(&db.reopen().await).await, [1, 3]);
    }

    async fn a_connection_that_broke_while_it_rested_is_replaced(db) {
        if db.backend() != DbBackend::Postgres {
            return;
        }
        write(&db, 1).await.unwrap();
        let other = db.reopen().await;
        let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'skyrack'";
        other.read().execute_unprepared(ended).await.unwrap();
        write(&db, 2).await.unwrap();
        // So is a reader's, after a moment of idleness.
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(there(&db).await, [1, 2]);
    }

    async fn a_connection_that_is_ended_in_a_statement_is_replaced_at_once(db) {
        if db.backend() != DbBackend::Postgres {
            return;
        }
        write(&db, 1).await.unwrap();
        let (away, other) = (db.reopen().await, db.reopen().await);
        let reader = away.clone();
        let read = tokio::spawn(async move { reader.read().execute_unprepared("SELECT pg_sleep(9)").await.unwrap_err() });
        tokio::time::sleep(Duration::from_millis(300)).await;
        let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(9)%'";
        other.read().execute_unprepared(ended).await.unwrap();
        let error = read.await.unwrap();
        assert_eq!(Trouble::of(&error), Some(Trouble::Lost), "{error}");
        assert_eq!(there(&away).await, [1]);
    }

    async fn a_connection_that_the_other_side_has_forgotten_is_replaced(db) {
        if db.backend() != DbBackend::Postgres {
            return;
        }
        let (address, forget) = forgetful(db.url()).await;
        let away = testkit::open(&address).await;
        write(&away, 1).await.unwrap();
        forget.send_modify(|times| *times += 1);
        // The writer's own connection is one that nothing will ever be heard of.
        insist(&away, &db, 2).await;
        let tx = away.begin_write().await.unwrap();
        forget.send_modify(|times| *times += 1);
        drop(tx);
        insist(&away, &db, 3).await;
        assert_eq!(there(&db).await, [1, 2, 3]);
    }

    async fn readers_that_were_forgotten_in_a_statement_give_their_places_back(db) {
        if db.backend() != DbBackend::Postgres {
            return;
        }
        let (address, forget) = forgetful(db.url()).await;
        let away = testkit::open(&address).await;
        let statement = "SELECT pg_sleep(2)";
        // They take all places of the pool: three whose callers give up, and one who waits for the answer.
        let mut gone = Vec::new();
        for _ in 0..3 {
            let away = away.clone();
            gone.push(tokio::spawn(async move {
                let read = away.read().execute_unprepared(statement);
                timeout(Duration::from_secs(1), read).await.is_err()
            }));
        }
        let waiting = away.clone();
        let waits = tokio::spawn(async move {
            waiting.health().in_time(waiting.read().execute_unprepared(statement)).await.unwrap_err()
        });
        tokio::time::sleep(Duration::from_millis(300)).await;
        forget.send_modify(|times| *times += 1);
        for read in gone {
            assert!(read.await.unwrap(), "it was answered");
        }
        assert_eq!(there(&away).await, Vec::<i64>::new(), "there is place for another");
        let error = waits.await.unwrap();
        assert_eq!(Trouble::of(&error), Some(Trouble::Lost), "{error}");
    }
    async fn a_read_that_nobody_times_ends_as_well(db) {
        if db.backend() != DbBackend::Postgres {
            return;
        }
        let (address, forget) = forgetful(db.url()).await;
        let away = testkit::open(&address).await;
        let reader = away.clone();
        let read = tokio::spawn(async move { reader.read().execute_unprepared("SELECT pg_sleep(2)").await.unwrap_err() });
        tokio::time::sleep(Duration::from_millis(300)).await;
        forget.send_modify(|times| *times += 1);
        // A minute, and not the quarter of an hour after which TCP gives up.
        let error = timeout(Duration::from_secs(75), read).await.expect("nobody has ended it").unwrap();
        assert_eq!(Trouble::of(&error), Some(Trouble::Lost), "{error}");
        assert_eq!(there(&away).await, Vec::<i64>::new(), "there is place for another");
    }
}
