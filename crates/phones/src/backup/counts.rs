//! How many copies there are, from kept counters.

use db::kept::{self, Cells, Deltas, Field, List, Packed, Part, Place};
use entity::backup::{BackupKind, BackupState, Model};
use entity::phone::Plan;
use sea_orm::{ConnectionTrait, DbErr};

const LIVE: Field = Field::new(0, 1, "CASE WHEN is_live THEN 1 ELSE 0 END");
const VERIFIED: Field = Field::new(1, 1, "CASE WHEN verified_at IS NULL THEN 0 ELSE 1 END");
const KIND: Field = Field::new(2, 2, "kind");
const STATE: Field = Field::new(4, 3, "state");
const NODE: Field = Field::new(7, 20, "node_id");
/// That of a plan, as the plan's code; 0 for another.
const BOARD: Field =
    Field::new(27, 3, "CASE board WHEN 'RK_3399' THEN 2 WHEN 'MTK_G90' THEN 3 WHEN 'STARPRO' THEN 4 ELSE 0 END");

/// Copies, by board, node, state, kind, whether they were read back, and whether their phone went on while they were made.
pub const COPIES: Packed =
    Packed { list: List(22), table: "backup", word: None, fields: &[LIVE, VERIFIED, KIND, STATE, NODE, BOARD] };

/// Copies by their images.
pub const IMAGES: Packed = Packed { list: List(25), table: "backup", word: Some("image"), fields: &[] };

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
            board.map(|board| BOARD.is(board)),
            node.map(|node| NODE.is(node)),
            state.map(|state| STATE.is(state.code())),
            kind.map(|kind| KIND.is(kind.code())),
            is_verified.map(|is_so| VERIFIED.is(is_so)),
            is_live.map(|is_so| LIVE.is(is_so)),
        ];
        parts.into_iter().flatten().collect()
    }
}

/// How many copies were made of cards that ran this image.
///
/// # Errors
/// When the read fails.
pub async fn of_image(db: &impl ConnectionTrait, image: &str) -> Result<u64, DbErr> {
    kept::total_of_word(db, IMAGES.list, image, Cells::All).await
}

fn place(row: &Model) -> Place {
    let cell = LIVE.put(row.is_live.into())
        | VERIFIED.put(row.verified_at.is_some().into())
        | KIND.put(row.kind.code().into())
        | STATE.put(row.state.code().into())
        | NODE.put(row.node_id.0)
        | BOARD.put(board_code(&row.board).unwrap_or(0).into());
    Place { cell, id: row.id.0 }
}

/// Counts a copy that was begun (`before` is none) or has changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: &Model) {
    deltas.moved(COPIES.list, before.map(place), Some(place(after)));
    deltas.renamed(IMAGES.list, before.map(|row| (row.image.as_str(), 0)), Some((after.image.as_str(), 0)));
}
