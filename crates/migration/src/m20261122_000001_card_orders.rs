//! Every order of the card list has an index, and so have the few cards that somebody works on.

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

/// The index that keeps serials unique leaves out cards without one, which a list has at its end. With the lifecycle in it,
/// those who are worked on are counted without a look at each.
const UP: &str = "
CREATE INDEX card_by_serial ON card (serial, id);
CREATE INDEX card_by_since ON card (run_since, id);
CREATE INDEX card_maintenance ON card (maintenance, id, lifecycle) WHERE maintenance <> 1;
";
