//! Messages of both sides.

use serde::{Deserialize, Serialize};

use crate::bmc::BmcLook;
use crate::copy::{CopyLook, Progress};
use crate::folder::FolderLook;
use crate::mark::Mark;
use crate::store::{NodeRates, Rates, SealedKey, StoreAim, StoreNode, StoreSeen};
use crate::task::{BmcAccess, Key, Task, TaskResult};

/// A message from an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Agent {
    /// The first message.
    Hello {
        /// [`crate::PROTOCOL`].
        protocol: u32,
        /// The version of the program.
        version: String,
        /// What it was built for ([`crate::upgrade::platform`]).
        #[serde(default)]
        platform: String,
        /// The highest number of a phone's stay on a card that it was ever told: a console that has not come so far yet
        /// has lost some of what it knew.
        #[serde(default)]
        stay: i64,
        /// How many copies and restores it has places for at once; none of an older agent, which does not say.
        #[serde(default)]
        places: Option<u32>,
        /// Every attempt in the journal: running ones, and results that the console has not confirmed. Whatever the
        /// console believes to be with this agent and is not listed here never arrived, and is sent again.
        held: Vec<Held>,
    },
    /// What the polls of cards found.
    Reports {
        /// Incremented; the console answers [`Console::Taken`] with it. The agent sends the next batch after that.
        seq: u64,
        /// At most [`crate::MAX_BATCH`].
        reports: Vec<Report>,
    },
    /// Cards that answer in the room's ranges and are not on the roster, or differ from it.
    Sightings {
        /// At most [`crate::MAX_BATCH`].
        cards: Vec<Sighting>,
    },
    /// Everything that answers in the room, piece by piece: an expected card that is not among it is missing.
    Sweep {
        /// At most [`crate::MAX_BATCH`].
        cards: Vec<Sighting>,
        /// This is the last piece.
        is_last: bool,
    },
    /// Attempts that have started.
    Begun {
        /// Which.
        keys: Vec<Key>,
    },
    /// A shell has started.
    ShellOpened {
        /// Which.
        stream: u64,
    },
    /// A shell ended, or never started.
    ShellEnded {
        /// Which.
        stream: u64,
        /// Its exit code, if there is one.
        exit: Option<u8>,
        /// Why it ended, for people; empty after an exit.
        reason: String,
    },
    /// The state of a BMC that the console asked about.
    BmcSeen {
        /// The number of the request.
        stream: u64,
        /// The result.
        look: BmcLook,
    },
    /// The content of a folder that the console asked about.
    FolderSeen {
        /// The number of the request.
        stream: u64,
        /// The result.
        look: FolderLook,
    },
    /// What was found at a storage node that the console asked about.
    StoreSeen {
        /// The number of the request.
        stream: u64,
        /// The result.
        seen: StoreSeen,
    },
    /// What a copy of a phone would hold.
    CopySeen {
        /// The number of the request.
        stream: u64,
        /// The result.
        look: CopyLook,
    },
    /// How far attempts are that take long. Since protocol 4.
    Progress {
        /// At most [`crate::MAX_BATCH`].
        tries: Vec<Progress>,
    },
    /// Attempts that have ended. They stay in the journal until [`Console::Kept`] names them.
    Results {
        /// At most [`crate::MAX_BATCH`], and no more than fit into a frame.
        results: Vec<TaskResult>,
    },
}

/// A message from the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Console {
    /// The answer to [`Agent::Hello`].
    Welcome {
        /// Seconds between two polls of a card.
        heartbeat_seconds: u32,
        /// Limits of concurrency.
        limits: Limits,
    },
    /// New settings.
    Settings {
        /// Seconds between two polls of a card.
        heartbeat_seconds: u32,
        /// Limits of concurrency.
        limits: Limits,
    },
    /// The room's cards, in pieces. The roster of a later revision replaces the current one when its last piece has
    /// arrived.
    Roster {
        /// Incremented.
        revision: u64,
        /// A piece.
        cards: Vec<RosterCard>,
        /// This is the last piece.
        is_last: bool,
    },
    /// Where else cards may be: the room's address plans. The agent scans them from time to time. Sent after the roster,
    /// and when the management networks change.
    Ranges {
        /// Not overlapping.
        ranges: Vec<Range>,
        /// The networks in which the room's BMCs are: the agent connects to none elsewhere. Empty from a console of an
        /// older version.
        #[serde(default)]
        management_nets: Vec<String>,
    },
    /// A batch of reports was accepted.
    Taken {
        /// Its number.
        seq: u64,
    },
    /// Tasks to execute.
    Tasks {
        /// At most [`crate::MAX_BATCH`].
        tasks: Vec<Task>,
    },
    /// Tasks not to start any more. Running ones continue, and report their result.
    Cancel {
        /// Which.
        keys: Vec<Key>,
    },
    /// Results that are on the console's disk: the agent may forget them.
    Kept {
        /// Which.
        keys: Vec<Key>,
    },
    /// Opens a shell on a card.
    ShellOpen {
        /// The stream that carries it: its bytes go both ways in binary frames ([`crate::stream_frame`]).
        stream: u64,
        /// The card's address.
        address: String,
        /// The serial that must be there; none if none is recorded.
        serial: Option<String>,
        /// Rows of the terminal.
        rows: u16,
        /// Columns of the terminal.
        columns: u16,
    },
    /// The terminal was resized.
    ShellResize {
        /// Of which shell.
        stream: u64,
        /// Rows of the terminal.
        rows: u16,
        /// Columns of the terminal.
        columns: u16,
    },
    /// The shell was closed by the console.
    ShellClose {
        /// Which.
        stream: u64,
    },
    /// Asks for the state of a BMC.
    BmcLook {
        /// The number of the request, repeated in the answer.
        stream: u64,
        /// How to reach it; the slot does not matter.
        access: BmcAccess,
    },
    /// Asks for the content of a folder of a card.
    FolderLook {
        /// The number of the request, repeated in the answer.
        stream: u64,
        /// The card's address.
        address: String,
        /// The serial that must be there; none if none is recorded.
        serial: Option<String>,
        /// The folder, absolute.
        path: String,
    },
    /// Asks for a look at a storage node. Since protocol 3.
    StoreLook {
        /// The number of the request, repeated in the answer.
        stream: u64,
        /// Which, and how to reach it.
        node: StoreNode,
        /// What to do there.
        aim: StoreAim,
        /// What is to take the place of such files that lie there; an agent that does not know of it leaves them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seal: Vec<SealedKey>,
    },
    /// Asks what a copy of the phone on a card would hold. Since protocol 3.
    CopyLook {
        /// The number of the request, repeated in the answer.
        stream: u64,
        /// The card's address.
        address: String,
        /// The serial that must be there; none if none is recorded.
        serial: Option<String>,
        /// What the card has to be marked with.
        mark: Mark,
        /// As [`Task::leave_out`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        leave_out: Vec<String>,
    },
    /// How fast the agent may read from and write to storage nodes: its share of the limits. It counts for what runs, too,
    /// until the next one, also while the console is away. An agent that does not know it passes it over (since protocol 3).
    Share {
        /// All of it together: of the limit of the room.
        room: Rates,
        /// At single nodes besides; there is no limit at those that are not named.
        nodes: Vec<NodeRates>,
    },
    /// The last message.
    Farewell {
        /// Why.
        reason: Farewell,
    },
    /// A message that this agent does not know: it is passed over. Before protocol 3 it ended the connection.
    #[serde(other)]
    Unknown,
}

/// Why the console closes the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Farewell {
    /// The agent uses another version of the protocol: said by consoles of before [`crate::upgrade`].
    OldProtocol,
    /// An operator revoked the credential.
    Revoked,
    /// A newer connection of the same agent replaced this one.
    Replaced,
    /// It sent an invalid message, or one that is too large.
    Misbehaved,
    /// It exceeded its rate limit.
    Flooded,
    /// The console is shutting down. Reconnect.
    Stopping,
    /// The console has an internal problem. Reconnect.
    Trouble,
}

impl Farewell {
    /// Whether it makes sense to reconnect at once with the same credential and program.
    #[must_use]
    pub const fn may_return(self) -> bool {
        matches!(self, Self::Replaced | Self::Flooded | Self::Stopping | Self::Trouble)
    }
}

/// How much an agent does concurrently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Tasks per host.
    pub per_host: u32,
    /// Requests per BMC.
    pub per_bmc: u32,
    /// Tasks per room.
    pub per_room: u32,
}

/// An attempt in an agent's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// Which.
    #[serde(flatten)]
    pub key: Key,
    /// It has ended; its result follows.
    pub has_ended: bool,
}

/// A card as the console has it on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RosterCard {
    /// Its id in the console.
    pub id: i64,
    /// `address:port`
    pub address: String,
    /// Its serial, if known.
    pub serial: Option<String>,
}

/// Addresses that may have cards. If there are several addresses and several ports, both increase together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The first address.
    pub first: std::net::Ipv4Addr,
    /// The last one.
    pub last: std::net::Ipv4Addr,
    /// The ADB port at the first address.
    pub first_port: u16,
    /// The ADB port at the last address.
    pub last_port: u16,
}

/// What one poll of a card found. An omitted part was not polled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The card, by its id in the console.
    pub card: i64,
    /// The result, layer by layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// Its power, as reported by its BMC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// Its figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
}

/// How far a poll got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// The agent itself was able to try.
    pub reached: bool,
    /// The port accepts connections.
    pub tcp_open: bool,
    /// ADB accepted the agent and ran a command.
    pub adb_answers: bool,
    /// Android reports that it has booted.
    pub booted: bool,
}

/// Power as reported by a BMC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Power {
    /// The card has power.
    On,
    /// It has none.
    Off,
    /// The BMC does not report it.
    Unknown,
}

/// A card's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Percent.
    pub cpu: u8,
    /// Percent.
    pub memory: u8,
    /// Percent.
    pub storage: u8,
    /// Failed polls among the last ten, in percent.
    pub loss: u8,
    /// Degrees Celsius.
    pub temperature: i16,
    /// Milliseconds.
    pub latency: u16,
    /// Seconds since boot.
    pub uptime: u32,
}

/// A card that the agent sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sighting {
    /// `address:port`
    pub address: String,
    /// As reported by the card.
    pub serial: String,
    /// `ro.product.manufacturer`
    pub manufacturer: String,
    /// `ro.product.model`
    pub model: String,
    /// `ro.product.board`
    pub board: String,
    /// `ro.build.fingerprint`: which image it runs. Empty from agents of before it was asked for.
    #[serde(default)]
    pub fingerprint: String,
    /// Whose it is, as a file on it says ([`crate::Carried`]). None from
    /// agents of before it was asked for.
    #[serde(default)]
    pub mark: Option<String>,
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use super::{Agent, Console};
    use crate::reason::Reason;
    use crate::task::{Act, BmcAccess, Key, Outcome, PowerOrder, Task, TaskResult};

    #[test]
    fn a_message_reads_as_the_document_says() {
        let bmc = BmcAccess {
            url: "https://10.4.0.9:443".into(),
            username: "admin".into(),
            password: "secret".into(),
            certificate: String::new(),
            slot: 3,
        };
        assert!(!format!("{bmc:?}").contains("secret"));
        let act = Act::Power { order: PowerOrder::Cycle, bmc };
        let task = Task { address: "10.4.0.1:5555".into(), host: Some(2), ..Task::new(Key::operation(7, 1), 5, act) };
        let text = serde_json::to_string(&Console::Tasks { tasks: vec![task.clone()] }).unwrap();
        assert!(text.starts_with(r#"{"type":"tasks","tasks":[{"task":7,"attempt":1,"card":5,"#), "{text}");
        assert!(text.contains(r#""act":{"kind":"power","order":"cycle","bmc":{"url":"#), "{text}");
        assert_eq!(serde_json::from_str::<Console>(&text).unwrap(), Console::Tasks { tasks: vec![task] });

        let text = r#"{"type":"results","results":[{"task":7,"attempt":1,"outcome":{"end":"failed","code":"no_space","reason":"full"},"new":1}]}"#;
        let result = TaskResult {
            key: Key::operation(7, 1),
            outcome: Outcome::failed(Reason::NoSpace, "full"),
            output: String::new(),
            truncated: false,
            exit: None,
            has_file: false,
            certificate: None,
            millis: 0,
        };
        assert_eq!(serde_json::from_str::<Agent>(text).unwrap(), Agent::Results { results: vec![result] });
    }

    #[test]
    fn what_was_said_before_books_is_of_operations_and_an_unknown_act_is_no_end() {
        let text = serde_json::to_string(&Key::operation(7, 1)).unwrap();
        assert_eq!(text, r#"{"task":7,"attempt":1}"#, "as protocol 1 has it");
        assert_eq!(serde_json::to_string(&Key::phone(7, 1)).unwrap(), r#"{"book":"phone","task":7,"attempt":1}"#);
        for key in [Key::operation(7, 1), Key::phone(7, 1)] {
            assert_eq!(serde_json::from_str::<Key>(&serde_json::to_string(&key).unwrap()).unwrap(), key);
        }
        let newer = r#"{"task":7,"attempt":1,"card":5,"address":"10.4.0.1:5555","serial":null,"host":null,"seconds":9,
            "act":{"kind":"levitate","metres":3}}"#;
        assert_eq!(serde_json::from_str::<Task>(newer).unwrap().act, Act::Unknown);
    }
}
