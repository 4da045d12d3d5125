//! Schema changes, oldest first. A released one is never edited; the next change is a new file.
//!
//! Each file holds one text for both engines (see `db::sql::dialect`); what can not be common stands
//! side by side in it.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::*;

mod m20261120_000001_kept_count;
mod m20261120_000002_access;
mod m20261120_000003_operation_log;
mod m20261120_000004_settings;
mod m20261120_000005_client_user;
mod m20261120_000006_task;
mod m20261120_000011_spent_ciphertext;
mod m20261121_000001_places;
mod m20261121_000002_card;
mod m20261121_000003_address;
mod m20261121_000004_room_agent;
mod m20261121_000005_operation;
mod m20261121_000006_operation_limits;
mod m20261121_000007_package_name;
mod m20261121_000008_session_half;
mod m20261121_000009_living_cards;
mod m20261122_000001_card_orders;

/// The list of all schema changes.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261120_000001_kept_count::Migration),
            Box::new(m20261120_000002_access::Migration),
            Box::new(m20261120_000003_operation_log::Migration),
            Box::new(m20261120_000004_settings::Migration),
            Box::new(m20261120_000005_client_user::Migration),
            Box::new(m20261120_000006_task::Migration),
            Box::new(m20261120_000011_spent_ciphertext::Migration),
            Box::new(m20261121_000001_places::Migration),
            Box::new(m20261121_000002_card::Migration),
            Box::new(m20261121_000003_address::Migration),
            Box::new(m20261121_000004_room_agent::Migration),
            Box::new(m20261121_000005_operation::Migration),
            Box::new(m20261121_000006_operation_limits::Migration),
            Box::new(m20261121_000007_package_name::Migration),
            Box::new(m20261121_000008_session_half::Migration),
            Box::new(m20261121_000009_living_cards::Migration),
            Box::new(m20261122_000001_card_orders::Migration),
        ]
    }
}

/// Runs a schema text, statement by statement. Statements end with `;` at the end of a line.
async fn run(manager: &SchemaManager<'_>, text: &str) -> Result<(), DbErr> {
    let text = db::sql::dialect(manager.get_database_backend(), text);
    for statement in text.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
        manager.get_connection().execute_unprepared(statement).await?;
    }
    Ok(())
}

/// True on SQLite; the other engine is PostgreSQL.
fn is_sqlite(manager: &SchemaManager<'_>) -> bool {
    manager.get_database_backend() == sea_orm::DbBackend::Sqlite
}

use sea_orm_migration::sea_orm;
