//! Steps of a list on their way from whoever reads it, with an end that is said.
//!
//! A reader that panics closes its channel as well. If that counted as the end, what it had not read yet would count as
//! not there: a list would be shorter than it is, and nobody would know.

use tokio::sync::mpsc;

use crate::fault::{Fault, Outcome};

/// Steps that are read ahead of whoever takes them.
const AHEAD: usize = 2;

/// What a reader gives its steps to.
#[derive(Debug)]
pub struct Giver<T> {
    to: mpsc::Sender<Outcome<Option<T>>>,
}

/// Steps as they arrive.
#[derive(Debug)]
pub struct Steps<T> {
    from: mpsc::Receiver<Outcome<Option<T>>>,
    lost: fn() -> Fault,
    is_over: bool,
}

/// Nobody takes the steps any more.
#[derive(Clone, Copy, Debug)]
pub struct NotTaken;

/// A way for steps; `lost` is the fault if the reader disappears before it has said that there are no more.
#[must_use]
pub fn steps<T>(lost: fn() -> Fault) -> (Giver<T>, Steps<T>) {
    let (to, from) = mpsc::channel(AHEAD);
    (Giver { to }, Steps { from, lost, is_over: false })
}

impl<T> Giver<T> {
    /// Gives a step; it waits while the taker is slower.
    ///
    /// # Errors
    /// When nobody takes it.
    pub async fn give(&self, step: T) -> Result<(), NotTaken> {
        self.to.send(Ok(Some(step))).await.map_err(|_| NotTaken)
    }

    /// Says that there are no more, or why the rest can not be read.
    pub async fn end(self, outcome: Outcome<()>) {
        // Whoever does not listen any more does not need it.
        _ = self.to.send(outcome.map(|()| None)).await;
    }

    /// [`Self::give`] from a thread that may wait.
    ///
    /// # Errors
    /// When nobody takes it.
    pub fn blocking_give(&self, step: T) -> Result<(), NotTaken> {
        self.to.blocking_send(Ok(Some(step))).map_err(|_| NotTaken)
    }

    /// [`Self::end`] from a thread that may wait.
    pub fn blocking_end(self, outcome: Outcome<()>) {
        _ = self.to.blocking_send(outcome.map(|()| None));
    }
}

impl<T> Steps<T> {
    /// The next step; none after the last one.
    pub async fn next(&mut self) -> Option<Outcome<T>> {
        let received = self.from.recv().await;
        self.judge(received)
    }

    /// [`Self::next`] on a thread that may wait.
    pub fn blocking_next(&mut self) -> Option<Outcome<T>> {
        let received = self.from.blocking_recv();
        self.judge(received)
    }

    fn judge(&mut self, received: Option<Outcome<Option<T>>>) -> Option<Outcome<T>> {
        if self.is_over {
            return None;
        }
        let step = received.unwrap_or_else(|| Err((self.lost)())).transpose();
        self.is_over = !matches!(step, Some(Ok(_)));
        step
    }
}

#[cfg(test)]
mod tests {
    use super::{NotTaken, steps};
    use crate::fault::{Fault, Outcome};

    async fn taken(read: impl FnOnce(super::Giver<u8>) + Send + 'static) -> (Vec<u8>, Option<Fault>) {
        let (to, mut from) = steps(|| Fault::NoRoute);
        let reader = std::thread::spawn(|| read(to));
        let (mut all, mut fault) = (Vec::new(), None);
        while let Some(step) = from.next().await {
            match step {
                Ok(step) => all.push(step),
                Err(found) => fault = Some(found),
            }
        }
        assert!(from.next().await.is_none(), "it is told once");
        _ = reader.join();
        (all, fault)
    }

    #[tokio::test]
    async fn only_an_end_that_is_said_is_one() {
        let give = |to: &super::Giver<u8>| -> Result<(), NotTaken> {
            to.blocking_give(1)?;
            to.blocking_give(2)
        };
        let said = taken(move |to| {
            _ = give(&to);
            to.blocking_end(Ok(()));
        });
        assert!(matches!(said.await, (all, None) if all == [1, 2]));
        let closed = taken(move |to| _ = give(&to));
        assert!(matches!(closed.await, (all, Some(Fault::NoRoute)) if all == [1, 2]));
        let panicked = taken(move |to| {
            _ = give(&to);
            panic!("a row that nobody thought of");
        });
        assert!(matches!(panicked.await, (all, Some(Fault::NoRoute)) if all == [1, 2]));
        let failed: Outcome<()> = Err(Fault::TooSlow);
        let broken = taken(|to| to.blocking_end(failed));
        assert!(matches!(broken.await, (all, Some(Fault::TooSlow)) if all.is_empty()));
    }
}
