//! Enumerations that are stored and sent as the numbers that existing clients know.

use serde_json::json;
use utoipa::openapi::extensions::Extensions;

/// Declares an enum with `i16` numbers: a `SMALLINT` column, a JSON number, an OpenAPI integer.
///
/// A number outside the list is refused on input, with the list in the message. With labels, `Idle = 1 ("空闲", "Idle")`,
/// they are shown to people everywhere: in files, and through the API document in the console.
#[macro_export]
macro_rules! coded_enum {
    ($(#[$doc:meta])* $vis:vis enum $name:ident {
        $($(#[$vdoc:meta])* $variant:ident = $number:literal ($zh:literal, $en:literal),)+
    }) => {
        $crate::coded_enum! { @values [$crate::coded::labelled(&[$(($number, stringify!($variant), $zh, $en)),+])]
            $(#[$doc])* $vis enum $name { $($(#[$vdoc])* $variant = $number,)+ } }

        impl $name {
            /// The label for people.
            #[must_use]
            pub const fn label(self) -> $crate::text::Text {
                match self { $(Self::$variant => $crate::text::text($zh, $en),)+ }
            }
        }
    };
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal,)+ }) => {
        $crate::coded_enum! { @values [None]
            $(#[$doc])* $vis enum $name { $($(#[$vdoc])* $variant = $number,)+ } }
    };
    (@values [$labels:expr]
        $(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal,)+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::sea_orm::EnumIter, ::sea_orm::DeriveActiveEnum)]
        #[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
        $vis enum $name {
            $($(#[$vdoc])* #[sea_orm(num_value = $number)] $variant,)+
        }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The number that is stored and sent.
            #[must_use]
            pub const fn code(self) -> i16 {
                match self { $(Self::$variant => $number,)+ }
            }

            /// The value with this code, if there is one.
            #[must_use]
            pub const fn from_code(code: i16) -> Option<Self> {
                match code { $($number => Some(Self::$variant),)+ _ => None }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_i16(self.code())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let number = $crate::coded::number(from)?;
                i16::try_from(number).ok().and_then(Self::from_code).ok_or_else(|| {
                    <D::Error as ::serde::de::Error>::custom(concat!(
                        "expected one of", $(" ", $number),+
                    ))
                })
            }
        }

        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                ::utoipa::openapi::ObjectBuilder::new()
                    .schema_type(::utoipa::openapi::Type::Integer)
                    .enum_values(Some([$($number),+]))
                    .description(Some(concat!($(stringify!($number), " ", stringify!($variant), "; "),+)))
                    .extensions($labels)
                    .into()
            }
        }
        impl ::utoipa::ToSchema for $name {}
    };
}

/// Declares an enum that is sent as names, each with a label for people.
#[macro_export]
macro_rules! named_enum {
    ($(#[$doc:meta])* $vis:vis enum $name:ident {
        $($(#[$vdoc:meta])* $variant:ident = $value:literal ($zh:literal, $en:literal),)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]
        $vis enum $name {
            $($(#[$vdoc])* #[serde(rename = $value)] $variant,)+
        }

        impl $name {
            /// The label for people.
            #[must_use]
            pub const fn label(self) -> $crate::text::Text {
                match self { $(Self::$variant => $crate::text::text($zh, $en),)+ }
            }
        }

        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                ::utoipa::openapi::ObjectBuilder::new()
                    .schema_type(::utoipa::openapi::Type::String)
                    .enum_values(Some([$($value),+]))
                    .extensions($crate::coded::labelled(&[$(($value, stringify!($variant), $zh, $en)),+]))
                    .into()
            }
        }
        impl ::utoipa::ToSchema for $name {}
    };
}

/// A value with its name in the code and its label in both languages.
pub type Labelled<V> = (V, &'static str, &'static str, &'static str);

/// The labels of a closed list for the API document: `x-choices`, from which the console generates its own.
#[must_use]
pub fn labelled<V: Copy + Into<serde_json::Value>>(values: &[Labelled<V>]) -> Option<Extensions> {
    let choice = |(value, variant, zh, en): &Labelled<V>| {
        let value: serde_json::Value = (*value).into();
        let mut name = (*variant).to_owned();
        name[..1].make_ascii_lowercase();
        json!({ "name": name, "value": value, "label": [zh, en] })
    };
    Some(Extensions::from_iter([("x-choices", values.iter().map(choice).collect::<Vec<_>>())]))
}

/// Reads a number sent as JSON or, in a query string, as text.
///
/// # Errors
/// When it is neither.
pub fn number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    optional_number(from)?.ok_or_else(|| serde::de::Error::custom("expected a whole number"))
}

/// The same if it is optional: omitted (with `default`) or null.
///
/// # Errors
/// When it is not a number.
pub fn optional_number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    struct Number;
    impl serde::de::Visitor<'_> for Number {
        type Value = Option<i64>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a whole number")
        }
        fn visit_unit<E>(self) -> Result<Option<i64>, E> {
            Ok(None)
        }
        fn visit_i64<E>(self, n: i64) -> Result<Option<i64>, E> {
            Ok(Some(n))
        }
        fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Option<i64>, E> {
            i64::try_from(n).map(Some).map_err(|_| E::custom("expected a smaller number"))
        }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Option<i64>, E> {
            text.parse().map(Some).map_err(|_| E::custom("expected a whole number"))
        }
    }
    from.deserialize_any(Number)
}
