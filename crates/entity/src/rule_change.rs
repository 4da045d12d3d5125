//! What was changed in the rules by which phones are used.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::rule_value::{RuleField, RuleScope};

/// A value that was set, changed or cleared. Never changed.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rule_change")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub scope: RuleScope,
    /// What the scope names, as one number. It may be gone by now.
    pub scope_id: i64,
    /// Incremented with each change of the scope.
    pub version: i32,
    pub field: RuleField,
    /// None: it had no value of its own.
    pub was: Option<i64>,
    /// None: it has none now.
    pub became: Option<i64>,
    pub at: UtcTime,
    pub by_name: String,
}

impl ActiveModelBehavior for ActiveModel {}
