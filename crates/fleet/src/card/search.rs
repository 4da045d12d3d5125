//! The search document of a card.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::search::{HITS, Hit};
use db::{WriteTx, search};
use entity::CardId;
use entity::card::{Column, Entity, Model};
use kernel::ip4::Ip4;
use sea_orm::{ColumnTrait as _, Condition, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use super::store::CardFilter;

/// The search document of a row.
#[must_use]
pub fn document(row: &Model) -> String {
    let inside = row.intranet_ip.to_string();
    let outside = row.extranet_ip.map_or_else(String::new, |ip| ip.to_string());
    search::document(&[row.serial.as_deref().unwrap_or_default(), &inside, &outside])
}

/// Cards whose serial or address contains `text`: first those of which it is the whole, then the newest. For the global
/// search.
///
/// # Errors
/// When the read fails.
pub async fn find(ctx: &OpCtx, text: &str) -> Outcome<Vec<Hit>> {
    if !search::is_indexed(text) {
        return Ok(Vec::new());
    }
    let filter = CardFilter { key_word: Some(text.to_owned()), ..CardFilter::default() };
    let db = ctx.read();
    let select = filter.resolve(&ctx.app).await?.apply(db.get_database_backend(), Entity::find());
    // Whoever has typed an address or a serial whole means this card, however many others begin with it.
    let mut itself = Condition::any().add(Column::Serial.eq(text));
    if let Ok(address) = text.parse::<Ip4>() {
        itself = itself.add(Column::IntranetIp.eq(address)).add(Column::ExtranetIp.eq(address));
    }
    let mut found = select.clone().filter(itself).order_by_desc(Column::Id).limit(HITS).all(db).await?;
    let rest = select.order_by_desc(Column::Id).limit(HITS).all(db).await?;
    found.extend(rest.into_iter().filter(|card| !found.iter().any(|known| known.id == card.id)).collect::<Vec<_>>());
    found.truncate(HITS as usize);
    Ok(found
        .into_iter()
        .map(|card| {
            let outside = card.extranet_ip.map(|ip| ip.to_string());
            let known = [card.serial, outside].into_iter().flatten().filter(|part| !part.is_empty());
            Hit {
                id: card.id.to_string(),
                title: card.intranet_ip.to_string(),
                subtitle: known.collect::<Vec<_>>().join(" · "),
                path: format!("/device/management?detail={}", card.id),
                ..Hit::default()
            }
        })
        .collect())
}

/// Rebuilds all search documents.
pub async fn reindex(tx: &WriteTx) -> anyhow::Result<()> {
    let after = |id| async move {
        let select = Entity::find().filter(Column::Id.gt(CardId(id))).order_by_asc(Column::Id).limit(search::STEP);
        Ok(select.all(&**tx).await?.iter().map(|row| (row.id.0, document(row))).collect())
    };
    Ok(search::reindex(&**tx, "card", after).await?)
}
