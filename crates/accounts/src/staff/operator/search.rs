//! Operators for the global search.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::search::{Hit, HitState, named};
use entity::OperatorId;
use entity::operator::{Column, Entity};
use kernel::text::{Text, text};
use serde_json::Value;

const DISABLED: Text = text("已禁用", "Disabled");

/// Operators by user name.
///
/// # Errors
/// When the read fails.
pub async fn find(ctx: &OpCtx, text: &str) -> Outcome<Vec<Hit>> {
    let found = named::<Entity>(ctx, Column::Username, text).await?;
    let mut hits = Vec::with_capacity(found.len());
    for operator in found {
        hits.push(Hit {
            id: operator.id.to_string(),
            title: operator.username,
            subtitle: operator.remark,
            path: format!("/user/management?detail={}", operator.id),
            state: if operator.is_enabled { None } else { Some(disabled(ctx, operator.id).await?) },
        });
    }
    Ok(hits)
}

/// Who disabled an operator, when and why.
async fn disabled(ctx: &OpCtx, id: OperatorId) -> Outcome<HitState> {
    let acts = ["operator_disable", "operator_update", "operator_create"];
    let did = |before: Option<&Value>, after: &Value| {
        after["enabled"] == false && before.is_none_or(|before| before["enabled"] != false)
    };
    HitState::of(ctx, DISABLED, ("operator", id.0), &acts, did).await
}
