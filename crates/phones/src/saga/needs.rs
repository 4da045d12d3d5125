//! What those who wait for cards of a pool need, as far as images go: what was copied runs with the image that it was made with, and
//! with those that take its phones, so a card of any other is none for it. A rule without a database, and what it is asked with.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::{BackupId, ImageId, backup, card, image_known, placement, saga};
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::SelectStatement;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, FromQueryResult, QueryFilter as _, QuerySelect as _,
    QueryTrait as _, Select,
};
use serde::Deserialize;
use wire::Reason;
use wire::copy::Amount;

use super::pool::{CardPool, at_pool, cleared, free, sealed};
use super::states;

/// Of those who wait for a pool so many are looked at, as for cards that are free.
const MOST: u64 = 5_000;
/// Copies in one statement.
const NAMED: usize = 500;
/// So many copies are remembered at most.
const REMEMBERED: usize = 50_000;

/// What somebody needs: a card that runs one of these images, or any of the board.
pub(super) type Need = Option<BTreeSet<ImageId>>;

/// What is asked of the manifest of a copy for a card that it is to come on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Made {
    /// The image with which it was made; empty if it does not say.
    pub image: String,
    /// Its packages.
    pub code: Amount,
}

impl Made {
    pub fn read(manifest: &str) -> Self {
        serde_json::from_str(manifest).unwrap_or_default()
    }
}

/// The fingerprints of the images with which copies were made, empty where they do not say: manifests are long, are asked for again
/// with each look, and stay what they are.
#[derive(Debug, Default)]
pub struct MadeWith(Mutex<HashMap<BackupId, String>>);

impl MadeWith {
    /// Those of some copies.
    async fn of(&self, db: &impl ConnectionTrait, copies: HashSet<BackupId>) -> Outcome<HashMap<BackupId, String>> {
        let (mut found, mut unknown) = (HashMap::new(), Vec::new());
        {
            let known = self.0.lock();
            for copy in copies {
                if let Some(image) = known.get(&copy) {
                    found.insert(copy, image.clone());
                } else {
                    unknown.push(copy);
                }
            }
        }
        for some in unknown.chunks(NAMED) {
            let read = made_with(db, some.to_vec()).await?;
            self.remember(&read);
            found.extend(read);
        }
        Ok(found)
    }

    /// The images that suit these copies, as [`images_of`] has them.
    pub(super) async fn images(
        &self,
        db: &impl ConnectionTrait,
        copies: HashSet<BackupId>,
    ) -> Outcome<HashMap<BackupId, BTreeSet<ImageId>>> {
        let made = self.of(db, copies).await?;
        known(db, made.into_iter().collect()).await
    }

    fn remember(&self, read: &[(BackupId, String)]) {
        let mut known = self.0.lock();
        if known.len() > REMEMBERED {
            known.clear();
        }
        known.extend(read.iter().cloned());
    }
}

async fn made_with(db: &impl ConnectionTrait, copies: Vec<BackupId>) -> Outcome<Vec<(BackupId, String)>> {
    let rows = backup::Entity::find().select_only().columns([backup::Column::Id, backup::Column::Manifest]);
    let rows: Vec<(BackupId, String)> = rows.filter(backup::Column::Id.is_in(copies)).into_tuple().all(db).await?;
    Ok(rows.into_iter().map(|(copy, manifest)| (copy, Made::read(&manifest).image)).collect())
}

/// The images, by the copy, with which copies were made, and those that take phones of them: they come on cards that run one of
/// them. None of a copy that does not say so.
pub(super) async fn images_of(
    db: &impl ConnectionTrait,
    copies: HashSet<BackupId>,
) -> Outcome<HashMap<BackupId, BTreeSet<ImageId>>> {
    if copies.is_empty() {
        return Ok(HashMap::new());
    }
    known(db, made_with(db, copies.into_iter().collect()).await?).await
}

/// The same of copies of which the fingerprints are known.
async fn known(
    db: &impl ConnectionTrait,
    mut made: Vec<(BackupId, String)>,
) -> Outcome<HashMap<BackupId, BTreeSet<ImageId>>> {
    made.retain(|(_, image)| !image.is_empty());
    if made.is_empty() {
        return Ok(HashMap::new());
    }
    let images: BTreeSet<&str> = made.iter().map(|(_, image)| image.as_str()).collect();
    let known = image_known::Entity::find().filter(image_known::Column::Fingerprint.is_in(images)).all(db).await?;
    let ids: Vec<ImageId> = known.iter().map(|one| one.id).collect();
    let takers = fleet::takers(db, &ids).await?;
    let mut by_fingerprint: HashMap<&str, BTreeSet<ImageId>> = HashMap::new();
    for one in &known {
        let suit = by_fingerprint.entry(one.fingerprint.as_str()).or_default();
        suit.insert(one.id);
        suit.extend(takers.get(&one.id).into_iter().flatten());
    }
    let of = |image: &str| by_fingerprint.get(image).cloned().unwrap_or_default();
    Ok(made.iter().map(|(copy, image)| (*copy, of(image))).collect())
}

/// Somebody who waits for a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Waits {
    /// The place in the queue.
    pub rank: UtcTime,
    pub need: Need,
}

/// A put-on that waits, with the copy that comes with its phone.
#[derive(Debug, FromQueryResult)]
struct Row {
    rank_at: UtcTime,
    copy_id: Option<BackupId>,
}

/// Those of a pool's put-ons like this who wait for a card, by their places; some of them, if they are very many. One whose copy is
/// out of reach needs no card yet.
///
/// # Errors
/// When a read fails.
pub(super) async fn waits(app: &App, pool: CardPool<'_>, which: &str) -> Outcome<Vec<Waits>> {
    let db = app.db.read();
    // A phone that was used lives by its copy, which may be another one by now.
    let text = format!(
        "SELECT w.rank_at AS rank_at, CASE WHEN phone.is_blank THEN w.backup_id ELSE phone.kept_id END AS copy_id \
         FROM (SELECT id, phone_id, rank_at, backup_id FROM saga WHERE room_id = $1 AND board = $2 AND pool = {} \
         AND {which} AND code <> '{}' ORDER BY rank_at, id LIMIT {MOST}) AS w JOIN phone ON phone.id = w.phone_id \
         ORDER BY w.rank_at, w.id",
        pool.kind.code(),
        Reason::StoreUnreachable.code()
    );
    let rows = sql::statement(db.get_database_backend(), text, [pool.room.0.into(), pool.board.into()]);
    let rows = Row::find_by_statement(rows).all(db).await?;
    let copies: HashSet<BackupId> = rows.iter().filter_map(|row| row.copy_id).collect();
    let images = app.part::<MadeWith>().images(db, copies).await?;
    let need = |copy: Option<BackupId>| copy.and_then(|copy| images.get(&copy).cloned());
    Ok(rows.into_iter().map(|Row { rank_at, copy_id }| Waits { rank: rank_at, need: need(copy_id) }).collect())
}

/// Cards, counted by the image that they run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stock(BTreeMap<Option<ImageId>, u64>);

impl Stock {
    /// Of these cards.
    async fn of(db: &impl ConnectionTrait, cards: Select<card::Entity>) -> Outcome<Self> {
        let counts: Vec<(Option<ImageId>, i64)> = cards
            .select_only()
            .column(card::Column::ImageId)
            .column_as(card::Column::Id.count(), "n")
            .group_by(card::Column::ImageId)
            .into_tuple()
            .all(db)
            .await?;
        Ok(Self(counts.into_iter().map(|(image, n)| (image, n.unsigned_abs())).collect()))
    }

    /// Of the cards of these sagas.
    async fn of_sagas(db: &impl ConnectionTrait, sagas: Select<saga::Entity>) -> Outcome<Self> {
        let stays = sagas.select_only().column(saga::Column::PlacementId).into_query();
        let cards = placement::Entity::find().select_only().column(placement::Column::CardId);
        let cards = cards.filter(placement::Column::Id.in_subquery(stays)).into_query();
        Self::of(db, card::Entity::find().filter(card::Column::Id.in_subquery(cards))).await
    }

    /// How many there are.
    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether one of them runs one of these images.
    fn has(&self, images: &BTreeSet<ImageId>) -> bool {
        images.iter().any(|image| self.0.contains_key(&Some(*image)))
    }

    /// Takes one that runs one of these images; which, if there is one.
    fn take(&mut self, images: &BTreeSet<ImageId>) -> Option<ImageId> {
        let image = *images.iter().find(|image| self.0.contains_key(&Some(**image)))?;
        let left = self.0.get_mut(&Some(image))?;
        *left -= 1;
        if *left == 0 {
            self.0.remove(&Some(image));
        }
        Some(image)
    }

    /// These, and those.
    pub fn with(mut self, others: &Self) -> Self {
        for (image, n) in &others.0 {
            *self.0.entry(*image).or_default() += n;
        }
        self
    }
}

/// Stays on cards that run an image.
pub(super) fn on_image(image: ImageId) -> SelectStatement {
    let cards = card::Entity::find().select_only().column(card::Column::Id);
    let cards = cards.filter(card::Column::ImageId.eq(image)).into_query();
    let stays = placement::Entity::find().select_only().column(placement::Column::Id);
    stays.filter(placement::Column::CardId.in_subquery(cards)).into_query()
}

/// The cards of a pool that nobody has, by how far they are.
#[derive(Debug)]
pub(super) struct Stocks {
    pub clean: Stock,
    pub sealed: Stock,
    /// Those that are being wiped.
    pub wiping: Stock,
}

impl Stocks {
    /// The cards of a pool that nobody has.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<Self> {
        Self::ready(db, pool).await?.and_sealed(db, pool).await
    }

    /// The same without those that wait to be wiped, which may be very many.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn ready(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<Self> {
        Ok(Self {
            clean: Stock::of(db, free(db, pool).await?).await?,
            sealed: Stock::default(),
            wiping: Stock::of_sagas(db, cleared(pool, states::CLEAR_RUNS)).await?,
        })
    }

    /// These, and those that wait to be wiped.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn and_sealed(self, db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<Self> {
        Ok(Self { sealed: Stock::of_sagas(db, sealed(pool)).await?, ..self })
    }
}

/// The cards of a pool that phones still leave.
///
/// # Errors
/// When a read fails.
pub(super) async fn leaving(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<Stock> {
    Stock::of_sagas(db, at_pool(pool, states::LEAVE_COMES)).await
}

/// The sealed cards that are wiped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wipes {
    /// So many of each of these images.
    pub of_image: BTreeMap<ImageId, u64>,
    /// So many more, whatever they run.
    pub others: u64,
}

/// Which sealed cards are wiped for those who wait, and so that as many are clean as there should be. Who needs an image that none
/// of them runs gains nothing by it. Who takes any card leaves those alone that others can do nothing without.
pub(super) fn wipes(waiting: &[Waits], stocks: Stocks, fewest: u64) -> Wipes {
    let Stocks { clean, mut sealed, wiping } = stocks;
    let mut ready = clean.with(&wiping);
    let there = ready.all();
    let mut wipes = Wipes::default();
    let mut easy = 0_u64;
    for one in waiting {
        let Some(images) = &one.need else {
            easy += 1;
            continue;
        };
        if ready.take(images).is_some() {
            continue;
        }
        if let Some(image) = sealed.take(images) {
            *wipes.of_image.entry(image).or_default() += 1;
        }
    }
    let named: u64 = wipes.of_image.values().sum();
    let for_all = easy.saturating_sub(ready.all()).max(fewest.saturating_sub(there + named));
    wipes.others = for_all.min(sealed.all());
    wipes
}

/// Those who wait for whom somebody has to leave, by their places: neither a card that is there nor one that is on its way is for
/// them. So many are kept in reserve, which what comes fills first. Nobody leaves while cards are left above that, but for who can
/// do nothing with them.
pub(super) fn lacking(waiting: Vec<Waits>, spare: &Stock, coming: &Stock, kept: u64) -> VecDeque<Waits> {
    let is_short = spare.all() <= kept;
    let mut left = (spare.all() + coming.all()).saturating_sub(kept);
    let mut cards = spare.clone().with(coming);
    let lacks = |one: &Waits| {
        let is_served = left > 0 && one.need.as_ref().is_none_or(|images| cards.take(images).is_some());
        left -= u64::from(is_served);
        !is_served && (is_short || one.need.as_ref().is_some_and(|images| !spare.has(images)))
    };
    waiting.into_iter().filter(lacks).collect()
}

/// Whose place somebody gets who leaves a card that runs this image: of those who lack one, that of the first whom it suits.
pub(super) fn suited(lacking: &VecDeque<Waits>, image: Option<ImageId>) -> Option<usize> {
    lacking
        .iter()
        .position(|one| one.need.as_ref().is_none_or(|images| image.is_some_and(|image| images.contains(&image))))
}

#[cfg(test)]
#[path = "needs_tests.rs"]
mod tests;
