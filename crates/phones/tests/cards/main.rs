//! Cloud phones at cards: what their sagas do there and what becomes of their copies, over a real agent and simulated
//! cards, or step by step with a test that acts as the agent.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod agents_out;
mod apps;
mod at_once_steps;
mod back_steps;
mod by_limit;
mod by_rule;
mod cleared;
mod connect_steps;
mod copied;
mod copy_list;
mod copy_steps;
mod covered;
mod elsewhere_steps;
mod erased_steps;
mod excluded;
mod fair_steps;
mod full_node;
mod gateway_silent;
mod held_steps;
mod image_steps;
mod limited;
mod live;
mod live_steps;
mod lost;
mod lost_steps;
mod many_rounds;
mod off_steps;
mod older_steps;
mod onward_steps;
mod packages;
mod put_on;
mod quarantine_steps;
mod renewed;
mod reserve;
mod restore_steps;
mod restored;
mod room_zone;
mod rounds;
mod set_aside;
mod shrunk_steps;
mod silent_steps;
mod stream_steps;
mod taken_off;
mod verified;
mod walk;
mod walk_back;
mod walk_cards;
mod walk_left;
mod walk_off;
mod walk_on;
mod warned_steps;
mod whole;
mod written;
