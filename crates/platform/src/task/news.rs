//! Forwards the engine's events to those who may receive them.

use base::app::App;
use base::http::events::Audience;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;

use super::TOPIC;
use super::view::TaskStateName;
use crate::screens::perm;

/// The content of an event about a task.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskNews {
    id: String,
    kind: String,
    state: TaskStateName,
    done: i64,
    total: i64,
}

/// Forwards the engine's events until it is aborted.
pub async fn tell(app: App) {
    let mut events = app.queue.events();
    loop {
        match events.recv().await {
            Ok(event) => {
                let audience = Audience { code: Some(perm::TASK_LIST.code()), operator: event.created_by };
                let news = TaskNews {
                    id: event.id.0,
                    kind: event.kind,
                    state: event.state.into(),
                    done: event.done,
                    total: event.total.unwrap_or(0),
                };
                app.events.publish(TOPIC, "task", &news, audience);
            }
            // Events are hints: the next one makes clients reload.
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
