//! What phones have left on cards in quarantine, and what may be in no copy: two operators say that nobody needs it, and then
//! it is wiped as it is.

use std::collections::HashSet;

use base::fault::Outcome;
use entity::PhoneId;
use entity::operation::Model as Operation;
use entity::phone::Model as Phone;
use entity::placement;
use entity::saga;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    QueryTrait as _, Select,
};
use wire::Reason;

use super::advance::Desk;
use super::decided::is_seconded;
use super::states;

/// The clearings that are held of cards in quarantine that these phones have left.
fn left(phones: impl IntoIterator<Item = PhoneId>) -> Select<saga::Entity> {
    let aside = placement::Entity::find().select_only().column(placement::Column::Id);
    let aside = aside.filter(placement::Column::IsQuarantined.eq(true)).into_query();
    states::of_phones(phones, states::CLEAR_HELD).filter(saga::Column::PlacementId.in_subquery(aside))
}

/// Which of these phones have left something that may be in no copy, and that waits for a person.
///
/// # Errors
/// When the read fails.
pub async fn have_left(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashSet<PhoneId>> {
    let select = left(phones.iter().map(|row| row.id)).select_only().column(saga::Column::PhoneId);
    let found: Vec<PhoneId> = select.into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

impl Desk<'_> {
    /// What a phone has left on cards in quarantine is wiped by the word of two operators, also what is in no copy.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn wipe_left(&mut self, phone: &Phone, operation: &Operation) -> Outcome<Result<(), Reason>> {
        if !is_seconded(operation) {
            return Ok(Err(Reason::NeedsSecond));
        }
        let sagas = left([phone.id]).order_by_asc(saga::Column::Id).lock_exclusive().all(&**self.tx).await?;
        if sagas.is_empty() {
            return Ok(Err(Reason::NothingLeft));
        }
        for saga in &sagas {
            let Some(stay) = self.stay_of(saga).await? else { continue };
            if let Err(why) = self.goes_on_with(saga, &stay).await? {
                return Ok(Err(why));
            }
        }
        let cards = sagas.len();
        let note = format!("cards: {cards}; {}; {}", operation.approved_by, operation.reason);
        self.decided("phone_left_wiped", operation.into(), (phone, phone), note);
        self.told.phones.push(phone.id);
        Ok(Ok(()))
    }
}
