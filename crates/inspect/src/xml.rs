//! Checks XML while it is streamed, before a parser gets it: how deeply it is nested, and how long one piece of it is.
//!
//! Parsers of tables hold a piece (a text, a tag) in memory as a whole, however long it is. A cell of a workbook has
//! 32,767 characters at most, so that no legitimate piece comes near [`MAX_PIECE`].

use kernel::rules::{Verdict, Violation, byte_size};

use crate::damaged;

/// The deepest nesting of elements; tables reach about ten.
const MAX_DEPTH: u32 = 64;

/// The largest size of one text or one tag in bytes.
const MAX_PIECE: u64 = 1 << 20;

/// Where in the XML the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Text,
    /// After a `<`.
    Open,
    /// In a tag that starts an element; in quotes of this kind, or 0.
    Start(u8),
    End,
    /// After `<!`.
    Bang,
    Comment,
    Data,
    Instruction,
}

/// The state of the check.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    at: At,
    depth: u32,
    piece: u64,
    /// The two bytes before.
    before: [u8; 2],
}

impl Shape {
    /// Checks the next bytes.
    pub(crate) fn see(&mut self, bytes: &[u8]) -> Verdict {
        bytes.iter().try_for_each(|byte| self.step(*byte))
    }

    fn step(&mut self, byte: u8) -> Verdict {
        self.piece += 1;
        if self.piece > MAX_PIECE {
            return Err(beyond());
        }
        let next = self.next(byte)?;
        if next != self.at && (next == At::Text || self.at == At::Text) {
            self.piece = 1;
        }
        self.at = next;
        self.before = [self.before[1], byte];
        Ok(())
    }

    fn next(&mut self, byte: u8) -> Verdict<At> {
        let [last_but_one, last] = self.before;
        Ok(match (self.at, byte) {
            (At::Text, b'<') => At::Open,
            (At::Open, b'/') => At::End,
            (At::Open, b'!') => At::Bang,
            (At::Open, b'?') => At::Instruction,
            (At::Open, _) => At::Start(0),
            (At::Start(0), b'"' | b'\'') => At::Start(byte),
            (At::Start(0), b'>') => {
                // `<name/>` is complete by itself.
                self.deeper(u32::from(last != b'/'))?;
                At::Text
            }
            (At::Start(quote), _) if quote == byte => At::Start(0),
            (At::End, b'>') => {
                self.depth = self.depth.saturating_sub(1);
                At::Text
            }
            (At::Bang, b'-') => At::Comment,
            (At::Bang, b'[') => At::Data,
            // A document type: no table has one, and entities that expand are declared there.
            (At::Bang, _) => return Err(damaged()),
            (At::Comment, b'>') if [last_but_one, last] == *b"--" && self.piece > 6 => At::Text,
            (At::Data, b'>') if [last_but_one, last] == *b"]]" => At::Text,
            (At::Instruction, b'>') if last == b'?' => At::Text,
            (same, _) => same,
        })
    }

    fn deeper(&mut self, by: u32) -> Verdict {
        self.depth += by;
        if self.depth > MAX_DEPTH { Err(beyond()) } else { Ok(()) }
    }
}

/// Longer or deeper than any table is.
fn beyond() -> Violation {
    Violation::new("sheet.shape").with("max", byte_size(MAX_PIECE)).with("depth", MAX_DEPTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_fine(xml: &str) -> bool {
        Shape::default().see(xml.as_bytes()).is_ok()
    }

    #[test]
    fn ordinary_xml_of_any_length_passes() {
        let row = r#"<row r="1"><c r="A1" t="s"><v>1 &lt; 2</v></c><c a='/>' b=">"/><!-- <a> --><![CDATA[<a>]]></row>"#;
        assert!(is_fine(&format!("<?xml version=\"1.0\"?><sheetData>{}</sheetData>", row.repeat(20_000))));
    }

    #[test]
    fn what_nests_too_deep_is_refused_however_it_hides() {
        let deep = |open: &str| open.repeat(100);
        assert!(is_fine(&"<a>".repeat(64)) && !is_fine(&"<a>".repeat(65)));
        for open in ["<a b=\"/>\">", "<a b='</a>'>", "<a><!-- </a></a> -->", "<a><![CDATA[</a>]]>", "<a><?x </a>?>"] {
            assert!(!is_fine(&deep(open)), "{open}");
        }
    }

    #[test]
    fn long_pieces_and_document_types_are_refused() {
        let long = "x".repeat(1 << 20);
        for xml in [format!("<a>{long}"), format!("<a b=\"{long}\">"), format!("<!--{long}"), format!("</{long}")] {
            assert!(!is_fine(&xml), "{}", &xml[..8]);
        }
        assert!(!is_fine("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>"));
    }
}
