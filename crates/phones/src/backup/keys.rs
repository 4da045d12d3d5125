//! What agents need for the copies that they make, and what they tell of them before they are done.

use base::app::App;
use base::fault::Outcome;
use entity::saga_step::{self, StepName, StepState};
use entity::{SagaStepId, backup, phone, repo, room_agent, saga};
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait as _};
use wire::Key;
use wire::copy::{CopyKeys, Manifest, Paper};

use super::place::Door;
use super::sealed;

/// Characters that are kept of a name or a path that an agent tells.
const NAME: usize = 255;

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

/// What an agent needs for a try that it has; none if it has no such one.
///
/// # Errors
/// When the database refuses, or a key cannot be opened.
pub async fn keys(app: &App, agent: &room_agent::Model, key: Key) -> Outcome<Option<CopyKeys>> {
    let db = app.db.read();
    let Some((step, copy)) = copy_of(db, agent, key).await? else { return Ok(None) };
    if !matches!(step.name, StepName::Copy | StepName::Verify) {
        return Ok(None);
    }
    let repo = repo::Entity::find_by_id(copy.repo_id).one(db).await?;
    let phone = phone::Entity::find_by_id(copy.phone_id).one(db).await?;
    let (Some(repo), Some(phone)) = (repo, phone) else { return Ok(None) };
    let recovery = Door::Recovery.read(app, db, repo.id).await?;
    tracing::info!(agent = agent.id.0, phone = phone.id.0, step = step.id.0, "the keys of a repository are handed out");
    Ok(Some(CopyKeys {
        key: Door::Key.read(app, db, repo.id).await?,
        sealed: sealed::seal(&app.vault, &phone.code, &repo.folder, &recovery),
        recovery,
        manifest: serde_json::from_str(&copy.manifest).ok(),
        packs: copy.packs.lines().map(str::to_owned).collect(),
    }))
}

/// Whether a running try of this agent's tells something before its result.
///
/// # Errors
/// When the database refuses.
pub async fn listens(app: &App, agent: &room_agent::Model, key: Key) -> Outcome<bool> {
    Ok(copy_of(app.db.read(), agent, key).await?.is_some_and(|(step, _)| tells(step.name)))
}

/// Whether a step tells something before its result: what is installed, or what the copy holds.
const fn tells(step: StepName) -> bool {
    matches!(step, StepName::Stop | StepName::Copy)
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
    let mut change = backup::ActiveModel { id: Set(copy.id), ..Default::default() };
    if step.name == StepName::Copy {
        let is_pack = |pack: &&String| pack.len() == 64 && pack.bytes().all(|byte| byte.is_ascii_hexdigit());
        let packs: Vec<&str> = told.packs.iter().filter(is_pack).map(String::as_str).collect();
        change.packs = Set(packs.join("\n"));
    }
    change.manifest = Set(serde_json::to_string(&tidied(told.manifest)).unwrap_or_default());
    backup::Entity::update(change).exec(&*tx).await?;
    tx.commit().await?;
    Ok(true)
}

/// An agent may say anything.
fn tidied(mut told: Manifest) -> Manifest {
    let cut = |text: &mut String| *text = text.chars().filter(|c| !c.is_control()).take(NAME).collect();
    told.packages.iter_mut().for_each(|package| cut(&mut package.name));
    told.dropped.iter_mut().for_each(|dropped| cut(&mut dropped.path));
    [&mut told.phone, &mut told.board, &mut told.image].into_iter().for_each(cut);
    told
}
