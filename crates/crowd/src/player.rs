//! A customer: comes, waits, plays, and leaves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::calls::{Connect, Ticket};
use crate::client::{Client, Refused};
use crate::gateway::{Gateway, Order, Stream};
use crate::tally::Tally;

/// Whoever waits asks so often.
const LOOK: Duration = Duration::from_secs(3);
/// How often somebody connects again in one visit: ordered to, or because the place in the queue is lost.
const AGAIN: usize = 5;

/// What all customers have in common.
#[derive(Debug)]
pub struct World {
    pub client: Arc<Client>,
    pub gateway: Gateway,
    pub tally: Arc<Tally>,
    /// Everybody leaves.
    pub stop: CancellationToken,
}

/// A customer.
#[derive(Debug)]
pub struct Player {
    /// The account.
    pub user: String,
    /// None of one who has registered and has no phone yet.
    pub phone: Option<String>,
    /// A visit goes on.
    pub is_there: AtomicBool,
}

/// How long somebody stays, as a watch has it.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    pub plays: Duration,
    pub waits: Duration,
}

/// Signs in, and asks for the phone. None if there is none, or it does not go.
pub async fn arrive(world: &World, player: &Player) -> Result<Option<Connect>, Refused> {
    world.client.sign_in(&player.user).await?;
    match &player.phone {
        Some(phone) => world.client.connect(phone).await,
        None => Ok(None),
    }
}

/// The rest of a visit.
pub async fn stay(world: &World, player: &Player, arrived: Result<Option<Connect>, Refused>, stay: Stay) {
    match (&player.phone, arrived) {
        (Some(phone), Ok(seen)) => Visit { world, phone, stay }.goes_on(seen).await,
        // There is nothing to play with yet: the app looks, and shows that.
        (None, Ok(_)) => _ = world.client.phones_of(&player.user).await,
        (_, Err(_)) => {}
    }
    // What is refused is counted.
    _ = world.client.sign_out(&player.user).await;
}

/// A customer with a phone.
struct Visit<'a> {
    world: &'a World,
    phone: &'a str,
    stay: Stay,
}

impl Visit<'_> {
    async fn goes_on(&self, first: Option<Connect>) {
        let (asked, mut seen, mut until) = (Instant::now(), first, None);
        for _ in 0..AGAIN {
            let Some(ticket) = self.waits(seen).await else { return };
            // A ticket that was too late is followed by another one.
            if let Ok(stream) = self.world.gateway.open(&ticket).await {
                if until.is_none() {
                    self.world.tally.lets_in(asked.elapsed());
                }
                let until = *until.get_or_insert_with(|| Instant::now() + self.stay.plays);
                if !self.plays(stream, until).await {
                    break;
                }
            }
            let Ok(again) = self.world.client.connect(self.phone).await else { return };
            seen = again;
        }
        self.leaves().await;
    }

    /// Waits until the phone is there. None if it does not come, or nobody waits any more.
    async fn waits(&self, first: Option<Connect>) -> Option<Ticket> {
        let World { client, tally, stop, .. } = self.world;
        let _waits = tally.waits();
        let (end, mut seen, mut lost) = (Instant::now() + self.stay.waits, first, 0);
        loop {
            let state = seen.as_ref().map_or("left", |seen| seen.state.as_str());
            match state {
                "ready" => return seen.and_then(Connect::into_ticket),
                "queued" | "preparing" => {
                    let is_patient = state == "preparing" || Instant::now() < end;
                    if !is_patient {
                        tally.gives_up();
                    }
                    let looks = is_patient && !self.is_over_in(LOOK).await;
                    if !looks {
                        self.leaves().await;
                        return None;
                    }
                    match client.look(self.phone).await {
                        Ok(told) => seen = told,
                        // It is asked again.
                        Err(refused) if refused.is_passing() => {}
                        Err(_) => return None,
                    }
                }
                // The queue has not heard of it for too long: its place is kept.
                "left" if lost < AGAIN && !stop.is_cancelled() => {
                    lost += 1;
                    seen = client.connect(self.phone).await.ok()?;
                }
                _ => {
                    let code = seen.and_then(|seen| seen.code);
                    tally.refuses(code.as_deref().unwrap_or("left"));
                    return None;
                }
            }
        }
    }

    /// Waits, and says whether everybody leaves meanwhile.
    async fn is_over_in(&self, time: Duration) -> bool {
        tokio::select! {
            () = self.world.stop.cancelled() => true,
            () = sleep(time) => false,
        }
    }

    /// Plays until that moment. Says whether the customer is to connect again.
    async fn plays(&self, stream: Stream, until: Instant) -> bool {
        let _plays = self.world.tally.plays();
        let Stream { id, order } = stream;
        tokio::select! {
            () = self.world.stop.cancelled() => {}
            () = sleep_until(until) => {}
            // The gateway has shut it.
            order = order => return order == Ok(Order::Again),
        }
        self.world.gateway.close(&id);
        false
    }

    /// The app says so. What is refused is counted.
    async fn leaves(&self) {
        _ = self.world.client.leave(self.phone).await;
    }
}
