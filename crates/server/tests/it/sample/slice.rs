//! Announcement: list, file, create, change, delete.

use base::access::catalog::GENERAL;
use base::prelude::*;
use super::AnnouncementId;
use super::row::{ActiveModel, Column as By, Entity, Model};

const NOT_FOUND: Text = text("公告不存在", "Announcement not found");
/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "name")];

base::screens! {
    screen "announcements" ("公告", "Announcement") in GENERAL at 90, path "announcements", icon "info" {
        LIST = "announcement:list" ("查看", "View");
        CREATE = "announcement:create" ("新增", "Create");
        UPDATE = "announcement:update" ("编辑", "Edit");
        DELETE = "announcement:delete" ("删除", "Delete");
        EXPORT = "announcement:export" ("导出", "Export");
    }
}

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    screens: &[SCREENS],
    lists: &[list::entry::<Announcements>()],
    kinds: &[("announcement", SCREENS[0].name)],
    tables: &[Table::kept("announcement", "id")],
    demo: |app| demo::rows(app, ["公告一", "公告二"], new),
    ..Domain::new("announcement", router)
};

/// The access table.
fn router() -> DomainRouter {
    let path = "/api/sample/v1/announcements";
    list::Calls { path, tag: "sample", name: "announcement", what: "announcements", see: perm::LIST }
        .routes::<Announcements>()
        .act(perm::CREATE, routes!(announcement_create))
        .act(perm::UPDATE, routes!(announcement_update))
        .act(perm::DELETE, routes!(announcement_delete))
}

/// The list, newest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Announcements;

impl List for Announcements {
    type Filter = KeyWord;
    type Row = Model;
    type Sort = By;
    const NAME: Text = SCREENS[0].name;
    const KIND: &'static str = "announcement.export";
    const NEED: Need = perm::EXPORT;

    fn columns() -> Vec<Column<Model, By>> {
        vec![
            column("name", text("名称", "Name"), 30).sorted_by(By::Name).text(|row: &Model| &row.name),
            list::created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            list::updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(from: &Reader, filter: &KeyWord, order: Order<By>, page: PageQuery) -> Outcome<Page<Model>> {
        let found = |text| search::scan(from.db().get_database_backend(), "announcement", &["name"], text);
        let select = Entity::find().apply_if(filter.text(), |select, text| select.filter(found(text)));
        Ok(list_page(from.db(), order.apply(select, Direction::Desc), page).await?)
    }
}

/// What an operator writes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnnouncementInput {
    /// 1 to 64 characters, unique.
    pub name: String,
}

impl Validate for AnnouncementInput {
    fn check(&self, check: &mut Check) {
        check.field("name", rules::line(&self.name, 64));
    }
}

/// The row of a new one.
fn new(name: &str, now: UtcTime) -> ActiveModel {
    ActiveModel { name: Set(name.to_owned()), created_at: Set(now), updated_at: Set(now), ..Default::default() }
}

/// Creates one.
#[utoipa::path(post, path = "/api/sample/v1/announcements", tag = "sample", request_body = AnnouncementInput,
    responses((status = 200, body = Reply<Model>)))]
async fn announcement_create(ctx: OpCtx, Valid(input): Valid<AnnouncementInput>) -> ApiResult<Model> {
    let tx = ctx.begin_write().await?;
    let row = new(&input.name, ctx.now());
    let made = Entity::insert(row).exec_with_returning(&*tx).await.map_err(unique("announcement", UNIQUE))?;
    tx.commit(Audit::of("announcement").id(made.id).name(&made.name).after(&made)).await?;
    reply(made)
}

/// Changes one.
#[utoipa::path(put, path = "/api/sample/v1/announcements/{id}", tag = "sample", params(("id" = i64, Path)),
    request_body = AnnouncementInput, responses((status = 200, body = Reply<Model>)))]
async fn announcement_update(ctx: OpCtx, PathId(id): PathId<i64>, input: Valid<AnnouncementInput>) -> ApiResult<Model> {
    let tx = ctx.begin_write().await?;
    let before = Entity::find_by_id(AnnouncementId(id)).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let row = ActiveModel { name: Set(input.0.name), updated_at: Set(ctx.now()), ..before.clone().into() };
    let after = Entity::update(row).exec(&*tx).await.map_err(unique("announcement", UNIQUE))?;
    tx.commit(Audit::of("announcement").id(id).name(&after.name).before(&before).after(&after)).await?;
    reply(after)
}

/// Deletes one.
#[utoipa::path(delete, path = "/api/sample/v1/announcements/{id}", tag = "sample", params(("id" = i64, Path)),
    responses((status = 200, body = Reply<Nothing>)))]
async fn announcement_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    let tx = ctx.begin_write().await?;
    let before = Entity::find_by_id(AnnouncementId(id)).one(&*tx).await?.or_missing(NOT_FOUND)?;
    Entity::delete_by_id(before.id).exec(&*tx).await?;
    tx.commit(Audit::of("announcement").id(id).name(&before.name).before(&before)).await?;
    done()
}
