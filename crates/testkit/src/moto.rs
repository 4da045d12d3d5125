//! moto's S3 server, which neither side was written from.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// moto's S3 server, from the Python environment of the tests. It ends with the test.
#[derive(Debug)]
pub struct Moto {
    process: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Moto {
    /// Starts it; none if it is not installed.
    ///
    /// # Panics
    /// When it does not begin.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/moto_server");
        if !program.exists() {
            return None;
        }
        // At an address of this process' own: a port that was free a moment ago is anybody's.
        let [.., high, low] = std::process::id().to_be_bytes();
        let address = SocketAddr::from(([127, 91, high, low], 5000));
        let process = Command::new(program)
            .args(["-H", &address.ip().to_string(), "-p", &address.port().to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, address };
        for _ in 0..600 {
            if TcpStream::connect(address).is_ok() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("moto_server did not start within 30 s");
    }

    /// Makes a bucket.
    ///
    /// # Panics
    /// When it is refused.
    pub fn bucket(&self, name: &str) {
        self.ask("PUT", &format!("/{name}"));
    }

    /// What it answers to a question without a signature.
    ///
    /// # Panics
    /// When it refuses.
    #[must_use]
    pub fn get(&self, path: &str) -> String {
        self.ask("GET", path)
    }

    fn ask(&self, method: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close");
        write!(stream, "{head}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        answer
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
