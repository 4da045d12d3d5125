//! Phones as a list and as a file.

use base::access::catalog::title_of;
use base::export::step_size;
use base::fault::Outcome;
use base::http::{DomainRouter, Need};
use base::list::{Calls, Column, List, Order, Query, Reader, column, created_at};
use base::sheet::{self, Steps};
use entity::PhoneId;
use entity::phone::{Column as Field, Entity};
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use super::filter::{PhoneFilter, PhoneSort};
use super::store;
use super::view::{self, PhoneView};
use crate::screens::{SCREENS, perm};

/// Phones, newest first unless another order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Phones;

impl List for Phones {
    type Filter = PhoneFilter;
    type Row = PhoneView;
    type Sort = PhoneSort;
    const NAME: Text = title_of(SCREENS, "cloudPhoneList");
    const KIND: &'static str = "phone.export";
    const NEED: Need = perm::PHONE_EXPORT;
    const SORTED_FILE: bool = false;

    /// Headings that an import must recognize are used in the exports too.
    fn columns() -> Vec<Column<PhoneView, PhoneSort>> {
        vec![
            column("code", text("编号", "Code"), 14).sorted_by(PhoneSort::Id).text(|row: &PhoneView| &row.code),
            column("name", text("名称", "Name"), 16).text(|row| &row.name),
            column("user", text("用户", "User"), 16).text(|row| row.user.name()),
            column("userPhone", text("用户手机号", "User phone"), 14).text(|row| &row.user_phone),
            column("plan", text("套餐", "Plan"), 8).sorted_by(PhoneSort::Plan).label(|row| row.plan.label()),
            column("board", text("板卡", "Board"), 10).text(|row| &row.board),
            column("room", text("归属机房", "Home room"), 18).text(|row| row.room.name()),
            column("life", text("状态", "State"), 10).label(|row| row.life.label()),
            column("pool", text("池", "Pool"), 10).label(|row| row.pool.label()),
            column("useType", text("使用类型", "Use type"), 14).label(|row| row.use_type.label()),
            column("card", text("安卓卡", "Card"), 16)
                .text(|row| row.card.as_ref().and_then(|card| card.name.as_deref()).unwrap_or_default()),
            column("diskGb", text("云盘 (GB)", "Disk (GB)"), 10)
                .sorted_by(PhoneSort::DiskGb)
                .number(|row| Some(row.disk_gb.into())),
            column("usedBytes", text("已用 (字节)", "Used (bytes)"), 16)
                .sorted_by(PhoneSort::UsedBytes)
                .number(|row| Some(row.used_bytes)),
            column("diskState", text("云盘占用", "Disk use"), 12).label(|row| row.disk_state.label()),
            column("expiresAt", text("到期时间", "Expires at"), 20)
                .sorted_by(PhoneSort::ExpiresAt)
                .time(|row| Some(row.expires_at)),
            column("image", text("镜像版本", "Image"), 16).text(|row| &row.image),
            column("source", text("来源", "Source"), 10).label(|row| row.source.label()),
            column("frozenReason", text("冻结原因", "Reason for freezing"), 20).text(|row| &row.frozen_reason),
            column("staysUntil", text("可恢复至", "Can be restored until"), 20).time(|row| row.stays_until),
            column("lastUsedAt", text("最近使用", "Last used"), 20)
                .sorted_by(PhoneSort::LastUsedAt)
                .time(|row| row.last_used_at),
            column("lastBackupAt", text("最近备份", "Last backup"), 20)
                .sorted_by(PhoneSort::LastBackupAt)
                .time(|row| row.last_backup_at),
            created_at().sorted_by(PhoneSort::Id).time(|row| Some(row.created_at)),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &PhoneFilter,
        order: Order<PhoneSort>,
        page: PageQuery,
    ) -> Outcome<Page<PhoneView>> {
        let Page { list, total, .. } = store::list(&from.app.db, &filter.at(from.app.clock.now()), order, page).await?;
        Ok(Page::new(page, total, view::views(&from.app, from.lookups(), list).await?))
    }

    async fn total(from: &Reader, query: &Query<Self>) -> Outcome<u64> {
        Ok(query.filter.at(from.app.clock.now()).total(&from.app.db).await?)
    }

    async fn rows(from: Reader, query: Query<Self>) -> Outcome<Steps<PhoneView>> {
        let scope = query.filter.at(from.app.clock.now());
        Ok(sheet::steps(move |before: Option<PhoneId>| {
            let (from, scope) = (from.clone(), scope.clone());
            async move {
                let limit = step_size(before.as_ref());
                let mut select = scope.apply_by_id(from.app.db.backend(), Entity::find());
                if let Some(before) = before {
                    select = select.filter(Field::Id.lt(before));
                }
                let found = select.order_by_desc(Field::Id).limit(limit).all(from.db()).await?;
                let next = (found.len() as u64 == limit).then(|| found.last().map(|row| row.id)).flatten();
                Ok((view::views(&from.app, from.lookups(), found).await?, next))
            }
        }))
    }
}

/// The access table of the list.
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/phone/v1/phones",
        tag: "phone",
        name: "phone",
        what: "cloud phones",
        see: perm::PHONE_LIST,
    };
    calls.routes::<Phones>()
}
