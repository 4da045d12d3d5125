//! How many phones are in which state, from kept counters.

use db::kept::{self, Cells, Deltas, List, Part, Place};
use entity::RoomId;
use entity::phone::{Life, Model, PhonePool, Plan, UseType};
use sea_orm::{ConnectionTrait, DbErr};

/// Phones, by pool, room, plan, life and use type.
pub const LIST: List = List(20);

/// A part of a phone's cell: its offset and its width in bits.
#[derive(Clone, Copy, Debug)]
struct Field {
    shift: u8,
    bits: u8,
}

const USE_TYPE: Field = Field { shift: 0, bits: 2 };
const LIFE: Field = Field { shift: 2, bits: 3 };
const PLAN: Field = Field { shift: 5, bits: 3 };
const ROOM: Field = Field { shift: 8, bits: 16 };
/// Whether they are dedicated.
const POOL: Field = Field { shift: 24, bits: 1 };

impl Field {
    const fn put(self, value: i64) -> i32 {
        ((value & ((1 << self.bits) - 1)) as i32) << self.shift
    }

    const fn get(self, cell: i32) -> i32 {
        (cell >> self.shift) & ((1 << self.bits) - 1)
    }

    const fn part(self, wanted: Vec<i32>) -> Part {
        Part { shift: self.shift, bits: self.bits, wanted }
    }
}

/// The parts of cells that a filter selects.
#[derive(Clone, Debug, Default)]
pub struct Wanted(Vec<Part>);

impl Wanted {
    pub fn use_type(&mut self, wanted: UseType) {
        self.0.push(USE_TYPE.part(vec![wanted.code().into()]));
    }

    /// One state, or all but the erased ones.
    pub fn life(&mut self, wanted: Option<Life>) {
        let lives = Life::ALL.iter().filter(|life| wanted.map_or(**life != Life::Erased, |one| one == **life));
        self.0.push(LIFE.part(lives.map(|life| life.code().into()).collect()));
    }

    pub fn plans(&mut self, wanted: &[Plan]) {
        self.0.push(PLAN.part(wanted.iter().map(|plan| plan.code().into()).collect()));
    }

    pub fn room(&mut self, wanted: RoomId) {
        // A number that no room can have selects nothing: -1 fits no part.
        self.0.push(ROOM.part(vec![i32::try_from(wanted.0).unwrap_or(-1)]));
    }

    pub fn pool(&mut self, wanted: PhonePool) {
        self.0.push(POOL.part(vec![i32::from(!wanted.is_overcommit())]));
    }

    /// These cells.
    #[must_use]
    pub fn cells(&self) -> Cells<'_> {
        Cells::With(&self.0)
    }

    /// How many phones are in them.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn total(&self, db: &impl ConnectionTrait) -> Result<u64, DbErr> {
        kept::total(db, LIST, self.cells()).await
    }
}

/// Phones of one room and plan that are on cards, or that are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    pub room: RoomId,
    pub plan: Plan,
    pub use_type: UseType,
    pub count: u64,
}

/// How many phones are in the cells of `wanted`, by room, plan and use type.
///
/// # Errors
/// When the read fails.
pub async fn alike(db: &impl ConnectionTrait, wanted: &Wanted) -> Result<Vec<Alike>, DbErr> {
    let cells = kept::cells(db, LIST, wanted.cells()).await?;
    let read = |(cell, count): (i32, u64)| {
        let code = |field: Field| i16::try_from(field.get(cell)).ok();
        Some(Alike {
            room: RoomId(ROOM.get(cell).into()),
            plan: code(PLAN).and_then(Plan::from_code)?,
            use_type: code(USE_TYPE).and_then(UseType::from_code)?,
            count,
        })
    };
    Ok(cells.into_iter().filter_map(read).collect())
}

const fn place(row: &Model) -> Place {
    let cell = USE_TYPE.put(row.use_type.code() as i64)
        | LIFE.put(row.life.code() as i64)
        | PLAN.put(row.plan.code() as i64)
        | ROOM.put(row.room_id.0)
        | POOL.put(!row.pool.is_overcommit() as i64);
    Place { cell, id: row.id.0 }
}

/// Counts a phone that was made (`before` is none) or changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: &Model) {
    deltas.moved(LIST, before.map(place), Some(place(after)));
}
