//! The other book of what agents do: a domain hands over steps of its own, and agents get them as they get the tasks of
//! operations.

use base::app::App;
use base::fault::Outcome;
use entity::room_agent;
use futures::future::BoxFuture;
use wire::copy::{CopyKeys, Paper};
use wire::{Console, Held, Key, Progress, Task, TaskResult};

use crate::operation::Returned;
use crate::state::Session;

/// Steps of another domain.
pub trait Steps: Send + Sync {
    /// New steps for the agent of a session. They are marked as its own on disk when this returns.
    fn claim<'a>(&'a self, app: &'a App, session: &'a Session) -> BoxFuture<'a, Outcome<Vec<Task>>>;

    /// Records results of the book [`wire::Book::Phone`]; the agent forgets them afterwards, whatever they were worth, but
    /// for those that are returned: these could not be written down.
    fn record<'a>(
        &'a self,
        app: &'a App,
        session: &'a Session,
        results: &'a [TaskResult],
    ) -> BoxFuture<'a, Outcome<Vec<Key>>>;

    /// Reconciles with an agent that has just connected, holds these, and was once told of the stay with this number.
    fn resume<'a>(
        &'a self,
        app: &'a App,
        session: &'a Session,
        held: &'a [Held],
        stay: i64,
    ) -> BoxFuture<'a, Outcome<Returned>>;

    /// What an agent that has just connected is told before it begins anything, or goes on with what it has; none if there is nothing.
    fn greets<'a>(&'a self, app: &'a App, session: &'a Session) -> BoxFuture<'a, Outcome<Option<Console>>>;

    /// What the agent needs for a try that it has, besides the task: nothing of it is in a journal. None if it has no such
    /// try.
    fn keys<'a>(
        &'a self,
        app: &'a App,
        agent: &'a room_agent::Model,
        key: Key,
    ) -> BoxFuture<'a, Outcome<Option<CopyKeys>>>;

    /// Whether the agent has a try that tells something before its result ([`Steps::paper`]): asked before anything of
    /// that is read.
    fn listens<'a>(&'a self, app: &'a App, agent: &'a room_agent::Model, key: Key) -> BoxFuture<'a, Outcome<bool>>;

    /// What the agent tells before the result of a try; `false` if it has no such try.
    fn paper<'a>(
        &'a self,
        app: &'a App,
        agent: &'a room_agent::Model,
        key: Key,
        paper: Paper,
    ) -> BoxFuture<'a, Outcome<bool>>;

    /// How far tries are that take long.
    fn progress<'a>(&'a self, app: &'a App, session: &'a Session, tries: &'a [Progress]) -> BoxFuture<'a, Outcome<()>>;

    /// Every card of the room that answers has been asked whose it is; the highest number of a stay that one has named.
    fn swept<'a>(&'a self, app: &'a App, session: &'a Session, stay: i64) -> BoxFuture<'a, Outcome<()>>;
}

/// Steps, as a domain hands them over among its parts.
pub struct Book(pub &'static dyn Steps);
