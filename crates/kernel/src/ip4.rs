//! IPv4 addresses as columns: a number, so that they can be sorted, compared and counted; a text for people.

use std::net::Ipv4Addr;
use std::str::FromStr;

use sea_orm::DeriveValueType;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::rules::{self, Violation};

/// An IPv4 address. Stored as `BIGINT`, sent as `10.0.0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, DeriveValueType)]
pub struct Ip4(pub i64);

impl Ip4 {
    /// The address as a number.
    #[must_use]
    pub fn number(self) -> u32 {
        u32::try_from(self.0).unwrap_or(0)
    }

    /// The address `steps` after this one; none after the last one.
    #[must_use]
    pub fn plus(self, steps: u32) -> Option<Self> {
        self.number().checked_add(steps).map(Self::from)
    }

    /// The first and the last address that start with these octets: `10`, `10.0.` and `10.0.0.1` are prefixes, the last
    /// one of a single address. None if the text is not a prefix.
    #[must_use]
    pub fn beginning_with(text: &str) -> Option<(Self, Self)> {
        let octets: Vec<&str> = text.strip_suffix('.').unwrap_or(text).split('.').collect();
        let missing = 4_usize.checked_sub(octets.len())?;
        if missing == 0 && text.ends_with('.') {
            return None;
        }
        let whole = |octet| {
            let filled = octets.iter().copied().chain(std::iter::repeat_n(octet, missing));
            filled.collect::<Vec<_>>().join(".").parse().ok()
        };
        whole("0").zip(whole("255"))
    }
}

impl From<u32> for Ip4 {
    fn from(number: u32) -> Self {
        Self(i64::from(number))
    }
}

impl From<Ipv4Addr> for Ip4 {
    fn from(address: Ipv4Addr) -> Self {
        Self::from(u32::from(address))
    }
}

impl FromStr for Ip4 {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        rules::ipv4(text).map(Self::from)
    }
}

impl std::fmt::Display for Ip4 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ipv4Addr::from(self.number()).fmt(f)
    }
}

impl Serialize for Ip4 {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ip4 {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(|_| de::Error::custom("expected an address such as 10.0.0.1"))
    }
}

impl utoipa::PartialSchema for Ip4 {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::Custom("ipv4".to_owned())))
            .into()
    }
}
impl utoipa::ToSchema for Ip4 {}

#[cfg(test)]
mod tests {
    use super::Ip4;

    #[test]
    fn an_address_is_a_number_and_a_text() {
        let first: Ip4 = "10.0.0.255".parse().expect("an address");
        assert_eq!((first.0, first.to_string()), (0x0a00_00ff, "10.0.0.255".to_owned()));
        assert_eq!(first.plus(1).map(|next| next.to_string()), Some("10.0.1.0".to_owned()));
        assert_eq!(Ip4::from(u32::MAX).plus(1), None);
        for wrong in ["", "10.0.0", "10.0.0.256", "010.0.0.1", "::1"] {
            assert!(wrong.parse::<Ip4>().is_err(), "{wrong}");
        }
        for (text, span) in [
            ("10", Some(("10.0.0.0", "10.255.255.255"))),
            ("10.9.", Some(("10.9.0.0", "10.9.255.255"))),
            ("10.9.1", Some(("10.9.1.0", "10.9.1.255"))),
            ("10.9.1.7", Some(("10.9.1.7", "10.9.1.7"))),
            ("10.9.1.7.", None),
            ("10..9", None),
            ("256", None),
            ("SKY1", None),
            ("", None),
        ] {
            let found = Ip4::beginning_with(text).map(|(from, to)| (from.to_string(), to.to_string()));
            assert_eq!(found, span.map(|(from, to)| (from.to_owned(), to.to_owned())), "{text}");
        }
        assert_eq!(serde_json::to_string(&first).expect("text"), "\"10.0.0.255\"");
    }
}
