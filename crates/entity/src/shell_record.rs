//! A recorded shell session on a card.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{CardId, OperatorId, ShellId};

/// Who had a shell on which card, and since when. Rows are never changed.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shell_record")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ShellId,
    pub card_id: CardId,
    pub card_address: String,
    pub operator_id: OperatorId,
    pub operator_name: String,
    pub ip: String,
    /// Why; may be empty where no phone was on the card.
    pub reason: String,
    pub started_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
