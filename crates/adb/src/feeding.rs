//! A command that is fed while it runs: for input that is too large for memory, such as a package that a storage node
//! sends.

use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::connection::Connection;
use crate::error::{Error, within};
use crate::quote::Command;
use crate::shell::{Gathered, Output, packet, put_packet};
use crate::stream::Stream;

/// Bytes of input that are read and sent at once. The next are read when the card has accepted these.
const PIECE: usize = 32 * 1024;

/// Runs a command with `size` bytes of `source` as its input.
pub(crate) async fn run(
    connection: &Connection,
    command: &Command,
    source: (&mut (dyn AsyncRead + Send + Unpin), u64),
    silence: Duration,
) -> Result<Output, Error> {
    if !connection.banner().has("shell_v2") {
        return Err(Error::Unsupported { what: "its shell takes no input (no shell_v2)" });
    }
    if command.has_stdin() {
        return Err(Error::BadArgument { what: "a command that is fed, with input of its own".into() });
    }
    let stream = connection.stream(&format!("shell,v2,raw:{}", command.line()?)).await?;
    let mut gathered = Gathered::new(connection.limits().output);
    {
        let feeding = feed(&stream, source, silence);
        tokio::pin!(feeding);
        loop {
            tokio::select! {
                biased;
                // What it prints is taken while it is fed: else it would wait for us, and we for it.
                bytes = stream.read() => {
                    if gathered.is_whole(bytes?)? {
                        return Ok(gathered.into_output());
                    }
                }
                fed = &mut feeding => match fed {
                    // It ended before it had read everything: its words and its exit code decide.
                    Ok(()) | Err(Error::Closed) => break,
                    Err(error) => return Err(error),
                },
            }
        }
    }
    loop {
        let bytes = within("the end of a command that was fed", silence, stream.read()).await?;
        if gathered.is_whole(bytes)? {
            return Ok(gathered.into_output());
        }
    }
}

/// Sends the input and says where it ends.
async fn feed(
    stream: &Stream,
    (source, size): (&mut (dyn AsyncRead + Send + Unpin), u64),
    silence: Duration,
) -> Result<(), Error> {
    let mut source = source.take(size);
    let (mut chunk, mut packets, mut sent) = (vec![0; PIECE], BytesMut::new(), 0u64);
    while sent < size {
        let reading = async { source.read(&mut chunk).await.map_err(|error| Error::local(&error)) };
        let filled = within("the source of a command's input", silence, reading).await?;
        if filled == 0 {
            return Err(Error::Local { why: format!("the input has {sent} bytes and not {size}") });
        }
        sent += filled as u64;
        put_packet(&mut packets, packet::STDIN, &chunk[..filled]);
        within("the card to take input", silence, stream.write(packets.split().freeze())).await?;
    }
    put_packet(&mut packets, packet::CLOSE_STDIN, &[]);
    within("the card to take input", silence, stream.write(packets.freeze())).await
}
