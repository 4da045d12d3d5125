//! Where the company's gateways and services answer, by room.

mod demo;
mod list;
mod reach;
mod service;
mod silent;

use std::future::ready;

use base::attention;
use base::domain::{Domain, Loop, Table};
use base::http::DomainRouter;
use base::log;
use futures::FutureExt as _;
use kernel::text::text;
use utoipa::ToSchema as _;
use utoipa_axum::routes;

use crate::screens::perm;
pub use demo::make_gateway as make_demo_gateway;
use list::{ServiceAddressView, ServiceAddresses};

/// What this domain registers. Its screen stands with the others of this crate.
pub const DOMAIN: Domain = Domain {
    lists: &[base::list::entry::<ServiceAddresses>()],
    loops: &[Loop::Anywhere(|app| silent::tell(app).boxed())],
    events: &[silent::TOPIC],
    attention: &[attention::Source {
        need: perm::SERVICE_ADDRESS_LIST,
        look: |ctx| ready(Ok(silent::gateways(ctx))).boxed(),
    }],
    turns: &[
        log::turn("service_address_set_enabled", "enabled", "true", text("启用服务地址", "Enable an address")),
        log::turn("service_address_set_enabled", "enabled", "false", text("停用服务地址", "Disable an address")),
    ],
    shapes: &[log::shape("serviceAddress", ServiceAddressView::name)
        .fields(&[("silence", text("网关静默", "Gateway silent"))])
        // It is no part of the address.
        .silent(&["silence"])],
    kinds: &[("serviceAddress", text("服务地址", "Service address"))],
    tables: &[Table::kept("service_address", "id")],
    demo: |app| demo::fill(app).boxed(),
    ..Domain::new("serviceAddress", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    list::router()
        .view(perm::SERVICE_ADDRESS_GET, routes!(service::service_address_get))
        .act(perm::SERVICE_ADDRESS_CREATE, routes!(service::service_address_create))
        .step_up()
        .act(perm::SERVICE_ADDRESS_UPDATE, routes!(service::service_address_update))
        .step_up()
        .act(perm::SERVICE_ADDRESS_UPDATE, routes!(service::service_address_set_enabled))
        .act(perm::SERVICE_ADDRESS_CHECK, routes!(service::service_address_check))
        .act(perm::SERVICE_ADDRESS_DELETE, routes!(service::service_address_delete))
}
