//! How many phones are in which state, from kept counters.

use db::kept::{self, Cells, Deltas, Field, List, Named, Packed, Part, Place, Start};
use entity::RoomId;
use entity::phone::{Life, Model, PhonePool, PhoneSource, Plan, UseType};
use sea_orm::{ConnectionTrait, DbErr};

const USE_TYPE: Field = Field::new(0, 2, "use_type");
const LIFE: Field = Field::new(2, 3, "life");
const PLAN: Field = Field::new(5, 3, "plan");
const ROOM: Field = Field::new(8, 16, "room_id");
/// Whether they are dedicated.
const POOL: Field = Field::new(24, 1, "pool - 1");

/// Phones, by pool, room, plan, life and use type.
pub const PLACES: Packed =
    Packed { list: List(20), table: "phone", word: None, fields: &[USE_TYPE, LIFE, PLAN, ROOM, POOL] };

/// Whether they were never used.
const BLANK: Field = Field::new(0, 1, "CASE WHEN is_blank THEN 1 ELSE 0 END");
const SOURCE: Field = Field::new(1, 3, "source");
const KIND_LIFE: Field = Field::new(4, 3, "life");
/// Whether they live by a copy.
const KEPT: Field = Field::new(7, 1, "CASE WHEN kept_id IS NULL THEN 0 ELSE 1 END");

/// Phones, by life, source, whether they were never used, and whether they live by a copy. Together with the places these
/// would be very many cells.
pub const KINDS: Packed =
    Packed { list: List(23), table: "phone", word: None, fields: &[BLANK, SOURCE, KIND_LIFE, KEPT] };

const IMAGE_LIFE: Field = Field::new(0, 3, "life");

/// Phones by their images, in cells of their lives.
pub const IMAGES: Packed = Packed { list: List(24), table: "phone", word: Some("image"), fields: &[IMAGE_LIFE] };

/// The counters that know what a filter asks for, and the parts of their cells that it selects.
#[derive(Clone, Debug)]
pub struct Wanted {
    list: List,
    parts: Vec<Part>,
}

impl Default for Wanted {
    /// All phones, by their places.
    fn default() -> Self {
        Self { list: PLACES.list, parts: Vec::new() }
    }
}

/// One state, or all but the erased ones.
fn lives(field: Field, wanted: Option<Life>) -> Part {
    let lives = Life::ALL.iter().filter(|life| wanted.map_or(**life != Life::Erased, |one| one == **life));
    field.one_of(lives.map(|life| life.code()))
}

impl Wanted {
    /// Phones of one state, or all but the erased ones, of this source, and that were never used or were.
    #[must_use]
    pub fn of_kinds(life: Option<Life>, source: Option<PhoneSource>, is_blank: Option<bool>) -> Self {
        let source = source.map(|source| SOURCE.is(source.code()));
        let blank = is_blank.map(|is_so| BLANK.is(is_so));
        let parts = [Some(lives(KIND_LIFE, life)), source, blank].into_iter().flatten().collect();
        Self { list: KINDS.list, parts }
    }

    /// Phones that live by a copy.
    #[must_use]
    pub fn of_kept() -> Self {
        Self { list: KINDS.list, parts: vec![KEPT.is(true)] }
    }

    pub fn use_type(&mut self, wanted: UseType) {
        self.parts.push(USE_TYPE.is(wanted.code()));
    }

    /// One state, or all but the erased ones.
    pub fn life(&mut self, wanted: Option<Life>) {
        self.parts.push(lives(LIFE, wanted));
    }

    pub fn plans(&mut self, wanted: &[Plan]) {
        self.parts.push(PLAN.one_of(wanted.iter().map(|plan| plan.code())));
    }

    pub fn room(&mut self, wanted: RoomId) {
        self.parts.push(ROOM.is(wanted.0));
    }

    pub fn pool(&mut self, wanted: PhonePool) {
        self.parts.push(POOL.is(!wanted.is_overcommit()));
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
    kept::total_of_word(db, IMAGES.list, image, Cells::With(&[lives(IMAGE_LIFE, life)])).await
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
    let cells = kept::cells(db, PLACES.list, Cells::With(&wanted.parts)).await?;
    let read = |(cell, count): (i32, u64)| {
        Some(Alike {
            room: RoomId(ROOM.get(cell).into()),
            plan: Plan::from_code(PLAN.code(cell))?,
            use_type: UseType::from_code(USE_TYPE.code(cell))?,
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
    deltas.moved(PLACES.list, before.map(place), Some(place(after)));
    deltas.moved(KINDS.list, before.map(kind), Some(kind(after)));
    deltas.renamed(IMAGES.list, before.map(image), Some(image(after)));
}
