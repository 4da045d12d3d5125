//! What an agent tells of a copy that it has made, and what is written down of that.

use base::fault::Outcome;
use entity::backup::{self, BackupState};
use entity::repo;
use entity::saga::Model as Saga;
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use wire::copy::CopyMade;

use super::advance::Desk;
use super::shrunk::Shrunk;
use crate::backup::packages;

pub(super) fn number(told: u64) -> i64 {
    i64::try_from(told).unwrap_or(i64::MAX)
}

/// Reads what was told of a copy; nothing if that makes no sense. Where its card is to be seen to be still afterwards, that has to
/// be possible.
pub(super) fn read(told: &str, is_to_be_still: bool) -> Option<CopyMade> {
    let made: CopyMade = serde_json::from_str(told).ok()?;
    let is_still = packages::is_hash(&made.still) || made.still.is_empty() && !is_to_be_still;
    (packages::is_hash(&made.snapshot) && packages::is_hash(&made.tree) && is_still).then_some(made)
}

impl Desk<'_> {
    /// A copy is at the store, and nobody has read it back yet.
    pub(super) async fn is_made(
        &mut self,
        saga: &Saga,
        (copy, repo): (&backup::Model, &repo::Model),
        made: &CopyMade,
        shrunk: Shrunk,
    ) -> Outcome<()> {
        if !made.had_parent {
            let (phone, copy) = (saga.phone_id.0, copy.id.0);
            tracing::warn!(phone, copy, "the copy before was not found: everything was read");
        }
        let change = backup::ActiveModel {
            state: Set(BackupState::Uploaded),
            is_shrunk: Set(shrunk != Shrunk::No),
            snapshot: Set(made.snapshot.clone()),
            tree: Set(made.tree.clone()),
            files: Set(number(made.files)),
            bytes: Set(number(made.bytes)),
            added_bytes: Set(number(made.added)),
            read_files: Set(number(made.read)),
            millis: Set(Ord::max(self.now.millis() - copy.began_at.millis(), 0)),
            ..Default::default()
        };
        self.set_copy(saga, change).await?;
        packages::need(self.tx, copy, repo.node_id).await?;
        if repo.made_at.is_none() {
            let change = repo::ActiveModel { id: Set(repo.id), made_at: Set(Some(self.now)), ..Default::default() };
            repo::Entity::update(change).exec(&**self.tx).await?;
        }
        Ok(())
    }
}
