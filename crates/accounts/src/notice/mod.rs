//! Notices to operators about their own accounts: a changed password, a second factor, a link, sessions ended by
//! somebody else, a sign-in from an unknown browser.
//!
//! A notice is written in the transaction of its event, and only its operator can read it. There is no mail gateway
//! yet, so it is shown in the console only.

mod api;
mod prune;
mod tell;

use kernel::text::text;
use utoipa_axum::routes;

pub use prune::PruneNotices;
pub use tell::{Notice, new_device, tell, tell_by};

use base::domain::{Domain, Table};
use base::http::{DomainRouter, Need};

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    jobs: |jobs| jobs.every("notice.prune", "20 4 * * *", &PruneNotices {}),
    acts: &[("own_notice_read", text("阅读通知", "Read own notices"))],
    kinds: &[("notice", text("通知", "Notice"))],
    tables: &[Table::kept("operator_notice", "id")],
    ..Domain::new("notice", router)
};

/// The access table of this domain: everybody's own notices.
fn router() -> DomainRouter {
    DomainRouter::new()
        .view(Need::Session, routes!(api::own_notice_list))
        .act(Need::Session, routes!(api::own_notice_read))
}
