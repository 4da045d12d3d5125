//! Apps that phones may not have: list, file, create, change, delete. They do not come back with a copy ([`withheld`]).

pub mod withheld;

use base::access::catalog::STORAGE;
use base::fault::Fault;
use base::log;
use base::prelude::*;
use entity::ForbiddenAppId;
use entity::forbidden_app::{ActiveModel, Column as By, Entity, MOST, Model};
use entity::phone::Plan;
use fleet::operation::package_name;
use sea_orm::PaginatorTrait as _;
use serde::Serialize;
use utoipa::IntoParams;

const NOT_FOUND: Text = text("应用不存在", "There is no such app");
const FULL: Text =
    text("最多禁止 {most} 个应用，请先删除不再需要的", "At most {most} apps are forbidden; delete some first");
const EVERY_PLAN: Text = text("全部套餐", "All plans");
/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("package", "package"), ("package_all", "package")];

base::screens! {
    screen "storageApps" ("应用管理", "App management") in STORAGE at 40, path "apps", icon "safety" {
        LIST = "app:list" ("查看", "View");
        CREATE = "app:create" ("新增禁止的应用", "Forbid apps");
        UPDATE = "app:update" ("编辑禁止的应用", "Edit forbidden apps");
        DELETE = "app:delete" ("取消禁止应用", "Forbid apps no longer");
        EXPORT = "app:export" ("导出", "Export");
    }
}

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    screens: &[SCREENS],
    lists: &[list::entry::<ForbiddenApps>()],
    kinds: &[("forbiddenApp", text("禁止的应用", "Forbidden app"))],
    shapes: &[log::shape("forbiddenApp", Model::name)],
    tables: &[Table::kept("forbidden_app", "id"), Table::kept("withheld_app", "saga_id, package")],
    demo: |app| demo::rows(app, ["com.example.autoclick", "com.example.miner"], example),
    ..Domain::new("forbiddenApp", router)
};

/// The access table.
fn router() -> DomainRouter {
    list::Calls {
        path: "/api/storage/v1/forbidden-apps",
        tag: "storage",
        name: "forbidden_app",
        what: "apps that phones may not have",
        see: perm::LIST,
    }
    .routes::<ForbiddenApps>()
    .act(perm::CREATE, routes!(forbidden_app_create))
    .act(perm::UPDATE, routes!(forbidden_app_update))
    .act(perm::DELETE, routes!(forbidden_app_delete))
}

/// A filter for forbidden apps.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ForbiddenAppFilter {
    /// Part of the name or the package.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Those that phones of this plan may not have, for whichever reason.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub plan: Option<Plan>,
}

impl Validate for ForbiddenAppFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// The list, newest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ForbiddenApps;

impl List for ForbiddenApps {
    type Filter = ForbiddenAppFilter;
    type Row = Model;
    type Sort = By;
    const NAME: Text = SCREENS[0].name;
    const KIND: &'static str = "forbiddenApp.export";
    const NEED: Need = perm::EXPORT;

    fn columns() -> Vec<Column<Model, By>> {
        vec![
            column("name", text("名称", "Name"), 24).sorted_by(By::Name).text(|row: &Model| &row.name),
            column("package", text("包名", "Package"), 40).sorted_by(By::Package).text(|row| &row.package),
            column("plan", text("套餐", "Plan"), 12).label(|row| row.plan.map_or(EVERY_PLAN, Plan::label)),
            list::created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            list::updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &ForbiddenAppFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<Model>> {
        let (db, ForbiddenAppFilter { key_word, plan }) = (from.db(), filter);
        let found = |text| search::scan(db.get_database_backend(), "forbidden_app", &["name", "package"], text);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| select.filter(found(text)))
            .apply_if(*plan, |select, plan| select.filter(withheld::holds_for(plan)));
        Ok(list_page(db, order.apply(select, Direction::Desc), page).await?)
    }
}

/// An app that phones may not have, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForbiddenAppInput {
    /// What people call it, 1 to 48 characters.
    #[schema(min_length = 1, max_length = 48)]
    pub name: String,
    /// Its package, such as `com.example.game`, at most 128 characters; unique with the plan.
    #[schema(min_length = 1, max_length = 128)]
    pub package: String,
    /// The phones that may not have it; none may if it is left out.
    #[serde(default)]
    pub plan: Option<Plan>,
}

impl Validate for ForbiddenAppInput {
    fn check(&self, check: &mut Check) {
        let Self { name, package, plan: _ } = self;
        check.field("name", rules::line(name, 48));
        check.field("package", rules::line(package, 128).and_then(|()| package_name(package)));
    }
}

/// The row of a new one.
fn new(input: ForbiddenAppInput, now: UtcTime) -> ActiveModel {
    let ForbiddenAppInput { name, package, plan } = input;
    ActiveModel {
        name: Set(name),
        package: Set(package),
        plan: Set(plan),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    }
}

/// One of the demo company.
fn example(package: &str, now: UtcTime) -> ActiveModel {
    let (name, plan) =
        if package.ends_with("miner") { ("挖矿程序", None) } else { ("连点器", Some(Plan::Vvip)) };
    new(ForbiddenAppInput { name: name.to_owned(), package: package.to_owned(), plan }, now)
}

/// Forbids an app: from then on it does not come back with a copy. Phones that have it keep it until they come on another card.
#[utoipa::path(post, path = "/api/storage/v1/forbidden-apps", tag = "storage", request_body = ForbiddenAppInput,
    responses((status = 200, body = Reply<Model>)))]
async fn forbidden_app_create(ctx: OpCtx, Valid(input): Valid<ForbiddenAppInput>) -> ApiResult<Model> {
    let tx = ctx.begin_write().await?;
    if Entity::find().count(&*tx).await? >= MOST {
        return Err(Fault::conflict(FULL.with("most", MOST)));
    }
    let row = new(input, ctx.now());
    let made = Entity::insert(row).exec_with_returning(&*tx).await.map_err(unique("forbidden_app", UNIQUE))?;
    tx.commit(Audit::of("forbiddenApp").id(made.id).name(&made.name).after(&made)).await?;
    reply(made)
}

/// Changes a forbidden app.
#[utoipa::path(put, path = "/api/storage/v1/forbidden-apps/{id}", tag = "storage",
    params(("id" = i64, Path, description = "The app's id")), request_body = ForbiddenAppInput,
    responses((status = 200, body = Reply<Model>)))]
async fn forbidden_app_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ForbiddenAppInput>,
) -> ApiResult<Model> {
    let tx = ctx.begin_write().await?;
    let before = Entity::find_by_id(ForbiddenAppId(id)).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let row = ActiveModel { id: Set(before.id), created_at: Set(before.created_at), ..new(input, ctx.now()) };
    let after = Entity::update(row).exec(&*tx).await.map_err(unique("forbidden_app", UNIQUE))?;
    tx.commit(Audit::of("forbiddenApp").id(id).name(&after.name).before(&before).after(&after)).await?;
    reply(after)
}

/// Forbids an app no longer: it comes again with copies that have it.
#[utoipa::path(delete, path = "/api/storage/v1/forbidden-apps/{id}", tag = "storage",
    params(("id" = i64, Path, description = "The app's id")), responses((status = 200, body = Reply<Nothing>)))]
async fn forbidden_app_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    let tx = ctx.begin_write().await?;
    let before = Entity::find_by_id(ForbiddenAppId(id)).one(&*tx).await?.or_missing(NOT_FOUND)?;
    Entity::delete_by_id(before.id).exec(&*tx).await?;
    tx.commit(Audit::of("forbiddenApp").id(id).name(&before.name).before(&before)).await?;
    done()
}
