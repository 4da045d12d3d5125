//! The books of a storage node, made anew from what lies there: for a database that was restored to an earlier hour, or is a new one
//! whose phones are there again. What the books have stays as it is.
//!
//! Rows that were made so are marked: nobody knows any more from which card such a copy was taken, nor whether it is what its phone
//! had, or what was salvaged of it. Its phone lives by it once a person has had it read back.

use std::collections::BTreeMap;

use base::fault::Outcome;
use db::WriteTx;
use entity::backup::{self, BackupKind, BackupState};
use entity::phone::{self, Life};
use entity::store_node::{self, BackupStrategy, StoreDriver, StoreState};
use entity::{CardId, card, package_blob, placement, repo};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, ExprTrait as _, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _,
};
use vault::Vault;
use wire::copy::Manifest;

use super::counts::moved;
use super::keys::tidied;
use super::packages;
use super::place::{Locked, remember};

/// A storage node, as its markers and its disk say.
#[derive(Clone, Debug)]
pub struct NodeThere {
    /// What its markers say.
    pub mark: String,
    /// Its name when it was made.
    pub name: String,
    /// Its folder, as it was named.
    pub place: String,
    /// How many partitions have their markers.
    pub partitions: i16,
    /// Bytes that fit on its disk.
    pub capacity: i64,
}

/// A repository that lies there.
#[derive(Clone)]
pub struct RepoThere {
    /// Its folder on the node.
    pub folder: String,
    /// Its key, in hex.
    pub key: String,
    /// The code with which people open it.
    pub recovery: String,
    /// The copies in it, oldest first.
    pub copies: Vec<CopyThere>,
}

/// A copy that lies there, as it says itself.
#[derive(Clone, Debug, Default)]
pub struct CopyThere {
    /// Its id in the repository.
    pub snapshot: String,
    /// The id of its root.
    pub tree: String,
    /// Seconds since 1970.
    pub at: i64,
    /// What it holds, as JSON.
    pub manifest: String,
    /// Files and links in it.
    pub files: i64,
    /// Bytes of its files.
    pub bytes: i64,
    /// Bytes that the store had grown by.
    pub added: i64,
}

/// What was done, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// The node was not in the books.
    pub is_new_node: bool,
    /// Repositories, copies and files of packages that were not in the books.
    pub repos: u64,
    /// See `repos`.
    pub copies: u64,
    /// See `repos`.
    pub packages: u64,
    /// Copies that the books have.
    pub known: u64,
    /// Snapshots that say nothing of a phone: somebody else has made them.
    pub foreign: u64,
    /// What could not be taken into the books, and why: for people, in English.
    pub left_out: Vec<String>,
}

/// Finds the repository of a package's file by its SHA-256.
pub type FindPackage<'a> = dyn FnMut(&str) -> Option<RepoThere> + Send + 'a;

/// Makes the books of a node anew, in one transaction.
pub struct Rebuild<'a> {
    tx: &'a mut WriteTx,
    vault: &'a Vault,
    node: store_node::Model,
    now: UtcTime,
    /// What was done.
    pub told: Rebuilt,
}

impl<'a> Rebuild<'a> {
    /// Of this node, which is written down if it is in no book. Agents that reach it are for a person to name.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn begin(tx: &'a mut WriteTx, vault: &'a Vault, there: &NodeThere, now: UtcTime) -> Outcome<Self> {
        use store_node::{Column, Entity};
        let mut told = Rebuilt::default();
        let known = Entity::find().filter(Column::Mark.eq(there.mark.as_str())).one(&**tx).await?;
        let node = if let Some(known) = known {
            known
        } else {
            told.is_new_node = true;
            let is_taken = Entity::find().filter(Column::Name.eq(there.name.as_str())).count(&**tx).await? > 0;
            let marked: String = there.name.chars().take(39).chain(there.mark.chars().take(8)).collect();
            let row = store_node::ActiveModel {
                name: Set(if is_taken { marked } else { there.name.clone() }),
                city: Set("-".to_owned()),
                driver: Set(StoreDriver::Folder),
                host: Set(String::new()),
                account: Set(String::new()),
                secret: Set(String::new()),
                place: Set(there.place.clone()),
                is_tls: Set(false),
                pin: Set(String::new()),
                capacity_bytes: Set(Ord::max(there.capacity, 1 << 30)),
                used_bytes: Set(0),
                partitions: Set(there.partitions),
                made: Set(there.partitions),
                mark: Set(there.mark.clone()),
                has_snapshots: Set(false),
                strategy: Set(BackupStrategy::Daily),
                cycle_days: Set(1),
                state: Set(StoreState::Unreachable),
                trouble: Set(String::new()),
                created_at: Set(now),
                updated_at: Set(now),
                version: Set(1),
                ..Default::default()
            };
            Entity::insert(row).exec_with_returning(&**tx).await?
        };
        Ok(Self { tx, vault, node, now, told })
    }

    /// The node, as the books have it now.
    #[must_use]
    pub const fn node(&self) -> &store_node::Model {
        &self.node
    }

    /// Takes the repositories of a phone into the books, with the copies in them and the files of packages that these need.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn phone(&mut self, code: &str, there: Vec<RepoThere>, package: &mut FindPackage<'_>) -> Outcome<()> {
        let phone = phone::Entity::find().filter(phone::Column::Code.eq(code)).one(&**self.tx).await?;
        let Some(phone) = phone.filter(|phone| phone.life != Life::Erased) else {
            self.told.left_out.push(format!("{code}: there is no such phone, or it is erased"));
            return Ok(());
        };
        let Some(card) = self.card_of(&phone).await? else {
            self.told.left_out.push(format!("{code}: register the cards of its room first"));
            return Ok(());
        };
        let newest = |repo: &RepoThere| repo.copies.last().map(|copy| copy.at);
        // An empty one is of no use to anybody.
        let mut there: Vec<RepoThere> = there.into_iter().filter(|repo| newest(repo).is_some()).collect();
        // One of them goes on: the newest.
        there.sort_by_key(|repo| std::cmp::Reverse(newest(repo)));
        let mut copies: BTreeMap<(i64, String), (repo::Model, CopyThere)> = BTreeMap::new();
        for repo in there {
            let Some(row) = self.repo(&phone, &repo).await? else { continue };
            copies.extend(repo.copies.into_iter().map(|copy| ((copy.at, copy.snapshot.clone()), (row.clone(), copy))));
        }
        for (row, copy) in copies.into_values() {
            self.copy((&phone, card), &row, copy, package).await?;
        }
        Ok(())
    }

    /// Some card: that on which the phone was last, as far as the books know, or one of its room. Which one it was is said of no copy
    /// that was made anew.
    async fn card_of(&self, phone: &phone::Model) -> Outcome<Option<CardId>> {
        let stays = placement::Entity::find().filter(placement::Column::PhoneId.eq(phone.id));
        if let Some(stay) = stays.order_by_desc(placement::Column::Id).one(&**self.tx).await? {
            return Ok(Some(stay.card_id));
        }
        let of_room = card::Entity::find().filter(card::Column::RoomId.eq(phone.room_id));
        let found = of_room.order_by_asc(card::Column::Id).one(&**self.tx).await?;
        Ok(found.map(|card| card.id))
    }

    /// The repository, as the books have it now; none if it is another phone's there, is being removed, or opens with another key.
    async fn repo(&mut self, phone: &phone::Model, there: &RepoThere) -> Outcome<Option<repo::Model>> {
        use repo::{ActiveModel, Column, Entity};
        let node = self.node.id;
        let of_node = || Entity::find().filter(Column::NodeId.eq(node));
        let known = of_node().filter(Column::Folder.eq(there.folder.as_str())).one(&**self.tx).await?;
        let row = if let Some(known) = known {
            if known.phone_id != phone.id || known.erase_at.is_some() {
                let why = format!("{}: the books have it as another phone's, or as one that is removed", there.folder);
                self.told.left_out.push(why);
                return Ok(None);
            }
            known
        } else if self.is_anothers(phone, there).await? {
            let why =
                format!("{}: {} was made later, and these copies are of one that is gone", there.folder, phone.code);
            self.told.left_out.push(why);
            return Ok(None);
        } else {
            let own = of_node().filter(Column::PhoneId.eq(phone.id)).filter(Column::DamagedAt.is_null());
            // A phone has one repository on a node that goes on: it had a second one because something in the first was damaged.
            let current = own.one(&**self.tx).await?;
            let made = UtcTime(there.copies.first().map_or(self.now.millis(), |copy| copy.at.saturating_mul(1_000)));
            let row = ActiveModel {
                phone_id: Set(phone.id),
                node_id: Set(node),
                folder: Set(there.folder.clone()),
                made_at: Set(Some(made)),
                created_at: Set(made),
                damaged_at: Set(current.map(|current| current.created_at)),
                ..Default::default()
            };
            self.told.repos += 1;
            Entity::insert(row).exec_with_returning(&**self.tx).await?
        };
        let keys = (there.key.as_str(), there.recovery.as_str());
        if remember(self.vault, self.tx, Locked::Repo(row.id), keys, self.now).await? {
            return Ok(Some(row));
        }
        self.told.left_out.push(format!("{}: the books have another key for it", there.folder));
        Ok(None)
    }

    /// Whether a repository that the books do not know is another phone's, which had the same number: this one was made after all of
    /// its copies, and the books know of that time. In new books all phones were made later.
    async fn is_anothers(&self, phone: &phone::Model, there: &RepoThere) -> Outcome<bool> {
        let Some(newest) = there.copies.last() else { return Ok(false) };
        let newest = UtcTime(newest.at.saturating_mul(1_000).saturating_add(999));
        if phone.created_at <= newest {
            return Ok(false);
        }
        let known = backup::Entity::find().filter(backup::Column::IsRebuilt.eq(false));
        Ok(known.filter(backup::Column::BeganAt.lte(newest)).limit(1).count(&**self.tx).await? > 0)
    }

    async fn copy(
        &mut self,
        (phone, card): (&phone::Model, CardId),
        repo: &repo::Model,
        there: CopyThere,
        package: &mut FindPackage<'_>,
    ) -> Outcome<()> {
        use backup::{ActiveModel, Column, Entity};
        let began = there.at.saturating_mul(1_000);
        let known = Entity::find().filter(Column::RepoId.eq(repo.id)).filter(
            Column::Snapshot
                .eq(there.snapshot.as_str())
                // A try whose result nobody was told, or whose copy does not count: of one moment there is one copy.
                .or(Column::BeganAt.between(UtcTime(began), UtcTime(began.saturating_add(999)))),
        );
        if let Some(known) = known.order_by_asc(Column::Id).one(&**self.tx).await? {
            // It was found here before, and could not be read back then.
            if known.is_rebuilt && known.state == BackupState::Failed && known.snapshot == there.snapshot {
                let again = ActiveModel {
                    id: Set(known.id),
                    state: Set(BackupState::Uploaded),
                    code: Set(String::new()),
                    damage: Set(String::new()),
                    ..Default::default()
                };
                let row = Entity::update(again).exec(&**self.tx).await?;
                moved(self.tx.counts(), Some(&known), &row);
                self.told.copies += 1;
            } else {
                self.told.known += 1;
            }
            return Ok(());
        }
        let manifest = serde_json::from_str::<Manifest>(&there.manifest).ok().map(tidied);
        let is_its = |manifest: &Manifest| manifest.phone == phone.code && packages::is_hash(&there.snapshot);
        let Some(manifest) = manifest.filter(is_its) else {
            self.told.foreign += 1;
            return Ok(());
        };
        self.packages(&manifest, package).await?;
        let row = ActiveModel {
            phone_id: Set(phone.id),
            repo_id: Set(repo.id),
            node_id: Set(repo.node_id),
            snapshot: Set(there.snapshot),
            kind: Set(BackupKind::Full),
            parent_id: Set(None),
            card_id: Set(card),
            image: Set(String::new()),
            board: Set(manifest.board.chars().take(32).collect()),
            state: Set(BackupState::Uploaded),
            damage: Set(String::new()),
            is_live: Set(manifest.is_live),
            is_rebuilt: Set(true),
            files: Set(there.files),
            bytes: Set(there.bytes),
            added_bytes: Set(there.added),
            manifest: Set(serde_json::to_string(&manifest).unwrap_or_default()),
            tree: Set(there.tree),
            packs: Set(String::new()),
            read_files: Set(0),
            code: Set(String::new()),
            restores: Set(0),
            millis: Set(0),
            began_at: Set(UtcTime(began)),
            verified_at: Set(None),
            ..Default::default()
        };
        let row = Entity::insert(row).exec_with_returning(&**self.tx).await?;
        moved(self.tx.counts(), None, &row);
        packages::need(self.tx, &row, repo.node_id).await?;
        self.told.copies += 1;
        Ok(())
    }

    /// Takes the files of packages into the books that a copy needs, and that the books do not know.
    async fn packages(&mut self, manifest: &Manifest, find: &mut FindPackage<'_>) -> Outcome<()> {
        let needed = packages::needed(manifest);
        let known = packages::with_hashes(&**self.tx, self.node.id, needed.keys().copied()).await?;
        for (hash, (package, apk)) in needed {
            if known.iter().any(|file| file.sha256 == hash) {
                continue;
            }
            let found = find(hash).and_then(|repo| Some((repo.copies.last()?.clone(), repo)));
            let Some((copy, repo)) = found else {
                self.told.left_out.push(format!("{}/{} ({hash}): it does not lie there", package.name, apk.name));
                continue;
            };
            let keys = (repo.key.as_str(), repo.recovery.as_str());
            if !remember(self.vault, self.tx, Locked::Packages(self.node.id), keys, self.now).await? {
                self.told.left_out.push(format!("{}: the books have another key for packages", repo.folder));
                continue;
            }
            let row = package_blob::ActiveModel {
                node_id: Set(self.node.id),
                sha256: Set(hash.to_owned()),
                size: Set(i64::try_from(apk.size).unwrap_or(i64::MAX)),
                package: Set(package.name.clone()),
                file: Set(apk.name.clone()),
                version_code: Set(package.version_code),
                folder: Set(repo.folder),
                snapshot: Set(copy.snapshot),
                added_bytes: Set(copy.added),
                created_at: Set(self.now),
                saved_at: Set(Some(self.now)),
                damaged_at: Set(None),
                ..Default::default()
            };
            package_blob::Entity::insert(row).exec_without_returning(&**self.tx).await?;
            self.told.packages += 1;
        }
        Ok(())
    }
}
