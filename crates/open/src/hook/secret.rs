//! What receivers verify with, among the secrets.

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::webhook::Model;
use kernel::time::UtcTime;
use vault::Secret;
use vault::store::StoreError;

/// What its name begins with, so that people and scanners recognise it.
const WORD: &str = "SKYH";

/// The secret of this name, among the secrets.
#[must_use]
pub fn name(code: &str) -> String {
    format!("openHook.{code}")
}

/// Draws a secret with its name, and seals it.
///
/// # Errors
/// When the write fails.
pub async fn draw(app: &App, tx: &WriteTx, by: &str, now: UtcTime) -> Outcome<(String, Secret)> {
    let code = format!("{WORD}{}", hex::encode_upper(rand::random::<[u8; 10]>()));
    let secret = Secret::from(hex::encode(rand::random::<[u8; 32]>()));
    vault::store::put(tx, &app.vault, &name(&code), &secret, by, now).await?;
    Ok((code, secret))
}

/// The secret of a webhook; none if there is none, or it cannot be opened.
///
/// # Errors
/// When the read fails.
pub async fn of(app: &App, hook: &Model) -> Outcome<Option<Secret>> {
    match vault::store::get(app.db.read(), &app.vault, &name(&hook.key_code)).await {
        Ok(secret) => Ok(secret),
        Err(StoreError::Db(error)) => Err(error.into()),
        Err(error @ StoreError::Sealed { .. }) => {
            tracing::error!(%error, app.id = hook.app_id.0, "an application is not told: its secret cannot be opened");
            Ok(None)
        }
    }
}
