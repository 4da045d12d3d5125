//! Rows and their enumerations, and the pure rules of which state may follow which.
//!
//! No queries and no HTTP: this crate is compiled once and rarely changes.

pub mod client_error;
pub mod client_user;
pub mod client_user_record;
pub mod group_menu;
pub mod import_file;
pub mod logout_request;
pub mod menu;
pub mod operation_log;
pub mod operator;
pub mod operator_old_password;
pub mod operator_sign_in;
pub mod permission_group;
pub mod recovery_code;
pub mod session;
pub mod setting;
pub mod setting_history;

kernel::id_type! {
    /// An operator of this console.
    OperatorId;
    /// A permission group.
    GroupId;
    /// An entry of the menu tree.
    MenuId;
    /// A signed-in session.
    SessionId;
    /// A customer.
    ClientUserId;
    /// A customer's request to close an account.
    LogoutRequestId;
}
