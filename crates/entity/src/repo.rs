//! The repository of a phone's copies on a storage node.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{PhoneId, RepoId, StoreNodeId};

/// A repository in restic's format, of one phone on one node. A lost key loses one phone.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "repo")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: RepoId,
    pub phone_id: PhoneId,
    pub node_id: StoreNodeId,
    /// Its folder on the node; ASCII.
    pub folder: String,
    /// When its first copy was made; none if there is no repository yet.
    pub made_at: Option<UtcTime>,
    pub created_at: UtcTime,
    /// When something in it was found damaged: the copies in it stay, and the next one lies in another, since it would be
    /// made of what is there.
    pub damaged_at: Option<UtcTime>,
    /// Since when nobody can open it: its phone is erased, and it is to be removed from its node.
    pub erase_at: Option<UtcTime>,
    /// When it was.
    pub erased_at: Option<UtcTime>,
    /// The master key with which is sealed what lies beside it, as far as was seen to that; 0 before.
    pub sealed_with: i32,
}

impl ActiveModelBehavior for ActiveModel {}
