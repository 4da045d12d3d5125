//! Kept counters (see db::kept).

#![expect(elided_lifetimes_in_paths, reason = "async-trait wants the trait's own elided form")]

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, SCHEMA).await
    }
}

const SCHEMA: &str = "
CREATE TABLE kept_count (
    list SMALLINT NOT NULL,
    block BIGINT NOT NULL,
    cell INTEGER NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (list, block, cell)
) {without_rowid};
";
