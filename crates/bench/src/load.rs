//! A cheap load generator: HTTP/1.1 over persistent connections, prepared bytes, no parsing except the status line and
//! the length.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A request, ready to be written.
#[derive(Clone, Debug)]
pub struct Request(Vec<u8>);

impl Request {
    /// A request with a JSON body (none for `GET`).
    pub fn new(method: &str, path: &str, token: Option<&str>, body: &str) -> Self {
        let auth = token.map(|token| format!("authorization: {token}\r\n")).unwrap_or_default();
        Self::headed(method, path, &auth, body)
    }

    /// The same with these headers, a line each.
    pub fn headed(method: &str, path: &str, headers: &str, body: &str) -> Self {
        let body_head = if method == "GET" {
            String::new()
        } else {
            format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len())
        };
        Self(format!("{method} {path} HTTP/1.1\r\nhost: bench\r\n{headers}{body_head}\r\n{body}").into_bytes())
    }
}

impl Request {
    /// A `multipart/form-data` request with one file in the field `file`.
    pub fn upload(path: &str, token: &str, name: &str, file: &[u8]) -> Self {
        const BOUNDARY: &str = "skyrack-bench-boundary";
        let before = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: application/octet-stream\r\n\r\n"
        );
        let after = format!("\r\n--{BOUNDARY}--\r\n");
        let length = before.len() + file.len() + after.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: bench\r\nauthorization: {token}\r\n\
             content-type: multipart/form-data; boundary={BOUNDARY}\r\ncontent-length: {length}\r\n\r\n"
        );
        Self([head.as_bytes(), before.as_bytes(), file, after.as_bytes()].concat())
    }
}

/// An answer: the HTTP status and the body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    /// From the first byte sent to the first byte received.
    pub first_byte: Duration,
}

/// A persistent connection.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(to).await.with_context(|| format!("connect to {to}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(64 * 1024) })
    }

    pub async fn send(&mut self, request: &Request) -> anyhow::Result<Answer> {
        let started = Instant::now();
        self.stream.write_all(&request.0).await?;
        self.buffer.clear();
        let mut first_byte = Duration::ZERO;
        let head = loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if first_byte.is_zero() {
                first_byte = started.elapsed();
            }
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = std::str::from_utf8(&self.buffer[..head])?.to_ascii_lowercase();
        let status = text.get(9..12).and_then(|digits| digits.parse().ok()).context("no status line")?;
        if let Some(length) = text.lines().find_map(|line| line.strip_prefix("content-length: ")) {
            let length: usize = length.trim().parse()?;
            while self.buffer.len() < head + length {
                if self.stream.read_buf(&mut self.buffer).await? == 0 {
                    bail!("the body is short");
                }
            }
        } else {
            while !self.buffer.ends_with(b"\r\n0\r\n\r\n") && !self.buffer[head..].starts_with(b"0\r\n\r\n") {
                if self.stream.read_buf(&mut self.buffer).await? == 0 {
                    bail!("the body is short");
                }
            }
        }
        Ok(Answer { status, body: self.buffer[head..].to_vec(), first_byte })
    }
}

/// The result of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    pub p50: Duration,
    pub p99: Duration,
    pub per_second: f64,
}

/// One connection, `count` requests in a row: the latency.
pub async fn alone(to: SocketAddr, count: usize, next: impl Fn(usize) -> Request) -> anyhow::Result<Figures> {
    let mut connection = Connection::open(to).await?;
    let mut times = Vec::with_capacity(count);
    let all = Instant::now();
    for n in 0..count {
        let request = next(n);
        let started = Instant::now();
        check(&connection.send(&request).await?)?;
        times.push(started.elapsed());
    }
    Ok(figures(times, all.elapsed()))
}

/// `connections` at a time for `seconds`: the throughput.
pub async fn crowd(
    to: SocketAddr,
    connections: usize,
    seconds: u64,
    next: impl Fn(usize) -> Request + Clone + Send + 'static,
) -> anyhow::Result<Figures> {
    let until = Instant::now() + Duration::from_secs(seconds);
    let all = Instant::now();
    let mut tasks = Vec::new();
    for lane in 0..connections {
        let next = next.clone();
        tasks.push(tokio::spawn(async move {
            let mut connection = Connection::open(to).await?;
            let mut times = Vec::new();
            let mut n = lane;
            while Instant::now() < until {
                let request = next(n);
                let started = Instant::now();
                check(&connection.send(&request).await?)?;
                times.push(started.elapsed());
                n += connections;
            }
            anyhow::Ok(times)
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    Ok(figures(times, all.elapsed()))
}

fn check(answer: &Answer) -> anyhow::Result<()> {
    let refused = answer.body.starts_with(b"{\"status\":") && !answer.body.starts_with(b"{\"status\":0,");
    if answer.status != 200 || refused {
        bail!("HTTP {}: {}", answer.status, String::from_utf8_lossy(&answer.body[..answer.body.len().min(300)]));
    }
    Ok(())
}

fn figures(mut times: Vec<Duration>, all: Duration) -> Figures {
    times.sort_unstable();
    let at = |share: f64| {
        times
            .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    };
    Figures { p50: at(0.5), p99: at(0.99), per_second: times.len() as f64 / all.as_secs_f64() }
}
