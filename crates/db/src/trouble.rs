//! Problems between the server and its database or its files, as far as an error reveals them.

use std::error::Error as StdError;
use std::sync::Arc;
use std::{fmt, io};

use sea_orm::{DbErr, RuntimeErr};

use crate::connect::ConnectError;

/// `EIO` of errno(3), which the standard library has no kind for.
const EIO: i32 = 5;

/// A condition of the machine or of the database that no request can fix, and that may pass without a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// No space is left for the database or the files.
    DiskFull,
    /// The disk reports errors.
    DiskFails,
    /// The database cannot be reached, starts or stops, or was lost meanwhile.
    Lost,
    /// The database was lost while it committed: the write may have been saved or not.
    InDoubt,
    /// The database accepts no changes: a standby, or a read-only file system.
    ReadOnly,
    /// Another program holds what the database needs, or it is short of memory.
    Busy,
    /// SQLite rolled back a transaction by itself, and with it the work of others who shared it: for want of space or
    /// memory, or because the disk failed.
    Undone,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other errors are not caused by the machine")]
impl Trouble {
    /// The trouble behind `error` of the database; nothing if the cause is elsewhere.
    #[must_use]
    pub fn of(error: &DbErr) -> Option<Self> {
        match error {
            DbErr::ConnectionAcquire(_) => Some(Self::Lost),
            DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
                Self::of_driver(error)
            }
            // A connection that cannot be opened, for whatever reason: the disk's, or else it is not to be had.
            DbErr::Conn(RuntimeErr::SqlxError(error)) => Self::of_driver(error).or(Some(Self::Lost)),
            DbErr::Conn(_) => Some(Self::Lost),
            _ => None,
        }
    }

    /// The trouble behind any error, by the database or file system error in its chain.
    #[must_use]
    pub fn in_chain(error: &(dyn StdError + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(cause) = next {
            let found = if let Some(error) = cause.downcast_ref::<DbErr>() {
                Self::of(error)
            } else if let Some(ConnectError::Open(error)) = cause.downcast_ref() {
                // As for `DbErr::Conn`: whatever the engine says, there is no connection.
                Self::of_driver(error).or(Some(Self::Lost))
            } else if let Some(error) = cause.downcast_ref::<sqlx::Error>() {
                Self::of_driver(error)
            } else {
                cause.downcast_ref::<io::Error>().and_then(Self::of_file)
            };
            if found.is_some() {
                return found;
            }
            next = cause.source();
        }
        None
    }

    pub(crate) fn of_driver(error: &sqlx::Error) -> Option<Self> {
        match error {
            // The end of a connection says nothing about files: a full disk is reported by the engine itself.
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Some(Self::Lost),
            sqlx::Error::AnyDriverError(error) if error.is::<InDoubt>() => Some(Self::InDoubt),
            sqlx::Error::AnyDriverError(error) if error.is::<Undone>() => Some(Self::Undone),
            sqlx::Error::AnyDriverError(error) if error.is::<Held>() => Some(Self::Busy),
            sqlx::Error::AnyDriverError(error) => error.downcast_ref().and_then(Self::of_file),
            sqlx::Error::Database(error) => error.code().and_then(|code| Self::of_code(&code)),
            _ => None,
        }
    }

    fn of_file(error: &io::Error) -> Option<Self> {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(Self::DiskFull),
            io::ErrorKind::ReadOnlyFilesystem => Some(Self::ReadOnly),
            _ if error.raw_os_error() == Some(EIO) => Some(Self::DiskFails),
            _ => None,
        }
    }

    /// By the engine's code: SQLite's are extended result codes (sqlite.org/rescode.html), PostgreSQL's have five
    /// characters (appendix A of its manual).
    fn of_code(code: &str) -> Option<Self> {
        match code {
            // SQLITE_FULL; SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not grow.
            "13" | "4874" | "53100" => Some(Self::DiskFull),
            // SQLITE_CANTOPEN and its kinds; io_error.
            "14" | "270" | "526" | "782" | "1038" | "1294" | "58030" => Some(Self::DiskFails),
            // SQLITE_READONLY and its kinds; read_only_sql_transaction.
            "8" | "264" | "520" | "776" | "1032" | "1288" | "1544" | "25006" => Some(Self::ReadOnly),
            // SQLITE_BUSY and its kinds, SQLITE_LOCKED and its kinds, SQLITE_NOMEM.
            "5" | "261" | "517" | "773" | "6" | "262" | "518" | "7" => Some(Self::Busy),
            // insufficient_resources, out_of_memory, configuration_limit_exceeded, lock_not_available,
            // serialization_failure, deadlock_detected.
            "53000" | "53200" | "53400" | "55P03" | "40001" | "40P01" => Some(Self::Busy),
            // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, idle_session_timeout,
            // idle_in_transaction_session_timeout, transaction_timeout, too_many_connections.
            "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" | "25P04" | "53300" => Some(Self::Lost),
            // connection_exception and its kinds.
            code if code.len() == 5 => code.starts_with("08").then_some(Self::Lost),
            // SQLITE_IOERR, SQLITE_CORRUPT and SQLITE_NOTADB with their kinds: what the disk gives back is not what was written.
            code => code.parse().is_ok_and(|code: u32| matches!(code & 0xff, 10 | 11 | 26)).then_some(Self::DiskFails),
        }
    }
}

/// A COMMIT that was sent and not answered.
#[derive(Debug)]
struct InDoubt(DbErr);

impl fmt::Display for InDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is unknown whether it was committed: {}", self.0)
    }
}

impl StdError for InDoubt {}

/// The database was not to be had: who held it.
#[derive(Debug)]
struct Held(&'static str);

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing was written: {}", self.0)
    }
}

impl StdError for Held {}

/// The error of a writer who did not get his turn because of `who`.
pub(crate) fn busy(who: &'static str) -> DbErr {
    foreign(Held(who))
}

/// A transaction that the engine rolled back by itself; why, if that was heard.
#[derive(Debug)]
struct Undone(Option<DbErr>);

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing was written: the database undid the transaction")?;
        self.0.as_ref().map_or(Ok(()), |error| write!(f, ": {error}"))
    }
}

impl StdError for Undone {}

/// The error of a transaction that the engine rolled back by itself; `error`, where it says more than that.
pub(crate) fn undone(error: Option<DbErr>) -> DbErr {
    match error {
        Some(error) if Trouble::of(&error).is_some() => error,
        error => foreign(Undone(error)),
    }
}

/// An error that the driver does not know.
pub(crate) fn foreign(error: impl StdError + Send + Sync + 'static) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(Arc::new(sqlx::Error::AnyDriverError(Box::new(error)))))
}

/// The error of a COMMIT; if the database was lost meanwhile, it says that the outcome is unknown.
pub(crate) fn of_commit(error: DbErr) -> DbErr {
    if Trouble::of(&error) == Some(Trouble::Lost) { in_doubt(error) } else { error }
}

/// The error that says that the outcome of a write is unknown, because of `error`.
#[must_use]
pub fn in_doubt(error: DbErr) -> DbErr {
    foreign(InDoubt(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_codes_tell_their_trouble() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(Trouble::in_chain(&full), Some(Trouble::DiskFull));
        assert_eq!(Trouble::in_chain(&io::Error::from_raw_os_error(EIO)), Some(Trouble::DiskFails));
        assert_eq!(Trouble::in_chain(&io::Error::from(io::ErrorKind::NotFound)), None);
        for (code, trouble) in [
            ("13", Some(Trouble::DiskFull)),
            ("4874", Some(Trouble::DiskFull)),
            ("53100", Some(Trouble::DiskFull)),
            ("25006", Some(Trouble::ReadOnly)),
            ("266", Some(Trouble::DiskFails)),
            ("14", Some(Trouble::DiskFails)),
            ("08006", Some(Trouble::Lost)),
            ("57P01", Some(Trouble::Lost)),
            ("517", Some(Trouble::Busy)),
            ("53200", Some(Trouble::Busy)),
            ("55P03", Some(Trouble::Busy)),
            ("779", Some(Trouble::DiskFails)),
            ("26", Some(Trouble::DiskFails)),
            // A unique value that is taken, and SQLite's own error: not a disk's.
            ("23505", None),
            ("2067", None),
        ] {
            assert_eq!(Trouble::of_code(code), trouble, "{code}");
        }
    }

    #[test]
    fn a_connection_that_is_refused_is_a_lost_database_whatever_the_reason() {
        let refused = ConnectError::Open(sqlx::Error::Protocol("the database accepts no connections".to_owned()));
        assert_eq!(Trouble::in_chain(&refused), Some(Trouble::Lost));
        let full = ConnectError::Open(sqlx::Error::AnyDriverError(io::Error::from(io::ErrorKind::StorageFull).into()));
        assert_eq!(Trouble::in_chain(&full), Some(Trouble::DiskFull));
        assert_eq!(Trouble::in_chain(&ConnectError::Unsafe("fsync is off".to_owned())), None);
    }

    #[test]
    fn a_pool_that_waited_in_vain_has_lost_its_database() {
        let error = DbErr::Conn(RuntimeErr::SqlxError(std::sync::Arc::new(sqlx::Error::PoolTimedOut)));
        assert_eq!(Trouble::of(&error), Some(Trouble::Lost));
        assert_eq!(Trouble::in_chain(&error), Some(Trouble::Lost));
        assert_eq!(
            Trouble::in_chain(&of_commit(error)),
            Some(Trouble::InDoubt),
            "and if it was asked to commit, who knows"
        );
    }
}
