//! The foundation of all domains of the console: the application, the HTTP layer, permissions, settings, lists as
//! files, and the value with which a domain registers ([`domain::Domain`]).
//!
//! It knows no domain. See ARCHITECTURE.md.

pub mod access;
pub mod anchor;
pub mod anew;
pub mod app;
pub mod attention;
pub mod config;
pub mod day;
pub mod demo;
pub mod domain;
pub mod export;
pub mod fault;
pub mod fetch;
pub mod front;
pub mod handed;
pub mod http;
pub mod import;
pub mod incoming;
pub mod inspection;
pub mod list;
pub mod log;
mod loops;
pub mod open;
pub mod outbox;
pub mod owned;
pub mod pace;
pub mod prelude;
pub mod reference;
pub mod resumable;
pub mod router;
mod screens;
pub mod search;
pub mod settings;
pub mod sheet;
pub mod standby;
pub mod steps;
mod tables;
pub mod topic;
mod unnamed;
pub mod work;

pub use screens::perm;

use domain::{Domain, Table};
use http::DomainRouter;
use import::PruneImports;
use incoming::SweepIncoming;
use kernel::text::text;

/// What is common to all: it comes before all domains.
pub const DOMAIN: Domain = Domain {
    screens: &[screens::SCREENS],
    jobs: |jobs| {
        jobs.every("clientUser.pruneImports", "50 3 * * *", &PruneImports {})?.every(
            "file.sweepIncoming",
            "55 3 * * *",
            &SweepIncoming {},
        )
    },
    kinds: &[
        ("export", text("导出", "Export")),
        ("import", text("导入", "Import")),
        ("secret", text("密钥", "Secrets")),
        ("setting", text("设置", "Settings")),
        ("task", text("任务", "Task")),
        ("upload", text("上传", "Upload")),
    ],
    tables: &[
        Table::kept("kept_count", "list, block, cell"),
        Table::kept("kept_word", "list, word, cell"),
        Table::kept("operation_log", "id").append_only(),
        Table::kept("operation_log_about", "object_kind, object_id, log_id").append_only(),
        Table::kept("setting", "name"),
        Table::kept("setting_history", "id").append_only(),
        Table::kept("secret", "name"),
        Table::kept("import_file", "id").with_file("object_key"),
        Table::kept("task", "id").with_file("result_key"),
        Table::kept("task_schedule", "name"),
        // Of the files that a backup holds, all have arrived.
        Table::left_out("incoming_object"),
        // Their files lie outside the object storage.
        Table::left_out("upload"),
        Table::left_out("seaql_migrations"),
        // Which console is active on this database, not its content.
        Table::left_out("console_lease"),
    ],
    ..Domain::new("base", DomainRouter::new)
};
