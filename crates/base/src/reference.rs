//! A reference to another object, as a row shows it.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;
use utoipa::ToSchema;

/// Another object by its id and its name, so that nobody has to look the name up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Reference {
    /// Its id.
    pub id: i64,
    /// Its name; none if it no longer exists.
    pub name: Option<String>,
}

impl Reference {
    /// The object `id`, with its name from `names`.
    #[must_use]
    pub fn among<I: Copy + Eq + Hash + Into<i64>>(id: I, names: &HashMap<I, String>) -> Self {
        Self { id: id.into(), name: names.get(&id).cloned() }
    }

    /// Its name; empty if it no longer exists.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }
}
