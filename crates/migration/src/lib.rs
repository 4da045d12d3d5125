//! Schema changes, oldest first. A released one is never edited; the next change is a new file and a line in [`CHANGES`].
//!
//! Each file holds one text for both engines (see `db::sql::dialect`). What they cannot have in common stands side by
//! side in it, below a line `-- on sqlite` or `-- on postgres`, up to the next of these or `-- on both`.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// A change whose text lies in `sql`, under its name.
macro_rules! text {
    ($name:literal) => {
        Change { name: $name, text: include_str!(concat!("sql/", $name, ".sql")) }
    };
}

const CHANGES: &[Change] = &[
    text!("m20261120_000001_kept_count"),
    text!("m20261120_000002_access"),
    text!("m20261120_000003_operation_log"),
    text!("m20261120_000004_settings"),
    text!("m20261120_000005_client_user"),
    text!("m20261120_000006_task"),
    text!("m20261120_000011_spent_ciphertext"),
    text!("m20261121_000001_places"),
    text!("m20261121_000002_card"),
    text!("m20261121_000003_address"),
    text!("m20261121_000004_room_agent"),
    text!("m20261121_000005_operation"),
    text!("m20261121_000006_operation_limits"),
    text!("m20261121_000007_package_name"),
    text!("m20261121_000008_session_half"),
    text!("m20261121_000009_living_cards"),
    text!("m20261122_000001_card_orders"),
    text!("m20261122_000010_task_deadline"),
    text!("m20261122_000011_task_effect"),
    text!("m20261122_000012_operator_operations"),
    text!("m20261122_000020_integrity_check"),
    // A console makes it before it migrates, so that migrations are fenced as well.
    Change { name: "m20261122_000030_console_lease", text: db::lease::TABLE },
    text!("m20261122_000050_agent_quota"),
    text!("m20261122_000060_session_proof"),
    text!("m20261122_000061_operator_notice"),
    text!("m20261122_000070_shell_record"),
    text!("m20261122_000080_room_networks"),
    text!("m20261123_000001_operation_results"),
    text!("m20261123_000010_store"),
    text!("m20261123_000011_phone"),
    text!("m20261123_000020_operation_log_about"),
    text!("m20261123_000030_bmc_state"),
    text!("m20261123_000040_append_only"),
    text!("m20261124_000010_append_only_rowid"),
    text!("m20261124_000030_operation_begun"),
    text!("m20261124_000040_incoming_object"),
    text!("m20261124_000060_retry_asked"),
    text!("m20261124_000070_operation_lasts"),
    text!("m20261124_000080_operation_targets"),
    text!("m20261124_000081_upload"),
    text!("m20261124_000082_phone_order"),
    text!("m20261124_000083_card_busy"),
    text!("m20261124_000084_image_known"),
    text!("m20261125_000001_card_mark"),
    text!("m20261125_000010_saga"),
    text!("m20261125_000011_saga_open"),
    text!("m20261125_000020_board_profile"),
    text!("m20261125_000030_store_look"),
    text!("m20261126_000010_copy"),
    text!("m20261126_000020_damage"),
    text!("m20261126_000030_begun_alone"),
    text!("m20261126_000040_package"),
    text!("m20261126_000050_take_off"),
    text!("m20261127_000010_sealed"),
    text!("m20261127_000020_wanted_back"),
    text!("m20261127_000030_loss"),
    text!("m20261127_000040_first_copy"),
    text!("m20261128_000010_open_app"),
    text!("m20261128_000020_open_acts"),
    text!("m20261129_000010_connect"),
    text!("m20261129_000011_rule_value"),
    text!("m20261129_000020_stream"),
    text!("m20261129_000030_by_rule"),
    text!("m20261130_000010_webhook"),
    text!("m20261130_000020_pool_hour"),
    text!("m20261202_000030_reasons"),
    text!("m20261202_000031_erased"),
    text!("m20261202_000040_held_take_off"),
    text!("m20261202_000041_saga_pruned"),
    text!("m20261202_000042_shrunk"),
    text!("m20261202_000050_store_node_version"),
    text!("m20261202_000051_keys_given"),
    text!("m20261202_000052_backup_filters"),
    text!("m20261202_000070_phone_image"),
    text!("m20261202_000080_room_speed"),
    text!("m20261202_000087_image_exclusion"),
    text!("m20261202_000090_room_zone"),
    text!("m20261202_000091_here"),
    text!("m20261202_000095_salvaged"),
    text!("m20261203_000001_closed_account"),
    text!("m20261203_000004_cleared"),
    text!("m20261203_000007_erase"),
    text!("m20261203_000010_only_added"),
    text!("m20261203_000011_address_refused"),
    text!("m20261204_000010_dedicated"),
    text!("m20261204_000020_forbidden_app"),
    text!("m20261204_000021_image_compat"),
    text!("m20261204_000030_set_back"),
    text!("m20261204_000040_store_plan"),
    text!("m20261204_000041_phone_disk"),
    text!("m20261204_000042_rebuilt"),
    text!("m20261204_000043_sealed"),
    text!("m20261204_000090_board_trial"),
    text!("m20261205_000001_waiting_place"),
    text!("m20261205_000010_long_lists"),
    text!("m20261206_000010_first_rows"),
    text!("m20261207_000010_copy_filters"),
    text!("m20261208_000010_kept_copies"),
    text!("m20261209_000010_closed_accounts"),
];

/// The list of all schema changes.
#[derive(Debug)]
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        CHANGES.iter().map(|change| Box::new(*change) as Box<dyn MigrationTrait>).collect()
    }
}

/// One change. Its name is kept in the database.
#[derive(Clone, Copy)]
struct Change {
    name: &'static str,
    text: &'static str,
}

impl MigrationName for Change {
    fn name(&self) -> &str {
        self.name
    }
}

#[expect(elided_lifetimes_in_paths, reason = "async-trait wants the trait's own elided form")]
#[async_trait::async_trait]
impl MigrationTrait for Change {
    /// Runs the text, statement by statement. Statements end with `;` at the end of a line.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let engine = manager.get_database_backend();
        let text = db::sql::dialect(engine, &text_for(engine, self.text));
        for statement in text.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}

/// The lines of `text` that `engine` has to run, without comments.
fn text_for(engine: DbBackend, text: &str) -> String {
    let mut is_meant = true;
    let mut kept = String::new();
    for line in text.lines() {
        match line {
            "-- on sqlite" => is_meant = engine == DbBackend::Sqlite,
            "-- on postgres" => is_meant = engine == DbBackend::Postgres,
            "-- on both" => is_meant = true,
            _ if is_meant && !line.starts_with("--") => {
                kept.push_str(line);
                kept.push('\n');
            }
            _ => {}
        }
    }
    kept
}
