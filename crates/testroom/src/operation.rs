//! Operations, as an operator sees them.

use serde_json::Value;
use testapp::Caller;

use crate::room::until;

pub const OPERATIONS: &str = "/api/operation/v1/operations";

pub async fn get(clerk: &Caller<'_>, id: &Value) -> Value {
    clerk.get(&format!("{OPERATIONS}/{id}")).await.data()
}

/// Waits until an operation is over, and answers it.
pub async fn done(clerk: &Caller<'_>, id: &Value) -> Value {
    until("the operation is over", async || matches!(get(clerk, id).await["state"].as_i64(), Some(7..=9))).await;
    get(clerk, id).await
}
