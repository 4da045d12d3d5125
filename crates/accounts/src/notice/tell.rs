//! Notifying an operator, in the transaction of the event.

use std::net::IpAddr;

use base::fault::Outcome;
use base::http::ops::{OpCtx, OpTx};
use entity::OperatorId;
use entity::operator_notice::{ActiveModel, Column, Entity, NoticeKind};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _,
};

/// Notices kept per operator; older ones are removed, read or not.
const KEPT: u64 = 100;
/// A browser without cookies looks new each time. The same one at the same address is reported once in this time.
const SAME_DEVICE_S: i64 = 30 * 24 * 3600;

/// One notice.
#[derive(Debug)]
pub struct Notice<'a> {
    /// Whom it is for.
    pub to: OperatorId,
    /// What has happened.
    pub kind: NoticeKind,
    /// Who did it.
    pub by: &'a str,
    /// From which address; empty if it was on the server itself.
    pub ip: String,
    /// The provider, or the browser.
    pub detail: &'a str,
}

/// Notifies an operator of what the caller has done to their account (or to the caller's own).
///
/// # Errors
/// When the database refuses.
pub async fn tell_by(ctx: &OpCtx, tx: &OpTx, to: OperatorId, kind: NoticeKind, detail: &str) -> Outcome<()> {
    let by = ctx.session.username.as_str();
    tell(&**tx, Notice { to, kind, by, ip: ctx.meta.ip.to_string(), detail }, ctx.now()).await
}

/// Writes a notice and removes the oldest beyond the limit.
///
/// # Errors
/// When the database refuses.
pub async fn tell(tx: &impl ConnectionTrait, notice: Notice<'_>, now: UtcTime) -> Outcome<()> {
    let Notice { to, kind, by, ip, detail } = notice;
    // The columns are bounded; a longer text must not make the operation fail.
    let cut = |text: &str| text.chars().take(64).collect::<String>();
    let row = ActiveModel {
        operator_id: Set(to),
        at: Set(now),
        kind: Set(kind),
        by_name: Set(cut(by)),
        ip: Set(cut(&ip)),
        detail: Set(cut(detail)),
        ..Default::default()
    };
    Entity::insert(row).exec_without_returning(tx).await?;
    let too_old: Option<i64> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::OperatorId.eq(to))
        .order_by_desc(Column::Id)
        .offset(KEPT)
        .limit(1)
        .into_tuple()
        .one(tx)
        .await?;
    if let Some(id) = too_old {
        Entity::delete_many().filter(Column::OperatorId.eq(to)).filter(Column::Id.lte(id)).exec(tx).await?;
    }
    Ok(())
}

/// Notifies an operator of a sign-in to their account from an unknown browser.
///
/// # Errors
/// When the database refuses.
pub async fn new_device(
    tx: &impl ConnectionTrait,
    who: (OperatorId, &str),
    ip: IpAddr,
    device: &str,
    now: UtcTime,
) -> Outcome<()> {
    let (to, by) = who;
    let told = Entity::find()
        .filter(Column::OperatorId.eq(to))
        .filter(Column::Kind.eq(NoticeKind::NewDevice))
        .filter(Column::Ip.eq(ip.to_string()))
        .filter(Column::Detail.eq(device))
        .filter(Column::At.gt(now.plus_seconds(-SAME_DEVICE_S)));
    if told.count(tx).await? > 0 {
        return Ok(());
    }
    tell(tx, Notice { to, kind: NoticeKind::NewDevice, by, ip: ip.to_string(), detail: device }, now).await
}
