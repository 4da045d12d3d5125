//! What the rules are: each is said once, with its limits and with what holds where nobody has set anything.

use std::ops::RangeInclusive;

use base::settings::unit;
use entity::phone::Plan;
use entity::rule_value::{RuleField, YearCardOffline};
use kernel::text::{Text, text};

/// A rule.
#[derive(Debug)]
pub struct Rule {
    pub field: RuleField,
    /// Its name in JSON.
    pub key: &'static str,
    pub unit: Option<Text>,
    pub kind: Kind,
    /// The program's own value.
    usual: i64,
}

impl Rule {
    /// What holds where nobody has set anything. Of [`RuleField::Head`] plans differ: [`usual`].
    #[must_use]
    pub const fn usual(&self) -> i64 {
        self.usual
    }
}

/// What its values are.
#[derive(Debug)]
pub enum Kind {
    /// Whole numbers within these limits.
    Number(RangeInclusive<i64>),
    /// A part of the night.
    Night,
    /// Those of [`YearCardOffline`].
    YearCard,
}

/// How many there are.
pub const COUNT: usize = RuleField::ALL.len();

const fn number(
    field: RuleField,
    key: &'static str,
    unit: Option<Text>,
    limits: RangeInclusive<i64>,
    usual: i64,
) -> Rule {
    Rule { field, key, unit, kind: Kind::Number(limits), usual }
}

/// The rules, in the order of [`RuleField::ALL`].
///
/// The program's own values take nobody by surprise: phones that stand idle make room, streams last a day, the night is open,
/// and who has paid for a year is left alone until somebody decides otherwise.
const ALL: [Rule; COUNT] = [
    number(RuleField::IdleMinutes, "idleMinutes", Some(unit::MINUTES), 0..=9999, 30),
    number(RuleField::DailyHours, "dailyHours", Some(unit::HOURS), 1..=24, 24),
    number(RuleField::LongestSession, "longestSession", Some(unit::MINUTES), 1..=9999, 1440),
    Rule { field: RuleField::NightClose, key: "nightClose", unit: None, kind: Kind::Night, usual: 0 },
    number(RuleField::QueueMax, "queueMax", Some(text("台", "phones")), 1..=10_000, 1000),
    number(RuleField::QueueWait, "queueWait", Some(unit::MINUTES), 1..=999, 30),
    number(RuleField::ReconnectGrace, "reconnectGrace", Some(unit::MINUTES), 1..=30, 5),
    number(RuleField::Head, "head", Some(unit::SECONDS), 0..=9999, 1800),
    number(RuleField::ExpiryNotice, "expiryNotice", Some(unit::DAYS), 1..=30, 3),
    number(RuleField::ReleaseGrace, "releaseGrace", Some(unit::DAYS), 1..=30, 7),
    Rule {
        field: RuleField::YearCardOffline,
        key: "yearCardOffline",
        unit: None,
        kind: Kind::YearCard,
        usual: YearCardOffline::Never.code() as i64,
    },
];

/// The same, to refer to.
pub static RULES: [Rule; COUNT] = ALL;

/// What the fields of logged rules are called.
pub const LOGGED: &[(&str, Text)] = &{
    let mut all = [("", text("", "")); COUNT + 2];
    let mut at = 0;
    while at < COUNT {
        all[at] = (ALL[at].key, ALL[at].field.label());
        at += 1;
    }
    all[COUNT] = ("nightClose.from", text("夜间停用起", "Closed at night from"));
    all[COUNT + 1] = ("nightClose.to", text("夜间停用止", "Closed at night until"));
    all
};

/// The rule of this name.
#[must_use]
pub fn rule(field: RuleField) -> &'static Rule {
    &RULES[field as usize]
}

/// What holds for phones of a plan where nobody has set anything: of those who wait, who pays more is a little ahead.
#[must_use]
pub fn usual(field: RuleField, plan: Plan) -> i64 {
    let usual = rule(field).usual;
    if field != RuleField::Head {
        return usual;
    }
    match plan {
        Plan::Vip => usual,
        Plan::Vvip => usual + 60,
        Plan::Svip => usual + 120,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, RULES, RuleField, rule};

    #[test]
    fn each_rule_is_found_by_its_field_and_its_own_value_is_within_its_limits() {
        let fields: Vec<RuleField> = RULES.iter().map(|rule| rule.field).collect();
        assert_eq!(fields, RuleField::ALL);
        for field in RuleField::ALL {
            let rule = rule(*field);
            assert_eq!(rule.field, *field);
            if let Kind::Number(limits) = &rule.kind {
                assert!(limits.contains(&rule.usual), "{field:?}");
            }
        }
    }
}
