//! What applications were told, as a list, as a file, and one by one.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;

use base::export::step_size;
use base::outbox::{DELIVERIES, parts};
use base::prelude::*;
use base::reference::Reference;
use base::sheet::{self, Steps};
use db::kept::{self, Cells};
use db::sql;
use entity::webhook::HookEvent;
use entity::webhook_delivery::{Column as By, DeliveryState, Entity, HookFailure, Model};
use entity::{DeliveryId, OpenAppId, open_app};
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, ExprTrait as _, PaginatorTrait as _, QueryOrder as _, QuerySelect as _, Select,
};
use serde::Serialize;
use utoipa::IntoParams;

use crate::screens::perm;

const NOT_FOUND: Text = text("推送记录不存在或已清理", "There is no such delivery, or it was removed for its age");
const NONE: Text = text("", "");

/// A filter for what applications were told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OpenDeliveryFilter {
    /// What one application was told.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[schema(value_type = Option<i64>)]
    #[param(value_type = Option<i64>)]
    pub app_id: Option<i64>,
    /// What has become of it.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub state: Option<DeliveryState>,
    /// Of what it was told.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<HookEvent>,
    /// Part of the id of the event, or of what people call what it is about.
    #[serde(default)]
    #[schema(max_length = 64)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Happened at or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// Happened at or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

impl Validate for OpenDeliveryFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.period(self.start_time, self.end_time);
    }
}

/// Something that an application was told, or is to be.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenDeliveryView {
    pub id: DeliveryId,
    /// When it happened.
    pub created_at: UtcTime,
    pub app: Reference,
    pub kind: HookEvent,
    /// `type` of what is sent.
    pub event: String,
    /// What it is about, as people call it.
    pub subject: String,
    pub state: DeliveryState,
    /// Since it happened, or somebody has had it sent again.
    pub tries: i16,
    /// Of HTTP, of the last try; none if nobody answered.
    pub status: Option<i16>,
    /// Why the last try has failed; none if it has not.
    pub failure: Option<HookFailure>,
    /// How long the last try took.
    pub millis: i32,
    /// When it is sent; none if it is not, or while something earlier about the same thing is on its way.
    pub next_at: Option<UtcTime>,
    pub tried_at: Option<UtcTime>,
    pub delivered_at: Option<UtcTime>,
    /// The same whenever it is sent.
    pub event_id: String,
}

/// The same with what is sent, and what was answered last.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenDeliveryDetail {
    pub delivery: OpenDeliveryView,
    /// The body, letter by letter.
    pub payload: String,
    /// The beginning of what was answered.
    pub answer: String,
}

impl OpenDeliveryFilter {
    /// Whether counter cells answer this filter.
    fn is_counted(&self) -> bool {
        let Self { app_id: _, state: _, kind: _, key_word, start_time, end_time } = self;
        key_word.is_none() && start_time.is_none() && end_time.is_none()
    }

    /// `select` restricted by this filter.
    pub fn apply(&self, backend: DbBackend, mut select: Select<Entity>) -> Select<Entity> {
        // Every field is named, so that a new filter cannot be forgotten here.
        let Self { app_id, state, kind, key_word, start_time, end_time } = self;
        if let Some(app) = app_id {
            select = select.filter(By::AppId.eq(OpenAppId(*app)));
        }
        if let Some(state) = state {
            select = select.filter(sql::unindexed(backend, By::State).eq(state.code()));
        }
        if let Some(kind) = kind {
            select = select.filter(sql::unindexed(backend, By::Kind).eq(kind.code()));
        }
        if let Some(start) = start_time {
            select = select.filter(By::CreatedAt.gte(*start));
        }
        if let Some(end) = end_time {
            select = select.filter(By::CreatedAt.lte(*end));
        }
        if let Some(text) = key_word {
            select = select.filter(search::scan(backend, "webhook_delivery", &["event_id", "subject"], text));
        }
        select
    }

    async fn total(&self, db: &impl ConnectionTrait) -> Result<u64, DbErr> {
        if self.is_counted() {
            let parts = parts(self.app_id.map(OpenAppId), self.kind, self.state);
            return kept::total(db, DELIVERIES.list, Cells::With(&parts)).await;
        }
        self.apply(db.get_database_backend(), Entity::find()).count(db).await
    }

    async fn page(&self, db: &impl ConnectionTrait, page: PageQuery) -> Result<Page<OpenDeliveryView>, DbErr> {
        let total = self.total(db).await?;
        if page.offset() >= total {
            return Ok(Page::new(page, total, Vec::new()));
        }
        let mut select = self.apply(db.get_database_backend(), Entity::find());
        let mut offset = page.offset();
        let parts = parts(self.app_id.map(OpenAppId), self.kind, self.state);
        if self.is_counted()
            && offset >= kept::BLOCK_SIZE.unsigned_abs()
            && let Some(start) = kept::seek(db, DELIVERIES.list, Cells::With(&parts), offset, true).await?
        {
            select = select.filter(By::Id.lte(DeliveryId(start.bound)));
            offset = start.skip;
        }
        if self.start_time.is_some() || self.end_time.is_some() {
            // The index of the times then returns them in order.
            select = select.order_by_desc(By::CreatedAt);
        }
        let rows = select.order_by_desc(By::Id).offset(offset).limit(page.page_size).all(db).await?;
        Ok(Page::new(page, total, views(db, rows).await?))
    }
}

/// `rows` with the names of their applications.
async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<OpenDeliveryView>, DbErr> {
    let ids: BTreeSet<OpenAppId> = rows.iter().map(|row| row.app_id).collect();
    let select = open_app::Entity::find().select_only().columns([open_app::Column::Id, open_app::Column::Name]);
    let names: Vec<(OpenAppId, String)> = select.filter(open_app::Column::Id.is_in(ids)).into_tuple().all(db).await?;
    let names: HashMap<OpenAppId, String> = names.into_iter().collect();
    let view = |row: Model| OpenDeliveryView {
        id: row.id,
        created_at: row.created_at,
        app: Reference::among(row.app_id, &names),
        kind: row.kind,
        event: row.kind.name().to_owned(),
        subject: row.subject,
        state: row.state,
        tries: row.tries,
        status: row.status,
        failure: row.failure,
        millis: row.millis,
        next_at: row.next_at,
        tried_at: row.tried_at,
        delivered_at: row.delivered_at,
        event_id: row.event_id,
    };
    Ok(rows.into_iter().map(view).collect())
}

/// The list, newest first.
#[derive(Clone, Copy, Debug)]
pub struct OpenDeliveries;

impl List for OpenDeliveries {
    type Filter = OpenDeliveryFilter;
    type Row = OpenDeliveryView;
    type Sort = Infallible;
    const NAME: Text = text("推送记录", "Deliveries");
    const KIND: &'static str = "openDelivery.export";
    const NEED: Need = perm::OPEN_DELIVERY_EXPORT;

    fn columns() -> Vec<Column<OpenDeliveryView, Infallible>> {
        vec![
            column("createdAt", text("时间", "Time"), 20).time(|row: &OpenDeliveryView| Some(row.created_at)),
            column("app", text("应用", "Application"), 20).text(|row| row.app.name()),
            column("kind", text("事件", "Event"), 18).label(|row| row.kind.label()),
            column("event", text("事件代码", "Type"), 16).text(|row| &row.event),
            column("subject", text("对象", "About"), 16).text(|row| &row.subject),
            column("state", text("状态", "State"), 10).label(|row| row.state.label()),
            column("tries", text("次数", "Tries"), 8).number(|row| Some(row.tries.into())),
            column("status", text("HTTP 状态", "HTTP status"), 10).number(|row| row.status.map(i64::from)),
            column("failure", text("失败原因", "Why not"), 26)
                .label(|row| row.failure.map_or(NONE, HookFailure::label)),
            column("millis", text("耗时（毫秒）", "Took (ms)"), 10).number(|row| Some(row.millis.into())),
            column("nextAt", text("下次推送", "Sent next at"), 20).time(|row| row.next_at),
            column("triedAt", text("上次推送", "Sent last at"), 20).time(|row| row.tried_at),
            column("deliveredAt", text("成功时间", "Delivered at"), 20).time(|row| row.delivered_at),
            column("eventId", text("事件编号", "Event ID"), 34).text(|row| &row.event_id),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &OpenDeliveryFilter,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<OpenDeliveryView>> {
        Ok(filter.page(from.db(), page).await?)
    }

    async fn total(from: &Reader, query: &list::Query<Self>) -> Outcome<u64> {
        Ok(query.filter.total(from.db()).await?)
    }

    async fn rows(from: Reader, query: list::Query<Self>) -> Outcome<Steps<OpenDeliveryView>> {
        Ok(sheet::steps(move |before: Option<DeliveryId>| {
            let (from, filter) = (from.clone(), query.filter.clone());
            async move {
                let limit = step_size(before.as_ref());
                let mut select = filter.apply(from.app.db.backend(), Entity::find());
                if let Some(before) = before {
                    select = select.filter(By::Id.lt(before));
                }
                let rows = select.order_by_desc(By::Id).limit(limit).all(from.db()).await?;
                let next = (rows.len() as u64 == limit).then(|| rows.last().map(|row| row.id)).flatten();
                Ok((views(from.db(), rows).await?, next))
            }
        }))
    }
}

/// Returns something that an application was told, with what was sent and answered.
#[utoipa::path(get, path = "/api/platform/v1/open-deliveries/{id}", tag = "openApp",
    params(("id" = i64, Path, description = "The delivery's id")),
    responses((status = 200, body = Reply<OpenDeliveryDetail>)))]
pub async fn open_delivery_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OpenDeliveryDetail> {
    let db = ctx.read();
    let row = Entity::find_by_id(DeliveryId(id)).one(db).await?.or_missing(NOT_FOUND)?;
    let (payload, answer) = (row.payload.clone(), row.answer.clone());
    let delivery = views(db, vec![row]).await?.pop().or_missing(NOT_FOUND)?;
    reply(OpenDeliveryDetail { delivery, payload, answer })
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/platform/v1/open-deliveries";
    let what = "what applications of the Open API were told by webhooks";
    list::Calls { path, tag: "openApp", name: "open_delivery", what, see: perm::OPEN_DELIVERY_LIST }
        .routes::<OpenDeliveries>()
        .view(perm::OPEN_DELIVERY_LIST, routes!(open_delivery_get))
}
