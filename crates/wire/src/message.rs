//! Messages of both sides.

use serde::{Deserialize, Serialize};

use crate::bmc::BmcLook;
use crate::folder::FolderLook;
use crate::task::{BmcAccess, Key, Task, TaskResult};

/// `POST /agent/v1/enrol`: an agent joins with a token that is good once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrolRequest {
    /// The join token.
    pub token: String,
    /// How the agent calls itself, for people.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The answer: the agent's own credential, told this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrolReply {
    /// The agent, by its id in the console.
    pub agent: i64,
    /// Its room.
    pub room: i64,
    /// For the header `Authorization: Bearer ...` of everything that follows.
    pub credential: String,
}

/// What an agent says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Agent {
    /// The first message.
    Hello {
        /// [`crate::PROTOCOL`].
        protocol: u32,
        /// The version of the program.
        version: String,
        /// Every try in the journal: what runs, and results that the console has not confirmed. Whatever the console
        /// believes to be with this agent and is not here never arrived, and is sent again.
        held: Vec<Held>,
    },
    /// What was found at cards.
    Reports {
        /// Counts up; the console answers [`Console::Taken`] with it. The agent sends the next batch after that.
        seq: u64,
        /// At most [`crate::MAX_BATCH`].
        reports: Vec<Report>,
    },
    /// Cards that answer in the room's ranges and are not on the roster, or are not what it says.
    Sightings {
        /// At most [`crate::MAX_BATCH`].
        cards: Vec<Sighting>,
    },
    /// Everything that answers in the room, piece by piece: what the books expect and is not among it is missing.
    Sweep {
        /// At most [`crate::MAX_BATCH`].
        cards: Vec<Sighting>,
        /// No piece follows.
        is_last: bool,
    },
    /// Tries that have begun.
    Begun {
        /// Which.
        keys: Vec<Key>,
    },
    /// A shell is there.
    ShellOpened {
        /// Which.
        stream: u64,
    },
    /// A shell ended, or never began.
    ShellEnded {
        /// Which.
        stream: u64,
        /// Its exit code, if there is one.
        exit: Option<u8>,
        /// Why it ended, for people; empty after an exit.
        reason: String,
    },
    /// How a BMC is that the console asked about.
    BmcSeen {
        /// With which number.
        stream: u64,
        /// What came of it.
        look: BmcLook,
    },
    /// What is in a folder that the console asked about.
    FolderSeen {
        /// With which number.
        stream: u64,
        /// What came of it.
        look: FolderLook,
    },
    /// Tries that have ended. They stay in the journal until [`Console::Kept`] names them.
    Results {
        /// At most [`crate::MAX_BATCH`], and no more than fit into a frame.
        results: Vec<TaskResult>,
    },
}

/// What the console says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Console {
    /// The answer to [`Agent::Hello`].
    Welcome {
        /// Seconds between two looks at a card.
        heartbeat_seconds: u32,
        /// How much at once.
        limits: Limits,
    },
    /// New settings.
    Settings {
        /// Seconds between two looks at a card.
        heartbeat_seconds: u32,
        /// How much at once.
        limits: Limits,
    },
    /// The room's cards, in pieces. The roster of a later revision takes the place of the whole when its last piece is there.
    Roster {
        /// Counts up.
        revision: u64,
        /// A piece.
        cards: Vec<RosterCard>,
        /// No piece follows.
        is_last: bool,
    },
    /// Where else cards may be: the room's address plans. The agent sweeps them from time to time.
    Ranges {
        /// Not overlapping.
        ranges: Vec<Range>,
    },
    /// A batch of reports was taken.
    Taken {
        /// Its number.
        seq: u64,
    },
    /// What to do.
    Tasks {
        /// At most [`crate::MAX_BATCH`].
        tasks: Vec<Task>,
    },
    /// What not to begin any more. What runs goes on; its result tells.
    Cancel {
        /// Which.
        keys: Vec<Key>,
    },
    /// Results that are on the console's disk: the agent forgets them.
    Kept {
        /// Which.
        keys: Vec<Key>,
    },
    /// A person wants a shell on a card.
    ShellOpen {
        /// Which stream carries it: its bytes go both ways in binary frames ([`crate::stream_frame`]).
        stream: u64,
        /// Where the card is.
        address: String,
        /// The serial that must be there; none where the books have none.
        serial: Option<String>,
        /// Lines of the terminal.
        rows: u16,
        /// Characters in a line.
        columns: u16,
    },
    /// The terminal has another size.
    ShellResize {
        /// Of which shell.
        stream: u64,
        /// Lines.
        rows: u16,
        /// Characters in a line.
        columns: u16,
    },
    /// Nobody looks at the shell any more.
    ShellClose {
        /// Which.
        stream: u64,
    },
    /// A person wants to know how a BMC is.
    BmcLook {
        /// The number that the answer names.
        stream: u64,
        /// Where it is; the slot does not matter.
        access: BmcAccess,
    },
    /// A person wants to know what is in a folder of a card.
    FolderLook {
        /// The number that the answer names.
        stream: u64,
        /// Where the card is.
        address: String,
        /// The serial that must be there; none where the books have none.
        serial: Option<String>,
        /// The folder, absolute.
        path: String,
    },
    /// The last message.
    Farewell {
        /// Why.
        reason: Farewell,
    },
}

/// Why the console hangs up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Farewell {
    /// The agent speaks another version of the protocol.
    OldProtocol,
    /// An operator took the credential back.
    Revoked,
    /// A newer connection of the same agent took its place.
    Replaced,
    /// It sent what is no message, or too much.
    Misbehaved,
    /// It sent more than it may, faster than it may.
    Flooded,
    /// The console stops. Come back.
    Stopping,
    /// The console has trouble of its own. Come back.
    Trouble,
}

impl Farewell {
    /// Whether it is of use to come back at once with the same credential and program.
    #[must_use]
    pub const fn may_return(self) -> bool {
        matches!(self, Self::Replaced | Self::Flooded | Self::Stopping | Self::Trouble)
    }
}

/// How much an agent does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Tasks at one host.
    pub per_host: u32,
    /// Requests at one BMC.
    pub per_bmc: u32,
    /// Tasks in the room.
    pub per_room: u32,
}

/// A try that is in an agent's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// Which.
    #[serde(flatten)]
    pub key: Key,
    /// It has ended; its result follows.
    pub has_ended: bool,
}

/// A card as the console has it in its books.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RosterCard {
    /// Its id in the console.
    pub id: i64,
    /// `address:port`
    pub address: String,
    /// Its serial, once one is known.
    pub serial: Option<String>,
}

/// Addresses that may have cards. With more than one address and more than one port both go up together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The first address.
    pub first: std::net::Ipv4Addr,
    /// The last one.
    pub last: std::net::Ipv4Addr,
    /// The port of ADB at the first address.
    pub first_port: u16,
    /// At the last one.
    pub last_port: u16,
}

/// What one look at a card found. What is left out was not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The card, by its id in the console.
    pub card: i64,
    /// Layer by layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// Its power, as its BMC says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// Its figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
}

/// How far a look got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// The agent tried: it and its network stand.
    pub reached: bool,
    /// The port accepts connections.
    pub tcp_open: bool,
    /// ADB let the agent in and ran a command.
    pub adb_answers: bool,
    /// Android says that it has booted.
    pub booted: bool,
}

/// Power as a BMC tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Power {
    /// The card has power.
    On,
    /// It has none.
    Off,
    /// The BMC does not say.
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
    /// Looks of the last ten that found nothing, percent.
    pub loss: u8,
    /// Degrees Celsius.
    pub temperature: i16,
    /// Milliseconds.
    pub latency: u16,
    /// Seconds since it came up.
    pub uptime: u32,
}

/// A card that the agent sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sighting {
    /// `address:port`
    pub address: String,
    /// What it says of itself.
    pub serial: String,
    /// `ro.product.manufacturer`
    pub manufacturer: String,
    /// `ro.product.model`
    pub model: String,
    /// `ro.product.board`
    pub board: String,
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that can not go on should panic")]

    use super::{Agent, Console};
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
        let task = Task {
            key: Key { task: 7, attempt: 1 },
            card: 5,
            address: "10.4.0.1:5555".into(),
            serial: None,
            host: Some(2),
            seconds: 60,
            act: Act::Power { order: PowerOrder::Cycle, bmc },
        };
        let text = serde_json::to_string(&Console::Tasks { tasks: vec![task.clone()] }).unwrap();
        assert!(text.starts_with(r#"{"type":"tasks","tasks":[{"task":7,"attempt":1,"card":5,"#), "{text}");
        assert!(text.contains(r#""act":{"kind":"power","order":"cycle","bmc":{"url":"#), "{text}");
        assert_eq!(serde_json::from_str::<Console>(&text).unwrap(), Console::Tasks { tasks: vec![task] });

        let text = r#"{"type":"results","results":[{"task":7,"attempt":1,"outcome":{"end":"failed","code":"no_space","reason":"full"},"new":1}]}"#;
        let result = TaskResult {
            key: Key { task: 7, attempt: 1 },
            outcome: Outcome::failed("no_space", "full"),
            output: String::new(),
            truncated: false,
            exit: None,
            has_file: false,
            certificate: None,
            millis: 0,
        };
        assert_eq!(serde_json::from_str::<Agent>(text).unwrap(), Agent::Results { results: vec![result] });
    }
}
