//! What stands beside cards where they are shown.

use std::fmt::Display;

use base::reference::Reference;
use entity::card::Model;
use entity::phone::DiskState;
use entity::placement::Role;
use entity::{CardId, PhoneId, PlacementId};
use kernel::ip4::Ip4;
use sea_orm::FromQueryResult;

use super::stay::Stay;

/// What stands beside a card.
#[derive(Debug, FromQueryResult)]
pub struct Beside {
    id: CardId,
    /// The name of its room.
    pub room: String,
    /// That of its frame; none while it is not racked.
    pub frame: Option<String>,
    /// Where the frame is in the room.
    pub location: Option<String>,
    /// The name of its host; none while it is not racked.
    pub host: Option<String>,
    /// The host's slot in the frame.
    pub slot: Option<i32>,
    pub blade_address: Option<Ip4>,
    pub manufacturer: String,
    pub model: String,
    pub board: String,
    /// What its image is called; none until it has said which one it runs.
    pub image: Option<String>,
    stay: Option<PlacementId>,
    role: Option<Role>,
    is_quarantined: Option<bool>,
    phone: Option<PhoneId>,
    code: Option<String>,
    used_bytes: Option<i64>,
    disk_gb: Option<i32>,
}

impl db::beside::Beside for Beside {
    type Row = Model;
    type Id = CardId;
    const TABLE: &str = "card";

    /// That a stay goes on is written as in the index of their cards.
    fn text() -> impl Display {
        "room.name AS room, frame.name AS frame, frame.location, host.name AS host, host.slot, \
         host.blade_address, card_model.manufacturer, card_model.model, card_model.board, \
         CASE WHEN image_known.version = '' THEN image_known.fingerprint ELSE image_known.version END AS image, \
         stay.id AS stay, stay.role, stay.is_quarantined, phone.id AS phone, phone.code, phone.used_bytes, phone.disk_gb \
         FROM card JOIN room ON room.id = card.room_id JOIN card_model ON card_model.id = card.model_id \
         LEFT JOIN frame ON frame.id = card.frame_id LEFT JOIN host ON host.id = card.host_id \
         LEFT JOIN image_known ON image_known.id = card.image_id \
         LEFT JOIN placement stay ON stay.card_id = card.id AND stay.role > 0 LEFT JOIN phone ON phone.id = stay.phone_id"
    }

    fn id(&self) -> CardId {
        self.id
    }
}

impl Beside {
    /// The stay on it that has not ended.
    #[must_use]
    pub fn stay(&self) -> Option<Stay> {
        Some(Stay {
            id: self.stay?,
            phone: self.phone?,
            code: self.code.clone()?,
            role: self.role?,
            is_quarantined: self.is_quarantined?,
            disk: DiskState::of(self.used_bytes?, self.disk_gb?),
        })
    }

    /// The phone that it is prepared for, that it holds, or whose data it still has.
    #[must_use]
    pub fn phone(&self) -> Option<Reference> {
        Some(Reference { id: self.phone?.0, name: self.code.clone() })
    }
}
