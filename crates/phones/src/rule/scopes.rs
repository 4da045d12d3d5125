//! Who has values of his own, as a list and as a file.

use std::collections::HashMap;

use base::prelude::*;
use base::reference::Reference;
use db::sql;
use entity::phone::Plan;
use entity::rule_value::{Column as By, Entity, Model, RuleField, RuleScope};
use sea_orm::{Condition, ConnectionTrait, DbErr, ExprTrait as _, FromQueryResult};
use serde::Serialize;
use utoipa::IntoParams;

use super::scope::{Names, RuleScopeView, Scope};
use super::values::words;
use crate::screens::perm;

/// Which scopes are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RuleScopeFilter {
    /// Those of a kind.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub scope: Option<RuleScope>,
    /// Those that have a value of this rule.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub field: Option<RuleField>,
}

impl Validate for RuleScopeFilter {
    fn check(&self, _: &mut Check) {}
}

impl RuleScopeFilter {
    fn sql(&self) -> String {
        let Self { scope, field } = self;
        let scope = scope.map(|scope| format!(" AND o.scope = {}", scope.code()));
        let field = field.map(|field| {
            let code = field.code();
            format!(
                " AND EXISTS (SELECT 1 FROM rule_value AS f WHERE f.scope = o.scope AND f.id = o.id AND f.field = {code})"
            )
        });
        format!("FROM rule_value AS o WHERE 1 = 1{}{}", scope.unwrap_or_default(), field.unwrap_or_default())
    }
}

/// Somebody who has values of his own.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleScopeRow {
    /// Its kind and its number.
    pub id: String,
    pub scope: RuleScope,
    pub plan: Option<Plan>,
    pub room: Option<Reference>,
    /// By its code.
    pub phone: Option<Reference>,
    /// What it is called.
    pub name: String,
    /// How many values it has of its own.
    pub count: i64,
    /// They, in words.
    pub summary: String,
    pub updated_at: UtcTime,
    pub updated_by: String,
}

#[derive(Debug, FromQueryResult)]
struct Group {
    scope: RuleScope,
    id: i64,
    n: i64,
}

/// The sort keys of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeSort {
    Scope,
    Count,
    UpdatedAt,
}

/// The list, the broadest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct RuleScopes;

impl List for RuleScopes {
    type Filter = RuleScopeFilter;
    type Row = RuleScopeRow;
    type Sort = ScopeSort;
    const NAME: Text = text("单独设置的规则", "Rules of their own");
    const KIND: &'static str = "phoneRule.export";
    const NEED: Need = perm::PHONE_RULE_EXPORT;

    fn columns() -> Vec<Column<RuleScopeRow, ScopeSort>> {
        vec![
            column("scope", text("范围", "Scope"), 14)
                .sorted_by(ScopeSort::Scope)
                .label(|row: &RuleScopeRow| row.scope.label()),
            column("name", text("对象", "For"), 24).text(|row| &row.name),
            column("count", text("单独设置", "Own values"), 10)
                .sorted_by(ScopeSort::Count)
                .number(|row| Some(row.count)),
            column("summary", text("规则", "Rules"), 60).text(|row| &row.summary),
            list::updated_at().sorted_by(ScopeSort::UpdatedAt).time(|row| Some(row.updated_at)),
            column("updatedBy", text("修改人", "Changed by"), 16).text(|row| &row.updated_by),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &RuleScopeFilter,
        order: Order<ScopeSort>,
        page: PageQuery,
    ) -> Outcome<Page<RuleScopeRow>> {
        let (db, which) = (from.db(), filter.sql());
        let total = total(db, &which).await?;
        let way = match (order.by, order.direction) {
            (Some(_), Direction::Desc) => "DESC",
            (None, _) | (Some(_), Direction::Asc) => "ASC",
        };
        let key = match order.by {
            None | Some(ScopeSort::Scope) => String::new(),
            Some(ScopeSort::Count) => format!("count(*) {way}, "),
            Some(ScopeSort::UpdatedAt) => format!("max(o.at) {way}, "),
        };
        let (limit, offset) = (page.page_size, page.offset());
        let text = format!(
            "SELECT o.scope AS scope, o.id AS id, CAST(count(*) AS BIGINT) AS n {which} \
             GROUP BY o.scope, o.id ORDER BY {key}o.scope {way}, o.id {way} LIMIT {limit} OFFSET {offset}"
        );
        let groups = Group::find_by_statement(sql::statement(db.get_database_backend(), text, [])).all(db).await?;
        Ok(Page::new(page, total, rows(from, groups).await?))
    }
}

async fn total(db: &impl ConnectionTrait, which: &str) -> Result<u64, DbErr> {
    let text = format!(
        "SELECT CAST(count(*) AS BIGINT) AS n FROM (SELECT o.scope, o.id {which} GROUP BY o.scope, o.id) AS own"
    );
    let row = db.query_one_raw(sql::statement(db.get_database_backend(), text, [])).await?;
    let n: i64 = row.map_or(Ok(0), |row| row.try_get("", "n"))?;
    Ok(n.unsigned_abs())
}

/// The values of these scopes, by kind: an `IN` of each.
fn of(groups: &[Group]) -> Condition {
    RuleScope::ALL.iter().fold(Condition::any(), |any, kind| {
        let ids: Vec<i64> = groups.iter().filter(|group| group.scope == *kind).map(|group| group.id).collect();
        if ids.is_empty() { any } else { any.add(By::Scope.eq(*kind).and(By::Id.is_in(ids))) }
    })
}

async fn rows(from: &Reader, groups: Vec<Group>) -> Result<Vec<RuleScopeRow>, DbErr> {
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let db = from.db();
    let mut values: HashMap<(RuleScope, i64), Vec<Model>> = HashMap::new();
    for row in Entity::find().filter(of(&groups)).all(db).await? {
        values.entry((row.scope, row.id)).or_default().push(row);
    }
    let scopes: Vec<Scope> = groups.iter().filter_map(|group| Scope::of(group.scope, group.id)).collect();
    let names = Names::of(db, &scopes).await?;
    let row = |Group { scope, id, n }: Group| {
        let mut own = values.remove(&(scope, id)).unwrap_or_default();
        own.sort_by_key(|row| row.field);
        let newest = own.iter().max_by_key(|row| row.at);
        let told = own
            .iter()
            .map(|row| format!("{} {}", row.field.label().get(from.lang), words(row.field, row.value, from.lang)));
        let known = Scope::of(scope, id)?;
        let RuleScopeView { scope, plan, room, phone } = names.view(known);
        Some(RuleScopeRow {
            id: format!("{}-{id}", scope.code()),
            scope,
            plan,
            room,
            phone,
            name: names.words(known, from.lang),
            count: n,
            summary: told.collect::<Vec<_>>().join(text("；", "; ").get(from.lang)),
            updated_at: newest.map(|row| row.at).unwrap_or_default(),
            updated_by: newest.map(|row| row.by_name.clone()).unwrap_or_default(),
        })
    };
    Ok(groups.into_iter().filter_map(row).collect())
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/phone/v1/rules/scopes";
    let what = "who has values of his own";
    list::Calls { path, tag: "phoneRule", name: "phone_rule_scope", what, see: perm::PHONE_RULE_GET }
        .routes::<RuleScopes>()
}
