//! The cards' table: the list with its filters, and single rows.

use std::collections::HashMap;

use db::{is_duplicate, kept, search, sql};
use entity::card::{self, Column, Entity, Lifecycle, Maintenance, Model, NetworkStatus, RunStatus};
use entity::{CardId, CardModelId, RoomId};
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, Violation, max_chars};
use kernel::time::UtcTime;
use sea_orm::sea_query::{Condition, Expr, SimpleExpr};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbBackend, DbErr, EntityTrait as _, ExprTrait as _, Order, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, Select,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::{self, ModelName};
use crate::app::App;
use crate::domains::fleet::counts::{LIVING_CARDS, Wanted};
use crate::domains::fleet::settings::FleetSettings;
use crate::fault::{Fault, Outcome};
use crate::http::Direction;

/// The table, as searches and uniqueness rules name it.
pub const TABLE: &str = "card";
/// What is looked at where a search is too short for the index.
const SEARCHED: [&str; 1] = ["serial"];

/// The condition of the index `card_maintenance`.
const BEING_WORKED_ON: &str = "card.maintenance <> 1";

/// Which cards are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct CardFilter {
    /// Part of the serial, the intranet or the extranet IP; of an IP at least three characters.
    #[serde(default)]
    pub key_word: Option<String>,
    /// In this room.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// In this frame.
    #[serde(default)]
    pub frame_id: Option<i64>,
    /// On this host.
    #[serde(default)]
    pub host_id: Option<i64>,
    /// What it does.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub run_status: Option<RunStatus>,
    /// Whether it can be reached.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub network_status: Option<NetworkStatus>,
    /// How far it is known; without a word about it, all but the retired ones.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub lifecycle: Option<Lifecycle>,
    /// Whether somebody works on it.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub maintenance: Option<Maintenance>,
    /// The whole name of the maker.
    #[serde(default)]
    pub manufacturer: Option<String>,
    /// The whole name of the model.
    #[serde(default)]
    pub model: Option<String>,
    /// The board.
    #[serde(default)]
    pub board: Option<String>,
    /// Whether phones may be put on it.
    #[serde(default)]
    pub assignable: Option<bool>,
    /// Whether it takes part in overcommit.
    #[serde(default)]
    pub overcommit: Option<bool>,
    /// True: in its status for longer than the settings allow.
    #[serde(default)]
    pub overdue: Option<bool>,
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CardSortBy {
    /// The order of creation.
    #[default]
    Id,
    /// The intranet address.
    IntranetIp,
    /// How long it has had its status.
    RunSince,
    /// The serial.
    Serial,
}

/// The order of the list.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CardSort {
    /// The column: `id` (the default), `intranetIp`, `runSince` or `serial`.
    #[serde(default)]
    #[param(inline)]
    pub sort: CardSortBy,
    /// `asc` or `desc`, which is the default.
    #[serde(default)]
    #[param(inline)]
    pub order: Direction,
}

impl CardFilter {
    /// Notes what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        for (field, text) in [
            ("keyWord", &self.key_word),
            ("manufacturer", &self.manufacturer),
            ("model", &self.model),
            ("board", &self.board),
        ] {
            if let Some(text) = text {
                check.field(field, max_chars(text, 64));
            }
        }
    }

    /// What is wrong with it, as an outcome.
    ///
    /// # Errors
    /// When something is.
    pub fn checked(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.check(&mut check);
        Ok(check.finish()?)
    }

    /// The filter with the names of models as numbers, and with what the settings allow now.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn resolve(&self, app: &App) -> Outcome<CardScope> {
        let named = |known: &str, wanted: &Option<String>| wanted.as_deref().is_none_or(|wanted| wanted == known);
        let models = if self.manufacturer.is_some() || self.model.is_some() || self.board.is_some() {
            let all: HashMap<CardModelId, ModelName> = model::all(app.db.read()).await?;
            let fits = |name: &ModelName| {
                named(&name.manufacturer, &self.manufacturer)
                    && named(&name.model, &self.model)
                    && named(&name.board, &self.board)
            };
            Some(all.iter().filter(|(_, name)| fits(name)).map(|(id, _)| id.0).collect())
        } else {
            None
        };
        let allowed = match self.overdue {
            Some(true) => Some(app.settings.get::<FleetSettings>(app).await?.allowed_since(app.clock.now())),
            Some(false) | None => None,
        };
        Ok(CardScope { filter: self.clone(), models, allowed })
    }
}

/// A filter that is ready to be asked.
#[derive(Clone, Debug)]
pub struct CardScope {
    filter: CardFilter,
    models: Option<Vec<i64>>,
    allowed: Option<[(RunStatus, UtcTime); 5]>,
}

impl CardScope {
    /// The cells that this means; none when cells do not decide.
    fn cells(&self) -> Option<Wanted> {
        let CardFilter {
            key_word,
            room_id,
            frame_id,
            host_id,
            run_status,
            network_status,
            lifecycle,
            maintenance,
            manufacturer: _,
            model: _,
            board: _,
            assignable,
            overcommit,
            overdue: _,
        } = &self.filter;
        if key_word.is_some() || frame_id.is_some() || host_id.is_some() || maintenance.is_some() {
            return None;
        }
        if self.allowed.is_some() {
            return None;
        }
        let mut wanted = Wanted::default();
        match lifecycle {
            Some(one) => wanted.lifecycle(*one),
            None => wanted.living(),
        }
        if let Some(room) = room_id {
            wanted.room(RoomId(*room));
        }
        if let Some(models) = &self.models {
            wanted.models(models);
        }
        if let Some(status) = run_status {
            wanted.run(*status);
        }
        if let Some(status) = network_status {
            wanted.network(*status);
        }
        if let Some(assignable) = assignable {
            wanted.assignable(*assignable);
        }
        if let Some(overcommit) = overcommit {
            wanted.overcommit(*overcommit);
        }
        Some(wanted)
    }

    /// Where cards that nobody works on are meant: the same with all others, and the cells of that.
    fn without_work(&self) -> Option<(Self, Wanted)> {
        if self.filter.maintenance != Some(Maintenance::None) {
            return None;
        }
        let all = Self { filter: CardFilter { maintenance: None, ..self.filter.clone() }, ..self.clone() };
        let cells = all.cells()?;
        Some((all, cells))
    }

    /// `select` narrowed to the rows that this means.
    #[must_use]
    pub fn apply(&self, backend: DbBackend, select: Select<Entity>) -> Select<Entity> {
        self.apply_in(backend, select, false)
    }

    /// The same; `by_order` keeps SQLite from looking the statuses up by their indexes and sorting what it
    /// finds, where following the index of the order is quicker. PostgreSQL knows that by itself.
    fn apply_in(&self, backend: DbBackend, mut select: Select<Entity>, by_order: bool) -> Select<Entity> {
        let free = |column: Column| {
            let column = (Entity, column);
            if by_order { sql::unindexed(backend, column) } else { Expr::col(column) }
        };
        // Every field is named, so that a new filter can not be forgotten here.
        let CardFilter {
            key_word,
            room_id,
            frame_id,
            host_id,
            run_status,
            network_status,
            lifecycle,
            maintenance,
            manufacturer: _,
            model: _,
            board: _,
            assignable,
            overcommit,
            overdue: _,
        } = &self.filter;
        let conditions: [Option<SimpleExpr>; 10] = [
            room_id.map(|id| Column::RoomId.eq(id)),
            frame_id.map(|id| Column::FrameId.eq(id)),
            host_id.map(|id| Column::HostId.eq(id)),
            run_status.map(|status| free(Column::RunStatus).eq(status.code())),
            network_status.map(|status| free(Column::NetworkStatus).eq(status.code())),
            // Written out: only then does SQLite see that the index of addresses, which leaves retired cards
            // out, holds all that is asked for.
            Some(lifecycle.map_or_else(|| Expr::cust("card.lifecycle <> 5"), |one| Column::Lifecycle.eq(one))),
            // Written out as well, for the index of the few that somebody works on.
            maintenance.map(|state| match state {
                Maintenance::None => free(Column::Maintenance).eq(state.code()),
                Maintenance::Draining | Maintenance::InMaintenance => {
                    Expr::cust(BEING_WORKED_ON).and(Column::Maintenance.eq(state))
                }
            }),
            assignable.map(|flag| Column::IsAssignable.eq(flag)),
            overcommit.map(|flag| Column::IsOvercommit.eq(flag)),
            self.models.as_ref().map(|ids| free(Column::ModelId).is_in(ids.iter().copied())),
        ];
        for condition in conditions.into_iter().flatten() {
            select = select.filter(condition);
        }
        if let Some(allowed) = &self.allowed {
            let mut any = Condition::any();
            for (status, since) in allowed {
                any = any.add(Column::RunStatus.eq(*status).and(Column::RunSince.lt(*since)));
            }
            select = select.filter(any);
        }
        if let Some(text) = key_word {
            let mut found = search::contains(backend, TABLE, &SEARCHED, text);
            // What is too short for the index may still begin an address.
            if let (false, Some((from, to))) = (search::is_indexed(text), Ip4::beginning_with(text)) {
                found = found.or(Column::IntranetIp.between(from, to)).or(Column::ExtranetIp.between(from, to));
            }
            select = select.filter(found);
        }
        select
    }
}

/// One page of the list.
///
/// In id order, which is the usual one, a deep page is sought by its block; the total comes from the kept
/// counters unless a word, a frame or a host is asked for.
///
/// # Errors
/// When a read fails.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: &CardScope,
    sort: CardSort,
    page: PageQuery,
) -> Result<Page<Model>, DbErr> {
    let total = total(db, scope).await?;
    if page.offset() >= total {
        return Ok(Page::new(page, total, Vec::new()));
    }
    let has_own_index = match sort.sort {
        CardSortBy::Id => true,
        CardSortBy::IntranetIp => scope.filter.room_id.is_some(),
        CardSortBy::RunSince => scope.filter.run_status.is_some(),
        CardSortBy::Serial => false,
    };
    // Where every two-hundredth card fits, a page is full before long.
    let by_order =
        !has_own_index && total.saturating_mul(200) > kept::total(db, LIVING_CARDS, kept::Cells::All).await?;
    let select = scope.apply_in(db.get_database_backend(), Entity::find(), by_order);
    let descending = sort.order == Direction::Desc;
    let mut select = ordered(select, sort).limit(page.page_size);
    let mut offset = page.offset();
    if let (Some(wanted), CardSortBy::Id) = (scope.cells(), sort.sort)
        && offset >= kept::BLOCK_SIZE.unsigned_abs()
        && let (counted, cells) = wanted.counted()
        && let Some(start) = kept::seek(db, counted, cells, offset, descending).await?
    {
        let bound = CardId(start.bound);
        select = select.filter(if descending { Column::Id.lte(bound) } else { Column::Id.gte(bound) });
        offset = start.skip;
    }
    let list = select.offset(offset).all(db).await?;
    Ok(Page::new(page, total, list))
}

/// A total order: the id is last.
fn ordered(select: Select<Entity>, CardSort { sort, order }: CardSort) -> Select<Entity> {
    let order = Order::from(order);
    match sort {
        CardSortBy::Id => select,
        CardSortBy::IntranetIp => select.order_by(Column::IntranetIp, order.clone()),
        CardSortBy::RunSince => select.order_by(Column::RunSince, order.clone()),
        CardSortBy::Serial => {
            select.order_by_with_nulls(Column::Serial, order.clone(), sea_orm::sea_query::NullOrdering::Last)
        }
    }
    .order_by(Column::Id, order)
}

/// How many rows are meant.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &impl ConnectionTrait, scope: &CardScope) -> Result<u64, DbErr> {
    match scope.cells() {
        Some(wanted) => {
            let (counted, cells) = wanted.counted();
            kept::total(db, counted, cells).await
        }
        None => match scope.without_work() {
            // All but a few: those few are quicker to count.
            Some((all, wanted)) => {
                let (counted, cells) = wanted.counted();
                let few = all.apply(db.get_database_backend(), Entity::find()).filter(Expr::cust(BEING_WORKED_ON));
                Ok(kept::total(db, counted, cells).await?.saturating_sub(few.count(db).await?))
            }
            None => scope.apply(db.get_database_backend(), Entity::find()).count(db).await,
        },
    }
}

/// The row, if it exists.
///
/// # Errors
/// When the read fails.
pub async fn find(db: &impl ConnectionTrait, id: CardId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}

/// The next `limit` of `which` behind `after`, in id order.
///
/// # Errors
/// When the read fails.
pub async fn next(
    db: &impl ConnectionTrait,
    which: Select<Entity>,
    after: CardId,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    which.filter(Column::Id.gt(after)).order_by_asc(Column::Id).limit(limit).all(db).await
}

/// The document that searches find a row by.
#[must_use]
pub fn document(row: &Model) -> String {
    let inside = row.intranet_ip.to_string();
    let outside = row.extranet_ip.map_or_else(String::new, |ip| ip.to_string());
    search::document(&[row.serial.as_deref().unwrap_or_default(), &inside, &outside])
}

/// Writes the columns that are no state: serial, place, addresses, model, size and remark.
///
/// # Errors
/// When a serial, an address or a position is taken, or the write fails.
pub async fn update_record(tx: &impl ConnectionTrait, before: &Model, after: &Model) -> Outcome<()> {
    use sea_orm::ActiveValue::Set;
    if (before.room_id, before.intranet_ip, before.adb_port) != (after.room_id, after.intranet_ip, after.adb_port) {
        refuse_taken_address(tx, after).await?;
    }
    let row = card::ActiveModel {
        id: Set(after.id),
        serial: Set(after.serial.clone()),
        room_id: Set(after.room_id),
        frame_id: Set(after.frame_id),
        host_id: Set(after.host_id),
        position: Set(after.position),
        intranet_ip: Set(after.intranet_ip),
        adb_port: Set(after.adb_port),
        extranet_ip: Set(after.extranet_ip),
        extranet_port: Set(after.extranet_port),
        model_id: Set(after.model_id),
        size: Set(after.size.clone()),
        remark: Set(after.remark.clone()),
        ..Default::default()
    };
    Entity::update(row).exec(tx).await.map_err(taken)?;
    let found_by = document(after);
    if found_by != document(before) {
        search::replace(tx, TABLE, after.id.0, &found_by).await?;
    }
    Ok(())
}

/// Refuses an address of a room that another card has. The engines differ in which of two broken rules
/// they name, and the address outside follows from the one inside: this one is told first.
///
/// # Errors
/// When another card has it, or the read fails.
pub async fn refuse_taken_address(db: &impl ConnectionTrait, row: &Model) -> Outcome<()> {
    let other = Entity::find()
        .filter(Column::RoomId.eq(row.room_id))
        .filter(Column::IntranetIp.eq(row.intranet_ip))
        .filter(Column::AdbPort.eq(row.adb_port))
        .filter(Column::Lifecycle.ne(Lifecycle::Retired))
        .filter(Column::Id.ne(row.id))
        .one(db)
        .await?;
    match other {
        Some(_) => Err(Fault::field("intranetIp", Violation::taken())),
        None => Ok(()),
    }
}

/// A broken uniqueness rule, at the field that broke it.
#[must_use]
pub fn taken(error: DbErr) -> Fault {
    // SQLite names all columns of a broken index: the one of the position begins with the host's.
    for (column, field) in
        [("serial", "serial"), ("position", "position"), ("intranet_ip", "intranetIp"), ("extranet_ip", "extranetIp")]
    {
        if is_duplicate(&error, TABLE, column) {
            return Fault::field(field, Violation::taken());
        }
    }
    error.into()
}
