//! Which phones a list shows, and how many they are.

use base::http::Validate;
use db::{Db, search, sql};
use entity::RoomId;
use entity::phone::{Column, DISK_GB, DiskState, Entity, Life, PhonePool, PhoneSource, Plan, UseType};
use kernel::rules::{Check, max_chars};
use kernel::time::UtcTime;
use sea_orm::sea_query::{Expr, SelectStatement, SimpleExpr, UnionType};
use sea_orm::{
    ColumnTrait as _, DbBackend, DbErr, EntityTrait as _, ExprTrait as _, PaginatorTrait as _, QueryFilter as _,
    QuerySelect as _, QueryTrait as _, Select,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::counts::{Wanted, of_image};
use crate::saga::{self, UNSAVED};

/// The table, as searches and uniqueness rules name it.
pub const TABLE: &str = "phone";
/// The columns scanned if a search is too short for the index.
const SEARCHED: [&str; 2] = ["code", "name"];
const DAY: i64 = 86_400;
/// Within how many days a phone "expires soon".
const SOON: i64 = 7;

/// A filter for phones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PhoneFilter {
    /// Part of the code or the name, of the user's name, phone, email or identification code, or of the card's address.
    #[serde(default)]
    pub key_word: Option<String>,
    /// Whose it is.
    #[serde(default)]
    pub user_id: Option<i64>,
    /// What was bought.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub plan: Option<Plan>,
    /// The hardware family that it runs on, such as `RK_3399`.
    #[serde(default)]
    pub board: Option<String>,
    /// The version of the system image that it was on last, whole.
    #[serde(default)]
    #[param(max_length = 64)]
    pub image: Option<String>,
    /// Its home.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// On which cards it comes.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub pool: Option<PhonePool>,
    /// Where it is in its life; if omitted, all except erased ones.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub life: Option<Life>,
    /// Whether it is on a card.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub use_type: Option<UseType>,
    /// True: it was never on a card.
    #[serde(default)]
    pub is_blank: Option<bool>,
    /// True: something of it waits for a person, such as its lost card, or what it has left on one; erased ones as well.
    #[serde(default)]
    pub held: Option<bool>,
    /// How it came to be.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub source: Option<PhoneSource>,
    /// Expires at or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// Expires at or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
    /// True: active, and expires within seven days.
    #[serde(default)]
    pub expires_soon: Option<bool>,
    /// True: it is on a card, and there is no verified copy of it; false: the others.
    #[serde(default)]
    pub no_backup: Option<bool>,
    /// True: it waits in the queue for a card; false: the others.
    #[serde(default)]
    pub queued: Option<bool>,
    /// True: a put-on or a take-off of it has failed within 24 hours; false: the others.
    #[serde(default)]
    pub failed: Option<bool>,
    /// How full its disk is, by what its last copy held.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub disk_state: Option<DiskState>,
}

/// The bytes of a disk.
fn disk_bytes() -> String {
    format!("CAST(phone.disk_gb AS BIGINT) * {DISK_GB}")
}

/// Phones whose disks are nearly full, or over, as their index has it.
fn nearly_full() -> String {
    format!("phone.used_bytes >= {} / 10 * 9", disk_bytes())
}

/// Phones that hold more than their disks, as their index has it.
fn over() -> String {
    format!("phone.used_bytes > {}", disk_bytes())
}

fn disk(state: DiskState) -> SimpleExpr {
    let (nearly, over) = (nearly_full(), over());
    Expr::cust(match state {
        DiskState::Fine => format!("NOT ({nearly})"),
        DiskState::Nearly => format!("{nearly} AND NOT ({over})"),
        DiskState::Over => over,
    })
}

/// The sort keys of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhoneSort {
    /// The order of creation, which the code follows.
    Id,
    Plan,
    ExpiresAt,
    DiskGb,
    UsedBytes,
    LastUsedAt,
    LastBackupAt,
}

impl Validate for PhoneFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.optional("board", self.board.as_deref(), |text| max_chars(text, 32));
        check.optional("image", self.image.as_deref(), |text| max_chars(text, 64));
        check.period(self.start_time, self.end_time);
    }
}

impl PhoneFilter {
    /// The filter at this moment.
    #[must_use]
    pub fn at(&self, now: UtcTime) -> PhoneScope {
        PhoneScope { filter: self.clone(), now }
    }
}

/// A filter that is ready to be executed.
#[derive(Clone, Debug)]
pub struct PhoneScope {
    filter: PhoneFilter,
    now: UtcTime,
}

impl PhoneScope {
    /// The plans that run on the board, and are the plan.
    fn plans(&self) -> Option<Vec<Plan>> {
        let PhoneFilter { plan, board, .. } = &self.filter;
        if plan.is_none() && board.is_none() {
            return None;
        }
        let fits = |one: &&Plan| {
            plan.is_none_or(|plan| plan == **one) && board.as_deref().is_none_or(|board| board == one.board())
        };
        Some(Plan::ALL.iter().filter(fits).copied().collect())
    }

    /// The counter cells for this filter; none if cells cannot answer it.
    pub(super) fn cells(&self) -> Option<Wanted> {
        let PhoneFilter { room_id, pool, life, use_type, is_blank, source, .. } = &self.filter;
        let more = PhoneFilter {
            plan: None,
            board: None,
            room_id: None,
            pool: None,
            life: None,
            use_type: None,
            is_blank: None,
            source: None,
            expires_soon: self.filter.expires_soon.filter(|soon| *soon),
            ..self.filter.clone()
        };
        if more != PhoneFilter::default() {
            return None;
        }
        let plans = self.plans();
        let is_anywhere = plans.is_none() && room_id.is_none() && pool.is_none() && use_type.is_none();
        if is_anywhere {
            return Some(Wanted::of_kinds(*life, *source, *is_blank));
        }
        if source.is_some() || is_blank.is_some() {
            return None;
        }
        let mut wanted = Wanted::default();
        wanted.life(*life);
        if let Some(plans) = plans {
            wanted.plans(&plans);
        }
        if let Some(room) = room_id {
            wanted.room(RoomId(*room));
        }
        if let Some(one) = use_type {
            wanted.use_type(*one);
        }
        if let Some(one) = pool {
            wanted.pool(*one);
        }
        Some(wanted)
    }

    /// If nearly all phones pass one of its conditions: the same without that, and which those few are.
    fn without_few(&self) -> Option<(Self, SimpleExpr)> {
        let PhoneFilter { held, no_backup, queued, failed, disk_state, .. } = &self.filter;
        let with = |change: fn(&mut PhoneFilter), few| {
            let mut all = self.clone();
            change(&mut all.filter);
            Some((all, few))
        };
        let of = |which: SelectStatement| Column::Id.in_subquery(which);
        if *held == Some(false) {
            return with(|filter| filter.held = None, of(saga::held_phones()));
        }
        if *no_backup == Some(false) {
            return with(|filter| filter.no_backup = None, Expr::cust(UNSAVED));
        }
        if *queued == Some(false) {
            return with(|filter| filter.queued = None, of(saga::queued_phones()));
        }
        if *failed == Some(false) {
            return with(|filter| filter.failed = None, of(saga::failed_phones(self.now)));
        }
        match disk_state {
            Some(DiskState::Fine) => with(|filter| filter.disk_state = None, Expr::cust(nearly_full())),
            Some(DiskState::Nearly | DiskState::Over) | None => None,
        }
    }

    /// The number of matching phones.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn total(&self, db: &Db) -> Result<u64, DbErr> {
        if let Some(wanted) = self.cells() {
            return wanted.total(db.lookups()).await;
        }
        if let Some(image) = self.filter.image.as_deref().filter(|image| !image.is_empty())
            && self.filter
                == (PhoneFilter { image: Some(image.to_owned()), life: self.filter.life, ..PhoneFilter::default() })
        {
            return of_image(db.lookups(), image, self.filter.life).await;
        }
        let backend = db.backend();
        // Nothing else is looked up: these few are.
        let count = async |all: &Self, few: SimpleExpr| {
            all.apply_in(backend, Entity::find(), Some(PhoneSort::Id)).filter(few).count(db.read()).await
        };
        if self.filter.disk_state == Some(DiskState::Nearly) {
            let all = Self { filter: PhoneFilter { disk_state: None, ..self.filter.clone() }, now: self.now };
            let over = count(&all, Expr::cust(over())).await?;
            return Ok(count(&all, Expr::cust(nearly_full())).await?.saturating_sub(over));
        }
        let Some((all, few)) = self.without_few() else {
            return self.apply(backend, Entity::find()).count(db.read()).await;
        };
        let few = count(&all, few).await?;
        Ok(Box::pin(all.total(db)).await?.saturating_sub(few))
    }

    /// `select` restricted by this filter.
    #[must_use]
    pub fn apply(&self, backend: DbBackend, select: Select<Entity>) -> Select<Entity> {
        self.apply_in(backend, select, None)
    }

    /// The same for rows in the order of their ids, of which there may be many.
    #[must_use]
    pub fn apply_by_id(&self, backend: DbBackend, select: Select<Entity>) -> Select<Entity> {
        self.apply_in(backend, select, Some(PhoneSort::Id))
    }

    /// The same for `total` rows in this order.
    pub(super) fn apply_ordered(
        &self,
        backend: DbBackend,
        select: Select<Entity>,
        sort: PhoneSort,
        total: u64,
    ) -> Select<Entity> {
        /// This many are sorted in a millisecond or two.
        const FEW: u64 = 5000;
        self.apply_in(backend, select, (total > FEW).then_some(sort))
    }

    /// The same. With an order SQLite follows the index of that, instead of looking many rows up by what they have in common and
    /// sorting them; PostgreSQL decides that by itself.
    fn apply_in(&self, backend: DbBackend, mut select: Select<Entity>, by_order: Option<PhoneSort>) -> Select<Entity> {
        let column = |column: Column| Expr::col((Entity, column));
        // What is found by a word or is one customer's is not much: nothing is looked up beside that.
        let is_few = self.filter.key_word.is_some() || self.filter.user_id.is_some();
        let is_free = by_order.is_some() || is_few;
        let free = |one: Column| if is_free { sql::unindexed(backend, (Entity, one)) } else { column(one) };
        // Some indexes go on in the order that is wanted.
        let goes_on_by = |sort: PhoneSort| by_order.is_none_or(|wanted| wanted == sort);
        let is_by_id = goes_on_by(PhoneSort::Id);
        let by_id = |one: Column| if is_by_id { column(one) } else { free(one) };
        let by_expiry = |one: Column| if goes_on_by(PhoneSort::ExpiresAt) { column(one) } else { free(one) };
        let is_by_life = by_order == Some(PhoneSort::ExpiresAt) && !is_few;
        let by_life = |one: Column| if is_by_life { column(one) } else { free(one) };
        // Every field is named, so that a new filter cannot be forgotten here.
        let PhoneFilter {
            key_word,
            user_id,
            plan: _,
            board: _,
            image,
            room_id,
            pool,
            life,
            use_type,
            is_blank,
            held,
            source,
            start_time,
            end_time,
            expires_soon,
            no_backup,
            queued,
            failed,
            disk_state,
        } = &self.filter;
        let soon = (*expires_soon == Some(true)).then(|| {
            let last = self.now.plus_seconds(SOON * DAY);
            // Most phones are active: those that are due are looked for among all of these days.
            let is_active = sql::unindexed(backend, Column::Life).eq(Life::Active.code());
            is_active.and(by_expiry(Column::ExpiresAt).gt(self.now)).and(by_expiry(Column::ExpiresAt).lte(last))
        });
        let unsaved =
            no_backup.map(|is_so| if is_so { Expr::cust(UNSAVED) } else { Expr::cust(format!("NOT ({UNSAVED})")) });
        let of = |which: SelectStatement, is_so: bool| {
            if is_so { Column::Id.in_subquery(which) } else { Column::Id.not_in_subquery(which) }
        };
        let conditions: [Option<SimpleExpr>; 17] = [
            user_id.map(|id| by_id(Column::UserId).eq(id)),
            self.plans().map(|plans| free(Column::Plan).is_in(plans)),
            image.as_deref().map(|version| {
                let image = if is_by_id { column(Column::Image) } else { sql::unindexed_text(backend, "phone.image") };
                image.eq(version)
            }),
            room_id.map(|id| free(Column::RoomId).eq(id)),
            pool.map(|one| {
                // As the index of the dedicated ones has it: a bound value would not use that.
                if is_by_id { Expr::cust(format!("pool = {}", one.code())) } else { free(Column::Pool).eq(one.code()) }
            }),
            match life {
                Some(one) => Some(by_life(Column::Life).eq(one.code())),
                // What an erased one has left may wait as well.
                None if *held == Some(true) => None,
                None => Some(Column::Life.ne(Life::Erased)),
            },
            use_type.map(|one| match one {
                // As the index of the few that are on has it.
                UseType::On if is_by_id => Expr::cust("phone.use_type = 1"),
                UseType::On | UseType::Off => free(Column::UseType).eq(one.code()),
            }),
            is_blank.map(|one| Column::IsBlank.eq(one)),
            held.map(|is_so| of(saga::held_phones(), is_so)),
            source.map(|one| Column::Source.eq(one)),
            start_time.map(|start| by_expiry(Column::ExpiresAt).gte(start)),
            end_time.map(|end| by_expiry(Column::ExpiresAt).lte(end)),
            soon,
            unsaved,
            queued.map(|is_so| of(saga::queued_phones(), is_so)),
            failed.map(|is_so| of(saga::failed_phones(self.now), is_so)),
            disk_state.map(disk),
        ];
        for condition in conditions.into_iter().flatten() {
            select = select.filter(condition);
        }
        if let Some(text) = key_word {
            let ids = |which: SimpleExpr| Entity::find().select_only().column(Column::Id).filter(which).into_query();
            // One after the other, each by its index: were they alternatives, all phones would be looked through.
            let mut found = ids(search::contains(backend, TABLE, &SEARCHED, text));
            found.union(UnionType::Distinct, ids(Column::UserId.in_subquery(customers::ids_found_by(backend, text))));
            found.union(UnionType::Distinct, fleet::phones_at(text));
            select = select.filter(Column::Id.in_subquery(found));
        }
        select
    }
}
