//! An application that calls the Open API.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OpenAppId;

kernel::coded_enum! {
    /// Whose an application is: the company's see everything, the others what they brought.
    pub enum OpenOwner {
        /// The company itself.
        Company = 1 ("公司", "Company"),
        /// An agent of the company.
        Agent = 2 ("代理商", "Agent"),
        /// Another company that works with it.
        Partner = 3 ("伙伴", "Partner"),
    }
}

kernel::named_enum! {
    /// What an application may call.
    pub enum OpenScope {
        /// Customers.
        User = "user" ("客户", "Customers"),
        /// Their cloud phones.
        Phone = "phone" ("云手机", "Cloud phones"),
        /// Tickets, which it redeems.
        Gateway = "gateway" ("网关", "Gateway"),
    }
}

impl OpenScope {
    /// Every scope, in the order of declaration.
    pub const ALL: &'static [Self] = &[Self::User, Self::Phone, Self::Gateway];

    /// Its name, as it is stored and sent.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Phone => "phone",
            Self::Gateway => "gateway",
        }
    }

    /// The scopes whose names stand in `text`, with commas between them.
    #[must_use]
    pub fn listed(text: &str) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|scope| text.split(',').any(|name| name == scope.name())).collect()
    }
}

/// An application that calls the Open API.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "open_app")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: OpenAppId,
    /// Unique.
    pub name: String,
    pub owner: OpenOwner,
    /// Which agent or partner; empty for the company.
    pub owner_name: String,
    /// See [`OpenScope::listed`].
    pub scopes: String,
    /// Networks, with spaces between them; empty if any address may call.
    pub ips: String,
    pub per_second: i32,
    /// Thousands; none if a day has no limit.
    pub per_day: Option<i32>,
    pub is_enabled: bool,
    pub remark: String,
    /// All that were ever made.
    pub calls: i64,
    /// The day of the last call, in days since the beginning of our era.
    pub day: i32,
    /// The calls of that day.
    pub day_calls: i64,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::OpenScope;

    #[test]
    fn scopes_are_listed_by_their_names_alone() {
        assert_eq!(OpenScope::listed("gateway,phone,user"), OpenScope::ALL);
        assert!(OpenScope::listed("phones, user").is_empty() && OpenScope::listed("").is_empty());
    }
}
