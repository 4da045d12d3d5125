//! Tasks on simulated cards, sent by a test that acts as the console: what is done, what is refused, and that nothing
//! is done twice when the agent dies in the middle.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod called_off;
mod cleared;
mod consoles;
mod covered;
mod owned;
mod powered;
mod strangers;
mod stray;
mod targets;
mod upgrade;

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use agent::{Agent, Identity, Settings};
use futures::{SinkExt as _, StreamExt as _};
use outbound::{Net, Rule};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};
use tokio_util::sync::CancellationToken;
use wire::{
    Act, Agent as Said, BmcAccess, Console, Effect, FileRef, Held, Key, Limits, Outcome, PowerOrder, Task, TaskResult,
};

const LIMITS: Limits = Limits { per_host: 64, per_bmc: 1, per_room: 500 };

struct Desk {
    listener: TcpListener,
    url: url::Url,
}

/// A connection of the agent, seen from the console.
struct Line {
    socket: WebSocketStream<TcpStream>,
    /// The attempts that the agent holds.
    held: Vec<Held>,
}

/// An agent on a runtime of its own: when it is dropped everything stops immediately.
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
        Identity { consoles: self.url.clone().into(), agent: 1, room: 1, credential: "x".into() }
    }

    /// Starts an agent in `folder` and answers its greeting.
    async fn agent(&self, folder: &Path) -> (Life, Line) {
        self.agent_under(agent::simulated_room(), folder).await
    }

    /// The same under another rule for addresses.
    async fn agent_under(&self, targets: Rule, folder: &Path) -> (Life, Line) {
        self.agent_within(targets, Vec::new(), folder).await
    }

    /// The same with networks of its own for BMCs.
    async fn agent_within(&self, targets: Rule, nets: Vec<Net>, folder: &Path) -> (Life, Line) {
        (live_under(targets, nets, agent::LEASH, self.identity(), folder), self.pick_up().await)
    }

    /// The same, and without a word of the console it changes nothing for phones after this time.
    async fn agent_on(&self, leash: Duration, folder: &Path) -> (Life, Line) {
        (live_under(agent::simulated_room(), Vec::new(), leash, self.identity(), folder), self.pick_up().await)
    }

    /// Accepts one request, which must start like this, and sends this answer.
    async fn answer(&self, request: &str, answer: &str) {
        let (mut stream, _) = self.listener.accept().await.unwrap();
        let mut heard = Vec::new();
        while !heard.ends_with(b"\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut heard).await.unwrap(), 0, "an incomplete request");
        }
        assert!(heard.starts_with(request.as_bytes()), "{}", String::from_utf8_lossy(&heard));
        let whole = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(whole.as_bytes()).await.unwrap();
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

fn live(identity: Identity, folder: &Path) -> Life {
    live_under(agent::simulated_room(), Vec::new(), agent::LEASH, identity, folder)
}

fn live_under(targets: Rule, management_nets: Vec<Net>, leash: Duration, identity: Identity, folder: &Path) -> Life {
    let (tls, data_dir) = (agent::trust(None).unwrap(), folder.to_path_buf());
    let settings = Settings {
        data_dir,
        version: "test",
        looks: 8,
        pace: 1,
        leash,
        tls,
        targets,
        management_nets,
        store_roots: vec![],
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.spawn(async move { Agent::open(identity, settings).await.unwrap().run(CancellationToken::new()).await });
    Life(Some(runtime))
}

impl Line {
    async fn say(&mut self, message: &Console) {
        self.say_text(&serde_json::to_string(message).unwrap()).await;
    }

    async fn say_text(&mut self, message: &str) {
        self.socket.send(Message::text(message)).await.unwrap();
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

    /// The results of this many attempts, by task.
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
        address: place.address.to_string(),
        serial: Some(place.serial()),
        host: Some(1),
        seconds: 30,
        ..Task::new(Key::operation(id, 1), card as i64, act)
    }
}

fn shell(script: &str) -> Act {
    Act::Shell { script: script.to_owned() }
}

fn effects(room: &sim::Room, card: usize, what: &str) -> u64 {
    room.cards[card].state().effects.get(what).copied().unwrap_or(0)
}

fn effect(result: &TaskResult) -> Option<Effect> {
    match &result.outcome {
        Outcome::Failed { effect, .. } => Some(*effect),
        Outcome::Succeeded | Outcome::Cancelled => None,
    }
}

/// A card's answer to a command.
async fn ask(room: &sim::Room, card: usize, line: &str) -> String {
    use adb::Device as _;
    let there = adb::Card::connect(room.cards[card].address, &adb::Options::default()).await.unwrap();
    let output = there.run(&adb::Command::script(line), Duration::from_secs(10)).await.unwrap();
    output.text().trim().to_owned()
}

/// Writes an attempt into an agent's journal that started before a restart, on a card that received it.
async fn interrupted(
    journal: &rusqlite::Connection,
    room: &sim::Room,
    card: usize,
    task: &Task,
    package: Option<&str>,
) {
    let mark = format!("{}.{}", task.key.task, task.key.attempt);
    let boot_id =
        ask(room, card, &format!("setprop debug.skyrack.task {mark}; cat /proc/sys/kernel/random/boot_id")).await;
    let begun = serde_json::json!({ "boot_id": boot_id, "package": package }).to_string();
    let what = serde_json::to_string(task).unwrap();
    journal
        .execute(
            "INSERT INTO try (task, attempt, what, begun) VALUES (?1, ?2, ?3, ?4)",
            rusqlite::params![task.key.task, task.key.attempt, what, begun],
        )
        .unwrap();
}

fn failed(result: &TaskResult) -> &str {
    match &result.outcome {
        Outcome::Failed { code, .. } => code.code(),
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
    room.set_fault(2, "sudden".parse().unwrap(), true);
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
        // The console dies before it has confirmed the result.
    }
    let (_agent, mut line) = desk.agent(folder.path()).await;
    assert_eq!(line.held, [Held { key: one.key, has_ended: true }]);
    line.welcome().await;
    line.say(&Console::Tasks { tasks: vec![one.clone()] }).await;
    assert_eq!(failed(&line.results(1).await[&1]), "succeeded");
    line.say(&Console::Kept { keys: vec![one.key] }).await;
    assert_eq!(effects(&room, 0, "effect:once"), 1);
    // The next task of the card shows that the earlier messages have been processed.
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
    // It lives a little longer each time, and is killed.
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

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_says_whether_the_card_was_touched() {
    let (room, desk, folder) = (room(8).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    // It accepts connections and never answers.
    let dead = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let bmc = BmcAccess {
        url: format!("https://{}", dead.local_addr().unwrap()),
        username: "admin".into(),
        password: "simulated".into(),
        certificate: String::new(),
        slot: 1,
    };
    room.set_fault(2, "refuses".parse().unwrap(), true);
    // Its listener closes a moment later; until then a connection is taken and closed again.
    while tokio::net::TcpStream::connect(room.cards[2].address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut wrong = task(&room, 2, 1, shell("effect wrong"));
    wrong.serial = Some("ANOTHER".into());
    let mut tasks = vec![
        task(&room, 1, 0, shell("effect once; exit 1")),
        wrong,
        task(&room, 3, 2, shell("effect refused")),
        task(&room, 4, 3, Act::Pull { path: "/sdcard/none".into() }),
    ];
    for card in 4..8 {
        let act = Act::Power { order: PowerOrder::Off, bmc: bmc.clone() };
        let mut power = task(&room, card + 1, usize::try_from(card).unwrap(), act);
        // A BMC is given up for its own reason, long before its task would run out of time.
        power.seconds = 30;
        tasks.push(power);
    }
    line.say(&Console::Tasks { tasks }).await;
    let all = line.results(8).await;
    let said = |id: i64| (failed(&all[&id]), effect(&all[&id]).unwrap());
    assert_eq!(said(1), ("exit_code", Effect::Proved));
    assert_eq!((all[&1].exit, all[&1].output.as_str()), (Some(1), "once"));
    assert_eq!(said(2), ("wrong_card", Effect::NeverBegan));
    assert_eq!(said(3), ("adb_refused", Effect::NeverBegan));
    assert_eq!(said(4), ("no_such_file", Effect::NeverBegan));
    for id in 5..=8 {
        let (code, effect) = said(id);
        assert!(code.starts_with("bmc_") && effect == Effect::NeverBegan, "{:?}", all[&id]);
    }
    assert_eq!(ask(&room, 0, "cat /data/local/tmp/.skyrack/1.1").await, "once\n\n1", "what the script left behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_interrupted_try_has_done_is_read_at_its_card() {
    let (room, desk, folder) = (room(6).await, Desk::open().await, tempfile::tempdir().unwrap());
    {
        // The journal exists once an agent has run.
        let _first = desk.agent(folder.path()).await;
    }
    let file = FileRef { id: "1".into(), name: "a.apk".into(), size: 1, sha256: "0".repeat(64) };
    let install = |package: &str| Act::Install { file: file.clone(), package: Some(package.into()) };
    let tasks = [
        task(&room, 1, 0, shell("effect once")),
        task(&room, 2, 1, shell("effect once")),
        task(&room, 3, 2, shell("effect once")),
        task(&room, 4, 3, install("com.example.absent")),
        task(&room, 5, 4, install("com.example.there")),
        task(&room, 6, 5, Act::Uninstall { package: "com.example.absent".into() }),
    ];
    {
        let journal = rusqlite::Connection::open(folder.path().join("journal.db")).unwrap();
        let before = [None, None, None, Some(""), Some(""), Some("package:/data/app/com.example.absent/base.apk")];
        for (card, (task, package)) in tasks.iter().zip(before).enumerate() {
            interrupted(&journal, &room, card, task, package).await;
        }
    }
    let apk = "SIMULATED-APK\ncom.example.there\n1\na\n\n21";
    ask(&room, 4, &format!("echo '{apk}' >/data/local/tmp/a.apk; pm install /data/local/tmp/a.apk")).await;
    for (card, name, code) in [(0, "1.1", 0), (1, "2.1", 7)] {
        let kept = format!("mkdir -p /data/local/tmp/.skyrack; echo 'said\n\n{code}' >/data/local/tmp/.skyrack/{name}");
        ask(&room, card, &kept).await;
    }
    let (_agent, mut line) = desk.agent(folder.path()).await;
    assert_eq!(line.held.len(), 6);
    line.welcome().await;
    let all = line.results(6).await;
    assert_eq!((failed(&all[&1]), all[&1].output.as_str(), all[&1].exit), ("succeeded", "said", Some(0)));
    assert_eq!((failed(&all[&2]), effect(&all[&2]), all[&2].exit), ("exit_code", Some(Effect::Proved), Some(7)));
    assert_eq!((failed(&all[&3]), effect(&all[&3])), ("interrupted", Some(Effect::Unknown)));
    assert_eq!((failed(&all[&4]), effect(&all[&4])), ("not_installed", Some(Effect::Proved)));
    assert_eq!(failed(&all[&5]), "succeeded", "it was not there, and now it is");
    assert_eq!(failed(&all[&6]), "succeeded", "it was there, and now it is not");
    for card in 0..3 {
        assert_eq!(effects(&room, card, "effect:once"), 0, "nothing is done again");
    }
}
