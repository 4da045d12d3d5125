//! Active and standby: of several consoles on one PostgreSQL one is active, and this decides when it is this one.
//!
//! A console without the lease is on standby (`standby`). With it, it works on a runtime of its own: when the lease is
//! lost that runtime is dropped with everything on it, connections, background work and the handles to the database,
//! and the process goes back to standby. Nothing of a former term is left that could answer or write; a remaining write
//! would find the fence closed.

use std::future::pending;
use std::net::{SocketAddr, TcpListener as Listener};
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::Router;
use axum::middleware::from_fn_with_state;
use base::config::Config;
use base::front::{Front, Left};
use base::http::leased;
use base::standby::{News, Standing};
use db::Trouble;
use db::fence::Hold;
use db::lease::{BEAT, Candidate, Console, Lease, LeaseError, Look, PROOF};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use vault::store::{OpenError, StoreError};

use crate::alone::{Alone, told};
use crate::boot;

/// Interval of checking the lease.
const LOOK: Duration = Duration::from_millis(200);
/// After a stop the lease is released when the work has ended, or after this time if another console waits for it.
const HANDOVER: Duration = Duration::from_secs(3);

/// What the work of a term gets.
#[derive(Debug)]
pub struct Turn {
    listener: Listener,
    hold: Option<Hold>,
    opens_at: Option<Instant>,
    front: Option<Left>,
    /// Cancelled when the process is to stop.
    pub stop: CancellationToken,
}

impl Turn {
    /// What every write has to verify; nothing if the database belongs to this server alone.
    #[must_use]
    pub fn hold(&self) -> Option<Hold> {
        self.hold.clone()
    }

    /// `router` behind the lease.
    pub fn guard(&self, router: Router) -> Router {
        match &self.hold {
            Some(hold) => router.layer(from_fn_with_state(hold.clone(), leased::while_active)),
            None => router,
        }
    }

    /// The listener, once the previous console cannot answer any more and this one has left standby.
    ///
    /// # Errors
    /// When the listener cannot be used.
    pub async fn open(self) -> anyhow::Result<TcpListener> {
        if let Some(at) = self.opens_at {
            sleep_until(at).await;
        }
        if let Some(front) = self.front {
            front.leave().await;
        }
        Ok(TcpListener::from_std(self.listener)?)
    }
}

/// How a term ended.
enum End {
    /// The process is to stop.
    Stopped,
    /// The lease was lost.
    Lost,
}

/// Listens, and runs `work` whenever this console is the active one: at once if the database belongs to it alone.
///
/// # Errors
/// When the port or the database cannot be used, or `work` fails while the database is reachable.
pub async fn run<Work>(
    config: &Config,
    alone: &Alone,
    stop: CancellationToken,
    work: impl Fn(Turn) -> Work,
) -> anyhow::Result<()>
where
    Work: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let listener = bind(config.listen)?;
    alone.serves_at(config, listener.local_addr()?);
    let url = config.database_url();
    if !url.starts_with("postgres") {
        return work(Turn { listener, hold: None, opens_at: None, front: None, stop }).await;
    }
    let console = alone.console(config, listener.local_addr()?)?;
    let mut candidate = Candidate::new(&url, console.clone()).context("cannot open the database")?;
    let (mut listener, mut is_first) = (Some(listener), true);
    while let Some(port) = &listener {
        let front = Front::open(port.try_clone()?, config)?;
        let waiting = Waiting { config, console: &console, news: &front.news, is_first: &mut is_first };
        let Some(lease) = waiting.lease(&mut candidate, &stop).await? else { return Ok(()) };
        let turn = Turn {
            listener: port.try_clone()?,
            hold: Some(lease.hold()),
            opens_at: Some(lease.opens_at().into()),
            front: Some(front.left.clone()),
            stop: stop.clone(),
        };
        let mut term = pin!(term(lease, work(turn), &stop, is_first));
        let end = loop {
            tokio::select! {
                end = &mut term => break end?,
                // New connections from now on are refused, and need not wait.
                () = stop.cancelled(), if listener.is_some() => listener = None,
            }
        };
        match end {
            End::Stopped => return Ok(()),
            End::Lost => tracing::warn!("the lease was lost: this console is on standby"),
        }
        is_first = false;
    }
    Ok(())
}

fn bind(at: SocketAddr) -> anyhow::Result<Listener> {
    let listener =
        Listener::bind(at).with_context(|| format!("cannot listen on {at}: is another program using the port?"))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// A console that waits for the lease.
struct Waiting<'a> {
    config: &'a Config,
    console: &'a Console,
    news: &'a News,
    /// Whether nothing of this process has worked yet: then a problem ends it, and whoever starts it sees the reason.
    /// Afterwards a lost database is waited for.
    is_first: &'a mut bool,
}

impl Waiting<'_> {
    /// The lease; none if the process is to stop first.
    async fn lease(self, candidate: &mut Candidate, stop: &CancellationToken) -> anyhow::Result<Option<Lease>> {
        loop {
            tokio::select! {
                looked = candidate.look() => match looked {
                    Ok(Look::Taken(lease)) => return Ok(Some(self.take(*lease))),
                    Ok(Look::Standby(active)) => {
                        if let (true, Some(active)) = (*self.is_first, &active) {
                            self.check_files(&active.console)?;
                            self.check_key().await?;
                        }
                        *self.is_first = false;
                        let words = told(active.as_ref());
                        if self.news.tell(Standing::Standby(active)) {
                            tracing::info!("on standby: {words} is active on this database");
                        }
                    }
                    Err(error @ (LeaseError::Database(_) | LeaseError::Silent)) if *self.is_first => {
                        return Err(error).context("cannot open the database");
                    }
                    Err(error) => {
                        if self.news.tell(Standing::NoDatabase) {
                            tracing::error!(%error, "on standby: cannot acquire the lease");
                        }
                    }
                },
                () = stop.cancelled() => return Ok(None),
            }
            tokio::select! {
                () = sleep(LOOK) => {}
                () = stop.cancelled() => return Ok(None),
            }
        }
    }

    fn take(&self, lease: Lease) -> Lease {
        self.news.tell(Standing::Starting);
        let epoch = lease.hold().epoch();
        if let Some(before) = lease.before().filter(|before| before.console.holder != self.console.holder) {
            tracing::warn!(epoch, "taking over: {} was active before", told(Some(before)));
        }
        if lease.before().is_some_and(|before| before.console.files != self.console.files) {
            tracing::warn!(
                "files that were uploaded before are kept elsewhere, and this console does not see them: copy them, or \
                 go back to the place where they are (s3 or data_dir in the configuration)"
            );
        }
        lease
    }

    /// Two consoles must see the same files, or a takeover would lose some.
    fn check_files(&self, active: &Console) -> anyhow::Result<()> {
        if active.files != self.console.files {
            bail!(
                "{} at {} is active on this database and keeps uploaded files in another place than this console; after \
                 a takeover they would be missing. Several consoles need one place for files: give all of them the same \
                 [s3] in the configuration, or one shared folder as `objects` in their data directories",
                active.name,
                active.address
            );
        }
        Ok(())
    }

    /// A different master key would otherwise be noticed only in the takeover. Reads, and writes nothing.
    async fn check_key(&self) -> anyhow::Result<()> {
        let db = boot::connect(self.config).await?;
        let opened = vault::store::open(&db, &self.config.master_key()).await;
        db.close().await?;
        match opened {
            // The active one is creating the schema.
            Ok(_) | Err(OpenError::Store(StoreError::Db(_))) => Ok(()),
            Err(error) => Err(error).context("several consoles need the same master key: copy it from the active one"),
        }
    }
}

/// Works until the lease is lost or the process is to stop.
async fn term(
    lease: Lease,
    work: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    stop: &CancellationToken,
    is_first: bool,
) -> anyhow::Result<End> {
    let (hold, over) = (lease.hold(), CancellationToken::new());
    let keeper = tokio::spawn(keep(lease, stop.clone(), over.clone()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = at_work(runtime.spawn(work), &hold, stop, is_first).await;
    // Everything of this term ends here, whatever it waits for.
    runtime.shutdown_background();
    over.cancel();
    _ = keeper.await;
    ended
}

async fn at_work(
    work: JoinHandle<anyhow::Result<()>>,
    hold: &Hold,
    stop: &CancellationToken,
    is_first: bool,
) -> anyhow::Result<End> {
    let ended = tokio::select! {
        ended = work => ended.context("the console ended because of an internal error")?,
        () = hold.lost() => return Ok(if stop.is_cancelled() { End::Stopped } else { End::Lost }),
    };
    let Err(error) = ended else { return Ok(End::Stopped) };
    if is_first {
        return Err(error);
    }
    // If the database is lost during the start, this waits for it; any other reason ends the process. A database may
    // refuse new connections and still answer on that of the lease, so its error counts as much as the heartbeat.
    tokio::select! {
        () = sleep(PROOF + BEAT) => {}
        () = hold.lost() => {}
    }
    let is_unreachable = matches!(Trouble::in_chain(error.as_ref()), Some(Trouble::Lost | Trouble::InDoubt));
    if hold.is_proved() && !is_unreachable {
        return Err(error);
    }
    tracing::warn!(error = format!("{error:#}"), "startup was aborted");
    Ok(End::Lost)
}

/// Keeps the lease until the work is over, and releases it.
async fn keep(mut lease: Lease, stop: CancellationToken, over: CancellationToken) {
    let mut latest = None;
    loop {
        tokio::select! {
            () = over.cancelled() => break,
            () = stop.cancelled(), if latest.is_none() => {
                let patience = if lease.is_waited_for().await { HANDOVER } else { Duration::from_hours(1) };
                latest = Some(Instant::now() + patience);
            }
            () = until(latest) => {
                tracing::warn!("some work was still running when the lease was released");
                break;
            }
            () = sleep(BEAT) => if !lease.beat().await { return },
        }
    }
    lease.release().await;
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}
