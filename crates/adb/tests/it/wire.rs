use adb::wire::{self, Malformed, Packet};
use bytes::BytesMut;
use proptest::prelude::*;

proptest! {
    #[test]
    fn what_is_encoded_is_decoded_however_it_is_cut(
        arg0: u32,
        arg1: u32,
        payload in proptest::collection::vec(any::<u8>(), 0..300),
        cut in 0usize..300,
        with_sum: bool,
    ) {
        let packet = Packet::new(wire::WRTE, arg0, arg1, payload);
        let mut bytes = BytesMut::new();
        packet.encode(with_sum, &mut bytes);
        let mut arrived = BytesMut::new();
        let cut = cut.min(bytes.len());
        arrived.extend_from_slice(&bytes[..cut]);
        let first = wire::decode(&mut arrived, 1024, with_sum).unwrap();
        prop_assert_eq!(first.is_some(), cut == bytes.len());
        arrived.extend_from_slice(&bytes[cut..]);
        let second = if cut == bytes.len() { first } else { wire::decode(&mut arrived, 1024, with_sum).unwrap() };
        prop_assert_eq!(second, Some(packet));
    }

    #[test]
    fn noise_never_panics(noise in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = wire::decode(&mut BytesMut::from(&noise[..]), 4096, true);
    }
}

#[test]
fn a_header_is_as_protocol_txt_says() {
    let mut bytes = BytesMut::new();
    Packet::new(wire::OPEN, 1, 0, &b"ab"[..]).encode(true, &mut bytes);
    let words: Vec<u32> = bytes[..24].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    // A_OPEN is 0x4e45504f; the sum of "ab" is 97 + 98; the magic is the command's complement.
    assert_eq!(words, [0x4e45_504f, 1, 0, 2, 195, 0xb1ba_afb0]);
    assert_eq!(&bytes[24..], b"ab");
}

#[test]
fn a_lying_length_is_refused_before_memory_is_taken() {
    let mut bytes = BytesMut::new();
    Packet::bare(wire::WRTE, 1, 1).encode(false, &mut bytes);
    bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(wire::decode(&mut bytes, wire::PAYLOAD_MAX, false), Err(Malformed::Length(u32::MAX)));
    assert!(bytes.capacity() < 4096);
}

#[test]
fn a_wrong_sum_is_refused_where_sums_are_used() {
    let mut bytes = BytesMut::new();
    Packet::new(wire::WRTE, 1, 1, &b"ab"[..]).encode(false, &mut bytes);
    assert_eq!(wire::decode(&mut bytes.clone(), 4096, true), Err(Malformed::Sum));
    assert!(wire::decode(&mut bytes, 4096, false).unwrap().is_some());
}
