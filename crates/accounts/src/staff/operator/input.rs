//! Input about operators, and its rules.

use base::http::Validate;
use entity::{GroupId, OperatorId};
use kernel::rules::{Check, at_least_one, at_most, email, max_chars, paragraph, phone, required, username};
use serde::Deserialize;
use utoipa::ToSchema;

use super::view::AccountTypeName;

const MAX_SELECTED: usize = 500;

/// Why an operator is disabled.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperatorDisableInput {
    /// Kept in the operation log; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for OperatorDisableInput {
    fn check(&self, check: &mut Check) {
        check.field("reason", max_chars(&self.reason, 256));
    }
}

/// A new operator, as entered.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperatorCreateInput {
    /// A lowercase letter, then lowercase letters, digits and underscores; 5 to 20 in total.
    #[schema(min_length = 5, max_length = 20)]
    pub username: String,
    /// The first password, encrypted as in sign-in. It must be changed at the first sign-in.
    pub password: String,
    /// The permission group. It may have no permission that the caller lacks.
    pub group_id: GroupId,
    /// The account type.
    pub account_type: AccountTypeName,
    /// Or empty.
    #[serde(default)]
    pub email: String,
    /// 11 digits, or empty.
    #[serde(default)]
    pub phone: String,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
    /// Whether the account can be used.
    #[serde(default = "yes")]
    pub enabled: bool,
}

const fn yes() -> bool {
    true
}

/// The new values of an operator.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperatorUpdateInput {
    /// The operator.
    pub id: OperatorId,
    /// As in creation.
    #[schema(min_length = 5, max_length = 20)]
    pub username: String,
    /// Omitted or empty: the password stays. Otherwise this is a reset as well and needs its permission.
    #[serde(default)]
    pub password: Option<String>,
    /// The permission group.
    pub group_id: GroupId,
    /// The account type.
    pub account_type: AccountTypeName,
    /// Or empty.
    #[serde(default)]
    pub email: String,
    /// 11 digits, or empty.
    #[serde(default)]
    pub phone: String,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
    /// Whether the account can be used.
    pub enabled: bool,
}

/// An administrator's reset of a password. Both are encrypted as in sign-in.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasswordResetInput {
    /// The operator.
    pub id: OperatorId,
    /// The new password; it must be changed at the next sign-in.
    pub password: String,
    /// The same again; some clients send the same ciphertext.
    pub confirm_password: String,
}

/// Some operators.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperatorIdsInput {
    /// Their ids, 1 to 500.
    pub id_list: Vec<OperatorId>,
}

impl Validate for OperatorCreateInput {
    fn check(&self, check: &mut Check) {
        check.field("username", username(&self.username));
        check.field("password", required(&self.password));
        check_contact(check, &self.email, &self.phone, &self.remark);
    }
}

impl Validate for OperatorUpdateInput {
    fn check(&self, check: &mut Check) {
        check.field("username", username(&self.username));
        check_contact(check, &self.email, &self.phone, &self.remark);
    }
}

impl Validate for PasswordResetInput {
    fn check(&self, check: &mut Check) {
        check.field("password", required(&self.password));
        check.field("confirmPassword", required(&self.confirm_password));
    }
}

impl Validate for OperatorIdsInput {
    fn check(&self, check: &mut Check) {
        check.field("idList", at_least_one(self.id_list.len()));
        check.field("idList", at_most(self.id_list.len(), MAX_SELECTED));
    }
}

/// The rules for contact details and the remark.
pub(super) fn check_contact(check: &mut Check, address: &str, number: &str, remark: &str) {
    check.optional("email", Some(address), email);
    check.field("email", max_chars(address, 64));
    check.optional("phone", Some(number), phone);
    check.optional("remark", Some(remark), |text| paragraph(text, 256));
}
