//! The pool for reading.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult, IsolationLevel,
    QueryResult, Statement, TransactionTrait as _,
};

use crate::health::Health;
use crate::readers::Readers;

/// No statement of ours takes longer on a server, unless its connection is one that the other side has forgotten: TCP would
/// wait a quarter of an hour before it says so.
const LONGEST: Duration = Duration::from_mins(1);

/// The pool for reading.
#[derive(Clone, Debug)]
pub struct Reads(Pool);

#[derive(Clone, Debug)]
enum Pool {
    /// Of a file.
    Sqlite { readers: Readers, snapshots: DatabaseConnection },
    /// Of a server: each statement ends in time, whatever has become of the connection.
    Postgres { pool: DatabaseConnection, health: Arc<Health> },
}

impl Reads {
    pub(crate) const fn of_file(readers: Readers, snapshots: DatabaseConnection) -> Self {
        Self(Pool::Sqlite { readers, snapshots })
    }

    pub(crate) const fn of_server(pool: DatabaseConnection, health: Arc<Health>) -> Self {
        Self(Pool::Postgres { pool, health })
    }

    /// Which engine this is, also for whoever has not the trait in scope, as with a pool of the library.
    #[must_use]
    pub const fn get_database_backend(&self) -> DbBackend {
        match &self.0 {
            Pool::Sqlite { .. } => DbBackend::Sqlite,
            Pool::Postgres { .. } => DbBackend::Postgres,
        }
    }

    /// Begins a transaction that sees the same from its first statement to its last.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn snapshot(&self) -> Result<DatabaseTransaction, DbErr> {
        match &self.0 {
            // A transaction of SQLite does so by itself.
            Pool::Sqlite { snapshots, .. } => snapshots.begin().await,
            Pool::Postgres { pool, .. } => pool.begin_with_config(Some(IsolationLevel::RepeatableRead), None).await,
        }
    }

    pub(crate) async fn close(self) -> Result<(), DbErr> {
        match self.0 {
            Pool::Sqlite { readers, snapshots } => {
                readers.close().await;
                snapshots.close().await
            }
            Pool::Postgres { pool, .. } => pool.close().await,
        }
    }
}

#[async_trait]
impl ConnectionTrait for Reads {
    fn get_database_backend(&self) -> DbBackend {
        self.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &self.0 {
            Pool::Sqlite { readers, .. } => readers.execute(statement).await,
            Pool::Postgres { pool, health } => health.within(LONGEST, pool.execute_raw(statement)).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match &self.0 {
            Pool::Sqlite { readers, .. } => readers.execute_unprepared(sql).await,
            Pool::Postgres { pool, health } => health.within(LONGEST, pool.execute_unprepared(sql)).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &self.0 {
            Pool::Sqlite { readers, .. } => readers.query_one(statement).await,
            Pool::Postgres { pool, health } => health.within(LONGEST, pool.query_one_raw(statement)).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &self.0 {
            Pool::Sqlite { readers, .. } => readers.query_all(statement).await,
            Pool::Postgres { pool, health } => health.within(LONGEST, pool.query_all_raw(statement)).await,
        }
    }
}
