//! How many copies there are, from kept counters.

use db::kept::{self, Cells, Deltas, List, Part, Place};
use entity::backup::{BackupKind, BackupState, Model};
use entity::phone::Plan;
use sea_orm::{ConnectionTrait, DbErr};

/// Copies, by board, node, state, kind, whether they were read back, and whether their phone went on while they were made.
pub const LIST: List = List(22);

/// Copies by their images.
const IMAGES: List = List(25);

const LIVE: (u8, u8) = (0, 1);
const VERIFIED: (u8, u8) = (1, 1);
const KIND: (u8, u8) = (2, 2);
const STATE: (u8, u8) = (4, 3);
const NODE: (u8, u8) = (7, 20);
/// That of a plan, as the plan's code; 0 for another.
const BOARD: (u8, u8) = (27, 3);

/// The code of a board that plans run on.
#[must_use]
pub fn board_code(board: &str) -> Option<i32> {
    Plan::ALL.iter().find(|plan| plan.board() == board).map(|plan| plan.code().into())
}

/// What cells know of copies, as a filter asks for it: all where it asks for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// As [`board_code`] says.
    pub board: Option<i32>,
    pub node: Option<i64>,
    pub state: Option<BackupState>,
    pub kind: Option<BackupKind>,
    pub is_verified: Option<bool>,
    pub is_live: Option<bool>,
}

impl Wanted {
    /// The parts of cells that it selects.
    #[must_use]
    pub fn parts(self) -> Vec<Part> {
        let Self { board, node, state, kind, is_verified, is_live } = self;
        let parts = [
            (BOARD, board),
            // A number that no node can have selects nothing: -1 fits no part.
            (NODE, node.map(|node| i32::try_from(node).unwrap_or(-1))),
            (STATE, state.map(|state| state.code().into())),
            (KIND, kind.map(|kind| kind.code().into())),
            (VERIFIED, is_verified.map(i32::from)),
            (LIVE, is_live.map(i32::from)),
        ];
        let part = |((shift, bits), wanted): ((u8, u8), Option<i32>)| Some(Part { shift, bits, wanted: vec![wanted?] });
        parts.into_iter().filter_map(part).collect()
    }
}

/// How many copies were made of cards that ran this image.
///
/// # Errors
/// When the read fails.
pub async fn of_image(db: &impl ConnectionTrait, image: &str) -> Result<u64, DbErr> {
    kept::total_of_word(db, IMAGES, image, Cells::All).await
}

fn place(row: &Model) -> Place {
    let node = i32::try_from(row.node_id.0).unwrap_or(0) & ((1 << NODE.1) - 1);
    let (state, kind) = (i32::from(row.state.code()), i32::from(row.kind.code()));
    let (verified, live) = (i32::from(row.verified_at.is_some()), i32::from(row.is_live));
    let board = board_code(&row.board).unwrap_or(0);
    let cell =
        board << BOARD.0 | node << NODE.0 | state << STATE.0 | kind << KIND.0 | verified << VERIFIED.0 | live << LIVE.0;
    Place { cell, id: row.id.0 }
}

/// Counts a copy that was begun (`before` is none) or has changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: &Model) {
    deltas.moved(LIST, before.map(place), Some(place(after)));
    deltas.renamed(IMAGES, before.map(|row| (row.image.as_str(), 0)), Some((after.image.as_str(), 0)));
}
