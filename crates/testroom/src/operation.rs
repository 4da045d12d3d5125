//! Operations, as an operator sees them.

use std::time::Duration;

use serde_json::Value;
use testapp::Caller;
use tokio::time::sleep;

use crate::phone::PHONES;

pub const OPERATIONS: &str = "/api/operation/v1/operations";

pub async fn get(clerk: &Caller<'_>, id: &Value) -> Value {
    clerk.get(&format!("{OPERATIONS}/{id}")).await.data()
}

/// Waits until an operation is over, and answers it. One that is not within two minutes says where it stands.
pub async fn done(clerk: &Caller<'_>, id: &Value) -> Value {
    for _ in 0..1_200 {
        let seen = get(clerk, id).await;
        if matches!(seen["state"].as_i64(), Some(7..=9)) {
            return seen;
        }
        sleep(Duration::from_millis(100)).await;
    }
    let tasks = clerk.get(&format!("{OPERATIONS}/{id}/tasks?pageSize=9")).await.data();
    for task in tasks["list"].as_array().into_iter().flatten() {
        let sagas = clerk.get(&format!("{PHONES}/{}/sagas", task["target"]["id"])).await;
        eprintln!("{task}: {}", sagas.json());
    }
    panic!("the operation is not over within two minutes: {}", get(clerk, id).await);
}
