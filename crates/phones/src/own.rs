//! What customers do with their phones over the Open API, besides connecting: they renew them, restart them, see their copies, and
//! have them go on with one of those.

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::backup::{self, BackupKind, BackupState};
use entity::phone::{Model as Phone, UseType};
use entity::saga::{self, SagaKind};
use entity::{BackupId, PhoneId};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select,
};
use wire::Reason;

use crate::connect::{Refused, Stand, stand};
use crate::phone::act::{self, Act};
use crate::phone::store;
use crate::saga::{self as sagas, Asked, Desk, Told};
use crate::settings::PhoneLife;

/// Restarts of a phone within an hour, and as often it is taken off to be set back, of what customers ask for.
const AN_HOUR: u64 = 6;
const HOUR: i64 = 3_600;

/// Adds days to a phone, which is locked, from now or from its expiry, whichever is later. Returns it as it is then.
///
/// # Errors
/// When the database refuses. Inside: why it cannot be renewed.
pub async fn renew(app: &App, tx: &mut WriteTx, before: &Phone, days: i64) -> Outcome<Result<Phone, Refused>> {
    let rules = app.settings.get::<PhoneLife>(app).await?;
    let after = match act::turn(before, &Act::Renew { days }, app.clock.now(), &rules) {
        Ok(after) => after,
        Err(why) => return Ok(Err(Refused::of(why, before))),
    };
    store::write(tx, &[(before.clone(), after.clone())]).await?;
    Ok(Ok(after))
}

/// What agents and open pages hear of what was begun with a phone once it is committed.
#[derive(Debug, Default)]
#[must_use = "an agent that copies the phone has to hear that it stops"]
pub struct Begun(Told);

impl Begun {
    /// After the commit.
    pub fn tell(self, app: &App) {
        self.0.tell(app);
    }
}

/// Restarts a phone, which is locked, on its card. One that restarts already does so once.
///
/// # Errors
/// When the database refuses. Inside: why it cannot be restarted.
pub async fn restart(app: &App, tx: &mut WriteTx, phone: &Phone, by: &str) -> Outcome<Result<Begun, Refused>> {
    if let Err(why) = act::stays(phone).and_then(|()| act::is_on(phone)) {
        return Ok(Err(Refused::of(why, phone)));
    }
    let open = sagas::locking(&**tx, phone.id, true).await?;
    if open.as_ref().is_some_and(|saga| saga.kind == SagaKind::Restart) {
        return Ok(Ok(Begun::default()));
    }
    let gives_way = match gives_way(tx, phone, open.as_ref()).await? {
        Ok(gives_way) => gives_way,
        Err(why) => return Ok(Err(Refused::of(why, phone))),
    };
    let restarts = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::Restart));
    if let Some(seconds) = too_often(&**tx, restarts, phone.id, app.clock.now()).await? {
        return Ok(Err(Refused::too_often(seconds)));
    }
    let mut desk = Desk::new(app, tx);
    if gives_way {
        desk.gives_way(phone).await?;
    }
    let asked = Asked { operation: None, by, at: desk.now };
    desk.restart(phone, &asked).await?;
    Ok(Ok(Begun(desk.told)))
}

/// Whether something is being done to a phone that gives way to what its customer wants. Inside: why that stands in the way.
async fn gives_way(tx: &WriteTx, phone: &Phone, open: Option<&saga::Model>) -> Outcome<Result<bool, Reason>> {
    let gives_way = !sagas::give_way(&**tx, std::slice::from_ref(phone)).await?.is_empty();
    if open.is_none() || gives_way {
        return Ok(Ok(gives_way));
    }
    Ok(Err(if let Stand::No(why) = stand(phone, open) { why } else { Reason::PhoneUnderWay }))
}

/// In how many seconds a customer may have something like this done to a phone again; none if he may now.
async fn too_often(
    db: &impl ConnectionTrait,
    such: Select<saga::Entity>,
    phone: PhoneId,
    now: UtcTime,
) -> Outcome<Option<i64>> {
    let lately = such
        .filter(saga::Column::PhoneId.eq(phone))
        .filter(saga::Column::OperationId.is_null())
        .filter(saga::Column::EnqueuedAt.gt(now.plus_seconds(-HOUR)));
    if lately.clone().count(db).await? < AN_HOUR {
        return Ok(None);
    }
    let last = lately.select_only().column(saga::Column::EnqueuedAt).order_by_desc(saga::Column::EnqueuedAt);
    let first: Option<UtcTime> = last.offset(AN_HOUR - 1).limit(1).into_tuple().one(db).await?;
    Ok(first.map(|first| first.plus_seconds(HOUR).seconds_since(now)))
}

/// A phone that is set back to a copy.
#[derive(Debug)]
#[must_use = "agents and open pages have to hear of it"]
pub struct Restoring {
    /// Who hears of it once it is committed.
    pub begun: Begun,
    /// It was off, and lives by that copy by now.
    pub is_done: bool,
}

/// Sets a phone, which is locked, back to a copy of its own. If it is on a card it is taken off first, at once; whoever waits for it
/// then has it with that copy.
///
/// # Errors
/// When the database refuses. Inside: why it cannot be.
pub async fn restore(
    app: &App,
    tx: &mut WriteTx,
    phone: &Phone,
    copy: BackupId,
    by: &str,
) -> Outcome<Result<Restoring, Refused>> {
    let refused = |why: Reason| Ok(Err(Refused::of(why, phone)));
    if let Err(why) = act::stays(phone) {
        return refused(why);
    }
    let open = sagas::locking(&**tx, phone.id, true).await?;
    let gives_way = match gives_way(tx, phone, open.as_ref()).await? {
        Ok(gives_way) => gives_way,
        Err(why) => return refused(why),
    };
    let found = match sagas::goes_back_to(app, &**tx, phone, copy).await? {
        Ok(found) => found,
        Err(why) => return refused(why),
    };
    let set_back = saga::Entity::find().filter(saga::Column::ComesWithId.is_not_null());
    if phone.use_type == UseType::On
        && let Some(seconds) = too_often(&**tx, set_back, phone.id, app.clock.now()).await?
    {
        return Ok(Err(Refused::too_often(seconds)));
    }
    let mut desk = Desk::new(app, tx);
    if gives_way {
        desk.gives_way(phone).await?;
    }
    let asked = Asked { operation: None, by, at: desk.now };
    let is_begun = desk.set_back(phone, &found, (&asked, true), "").await?;
    Ok(Ok(Restoring { begun: Begun(desk.told), is_done: !is_begun }))
}

/// A customer accepts that a phone, which is locked, goes on with the copy that is on offer to it, since its card is lost, or its own
/// copy is damaged. Nobody answers for a lost card over this door: it has to be off.
///
/// # Errors
/// When the database refuses. Inside: why it cannot be.
pub async fn accept_copy(
    app: &App,
    tx: &mut WriteTx,
    phone: &Phone,
    copy: BackupId,
    by: &str,
) -> Outcome<Result<Begun, Refused>> {
    let one = std::slice::from_ref(phone);
    let offered = match sagas::Older::of(&**tx, one).await?.remove(&phone.id) {
        Some(older) => older.comes(Some(copy)),
        None => match sagas::Lost::of(&**tx, one).await?.remove(&phone.id) {
            Some(lost) => lost.goes_on_with(Some(copy), false),
            None => Err(Reason::CopyNotOffered),
        },
    };
    if let Err(why) = act::stays(phone).and(offered) {
        return Ok(Err(Refused::of(why, phone)));
    }
    let mut desk = Desk::new(app, tx);
    let asked = Asked { operation: None, by, at: desk.now };
    let decides = sagas::Decides { operator: None, name: by, reason: "" };
    Ok(match desk.accept_copy(phone, &asked, decides).await? {
        Ok(_) => Ok(Begun(desk.told)),
        Err(why) => Err(Refused::of(why, phone)),
    })
}

/// A copy of a phone, as its customer sees it.
#[derive(Clone, Debug)]
pub struct OwnCopy {
    pub id: BackupId,
    pub kind: BackupKind,
    pub state: BackupState,
    /// The phone lives by it.
    pub is_kept: bool,
    /// A later reading found something in it damaged.
    pub is_damaged: bool,
    /// Taken while the phone went on.
    pub is_live: bool,
    pub files: i64,
    pub bytes: i64,
    pub began_at: UtcTime,
    pub verified_at: Option<UtcTime>,
    /// When the phone was set back to an older one.
    pub left_at: Option<UtcTime>,
    /// Nothing removes it before then.
    pub safe_until: Option<UtcTime>,
}

/// The next `limit` copies of a phone after `after`, in the order in which they were made.
///
/// # Errors
/// When the read fails.
pub async fn copies(db: &impl ConnectionTrait, phone: &Phone, after: BackupId, limit: u64) -> Outcome<Vec<OwnCopy>> {
    let rows = backup::Entity::find().filter(backup::Column::PhoneId.eq(phone.id)).filter(backup::Column::Id.gt(after));
    let rows = rows.order_by_asc(backup::Column::Id).limit(limit).all(db).await?;
    let view = |row: backup::Model| OwnCopy {
        id: row.id,
        kind: row.kind,
        state: row.state,
        is_kept: phone.kept_id == Some(row.id),
        is_damaged: !row.damage.is_empty(),
        is_live: row.is_live,
        files: row.files,
        bytes: row.bytes,
        began_at: row.began_at,
        verified_at: row.verified_at,
        left_at: row.left_at,
        safe_until: row.safe_until,
    };
    Ok(rows.into_iter().map(view).collect())
}
