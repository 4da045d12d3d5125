//! The table of secrets.

use db::sql::statement;
use db::{Db, WriteTx};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, Value};

use crate::{Secret, SecretView, Unsealable, Vault};

/// The purpose of everything in the table; the name is the row's.
const PURPOSE: &str = "secret";
/// Rows that are wrapped anew in one transaction.
const BATCH: i64 = 100;

/// Why a stored secret can not be had.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database does not answer.
    #[error("database: {0}")]
    Db(#[from] DbErr),
    /// The value is there but does not open.
    #[error("secret `{name}`: {cause}")]
    Sealed {
        /// Which one.
        name: String,
        /// Why.
        cause: Unsealable,
    },
}

/// Stores `secret` as `name`, in place of what was there, inside `tx`.
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
/// When the read fails or the value does not open.
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

/// Removes every secret that does not open with the master keys that are there, inside `tx`; answers their names.
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

/// Opens one secret of each master key, so that a start with the wrong key is noticed at the start.
///
/// # Errors
/// When one does not open.
pub async fn check(db: &Db, vault: &Vault) -> Result<(), StoreError> {
    let text = "SELECT MIN(name) AS name FROM secret GROUP BY key_id";
    for row in db.read().query_all_raw(statement(db.backend(), text, [])).await? {
        let name: String = row.try_get("", "name")?;
        get(db.read(), vault, &name).await?;
    }
    Ok(())
}

/// Wraps every secret with the newest master key and returns how many were not. It can be
/// interrupted and repeated; readers and writers are not held up.
///
/// # Errors
/// When a read or write fails or a value does not open.
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
