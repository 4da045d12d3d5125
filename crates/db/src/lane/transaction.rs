//! The transaction that writers share, as each of them has it.

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement};

use crate::sql::with_codes_in_text;

/// What a writer reads and writes by.
#[derive(Debug)]
pub struct Transaction(pub(super) DatabaseTransaction);

impl Transaction {
    /// As the library's migrations want it.
    #[must_use]
    pub const fn bare(&self) -> &DatabaseTransaction {
        &self.0
    }

    fn worded(&self, statement: Statement) -> Statement {
        if self.0.get_database_backend() == DbBackend::Sqlite { with_codes_in_text(statement) } else { statement }
    }
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.0.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.0.execute_raw(self.worded(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.0.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.0.query_one_raw(self.worded(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.0.query_all_raw(self.worded(statement)).await
    }
}
