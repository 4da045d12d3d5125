//! A copy, as lists and details show it.

use std::collections::{BTreeSet, HashMap};

use base::app::App;
use base::fault::Outcome;
use base::reference::Reference;
use entity::backup::{BackupKind, BackupState, Model};
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, StoreNodeId, repo, store_node};
use fleet::reasons;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use serde::Serialize;
use tokio::try_join;
use utoipa::ToSchema;
use wire::copy::Manifest;

use super::packages;
use crate::phone::coverage::{DroppedData, left_out};
use crate::phone::named::{NamedPhone, named};
use crate::saga::Progress;

const PACKAGES: Text = text("应用安装包已损坏：{names}", "Damaged packages of apps: {names}");
/// Packages that are named in one line.
const NAMED: usize = 5;

/// A copy of a phone, as lists and details show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupView {
    pub id: BackupId,
    pub phone: Reference,
    pub user: Reference,
    /// From where it was taken, by its intranet address; none where that is not known.
    pub card: Option<Reference>,
    pub node: Reference,
    pub image: String,
    pub board: String,
    pub kind: BackupKind,
    pub state: BackupState,
    /// How far it is, in hundredths, while it is being made or read back; none if nobody says.
    pub percent: Option<i64>,
    /// It is being read back.
    pub is_verifying: bool,
    /// Why it failed, or could not be read back, as a code; empty if it did not.
    pub code: String,
    /// The same in the caller's language.
    pub reason: String,
    /// What is wrong with it, if a later reading found it damaged.
    pub damage: String,
    /// It is the one that the phone lives by, and cannot be deleted.
    pub is_kept: bool,
    /// Taken from a running phone.
    pub is_live: bool,
    /// An app that is still there, or the whole phone, has less than half of what it had in the copy before.
    pub is_shrunk: bool,
    /// What the phone had left on a card in quarantine: it does not live by it.
    pub is_salvaged: bool,
    /// It was found at its node when the books were made anew: its phone lives by it once a person has had it read back.
    pub is_rebuilt: bool,
    /// Nothing removes it before then: the next one has far less, the phone was set back from it, or it was salvaged.
    pub safe_until: Option<UtcTime>,
    /// When the phone was set back to an older one: it lives by this one again only if somebody chooses it.
    pub left_at: Option<UtcTime>,
    pub files: i64,
    /// Files whose content was read; the others had not changed.
    pub read_files: i64,
    /// What it restores to.
    pub bytes: i64,
    /// What the store has grown by.
    pub added_bytes: i64,
    pub restores: i32,
    /// How long it took, until it was uploaded.
    pub millis: i64,
    pub began_at: UtcTime,
    pub verified_at: Option<UtcTime>,
}

/// What else is known of a copy.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupDetail {
    #[serde(flatten)]
    pub copy: BackupView,
    /// Its id in the repository, as `restic snapshots` shows it; empty until it is uploaded.
    pub snapshot: String,
    /// The hash of its contents: copies with the same one hold the same.
    pub hash: String,
    /// The folder of the node, as its agents see it.
    pub place: String,
    /// The folder of the repository there, in one of its partitions.
    pub folder: String,
    /// The copy that it was compared with.
    pub parent: Option<Reference>,
    /// What it holds; none until that is known.
    pub manifest: Option<BackupManifest>,
}

/// A number of files, and their bytes.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestAmount {
    pub files: i64,
    pub bytes: i64,
}

/// A package in a copy.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestPackage {
    pub name: String,
    /// 0 if it is not known.
    pub version_code: i64,
    /// What people call that version; empty if it is not known.
    pub version_name: String,
    /// It is not the image's.
    pub is_own: bool,
    /// Its data, private and external.
    pub amount: ManifestAmount,
    /// Its own files, base and splits: they lie once on the node for all phones.
    pub apks: ManifestAmount,
    /// How many permissions its owner had granted it while it ran.
    pub grants: i64,
    /// Who signed it: the SHA-256 of each certificate. Empty if that is not known.
    pub signers: Vec<String>,
    /// Android's operations that were set for it, with their modes: `CAMERA: ignore`.
    pub ops: Vec<String>,
    /// It has keys that are bound to the board, and stay behind; none if that is not known.
    pub has_keys: Option<bool>,
    /// Some of them were found damaged: it is saved anew by the next backup of a phone that has it.
    pub is_damaged: bool,
}

/// What a copy holds.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupManifest {
    /// The fingerprint of the image that the card ran.
    pub image: String,
    /// Everything in it, folders too.
    pub entries: i64,
    /// Packages with data, and those that are not the image's, the largest first.
    pub packages: Vec<ManifestPackage>,
    /// Packages of the image without data.
    pub more_packages: i64,
    /// What users see as their files.
    pub shared: ManifestAmount,
    /// Files of packages.
    pub code: ManifestAmount,
    /// Settings of Android.
    pub settings: ManifestAmount,
    /// What is not in it, and why: the largest first, a hundred of them at most.
    pub dropped: Vec<DroppedData>,
    /// Files that changed or vanished while they were copied from a phone that went on: they are in it as they were read last,
    /// or not at all. The first hundred of them, below `/data`.
    pub changed: Vec<String>,
    /// How many those are in all.
    pub changed_in_all: i64,
}

fn number(told: u64) -> i64 {
    i64::try_from(told).unwrap_or(i64::MAX)
}

fn amount(told: wire::copy::Amount) -> ManifestAmount {
    ManifestAmount { files: number(told.files), bytes: number(told.bytes) }
}

fn manifest(text: &str, damaged: &BTreeSet<String>) -> Option<BackupManifest> {
    let Manifest { image, entries, packages, shared, code, settings, dropped, changed, changed_in_all, .. } =
        serde_json::from_str(text).ok()?;
    let all = packages.len();
    let mut packages: Vec<ManifestPackage> = packages
        .into_iter()
        .filter(|package| package.is_own || package.amount.files > 0)
        .map(|package| ManifestPackage {
            is_damaged: damaged.contains(&package.name),
            apks: ManifestAmount {
                files: number(package.apks.len() as u64),
                bytes: number(package.apks.iter().map(|apk| apk.size).sum()),
            },
            name: package.name,
            version_code: package.version_code,
            version_name: package.version_name,
            grants: number(package.grants.len() as u64),
            is_own: package.is_own,
            signers: package.signers,
            ops: package.ops,
            has_keys: package.has_keys,
            amount: amount(package.amount),
        })
        .collect();
    packages.sort_by_key(|package| (std::cmp::Reverse(package.amount.bytes), !package.is_own));
    Some(BackupManifest {
        image,
        entries: number(entries),
        more_packages: number((all - packages.len()) as u64),
        packages,
        shared: amount(shared),
        code: amount(code),
        settings: amount(settings),
        dropped: left_out(&dropped),
        changed,
        changed_in_all: number(changed_in_all),
    })
}

/// Some packages in one line.
fn names(packages: &BTreeSet<String>) -> String {
    let named: Vec<&str> = packages.iter().take(NAMED).map(String::as_str).collect();
    let more = if packages.len() > NAMED { format!(" … ({})", packages.len()) } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// Damaged packages that copies need, by the copy.
type Damages = HashMap<BackupId, BTreeSet<String>>;

/// `rows` with what they refer to.
///
/// # Errors
/// When a read fails.
pub async fn views(app: &App, db: &impl ConnectionTrait, rows: Vec<Model>, lang: Lang) -> Outcome<Vec<BackupView>> {
    let damages = packages::damages(db, rows.iter().map(|row| row.id)).await?;
    views_with(app, db, rows, &damages, lang).await
}

async fn views_with(
    app: &App,
    db: &impl ConnectionTrait,
    rows: Vec<Model>,
    damages: &Damages,
    lang: Lang,
) -> Outcome<Vec<BackupView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let nodes = store_node::Entity::find().select_only().columns([store_node::Column::Id, store_node::Column::Name]);
    let nodes = nodes.filter(store_node::Column::Id.is_in(rows.iter().map(|row| row.node_id)));
    let nodes = nodes.into_tuple::<(StoreNodeId, String)>();
    let sagas = saga::Entity::find()
        .filter(saga::Column::BackupId.is_in(rows.iter().map(|row| row.id)))
        // What comes of it on a card is on that phone's page.
        .filter(saga::Column::Kind.is_in(SagaKind::OF_COPIES))
        .filter(saga::Column::State.is_in(SagaState::ALL.iter().copied().filter(|state| !state.is_over())));
    // None of these waits for another.
    let (phones, nodes, cards, sagas) = try_join!(
        named(db, rows.iter().map(|row| row.phone_id)),
        nodes.all(db),
        fleet::card_addresses(db, rows.iter().map(|row| row.card_id)),
        sagas.all(db),
    )?;
    let nodes: HashMap<StoreNodeId, String> = nodes.into_iter().collect();
    let sagas: HashMap<Option<BackupId>, saga::Model> = sagas.into_iter().map(|saga| (saga.backup_id, saga)).collect();
    let now = app.clock.now();
    let view = |row: Model| {
        let phone = phones.get(&row.phone_id).cloned();
        let NamedPhone { phone, user, kept_id } = phone.unwrap_or_else(|| NamedPhone::unknown(row.phone_id));
        let reason = if row.code.is_empty() { String::new() } else { reasons::words(&row.code, lang) };
        let saga = sagas.get(&Some(row.id));
        BackupView {
            id: row.id,
            phone,
            user,
            card: (!row.is_rebuilt).then(|| Reference { id: row.card_id.0, name: cards.get(&row.card_id).cloned() }),
            node: Reference::among(row.node_id, &nodes),
            image: row.image,
            board: row.board,
            kind: row.kind,
            state: row.state,
            percent: saga.and_then(|saga| app.part::<Progress>().percent(saga.id, now)),
            is_verifying: saga.is_some_and(|saga| saga.step == StepName::Verify),
            code: row.code,
            reason,
            damage: match damages.get(&row.id) {
                Some(packages) if row.damage.is_empty() => PACKAGES.with("names", names(packages)).get(lang),
                Some(_) | None => row.damage,
            },
            is_kept: kept_id == Some(row.id),
            is_live: row.is_live,
            is_shrunk: row.is_shrunk,
            is_salvaged: row.is_salvaged,
            is_rebuilt: row.is_rebuilt,
            safe_until: row.safe_until,
            left_at: row.left_at,
            files: row.files,
            read_files: row.read_files,
            bytes: row.bytes,
            added_bytes: row.added_bytes,
            restores: row.restores,
            millis: row.millis,
            began_at: row.began_at,
            verified_at: row.verified_at,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}

/// One copy with all that is known of it.
///
/// # Errors
/// When a read fails.
pub async fn detail(app: &App, db: &impl ConnectionTrait, row: Model, lang: Lang) -> Outcome<Option<BackupDetail>> {
    let repo = repo::Entity::find_by_id(row.repo_id).one(db).await?;
    let node = match &repo {
        Some(repo) => store_node::Entity::find_by_id(repo.node_id).one(db).await?,
        None => None,
    };
    let Model { id, snapshot, tree, parent_id, manifest: text, .. } = row.clone();
    let mut damages = packages::damages(db, std::iter::once(id)).await?;
    let copy = views_with(app, db, vec![row], &damages, lang).await?.pop();
    let damaged = damages.remove(&id).unwrap_or_default();
    Ok(copy.map(|copy| BackupDetail {
        copy,
        snapshot,
        hash: tree,
        place: node.map(|node| node.place).unwrap_or_default(),
        folder: repo.map(|repo| repo.folder).unwrap_or_default(),
        parent: parent_id.map(|parent| Reference { id: parent.0, name: None }),
        manifest: manifest(&text, &damaged),
    }))
}
