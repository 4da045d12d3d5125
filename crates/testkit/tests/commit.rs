//! What a database refuses only at the COMMIT is told as what it refuses at a statement: callers tell a name that is
//! taken, a broken reference and a thing to try again apart by the engine's code.

#![expect(clippy::unwrap_used, reason = "this is a test")]

use db::{Db, Trouble};
use sea_orm_migration::sea_orm::{ConnectionTrait as _, DbBackend, DbErr, SqlErr, Statement};

async fn write(db: &Db, sql: &str) -> Result<(), DbErr> {
    let tx = db.begin_write().await?;
    tx.execute_unprepared(sql).await?;
    tx.commit().await
}

/// The error of a COMMIT whose statement was taken.
async fn refused(db: &Db, sql: &str) -> DbErr {
    let tx = db.begin_write().await.unwrap();
    tx.execute_unprepared(sql).await.unwrap();
    tx.commit().await.unwrap_err()
}

async fn names(db: &Db) -> Vec<String> {
    let sql = "SELECT name FROM probe ORDER BY name";
    let rows = db.read().query_all_raw(Statement::from_string(db.backend(), sql)).await.unwrap();
    rows.iter().map(|row| row.try_get("", "name").unwrap()).collect()
}

/// Constraints of which a COMMIT hears and no statement before it.
async fn late(db: &Db) -> Vec<String> {
    let sql = if db.backend() == DbBackend::Postgres {
        "SELECT CAST(conname AS TEXT) AS name FROM pg_constraint WHERE condeferred ORDER BY conname"
    } else {
        "SELECT name FROM sqlite_master WHERE sql LIKE '%INITIALLY DEFERRED%' ORDER BY name"
    };
    let rows = db.read().query_all_raw(Statement::from_string(db.backend(), sql)).await.unwrap();
    rows.iter().map(|row| row.try_get("", "name").unwrap()).collect()
}

testkit::db_test! {
    async fn none_of_our_constraints_waits_for_the_commit(db) {
        // It would fail a whole batch of the write lane, where a statement fails its own writer alone.
        assert_eq!(late(&db).await, Vec::<String>::new());
        write(&db, "CREATE TABLE probe (name TEXT PRIMARY KEY)").await.unwrap();
        let probe = "CREATE TABLE probe_of (name TEXT REFERENCES probe(name) DEFERRABLE INITIALLY DEFERRED)";
        write(&db, probe).await.unwrap();
        assert_eq!(late(&db).await.len(), 1, "one would be found");
    }

    async fn a_reference_that_is_broken_at_the_commit_is_told_as_broken(db) {
        let late = "REFERENCES probe(name) DEFERRABLE INITIALLY DEFERRED";
        write(&db, "CREATE TABLE probe (name TEXT PRIMARY KEY)").await.unwrap();
        write(&db, &format!("CREATE TABLE probe_of (name TEXT {late})")).await.unwrap();
        let error = refused(&db, "INSERT INTO probe_of (name) VALUES ('nobody')").await;
        assert!(matches!(error.sql_err(), Some(SqlErr::ForeignKeyConstraintViolation(_))), "{error:?}");
        assert_eq!(db.health().trouble(), None, "it is the caller's, not the machine's");
        write(&db, "INSERT INTO probe (name) VALUES ('a')").await.unwrap();
        assert_eq!(names(&db.reopen().await).await, ["a"]);
    }

    async fn a_name_that_is_taken_at_the_commit_is_told_as_taken(db) {
        if db.backend() != DbBackend::Postgres {
            // SQLite has no uniqueness that waits for the COMMIT.
            return;
        }
        write(&db, "CREATE TABLE probe (name TEXT UNIQUE DEFERRABLE INITIALLY DEFERRED)").await.unwrap();
        write(&db, "INSERT INTO probe (name) VALUES ('a')").await.unwrap();
        let error = refused(&db, "INSERT INTO probe (name) VALUES ('a')").await;
        assert!(db::is_duplicate(&error, "probe", "name"), "{error:?}");
        assert_eq!(Trouble::of(&error), None, "{error:?}");
        write(&db, "INSERT INTO probe (name) VALUES ('b')").await.unwrap();
        assert_eq!(names(&db.reopen().await).await, ["a", "b"]);
    }

    async fn what_may_be_tried_again_after_the_commit_is_told_as_busy(db) {
        if db.backend() != DbBackend::Postgres {
            // SQLite's one writer conflicts with nobody; a database that another program holds is in `lane`.
            return;
        }
        write(&db, "CREATE TABLE probe (name TEXT)").await.unwrap();
        let refuse = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
                      $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = NEW.name; END $$; \
                      CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON probe DEFERRABLE INITIALLY DEFERRED \
                      FOR EACH ROW WHEN (length(NEW.name) = 5) EXECUTE FUNCTION refuse()";
        write(&db, refuse).await.unwrap();
        // serialization_failure, deadlock_detected.
        for code in ["40001", "40P01"] {
            let error = refused(&db, &format!("INSERT INTO probe (name) VALUES ('{code}')")).await;
            assert_eq!(Trouble::of(&error), Some(Trouble::Busy), "{code}: {error:?}");
            assert!(!db::is_duplicate(&error, "probe", "name"), "{code}: {error:?}");
        }
        write(&db, "INSERT INTO probe (name) VALUES ('a')").await.unwrap();
        assert_eq!(names(&db.reopen().await).await, ["a"]);
    }
}
