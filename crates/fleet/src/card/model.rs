//! The dictionary of models: manufacturer, model and board together, as cards refer to them.

use std::collections::{BTreeSet, HashMap};

use base::fault::{Fault, Outcome};
use entity::CardModelId;
use entity::card_model::{self, ActiveModel, Column, Entity, Model};
use kernel::text::{Text, text};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const FULL: Text = text("型号数量已达上限 {max}", "The limit of {max} models has been reached");

/// A card model.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub struct ModelName {
    pub manufacturer: String,
    pub model: String,
    pub board: String,
}

impl From<Model> for ModelName {
    fn from(row: Model) -> Self {
        let Model { id: _, manufacturer, model, board } = row;
        Self { manufacturer, model, board }
    }
}

/// All models, by id. There are few.
///
/// # Errors
/// When the read fails.
pub async fn all(db: &impl ConnectionTrait) -> Result<HashMap<CardModelId, ModelName>, DbErr> {
    let rows = Entity::find().order_by_asc(Column::Id).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.into())).collect())
}

/// The models of a hardware family.
///
/// # Errors
/// When the read fails.
pub async fn of_board(db: &impl ConnectionTrait, board: &str) -> Result<Vec<CardModelId>, DbErr> {
    let select = Entity::find().select_only().column(Column::Id).filter(Column::Board.eq(board));
    select.into_tuple().all(db).await
}

/// The ids of `wanted`; new ones are added.
///
/// # Errors
/// When there are too many models, or the write fails.
pub async fn ensure(
    tx: &impl ConnectionTrait,
    wanted: impl IntoIterator<Item = ModelName>,
) -> Outcome<HashMap<ModelName, CardModelId>> {
    let mut known: HashMap<ModelName, CardModelId> = all(tx).await?.into_iter().map(|(id, name)| (name, id)).collect();
    let missing: BTreeSet<ModelName> = wanted.into_iter().filter(|name| !known.contains_key(name)).collect();
    for name in missing {
        let row = ActiveModel {
            manufacturer: Set(name.manufacturer.clone()),
            model: Set(name.model.clone()),
            board: Set(name.board.clone()),
            ..Default::default()
        };
        let id = Entity::insert(row).exec(tx).await?.last_insert_id;
        if id.0 > card_model::MOST {
            return Err(Fault::conflict(FULL.with("max", card_model::MOST)));
        }
        known.insert(name, id);
    }
    Ok(known)
}
