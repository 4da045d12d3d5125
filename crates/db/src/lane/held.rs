//! Who has the lane, and how far he is: said when others wait for it in vain. There is nothing else to find him by, since it is
//! those who wait that fail.

use std::fmt::Write as _;
use std::fs;
use std::panic::Location;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// A writer who has not moved for so long will not: his answer was lost on the way, or the disk does not come back. Everybody
/// else is refused until then.
const STUCK: Duration = Duration::from_mins(5);

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

    /// Whoever is at `waited` has waited in vain. Returns whether the writer in front of him has to be given up.
    pub(super) fn tell(&self, waited: &'static Location<'static>) -> bool {
        let Some(Holder { place, stage, since }) = *self.0.lock() else { return false };
        let (seconds, threads) = (since.elapsed().as_secs(), threads());
        tracing::error!(holder = %place, ?stage, seconds, %waited, threads, "a writer waits in vain for another one");
        since.elapsed() > STUCK
    }
}

/// What the threads of this process are at, as the kernel tells it: name, state, and where in the kernel it waits.
fn threads() -> String {
    let mut told = String::new();
    for task in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let of = |file: &str| fs::read_to_string(task.path().join(file)).unwrap_or_default();
        // The state follows the name, which stands in brackets.
        let stat = of("stat");
        let state = stat.rsplit_once(") ").map_or("", |(_, rest)| rest.get(..1).unwrap_or_default());
        _ = write!(told, "{}:{state}:{} ", of("comm").trim_end(), of("wchan"));
    }
    told
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::{Held, STUCK, Stage};

    #[test]
    fn a_writer_is_given_up_when_he_has_not_moved_for_long_and_not_before() {
        let (held, here) = (Held::default(), Location::caller());
        assert!(!held.tell(here), "nobody has ever had it");
        held.by(here);
        let ago = |held: &Held, by| {
            if let Some(holder) = &mut *held.0.lock() {
                holder.since = holder.since.checked_sub(by).expect("the clock has run for longer");
            }
        };
        ago(&held, STUCK / 2);
        assert!(!held.tell(here));
        ago(&held, STUCK);
        assert!(held.tell(here));
        held.is(Stage::Commits);
        assert!(!held.tell(here), "he has moved");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn threads_are_told_with_their_states() {
        assert!(super::threads().split(' ').any(|thread| thread.contains(":R:")), "{}", super::threads());
    }
}
