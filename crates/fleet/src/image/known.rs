//! Which image each card runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::fault::{OrMissing as _, Outcome};
use db::sql;
use entity::image_known::{Column, Entity, MAX_FINGERPRINT, MOST, Model};
use entity::{CardId, ImageId, card};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _, QueryFilter as _,
    QuerySelect as _, Value,
};

pub(super) const NOT_FOUND: Text = text("镜像不存在", "Image not found");

/// Values in one statement: engines limit them.
const VALUES: usize = 500;

/// What a card says about its image.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The board that it reports.
    pub board: &'a str,
    /// `ro.build.fingerprint`; empty if it did not say.
    pub fingerprint: &'a str,
}

/// Writes down which images cards run, as far as that differs from what is recorded. An image that nobody has seen before
/// becomes known. Nothing is written for cards that said nothing, or too much.
///
/// # Errors
/// When a read or a write fails.
pub async fn note<'a>(
    tx: &impl ConnectionTrait,
    said: impl IntoIterator<Item = (&'a card::Model, Said<'a>)>,
    now: UtcTime,
) -> Result<(), DbErr> {
    let mut wanted: BTreeMap<(&str, &str), Vec<&card::Model>> = BTreeMap::new();
    for (card, Said { board, fingerprint }) in said {
        if !fingerprint.is_empty() && fingerprint.chars().count() <= MAX_FINGERPRINT {
            wanted.entry((board, fingerprint)).or_default().push(card);
        }
    }
    for ((board, fingerprint), cards) in wanted {
        let Some(image) = known(tx, board, fingerprint, now).await? else { continue };
        let changed: Vec<CardId> =
            cards.iter().filter(|card| card.image_id != Some(image)).map(|card| card.id).collect();
        for changed in changed.chunks(VALUES) {
            let update = card::Entity::update_many()
                .set(card::ActiveModel { image_id: sea_orm::ActiveValue::Set(Some(image)), ..Default::default() })
                .filter(card::Column::Id.is_in(changed.iter().copied()));
            update.exec(tx).await?;
        }
    }
    Ok(())
}

/// The image's id; none if it is a new one and there are too many.
async fn known(
    tx: &impl ConnectionTrait,
    board: &str,
    fingerprint: &str,
    now: UtcTime,
) -> Result<Option<ImageId>, DbErr> {
    let find = || Entity::find().filter(Column::Board.eq(board)).filter(Column::Fingerprint.eq(fingerprint)).one(tx);
    if let Some(row) = find().await? {
        return Ok(Some(row.id));
    }
    if Entity::find().count(tx).await? >= MOST {
        tracing::warn!(board, fingerprint, "a card runs an image that is not written down: {MOST} are known already");
        return Ok(None);
    }
    // An agent of another room may have brought it meanwhile.
    let text = "INSERT INTO image_known (board, fingerprint, found_at) VALUES ($1, $2, $3) \
                ON CONFLICT (board, fingerprint) DO NOTHING";
    let values: [Value; 3] = [board.into(), fingerprint.into(), now.millis().into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(find().await?.map(|row| row.id))
}

/// The image, or "not found".
///
/// # Errors
/// When there is none.
pub(super) async fn find(db: &impl ConnectionTrait, id: ImageId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// The same, for who changes what hangs on it: one after the other.
///
/// # Errors
/// When there is none.
pub(super) async fn locked(tx: &impl ConnectionTrait, id: ImageId) -> Outcome<Model> {
    Entity::find_by_id(id).lock_exclusive().one(tx).await?.or_missing(NOT_FOUND)
}

/// What these images are called.
///
/// # Errors
/// When the read fails.
pub async fn names(
    db: &impl ConnectionTrait,
    images: impl IntoIterator<Item = ImageId>,
) -> Result<HashMap<ImageId, String>, DbErr> {
    let images: Vec<ImageId> = images.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut names = HashMap::with_capacity(images.len());
    for images in images.chunks(VALUES) {
        let rows = Entity::find().filter(Column::Id.is_in(images.iter().copied())).all(db).await?;
        names.extend(rows.into_iter().map(|row| (row.id, row.name().to_owned())));
    }
    Ok(names)
}

/// What the image of a card is called; empty if the card has not said which one it runs.
///
/// # Errors
/// When the read fails.
pub async fn name_of(db: &impl ConnectionTrait, card: CardId) -> Result<String, DbErr> {
    let image = card::Entity::find_by_id(card).one(db).await?.and_then(|row| row.image_id);
    Ok(names(db, image).await?.into_values().next().unwrap_or_default())
}
