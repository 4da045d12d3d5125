//! What this installation is: version, database, serial number.

use base::app::App;
use base::fault::Outcome;
use entity::setting;
use kernel::time::UtcTime;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait as _, DbBackend, EntityTrait as _, Statement};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The stored name of the installation's data.
const NAME: &str = "installation";

/// What this installation is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// Of the product.
    pub version: &'static str,
    /// The commit that the program was built from, if the build provided it.
    pub commit: Option<&'static str>,
    /// The engine and its version, such as `SQLite 3.51.3`.
    pub database: String,
    /// When the server started.
    pub started_at: UtcTime,
    /// The serial number for which licences are issued.
    pub serial: String,
    /// Whether the data is that of the demo company.
    pub demo: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Installation {
    serial: String,
    #[serde(default)]
    demo: bool,
}

/// Describes the installation.
///
/// # Errors
/// When the database refuses.
pub async fn describe(app: &App) -> Outcome<About> {
    let Installation { serial, demo } = installation(app).await?;
    Ok(About {
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("SKYRACK_COMMIT").filter(|commit| !commit.is_empty()),
        database: engine(app).await?,
        started_at: app.started_at,
        serial,
        demo,
    })
}

async fn engine(app: &App) -> Outcome<String> {
    let backend = app.db.backend();
    let (name, sql) = match backend {
        DbBackend::Sqlite => ("SQLite", "SELECT sqlite_version() AS v"),
        DbBackend::Postgres | DbBackend::MySql | _ => ("PostgreSQL", "SELECT current_setting('server_version') AS v"),
    };
    let row = app.db.read().query_one_raw(Statement::from_string(backend, sql)).await?;
    let version: String = row.map_or_else(|| Ok(String::new()), |row| row.try_get("", "v"))?;
    // PostgreSQL adds the packager's name in brackets.
    Ok(format!("{name} {}", version.split(' ').next().unwrap_or_default()))
}

/// The installation's own row; the first caller creates it.
async fn installation(app: &App) -> Outcome<Installation> {
    if let Some(found) = read(app).await? {
        return Ok(found);
    }
    let made = Installation { serial: new_serial(), demo: false };
    write(app, &made, OnConflict::column(setting::Column::Name).do_nothing().to_owned()).await?;
    // Another server on the same database may have been faster: the stored row counts.
    Ok(read(app).await?.unwrap_or(made))
}

async fn read(app: &App) -> Outcome<Option<Installation>> {
    let row = setting::Entity::find_by_id(NAME).one(app.db.read()).await?;
    Ok(row.and_then(|row| serde_json::from_str(&row.document).ok()))
}

async fn write(app: &App, installation: &Installation, on_conflict: OnConflict) -> Outcome<()> {
    let row = setting::ActiveModel {
        name: Set(NAME.to_owned()),
        version: Set(1),
        document: Set(serde_json::to_string(installation).map_err(anyhow::Error::from)?),
        updated_at: Set(app.clock.now()),
        updated_by: Set(String::new()),
    };
    let tx = app.db.begin_write().await?;
    setting::Entity::insert(row).on_conflict(on_conflict).exec_without_returning(&*tx).await?;
    tx.commit().await?;
    Ok(())
}

/// Records that the data is made up.
///
/// # Errors
/// When the database refuses.
pub async fn mark_as_demo(app: &App) -> anyhow::Result<()> {
    let marked = Installation { serial: new_serial(), demo: true };
    let replace = OnConflict::column(setting::Column::Name)
        .update_columns([setting::Column::Document, setting::Column::UpdatedAt])
        .to_owned();
    write(app, &marked, replace).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))
}

/// Whether this installation holds the demo company.
///
/// # Errors
/// When the database refuses.
pub async fn is_demo(app: &App) -> anyhow::Result<bool> {
    let found = read(app).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    Ok(found.is_some_and(|installation| installation.demo))
}

/// Four groups of four letters that are not misread.
fn new_serial() -> String {
    const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let letters: String =
        rand::random::<[u8; 16]>().iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    format!("{}-{}-{}-{}", &letters[..4], &letters[4..8], &letters[8..12], &letters[12..])
}
