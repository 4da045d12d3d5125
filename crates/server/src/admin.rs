//! What whoever owns the machine may do without signing in: make an operator who holds everything, let one in
//! again, replace the master key, and forget what a lost one has sealed.

use anyhow::Context as _;
use db::Db;
use db::journal::Entry;
use entity::operator::{self, AccountType, MustChange};
use entity::session::{self, EndReason};
use kernel::clock::Clock;
use kernel::lang::Lang;
use kernel::rules;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};
use vault::{MasterKeys, Vault, store};

use crate::access::{session as sessions, sync};
use crate::boot;
use crate::config::Config;
use crate::domains::auth::{one_time, password};

/// Who the operation log says it was.
const COMMAND_LINE: &str = "command line";

/// A password that has to be told to somebody.
#[derive(Debug)]
pub struct NewPassword {
    /// The password.
    pub password: String,
    /// It was made up here and must be changed at the first sign-in.
    pub is_made_up: bool,
}

/// Makes an operator of the built-in group, which holds every permission.
///
/// # Errors
/// When the name or the password breaks a rule, the name is taken, or the database refuses.
pub async fn create(db: &Db, clock: &Clock, username: &str) -> anyhow::Result<NewPassword> {
    rules::username(username).map_err(|violation| anyhow::anyhow!("{username}: {}", violation.message(Lang::En)))?;
    let chosen = choose_password()?;
    let hash = hash_of(&chosen).await?;
    let now = clock.now();
    let mut tx = db.begin_write().await?;
    let taken = operator::Entity::find().filter(operator::Column::Username.eq(username)).one(&*tx).await?;
    anyhow::ensure!(
        taken.is_none(),
        "there is an operator called {username} already; `skyrack admin reset-password` lets one in again"
    );
    let group = sync::builtin_group(&tx, now).await?;
    let row = operator::ActiveModel {
        username: Set(username.to_owned()),
        password_hash: Set(hash),
        password_set_at: Set(now),
        must_change: Set(if chosen.is_made_up { MustChange::FirstSignIn } else { MustChange::No }),
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
    let made = operator::Entity::insert(row).exec(&*tx).await?.last_insert_id;
    tx.record(entry("admin_create", made.0, username, clock));
    tx.commit().await?;
    Ok(chosen)
}

/// Gives an operator a new password, enables the account, and ends its sessions and waits.
///
/// # Errors
/// When there is no such operator, the password breaks a rule, or the database refuses.
pub async fn reset_password(db: &Db, clock: &Clock, username: &str) -> anyhow::Result<NewPassword> {
    let chosen = choose_password()?;
    let hash = hash_of(&chosen).await?;
    let now = clock.now();
    let mut tx = db.begin_write().await?;
    let who = operator::Entity::find()
        .filter(operator::Column::Username.eq(username))
        .one(&*tx)
        .await?
        .with_context(|| format!("there is no operator called {username}"))?;
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
    let waits = [format!("account:{}", username.to_lowercase()).into()];
    tx.execute_raw(db::sql::statement(db.backend(), "DELETE FROM sign_in_throttle WHERE name = $1", waits)).await?;
    tx.record(entry("admin_reset_password", who.id.0, username, clock));
    tx.commit().await?;
    Ok(chosen)
}

/// Makes a new master key and wraps everything that is sealed with it; answers the key's id and how much that was.
///
/// # Errors
/// When the key comes from outside, the file can not be replaced, or something does not open.
pub async fn rotate_key(db: &Db, config: &Config, clock: &Clock) -> anyhow::Result<(i32, u64)> {
    let id = MasterKeys::add(&config.master_key())?;
    let vault = Vault::open(&config.master_key())?;
    let wrapped = store::rotate(db, &vault).await? + one_time::rewrap(db, &vault).await?;
    let mut tx = db.begin_write().await?;
    tx.record(Entry {
        message: format!("{wrapped} wrapped anew"),
        ..about("master_key_rotate", "secret", id.into(), clock)
    });
    tx.commit().await?;
    Ok((id, wrapped))
}

/// What nothing opens any more.
#[derive(Debug, Default)]
pub struct Lost {
    /// Names of secrets: passwords of BMCs, keys, the pepper of password hashes.
    pub secrets: Vec<String>,
    /// Operators who had a second factor.
    pub second_factors: Vec<String>,
    /// Operators whose password can not be checked any more.
    pub passwords: Vec<String>,
}

/// Forgets what was sealed with a master key that is lost, so that the server starts again; with `is_meant` false it
/// only says what that would be. Operators whose passwords had the lost pepper in them need
/// `skyrack admin reset-password`.
///
/// # Errors
/// When the master key that is there can not be read, or the database refuses.
pub async fn forget_secrets(db: &Db, config: &Config, clock: &Clock, is_meant: bool) -> anyhow::Result<Lost> {
    let vault = Vault::open(&config.master_key())?;
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
    let lost = Lost { secrets, second_factors, passwords };
    if is_meant && !(lost.secrets.is_empty() && lost.second_factors.is_empty()) {
        let message =
            format!("secrets: {}; second factors: {}", lost.secrets.join(", "), lost.second_factors.join(", "));
        tx.record(Entry { message, ..about("secrets_forget", "secret", 0, clock) });
        tx.commit().await?;
    }
    Ok(lost)
}

/// The password that the environment hands over, or a random one.
fn choose_password() -> anyhow::Result<NewPassword> {
    match std::env::var("SKYRACK_ADMIN_PASSWORD").ok().filter(|password| !password.is_empty()) {
        Some(password) => {
            rules::password(&password)
                .map_err(|violation| anyhow::anyhow!("SKYRACK_ADMIN_PASSWORD: {}", violation.message(Lang::En)))?;
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

fn about(action: &str, kind: &str, id: i64, clock: &Clock) -> Entry {
    Entry {
        at: clock.now(),
        operator_name: COMMAND_LINE.to_owned(),
        action: action.to_owned(),
        object_kind: kind.to_owned(),
        object_id: id.to_string(),
        ..Entry::default()
    }
}
