//! Connections that read a SQLite file.
//!
//! The driver's own pool takes a connection back by a task, which first asks the connection's thread whether it is well: a
//! second way there and back for each statement. A file does not go away, so only a connection is asked that was given
//! back in the middle of a statement.

use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, QueueMode, RecycleResult, Timeouts, WeakPool};
use scopeguard::ScopeGuard;
use sea_orm::{ConnAcquireErr, DbErr, ExecResult, QueryResult, RuntimeErr, Statement, Values};
use sea_query_sqlx::SqlxValues;
use sqlx::query::Query;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Sqlite, SqliteConnection};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::connect::{PATIENCE, RESTED};

/// How often connections that have rested are looked for; and, where all are closed, those that somebody still has.
const ROUND: Duration = Duration::from_mins(1);
const CLOSING: Duration = Duration::from_millis(10);

/// The pool.
#[derive(Clone, Debug)]
pub(crate) struct Readers(Pool<Opener>);

#[derive(Debug)]
struct Opener(SqliteConnectOptions);

/// A connection that somebody has. One that is dropped is in the middle of a statement; see [`give_back`].
type Lent = ScopeGuard<Object<Opener>, fn(Object<Opener>)>;

impl Manager for Opener {
    type Type = SqliteConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<SqliteConnection, sqlx::Error> {
        self.0.connect().await
    }

    async fn recycle(&self, _: &mut SqliteConnection, _: &Metrics) -> RecycleResult<sqlx::Error> {
        Ok(())
    }
}

impl Readers {
    /// At most `connections`, opened when they are needed and closed when they have rested.
    ///
    /// # Errors
    /// When the first cannot be opened.
    pub(crate) async fn open(options: SqliteConnectOptions, connections: u32) -> Result<Self, DbErr> {
        let pool = Pool::builder(Opener(options))
            .max_size(connections as usize)
            // The one that was used last has the most pages and statements that are wanted.
            .queue_mode(QueueMode::Lifo)
            .timeouts(Timeouts { wait: Some(PATIENCE), create: Some(PATIENCE), recycle: None })
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(internal)?;
        tokio::spawn(close_rested(pool.weak()));
        let readers = Self(pool);
        give_back(readers.lend().await?, &Ok(()));
        Ok(readers)
    }

    pub(crate) async fn execute(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = query(statement).execute(&mut **lent).await;
        give_back(lent, &outcome);
        outcome.map(Into::into).map_err(|error| DbErr::Exec(of_driver(error)))
    }

    pub(crate) async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = (&mut **lent).execute(AssertSqlSafe(sql.to_owned())).await;
        give_back(lent, &outcome);
        outcome.map(Into::into).map_err(|error| DbErr::Exec(of_driver(error)))
    }

    pub(crate) async fn query_one(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = query(statement).fetch_optional(&mut **lent).await;
        give_back(lent, &outcome);
        outcome.map(|row| row.map(Into::into)).map_err(|error| DbErr::Query(of_driver(error)))
    }

    pub(crate) async fn query_all(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let mut lent = self.lend().await?;
        let outcome = query(statement).fetch_all(&mut **lent).await;
        give_back(lent, &outcome);
        let rows = outcome.map_err(|error| DbErr::Query(of_driver(error)))?;
        Ok(rows.into_iter().map(Into::into).collect())
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
}

/// Gives a connection back whose statement is over. If its thread has ended, another takes its place.
fn give_back<T>(lent: Lent, outcome: &Result<T, sqlx::Error>) {
    let connection = ScopeGuard::into_inner(lent);
    if matches!(outcome, Err(sqlx::Error::WorkerCrashed)) {
        drop(Object::take(connection));
    }
}

/// Gives a connection back when the statement is over in the middle of which it was dropped: whoever gets it would wait
/// for that.
fn end_its_statement(mut connection: Object<Opener>) {
    let Ok(runtime) = Handle::try_current() else { return drop(Object::take(connection)) };
    runtime.spawn(async move {
        if connection.ping().await.is_err() {
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

async fn close(connections: Vec<SqliteConnection>) {
    for connection in connections {
        // What it has read is in other hands: nothing is lost with it.
        if let Err(error) = connection.close().await {
            tracing::warn!(%error, "a connection for reading could not be closed");
        }
    }
}

fn query(statement: Statement) -> Query<'static, Sqlite, SqlxValues> {
    let Statement { sql, values, db_backend: _ } = statement;
    sqlx::query_with(AssertSqlSafe(sql), SqlxValues(values.unwrap_or(Values(Vec::new()))))
}

fn of_driver(error: sqlx::Error) -> RuntimeErr {
    RuntimeErr::SqlxError(Arc::new(error))
}

fn internal(error: impl ToString) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sea_orm::{ConnAcquireErr, DbBackend, DbErr, Statement};
    use sqlx::sqlite::SqliteConnectOptions;
    use tempfile::TempDir;
    use tokio::time::{sleep, timeout};

    use super::{Readers, give_back};

    const QUICK: &str = "SELECT 1";
    const LONG: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000) SELECT count(*) FROM n";

    async fn opened(connections: u32) -> (Readers, TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SqliteConnectOptions::new().filename(folder.path().join("file.db")).create_if_missing(true);
        (Readers::open(options, connections).await.expect("it opens"), folder)
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
        let (readers, _folder) = opened(2).await;
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
        let (readers, _folder) = opened(1).await;
        let crashed: Result<(), _> = Err(sqlx::Error::WorkerCrashed);
        give_back(readers.lend().await.expect("there is one"), &crashed);
        assert_eq!(count(&readers), (0, 0));
        read(&readers, QUICK).await.expect("another is opened");
        read(&readers, "SELECT nothing").await.expect_err("there is no such column");
        assert_eq!(count(&readers), (1, 1), "what a statement does wrong is no fault of its connection");
    }

    #[tokio::test]
    async fn all_are_closed_when_the_last_one_is_given_back() {
        let (readers, _folder) = opened(2).await;
        let lent = readers.lend().await.expect("there is one");
        let closing = tokio::spawn(readers.clone().close());
        sleep(Duration::from_millis(50)).await;
        assert!(!closing.is_finished(), "somebody has one");
        give_back(lent, &Ok(()));
        closing.await.expect("it ends");
        let refused = read(&readers, QUICK).await.expect_err("they are closed");
        assert!(matches!(refused, DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)), "{refused}");
    }
}
