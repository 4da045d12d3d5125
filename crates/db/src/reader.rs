//! One connection that reads, of either engine.

use sea_orm::{ExecResult, QueryResult, Statement, Values};
use sea_query_sqlx::SqlxValues;
use sqlx::query::Query;
use sqlx::{
    AssertSqlSafe, Connection as _, Database, Error, Executor as _, IntoArguments, PgConnection, SqliteConnection,
};

use crate::health::PATIENCE;
use crate::sql::with_codes_in_text;

/// The connection.
#[derive(Debug)]
pub(crate) enum Reader {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Reader {
    pub(crate) async fn execute(&mut self, statement: Statement) -> Result<ExecResult, Error> {
        Ok(match self {
            Self::Sqlite(conn) => query(with_codes_in_text(statement)).execute(conn).await?.into(),
            Self::Postgres(conn) => query(statement).execute(conn).await?.into(),
        })
    }

    pub(crate) async fn execute_unprepared(&mut self, sql: &str) -> Result<ExecResult, Error> {
        let sql = AssertSqlSafe(sql.to_owned());
        Ok(match self {
            Self::Sqlite(conn) => conn.execute(sql).await?.into(),
            Self::Postgres(conn) => conn.execute(sql).await?.into(),
        })
    }

    pub(crate) async fn query_one(&mut self, statement: Statement) -> Result<Option<QueryResult>, Error> {
        Ok(match self {
            Self::Sqlite(conn) => query(with_codes_in_text(statement)).fetch_optional(conn).await?.map(Into::into),
            Self::Postgres(conn) => query(statement).fetch_optional(conn).await?.map(Into::into),
        })
    }

    pub(crate) async fn query_all(&mut self, statement: Statement) -> Result<Vec<QueryResult>, Error> {
        Ok(match self {
            Self::Sqlite(conn) => {
                query(with_codes_in_text(statement)).fetch_all(conn).await?.into_iter().map(Into::into).collect()
            }
            Self::Postgres(conn) => query(statement).fetch_all(conn).await?.into_iter().map(Into::into).collect(),
        })
    }

    /// Waits for the end of a statement whose caller has gone; false if it is not heard of.
    pub(crate) async fn comes_to_rest(&mut self) -> bool {
        match self {
            // A thread of this process: it answers.
            Self::Sqlite(conn) => conn.ping().await.is_ok(),
            Self::Postgres(conn) => tokio::time::timeout(PATIENCE, conn.ping()).await.is_ok_and(|told| told.is_ok()),
        }
    }

    pub(crate) async fn close(self) {
        let closed = match self {
            Self::Sqlite(conn) => conn.close().await,
            Self::Postgres(conn) => tokio::time::timeout(PATIENCE, conn.close()).await.unwrap_or(Ok(())),
        };
        // What it has read is in other hands: nothing is lost with it.
        if let Err(error) = closed {
            tracing::warn!(%error, "a connection for reading could not be closed");
        }
    }
}

fn query<Engine: Database>(statement: Statement) -> Query<'static, Engine, SqlxValues>
where
    SqlxValues: IntoArguments<Engine>,
{
    let Statement { sql, values, db_backend: _ } = statement;
    sqlx::query_with(AssertSqlSafe(sql), SqlxValues(values.unwrap_or(Values(Vec::new()))))
}
