//! Binary frames: the bytes of a stream, with the stream's number in front.

/// Bytes in front of the content.
const HEAD: usize = size_of::<u64>();

/// A frame with bytes of a stream: eight bytes of its number, most significant first, then the content.
#[must_use]
pub fn stream_frame(stream: u64, bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEAD + bytes.len());
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(bytes);
    frame
}

/// The stream and the content of a frame; none if it is too short to be one.
#[must_use]
pub fn read_stream_frame(frame: &[u8]) -> Option<(u64, &[u8])> {
    let (head, content) = frame.split_at_checked(HEAD)?;
    Some((u64::from_be_bytes(head.try_into().ok()?), content))
}

#[cfg(test)]
mod tests {
    use super::{read_stream_frame, stream_frame};

    #[test]
    fn a_frame_reads_as_it_was_written() {
        let frame = stream_frame(0x0102, b"ls");
        assert_eq!(frame, [0, 0, 0, 0, 0, 0, 1, 2, b'l', b's']);
        assert_eq!(read_stream_frame(&frame), Some((0x0102, b"ls".as_slice())));
        assert_eq!(read_stream_frame(&frame[..7]), None);
    }
}
