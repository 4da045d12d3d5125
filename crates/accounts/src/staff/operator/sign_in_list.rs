//! Attempts of operators to sign in, as a list and as a file.

use axum::response::Response;
use base::access::need::JobNeeds;
use base::export::{TableFile, step_size};
use base::fault::{Fault, Outcome};
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Query, Reader, column};
use base::sheet::{self, Steps};
use db::{list::list_page, search};
use entity::OperatorId;
use entity::operator_sign_in::{Column as By, Entity, Model, SignInMethod, SignInOutcome as Came};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, Condition, EntityTrait as _, ExprTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    QueryTrait as _, Select,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::store;
use crate::screens::perm;

const SEARCHED: [&str; 4] = ["username", "ip", "claimed_ip", "device"];

/// A filter for sign-ins.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SignInFilter {
    /// This operator's; without the permission to view operators only the caller's own.
    #[serde(default)]
    #[param(value_type = Option<i64>)]
    pub user_id: Option<OperatorId>,
    /// At or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// At or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
    /// Part of the name, an address or the browser; up to 64 characters.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
}

impl Validate for SignInFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.period(self.start_time, self.end_time);
    }
}

/// An attempt to sign in.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInView {
    pub id: i64,
    /// Null if nobody was identified.
    pub user_id: Option<OperatorId>,
    /// The username as entered.
    pub username: String,
    pub at: UtcTime,
    pub outcome: Came,
    pub method: SignInMethod,
    /// The address of the connection.
    pub ip: String,
    /// The address that the client claimed.
    pub claimed_ip: String,
    /// The browser, as it identified itself.
    pub device: String,
}

impl From<Model> for SignInView {
    fn from(row: Model) -> Self {
        let Model { id, operator_id, username, at, outcome, method, ip, claimed_ip, device } = row;
        Self { id, user_id: operator_id, username, at, outcome, method, ip, claimed_ip, device }
    }
}

/// Attempts of operators to sign in, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct SignIns;

impl List for SignIns {
    type Filter = SignInFilter;
    type Row = SignInView;
    type Sort = By;
    const NAME: Text = text("登录记录", "Sign-ins");
    const KIND: &'static str = "operator.exportSignIns";
    const SORTED_FILE: bool = false;
    const NEED: Need = perm::OPERATOR_EXPORT;
    // A file may hold the attempts of others, which are for those who may view operators.
    const NEEDS: JobNeeds = JobNeeds { needs: &[perm::OPERATOR_EXPORT, perm::OPERATOR_GET], makes_file: true };

    fn columns() -> Vec<Column<SignInView, By>> {
        vec![
            column("at", text("时间", "Time"), 20).sorted_by(By::At).time(|row: &SignInView| Some(row.at)),
            column("username", text("输入的用户名", "Username entered"), 20).text(|row| &row.username),
            column("outcome", text("结果", "Outcome"), 16).label(|row| row.outcome.label()),
            column("method", text("方式", "Method"), 16).label(|row| row.method.label()),
            column("ip", text("IP 地址", "IP address"), 16).text(|row| &row.ip),
            column("claimedIp", text("客户端自报 IP", "Client-reported IP"), 16).text(|row| &row.claimed_ip),
            column("device", text("浏览器", "Browser"), 20).text(|row| &row.device),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &SignInFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<SignInView>> {
        let select = order.apply(select(from, filter).await?, Direction::Desc);
        Ok(list_page(from.db(), select, page).await?.map(SignInView::from))
    }

    async fn rows(from: Reader, query: Query<Self>) -> Outcome<Steps<SignInView>> {
        Ok(sheet::steps(move |before: Option<i64>| {
            let (from, filter) = (from.clone(), query.filter.clone());
            async move {
                let limit = step_size(before.as_ref());
                let below = select(&from, &filter).await?.apply_if(before, |rows, id| rows.filter(By::Id.lt(id)));
                let rows = below.order_by_desc(By::Id).limit(limit).all(from.db()).await?;
                let next = (rows.len() as u64 == limit).then(|| rows.last().map(|row| row.id)).flatten();
                Ok((rows.into_iter().map(SignInView::from).collect(), next))
            }
        }))
    }
}

async fn select(from: &Reader, filter: &SignInFilter) -> Outcome<Select<Entity>> {
    let (db, SignInFilter { user_id, start_time, end_time, key_word }) = (from.db(), filter);
    let whose = match user_id {
        Some(id) => Some(of_operator(from, *id).await?),
        None => None,
    };
    Ok(Entity::find()
        .apply_if(whose, |select, whose| select.filter(whose))
        .apply_if(*start_time, |select, start| select.filter(By::At.gte(start)))
        .apply_if(*end_time, |select, end| select.filter(By::At.lte(end)))
        .apply_if(key_word.as_deref().filter(|text| !text.is_empty()), |select, text| {
            select.filter(search::scan(db.get_database_backend(), "operator_sign_in", &SEARCHED, text))
        }))
}

/// The attempts of an operator, including failed ones with their name: these are what they want to know about.
async fn of_operator(from: &Reader, id: OperatorId) -> Outcome<Condition> {
    let mut which = Condition::any().add(By::OperatorId.eq(id));
    if let Some(row) = store::find(from.db(), id).await? {
        which = which.add(By::OperatorId.is_null().and(By::Username.eq(row.username)));
    }
    Ok(which)
}

/// Whether the caller may view operators: who may not is told of their own attempts only.
fn sees_others(ctx: &OpCtx) -> bool {
    ctx.may(perm::OPERATOR_GET.code())
}

/// Asks for one's own, where nobody is named.
fn own(ctx: &OpCtx, mut query: Query<SignIns>) -> Query<SignIns> {
    query.filter.user_id = query.filter.user_id.or_else(|| (!sees_others(ctx)).then(|| ctx.operator()));
    query
}

/// Whether others' are asked for without the permission.
fn is_nosy(ctx: &OpCtx, query: &Query<SignIns>) -> bool {
    !sees_others(ctx) && query.filter.user_id.is_some_and(|id| id != ctx.operator())
}

/// Lists sign-ins of operators, newest first by default. Those who may not view operators get their own.
#[utoipa::path(get, path = "/api/user/v1/login/record", tag = "operator", params(Asked<SignIns>),
    responses((status = 200, body = Reply<Page<SignInView>>)))]
pub async fn sign_in_list(ctx: OpCtx, asked: Asked<SignIns>) -> ApiResult<Page<SignInView>> {
    let Asked { query, page } = asked;
    if is_nosy(&ctx, &query) {
        return Err(Fault::Denied(perm::OPERATOR_GET.code()));
    }
    Asked { query: own(&ctx, query), page }.answer(&ctx).await
}

/// Exports sign-ins of operators as a file, newest first; above `export_rows` rows a background task does it. Those who
/// may not view operators get their own.
#[utoipa::path(get, path = "/api/user/v1/login/record/file", tag = "operator", params(AskedFile<SignIns>),
    responses(TableFile))]
pub async fn sign_in_export(ctx: OpCtx, asked: AskedFile<SignIns>) -> Outcome<Response> {
    let AskedFile { query, format } = asked;
    if is_nosy(&ctx, &query) {
        ctx.require(perm::OPERATOR_GET.code()).await?;
    }
    AskedFile { query: own(&ctx, query), format }.answer(&ctx).await
}
