//! Findings as a list and as a file.

use axum::response::Response;
use db::{list::list_page, search};
use entity::finding::{Column, Entity, FindingKind as Kind};
use kernel::ip4::Ip4;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::service::FindingView;
use crate::app::App;
use crate::domains::fleet::place::{InRoom, in_rooms};
use crate::export::{FormatQuery, Paged, TableFile, export};
use crate::fault::Outcome;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Direction, PageInput, Params, Reply, Sort, SortBy, reply};
use crate::sheet::{self, Cells, Table, column};

const COLUMNS: &[sheet::Column] = &[
    column(text("差异", "Difference"), 16),
    column(text("序列号", "Serial"), 20),
    column(text("内网 IP", "Intranet IP"), 16),
    column(text("ADB 端口", "ADB port"), 10),
    column(text("机房", "Room"), 24),
    column(text("厂商", "Manufacturer"), 16),
    column(text("型号", "Model"), 16),
    column(text("板卡型号", "Board"), 12),
    column(text("安卓卡 ID", "Card ID"), 10),
    column(text("发现时间", "Found at"), 20),
    column(text("最近看到", "Seen at"), 20),
    column(text("忽略时间", "Ignored at"), 20),
    column(text("忽略人", "Ignored by"), 16),
];

const fn kind_name(kind: Kind) -> Text {
    match kind {
        Kind::New => text("新设备", "New"),
        Kind::Missing => text("未找到", "Missing"),
        Kind::Moved => text("已移动", "Moved"),
        Kind::DuplicateAddress => text("地址重复", "Duplicate address"),
        Kind::WrongModel => text("型号不符", "Wrong model"),
        Kind::Ghost => text("已报废仍在线", "Ghost"),
    }
}

fn fill(InRoom { room, row }: &InRoom<FindingView>, to: &mut dyn Cells) {
    let lang = to.lang();
    to.text(kind_name(row.kind).get(lang));
    to.text(&row.serial);
    to.text(&row.intranet_ip.to_string());
    to.number(row.adb_port.into());
    to.text(room);
    to.text(&row.manufacturer);
    to.text(&row.model);
    to.text(&row.board);
    to.text(&row.card_id.map_or_else(String::new, |id| id.to_string()));
    to.time(Some(row.found_at));
    to.time(Some(row.seen_at));
    to.time(row.ignored_at);
    to.text(&row.ignored_by);
}

/// Which findings are meant.
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
    /// True: those that are ignored. Without a word about it, those that are not.
    #[serde(default)]
    pub ignored: Option<bool>,
}

impl FindingFilter {
    /// Notes what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        check.optional("keyWord", self.key_word.as_deref(), |text| max_chars(text, 64));
    }
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum FindingBy {
    Kind,
    Serial,
    IntranetIp,
    FoundAt,
    SeenAt,
}

impl SortBy for FindingBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::Kind => Column::Kind,
            Self::Serial => Column::Serial,
            Self::IntranetIp => Column::IntranetIp,
            Self::FoundAt => Column::FoundAt,
            Self::SeenAt => Column::SeenAt,
        }
    }
}

/// The findings that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Findings {
    pub filter: FindingFilter,
    pub sort: Sort<FindingBy>,
}

impl Findings {
    async fn read(&self, app: &App, wanted: PageQuery) -> Outcome<Page<FindingView>> {
        let FindingFilter { key_word, room_id, kind, ignored } = &self.filter;
        let db = app.db.read();
        let mut select = Entity::find().filter(if *ignored == Some(true) {
            Column::IgnoredAt.is_not_null()
        } else {
            Column::IgnoredAt.is_null()
        });
        if let Some(text) = key_word {
            let mut found = search::scan(db.get_database_backend(), "finding", &["serial"], text);
            if let Some((from, to)) = Ip4::beginning_with(text) {
                found = found.or(Column::IntranetIp.between(from, to));
            }
            select = select.filter(found);
        }
        if let Some(room) = room_id {
            select = select.filter(Column::RoomId.eq(*room));
        }
        if let Some(kind) = kind {
            select = select.filter(Column::Kind.eq(*kind));
        }
        Ok(list_page(db, self.sort.apply(select, Direction::Desc), wanted).await?.map(FindingView::from))
    }
}

impl Paged for Findings {
    type Row = InRoom<FindingView>;
    const KIND: &'static str = "finding.export";

    fn table() -> Table<InRoom<FindingView>> {
        Table { name: text("待接入设备", "Discovered devices"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.filter.check(&mut check);
        Ok(check.finish()?)
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<InRoom<FindingView>>> {
        Ok(in_rooms(app.db.read(), self.read(app, wanted).await?, |row| row.room_id).await?)
    }
}

/// Lists where the books and the rooms differ, newest first where no order is asked for.
#[utoipa::path(get, path = "/api/fleet/v1/findings", tag = "fleet", params(FindingFilter, Sort<FindingBy>, PageInput),
    responses((status = 200, body = Reply<Page<FindingView>>)))]
pub async fn finding_list(
    ctx: OpCtx,
    Params(filter): Params<FindingFilter>,
    Params(sort): Params<Sort<FindingBy>>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<FindingView>> {
    let findings = Findings { filter, sort };
    Paged::check(&findings)?;
    reply(findings.read(&ctx.app, page.get()?).await?)
}

/// Findings as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/fleet/v1/findings/file", tag = "fleet",
    params(FormatQuery, FindingFilter, Sort<FindingBy>), responses(TableFile))]
pub async fn finding_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<FindingFilter>,
    Params(sort): Params<Sort<FindingBy>>,
) -> Outcome<Response> {
    export(&ctx, Findings { filter, sort }, file.format).await
}
