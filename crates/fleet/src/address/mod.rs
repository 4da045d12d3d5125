//! Address plans and BMC mappings: how cards are reached from inside and outside, and which BMC powers them.

pub mod bmc;
mod bmc_list;
pub mod bmc_state;
pub mod check;
pub mod plan;
mod plan_list;
pub mod reach;

use utoipa_axum::routes;

pub use bmc_list::Bmcs;
pub use plan_list::AddressPlans;

use base::http::DomainRouter;

use crate::screens::perm;

/// The access table of address plans and BMC mappings.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::ADDRESS_PLAN_LIST, routes!(plan_list::address_plan_list))
        .act(perm::ADDRESS_PLAN_EXPORT, routes!(plan_list::address_plan_export))
        .view(perm::ADDRESS_PLAN_LIST, routes!(plan::address_plan_preview))
        .act(perm::ADDRESS_PLAN_CREATE, routes!(plan::address_plan_create))
        .act(perm::ADDRESS_PLAN_UPDATE, routes!(plan::address_plan_update))
        .act(perm::ADDRESS_PLAN_DELETE, routes!(plan::address_plan_delete))
        .view(perm::BMC_LIST, routes!(bmc_list::bmc_list))
        .act(perm::BMC_EXPORT, routes!(bmc_list::bmc_export))
        .act(perm::BMC_CHECK, routes!(check::bmc_check))
        .act(perm::BMC_CREATE, routes!(bmc::bmc_create))
        .step_up()
        .act(perm::BMC_UPDATE, routes!(bmc::bmc_update))
        .step_up()
        .act(perm::BMC_DELETE, routes!(bmc::bmc_delete))
}
