//! Operations on single phones, and new ones.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::phone::{self, DISK_GB, Entity, Life, Model, PhonePool, PhoneSource, Plan, UseType};
use entity::{ClientUserId, PhoneId, RoomId};
use kernel::rules::{Check, Violation, after_now, integer_between, max_chars, name as name_rule};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bulk::{NewPhone, insert_many};
use super::counts::moved;
use super::filter::TABLE;
use super::search::document;
use super::store;
use crate::saga;

/// There is no such phone.
pub const NOT_FOUND: Text = text("云手机不存在", "Cloud phone not found");
const GONE: Text = text("云手机已清除，无法修改", "The phone is erased and cannot be changed");
/// Phones that are made at once.
const MOST: i64 = 5000;
/// Rows in one transaction; more are made in steps, each acknowledged by its own log entry.
const STEP: usize = 1000;

/// New phones of one user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PhoneCreateInput {
    /// Whose they are.
    pub user_id: ClientUserId,
    /// What was bought.
    pub plan: Plan,
    /// Their home.
    pub room_id: RoomId,
    /// On which cards they come; if omitted, on those that phones share.
    #[serde(default = "shared")]
    pub pool: PhonePool,
    /// Chinese characters, digits and letters, up to 48; or empty.
    #[serde(default)]
    #[schema(max_length = 48)]
    pub name: String,
    /// 1 to 9999.
    #[schema(minimum = 1, maximum = 9999)]
    pub disk_gb: i32,
    /// Must be in the future.
    pub expires_at: UtcTime,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
    /// How many, 1 to 5000.
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 5000)]
    pub count: i64,
}

const fn one() -> i64 {
    1
}

const fn shared() -> PhonePool {
    PhonePool::Shared
}

impl Validate for PhoneCreateInput {
    fn check(&self, check: &mut Check) {
        let Self { user_id: _, plan: _, room_id: _, pool: _, name, disk_gb, expires_at: _, remark, count } = self;
        check_record(check, name, *disk_gb, remark);
        check.field("count", integer_between(*count, 1, MOST));
    }
}

/// The rules of what operators may say of a phone.
pub fn check_record(check: &mut Check, name: &str, disk_gb: i32, remark: &str) {
    check.optional("name", Some(name), name_rule);
    check.field("diskGb", integer_between(disk_gb.into(), 1, 9999));
    check.field("remark", max_chars(remark, 256));
}

/// A phone, as an operator changes it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PhoneUpdateInput {
    /// Chinese characters, digits and letters, up to 48; or empty.
    #[serde(default)]
    #[schema(max_length = 48)]
    pub name: String,
    /// Its home; may change only while it is off the machine.
    pub room_id: RoomId,
    /// On which cards it comes from now on: one that is on a card stays there. Unchanged if omitted.
    #[serde(default)]
    pub pool: Option<PhonePool>,
    /// 1 to 9999, and not below what is used.
    #[schema(minimum = 1, maximum = 9999)]
    pub disk_gb: i32,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

impl Validate for PhoneUpdateInput {
    fn check(&self, check: &mut Check) {
        let Self { name, room_id: _, pool: _, disk_gb, remark } = self;
        check_record(check, name, *disk_gb, remark);
    }
}

/// What was made.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhonesCreated {
    /// How many.
    pub created: u64,
    /// The first of them.
    pub first_id: PhoneId,
    pub first_code: String,
    pub last_code: String,
}

/// The phone, or "not found".
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: PhoneId) -> Outcome<Model> {
    store::find(ctx.read(), id).await?.or_missing(NOT_FOUND)
}

/// Makes phones for a user.
///
/// # Errors
/// When there is no such user or room, the expiry is past, or the database refuses; the steps that were acknowledged
/// stay.
pub async fn create(ctx: &OpCtx, input: PhoneCreateInput) -> Outcome<PhonesCreated> {
    let PhoneCreateInput { user_id, plan, room_id, pool, name, disk_gb, expires_at, remark, count } = input;
    let source = PhoneSource::Operator;
    let new = NewPhone { name, user_id, plan, room_id, pool, disk_gb, expires_at, source, remark };
    let mut left = usize::try_from(count).unwrap_or(1);
    let mut made: Option<PhonesCreated> = None;
    while left > 0 {
        let mut tx = ctx.begin_write().await?;
        check_references(&*tx, &new, ctx.now()).await?;
        let rows = vec![new.clone(); left.min(STEP)];
        left -= rows.len();
        let rows = insert_many(tx.inner(), rows, ctx.now()).await?;
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { break };
        let audit = match rows.as_slice() {
            [row] => Audit::of("phone").id(row.id).name(&row.code).after(row),
            rows => Audit::of("phone")
                .name(format!("{} - {}", first.code, last.code))
                .after(first)
                .note(format!("{} rows", rows.len())),
        };
        tx.commit(audit).await?;
        made = Some(PhonesCreated {
            created: made.as_ref().map_or(0, |made| made.created) + rows.len() as u64,
            first_id: made.as_ref().map_or(first.id, |made| made.first_id),
            first_code: made.map_or_else(|| first.code.clone(), |made| made.first_code),
            last_code: last.code.clone(),
        });
    }
    made.ok_or_else(|| Fault::internal(anyhow::anyhow!("no phone was made")))
}

/// Whether what a new phone refers to is there, and its expiry still ahead.
async fn check_references(db: &impl ConnectionTrait, new: &NewPhone, now: UtcTime) -> Outcome<()> {
    let mut check = Check::new();
    check.field("expiresAt", after_now(new.expires_at, now));
    if customers::open_account(db, new.user_id).await?.is_none() {
        check.add("userId", Violation::unknown_reference());
    }
    if !fleet::room_names(db, [new.room_id]).await?.contains_key(&new.room_id) {
        check.add("roomId", Violation::unknown_reference());
    }
    Ok(check.finish()?)
}

/// Changes what operators may say of a phone.
///
/// # Errors
/// When there is no such phone or room, the disk would be too small, or it is on the machine and should move.
pub async fn update(ctx: &OpCtx, id: PhoneId, input: PhoneUpdateInput) -> Outcome<Model> {
    let PhoneUpdateInput { name, room_id, pool, disk_gb, remark } = input;
    let mut tx = ctx.begin_write().await?;
    let before = store::find(&*tx, id).await?.or_missing(NOT_FOUND)?;
    if before.life == Life::Erased {
        return Err(Fault::conflict(GONE));
    }
    let mut check = Check::new();
    if i64::from(disk_gb) * DISK_GB < before.used_bytes {
        let least = (before.used_bytes + DISK_GB - 1) / DISK_GB;
        check.add("diskGb", Violation::new("phone.diskUsed").with("min", least));
    }
    if room_id != before.room_id {
        if before.use_type == UseType::On {
            check.add("roomId", Violation::new("phone.onMachine"));
        } else if !saga::busy(&*tx, std::slice::from_ref(&before)).await?.is_empty() {
            check.add("roomId", Violation::new("phone.underWay"));
        } else if !fleet::room_names(&*tx, [room_id]).await?.contains_key(&room_id) {
            check.add("roomId", Violation::unknown_reference());
        }
    }
    check.finish()?;
    let pool = pool.unwrap_or(before.pool);
    if pool != before.pool {
        saga::waits_for(&*tx, id, pool).await?;
    }
    let row = phone::ActiveModel {
        id: Set(id),
        name: Set(name),
        room_id: Set(room_id),
        pool: Set(pool),
        disk_gb: Set(disk_gb),
        remark: Set(remark),
        updated_at: Set(ctx.now()),
        ..Default::default()
    };
    let after = Entity::update(row).exec(&*tx).await?;
    let found_by = document(&after);
    if found_by != document(&before) {
        tx.documents().changed(TABLE, id.0, found_by);
    }
    moved(tx.counts(), Some(&before), &after);
    tx.commit(Audit::of("phone").id(id).name(&after.code).before(&before).after(&after)).await?;
    Ok(after)
}
