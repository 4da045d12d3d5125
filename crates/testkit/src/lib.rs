//! For tests only: a fresh, migrated database for each test, on both engines.
//!
//! ```ignore
//! testkit::db_test! {
//!     async fn a_name_is_taken_once(db) {
//!         let tx = db.begin_write().await.unwrap();
//!         // ...
//!     }
//! }
//! ```
//!
//! makes `a_name_is_taken_once::sqlite` and `a_name_is_taken_once::postgres`. The second needs a
//! server, whose address is in `TEST_PG_URL` (`scripts/with-postgres.sh` starts one).

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its database should panic")]

pub mod apk;
pub mod counters;
pub mod moto;
pub mod phones;
mod postgres;
mod sqlite;

use std::future::Future;
use std::io::Write as _;
use std::ops::Deref;
use std::path::Path;

use db::Db;
use sea_orm_migration::MigratorTrait as _;
use tempfile::TempDir;

/// The server for the PostgreSQL variants.
pub const SERVER: &str = "TEST_PG_URL";

/// Creates a test for each engine from one body, which gets a fresh database.
#[macro_export]
macro_rules! db_test {
    ($($(#[$attribute:meta])* async fn $name:ident($db:ident) $body:block)+) => {$(
        $(#[$attribute])*
        mod $name {
            #[allow(unused_imports, reason = "not every body needs its surroundings")]
            use super::*;

            async fn on_a_fresh_database($db: $crate::TestDb) $body

            #[test]
            fn sqlite() {
                $crate::run($crate::Engine::Sqlite, on_a_fresh_database);
            }

            #[test]
            fn postgres() {
                $crate::run($crate::Engine::Postgres, on_a_fresh_database);
            }
        }
    )+};
}

/// A database engine that the product supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file in a temporary folder.
    Sqlite,
    /// A database of its own on the server behind [`SERVER`].
    Postgres,
}

/// A migrated database for one test, with a folder for the test's files.
#[derive(Debug)]
pub struct TestDb {
    db: Db,
    url: String,
    folder: TempDir,
}

impl TestDb {
    /// Creates one; `None` if there is no PostgreSQL server for it.
    pub async fn fresh(engine: Engine) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let url = match engine {
            Engine::Sqlite => {
                let file = folder.path().join("test.db");
                sqlite::create_database(&file).await;
                format!("sqlite:{}", file.display())
            }
            Engine::Postgres => postgres::create_database(&server()?).await,
        };
        let db = open(&url).await;
        Some(Self { db, url, folder })
    }

    /// A handle that outlives the borrow, for code that needs to own its database.
    #[must_use]
    pub fn handle(&self) -> Db {
        self.db.clone()
    }

    /// The address, for a second connection or another process.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A folder that is removed with the database.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Closes the database, for code that needs it exclusively.
    pub async fn close(&self) {
        self.handle().close().await.unwrap();
    }

    /// The same test's database opened again after [`TestDb::close`].
    #[must_use]
    pub async fn opened(mut self) -> Self {
        self.db = open(&self.url).await;
        self
    }

    /// Closes and removes the database of a test that made a second one for itself.
    pub async fn remove(self) {
        self.close().await;
        if let Some(server) = server().filter(|_| !self.url.starts_with("sqlite:")) {
            postgres::drop_database(&server, &self.url).await;
        }
    }

    /// Opens the same database again, as a second server would.
    pub async fn reopen(&self) -> Db {
        open(&self.url).await
    }
}

impl Deref for TestDb {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

/// Connections for reading that a test's database has.
pub const READERS: u32 = 4;

/// Opens the database at `url` with few connections.
pub async fn open(url: &str) -> Db {
    let settings = db::Settings { url: url.to_owned(), readers: READERS };
    db::connect(&settings).await.unwrap_or_else(|error| panic!("cannot open {url}: {error}"))
}

/// Migrates a database to the newest schema.
pub async fn migrate(db: &Db) {
    // One transaction: a flush for each statement would be most of a test's time.
    let tx = db.begin_write().await.unwrap();
    migration::Migrator::up(tx.bare(), None).await.unwrap();
    tx.commit().await.unwrap();
}

/// Runs `body` with a fresh database of `engine`, or reports that it does not.
///
/// The database of a failed test stays on the server, for analysis.
pub fn run<Body, Done>(engine: Engine, body: Body)
where
    Body: FnOnce(TestDb) -> Done + Send + 'static,
    Done: Future<Output = ()> + Send + 'static,
{
    // What a test waits for lies on the stack, unoptimized: a long one needs more than the usual two megabytes.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(8 << 20)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let Some(test) = TestDb::fresh(engine).await else { return skip(SERVER) };
        let (url, db) = (test.url.clone(), test.handle());
        // A task of its own, so that the body runs on the pool's threads like the product does.
        if let Err(failure) = tokio::spawn(body(test)).await {
            std::panic::resume_unwind(failure.into_panic());
        }
        _ = db.close().await;
        if engine == Engine::Postgres {
            postgres::drop_database(&server().unwrap(), &url).await;
        }
    });
}

/// Reports that a test did not run because `missing` is; CI does not accept that.
pub fn skip(missing: &str) {
    assert!(std::env::var_os("CI").is_none_or(|value| value.is_empty()), "CI must not skip: {missing} is missing");
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    // Not `eprintln!`, which the test harness would capture.
    _ = writeln!(std::io::stderr(), "test {name} ... SKIPPED: {missing} is missing");
}

fn server() -> Option<String> {
    std::env::var(SERVER).ok().filter(|url| !url.is_empty())
}
