//! Settings that anybody may read by their key, also before signing in.

use serde_json::{Value, json};

use crate::app::App;

/// The public setting behind `key`; an empty object for every other key, whether it exists or not.
///
/// The list is part of the program: a key that is added here is published.
#[must_use]
pub fn value_of(app: &App, key: &str) -> Value {
    match key {
        // What a client needs in order to show times and texts as this installation does.
        "console" => json!({
            "timeZone": app.config.time_zone,
            "languages": kernel::lang::Lang::ALL.map(kernel::lang::Lang::code),
            "defaultLanguage": kernel::lang::Lang::default().code(),
        }),
        _ => json!({}),
    }
}
