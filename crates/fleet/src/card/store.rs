//! The cards' table: the list with its filters, and single rows.

use std::collections::HashMap;

use base::app::App;
use base::fault::{Fault, Outcome, unique};
use base::http::Validate;
use base::list::{Direction, Order};
use db::{Db, kept, search, sql};
use entity::card::{self, Column, Entity, Lifecycle, Maintenance, Model, NetworkStatus, RunStatus};
use entity::{CardId, CardModelId, RoomId};
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::time::UtcTime;
use outbound::Rule;
use sea_orm::sea_query::{Condition, Expr, SimpleExpr};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbBackend, DbErr, EntityTrait as _, ExprTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, Select,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::{self, ModelName};
use super::search::document;
use crate::address::reach;
use crate::counts::{LIVING_CARDS, Wanted};
use crate::settings::FleetSettings;

/// The table, as searches and uniqueness rules name it.
pub const TABLE: &str = "card";
/// Uniqueness rules, with the fields of the input that violate them. The index of the position begins with the host.
pub const UNIQUE: &[(&str, &str)] =
    &[("serial", "serial"), ("position", "position"), ("intranet_ip", "intranetIp"), ("extranet_ip", "extranetIp")];
/// The columns scanned if a search is too short for the index.
const SEARCHED: [&str; 1] = ["serial"];

/// The condition of the index `card_maintenance`.
const BEING_WORKED_ON: &str = "card.maintenance <> 1";

/// A filter for cards.
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
    /// The run status.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub run_status: Option<RunStatus>,
    /// Whether it can be reached.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub network_status: Option<NetworkStatus>,
    /// The lifecycle state; if omitted, all except retired ones.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub lifecycle: Option<Lifecycle>,
    /// The maintenance state.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub maintenance: Option<Maintenance>,
    /// The full name of the manufacturer.
    #[serde(default)]
    pub manufacturer: Option<String>,
    /// The full name of the model.
    #[serde(default)]
    pub model: Option<String>,
    /// The board.
    #[serde(default)]
    pub board: Option<String>,
    /// That run this image.
    #[serde(default)]
    pub image_id: Option<i64>,
    /// Whether it may be assigned to cloud phones.
    #[serde(default)]
    pub assignable: Option<bool>,
    /// Whether it takes part in overcommit.
    #[serde(default)]
    pub overcommit: Option<bool>,
    /// True: in its status for longer than the settings allow.
    #[serde(default)]
    pub overdue: Option<bool>,
}

/// The sort keys of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardSort {
    /// The order of creation.
    Id,
    /// The intranet address.
    IntranetIp,
    /// How long it has had its status.
    RunSince,
    /// The serial.
    Serial,
}

impl Validate for CardFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        for (field, text) in [("manufacturer", &self.manufacturer), ("model", &self.model), ("board", &self.board)] {
            check.optional(field, text.as_deref(), |text| max_chars(text, 64));
        }
    }
}

impl CardFilter {
    /// Checks it.
    ///
    /// # Errors
    /// When it is invalid.
    pub fn checked(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.check(&mut check);
        Ok(check.finish()?)
    }

    /// The filter with models as ids, and with the limits of the current settings.
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

/// A filter that is ready to be executed.
#[derive(Clone, Debug)]
pub struct CardScope {
    filter: CardFilter,
    models: Option<Vec<i64>>,
    allowed: Option<[(RunStatus, UtcTime); 5]>,
}

impl CardScope {
    /// The counter cells for this filter; none if cells cannot answer it.
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
            image_id,
            assignable,
            overcommit,
            overdue: _,
        } = &self.filter;
        if key_word.is_some() || frame_id.is_some() || host_id.is_some() || maintenance.is_some() {
            return None;
        }
        if image_id.is_some() {
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

    /// If the filter selects cards in service: the same without that condition, and the cells of the complement.
    fn without_work(&self) -> Option<(Self, Wanted)> {
        if self.filter.maintenance != Some(Maintenance::None) {
            return None;
        }
        let all = Self { filter: CardFilter { maintenance: None, ..self.filter.clone() }, ..self.clone() };
        let cells = all.cells()?;
        Some((all, cells))
    }

    /// `select` restricted by this filter.
    #[must_use]
    pub fn apply(&self, backend: DbBackend, select: Select<Entity>) -> Select<Entity> {
        self.apply_in(backend, select, false)
    }

    /// The same; `by_order` keeps SQLite from looking the statuses up by their indexes and sorting the result, where
    /// following the index of the order is faster. PostgreSQL decides that by itself.
    fn apply_in(&self, backend: DbBackend, mut select: Select<Entity>, by_order: bool) -> Select<Entity> {
        let free = |column: Column| {
            let column = (Entity, column);
            if by_order { sql::unindexed(backend, column) } else { Expr::col(column) }
        };
        // Every field is named, so that a new filter cannot be forgotten here.
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
            image_id,
            assignable,
            overcommit,
            overdue: _,
        } = &self.filter;
        let conditions: [Option<SimpleExpr>; 11] = [
            room_id.map(|id| Column::RoomId.eq(id)),
            frame_id.map(|id| Column::FrameId.eq(id)),
            host_id.map(|id| Column::HostId.eq(id)),
            run_status.map(|status| free(Column::RunStatus).eq(status.code())),
            network_status.map(|status| free(Column::NetworkStatus).eq(status.code())),
            // Written out: only then does SQLite recognize that the index of addresses, which excludes retired cards,
            // covers the query.
            Some(lifecycle.map_or_else(|| Expr::cust("card.lifecycle <> 5"), |one| Column::Lifecycle.eq(one))),
            // Written out as well, for the index of the few cards in maintenance.
            maintenance.map(|state| match state {
                Maintenance::None => free(Column::Maintenance).eq(state.code()),
                Maintenance::Draining | Maintenance::InMaintenance => {
                    Expr::cust(BEING_WORKED_ON).and(Column::Maintenance.eq(state))
                }
            }),
            assignable.map(|flag| Column::IsAssignable.eq(flag)),
            overcommit.map(|flag| Column::IsOvercommit.eq(flag)),
            image_id.map(|id| Column::ImageId.eq(id)),
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
            // A text too short for the index may still be the beginning of an address.
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
/// In id order, the default, a deep page is found by its block; the total comes from the kept counters unless a
/// keyword, a frame or a host is given.
///
/// # Errors
/// When a read fails.
pub async fn list(db: &Db, scope: &CardScope, order: Order<CardSort>, page: PageQuery) -> Result<Page<Model>, DbErr> {
    let total = total(db, scope).await?;
    if page.offset() >= total {
        return Ok(Page::new(page, total, Vec::new()));
    }
    let sort = order.by.unwrap_or(CardSort::Id);
    let has_own_index = match sort {
        CardSort::Id => true,
        CardSort::IntranetIp => scope.filter.room_id.is_some(),
        CardSort::RunSince => scope.filter.run_status.is_some(),
        CardSort::Serial => false,
    };
    // If every two-hundredth card matches, a page is full soon.
    let by_order =
        !has_own_index && total.saturating_mul(200) > kept::total(db.lookups(), LIVING_CARDS, kept::Cells::All).await?;
    let select = scope.apply_in(db.backend(), Entity::find(), by_order);
    let descending = order.direction == Direction::Desc;
    let mut select = ordered(select, sort, order.direction).limit(page.page_size);
    let mut offset = page.offset();
    if let (Some(wanted), CardSort::Id) = (scope.cells(), sort)
        && offset >= kept::BLOCK_SIZE.unsigned_abs()
        && let (counted, cells) = wanted.counted()
        && let Some(start) = kept::seek(db.lookups(), counted, cells, offset, descending).await?
    {
        let bound = CardId(start.bound);
        select = select.filter(if descending { Column::Id.lte(bound) } else { Column::Id.gte(bound) });
        offset = start.skip;
    }
    let list = select.offset(offset).all(db.read()).await?;
    Ok(Page::new(page, total, list))
}

/// A total order: the id comes last.
fn ordered(select: Select<Entity>, sort: CardSort, direction: Direction) -> Select<Entity> {
    let by = match sort {
        CardSort::Id => None,
        CardSort::IntranetIp => Some(Column::IntranetIp),
        CardSort::RunSince => Some(Column::RunSince),
        CardSort::Serial => Some(Column::Serial),
    };
    Order { by, direction }.apply(select, direction)
}

/// The number of matching rows.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &Db, scope: &CardScope) -> Result<u64, DbErr> {
    match scope.cells() {
        Some(wanted) => {
            let (counted, cells) = wanted.counted();
            kept::total(db.lookups(), counted, cells).await
        }
        None => match scope.without_work() {
            // All except a few: those few are faster to count.
            Some((all, wanted)) => {
                let (counted, cells) = wanted.counted();
                let few = all.apply(db.backend(), Entity::find()).filter(Expr::cust(BEING_WORKED_ON));
                Ok(kept::total(db.lookups(), counted, cells).await?.saturating_sub(few.count(db.read()).await?))
            }
            None => scope.apply(db.backend(), Entity::find()).count(db.read()).await,
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

/// The next `limit` of `which` after `after`, in id order.
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

/// Writes the columns that are not state: serial, position, addresses, model, size and remark.
///
/// # Errors
/// When a serial, an address or a position is taken, `outbound` refuses a new address, or the write fails.
pub async fn update_record(tx: &impl ConnectionTrait, outbound: &Rule, before: &Model, after: &Model) -> Outcome<()> {
    use sea_orm::ActiveValue::Set;
    if before.intranet_ip != after.intranet_ip {
        reach::check(outbound, "intranetIp", after.intranet_ip, after.intranet_ip)?;
    }
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
    Entity::update(row).exec(tx).await.map_err(unique(TABLE, UNIQUE))?;
    let found_by = document(after);
    if found_by != document(before) {
        search::replace(tx, TABLE, after.id.0, &found_by).await?;
    }
    Ok(())
}

/// Refuses an address of a room that another card has. The engines differ in which of two violated rules they report,
/// and the outside address follows from the inside one: this one is reported first.
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
        Some(_) => Err(Fault::taken("intranetIp")),
        None => Ok(()),
    }
}
