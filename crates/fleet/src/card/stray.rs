//! Phones that cards say they carry, and that no stay in the books explains: the database was restored to an earlier hour,
//! blades were moved between rooms, or what a phone has left was never wiped. What is on such a card may be nowhere else.

use std::collections::{BTreeSet, HashMap, HashSet};

use db::sql;
use entity::card::{MarkState, Model};
use entity::phone::Life;
use entity::{CardId, PlacementId};
use sea_orm::{ConnectionTrait, DbErr, Value};
use wire::Mark;

use super::mark::{named, states};
use super::stay::Stay;

/// Values in one statement: engines limit them.
const VALUES: usize = 500;

/// A phone on a card that none of its current stays explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Whose the card says it is.
    pub mark: Mark,
    /// Nothing is lost with it: the stay is known and has ended, and the phone is erased, or the copy that it lives by was
    /// read back after that.
    pub is_saved: bool,
}

/// What `rows` carry of phones beside their current stays, as their agents last told.
///
/// # Errors
/// When a read fails.
pub async fn strays(
    db: &impl ConnectionTrait,
    rows: &[Model],
    stays: &HashMap<CardId, Stay>,
) -> Result<HashMap<CardId, Stray>, DbErr> {
    let states = states(db, rows, stays).await?;
    let strange = |row: &Model| match states.get(&row.id) {
        Some(state @ (MarkState::Left | MarkState::Foreign)) => Some((row.id, named(row)?, *state)),
        Some(
            MarkState::Unknown
            | MarkState::None
            | MarkState::Clean
            | MarkState::Ours
            | MarkState::Missing
            | MarkState::Unreadable,
        )
        | None => None,
    };
    let strange: Vec<(CardId, Mark, MarkState)> = rows.iter().filter_map(strange).collect();
    let left = strange.iter().filter(|(_, _, state)| *state == MarkState::Left);
    let saved = saved(db, left.map(|(_, mark, _)| PlacementId(mark.placement)).collect()).await?;
    let stray = |(card, mark, state): (CardId, Mark, MarkState)| {
        let is_saved = state == MarkState::Left && saved.contains(&PlacementId(mark.placement));
        (card, Stray { mark, is_saved })
    };
    Ok(strange.into_iter().map(stray).collect())
}

/// Those of these stays with whose data nothing would be lost.
async fn saved(db: &impl ConnectionTrait, stays: BTreeSet<PlacementId>) -> Result<HashSet<PlacementId>, DbErr> {
    let stays: Vec<PlacementId> = stays.into_iter().collect();
    let mut found = HashSet::new();
    for stays in stays.chunks(VALUES) {
        let text = format!(
            "SELECT s.id FROM placement s JOIN phone p ON p.id = s.phone_id LEFT JOIN backup b ON b.id = p.kept_id \
             WHERE s.ended_at IS NOT NULL AND (p.life = $1 OR (b.verified_at > s.ended_at AND b.damage = '')) \
             AND s.id IN ({})",
            sql::placeholders(2, stays.len())
        );
        let values = std::iter::once(Value::from(Life::Erased.code())).chain(stays.iter().map(|id| Value::from(id.0)));
        for row in db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await? {
            found.insert(PlacementId(row.try_get("", "id")?));
        }
    }
    Ok(found)
}
