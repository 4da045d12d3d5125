//! The search that jumps to anything.

use kernel::rules::{Check, max_chars};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::domains::client_user;
use crate::fault::Outcome;
use crate::http::ops::OpCtx;

/// Hits of each kind.
const HITS: u64 = 8;

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Part of a name or number; two characters or more.
    #[serde(default)]
    #[param(max_length = 64)]
    pub q: String,
}

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum HitKind {
    /// A customer.
    ClientUser,
}

/// Something that was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchHit {
    /// What it is.
    pub kind: HitKind,
    /// Its id among its kind.
    pub id: String,
    /// Its name.
    pub title: String,
    /// What tells it from others of the name.
    pub subtitle: String,
    /// Where the console shows it.
    pub path: String,
}

/// Finds customers by what the list is searched by.
///
/// # Errors
/// When the text is too long or a read fails.
pub async fn find(ctx: &OpCtx, text: &str) -> Outcome<Vec<SearchHit>> {
    let mut check = Check::new();
    check.field("q", max_chars(text, 64));
    check.finish()?;
    let text = text.trim();
    // One or two letters are in almost every row, and no index finds them.
    if !client_user::is_quick_to_find(text) {
        return Ok(Vec::new());
    }
    let found = client_user::find_some(ctx.read(), text, HITS).await?;
    Ok(found
        .into_iter()
        .map(|user| SearchHit {
            kind: HitKind::ClientUser,
            id: user.id.to_string(),
            subtitle: [user.phone, user.ident_code]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" · "),
            path: format!("/clientUser?detail={}", user.id),
            title: user.name,
        })
        .collect())
}
