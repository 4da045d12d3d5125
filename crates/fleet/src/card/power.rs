//! Cards of which it is known that they have no power.

use std::collections::{BTreeSet, HashMap};

use entity::CardId;
use entity::card::{Fact, Model, Power};
use entity::card_event::{Axis, Column, Entity};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, ExprTrait as _, QueryFilter as _, QuerySelect as _,
};

/// Values in one statement: engines limit them.
const VALUES: usize = 500;

/// Those of these cards that were switched off, as their BMC said, and have not been seen since: whoever switches one on by
/// hand tells nobody.
///
/// # Errors
/// When a read fails.
pub async fn surely_off(
    db: &impl ConnectionTrait,
    cards: impl IntoIterator<Item = &Model>,
) -> Result<BTreeSet<CardId>, DbErr> {
    let off: Vec<CardId> = cards.into_iter().filter(|card| card.power == Power::Off).map(|card| card.id).collect();
    let last = async |which: sea_orm::sea_query::Expr| {
        let mut found: HashMap<CardId, i64> = HashMap::new();
        for cards in off.chunks(VALUES) {
            let rows: Vec<(CardId, i64)> = Entity::find()
                .select_only()
                .column(Column::CardId)
                .column_as(Column::Id.max(), "last")
                .filter(Column::CardId.is_in(cards.iter().copied()))
                .filter(which.clone())
                .group_by(Column::CardId)
                .into_tuple()
                .all(db)
                .await?;
            found.extend(rows);
        }
        Ok::<_, DbErr>(found)
    };
    let switched = last(Column::Axis.eq(Axis::Power).and(Column::ToCode.eq(Power::Off.code()))).await?;
    let is_up = Column::Axis.is_in([Axis::Reached, Axis::AdbAnswers, Axis::Booted]);
    let seen = last(is_up.and(Column::ToCode.eq(Fact::Yes.code()))).await?;
    let is_off = |card: &CardId| switched.get(card).is_some_and(|off| seen.get(card).is_none_or(|seen| seen < off));
    Ok(off.iter().filter(|card| is_off(card)).copied().collect())
}
