//! A check whether the database and the operation log are intact.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

/// The result of one check.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "integrity_check")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub begun_at: UtcTime,
    pub took_ms: i64,
    /// Everything was read; at startup only what can be read quickly.
    pub is_thorough: bool,
    /// What the engine reports about its files: a JSON array of sentences.
    pub problems: String,
    /// Operation log entries that were verified.
    pub log_lines: i64,
    /// Anchors that were verified.
    pub anchors: i64,
    /// The entry at which the log's chain is broken.
    pub broken_at: Option<i64>,
    /// How, as a word (`db::journal::ChainFault`).
    pub fault: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
