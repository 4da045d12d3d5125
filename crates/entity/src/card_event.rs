//! A change of one axis of a card: together they are its timeline.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::CardId;

kernel::coded_enum! {
    /// Which fact changed. The codes before and after are those of the fact's own enumeration.
    pub enum Axis {
        /// `Lifecycle`
        Lifecycle = 1,
        /// `Power`
        Power = 2,
        /// `Power`, the wanted one
        WantedPower = 3,
        /// `Fact`: the room agent reached it
        Reached = 4,
        /// `Fact`: its port is open
        TcpOpen = 5,
        /// `Fact`: ADB answers
        AdbAnswers = 6,
        /// `Fact`: Android is up
        Booted = 7,
        /// `Occupancy`
        Occupancy = 8,
        /// `Maintenance`
        Maintenance = 9,
        /// 0 no, 1 yes
        Assignable = 10,
        /// 0 no, 1 yes
        Overcommit = 11,
        /// 0 no, 1 yes
        Upgrading = 12,
        /// The numbers of the positions; the reason names the places.
        Place = 13,
        /// Something in the books; the reason names it.
        Record = 14,
    }
}

kernel::coded_enum! {
    /// Who said so.
    pub enum Source {
        /// An operator.
        Operator = 1,
        /// A room agent.
        Agent = 2,
        /// The console itself.
        Console = 3,
    }
}

/// A change of one axis of a card.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "card_event")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub card_id: CardId,
    pub at: UtcTime,
    pub axis: Axis,
    pub from_code: i16,
    pub to_code: i16,
    pub reason: String,
    pub source: Source,
    pub by_name: String,
}

impl ActiveModelBehavior for ActiveModel {}
