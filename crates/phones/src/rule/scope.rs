//! For whom values hold.

use std::collections::HashMap;

use base::fault::Outcome;
use base::reference::Reference;
use entity::phone::{self, Life, Plan};
use entity::rule_value::RuleScope;
use entity::{PhoneId, RoomId};
use kernel::lang::Lang;
use kernel::rules::{Check, Violation};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// For whom values hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    Everybody,
    Plan(Plan),
    Room(RoomId),
    RoomPlan(RoomId, Plan),
    Phone(PhoneId),
}

/// Plans in the number of a room and plan.
pub const PLANS: i64 = 16;

impl Scope {
    /// Of which kind it is.
    #[must_use]
    pub const fn kind(self) -> RuleScope {
        match self {
            Self::Everybody => RuleScope::Everybody,
            Self::Plan(_) => RuleScope::Plan,
            Self::Room(_) => RuleScope::Room,
            Self::RoomPlan(..) => RuleScope::RoomPlan,
            Self::Phone(_) => RuleScope::Phone,
        }
    }

    /// What it names, as one number.
    #[must_use]
    pub fn id(self) -> i64 {
        match self {
            Self::Everybody => 0,
            Self::Plan(plan) => plan.code().into(),
            Self::Room(room) => room.0,
            Self::RoomPlan(room, plan) => room.0 * PLANS + i64::from(plan.code()),
            Self::Phone(phone) => phone.0,
        }
    }

    /// The scope that is stored so.
    #[must_use]
    pub fn of(kind: RuleScope, id: i64) -> Option<Self> {
        let plan = |code: i64| i16::try_from(code).ok().and_then(Plan::from_code);
        Some(match kind {
            RuleScope::Everybody => Self::Everybody,
            RuleScope::Plan => Self::Plan(plan(id)?),
            RuleScope::Room => Self::Room(RoomId(id)),
            RuleScope::RoomPlan => Self::RoomPlan(RoomId(id / PLANS), plan(id % PLANS)?),
            RuleScope::Phone => Self::Phone(PhoneId(id)),
        })
    }

    /// The plan that it names.
    #[must_use]
    pub const fn plan(self) -> Option<Plan> {
        match self {
            Self::Plan(plan) | Self::RoomPlan(_, plan) => Some(plan),
            Self::Everybody | Self::Room(_) | Self::Phone(_) => None,
        }
    }

    /// The room that it names.
    #[must_use]
    pub const fn room(self) -> Option<RoomId> {
        match self {
            Self::Room(room) | Self::RoomPlan(room, _) => Some(room),
            Self::Everybody | Self::Plan(_) | Self::Phone(_) => None,
        }
    }

    /// The phone that it names.
    #[must_use]
    pub const fn phone(self) -> Option<PhoneId> {
        match self {
            Self::Phone(phone) => Some(phone),
            Self::Everybody | Self::Plan(_) | Self::Room(_) | Self::RoomPlan(..) => None,
        }
    }
}

/// For whom values are asked for.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RuleScopeInput {
    /// Of which kind.
    #[param(value_type = i16)]
    pub scope: RuleScope,
    /// The plan, if the kind names one.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub plan: Option<Plan>,
    /// The room, if the kind names one.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// The phone, if the kind names one.
    #[serde(default)]
    pub phone_id: Option<i64>,
}

impl RuleScopeInput {
    /// The scope; what is missing, or too much, is recorded.
    pub fn read(&self, check: &mut Check) -> Option<Scope> {
        let Self { scope, plan, room_id, phone_id } = self;
        let [wants_plan, wants_room, wants_phone] = match scope {
            RuleScope::Everybody => [false, false, false],
            RuleScope::Plan => [true, false, false],
            RuleScope::Room => [false, true, false],
            RuleScope::RoomPlan => [true, true, false],
            RuleScope::Phone => [false, false, true],
        };
        for (field, is_wanted, is_given) in [
            ("plan", wants_plan, plan.is_some()),
            ("roomId", wants_room, room_id.is_some()),
            ("phoneId", wants_phone, phone_id.is_some()),
        ] {
            if is_wanted && !is_given {
                check.add(field, Violation::new("required"));
            } else if is_given && !is_wanted {
                check.add(field, Violation::new("field.unknown"));
            }
        }
        Some(match scope {
            RuleScope::Everybody => Scope::Everybody,
            RuleScope::Plan => Scope::Plan((*plan)?),
            RuleScope::Room => Scope::Room(RoomId((*room_id)?)),
            RuleScope::RoomPlan => Scope::RoomPlan(RoomId((*room_id)?), (*plan)?),
            RuleScope::Phone => Scope::Phone(PhoneId((*phone_id)?)),
        })
    }
}

/// Checks that what a scope names is there; the phone, if it names one.
///
/// # Errors
/// When it is not, or a read fails.
pub async fn there(db: &impl ConnectionTrait, scope: Scope) -> Outcome<Option<phone::Model>> {
    let mut check = Check::new();
    if let Some(room) = scope.room()
        && !fleet::room_names(db, [room]).await?.contains_key(&room)
    {
        check.add("roomId", Violation::unknown_reference());
    }
    let mut found = None;
    if let Some(id) = scope.phone() {
        let row = phone::Entity::find_by_id(id).one(db).await?;
        found = row.filter(|row| row.life != Life::Erased);
        if found.is_none() {
            check.add("phoneId", Violation::unknown_reference());
        }
    }
    check.finish()?;
    Ok(found)
}

/// For whom values hold, as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleScopeView {
    /// Of which kind it is.
    pub scope: RuleScope,
    /// The plan that it names.
    pub plan: Option<Plan>,
    /// The room that it names.
    pub room: Option<Reference>,
    /// The phone that it names, by its code.
    pub phone: Option<Reference>,
}

/// What rooms and phones are called.
#[derive(Debug)]
pub struct Names {
    rooms: HashMap<RoomId, String>,
    phones: HashMap<PhoneId, String>,
}

impl Names {
    /// Those that these scopes name.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(db: &impl ConnectionTrait, scopes: &[Scope]) -> Result<Self, DbErr> {
        let rooms = fleet::room_names(db, scopes.iter().filter_map(|scope| scope.room())).await?;
        let ids: Vec<PhoneId> = scopes.iter().filter_map(|scope| scope.phone()).collect();
        let mut phones = HashMap::new();
        if !ids.is_empty() {
            let select = phone::Entity::find().select_only().columns([phone::Column::Id, phone::Column::Code]);
            let found: Vec<(PhoneId, String)> =
                select.filter(phone::Column::Id.is_in(ids)).into_tuple().all(db).await?;
            phones.extend(found);
        }
        Ok(Self { rooms, phones })
    }

    /// A scope, as people see it.
    #[must_use]
    pub fn view(&self, scope: Scope) -> RuleScopeView {
        RuleScopeView {
            scope: scope.kind(),
            plan: scope.plan(),
            room: scope.room().map(|room| Reference::among(room, &self.rooms)),
            phone: scope.phone().map(|phone| Reference::among(phone, &self.phones)),
        }
    }

    /// A scope in words. What is gone is called by its number.
    #[must_use]
    pub fn words(&self, scope: Scope, lang: Lang) -> String {
        let room = |id: RoomId| self.rooms.get(&id).cloned().unwrap_or_else(|| format!("#{id}"));
        match scope {
            Scope::Everybody => RuleScope::Everybody.label().get(lang).to_owned(),
            Scope::Plan(plan) => plan.label().get(lang).to_owned(),
            Scope::Room(id) => room(id),
            Scope::RoomPlan(id, plan) => format!("{} · {}", room(id), plan.label().get(lang)),
            Scope::Phone(id) => self.phones.get(&id).cloned().unwrap_or_else(|| format!("#{id}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PhoneId, Plan, RoomId, Scope};

    #[test]
    fn a_scope_is_stored_as_its_kind_and_one_number() {
        for scope in [
            Scope::Everybody,
            Scope::Plan(Plan::Vvip),
            Scope::Room(RoomId(7)),
            Scope::RoomPlan(RoomId(7), Plan::Svip),
            Scope::Phone(PhoneId(70)),
        ] {
            assert_eq!(Scope::of(scope.kind(), scope.id()), Some(scope));
        }
        assert_eq!(Scope::of(Scope::Plan(Plan::Vip).kind(), 9), None);
    }
}
