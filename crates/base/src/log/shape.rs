//! What the fields of logged objects are called, and what their values mean: by the API document, where the labels of
//! lists and of closed choices stand.

use std::collections::{BTreeMap, BTreeSet};

use kernel::lang::Lang;
use kernel::text::{Text, text};
use serde_json::{Map, Value};

use super::{Settings, Shape};
use crate::list::column::CREATED_AT;

/// Both languages, Chinese first.
type Pair = [String; 2];

/// Fields of what is logged for all domains alike: exports, imports, and acts on several objects.
pub const COMMON: &[(&str, Text)] = &[
    ("endTime", text("结束时间", "To")),
    ("fileName", text("文件名", "File name")),
    ("filter", text("筛选条件", "Filter")),
    ("firstId", text("首个 ID", "First ID")),
    ("format", text("格式", "Format")),
    ("keyWord", text("关键字", "Key word")),
    ("lastId", text("末个 ID", "Last ID")),
    ("lastRow", text("已到第几行", "Up to row")),
    ("order", text("顺序", "Order")),
    ("startTime", text("开始时间", "From")),
    ("taskId", text("任务", "Task")),
];

/// Fields that say nothing about an act: they differ each time, or tell of the moment.
const SILENT: [&str; 2] = ["updatedAt", "id"];

/// A closed list: a value as JSON, and its label.
type Choices = BTreeMap<String, Pair>;

/// The fields of one kind of object.
#[derive(Debug, Default)]
struct Known {
    labels: BTreeMap<String, Pair>,
    /// The name of the closed list that a field's value is in.
    choices: BTreeMap<String, String>,
    plain: &'static [&'static str],
    silent: &'static [&'static str],
}

/// The fields of every kind of object.
#[derive(Debug, Default)]
pub struct Shapes {
    kinds: BTreeMap<String, Known>,
    /// What fields are called whose kind says nothing of them: such as those of a filter, in the line of an export.
    /// As the first kind calls them that does.
    others: BTreeMap<String, Pair>,
    /// Those that kinds call differently.
    ambiguous: BTreeSet<String>,
    choices: BTreeMap<String, Choices>,
}

fn pair(of: &Value) -> Option<Pair> {
    Some([of.get(0)?.as_str()?.to_owned(), of.get(1)?.as_str()?.to_owned()])
}

const fn side(pair: &Pair, lang: Lang) -> &String {
    let [zh, en] = pair;
    match lang {
        Lang::Zh => zh,
        Lang::En => en,
    }
}

/// The schema that a property refers to, also where it may be null.
fn referred(property: &Value) -> Option<&str> {
    let direct = property.get("$ref");
    let either = || property.get("oneOf")?.as_array()?.iter().find_map(|one| one.get("$ref"));
    direct.or_else(either)?.as_str()?.rsplit('/').next()
}

/// The two texts of a label.
fn pair_of(text: Text) -> Pair {
    [text.zh.to_owned(), text.en.to_owned()]
}

impl Known {
    /// What `shape` says, and its schema in the API document.
    fn of(shape: &Shape, schemas: &Value, choices: &BTreeMap<String, Choices>) -> Self {
        let Shape { kind: _, schema, fields, choices: chosen, plain, silent } = *shape;
        let mut known = Self { plain, silent, ..Self::default() };
        let schema = &schemas[schema().as_ref()];
        for part in std::iter::once(schema).chain(schema["allOf"].as_array().into_iter().flatten()) {
            if let Some(labels) = part.get("x-labels").and_then(Value::as_object) {
                known.labels.extend(labels.iter().filter_map(|(key, label)| Some((key.clone(), pair(label)?))));
            }
            for (key, property) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if key == CREATED_AT.0 {
                    known.labels.entry(key.clone()).or_insert_with(|| pair_of(CREATED_AT.1));
                }
                if let Some(list) = referred(property).filter(|list| choices.contains_key(*list)) {
                    known.choices.insert(key.clone(), list.to_owned());
                }
            }
        }
        known.labels.extend(fields.iter().map(|(key, label)| ((*key).to_owned(), pair_of(*label))));
        known.choices.extend(chosen.iter().map(|(key, list)| ((*key).to_owned(), (*list).to_owned())));
        known
    }
}

impl Shapes {
    /// What `shapes` say with their schemas in `document`, and the fields of `settings`.
    #[must_use]
    pub fn of(document: &Value, shapes: &[Shape], settings: &[Settings]) -> Self {
        let schemas = &document["components"]["schemas"];
        let empty = Map::new();
        let listed = schemas.as_object().unwrap_or(&empty);
        let choices = listed.iter().filter_map(|(name, schema)| {
            let values = schema.get("x-choices")?.as_array()?;
            let of = |one: &Value| Some((one.get("value")?.to_string(), pair(one.get("label")?)?));
            Some((name.clone(), values.iter().filter_map(of).collect()))
        });
        let mut all = Self { choices: choices.collect(), ..Self::default() };
        all.others.extend(COMMON.iter().map(|(key, label)| ((*key).to_owned(), pair_of(*label))));
        for shape in shapes {
            let known = Known::of(shape, schemas, &all.choices);
            for (key, label) in &known.labels {
                let first = all.others.entry(key.clone()).or_insert_with(|| label.clone());
                if first != label {
                    all.ambiguous.insert(key.clone());
                }
            }
            all.kinds.insert(shape.kind.to_owned(), known);
        }
        for Settings { name, labels, .. } in settings {
            let labels = labels().into_iter().map(|(key, label)| (key.to_owned(), label)).collect();
            all.kinds.insert(format!("setting.{name}"), Known { labels, ..Known::default() });
        }
        all
    }

    /// The kind by which the object `id` is known: some, such as each settings document, are a kind of their own.
    #[must_use]
    pub fn kind_of(&self, kind: &str, id: &str) -> String {
        let own = format!("{kind}.{id}");
        if self.kinds.contains_key(&own) { own } else { kind.to_owned() }
    }

    /// What the field at `path` (`a.b` for one within another) of a `kind` is called. One that is not known stands for
    /// itself.
    #[must_use]
    pub fn label(&self, kind: &str, path: &str, lang: Lang) -> String {
        let own = |key: &str| self.kinds.get(kind).and_then(|known| known.labels.get(key));
        let known = |key: &str| own(key).or_else(|| self.others.get(key)).map(|label| side(label, lang).clone());
        if let Some(label) = known(path) {
            return label;
        }
        match path.rsplit_once('.') {
            Some((outer, inner)) => {
                format!("{} · {}", self.label(kind, outer, lang), known(inner).unwrap_or_else(|| inner.to_owned()))
            }
            None => path.to_owned(),
        }
    }

    /// Whether it is certain what the field `key` of this kind is called: by the kind itself, or because all that have
    /// such a field call it the same.
    #[must_use]
    pub fn names(&self, kind: &str, key: &str) -> bool {
        let is_own = self.kinds.get(kind).is_some_and(|known| known.labels.contains_key(key));
        is_own || (self.others.contains_key(key) && !self.ambiguous.contains(key))
    }

    /// The label of `value` in the closed list of its field; none if it is in none.
    #[must_use]
    pub fn choice(&self, kind: &str, path: &str, value: &Value, lang: Lang) -> Option<String> {
        let key = path.rsplit('.').next().unwrap_or(path);
        let own = self.kinds.get(kind).and_then(|known| known.choices.get(key)).cloned();
        // A closed list is mostly called like the field.
        let named = || key[..1].to_ascii_uppercase() + &key[1..];
        let list = own.unwrap_or_else(named);
        Some(side(self.choices.get(&list)?.get(&value.to_string())?, lang).clone())
    }

    /// Whether the field says nothing about an act.
    #[must_use]
    pub fn is_silent(&self, kind: &str, key: &str) -> bool {
        SILENT.contains(&key) || self.kinds.get(kind).is_some_and(|known| known.silent.contains(&key))
    }

    /// What the values of several objects are that earlier versions kept without their names.
    #[must_use]
    pub fn plain(&self, kind: &str) -> &'static [&'static str] {
        self.kinds.get(kind).map_or(&[], |known| known.plain)
    }
}
