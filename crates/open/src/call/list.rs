//! The log as a list and as a file.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;

use base::export::step_size;
use base::prelude::*;
use base::reference::Reference;
use base::sheet::{self, Steps};
use db::kept::{self, Cells, Part};
use db::sql;
use entity::open_call::{Column as By, Entity, Model, OpenOutcome};
use entity::{OpenAppId, open_app};
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, ExprTrait as _, PaginatorTrait as _, QueryOrder as _, QuerySelect as _, Select,
};
use serde::Serialize;
use utoipa::IntoParams;

use super::{APP, CALLS, OUTCOME};
use crate::screens::perm;

/// A filter for calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OpenCallFilter {
    /// Those of one application.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<i64>)]
    pub app_id: Option<i64>,
    /// What became of them.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub outcome: Option<OpenOutcome>,
    /// Part of the path, the code, the key or the address.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// At or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// At or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

impl Validate for OpenCallFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.period(self.start_time, self.end_time);
    }
}

/// A call of the Open API.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenCallView {
    pub id: i64,
    pub at: UtcTime,
    pub app: Reference,
    /// The key that it named.
    pub key_code: String,
    pub method: String,
    /// As the document has it, with `{id}`.
    pub path: String,
    /// Of HTTP.
    pub status: i16,
    pub outcome: OpenOutcome,
    /// Why it was refused; empty if it was not.
    pub code: String,
    pub millis: i32,
    pub ip: String,
}

impl OpenCallFilter {
    /// The parts of counter cells for this filter; none if cells cannot answer it.
    fn parts(&self) -> Option<Vec<Part>> {
        let Self { app_id, outcome, key_word, start_time, end_time } = self;
        if key_word.is_some() || start_time.is_some() || end_time.is_some() {
            return None;
        }
        let parts = [app_id.map(|app| APP.is(app)), outcome.map(|outcome| OUTCOME.is(outcome.code()))];
        Some(parts.into_iter().flatten().collect())
    }

    fn apply(&self, backend: DbBackend, mut select: Select<Entity>) -> Select<Entity> {
        // Every field is named, so that a new filter cannot be forgotten here.
        let Self { app_id, outcome, key_word, start_time, end_time } = self;
        if let Some(app) = app_id {
            select = select.filter(By::AppId.eq(OpenAppId(*app)));
        }
        if let Some(outcome) = outcome {
            let status = || sql::unindexed(backend, By::Status);
            select = select.filter(match outcome {
                OpenOutcome::Answered => status().lt(400),
                OpenOutcome::Refused => status().gte(400).and(status().lt(500)),
                OpenOutcome::Failed => status().gte(500),
            });
        }
        if let Some(start) = start_time {
            select = select.filter(By::At.gte(*start));
        }
        if let Some(end) = end_time {
            select = select.filter(By::At.lte(*end));
        }
        if let Some(text) = key_word {
            select = select.filter(search::scan(backend, "open_call", &["path", "code", "key_code", "ip"], text));
        }
        select
    }

    async fn total(&self, db: &impl ConnectionTrait) -> Result<u64, DbErr> {
        match self.parts() {
            Some(parts) => kept::total(db, CALLS.list, Cells::With(&parts)).await,
            None => self.apply(db.get_database_backend(), Entity::find()).count(db).await,
        }
    }

    async fn page(&self, db: &impl ConnectionTrait, page: PageQuery) -> Result<Page<OpenCallView>, DbErr> {
        let total = self.total(db).await?;
        if page.offset() >= total {
            return Ok(Page::new(page, total, Vec::new()));
        }
        let mut select = self.apply(db.get_database_backend(), Entity::find());
        let mut offset = page.offset();
        if let Some(parts) = self.parts()
            && offset >= kept::BLOCK_SIZE.unsigned_abs()
            && let Some(start) = kept::seek(db, CALLS.list, Cells::With(&parts), offset, true).await?
        {
            select = select.filter(By::Id.lte(start.bound));
            offset = start.skip;
        }
        if self.start_time.is_some() || self.end_time.is_some() {
            // The index of the times then returns them in order.
            select = select.order_by_desc(By::At);
        }
        let rows = select.order_by_desc(By::Id).offset(offset).limit(page.page_size).all(db).await?;
        Ok(Page::new(page, total, views(db, rows).await?))
    }
}

/// `rows` with the names of their applications.
async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<OpenCallView>, DbErr> {
    let ids: BTreeSet<OpenAppId> = rows.iter().map(|row| row.app_id).collect();
    let select = open_app::Entity::find().select_only().columns([open_app::Column::Id, open_app::Column::Name]);
    let names: Vec<(OpenAppId, String)> = select.filter(open_app::Column::Id.is_in(ids)).into_tuple().all(db).await?;
    let names: HashMap<OpenAppId, String> = names.into_iter().collect();
    let view = |row: Model| {
        let Model { id, app_id, key_code, method, path, status, code, millis, ip, at } = row;
        let outcome = OpenOutcome::of(status);
        let app = Reference::among(app_id, &names);
        OpenCallView { id, at, app, key_code, method, path, status, outcome, code, millis, ip }
    };
    Ok(rows.into_iter().map(view).collect())
}

/// The list, newest first.
#[derive(Clone, Copy, Debug)]
pub struct OpenCalls;

impl List for OpenCalls {
    type Filter = OpenCallFilter;
    type Row = OpenCallView;
    type Sort = Infallible;
    const NAME: Text = text("调用日志", "Open API calls");
    const KIND: &'static str = "openCall.export";
    const NEED: Need = perm::OPEN_CALL_EXPORT;

    fn columns() -> Vec<Column<OpenCallView, Infallible>> {
        vec![
            column("at", text("时间", "Time"), 20).time(|row: &OpenCallView| Some(row.at)),
            column("app", text("应用", "Application"), 20).text(|row| row.app.name()),
            column("method", text("方法", "Method"), 8).text(|row| &row.method),
            column("path", text("接口", "Path"), 30).text(|row| &row.path),
            column("status", text("HTTP 状态", "HTTP status"), 10).number(|row| Some(row.status.into())),
            column("outcome", text("结果", "Outcome"), 10).label(|row| row.outcome.label()),
            column("code", text("原因代码", "Code"), 16).text(|row| &row.code),
            column("millis", text("耗时（毫秒）", "Took (ms)"), 10).number(|row| Some(row.millis.into())),
            column("ip", text("IP 地址", "IP address"), 16).text(|row| &row.ip),
            column("keyCode", text("密钥编号", "Key"), 26).text(|row| &row.key_code),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &OpenCallFilter,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<OpenCallView>> {
        Ok(filter.page(from.db(), page).await?)
    }

    async fn total(from: &Reader, query: &list::Query<Self>) -> Outcome<u64> {
        Ok(query.filter.total(from.db()).await?)
    }

    async fn rows(from: Reader, query: list::Query<Self>) -> Outcome<Steps<OpenCallView>> {
        Ok(sheet::steps(move |before: Option<i64>| {
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

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/platform/v1/open-calls";
    list::Calls { path, tag: "openApp", name: "open_call", what: "calls of the Open API", see: perm::OPEN_CALL_LIST }
        .routes::<OpenCalls>()
}
