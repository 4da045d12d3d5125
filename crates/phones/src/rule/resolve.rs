//! Which value holds for whom: rules without a database.

use std::collections::{BTreeMap, HashMap};

use entity::phone::{self, Plan};
use entity::rule_value::{RuleField, YearCardOffline};
use entity::{PhoneId, RoomId};

use super::field::{COUNT, usual};
use super::scope::Scope;
use super::values::{Night, year_card};

/// What decides which scopes a phone is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub phone: PhoneId,
    pub plan: Plan,
    pub room: RoomId,
}

impl Place {
    /// Where this phone is.
    #[must_use]
    pub const fn of(row: &phone::Model) -> Self {
        Self { phone: row.id, plan: row.plan, room: row.room_id }
    }

    /// The scopes that it is in, the narrowest first.
    #[must_use]
    pub const fn scopes(self) -> [Scope; 5] {
        let Self { phone, plan, room } = self;
        let [a, b, c, d] = common(room, plan);
        [Scope::Phone(phone), a, b, c, d]
    }
}

/// The scopes that all phones of a room and plan are in, the narrowest first.
const fn common(room: RoomId, plan: Plan) -> [Scope; 4] {
    [Scope::RoomPlan(room, plan), Scope::Room(room), Scope::Plan(plan), Scope::Everybody]
}

/// A value that holds, and the scope that it comes from; none if it is the program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub value: i64,
    pub from: Option<Scope>,
}

/// The rules that hold for a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules([Held; COUNT]);

impl Rules {
    /// The value of a rule, and where it comes from.
    #[must_use]
    pub const fn held(&self, field: RuleField) -> Held {
        self.0[field as usize]
    }

    /// The value of a rule that is a number.
    #[must_use]
    pub const fn number(&self, field: RuleField) -> i64 {
        self.held(field).value
    }

    /// The part of the night in which the phone is off, if there is one.
    #[must_use]
    pub const fn night_close(&self) -> Option<Night> {
        Night::of(self.held(RuleField::NightClose).value)
    }

    /// Whether it is taken off by rule if it was bought for a year.
    #[must_use]
    pub fn year_card_offline(&self) -> YearCardOffline {
        year_card(self.held(RuleField::YearCardOffline).value)
    }
}

/// Values that scopes have of their own.
#[derive(Clone, Debug, Default)]
pub struct Own(HashMap<(Scope, RuleField), i64>);

impl Own {
    /// Adds a value, or takes it away.
    pub fn set(&mut self, scope: Scope, field: RuleField, value: Option<i64>) {
        match value {
            Some(value) => self.0.insert((scope, field), value),
            None => self.0.remove(&(scope, field)),
        };
    }

    /// The values of one scope.
    #[must_use]
    pub fn of(&self, scope: Scope) -> BTreeMap<RuleField, i64> {
        RuleField::ALL.iter().filter_map(|field| Some((*field, *self.0.get(&(scope, *field))?))).collect()
    }

    fn first(&self, scopes: &[Scope], plan: Plan, field: RuleField) -> Held {
        let own = |scope: &Scope| self.0.get(&(*scope, field)).map(|value| Held { value: *value, from: Some(*scope) });
        scopes.iter().find_map(own).unwrap_or_else(|| Held { value: usual(field, plan), from: None })
    }

    /// What holds for a phone: of each rule, the value of the narrowest scope that has one.
    #[must_use]
    pub fn rules(&self, place: Place) -> Rules {
        let scopes = place.scopes();
        let mut all = [Held { value: 0, from: None }; COUNT];
        for field in RuleField::ALL {
            all[*field as usize] = self.first(&scopes, place.plan, *field);
        }
        Rules(all)
    }

    /// What holds for those phones of a room and plan that have no value of their own.
    #[must_use]
    pub fn common(&self, room: RoomId, plan: Plan, field: RuleField) -> i64 {
        self.first(&common(room, plan), plan, field).value
    }
}

/// Where a scope has its values from that it does not have of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The scope; none is the program itself.
    pub scope: Option<Scope>,
    /// Only phones of this plan have them from there.
    pub plan: Option<Plan>,
}

/// The layers below a scope, the narrowest first. `phone` is where the phone is that it names.
#[must_use]
pub fn layers(scope: Scope, phone: Option<Place>) -> Vec<Layer> {
    let all = |scope: &Scope| Layer { scope: Some(*scope), plan: None };
    let of_plan = |plan: &Plan| Layer { scope: Some(Scope::Plan(*plan)), plan: Some(*plan) };
    let everybody = all(&Scope::Everybody);
    let mut below = match scope {
        Scope::Everybody => Vec::new(),
        Scope::Plan(_) => vec![everybody],
        Scope::Room(_) => Plan::ALL.iter().map(of_plan).chain([everybody]).collect(),
        Scope::RoomPlan(room, plan) => common(room, plan)[1..].iter().map(all).collect(),
        Scope::Phone(_) => phone.map_or_else(Vec::new, |place| place.scopes()[1..].iter().map(all).collect()),
    };
    if scope.plan().is_none() && phone.is_none() {
        below.extend(Plan::ALL.iter().map(|plan| Layer { scope: None, plan: Some(*plan) }));
    }
    below.push(Layer { scope: None, plan: None });
    below
}

#[cfg(test)]
mod tests {
    use super::{Held, Layer, Own, Place, Plan, RuleField, Scope, layers, usual};
    use entity::{PhoneId, RoomId};

    const FIELD: RuleField = RuleField::IdleMinutes;
    const PHONE: Place = Place { phone: PhoneId(7), plan: Plan::Vvip, room: RoomId(3) };

    fn own(values: &[(Scope, i64)]) -> Own {
        let mut own = Own::default();
        for (scope, value) in values {
            own.set(*scope, FIELD, Some(*value));
        }
        own
    }

    #[test]
    fn the_narrowest_scope_that_has_a_value_wins() {
        let (everybody, plan, room) = (Scope::Everybody, Scope::Plan(Plan::Vvip), Scope::Room(RoomId(3)));
        let (both, phone) = (Scope::RoomPlan(RoomId(3), Plan::Vvip), Scope::Phone(PhoneId(7)));
        let strange = [
            (Scope::Plan(Plan::Vip), 91),
            (Scope::Room(RoomId(4)), 92),
            (Scope::RoomPlan(RoomId(3), Plan::Vip), 93),
            (Scope::RoomPlan(RoomId(4), Plan::Vvip), 94),
            (Scope::Phone(PhoneId(8)), 95),
        ];
        let order = [everybody, plan, room, both, phone];
        // Every choice of scopes that have a value: the last of the order among them wins, and those of others never do.
        for chosen in 0..32_usize {
            let some: Vec<(Scope, i64)> = order
                .iter()
                .zip(1_i64..)
                .enumerate()
                .filter(|(at, _)| (chosen >> at) & 1 == 1)
                .map(|(_, (scope, value))| (*scope, value))
                .collect();
            let found = own(&[&some[..], &strange[..]].concat()).rules(PHONE).held(FIELD);
            let wanted = match some.last() {
                Some((scope, value)) => Held { value: *value, from: Some(*scope) },
                None => Held { value: usual(FIELD, Plan::Vvip), from: None },
            };
            assert_eq!(found, wanted, "{some:?}");
        }
    }

    #[test]
    fn rules_do_not_mix_and_a_value_that_is_taken_away_gives_back_the_one_below() {
        let mut own = own(&[(Scope::Everybody, 10), (Scope::Phone(PhoneId(7)), 20)]);
        own.set(Scope::Phone(PhoneId(7)), RuleField::Head, Some(5));
        own.set(Scope::Phone(PhoneId(7)), FIELD, None);
        let rules = own.rules(PHONE);
        assert_eq!((rules.number(FIELD), rules.number(RuleField::Head)), (10, 5));
        assert_eq!((own.common(RoomId(3), Plan::Vip, RuleField::Head), rules.night_close()), (1800, None));
        assert_eq!(own.common(RoomId(3), Plan::Svip, RuleField::Head), 1920);
    }

    #[test]
    fn what_a_scope_inherits_comes_from_broader_ones() {
        let from = |scope| Layer { scope: Some(scope), plan: None };
        let program = Layer { scope: None, plan: None };
        assert_eq!(layers(Scope::Plan(Plan::Vip), None), [from(Scope::Everybody), program]);
        let all = PHONE.scopes();
        assert_eq!(layers(all[0], Some(PHONE)), [from(all[1]), from(all[2]), from(all[3]), from(all[4]), program]);
        assert_eq!(layers(all[1], None), [from(all[2]), from(all[3]), from(all[4]), program]);
        // Phones of a room are of several plans, which have values of their own.
        let of_room = layers(all[2], None);
        assert_eq!(of_room[1], Layer { scope: Some(Scope::Plan(Plan::Vvip)), plan: Some(Plan::Vvip) });
        assert_eq!((of_room[3], of_room[7]), (from(Scope::Everybody), program));
        assert_eq!(layers(Scope::Everybody, None).len(), 4);
    }
}
