//! What the manifest of a package says of it.

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

const UP: &str = "
ALTER TABLE operation_file ADD COLUMN package_name TEXT NOT NULL DEFAULT '';
ALTER TABLE operation_file ADD COLUMN package_version TEXT NOT NULL DEFAULT '';
";
