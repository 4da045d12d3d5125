//! The services that a host can open on a card: shells, programs, the file service, ports, the restart.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use adb::shell::{packet, put_packet, take_packet};
use bytes::{Bytes, BytesMut};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use crate::card::Card;
use crate::fault::Fault;
use crate::filesync::FileSync;
use crate::reverse;
use crate::shell::fd::{AHEAD, Fd, Outlet, Said};
use crate::shell::pipe::{Reader, Writer, told};
use crate::shell::{Shell, jobs};
use crate::terminal;

/// How what a program prints is wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The second shell protocol.
    Packets,
    /// A terminal: line ends become CR LF.
    Terminal,
    /// A terminal within the second shell protocol.
    TerminalPackets,
    /// As it is.
    Raw,
}

/// What is done as soon as a service is open.
#[derive(Debug, Default)]
pub struct Opened {
    /// To be sent.
    pub bytes: Bytes,
    /// Then the stream ends.
    pub ends: bool,
}

/// One open service.
#[derive(Debug)]
pub enum Service {
    /// It has ended.
    Done,
    /// Something that runs, or somebody who talks.
    Running(Running),
    /// The file service.
    Sync(Box<FileSync>),
    /// Prints endlessly.
    Flood(Form),
}

/// A program or a port, and how to end it.
#[derive(Debug)]
pub struct Running {
    form: Form,
    /// What has come of packets.
    buffer: BytesMut,
    input: Option<Writer>,
    room: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
        // What goes on without it can say nothing more.
        self.room.close();
    }
}

/// The destination of a service's output.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The card.
    pub card: &'a Arc<Card>,
    /// The stream's number.
    pub id: u32,
    /// The connection.
    pub sender: &'a UnboundedSender<(u32, Said)>,
}

impl Line<'_> {
    /// Runs something whose input comes from the host and whose two outputs go there.
    fn run<F>(self, form: Form, start: impl FnOnce(Reader, Arc<Outlet>, Arc<Outlet>) -> F) -> Running
    where
        F: Future<Output = u8> + Send + 'static,
    {
        let (id, sender) = (self.id, self.sender.clone());
        let (input, reader) = told(move || {
            let _ = sender.send((id, Said::Taken));
        });
        let room = Arc::new(Semaphore::new(AHEAD));
        let slow = self.card.faults.has(Fault::Slow);
        let (out, err) = Outlet::pair(self.id, self.sender, &room, slow);
        let out = Arc::new(out);
        // One output for everything, in the order in which it is written.
        let err = if form == Form::Packets { Arc::new(err) } else { Arc::clone(&out) };
        let last = Arc::clone(&out);
        let program = start(reader, out, err);
        let task = tokio::spawn(async move {
            let code = program.await;
            last.exit(code).await;
        });
        Running { form, buffer: BytesMut::new(), input: Some(input), room, task }
    }

    fn shell(self, text: &str, form: Form) -> (Service, Opened) {
        let card = Arc::clone(self.card);
        if text.is_empty() {
            let form = if form == Form::Packets { Form::TerminalPackets } else { Form::Terminal };
            let running = self.run(form, |reader, out, _| terminal::serve(card, reader, out));
            return (Service::Running(running), Opened::default());
        }
        if card.faults.has(Fault::Flood) {
            return (Service::Flood(form), Opened { bytes: flood(form), ends: false });
        }
        let text = text.to_owned();
        let running = self.run(form, |reader, out, err| {
            let (stdin, stdout, stderr) = (Fd::Reader(Arc::new(reader)), Fd::Outlet(out), Fd::Outlet(err));
            jobs::line(Shell::new(&card, stdin, stdout, stderr), text)
        });
        (Service::Running(running), Opened::default())
    }

    /// Talks to a port of the card, or for a program of the card to the host.
    pub fn port(self, to: Writer, from: Arc<Reader>) -> Service {
        let running = self.run(Form::Raw, |reader, out, _| async move {
            let out = Fd::Outlet(out);
            let sends = async {
                loop {
                    let bytes = reader.read(64 * 1024).await;
                    if bytes.is_empty() || to.write(&bytes).await.is_err() {
                        break;
                    }
                }
                drop(to);
                std::future::pending::<()>().await;
            };
            let takes = async {
                loop {
                    let bytes = from.read(64 * 1024).await;
                    if bytes.is_empty() || out.write(&bytes).await.is_err() {
                        break;
                    }
                }
            };
            tokio::select! {
                () = sends => {}
                () = takes => {}
            }
            0
        });
        Service::Running(running)
    }

    /// Opens a service by its name; `None` if there is none of that name.
    pub fn open(self, name: &str) -> Option<(Service, Opened)> {
        let (kind, rest) = name.split_once(':')?;
        let mut options = kind.split(',');
        let done = |text: Vec<u8>| Some((Service::Done, Opened { bytes: text.into(), ends: true }));
        match options.next()? {
            "shell" => {
                let packets = options.any(|option| option == "v2");
                Some(self.shell(rest, if packets { Form::Packets } else { Form::Terminal }))
            }
            "exec" => Some(self.shell(rest, Form::Raw)),
            "sync" => Some((Service::Sync(Box::default()), Opened::default())),
            "reboot" => {
                let card = Arc::clone(self.card);
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    card.count("reboot");
                    card.restart();
                });
                Some((Service::Done, Opened::default()))
            }
            "root" | "remount" if self.card.has_root() => done(b"adbd is already running as root\n".to_vec()),
            "root" => done(b"adbd cannot run as root in production builds\n".to_vec()),
            "remount" => done(b"Not running as root. Try \"adb root\" first.\n".to_vec()),
            "reverse" => done(reverse::command(self.card, rest, self.sender).into_bytes()),
            "tcp" => {
                let (to, from) = self.card.dial(rest.split(':').next()?.parse().ok()?)?;
                Some((self.port(to, from), Opened::default()))
            }
            _ => None,
        }
    }
}

impl Service {
    /// Bytes from the host. Whether it can take more at once.
    pub fn input(&mut self, card: &Arc<Card>, bytes: &[u8]) -> (Opened, bool) {
        match self {
            Self::Done | Self::Flood(_) => (Opened::default(), true),
            Self::Sync(sync) => {
                let bytes = sync.input(card, bytes);
                (Opened { bytes, ends: sync.has_quit() }, true)
            }
            Self::Running(running) => (Opened::default(), running.input(bytes)),
        }
    }

    /// What follows once the host has taken the last payload.
    pub fn more(&mut self, card: &Arc<Card>) -> Option<Bytes> {
        match self {
            Self::Flood(form) => Some(flood(*form)),
            Self::Sync(sync) => sync.more(card),
            Self::Done | Self::Running(_) => None,
        }
    }

    /// Whether it can take more.
    #[must_use]
    pub fn has_room(&self) -> bool {
        match self {
            Self::Running(running) => running.has_room(),
            Self::Done | Self::Sync(_) | Self::Flood(_) => true,
        }
    }

    /// What is sent when something was printed, or it has ended.
    #[must_use]
    pub fn wrap(&self, out: &[u8], err: &[u8], exit: Option<u8>) -> Bytes {
        match self {
            Self::Running(running) => wrap(running.form, out, err, exit),
            Self::Done | Self::Sync(_) | Self::Flood(_) => Bytes::new(),
        }
    }

    /// Allows it to print this many more bytes.
    pub fn give_room(&self, bytes: usize) {
        if let Self::Running(running) = self {
            running.room.add_permits(bytes);
        }
    }

    /// The host has closed the stream. What has no terminal and no packets reads the end of its input, and goes on as
    /// long as it prints nothing; the rest dies with its stream.
    #[must_use]
    pub fn lingers(&mut self) -> bool {
        match self {
            Self::Running(running) if running.form == Form::Raw => {
                running.input = None;
                running.room.close();
                true
            }
            Self::Done | Self::Running(_) | Self::Sync(_) | Self::Flood(_) => false,
        }
    }
}

impl Running {
    fn input(&mut self, bytes: &[u8]) -> bool {
        let packets = matches!(self.form, Form::Packets | Form::TerminalPackets);
        let (mut typed, mut ended) = (Vec::new(), false);
        if packets {
            ended = unwrap(&mut self.buffer, bytes, &mut typed);
        } else {
            typed.extend_from_slice(bytes);
        }
        if let Some(input) = &self.input {
            input.push(&typed);
        }
        if ended {
            self.input = None;
        }
        self.has_room()
    }

    fn has_room(&self) -> bool {
        self.input.as_ref().is_none_or(|input| input.waiting() < AHEAD)
    }
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

/// Line ends of a terminal.
fn carriages(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for byte in bytes {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}

fn wrap(form: Form, out: &[u8], err: &[u8], exit: Option<u8>) -> Bytes {
    match form {
        Form::Packets | Form::TerminalPackets => {
            let mut bytes = BytesMut::with_capacity(out.len() + err.len() + 64);
            for (kind, text) in [(packet::STDOUT, out), (packet::STDERR, err)] {
                let text = if form == Form::Packets { Cow::Borrowed(text) } else { carriages(text).into() };
                for part in text.chunks(64 * 1024) {
                    put_packet(&mut bytes, kind, part);
                }
            }
            if let Some(code) = exit {
                put_packet(&mut bytes, packet::EXIT, &[code]);
            }
            bytes.freeze()
        }
        Form::Raw => [out, err].concat().into(),
        Form::Terminal => carriages(&[out, err].concat()).into(),
    }
}

fn flood(form: Form) -> Bytes {
    wrap(form, &[b'x'; 32 * 1024], &[], None)
}
