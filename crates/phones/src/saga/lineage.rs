//! With which copy the next one is compared. What a phone brought to its card, or has left in a copy from there since, is
//! known file by file; a copy of an earlier stay says less.

use base::fault::Outcome;
use entity::backup::{self, BackupKind, BackupState};
use entity::saga::{self, SagaKind, SagaState};
use entity::store_node::{self, BackupStrategy};
use entity::{BackupId, PhoneId, PlacementId, RepoId, RoomId, repo};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select,
};

/// So many copies are made of what has changed alone; then one reads everything, whatever the times of files say.
const READ_ALL: u64 = 30;
const DAY_MILLIS: i64 = 86_400_000;

/// Copies in a repository that are whole, as far as anybody knows.
fn whole(repo: RepoId) -> Select<backup::Entity> {
    backup::Entity::find()
        .filter(backup::Column::RepoId.eq(repo))
        .filter(backup::Column::Kind.eq(BackupKind::Full))
        .filter(backup::Column::State.is_in(BackupState::MADE))
        .filter(backup::Column::Damage.eq(""))
        // A file that is written through memory keeps its time of change while that goes on: what was read of it in between
        // looks like what it is in the end.
        .filter(backup::Column::IsLive.eq(false))
        // What was salvaged is not what its phone has, and of what was found at its node nobody knows whether it is.
        .filter(backup::Column::IsSalvaged.eq(false))
        .filter(backup::Column::IsRebuilt.eq(false))
}

/// A phone that is on a card and has no whole copy of all that it is, as the index has it: none that was read back and of
/// which nothing is known to be damaged, made while it went on or not. The few copies of a phone are looked at: by their state
/// alone (`+ 0` keeps SQLite from that index) they are all that there are, for each phone anew.
pub const UNSAVED: &str = "phone.use_type = 1 AND phone.kept_id IS NULL AND NOT EXISTS (SELECT 1 FROM backup whole \
     WHERE whole.phone_id = phone.id AND whole.kind = 1 AND whole.state + 0 = 4 AND whole.damage = '' \
     AND NOT whole.is_salvaged AND NOT EXISTS (SELECT 1 FROM loss WHERE loss.phone_id = phone.id AND loss.at >= whole.began_at))";

/// The storage node that is the home of a phone's copies: that of its newest repository. None before its first copy.
const HOME: &str = "(SELECT home.node_id FROM repo home WHERE home.phone_id = phone.id ORDER BY home.id DESC LIMIT 1)";

/// A phone as above that is copied by itself: not where its copies lie on a node to which only people have phones copied.
pub fn unsaved() -> String {
    format!(
        "{UNSAVED} AND NOT EXISTS (SELECT 1 FROM store_node node WHERE node.id = {HOME} AND node.strategy = {})",
        BackupStrategy::Manual.code()
    )
}

/// A phone that is on a card of a room, and of which there are whole copies, as above, but none so young as the plan of its copies'
/// home wants. Which phones are on cards their stays know, by an index.
pub fn outdated(room: RoomId, now: UtcTime) -> String {
    let now = now.millis();
    let (daily, weekly) = (BackupStrategy::Daily.code(), BackupStrategy::Weekly.code());
    format!(
        "phone.id IN (SELECT here.phone_id FROM phone_session here WHERE here.room_id = {room} AND here.ended_at IS NULL) \
         AND EXISTS (SELECT 1 FROM store_node node WHERE node.id = {HOME} AND node.strategy IN ({daily}, {weekly}) \
         AND NOT EXISTS (SELECT 1 FROM backup fresh WHERE fresh.phone_id = phone.id AND fresh.kind = 1 \
         AND fresh.state + 0 = 4 AND fresh.damage = '' AND NOT fresh.is_salvaged AND fresh.left_at IS NULL \
         AND fresh.began_at > {now} - CAST(node.cycle_days AS BIGINT) * {DAY_MILLIS})) AND NOT ({UNSAVED})"
    )
}

/// Since when a copy of a phone has to have been begun so that none is due yet, by the plan of its copies' home.
///
/// # Errors
/// When a read fails.
pub async fn fresh_since(db: &impl ConnectionTrait, phone: PhoneId, now: UtcTime) -> Outcome<UtcTime> {
    let home = repo::Entity::find().filter(repo::Column::PhoneId.eq(phone)).order_by_desc(repo::Column::Id);
    let Some(home) = home.one(db).await? else { return Ok(UtcTime(0)) };
    let node = store_node::Entity::find_by_id(home.node_id).one(db).await?;
    Ok(node.map_or(UtcTime(0), |node| UtcTime(now.millis() - i64::from(node.cycle_days) * DAY_MILLIS)))
}

/// A copy that was made after what its phone had was given up for the last time: an earlier one is of a life that is over.
pub const OF_THIS_LIFE: &str =
    "NOT EXISTS (SELECT 1 FROM loss WHERE loss.phone_id = backup.phone_id AND loss.at >= backup.began_at)";

/// A copy's number, when it was begun, and whether its row was made anew.
pub type Age = (BackupId, UtcTime, bool);

pub const fn age(copy: &backup::Model) -> Age {
    (copy.id, copy.began_at, copy.is_rebuilt)
}

/// Whether a copy was begun after another one of its phone. The number of a row that was made anew says nothing of that; those of all
/// others say more than clocks, which may have been set.
pub fn is_newer(copy: Age, than: Age) -> bool {
    let (number, began, is_rebuilt) = copy;
    let (other, before, is_other_rebuilt) = than;
    if is_rebuilt || is_other_rebuilt { (began, number) > (before, other) } else { number > other }
}

/// The newest of some copies of a phone; of those alone that are older than one, if that is told.
async fn newest(
    db: &impl ConnectionTrait,
    some: Select<backup::Entity>,
    than: Option<Age>,
) -> Outcome<Option<backup::Model>> {
    let ages = some.select_only().columns([backup::Column::Id, backup::Column::BeganAt, backup::Column::IsRebuilt]);
    let ages: Vec<Age> = ages.order_by_asc(backup::Column::Id).into_tuple().all(db).await?;
    let older = ages.into_iter().filter(|one| than.is_none_or(|than| is_newer(than, *one)));
    let Some((copy, ..)) = older.reduce(|best, one| if is_newer(one, best) { one } else { best }) else {
        return Ok(None);
    };
    Ok(backup::Entity::find_by_id(copy).one(db).await?)
}

/// Copies of all of a phone that were made, and that nobody has read back.
fn unread_of(phone: PhoneId) -> Select<backup::Entity> {
    backup::Entity::find()
        .filter(backup::Column::PhoneId.eq(phone))
        .filter(backup::Column::State.eq(BackupState::Uploaded))
        .filter(backup::Column::Kind.eq(BackupKind::Full))
        .filter(backup::Column::Damage.eq(""))
        .filter(backup::Column::IsSalvaged.eq(false))
        .filter(Expr::cust(OF_THIS_LIFE))
}

/// The newest copy of all of a phone that was made, and that nobody has read back. Those that were found at their node a person has
/// read back.
///
/// # Errors
/// When the read fails.
pub async fn unread(db: &impl ConnectionTrait, phone: PhoneId) -> Outcome<Option<backup::Model>> {
    let select = unread_of(phone).filter(backup::Column::IsRebuilt.eq(false));
    Ok(select.order_by_desc(backup::Column::Id).one(db).await?)
}

/// Whether there is a copy of all of a phone that nobody has read back, whoever would have to see to that.
///
/// # Errors
/// When the read fails.
pub async fn is_unread(db: &impl ConnectionTrait, phone: PhoneId) -> Outcome<bool> {
    Ok(unread_of(phone).count(db).await? > 0)
}

/// The newest whole copy of all of a phone by which it may live: one that was read back, of which nothing is known to be
/// damaged, and that was not made while the phone went on.
///
/// # Errors
/// When the read fails.
pub async fn newest_whole(db: &impl ConnectionTrait, phone: PhoneId) -> Outcome<Option<backup::Model>> {
    let select = backup::Entity::find()
        .filter(backup::Column::PhoneId.eq(phone))
        .filter(backup::Column::State.eq(BackupState::Verified))
        .filter(backup::Column::Kind.eq(BackupKind::Full))
        .filter(backup::Column::Damage.eq(""))
        .filter(backup::Column::IsLive.eq(false))
        .filter(backup::Column::IsSalvaged.eq(false))
        .filter(backup::Column::LeftAt.is_null())
        .filter(Expr::cust(OF_THIS_LIFE));
    newest(db, select, None).await
}

/// The newest whole copy of all of its phone that is older than this one, also one that was made while the phone went on: a
/// person decides about that.
///
/// # Errors
/// When the read fails.
pub async fn older(db: &impl ConnectionTrait, than: &backup::Model) -> Outcome<Option<backup::Model>> {
    let select = backup::Entity::find()
        .filter(backup::Column::PhoneId.eq(than.phone_id))
        .filter(backup::Column::State.eq(BackupState::Verified))
        .filter(backup::Column::Kind.eq(BackupKind::Full))
        .filter(backup::Column::Damage.eq(""))
        .filter(backup::Column::IsSalvaged.eq(false))
        .filter(backup::Column::LeftAt.is_null())
        .filter(Expr::cust(OF_THIS_LIFE));
    newest(db, select, Some(age(than))).await
}

/// Whether a copy is of what its phone has, and not of what was given up.
///
/// # Errors
/// When the read fails.
pub async fn is_of_this_life(db: &impl ConnectionTrait, copy: BackupId) -> Outcome<bool> {
    Ok(backup::Entity::find_by_id(copy).filter(Expr::cust(OF_THIS_LIFE)).count(db).await? > 0)
}

/// The copies that were made during a stay.
async fn of_stay(db: &impl ConnectionTrait, stay: PlacementId) -> Outcome<Vec<BackupId>> {
    let select = saga::Entity::find().select_only().column(saga::Column::BackupId);
    let found: Vec<BackupId> = select
        .filter(saga::Column::PlacementId.eq(stay))
        .filter(saga::Column::Kind.is_in([SagaKind::BackUp, SagaKind::TakeOff]))
        .filter(saga::Column::BackupId.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    Ok(found)
}

/// The copy with which a phone has come on the card of a stay. Coming back to it later brings none.
async fn came_with(db: &impl ConnectionTrait, stay: PlacementId) -> Outcome<Option<backup::Model>> {
    let saga = saga::Entity::find()
        .filter(saga::Column::PlacementId.eq(stay))
        .filter(saga::Column::Kind.eq(SagaKind::PutOn))
        .filter(saga::Column::State.eq(SagaState::Done))
        .filter(saga::Column::BackupId.is_not_null())
        .one(db)
        .await?;
    let Some(copy) = saga.and_then(|saga| saga.backup_id) else { return Ok(None) };
    Ok(backup::Entity::find_by_id(copy).one(db).await?)
}

/// The copy in a repository with which the next one of a stay is compared; none if that reads everything.
///
/// # Errors
/// When a read fails.
pub async fn parent(db: &impl ConnectionTrait, repo: RepoId, stay: PlacementId) -> Outcome<Option<BackupId>> {
    if (whole(repo).count(db).await? + 1).is_multiple_of(READ_ALL) {
        return Ok(None);
    }
    let here = of_stay(db, stay).await?;
    // None of these rows was made anew.
    let last = |select: Select<backup::Entity>| select.order_by_desc(backup::Column::Id).one(db);
    if let Some(copy) = last(whole(repo).filter(backup::Column::Id.is_in(here))).await? {
        return Ok(Some(copy.id));
    }
    if let Some(copy) = came_with(db, stay).await?
        && let Some(copy) = last(whole(repo).filter(backup::Column::Id.eq(copy.id))).await?
    {
        return Ok(Some(copy.id));
    }
    Ok(last(whole(repo)).await?.map(|copy| copy.id))
}

/// The copy with which a phone has come on the card of a stay, if `parent` is that one, or was made there since in the same
/// repository.
///
/// # Errors
/// When a read fails.
pub async fn brought(
    db: &impl ConnectionTrait,
    stay: PlacementId,
    parent: &backup::Model,
) -> Outcome<Option<backup::Model>> {
    let Some(came) = came_with(db, stay).await? else { return Ok(None) };
    let is_its = came.id == parent.id || of_stay(db, stay).await?.contains(&parent.id);
    Ok(Some(came).filter(|came| is_its && came.repo_id == parent.repo_id))
}

#[cfg(test)]
mod tests {
    use entity::backup::{BackupKind, BackupState};
    use entity::phone::UseType;
    use entity::{BackupId, RoomId};
    use kernel::time::UtcTime;

    #[test]
    fn numbers_say_which_copy_is_newer_and_times_do_where_a_row_was_made_anew() {
        let of = |number, seconds, is_rebuilt| (BackupId(number), UtcTime(seconds), is_rebuilt);
        for (one, other, wanted) in [
            // The clock was set back between them.
            (of(2, 10, false), of(1, 20, false), true),
            (of(1, 20, false), of(2, 10, false), false),
            (of(9, 10, true), of(1, 20, false), false),
            (of(1, 20, false), of(9, 10, true), true),
            (of(8, 30, true), of(9, 20, true), true),
            (of(9, 20, true), of(9, 20, true), false),
            (of(1, 10, false), of(1, 10, false), false),
        ] {
            assert_eq!(super::is_newer(one, other), wanted, "{one:?} {other:?}");
        }
    }

    #[test]
    fn what_is_unsaved_is_said_with_the_states_that_are_meant() {
        let (on, full, verified) = (UseType::On.code(), BackupKind::Full.code(), BackupState::Verified.code());
        let own = format!("phone.use_type = {on} AND phone.kept_id IS NULL AND ");
        assert!(super::UNSAVED.starts_with(&own));
        assert!(
            super::UNSAVED
                .contains(&format!("whole.kind = {full} AND whole.state + 0 = {verified} AND whole.damage = ''"))
        );
        let fresh = format!("fresh.kind = {full} AND fresh.state + 0 = {verified} AND fresh.damage = ''");
        assert!(super::outdated(RoomId(7), UtcTime(9)).contains(&fresh));
    }
}
