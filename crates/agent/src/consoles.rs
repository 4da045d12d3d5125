//! The consoles that an agent may connect to. Several share one database; one of them is active, the others are on
//! standby and answer 503 until they take over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::StatusCode;
use url::Url;

/// A console must answer within this time whether it is the active one.
const ANSWER: Duration = Duration::from_secs(1);

/// Addresses of consoles, and which of them is assumed to be active; clones share that.
#[derive(Clone, Debug)]
pub struct Consoles(Arc<Known>);

#[derive(Debug)]
struct Known {
    first: Url,
    others: Vec<Url>,
    current: AtomicUsize,
}

impl Consoles {
    /// These consoles, starting with the first; none if there are none.
    #[must_use]
    pub fn new(all: Vec<Url>) -> Option<Self> {
        let mut all = all.into_iter();
        let first = all.next()?;
        Some(Self(Arc::new(Known { first, others: all.collect(), current: AtomicUsize::new(0) })))
    }

    /// The number of consoles.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.others.len() + 1
    }

    /// The one assumed to be active.
    #[must_use]
    pub fn current(&self) -> &Url {
        self.at(self.0.current.load(Ordering::Relaxed))
    }

    /// Switches to the next one.
    pub fn move_on(&self) {
        let next = (self.0.current.load(Ordering::Relaxed) + 1) % self.count();
        self.0.current.store(next, Ordering::Relaxed);
    }

    /// Switches to another one that reports that it is active; `false` if none does.
    pub async fn move_to_active(&self, http: &reqwest::Client) -> bool {
        let current = self.0.current.load(Ordering::Relaxed);
        for other in (0..self.count()).filter(|other| *other != current) {
            let Ok(url) = self.at(other).join("/readyz") else { continue };
            let answer = http.get(url).timeout(ANSWER).send().await;
            if answer.is_ok_and(|answer| answer.status() == StatusCode::OK) {
                self.0.current.store(other, Ordering::Relaxed);
                return true;
            }
        }
        false
    }

    fn at(&self, number: usize) -> &Url {
        number.checked_sub(1).and_then(|number| self.0.others.get(number)).unwrap_or(&self.0.first)
    }
}

impl From<Url> for Consoles {
    fn from(first: Url) -> Self {
        Self(Arc::new(Known { first, others: Vec::new(), current: AtomicUsize::new(0) }))
    }
}

impl std::fmt::Display for Consoles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.first)?;
        self.0.others.iter().try_for_each(|other| write!(f, ", {other}"))
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::Consoles;

    #[test]
    fn each_console_has_its_turn() -> anyhow::Result<()> {
        let consoles = Consoles::new(vec![Url::parse("http://a")?, Url::parse("http://b")?, Url::parse("http://c")?]);
        let consoles = consoles.ok_or_else(|| anyhow::anyhow!("three consoles"))?;
        let shared = consoles.clone();
        let mut seen = String::new();
        for _ in 0..4 {
            seen += shared.current().host_str().unwrap_or_default();
            consoles.move_on();
        }
        assert_eq!(seen, "abca");
        assert!(Consoles::new(Vec::new()).is_none());
        Ok(())
    }
}
