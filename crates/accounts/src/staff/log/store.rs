//! The operation log's table, for reading.

use base::log::last;
use db::{list, search};
use entity::OperatorId;
use entity::operation_log::{Column, Entity, Model};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The columns of a search.
const SEARCHED: [&str; 6] = ["operator_name", "ip", "object_name", "object_id", "message", "request_id"];

/// A filter for entries.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationLogFilter {
    /// Part of the operator's name, the address, the object's name or id, the message or the request's id.
    #[serde(default)]
    pub key_word: Option<String>,
    /// Who did it.
    #[serde(default)]
    pub operator_id: Option<OperatorId>,
    /// The operation's id, as stored.
    #[serde(default)]
    pub action: Option<String>,
    /// The kind of object.
    #[serde(default)]
    pub object_kind: Option<String>,
    /// The object's id. With its kind, entries about several objects are found by each of them.
    #[serde(default)]
    pub object_id: Option<String>,
    /// Whether it succeeded or was refused.
    #[serde(default)]
    pub succeeded: Option<bool>,
    /// At or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// At or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

impl OperationLogFilter {
    /// Records what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        for (field, text) in [
            ("keyWord", &self.key_word),
            ("action", &self.action),
            ("objectKind", &self.object_kind),
            ("objectId", &self.object_id),
        ] {
            check.optional(field, text.as_deref(), |text| max_chars(text, 64));
        }
        check.period(self.start_time, self.end_time);
    }

    fn select(&self, db: &impl ConnectionTrait) -> Select<Entity> {
        // Every field is named, so that a new filter cannot be forgotten here.
        let Self { key_word, operator_id, action, object_kind, object_id, succeeded, start_time, end_time } = self;
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let mut select = Entity::find();
        if let Some(id) = operator_id {
            select = select.filter(Column::OperatorId.eq(*id));
        }
        // One object: also what was done to it together with others.
        let one = given(object_kind).zip(given(object_id));
        if let Some((kind, id)) = &one {
            select = select.filter(Column::Id.in_subquery(last::about(kind, id)));
        }
        let (kind, id) = if one.is_some() { (&None, &None) } else { (object_kind, object_id) };
        for (column, text) in [(Column::Action, action), (Column::ObjectKind, kind), (Column::ObjectId, id)] {
            if let Some(text) = given(text) {
                select = select.filter(column.eq(text));
            }
        }
        if let Some(succeeded) = succeeded {
            select = select.filter(if *succeeded { Column::Status.eq(0) } else { Column::Status.ne(0) });
        }
        if let Some(start) = start_time {
            select = select.filter(Column::At.gte(*start));
        }
        if let Some(end) = end_time {
            select = select.filter(Column::At.lte(*end));
        }
        if let Some(text) = given(key_word) {
            select = select.filter(search::scan(db.get_database_backend(), "operation_log", &SEARCHED, &text));
        }
        select
    }
}

/// One page of the log, newest first.
///
/// # Errors
/// When a read fails.
pub async fn page(
    db: &impl ConnectionTrait,
    filter: &OperationLogFilter,
    page: PageQuery,
) -> Result<Page<Model>, DbErr> {
    list::list_page(db, filter.select(db).order_by_desc(Column::Id), page).await
}

/// The number of entries that match `filter`.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &impl ConnectionTrait, filter: &OperationLogFilter) -> Result<u64, DbErr> {
    filter.select(db).count(db).await
}

/// Up to `limit` entries, newest first, before the entry `before`.
///
/// # Errors
/// When the read fails.
pub async fn step(
    db: &impl ConnectionTrait,
    filter: &OperationLogFilter,
    before: Option<i64>,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let mut select = filter.select(db);
    if let Some(id) = before {
        select = select.filter(Column::Id.lt(id));
    }
    select.order_by_desc(Column::Id).limit(limit).all(db).await
}

/// The entry, if it exists.
///
/// # Errors
/// When the read fails.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}
