//! What a host can open on a card: shells, programs, the file service, the restart.

use std::time::Duration;

use adb::shell::{packet, put_packet, take_packet};
use bytes::{Bytes, BytesMut};

use crate::card::Card;
use crate::fault::Fault;
use crate::filesync::FileSync;
use crate::sh::{self, Ran};

/// What a service wants done.
#[derive(Debug, Default)]
pub struct Reaction {
    /// To be sent.
    pub bytes: Bytes,
    /// Then the stream ends.
    pub ends: bool,
    /// Not before this time has passed.
    pub after: Duration,
    /// Then the card restarts.
    pub restarts: bool,
}

/// How what a program prints is wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The second shell protocol.
    Packets,
    /// A terminal: line ends become CR LF.
    Terminal,
    /// As it is.
    Raw,
}

/// One open service.
#[derive(Debug)]
pub enum Service {
    /// It has said everything.
    Done,
    /// A line that waits for its input.
    Reading {
        /// The line.
        line: String,
        /// How it answers.
        form: Form,
        /// What has come of packets.
        buffer: BytesMut,
        /// The input so far.
        input: Vec<u8>,
        /// Bytes that are expected, where they are told.
        expected: Option<usize>,
    },
    /// A shell with somebody before it.
    Terminal {
        /// How it answers.
        form: Form,
        /// What has come of packets.
        buffer: BytesMut,
        /// The line so far.
        line: String,
    },
    /// The file service.
    Sync(FileSync),
    /// Prints without end.
    Flood(Form),
}

/// The most that a program's input may be.
const INPUT: usize = 256 * 1024 * 1024;

impl Service {
    /// Opens a service by its name; `None` if there is none of that name.
    pub fn open(card: &Card, name: &str) -> Option<(Self, Reaction)> {
        let (kind, rest) = name.split_once(':')?;
        let mut options = kind.split(',');
        match options.next()? {
            "shell" => {
                let options: Vec<&str> = options.collect();
                let form = if options.contains(&"v2") { Form::Packets } else { Form::Terminal };
                Some(Self::shell(card, rest, form))
            }
            "exec" => Some(Self::shell(card, rest, Form::Raw)),
            "sync" => Some((Self::Sync(FileSync::default()), Reaction::default())),
            "reboot" => {
                Some((Self::Done, Reaction { restarts: true, after: Duration::from_millis(20), ..Reaction::default() }))
            }
            "root" | "remount" => {
                let bytes = Bytes::from_static(b"adbd is already running as root\n");
                Some((Self::Done, Reaction { bytes, ends: true, ..Reaction::default() }))
            }
            _ => None,
        }
    }

    fn shell(card: &Card, line: &str, form: Form) -> (Self, Reaction) {
        if line.is_empty() {
            let prompt = wrap(form, &prompt(card), &[], None);
            let service = Self::Terminal { form, buffer: BytesMut::new(), line: String::new() };
            return (service, Reaction { bytes: prompt, ..Reaction::default() });
        }
        if card.faults.has(Fault::Flood) {
            return (Self::Flood(form), Reaction { bytes: flood(form), ..Reaction::default() });
        }
        if let Some(expected) = wants_input(line) {
            let service =
                Self::Reading { line: line.into(), form, buffer: BytesMut::new(), input: Vec::new(), expected };
            return (service, Reaction::default());
        }
        (Self::Done, finish(form, run(card, form, line, &[])))
    }

    /// Bytes from the host.
    pub fn input(&mut self, card: &Card, bytes: &[u8]) -> Reaction {
        match self {
            Self::Done | Self::Flood(_) => Reaction::default(),
            Self::Sync(sync) => {
                Reaction { bytes: sync.input(card, bytes), ends: sync.has_quit(), ..Reaction::default() }
            }
            Self::Reading { line, form, buffer, input, expected } => {
                let mut ended = false;
                if *form == Form::Packets {
                    ended = unwrap(buffer, bytes, input);
                } else {
                    input.extend_from_slice(bytes);
                }
                ended |= expected.is_some_and(|expected| input.len() >= expected) || input.len() > INPUT;
                if !ended {
                    return Reaction::default();
                }
                let reaction = finish(*form, run(card, *form, line, input));
                *self = Self::Done;
                reaction
            }
            Self::Terminal { form, buffer, line } => {
                let mut typed = Vec::new();
                if *form == Form::Packets {
                    unwrap(buffer, bytes, &mut typed);
                } else {
                    typed.extend_from_slice(bytes);
                }
                terminal(card, *form, line, &typed)
            }
        }
    }

    /// What follows once the host has taken the last payload.
    pub fn more(&mut self) -> Option<Bytes> {
        match self {
            Self::Flood(form) => Some(flood(*form)),
            Self::Done | Self::Reading { .. } | Self::Terminal { .. } | Self::Sync(_) => None,
        }
    }
}

/// Whether a line reads its input, and how many bytes of it if that is told.
fn wants_input(line: &str) -> Option<Option<usize>> {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('\'')).collect();
    if let Some(at) = words.iter().position(|word| *word == "-S") {
        return Some(words.get(at + 1).and_then(|size| size.parse().ok()));
    }
    matches!(words.as_slice(), ["cat"] | ["wc", ..]).then_some(None)
}

/// Takes input out of packets; whether its end was told.
fn unwrap(buffer: &mut BytesMut, bytes: &[u8], input: &mut Vec<u8>) -> bool {
    buffer.extend_from_slice(bytes);
    let mut ended = false;
    while let Ok(Some((kind, content))) = take_packet(buffer) {
        match kind {
            packet::STDIN => input.extend_from_slice(&content),
            packet::CLOSE_STDIN => ended = true,
            _ => {}
        }
    }
    ended
}

fn wrap(form: Form, out: &[u8], err: &[u8], exit: Option<u8>) -> Bytes {
    let mut bytes = BytesMut::new();
    match form {
        Form::Packets => {
            for (kind, text) in [(packet::STDOUT, out), (packet::STDERR, err)] {
                for part in text.chunks(64 * 1024) {
                    put_packet(&mut bytes, kind, part);
                }
            }
            if let Some(code) = exit {
                put_packet(&mut bytes, packet::EXIT, &[code]);
            }
        }
        Form::Raw => {
            bytes.extend_from_slice(out);
            bytes.extend_from_slice(err);
        }
        Form::Terminal => {
            for byte in out.iter().chain(err) {
                if *byte == b'\n' {
                    bytes.extend_from_slice(b"\r");
                }
                bytes.extend_from_slice(&[*byte]);
            }
        }
    }
    bytes.freeze()
}

fn run(card: &Card, form: Form, line: &str, input: &[u8]) -> Ran {
    if form == Form::Packets { sh::run(card, line, input) } else { sh::run_merged(card, line, input) }
}

fn finish(form: Form, ran: Ran) -> Reaction {
    if ran.restarts {
        return Reaction { restarts: true, after: Duration::from_millis(20), ..Reaction::default() };
    }
    Reaction { bytes: wrap(form, &ran.out, &ran.err, Some(ran.code)), ends: true, after: ran.after, restarts: false }
}

fn flood(form: Form) -> Bytes {
    wrap(form, &[b'x'; 32 * 1024], &[], None)
}

fn prompt(card: &Card) -> Vec<u8> {
    format!("{}:/ # ", card.board().0).into_bytes()
}

/// Echoes what is typed, and runs whole lines.
fn terminal(card: &Card, form: Form, line: &mut String, typed: &[u8]) -> Reaction {
    let mut out = Vec::new();
    for c in String::from_utf8_lossy(typed).chars() {
        match c {
            '\r' | '\n' => {
                out.extend_from_slice(b"\r\n");
                let entered = std::mem::take(line);
                if entered.trim() == "exit" {
                    return Reaction { bytes: wrap(form, &out, &[], Some(0)), ends: true, ..Reaction::default() };
                }
                let ran = sh::run_merged(card, &entered, &[]);
                if ran.restarts {
                    return finish(form, ran);
                }
                out.extend(String::from_utf8_lossy(&ran.out).replace('\n', "\r\n").into_bytes());
                out.extend(prompt(card));
            }
            '\u{3}' => {
                line.clear();
                out.extend_from_slice(b"^C\r\n");
                out.extend(prompt(card));
            }
            '\u{4}' => return Reaction { bytes: wrap(form, &out, &[], Some(0)), ends: true, ..Reaction::default() },
            '\u{8}' | '\u{7f}' => out.extend(line.pop().map(|_| b"\x08 \x08").into_iter().flatten()),
            c if line.len() < 4096 => {
                line.push(c);
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => {}
        }
    }
    // The terminal made the line ends already.
    let form = if form == Form::Terminal { Form::Raw } else { form };
    Reaction { bytes: wrap(form, &out, &[], None), ..Reaction::default() }
}
