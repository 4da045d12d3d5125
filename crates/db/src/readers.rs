//! Connections that read.
//!
//! The driver's own pool takes a connection back by a task, which first asks the other side whether it is well: a second
//! way there and back for each statement, to a server or to the thread that reads a file. Here only a connection is asked
//! that was given back in the middle of a statement. That another one is broken, whoever uses it next learns, or
//! [`Health::is_usable`] when it has rested.

use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{
    Manager, Metrics, Object, Pool, PoolError, QueueMode, RecycleError, RecycleResult, Timeouts, WeakPool,
};
use scopeguard::ScopeGuard;
use sea_orm::{ConnAcquireErr, DbErr, ExecResult, QueryResult, RuntimeErr, Statement};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::connect::{PATIENCE, RESTED, Source};
use crate::health::Health;
use crate::reader::Reader;
use crate::trouble::Trouble;

/// How often connections that have rested are looked for; and, where all are closed, those that somebody still has.
const ROUND: Duration = Duration::from_mins(1);
const CLOSING: Duration = Duration::from_millis(10);

/// The pool.
#[derive(Clone, Debug)]
pub(crate) struct Readers(Pool<Opener>);

/// How its connections are opened.
#[derive(Debug)]
struct Opener {
    source: Source,
    health: Arc<Health>,
    /// An older connection is not used again.
    lifetime: Option<Duration>,
}

/// A connection that somebody has. One that is dropped is in the middle of a statement; see [`end_its_statement`].
type Lent = ScopeGuard<Object<Opener>, fn(Object<Opener>)>;

impl Manager for Opener {
    type Type = Reader;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<Reader, sqlx::Error> {
        // In a box, since it is larger than all that is done with a connection, and rare.
        Box::pin(self.source.open_reader()).await
    }

    async fn recycle(&self, reader: &mut Reader, about: &Metrics) -> RecycleResult<sqlx::Error> {
        let Reader::Postgres(conn) = reader else { return Ok(()) };
        let is_young = self.lifetime.is_none_or(|lifetime| about.age() < lifetime);
        if is_young && self.health.is_usable(conn, about.age(), about.last_used()).await {
            Ok(())
        } else {
            Err(RecycleError::message("another takes its place"))
        }
    }
}

impl Readers {
    /// At most `connections`, opened when they are needed and closed when they have rested.
    ///
    /// # Errors
    /// When the pool cannot be made.
    pub(crate) fn new(
        source: Source,
        health: Arc<Health>,
        connections: u32,
        lifetime: Option<Duration>,
    ) -> Result<Self, DbErr> {
        let pool = Pool::builder(Opener { source, health, lifetime })
            .max_size(connections as usize)
            // The one that was used last has the most pages and statements that are wanted.
            .queue_mode(QueueMode::Lifo)
            .timeouts(Timeouts { wait: Some(PATIENCE), create: Some(PATIENCE), recycle: None })
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(internal)?;
        tokio::spawn(close_rested(pool.weak()));
        Ok(Self(pool))
    }

    /// Opens one now, to see that it can be.
    ///
    /// # Errors
    /// When it cannot.
    pub(crate) async fn open_one(&self) -> Result<(), DbErr> {
        let lent = self.lend().await?;
        self.give_back(lent, &Ok(()));
        Ok(())
    }

    pub(crate) async fn execute(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = lent.execute(statement).await;
        self.give_back(lent, &outcome);
        outcome.map_err(|error| DbErr::Exec(of_driver(error)))
    }

    pub(crate) async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = lent.execute_unprepared(sql).await;
        self.give_back(lent, &outcome);
        outcome.map_err(|error| DbErr::Exec(of_driver(error)))
    }

    pub(crate) async fn query_one(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = lent.query_one(statement).await;
        self.give_back(lent, &outcome);
        outcome.map_err(|error| DbErr::Query(of_driver(error)))
    }

    pub(crate) async fn query_all(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = lent.query_all(statement).await;
        self.give_back(lent, &outcome);
        outcome.map_err(|error| DbErr::Query(of_driver(error)))
    }

    /// Closes them all, each when it is given back.
    pub(crate) async fn close(self) {
        let Self(pool) = self;
        loop {
            close(pool.retain(|_, _| false).removed).await;
            if pool.status().size == 0 {
                return pool.close();
            }
            sleep(CLOSING).await;
        }
    }

    async fn lend(&self) -> Result<Lent, DbErr> {
        match self.0.get().await {
            Ok(connection) => Ok(scopeguard::guard(connection, end_its_statement)),
            Err(PoolError::Timeout(_)) => Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)),
            Err(PoolError::Closed) => Err(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)),
            Err(PoolError::Backend(error)) => Err(DbErr::Conn(of_driver(error))),
            Err(error @ (PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_))) => Err(internal(error)),
        }
    }

    /// Gives a connection back whose statement is over. If the other side has gone, another takes its place.
    fn give_back<T>(&self, lent: Lent, outcome: &Result<T, sqlx::Error>) {
        let connection = ScopeGuard::into_inner(lent);
        let is_broken = |error: &sqlx::Error| {
            matches!(error, sqlx::Error::Protocol(_)) || Trouble::of_driver(error) == Some(Trouble::Lost)
        };
        if outcome.as_ref().is_err_and(is_broken) {
            drop(Object::take(connection));
            self.0.manager().health.doubt();
        }
    }
}

/// Gives a connection back when the statement is over in the middle of which it was dropped: whoever gets it would wait
/// for that.
fn end_its_statement(mut connection: Object<Opener>) {
    let Ok(runtime) = Handle::try_current() else { return drop(Object::take(connection)) };
    runtime.spawn(async move {
        if !connection.comes_to_rest().await {
            if let Some(pool) = Object::pool(&connection) {
                pool.manager().health.doubt();
            }
            drop(Object::take(connection));
        }
    });
}

/// Closes what has rested, as long as the pool is there.
async fn close_rested(pool: WeakPool<Opener>) {
    loop {
        sleep(ROUND).await;
        let Some(pool) = pool.upgrade() else { return };
        close(pool.retain(|_, about| about.last_used() < RESTED).removed).await;
    }
}

async fn close(readers: Vec<Reader>) {
    for reader in readers {
        reader.close().await;
    }
}

fn of_driver(error: sqlx::Error) -> RuntimeErr {
    RuntimeErr::SqlxError(Arc::new(error))
}

fn internal(error: impl ToString) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use sea_orm::{ConnAcquireErr, DbBackend, DbErr, Statement};
    use sqlx::sqlite::SqliteConnectOptions;
    use tempfile::TempDir;
    use tokio::time::{sleep, timeout};

    use super::Readers;
    use crate::connect::Source;
    use crate::health::Health;

    const QUICK: &str = "SELECT 1";
    const LONG: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000) SELECT count(*) FROM n";

    fn pool(connections: u32) -> (Readers, TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SqliteConnectOptions::new().filename(folder.path().join("file.db")).create_if_missing(true);
        let readers = Readers::new(Source::Sqlite(options), Arc::new(Health::default()), connections, None);
        (readers.expect("a pool"), folder)
    }

    async fn read(readers: &Readers, sql: &str) -> Result<(), DbErr> {
        readers.query_one(Statement::from_string(DbBackend::Sqlite, sql)).await.map(|row| assert!(row.is_some()))
    }

    /// How many connections there are, and how many of them nobody has.
    fn count(readers: &Readers) -> (usize, usize) {
        let status = readers.0.status();
        (status.size, status.available)
    }

    #[tokio::test]
    async fn nobody_waits_for_a_statement_that_was_dropped() {
        let (readers, _folder) = pool(2);
        timeout(Duration::from_millis(50), read(&readers, LONG)).await.expect_err("it takes longer");
        for _ in 0..3 {
            read(&readers, QUICK).await.expect("the other connection is free");
        }
        assert_eq!(count(&readers), (2, 1), "the first is still at work");
        timeout(Duration::from_mins(1), async {
            while count(&readers) != (2, 2) {
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await
        .expect("it comes back when its statement is over");
    }

    #[tokio::test]
    async fn a_connection_whose_thread_has_ended_is_replaced() {
        let (readers, _folder) = pool(1);
        let crashed: Result<(), _> = Err(sqlx::Error::WorkerCrashed);
        readers.give_back(readers.lend().await.expect("there is one"), &crashed);
        assert_eq!(count(&readers), (0, 0));
        read(&readers, QUICK).await.expect("another is opened");
        read(&readers, "SELECT nothing").await.expect_err("there is no such column");
        assert_eq!(count(&readers), (1, 1), "what a statement does wrong is no fault of its connection");
    }

    #[tokio::test]
    async fn all_are_closed_when_the_last_one_is_given_back() {
        let (readers, _folder) = pool(2);
        let lent = readers.lend().await.expect("there is one");
        let closing = tokio::spawn(readers.clone().close());
        sleep(Duration::from_millis(50)).await;
        assert!(!closing.is_finished(), "somebody has one");
        readers.give_back(lent, &Ok(()));
        closing.await.expect("it ends");
        let refused = read(&readers, QUICK).await.expect_err("they are closed");
        assert!(matches!(refused, DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)), "{refused}");
    }
}
