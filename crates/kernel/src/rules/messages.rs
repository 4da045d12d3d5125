//! The message catalogue of the rules: one file, read by the server here and by the web at build time.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::lang::Lang;
use crate::text::{Text, text};

/// `code -> [zh, en]`.
static CATALOGUE: LazyLock<BTreeMap<String, [String; 2]>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../api/rule-messages.json"))
        .expect("the embedded catalogue is valid JSON: a test parses it")
});

/// What is said of a rule that the catalogue does not have.
pub(super) const UNKNOWN: Text = text("该值无效，请检查后重新填写", "This value is not valid; check it and try again");

/// The template of a code, or nothing for an unknown code.
pub fn template(code: &str, lang: Lang) -> Option<&'static str> {
    CATALOGUE.get(code).map(|[zh, en]| lang.pick(zh, en))
}

/// Every code of the catalogue, in order.
pub fn codes() -> impl Iterator<Item = &'static str> {
    CATALOGUE.keys().map(String::as_str)
}

/// The name of a placeholder in a code's message, if it is there.
pub(super) fn placeholder(code: &str, name: &str) -> Option<&'static str> {
    let template = template(code, Lang::En)?;
    template
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(found, _)| found)
        .find(|found| *found == name)
}

/// The message of a code with its placeholders filled in.
pub(super) fn render(code: &str, params: &[(&'static str, String)], lang: Lang) -> String {
    fill(template(code, lang).unwrap_or_else(|| UNKNOWN.get(lang)), params)
}

/// Replaces the placeholders of a template. One pass: a value that contains braces stays as it is.
fn fill(template: &str, params: &[(&'static str, String)]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else {
            break;
        };
        let name = &rest[start + 1..start + length];
        out.push_str(&rest[..start]);
        match params.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => out.push_str(value),
            // Braces without a value are part of the text, such as the literal `{host}` of forum links.
            None => out.push_str(&rest[start..=start + length]),
        }
        rest = &rest[start + length + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn values_are_filled_in_once_and_unknown_braces_stay() {
        let params = [("min", "1".to_owned()), ("key", "{min}".to_owned())];
        assert_eq!(fill("{key} from {min}; {host}", &params), "{min} from 1; {host}");
        assert_eq!(fill("open { brace", &params), "open { brace");
        assert_eq!(fill("", &params), "");
    }
}
