//! What may be done to a phone: rules without a database.

use entity::phone::{Life, Model, Plan, UseType};
use kernel::time::UtcTime;
use wire::Reason;

use crate::settings::PhoneLife;

const DAY: i64 = 86_400;

/// Something that is done to a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It is paid for some more days, from now or from its expiry, whichever is later.
    Renew { days: i64 },
    /// It gets another plan.
    ChangePlan(Plan),
    /// Nobody may use it, for a reason.
    Freeze { reason: String },
    /// It may be used again.
    Thaw,
    /// It is given up.
    Release,
    /// It is had back.
    Restore,
    /// Its time is up.
    Expire,
    /// Nothing of it remains.
    Erase,
}

/// The phone after `act`, or why it stays as it is.
///
/// # Errors
/// What stands in the way.
pub fn turn(row: &Model, act: &Act, now: UtcTime, rules: &PhoneLife) -> Result<Model, Reason> {
    let after = match act {
        Act::Renew { days } => {
            living(row)?;
            let life = match row.life {
                Life::Expired if row.frozen_reason.is_empty() => Life::Active,
                // Money lifts no freeze.
                Life::Expired => Life::Frozen,
                Life::Creating | Life::Active | Life::Frozen | Life::Released | Life::Erased => row.life,
            };
            // What was bought for a year stays that until it is over.
            let before = if row.expires_at > now { row.term } else { 0 };
            let term = before.max(i32::try_from(*days).unwrap_or(i32::MAX));
            Model { life, term, expires_at: row.expires_at.max(now).plus_seconds(days * DAY), ..row.clone() }
        }
        Act::ChangePlan(plan) => {
            living(row)?;
            off(row)?;
            if row.plan == *plan {
                return Err(Reason::PhoneSamePlan);
            }
            // What it holds was made on its board, and runs on no other.
            if !row.is_blank && row.plan.board() != plan.board() {
                return Err(Reason::PhoneOtherBoard);
            }
            Model { plan: *plan, ..row.clone() }
        }
        Act::Freeze { reason } => {
            // An expired one is refused here, though one that was frozen before comes back to that.
            if row.life == Life::Expired {
                return Err(Reason::PhoneExpired);
            }
            // One that is on a card leaves it by rule, at once.
            becomes(row, Life::Frozen)?;
            Model { life: Life::Frozen, frozen_reason: reason.clone(), ..row.clone() }
        }
        Act::Thaw => {
            if row.life != Life::Frozen {
                return Err(Reason::PhoneNotFrozen);
            }
            let life = if row.expires_at <= now { Life::Expired } else { Life::Active };
            Model { life, frozen_reason: String::new(), ..row.clone() }
        }
        // One that is on a card leaves it by rule, with a copy for whoever restores it; if nothing takes that, it stays there until
        // it is erased.
        Act::Release => {
            becomes(row, Life::Released)?;
            let stays_until = Some(now.plus_seconds(rules.stay * DAY));
            Model { life: Life::Released, stays_until, frozen_reason: String::new(), ..row.clone() }
        }
        Act::Restore => {
            let until = released(row)?;
            if until <= now {
                return Err(Reason::PhoneStayOver);
            }
            // One that had run out gets its grace anew: otherwise it would be released again within a minute.
            let expired = row.expires_at <= now;
            Model {
                life: if expired { Life::Expired } else { Life::Active },
                expires_at: row.expires_at.max(now),
                stays_until: None,
                ..row.clone()
            }
        }
        Act::Expire => {
            becomes(row, Life::Expired)?;
            if row.expires_at > now {
                return Err(Reason::PhoneNotDue);
            }
            Model { life: Life::Expired, ..row.clone() }
        }
        Act::Erase => {
            let until = released(row)?;
            if until > now {
                return Err(Reason::PhoneNotDue);
            }
            let gone = Model { use_type: UseType::Off, holds_id: None, kept_id: None, ..row.clone() };
            Model { life: Life::Erased, stays_until: None, ..gone }
        }
    };
    Ok(Model { updated_at: now, ..after })
}

/// Refuses a phone that is on a card: it has to be taken off first.
fn off(row: &Model) -> Result<(), Reason> {
    if row.use_type == UseType::On { Err(Reason::PhoneOnMachine) } else { Ok(()) }
}

/// Refuses a phone that is not there yet, or no longer.
///
/// # Errors
/// What it is instead.
pub fn living(row: &Model) -> Result<(), Reason> {
    match row.life {
        Life::Active | Life::Frozen | Life::Expired => Ok(()),
        Life::Creating | Life::Released | Life::Erased => Err(stands(row.life)),
    }
}

/// Whether a phone may come on a card. One that was used comes with what its copy holds.
///
/// # Errors
/// What stands in the way.
pub fn puts_on(row: &Model) -> Result<(), Reason> {
    if row.life != Life::Active {
        return Err(stands(row.life));
    }
    if row.use_type == UseType::On {
        return Err(Reason::AlreadySo);
    }
    if row.is_blank || row.kept_id.is_some() { Ok(()) } else { Err(Reason::CopyUnfit) }
}

/// Whether a phone that is being taken off may stay where it is.
///
/// # Errors
/// What stands in the way.
pub const fn stays(row: &Model) -> Result<(), Reason> {
    if matches!(row.life, Life::Active) { Ok(()) } else { Err(stands(row.life)) }
}

/// Whether a phone may come on a card with what somebody else's copy holds: it has nothing of its own.
///
/// # Errors
/// What stands in the way.
pub fn takes_copy(row: &Model) -> Result<(), Reason> {
    puts_on(row)?;
    if row.is_blank { Ok(()) } else { Err(Reason::PhoneNotBlank) }
}

/// Whether a phone can be restarted, copied or taken off: it has to be on a card.
///
/// # Errors
/// What stands in the way.
pub const fn is_on(row: &Model) -> Result<(), Reason> {
    match row.use_type {
        UseType::On => Ok(()),
        UseType::Off => Err(Reason::PhoneOffMachine),
    }
}

fn becomes(row: &Model, life: Life) -> Result<(), Reason> {
    match row.life {
        before if before == life => Err(Reason::AlreadySo),
        before if before.may_become(life) => Ok(()),
        before => Err(stands(before)),
    }
}

fn released(row: &Model) -> Result<UtcTime, Reason> {
    row.stays_until.filter(|_| row.life == Life::Released).ok_or(Reason::PhoneNotReleased)
}

/// What a state stands in the way of, and what to do about it.
const fn stands(life: Life) -> Reason {
    match life {
        Life::Creating => Reason::PhoneCreating,
        Life::Active => Reason::PhoneActive,
        Life::Frozen => Reason::PhoneFrozen,
        Life::Expired => Reason::PhoneExpired,
        Life::Released => Reason::PhoneReleased,
        Life::Erased => Reason::PhoneErased,
    }
}

#[cfg(test)]
#[path = "act_tests.rs"]
mod tests;
