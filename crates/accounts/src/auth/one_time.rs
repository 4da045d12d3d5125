//! One-time codes of the second factor: TOTP (RFC 6238) of an authenticator, and recovery codes.

use aws_lc_rs::digest;
use base::app::App;
use base::fault::{Fault, Outcome};
use db::{Db, WriteTx};
use entity::{OperatorId, operator, recovery_code};
use kernel::time::UtcTime;
use qrcodegen::{QrCode, QrCodeEcc};
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use totp_rs::{Builder, Totp};
use utoipa::ToSchema;
use vault::{Secret, Vault};

/// The purpose for which the seed is encrypted; the name is the operator's id.
const PURPOSE: &str = "operator.totp";
const ISSUER: &str = "Skyrack";
/// Recovery codes of one operator.
const RECOVERY_CODES: usize = 10;
/// Characters of a recovery code without its hyphens: 80 bits.
const RECOVERY_LENGTH: usize = 16;
/// Crockford's base 32: no letter that is mistaken for a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A new seed, as an authenticator accepts it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    /// The seed in base32, to type in if nothing can be scanned.
    pub secret: String,
    /// The same with its name, as authenticators read it.
    pub otpauth_uri: String,
    /// The same as a QR code: an SVG as a data URL.
    pub qr: String,
}

/// A correct code. It must be [spent](Used::spend) in the transaction that it allows.
#[derive(Debug)]
pub enum Used {
    /// The code of a time step.
    Step(i64),
    /// A recovery code.
    Recovery(i64),
}

/// Generates a seed for `username`: what is stored, and what the operator sees once.
///
/// # Errors
/// When the name does not fit into the URI.
pub fn enrol(vault: &Vault, id: OperatorId, username: &str) -> anyhow::Result<(Vec<u8>, Enrolment)> {
    let seed = Secret::new(rand::random::<[u8; 20]>().to_vec());
    let totp = totp(&seed, username)?;
    let otpauth_uri = totp.to_url()?;
    let enrolment = Enrolment { secret: totp.secret().to_base32(), qr: qr_code(&otpauth_uri)?, otpauth_uri };
    Ok((vault.seal(PURPOSE, &id.to_string(), &seed), enrolment))
}

/// Re-wraps every seed with the newest master key and returns how many were outdated. There are as few as operators.
///
/// # Errors
/// When a read or a write fails, or a seed does not open.
pub async fn rewrap(db: &Db, vault: &Vault) -> anyhow::Result<u64> {
    let tx = db.begin_write().await?;
    let rows = operator::Entity::find().filter(operator::Column::TotpSecret.is_not_null()).all(&*tx).await?;
    let mut wrapped = 0;
    for row in rows {
        let sealed = row.totp_secret.unwrap_or_default();
        let Some(anew) = vault.rewrap(PURPOSE, &row.id.to_string(), &sealed)? else { continue };
        let change = operator::ActiveModel { id: Set(row.id), totp_secret: Set(Some(anew)), ..Default::default() };
        operator::Entity::update(change).exec(&*tx).await?;
        wrapped += 1;
    }
    tx.commit().await?;
    Ok(wrapped)
}

/// Removes the second factor of everybody whose seed cannot be decrypted with the available master keys, inside `tx`;
/// returns their names. A factor that cannot be checked would lock them out permanently.
///
/// # Errors
/// When a read or a write fails.
pub async fn forget_lost(tx: &WriteTx, vault: &Vault) -> anyhow::Result<Vec<String>> {
    let rows = operator::Entity::find().filter(operator::Column::TotpSecret.is_not_null()).all(&**tx).await?;
    let mut lost = Vec::new();
    for row in rows {
        let sealed = row.totp_secret.unwrap_or_default();
        if vault.unseal(PURPOSE, &row.id.to_string(), &sealed).is_ok() {
            continue;
        }
        let off = operator::ActiveModel {
            id: Set(row.id),
            totp_secret: Set(None),
            totp_enabled_at: Set(None),
            ..Default::default()
        };
        operator::Entity::update(off).exec(&**tx).await?;
        drop_recovery_codes(&**tx, row.id).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        lost.push(row.username);
    }
    Ok(lost)
}

/// Checks a one-time code or a recovery code.
///
/// # Errors
/// When the read fails or the seed does not open.
pub async fn check(app: &App, who: &operator::Model, code: &str, now: UtcTime) -> Outcome<Option<Used>> {
    if code.len() == 6 {
        return Ok(step_of(&app.vault, who, code, now)?.map(Used::Step));
    }
    let Some(code) = recovery_text(code) else { return Ok(None) };
    let found = recovery_code::Entity::find()
        .filter(recovery_code::Column::OperatorId.eq(who.id))
        .filter(recovery_code::Column::CodeHash.eq(hash(&code)))
        .filter(recovery_code::Column::UsedAt.is_null())
        .one(app.db.read())
        .await?;
    Ok(found.map(|row| Used::Recovery(row.id)))
}

/// The time step of `code`: the current one or a neighbour, unless it was used.
///
/// # Errors
/// When the seed does not open.
pub fn step_of(vault: &Vault, who: &operator::Model, code: &str, now: UtcTime) -> Outcome<Option<i64>> {
    let Some(sealed) = &who.totp_secret else { return Ok(None) };
    let seed = vault.unseal(PURPOSE, &who.id.to_string(), sealed).map_err(Fault::internal)?;
    let step = totp(&seed, &who.username)?.check(code, now.millis().unsigned_abs() / 1000);
    Ok(step.and_then(|step| i64::try_from(step).ok()).filter(|step| *step > who.totp_last_step))
}

impl Used {
    /// Uses the code up. False: somebody was faster with the same code.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn spend(&self, tx: &impl ConnectionTrait, who: OperatorId, now: UtcTime) -> Outcome<bool> {
        let changed = match self {
            Self::Step(step) => {
                let update = operator::Entity::update_many()
                    .col_expr(operator::Column::TotpLastStep, Expr::value(*step))
                    .filter(operator::Column::Id.eq(who))
                    .filter(operator::Column::TotpLastStep.lt(*step));
                update.exec(tx).await?.rows_affected
            }
            Self::Recovery(id) => {
                let update = recovery_code::Entity::update_many()
                    .col_expr(recovery_code::Column::UsedAt, Expr::value(now.millis()))
                    .filter(recovery_code::Column::Id.eq(*id))
                    .filter(recovery_code::Column::UsedAt.is_null());
                update.exec(tx).await?.rows_affected
            }
        };
        Ok(changed == 1)
    }
}

/// Replaces the recovery codes of an operator and returns the new ones, which are shown only once.
///
/// # Errors
/// When the write fails.
pub async fn renew_recovery_codes(tx: &impl ConnectionTrait, who: OperatorId) -> Outcome<Vec<String>> {
    drop_recovery_codes(tx, who).await?;
    let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| new_recovery_code()).collect();
    let rows = codes.iter().map(|code| recovery_code::ActiveModel {
        operator_id: Set(who),
        code_hash: Set(hash(&code.replace('-', ""))),
        ..Default::default()
    });
    recovery_code::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(codes)
}

/// Removes the recovery codes of an operator.
///
/// # Errors
/// When the write fails.
pub async fn drop_recovery_codes(tx: &impl ConnectionTrait, who: OperatorId) -> Outcome<()> {
    recovery_code::Entity::delete_many().filter(recovery_code::Column::OperatorId.eq(who)).exec(tx).await?;
    Ok(())
}

/// Whether `code` could be a one-time code or a recovery code. A captcha never could.
#[must_use]
pub fn looks_like_code(code: &str) -> bool {
    (code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit())) || recovery_text(code).is_some()
}

fn totp(seed: &Secret, username: &str) -> anyhow::Result<Totp> {
    // SHA-1, six digits, thirty seconds: what every authenticator supports (RFC 6238).
    let builder = Builder::new().with_secret(seed.expose()).with_account_name(username).with_issuer(Some(ISSUER));
    Ok(builder.build()?)
}

fn new_recovery_code() -> String {
    let letters: Vec<u8> =
        rand::random::<[u8; RECOVERY_LENGTH]>().iter().map(|byte| ALPHABET[usize::from(byte % 32)]).collect();
    letters.chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join("-")
}

/// A recovery code in its canonical form, whatever the person typed between its characters.
fn recovery_text(typed: &str) -> Option<String> {
    let text: String = typed
        .chars()
        .filter(|c| !matches!(c, '-' | ' '))
        .map(|c| match c.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            c => c,
        })
        .collect();
    (text.len() == RECOVERY_LENGTH && text.bytes().all(|b| ALPHABET.contains(&b))).then_some(text)
}

fn hash(code: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, code.as_bytes()).as_ref().to_vec()
}

/// A QR code as a data URL.
fn qr_code(text: &str) -> anyhow::Result<String> {
    const QUIET: i32 = 4;
    let qr = QrCode::encode_text(text, QrCodeEcc::Medium)?;
    let size = qr.size() + 2 * QUIET;
    let mut path = String::new();
    for (y, x) in
        (0..qr.size()).flat_map(|y| (0..qr.size()).map(move |x| (y, x))).filter(|(y, x)| qr.get_module(*x, *y))
    {
        path.push_str(&format!("M{},{}h1v1h-1z", x + QUIET, y + QUIET));
    }
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {size} {size}' shape-rendering='crispEdges'>\
         <rect width='100%' height='100%' fill='#fff'/><path d='{path}'/></svg>"
    );
    Ok(format!(
        "data:image/svg+xml,{}",
        percent_encoding::utf8_percent_encode(&svg, percent_encoding::NON_ALPHANUMERIC)
    ))
}

#[cfg(test)]
mod tests {
    use super::{looks_like_code, new_recovery_code, recovery_text};

    #[test]
    fn a_recovery_code_is_read_however_it_is_typed() {
        let code = new_recovery_code();
        assert_eq!(code.len(), 19);
        assert_eq!(recovery_text(&code.to_uppercase().replace('-', " ")), recovery_text(&code));
        assert_eq!(recovery_text("OIl0-aaaa-bbbb-cccc").as_deref(), Some("0110aaaabbbbcccc"));
        assert_eq!(recovery_text("uuuu-aaaa-bbbb-cccc"), None);
        assert!(looks_like_code(&code) && looks_like_code("012345"));
        assert!(!looks_like_code("ACEF3") && !looks_like_code("12345a") && !looks_like_code("1234567"));
    }
}
