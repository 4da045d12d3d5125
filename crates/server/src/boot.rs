//! Preparing a database for the server's start.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use accounts::auth::password;
use anyhow::Context as _;
use base::access::catalog::Catalogue;
use base::access::sync;
use base::config::Config;
use base::handed;
use db::Db;
use db::fence::Hold;
use entity::operator;
use kernel::clock::Clock;
use migration::{Migrator, MigratorTrait as _};
use sea_orm::{ConnectionTrait as _, DbErr, EntityTrait as _, Statement};

use crate::{admin, domains};

/// The first operator.
const FIRST: &str = "admin";

/// What to tell the person who started the server.
#[derive(Debug, Default)]
pub struct FirstStart {
    /// The password of the first operator, if it was generated. It is shown once.
    pub password: Option<String>,
}

/// Shows the password of the first operator on the standard output, or else on the standard error.
///
/// # Errors
/// When nobody can read either: they are full or gone, or lead nowhere.
pub fn show(password: &str) -> anyhow::Result<()> {
    let line = format!(
        "First operator: {FIRST}   one-time password: {password}   (shown once; it must be changed at the first sign-in)\n"
    );
    let is_shown = say(std::io::stdout().lock(), &line) || say(std::io::stderr().lock(), &line);
    anyhow::ensure!(
        is_shown,
        "the one-time password of the first operator cannot be shown, so none was created: standard output and standard \
         error are full, closed or /dev/null. Let one of them lead to a terminal or a file, or choose the password with \
         SKYRACK_ADMIN_PASSWORD, and start again"
    );
    Ok(())
}

fn say(mut to: impl Write + AsFd, line: &str) -> bool {
    !leads_nowhere(to.as_fd()) && to.write_all(line.as_bytes()).and_then(|()| to.flush()).is_ok()
}

/// Whether it is `/dev/null`, which also stands for one that was closed when the program began.
fn leads_nowhere(to: BorrowedFd<'_>) -> bool {
    let (Ok(to), Ok(nowhere)) = (rustix::fs::fstat(to), rustix::fs::stat("/dev/null")) else { return false };
    to.st_rdev == nowhere.st_rdev
}

/// Opens the database, migrates its schema, updates its menu and, on an empty one, creates the first operator, once `show`
/// has shown a password that was generated for him. With a `hold` nothing is written once its lease is lost.
///
/// # Errors
/// When the database cannot be opened, is not safe to write, or refuses, or the password cannot be shown.
pub async fn open(
    config: &Config,
    clock: &Clock,
    hold: Option<Hold>,
    show: fn(&str) -> anyhow::Result<()>,
) -> anyhow::Result<(Db, FirstStart)> {
    let db = connect(config).await?;
    if let Some(hold) = hold {
        db.stand_behind(hold);
    }
    migrate(&db).await?;
    let first = prepare(&db, clock, show).await?;
    Ok((db, first))
}

/// Opens the database while another console is active: schema and menu stay as they are.
///
/// # Errors
/// When it cannot be opened, or its schema does not match this program.
pub async fn beside(config: &Config) -> anyhow::Result<Db> {
    let db = connect(config).await?;
    let newest = Migrator::migrations().last().map(|change| change.name().to_owned());
    let is_same = applied(&db).await?.into_iter().next() == newest;
    anyhow::ensure!(is_same, "the active console runs another version: use the same binary");
    Ok(db)
}

/// Opens the configured database, and changes nothing in it.
///
/// # Errors
/// When it cannot be opened or is not safe to write.
pub async fn connect(config: &Config) -> anyhow::Result<Db> {
    std::fs::create_dir_all(&config.data_dir)
        .with_context(|| format!("data_dir: cannot create {}", config.data_dir.display()))?;
    let settings = db::Settings { url: config.database_url(), readers: config.readers };
    Ok(db::connect(&settings).await?)
}

/// How long a migration waits for each table that somebody else reads or writes, such as a backup.
const MIGRATION_PATIENCE: Duration = Duration::from_mins(10);

/// Migrates the schema.
///
/// # Errors
/// When a step fails; then all of it is rolled back.
pub async fn migrate(db: &Db) -> anyhow::Result<()> {
    // Without a schema it cannot be queried; any other problem is reported by the next step.
    let known: BTreeSet<String> = Migrator::migrations().iter().map(|change| change.name().to_owned()).collect();
    if let Some(newer) = applied(db).await.unwrap_or_default().into_iter().find(|version| !known.contains(version)) {
        anyhow::bail!("this database is newer than this program (migration {newer}): use the newer program")
    }
    let tx = db.begin_write().await?;
    tx.wait_for_locks(MIGRATION_PATIENCE).await?;
    Migrator::up(tx.bare(), None).await.context("the schema could not be brought up to date")?;
    Ok(tx.commit().await?)
}

/// The applied migrations, newest first.
async fn applied(db: &Db) -> Result<Vec<String>, DbErr> {
    let all = Statement::from_string(db.backend(), "SELECT version FROM seaql_migrations ORDER BY version DESC");
    db.read().query_all_raw(all).await?.iter().map(|row| row.try_get("", "version")).collect()
}

/// Updates the menu to the catalogue.
///
/// # Errors
/// When the database refuses.
pub async fn synchronise(db: &Db, clock: &Clock, catalogue: &Catalogue) -> anyhow::Result<()> {
    let tx = db.begin_write().await?;
    sync::menu(&tx, catalogue, clock.now()).await?;
    Ok(tx.commit().await?)
}

async fn prepare(db: &Db, clock: &Clock, show: fn(&str) -> anyhow::Result<()>) -> anyhow::Result<FirstStart> {
    let now = clock.now();
    let empty = operator::Entity::find().one(db.read()).await?.is_none();
    let chosen = handed::get(handed::ADMIN_PASSWORD).map(|password| password.as_str().to_owned());
    if let Some(password) = chosen.as_ref().filter(|_| empty) {
        admin::check_password(password, FIRST)?;
    }
    let made_up = (empty && chosen.is_none()).then(random_password);
    let hash = match chosen.as_ref().or(made_up.as_ref()) {
        Some(password) if empty => {
            let hasher = password::Hasher::plain()?;
            Some(hasher.hash(password::md5_hex(password)).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?)
        }
        Some(_) | None => None,
    };
    let tx = db.begin_write().await?;
    sync::menu(&tx, &domains::catalogue(), now).await?;
    if let Some(hash) = hash {
        // A password from the environment counts as chosen.
        admin::insert(&tx, FIRST, hash, made_up.is_some(), now).await?;
    }
    if let Some(password) = &made_up {
        // First shown, then kept: of a password that nobody has read, nothing is left but its hash.
        show(password)?;
    }
    tx.commit().await?;
    Ok(FirstStart { password: made_up })
}

/// Sixteen characters that are not misread, with letters and digits.
#[must_use]
pub fn random_password() -> String {
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz";
    const DIGITS: &[u8] = b"23456789";
    let pick = |from: &[u8]| char::from(from[usize::from(rand::random::<u16>()) % from.len()]);
    (0..4).flat_map(|_| [pick(LETTERS), pick(LETTERS), pick(LETTERS), pick(DIGITS)]).collect()
}
