//! What an act changed, in words: field by field, what it was and what it became.

use kernel::lang::Lang;
use kernel::text::text;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::shape::Shapes;

/// A field of an object before and after an act, in the reader's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The object, where the act was on several; else empty.
    pub object: String,
    /// The field, as it is stored.
    pub field: String,
    /// What it is called.
    pub label: String,
    /// Its value before; empty if there was none.
    pub before: String,
    /// Its value after.
    pub after: String,
    /// Whether the act changed it.
    pub differs: bool,
}

/// What a permission's code means, if it is one.
pub type Code<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What an act changed. Several objects are a list before; what became of each is then one object, or nothing if they
/// are gone.
#[must_use]
pub fn changes(
    shapes: &Shapes,
    code: &Code<'_>,
    kind: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    lang: Lang,
) -> Vec<Change> {
    let tell = Tell { shapes, code, kind, lang };
    let mut told = match before {
        Some(Value::Array(objects)) => {
            let mut told = Vec::new();
            let plain = shapes.plain(kind);
            for (at, object) in objects.iter().enumerate() {
                let object = named(plain, object);
                let became = match after {
                    Some(Value::Array(after)) => after.get(at).map(|after| named(plain, after)),
                    after => after.map(|after| each(&object, after)),
                };
                let name = tell.name(&object);
                // It stands beside each field already.
                let is_more = |change: &Change| change.differs || change.before != name;
                told.extend(
                    tell.fields(Some(&object), became.as_ref())
                        .into_iter()
                        .filter(is_more)
                        .map(|change| Change { object: name.clone(), ..change }),
                );
            }
            told
        }
        _ => tell.fields(before.map(object).as_ref(), after.map(object).as_ref()),
    };
    // What changed comes first; the order of fields and objects is kept.
    told.sort_by_key(|change| !change.differs);
    told
}

/// Why it was done: what whoever did it gave as the reason.
#[must_use]
pub fn reason(after: Option<&Value>) -> Option<&str> {
    let after = after?;
    let places = [
        after.get("reason"),
        after.get("options").and_then(|options| options.get("reason")),
        after.get("maintenanceReason"),
    ];
    places.into_iter().flatten().filter_map(Value::as_str).find(|reason| !reason.is_empty())
}

/// The changes in one line, for a file: `before` or `after` of those that differ.
#[must_use]
pub fn line(changes: &[Change], lang: Lang, side: impl Fn(&Change) -> &str) -> String {
    let (colon, comma) = (text("：", ": ").get(lang), text("；", "; ").get(lang));
    let told = changes.iter().filter(|change| change.differs && !side(change).is_empty()).map(|change| {
        let whose = if change.object.is_empty() { String::new() } else { format!("{} ", change.object) };
        format!("{whose}{}{colon}{}", change.label, side(change))
    });
    told.collect::<Vec<_>>().join(comma)
}

/// A logged value as an object. A lone value is a state.
fn object(value: &Value) -> Value {
    match value {
        Value::Object(_) => value.clone(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Value::Object(Map::from_iter([("status".to_owned(), other.clone())]))
        }
    }
}

/// One of several objects: earlier versions kept its values without names.
fn named(plain: &[&str], object: &Value) -> Value {
    match object.as_array() {
        Some(values) => {
            Value::Object(plain.iter().map(|name| (*name).to_owned()).zip(values.iter().cloned()).collect())
        }
        None => object.clone(),
    }
}

/// What one of several objects became: itself with what became the same for all.
fn each(object: &Value, after: &Value) -> Value {
    let mut became = object.clone();
    if let (Some(became), Some(after)) = (became.as_object_mut(), after.as_object()) {
        became
            .extend(after.iter().filter(|(key, _)| *key != "reason").map(|(key, value)| (key.clone(), value.clone())));
    }
    became
}

struct Tell<'a> {
    shapes: &'a Shapes,
    code: &'a Code<'a>,
    kind: &'a str,
    lang: Lang,
}

impl Tell<'_> {
    fn name(&self, object: &Value) -> String {
        let text = |key: &str| object.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
        let name = ["name", "username", "groupName", "serial"].into_iter().find_map(text);
        let id = object.get("id").map(ToString::to_string).unwrap_or_default();
        name.map_or_else(|| format!("#{id}"), str::to_owned)
    }

    fn fields(&self, before: Option<&Value>, after: Option<&Value>) -> Vec<Change> {
        let (mut was, mut is) = (Vec::new(), Vec::new());
        for (object, other, into) in [(before, after, &mut was), (after, before, &mut is)] {
            if let Some(Value::Object(object)) = object {
                self.flatten("", &only_what_differs(object, other), into);
            }
        }
        let paths = was.iter().chain(&is).map(|(path, _)| path);
        let mut seen = Vec::new();
        for path in paths {
            if !seen.contains(&path) {
                seen.push(path);
            }
        }
        let of = |side: &[(String, String)], path: &str| {
            side.iter().find(|(at, _)| at == path).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        seen.into_iter()
            .map(|path| {
                let (before, after) = (of(&was, path), of(&is, path));
                Change {
                    object: String::new(),
                    label: self.shapes.label(self.kind, path, self.lang),
                    field: path.clone(),
                    differs: before != after,
                    before,
                    after,
                }
            })
            .filter(|change| change.differs || !change.before.is_empty())
            .collect()
    }

    /// The fields of `object` with their values in words; `a.b` for one within another.
    fn flatten(&self, outer: &str, object: &Map<String, Value>, into: &mut Vec<(String, String)>) {
        for (key, value) in object {
            if self.shapes.is_silent(self.kind, key) || is_told_by_name(key, object) {
                continue;
            }
            let path = if outer.is_empty() { key.clone() } else { format!("{outer}.{key}") };
            match value.as_object().filter(|inner| reference(inner).is_none()) {
                Some(inner) => self.flatten(&path, inner, into),
                None => into.push((path.clone(), self.words(&path, value))),
            }
        }
    }

    fn words(&self, path: &str, value: &Value) -> String {
        let join = |parts: Vec<String>| parts.join(text("、", ", ").get(self.lang));
        match value {
            Value::Null => String::new(),
            Value::Bool(flag) => {
                let words = if *flag { text("是", "Yes") } else { text("否", "No") };
                words.get(self.lang).to_owned()
            }
            Value::Number(number) => {
                self.shapes.choice(self.kind, path, value, self.lang).unwrap_or_else(|| number.to_string())
            }
            Value::String(text) => {
                let choice = self.shapes.choice(self.kind, path, value, self.lang);
                choice.or_else(|| (self.code)(text)).unwrap_or_else(|| text.clone())
            }
            Value::Array(items) => join(items.iter().map(|item| self.words(path, item)).collect()),
            Value::Object(inner) => reference(inner).unwrap_or_else(|| {
                let mut parts = Vec::new();
                self.flatten(path, inner, &mut parts);
                let told = parts.into_iter().filter(|(_, value)| !value.is_empty());
                let last = |at: &str| at.rsplit('.').next().unwrap_or(at).to_owned();
                join(
                    told.map(|(at, value)| format!("{} {value}", self.shapes.label(self.kind, &last(&at), self.lang)))
                        .collect(),
                )
            }),
        }
    }
}

/// `object` with its lists without what `other` has too: of a hundred permissions, those that were given or taken.
fn only_what_differs(object: &Map<String, Value>, other: Option<&Value>) -> Map<String, Value> {
    let mut shown = object.clone();
    for (key, value) in &mut shown {
        if let (Value::Array(items), Some(Value::Array(others))) = (value, other.and_then(|other| other.get(key)))
            && items != others
        {
            items.retain(|item| !others.contains(item));
        }
    }
    shown
}

/// `roomId` is told by `room` or `roomName`.
fn is_told_by_name(key: &str, object: &Map<String, Value>) -> bool {
    key.strip_suffix("Id").is_some_and(|stem| object.contains_key(stem) || object.contains_key(&format!("{stem}Name")))
}

/// The name of another thing: what refers to it has an id and a name.
fn reference(object: &Map<String, Value>) -> Option<String> {
    if !object.contains_key("id") || object.len() > 2 {
        return None;
    }
    let name = object.get("name")?.as_str();
    Some(name.map_or_else(|| format!("#{}", object["id"]), str::to_owned))
}
