//! What has to be known of phones before something is begun with them that takes steps.

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::{Fault, Outcome};
use entity::client_user::ClientUserStatus;
use entity::phone::{Entity, Model, UseType};
use entity::{BackupId, ClientUserId, PhoneId, backup};
use fleet::reasons;
use kernel::rules::Violation;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use wire::Reason;

use super::act;
use super::wish::Act;
use crate::saga::{self, Elsewhere, Lost, Older, Onward, SetBack};

/// The copy with which phones are to come on cards, and the phone that it is of.
async fn copy_of(db: &impl ConnectionTrait, act: &Act) -> Outcome<Option<(backup::Model, Model)>> {
    let Act::FromBackup { backup_id } = act else { return Ok(None) };
    let Some(copy) = backup::Entity::find_by_id(*backup_id).one(db).await? else { return Ok(None) };
    Ok(Entity::find_by_id(copy.phone_id).one(db).await?.map(|phone| (copy, phone)))
}

/// What has to be known of phones with which something that takes steps is to be begun.
pub(super) struct Known {
    /// Something is being done to them already.
    pub(super) busy: HashSet<PhoneId>,
    /// The copy that comes with them, and the phone that it is of.
    pub(super) copy: Option<(backup::Model, Model)>,
    /// Copies that they live by and that are damaged.
    damaged: HashSet<BackupId>,
    /// They are being taken off, and could still stay.
    pub(super) leaving: HashSet<PhoneId>,
    /// Their cards are lost.
    lost: HashMap<PhoneId, Lost>,
    /// They were to come with copies that are damaged, and a person is asked whether older ones come.
    older: HashMap<PhoneId, Older>,
    /// They are to be set back to a copy of one of them.
    pub(super) back: Option<SetBack>,
    /// They are to be opened in another room.
    elsewhere: HashMap<PhoneId, Elsewhere>,
    /// What they have left on cards in quarantine waits for a person.
    left: HashSet<PhoneId>,
    /// Something of them waits for a person, and whether it goes on at his word.
    held: HashMap<PhoneId, Result<(), Reason>>,
    /// They are being copied for the first time, which gives way.
    pub(super) give_way: HashSet<PhoneId>,
}

impl Known {
    pub(super) async fn of(app: &App, db: &impl ConnectionTrait, act: &Act, rows: &[Model]) -> Outcome<Self> {
        let mut known = Self {
            busy: saga::busy(db, rows).await?,
            copy: copy_of(db, act).await?,
            damaged: HashSet::new(),
            leaving: HashSet::new(),
            lost: HashMap::new(),
            older: HashMap::new(),
            back: None,
            elsewhere: HashMap::new(),
            left: HashSet::new(),
            held: HashMap::new(),
            give_way: HashSet::new(),
        };
        // What they have left on cards, and what is held, is in no copy's way.
        if !matches!(act, Act::WipeLeft | Act::GoOn { .. }) {
            known.give_way = saga::give_way(db, rows).await?;
        }
        known.busy.retain(|phone| !known.give_way.contains(phone));
        if matches!(act, Act::AcceptCopy { .. } | Act::GiveUp) {
            known.lost = Lost::of(db, rows).await?;
        }
        if matches!(act, Act::AcceptCopy { .. }) {
            known.older = Older::of(db, rows).await?;
        }
        if let Act::SetBack { backup_id, .. } = act {
            known.back = Some(SetBack::of(app, db, rows, *backup_id).await?);
        }
        if *act == Act::WipeLeft {
            known.left = saga::have_left(db, rows).await?;
        }
        if let Act::GoOn { accept_shrunk, take_off } = *act {
            known.held = Onward { accept_shrunk, take_off }.of(db, rows).await?;
        }
        if let Act::OpenElsewhere { room_id, .. } = act {
            known.elsewhere = Elsewhere::of(app, db, (rows, &known.busy), *room_id).await?;
        }
        if *act == Act::PutOn {
            known.damaged = damaged(db, rows).await?;
            // Those need no copy: they come back to what they have left.
            let returning = saga::have_sealed(db, rows).await?;
            known
                .damaged
                .retain(|kept| !rows.iter().any(|row| row.kept_id == Some(*kept) && returning.contains(&row.id)));
            known.leaving = saga::leaving(db, rows).await?;
        }
        Ok(known)
    }

    /// Whether it can be begun with a phone.
    pub(super) fn begins(&self, act: &Act, row: &Model) -> Result<(), Reason> {
        // That is about cards that it has left, whatever is done to the phone itself.
        if *act == Act::WipeLeft {
            return if self.left.contains(&row.id) { Ok(()) } else { Err(Reason::NothingLeft) };
        }
        // So is that, or about a take-off that is held.
        if matches!(act, Act::GoOn { .. }) {
            return self.held.get(&row.id).copied().unwrap_or(Err(Reason::NothingHeld));
        }
        // It stays where it is.
        if self.leaving.contains(&row.id) {
            return act::stays(row);
        }
        let is_off = row.use_type == UseType::Off;
        let not_lost = if is_off { Reason::PhoneOffMachine } else { Reason::CardNotLost };
        let lost = || self.lost.get(&row.id).ok_or(not_lost);
        match (act, &self.copy) {
            (Act::AcceptCopy { answered_for, backup_id }, _) => {
                return match self.older.get(&row.id) {
                    Some(older) => older.comes(*backup_id),
                    None => lost()?.goes_on_with(*backup_id, *answered_for),
                };
            }
            (Act::GiveUp, _) => return lost()?.is_given_up(),
            (Act::OpenElsewhere { answered_for, .. }, _) => {
                return self.elsewhere.get(&row.id).ok_or(Reason::PhoneGone)?.opens(*answered_for);
            }
            (Act::Restart | Act::BackUp | Act::TakeOff { .. }, _) => act::is_on(row)?,
            (Act::SetBack { .. }, _) => {
                self.back.as_ref().ok_or(Reason::CopyUnfit)?.copy(row.id)?;
            }
            (Act::FromBackup { .. }, None) => return Err(Reason::CopyUnfit),
            (Act::FromBackup { .. }, Some((copy, from))) => {
                act::takes_copy(row)?;
                saga::fits(copy, from, row)?;
            }
            _ => act::puts_on(row)?,
        }
        if row.kept_id.is_some_and(|kept| self.damaged.contains(&kept)) {
            return Err(Reason::CopyDamaged);
        }
        if self.busy.contains(&row.id) { Err(Reason::PhoneUnderWay) } else { Ok(()) }
    }
}

/// Looks whether somebody who lets a phone go on with a copy has seen the one that is on offer to it.
///
/// # Errors
/// It is another one, or it has to be named and is not; or a read fails.
pub(super) async fn seen(db: &impl ConnectionTrait, phone: PhoneId, named: Option<BackupId>) -> Outcome<()> {
    let Some(row) = Entity::find_by_id(phone).one(db).await? else { return Ok(()) };
    let rows = [row];
    let older = Older::of(db, &rows).await?.remove(&phone);
    if named.is_none() {
        return if older.is_some() { Err(Fault::field("backupId", Violation::new("required"))) } else { Ok(()) };
    }
    let offered = match older {
        Some(older) => older.offered(),
        None => Lost::of(db, &rows).await?.remove(&phone).and_then(Lost::copy),
    };
    if offered == named { Ok(()) } else { Err(Fault::conflict(reasons::text_of(Reason::CopyNotOffered))) }
}

/// Those of the users of these phones who have closed their accounts: none of them has a phone back.
pub(super) async fn closed(
    db: &impl ConnectionTrait,
    act: &act::Act,
    rows: &[Model],
) -> Outcome<HashSet<ClientUserId>> {
    if *act != act::Act::Restore {
        return Ok(HashSet::new());
    }
    let found = customers::out_of_use(db, rows.iter().map(|row| row.user_id)).await?;
    let is_closed =
        |(user, status): (ClientUserId, ClientUserStatus)| (status == ClientUserStatus::LoggedOut).then_some(user);
    Ok(found.into_iter().filter_map(is_closed).collect())
}

/// Which of the copies that phones live by are damaged.
async fn damaged(db: &impl ConnectionTrait, rows: &[Model]) -> Outcome<HashSet<BackupId>> {
    let select = backup::Entity::find().select_only().column(backup::Column::Id);
    let found: Vec<BackupId> = select
        .filter(backup::Column::Id.is_in(rows.iter().filter_map(|row| row.kept_id)))
        .filter(backup::Column::Damage.ne(""))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}
