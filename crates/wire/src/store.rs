//! A storage node as a room agent finds it: asked for by a person who tests it, and by the console from time to time.

use serde::{Deserialize, Serialize};

use crate::reason::Told;

/// The file by which a node, and each of its partitions, is known: a place without it is another one, for example the empty
/// folder below which a disk is not mounted.
pub const MARKER: &str = "skyrack-node.json";

/// What [`MARKER`] holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Marker {
    /// The node's [`StoreNode::mark`].
    pub mark: String,
    /// The node's name when it was made; for people who look into the folder.
    pub name: String,
    /// The partition, from 0; none in the node itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<u16>,
}

/// What a partition is called: a folder of the node.
#[must_use]
pub fn partition_folder(partition: u16) -> String {
    format!("p{partition:02}")
}

/// The folder in each partition where the packages of apps lie, which are those of many phones. Beside it are the folders of phones.
pub const PACKAGES: &str = "packages";

/// A storage node, and how it is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreNode {
    /// What its markers have to say: random, so that a place of another console's node of the same number is not this one.
    pub mark: String,
    /// Its name, for the markers.
    pub name: String,
    /// How many partitions it has.
    pub partitions: u16,
    /// How many of them have their marker, from the first one on: there, one that has none is another place. With 0, the
    /// node itself has none either.
    pub made: u16,
    /// Its file system keeps snapshots: a test looks for the node's marker in one of them.
    #[serde(default)]
    pub snapshots: bool,
    /// How it is reached.
    pub at: StoreAt,
}

/// How a storage node is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "driver", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StoreAt {
    /// A folder that the agent sees.
    Folder {
        /// Below the agent's own folder for stores, or absolute.
        path: String,
    },
    /// In a way that this version does not know.
    #[serde(other)]
    Unknown,
}

/// What is to be done at a storage node besides reading its markers, and writing those that were never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StoreAim {
    /// Its space is asked for.
    Look,
    /// What lies there is added up as well.
    Measure,
    /// A file is written, read back and removed in each partition as well.
    Test,
}

/// How fast something may be transferred each way, in kbit/s; none is line rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    /// From storage nodes.
    #[serde(default)]
    pub down: Option<u32>,
    /// To storage nodes.
    #[serde(default)]
    pub up: Option<u32>,
}

/// The same at one storage node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRates {
    /// The node's [`StoreNode::mark`].
    pub mark: String,
    /// How fast.
    #[serde(flatten)]
    pub rates: Rates,
}

/// What an agent found at a storage node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreSeen {
    /// How many partitions have their marker now.
    pub made: u16,
    /// Bytes that can still be written; none if the node does not say.
    #[serde(default)]
    pub free: Option<u64>,
    /// Bytes of what lies there; none if that was not added up.
    #[serde(default)]
    pub used: Option<u64>,
    /// How many of the files that were to be sealed anew are, or were not there; none from an agent that does not know of it.
    #[serde(default)]
    pub sealed: u64,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// What was wrong; none if nothing was.
    #[serde(default)]
    pub trouble: Option<StoreTrouble>,
}

/// What lies beside a repository as [`crate::copy::SEALED_KEY`], sealed with another master key than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SealedKey {
    /// The folder of the repository on the node.
    pub folder: String,
    /// The whole file.
    pub text: String,
}

/// What was wrong at a storage node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreTrouble {
    /// During what.
    pub step: StoreStep,
    /// What it means.
    pub code: Told,
    /// In which partition; none if it was the node itself.
    #[serde(default)]
    pub partition: Option<u16>,
    /// The node's or the system's own words.
    pub reason: String,
}

/// A part of what is done at a storage node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StoreStep {
    /// Finding and connecting.
    Connect,
    /// Encrypting the connection.
    Encrypt,
    /// Signing in.
    SignIn,
    /// Seeing by its marker that it is the node.
    Marker,
    /// Writing a file.
    Write,
    /// Giving it its name.
    Rename,
    /// Reading it back.
    Read,
    /// Listing.
    List,
    /// Removing it.
    Remove,
    /// Something that this version does not know.
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use super::{Marker, NodeRates, Rates, StoreAt, StoreStep, partition_folder};

    #[test]
    fn what_a_newer_side_says_is_read() {
        let at = r#"{"driver":"webdav","url":"https://x"}"#;
        assert_eq!(serde_json::from_str::<StoreAt>(at).unwrap(), StoreAt::Unknown);
        assert_eq!(serde_json::from_str::<StoreStep>(r#""levitate""#).unwrap(), StoreStep::Other);
    }

    #[test]
    fn a_marker_reads_as_the_document_says() {
        let marker = Marker { mark: "ab".into(), name: "杭州".into(), partition: None };
        let text = r#"{"mark":"ab","name":"杭州"}"#;
        assert_eq!(serde_json::to_string(&marker).unwrap(), text);
        assert_eq!(serde_json::from_str::<Marker>(text).unwrap(), marker);
        assert_eq!((partition_folder(0), partition_folder(99)), ("p00".to_owned(), "p99".to_owned()));
    }

    #[test]
    fn rates_read_as_the_document_says() {
        let rates = NodeRates { mark: "ab".into(), rates: Rates { down: None, up: Some(333) } };
        assert_eq!(serde_json::to_string(&rates).unwrap(), r#"{"mark":"ab","down":null,"up":333}"#);
        assert_eq!(serde_json::from_str::<NodeRates>(r#"{"mark":"ab","up":333}"#).unwrap(), rates);
    }
}
