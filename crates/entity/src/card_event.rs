//! A change of one axis of a card: together they are its timeline.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::CardId;

kernel::coded_enum! {
    /// Which fact changed. The codes before and after are those of the fact's own enumeration.
    pub enum Axis {
        /// `Lifecycle`
        Lifecycle = 1 ("生命周期", "Lifecycle"),
        /// `Power`
        Power = 2 ("电源", "Power"),
        /// `Power`, the desired one
        WantedPower = 3 ("期望电源", "Desired power"),
        /// `Fact`: the room agent reached it
        Reached = 4 ("代理可达", "Reachable"),
        /// `Fact`: its port is open
        TcpOpen = 5 ("端口开放", "Port open"),
        /// `Fact`: ADB answers
        AdbAnswers = 6 ("ADB 应答", "ADB answers"),
        /// `Fact`: Android is up
        Booted = 7 ("系统启动", "Android booted"),
        /// `Occupancy`
        Occupancy = 8 ("占用", "Occupancy"),
        /// `Maintenance`
        Maintenance = 9 ("维护", "Maintenance"),
        /// 0 no, 1 yes
        Assignable = 10 ("可分配", "Assignable"),
        /// 0 no, 1 yes
        Overcommit = 11 ("超分", "Overcommit"),
        /// 0 no, 1 yes
        Upgrading = 12 ("升级", "Upgrading"),
        /// The ids of the positions; the reason names the places.
        Place = 13 ("位置", "Position"),
        /// A field of the card's record; the reason names it.
        Record = 14 ("资料", "Record"),
    }
}

kernel::coded_enum! {
    /// Who caused it.
    pub enum Source {
        /// An operator.
        Operator = 1 ("操作员", "Operator"),
        /// A room agent.
        Agent = 2 ("机房代理", "Room agent"),
        /// The console itself.
        Console = 3 ("控制台", "Console"),
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
