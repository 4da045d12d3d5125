//! Cards that are not retired are counted by themselves.

#![expect(elided_lifetimes_in_paths, reason = "async-trait wants the trait's own elided form")]

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

/// List 2 holds all cards; bits 7 to 9 of its cells are the lifecycle, 5 is a retired card.
const UP: &str = "
INSERT INTO kept_count (list, block, cell, n)
    SELECT 5, block, 0, CAST(SUM(n) AS BIGINT) FROM kept_count WHERE list = 2 AND ((cell >> 7) & 7) <> 5 GROUP BY block;
";
