//! How phones are found by a text.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::search::{HITS, Hit};
use db::{WriteTx, search};
use entity::PhoneId;
use entity::phone::{Column, Entity, Model};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use super::filter::PhoneFilter;
use super::view;

/// The search document of a row. Users and cards are found by their own.
#[must_use]
pub fn document(row: &Model) -> String {
    search::document(&[&row.code, &row.name])
}

/// Rebuilds all search documents.
pub async fn reindex(tx: &WriteTx) -> anyhow::Result<()> {
    let after = |id| async move {
        let select = Entity::find().filter(Column::Id.gt(PhoneId(id))).order_by_asc(Column::Id).limit(search::STEP);
        Ok(select.all(&**tx).await?.iter().map(|row| (row.id.0, document(row))).collect())
    };
    Ok(search::reindex(&**tx, "phone", after).await?)
}

/// Phones whose code, name, user or card contains `text`, newest first: for the global search.
///
/// # Errors
/// When the read fails.
pub async fn find(ctx: &OpCtx, text: &str) -> Outcome<Vec<Hit>> {
    if !search::is_indexed(text) {
        return Ok(Vec::new());
    }
    let scope = PhoneFilter { key_word: Some(text.to_owned()), ..PhoneFilter::default() }.at(ctx.now());
    let select = scope.apply(ctx.db().backend(), Entity::find());
    let found = select.order_by_desc(Column::Id).limit(HITS).all(ctx.read()).await?;
    let hit = |row: view::PhoneView| {
        let known = [row.user.name(), row.name.as_str()].into_iter().filter(|part| !part.is_empty());
        Hit {
            id: row.id.to_string(),
            subtitle: known.collect::<Vec<_>>().join(" · "),
            path: format!("/cloudPhone/list/{}", row.id),
            title: row.code,
            state: None,
        }
    };
    Ok(view::views(&ctx.app, ctx.app.db.lookups(), found).await?.into_iter().map(hit).collect())
}
