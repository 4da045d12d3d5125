//! The tables of settings.

use db::list::list_page;
use db::sql::statement;
use entity::{setting, setting_history};
use kernel::page::{Page, PageQuery};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, Value};

pub(super) async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<setting::Model>, DbErr> {
    setting::Entity::find_by_id(name).one(db).await
}

/// Stores `document` if `version` is still the newest (0: there is none yet), and adds it to the history. `false`:
/// somebody else has saved it meanwhile.
pub(super) async fn replace(
    db: &impl ConnectionTrait,
    name: &str,
    version: i32,
    document: &str,
    by: &str,
    now: UtcTime,
) -> Result<bool, DbErr> {
    let backend = db.get_database_backend();
    let text = if version == 0 {
        "INSERT INTO setting (name, version, document, updated_at, updated_by) VALUES ($1, $2 + 1, $3, $4, $5) \
         ON CONFLICT (name) DO NOTHING"
    } else {
        "UPDATE setting SET version = $2 + 1, document = $3, updated_at = $4, updated_by = $5 WHERE name = $1 AND version = $2"
    };
    let values: [Value; 5] = [name.into(), version.into(), document.into(), now.millis().into(), by.into()];
    if db.execute_raw(statement(backend, text, values.clone())).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let text = "INSERT INTO setting_history (name, version, document, at, by_name) VALUES ($1, $2 + 1, $3, $4, $5)";
    db.execute_raw(statement(backend, text, values)).await?;
    Ok(true)
}

pub(super) async fn history(
    db: &impl ConnectionTrait,
    name: &str,
    page: PageQuery,
) -> Result<Page<setting_history::Model>, DbErr> {
    let newest_first = setting_history::Entity::find()
        .filter(setting_history::Column::Name.eq(name))
        .order_by_desc(setting_history::Column::Version);
    list_page(db, newest_first, page).await
}
