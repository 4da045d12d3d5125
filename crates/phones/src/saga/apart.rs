//! What ends in an error is set aside: one row that is not as it should be keeps none of the others. It is told, and tried again
//! by itself, ever less often. A database that refuses is another thing: that is about everything, and ends the pass.
//!
//! It is in memory alone, by the steady clock: after a restart of the console everything is tried anew.

use std::collections::BTreeMap;
use std::fmt;

use base::app::App;
use base::fault::{Fault, Outcome};
use db::Trouble;
use entity::phone::PhonePool;
use entity::{PhoneId, PlacementId, RepoId, RoomId, SagaId, SagaStepId, phone, repo, saga, saga_step};
use fleet::Session;
use futures::future::BoxFuture;
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::ColumnTrait;
use sea_orm::sea_query::Condition;
use wire::TaskResult;

/// Seconds until the next try, by how often it has ended in an error; the last of them from then on.
const PAUSES: [i64; 6] = [5, 15, 60, 300, 900, 3_600];
/// What nobody has tried for so many seconds after its pause is not there any more, or is not asked for.
const FORGOTTEN: i64 = 600;

/// What may end in an error by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Saga(SagaId),
    Step(SagaStepId),
    Stay(PlacementId),
    Phone(PhoneId),
    Repo(RepoId),
    /// A room's cards of one board and kind, and who waits for them.
    Pool(RoomId, String, PhonePool),
    /// What a part of a round does in a room.
    Room(RoomId, &'static str),
    /// A part of a round, of which nobody knows what it is that does not go.
    Part(&'static str),
}

impl Subject {
    /// What a label of a figure calls it.
    const fn label(&self) -> &'static str {
        match self {
            Self::Saga(_) => "saga",
            Self::Step(_) => "step",
            Self::Stay(_) => "stay",
            Self::Phone(_) => "phone",
            Self::Repo(_) => "repository",
            Self::Pool(..) => "pool",
            Self::Room(..) => "room",
            Self::Part(_) => "part",
        }
    }

    /// What people call it.
    pub fn words(&self) -> Message {
        match self {
            Self::Saga(id) => text("流程 {id}", "saga {id}").with("id", id),
            Self::Step(id) => text("步骤 {id}", "step {id}").with("id", id),
            Self::Stay(id) => text("占用 {id}", "stay {id}").with("id", id),
            Self::Repo(id) => text("备份库 {id}", "repository {id}").with("id", id),
            Self::Phone(id) => text("云手机 {id}", "phone {id}").with("id", id),
            Self::Pool(room, board, _) => {
                text("机房 {room} 的 {board}", "{board} in room {room}").with("room", room).with("board", board)
            }
            Self::Room(room, _) => text("机房 {id}", "room {id}").with("id", room),
            Self::Part(_) => text("全部机房", "all rooms").into(),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saga(id) => write!(f, "saga {id}"),
            Self::Step(id) => write!(f, "step {id}"),
            Self::Stay(id) => write!(f, "stay {id}"),
            Self::Phone(id) => write!(f, "phone {id}"),
            Self::Repo(id) => write!(f, "repository {id}"),
            Self::Pool(room, board, kind) => write!(f, "pool {room} {board} {kind:?}"),
            Self::Room(room, part) => write!(f, "room {room}: {part}"),
            Self::Part(part) => f.write_str(part),
        }
    }
}

impl From<SagaId> for Subject {
    fn from(id: SagaId) -> Self {
        Self::Saga(id)
    }
}

impl From<SagaStepId> for Subject {
    fn from(id: SagaStepId) -> Self {
        Self::Step(id)
    }
}

impl From<PlacementId> for Subject {
    fn from(id: PlacementId) -> Self {
        Self::Stay(id)
    }
}

impl From<PhoneId> for Subject {
    fn from(id: PhoneId) -> Self {
        Self::Phone(id)
    }
}

impl From<RepoId> for Subject {
    fn from(id: RepoId) -> Self {
        Self::Repo(id)
    }
}

/// What is set aside.
#[derive(Debug, Default)]
pub struct SetAside(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    failing: BTreeMap<Subject, Failing>,
    /// How many tries have ended in an error since the console started.
    errors: u64,
}

/// Something whose last try has ended in an error.
#[derive(Debug)]
struct Failing {
    /// By the wall clock, for people.
    since: UtcTime,
    errors: usize,
    /// When it is tried again, by the steady clock.
    due: UtcTime,
    said: String,
    /// What an agent has told of a step, and nobody could write down: it tells it once more only when it connects anew.
    told: Option<Box<(Session, TaskResult)>>,
}

impl SetAside {
    fn fails(&self, subject: Subject, said: String, now: UtcTime, steady: UtcTime) {
        let mut known = self.0.lock();
        known.errors += 1;
        metrics::counter!("skyrack_phone_errors_total", "of" => subject.label()).increment(1);
        let before = known.failing.get(&subject);
        let errors = before.map_or(0, |before| before.errors);
        // However often it is tried.
        if before.is_none_or(|before| before.said != said) {
            tracing::error!(what = %subject, error = %said, "what is done to phones ends in an error: it is set aside");
        }
        let due = steady.plus_seconds(PAUSES[errors.min(PAUSES.len() - 1)]);
        let since = before.map_or(now, |before| before.since);
        let told = known.failing.remove(&subject).and_then(|before| before.told);
        known.failing.insert(subject, Failing { since, errors: errors + 1, due, said, told });
    }

    fn goes_on(&self, subject: &Subject) {
        if self.0.lock().failing.remove(subject).is_some() {
            tracing::info!(what = %subject, "what had ended in an error goes on");
        }
    }

    fn left_alone<T>(&self, steady: UtcTime, of: impl Fn(&Subject) -> Option<T>) -> Vec<T> {
        let known = self.0.lock();
        known.failing.iter().filter(|(_, one)| one.due > steady).filter_map(|(subject, _)| of(subject)).collect()
    }

    /// Keeps what an agent has told of a step that could not be written down.
    pub(super) fn keep(&self, step: SagaStepId, session: &Session, result: &TaskResult) {
        if let Some(one) = self.0.lock().failing.get_mut(&Subject::Step(step)) {
            one.told = Some(Box::new((session.clone(), result.clone())));
        }
    }

    /// What agents have told of steps, where it is time to write it down.
    pub(super) fn told(&self, steady: UtcTime) -> Vec<(Session, TaskResult)> {
        let known = self.0.lock();
        known.failing.values().filter(|one| one.due <= steady).filter_map(|one| one.told.as_deref().cloned()).collect()
    }

    /// Whether an agent has told how a step has ended: nothing else is to be made of it.
    pub(super) fn is_told(&self, step: SagaStepId) -> bool {
        self.0.lock().failing.get(&Subject::Step(step)).is_some_and(|one| one.told.is_some())
    }

    /// Forgets what nobody tries any more.
    pub(super) fn sweep(&self, steady: UtcTime) {
        self.0.lock().failing.retain(|_, one| one.told.is_some() || one.due.plus_seconds(FORGOTTEN) > steady);
    }

    /// How many tries have ended in an error since the console started, and what the last was about.
    pub(super) fn errors(&self) -> u64 {
        self.0.lock().errors
    }

    /// What is set aside, and since when.
    pub fn all(&self) -> Vec<(Subject, UtcTime)> {
        self.0.lock().failing.iter().map(|(subject, one)| (subject.clone(), one.since)).collect()
    }
}

/// Whether it was the database that refused.
pub(super) fn is_of_database(fault: &Fault) -> bool {
    match fault {
        Fault::Unavailable(_) => true,
        Fault::Internal(error) => Trouble::in_chain(error.as_ref()).is_some(),
        Fault::Invalid(_)
        | Fault::NotFound(_)
        | Fault::Conflict(_)
        | Fault::Taken(_)
        | Fault::Status { .. }
        | Fault::Session(_)
        | Fault::Denied(_)
        | Fault::TooMany { .. }
        | Fault::Busy { .. }
        | Fault::TooLarge
        | Fault::FileTooLarge { .. }
        | Fault::OfFile { .. }
        | Fault::TooSlow
        | Fault::WrongType(_)
        | Fault::NoRoute => false,
    }
}

/// Whether something has ended in an error, and is left alone for now.
pub(super) fn is_left_alone(app: &App, subject: &Subject) -> bool {
    let steady = app.clock.steady();
    app.part::<SetAside>().0.lock().failing.get(subject).is_some_and(|one| one.due > steady)
}

/// What has become of something by itself: none if it has ended in an error, which is told. It is tried again later.
///
/// # Errors
/// When the database refuses.
pub(super) fn judge<T>(app: &App, subject: Subject, outcome: Outcome<T>) -> Outcome<Option<T>> {
    match outcome {
        Ok(done) => {
            app.part::<SetAside>().goes_on(&subject);
            Ok(Some(done))
        }
        Err(fault) if is_of_database(&fault) => Err(fault),
        Err(fault) => {
            let said = if let Fault::Internal(error) = &fault { format!("{error:#}") } else { format!("{fault:?}") };
            app.part::<SetAside>().fails(subject, said, app.clock.now(), app.clock.steady());
            Ok(None)
        }
    }
}

/// Does something, unless that has ended in an error a moment ago: then it is not begun at all. None if it is left alone, or ends
/// in an error now.
///
/// # Errors
/// When the database refuses.
pub(super) async fn tried<T>(
    app: &App,
    subject: Subject,
    act: impl Future<Output = Outcome<T>> + Send,
) -> Outcome<Option<T>> {
    if is_left_alone(app, &subject) {
        return Ok(None);
    }
    let done = act.await;
    judge(app, subject, done)
}

/// These have not ended in an error.
pub(super) fn go_on<T: Copy + Into<Subject>>(app: &App, these: &[T]) {
    these.iter().for_each(|one| app.part::<SetAside>().goes_on(&(*one).into()));
}

/// Does something about all of these in one transaction or, if that ends in an error, about each in one of its own.
///
/// # Errors
/// When the database refuses.
pub(super) async fn each<T: Copy + Into<Subject> + Send + Sync>(
    app: &App,
    these: &[T],
    act: impl for<'a> Fn(&'a App, &'a [T]) -> BoxFuture<'a, Outcome<()>> + Send,
) -> Outcome<()> {
    if these.len() > 1 {
        match act(app, these).await {
            Ok(()) => {
                go_on(app, these);
                return Ok(());
            }
            Err(fault) if is_of_database(&fault) => return Err(fault),
            Err(_) => {}
        }
    }
    for one in these {
        let done = act(app, std::slice::from_ref(one)).await;
        judge(app, (*one).into(), done)?;
    }
    Ok(())
}

/// Does a part of a round, unless that has ended in an error a moment ago.
///
/// # Errors
/// When the database refuses.
pub(super) async fn part(
    app: &App,
    name: &'static str,
    act: for<'a> fn(&'a App) -> BoxFuture<'a, Outcome<()>>,
) -> Outcome<()> {
    tried(app, Subject::Part(name), act(app)).await.map(drop)
}

/// All sagas but those that are left alone for now.
pub(super) fn sagas(app: &App) -> Condition {
    others(app, saga::Column::Id, |subject| if let Subject::Saga(id) = subject { Some(*id) } else { None })
}

/// All steps but those that are left alone for now.
pub(super) fn steps(app: &App) -> Condition {
    others(app, saga_step::Column::Id, |subject| if let Subject::Step(id) = subject { Some(*id) } else { None })
}

/// All phones but those that are left alone for now.
pub(super) fn phones(app: &App) -> Condition {
    others(app, phone::Column::Id, |subject| if let Subject::Phone(id) = subject { Some(*id) } else { None })
}

/// All repositories but those that are left alone for now.
pub(super) fn repos(app: &App) -> Condition {
    others(app, repo::Column::Id, |subject| if let Subject::Repo(id) = subject { Some(*id) } else { None })
}

fn others<T: Into<sea_orm::Value>>(
    app: &App,
    column: impl ColumnTrait,
    of: impl Fn(&Subject) -> Option<T>,
) -> Condition {
    let but = app.part::<SetAside>().left_alone(app.clock.steady(), of);
    Condition::all().add_option((!but.is_empty()).then(|| column.is_not_in(but)))
}

#[cfg(test)]
mod tests {
    use entity::{PhoneId, SagaId};
    use kernel::time::UtcTime;

    use super::{SetAside, Subject};

    fn sagas(aside: &SetAside, at: UtcTime) -> Vec<SagaId> {
        aside.left_alone(at, |subject| if let Subject::Saga(id) = subject { Some(*id) } else { None })
    }

    #[test]
    fn what_ends_in_an_error_is_tried_again_ever_less_often_and_forgotten_once_it_goes_on() {
        let (aside, wall) = (SetAside::default(), UtcTime(7_000));
        let mut at = UtcTime(0);
        for pause in [5, 15, 60, 300, 900, 3_600, 3_600] {
            aside.fails(Subject::Saga(SagaId(1)), "no".to_owned(), wall, at);
            assert_eq!(sagas(&aside, at.plus_seconds(pause - 1)), [SagaId(1)], "{pause}");
            at = at.plus_seconds(pause);
            assert!(sagas(&aside, at).is_empty(), "{pause}");
        }
        // It goes on as one thing, and others are their own.
        aside.fails(Subject::Phone(PhoneId(1)), "no".to_owned(), wall, at);
        assert_eq!(aside.all(), [(Subject::Saga(SagaId(1)), wall), (Subject::Phone(PhoneId(1)), wall)]);
        aside.goes_on(&Subject::Saga(SagaId(1)));
        aside.fails(Subject::Saga(SagaId(1)), "no".to_owned(), wall, at);
        assert!(sagas(&aside, at.plus_seconds(5)).is_empty(), "it begins anew");
        assert_eq!(aside.errors(), 9);
    }

    #[test]
    fn what_nobody_tries_any_more_is_forgotten() {
        let (aside, start) = (SetAside::default(), UtcTime(0));
        aside.fails(Subject::Saga(SagaId(1)), "no".to_owned(), start, start);
        aside.sweep(start.plus_seconds(604));
        assert_eq!(aside.all().len(), 1);
        aside.sweep(start.plus_seconds(605));
        assert!(aside.all().is_empty());
    }
}
