//! What a demo prints at startup.

use base::config::Config;

use super::Company;
use super::crowd::CUSTOMERS;
use super::room::{NEW, Site};
use crate::boot::FirstStart;

/// What the person who started a demo needs to know.
#[must_use]
pub fn welcome(address: &str, first: &FirstStart, config: &Config, alive: &[&Site], which: Company) -> String {
    let folder = config.data_dir.display();
    let program = std::env::args().next().unwrap_or_else(|| "skyrack".to_owned());
    let password = match &first.password {
        Some(password) => format!("{password}   (for the first sign-in, which asks for one of your own)"),
        None => format!(
            "as you chose it; until then, as the first start printed it
            Forgotten? In another terminal: {program} admin reset-password admin --data-dir {folder}"
        ),
    };
    let look = if alive.is_empty() {
        format!("the records of the demo company. The simulated room {} did not start.", NEW.name)
    } else {
        let cards: i32 = alive.iter().map(|site| site.cards()).sum();
        let (rooms, agents) = if alive.len() == 1 { ("room", "a real agent") } else { ("rooms", "real agents") };
        format!(
            "Dashboard and Device panel: {} {rooms} with {cards} simulated cards, looked after by
            {agents}. Some cards are broken on purpose: see what needs attention, the findings of
            {}, and the operations.",
            alive.len(),
            NEW.name
        )
    };
    let play = if which == Company::Whole && !alive.is_empty() {
        format!(
            "
            Cloud phones and Sessions: {CUSTOMERS} simulated customers use them over the Open API, from now on."
        )
    } else {
        String::new()
    };
    format!(
        "
Skyrack is ready, with a demo company in it.

  Open      {address}   (中文 / English: top bar)
  User      admin
  Password  {password}
  Look at   {look}{play}
  Stop      press Ctrl-C; the data stays in {folder}
  Afresh    stop, then: rm -r {folder}

"
    )
}
