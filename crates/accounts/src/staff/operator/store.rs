//! The operators' table.

use std::collections::HashMap;

use base::fault::{Fault, unique};
use base::http::Validate;
use entity::operator::{self, Column, Entity, Model};
use entity::{GroupId, OperatorId, permission_group};
use kernel::rules::Check;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::view::{AccountTypeName, OperatorView};

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("username", "username")];
/// The table, as searches and uniqueness rules name it.
pub const TABLE: &str = "operator";
/// The columns of a search.
pub const SEARCHED: [&str; 4] = ["username", "email", "phone", "remark"];

/// A filter for operators.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OperatorFilter {
    /// Part of the username, email, phone or remark.
    #[serde(default)]
    pub key_word: Option<String>,
    /// In this group.
    #[serde(default)]
    #[param(value_type = Option<i64>)]
    pub group_id: Option<GroupId>,
    /// Whether the account can be used.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// The account type.
    #[serde(default)]
    #[param(inline)]
    pub account_type: Option<AccountTypeName>,
}

impl Validate for OperatorFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// The names of these groups.
pub async fn group_names(
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

/// The operator, if they exist.
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
    Ok(OperatorView::new(row, names.into_values().next()))
}

/// Inserts an operator.
///
/// # Errors
/// When the username is taken, or the write fails.
pub async fn insert(tx: &impl ConnectionTrait, row: operator::ActiveModel) -> Result<Model, Fault> {
    Entity::insert(row).exec_with_returning(tx).await.map_err(unique(TABLE, UNIQUE))
}

/// Writes an operator's own fields.
///
/// # Errors
/// When the username is taken, or the write fails.
pub async fn update(tx: &impl ConnectionTrait, row: operator::ActiveModel) -> Result<Model, Fault> {
    Entity::update(row).exec(tx).await.map_err(unique(TABLE, UNIQUE))
}

/// Deletes operators. Their sessions stay, ended, so that their next request gets the reason.
///
/// # Errors
/// When the write fails.
pub async fn remove(tx: &impl ConnectionTrait, ids: &[OperatorId]) -> Result<(), DbErr> {
    Entity::delete_many().filter(Column::Id.is_in(ids.iter().copied())).exec(tx).await?;
    Ok(())
}
