//! Values of a scope: what it has of its own, what it inherits, and how they are changed.

use std::collections::BTreeMap;

use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::phone::{self, Plan};
use entity::rule_value::{RuleField, RuleScope};
use kernel::lang::Lang;
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::ConnectionTrait;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::field::usual;
use super::resolve::{Layer, Place, layers};
use super::scope::{Names, RuleScopeInput, RuleScopeView, Scope, there};
use super::store::{self, Change, Last};
use super::values::RuleValues;

const CHANGED_MEANWHILE: Text =
    text("规则已被他人修改，请刷新后重试", "Somebody else has changed these rules; reload and try again");

/// The values that a scope is to have of its own.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleInput {
    /// Of which kind it is.
    pub scope: RuleScope,
    /// The plan, if the kind names one.
    #[serde(default)]
    pub plan: Option<Plan>,
    /// The room, if the kind names one.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// The phone, if the kind names one.
    #[serde(default)]
    pub phone_id: Option<i64>,
    /// The version that was read.
    #[schema(minimum = 0)]
    pub version: i32,
    /// All of its own values: it inherits those that are left out.
    pub values: RuleValues,
}

impl RuleInput {
    /// The scope that it names.
    #[must_use]
    pub fn of(&self) -> RuleScopeInput {
        let Self { scope, plan, room_id, phone_id, version: _, values: _ } = self;
        RuleScopeInput { scope: *scope, plan: *plan, room_id: *room_id, phone_id: *phone_id }
    }
}

impl Validate for RuleInput {
    fn check(&self, check: &mut Check) {
        self.of().read(check);
        check.nested("values", |check| self.values.check(check));
    }
}

/// Values, and where a scope that has none of its own has them from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleLayer {
    /// The broader scope; none for what holds where nobody has set anything.
    pub of: Option<RuleScopeView>,
    /// Only phones of this plan have them from there; none if all have.
    pub plan: Option<Plan>,
    pub values: RuleValues,
}

/// The rules of a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleView {
    pub of: RuleScopeView,
    /// Incremented with each change, starting from 0. Send it back when saving.
    pub version: i32,
    /// When it was changed last.
    pub updated_at: Option<UtcTime>,
    /// Who changed it.
    pub updated_by: Option<String>,
    /// What it has of its own.
    pub own: RuleValues,
    /// What it inherits the others from: of each rule, the first that has a value.
    pub inherited: Vec<RuleLayer>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleOrigin {
    pub field: RuleField,
    /// The scope that has it; none if nobody has set anything.
    pub from: Option<RuleScopeView>,
}

/// The rules that hold for a phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneRules {
    /// All of them.
    pub values: RuleValues,
    /// Where each comes from.
    pub origins: Vec<RuleOrigin>,
}

/// A scope that is there, and the phone that it names.
pub type Found = (Scope, Option<phone::Model>);

/// The scope that is asked for.
///
/// # Errors
/// When it names nothing that is there, or a read fails.
pub async fn find(db: &impl ConnectionTrait, input: &RuleScopeInput) -> Outcome<Found> {
    let mut check = Check::new();
    let scope = input.read(&mut check);
    check.finish()?;
    let scope = scope.ok_or_else(|| Fault::internal(anyhow::anyhow!("a scope without a name passed its check")))?;
    let phone = there(db, scope).await?;
    Ok((scope, phone))
}

/// The rules of a scope.
///
/// # Errors
/// When a read fails.
pub async fn view(db: &impl ConnectionTrait, (scope, phone): &Found) -> Outcome<RuleView> {
    let own = match phone {
        Some(phone) => store::with_phone(db, phone).await?,
        None => store::broad(db).await?,
    };
    let layers = layers(*scope, phone.as_ref().map(Place::of));
    let mut scopes: Vec<Scope> = layers.iter().filter_map(|layer| layer.scope).collect();
    scopes.push(*scope);
    let names = Names::of(db, &scopes).await?;
    let plan = scope.plan().or_else(|| phone.as_ref().map(|phone| phone.plan));
    let layer = |layer: Layer| {
        let values = match layer.scope {
            Some(scope) => own.of(scope),
            None => program(plan, layer.plan),
        };
        RuleLayer { of: layer.scope.map(|scope| names.view(scope)), plan: layer.plan, values: RuleValues::of(values) }
    };
    let Last { version, at, by } = store::last(db, *scope).await?;
    let inherited = layers.into_iter().map(layer).filter(|layer| layer.values != RuleValues::default()).collect();
    let own = RuleValues::of(own.of(*scope));
    Ok(RuleView { of: names.view(*scope), version, updated_at: at, updated_by: by, own, inherited })
}

/// The program's own values: all of those for phones of `plan`; where phones are of several plans, those in which `only`
/// differs from the cheapest.
fn program(plan: Option<Plan>, only: Option<Plan>) -> BTreeMap<RuleField, i64> {
    let all = |plan: Plan| RuleField::ALL.iter().map(move |field| (*field, usual(*field, plan)));
    match only {
        Some(only) => all(only).filter(|(field, value)| usual(*field, Plan::Vip) != *value).collect(),
        None => all(plan.unwrap_or(Plan::Vip)).collect(),
    }
}

/// What a scope's own values become: those that differ.
#[must_use]
pub fn changes(before: &BTreeMap<RuleField, i64>, after: &BTreeMap<RuleField, i64>) -> Vec<Change> {
    let change = |field: &RuleField| (*field, before.get(field).copied(), after.get(field).copied());
    RuleField::ALL.iter().map(change).filter(|(_, was, becomes)| was != becomes).collect()
}

/// Refuses a change of what somebody else has changed since it was read.
///
/// # Errors
/// When he has, or the read fails.
pub async fn is_newest(db: &impl ConnectionTrait, scope: Scope, version: i32) -> Outcome<()> {
    if store::last(db, scope).await?.version == version { Ok(()) } else { Err(Fault::conflict(CHANGED_MEANWHILE)) }
}

/// Gives a scope these values of its own, and no others.
///
/// # Errors
/// When what it names is not there, or somebody else has changed it since it was read.
pub async fn save(ctx: &OpCtx, input: RuleInput) -> Outcome<RuleView> {
    let tx = ctx.begin_write().await?;
    let found = find(&*tx, &input.of()).await?;
    let scope = found.0;
    is_newest(&*tx, scope, input.version).await?;
    let (before, after) = (store::own(&*tx, scope).await?, input.values.stored());
    let changes = changes(&before, &after);
    store::write(&*tx, scope, &changes, input.version + 1, (ctx.session.username.as_str(), ctx.now())).await?;
    let names = Names::of(&*tx, &[scope]).await?;
    let view = view(&*tx, &found).await?;
    let audit = Audit::of("phoneRule")
        .id(format!("{}-{}", scope.kind().code(), scope.id()))
        .name(names.words(scope, Lang::Zh))
        .before(&RuleValues::of(before))
        .after(&RuleValues::of(after));
    // It is in the history of what it is about.
    let audit = match scope {
        Scope::Everybody | Scope::Plan(_) => audit,
        Scope::Room(room) | Scope::RoomPlan(room, _) => audit.with("room", [room.0]),
        Scope::Phone(phone) => audit.with("phone", [phone.0]),
    };
    tx.commit(audit).await?;
    Ok(view)
}

/// The rules that hold for a phone, and where each comes from.
///
/// # Errors
/// When a read fails.
pub async fn of_phone(db: &impl ConnectionTrait, phone: &phone::Model) -> Outcome<PhoneRules> {
    let rules = store::effective(db, phone).await?;
    let names = Names::of(db, &Place::of(phone).scopes()).await?;
    let held = |field: &RuleField| (*field, rules.held(*field).value);
    let origin =
        |field: &RuleField| RuleOrigin { field: *field, from: rules.held(*field).from.map(|scope| names.view(scope)) };
    Ok(PhoneRules {
        values: RuleValues::of(RuleField::ALL.iter().map(held)),
        origins: RuleField::ALL.iter().map(origin).collect(),
    })
}
