//! The books of a storage node, made anew from what lies there, with the master key alone: `skyrack rebuild-catalogue`.
//!
//! A phone's repository says whose it is and, sealed, what opens it (`skyrack-key`); each copy in it says what it holds. Nothing at the
//! node is changed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use base::config::Config;
use base::fault::Fault;
use db::Db;
use db::journal::Entry;
use kernel::clock::Clock;
use phones::rebuild::{CopyThere, NodeThere, Rebuild, Rebuilt, RepoThere};
use phones::sealed;
use snapshot::{Found, RecoveryCode, Repo, Run};
use store::{Folder, Kind, Store, Within};
use vault::{MasterKeys, Vault};
use wire::copy::SEALED_KEY;
use wire::store::{MARKER, Marker, PACKAGES, partition_folder};

use crate::admin::about;

/// How long what lies there is added up at most, for the capacity of a node that is in no book.
const ADDING: Duration = Duration::from_secs(30);

/// Makes the books of the node in `folder` anew; with `is_meant` false nothing is written, and what would be is told.
///
/// # Errors
/// When the folder is no storage node, the master key cannot be read, or the database refuses; then nothing is written.
pub async fn rebuild(
    db: &Db,
    config: &Config,
    clock: &Clock,
    folder: &Path,
    is_meant: bool,
) -> anyhow::Result<Rebuilt> {
    let source = config.master_key();
    // A new key opens nothing; it would only be taken for the lost one.
    if let Some(path) = MasterKeys::would_make(&source) {
        anyhow::bail!("there is no master key at {}: name its folder with --data-dir", path.display());
    }
    let vault = Vault::open(&source)?;
    let place = Place::open(folder)?;
    let node = place.node(folder)?;
    let (repos, mut left_out) = place.repos(&vault)?;
    let packages = place.packages()?;
    let mut find = |hash: &str| {
        let of_hash = packages.get(hash)?.iter().rev();
        of_hash.filter_map(|folder| place.read_sealed(&vault, folder).ok()).find(|repo| !repo.copies.is_empty())
    };
    let mut tx = db.begin_write().await?;
    let fault = |fault: Fault| anyhow::anyhow!("{fault:?}");
    let mut books = Rebuild::begin(&mut tx, &vault, &node, clock.now()).await.map_err(fault)?;
    for (phone, folders) in repos {
        let mut there = Vec::with_capacity(folders.len());
        for folder in folders {
            match place.read_sealed(&vault, &folder) {
                Ok(repo) => there.push(repo),
                Err(why) => left_out.push(format!("{folder}: {why:#}")),
            }
        }
        books.phone(&phone, there, &mut find).await.map_err(fault)?;
    }
    let (id, name) = (books.node().id.0, books.node().name.clone());
    let mut told = books.told;
    told.left_out.append(&mut left_out);
    if is_meant {
        let Rebuilt { repos, copies, packages, left_out, .. } = &told;
        let message =
            format!("repositories: {repos}; copies: {copies}; packages: {packages}; left out: {}", left_out.len());
        tx.record(Entry { object_name: name, message, ..about("catalogue_rebuild", "storeNode", id, clock) });
        tx.commit().await?;
    }
    Ok(told)
}

/// Folders at a node, by what they are of.
type Folders = BTreeMap<String, Vec<String>>;

/// The folder of a storage node.
struct Place {
    store: Arc<dyn Store>,
    marker: Marker,
    /// Those that are there.
    partitions: Vec<u16>,
}

impl Place {
    /// Sees by the markers that it is one, and that the disks of its partitions are mounted.
    fn open(folder: &Path) -> anyhow::Result<Self> {
        let store: Arc<dyn Store> = Arc::new(Folder::open(folder)?);
        let marker = |path: &str| -> anyhow::Result<Marker> {
            let bytes = store.read(path).with_context(|| format!("{path} in {}", folder.display()))?;
            serde_json::from_slice(&bytes).with_context(|| format!("{path} is no marker of a storage node"))
        };
        let own = marker(MARKER)?;
        anyhow::ensure!(own.partition.is_none(), "{} is a partition: name the node's folder", folder.display());
        let mut partitions = Vec::new();
        for name in store.things_in("", usize::MAX)? {
            let number = name.strip_prefix('p').and_then(|number| number.parse::<u16>().ok());
            let Some(partition) = number.filter(|number| partition_folder(*number) == name) else { continue };
            let found = marker(&format!("{name}/{MARKER}")).context("is its disk mounted?")?;
            let is_its = found.mark == own.mark && found.partition == Some(partition);
            anyhow::ensure!(is_its, "{name} is a partition of another node: is the right disk mounted?");
            partitions.push(partition);
        }
        anyhow::ensure!(!partitions.is_empty(), "{} has no partitions", folder.display());
        partitions.sort_unstable();
        Ok(Self { store, marker: own, partitions })
    }

    fn node(&self, folder: &Path) -> anyhow::Result<NodeThere> {
        let fits = self.store.free()?.unwrap_or(0) + self.store.used_in("", ADDING)?.unwrap_or(0);
        // Its numbers begin with none, and partitions that are not there are none of it.
        let partitions = self.partitions.last().map_or(0, |last| i16::try_from(*last).unwrap_or(0) + 1);
        Ok(NodeThere {
            mark: self.marker.mark.clone(),
            name: self.marker.name.clone(),
            place: folder.canonicalize()?.display().to_string(),
            partitions,
            capacity: i64::try_from(fits).unwrap_or(i64::MAX),
        })
    }

    /// The folders of repositories, by the phone; and those that do not open.
    fn repos(&self, vault: &Vault) -> anyhow::Result<(Folders, Vec<String>)> {
        let (mut repos, mut left_out) = (Folders::new(), Vec::new());
        for partition in &self.partitions {
            let partition = partition_folder(*partition);
            let mut names = self.store.things_in(&partition, usize::MAX)?;
            names.sort_unstable();
            for name in names.iter().filter(|name| *name != MARKER && *name != PACKAGES) {
                let folder = format!("{partition}/{name}");
                match self.sealed(vault, &folder) {
                    Ok(Some(found)) => repos.entry(found.phone).or_default().push(folder),
                    // It is none, or its making was broken off.
                    Ok(None) => {}
                    Err(why) => left_out.push(format!("{folder}: {why:#}")),
                }
            }
        }
        Ok((repos, left_out))
    }

    /// The folders of packages' files, by their SHA-256.
    fn packages(&self) -> anyhow::Result<Folders> {
        let mut found = Folders::new();
        for partition in &self.partitions {
            let packages = format!("{}/{PACKAGES}", partition_folder(*partition));
            for group in self.store.things_in(&packages, usize::MAX)? {
                let group = format!("{packages}/{group}");
                for name in self.store.things_in(&group, usize::MAX)? {
                    if let Some((hash, _)) = name.split_once('-') {
                        found.entry(hash.to_owned()).or_default().push(format!("{group}/{name}"));
                    }
                }
            }
        }
        Ok(found)
    }

    /// What lies beside a repository, opened; none if there is no such file.
    fn sealed(&self, vault: &Vault, folder: &str) -> anyhow::Result<Option<sealed::Recovered>> {
        let bytes = match self.store.read(&format!("{folder}/{SEALED_KEY}")) {
            Err(missing) if missing.kind == Kind::Missing => return Ok(None),
            read => read?,
        };
        let found = sealed::open(vault, std::str::from_utf8(&bytes)?)?;
        anyhow::ensure!(found.folder == folder, "it was made as {}", found.folder);
        Ok(Some(found))
    }

    /// A repository with the copies in it.
    fn read_sealed(&self, vault: &Vault, folder: &str) -> anyhow::Result<RepoThere> {
        let found = self.sealed(vault, folder)?.context("there is no skyrack-key")?;
        let recovery = found.code.expose_text().context("its code is none")?.to_owned();
        let code = RecoveryCode::from_text(recovery.clone());
        let store: Arc<dyn Store> = Arc::new(Within::new(Arc::clone(&self.store), folder));
        let mut key = None;
        for file in store.list("keys", false)? {
            key = key.or(code.open(&store.read(&format!("keys/{}", file.name))?));
        }
        let key = key.context("none of its key files opens")?;
        let copy = |found: Found| CopyThere {
            snapshot: found.snapshot,
            tree: found.tree,
            at: found.at,
            manifest: found.manifest,
            files: i64::try_from(found.files).unwrap_or(i64::MAX),
            bytes: i64::try_from(found.bytes).unwrap_or(i64::MAX),
            added: i64::try_from(found.added).unwrap_or(i64::MAX),
        };
        let text = key.to_text().to_string();
        let copies = Repo::new(store, key, None).found(&Run::default())?.into_iter().map(copy).collect();
        Ok(RepoThere { folder: folder.to_owned(), key: text, recovery, copies })
    }
}
