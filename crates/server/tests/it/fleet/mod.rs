//! The fleet: places, addresses, cards, and what agents say of them.

mod addresses;
mod agents;
mod attention;
mod bmc;
mod bmc_address;
mod cards;
mod exclusions;
mod files;
mod findings;
mod host_import;
mod images;
mod link;
mod looks;
mod pairs;
mod places;
mod shell_phone;
mod shell_record;
pub mod state;
mod trials;
