//! Address plans and BMC mappings: which card is where from inside, from outside, and for its power.

pub mod bmc;
pub mod check;
pub mod plan;

use utoipa_axum::routes;

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The access table of address plans and BMC mappings.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::ADDRESS_PLAN_LIST, routes!(plan::address_plan_list))
        .view(perm::ADDRESS_PLAN_LIST, routes!(plan::address_plan_preview))
        .act(perm::ADDRESS_PLAN_CREATE, routes!(plan::address_plan_create))
        .act(perm::ADDRESS_PLAN_UPDATE, routes!(plan::address_plan_update))
        .act(perm::ADDRESS_PLAN_DELETE, routes!(plan::address_plan_delete))
        .view(perm::BMC_LIST, routes!(bmc::bmc_list))
        .act(perm::BMC_CHECK, routes!(check::bmc_check))
        .act(perm::BMC_CREATE, routes!(bmc::bmc_create))
        .act(perm::BMC_UPDATE, routes!(bmc::bmc_update))
        .act(perm::BMC_DELETE, routes!(bmc::bmc_delete))
}
