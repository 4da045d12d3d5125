//! Acts on a selection of phones. Rows are changed in steps, each acknowledged by its own entry in the operation log.

use std::collections::BTreeMap;

use base::fault::Outcome;
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use base::list::Selection;
use entity::PhoneId;
use entity::phone::{Column, Entity, Model, Plan};
use kernel::rules::{Check, integer_between, line, max_chars};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, Select};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::act::{Act, turn};
use super::store::{self, PhoneFilter};
use crate::settings::PhoneLife;

/// Rows changed in one transaction.
const STEP: u64 = 1000;
/// So few phones have an entry each, so that the act stands in the history of each of them.
const FEW: usize = 50;
/// Phones that are named as examples of a reason.
const EXAMPLES: usize = 5;

/// Some phones.
pub type PhoneSelection = Selection<PhoneId, PhoneFilter>;

/// The result for a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhonesChanged {
    /// Phones that were changed.
    pub changed: u64,
    /// Why others were left as they are.
    pub left: Vec<PhonesLeft>,
}

/// Phones that were left as they are, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhonesLeft {
    /// The reason, such as `phone.onMachine`.
    pub code: String,
    /// The same for people.
    pub message: String,
    /// How many.
    pub count: u64,
    /// The codes of some of them.
    pub examples: Vec<String>,
}

/// Phones that are paid for.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenewInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// For how many days, 1 to 999, from now or from the expiry, whichever is later.
    #[schema(minimum = 1, maximum = 999)]
    pub days: i64,
}

impl Validate for RenewInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("days", integer_between(self.days, 1, 999));
    }
}

/// Phones that get another plan.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangePlanInput {
    /// Which phones. Those on the machine stay as they are; a used one keeps its board.
    pub selection: PhoneSelection,
    /// The new plan.
    pub plan: Plan,
}

impl Validate for ChangePlanInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
    }
}

/// Phones that nobody may use.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FreezeInput {
    /// Which phones. Those on the machine stay as they are.
    pub selection: PhoneSelection,
    /// Reason; 1 to 256 characters.
    #[schema(min_length = 1, max_length = 256)]
    pub reason: String,
}

impl Validate for FreezeInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", line(&self.reason, 256));
    }
}

/// Phones that are thawed, released or restored.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PhonesInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for PhonesInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", max_chars(&self.reason, 256));
    }
}

/// Does `act` to a selection; those that it does not fit stay as they are.
///
/// # Errors
/// When the database refuses; the steps that were acknowledged stay.
pub async fn perform(ctx: &OpCtx, selection: &PhoneSelection, act: &Act, reason: &str) -> Outcome<PhonesChanged> {
    let rules = ctx.app.settings.get::<PhoneLife>(&ctx.app).await?;
    let which = rows(ctx, selection);
    let (mut changed, mut left, mut after) = (0, Left::default(), PhoneId(0));
    loop {
        let now = ctx.now();
        let mut tx = ctx.begin_write().await?;
        let rows = store::next(&*tx, which.clone(), after, STEP).await?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        let is_last = (rows.len() as u64) < STEP;
        let mut changes = Vec::with_capacity(rows.len());
        for row in rows {
            match turn(&row, act, now, &rules) {
                Ok(turned) => changes.push((row, turned)),
                Err(why) => left.add(why.code, why.message(ctx.lang()), &row),
            }
        }
        if !changes.is_empty() {
            store::write(tx.inner(), &changes).await?;
            changed += changes.len() as u64;
            let mut audits = audits(&changes, reason);
            let first = audits.remove(0);
            for audit in audits {
                tx.inner().record(audit.fill(ctx.entry()));
            }
            tx.commit(first).await?;
        }
        if is_last {
            break;
        }
    }
    Ok(PhonesChanged { changed, left: left.told() })
}

fn rows(ctx: &OpCtx, selection: &PhoneSelection) -> Select<Entity> {
    match selection {
        Selection::Ids(ids) => Entity::find().filter(Column::Id.is_in(ids.iter().copied())),
        Selection::Filter(filter) => filter.at(ctx.now()).apply(ctx.db().backend(), Entity::find()),
    }
}

/// What the log says of some changed phones: an entry each, or one for many.
fn audits(changes: &[(Model, Model)], reason: &str) -> Vec<Audit> {
    if changes.len() <= FEW {
        let one = |(before, after): &(Model, Model)| {
            let audit = Audit::of("phone").id(after.id).name(&after.code);
            audit.before(before).after(after).note(reason)
        };
        return changes.iter().map(one).collect();
    }
    let names = changes.iter().take(8).map(|(_, after)| after.code.as_str()).collect::<Vec<_>>().join(", ");
    let facts = |row: &Model| (row.id, row.life, row.plan, row.expires_at);
    let before: Vec<_> = changes.iter().map(|(before, _)| facts(before)).collect();
    let after: Vec<_> = changes.iter().map(|(_, after)| facts(after)).collect();
    let note =
        if reason.is_empty() { format!("{} rows", changes.len()) } else { format!("{} rows: {reason}", changes.len()) };
    vec![Audit::of("phone").name(names).before(&before).after(&after).note(note)]
}

/// Phones that were left, by what stood in the way.
#[derive(Debug, Default)]
struct Left(BTreeMap<(&'static str, String), (u64, Vec<String>)>);

impl Left {
    fn add(&mut self, code: &'static str, message: String, row: &Model) {
        let (count, examples) = self.0.entry((code, message)).or_default();
        *count += 1;
        if examples.len() < EXAMPLES {
            examples.push(row.code.clone());
        }
    }

    fn told(self) -> Vec<PhonesLeft> {
        let told = |((code, message), (count, examples)): ((&str, String), _)| PhonesLeft {
            code: code.to_owned(),
            message,
            count,
            examples,
        };
        self.0.into_iter().map(told).collect()
    }
}
