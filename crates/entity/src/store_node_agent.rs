//! A room agent that reaches a storage node.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{RoomAgentId, StoreNodeId};

kernel::coded_enum! {
    /// A part of what is done at a storage node.
    pub enum StoreStep {
        /// Finding and connecting.
        Connect = 1 ("连接", "Connect"),
        /// Encrypting the connection.
        Encrypt = 2 ("加密", "Encrypt"),
        /// Signing in.
        SignIn = 3 ("登录", "Sign in"),
        /// Seeing by its marker that it is the node.
        Marker = 4 ("核对标记", "Check the marker"),
        /// Writing a file.
        Write = 5 ("写入", "Write"),
        /// Giving it its name.
        Rename = 6 ("改名", "Rename"),
        /// Reading it back.
        Read = 7 ("读回", "Read back"),
        /// Listing.
        List = 8 ("列目录", "List"),
        /// Removing it.
        Remove = 9 ("删除", "Remove"),
        /// Something that a newer agent does.
        Other = 10 ("其他", "Other"),
    }
}

/// A room agent that reaches a storage node, and what it found there when it was last asked.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "store_node_agent")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub node_id: StoreNodeId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub agent_id: RoomAgentId,
    /// When it last looked; none if it never did.
    pub checked_at: Option<UtcTime>,
    /// How long it took, in milliseconds.
    pub millis: i64,
    /// Why it did not reach the node; empty if it did.
    pub code: String,
    /// During what.
    pub step: Option<StoreStep>,
    /// In which partition.
    pub partition: Option<i16>,
    /// The node's or the system's own words.
    pub detail: String,
}

impl ActiveModelBehavior for ActiveModel {}
