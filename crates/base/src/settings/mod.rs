//! Settings documents: one typed struct per page, one mechanism for all of them.
//!
//! A document is validated as a whole, stored as JSON with a version, and every version is kept. Concurrent edits are
//! detected: the second one names a version that is no longer the newest. Secrets are not part of a document: the vault
//! stores them, and people see [`vault::SecretView`]s.

pub mod calls;
mod doc;
pub mod entry;
mod field;
mod sign_in;
mod store;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use moka::sync::Cache;
use vault::Secret;

use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::ops::{Audit, OpCtx};

pub use doc::{SettingsDoc, SettingsInput, SettingsVersion, SettingsView};
pub use field::{Field, field, unit};
pub use sign_in::SignIn;

/// How long a document is cached. A change through this process takes effect at once; one through another server on the
/// same database within this time.
const CACHED_FOR: Duration = Duration::from_secs(2);
const CHANGED_MEANWHILE: Text =
    text("设置已被他人修改，请刷新后重试", "Somebody else has changed these settings; reload and try again");

/// The cache of documents.
#[derive(Debug)]
pub struct Settings {
    cache: Cache<&'static str, Arc<dyn Any + Send + Sync>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { cache: Cache::builder().max_capacity(200).time_to_live(CACHED_FOR).build() }
    }
}

impl Settings {
    /// The current document: the saved one, or the defaults.
    ///
    /// # Errors
    /// When the read fails, or the stored text is not such a document.
    pub async fn get<D: SettingsDoc>(&self, app: &App) -> Outcome<Arc<D>> {
        if let Some(known) = self.cache.get(D::NAME).and_then(|any| any.downcast::<D>().ok()) {
            return Ok(known);
        }
        let document = match store::find(app.db.read(), D::NAME).await? {
            Some(row) => read(D::NAME, row.version, &row.document)?,
            None => D::default(),
        };
        let document = Arc::new(document);
        self.cache.insert(D::NAME, document.clone());
        Ok(document)
    }
}

/// A secret of document `D`, for the server's own use.
///
/// # Errors
/// When the read fails or the vault cannot open it.
pub async fn secret<D: SettingsDoc>(app: &App, name: &str) -> Outcome<Option<Secret>> {
    vault::store::get(app.db.read(), &app.vault, &secret_name::<D>(name)).await.map_err(Fault::internal)
}

/// The document as the console shows it.
///
/// # Errors
/// When a read fails.
pub async fn view<D: SettingsDoc>(ctx: &OpCtx) -> Outcome<SettingsView<D>> {
    let row = store::find(ctx.read(), D::NAME).await?;
    let mut secrets = BTreeMap::new();
    for name in D::SECRETS {
        secrets.insert(*name, vault::store::view(ctx.read(), &secret_name::<D>(name)).await?);
    }
    Ok(match row {
        Some(row) => SettingsView {
            document: read(D::NAME, row.version, &row.document)?,
            version: row.version,
            updated_at: Some(row.updated_at),
            updated_by: Some(row.updated_by),
            secrets,
        },
        None => SettingsView { document: D::default(), version: 0, updated_at: None, updated_by: None, secrets },
    })
}

/// Saves a document and its secrets, keeps the previous version, and puts it into effect.
///
/// # Errors
/// When somebody else has saved it since it was read.
pub async fn save<D: SettingsDoc>(ctx: &OpCtx, input: SettingsInput<D>) -> Outcome<SettingsView<D>> {
    let SettingsInput { document, version, secrets } = input;
    let now = ctx.now();
    let text = serde_json::to_string(&document).map_err(Fault::internal)?;
    let by = ctx.session.username.as_str();

    let mut tx = ctx.begin_write().await?;
    let before: D = match store::find(&*tx, D::NAME).await? {
        Some(row) => read(D::NAME, row.version, &row.document)?,
        None => D::default(),
    };
    if !store::replace(&*tx, D::NAME, version, &text, by, now).await? {
        return Err(Fault::conflict(CHANGED_MEANWHILE));
    }
    for (name, value) in &secrets {
        let stored = secret_name::<D>(name);
        if value.is_empty() {
            vault::store::remove(tx.inner(), &stored).await?;
        } else {
            vault::store::put(tx.inner(), &ctx.app.vault, &stored, &Secret::from(value.clone()), by, now).await?;
        }
    }
    let changed: Vec<&str> = secrets.keys().map(String::as_str).collect();
    let mut audit = Audit::of("setting").id(D::NAME).name(D::NAME).before(&before).after(&document);
    if !changed.is_empty() {
        audit = audit.note(format!("secrets: {}", changed.join(", ")));
    }
    tx.commit(audit).await?;
    ctx.app.settings.cache.invalidate(D::NAME);
    view(ctx).await
}

/// The earlier versions of a document, newest first.
///
/// # Errors
/// When the read fails.
pub async fn history<D: SettingsDoc>(ctx: &OpCtx, page: PageQuery) -> Outcome<Page<SettingsVersion<D>>> {
    let Page { list, total, page_num, page_size } = store::history(ctx.read(), D::NAME, page).await?;
    let list = list
        .into_iter()
        .map(|row| {
            Ok(SettingsVersion {
                document: read(D::NAME, row.version, &row.document)?,
                version: row.version,
                at: row.at,
                by: row.by_name,
            })
        })
        .collect::<Outcome<Vec<_>>>()?;
    Ok(Page { list, total, page_num, page_size })
}

fn read<D: SettingsDoc>(name: &str, version: i32, text: &str) -> Outcome<D> {
    serde_json::from_str(text)
        .map_err(|error| Fault::Internal(anyhow::anyhow!("settings {name} version {version}: {error}")))
}

fn secret_name<D: SettingsDoc>(name: &str) -> String {
    format!("setting.{}.{name}", D::NAME)
}
