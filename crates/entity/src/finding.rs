//! Where the books and the room differ.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{CardId, FindingId, RoomId};

kernel::coded_enum! {
    /// How they differ.
    pub enum FindingKind {
        /// A card answers that is in no book.
        New = 1,
        /// A card of the books does not answer any more.
        Missing = 2,
        /// A card of the books answers at another address or in another room.
        Moved = 3,
        /// Another card answers at the address of one in the books.
        DuplicateAddress = 4,
        /// A card says that it is another model.
        WrongModel = 5,
        /// A retired card answers.
        Ghost = 6,
    }
}

/// A difference between the books and the room.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "finding")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: FindingId,
    /// Where it was found.
    pub room_id: RoomId,
    pub kind: FindingKind,
    /// The card in the books that it is about; none for a new one.
    pub card_id: Option<CardId>,
    pub serial: String,
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub manufacturer: String,
    pub model: String,
    pub board: String,
    pub found_at: UtcTime,
    pub seen_at: UtcTime,
    /// Somebody does not want to hear of it.
    pub ignored_at: Option<UtcTime>,
    pub ignored_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
