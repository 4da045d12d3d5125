//! What waits of many phones until a person says so goes on by one operation: after a power cut of a room a thousand cards may wait.
//! Each takes the right that its own act needs, as where it goes on alone ([`super::retry`]). Nothing is wiped that may be in no copy:
//! that takes two ([`super::left`]).

use std::collections::{HashMap, HashSet};

use base::fault::Outcome;
use base::http::Need;
use entity::operation::Model as Operation;
use entity::phone::Model as Phone;
use entity::saga::{self, Model as Saga, SagaKind};
use entity::saga_step::StepName;
use entity::{PhoneId, SagaId};
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{ColumnTrait as _, ConnectionTrait, QueryFilter as _, QueryOrder as _, QuerySelect as _, Select};
use wire::Reason;

use super::advance::Desk;
use super::states;
use crate::screens::perm;

/// A clearing that would wipe its card, and nobody has tried a wipe on such a board. One card goes by such a profile at a person's
/// word, who looks at it; many do not.
const UNTRIED: &str = "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id \
     WHERE stay.id = saga.placement_id AND NOT stay.is_quarantined AND NOT EXISTS (SELECT 1 FROM board_profile tried \
     WHERE tried.image_id = card.image_id AND tried.tried_at IS NOT NULL))";

/// What whoever lets things go on may, beside that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onward {
    /// Phones may live by copies with far less than the ones before.
    pub accept_shrunk: bool,
    /// Phones may leave their cards.
    pub take_off: bool,
}

/// The clearings and take-offs of these phones that are held.
fn held(phones: impl IntoIterator<Item = PhoneId>) -> Select<saga::Entity> {
    let which = Condition::any().add(Expr::cust(states::CLEAR_HELD)).add(Expr::cust(states::LEAVE_HELD));
    states::of_phones(phones, states::HELD).filter(which)
}

/// Those of them that would wipe a card by what nobody has tried.
pub(super) async fn untried(
    db: &impl ConnectionTrait,
    phones: impl IntoIterator<Item = PhoneId>,
) -> Outcome<HashSet<SagaId>> {
    let wipes = held(phones).filter(saga::Column::Kind.eq(SagaKind::Clear));
    let wipes = wipes.filter(saga::Column::Step.ne(StepName::Unclaim)).filter(Expr::cust(UNTRIED));
    let found: Vec<SagaId> = wipes.select_only().column(saga::Column::Id).into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

impl Onward {
    /// The permissions that it takes beside that to let things go on.
    pub fn rights(self) -> impl Iterator<Item = Need> {
        let all = [(self.take_off, perm::PHONE_TAKE_OFF), (self.accept_shrunk, perm::PHONE_ACCEPT_COPY)];
        all.into_iter().filter_map(|(is_used, need)| is_used.then_some(need))
    }

    /// Whether this one goes on.
    fn lets(self, saga: &Saga, untried: &HashSet<SagaId>) -> Result<(), Reason> {
        if saga.kind == SagaKind::TakeOff {
            return match (saga.code == Reason::Shrunk.code(), self.accept_shrunk, self.take_off) {
                (true, true, _) | (false, _, true) => Ok(()),
                (true, false, _) => Err(Reason::Shrunk),
                (false, _, false) => Err(Reason::NeedsRight),
            };
        }
        if untried.contains(&saga.id) { Err(Reason::NoProfile) } else { Ok(()) }
    }

    /// Of which of these phones something waits, and whether any of that goes on, or else why not.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(
        self,
        db: &impl ConnectionTrait,
        phones: &[Phone],
    ) -> Outcome<HashMap<PhoneId, Result<(), Reason>>> {
        let ids = || phones.iter().map(|row| row.id);
        let (sagas, untried) = (held(ids()).all(db).await?, untried(db, ids()).await?);
        let mut found: HashMap<PhoneId, Result<(), Reason>> = HashMap::with_capacity(sagas.len());
        for saga in sagas {
            let goes = self.lets(&saga, &untried);
            let before = found.entry(saga.phone_id).or_insert(goes);
            if goes.is_ok() {
                *before = goes;
            }
        }
        Ok(found)
    }
}

impl Desk<'_> {
    /// All that waits of a phone and may go on does; what may not stays as it is.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn goes_onward(
        &mut self,
        phone: &Phone,
        onward: Onward,
        operation: &Operation,
    ) -> Outcome<Result<(), Reason>> {
        let sagas = held([phone.id]).order_by_asc(saga::Column::Id).lock_exclusive().all(&**self.tx).await?;
        let untried = untried(&**self.tx, [phone.id]).await?;
        let (mut gone_on, mut why_not) = (Vec::new(), None);
        for saga in &sagas {
            let goes = match onward.lets(saga, &untried) {
                Ok(()) if saga.kind == SagaKind::TakeOff => Ok(self.requeue(saga).await?),
                Ok(()) => self.retry(saga).await?,
                Err(why) => Err(why),
            };
            match goes {
                Ok(_) => gone_on.push(format!("{} {}", saga.id, saga.code)),
                Err(why) => _ = why_not.get_or_insert(why),
            }
        }
        if gone_on.is_empty() {
            return Ok(Err(why_not.unwrap_or(Reason::NothingHeld)));
        }
        let note = format!("{}; {}", gone_on.join(", "), operation.reason);
        self.decided("phone_gone_on", operation.into(), (phone, phone), note);
        self.told.phones.push(phone.id);
        Ok(Ok(()))
    }
}
