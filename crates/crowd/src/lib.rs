//! A crowd of customers who use a company's cloud phones: through the Open API, as its apps and gateways do.
//!
//! When somebody comes and for how long is a pure function of seed, customer and time ([`schedule`]), and customers connect in
//! that order: the same seed makes the same queue. What a customer meets then is the console's.
//!
//! ```text
//! let settings = Settings { console, key, secret, customers: 200, seed: 1, speed: 2, switchboard: None };
//! let crowd = Crowd::gather(settings).await?;
//! crowd.play(stop).await;
//! println!("{}", crowd.figures());
//! ```

mod calls;
mod client;
mod command;
mod gateway;
mod player;
mod random;
pub mod schedule;
mod sign;
mod tally;
mod watcher;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use url::Url;

use calls::Phone;
use client::Client;
pub use command::{CrowdFlags, simulate};
use gateway::Gateway;
use player::{Player, Stay, World};
use schedule::{Timeline, Visit, lot};
use sign::Signer;
pub use tally::Figures;
use tally::Tally;
pub use watcher::Watcher;

/// What an application needs that plays customers and gateways.
const SCOPES: [&str; 3] = ["user", "phone", "gateway"];
/// Whatever the speed, so long a customer waits in the queue before giving up: cards take as long as they take.
const WAITS: Duration = Duration::from_secs(60);
/// And so long a stream goes on.
const PLAYS: Duration = Duration::from_secs(1);
/// Everybody has this long to leave.
const LEAVING: Duration = Duration::from_secs(10);

/// Who plays, and where.
#[derive(Clone)]
pub struct Settings {
    /// The console's address.
    pub console: Url,
    /// The name of an application's key, and its secret.
    pub key: String,
    pub secret: String,
    pub customers: u32,
    pub seed: u64,
    /// So many seconds of the crowd's day pass in one.
    pub speed: u32,
    /// That of a simulated room, which is told at which of its cards somebody plays.
    pub switchboard: Option<Url>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { console, key, secret: _, customers, seed, speed, switchboard: _ } = self;
        let console = console.as_str();
        write!(f, "{customers} customers at {console} with {key}, seed {seed}, speed {speed}")
    }
}

/// A crowd that has gathered.
#[derive(Debug)]
pub struct Crowd {
    client: Arc<Client>,
    tally: Arc<Tally>,
    players: Vec<Arc<Player>>,
    seed: u64,
    speed: u32,
    watcher: Option<Watcher>,
}

impl Crowd {
    /// Finds the customers: those of phones that can be used, chosen by the seed, one for each phone. If there are fewer, others
    /// register; they have something to play with as soon as an operator gives them a phone and the crowd comes again.
    ///
    /// # Errors
    /// The console is not reached, or refuses the key; the application may not call what a crowd calls; or there is no
    /// switchboard where one is named.
    pub async fn gather(settings: Settings) -> anyhow::Result<Self> {
        let Settings { console, key, secret, customers, seed, speed, switchboard } = settings;
        let tally = Arc::new(Tally::default());
        let client = Arc::new(Client::new(&console, Signer::new(&key, &secret), Arc::clone(&tally))?);
        let own = client.own().await.with_context(|| format!("the console at {console}"))?;
        for scope in SCOPES {
            let name = &own.name;
            ensure!(own.scopes.iter().any(|has| has == scope), "the application {name} lacks the scope {scope}");
        }
        client.allow(own.limits.per_second);
        let watcher = match switchboard {
            Some(switchboard) => Some(Watcher::at(&switchboard).await?),
            None => None,
        };
        let mut crowd = Self { client, tally, players: Vec::new(), seed, speed: speed.max(1), watcher };
        crowd.find_phones(customers).await.context("the phones of the crowd")?;
        crowd.register(customers).await.context("a customer of the crowd")?;
        Ok(crowd)
    }

    async fn find_phones(&mut self, customers: u32) -> anyhow::Result<()> {
        let mut phones = self.client.phones().await?;
        let drawn = |phone: &Phone| lot(self.seed, phone.id.parse().unwrap_or_default());
        phones.sort_by_cached_key(|phone| (drawn(phone), phone.id.clone()));
        phones.truncate(usize::try_from(customers)?);
        for phone in phones {
            // A crowd that broke off has left nobody at it.
            if self.client.look(&phone.id).await?.is_some_and(|seen| seen.state != "left") {
                self.client.leave(&phone.id).await?;
            }
            self.players.push(player(phone.user_id, Some(phone.id)));
        }
        Ok(())
    }

    async fn register(&mut self, customers: u32) -> anyhow::Result<()> {
        let known: HashSet<String> = self.players.iter().map(|player| player.user.clone()).collect();
        for number in 1..=usize::try_from(customers)?.saturating_sub(self.players.len()) {
            let code = format!("CROWD{}N{number}", self.seed % 1_000_000);
            let user = match self.client.user_with(&code).await? {
                Some(user) => user,
                None => self.client.register(&format!("仿真客户 {number}"), &code).await?,
            };
            // One who has a phone by now is among the others.
            if !known.contains(&user.id) {
                self.players.push(player(user.id, None));
            }
        }
        Ok(())
    }

    /// How many customers there are, and how many of them have a phone.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.players.len(), self.players.iter().filter(|player| player.phone.is_some()).count())
    }

    /// The same crowd, whose gateways tell this one at which cards somebody plays.
    #[must_use]
    pub fn watched(self, by: Watcher) -> Self {
        Self { watcher: Some(by), ..self }
    }

    /// The phones in the order in which their customers come first.
    #[must_use]
    pub fn order(&self) -> Vec<&str> {
        let count = self.players.len();
        let mut seen = HashSet::new();
        let first = self.timeline().filter(|visit| seen.insert(visit.customer)).take(count);
        first.filter_map(|visit| self.players.get(visit.customer as usize)?.phone.as_deref()).collect()
    }

    fn timeline(&self) -> Timeline {
        Timeline::new(self.seed, u32::try_from(self.players.len()).unwrap_or(u32::MAX))
    }

    /// How it fares.
    #[must_use]
    pub fn figures(&self) -> Figures {
        self.tally.figures()
    }

    /// Plays until it is stopped; then everybody leaves, and says so.
    pub async fn play(&self, stop: CancellationToken) {
        let gateway = Gateway::new(Arc::clone(&self.client), Arc::clone(&self.tally), self.watcher.clone());
        let (client, tally) = (Arc::clone(&self.client), Arc::clone(&self.tally));
        let world = Arc::new(World { client, gateway, tally, stop: stop.clone() });
        let all = async {
            tokio::select! {
                () = self.come(&world) => {}
                () = world.gateway.run() => {}
            }
            world.gateway.tell_ended().await;
        };
        let late = async {
            stop.cancelled().await;
            sleep(LEAVING).await;
        };
        tokio::select! {
            () = all => {}
            () = late => {}
        }
    }

    /// Customers come, each in turn, and stay as long as they like.
    async fn come(&self, world: &Arc<World>) {
        let (began, mut visits) = (Instant::now(), JoinSet::new());
        for visit in self.timeline() {
            tokio::select! {
                biased;
                () = world.stop.cancelled() => break,
                () = sleep_until(began + visit.at / self.speed) => {}
            }
            while visits.try_join_next().is_some() {}
            let Some(player) = self.players.get(visit.customer as usize) else { continue };
            if player.is_there.swap(true, Ordering::SeqCst) {
                self.tally.skips();
                continue;
            }
            // One after the other, so that they stand in the queue in this order.
            let arrived = player::arrive(world, player).await;
            let (world, player, stay) = (Arc::clone(world), Arc::clone(player), self.stay(visit));
            visits.spawn(async move {
                player::stay(&world, &player, arrived, stay).await;
                player.is_there.store(false, Ordering::SeqCst);
            });
        }
        while visits.join_next().await.is_some() {}
    }

    fn stay(&self, visit: Visit) -> Stay {
        Stay { plays: (visit.plays / self.speed).max(PLAYS), waits: (visit.waits / self.speed).max(WAITS) }
    }
}

fn player(user: String, phone: Option<String>) -> Arc<Player> {
    Arc::new(Player { user, phone, is_there: AtomicBool::new(false) })
}
