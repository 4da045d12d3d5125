//! Values of rules, as people and programs send and see them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base::access::catalog::title_of;
use entity::rule_value::{RuleField, YearCardOffline};
use kernel::lang::Lang;
use kernel::rules::{Check, Violation, day_time, integer_between};
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::field::{Kind, RULES, rule};
use crate::screens::SCREENS;

const OPEN: Text = text("不停用", "Not closed");
pub const MINUTES_A_DAY: i64 = 1440;

/// A part of the night in which phones are off, in the room's time. It may go over midnight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NightClose {
    /// When it begins, `HH:mm`; both are empty where phones are on all night.
    #[schema(max_length = 5)]
    pub from: String,
    /// When it ends, another time than it begins.
    #[schema(max_length = 5)]
    pub to: String,
}

impl NightClose {
    fn is_open(&self) -> bool {
        self.from.is_empty() && self.to.is_empty()
    }

    fn check(&self, check: &mut Check) {
        if self.is_open() {
            return;
        }
        let [from, to] = [("from", &self.from), ("to", &self.to)].map(|(name, time)| check.field(name, day_time(time)));
        if from.is_some() && from == to {
            check.add("to", Violation::new("phoneRule.sameTime"));
        }
    }

    /// As it is stored. What was not checked is none.
    fn stored(&self) -> i64 {
        match (day_time(&self.from), day_time(&self.to)) {
            (Ok(from), Ok(to)) => from * MINUTES_A_DAY + to,
            _ => 0,
        }
    }

    fn of(stored: i64) -> Self {
        let Some(Night { from, to }) = Night::of(stored) else { return Self::default() };
        let time = |minutes: i64| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        Self { from: time(from), to: time(to) }
    }
}

/// A part of the night in which phones are off, in minutes since midnight. It goes over midnight if it ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Night {
    pub from: i64,
    pub to: i64,
}

impl Night {
    /// As it is stored; none if phones are on all night.
    #[must_use]
    pub const fn of(stored: i64) -> Option<Self> {
        if stored == 0 { None } else { Some(Self { from: stored / MINUTES_A_DAY, to: stored % MINUTES_A_DAY }) }
    }
}

/// Values of rules; what is left out has none here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleValues {
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_minutes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    daily_hours: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_session: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    night_close: Option<NightClose>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_max: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_wait: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reconnect_grace: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expiry_notice: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release_grace: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    year_card_offline: Option<YearCardOffline>,
}

impl RuleValues {
    /// These stored values.
    pub fn of(stored: impl IntoIterator<Item = (RuleField, i64)>) -> Self {
        let mut all = Self::default();
        for (field, value) in stored {
            match field {
                RuleField::IdleMinutes => all.idle_minutes = Some(value),
                RuleField::DailyHours => all.daily_hours = Some(value),
                RuleField::LongestSession => all.longest_session = Some(value),
                RuleField::NightClose => all.night_close = Some(NightClose::of(value)),
                RuleField::QueueMax => all.queue_max = Some(value),
                RuleField::QueueWait => all.queue_wait = Some(value),
                RuleField::ReconnectGrace => all.reconnect_grace = Some(value),
                RuleField::Head => all.head = Some(value),
                RuleField::ExpiryNotice => all.expiry_notice = Some(value),
                RuleField::ReleaseGrace => all.release_grace = Some(value),
                RuleField::YearCardOffline => all.year_card_offline = Some(year_card(value)),
            }
        }
        all
    }

    fn get(&self, field: RuleField) -> Option<i64> {
        match field {
            RuleField::IdleMinutes => self.idle_minutes,
            RuleField::DailyHours => self.daily_hours,
            RuleField::LongestSession => self.longest_session,
            RuleField::NightClose => self.night_close.as_ref().map(NightClose::stored),
            RuleField::QueueMax => self.queue_max,
            RuleField::QueueWait => self.queue_wait,
            RuleField::ReconnectGrace => self.reconnect_grace,
            RuleField::Head => self.head,
            RuleField::ExpiryNotice => self.expiry_notice,
            RuleField::ReleaseGrace => self.release_grace,
            RuleField::YearCardOffline => self.year_card_offline.map(|one| one.code().into()),
        }
    }

    /// As they are stored.
    pub fn stored(&self) -> BTreeMap<RuleField, i64> {
        RuleField::ALL.iter().filter_map(|field| Some((*field, self.get(*field)?))).collect()
    }

    /// Records what is wrong with them.
    pub fn check(&self, check: &mut Check) {
        for rule in &RULES {
            if let (Kind::Number(limits), Some(value)) = (&rule.kind, self.get(rule.field)) {
                check.field(rule.key, integer_between(value, *limits.start(), *limits.end()));
            }
        }
        if let Some(night) = &self.night_close {
            check.nested("nightClose", |check| night.check(check));
        }
    }
}

/// A stored value; one that is none of the list, which the schema does not keep out, takes nobody off.
#[must_use]
pub fn year_card(stored: i64) -> YearCardOffline {
    i16::try_from(stored).ok().and_then(YearCardOffline::from_code).unwrap_or(YearCardOffline::Never)
}

/// A stored value in words.
#[must_use]
pub fn words(field: RuleField, stored: i64, lang: Lang) -> String {
    let rule = rule(field);
    match (&rule.kind, rule.unit) {
        (Kind::Number(_), Some(unit)) => format!("{stored} {}", unit.get(lang)),
        (Kind::Number(_), None) => stored.to_string(),
        (Kind::Night, _) => {
            let night = NightClose::of(stored);
            if night.is_open() { OPEN.get(lang).to_owned() } else { format!("{}–{}", night.from, night.to) }
        }
        (Kind::YearCard, _) => year_card(stored).label().get(lang).to_owned(),
    }
}

impl PartialSchema for RuleValues {
    fn schema() -> RefOr<Schema> {
        let mut object = ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some("Values of rules; what is left out has none here."))
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)));
        for rule in &RULES {
            object = match &rule.kind {
                Kind::Number(limits) => {
                    let number = ObjectBuilder::new().schema_type(Type::Integer);
                    object.property(rule.key, number.minimum(Some(*limits.start())).maximum(Some(*limits.end())))
                }
                Kind::Night => object.property(rule.key, Ref::from_schema_name(NightClose::name())),
                Kind::YearCard => object.property(rule.key, Ref::from_schema_name(YearCardOffline::name())),
            };
        }
        let pair = |text: Text| json!([text.zh, text.en]);
        let said: Vec<Value> = RULES
            .iter()
            .map(|rule| json!({ "name": rule.key, "label": pair(rule.field.label()), "unit": rule.unit.map(pair) }))
            .collect();
        // The console has titles, labels, units and limits from here, as those of settings documents.
        let said = json!({ "title": pair(title_of(SCREENS, "cloudPhoneRules")), "fields": said });
        let object = object.extensions(Some(Extensions::from_iter([("x-settings", said)])));
        RefOr::T(Schema::Object(object.build()))
    }
}

impl ToSchema for RuleValues {
    fn name() -> Cow<'static, str> {
        "RuleValues".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((NightClose::name().into_owned(), NightClose::schema()));
        schemas.push((YearCardOffline::name().into_owned(), YearCardOffline::schema()));
    }
}

#[cfg(test)]
mod tests {
    use entity::rule_value::RuleField;
    use kernel::lang::Lang;
    use kernel::rules::Check;

    use super::{Kind, Night, RULES, RuleValues, words};

    fn read(text: &str) -> RuleValues {
        serde_json::from_str(text).expect("values")
    }

    #[test]
    fn values_come_back_as_they_were_sent() {
        for text in [
            "{}",
            r#"{"idleMinutes":0,"head":9999}"#,
            r#"{"nightClose":{"from":"23:30","to":"06:05"}}"#,
            r#"{"nightClose":{"from":"00:00","to":"00:01"}}"#,
            r#"{"nightClose":{"from":"","to":""}}"#,
            r#"{"yearCardOffline":2}"#,
        ] {
            let values = read(text);
            let mut check = Check::new();
            values.check(&mut check);
            assert!(check.is_clean(), "{text}");
            assert_eq!(serde_json::to_string(&RuleValues::of(values.stored())).expect("text"), text);
        }
        assert!(serde_json::from_str::<RuleValues>(r#"{"idleHours":1}"#).is_err());
    }

    #[test]
    fn each_number_is_taken_up_to_its_limits_and_no_further() {
        let wrong = |key: &str, value: i64| {
            let mut check = Check::new();
            read(&format!(r#"{{"{key}":{value}}}"#)).check(&mut check);
            let found = check.finish().err().map(|invalid| invalid.0).unwrap_or_default();
            found.iter().map(|error| format!("{} {}", error.field, error.violation.code)).collect::<Vec<_>>()
        };
        let mut tried = 0;
        for rule in &RULES {
            if let Kind::Number(limits) = &rule.kind {
                let (first, last) = (*limits.start(), *limits.end());
                for value in [first, last] {
                    assert_eq!(wrong(rule.key, value), [""; 0], "{} {value}", rule.key);
                }
                for value in [first - 1, last + 1, i64::MIN, i64::MAX] {
                    assert_eq!(wrong(rule.key, value), [format!("{} integer.range", rule.key)], "{value}");
                }
                tried += 1;
            }
        }
        assert_eq!(tried, 9);
    }

    #[test]
    fn a_night_that_is_none_is_refused_and_an_open_one_is_none() {
        for (from, to, wrong) in [
            ("22:00", "22:00", "nightClose.to phoneRule.sameTime"),
            ("00:00", "00:00", "nightClose.to phoneRule.sameTime"),
            ("22:00", "", "nightClose.to required"),
            ("25:00", "06:00", "nightClose.from time.ofDay"),
        ] {
            let values = read(&format!(r#"{{"nightClose":{{"from":"{from}","to":"{to}"}}}}"#));
            let mut check = Check::new();
            values.check(&mut check);
            let found = check.finish().expect_err("wrong").0;
            let found: Vec<String> =
                found.iter().map(|error| format!("{} {}", error.field, error.violation.code)).collect();
            assert_eq!(found, [wrong]);
        }
        assert_eq!((Night::of(0), Night::of(1410 * 1440 + 365)), (None, Some(Night { from: 1410, to: 365 })));
        assert_eq!(words(RuleField::NightClose, 1410 * 1440 + 365, Lang::En), "23:30–06:05");
        assert_eq!(words(RuleField::NightClose, 0, Lang::Zh), "不停用");
        assert_eq!(words(RuleField::IdleMinutes, 30, Lang::En), "30 min");
    }
}
