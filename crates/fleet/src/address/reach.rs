//! Which addresses may be written down to be connected to: of BMCs, and of cards.

use std::net::Ipv4Addr;

use base::fault::{Fault, Outcome};
use kernel::ip4::Ip4;
use kernel::rules::Violation;
use outbound::Rule;

/// Refuses addresses at `field` if one of them, from the first to the last, may not be connected to.
///
/// # Errors
/// It leads to the machine that connects, to its link, to many machines or to none.
pub fn check(rule: &Rule, field: &'static str, first: Ip4, last: Ip4) -> Outcome<()> {
    let mut all = (first.number()..=last.number()).map(Ipv4Addr::from);
    if all.any(|address| rule.check(address.into()).is_err()) {
        return Err(Fault::field(field, Violation::new("address.refused")));
    }
    Ok(())
}
