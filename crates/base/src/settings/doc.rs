//! A settings document: what it is, and how it is shown, saved and remembered.

use std::collections::BTreeMap;

use kernel::rules::{Check, Violation, max_chars};
use kernel::time::UtcTime;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vault::SecretView;

use super::field::Field;
// By its own module: the whole of `http` stands on the settings.
use crate::http::body::Validate;

/// A settings document. Mark the struct `#[serde(default, rename_all = "camelCase")]`, so that a document of an older
/// release can still be read, and `ToSchema`.
pub trait SettingsDoc: Serialize + DeserializeOwned + Default + Clone + ToSchema + Send + Sync + 'static {
    /// The stored name. Never reuse one.
    const NAME: &'static str;
    /// Names of the secrets that belong to it, such as `password`.
    const SECRETS: &'static [&'static str] = &[];

    /// Its fields, all of them.
    fn fields() -> Vec<Field<Self>>;

    /// Records what is wrong with it besides numbers outside of their limits.
    fn check(&self, _: &mut Check) {}
}

/// A document as the console shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView<D> {
    /// The document.
    #[serde(flatten)]
    pub document: D,
    /// Incremented with each change, starting from 0 for a document never saved. Send it back when saving.
    pub version: i32,
    /// When it was saved.
    pub updated_at: Option<UtcTime>,
    /// Who saved it.
    pub updated_by: Option<String>,
    /// Its secrets: whether they are set, never their values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<&'static str, SecretView>,
}

/// A document to be saved.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsInput<D> {
    /// The complete document.
    #[serde(flatten)]
    pub document: D,
    /// The version that was read.
    #[schema(minimum = 0)]
    pub version: i32,
    /// Secrets to set, by name; an empty one is removed, an omitted one stays.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
}

impl<D: SettingsDoc> Validate for SettingsInput<D> {
    fn check(&self, check: &mut Check) {
        D::fields().iter().for_each(|field| field.check(&self.document, check));
        self.document.check(check);
        check.nested("secrets", |check| {
            for (name, value) in &self.secrets {
                if D::SECRETS.contains(&name.as_str()) {
                    check.field(name.clone(), max_chars(value, 4096));
                } else {
                    check.add(name.clone(), Violation::new("field.unknown"));
                }
            }
        });
    }
}

/// An earlier version of a document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsVersion<D> {
    /// Its number.
    pub version: i32,
    /// The document.
    pub document: D,
    /// When it was saved.
    pub at: UtcTime,
    /// Who saved it.
    pub by: String,
}
