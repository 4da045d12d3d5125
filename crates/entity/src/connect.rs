//! An application connects a customer to a phone.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{ConnectId, OpenAppId, PhoneId, SagaId};

kernel::coded_enum! {
    /// How far somebody is who connects to a phone.
    pub enum ConnectState {
        /// The phone is not there yet.
        Waiting = 1 ("等待连接", "Waits"),
        /// A ticket was given.
        Granted = 2 ("可连接", "May connect"),
        /// A gateway has taken a ticket.
        Connected = 3 ("已连接", "Connected"),
        /// Nobody is any more.
        Over = 4 ("已结束", "Over"),
    }
}

impl ConnectState {
    /// Those of which a phone has one at most.
    pub const OPEN: [Self; 3] = [Self::Waiting, Self::Granted, Self::Connected];

    /// Whether somebody is there, or on the way.
    #[must_use]
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Over)
    }
}

/// An application connects a customer to a phone. It has one row a phone, whatever became of it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "connect")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ConnectId,
    pub app_id: OpenAppId,
    pub phone_id: PhoneId,
    /// What brings the phone to its card, or keeps it there.
    pub saga_id: Option<SagaId>,
    pub state: ConnectState,
    /// Why it is over; empty if whoever waited has left.
    pub code: String,
    /// SHA-256 of the ticket, in hexadecimal; none once it was used.
    pub ticket_hash: Option<String>,
    /// Until when the ticket is good.
    pub until: Option<UtcTime>,
    /// The ticket is good for this revision of the phone alone.
    pub endpoint_rev: i64,
    pub asked_at: UtcTime,
    pub granted_at: Option<UtcTime>,
    pub connected_at: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
    /// How many streams there were: the present one has this number.
    pub stream: i64,
    /// Since when there is one; none if there is none.
    pub stream_at: Option<UtcTime>,
    /// The gateway of the last one; empty if there was none.
    pub gateway: String,
}

impl ActiveModelBehavior for ActiveModel {}
