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

/// What a card may carry of a phone that none of its current stays explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stray {
    /// A phone.
    Phone {
        /// Whose the card says it is.
        mark: Mark,
        /// Nothing is lost with it: the stay is known and has ended, and the phone is erased, or the copy that it lives by
        /// was begun after that, and is whole. When one was read back says nothing of what it holds: that is done anew.
        is_saved: bool,
    },
    /// What marks the card is no mark: a phone was there, and nobody knows which.
    Damaged,
    /// Its mark could not be read: the agent looks once more.
    Unread,
}

impl Stray {
    /// Whether it goes by two operators alone, who are asked for it by name.
    #[must_use]
    pub const fn is_for_two(self) -> bool {
        match self {
            Self::Phone { is_saved, .. } => !is_saved,
            Self::Damaged | Self::Unread => true,
        }
    }

    /// Whether one operator leaves it where it is, whatever he forces.
    #[must_use]
    pub const fn is_left_out(self) -> bool {
        match self {
            Self::Phone { is_saved, .. } => !is_saved,
            Self::Damaged => true,
            Self::Unread => false,
        }
    }
}

/// What `rows` carry of phones beside their current stays, or may, as their agents last told.
///
/// # Errors
/// When a read fails.
pub async fn strays(
    db: &impl ConnectionTrait,
    rows: &[Model],
    stays: &HashMap<CardId, Stay>,
) -> Result<HashMap<CardId, Stray>, DbErr> {
    let states = states(db, rows, stays).await?;
    let is_left = |row: &&Model| states.get(&row.id) == Some(&MarkState::Left);
    let left = rows.iter().filter(is_left).filter_map(named);
    let saved = saved(db, left.map(|mark| PlacementId(mark.placement)).collect()).await?;
    let stray = |row: &Model| match states.get(&row.id)? {
        state @ (MarkState::Left | MarkState::Foreign) => {
            let mark = named(row)?;
            let is_saved = *state == MarkState::Left && saved.contains(&PlacementId(mark.placement));
            Some(Stray::Phone { mark, is_saved })
        }
        MarkState::Damaged => Some(Stray::Damaged),
        MarkState::Unreadable => Some(Stray::Unread),
        MarkState::Unknown | MarkState::None | MarkState::Clean | MarkState::Ours | MarkState::Missing => None,
    };
    Ok(rows.iter().filter_map(|row| Some((row.id, stray(row)?))).collect())
}

/// Those of these stays with whose data nothing would be lost. A copy that is read back once more is as old as it was: what was
/// written since it was made may be nowhere but on the card.
async fn saved(db: &impl ConnectionTrait, stays: BTreeSet<PlacementId>) -> Result<HashSet<PlacementId>, DbErr> {
    let stays: Vec<PlacementId> = stays.into_iter().collect();
    let mut found = HashSet::new();
    for stays in stays.chunks(VALUES) {
        let text = format!(
            "SELECT s.id FROM placement s JOIN phone p ON p.id = s.phone_id LEFT JOIN backup b ON b.id = p.kept_id \
             WHERE s.ended_at IS NOT NULL AND (p.life = $1 OR (b.began_at > s.ended_at AND b.damage = '')) \
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
