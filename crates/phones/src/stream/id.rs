//! What gateways call a stream by.

use std::fmt;
use std::str::FromStr;

use entity::ConnectId;

/// A stream: whoever connects, and how many streams he had before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamId {
    pub connect: ConnectId,
    pub number: i64,
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.connect, self.number)
    }
}

impl FromStr for StreamId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (connect, number) = text.split_once('.').ok_or(())?;
        let read = |text: &str| text.parse::<i64>().ok().filter(|number| *number > 0).ok_or(());
        Ok(Self { connect: ConnectId(read(connect)?), number: read(number)? })
    }
}

#[cfg(test)]
mod tests {
    use entity::ConnectId;

    use super::StreamId;

    #[test]
    fn it_is_read_as_it_is_written() {
        let id = StreamId { connect: ConnectId(7), number: 3 };
        assert_eq!((id.to_string().as_str(), "7.3".parse::<StreamId>()), ("7.3", Ok(id)));
        for wrong in ["", "7", "7.", ".3", "7.0", "-7.3", "7.3.1", "99999999999999999999.1", "a.b"] {
            assert!(wrong.parse::<StreamId>().is_err(), "{wrong}");
        }
    }
}
