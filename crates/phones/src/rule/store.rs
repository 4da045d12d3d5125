//! The tables of rules.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use db::sql;
use entity::phone::{Model as Phone, Plan};
use entity::rule_value::{self, Column, Entity, Model, RuleField, RuleScope};
use entity::{PhoneId, RoomId, rule_change};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _,
};

use super::field::rule;
use super::resolve::{Own, Place, Rules};
use super::scope::{PLANS, Scope};

/// Phones in one statement.
const NAMED: usize = 1000;

/// All scopes but single phones, of which there may be many.
const BROAD: [RuleScope; 4] = [RuleScope::Everybody, RuleScope::Plan, RuleScope::Room, RuleScope::RoomPlan];

/// A change of a value: what the scope had of its own, and what it has now.
pub type Change = (RuleField, Option<i64>, Option<i64>);

/// The last change of a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Last {
    /// 0 if there was none yet.
    pub version: i32,
    pub at: Option<UtcTime>,
    pub by: Option<String>,
}

/// The values of everything but single phones.
///
/// # Errors
/// When the read fails.
pub async fn broad(db: &impl ConnectionTrait) -> Result<Own, DbErr> {
    let mut own = Own::default();
    add(&mut own, Entity::find().filter(Column::Scope.is_in(BROAD)).all(db).await?);
    Ok(own)
}

/// The rules that hold for these phones: one statement, and one for each thousand of them.
///
/// # Errors
/// When a read fails.
pub async fn effective_many(db: &impl ConnectionTrait, phones: &[Phone]) -> Result<HashMap<PhoneId, Rules>, DbErr> {
    effective_at(db, &phones.iter().map(Place::of).collect::<Vec<_>>()).await
}

/// The same, of phones of which it is known where they are.
///
/// # Errors
/// When a read fails.
pub async fn effective_at(db: &impl ConnectionTrait, places: &[Place]) -> Result<HashMap<PhoneId, Rules>, DbErr> {
    effective_if(db, places, None).await
}

/// The same, as it would be if these changes of a scope were made.
///
/// # Errors
/// When a read fails.
pub async fn effective_if(
    db: &impl ConnectionTrait,
    places: &[Place],
    made: Option<(Scope, &[Change])>,
) -> Result<HashMap<PhoneId, Rules>, DbErr> {
    let rooms: BTreeSet<RoomId> = places.iter().map(|place| place.room).collect();
    let common = Column::Scope.is_in([RuleScope::Everybody, RuleScope::Plan]);
    let which = Condition::any().add(common).add(Column::RoomId.is_in(rooms));
    let mut own = Own::default();
    add(&mut own, Entity::find().filter(which).all(db).await?);
    let mut differ = HashSet::new();
    for some in places.chunks(NAMED) {
        let rows = of_phones(db, some.iter().map(|place| place.phone.0)).await?;
        differ.extend(rows.iter().map(|row| row.id));
        add(&mut own, rows);
    }
    if let Some((scope, changes)) = made {
        for (field, _, value) in changes {
            own.set(scope, *field, *value);
        }
        differ.extend(scope.phone().map(|phone| phone.0));
    }
    // For nearly all phones of a room and plan the same holds: that is found once.
    let mut shared: HashMap<(RoomId, Plan), Rules> = HashMap::new();
    let rules = |place: &Place| {
        let rules = if differ.contains(&place.phone.0) {
            own.rules(*place)
        } else {
            shared.entry((place.room, place.plan)).or_insert_with(|| own.rules(*place)).clone()
        };
        (place.phone, rules)
    };
    Ok(places.iter().map(rules).collect())
}

/// The rules that hold for a phone.
///
/// # Errors
/// When a read fails.
pub async fn effective(db: &impl ConnectionTrait, phone: &Phone) -> Result<Rules, DbErr> {
    Ok(with_phone(db, phone).await?.rules(Place::of(phone)))
}

/// The values of all scopes that a phone is in.
///
/// # Errors
/// When a read fails.
pub async fn with_phone(db: &impl ConnectionTrait, phone: &Phone) -> Result<Own, DbErr> {
    let which = Place::of(phone).scopes().iter().fold(Condition::any(), |any, scope| any.add(is(*scope)));
    let mut own = Own::default();
    add(&mut own, Entity::find().filter(which).all(db).await?);
    Ok(own)
}

async fn of_phones(db: &impl ConnectionTrait, ids: impl IntoIterator<Item = i64>) -> Result<Vec<Model>, DbErr> {
    Entity::find().filter(Column::Scope.eq(RuleScope::Phone)).filter(Column::Id.is_in(ids)).all(db).await
}

fn add(own: &mut Own, rows: Vec<Model>) {
    for Model { scope, id, field, value, .. } in rows {
        if let Some(scope) = Scope::of(scope, id) {
            own.set(scope, field, Some(value));
        }
    }
}

fn is(scope: Scope) -> Condition {
    Condition::all().add(Column::Scope.eq(scope.kind())).add(Column::Id.eq(scope.id()))
}

/// The values that a scope has of its own.
///
/// # Errors
/// When the read fails.
pub async fn own(db: &impl ConnectionTrait, scope: Scope) -> Result<BTreeMap<RuleField, i64>, DbErr> {
    let rows = Entity::find().filter(is(scope)).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.field, row.value)).collect())
}

/// The last change of a scope.
///
/// # Errors
/// When the read fails.
pub async fn last(db: &impl ConnectionTrait, scope: Scope) -> Result<Last, DbErr> {
    let row = rule_change::Entity::find()
        .filter(rule_change::Column::Scope.eq(scope.kind()))
        .filter(rule_change::Column::ScopeId.eq(scope.id()))
        .order_by_desc(rule_change::Column::Version)
        .limit(1)
        .one(db)
        .await?;
    Ok(row.map_or_else(Last::default, |row| Last { version: row.version, at: Some(row.at), by: Some(row.by_name) }))
}

/// Writes changes of a scope with their history, of which `version` is the next.
///
/// # Errors
/// When a write fails.
pub async fn write(
    db: &impl ConnectionTrait,
    scope: Scope,
    changes: &[Change],
    version: i32,
    (by, at): (&str, UtcTime),
) -> Result<(), DbErr> {
    if changes.is_empty() {
        return Ok(());
    }
    let fields = changes.iter().map(|(field, ..)| *field);
    Entity::delete_many().filter(is(scope)).filter(Column::Field.is_in(fields)).exec(db).await?;
    let row = |(field, _, value): &Change| {
        Some(rule_value::ActiveModel {
            scope: Set(scope.kind()),
            id: Set(scope.id()),
            field: Set(*field),
            value: Set((*value)?),
            room_id: Set(scope.room()),
            at: Set(at),
            by_name: Set(by.to_owned()),
        })
    };
    let rows: Vec<_> = changes.iter().filter_map(row).collect();
    if !rows.is_empty() {
        Entity::insert_many(rows).exec_without_returning(db).await?;
    }
    let told = changes.iter().map(|(field, was, became)| rule_change::ActiveModel {
        scope: Set(scope.kind()),
        scope_id: Set(scope.id()),
        version: Set(version),
        field: Set(*field),
        was: Set(*was),
        became: Set(*became),
        at: Set(at),
        by_name: Set(by.to_owned()),
        ..Default::default()
    });
    rule_change::Entity::insert_many(told).exec_without_returning(db).await?;
    Ok(())
}

/// Takes away the values of phones of which nothing remains. What was changed in them stays in the history.
///
/// # Errors
/// When the write fails.
pub async fn forget(db: &impl ConnectionTrait, phones: &[PhoneId]) -> Result<(), DbErr> {
    for some in phones.chunks(NAMED) {
        let which = Column::Id.is_in(some.iter().map(|phone| phone.0));
        Entity::delete_many().filter(Column::Scope.eq(RuleScope::Phone)).filter(which).exec(db).await?;
    }
    Ok(())
}

/// Days for which an expired phone is kept.
const GRACE: RuleField = RuleField::ReleaseGrace;
/// Days before its expiry on which a phone's user is told.
const NOTICE: RuleField = RuleField::ExpiryNotice;

/// An expression over `phone`: for how many days it is kept once it has expired.
#[must_use]
pub fn grace() -> String {
    value_of(GRACE)
}

/// An expression over `phone`: how many days before its expiry its user is told.
#[must_use]
pub fn notice() -> String {
    value_of(NOTICE)
}

/// An expression over `phone`: what holds for it of a rule of which plans do not differ by themselves.
fn value_of(rule_field: RuleField) -> String {
    let value = |scope: RuleScope, id: &str| {
        let (scope, field) = (scope.code(), rule_field.code());
        format!("(SELECT v.value FROM rule_value AS v WHERE v.scope = {scope} AND v.id = {id} AND v.field = {field})")
    };
    let both = format!("phone.room_id * {PLANS} + phone.plan");
    let own = [
        value(RuleScope::Phone, "phone.id"),
        value(RuleScope::RoomPlan, &both),
        value(RuleScope::Room, "phone.room_id"),
        value(RuleScope::Plan, "phone.plan"),
        value(RuleScope::Everybody, "0"),
    ];
    format!("COALESCE({}, {})", own.join(", "), rule(rule_field).usual())
}

/// The fewest days for which any phone is kept once it has expired.
///
/// # Errors
/// When the read fails.
pub async fn least_grace(db: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let text = format!("SELECT min(value) AS found FROM rule_value WHERE field = {}", GRACE.code());
    let usual = rule(GRACE).usual();
    Ok(found(db, text).await?.map_or(usual, |least| least.min(usual)))
}

/// The most days before its expiry on which the user of any phone is told.
///
/// # Errors
/// When the read fails.
pub async fn most_notice(db: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let text = format!("SELECT max(value) AS found FROM rule_value WHERE field = {}", NOTICE.code());
    let usual = rule(NOTICE).usual();
    Ok(found(db, text).await?.map_or(usual, |most| most.max(usual)))
}

async fn found(db: &impl ConnectionTrait, text: String) -> Result<Option<i64>, DbErr> {
    let row = db.query_one_raw(sql::statement(db.get_database_backend(), text, [])).await?;
    row.map_or(Ok(None), |row| row.try_get("", "found"))
}
