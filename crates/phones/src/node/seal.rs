//! What lies beside repositories, sealed with the master key: sealed anew, by agents that reach them, when another one has taken its
//! place. Then the one before is needed for old backups of the console alone.

use base::app::App;
use base::fault::Outcome;
use entity::phone::{self, Life};
use entity::store_node::{self, StoreState};
use entity::{PackageBlobId, RepoId, package_blob, repo};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use wire::{SealedKey, StoreAim};

use super::check::{agents_of, ask_one, told};
use super::sealed_before::{packages, repos};
use crate::backup::place::{Door, Locked};
use crate::backup::sealed;

/// Files that an agent writes in one look, which it may take 20 s for.
const BATCH: u64 = 50;
/// Looks at a node in one round.
const ROUNDS: usize = 20;

/// Files that are to be sealed anew, and whose. What the books have no code for cannot be sealed by anybody.
#[derive(Default)]
struct Batch {
    repos: Vec<RepoId>,
    packages: Vec<PackageBlobId>,
    files: Vec<SealedKey>,
}

/// Has files sealed anew at each node that is reached.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn seal(app: &App) -> Outcome<()> {
    let reached = store_node::Column::State.is_in([StoreState::Normal, StoreState::Draining]);
    for node in store_node::Entity::find().filter(reached).all(app.db.read()).await? {
        for _ in 0..ROUNDS {
            if !seal_some(app, &node).await? {
                break;
            }
        }
    }
    Ok(())
}

/// Has some files of a node sealed anew; whether that was done, and there may be more.
async fn seal_some(app: &App, node: &store_node::Model) -> Outcome<bool> {
    let batch = batch(app, node).await?;
    if batch.repos.is_empty() && batch.packages.is_empty() {
        return Ok(false);
    }
    if batch.files.is_empty() {
        note(app, &batch).await?;
        return Ok(true);
    }
    for agent in agents_of(app.db.read(), node.id).await? {
        let answer = ask_one(app, &agent, told(node), (StoreAim::Look, batch.files.clone())).await;
        let is_done = answer.is_ok_and(|seen| seen.trouble.is_none() && seen.sealed == batch.files.len() as u64);
        // One that does not know of it has said nothing.
        if is_done {
            note(app, &batch).await?;
            return Ok(true);
        }
    }
    Ok(false)
}

async fn batch(app: &App, node: &store_node::Model) -> Outcome<Batch> {
    let (db, key, mut batch) = (app.db.read(), app.vault.key_id(), Batch::default());
    // Nothing may come back of a phone that is being erased, and released ones are next.
    let going = phone::Entity::find().select_only().column(phone::Column::Id);
    let going = going.filter(phone::Column::Life.is_in([Life::Released, Life::Erased])).into_query();
    let some = repos(node.id, key).filter(repo::Column::PhoneId.not_in_subquery(going));
    for row in some.order_by_asc(repo::Column::Id).limit(BATCH).all(db).await? {
        let Some(phone) = phone::Entity::find_by_id(row.phone_id).one(db).await? else { continue };
        batch.repos.push(row.id);
        if let Some(code) = Door::Recovery.find(app, db, Locked::Repo(row.id)).await? {
            let text = sealed::seal(&app.vault, &phone.code, &row.folder, &code);
            batch.files.push(SealedKey { folder: row.folder, text });
        }
    }
    let room = BATCH.saturating_sub(batch.repos.len() as u64);
    let some = packages(node.id, key).order_by_asc(package_blob::Column::Id).limit(room).all(db).await?;
    if !some.is_empty() {
        let code = Door::Recovery.find(app, db, Locked::Packages(node.id)).await?;
        for row in some {
            batch.packages.push(row.id);
            if let Some(code) = &code {
                let text = sealed::seal(&app.vault, &row.package, &row.folder, code);
                batch.files.push(SealedKey { folder: row.folder, text });
            }
        }
    }
    Ok(batch)
}

/// Writes down that they are sealed with the master key of now.
async fn note(app: &App, batch: &Batch) -> Outcome<()> {
    let (tx, key) = (app.db.begin_write().await?, app.vault.key_id());
    let repos = repo::Entity::update_many().col_expr(repo::Column::SealedWith, Expr::value(key));
    repos.filter(repo::Column::Id.is_in(batch.repos.iter().copied())).exec(&*tx).await?;
    let packages = package_blob::Entity::update_many().col_expr(package_blob::Column::SealedWith, Expr::value(key));
    packages.filter(package_blob::Column::Id.is_in(batch.packages.iter().copied())).exec(&*tx).await?;
    tx.commit().await?;
    Ok(())
}
