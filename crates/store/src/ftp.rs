//! FTP (RFC 959) and FTP over TLS (RFC 4217, explicit).
//!
//! Servers differ. What this keeps to, and why: data connections go to the address of the control connection, since a
//! server behind NAT tells its private one; files are written under another name and renamed, under a new one each time,
//! since ProFTPD forbids to go on with an upload or to overwrite; their size is asked for after writing and before
//! reading, since neither a broken connection nor a full disk is always told; parts of a file are not asked for, since
//! `ABOR` leaves many servers in a state of their own.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use outbound::{Fingerprint, Rule, Seen, tls};
use suppaftp::list::ListParser;
use suppaftp::types::FileType;
use suppaftp::{FtpError, Mode, RustlsConnector, RustlsFtpStream, Status};
use zeroize::Zeroizing;

use crate::{Kind, Listed, Pace, Step, Store, Trouble, is_part, part_name, size_of};

/// To connect.
const CONNECT: Duration = Duration::from_secs(10);
/// Without a byte.
const SILENCE: Duration = Duration::from_secs(30);
/// Bytes that are sent at a time.
const PIECE: usize = 64 * 1024;
/// Connections that are kept for the next caller: servers allow few.
const KEPT: usize = 4;

/// How an FTP server is reached.
#[derive(Clone)]
pub struct FtpSettings {
    /// A name or an address.
    pub host: String,
    /// 21 as a rule.
    pub port: u16,
    /// The user.
    pub user: String,
    /// The password.
    pub password: Zeroizing<String>,
    /// The folder that everything is in; absolute, or relative to where the user begins.
    pub folder: String,
    /// The server connects to us instead of the other way round.
    pub is_active: bool,
    /// Encrypted, to whoever shows this certificate; without one nothing is encrypted.
    pub pin: Option<Fingerprint>,
    /// Where it may be.
    pub outbound: Rule,
}

impl std::fmt::Debug for FtpSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, user, password: _, folder, is_active, pin, outbound: _ } = self;
        f.debug_struct("FtpSettings")
            .field("host", host)
            .field("port", port)
            .field("user", user)
            .field("folder", folder)
            .field("is_active", is_active)
            .field("pin", pin)
            .finish_non_exhaustive()
    }
}

/// An FTP server as a store.
pub struct Ftp {
    settings: FtpSettings,
    pace: Pace,
    idle: Mutex<Vec<RustlsFtpStream>>,
}

impl std::fmt::Debug for Ftp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ftp").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The certificate that a server shows after `AUTH TLS`, for a person to compare. Nothing secret is sent.
///
/// # Errors
/// When it cannot be reached or does not encrypt.
pub fn ftps_fingerprint(host: &str, port: u16, rule: &Rule) -> Result<Fingerprint, Trouble> {
    let seen = Seen::default();
    let plain = connect(host, port, rule)?;
    let encrypted = encrypt(plain, host, None, &seen);
    let found = *seen.lock();
    match (found, encrypted) {
        (Some(found), _) => Ok(found),
        (None, Err(trouble)) => Err(trouble),
        (None, Ok(_)) => Err(Trouble::new(Kind::Refused, Step::Encrypt, "it shows no certificate")),
    }
}

impl Ftp {
    /// The server; nothing is connected yet.
    #[must_use]
    pub fn new(settings: FtpSettings, pace: impl Into<Pace>) -> Self {
        Self { settings, pace: pace.into(), idle: Mutex::default() }
    }

    fn path(&self, path: &str) -> String {
        let folder = self.settings.folder.trim_end_matches('/');
        match (folder.is_empty(), path.is_empty()) {
            (_, true) if self.settings.folder.is_empty() => ".".to_owned(),
            (true, _) => format!("{}{path}", self.settings.folder),
            (false, true) => folder.to_owned(),
            (false, false) => format!("{folder}/{path}"),
        }
    }

    fn open(&self) -> Result<RustlsFtpStream, Trouble> {
        let FtpSettings { host, port, user, password, is_active, pin, outbound, .. } = &self.settings;
        let mut ftp = connect(host, *port, outbound)?;
        if pin.is_some() {
            ftp = encrypt(ftp, host, *pin, &Seen::default())?;
        }
        ftp.login(user.as_str(), password.as_str()).map_err(|error| told(Step::SignIn, &error))?;
        // It does not do so itself; without, servers alter what looks like the end of a line.
        ftp.transfer_type(FileType::Binary).map_err(|error| told(Step::SignIn, &error))?;
        Ok(if *is_active { ftp.active_mode(SILENCE) } else { ftp })
    }

    /// Does something with a connection. One that was kept may have been closed meanwhile: then it is done again with a
    /// new one.
    fn with<T>(&self, act: impl Fn(&mut RustlsFtpStream) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut ftp) = kept {
            match act(&mut ftp) {
                Err(trouble) if trouble.kind == Kind::Unreachable => {}
                done => {
                    self.keep(ftp);
                    return done;
                }
            }
        }
        let mut ftp = self.open()?;
        let done = act(&mut ftp);
        if !done.as_ref().is_err_and(|trouble| trouble.kind == Kind::Unreachable) {
            self.keep(ftp);
        }
        done
    }

    fn keep(&self, ftp: RustlsFtpStream) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(ftp);
        }
    }

    /// Writes `parts` to `path`, which nothing is at.
    fn send(&self, ftp: &mut RustlsFtpStream, path: &str, parts: &[Bytes]) -> Result<(), Trouble> {
        let told = |error: FtpError| told(Step::Write, &error);
        let mut stream = ftp.put_with_stream(path).map_err(told)?;
        let mut written = Ok(());
        for piece in parts.iter().flat_map(|part| part.chunks(PIECE)) {
            self.pace.up(piece.len());
            written = stream.write_all(piece);
            if written.is_err() {
                break;
            }
        }
        // What the server says of it comes first: that its disk is full is why it hung up.
        let finished = stream.finish();
        finished.map_err(told)?;
        written.map_err(|cause| Trouble::of(Step::Write, &cause))?;
        let (size, wanted) = (ftp.size(path).map_err(told)? as u64, size_of(parts));
        if size == wanted { Ok(()) } else { Err(cut(Step::Write, size, wanted)) }
    }

    /// Makes the folders that `path` is in.
    fn make_folders(ftp: &mut RustlsFtpStream, path: &str) {
        for (at, _) in path.match_indices('/').filter(|(at, _)| *at > 0) {
            // One that exists is refused, in many words. What is really wrong shows when the file is written.
            _ = ftp.mkdir(&path[..at]);
        }
    }

    /// The files and folders of one folder.
    fn look(ftp: &mut RustlsFtpStream, path: &str) -> Result<(Vec<Listed>, Vec<String>), Trouble> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        let lines = match ftp.mlsd(Some(path)) {
            Ok(lines) => lines.iter().map(|line| ListParser::parse_mlsd(line)).collect::<Vec<_>>(),
            Err(FtpError::UnexpectedResponse(answer)) if answer.status != Status::FileUnavailable => {
                // vsftpd has no MLSD.
                let lines = ftp.list(Some(path)).map_err(|error| told(Step::List, &error))?;
                lines
                    .iter()
                    .filter(|line| !line.starts_with("total "))
                    .map(|line| ListParser::parse_posix(line))
                    .collect()
            }
            Err(error) => return Err(told(Step::List, &error)),
        };
        for found in lines {
            let found = found.map_err(|error| Trouble::new(Kind::Broken, Step::List, error.to_string()))?;
            let name = found.name().to_owned();
            if name == "." || name == ".." {
                continue;
            }
            if found.is_directory() {
                folders.push(name);
            } else if found.is_file() && !is_part(&name) {
                files.push(Listed { name, size: found.size() as u64 });
            }
        }
        Ok((files, folders))
    }
}

impl Store for Ftp {
    fn list(&self, folder: &str, deep: bool) -> Result<Vec<Listed>, Trouble> {
        self.with(|ftp| {
            let mut found = Vec::new();
            let mut folders = vec![String::new()];
            while let Some(before) = folders.pop() {
                let path = self.path(format!("{folder}/{before}").trim_matches('/'));
                let (files, inner) = match Self::look(ftp, &path) {
                    Err(trouble) if trouble.kind == Kind::Missing => continue,
                    looked => looked?,
                };
                found.extend(files.into_iter().map(|one| Listed { name: format!("{before}{}", one.name), ..one }));
                if deep {
                    folders.extend(inner.into_iter().map(|name| format!("{before}{name}/")));
                }
            }
            Ok(found)
        })
    }

    fn read(&self, path: &str) -> Result<Bytes, Trouble> {
        let path = self.path(path);
        self.with(|ftp| {
            let told = |error: FtpError| told(Step::Read, &error);
            let wanted = ftp.size(&path).map_err(told)?;
            let mut stream = ftp.retr_as_stream(&path).map_err(told)?;
            let (mut bytes, mut piece) = (Vec::with_capacity(wanted), vec![0; PIECE]);
            let read = loop {
                match stream.read(&mut piece) {
                    Ok(0) => break Ok(()),
                    Ok(some) => {
                        self.pace.down(some);
                        bytes.extend_from_slice(&piece[..some]);
                    }
                    Err(cause) => break Err(cause),
                }
            };
            let finished = stream.finish();
            read.map_err(|cause| Trouble::of(Step::Read, &cause))?;
            finished.map_err(told)?;
            if bytes.len() == wanted {
                Ok(bytes.into())
            } else {
                Err(cut(Step::Read, bytes.len() as u64, wanted as u64))
            }
        })
    }

    fn read_part(&self, path: &str, offset: u64, length: usize) -> Result<Bytes, Trouble> {
        let whole = self.read(path)?;
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        match from.checked_add(length).filter(|to| *to <= whole.len()) {
            Some(to) => Ok(whole.slice(from..to)),
            None => Err(cut(Step::Read, whole.len() as u64, offset + length as u64)),
        }
    }

    fn write(&self, path: &str, parts: &[Bytes]) -> Result<(), Trouble> {
        let (name, part) = (self.path(path), self.path(&part_name(path)));
        self.with(|ftp| {
            let mut sent = self.send(ftp, &part, parts);
            if sent.as_ref().is_err_and(|trouble| matches!(trouble.kind, Kind::Missing | Kind::Refused)) {
                // Perhaps the folder is missing.
                Self::make_folders(ftp, &part);
                sent = self.send(ftp, &part, parts);
            }
            if let Err(trouble) = sent {
                _ = ftp.rm(&part);
                return Err(match trouble.kind {
                    Kind::Missing => Trouble { kind: Kind::Refused, ..trouble },
                    Kind::Refused | Kind::Full | Kind::Unreachable | Kind::Broken => trouble,
                });
            }
            let Err(error) = ftp.rename(&part, &name) else { return Ok(()) };
            // The same bytes may be there already, from an earlier try whose answer was lost.
            let is_there = ftp.size(&name).is_ok_and(|size| size as u64 == size_of(parts));
            _ = ftp.rm(&part);
            if is_there { Ok(()) } else { Err(told(Step::Rename, &error)) }
        })
    }

    fn remove(&self, path: &str) -> Result<(), Trouble> {
        let path = self.path(path);
        self.with(|ftp| match ftp.rm(&path).map_err(|error| told(Step::Remove, &error)) {
            // Servers say the same of a file that is not there and of one that may not go.
            Err(trouble) if trouble.kind == Kind::Missing && ftp.size(&path).is_ok() => {
                Err(Trouble { kind: Kind::Refused, ..trouble })
            }
            Err(trouble) if trouble.kind != Kind::Missing => Err(trouble),
            Ok(()) | Err(_) => Ok(()),
        })
    }
}

/// A plain connection that has said hello.
fn connect(host: &str, port: u16, rule: &Rule) -> Result<RustlsFtpStream, Trouble> {
    let refused = |cause: &std::io::Error| Trouble::of(Step::Connect, cause);
    let found = (host, port).to_socket_addrs().map_err(|cause| refused(&cause))?;
    let addresses = rule.permitted(host, found).map_err(|cause| refused(&cause))?;
    let mut last = std::io::Error::new(ErrorKind::NotFound, "the name has no address");
    for address in addresses {
        match dial(address) {
            Ok(stream) => {
                let ftp = RustlsFtpStream::connect_with_stream(stream).map_err(|error| told(Step::Connect, &error))?;
                // To the host that was checked, whatever the server says.
                let data = move |told: SocketAddr| {
                    dial(SocketAddr::new(address.ip(), told.port())).map_err(FtpError::ConnectionError)
                };
                let mut ftp = ftp.passive_stream_builder(data);
                ftp.set_mode(if address.is_ipv6() { Mode::ExtendedPassive } else { Mode::Passive });
                return Ok(ftp);
            }
            Err(cause) => last = cause,
        }
    }
    let trouble = refused(&last);
    // A closed port is no missing file.
    Err(Trouble { kind: if trouble.kind == Kind::Missing { Kind::Unreachable } else { trouble.kind }, ..trouble })
}

fn dial(address: SocketAddr) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, CONNECT)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn encrypt(
    ftp: RustlsFtpStream,
    host: &str,
    pin: Option<Fingerprint>,
    seen: &Seen,
) -> Result<RustlsFtpStream, Trouble> {
    let config =
        tls(pin, Arc::clone(seen)).map_err(|error| Trouble::new(Kind::Refused, Step::Encrypt, error.to_string()))?;
    let connector = RustlsConnector::from(Arc::new(config));
    ftp.into_secure(connector, host).map_err(|error| {
        let trouble = told(Step::Encrypt, &error);
        let is_other = pin.is_some_and(|pin| seen.lock().is_some_and(|found| found != pin));
        if is_other { Trouble::new(Kind::Refused, Step::Encrypt, "it shows another certificate") } else { trouble }
    })
}

fn cut(step: Step, found: u64, wanted: u64) -> Trouble {
    Trouble::new(Kind::Broken, step, format!("{found} of {wanted} bytes"))
}

/// What an error of the library means.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other answers are of a server that cannot just now")]
fn told(step: Step, error: &FtpError) -> Trouble {
    let kind = match error {
        FtpError::ConnectionError(cause) => return Trouble::of(step, cause).unless_missing(),
        FtpError::SecureError(_) => Kind::Refused,
        FtpError::UnexpectedResponse(answer) => match answer.status {
            Status::FileUnavailable => Kind::Missing,
            Status::RequestedActionNotTaken | Status::ExceededStorage => Kind::Full,
            Status::NotLoggedIn
            | Status::InvalidCredentials
            | Status::StoringNeedAccount
            | Status::BadFilename
            | Status::NotImplemented
            | Status::BadCommand => Kind::Refused,
            _ => Kind::Unreachable,
        },
        FtpError::BadResponse | FtpError::InvalidAddress(_) => Kind::Broken,
        FtpError::DataConnectionAlreadyOpen => Kind::Unreachable,
    };
    let text = match error {
        FtpError::UnexpectedResponse(answer) => {
            format!("{} {}", answer.status.code(), String::from_utf8_lossy(&answer.body).trim())
        }
        other => other.to_string(),
    };
    Trouble::new(kind, step, text)
}
