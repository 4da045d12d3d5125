//! Sealed streams: they are decrypted unchanged, in any order, and not at all if anything was modified.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::io::{Cursor, Read as _, Seek as _, SeekFrom, Write as _};

use vault::{OpenReader, SealWriter, Source, StreamHead, Unsealable, Vault};

const PURPOSE: &str = "test";
const HEADER: &[u8] = b"what stands before it";
const SEGMENT: usize = 64 * 1024;

fn vault(folder: &std::path::Path) -> Vault {
    Vault::open(&Source::Made(folder.join("master.key"))).unwrap()
}

fn text(length: usize) -> Vec<u8> {
    (0..length).map(|n| u8::try_from(n % 251).unwrap()).collect()
}

fn seal(vault: &Vault, text: &[u8]) -> (StreamHead, Vec<u8>) {
    let head = vault.new_stream(PURPOSE);
    let key = vault.stream_key(PURPOSE, &head, HEADER).unwrap();
    let mut writer = SealWriter::new(Vec::new(), key);
    for piece in text.chunks(10_007) {
        writer.write_all(piece).unwrap();
    }
    (head, writer.finish().unwrap())
}

fn open(vault: &Vault, head: &StreamHead, bound: &[u8], sealed: &[u8]) -> std::io::Result<Vec<u8>> {
    let key = vault.stream_key(PURPOSE, head, bound).map_err(std::io::Error::other)?;
    let mut text = Vec::new();
    OpenReader::new(Cursor::new(sealed), key, 0, sealed.len() as u64)?.read_to_end(&mut text)?;
    Ok(text)
}

#[test]
fn a_stream_of_any_length_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(folder.path());
    for length in [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 3 * SEGMENT + 77] {
        let (head, sealed) = seal(&vault, &text(length));
        assert_eq!(open(&vault, &head, HEADER, &sealed).unwrap(), text(length), "{length} bytes");
    }
}

#[test]
fn a_stream_is_read_in_any_order_from_the_middle_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(folder.path());
    let text = text(3 * SEGMENT + 77);
    let (head, sealed) = seal(&vault, &text);
    let file = [b"before".as_slice(), &sealed, b"behind"].concat();
    let key = vault.stream_key(PURPOSE, &head, HEADER).unwrap();
    let mut reader = OpenReader::new(Cursor::new(file), key, 6, sealed.len() as u64).unwrap();
    for from in [2 * SEGMENT + 5, 0, SEGMENT - 3, text.len() - 4] {
        reader.seek(SeekFrom::Start(from as u64)).unwrap();
        let mut part = [0; 4];
        reader.read_exact(&mut part).unwrap();
        assert_eq!(part, text[from..from + 4]);
    }
    assert_eq!(reader.seek(SeekFrom::End(0)).unwrap(), text.len() as u64);
    assert_eq!(reader.read(&mut [0; 4]).unwrap(), 0);
    assert!(reader.seek(SeekFrom::Current(-1_000_000)).is_err());
}

#[test]
fn what_was_changed_cut_or_exchanged_does_not_open() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(folder.path());
    let (head, sealed) = seal(&vault, &text(2 * SEGMENT + 100));
    let whole = SEGMENT + 16;
    for at in (0..sealed.len()).step_by(997).chain([sealed.len() - 1, whole, whole - 1]) {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert!(open(&vault, &head, HEADER, &changed).is_err(), "changed at {at}");
    }
    for length in [0, 1, 15, 16, whole - 1, whole, whole + 3, whole + 16, 2 * whole, 2 * whole + 16, sealed.len() - 1] {
        assert!(open(&vault, &head, HEADER, &sealed[..length]).is_err(), "cut to {length}");
    }
    let exchanged = [&sealed[whole..2 * whole], &sealed[..whole], &sealed[2 * whole..]].concat();
    assert!(open(&vault, &head, HEADER, &exchanged).is_err());
    let repeated = [&sealed[..whole], &sealed[..]].concat();
    assert!(open(&vault, &head, HEADER, &repeated).is_err());
    assert!(open(&vault, &head, b"another header", &sealed).is_err(), "it is bound to its header");
}

#[test]
fn another_key_is_told_from_a_change() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (vault, other) = (vault(one.path()), vault(two.path()));
    let (head, _) = seal(&vault, b"text");
    assert_eq!(other.stream_key(PURPOSE, &head, HEADER).unwrap_err(), Unsealable::OtherKey(1));
    let unknown = StreamHead { key_id: 7, ..head.clone() };
    assert_eq!(vault.stream_key(PURPOSE, &unknown, HEADER).unwrap_err(), Unsealable::UnknownKey(7));
    assert!(vault.stream_key("another purpose", &head, HEADER).is_err());
}

#[test]
fn a_signature_holds_for_its_text_its_purpose_and_its_key() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (vault, other) = (vault(one.path()), vault(two.path()));
    let (id, signature) = vault.sign("anchor", b"line");
    assert_eq!(vault.verify("anchor", b"line", id, &signature), Ok(()));
    assert_eq!(vault.verify("anchor", b"lime", id, &signature), Err(Unsealable::Tampered));
    assert_eq!(vault.verify("banner", b"line", id, &signature), Err(Unsealable::Tampered));
    assert_eq!(other.verify("anchor", b"line", id, &signature), Err(Unsealable::Tampered));
    assert_eq!(vault.verify("anchor", b"line", 9, &signature), Err(Unsealable::UnknownKey(9)));
}
