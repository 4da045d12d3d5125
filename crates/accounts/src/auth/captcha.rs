//! Captchas: pictures that slow machines down once an account or an address has failed a few times.
//!
//! A correct captcha only lets the attempt be checked: it never shortens a wait. It is a speed bump, not a wall;
//! guessing is limited by the waits (`throttle`).

use std::net::IpAddr;
use std::time::Duration;

use base::fault::{Fault, Outcome};
use base::http::connections::network;
use base::pace::Pace;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::time::UtcTime;
use moka::sync::Cache;

use super::captcha_image;

/// Letters and digits that are not mistaken for others.
const ALPHABET: &[u8] = b"ACEFHKLMNPRTXY347";
/// Length of a captcha. A one-time code has six characters, so neither is ever mistaken for the other.
const LENGTH: usize = 5;
/// Seconds for which a captcha is valid.
const VALID_S: i64 = 300;
/// The largest number of open captchas.
const MAX_OPEN: u64 = 10_000;
/// Pictures drawn per minute for one address.
const PER_MINUTE: u32 = 30;

/// The open captchas.
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
    /// Draws a captcha for `account`, requested from `ip`, as a data URL. An earlier one becomes invalid.
    ///
    /// # Errors
    /// When the address requests too many.
    pub async fn draw(&self, account: &str, ip: IpAddr, now: UtcTime) -> Outcome<String> {
        self.pace.admit(network(ip), now)?;
        let text: String =
            (0..LENGTH).map(|_| char::from(ALPHABET[usize::from(rand::random::<u16>()) % ALPHABET.len()])).collect();
        self.open.insert((account.to_owned(), ip), (text.clone(), now));
        let png = tokio::task::spawn_blocking(move || captcha_image::draw(&text)).await.map_err(Fault::internal)??;
        Ok(format!("data:image/png;base64,{}", STANDARD.encode(png)))
    }

    /// Whether `answer` solves the open captcha, which is invalid from then on, right or wrong.
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
