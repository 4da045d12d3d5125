//! What agents need for the copies that they make, and what they tell of them before they are done.

use base::app::App;
use base::fault::Outcome;
use base::http::ops::Audit;
use db::journal::Entry;
use entity::saga_step::{self, StepName, StepState};
use entity::{SagaStepId, backup, phone, repo, room_agent, saga, store_node};
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use wire::Key;
use wire::copy::{CopyKeys, Manifest, Paper};

use super::place::{Door, Locked};
use super::{packages, sealed, topic};
use crate::forbidden::withheld;

/// Characters that are kept of a name or a path that an agent tells.
const NAME: usize = 255;
/// Copies that open pages hear of when a package that they need is damaged.
const NEWS: usize = 100;

/// The copy that a running try of this agent's is about.
async fn copy_of(
    db: &impl ConnectionTrait,
    agent: &room_agent::Model,
    key: Key,
) -> Outcome<Option<(saga_step::Model, backup::Model)>> {
    let step = saga_step::Entity::find_by_id(SagaStepId(key.task)).one(db).await?;
    let is_its = |step: &saga_step::Model| {
        step.state == StepState::Running && step.agent_id == Some(agent.id) && key == Key::phone(step.id.0, 1)
    };
    let Some(step) = step.filter(is_its) else { return Ok(None) };
    let saga = saga::Entity::find_by_id(step.saga_id).one(db).await?;
    let Some(copy) = saga.and_then(|saga| saga.backup_id) else { return Ok(None) };
    Ok(backup::Entity::find_by_id(copy).one(db).await?.map(|copy| (step, copy)))
}

/// What an agent needs for a try that it has; none if it has no such one. The first time that it opens something is a line
/// in the operation log.
///
/// # Errors
/// When the database refuses, or a key cannot be opened.
pub async fn keys(app: &App, agent: &room_agent::Model, key: Key) -> Outcome<Option<CopyKeys>> {
    let db = app.db.read();
    let Some((step, copy)) = copy_of(db, agent, key).await? else { return Ok(None) };
    let repo = repo::Entity::find_by_id(copy.repo_id).one(db).await?;
    let phone = phone::Entity::find_by_id(copy.phone_id).one(db).await?;
    let (Some(repo), Some(phone)) = (repo, phone) else { return Ok(None) };
    if !asks(step.name) {
        return Ok(None);
    }
    let keys = keys_of(app, &step, &copy, (&repo, &phone)).await?;
    if keys.open_something() && step.keys_at.is_none() {
        note(app, agent, &step, &copy, &phone).await?;
    }
    Ok(Some(keys))
}

/// What a step of a copy needs.
async fn keys_of(
    app: &App,
    of: &saga_step::Model,
    copy: &backup::Model,
    (repo, phone): (&repo::Model, &phone::Model),
) -> Outcome<CopyKeys> {
    let (db, step) = (app.db.read(), of.name);
    let packages = if step == StepName::Packages {
        packages::of_manifest(db, copy, repo.node_id).await?
    } else if matches!(step, StepName::Copy | StepName::Restore) {
        Vec::new()
    } else {
        // Those that are known to be damaged are told as such, or not read again.
        let all = packages::of_copy(db, copy.id).await?;
        all.into_iter().filter(|file| step == StepName::Install || file.is_whole()).collect()
    };
    let packages = packages::places(app, db, repo.node_id, packages).await?;
    if step == StepName::Packages {
        let known = if copy.manifest.is_empty() { manifest_before(db, copy).await? } else { copy.manifest.clone() };
        let manifest = serde_json::from_str(&known).ok();
        return Ok(CopyKeys { manifest, packages, ..CopyKeys::default() });
    }
    let manifest = serde_json::from_str(&copy.manifest).ok();
    let withheld = withheld::packages(db, of.saga_id).await?;
    let manifest = withheld::without(manifest, &withheld);
    if step == StepName::Install {
        return Ok(CopyKeys { manifest, packages, withheld, ..CopyKeys::default() });
    }
    let to = Locked::Repo(repo.id);
    let key = Door::Key.read(app, db, to).await?;
    if step == StepName::Restore {
        return Ok(CopyKeys { key, manifest, withheld, ..CopyKeys::default() });
    }
    let recovery = Door::Recovery.read(app, db, to).await?;
    Ok(CopyKeys {
        key,
        sealed: sealed::seal(&app.vault, &phone.code, &repo.folder, &recovery),
        recovery,
        manifest,
        packs: copy.packs.lines().map(str::to_owned).collect(),
        packages,
        withheld,
    })
}

/// Writes down that an agent is given the keys for a try: once, however often it asks. They are given once that is written.
async fn note(
    app: &App,
    agent: &room_agent::Model,
    step: &saga_step::Model,
    copy: &backup::Model,
    phone: &phone::Model,
) -> Outcome<()> {
    use saga_step::Column;
    let (mut tx, now) = (app.db.begin_write().await?, app.clock.now());
    let first = saga_step::Entity::update_many()
        .col_expr(Column::KeysAt, Expr::value(now.millis()))
        .filter(Column::Id.eq(step.id))
        .filter(Column::KeysAt.is_null());
    if first.exec(&*tx).await?.rows_affected == 0 {
        return Ok(());
    }
    let said = format!("backup {}, {}, try {}, to {}", copy.id, step.name.label().en, step.attempt, agent.name);
    let audit = Audit::of("phone").id(phone.id).name(&phone.code).with("roomAgent", [agent.id.0]).note(said);
    let (action, operator_name) = ("phone_keys_given".to_owned(), "room agent".to_owned());
    tx.record(audit.fill(Entry { at: now, action, operator_name, ..Entry::default() }));
    tx.commit().await?;
    Ok(())
}

/// Whether a step works with repositories.
const fn asks(step: StepName) -> bool {
    matches!(step, StepName::Packages | StepName::Copy | StepName::Verify | StepName::Install | StepName::Restore)
}

/// Whether a running try of this agent's tells something before its result.
///
/// # Errors
/// When the database refuses.
pub async fn listens(app: &App, agent: &room_agent::Model, key: Key) -> Outcome<bool> {
    Ok(copy_of(app.db.read(), agent, key).await?.is_some_and(|(step, _)| tells(step.name)))
}

/// Whether a step tells something before its result: what is installed and was saved of it, what the copy holds, or what of
/// the packages is damaged.
const fn tells(step: StepName) -> bool {
    matches!(step, StepName::Packages | StepName::Copy | StepName::Verify | StepName::Install)
}

/// What the copy before held: a file of a package that has not changed since need not be hashed again.
async fn manifest_before(db: &impl ConnectionTrait, copy: &backup::Model) -> Outcome<String> {
    let Some(parent) = copy.parent_id else { return Ok(String::new()) };
    let parent = backup::Entity::find_by_id(parent).one(db).await?;
    Ok(parent.map(|parent| parent.manifest).unwrap_or_default())
}

/// Writes down what an agent tells of a phone before it is copied, or of a copy before it has ended; `false` if it has no
/// such try.
///
/// # Errors
/// When the database refuses.
pub async fn paper(app: &App, agent: &room_agent::Model, key: Key, told: Paper) -> Outcome<bool> {
    let tx = app.db.begin_write().await?;
    let found = copy_of(&*tx, agent, key).await?;
    let Some((step, copy)) = found.filter(|(step, _)| tells(step.name)) else { return Ok(false) };
    let Paper { manifest, packs, saved, damaged, missing } = told;
    let manifest = manifest.map(tidied);
    let mut news = Vec::new();
    match (step.name, manifest.is_some()) {
        (StepName::Packages, _) => {
            let Some(node) = node_of(&*tx, &copy).await? else { return Ok(false) };
            if let Some(manifest) = &manifest {
                packages::found(app, &tx, &node, manifest, app.clock.now()).await?;
            }
            packages::saved(&tx, &copy, node.id, &saved, app.clock.now()).await?;
            packages::elsewhere(&tx, &copy, &node, &damaged).await?;
            news = packages::gone(&tx, &copy, &node, &missing, app.clock.now()).await?;
        }
        (StepName::Copy, true) => {
            let packs: Vec<&str> = packs.iter().map(String::as_str).filter(|pack| packages::is_hash(pack)).collect();
            let packs = Set(packs.join("\n"));
            backup::Entity::update(backup::ActiveModel { id: Set(copy.id), packs, ..Default::default() })
                .exec(&*tx)
                .await?;
        }
        (StepName::Verify | StepName::Install, false) => {
            news = packages::damaged(&tx, copy.id, &damaged, app.clock.now()).await?;
        }
        _ => return Ok(false),
    }
    if let Some(manifest) = manifest {
        let manifest = Set(serde_json::to_string(&manifest).unwrap_or_default());
        backup::Entity::update(backup::ActiveModel { id: Set(copy.id), manifest, ..Default::default() })
            .exec(&*tx)
            .await?;
    }
    tx.commit().await?;
    news.into_iter().take(NEWS).for_each(|copy| topic::tell(app, copy));
    Ok(true)
}

/// The node on which a copy lies.
async fn node_of(db: &impl ConnectionTrait, copy: &backup::Model) -> Outcome<Option<store_node::Model>> {
    let Some(repo) = repo::Entity::find_by_id(copy.repo_id).one(db).await? else { return Ok(None) };
    Ok(store_node::Entity::find_by_id(repo.node_id).one(db).await?)
}

/// An agent may say anything.
pub(super) fn tidied(mut told: Manifest) -> Manifest {
    let cut = |text: &mut String| *text = text.chars().filter(|c| !c.is_control()).take(NAME).collect();
    for package in &mut told.packages {
        cut(&mut package.name);
        package.path.retain(|c| !c.is_control());
        package.apks.retain(|apk| packages::is_hash(&apk.sha256));
        package.apks.iter_mut().for_each(|apk| cut(&mut apk.name));
        cut(&mut package.version_name);
        package.grants.iter_mut().for_each(&cut);
        package.signers.retain(|signer| packages::is_hash(signer));
        package.ops.iter_mut().for_each(&cut);
    }
    told.dropped.iter_mut().for_each(|dropped| cut(&mut dropped.path));
    told.changed.iter_mut().for_each(&cut);
    [&mut told.phone, &mut told.board, &mut told.image].into_iter().for_each(cut);
    told
}
