//! The connection to the console: opened, kept, and reopened.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use adb::WindowSize;
use anyhow::{Context as _, bail};
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use outbound::{Net, Rule};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, http};
use tokio_util::sync::CancellationToken;
use wire::{Act, Agent as Say, Console, Farewell, MAX_BATCH, MAX_FRAME, PROTOCOL, Range, stream_frame, upgrade};

use crate::act::power::Controllers;
use crate::cards::Cards;
use crate::clean::CleanCards;
use crate::files::Files;
use crate::identity::{Identity, room_key};
use crate::journal::{Entry, Journal, Phase};
use crate::leash::Leash;
use crate::looks::{Found, Looks};
use crate::room::{Room, Turns};
use crate::shells::{Out as Printed, Shells};
use crate::stores::Stores;
use crate::sweep;
use crate::talk::{Came, Frame, SILENCE, Talk, frame, next, put, say};
use crate::tools::Tools;
use crate::work::{News, Work};

/// Timeout for TCP, TLS and the WebSocket handshake.
const CONNECT: Duration = Duration::from_secs(20);
/// Interval between keep-alives.
const PING: Duration = Duration::from_secs(15);
/// With several consoles: the connect timeout, the interval between keep-alives, and how long one may be silent before
/// the others are asked. One that hangs keeps its connections.
const CONNECT_ONE: Duration = Duration::from_secs(3);
const PING_ONE: Duration = Duration::from_secs(2);
const SILENT: Duration = Duration::from_secs(4);
/// The longest wait before another attempt.
const LONGEST: Duration = Duration::from_secs(60);
/// Reports are collected for this long.
const COLLECT: Duration = Duration::from_millis(250);
/// Results wait this long for others: one frame each would cost the console one transaction each.
const GATHER: Duration = Duration::from_millis(20);
/// Interval at which the console is told how far long attempts are.
const TELL: Duration = Duration::from_secs(2);

/// How an agent runs.
#[derive(Debug)]
pub struct Settings {
    /// Folder for key, journal and files.
    pub data_dir: PathBuf,
    /// The version reported to the console.
    pub version: &'static str,
    /// Concurrent polls of cards.
    pub looks: usize,
    /// How many times more often than the console asks for it polls cards, and sooner scans: 1, and more in tests, which
    /// wait for what is found.
    pub pace: u32,
    /// How long the console may be silent before nothing is changed on phones' cards ([`crate::leash`]).
    pub leash: Duration,
    /// Which certificates to trust.
    pub tls: ClientConfig,
    /// Where cards and BMCs may be: the console tells the agent where to connect, and is not trusted blindly.
    pub targets: Rule,
    /// Where BMCs may be at all; anywhere that `targets` permits if empty. The console's own networks of the room narrow
    /// it further, and cannot widen it.
    pub management_nets: Vec<Net>,
    /// Where storage nodes may lie, besides `stores` in `data_dir`.
    pub store_roots: Vec<PathBuf>,
}

impl Settings {
    fn paced(&self, wait: Duration) -> Duration {
        wait / self.pace.max(1)
    }
}

/// An agent that is ready to run.
#[derive(Debug)]
pub struct Agent {
    identity: Identity,
    settings: Settings,
    http: reqwest::Client,
    cards: Arc<Cards>,
    work: Work,
    stores: Arc<Stores>,
    looks: Looks,
    found: mpsc::Receiver<Found>,
    news: mpsc::UnboundedReceiver<News>,
    beat: watch::Sender<Duration>,
    ranges: watch::Sender<Vec<Range>>,
}

/// How a connection ended.
enum End {
    /// The console closed it and said why.
    Told(Farewell),
    /// The credential is not accepted.
    Refused(String),
    /// The console is on standby: another one is active.
    Standby,
    /// The console is silent, and another one, now assumed to be active, has answered.
    Moved,
}

impl Agent {
    /// Opens the journal and prepares everything.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub async fn open(identity: Identity, settings: Settings) -> anyhow::Result<Self> {
        let folder = &settings.data_dir;
        let options = adb::Options {
            key: Some(room_key(folder)?),
            key_name: format!("skyrack@room{}", identity.room),
            limits: adb::Limits::default(),
        };
        let (journal, entries) = Journal::open(&folder.join("journal.db"))?;
        // The journal has no passwords: a power task that has not started is forgotten, and the console sends it again.
        let is_lost = |entry: &Entry| matches!((&entry.task.act, &entry.phase), (Act::Power { .. }, Phase::Arrived));
        let (lost, entries): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(is_lost);
        journal.forget(lost.into_iter().map(|entry| entry.task.key).collect()).await?;
        if !entries.is_empty() {
            tracing::info!(tries = entries.len(), "the journal holds attempts from before the restart");
        }
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(settings.tls.clone())
            .connect_timeout(Duration::from_secs(10))
            // A redirect could lead to an address without TLS.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let files = Files::open(&folder.join("files"), http.clone(), identity.clone())?;
        let cards = Arc::new(Cards::new(options, settings.targets.clone()));
        let controllers = Controllers::new(settings.targets.clone(), settings.management_nets.clone());
        let leash = Leash::new(settings.leash);
        let stores = Arc::new(Stores::new(folder.join("stores"), settings.store_roots.clone()));
        let tools = Tools {
            cards: Arc::clone(&cards),
            files,
            controllers,
            leash,
            clean_cards: CleanCards::default(),
            stores: Arc::clone(&stores),
            room: Room::default(),
            packages: Turns::default(),
            called_off: parking_lot::Mutex::default(),
            progress: parking_lot::Mutex::default(),
        };
        let (say_news, news) = mpsc::unbounded_channel();
        let (say_found, found) = mpsc::channel(MAX_BATCH * 2);
        let work = Work::new(tools, journal, entries, say_news.clone());
        let looks = Looks::new(Arc::clone(&cards), settings.looks, say_found);
        let (beat, ranges) = (watch::Sender::new(Duration::from_secs(10)), watch::Sender::default());
        let first = settings.paced(sweep::FIRST);
        tokio::spawn(sweep::run(Arc::clone(&cards), looks.clone(), ranges.subscribe(), say_news, first));
        Ok(Self { identity, settings, http, cards, work, stores, looks, found, news, beat, ranges })
    }

    /// Works until `stop`, or until the credential is no longer accepted.
    ///
    /// # Errors
    /// The console refuses the agent permanently.
    pub async fn run(mut self, stop: CancellationToken) -> anyhow::Result<()> {
        tokio::spawn(self.looks.clone().run(self.beat.subscribe()));
        let work = self.work.clone();
        let ended = tokio::select! {
            ended = self.connect_again_and_again() => ended,
            () = stop.cancelled() => Ok(()),
        };
        work.close().await;
        ended
    }

    async fn connect_again_and_again(&mut self) -> anyhow::Result<()> {
        let (mut wait, mut tried) = (Duration::from_secs(1), 0);
        loop {
            let started = Instant::now();
            let console = self.identity.consoles.current().clone();
            match self.connected().await {
                Ok(End::Refused(why)) => bail!("the console refused this agent: {why}"),
                Ok(End::Told(Farewell::Revoked)) => bail!("the console has revoked this agent"),
                Ok(End::Told(Farewell::OldProtocol)) => {
                    bail!("the console uses another version of the protocol: update this agent")
                }
                Ok(End::Told(why)) => tracing::warn!(%console, ?why, "the console closed the connection"),
                Ok(End::Standby) => tracing::info!(%console, "the console is on standby"),
                Ok(End::Moved) => {
                    tracing::warn!(%console, "the console does not respond and another one is active");
                    continue;
                }
                Err(error) => tracing::warn!(%console, "cannot connect to the console: {error:#}"),
            }
            // Another one may be the active one: each is tried before waiting.
            self.identity.consoles.move_on();
            tried += 1;
            if tried < self.identity.consoles.count() {
                continue;
            }
            tried = 0;
            if started.elapsed() > LONGEST {
                wait = Duration::from_secs(1);
            }
            // Full jitter: a thousand agents that lost one console do not come back in the same moment.
            sleep(wait.mul_f64(rand::random::<f64>().max(0.05))).await;
            wait = (wait * 2).min(LONGEST);
        }
    }

    async fn connected(&mut self) -> anyhow::Result<End> {
        let console = self.identity.consoles.current();
        let mut url = console.join("/agent/v1/connect")?;
        let is_tls = url.scheme() == "https";
        let scheme = if is_tls { "wss" } else { "ws" };
        if url.set_scheme(scheme).is_err() {
            bail!("{console} is not an http or https URL");
        }
        let host = url.host_str().context("the console's address has no host")?.to_owned();
        let port = url.port_or_known_default().context("the console's address has no port")?;
        let mut request = url.as_str().into_client_request()?;
        let bearer = format!("Bearer {}", self.identity.credential);
        request.headers_mut().insert(http::header::AUTHORIZATION, bearer.parse()?);
        let connect = if self.identity.consoles.count() > 1 { CONNECT_ONE } else { CONNECT };
        let tcp = timeout(connect, TcpStream::connect((host.as_str(), port))).await.context("no answer")??;
        tcp.set_nodelay(true)?;
        if is_tls {
            let connector = tokio_rustls::TlsConnector::from(Arc::new(self.settings.tls.clone()));
            let name = ServerName::try_from(host).context("the console's name")?;
            let stream = timeout(connect, connector.connect(name, tcp)).await.context("TLS: no answer")??;
            self.greeted(request, stream, connect).await
        } else {
            self.greeted(request, tcp, connect).await
        }
    }

    async fn greeted<S: AsyncRead + AsyncWrite + Unpin + Send>(
        &mut self,
        request: http::Request<()>,
        stream: S,
        connect: Duration,
    ) -> anyhow::Result<End> {
        use tokio_tungstenite::tungstenite::Error;
        let config = WebSocketConfig::default().max_message_size(Some(MAX_FRAME)).max_frame_size(Some(MAX_FRAME));
        let opening = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
        let socket = match timeout(connect, opening).await.context("no answer")? {
            Ok((socket, _)) => socket,
            Err(Error::Http(answer)) if matches!(answer.status().as_u16(), 401 | 403) => {
                return Ok(End::Refused("the credential is unknown or revoked".to_owned()));
            }
            Err(Error::Http(answer)) if answer.status().as_u16() == 503 => return Ok(End::Standby),
            Err(error) => return Err(error.into()),
        };
        let (mut out, mut input) = socket.split();
        let hello = Say::Hello {
            protocol: PROTOCOL,
            version: self.settings.version.to_owned(),
            platform: upgrade::platform(),
            stay: self.work.highest_stay(),
            places: Some(self.work.places()),
            held: self.work.held(),
        };
        say(&mut out, &hello).await?;
        let mut talk = Talk::new();
        let (mut shells, mut from_shells) = Shells::new(Arc::clone(&self.cards));
        // What was found and done while disconnected is outdated, or is sent again below.
        while self.found.try_recv().is_ok() {}
        while self.news.try_recv().is_ok() {}
        let mut pings = tokio::time::interval(if self.identity.consoles.count() > 1 { PING_ONE } else { PING });
        let mut collect = tokio::time::interval(COLLECT);
        collect.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut gather = tokio::time::interval(GATHER);
        gather.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut tell = tokio::time::interval(TELL);
        tell.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut heard, mut is_welcome) = (Instant::now(), false);
        loop {
            tokio::select! {
                message = next(&mut input) => {
                    // What was sent before this process stood still is no word of now.
                    if heard.elapsed() > SILENCE {
                        bail!("nothing was heard for {} s", SILENCE.as_secs());
                    }
                    heard = Instant::now();
                    let message = message?;
                    // Before that it has not said which of the attempts here it still wants.
                    is_welcome |= matches!(message, Came::Said(Console::Welcome { .. }));
                    if is_welcome {
                        self.work.heard();
                    }
                    match message {
                        Came::Said(Console::Farewell { reason }) => return Ok(End::Told(reason)),
                        Came::Outdated(told) => return self.outdated(&mut out, &mut input, told).await,
                        Came::Said(message) => self.hear(&mut out, &mut talk, &mut shells, message).await?,
                        Came::Typed(stream, bytes) => shells.typed(stream, bytes),
                        Came::SignOfLife => {}
                    }
                }
                Some(printed) = from_shells.recv() => match printed {
                    Printed::Say(message) => say(&mut out, &message).await?,
                    Printed::Bytes(stream, bytes) => put(&mut out, Message::binary(stream_frame(stream, &bytes))).await?,
                },
                Some(found) = self.found.recv(), if talk.reports.len() < MAX_BATCH => talk.note(found),
                Some(news) = self.news.recv() => talk.tell(news),
                _ = gather.tick(), if !talk.results.is_empty() => talk.flush_results(&mut out).await?,
                _ = collect.tick() => talk.flush(&mut out, &self.looks).await?,
                _ = tell.tick(), if is_welcome => {
                    let mut tries = self.work.progress();
                    tries.truncate(MAX_BATCH);
                    if !tries.is_empty() {
                        say(&mut out, &Say::Progress { tries }).await?;
                    }
                }
                _ = pings.tick() => {
                    if heard.elapsed() > SILENCE {
                        bail!("nothing was heard for {} s", SILENCE.as_secs());
                    }
                    if heard.elapsed() > SILENT && self.identity.consoles.move_to_active(&self.http).await {
                        return Ok(End::Moved);
                    }
                    out.send(Message::Ping(Default::default())).await?;
                }
            }
        }
    }

    /// Stays connected to a console that speaks another protocol, and does nothing: whichever of the two is upgraded, the
    /// connection ends with it, and the next one may be understood.
    async fn outdated<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        out: &mut SplitSink<WebSocketStream<S>, Message>,
        input: &mut SplitStream<WebSocketStream<S>>,
        told: upgrade::Console,
    ) -> anyhow::Result<End> {
        let upgrade::Console::Upgrade { speaks, version: console } = told;
        let version = self.settings.version;
        if speaks.iter().all(|spoken| *spoken > PROTOCOL) {
            tracing::error!(version, console, "the console no longer speaks this agent's protocol: upgrade this agent");
        } else {
            tracing::error!(
                version,
                console,
                "the console does not speak this agent's protocol yet: upgrade the console"
            );
        }
        let mut pings = tokio::time::interval(PING);
        loop {
            tokio::select! {
                frame = frame(input) => match frame? {
                    Frame::Text(text) => {
                        if let Ok(Console::Farewell { reason }) = serde_json::from_str(&text) {
                            return Ok(End::Told(reason));
                        }
                    }
                    Frame::Bytes(_) | Frame::SignOfLife => {}
                },
                _ = pings.tick() => out.send(Message::Ping(Default::default())).await?,
            }
        }
    }

    async fn hear<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        out: &mut SplitSink<WebSocketStream<S>, Message>,
        talk: &mut Talk,
        shells: &mut Shells,
        message: Console,
    ) -> anyhow::Result<()> {
        match message {
            Console::Welcome { heartbeat_seconds, limits } => {
                self.beat.send_replace(self.settings.paced(Duration::from_secs(u64::from(heartbeat_seconds.max(1)))));
                self.work.set_limits(limits);
                self.looks.introduce_again();
                for result in self.work.unconfirmed() {
                    talk.results.push(result);
                }
                self.work.resume();
                tracing::info!("connected to the console");
            }
            Console::Settings { heartbeat_seconds, limits } => {
                self.beat.send_replace(self.settings.paced(Duration::from_secs(u64::from(heartbeat_seconds.max(1)))));
                self.work.set_limits(limits);
            }
            Console::Roster { revision, cards, is_last } => {
                if talk.revision != revision {
                    talk.roster.clear();
                    talk.revision = revision;
                }
                talk.roster.extend(cards);
                if is_last {
                    self.looks.watch(&talk.roster);
                    talk.roster = Vec::new();
                }
            }
            Console::Ranges { ranges, management_nets } => {
                self.work.confine_bmcs(&management_nets);
                self.ranges.send_if_modified(|known| {
                    let is_new = *known != ranges;
                    *known = ranges;
                    is_new
                });
            }
            Console::Taken { seq } => {
                if talk.waits_for == Some(seq) {
                    talk.waits_for = None;
                }
                talk.flush(out, &self.looks).await?;
            }
            Console::Tasks { tasks } => self.work.take(tasks).await?,
            Console::Cancel { keys } => self.work.cancel(keys),
            Console::Kept { keys } => self.work.forget(keys).await?,
            Console::ShellOpen { stream, address, serial, rows, columns } => {
                shells.open(stream, &address, serial, WindowSize { rows, columns });
            }
            Console::ShellResize { stream, rows, columns } => shells.resize(stream, WindowSize { rows, columns }),
            Console::ShellClose { stream } => shells.close(stream),
            Console::BmcLook { stream, access } => {
                let look = self.work.look_at_bmc(access);
                shells.answer(async move { Say::BmcSeen { stream, look: look.await } });
            }
            Console::FolderLook { stream, address, serial, path } => {
                let look = self.work.look_into(address, serial, path);
                shells.answer(async move { Say::FolderSeen { stream, look: look.await } });
            }
            Console::CopyLook { stream, address, serial, mark, leave_out } => {
                let look = self.work.look_at_copy(address, serial, mark, leave_out);
                shells.answer(async move { Say::CopySeen { stream, look: look.await } });
            }
            Console::StoreLook { stream, node, aim, seal } => {
                let look = Arc::clone(&self.stores).look_and_seal(node, aim, seal);
                shells.answer(async move { Say::StoreSeen { stream, seen: look.await } });
            }
            Console::Share { room, nodes } => self.stores.limits.set(room, nodes),
            // The caller ends the connection, and says what is not known.
            Console::Farewell { .. } | Console::Unknown => {}
        }
        Ok(())
    }
}
