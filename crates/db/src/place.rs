//! The location of a database.

use std::path::PathBuf;
use std::str::FromStr as _;

use sqlx::sqlite::SqliteConnectOptions;

/// The file of a SQLite URL; none for PostgreSQL, for one in memory, and for an invalid URL.
#[must_use]
pub fn sqlite_file(url: &str) -> Option<PathBuf> {
    if !url.starts_with("sqlite:") || url.contains(":memory:") {
        return None;
    }
    SqliteConnectOptions::from_str(url).ok().map(|options| options.get_filename().to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::sqlite_file;

    #[test]
    fn only_sqlite_has_a_file() {
        assert_eq!(
            sqlite_file("sqlite:/var/lib/skyrack/skyrack.db"),
            Some(PathBuf::from("/var/lib/skyrack/skyrack.db"))
        );
        assert_eq!(sqlite_file("sqlite:data/skyrack.db?mode=rwc"), Some(PathBuf::from("data/skyrack.db")));
        assert_eq!(sqlite_file("sqlite::memory:"), None);
        assert_eq!(sqlite_file("postgres://somebody@localhost/skyrack"), None);
    }
}
