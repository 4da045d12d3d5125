//! Packages of apps: each file of one lies once on a storage node, by what it holds, and copies name those that they need.
//!
//! A file that was found damaged is saved anew, into another folder, by the next copy of any phone that has it: then all
//! copies that need it are whole again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::package_blob::{ActiveModel, Column, Entity, Model};
use entity::{BackupId, PackageBlobId, StoreNodeId, backup, backup_package, store_node};
use kernel::time::UtcTime;
use sea_orm::sea_query::{OnConflict, SelectStatement};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, JoinType, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _,
};
use wire::copy::{ApkFile, Manifest, PackageAt, PackageData, SavedPackage};
use wire::store::{PACKAGES, partition_folder};

use super::place::{Door, Locked, draw};
use super::sealed;

/// Rows in one statement.
const ROWS: usize = 500;

/// Whether a text is a SHA-256, or an id of a repository, in hex.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The files of packages that a copy with this manifest needs, by their SHA-256.
pub(super) fn needed(manifest: &Manifest) -> BTreeMap<&str, (&PackageData, &ApkFile)> {
    let own = manifest.packages.iter().filter(|package| package.is_own);
    own.flat_map(|package| package.apks.iter().map(move |apk| (apk.sha256.as_str(), (package, apk)))).collect()
}

/// Reads the manifest of a copy; an empty one if there is none.
fn manifest_of(copy: &backup::Model) -> Manifest {
    serde_json::from_str(&copy.manifest).unwrap_or_default()
}

/// The files with these hashes on a node.
pub(super) async fn with_hashes(
    db: &impl ConnectionTrait,
    node: StoreNodeId,
    hashes: impl Iterator<Item = &str>,
) -> Outcome<Vec<Model>> {
    let hashes: Vec<&str> = hashes.collect();
    let mut found = Vec::with_capacity(hashes.len());
    for some in hashes.chunks(ROWS) {
        let select = Entity::find().filter(Column::NodeId.eq(node)).filter(Column::Sha256.is_in(some.iter().copied()));
        found.extend(select.order_by_asc(Column::Id).all(db).await?);
    }
    Ok(found)
}

/// The files of packages that a copy needs, as its manifest says.
///
/// # Errors
/// When a read fails.
pub async fn of_manifest(db: &impl ConnectionTrait, copy: &backup::Model, node: StoreNodeId) -> Outcome<Vec<Model>> {
    let manifest = manifest_of(copy);
    with_hashes(db, node, needed(&manifest).into_keys()).await
}

/// The files of packages that a copy needs, once it was made.
///
/// # Errors
/// When the read fails.
pub async fn of_copy(db: &impl ConnectionTrait, copy: BackupId) -> Outcome<Vec<Model>> {
    let needs = backup_package::Entity::find().select_only().column(backup_package::Column::BlobId);
    let needs = needs.filter(backup_package::Column::BackupId.eq(copy)).into_query();
    Ok(Entity::find().filter(Column::Id.in_subquery(needs)).order_by_asc(Column::Id).all(db).await?)
}

/// Where files of packages lie, or are to lie, with what opens them there.
///
/// # Errors
/// When a read fails, or a key cannot be opened.
pub async fn places(
    app: &App,
    db: &impl ConnectionTrait,
    node: StoreNodeId,
    files: Vec<Model>,
) -> Outcome<Vec<PackageAt>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let key = Door::Key.read(app, db, Locked::Packages(node)).await?;
    let recovery = Door::Recovery.read(app, db, Locked::Packages(node)).await?;
    let place = |file: Model| PackageAt {
        snapshot: if file.is_whole() { file.snapshot } else { String::new() },
        sealed: sealed::seal(&app.vault, &file.package, &file.folder, &recovery),
        name: format!("{}/{}", file.package, file.file),
        size: u64::try_from(file.size).unwrap_or(0),
        sha256: file.sha256,
        folder: file.folder,
        key: key.clone(),
        recovery: recovery.clone(),
    };
    Ok(files.into_iter().map(place).collect())
}

/// A folder for a file: what is left there of an earlier one is in nobody's way.
fn folder(node: &store_node::Model, sha256: &str) -> String {
    let partition = rand::random_range(0..u16::try_from(node.made).unwrap_or(1).max(1));
    let (partition, group) = (partition_folder(partition), sha256.get(..2).unwrap_or_default());
    format!("{partition}/{PACKAGES}/{group}/{sha256}-{:08x}", rand::random::<u32>())
}

/// Writes down the files of packages that a phone has: those that its node lacks are to be saved.
///
/// # Errors
/// When the database refuses.
pub async fn found(
    app: &App,
    tx: &WriteTx,
    node: &store_node::Model,
    manifest: &Manifest,
    now: UtcTime,
) -> Outcome<()> {
    let needed = needed(manifest);
    if needed.is_empty() {
        return Ok(());
    }
    draw(app, tx, Locked::Packages(node.id), now).await?;
    let known = with_hashes(&**tx, node.id, needed.keys().copied()).await?;
    for file in known.iter().filter(|file| file.damaged_at.is_some() && !file.snapshot.is_empty()) {
        let (folder, snapshot) = (Set(folder(node, &file.sha256)), Set(String::new()));
        let change = ActiveModel { id: Set(file.id), folder, snapshot, saved_at: Set(None), ..Default::default() };
        Entity::update(change).exec(&**tx).await?;
    }
    let known: BTreeSet<&str> = known.iter().map(|file| file.sha256.as_str()).collect();
    let row = |(package, apk): &(&PackageData, &ApkFile)| ActiveModel {
        node_id: Set(node.id),
        sha256: Set(apk.sha256.clone()),
        size: Set(i64::try_from(apk.size).unwrap_or(i64::MAX)),
        package: Set(package.name.clone()),
        file: Set(apk.name.clone()),
        version_code: Set(package.version_code),
        folder: Set(folder(node, &apk.sha256)),
        snapshot: Set(String::new()),
        added_bytes: Set(0),
        created_at: Set(now),
        saved_at: Set(None),
        damaged_at: Set(None),
        ..Default::default()
    };
    let new: Vec<ActiveModel> =
        needed.iter().filter(|(hash, _)| !known.contains(*hash)).map(|(_, found)| row(found)).collect();
    for some in new.chunks(ROWS / 10) {
        Entity::insert_many(some.iter().cloned()).exec_without_returning(&**tx).await?;
    }
    Ok(())
}

/// Writes down files of packages that an agent has saved and read back for a copy.
///
/// # Errors
/// When the database refuses.
pub async fn saved(
    tx: &WriteTx,
    copy: &backup::Model,
    node: StoreNodeId,
    told: &[SavedPackage],
    now: UtcTime,
) -> Outcome<()> {
    let told: HashMap<&str, &SavedPackage> = told.iter().map(|one| (one.sha256.as_str(), one)).collect();
    for file in of_manifest(&**tx, copy, node).await? {
        // Into another folder it was saved for somebody else, or before it was found damaged.
        let one = told.get(&*file.sha256).filter(|one| one.folder == file.folder && is_hash(&one.snapshot));
        let Some(one) = one.filter(|_| !file.is_whole()) else { continue };
        let change = ActiveModel {
            id: Set(file.id),
            snapshot: Set(one.snapshot.clone()),
            added_bytes: Set(i64::try_from(one.added).unwrap_or(i64::MAX)),
            saved_at: Set(Some(now)),
            damaged_at: Set(None),
            ..Default::default()
        };
        Entity::update(change).exec(&**tx).await?;
    }
    Ok(())
}

/// Files of packages that could not be saved where they were to lie, since something else is there: they go elsewhere the
/// next time.
///
/// # Errors
/// When the database refuses.
pub async fn elsewhere(tx: &WriteTx, copy: &backup::Model, node: &store_node::Model, told: &[String]) -> Outcome<()> {
    if told.is_empty() {
        return Ok(());
    }
    for file in of_manifest(&**tx, copy, node.id).await? {
        if file.snapshot.is_empty() && told.contains(&file.sha256) {
            let change =
                ActiveModel { id: Set(file.id), folder: Set(folder(node, &file.sha256)), ..Default::default() };
            Entity::update(change).exec(&**tx).await?;
        }
    }
    Ok(())
}

/// Files of packages that were saved and do not lie in these folders any more: they are saved anew, elsewhere. Returns the copies
/// that need them.
///
/// # Errors
/// When the database refuses.
pub async fn gone(
    tx: &WriteTx,
    copy: &backup::Model,
    node: &store_node::Model,
    told: &[String],
    now: UtcTime,
) -> Outcome<Vec<BackupId>> {
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let mut gone = Vec::new();
    // In another folder it was saved anew meanwhile.
    let is_it = |file: &Model| !file.snapshot.is_empty() && told.contains(&file.folder);
    for file in of_manifest(&**tx, copy, node.id).await?.into_iter().filter(is_it) {
        let (folder, snapshot) = (Set(folder(node, &file.sha256)), Set(String::new()));
        let damaged_at = Set(Some(file.damaged_at.unwrap_or(now)));
        let change =
            ActiveModel { id: Set(file.id), folder, snapshot, saved_at: Set(None), damaged_at, ..Default::default() };
        Entity::update(change).exec(&**tx).await?;
        gone.push(file.id);
    }
    that_need(tx, gone).await
}

/// The copies that need some files.
async fn that_need(tx: &WriteTx, files: Vec<PackageBlobId>) -> Outcome<Vec<BackupId>> {
    let select = backup_package::Entity::find().select_only().column(backup_package::Column::BackupId).distinct();
    let select = select.filter(backup_package::Column::BlobId.is_in(files));
    Ok(select.order_by_asc(backup_package::Column::BackupId).into_tuple().all(&**tx).await?)
}

/// Writes down files of packages that were read back for a copy and are not what was written. Returns the copies that need
/// them.
///
/// # Errors
/// When the database refuses.
pub async fn damaged(tx: &WriteTx, copy: BackupId, told: &[String], now: UtcTime) -> Outcome<Vec<BackupId>> {
    let files = of_copy(&**tx, copy).await?;
    let files = files.into_iter().filter(|file| file.is_whole() && told.contains(&file.sha256));
    let files: Vec<PackageBlobId> = files.map(|file| file.id).collect();
    for file in &files {
        let change = ActiveModel { id: Set(*file), damaged_at: Set(Some(now)), ..Default::default() };
        Entity::update(change).exec(&**tx).await?;
    }
    that_need(tx, files).await
}

/// Whether every file of a package that a copy needs lies on its node.
///
/// # Errors
/// When a read fails.
pub async fn are_whole(db: &impl ConnectionTrait, copy: &backup::Model, node: StoreNodeId) -> Outcome<bool> {
    let manifest = manifest_of(copy);
    let needed = needed(&manifest);
    let whole = with_hashes(db, node, needed.keys().copied()).await?;
    Ok(whole.iter().filter(|file| file.is_whole()).count() == needed.len())
}

/// Writes down what a copy that was made needs.
///
/// # Errors
/// When the write fails.
pub async fn need(tx: &WriteTx, copy: &backup::Model, node: StoreNodeId) -> Outcome<()> {
    let row = |file: Model| backup_package::ActiveModel { backup_id: Set(copy.id), blob_id: Set(file.id) };
    let rows: Vec<_> = of_manifest(&**tx, copy, node).await?.into_iter().map(row).collect();
    for some in rows.chunks(ROWS) {
        let key = [backup_package::Column::BackupId, backup_package::Column::BlobId];
        backup_package::Entity::insert_many(some.iter().cloned())
            .on_conflict(OnConflict::columns(key).do_nothing().to_owned())
            .exec_without_returning(&**tx)
            .await?;
    }
    Ok(())
}

/// The copies that need a file of a package which is damaged.
#[must_use]
pub fn copies_with_damage() -> SelectStatement {
    let damaged = Entity::find().select_only().column(Column::Id).filter(Column::DamagedAt.is_not_null()).into_query();
    let needs = backup_package::Entity::find().select_only().column(backup_package::Column::BackupId);
    needs.filter(backup_package::Column::BlobId.in_subquery(damaged)).into_query()
}

/// The damaged packages that some copies need, by the copy.
///
/// # Errors
/// When a read fails.
pub async fn damages(db: &impl ConnectionTrait, copies: Vec<BackupId>) -> Outcome<HashMap<BackupId, BTreeSet<String>>> {
    if copies.is_empty() {
        return Ok(HashMap::new());
    }
    let of = backup_package::Entity::belongs_to(Entity).from(backup_package::Column::BlobId).to(Column::Id).into();
    let needs: Vec<(BackupId, String)> = backup_package::Entity::find()
        .select_only()
        .column(backup_package::Column::BackupId)
        .column(Column::Package)
        .join(JoinType::InnerJoin, of)
        .filter(backup_package::Column::BackupId.is_in(copies))
        .filter(Column::DamagedAt.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    let mut damages: HashMap<BackupId, BTreeSet<String>> = HashMap::new();
    for (copy, package) in needs {
        damages.entry(copy).or_default().insert(package);
    }
    Ok(damages)
}
