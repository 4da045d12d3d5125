//! What was changed in the rules, as a list and as a file.

use base::prelude::*;
use base::reference::Reference;
use entity::phone::Plan;
use entity::rule_change::{Column as By, Entity, Model};
use entity::rule_value::{RuleField, RuleScope};
use sea_orm::sea_query::Expr;
use sea_orm::{DbErr, ExprTrait as _};
use serde::Serialize;
use utoipa::IntoParams;

use super::scope::{Names, PLANS, RuleScopeView, Scope};
use super::values::words;
use crate::screens::perm;

/// Which changes are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RuleChangeFilter {
    /// Those of a kind of scope.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub scope: Option<RuleScope>,
    /// Those of a plan, in a room as well.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub plan: Option<Plan>,
    /// Those of a room, of a plan in it as well.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// Those of a phone.
    #[serde(default)]
    pub phone_id: Option<i64>,
    /// Those of a rule.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub field: Option<RuleField>,
    /// At or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// At or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

impl Validate for RuleChangeFilter {
    fn check(&self, check: &mut Check) {
        check.period(self.start_time, self.end_time);
    }
}

/// A value that was set, changed or cleared.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleChangeView {
    pub id: i64,
    pub at: UtcTime,
    pub by: String,
    pub scope: RuleScope,
    pub plan: Option<Plan>,
    pub room: Option<Reference>,
    /// By its code.
    pub phone: Option<Reference>,
    /// For whom it is; what is gone is called by its number.
    pub name: String,
    pub field: RuleField,
    /// In words; empty if it was inherited.
    pub before: String,
    /// In words; empty if it is inherited now.
    pub after: String,
}

/// The list, newest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct RuleChanges;

impl List for RuleChanges {
    type Filter = RuleChangeFilter;
    type Row = RuleChangeView;
    type Sort = By;
    const NAME: Text = text("规则修改记录", "Changes of rules");
    const KIND: &'static str = "phoneRuleChange.export";
    const NEED: Need = perm::PHONE_RULE_EXPORT;

    fn columns() -> Vec<Column<RuleChangeView, By>> {
        vec![
            column("at", text("时间", "Time"), 20).sorted_by(By::At).time(|row: &RuleChangeView| Some(row.at)),
            column("by", text("修改人", "Changed by"), 16).text(|row| &row.by),
            column("scope", text("范围", "Scope"), 14).sorted_by(By::Scope).label(|row| row.scope.label()),
            column("name", text("对象", "For"), 24).text(|row| &row.name),
            column("field", text("规则", "Rule"), 20).sorted_by(By::Field).label(|row| row.field.label()),
            column("before", text("修改前", "Before"), 20).text(|row| &row.before),
            column("after", text("修改后", "After"), 20).text(|row| &row.after),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &RuleChangeFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<RuleChangeView>> {
        let RuleChangeFilter { scope, plan, room_id, phone_id, field, start_time, end_time } = filter;
        let of = |kind: RuleScope, id: i64| By::Scope.eq(kind).and(By::ScopeId.eq(id));
        let both = |half: String| By::Scope.eq(RuleScope::RoomPlan).and(Expr::cust(half));
        let select = Entity::find()
            .apply_if(*scope, |select, scope| select.filter(By::Scope.eq(scope)))
            .apply_if(*plan, |select, plan| {
                let code = i64::from(plan.code());
                select.filter(of(RuleScope::Plan, code).or(both(format!("scope_id % {PLANS} = {code}"))))
            })
            .apply_if(*room_id, |select, room| {
                select.filter(of(RuleScope::Room, room).or(both(format!("scope_id / {PLANS} = {room}"))))
            })
            .apply_if(*phone_id, |select, phone| select.filter(of(RuleScope::Phone, phone)))
            .apply_if(*field, |select, field| select.filter(By::Field.eq(field)))
            .apply_if(*start_time, |select, start| select.filter(By::At.gte(start)))
            .apply_if(*end_time, |select, end| select.filter(By::At.lte(end)));
        let Page { list, total, .. } = list_page(from.db(), order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, views(from, list).await?))
    }
}

async fn views(from: &Reader, rows: Vec<Model>) -> Result<Vec<RuleChangeView>, DbErr> {
    let scopes: Vec<Scope> = rows.iter().filter_map(|row| Scope::of(row.scope, row.scope_id)).collect();
    let names = Names::of(from.db(), &scopes).await?;
    let view = |row: Model| {
        let Model { id, scope, scope_id, version: _, field, was, became, at, by_name } = row;
        let known = Scope::of(scope, scope_id)?;
        let told = |value: Option<i64>| value.map_or_else(String::new, |value| words(field, value, from.lang));
        let RuleScopeView { scope, plan, room, phone } = names.view(known);
        let name = names.words(known, from.lang);
        let (before, after) = (told(was), told(became));
        Some(RuleChangeView { id, at, by: by_name, scope, plan, room, phone, name, field, before, after })
    };
    Ok(rows.into_iter().filter_map(view).collect())
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/phone/v1/rules/changes";
    let what = "what was changed in the rules";
    list::Calls { path, tag: "phoneRule", name: "phone_rule_change", what, see: perm::PHONE_RULE_GET }
        .routes::<RuleChanges>()
}
