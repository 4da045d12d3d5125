//! How many phones are in which state, from kept counters.

use db::kept::{self, Cells, Deltas, List, Named, Part, Place, Start};
use entity::RoomId;
use entity::phone::{Life, Model, PhonePool, PhoneSource, Plan, UseType};
use sea_orm::{ConnectionTrait, DbErr};

/// Phones, by pool, room, plan, life and use type.
const PLACES: List = List(20);
/// Phones, by life, source, whether they were never used, and whether they live by a copy. Together with the places these
/// would be very many cells.
const KINDS: List = List(23);

/// Phones by their images, in cells of their lives.
const IMAGES: List = List(24);

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

/// Of kinds: whether they were never used.
const BLANK: Field = Field { shift: 0, bits: 1 };
const SOURCE: Field = Field { shift: 1, bits: 3 };
const KIND_LIFE: Field = Field { shift: 4, bits: 3 };
/// Whether they live by a copy.
const KEPT: Field = Field { shift: 7, bits: 1 };

/// Of images: nothing else.
const IMAGE_LIFE: Field = Field { shift: 0, bits: 3 };

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

/// The counters that know what a filter asks for, and the parts of their cells that it selects.
#[derive(Clone, Debug)]
pub struct Wanted {
    list: List,
    parts: Vec<Part>,
}

impl Default for Wanted {
    /// All phones, by their places.
    fn default() -> Self {
        Self { list: PLACES, parts: Vec::new() }
    }
}

/// One state, or all but the erased ones.
fn lives(field: Field, wanted: Option<Life>) -> Part {
    let lives = Life::ALL.iter().filter(|life| wanted.map_or(**life != Life::Erased, |one| one == **life));
    field.part(lives.map(|life| life.code().into()).collect())
}

impl Wanted {
    /// Phones of one state, or all but the erased ones, of this source, and that were never used or were.
    #[must_use]
    pub fn of_kinds(life: Option<Life>, source: Option<PhoneSource>, is_blank: Option<bool>) -> Self {
        let source = source.map(|source| SOURCE.part(vec![source.code().into()]));
        let blank = is_blank.map(|is_so| BLANK.part(vec![is_so.into()]));
        let parts = [Some(lives(KIND_LIFE, life)), source, blank].into_iter().flatten().collect();
        Self { list: KINDS, parts }
    }

    /// Phones that live by a copy.
    #[must_use]
    pub fn of_kept() -> Self {
        Self { list: KINDS, parts: vec![KEPT.part(vec![1])] }
    }

    pub fn use_type(&mut self, wanted: UseType) {
        self.parts.push(USE_TYPE.part(vec![wanted.code().into()]));
    }

    /// One state, or all but the erased ones.
    pub fn life(&mut self, wanted: Option<Life>) {
        self.parts.push(lives(LIFE, wanted));
    }

    pub fn plans(&mut self, wanted: &[Plan]) {
        self.parts.push(PLAN.part(wanted.iter().map(|plan| plan.code().into()).collect()));
    }

    pub fn room(&mut self, wanted: RoomId) {
        // A number that no room can have selects nothing: -1 fits no part.
        self.parts.push(ROOM.part(vec![i32::try_from(wanted.0).unwrap_or(-1)]));
    }

    pub fn pool(&mut self, wanted: PhonePool) {
        self.parts.push(POOL.part(vec![i32::from(!wanted.is_overcommit())]));
    }

    /// How many phones are in them.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn total(&self, db: &impl ConnectionTrait) -> Result<u64, DbErr> {
        kept::total(db, self.list, Cells::With(&self.parts)).await
    }

    /// Where a deep page of them begins.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn seek(&self, db: &impl ConnectionTrait, offset: u64, descending: bool) -> Result<Option<Start>, DbErr> {
        kept::seek(db, self.list, Cells::With(&self.parts), offset, descending).await
    }
}

/// How many phones of one state, or of all but the erased ones, were on this image last.
///
/// # Errors
/// When the read fails.
pub async fn of_image(db: &impl ConnectionTrait, image: &str, life: Option<Life>) -> Result<u64, DbErr> {
    kept::total_of_word(db, IMAGES, image, Cells::With(&[lives(IMAGE_LIFE, life)])).await
}

/// Phones of one room and plan that are on cards, or that are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    pub room: RoomId,
    pub plan: Plan,
    pub use_type: UseType,
    pub count: u64,
}

/// How many phones are in the cells of `wanted`, which asks for places, by room, plan and use type.
///
/// # Errors
/// When the read fails.
pub async fn alike(db: &impl ConnectionTrait, wanted: &Wanted) -> Result<Vec<Alike>, DbErr> {
    let cells = kept::cells(db, PLACES, Cells::With(&wanted.parts)).await?;
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

const fn kind(row: &Model) -> Place {
    let cell = BLANK.put(row.is_blank as i64)
        | SOURCE.put(row.source.code() as i64)
        | KIND_LIFE.put(row.life.code() as i64)
        | KEPT.put(row.kept_id.is_some() as i64);
    Place { cell, id: row.id.0 }
}

const fn image(row: &Model) -> Named<'_> {
    (row.image.as_str(), IMAGE_LIFE.put(row.life.code() as i64))
}

/// Counts a phone that was made (`before` is none) or changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: &Model) {
    deltas.moved(PLACES, before.map(place), Some(place(after)));
    deltas.moved(KINDS, before.map(kind), Some(kind(after)));
    deltas.renamed(IMAGES, before.map(image), Some(image(after)));
}
