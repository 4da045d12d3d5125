//! XML as text, of which Android writes little here: a declaration, elements and white space.

use std::fmt::Display;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::Book;

/// Reads a whole file.
pub(super) fn read(bytes: &[u8]) -> Result<Book, String> {
    let text = str::from_utf8(bytes).map_err(|error| format!("it is neither binary XML nor UTF-8: {error}"))?;
    // Before a parser makes something of it. In values it would be `&lt;!`.
    if text.contains("<!") {
        return Err("it has a DOCTYPE, CDATA or a comment, which Android does not write".into());
    }
    let mut reader = Reader::from_str(text);
    let mut book = Book::default();
    loop {
        match reader.read_event().map_err(unread)? {
            Event::Start(tag) => opened(&mut book, &tag)?,
            Event::Empty(tag) => {
                opened(&mut book, &tag)?;
                book.closed(&String::from_utf8_lossy(tag.name().0))?;
            }
            Event::End(tag) => book.closed(&String::from_utf8_lossy(tag.name().0))?,
            Event::Decl(_) => {}
            Event::Text(text) if text.trim_ascii().is_empty() => {}
            Event::Eof => return book.finished(),
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => return Err("it has more than elements, which Android does not write".into()),
        }
    }
}

fn opened(book: &mut Book, tag: &BytesStart<'_>) -> Result<(), String> {
    book.opened(&String::from_utf8_lossy(tag.name().0))?;
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(unread)?;
        // It knows the five entities of XML itself, and no others.
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(unread)?;
        book.attribute(String::from_utf8_lossy(attribute.key.0).into_owned(), value.into_owned())?;
    }
    Ok(())
}

fn unread(error: impl Display) -> String {
    format!("it is not XML: {error}")
}
