//! Running commands, and interactive shells.
//!
//! The second shell protocol (feature `shell_v2`) wraps everything in packets: one byte of kind, a little-endian 32-bit
//! length, the bytes (AOSP `shell_protocol.h`). Cards without it (before Android 7) have one terminal for everything:
//! no separate standard error, no exit code, line breaks of a terminal.

use std::time::Duration;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

use crate::connection::Connection;
use crate::error::Error;
use crate::quote::Command;
use crate::stream::Stream;

/// Kinds of packets of the second shell protocol (AOSP `shell_protocol.h`).
pub mod packet {
    /// Host to card: input.
    pub const STDIN: u8 = 0;
    /// Card to host: standard output.
    pub const STDOUT: u8 = 1;
    /// Card to host: standard error.
    pub const STDERR: u8 = 2;
    /// Card to host: one byte, the exit code.
    pub const EXIT: u8 = 3;
    /// Host to card: no more input.
    pub const CLOSE_STDIN: u8 = 4;
    /// Host to card: `rowsxcolumns,widthxheight` as text.
    pub const WINDOW_SIZE: u8 = 5;
    /// Bytes before the content: kind and length.
    pub const HEADER: usize = 5;
    /// No packet is larger: the greatest payload of ADB.
    pub const MAX: usize = 1024 * 1024;
}

/// Appends one packet of the second shell protocol.
pub fn put_packet(out: &mut BytesMut, kind: u8, content: &[u8]) {
    out.reserve(packet::HEADER + content.len());
    out.put_u8(kind);
    out.put_u32_le(u32::try_from(content.len()).expect("content fits a payload"));
    out.put_slice(content);
}

/// Takes the first whole packet off `buffer`.
///
/// # Errors
/// A packet that claims more than [`packet::MAX`] bytes.
pub fn take_packet(buffer: &mut BytesMut) -> Result<Option<(u8, Bytes)>, Error> {
    let Some((head, _)) = buffer.split_first_chunk::<{ packet::HEADER }>() else { return Ok(None) };
    let kind = head[0];
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > packet::MAX {
        return Err(Error::protocol(format!("a shell packet of {length} bytes")));
    }
    if buffer.len() < packet::HEADER + length {
        return Ok(None);
    }
    Ok(Some((kind, buffer.split_to(packet::HEADER + length).freeze().slice(packet::HEADER..))))
}

/// The output of a command and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output; on a card without `shell_v2` standard error too.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The exit code, 0 to 255. `None`: its output was endless and it was cut off, or the card did not report it.
    pub exit: Option<u8>,
    /// Output above the limit was dropped.
    pub truncated: bool,
}

impl Output {
    /// Whether it ended with exit code 0.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.exit == Some(0)
    }

    /// Standard output as text; invalid bytes become `U+FFFD`.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Both outputs, for finding a reason in them.
    #[must_use]
    pub fn both(&self) -> String {
        format!("{}\n{}", self.text().trim_end(), String::from_utf8_lossy(&self.stderr).trim_end()).trim().to_owned()
    }

    /// The output if the command succeeded, else its own words as the reason.
    ///
    /// # Errors
    /// It ended with a non-zero exit code, or without one.
    pub fn checked(self) -> Result<Self, Error> {
        if self.succeeded() {
            return Ok(self);
        }
        let said = self.both();
        let code = self.exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
        Err(Error::device(&if said.is_empty() { code } else { format!("{said} ({code})") }))
    }

    fn keep(kept: &mut Vec<u8>, truncated: &mut bool, more: &[u8], limit: usize) {
        let room = limit.saturating_sub(kept.len()).min(more.len());
        kept.extend_from_slice(&more[..room]);
        *truncated |= room < more.len();
    }
}

/// A command that does not stop printing is cut off after this many times its limit.
const FLOOD: usize = 64;

/// Runs a command to its end. Deadlines are up to the caller ([`crate::Device::run`] has one).
pub(crate) async fn run(connection: &Connection, command: &Command, limit: usize) -> Result<Output, Error> {
    if connection.banner().has("shell_v2") {
        run_v2(connection, command, limit).await
    } else {
        run_v1(connection, command, limit).await
    }
}

async fn run_v2(connection: &Connection, command: &Command, limit: usize) -> Result<Output, Error> {
    let stream = connection.stream(&format!("shell,v2,raw:{}", command.line()?)).await?;
    let feeding = feed(&stream, command.input());
    let reading = collect(&stream, limit);
    tokio::pin!(feeding, reading);
    tokio::select! {
        biased;
        output = &mut reading => output,
        // A program that does not read its input to the end is not an error: its exit code decides.
        _ = &mut feeding => reading.await,
    }
}

pub(crate) async fn feed(stream: &Stream, input: Option<Bytes>) -> Result<(), Error> {
    let Some(mut input) = input else { return Ok(()) };
    let mut packets = BytesMut::new();
    while !input.is_empty() {
        let part = input.split_to(input.len().min(32 * 1024));
        put_packet(&mut packets, packet::STDIN, &part);
        if !input.is_empty() {
            stream.write(packets.split().freeze()).await?;
        }
    }
    put_packet(&mut packets, packet::CLOSE_STDIN, &[]);
    stream.write(packets.freeze()).await
}

async fn collect(stream: &Stream, limit: usize) -> Result<Output, Error> {
    let mut gathered = Gathered::new(limit);
    loop {
        if gathered.is_whole(stream.read().await?)? {
            return Ok(gathered.into_output());
        }
    }
}

/// The output of a command, as it comes in packets.
#[derive(Debug)]
pub(crate) struct Gathered {
    output: Output,
    buffer: BytesMut,
    seen: usize,
    limit: usize,
}

impl Gathered {
    /// Nothing yet, and never more than `limit` bytes of each of its two streams.
    pub(crate) fn new(limit: usize) -> Self {
        Self { output: Output::default(), buffer: BytesMut::new(), seen: 0, limit }
    }

    /// Takes what the stream brought; whether the command has ended, or is cut off because it prints without end.
    ///
    /// # Errors
    /// The stream ended without an exit code, or does not follow the protocol.
    pub(crate) fn is_whole(&mut self, bytes: Option<Bytes>) -> Result<bool, Error> {
        // The shell was killed, for example by a reboot.
        let bytes = bytes.ok_or(Error::Closed)?;
        let Self { output, buffer, seen, limit } = self;
        *seen += bytes.len();
        buffer.extend_from_slice(&bytes);
        while let Some((kind, content)) = take_packet(buffer)? {
            match kind {
                packet::STDOUT => Output::keep(&mut output.stdout, &mut output.truncated, &content, *limit),
                packet::STDERR => Output::keep(&mut output.stderr, &mut output.truncated, &content, *limit),
                packet::EXIT => {
                    output.exit = content.first().copied();
                    return Ok(true);
                }
                // Unknown kinds may be added; the protocol says to skip them.
                _ => {}
            }
        }
        let floods = *seen > limit.saturating_mul(FLOOD);
        output.truncated |= floods;
        Ok(floods)
    }

    /// What was printed, and how it ended.
    pub(crate) fn into_output(self) -> Output {
        self.output
    }
}

/// The old shell: the exit code is printed after a mark that the command cannot guess.
async fn run_v1(connection: &Connection, command: &Command, limit: usize) -> Result<Output, Error> {
    if command.has_stdin() {
        return Err(Error::Unsupported { what: "its shell takes no input (no shell_v2)" });
    }
    let mark = format!("skyrack-{:016x}:", rand::random::<u64>());
    let stream = connection.stream(&format!("shell:{}\necho {mark}$?", command.line()?)).await?;
    let (mut all, mut truncated, mut seen) = (Vec::new(), false, 0usize);
    // The mark comes last, so the end is kept separately from what is truncated.
    let mut tail: Vec<u8> = Vec::new();
    while let Some(bytes) = stream.read().await? {
        seen += bytes.len();
        Output::keep(&mut all, &mut truncated, &bytes, limit);
        tail.extend_from_slice(&bytes);
        let old = tail.len().saturating_sub(64);
        tail.drain(..old);
        if seen > limit.saturating_mul(FLOOD) {
            truncated = true;
            break;
        }
    }
    let tail = String::from_utf8_lossy(&tail).into_owned();
    let exit = tail.rfind(&mark).and_then(|at| tail[at + mark.len()..].trim().parse().ok());
    let mut text = String::from_utf8_lossy(&all).replace("\r\n", "\n");
    if let Some(at) = text.rfind(&mark) {
        text.truncate(at);
    }
    Ok(Output { stdout: text.into_bytes(), stderr: Vec::new(), exit, truncated })
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSize {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
}

/// An event of an interactive shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellEvent {
    /// Bytes for the terminal.
    Output(Bytes),
    /// The shell ended; `None` if the card does not report the code.
    Exit(Option<u8>),
}

/// A shell on a card with a terminal, for a person. Dropping it ends the shell.
#[derive(Debug)]
pub struct Shell {
    stream: Stream,
    v2: bool,
    buffer: tokio::sync::Mutex<BytesMut>,
}

impl Shell {
    pub(crate) async fn open(connection: &Connection, size: WindowSize) -> Result<Self, Error> {
        let v2 = connection.banner().has("shell_v2");
        let service = if v2 { "shell,v2,TERM=xterm-256color,pty:" } else { "shell:" };
        let stream = connection.stream(service).await?;
        let shell = Self { stream, v2, buffer: tokio::sync::Mutex::default() };
        if v2 {
            shell.resize(size).await?;
        }
        Ok(shell)
    }

    /// Sends input.
    ///
    /// # Errors
    /// The shell has ended, or the connection was lost.
    pub async fn write(&self, typed: &[u8]) -> Result<(), Error> {
        if !self.v2 {
            return self.stream.write(Bytes::copy_from_slice(typed)).await;
        }
        for part in typed.chunks(32 * 1024) {
            self.send(packet::STDIN, part).await?;
        }
        Ok(())
    }

    /// Sends the terminal's new size. Cards without `shell_v2` do not support this, and keep theirs.
    ///
    /// # Errors
    /// The shell has ended, or the connection was lost.
    pub async fn resize(&self, size: WindowSize) -> Result<(), Error> {
        if !self.v2 {
            return Ok(());
        }
        // AOSP shell_service.cpp reads "%hux%hu,%hux%hu": rows, columns, and the pixels, which are not used.
        let text = format!("{}x{},0x0", size.rows, size.columns);
        self.send(packet::WINDOW_SIZE, text.as_bytes()).await
    }

    /// The next bytes, or the end. Cancelling it loses nothing.
    ///
    /// # Errors
    /// The connection was lost.
    pub async fn read(&self) -> Result<ShellEvent, Error> {
        let mut buffer = self.buffer.lock().await;
        loop {
            if self.v2 {
                while let Some((kind, content)) = take_packet(&mut buffer)? {
                    match kind {
                        packet::STDOUT | packet::STDERR => return Ok(ShellEvent::Output(content)),
                        packet::EXIT => return Ok(ShellEvent::Exit(content.first().copied())),
                        _ => {}
                    }
                }
            } else if buffer.has_remaining() {
                return Ok(ShellEvent::Output(buffer.split().freeze()));
            }
            match self.stream.read().await? {
                Some(bytes) => buffer.extend_from_slice(&bytes),
                None => return Ok(ShellEvent::Exit(None)),
            }
        }
    }

    async fn send(&self, kind: u8, content: &[u8]) -> Result<(), Error> {
        let mut out = BytesMut::new();
        put_packet(&mut out, kind, content);
        self.stream.write(out.freeze()).await
    }
}

/// The default timeout of a command.
pub const COMMAND: Duration = Duration::from_secs(30);
