//! What the owner of the machine may do without signing in: create an operator with all permissions, reset an
//! operator's password, replace the master key, and discard secrets sealed with a lost one.

use std::path::{Path, PathBuf};

use accounts::auth::{one_time, password};
use accounts::notice::{self, Notice};
use anyhow::Context as _;
use base::access::{session as sessions, sync};
use base::anchor::Anchors;
use base::config::Config;
use base::handed;
use db::journal::Entry;
use db::{Db, WriteTx};
use entity::OperatorId;
use entity::operator::{self, AccountType, MustChange};
use entity::operator_notice::NoticeKind;
use entity::session::{self, EndReason};
use kernel::clock::Clock;
use kernel::lang::Lang;
use kernel::rules;
use kernel::time::UtcTime;
use phones::sealed;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, DbErr, EntityTrait as _, QueryFilter as _,
    QueryOrder as _,
};
use vault::{MasterKeys, Vault, store};

use crate::boot;

/// The operator's name in the operation log.
const COMMAND_LINE: &str = "command line";

/// A password to be told to somebody.
#[derive(Debug)]
pub struct NewPassword {
    /// The password.
    pub password: String,
    /// It was generated and must be changed at the first sign-in.
    pub is_made_up: bool,
}

/// Inserts an operator of the built-in group, which has all permissions. A password that was made up for him must be
/// changed; one that somebody chose counts.
///
/// # Errors
/// When the database refuses.
pub(crate) async fn insert(
    tx: &WriteTx,
    username: &str,
    hash: String,
    is_made_up: bool,
    now: UtcTime,
) -> Result<OperatorId, DbErr> {
    let row = operator::ActiveModel {
        username: Set(username.to_owned()),
        password_hash: Set(hash),
        password_set_at: Set(now),
        must_change: Set(if is_made_up { MustChange::FirstSignIn } else { MustChange::No }),
        group_id: Set(Some(sync::builtin_group(tx, now).await?)),
        account_type: Set(AccountType::Power),
        email: Set(String::new()),
        phone: Set(String::new()),
        remark: Set(String::new()),
        is_enabled: Set(true),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    Ok(operator::Entity::insert(row).exec(&**tx).await?.last_insert_id)
}

/// Creates an operator of the built-in group, which has all permissions.
///
/// # Errors
/// When the name or the password is invalid, the name is taken, or the database refuses.
pub async fn create(db: &Db, clock: &Clock, username: &str) -> anyhow::Result<NewPassword> {
    rules::username(username).map_err(|violation| anyhow::anyhow!("{username}: {}", violation.message(Lang::En)))?;
    let chosen = choose_password(username)?;
    let hash = hash_of(&chosen).await?;
    let now = clock.now();
    let mut tx = db.begin_write().await?;
    let taken = operator::Entity::find().filter(operator::Column::Username.eq(username)).one(&*tx).await?;
    anyhow::ensure!(
        taken.is_none(),
        "operator {username} already exists; use `skyrack admin reset-password` to give it a new password"
    );
    let made = insert(&tx, username, hash, chosen.is_made_up, now).await?;
    tx.record(entry("admin_create", made.0, username, clock));
    tx.commit().await?;
    Ok(chosen)
}

/// Resets an operator's password, enables the account, and ends its sessions and waits.
///
/// # Errors
/// When there is no such operator, the password is invalid, or the database refuses.
pub async fn reset_password(db: &Db, clock: &Clock, username: &str) -> anyhow::Result<NewPassword> {
    let chosen = choose_password(username)?;
    let hash = hash_of(&chosen).await?;
    let now = clock.now();
    let mut tx = db.begin_write().await?;
    let who = operator::Entity::find()
        .filter(operator::Column::Username.eq(username))
        .one(&*tx)
        .await?
        .with_context(|| format!("operator {username} not found"))?;
    let change = operator::ActiveModel {
        id: Set(who.id),
        password_hash: Set(hash),
        password_set_at: Set(now),
        must_change: Set(if chosen.is_made_up { MustChange::Reset } else { MustChange::No }),
        is_enabled: Set(true),
        updated_at: Set(now),
        ..Default::default()
    };
    operator::Entity::update(change).exec(&*tx).await?;
    sessions::end_in(&*tx, now, EndReason::Revoked, session::Column::OperatorId.eq(who.id))
        .await
        .map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let notice =
        Notice { to: who.id, kind: NoticeKind::PasswordReset, by: COMMAND_LINE, ip: String::new(), detail: "" };
    notice::tell(&*tx, notice, now).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let waits = [format!("account:{}", username.to_lowercase()).into()];
    tx.execute_raw(db::sql::statement(db.backend(), "DELETE FROM sign_in_throttle WHERE name = $1", waits)).await?;
    tx.record(entry("admin_reset_password", who.id.0, username, clock));
    tx.commit().await?;
    Ok(chosen)
}

/// Generates a new master key and re-wraps everything sealed; returns the key's id and the number of re-wrapped values.
///
/// # Errors
/// When the key comes from outside, the file cannot be replaced, or a value cannot be decrypted.
pub async fn rotate_key(db: &Db, config: &Config, clock: &Clock) -> anyhow::Result<(i32, u64)> {
    let id = MasterKeys::add(&config.master_key())?;
    let vault = Vault::open(&config.master_key())?;
    let wrapped = store::rotate(db, &vault).await? + one_time::rewrap(db, &vault).await?;
    let mut tx = db.begin_write().await?;
    tx.record(Entry {
        message: format!("{wrapped} re-wrapped"),
        ..about("master_key_rotate", "secret", id.into(), clock)
    });
    tx.commit().await?;
    // Signed with the new key, it vouches for the anchors before it when the old key is gone.
    Anchors::at(&config.anchor_file(), vault).drop_one(db, clock.now()).await?;
    Ok((id, wrapped))
}

/// What can no longer be decrypted.
#[derive(Debug, Default)]
pub struct Lost {
    /// Names of secrets: passwords of BMCs, keys, the pepper of password hashes.
    pub secrets: Vec<String>,
    /// Operators who had two-step verification.
    pub second_factors: Vec<String>,
    /// Operators whose password can no longer be verified.
    pub passwords: Vec<String>,
    /// The new path of the anchors of the operation log, which can no longer be verified.
    pub anchors: Option<PathBuf>,
}

/// Discards secrets sealed with a lost master key, so that the server can start again; with `is_meant` false it only
/// lists them. Operators whose passwords used the lost pepper need `skyrack admin reset-password`.
///
/// # Errors
/// When the current master key cannot be read, or the database refuses.
pub async fn forget_secrets(db: &Db, config: &Config, clock: &Clock, is_meant: bool) -> anyhow::Result<Lost> {
    let source = config.master_key();
    // Listing creates no new key.
    let is_made_up = !is_meant && MasterKeys::would_make(&source).is_some();
    let vault = if is_made_up { Vault::throwaway() } else { Vault::open(&source)? };
    let mut tx = db.begin_write().await?;
    let secrets = store::forget_lost(&tx, &vault).await?;
    let second_factors = one_time::forget_lost(&tx, &vault).await?;
    let passwords = if secrets.iter().any(|name| name == password::PEPPER) {
        let hashed = operator::Column::PasswordHash.starts_with(password::PEPPERED);
        let rows = operator::Entity::find().filter(hashed).order_by_asc(operator::Column::Id).all(&*tx).await?;
        rows.into_iter().map(|row| row.username).collect()
    } else {
        Vec::new()
    };
    let mut lost = Lost { secrets, second_factors, passwords, anchors: None };
    if is_meant && !(lost.secrets.is_empty() && lost.second_factors.is_empty()) {
        let message =
            format!("secrets: {}; second factors: {}", lost.secrets.join(", "), lost.second_factors.join(", "));
        tx.record(Entry { message, ..about("secrets_forget", "secret", 0, clock) });
        tx.commit().await?;
        lost.anchors = Anchors::at(&config.anchor_file(), vault).put_aside(clock.now())?;
    }
    Ok(lost)
}

/// The code that opens the repository of a phone, from the file beside it and the master key: without a database.
///
/// # Errors
/// When the file or the key cannot be read, or do not belong together.
pub fn recovery_code(config: &Config, file: &Path) -> anyhow::Result<sealed::Recovered> {
    let source = config.master_key();
    // A new key opens nothing; it would only be taken for the lost one.
    if let Some(path) = MasterKeys::would_make(&source) {
        anyhow::bail!("there is no master key at {}: name its folder with --data-dir", path.display());
    }
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    sealed::open(&Vault::open(&source)?, &text).with_context(|| file.display().to_string())
}

/// Checks whether `username` may have the password from the environment.
///
/// # Errors
/// When it violates the password rules; says which.
pub fn check_password(password: &str, username: &str) -> anyhow::Result<()> {
    rules::password(password)
        .and_then(|()| rules::password_without_name(password, username))
        .map_err(|violation| anyhow::anyhow!("SKYRACK_ADMIN_PASSWORD: {}", violation.message(Lang::En)))
}

/// The password from the environment, or a random one.
fn choose_password(username: &str) -> anyhow::Result<NewPassword> {
    match handed::get(handed::ADMIN_PASSWORD) {
        Some(password) => {
            let password = password.as_str().to_owned();
            check_password(&password, username)?;
            Ok(NewPassword { password, is_made_up: false })
        }
        None => Ok(NewPassword { password: boot::random_password(), is_made_up: true }),
    }
}

async fn hash_of(chosen: &NewPassword) -> anyhow::Result<String> {
    let hasher = password::Hasher::plain()?;
    hasher.hash(password::md5_hex(&chosen.password)).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))
}

fn entry(action: &str, id: i64, name: &str, clock: &Clock) -> Entry {
    Entry { object_name: name.to_owned(), ..about(action, "operator", id, clock) }
}

/// A line of the operation log about something that was done on the command line.
pub(crate) fn about(action: &str, kind: &str, id: i64, clock: &Clock) -> Entry {
    Entry {
        at: clock.now(),
        operator_name: COMMAND_LINE.to_owned(),
        action: action.to_owned(),
        object_kind: kind.to_owned(),
        object_id: id.to_string(),
        ..Entry::default()
    }
}
