//! Bringing a database to the point where the server can start on it.

use anyhow::Context as _;
use db::Db;
use entity::operator::{self, AccountType, MustChange};
use kernel::clock::Clock;
use migration::{Migrator, MigratorTrait as _};
use sea_orm::{ActiveValue::Set, EntityTrait as _};

use crate::access::sync;
use crate::config::Config;
use crate::domains::auth::password;

/// What is worth telling whoever started the server.
#[derive(Debug, Default)]
pub struct FirstStart {
    /// The password of the first operator, if it was made up here. It is shown once.
    pub password: Option<String>,
}

/// Opens the database, brings its schema and its menu up to date and, on an empty one, creates the
/// first operator.
///
/// # Errors
/// When the database can not be opened, is not safe to write, or refuses.
pub async fn open(config: &Config, clock: &Clock) -> anyhow::Result<(Db, FirstStart)> {
    let db = connect(config).await?;
    migrate(&db).await?;
    let first = prepare(&db, clock).await?;
    Ok((db, first))
}

/// Opens the database that the configuration names, and changes nothing in it.
///
/// # Errors
/// When it can not be opened or is not safe to write.
pub async fn connect(config: &Config) -> anyhow::Result<Db> {
    std::fs::create_dir_all(&config.data_dir)
        .with_context(|| format!("data_dir: cannot create {}", config.data_dir.display()))?;
    let settings = db::Settings { url: config.database_url(), readers: config.readers };
    Ok(db::connect(&settings).await?)
}

/// Makes sure that no other server works on the same data directory; the lock goes with the value.
///
/// # Errors
/// When another one does, or the file can not be made.
pub fn lock(config: &Config) -> anyhow::Result<std::fs::File> {
    std::fs::create_dir_all(&config.data_dir)
        .with_context(|| format!("data_dir: cannot create {}", config.data_dir.display()))?;
    let path = config.data_dir.join("skyrack.lock");
    let file = std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    file.try_lock().with_context(|| {
        format!(
            "another server works on {}: stop it first, or give this one a --data-dir of its own",
            config.data_dir.display()
        )
    })?;
    Ok(file)
}

/// Brings the schema up to date.
///
/// # Errors
/// When a step fails; then all of it is rolled back.
pub async fn migrate(db: &Db) -> anyhow::Result<()> {
    let tx = db.begin_write().await?;
    Migrator::up(&*tx, None).await.context("the schema could not be brought up to date")?;
    Ok(tx.commit().await?)
}

/// Brings the menu up to the catalogue.
///
/// # Errors
/// When the database refuses.
pub async fn synchronise(db: &Db, clock: &Clock) -> anyhow::Result<()> {
    let tx = db.begin_write().await?;
    sync::catalogue(&tx, clock.now()).await?;
    Ok(tx.commit().await?)
}

async fn prepare(db: &Db, clock: &Clock) -> anyhow::Result<FirstStart> {
    let now = clock.now();
    let empty = operator::Entity::find().one(db.read()).await?.is_none();
    let chosen = std::env::var("SKYRACK_ADMIN_PASSWORD").ok().filter(|password| !password.is_empty());
    let made_up = (empty && chosen.is_none()).then(random_password);
    let hash = match chosen.as_ref().or(made_up.as_ref()) {
        Some(password) if empty => {
            let hasher = password::Hasher::plain()?;
            Some(hasher.hash(password::md5_hex(password)).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?)
        }
        Some(_) | None => None,
    };
    let tx = db.begin_write().await?;
    sync::catalogue(&tx, now).await?;
    if let Some(hash) = hash {
        let group = sync::builtin_group(&tx, now).await?;
        let admin = operator::ActiveModel {
            username: Set("admin".to_owned()),
            password_hash: Set(hash),
            password_set_at: Set(now),
            // A password that was handed over counts as chosen; one that was made up must be changed.
            must_change: Set(if made_up.is_some() { MustChange::FirstSignIn } else { MustChange::No }),
            group_id: Set(Some(group)),
            account_type: Set(AccountType::Power),
            email: Set(String::new()),
            phone: Set(String::new()),
            remark: Set(String::new()),
            is_enabled: Set(true),
            created_at: Set(now),
            updated_at: Set(now),
            ..Default::default()
        };
        operator::Entity::insert(admin).exec_without_returning(&*tx).await?;
    }
    tx.commit().await?;
    Ok(FirstStart { password: made_up })
}

/// Sixteen characters that nobody misreads, with letters and digits.
#[must_use]
pub fn random_password() -> String {
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz";
    const DIGITS: &[u8] = b"23456789";
    let pick = |from: &[u8]| char::from(from[usize::from(rand::random::<u16>()) % from.len()]);
    (0..4).flat_map(|_| [pick(LETTERS), pick(LETTERS), pick(LETTERS), pick(DIGITS)]).collect()
}
