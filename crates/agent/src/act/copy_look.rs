//! Looks at what a copy of a phone would hold. Nothing on the card is changed, and its apps go on.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use adb::{Card, Command, Error};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use wire::copy::Coverage;
use wire::{CopyLook, Mark, Reason};

use super::standing::{Standing, is_android};
use super::{mistaken, state};
use crate::cards::Cards;
use crate::clean::ROOT;
use crate::cover::coverage;
use crate::listing;
use crate::refused::Refused;

/// Half a million files take a while; who has far more is told that it takes too long, and can be copied all the same.
const PATIENCE: Duration = Duration::from_secs(100);
/// Cards that are read at once: a list of half a million files takes 150 MB.
pub const AT_ONCE: usize = 2;

/// Looks at what a copy of the phone on a card would hold, if it is the expected card and carries that phone.
pub async fn look_at_copy(
    cards: &Cards,
    turns: &Semaphore,
    address: &str,
    serial: Option<&str>,
    mark: Mark,
    leave_out: &[String],
) -> CopyLook {
    let started = Instant::now();
    let looked = timeout(PATIENCE, async {
        // It is never closed.
        let _turn = turns.acquire().await;
        look(cards, address, serial, mark, leave_out).await
    });
    let looked = looked.await;
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let Refused(code, reason) = match looked {
        Ok(Ok(coverage)) => return CopyLook::Seen { coverage: Coverage { millis, ..coverage } },
        Ok(Err(refused)) => refused,
        Err(_) => Refused(Reason::AdbTimeout, format!("not read within {} s", PATIENCE.as_secs())),
    };
    CopyLook::Failed { code: code.into(), reason }
}

async fn look(
    cards: &Cards,
    address: &str,
    serial: Option<&str>,
    mark: Mark,
    leave_out: &[String],
) -> Result<Coverage, Refused> {
    let at: SocketAddr = address.parse().map_err(|_| Error::BadArgument { what: address.to_owned() })?;
    let card = cards.get(at).await?;
    if let Some(why) = mistaken(at, &state(&card).await?, serial) {
        return Err(Refused(Reason::WrongCard, why));
    }
    covered(&card, mark, leave_out).await
}

/// What a copy of the phone on this card would hold, if these paths are left out besides.
///
/// # Errors
/// The card is not the phone's, or cannot be read as a whole.
pub async fn covered(card: &Card, mark: Mark, leave_out: &[String]) -> Result<Coverage, Refused> {
    let before = Standing::of(card).await?;
    before.check(mark)?;
    let packages = packages(card).await?;
    let (listing, mounts) = listing::again(|| listing::list(card, ROOT)).await?;
    before.still(card).await?;
    is_android(&listing)?;
    Ok(coverage(&listing, &mounts, &packages, leave_out))
}

/// What is installed for the owner, Android's own included.
async fn packages(card: &Card) -> Result<BTreeSet<String>, Refused> {
    let said = listing::whole(card, &Command::script("pm list packages --user 0")).await?;
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().filter_map(|line| line.trim().strip_prefix("package:")).map(str::to_owned).collect())
}
