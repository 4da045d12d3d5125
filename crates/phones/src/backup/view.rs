//! A copy, as lists and details show it.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;

use base::app::App;
use base::fault::Outcome;
use base::reference::Reference;
use db::beside;
use entity::backup::{BackupKind, BackupState, Model};
use entity::saga_step::StepName;
use entity::{BackupId, ClientUserId, SagaId, repo, store_node};
use fleet::reasons;
use kernel::ip4::Ip4;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, EntityTrait as _, FromQueryResult};
use serde::Serialize;
use utoipa::ToSchema;
use wire::copy::Manifest;

use super::packages;
use crate::phone::coverage::{DroppedData, left_out};
use crate::saga::{OF_COPIES_OPEN, Progress};

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

/// What stands beside a copy.
#[derive(Debug, FromQueryResult)]
struct Beside {
    id: BackupId,
    phone_code: String,
    user_id: ClientUserId,
    user_name: String,
    kept_id: Option<BackupId>,
    address: Ip4,
    node: String,
    /// What makes it, or reads it back, just now.
    saga: Option<SagaId>,
    step: Option<StepName>,
    /// A package that it needs is damaged.
    is_short: bool,
}

impl beside::Beside for Beside {
    type Row = Model;
    type Id = BackupId;
    const TABLE: &str = "backup";

    /// What comes of a copy on a card is on that phone's page.
    fn text() -> impl Display {
        format!(
            "phone.code AS phone_code, phone.user_id, client_user.name AS user_name, phone.kept_id, card.intranet_ip AS address, \
             store_node.name AS node, saga.id AS saga, saga.step, EXISTS (SELECT 1 FROM backup_package need \
             JOIN package_blob ON package_blob.id = need.blob_id \
             WHERE need.backup_id = backup.id AND package_blob.damaged_at IS NOT NULL) AS is_short \
             FROM backup JOIN phone ON phone.id = backup.phone_id JOIN client_user ON client_user.id = phone.user_id \
             JOIN card ON card.id = backup.card_id JOIN store_node ON store_node.id = backup.node_id \
             LEFT JOIN saga ON saga.backup_id = backup.id AND {OF_COPIES_OPEN}"
        )
    }

    fn id(&self) -> BackupId {
        self.id
    }
}

/// `rows` with what they refer to. One that has gone meanwhile is left out.
///
/// # Errors
/// When a read fails.
pub async fn views(app: &App, db: &impl ConnectionTrait, rows: Vec<Model>, lang: Lang) -> Outcome<Vec<BackupView>> {
    Ok(views_and_damages(app, db, rows, lang).await?.0)
}

async fn views_and_damages(
    app: &App,
    db: &impl ConnectionTrait,
    rows: Vec<Model>,
    lang: Lang,
) -> Outcome<(Vec<BackupView>, Damages)> {
    if rows.is_empty() {
        return Ok((Vec::new(), Damages::new()));
    }
    let mut beside = beside::beside::<Beside>(db, rows.iter().map(|row| row.id)).await?;
    let short: Vec<BackupId> = beside.values().filter(|one| one.is_short).map(|one| one.id).collect();
    let damages = packages::damages(db, short).await?;
    let now = app.clock.now();
    let view = |row: Model| {
        let Beside { phone_code, user_id, user_name, kept_id, address, node, saga, step, .. } =
            beside.remove(&row.id)?;
        let reason = if row.code.is_empty() { String::new() } else { reasons::words(&row.code, lang) };
        Some(BackupView {
            id: row.id,
            phone: Reference { id: row.phone_id.0, name: Some(phone_code) },
            user: Reference { id: user_id.0, name: Some(user_name) },
            card: (!row.is_rebuilt).then(|| Reference { id: row.card_id.0, name: Some(address.to_string()) }),
            node: Reference { id: row.node_id.0, name: Some(node) },
            image: row.image,
            board: row.board,
            kind: row.kind,
            state: row.state,
            percent: saga.and_then(|saga| app.part::<Progress>().percent(saga, now)),
            is_verifying: step == Some(StepName::Verify),
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
        })
    };
    let views = rows.into_iter().filter_map(view).collect();
    Ok((views, damages))
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
    let (mut views, mut damages) = views_and_damages(app, db, vec![row], lang).await?;
    let damaged = damages.remove(&id).unwrap_or_default();
    Ok(views.pop().map(|copy| BackupDetail {
        copy,
        snapshot,
        hash: tree,
        place: node.map(|node| node.place).unwrap_or_default(),
        folder: repo.map(|repo| repo.folder).unwrap_or_default(),
        parent: parent_id.map(|parent| Reference { id: parent.0, name: None }),
        manifest: manifest(&text, &damaged),
    }))
}
