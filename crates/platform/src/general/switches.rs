//! Settings that anybody may read by key, even before signing in.

use base::app::App;
use serde_json::{Value, json};

/// The public setting `key`; an empty object for every other key, whether it exists or not.
///
/// The list is part of the program: adding a key here publishes it.
#[must_use]
pub fn value_of(app: &App, key: &str) -> Value {
    match key {
        // What a client needs in order to show times and texts in the same way as this installation.
        "console" => json!({
            "timeZone": app.config.time_zone,
            "languages": kernel::lang::Lang::ALL.map(kernel::lang::Lang::code),
            "defaultLanguage": kernel::lang::Lang::default().code(),
        }),
        _ => json!({}),
    }
}
