//! Customers register, and change their profiles.

use std::net::IpAddr;

use axum::response::Response;
use base::fault::Fault;
use base::http::body::PathId;
use base::http::ops::Audit;
use base::http::{Reply, Valid, Validate};
use base::pace::Pace;
use customers::{Profile, Registration, change_profile, register};
use entity::ClientUserId;
use entity::client_user::{ClientType, LoginMethod, Model};
use entity::open_app::OpenOwner;
use kernel::rules::{Check, Verdict, Violation, email, line, phone};
use kernel::text::{Text, text};
use serde::Deserialize;
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing};
use super::refusal::Refusal;
use super::users::{OpenUser, find_within, in_use};

const USER_EXISTS: Text = text("该手机号已注册", "This phone number is registered already");
const CODE_TAKEN: Text = text("该识别码已被占用，请换一个", "This identification code is in use; choose another");

/// Changes of one customer's profile in a minute: each stays in the operation log for ever.
const A_MINUTE: u32 = 10;

/// How often profiles were changed of late.
#[derive(Debug)]
pub struct Changes(Pace<ClientUserId>);

impl Default for Changes {
    fn default() -> Self {
        Self(Pace::per_minute(A_MINUTE))
    }
}

/// A text that programs send along: one line, or nothing.
fn note(text: &str, most: usize) -> Verdict {
    if text.is_empty() { Ok(()) } else { line(text, most) }
}

/// An IPv4 or IPv6 address, or nothing.
fn address(text: &str) -> Verdict {
    let is_one = text.is_empty() || text.parse::<IpAddr>().is_ok();
    if is_one { Ok(()) } else { Err(Violation::new("ip.format")) }
}

/// What a customer's client says of itself: its version, the name of its device, and where it stands.
pub fn client(check: &mut Check, version: &str, device: &str, ip: &str) {
    check.field("clientVersion", note(version, 32));
    check.field("deviceName", note(device, 64));
    check.field("ip", address(ip));
}

/// A customer who registers.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenRegistration {
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// 11 digits. Phone or email is needed, unless a third party knows who it is (`loginMethod` 3, 4 or 5).
    #[serde(default)]
    pub phone: String,
    /// Up to 64 characters.
    #[serde(default)]
    pub email: String,
    /// What support asks for, up to 25 characters, unique; made by the server if it is left out.
    #[serde(default)]
    #[schema(max_length = 25)]
    pub ident_code: String,
    /// How they sign in: 1 code by phone, 2 password, 3 WeChat, 4 QQ, 5 Apple, 6 invited guest.
    pub login_method: LoginMethod,
    /// What their client runs on: 1 Android, 2 iOS, 3 PC, 4 web.
    pub client_type: ClientType,
    /// Up to 32 characters.
    #[serde(default)]
    #[schema(max_length = 32)]
    pub client_version: String,
    /// Up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub device_name: String,
    /// The customer's address, not yours.
    #[serde(default)]
    pub ip: String,
}

impl Validate for OpenRegistration {
    fn check(&self, check: &mut Check) {
        check.field("name", line(&self.name, 64));
        check.optional("phone", Some(&self.phone), phone);
        check.optional("email", Some(&self.email), email);
        let is_known_elsewhere =
            matches!(self.login_method, LoginMethod::WeChat | LoginMethod::Qq | LoginMethod::Apple);
        if self.phone.is_empty() && self.email.is_empty() && !is_known_elsewhere {
            check.add("phone", Violation::new("required"));
        }
        check.optional("identCode", Some(&self.ident_code), |text| line(text, 25));
        client(check, &self.client_version, &self.device_name, &self.ip);
    }
}

/// Says what is taken, and nothing of who has it.
fn taken(fault: Fault) -> Refusal {
    let field = if let Fault::Taken(error) = &fault { error.field.as_str() } else { "" };
    match field {
        "phone" => Refusal::Conflict("user_exists", USER_EXISTS),
        "identCode" => Refusal::Conflict("ident_code_taken", CODE_TAKEN),
        _ => Refusal::Fault(fault),
    }
}

impl Act for OpenRegistration {
    type Answer = OpenUser;

    async fn run(self, doing: &mut Doing) -> Acted<OpenUser> {
        let known = &doing.caller.known;
        let new = Registration {
            name: self.name,
            phone: self.phone,
            email: self.email,
            ident_code: self.ident_code,
            login_method: self.login_method,
            client_type: self.client_type,
            client_version: self.client_version,
            device_name: self.device_name,
            ip: self.ip,
            app: (known.owner != OpenOwner::Company).then_some(known.app),
        };
        let made = register(&mut doing.tx, new, doing.now).await.map_err(taken)?;
        doing.log(Audit::of("clientUser").id(made.id).name(&made.name).after(&made));
        Ok(OpenUser::of(made, doing.caller.lang))
    }
}

/// What a customer changes of the profile. What is left out stays as it is.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenProfile {
    /// 1 to 64 characters.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 64)]
    pub name: Option<String>,
    /// 11 digits, or empty.
    #[serde(default)]
    pub phone: Option<String>,
    /// Up to 64 characters, or empty.
    #[serde(default)]
    pub email: Option<String>,
}

impl Validate for OpenProfile {
    fn check(&self, check: &mut Check) {
        let Self { name, phone: number, email: address } = self;
        if let Some(name) = name {
            check.field("name", line(name, 64));
        }
        check.optional("phone", number.as_deref(), phone);
        check.optional("email", address.as_deref(), email);
    }
}

/// A change of one customer's profile.
struct Change {
    id: String,
    profile: OpenProfile,
}

impl Act for Change {
    type Answer = OpenUser;

    async fn run(self, doing: &mut Doing) -> Acted<OpenUser> {
        let before = find_within(doing, &self.id).await?;
        in_use(&before)?;
        doing.caller.app.part::<Changes>().0.admit(before.id, doing.now)?;
        let OpenProfile { name, phone, email } = self.profile;
        let change = Profile { name, phone, email };
        let after = change_profile(&mut doing.tx, &before, change, doing.now).await.map_err(taken)?;
        let is_same = (&before.name, &before.phone, &before.email) == (&after.name, &after.phone, &after.email);
        if !is_same {
            // Only what may change: the log is for ever.
            let told = |row: &Model| serde_json::json!({ "name": row.name, "phone": row.phone, "email": row.email });
            let audit = Audit::of("clientUser").id(after.id).name(&after.name);
            doing.log(audit.before(&told(&before)).after(&told(&after)));
        }
        Ok(OpenUser::of(after, doing.caller.lang))
    }
}

/// Registers a customer. Whom an agent's or a partner's application registers is its own.
#[utoipa::path(post, path = "/open/v1/users", tag = "user", request_body = OpenRegistration,
    responses((status = 200, body = Reply<OpenUser>)))]
pub async fn open_user_create(acting: Acting, Valid(input): Valid<OpenRegistration>) -> Response {
    acting.once(input).await
}

/// Changes a customer's profile.
#[utoipa::path(patch, path = "/open/v1/users/{id}", tag = "user", request_body = OpenProfile,
    params(("id" = String, Path, description = "The customer's id")),
    responses((status = 200, body = Reply<OpenUser>)))]
pub async fn open_user_update(
    acting: Acting,
    PathId(id): PathId<String>,
    Valid(profile): Valid<OpenProfile>,
) -> Response {
    acting.once(Change { id, profile }).await
}
