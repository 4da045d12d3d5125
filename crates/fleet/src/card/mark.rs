//! Whose a card is: what it says itself, beside what the books say.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entity::card::{self, MarkState, Model};
use entity::placement::{self, Role};
use entity::{CardId, PhoneId, PlacementId};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _,
};
use wire::{Carried, Mark};

use super::stay::Stay;

/// Values in one statement: engines limit them.
const VALUES: usize = 500;

/// Writes down what cards say about whose they are, as far as that differs from what is recorded.
///
/// # Errors
/// When the write fails.
pub async fn note<'a>(
    tx: &impl ConnectionTrait,
    said: impl IntoIterator<Item = (&'a Model, Option<&'a str>)>,
) -> Result<(), DbErr> {
    let mut wanted: BTreeMap<&str, Vec<CardId>> = BTreeMap::new();
    for (card, mark) in said {
        if let Some(mark) = mark.filter(|mark| card.mark.as_deref() != Some(*mark)) {
            wanted.entry(mark).or_default().push(card.id);
        }
    }
    for (mark, cards) in wanted {
        for cards in cards.chunks(VALUES) {
            let change = card::ActiveModel { mark: Set(Some(mark.to_owned())), ..Default::default() };
            let cards = card::Column::Id.is_in(cards.iter().copied());
            card::Entity::update_many().set(change).filter(cards).exec(tx).await?;
        }
    }
    Ok(())
}

/// The stay that a card names as the one whose data it has.
pub(super) fn named(row: &Model) -> Option<Mark> {
    match row.mark.as_deref().map(Carried::read) {
        Some(Carried::Of(mark) | Carried::Wiping(mark)) => Some(mark),
        Some(Carried::Nothing | Carried::Clean | Carried::Unreadable) | None => None,
    }
}

/// How the marks of `rows` stand to the books.
///
/// # Errors
/// When the read fails.
pub async fn states(
    db: &impl ConnectionTrait,
    rows: &[Model],
    stays: &HashMap<CardId, Stay>,
) -> Result<HashMap<CardId, MarkState>, DbErr> {
    let strange: BTreeSet<PlacementId> = rows
        .iter()
        .filter_map(|row| named(row).map(|mark| (row.id, PlacementId(mark.placement))))
        .filter(|(card, placement)| stays.get(card).is_none_or(|stay| stay.id != *placement))
        .map(|(_, placement)| placement)
        .collect();
    let strange: Vec<PlacementId> = strange.into_iter().collect();
    let mut ended: HashMap<PlacementId, (PhoneId, CardId)> = HashMap::new();
    for strange in strange.chunks(VALUES) {
        let select = placement::Entity::find().select_only().columns([
            placement::Column::Id,
            placement::Column::PhoneId,
            placement::Column::CardId,
        ]);
        let found: Vec<(PlacementId, PhoneId, CardId)> =
            select.filter(placement::Column::Id.is_in(strange.iter().copied())).into_tuple().all(db).await?;
        ended.extend(found.into_iter().map(|(id, phone, card)| (id, (phone, card))));
    }
    Ok(rows.iter().map(|row| (row.id, state(&Says::of(row), stays.get(&row.id), &ended))).collect())
}

/// What a card says about itself, and what it would say if it were clean.
struct Says<'a> {
    card: CardId,
    mark: Option<&'a str>,
    clean_mark: &'a str,
}

impl<'a> Says<'a> {
    fn of(card: &'a Model) -> Self {
        Self { card: card.id, mark: card.mark.as_deref(), clean_mark: &card.clean_mark }
    }
}

/// How a mark stands to the books: the stay that is on record for its card, and stays of before.
fn state(says: &Says<'_>, stay: Option<&Stay>, ended: &HashMap<PlacementId, (PhoneId, CardId)>) -> MarkState {
    // One that is only being put on is marked by a step of that.
    let must_be = stay.is_some_and(|stay| stay.role != Role::Incoming);
    let Some(text) = says.mark else { return MarkState::Unknown };
    match Carried::read(text) {
        // Nothing may also be all that was heard of it.
        Carried::Unreadable if ["", Carried::UNREADABLE].contains(&text) => MarkState::Unreadable,
        Carried::Unreadable => MarkState::Damaged,
        Carried::Nothing | Carried::Clean if must_be => MarkState::Missing,
        Carried::Nothing => MarkState::None,
        Carried::Clean if text == says.clean_mark => MarkState::Clean,
        // Nobody here has proved it.
        Carried::Clean => MarkState::Foreign,
        Carried::Of(Mark { phone, placement }) | Carried::Wiping(Mark { phone, placement }) => {
            let (phone, placement) = (PhoneId(phone), PlacementId(placement));
            if stay.is_some_and(|stay| (stay.id, stay.phone) == (placement, phone)) {
                MarkState::Ours
            } else if ended.get(&placement) == Some(&(phone, says.card)) {
                MarkState::Left
            } else {
                MarkState::Foreign
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use entity::card::MarkState as M;
    use entity::phone::DiskState;
    use entity::placement::Role;
    use entity::{CardId, PhoneId, PlacementId};

    use super::{Says, Stay, state};

    #[test]
    fn a_mark_is_judged_by_the_books() {
        let stay = |role| Stay {
            id: PlacementId(4),
            phone: PhoneId(17),
            code: "CP-0000017".to_owned(),
            role,
            is_quarantined: false,
            disk: DiskState::Fine,
        };
        let ended =
            HashMap::from([(PlacementId(3), (PhoneId(17), CardId(1))), (PlacementId(2), (PhoneId(9), CardId(8)))]);
        let judged =
            |mark, stay: Option<&Stay>| state(&Says { card: CardId(1), mark, clean_mark: "clean 00ff" }, stay, &ended);
        let (coming, there, leaving) = (stay(Role::Incoming), stay(Role::Holds), stay(Role::Outgoing));
        for (mark, free, on_its_way, on) in [
            (None, M::Unknown, M::Unknown, M::Unknown),
            (Some("-"), M::None, M::None, M::Missing),
            (Some("clean 00ff"), M::Clean, M::Clean, M::Missing),
            (Some("clean 00fe"), M::Foreign, M::Foreign, M::Missing),
            (Some("17.4"), M::Foreign, M::Ours, M::Ours),
            (Some("17.3"), M::Left, M::Left, M::Left),
            (Some("wiping 17.4"), M::Foreign, M::Ours, M::Ours),
            (Some("wiping 17.3"), M::Left, M::Left, M::Left),
            (Some("9.2"), M::Foreign, M::Foreign, M::Foreign),
            (Some("18.4"), M::Foreign, M::Foreign, M::Foreign),
            (Some("?"), M::Unreadable, M::Unreadable, M::Unreadable),
            (Some(""), M::Unreadable, M::Unreadable, M::Unreadable),
            (Some("17.4 and more"), M::Damaged, M::Damaged, M::Damaged),
            (Some("wiping"), M::Damaged, M::Damaged, M::Damaged),
        ] {
            assert_eq!(judged(mark, None), free, "{mark:?}");
            assert_eq!(judged(mark, Some(&coming)), on_its_way, "{mark:?}");
            assert_eq!((judged(mark, Some(&there)), judged(mark, Some(&leaving))), (on, on), "{mark:?}");
        }
    }
}
