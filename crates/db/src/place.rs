//! The location of a database.

use std::path::PathBuf;
use std::str::FromStr as _;

use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

/// The file of a SQLite URL; none for PostgreSQL, for one in memory, and for an invalid URL.
#[must_use]
pub fn sqlite_file(url: &str) -> Option<PathBuf> {
    if !url.starts_with("sqlite:") || url.contains(":memory:") {
        return None;
    }
    SqliteConnectOptions::from_str(url).ok().map(|options| options.get_filename().to_owned())
}

/// Where the database of a URL is, in words and without its password.
#[must_use]
pub fn place_of(url: &str) -> String {
    if let Some(file) = sqlite_file(url) {
        return file.canonicalize().unwrap_or(file).display().to_string();
    }
    PgConnectOptions::from_str(url).map_or_else(
        |_| "in memory".to_owned(),
        |options| {
            let host = options.get_socket().map_or_else(
                || format!("{}:{}", options.get_host(), options.get_port()),
                |socket| socket.display().to_string(),
            );
            format!("{} on {host}", options.get_database().unwrap_or("(the user's)"))
        },
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{place_of, sqlite_file};

    #[test]
    fn a_place_is_told_without_its_password() {
        assert_eq!(place_of("postgres://clerk:secret@db.example:6432/skyrack"), "skyrack on db.example:6432");
        assert_eq!(place_of("sqlite:no/such/skyrack.db?mode=rwc"), "no/such/skyrack.db");
    }

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
