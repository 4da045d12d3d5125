//! What a schema of the document repeats of another is a reference to it.
//!
//! A generic type's schema holds those of its arguments whole (`Reply<CardView>` all fields of a card), a second copy
//! of what stands beside it under a name of its own.

use std::collections::HashMap;

use utoipa::openapi::schema::{AdditionalProperties, ArrayItems};
use utoipa::openapi::{Components, Ref, RefOr, Schema};

/// Puts references for all objects that are another schema of the document.
pub(super) fn refer(components: &mut Components) {
    let names: HashMap<String, String> =
        components.schemas.iter().filter_map(|(name, schema)| Some((text(schema)?, name.clone()))).collect();
    for schema in components.schemas.values_mut() {
        each_within(schema, &mut |part| {
            if let Some(name) = text(part).and_then(|text| names.get(&text)) {
                *part = RefOr::Ref(Ref::from_schema_name(name));
            }
        });
    }
}

/// What tells an object from others; small things are no worth a reference.
fn text(schema: &RefOr<Schema>) -> Option<String> {
    let has_fields = matches!(schema, RefOr::T(Schema::Object(object)) if !object.properties.is_empty());
    has_fields.then(|| serde_json::to_string(schema).ok()).flatten()
}

/// Calls `act` with all parts of a schema, the larger ones first; `act` may replace them.
fn each_within(schema: &mut RefOr<Schema>, act: &mut impl FnMut(&mut RefOr<Schema>)) {
    let RefOr::T(schema) = schema else { return };
    let mut parts: Vec<&mut RefOr<Schema>> = Vec::new();
    match schema {
        Schema::Object(object) => {
            parts.extend(object.properties.values_mut());
            if let Some(AdditionalProperties::RefOr(values)) = object.additional_properties.as_deref_mut() {
                parts.push(values);
            }
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                parts.push(items);
            }
        }
        Schema::OneOf(one) => parts.extend(&mut one.items),
        Schema::AllOf(all) => parts.extend(&mut all.items),
        Schema::AnyOf(any) => parts.extend(&mut any.items),
        _ => (),
    }
    for part in parts {
        act(part);
        each_within(part, act);
    }
}
