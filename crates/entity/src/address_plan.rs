//! A range of addresses in a room and what it is outside.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{AddressPlanId, RoomId};

/// A range of intranet addresses and the extranet range that it maps to. Each side has one address and
/// many ports, many addresses and one port, or as many of both; the sides hold equally many.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "address_plan")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: AddressPlanId,
    pub room_id: RoomId,
    /// Unique in its room.
    pub name: String,
    /// Cards that it holds.
    pub span: i32,
    pub start_ip: Ip4,
    pub end_ip: Ip4,
    pub start_port: i32,
    pub end_port: i32,
    pub extranet_start_ip: Ip4,
    pub extranet_end_ip: Ip4,
    pub extranet_start_port: i32,
    pub extranet_end_port: i32,
    pub remark: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

/// The addresses of one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub extranet_ip: Ip4,
    pub extranet_port: i32,
}

impl Model {
    /// The addresses of card number `at`, from 0.
    #[must_use]
    pub fn pair(&self, at: i32) -> Option<Pair> {
        if !(0..self.span).contains(&at) {
            return None;
        }
        let ip = |start: Ip4, end: Ip4| if start == end { start } else { Ip4(start.0 + i64::from(at)) };
        let port = |start: i32, end: i32| if start == end { start } else { start + at };
        Some(Pair {
            intranet_ip: ip(self.start_ip, self.end_ip),
            adb_port: port(self.start_port, self.end_port),
            extranet_ip: ip(self.extranet_start_ip, self.extranet_end_ip),
            extranet_port: port(self.extranet_start_port, self.extranet_end_port),
        })
    }

    /// The addresses outside of a card that has these inside.
    #[must_use]
    pub fn outside(&self, ip: Ip4, port: i32) -> Option<Pair> {
        let by_ip = ip.0 - self.start_ip.0;
        let by_port = i64::from(port - self.start_port);
        let at = i32::try_from(if self.start_ip == self.end_ip { by_port } else { by_ip }).ok()?;
        self.pair(at).filter(|pair| pair.intranet_ip == ip && pair.adb_port == port)
    }
}

impl ActiveModelBehavior for ActiveModel {}
