//! Operators as shown; the operation log stores the same, so that no secret gets there.

use base::reference::Reference;
use entity::operator::{AccountType, Model, MustChange};
use entity::{GroupId, OperatorId};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

/// Whether an operator may sign in, in words.
pub const ENABLED: [Text; 2] = [text("禁用", "Disabled"), text("启用", "Enabled")];

kernel::named_enum! {
    /// The account type. It says how the person works; permissions come from the group.
    pub enum AccountTypeName {
        /// 超级用户
        Power = "power" ("超级用户", "Power user"),
        /// 普通用户
        Normal = "normal" ("普通用户", "Normal user"),
        /// 开发者
        Developer = "developer" ("开发者", "Developer"),
    }
}

impl From<AccountType> for AccountTypeName {
    fn from(stored: AccountType) -> Self {
        match stored {
            AccountType::Power => Self::Power,
            AccountType::Normal => Self::Normal,
            AccountType::Developer => Self::Developer,
        }
    }
}

impl From<AccountTypeName> for AccountType {
    fn from(name: AccountTypeName) -> Self {
        match name {
            AccountTypeName::Power => Self::Power,
            AccountTypeName::Normal => Self::Normal,
            AccountTypeName::Developer => Self::Developer,
        }
    }
}

/// An operator, as lists and details show them.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorView {
    pub id: OperatorId,
    pub username: String,
    /// Null once the group is gone; such an operator cannot sign in.
    pub group_id: Option<GroupId>,
    pub group: Option<Reference>,
    pub account_type: AccountTypeName,
    pub email: String,
    pub phone: String,
    pub remark: String,
    pub enabled: bool,
    /// The password must be changed at the next sign-in.
    pub must_change_password: bool,
    /// The second factor is set up and required.
    pub second_factor: bool,
    /// The provider of the linked account; null if none is linked.
    pub linked_provider: Option<String>,
    pub last_sign_in_at: Option<UtcTime>,
    pub last_sign_in_ip: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl OperatorView {
    /// `row`, with the name of its group.
    #[must_use]
    pub fn new(row: Model, group: Option<String>) -> Self {
        // Every field is named, so that a new secret cannot slip through.
        let Model {
            id,
            username,
            password_hash: _,
            password_set_at: _,
            must_change,
            group_id,
            account_type,
            email,
            phone,
            remark,
            is_enabled,
            totp_secret: _,
            totp_enabled_at,
            totp_last_step: _,
            oidc_subject,
            last_sign_in_at,
            last_sign_in_ip,
            created_at,
            updated_at,
        } = row;
        Self {
            id,
            username,
            group_id,
            group: group_id.map(|id| Reference { id: id.0, name: group }),
            account_type: account_type.into(),
            email,
            phone,
            remark,
            enabled: is_enabled,
            must_change_password: must_change != MustChange::No,
            second_factor: totp_enabled_at.is_some(),
            linked_provider: oidc_subject.and_then(|subject| Some(subject.split_once('|')?.0.to_owned())),
            last_sign_in_at,
            last_sign_in_ip,
            created_at,
            updated_at,
        }
    }
}
