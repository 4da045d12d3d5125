//! The pool for reading.

use std::pin::{Pin, pin};
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

/// The pool for reading. On a server each statement ends in time, whatever has become of the connection.
#[derive(Clone, Debug)]
pub struct Reads {
    readers: Readers,
    /// Connections that each hold a state of the database, for as long as somebody takes to read it.
    snapshots: DatabaseConnection,
    health: Arc<Health>,
}

impl Reads {
    pub(crate) const fn new(readers: Readers, snapshots: DatabaseConnection, health: Arc<Health>) -> Self {
        Self { readers, snapshots, health }
    }

    /// Which engine this is, also for whoever has not the trait in scope, as with a pool of the library.
    #[must_use]
    pub fn get_database_backend(&self) -> DbBackend {
        self.snapshots.get_database_backend()
    }

    /// Begins a transaction that sees the same from its first statement to its last.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn snapshot(&self) -> Result<DatabaseTransaction, DbErr> {
        // A transaction of SQLite does so by itself.
        let level = (self.get_database_backend() == DbBackend::Postgres).then_some(IsolationLevel::RepeatableRead);
        self.snapshots.begin_with_config(level, None).await
    }

    pub(crate) async fn close(self) -> Result<(), DbErr> {
        self.readers.close().await;
        self.snapshots.close().await
    }

    /// The work is pinned, so that the future of a statement has it once, and not in each of its branches.
    async fn in_time<T>(&self, work: Pin<&mut impl Future<Output = Result<T, DbErr>>>) -> Result<T, DbErr> {
        if self.get_database_backend() == DbBackend::Postgres {
            self.health.within(LONGEST, work).await
        } else {
            work.await
        }
    }
}

#[async_trait]
impl ConnectionTrait for Reads {
    fn get_database_backend(&self) -> DbBackend {
        self.snapshots.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.in_time(pin!(self.readers.execute(statement))).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.in_time(pin!(self.readers.execute_unprepared(sql))).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.in_time(pin!(self.readers.query_one(statement))).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.in_time(pin!(self.readers.query_all(statement))).await
    }
}
