//! Who has the lane, and how far he is: said when others wait for it in vain. There is nothing else to find him by, since it is
//! those who wait that fail.

use std::panic::Location;
use std::time::Instant;

use parking_lot::Mutex;

/// How far a writer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Begins,
    /// He has a transaction, and has not ended it.
    Writes,
    Commits,
    Undoes,
    /// He has let go of the lane: whoever came next was woken, and has not gone on.
    Left,
}

/// The last writer who got the lane.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<Option<Holder>>);

#[derive(Clone, Copy, Debug)]
struct Holder {
    place: &'static Location<'static>,
    stage: Stage,
    since: Instant,
}

impl Held {
    /// A writer at this place in the code has got the lane.
    pub(super) fn by(&self, place: &'static Location<'static>) {
        *self.0.lock() = Some(Holder { place, stage: Stage::Begins, since: Instant::now() });
    }

    /// He is this far. Told before he lets go, so that it is never said of the next one.
    pub(super) fn is(&self, stage: Stage) {
        if let Some(holder) = &mut *self.0.lock() {
            (holder.stage, holder.since) = (stage, Instant::now());
        }
    }

    /// Whoever is at `waited` has waited in vain.
    pub(super) fn tell(&self, waited: &'static Location<'static>) {
        let Some(Holder { place, stage, since }) = *self.0.lock() else { return };
        let seconds = since.elapsed().as_secs();
        tracing::error!(holder = %place, ?stage, seconds, %waited, "a writer waits in vain for another one");
    }
}
