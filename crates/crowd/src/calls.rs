//! The calls that a crowd makes. What it needs not is read over.

use reqwest::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::client::{Call, Client, Refused};

/// Rows of a part of a list.
const PART: usize = 500;
/// `life` of a phone that can be used.
const ACTIVE: i64 = 2;

/// The application itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Own {
    pub name: String,
    pub scopes: Vec<String>,
    pub limits: Limits,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    pub per_second: u32,
}

/// A customer.
#[derive(Debug, Deserialize)]
pub struct User {
    pub id: String,
}

/// A cloud phone.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phone {
    pub id: String,
    pub user_id: String,
    life: i64,
}

#[derive(Deserialize)]
struct Part<T> {
    list: Vec<T>,
    next: Option<String>,
}

/// How far somebody is who connects.
#[derive(Debug, Deserialize)]
pub struct Connect {
    /// `queued`, `preparing`, `ready`, `failed` or `left`.
    pub state: String,
    gateway: Option<Named>,
    ticket: Option<String>,
    /// Why it failed.
    pub code: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

/// What lets somebody in.
#[derive(Debug)]
pub struct Ticket {
    /// At which gateway.
    pub gateway: String,
    pub text: String,
}

impl Connect {
    /// The ticket of one that is ready.
    pub fn into_ticket(self) -> Option<Ticket> {
        Some(Ticket { gateway: self.gateway?.name, text: self.ticket? })
    }
}

/// A stream that has begun.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Redeemed {
    pub stream_id: String,
    pub phone_id: String,
    pub card_id: String,
    /// The card's within its room.
    pub card_address: String,
}

/// What a gateway is to do.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Orders {
    pub orders: Vec<Order>,
    pub next_seconds: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    pub stream_id: String,
    /// `warn`, `end` or `reconnect`.
    pub order: String,
    pub code: Option<String>,
}

fn connect_of(phone: &str) -> String {
    format!("/open/v1/phones/{phone}/connect")
}

impl Client {
    pub async fn own(&self) -> Result<Own, Refused> {
        self.call(Call::get("/open/v1/app")).await
    }

    /// The phones that can be used.
    pub async fn phones(&self) -> Result<Vec<Phone>, Refused> {
        self.usable("/open/v1/phones").await
    }

    /// Those of a customer.
    pub async fn phones_of(&self, user: &str) -> Result<Vec<Phone>, Refused> {
        self.usable(&format!("/open/v1/users/{user}/phones")).await
    }

    async fn usable(&self, path: &str) -> Result<Vec<Phone>, Refused> {
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let part: Part<Phone> = self.call(Call::get(path).query(format!("limit={PART}{after}"))).await?;
            all.extend(part.list.into_iter().filter(|phone| phone.life == ACTIVE));
            let Some(next) = part.next else { return Ok(all) };
            after = format!("&after={next}");
        }
    }

    /// The customer with this identification code.
    pub async fn user_with(&self, ident_code: &str) -> Result<Option<User>, Refused> {
        let found: Part<User> = self.call(Call::get("/open/v1/users").query(format!("identCode={ident_code}"))).await?;
        Ok(found.list.into_iter().next())
    }

    pub async fn register(&self, name: &str, ident_code: &str) -> Result<User, Refused> {
        let email = format!("{}@example.com", ident_code.to_lowercase());
        let body = json!({ "name": name, "email": email, "identCode": ident_code, "loginMethod": 2, "clientType": 1,
            "clientVersion": "simulated", "deviceName": "skyrack simulate" });
        self.call(Call::act(Method::POST, "/open/v1/users").body(&body)).await
    }

    pub async fn sign_in(&self, user: &str) -> Result<(), Refused> {
        let body = json!({ "loginMethod": 1, "clientType": 1, "clientVersion": "simulated", "deviceName": "skyrack simulate" });
        let path = format!("/open/v1/users/{user}/sign-ins");
        self.call::<IgnoredAny>(Call::act(Method::POST, &path).body(&body)).await.map(drop)
    }

    pub async fn sign_out(&self, user: &str) -> Result<(), Refused> {
        let path = format!("/open/v1/users/{user}/sign-outs");
        let body = json!({ "deviceName": "skyrack simulate" });
        self.call::<IgnoredAny>(Call::act(Method::POST, &path).body(&body)).await.map(drop)
    }

    /// Somebody wants to use a phone.
    pub async fn connect(&self, phone: &str) -> Result<Option<Connect>, Refused> {
        self.call(Call::act(Method::POST, &connect_of(phone))).await
    }

    /// Somebody still does.
    pub async fn look(&self, phone: &str) -> Result<Option<Connect>, Refused> {
        self.call(Call::get(&connect_of(phone))).await
    }

    /// Nobody does any more.
    pub async fn leave(&self, phone: &str) -> Result<(), Refused> {
        self.call::<IgnoredAny>(Call::act(Method::DELETE, &connect_of(phone))).await.map(drop)
    }

    pub async fn redeem(&self, ticket: &Ticket) -> Result<Redeemed, Refused> {
        let body = json!({ "ticket": ticket.text, "gateway": ticket.gateway });
        self.call(Call::act(Method::POST, "/open/v1/tickets/redeem").body(&body)).await
    }

    pub async fn beat(&self, streams: &[String]) -> Result<Orders, Refused> {
        let body = json!({ "streams": streams });
        self.call(Call::tell("/open/v1/streams/heartbeats").body(&body)).await
    }

    pub async fn ended(&self, streams: &[String]) -> Result<(), Refused> {
        let streams: Vec<_> = streams.iter().map(|id| json!({ "streamId": id })).collect();
        let body = json!({ "streams": streams });
        self.call::<IgnoredAny>(Call::act(Method::POST, "/open/v1/streams/ended").body(&body)).await.map(drop)
    }
}
