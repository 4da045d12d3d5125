//! An agent that has lost its console changes nothing on phones' cards: the console may have given them to another one.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How long the console may be silent before nothing is changed any more. The console gives a card to another agent not
/// before twice this time.
pub const LONGEST: Duration = Duration::from_secs(60);

/// When the console was last heard, by a clock that nobody sets. A process that was stopped and goes on finds the time
/// passed.
#[derive(Clone, Debug)]
pub struct Leash {
    heard: watch::Sender<Option<Instant>>,
    longest: Duration,
}

impl Leash {
    /// One that holds for `longest` after each word.
    #[must_use]
    pub fn new(longest: Duration) -> Self {
        Self { heard: watch::Sender::new(None), longest }
    }

    /// The console has said something.
    pub fn heard(&self) {
        self.heard.send_replace(Some(Instant::now()));
    }

    /// Whether the console has been heard lately.
    pub fn holds(&self) -> bool {
        self.heard.borrow().is_some_and(|at| at.elapsed() < self.longest)
    }

    /// Waits until the console has been heard lately.
    pub async fn hold(&self) {
        let mut heard = self.heard.subscribe();
        // The sender lives as long as this does.
        let _ = heard.wait_for(|at| at.is_some_and(|at| at.elapsed() < self.longest)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Leash;

    #[tokio::test]
    async fn it_holds_for_a_while_after_each_word_and_nothing_is_begun_after_that() {
        let leash = Leash::new(Duration::from_secs(600));
        let waits = tokio::spawn({
            let leash = leash.clone();
            async move { leash.hold().await }
        });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished(), "nothing was heard yet");
        leash.heard();
        assert!(waits.await.is_ok());
        leash.hold().await;

        // Its time is over as soon as it has begun.
        let leash = Leash::new(Duration::ZERO);
        leash.heard();
        let waits = tokio::time::timeout(Duration::from_millis(50), leash.hold());
        assert!(waits.await.is_err(), "it was silent for too long");
    }
}
