//! What happened to a card, as a list and as a file.

use std::convert::Infallible;

use axum::response::Response;
use base::export::{FormatQuery, TableFile, export};
use base::fault::{OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, PageInput, Params, Reply, Validate, reply};
use base::list::{Column, List, Order, Query, Reader, Sort, column};
use db::list::list_page;
use entity::CardId;
use entity::card::{Fact, Lifecycle, Maintenance, Occupancy, Power};
use entity::card_event::{Axis, Column as By, Entity, Model, Source};
use kernel::lang::Lang;
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{service, store};
use crate::screens::perm;

/// The events of a card.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventsOf {
    card: CardId,
}

impl Validate for EventsOf {
    fn check(&self, _: &mut Check) {}
}

/// An event in a card's timeline.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardEventView {
    pub id: i64,
    pub at: UtcTime,
    pub axis: Axis,
    /// A code of the axis' own enumeration.
    pub from: i16,
    pub to: i16,
    /// Both in words; empty where the reason alone tells what changed.
    pub change: String,
    pub reason: String,
    pub source: Source,
    pub by: String,
}

impl CardEventView {
    fn of(row: Model, lang: Lang) -> Self {
        let Model { id, card_id: _, at, axis, from_code: from, to_code: to, reason, source, by_name: by } = row;
        Self { id, at, axis, from, to, change: change(axis, from, to, lang), reason, source, by }
    }
}

fn change(axis: Axis, from: i16, to: i16, lang: Lang) -> String {
    if axis == Axis::Record {
        return String::new();
    }
    let said = |code: i16| label(axis, code).map_or_else(|| code.to_string(), |label| label.get(lang).to_owned());
    format!("{} → {}", said(from), said(to))
}

/// What a code of an axis means; nothing of a place, which is a number, or of a code that a later version wrote.
fn label(axis: Axis, code: i16) -> Option<Text> {
    match axis {
        Axis::Lifecycle => Lifecycle::from_code(code).map(Lifecycle::label),
        Axis::Power | Axis::WantedPower => Power::from_code(code).map(Power::label),
        Axis::Reached | Axis::TcpOpen | Axis::AdbAnswers | Axis::Booted => Fact::from_code(code).map(Fact::label),
        Axis::Occupancy => Occupancy::from_code(code).map(Occupancy::label),
        Axis::Maintenance => Maintenance::from_code(code).map(Maintenance::label),
        Axis::Assignable | Axis::Overcommit | Axis::Upgrading => {
            Some(if code == 0 { Fact::No } else { Fact::Yes }.label())
        }
        Axis::Place | Axis::Record => None,
    }
}

/// What happened to a card, newest first.
#[derive(Clone, Copy, Debug)]
pub struct CardEvents;

impl List for CardEvents {
    type Filter = EventsOf;
    type Row = CardEventView;
    type Sort = Infallible;
    const NAME: Text = text("设备时间线", "Timeline of a card");
    const KIND: &'static str = "card.exportEvents";
    const NEED: Need = perm::DEVICE_EXPORT;

    fn columns() -> Vec<Column<CardEventView, Infallible>> {
        vec![
            column("id", text("编号", "Number"), 10).number(|row: &CardEventView| Some(row.id)),
            column("at", text("时间", "Time"), 20).time(|row| Some(row.at)),
            column("axis", text("项目", "Item"), 12).label(|row| row.axis.label()),
            column("change", text("变化", "Change"), 24).text(|row| &row.change),
            column("source", text("来源", "Source"), 12).label(|row| row.source.label()),
            column("by", text("操作员", "Operator"), 16).text(|row| &row.by),
            column("reason", text("原因", "Reason"), 40).text(|row| &row.reason),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &EventsOf,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<CardEventView>> {
        let newest_first = Entity::find().filter(By::CardId.eq(filter.card)).order_by_desc(By::Id);
        Ok(list_page(from.db(), newest_first, page).await?.map(|row| CardEventView::of(row, from.lang)))
    }
}

async fn query(ctx: &OpCtx, id: i64) -> Outcome<Query<CardEvents>> {
    let card = store::find(ctx.read(), CardId(id)).await?.or_missing(service::NOT_FOUND)?.id;
    Ok(Query { filter: EventsOf { card }, sort: Sort::default() })
}

/// Lists the events of a card, newest first.
#[utoipa::path(get, path = "/api/fleet/v1/cards/{id}/events", tag = "fleet",
    params(("id" = i64, Path, description = "The card's id"), PageInput),
    responses((status = 200, body = Reply<Page<CardEventView>>)))]
pub async fn card_events(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<CardEventView>> {
    reply(query(&ctx, id).await?.page(&Reader::of(&ctx), page.get()?).await?)
}

/// Exports the events of a card as a file, newest first; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/cards/{id}/events/file", tag = "fleet",
    params(("id" = i64, Path, description = "The card's id"), FormatQuery), responses(TableFile))]
pub async fn card_events_export(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(file): Params<FormatQuery>,
) -> Outcome<Response> {
    export(&ctx, query(&ctx, id).await?, file.format).await
}
