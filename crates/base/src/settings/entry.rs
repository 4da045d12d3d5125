//! A settings document as a domain hands it over, and as the API document describes it.

use std::borrow::Cow;

use kernel::text::Text;
use serde_json::json;
use utoipa::openapi::{OpenApi, RefOr, Schema};

use super::SettingsDoc;
use super::field::{Field, Heading, Number};
use crate::log::Settings as Logged;

/// A settings document, as a domain hands it over.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What the operation log knows of it.
    pub logged: Logged,
    /// The name of its schema.
    pub schema: fn() -> Cow<'static, str>,
    describe: fn(&mut OpenApi, Text),
}

impl Entry {
    /// Writes title, labels, units and limits into the API document.
    pub fn describe(&self, document: &mut OpenApi) {
        (self.describe)(document, self.logged.title);
    }
}

/// The document `D`, which is called `title`.
#[must_use]
pub const fn entry<D: SettingsDoc>(title: Text) -> Entry {
    Entry {
        logged: Logged {
            name: D::NAME,
            title,
            labels: || D::fields().iter().map(|field| (field.heading.key, field.heading.alone())).collect(),
        },
        schema: D::name,
        describe: describe::<D>,
    }
}

fn describe<D: SettingsDoc>(document: &mut OpenApi, title: Text) {
    let fields = D::fields();
    let schemas = document.components.as_mut().map(|components| &mut components.schemas);
    let Some(RefOr::T(Schema::Object(schema))) = schemas.and_then(|schemas| schemas.get_mut(D::name().as_ref())) else {
        panic!("the settings {} are not in the document", D::NAME);
    };
    let is_said = |key: &String| fields.iter().any(|field| field.heading.key == *key);
    assert!(schema.properties.keys().all(is_said), "a field of the settings {} has no label", D::NAME);
    for Field { heading, number } in &fields {
        let property = schema.properties.get_mut(heading.key);
        assert!(property.is_some(), "the settings {} have no field {}", D::NAME, heading.key);
        if let (Some(Number { limits, .. }), Some(RefOr::T(Schema::Object(property)))) = (number, property) {
            property.minimum = Some((*limits.start()).into());
            property.maximum = Some((*limits.end()).into());
        }
    }
    let pair = |text: Text| json!([text.zh, text.en]);
    let said: Vec<_> = fields
        .iter()
        .map(|Field { heading: Heading { key, label, unit }, .. }| {
            json!({ "name": key, "label": pair(*label), "unit": unit.map(pair) })
        })
        .collect();
    // One extension and no more: their order in the document is random.
    let said = json!({ "title": pair(title), "fields": said });
    schema.extensions.get_or_insert_default().insert("x-settings".to_owned(), said);
}
