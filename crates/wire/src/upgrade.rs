//! What a console and an agent of any two versions say to each other, before either judges what the other speaks.
//!
//! **Frozen for ever.** Messages and fields here keep their names and meanings; others may join them, and whoever does
//! not know one passes over it. So whichever of the two is older can be told so, and be brought to the other's version.
//! All else is said only between two that have a protocol number in common.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The first frame of every agent: `{"type": "hello", "protocol": 1, "version": "3.2.1", "platform": "x86_64-linux"}`,
/// with whatever its protocol adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The number of the protocol that it speaks.
    pub protocol: u32,
    /// The version of the program.
    pub version: String,
    /// The processor and the system that it was built for; empty from one of before that does not say.
    pub platform: String,
}

impl Hello {
    /// Reads the first frame of an agent; none if it is no greeting.
    #[must_use]
    pub fn read(frame: &str) -> Option<Self> {
        let said: Value = serde_json::from_str(frame).ok()?;
        let text = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if text("type") != "hello" {
            return None;
        }
        let protocol = said.get("protocol")?.as_u64()?.try_into().ok()?;
        Some(Self { protocol, version: text("version"), platform: text("platform") })
    }
}

/// What the console says to an agent with which it has no number in common. The agent stays: it pings and answers pings,
/// is told no more until one of the two is another version, and what it says meanwhile counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Console {
    /// The two do not understand each other.
    Upgrade {
        /// The numbers that the console speaks.
        speaks: Vec<u32>,
        /// The console's version.
        version: String,
    },
}

/// The processor and the system that this program was built for.
#[must_use]
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::{Console, Hello};

    /// As they were first written: a change here breaks programs that are out of reach.
    #[test]
    fn what_is_frozen_stays() {
        let hello =
            r#"{"type":"hello","protocol":7,"version":"9.0","platform":"x86_64-linux","held":[],"moon":{"a":1}}"#;
        let read = Hello { protocol: 7, version: "9.0".to_owned(), platform: "x86_64-linux".to_owned() };
        assert_eq!(Hello::read(hello), Some(read));
        let first = r#"{"type":"hello","protocol":1,"version":"3.2.1","held":[]}"#;
        assert_eq!(Hello::read(first).map(|hello| hello.platform), Some(String::new()));
        for no_greeting in [
            "",
            "[]",
            r#"{"type":"reports","protocol":1,"version":"1"}"#,
            r#"{"type":"hello","version":"1"}"#,
            r#"{"type":"hello","protocol":-1,"version":"1"}"#,
            r#"{"type":"hello","protocol":4294967296,"version":"1"}"#,
        ] {
            assert_eq!(Hello::read(no_greeting), None, "{no_greeting}");
        }
        let told = Console::Upgrade { speaks: vec![1, 2], version: "3.2.1".to_owned() };
        let text = r#"{"type":"upgrade","speaks":[1,2],"version":"3.2.1"}"#;
        assert_eq!(serde_json::to_string(&told).ok().as_deref(), Some(text));
        let later = r#"{"type":"upgrade","speaks":[3],"version":"4","release":{"sha256":"00"}}"#;
        assert!(serde_json::from_str::<Console>(later).is_ok());
    }
}
