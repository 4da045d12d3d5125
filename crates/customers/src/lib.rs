//! Customers: the home list, their records, and their requests to close an account.
//!
//! It does not contain what they bought (`billing`) nor the phones they rent (`fleet`).

mod api;
mod bulk;
mod closing;
mod closing_list;
mod import;
mod list;
mod lookup;
mod own_acts;
mod owned;
mod record_list;
mod records;
mod screens;
mod service;
mod store;
mod trouble;

use futures::FutureExt as _;
use kernel::text::text;
use utoipa_axum::routes;

pub use bulk::{NewClientUser, insert_many};
pub use closing::{closing_of, closings_since, request_closing, withdraw_closing};
use closing_list::LogoutRequests;
use import::ImportUsers;
use list::Users;
use lookup::search;
pub use lookup::{
    ClientUserCounts, add_phones, closed_with_phones, counts, ids_found_by, named, open_account, out_of_use,
};
pub use own_acts::{Event, Profile, Registration, change_profile, record_events, register};
pub use owned::{Sought, app_has_any, apps_of, owned, owned_among, owned_list};
use record_list::Records;
pub use records::{NewRecord, insert_records};
use screens::perm;

use base::domain::{Domain, Table};
use base::http::DomainRouter;
use base::search::Source;
use base::{attention, log};
use utoipa::ToSchema as _;

/// The domains of this group.
pub const DOMAINS: &[Domain] = &[DOMAIN];

/// What customers register.
const DOMAIN: Domain = Domain {
    screens: &[screens::SCREENS],
    lists: &[base::list::entry::<Users>(), base::list::entry::<Records>(), base::list::entry::<LogoutRequests>()],
    imports: &[base::import::entry::<ImportUsers>()],
    search: &[Source {
        kind: "clientUser",
        name: text("客户端用户", "Client users"),
        need: perm::CLIENT_USER_LIST,
        find: |ctx, text| search(ctx, text).boxed(),
    }],
    attention: &[attention::Source { need: perm::CLIENT_USER_LOGOUT_LIST, look: |ctx| trouble::requests(ctx).boxed() }],
    turns: &[
        log::turn("client_user_set_status", "status", "1", text("启用客户端用户", "Enable client users")),
        log::turn("client_user_set_status", "status", "2", text("禁用客户端用户", "Disable client users")),
    ],
    shapes: &[
        log::shape("clientUser", api::ClientUserView::name)
            .fields(&[("appId", text("来源应用 ID", "Application ID"))])
            .plain(&["id", "status"]),
        log::shape("logoutRequest", closing_list::LogoutRequestView::name)
            .fields(&[
                ("userId", text("客户端用户 ID", "Client user ID")),
                ("userStatus", text("客户端用户状态", "Client user status")),
            ])
            .choices(&[("userStatus", "ClientUserStatus")]),
    ],
    kinds: &[("clientUser", text("客户端用户", "Client user")), ("logoutRequest", text("注销申请", "Logout request"))],
    tables: &[
        Table::kept("client_user", "id"),
        Table::kept("client_user_record", "id").append_only(),
        Table::kept("logout_request", "id"),
        // Rebuilt.
        Table::left_out("client_user_search"),
    ],
    reindex: |tx| store::reindex(tx).boxed(),
    ..Domain::new("customers", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::CLIENT_USER_LIST, routes!(list::client_user_page))
        .view(perm::CLIENT_USER_GET, routes!(api::client_user_get))
        .act(perm::CLIENT_USER_CREATE, routes!(api::client_user_create))
        .act(perm::CLIENT_USER_UPDATE, routes!(api::client_user_update))
        .act(perm::CLIENT_USER_DISABLE, routes!(api::client_user_set_status))
        .act(perm::CLIENT_USER_EXPORT, routes!(list::client_user_export))
        .view(perm::CLIENT_USER_RECORD_LIST, routes!(record_list::client_user_records))
        .act(perm::CLIENT_USER_RECORD_EXPORT, routes!(record_list::client_user_record_export))
        .view(perm::CLIENT_USER_RECORD_LIST, routes!(record_list::client_user_login_records))
        .view(perm::CLIENT_USER_LOGOUT_LIST, routes!(closing_list::logout_request_list))
        .act(perm::CLIENT_USER_LOGOUT_EXPORT, routes!(closing_list::logout_request_export))
        .act(perm::CLIENT_USER_LOGOUT_CANCEL, routes!(closing::logout_request_cancel))
        .act(perm::CLIENT_USER_LOGOUT_COMPLETE, routes!(closing::logout_request_complete))
}
