//! Encrypted passwords that were accepted once.

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
CREATE TABLE spent_ciphertext (
    digest {blob} NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
) {without_rowid};
";
