//! What all threads of one run share: whether it goes on, what went wrong first, how far it is.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustic_core::{ErrorKind, Progress, ProgressBars, ProgressType, RusticError, RusticProgress};

use crate::Error;

/// One run. Whoever started it stops it from elsewhere and sees how far it is; clones are the same run.
#[derive(Clone, Debug, Default)]
pub struct Run(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    first: Mutex<Option<Error>>,
    stop: AtomicBool,
    holds: Holds,
    bytes: AtomicU64,
    total: AtomicU64,
    sent: AtomicU64,
    answers: AtomicU64,
    packs: Mutex<Vec<String>>,
    /// What it is a part of.
    whole: Option<Run>,
}

/// Whether somebody may still do what he has begun.
#[derive(Default)]
struct Holds(Option<Box<dyn Fn() -> bool + Send + Sync>>);

impl Holds {
    fn is_so(&self) -> bool {
        self.0.as_ref().is_none_or(|holds| holds())
    }
}

impl std::fmt::Debug for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Holds").field(&self.is_so()).finish()
    }
}

impl Run {
    /// One that goes on only while this is so: it is asked before each call of the store. Who stops a run from elsewhere is
    /// too late in a process that stood still and goes on with all of its threads at once.
    #[must_use]
    pub fn while_so(holds: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { holds: Holds(Some(Box::new(holds))), ..Shared::default() }))
    }

    /// Stops it as soon as it can: within the pack that is being sent. What it has sent stays and is used by the next run.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    /// A part of this run: it is stopped with it and counts for it, and what goes wrong in it is its own.
    #[must_use]
    pub fn part(&self) -> Self {
        Self(Arc::new(Shared { whole: Some(self.clone()), ..Shared::default() }))
    }

    fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
            || !self.0.holds.is_so()
            || self.0.whole.as_ref().is_some_and(Self::is_stopped)
    }

    /// Bytes of contents that were dealt with: read, or found unchanged.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Bytes that the store has taken.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.0.sent.load(Ordering::Relaxed)
    }

    /// Bytes that it will have dealt with; 0 while it does not know, or does not say.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.total.load(Ordering::Relaxed)
    }

    /// Answers of the store: a run that gets no further gets none.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.0.answers.load(Ordering::Relaxed)
    }

    /// It waits for its turn at the store, which counts as an answer: it is no standstill. Whether it is still wanted.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.heard();
        !self.is_stopped()
    }

    pub(crate) fn expect(&self, bytes: u64) {
        self.0.total.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn heard(&self) {
        self.0.answers.fetch_add(1, Ordering::Relaxed);
        if let Some(whole) = &self.0.whole {
            whole.heard();
        }
    }

    pub(crate) fn wrote(&self, bytes: u64) {
        self.0.sent.fetch_add(bytes, Ordering::Relaxed);
        if let Some(whole) = &self.0.whole {
            whole.wrote(bytes);
        }
    }

    /// Notes an error. The first counts: the library logs some and goes on, and those that follow are its echo.
    pub(crate) fn fail(&self, error: Error) {
        self.0.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Fine so far, and nobody stopped it.
    ///
    /// # Errors
    /// What went wrong first.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_stopped() {
            self.fail(Error::Stopped);
        }
        match &*self.0.first.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// What the library's error came from.
    pub(crate) fn cause(&self, error: &RusticError) -> Error {
        match self.check() {
            Err(first) => first,
            Ok(()) => match words(error) {
                // Its own code, in the words of whatever it was wrapped in: the authentication of a text failed.
                text if text.contains("errors/C001") => Error::Key,
                text => Error::Other(text),
            },
        }
    }

    pub(crate) fn wrote_pack(&self, id: String) {
        self.0.packs.lock().unwrap_or_else(PoisonError::into_inner).push(id);
    }

    pub(crate) fn packs(&self) -> Vec<String> {
        self.0.packs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn passed(&self, bytes: u64) {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(whole) = &self.0.whole {
            whole.passed(bytes);
        }
    }
}

/// What an error says in one line, without the way that it took.
fn words(error: &RusticError) -> String {
    let whole = error.display_log();
    let said = whole.split("Backtrace:").next().unwrap_or_default();
    said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect()
}

/// An error for the library to pass on; what it says is kept by the run.
pub(crate) fn refusal(error: &Error) -> Box<RusticError> {
    RusticError::new(ErrorKind::Backend, error.to_string())
}

impl ProgressBars for Run {
    fn progress(&self, kind: ProgressType, _: &str) -> Progress {
        match kind {
            ProgressType::Bytes => Progress::new(Counted(self.clone())),
            ProgressType::Spinner | ProgressType::Counter => Progress::hidden(),
        }
    }
}

/// Counts the bytes of a run.
#[derive(Debug)]
struct Counted(Run);

impl RusticProgress for Counted {
    fn is_hidden(&self) -> bool {
        false
    }

    fn set_length(&self, _: u64) {}

    fn set_title(&self, _: &str) {}

    fn inc(&self, bytes: u64) {
        self.0.passed(bytes);
    }

    fn finish(&self) {}
}
