//! Tasks at simulated cards, sent by a console that is a test: what is done, what is refused, and that nothing is done
//! twice when the agent dies in the middle.
#![expect(clippy::unwrap_used, reason = "a test that can not go on should panic")]

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use agent::{Agent, Identity, Settings};
use futures::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};
use tokio_util::sync::CancellationToken;
use wire::{Act, Agent as Said, BmcAccess, Console, Held, Key, Limits, Outcome, PowerOrder, Task, TaskResult};

const LIMITS: Limits = Limits { per_host: 64, per_bmc: 1, per_room: 500 };

struct Desk {
    listener: TcpListener,
    url: url::Url,
}

/// A connection of the agent, seen from the console.
struct Line {
    socket: WebSocketStream<TcpStream>,
    /// What the agent said that it holds.
    held: Vec<Held>,
}

/// An agent on a runtime of its own: when it is dropped everything that it does stops where it stands.
struct Life(Option<tokio::runtime::Runtime>);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.take().unwrap().shutdown_background();
    }
}

impl Desk {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = url::Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        Self { listener, url }
    }

    fn identity(&self) -> Identity {
        Identity { console: self.url.clone(), agent: 1, room: 1, credential: "x".into() }
    }

    /// Starts an agent in `folder` and answers its greeting.
    async fn agent(&self, folder: &Path) -> (Life, Line) {
        let tls = agent::trust(None).unwrap();
        let settings = Settings { data_dir: folder.to_path_buf(), version: "test", looks: 8, tls };
        let identity = self.identity();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime
            .spawn(async move { Agent::open(identity, settings).await.unwrap().run(CancellationToken::new()).await });
        (Life(Some(runtime)), self.pick_up().await)
    }

    async fn pick_up(&self) -> Line {
        let (stream, _) = self.listener.accept().await.unwrap();
        let socket = accept_async(stream).await.unwrap();
        let mut line = Line { socket, held: Vec::new() };
        let Said::Hello { protocol, held, .. } = line.hear().await else { panic!("no greeting") };
        assert_eq!(protocol, wire::PROTOCOL);
        line.held = held;
        line
    }
}

impl Line {
    async fn say(&mut self, message: &Console) {
        self.socket.send(Message::text(serde_json::to_string(message).unwrap())).await.unwrap();
    }

    async fn hear(&mut self) -> Said {
        loop {
            let message = timeout(Duration::from_secs(60), self.socket.next()).await.unwrap().unwrap().unwrap();
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    async fn welcome(&mut self) {
        self.say(&Console::Welcome { heartbeat_seconds: 300, limits: LIMITS }).await;
    }

    /// The results of so many tries, by task.
    async fn results(&mut self, count: usize) -> HashMap<i64, TaskResult> {
        let mut all = HashMap::new();
        while all.len() < count {
            if let Said::Results { results } = self.hear().await {
                all.extend(results.into_iter().map(|result| (result.key.task, result)));
            }
        }
        all
    }

    async fn begun(&mut self) -> Vec<Key> {
        loop {
            if let Said::Begun { keys } = self.hear().await {
                return keys;
            }
        }
    }
}

async fn room(cards: usize) -> sim::Room {
    let settings = sim::Settings {
        cards,
        boot: Duration::from_millis(200),
        bmcs: Some(sim::Layout::Ports(([127, 0, 0, 1], 0).into())),
        power_delay: Duration::from_millis(20),
        ..sim::Settings::default()
    };
    let room = sim::Room::start(settings).await.unwrap();
    for card in room.cards.iter() {
        while card.phase().0 != sim::Phase::Booted {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    room
}

fn task(room: &sim::Room, id: i64, card: usize, act: Act) -> Task {
    let place = &room.cards[card];
    Task {
        key: Key { task: id, attempt: 1 },
        card: card as i64,
        address: place.address.to_string(),
        serial: Some(place.serial()),
        host: Some(1),
        seconds: 30,
        act,
    }
}

fn shell(script: &str) -> Act {
    Act::Shell { script: script.to_owned() }
}

fn effects(room: &sim::Room, card: usize, what: &str) -> u64 {
    room.cards[card].state().effects.get(what).copied().unwrap_or(0)
}

fn failed(result: &TaskResult) -> &str {
    match &result.outcome {
        Outcome::Failed { code, .. } => code,
        Outcome::Succeeded => "succeeded",
        Outcome::Cancelled => "cancelled",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_is_done_and_what_fails_says_why() {
    let (room, desk, folder) = (room(8).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    let bmc = |slot| BmcAccess {
        url: format!("https://{}", room.bmcs[0].address),
        username: "admin".into(),
        password: "simulated".into(),
        certificate: String::new(),
        slot,
    };
    room.set_fault(5, "hangs".parse().unwrap(), true);
    let mut wrong = task(&room, 6, 4, shell("effect wrong"));
    wrong.serial = Some("ANOTHER".into());
    let mut hung = task(&room, 7, 5, shell("effect hung"));
    hung.seconds = 2;
    let (name, value) = ("persist.sys.skyrack".to_owned(), "a 'b'; reboot".to_owned());
    let tasks = vec![
        task(&room, 1, 0, shell("echo one; effect one")),
        task(&room, 2, 1, shell("echo no; false")),
        task(&room, 3, 2, Act::Reboot),
        task(&room, 4, 3, Act::SetProperty { name: name.clone(), value: value.clone() }),
        task(&room, 5, 3, Act::SpeedLimit { kbit: Some(512) }),
        wrong,
        hung,
        task(&room, 8, 6, Act::Power { order: PowerOrder::Cycle, bmc: bmc(7) }),
        task(&room, 9, 7, Act::Power { order: PowerOrder::Off, bmc: bmc(99) }),
    ];
    line.say(&Console::Tasks { tasks }).await;
    let all = line.results(9).await;
    assert_eq!((all[&1].outcome.clone(), all[&1].output.as_str()), (Outcome::Succeeded, "one\none"));
    assert_eq!((failed(&all[&2]), all[&2].exit, all[&2].output.as_str()), ("exit_code", Some(1), "no"));
    assert_eq!((failed(&all[&3]), room.cards[2].boots()), ("succeeded", 2));
    assert_eq!(failed(&all[&4]), "succeeded");
    assert_eq!(room.cards[3].state().props.get(name.as_str()).map(ToString::to_string), Some(value));
    assert_eq!((failed(&all[&5]), effects(&room, 3, "speed_limit")), ("succeeded", 1));
    assert_eq!((failed(&all[&6]), effects(&room, 4, "effect:wrong")), ("wrong_card", 0));
    assert_eq!((failed(&all[&7]), effects(&room, 5, "effect:hung")), ("adb_timeout", 0));
    assert_eq!(failed(&all[&8]), "succeeded");
    let certificates: Vec<usize> =
        [8, 9].iter().filter_map(|id| all[id].certificate.as_ref().map(String::len)).collect();
    assert_eq!(certificates, [64], "a certificate that is seen for the first time is told");
    assert_eq!((failed(&all[&9]), room.cards[7].is_on()), ("bmc_unsupported", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_stays_until_it_is_kept_and_what_came_twice_is_done_once() {
    let (room, desk, folder) = (room(1).await, Desk::open().await, tempfile::tempdir().unwrap());
    let one = task(&room, 1, 0, shell("effect once"));
    {
        let (_agent, mut line) = desk.agent(folder.path()).await;
        line.welcome().await;
        line.say(&Console::Tasks { tasks: vec![one.clone()] }).await;
        line.say(&Console::Tasks { tasks: vec![one.clone()] }).await;
        assert_eq!(failed(&line.results(1).await[&1]), "succeeded");
        // The console dies before it has kept the result.
    }
    let (_agent, mut line) = desk.agent(folder.path()).await;
    assert_eq!(line.held, [Held { key: one.key, has_ended: true }]);
    line.welcome().await;
    line.say(&Console::Tasks { tasks: vec![one.clone()] }).await;
    assert_eq!(failed(&line.results(1).await[&1]), "succeeded");
    line.say(&Console::Kept { keys: vec![one.key] }).await;
    assert_eq!(effects(&room, 0, "effect:once"), 1);
    // The next task of the card shows that what was said before has been heard.
    line.say(&Console::Tasks { tasks: vec![task(&room, 2, 0, shell("true"))] }).await;
    line.results(1).await;
    drop(line);
    let line = desk.pick_up().await;
    assert_eq!(line.held.iter().map(|held| held.key.task).collect::<Vec<_>>(), [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_dies_in_the_middle_does_nothing_twice() {
    const CARDS: usize = 60;
    let (room, desk, folder) = (room(CARDS).await, Desk::open().await, tempfile::tempdir().unwrap());
    let ids = 0..CARDS;
    let act = |card: usize| match card % 3 {
        0 => shell("effect once; sleep 0.3"),
        1 => Act::Reboot,
        _ => shell("sleep 0.1; effect once"),
    };
    let tasks: Vec<Task> = ids.clone().map(|card| task(&room, card as i64 + 1, card, act(card))).collect();
    let mut kept: HashMap<i64, TaskResult> = HashMap::new();
    let mut sent = false;
    // It lives a little longer each time, and dies without a word.
    for life in 0..8 {
        let (agent, mut line) = desk.agent(folder.path()).await;
        line.welcome().await;
        if !sent {
            line.say(&Console::Tasks { tasks: tasks.clone() }).await;
            line.begun().await;
            sent = true;
        }
        let until = tokio::time::Instant::now() + Duration::from_millis(40 + 60 * life);
        while let Ok(Some(Ok(message))) = tokio::time::timeout_at(until, line.socket.next()).await {
            let Message::Text(text) = message else { continue };
            if let Said::Results { results } = serde_json::from_str(&text).unwrap() {
                let keys = results.iter().map(|result| result.key).collect();
                kept.extend(results.into_iter().map(|result| (result.key.task, result)));
                line.say(&Console::Kept { keys }).await;
            }
        }
        drop(agent);
    }
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    while kept.len() < CARDS {
        if let Said::Results { results } = line.hear().await {
            kept.extend(results.into_iter().map(|result| (result.key.task, result)));
        }
    }
    for card in ids {
        let result = &kept[&(card as i64 + 1)];
        if card % 3 == 1 {
            assert_eq!((failed(result), room.cards[card].boots()), ("succeeded", 2), "card {card}");
        } else {
            let times = effects(&room, card, "effect:once");
            assert!(times <= 1, "card {card} had {times} effects");
            // What succeeded was done; what was interrupted says so.
            assert!(
                (failed(result) == "succeeded" && times == 1) || failed(result) == "interrupted",
                "card {card}: {result:?}, {times} effects"
            );
        }
    }
}
