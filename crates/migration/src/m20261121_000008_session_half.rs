//! The second half of a session.

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
ALTER TABLE session ADD COLUMN half_hash {blob};
ALTER TABLE session ADD COLUMN is_bound BOOLEAN NOT NULL DEFAULT FALSE;
";
