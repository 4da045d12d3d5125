//! Which addresses may be written down to be connected to: of BMCs, and of cards.

use std::net::Ipv4Addr;

use base::fault::{Fault, Outcome};
use kernel::ip4::Ip4;
use kernel::rules::{Verdict, Violation};
use outbound::Rule;

/// Whether all of these addresses, from the first to the last, may be connected to.
///
/// # Errors
/// One leads to the machine that connects, to its link, to many machines or to none.
pub fn verdict(rule: &Rule, first: Ip4, last: Ip4) -> Verdict {
    let mut all = (first.number()..=last.number()).map(Ipv4Addr::from);
    if all.any(|address| rule.check(address.into()).is_err()) {
        return Err(Violation::new("address.refused"));
    }
    Ok(())
}

/// The same as an error at `field`.
///
/// # Errors
/// One may not be connected to.
pub fn check(rule: &Rule, field: &'static str, first: Ip4, last: Ip4) -> Outcome<()> {
    verdict(rule, first, last).map_err(|violation| Fault::field(field, violation))
}
