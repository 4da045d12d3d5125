//! The table of secrets.

use db::sql::statement;
use db::{Db, WriteTx};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, Value};

use crate::{KeyError, MasterKeys, Secret, SecretView, Source, Unsealable, Vault};

/// The purpose of everything in the table; the name is the row's.
const PURPOSE: &str = "secret";
/// Rows that are re-wrapped in one transaction.
const BATCH: i64 = 100;

/// Why the vault of a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// It is a different one, or the database does not respond.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a stored secret cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database does not respond.
    #[error("database: {0}")]
    Db(#[from] DbErr),
    /// The value exists but cannot be decrypted.
    #[error("secret `{name}`: {cause}")]
    Sealed {
        /// Which one.
        name: String,
        /// Why.
        cause: Unsealable,
    },
}

/// Stores `secret` as `name`, replacing an older one, inside `tx`.
///
/// # Errors
/// When the write fails.
pub async fn put(
    tx: &WriteTx,
    vault: &Vault,
    name: &str,
    secret: &Secret,
    by: &str,
    now: UtcTime,
) -> Result<SecretView, DbErr> {
    let fingerprint = vault.fingerprint(PURPOSE, secret);
    let text = "INSERT INTO secret (name, key_id, sealed, fingerprint, set_at, set_by) VALUES ($1, $2, $3, $4, $5, $6) \
                ON CONFLICT (name) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed, \
                    fingerprint = excluded.fingerprint, set_at = excluded.set_at, set_by = excluded.set_by";
    let values: [Value; 6] = [
        name.into(),
        vault.key_id().into(),
        vault.seal(PURPOSE, name, secret).into(),
        fingerprint.as_str().into(),
        now.millis().into(),
        by.into(),
    ];
    tx.execute_raw(statement(tx.get_database_backend(), text, values)).await?;
    Ok(SecretView { set: true, fingerprint: Some(fingerprint), set_at: Some(now), set_by: Some(by.to_owned()) })
}

/// The secret `name`, for the server's own use.
///
/// # Errors
/// When the read fails or the value cannot be decrypted.
pub async fn get(db: &impl ConnectionTrait, vault: &Vault, name: &str) -> Result<Option<Secret>, StoreError> {
    let text = "SELECT sealed FROM secret WHERE name = $1";
    let Some(row) = db.query_one_raw(statement(db.get_database_backend(), text, [name.into()])).await? else {
        return Ok(None);
    };
    let sealed: Vec<u8> = row.try_get("", "sealed")?;
    vault.unseal(PURPOSE, name, &sealed).map(Some).map_err(|cause| StoreError::Sealed { name: name.to_owned(), cause })
}

/// What people see of the secret `name`.
///
/// # Errors
/// When the read fails.
pub async fn view(db: &impl ConnectionTrait, name: &str) -> Result<SecretView, DbErr> {
    let text = "SELECT fingerprint, set_at, set_by FROM secret WHERE name = $1";
    let row = db.query_one_raw(statement(db.get_database_backend(), text, [name.into()])).await?;
    row.map_or_else(
        || Ok(SecretView::default()),
        |row| {
            Ok(SecretView {
                set: true,
                fingerprint: row.try_get("", "fingerprint")?,
                set_at: Some(row.try_get("", "set_at")?),
                set_by: row.try_get("", "set_by")?,
            })
        },
    )
}

/// Removes the secret `name` inside `tx`; false if there is none.
///
/// # Errors
/// When the write fails.
pub async fn remove(tx: &WriteTx, name: &str) -> Result<bool, DbErr> {
    let text = "DELETE FROM secret WHERE name = $1";
    Ok(tx.execute_raw(statement(tx.get_database_backend(), text, [name.into()])).await?.rows_affected() == 1)
}

/// Removes every secret that cannot be decrypted with the available master keys, inside `tx`; returns their names.
///
/// # Errors
/// When a read or a write fails.
pub async fn forget_lost(tx: &WriteTx, vault: &Vault) -> Result<Vec<String>, DbErr> {
    let rows = tx
        .query_all_raw(statement(tx.get_database_backend(), "SELECT name, sealed FROM secret ORDER BY name", []))
        .await?;
    let mut lost = Vec::new();
    for row in rows {
        let (name, sealed): (String, Vec<u8>) = (row.try_get("", "name")?, row.try_get("", "sealed")?);
        if vault.unseal(PURPOSE, &name, &sealed).is_err() {
            remove(tx, &name).await?;
            lost.push(name);
        }
    }
    Ok(lost)
}

/// The vault of this database, with the keys from `source`. A key is only generated if nothing is sealed yet: a new one
/// next to secrets of another would decrypt none of them, and look like the one that was lost.
///
/// # Errors
/// When there is no key, or the wrong one.
pub async fn open(db: &Db, source: &Source) -> Result<Vault, OpenError> {
    if let Some(path) = MasterKeys::would_make(source) {
        let counted = db.read().query_one_raw(statement(db.backend(), "SELECT COUNT(*) AS n FROM secret", [])).await;
        let count: i64 =
            counted.map_err(StoreError::Db)?.map_or(Ok(0), |row| row.try_get("", "n")).map_err(StoreError::Db)?;
        if count > 0 {
            return Err(KeyError::Lost { path: path.to_owned(), count }.into());
        }
    }
    let vault = Vault::open(source)?;
    check(db, &vault).await?;
    Ok(vault)
}

/// Decrypts one secret of each master key, so that a wrong key is noticed at startup.
///
/// # Errors
/// When one cannot be decrypted.
pub async fn check(db: &Db, vault: &Vault) -> Result<(), StoreError> {
    let text = "SELECT MIN(name) AS name FROM secret GROUP BY key_id";
    for row in db.read().query_all_raw(statement(db.backend(), text, [])).await? {
        let name: String = row.try_get("", "name")?;
        get(db.read(), vault, &name).await?;
    }
    Ok(())
}

/// Re-wraps every secret with the newest master key and returns how many were outdated. It can be interrupted and
/// repeated; readers and writers are not blocked.
///
/// # Errors
/// When a read or write fails or a value cannot be decrypted.
pub async fn rotate(db: &Db, vault: &Vault) -> Result<u64, StoreError> {
    let mut rewrapped = 0;
    loop {
        let tx = db.begin_write().await?;
        let text = "SELECT name, sealed FROM secret WHERE key_id <> $1 ORDER BY name LIMIT $2";
        let rows = tx.query_all_raw(statement(db.backend(), text, [vault.key_id().into(), BATCH.into()])).await?;
        if rows.is_empty() {
            return Ok(rewrapped);
        }
        for row in rows {
            let (name, sealed): (String, Vec<u8>) = (row.try_get("", "name")?, row.try_get("", "sealed")?);
            let anew = vault
                .rewrap(PURPOSE, &name, &sealed)
                .map_err(|cause| StoreError::Sealed { name: name.clone(), cause })?;
            let secret = vault
                .unseal(PURPOSE, &name, &sealed)
                .map_err(|cause| StoreError::Sealed { name: name.clone(), cause })?;
            let text = "UPDATE secret SET key_id = $1, sealed = $2, fingerprint = $3 WHERE name = $4";
            let values: [Value; 4] = [
                vault.key_id().into(),
                anew.unwrap_or(sealed).into(),
                vault.fingerprint(PURPOSE, &secret).into(),
                name.into(),
            ];
            tx.execute_raw(statement(db.backend(), text, values)).await?;
            rewrapped += 1;
        }
        tx.commit().await?;
    }
}
