//! How many phones a change of rules would reach now. Nothing is changed. The number of statements does not grow with the number of
//! phones, but for a few more for each thousand of those that are on cards: by the rule of [`super::off`] it is found out who would
//! leave.

use std::collections::{BTreeSet, HashMap};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::phone::{Life, Plan, UseType};
use entity::rule_value::{RuleField, RuleScope};
use entity::{PhoneId, RoomId};
use fleet::room_zone;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde::Serialize;
use utoipa::ToSchema;

use super::moment::Moment;
use super::off::{Facts, off_now};
use super::resolve::{Own, Place, Rules};
use super::scope::Scope;
use super::service::{RuleInput, changes, find, is_newest};
use super::store::{self, Change};
use crate::phone::counts::{Alike, Wanted, alike};
use crate::saga::here::{Here, busy, here, here_phone, rooms};

/// Rules by which phones leave their cards.
const LEAVE: [RuleField; 6] = [
    RuleField::IdleMinutes,
    RuleField::DailyHours,
    RuleField::LongestSession,
    RuleField::NightClose,
    RuleField::ReconnectGrace,
    RuleField::YearCardOffline,
];
const MINUTE: i64 = 60;

/// How many phones a change would reach: those that would have to leave their cards, and those for which the value of a rule would
/// become another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulePreview {
    /// Those that would have to leave their cards within a minute, and need not as it is. At most one of fifty does in a minute.
    pub leave: u64,
    /// How many of them somebody uses, who is warned before.
    pub in_use: u64,
    /// Those that would have to as well, if they had not their cards for themselves: they stay.
    pub guaranteed: u64,
    /// Those for which the value of a rule would become another one; erased ones are not counted.
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
pub async fn preview(app: &App, input: &RuleInput) -> Outcome<RulePreview> {
    let db = app.db.read();
    let (scope, phone) = find(db, &input.of()).await?;
    is_newest(db, scope, input.version).await?;
    let changes = changes(&store::own(db, scope).await?, &input.values.stored());
    if changes.is_empty() {
        return Ok(RulePreview::default());
    }
    let mut reached = leaves(app, scope, &changes).await?;
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

/// How many phones that are on cards would have to leave them within a minute, and need not as it is.
async fn leaves(app: &App, scope: Scope, changes: &[Change]) -> Outcome<RulePreview> {
    let mut found = RulePreview::default();
    if !changes.iter().any(|(field, ..)| LEAVE.contains(field)) {
        return Ok(found);
    }
    let db = app.db.read();
    if let Some(phone) = scope.phone() {
        let all: Vec<Here> = here_phone(db, phone).await?.into_iter().collect();
        leaves_of(app, &all, scope, changes, &mut found).await?;
        return Ok(found);
    }
    let rooms = match scope.room() {
        Some(room) => vec![room],
        None => rooms(db).await?,
    };
    for room in rooms {
        let mut all = here(db, room).await?;
        all.retain(|one| scope.plan().is_none_or(|plan| plan == one.place.plan));
        leaves_of(app, &all, scope, changes, &mut found).await?;
    }
    Ok(found)
}

/// The same of phones of one room.
async fn leaves_of(app: &App, all: &[Here], scope: Scope, changes: &[Change], found: &mut RulePreview) -> Outcome<()> {
    let Some(room) = all.first().map(|one| one.place.room) else { return Ok(()) };
    let db = app.db.read();
    let places: Vec<Place> = all.iter().map(|one| one.place).collect();
    let before = store::effective_at(db, &places).await?;
    let after = store::effective_if(db, &places, Some((scope, changes))).await?;
    let busy = busy(db, room).await?;
    let zone = room_zone(db, app.config.zone(), room).await?;
    let clock = Moment { at: app.clock.now().plus_seconds(MINUTE), zone };
    for one in all {
        let phone = one.place.phone;
        let leaves = |rules: &HashMap<PhoneId, Rules>, is_dedicated: bool| {
            rules.get(&phone).is_some_and(|rules| {
                let facts = Facts { is_dedicated, ..one.facts(rules, busy.contains(&phone)) };
                off_now(&facts, clock).is_ok()
            })
        };
        let begins_to = |is_dedicated: bool| leaves(&after, is_dedicated) && !leaves(&before, is_dedicated);
        if begins_to(one.is_dedicated) {
            found.leave += 1;
            found.in_use += u64::from(one.used.since.is_some());
        } else if one.is_dedicated && begins_to(false) {
            found.guaranteed += 1;
        }
    }
    Ok(())
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
