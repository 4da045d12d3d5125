//! How many phones a change of rules would reach now. Nothing is changed, and the number of statements does not grow with the
//! number of phones.

use std::collections::{BTreeSet, HashMap};

use base::fault::Outcome;
use db::sql;
use entity::RoomId;
use entity::phone::{Life, Plan, UseType};
use entity::rule_value::{RuleField, RuleScope};
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde::Serialize;
use utoipa::ToSchema;

use super::resolve::{Own, Place};
use super::scope::Scope;
use super::service::{RuleInput, changes, find, is_newest};
use super::store::{self, Change};
use crate::phone::counts::{Alike, Wanted, alike};

/// How many phones a change would reach: those for which the value of a rule would become another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulePreview {
    /// How many; erased ones are not counted.
    pub phones: u64,
    /// How many of them are on the machine.
    pub on: u64,
}

impl RulePreview {
    fn add(&mut self, use_type: UseType, count: u64) {
        self.phones += count;
        match use_type {
            UseType::On => self.on += count,
            UseType::Off => {}
        }
    }
}

/// Phones of one room and plan that have values of their own of the same rules, as bits of their numbers.
#[derive(Debug, FromQueryResult)]
struct Narrower {
    room_id: RoomId,
    plan: Plan,
    use_type: UseType,
    mask: i64,
    n: i64,
}

/// How many phones `input` would reach.
///
/// # Errors
/// When what it names is not there, somebody else has changed it since it was read, or a read fails.
pub async fn preview(db: &impl ConnectionTrait, input: &RuleInput) -> Outcome<RulePreview> {
    let (scope, phone) = find(db, &input.of()).await?;
    is_newest(db, scope, input.version).await?;
    let changes = changes(&store::own(db, scope).await?, &input.values.stored());
    if changes.is_empty() {
        return Ok(RulePreview::default());
    }
    let mut reached = RulePreview::default();
    if let Some(phone) = &phone {
        let before = store::with_phone(db, phone).await?;
        let after = with(&before, scope, &changes).rules(Place::of(phone));
        let before = before.rules(Place::of(phone));
        if changes.iter().any(|(field, ..)| before.number(*field) != after.number(*field)) {
            reached.add(phone.use_type, 1);
        }
        return Ok(reached);
    }
    let before = store::broad(db).await?;
    let after = with(&before, scope, &changes);
    let mut wanted = Wanted::default();
    wanted.life(None);
    if let Some(plan) = scope.plan() {
        wanted.plans(&[plan]);
    }
    if let Some(room) = scope.room() {
        wanted.room(room);
    }
    let narrower = narrower(db, &changes).await?;
    let mut all: HashMap<(RoomId, Plan, UseType), u64> = HashMap::new();
    for Alike { room, plan, use_type, count } in alike(db, &wanted).await? {
        *all.entry((room, plan, use_type)).or_default() += count;
    }
    for ((room, plan, use_type), count) in all {
        let differs = |field: &RuleField| before.common(room, plan, *field) != after.common(room, plan, *field);
        let others: BTreeSet<RuleField> = changes.iter().map(|(field, ..)| *field).filter(differs).collect();
        if others.is_empty() {
            continue;
        }
        // Who has a value of his own of each of them notices nothing.
        let mask = others.iter().fold(0, |mask, field| mask | bit(*field));
        let is_like = |row: &&Narrower| row.room_id == room && row.plan == plan && row.use_type == use_type;
        let spared: i64 = narrower.iter().filter(is_like).filter(|row| row.mask & mask == mask).map(|row| row.n).sum();
        reached.add(use_type, count.saturating_sub(spared.unsigned_abs()));
    }
    Ok(reached)
}

fn with(own: &Own, scope: Scope, changes: &[Change]) -> Own {
    let mut own = own.clone();
    for (field, _, value) in changes {
        own.set(scope, *field, *value);
    }
    own
}

const fn bit(field: RuleField) -> i64 {
    1 << field.code()
}

/// Phones that have values of their own of what is changed, counted by the database.
async fn narrower(db: &impl ConnectionTrait, changes: &[Change]) -> Result<Vec<Narrower>, DbErr> {
    let fields = changes.iter().map(|(field, ..)| field.code().to_string()).collect::<Vec<_>>().join(", ");
    let (phone, erased) = (RuleScope::Phone.code(), Life::Erased.code());
    let text = format!(
        "SELECT room_id, plan, use_type, mask, CAST(count(*) AS BIGINT) AS n FROM \
         (SELECT p.id, p.room_id, p.plan, p.use_type, CAST(sum(1 << v.field) AS BIGINT) AS mask \
         FROM rule_value AS v JOIN phone AS p ON p.id = v.id \
         WHERE v.scope = {phone} AND v.field IN ({fields}) AND p.life <> {erased} \
         GROUP BY p.id, p.room_id, p.plan, p.use_type) AS held \
         GROUP BY room_id, plan, use_type, mask"
    );
    Narrower::find_by_statement(sql::statement(db.get_database_backend(), text, [])).all(db).await
}
