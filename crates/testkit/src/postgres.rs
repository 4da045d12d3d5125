//! Databases on a PostgreSQL server: migrated once per test binary, then copied for each test.

use std::os::unix::fs::MetadataExt as _;
use std::str::FromStr as _;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

/// Keeps two processes from creating the same template at the same time.
const TEMPLATE_LOCK: i64 = 0x736b_7972_6163_6b02;

/// Creates a migrated database on `server` and returns its address.
pub(crate) async fn create_database(server: &str) -> String {
    let mut conn = connect(server).await;
    let template = template(server, &mut conn).await;
    let name = format!("skyrack_test_{}", uuid::Uuid::new_v4().simple());
    // A copy of the template's files, which is quicker than writing each page into the log. PostgreSQL 14 knows no other.
    let version: i32 =
        sqlx::query_scalar("SELECT current_setting('server_version_num')::int").fetch_one(&mut conn).await.unwrap();
    let how = if version >= 150_000 { "STRATEGY FILE_COPY" } else { "" };
    execute(&mut conn, format!("CREATE DATABASE {name} TEMPLATE {template} {how}")).await;
    conn.close().await.unwrap();
    with_database(server, &name)
}

/// Drops the database behind `url`.
pub(crate) async fn drop_database(server: &str, url: &str) {
    let name = url.rsplit('/').next().unwrap_or_default();
    let mut conn = connect(server).await;
    execute(&mut conn, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    conn.close().await.unwrap();
}

/// The name of the migrated database that tests copy. A new build of the test creates a new one, since its migrations
/// may have changed.
async fn template(server: &str, conn: &mut PgConnection) -> String {
    let build = std::fs::metadata(std::env::current_exe().unwrap()).unwrap();
    let name = format!("skyrack_template_{}_{}_{}", build.ino(), build.mtime(), build.mtime_nsec());
    execute(conn, format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).await;
    let known: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate)")
            .bind(&name)
            .fetch_one(&mut *conn)
            .await
            .unwrap();
    if !known {
        // Without the mark it was left incomplete by a killed run.
        execute(conn, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        execute(conn, format!("CREATE DATABASE {name}")).await;
        let db = crate::open(&with_database(server, &name)).await;
        crate::migrate(&db).await;
        db.close().await.unwrap();
        execute(conn, format!("ALTER DATABASE {name} IS_TEMPLATE true")).await;
    }
    execute(conn, format!("SELECT pg_advisory_unlock({TEMPLATE_LOCK})")).await;
    name
}

async fn connect(server: &str) -> PgConnection {
    let options = PgConnectOptions::from_str(server).unwrap().disable_statement_logging();
    options.connect().await.unwrap_or_else(|error| panic!("no PostgreSQL at {}: {error}", crate::SERVER))
}

async fn execute(conn: &mut PgConnection, sql: String) {
    // Only names of our own are inserted into these statements.
    conn.execute(AssertSqlSafe(sql)).await.unwrap();
}

fn with_database(server: &str, name: &str) -> String {
    let (base, _) = server.rsplit_once('/').expect("the server's address ends with a database");
    format!("{base}/{name}")
}
