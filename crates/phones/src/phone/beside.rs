//! What stands beside phones where they are shown.

use std::fmt::Display;

use base::reference::Reference;
use entity::phone::Model;
use entity::{CardId, PhoneId, PlacementId};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::FromQueryResult;

use crate::saga::LOCKED;

/// What stands beside a phone.
#[derive(Debug, FromQueryResult)]
pub struct Beside {
    id: PhoneId,
    pub user_name: String,
    pub user_phone: String,
    /// The name of its home.
    pub room: String,
    stay: Option<PlacementId>,
    since: Option<UtcTime>,
    card: Option<CardId>,
    address: Option<Ip4>,
    is_overcommit: Option<bool>,
    /// Something is being done to it.
    pub is_locked: bool,
    /// Somebody connects to it.
    pub is_connecting: bool,
    /// What brought it to its card may have left apps of its copy out.
    pub is_short: bool,
}

/// The card of a phone.
#[derive(Clone, Debug)]
pub struct CardOfPhone {
    /// Called by its intranet address.
    pub card: Reference,
    /// Since when the phone is on it, or was being put on it.
    pub since: UtcTime,
    /// Whether the phone has it for itself.
    pub is_dedicated: bool,
}

impl db::beside::Beside for Beside {
    type Row = Model;
    type Id = PhoneId;
    const TABLE: &str = "phone";

    /// The conditions are written as in the indexes.
    fn text() -> impl Display {
        format!(
            "client_user.name AS user_name, client_user.phone AS user_phone, room.name AS room, \
             placement.id AS stay, placement.began_at AS since, card.id AS card, card.intranet_ip AS address, card.is_overcommit, \
             EXISTS (SELECT 1 FROM saga WHERE saga.phone_id = phone.id AND {LOCKED}) AS is_locked, \
             EXISTS (SELECT 1 FROM connect WHERE connect.phone_id = phone.id AND state IN (1, 2, 3)) AS is_connecting, \
             EXISTS (SELECT 1 FROM saga came JOIN withheld_app ON withheld_app.saga_id = came.id \
             WHERE came.placement_id = phone.holds_id) AS is_short \
             FROM phone JOIN client_user ON client_user.id = phone.user_id JOIN room ON room.id = phone.room_id \
             LEFT JOIN placement ON placement.id = phone.holds_id LEFT JOIN card ON card.id = placement.card_id"
        )
    }

    fn id(&self) -> PhoneId {
        self.id
    }
}

impl Beside {
    /// What holds its card for it.
    #[must_use]
    pub const fn stay(&self) -> Option<PlacementId> {
        self.stay
    }

    /// The card of this stay; none if the phone has left that meanwhile.
    #[must_use]
    pub fn card(&self, stay: PlacementId) -> Option<CardOfPhone> {
        self.stay.filter(|own| *own == stay)?;
        let card = Reference { id: self.card?.0, name: Some(self.address?.to_string()) };
        Some(CardOfPhone { card, since: self.since?, is_dedicated: !self.is_overcommit? })
    }
}
