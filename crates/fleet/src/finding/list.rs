//! Findings as a list and as a file.

use axum::response::Response;
use base::access::catalog::title_of;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column};
use base::reference::Reference;
use db::{list::list_page, search};
use entity::finding::{Column as By, Entity, FindingKind as Kind};
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::proposal::ProposedPlace;
use super::service::{FindingView, views};
use crate::screens::{SCREENS, perm};

/// A filter for findings.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct FindingFilter {
    /// Part of the serial, or the first octets of the address.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// In this room.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// Of this kind.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<Kind>,
    /// True: ignored ones. If omitted, those that are not ignored.
    #[serde(default)]
    pub ignored: Option<bool>,
}

impl Validate for FindingFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// Differences between the records and the rooms, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Findings;

impl List for Findings {
    type Filter = FindingFilter;
    type Row = FindingView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "discoveredDevices");
    const KIND: &'static str = "finding.export";
    const NEED: Need = perm::FINDING_EXPORT;

    fn columns() -> Vec<Column<FindingView, By>> {
        vec![
            column("kind", text("差异", "Difference"), 16)
                .sorted_by(By::Kind)
                .label(|row: &FindingView| row.kind.label()),
            column("serial", text("序列号", "Serial"), 20).sorted_by(By::Serial).text(|row| &row.serial),
            column("intranetIp", text("内网 IP", "Intranet IP"), 16)
                .sorted_by(By::IntranetIp)
                .words(|row| row.intranet_ip.to_string()),
            column("adbPort", text("ADB 端口", "ADB port"), 10).number(|row| Some(row.adb_port.into())),
            column("room", text("机房", "Room"), 24).text(|row| row.room.name()),
            column("proposal", text("建议位置", "Proposed place"), 24)
                .words(|row| row.proposal.as_ref().map_or_else(String::new, ProposedPlace::words)),
            column("manufacturer", text("厂商", "Manufacturer"), 16).text(|row| &row.manufacturer),
            column("model", text("型号", "Model"), 16).text(|row| &row.model),
            column("board", text("板卡型号", "Board"), 12).text(|row| &row.board),
            column("card", text("登记的卡", "Recorded card"), 20)
                .text(|row| row.card.as_ref().map_or("", Reference::name)),
            column("foundAt", text("发现时间", "Found at"), 20).sorted_by(By::FoundAt).time(|row| Some(row.found_at)),
            column("seenAt", text("最近看到", "Last seen"), 20).sorted_by(By::SeenAt).time(|row| Some(row.seen_at)),
            column("ignoredAt", text("忽略时间", "Ignored at"), 20).time(|row| row.ignored_at),
            column("ignoredBy", text("忽略人", "Ignored by"), 16).text(|row| &row.ignored_by),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &FindingFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<FindingView>> {
        let (db, FindingFilter { key_word, room_id, kind, ignored }) = (from.db(), filter);
        let is_ignored = *ignored == Some(true);
        let select = Entity::find()
            .filter(if is_ignored { By::IgnoredAt.is_not_null() } else { By::IgnoredAt.is_null() })
            .apply_if(key_word.as_deref(), |select, text| {
                let mut found = search::scan(db.get_database_backend(), "finding", &["serial"], text);
                if let Some((from, to)) = Ip4::beginning_with(text) {
                    found = found.or(By::IntranetIp.between(from, to));
                }
                select.filter(found)
            })
            .apply_if(*room_id, |select, id| select.filter(By::RoomId.eq(id)))
            .apply_if(*kind, |select, kind| select.filter(By::Kind.eq(kind)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// Lists differences between the records and the rooms, newest first by default.
#[utoipa::path(get, path = "/api/fleet/v1/findings", tag = "fleet", params(Asked<Findings>),
    responses((status = 200, body = Reply<Page<FindingView>>)))]
pub async fn finding_list(ctx: OpCtx, asked: Asked<Findings>) -> ApiResult<Page<FindingView>> {
    asked.answer(&ctx).await
}

/// Exports findings as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/findings/file", tag = "fleet", params(AskedFile<Findings>),
    responses(TableFile))]
pub async fn finding_export(ctx: OpCtx, asked: AskedFile<Findings>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
