//! Background work: which jobs this program runs, and their news on their way to the console.

use std::time::Duration;

use queue::{Registry, Runner, Settings};
use sea_orm::DbBackend;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;

use crate::access::catalog::perm;
use crate::anchor;
use crate::app::App;
use crate::domains::client_user::{self, ImportClientUsers, PruneImports};
use crate::domains::fleet::{self, ImportCards, Rounds};
use crate::domains::general;
use crate::domains::operation::{self, PruneOperations};
use crate::domains::staff;
use crate::domains::task::{self, PruneTasks};
use crate::export::ExportJob;
use crate::http::Need;
use crate::http::events::Audience;

/// Tasks under way get this long to reach a checkpoint when the server stops.
const GRACE: Duration = Duration::from_secs(8);

/// Every job of every domain, and the schedules that the program keeps itself.
fn registry() -> anyhow::Result<Registry<App>> {
    Ok(exports(Registry::new())
        .add::<PruneTasks>()
        .add::<ImportClientUsers>()
        .add::<ImportCards>()
        .add::<PruneImports>()
        .add::<PruneOperations>()
        .every("clientUser.pruneImports", "50 3 * * *", &PruneImports {})?
        .every("operation.prune", "10 4 * * *", &PruneOperations {})?
        .every("task.prune", "30 3 * * *", &PruneTasks {})?)
}

/// Every list that is given as a file: a long one is a task.
fn exports(registry: Registry<App>) -> Registry<App> {
    registry
        .add::<ExportJob<client_user::Users>>()
        .add::<ExportJob<client_user::Records>>()
        .add::<ExportJob<client_user::LogoutRequests>>()
        .add::<ExportJob<staff::Operators>>()
        .add::<ExportJob<staff::Groups>>()
        .add::<ExportJob<staff::Menus>>()
        .add::<ExportJob<staff::LogLines>>()
        .add::<ExportJob<task::Tasks>>()
        .add::<ExportJob<fleet::Rooms>>()
        .add::<ExportJob<fleet::Frames>>()
        .add::<ExportJob<fleet::Hosts>>()
        .add::<ExportJob<fleet::Cards>>()
        .add::<ExportJob<fleet::AddressPlans>>()
        .add::<ExportJob<fleet::Bmcs>>()
        .add::<ExportJob<fleet::RoomAgents>>()
        .add::<ExportJob<fleet::JoinTokens>>()
        .add::<ExportJob<fleet::Findings>>()
        .add::<ExportJob<operation::OperationList>>()
        .add::<ExportJob<operation::Tasks>>()
}

/// The loops that run tasks and watch the fleet.
#[derive(Debug)]
pub struct Work {
    runner: Runner,
    news: [JoinHandle<()>; 2],
    rounds: Rounds,
    operations: JoinHandle<()>,
    anchors: JoinHandle<()>,
    app: App,
}

impl Work {
    /// Starts to run tasks. What a crash left running goes on.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn start(app: &App) -> anyhow::Result<Self> {
        // A SQLite file has one server; several share a PostgreSQL.
        let settings = Settings { is_alone: app.db.backend() == DbBackend::Sqlite, ..Settings::default() };
        let news = [tokio::spawn(tell(app.clone())), tokio::spawn(general::tell_of_changes(app.clone()))];
        let runner = Runner::start(app.queue.clone(), registry()?, app.clone(), settings).await?;
        let rounds = Rounds::start(app).await?;
        let operations = tokio::spawn(look_after_operations(app.clone()));
        let anchors = tokio::spawn(anchor::keep(app.clone()));
        Ok(Self { runner, news, rounds, operations, anchors, app: app.clone() })
    }

    /// Stops: tasks under way are released at their next checkpoint and go on at the next start.
    pub async fn stop(self) {
        self.rounds.stop().await;
        // Whatever it leaves goes on at the next start.
        self.operations.abort();
        self.runner.stop(GRACE).await;
        self.news.iter().for_each(JoinHandle::abort);
        self.anchors.abort();
        anchor::drop_one(&self.app).await;
    }
}

/// Between two looks at operations.
const LOOK: Duration = Duration::from_millis(500);

/// Lets operations begin and end at their time.
async fn look_after_operations(app: App) {
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match operation::round(&app).await {
            Ok(true) => ticks.reset_immediately(),
            Ok(false) => {}
            Err(fault) => tracing::error!(?fault, "a round of the operations failed; the next one tries again"),
        }
    }
}

/// What an event says about a task.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskNews {
    id: String,
    kind: String,
    state: task::StateName,
    done: i64,
    total: i64,
}

/// Passes the engine's events on to who may hear them.
async fn tell(app: App) {
    let Need::Code(code) = perm::TASK_LIST else { return };
    let mut events = app.queue.events();
    loop {
        match events.recv().await {
            Ok(event) => {
                let audience = Audience { code: Some(code), operator: event.created_by };
                let news = TaskNews {
                    id: event.id.0,
                    kind: event.kind,
                    state: event.state.into(),
                    done: event.done,
                    total: event.total.unwrap_or(0),
                };
                app.events.publish(task::TOPIC, "task", &news, audience);
            }
            // Events are hints: the next one makes clients read anew.
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
