//! The two languages of the console. Chinese is the first and the default.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A language; every text of the product exists in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// Simplified Chinese.
    #[default]
    Zh,
    /// English.
    En,
}

impl Lang {
    /// Both languages, the default first.
    pub const ALL: [Self; 2] = [Self::Zh, Self::En];

    /// The code used in cookies, headers and addresses.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Zh => "zh",
            Self::En => "en",
        }
    }

    /// The text of a `[zh, en]` pair in this language.
    pub const fn pick<'a>(self, zh: &'a str, en: &'a str) -> &'a str {
        match self {
            Self::Zh => zh,
            Self::En => en,
        }
    }

    /// The language of a tag such as `zh`, `zh-CN` or `en_US`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|lang| primary.eq_ignore_ascii_case(lang.code()))
    }

    /// The best of our languages in an `Accept-Language` header, if it names one.
    ///
    /// Of equal weights the first wins. A wildcard counts as nothing, so that the caller uses its next source (the
    /// cookie).
    pub fn from_accept_language(header: &str) -> Option<Self> {
        let mut best: Option<(Self, f32)> = None;
        for entry in header.split(',') {
            let mut parts = entry.split(';');
            let Some(lang) = parts.next().and_then(Self::from_tag) else {
                continue;
            };
            let weight = parts
                .find_map(|part| part.trim().strip_prefix("q="))
                .map_or(1.0, |text| text.trim().parse().unwrap_or(0.0));
            if weight > 0.0 && best.is_none_or(|(_, so_far)| weight > so_far) {
                best = Some((lang, weight));
            }
        }
        best.map(|(lang, _)| lang)
    }
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn tags_name_a_language_by_their_primary_part() {
        for (tag, expected) in [
            ("zh", Some(Lang::Zh)),
            ("zh-CN", Some(Lang::Zh)),
            ("EN_us", Some(Lang::En)),
            (" en ", Some(Lang::En)),
            ("fr", None),
            ("", None),
            ("*", None),
            ("english", None),
        ] {
            assert_eq!(Lang::from_tag(tag), expected, "{tag}");
        }
    }

    #[test]
    fn the_heaviest_known_language_of_a_header_wins() {
        for (header, expected) in [
            ("en-US,en;q=0.9,zh;q=0.8", Some(Lang::En)),
            ("fr, zh;q=0.3, en;q=0.7", Some(Lang::En)),
            ("en;q=0.5, zh;q=0.5", Some(Lang::En)),
            ("en;q=0, zh;q=0.1", Some(Lang::Zh)),
            ("en;q=nonsense", None),
            ("fr, de;q=0.9, *", None),
            ("", None),
        ] {
            assert_eq!(Lang::from_accept_language(header), expected, "{header}");
        }
    }
}
