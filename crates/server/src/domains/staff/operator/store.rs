//! The operators' table.

use std::collections::HashMap;

use db::{is_duplicate, list, search};
use entity::operator::{self, Column, Entity, Model};
use entity::{GroupId, OperatorId, permission_group};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::view::{AccountTypeName, OperatorView};
use crate::fault::Fault;
use crate::http::{Direction, Sort, SortBy};

const TABLE: &str = "operator";
const SEARCHED: [&str; 4] = ["username", "email", "phone", "remark"];

/// Which operators are meant.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OperatorFilter {
    /// Part of the user name, email, phone or remark.
    #[serde(default)]
    pub key_word: Option<String>,
    /// In this group.
    #[serde(default)]
    #[param(value_type = Option<i64>)]
    pub group_id: Option<GroupId>,
    /// Whether the account can be used.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// What sort of account.
    #[serde(default)]
    #[param(inline)]
    pub account_type: Option<AccountTypeName>,
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum OperatorBy {
    /// The order of creation.
    Id,
    /// The user name.
    Username,
    /// The email address.
    Email,
    /// The last sign-in; those who never signed in come last.
    LastSignInAt,
    /// When the account was made.
    CreatedAt,
}

impl SortBy for OperatorBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::Id => Column::Id,
            Self::Username => Column::Username,
            Self::Email => Column::Email,
            Self::LastSignInAt => Column::LastSignInAt,
            Self::CreatedAt => Column::CreatedAt,
        }
    }
}

impl OperatorFilter {
    /// Notes what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        check.optional("keyWord", self.key_word.as_deref(), |text| max_chars(text, 64));
    }
}

/// One page of operators.
///
/// # Errors
/// When a read fails.
pub async fn page(
    db: &impl ConnectionTrait,
    filter: &OperatorFilter,
    sort: Sort<OperatorBy>,
    page: PageQuery,
) -> Result<Page<OperatorView>, DbErr> {
    let OperatorFilter { key_word, group_id, enabled, account_type } = filter;
    let mut select = Entity::find();
    if let Some(text) = key_word.as_ref().filter(|text| !text.is_empty()) {
        select = select.filter(search::scan(db.get_database_backend(), TABLE, &SEARCHED, text));
    }
    if let Some(group) = group_id {
        select = select.filter(Column::GroupId.eq(*group));
    }
    if let Some(enabled) = enabled {
        select = select.filter(Column::IsEnabled.eq(*enabled));
    }
    if let Some(name) = account_type {
        select = select.filter(Column::AccountType.eq(operator::AccountType::from(*name)));
    }
    let found = list::list_page(db, sort.apply(select, Direction::Desc), page).await?;
    let names = group_names(db, found.list.iter().filter_map(|row| row.group_id)).await?;
    Ok(found.map(|row| {
        let name = row.group_id.and_then(|group| names.get(&group)).cloned().unwrap_or_default();
        OperatorView::new(row, name)
    }))
}

/// The names of these groups.
async fn group_names(
    db: &impl ConnectionTrait,
    groups: impl Iterator<Item = GroupId>,
) -> Result<HashMap<GroupId, String>, DbErr> {
    let rows: Vec<(GroupId, String)> = permission_group::Entity::find()
        .select_only()
        .columns([permission_group::Column::Id, permission_group::Column::Name])
        .filter(permission_group::Column::Id.is_in(groups))
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

/// The operator, if he exists.
///
/// # Errors
/// When the read fails.
pub async fn find(db: &impl ConnectionTrait, id: OperatorId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}

/// Those of `ids` who exist, in id order.
///
/// # Errors
/// When the read fails.
pub async fn find_all(db: &impl ConnectionTrait, ids: &[OperatorId]) -> Result<Vec<Model>, DbErr> {
    Entity::find().filter(Column::Id.is_in(ids.iter().copied())).order_by_asc(Column::Id).all(db).await
}

/// `row` with the name of its group.
///
/// # Errors
/// When the read fails.
pub async fn view(db: &impl ConnectionTrait, row: Model) -> Result<OperatorView, DbErr> {
    let names = group_names(db, row.group_id.into_iter()).await?;
    let name = names.into_values().next().unwrap_or_default();
    Ok(OperatorView::new(row, name))
}

/// Inserts an operator.
///
/// # Errors
/// When the user name is taken, or the write fails.
pub async fn insert(tx: &impl ConnectionTrait, row: operator::ActiveModel) -> Result<Model, Fault> {
    Entity::insert(row).exec_with_returning(tx).await.map_err(name_taken)
}

/// Writes an operator's own fields.
///
/// # Errors
/// When the user name is taken, or the write fails.
pub async fn update(tx: &impl ConnectionTrait, row: operator::ActiveModel) -> Result<Model, Fault> {
    Entity::update(row).exec(tx).await.map_err(name_taken)
}

/// Deletes operators. Their sessions stay, ended, so that their next request hears why.
///
/// # Errors
/// When the write fails.
pub async fn remove(tx: &impl ConnectionTrait, ids: &[OperatorId]) -> Result<(), DbErr> {
    Entity::delete_many().filter(Column::Id.is_in(ids.iter().copied())).exec(tx).await?;
    Ok(())
}

fn name_taken(error: DbErr) -> Fault {
    if is_duplicate(&error, TABLE, "username") { Fault::taken("username") } else { error.into() }
}
