//! A sign-in that lasts until it is ended or expires.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::operator_sign_in::SignInMethod;
use crate::{OperatorId, SessionId};

kernel::coded_enum! {
    /// Why a session ended.
    pub enum EndReason {
        /// The operator signed out.
        SignedOut = 1,
        /// The same account signed in elsewhere.
        Displaced = 2,
        /// It was idle too long or reached its absolute end.
        Expired = 3,
        /// Another operator ended it.
        Revoked = 4,
        /// The password was changed.
        PasswordChanged = 5,
        /// The account was disabled, deleted, or lost its group.
        AccountClosed = 6,
    }
}

/// A sign-in that lasts until it is ended or expires.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: SessionId,
    /// SHA-256 of the token; the token itself is not stored.
    pub token_hash: Vec<u8>,
    /// SHA-256 of the cookie that was issued with the token; none if there was none.
    #[sea_orm(column_name = "half_hash")]
    pub cookie_hash: Option<Vec<u8>>,
    /// The client has shown that cookie: from then on the token alone is not accepted.
    pub is_bound: bool,
    pub operator_id: OperatorId,
    pub created_at: UtcTime,
    pub seen_at: UtcTime,
    /// The absolute end, whatever happens.
    pub expires_at: UtcTime,
    pub ip: String,
    /// The browser's name, as reported by the client.
    pub device: String,
    pub method: SignInMethod,
    pub ended_at: Option<UtcTime>,
    pub end_reason: Option<EndReason>,
    /// When the operators last confirmed their identity after signing in.
    pub proved_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}
