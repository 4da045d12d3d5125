//! Which tables a backup holds, parents before children, and what their columns are.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

/// Tables in the order of restoring, each with the order of its rows.
pub const TABLES: &[(&str, &str)] = &[
    ("kept_count", "list, block, cell"),
    ("permission_group", "id"),
    // Sections before screens before buttons.
    ("menu", "kind, id"),
    ("group_menu", "group_id, menu_id"),
    ("operator", "id"),
    ("operator_old_password", "id"),
    ("recovery_code", "id"),
    ("sign_in_throttle", "name"),
    ("operator_sign_in", "id"),
    ("client_error", "id"),
    ("operation_log", "id"),
    ("setting", "name"),
    ("setting_history", "id"),
    ("secret", "name"),
    // Goes with the login keys among the secrets: without it a restored server would take a replay.
    ("spent_ciphertext", "digest"),
    ("client_user", "id"),
    ("client_user_record", "id"),
    ("logout_request", "id"),
    ("import_file", "id"),
    ("room", "id"),
    ("room_line", "id"),
    ("frame", "id"),
    ("host", "id"),
    ("card_model", "id"),
    ("card", "id"),
    ("card_event", "id"),
    ("position_history", "id"),
    ("address_plan", "id"),
    ("bmc", "id"),
    ("bmc_range", "id"),
    ("room_agent", "id"),
    ("join_token", "id"),
    ("finding", "id"),
    ("operation_file", "id"),
    ("operation", "id"),
    ("operation_task", "id"),
    ("task", "id"),
    ("task_schedule", "name"),
];

/// Tables that a backup leaves out, on purpose.
pub const SKIPPED: &[&str] = &[
    "session",
    "seaql_migrations",
    "client_user_search",
    "card_search",
    // Figures of past minutes: measured again every minute, and large.
    "card_minute",
    "place_minute",
];

/// What a column holds, as far as a backup has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Whole,
    Text,
    Flag,
    Bytes,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// The columns of `table`, in a fixed order.
pub async fn columns(db: &impl ConnectionTrait, table: &str) -> Result<Vec<Column>, DbErr> {
    let backend = db.get_database_backend();
    let sql = if backend == DbBackend::Sqlite {
        format!("SELECT name, lower(type) AS type FROM pragma_table_info('{table}') ORDER BY name")
    } else {
        format!(
            "SELECT column_name AS name, data_type AS type FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = '{table}' ORDER BY column_name COLLATE \"C\""
        )
    };
    let rows = db.query_all_raw(Statement::from_string(backend, sql)).await?;
    rows.into_iter()
        .map(|row| Ok(Column { name: row.try_get("", "name")?, kind: kind(&row.try_get::<String>("", "type")?) }))
        .collect()
}

fn kind(declared: &str) -> Kind {
    if declared.contains("bool") {
        Kind::Flag
    } else if declared.contains("int") {
        Kind::Whole
    } else if declared.contains("blob") || declared.contains("bytea") {
        Kind::Bytes
    } else {
        Kind::Text
    }
}

/// The newest schema change that `db` has.
pub async fn schema(db: &impl ConnectionTrait) -> Result<String, DbErr> {
    let sql = "SELECT version FROM seaql_migrations ORDER BY version DESC LIMIT 1";
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    row.map_or_else(|| Ok(String::new()), |row| row.try_get("", "version"))
}
