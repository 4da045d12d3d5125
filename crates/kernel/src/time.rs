//! Instants. One type everywhere, so that unit and zone are never in doubt.

use chrono::{DateTime, SecondsFormat, TimeZone as _, Utc};
use sea_orm::DeriveValueType;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, SchemaFormat, Type, schema::KnownFormat};

/// A UTC instant, counted in milliseconds since 1970-01-01.
///
/// It is stored as `BIGINT`, because text does not sort across precisions and SQLite has no time
/// type; it travels in JSON as RFC 3339 with an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, DeriveValueType)]
pub struct UtcTime(pub i64);

impl UtcTime {
    /// The wall clock's now. Only `clock::Clock` and start-up code should call it.
    #[must_use]
    pub fn now() -> Self {
        Self(Utc::now().timestamp_millis())
    }

    /// Milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// This instant moved by `seconds`, which may be negative.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1000)))
    }

    /// Whole seconds from `earlier` to this instant; negative if that is later.
    #[must_use]
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0) / 1000
    }

    /// The same instant as a chrono value; far-away values are clamped to the epoch.
    #[must_use]
    pub fn to_chrono(self) -> DateTime<Utc> {
        Utc.timestamp_millis_opt(self.0).single().unwrap_or_default()
    }

    /// `2026-11-20T13:00:00.000Z`.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        self.to_chrono().to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// Reads RFC 3339 with an offset.
    ///
    /// # Errors
    /// When `text` is not such a time.
    pub fn parse_rfc3339(text: &str) -> Result<Self, chrono::ParseError> {
        DateTime::parse_from_rfc3339(text).map(|time| Self(time.timestamp_millis()))
    }
}

impl Serialize for UtcTime {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.to_rfc3339())
    }
}

impl<'de> Deserialize<'de> for UtcTime {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        Self::parse_rfc3339(&text).map_err(|_| de::Error::custom("expected a time such as 2026-11-20T13:00:00+08:00"))
    }
}

impl utoipa::PartialSchema for UtcTime {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .into()
    }
}
impl utoipa::ToSchema for UtcTime {}
