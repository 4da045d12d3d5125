//! What works on a card just now.

use sea_orm::entity::prelude::*;

use crate::CardId;

kernel::coded_enum! {
    /// Whose work it is.
    pub enum Book {
        /// A task of an operation.
        Operation = 1 ("批量操作", "Operation"),
        /// A step of what is done to a phone.
        Phone = 2 ("云手机", "Cloud phone"),
    }
}

/// What works on a card just now. A card has one at most; a task of an operation that is no longer running has none.
#[sea_orm::model]
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "card_busy")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub card_id: CardId,
    pub book: Book,
    /// Which task or step of the book.
    pub task_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
