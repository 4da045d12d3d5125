//! What is done to phones, step by step, over agents' tasks: a phone is put on a card, and a card is cleared of what a
//! phone left. HEART 2 of the design has the steps and their letters.
//!
//! The row of a saga is the truth. A try of a step is written before it is sent ([`steps`]); the transaction that settles
//! it writes the next ([`advance`]); what comes next is a rule without a database ([`machine`]). So whoever dies in
//! between, console, agent or card, is told by the rows what goes on. Agents never decide.

mod admit;
mod advance;
mod ahead;
mod apart;
mod apps;
mod aside;
mod at_once;
mod awaited;
mod behind;
mod by_rule;
mod clearing;
mod copying;
pub mod counted;
mod decided;
mod elsewhere;
mod erasing;
mod figures;
mod first;
mod held;
pub mod here;
mod late;
mod leaving;
mod left;
mod lineage;
mod lost;
mod machine;
mod made;
mod needs;
mod older;
mod onward;
mod paces;
mod places;
mod pool;
mod progress;
mod prune;
mod queue;
mod restoring;
mod retry;
mod returning;
mod round;
mod salvage;
mod salvaging;
mod set_back;
mod shrunk;
mod silent;
mod states;
mod step;
mod steps;
mod stranded;
mod told;
mod turn;
mod verifying;
pub mod view;
mod waiter;

pub use admit::{Asked, busy, give_way, held_phones, leaving, occupied_phones, own};
pub use advance::Desk;
pub use apart::SetAside;
pub use aside::Unwiped;
pub use behind::IS_NOT as IS_NOT_BEHIND;
pub use by_rule::Ruled;
pub use decided::{Decides, Lost};
pub use elsewhere::Elsewhere;
pub use erasing::{Erasing, NOT_READ};
pub use figures::{failed_phones, failed_since, open, queued, queued_in, queued_phones, waits};
pub use first::Looked;
pub use here::stays_here;
pub use left::have_left;
pub use lineage::UNSAVED;
pub use lost::Missing;
pub use needs::MadeWith;
pub use older::Older;
pub use onward::Onward;
pub use paces::{Moved, Wiped, leave_since, moved_since, wiped_since};
pub use places::Places;
pub use pool::{CardPool, above_reserve, free as free_cards, waits_for};
pub use progress::Told as Progress;
pub use prune::{Of as PrunedOf, PruneSagas, prune};
pub use restoring::fits;
pub use returning::have_sealed;
pub use round::{Absent, LOOK, begin, round, whole_round};
pub use set_back::{SetBack, goes_back_to};
pub use silent::Heard;
pub use states::{HELD, LOCKED, OF_COPIES_OPEN};
pub use steps::PhoneSteps;
pub use told::{TOPIC, Told};
pub use waiter::{asked_in, asked_since, locking, locking_many, unattended};

use base::http::DomainRouter;
use utoipa_axum::routes;

use crate::screens::perm;

/// The access table of what is done to phones.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::PHONE_GET, routes!(view::phone_sagas))
        .act(perm::PHONE_RETRY, routes!(retry::saga_retry))
        .also(&[perm::PHONE_TAKE_OFF, perm::PHONE_ACCEPT_COPY])
        .act(perm::PHONE_ACCEPT_COPY, routes!(retry::saga_cancel))
        .act(perm::PHONE_TAKE_OFF, routes!(retry::saga_stay))
}
