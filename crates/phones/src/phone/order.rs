//! What lines of orders ask of phones: answered once, in the transaction that does it, whoever asks again, and however
//! often. The money that was paid for a line stands on that.

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::ops::Audit;
use db::WriteTx;
use db::journal::Entry;
use entity::phone::{self, Entity, Model, PhonePool, PhoneSource, Plan};
use entity::phone_order::{self, LineAnswer};
use entity::{ClientUserId, OrderLineId, PhoneId, RoomId, phone_order_item};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use wire::Reason;

use super::act::{self, Act};
use super::bulk::{NewPhone, insert_many};
use super::store;
use crate::settings::PhoneLife;

const DAY: i64 = 86_400;
/// Gigabytes of the largest disk.
const LARGEST: i32 = 9999;
const OTHER: Text = text("该订单行此前请求的内容不同", "This line of the order has asked for something else before");

/// A line of an order that is to be delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub id: OrderLineId,
    /// Whose order it is; his are the phones.
    pub user_id: ClientUserId,
    pub wanted: Ordered,
}

/// What was bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Ordered {
    /// New phones.
    Phones {
        plan: Plan,
        /// Their home.
        room_id: RoomId,
        disk_gb: u16,
        /// For so many days from the delivery.
        days: u16,
        count: u16,
        source: PhoneSource,
    },
    /// Days for a phone, from its expiry or from now, whichever is later.
    Days { phone_id: PhoneId, days: u16 },
    /// A larger disk for a phone.
    Disk { phone_id: PhoneId, more_gb: u16 },
}

/// What became of a line. It stays so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// These phones were made, renewed or enlarged.
    Done(Vec<PhoneId>),
    /// It cannot be done, and nothing was changed.
    Refused(Reason),
    /// Its order took it back before it was answered.
    Withdrawn,
}

/// Delivers a line, or tells again what became of it.
///
/// # Errors
/// [`Fault::Conflict`] when the line has asked for something else before; when the database refuses, and then nothing has
/// become of it yet.
pub async fn deliver(app: &App, line: &Line) -> Outcome<Answer> {
    let wanted = serde_json::to_string(line).map_err(|error| Fault::Internal(error.into()))?;
    // Most who ask again do so since they have not heard: that is told without the lane of writers.
    if let Some(answer) = found(app.db.read(), line.id, Some(&wanted)).await? {
        return Ok(answer);
    }
    let now = app.clock.now();
    let mut tx = app.db.begin_write().await?;
    if let Some(answer) = found(&*tx, line.id, Some(&wanted)).await? {
        return Ok(answer);
    }
    let answer = match done(app, &mut tx, line, now).await {
        Ok(changes) => Answer::Done(told(&mut tx, line, changes, now)),
        Err(Left::Refused(why)) => Answer::Refused(why),
        Err(Left::Failed(fault)) => return Err(fault),
    };
    answered(&tx, line.id, wanted, &answer, now).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Takes a line back: nothing will become of it, unless something has already. Tells which.
///
/// # Errors
/// When the database refuses.
pub async fn withdraw(app: &App, line: OrderLineId) -> Outcome<Answer> {
    let tx = app.db.begin_write().await?;
    if let Some(answer) = found(&*tx, line, None).await? {
        return Ok(answer);
    }
    answered(&tx, line, String::new(), &Answer::Withdrawn, app.clock.now()).await?;
    tx.commit().await?;
    Ok(Answer::Withdrawn)
}

/// What the line was answered before, if it asked for `wanted` then.
async fn found(db: &impl ConnectionTrait, line: OrderLineId, wanted: Option<&str>) -> Outcome<Option<Answer>> {
    let Some(row) = phone_order::Entity::find_by_id(line).one(db).await? else { return Ok(None) };
    if row.answer != LineAnswer::Withdrawn && wanted.is_some_and(|wanted| wanted != row.wanted) {
        return Err(Fault::conflict(OTHER));
    }
    Ok(Some(match row.answer {
        LineAnswer::Done => {
            let items = phone_order_item::Entity::find().filter(phone_order_item::Column::LineId.eq(line));
            let items = items.order_by_asc(phone_order_item::Column::PhoneId).all(db).await?;
            Answer::Done(items.into_iter().map(|item| item.phone_id).collect())
        }
        LineAnswer::Refused => {
            let unknown = || Fault::internal(anyhow::anyhow!("line {line} was refused for {:?}", row.why));
            Answer::Refused(Reason::from_code(&row.why).ok_or_else(unknown)?)
        }
        LineAnswer::Withdrawn => Answer::Withdrawn,
    }))
}

/// Writes the answer, in the transaction of what was done.
async fn answered(tx: &WriteTx, line: OrderLineId, wanted: String, answer: &Answer, now: UtcTime) -> Outcome<()> {
    let (code, why, phones) = match answer {
        Answer::Done(phones) => (LineAnswer::Done, "", phones.as_slice()),
        Answer::Refused(why) => (LineAnswer::Refused, why.code(), [].as_slice()),
        Answer::Withdrawn => (LineAnswer::Withdrawn, "", [].as_slice()),
    };
    let row = phone_order::ActiveModel {
        line_id: Set(line),
        wanted: Set(wanted),
        answer: Set(code),
        why: Set(why.to_owned()),
        answered_at: Set(now),
    };
    phone_order::Entity::insert(row).exec_without_returning(&**tx).await?;
    for some in phones.chunks(500) {
        let items =
            some.iter().map(|phone| phone_order_item::ActiveModel { line_id: Set(line), phone_id: Set(*phone) });
        phone_order_item::Entity::insert_many(items).exec_without_returning(&**tx).await?;
    }
    Ok(())
}

/// A phone before, if there was one, and after.
type Change = (Option<Model>, Model);

/// Why a line is not done.
enum Left {
    /// It cannot be.
    Refused(Reason),
    Failed(Fault),
}

impl From<Reason> for Left {
    fn from(why: Reason) -> Self {
        Self::Refused(why)
    }
}

impl From<Fault> for Left {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl From<DbErr> for Left {
    fn from(error: DbErr) -> Self {
        Self::Failed(error.into())
    }
}

/// Does what a line asks for, all of it or nothing: whatever is refused is refused before the first write.
async fn done(app: &App, tx: &mut WriteTx, line: &Line, now: UtcTime) -> Result<Vec<Change>, Left> {
    match line.wanted {
        Ordered::Phones { plan, room_id, disk_gb, days, count, source } => {
            if customers::open_account(&**tx, line.user_id).await?.is_none() {
                return Err(Reason::PhoneUserGone.into());
            }
            if !fleet::room_names(&**tx, [room_id]).await?.contains_key(&room_id) {
                return Err(Reason::PhoneRoomGone.into());
            }
            let new = NewPhone {
                name: String::new(),
                user_id: line.user_id,
                plan,
                room_id,
                // Which phones have cards for themselves is said by operators.
                pool: PhonePool::Shared,
                disk_gb: disk_gb.into(),
                expires_at: now.plus_seconds(i64::from(days) * DAY),
                source,
                remark: String::new(),
            };
            let made = insert_many(tx, vec![new; usize::from(count)], now).await?;
            Ok(made.into_iter().map(|row| (None, row)).collect())
        }
        Ordered::Days { phone_id, days } => {
            let rules = app.settings.get::<PhoneLife>(app).await?;
            let before = theirs(tx, phone_id, line.user_id).await?;
            let after = act::turn(&before, &Act::Renew { days: days.into() }, now, &rules)?;
            store::write(tx, &[(before.clone(), after.clone())]).await?;
            Ok(vec![(Some(before), after)])
        }
        Ordered::Disk { phone_id, more_gb } => {
            let before = theirs(tx, phone_id, line.user_id).await?;
            act::living(&before)?;
            let disk_gb = before.disk_gb + i32::from(more_gb);
            if disk_gb > LARGEST {
                return Err(Reason::PhoneDiskLargest.into());
            }
            let row = phone::ActiveModel {
                id: Set(phone_id),
                disk_gb: Set(disk_gb),
                updated_at: Set(now),
                ..Default::default()
            };
            let after = Entity::update(row).exec(&**tx).await?;
            Ok(vec![(Some(before), after)])
        }
    }
}

/// The phone, locked, if it is this user's.
async fn theirs(tx: &WriteTx, id: PhoneId, user: ClientUserId) -> Result<Model, Left> {
    let row = Entity::find_by_id(id).lock_exclusive().one(&**tx).await?.ok_or(Reason::PhoneGone)?;
    if row.user_id == user { Ok(row) } else { Err(Reason::PhoneOfOther.into()) }
}

/// Tells the operation log, and which phones they were.
fn told(tx: &mut WriteTx, line: &Line, changes: Vec<Change>, now: UtcTime) -> Vec<PhoneId> {
    let action = match line.wanted {
        Ordered::Phones { .. } => "phone_ordered",
        Ordered::Days { .. } => "phone_order_renewed",
        Ordered::Disk { .. } => "phone_order_enlarged",
    };
    let audit = match changes.as_slice() {
        [(before, after)] => {
            let audit = Audit::of("phone").id(after.id).name(&after.code).after(after);
            match before {
                Some(before) => audit.before(before),
                None => audit,
            }
        }
        all => Audit::each("phone", all.iter().map(|(_, after)| (after.id.0, &after.code))),
    };
    tx.record(audit.fill(Entry { at: now, action: action.to_owned(), ..Entry::default() }));
    changes.into_iter().map(|(_, after)| after.id).collect()
}
