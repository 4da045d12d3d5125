//! Captchas: a picture that slows machines down once an account or an address has failed a few times.
//!
//! A captcha that is right lets the attempt be checked, no more: it never shortens a wait. It is a bump,
//! not a wall; what bounds guessing are the waits (`throttle`).

use std::net::IpAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::time::UtcTime;
use moka::sync::Cache;

use super::captcha_image;
use super::pace::Pace;
use crate::fault::{Fault, Outcome};

/// Letters and digits that nobody takes for another one.
const ALPHABET: &[u8] = b"ACEFHKLMNPRTXY347";
/// Characters of a captcha. A one-time code has six, so neither is ever taken for the other.
const LENGTH: usize = 5;
/// Seconds that a captcha can be answered.
const VALID_S: i64 = 300;
/// Captchas that wait for an answer, at most.
const MAX_OPEN: u64 = 10_000;
/// Pictures drawn a minute for one address.
const PER_MINUTE: u32 = 30;

/// The captchas that wait for an answer.
#[derive(Debug)]
pub struct Captchas {
    open: Cache<(String, IpAddr), (String, UtcTime)>,
    pace: Pace<IpAddr>,
}

impl Default for Captchas {
    fn default() -> Self {
        let open =
            Cache::builder().max_capacity(MAX_OPEN).time_to_live(Duration::from_secs(VALID_S.unsigned_abs())).build();
        Self { open, pace: Pace::per_minute(PER_MINUTE) }
    }
}

impl Captchas {
    /// Draws a captcha for `account`, asked for from `ip`, as a data address. An earlier one is void.
    ///
    /// # Errors
    /// When the address asks too often.
    pub async fn draw(&self, account: &str, ip: IpAddr, now: UtcTime) -> Outcome<String> {
        self.pace.admit(ip, now)?;
        let text: String =
            (0..LENGTH).map(|_| char::from(ALPHABET[usize::from(rand::random::<u16>()) % ALPHABET.len()])).collect();
        self.open.insert((account.to_owned(), ip), (text.clone(), now));
        let png = tokio::task::spawn_blocking(move || captcha_image::draw(&text)).await.map_err(Fault::internal)??;
        Ok(format!("data:image/png;base64,{}", STANDARD.encode(png)))
    }

    /// Whether `answer` solves the open captcha, which is void from then on, right or wrong.
    pub fn solve(&self, account: &str, ip: IpAddr, answer: &str, now: UtcTime) -> bool {
        self.open
            .remove(&(account.to_owned(), ip))
            .is_some_and(|(text, at)| now.seconds_since(at) < VALID_S && text.eq_ignore_ascii_case(answer.trim()))
    }

    /// The text of the open captcha, for tests: nothing else can read the picture.
    #[must_use]
    pub fn peek(&self, account: &str, ip: IpAddr) -> Option<String> {
        self.open.get(&(account.to_owned(), ip)).map(|(text, _)| text)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use kernel::time::UtcTime;

    use super::Captchas;

    #[tokio::test]
    async fn a_captcha_is_for_one_account_one_address_one_answer_and_five_minutes() {
        let captchas = Captchas::default();
        let (here, there) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let now = UtcTime(1_000_000);

        captchas.draw("a", here, now).await.unwrap_or_else(|fault| panic!("{fault:?}"));
        let text = captchas.peek("a", here).expect("just drawn");
        assert!(!captchas.solve("b", here, &text, now));
        assert!(!captchas.solve("a", there, &text, now));
        assert!(captchas.solve("a", here, &text.to_lowercase(), now));
        assert!(!captchas.solve("a", here, &text, now), "a second time");

        captchas.draw("a", here, now).await.unwrap_or_else(|fault| panic!("{fault:?}"));
        let text = captchas.peek("a", here).expect("just drawn");
        assert!(!captchas.solve("a", here, "wrong", now));
        assert!(!captchas.solve("a", here, &text, now), "after a wrong answer");

        captchas.draw("a", here, now).await.unwrap_or_else(|fault| panic!("{fault:?}"));
        let text = captchas.peek("a", here).expect("just drawn");
        assert!(!captchas.solve("a", here, &text, now.plus_seconds(300)), "too late");
    }
}
