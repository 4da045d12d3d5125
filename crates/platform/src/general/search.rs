//! The global search.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::search::{self, SearchHit};
use kernel::rules::{Check, max_chars};
use serde::Deserialize;
use utoipa::IntoParams;

/// The search text.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Part of a name or number: one Chinese character, or two of another kind.
    #[serde(default)]
    #[param(max_length = 64)]
    pub q: String,
}

/// What the domains find.
///
/// # Errors
/// When the text is too long or a read fails.
pub async fn find(ctx: &OpCtx, text: &str) -> Outcome<Vec<SearchHit>> {
    let mut check = Check::new();
    check.field("q", max_chars(text, 64));
    check.finish()?;
    search::find(ctx, text.trim()).await
}
