//! A confined process can read what is open and exit, and nothing else. Each attempt is a process of its own.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use inspect::Limits;
use rustix::process::Signal;

const TRY: &str = "CONFINED_TRY";
const LIMITS: Limits = Limits { memory: 64 << 20, processor_s: 1, stack: 1 << 20, answer: 1 << 20 };

/// Runs one of the attempts below in a confined process that has a file as its standard input, and another for its
/// answer. Returns how it ended, its answer and its complaint.
fn tried(what: &str) -> (ExitStatus, String, String) {
    let [mut file, mut answer, mut complaint] = [(); 3].map(|()| tempfile::tempfile().expect("a file"));
    file.write_all(b"what was sent").and_then(|()| file.rewind()).expect("written");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["confine::the_process_that_is_confined", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(TRY, what).stdin(Stdio::from(file)).stdout(Stdio::from(answer.try_clone().expect("open")));
    command.stderr(Stdio::from(complaint.try_clone().expect("open")));
    let status = command.status().expect("started");
    let text = |file: &mut File| {
        let mut told = String::new();
        file.rewind().and_then(|()| file.read_to_string(&mut told)).expect("a text");
        told
    };
    (status, text(&mut answer), text(&mut complaint))
}

#[test]
fn what_is_open_can_be_read_and_nothing_else_is_opened() {
    for what in ["read", "open", "write", "connect", "listen", "start"] {
        let (_, told, _) = tried(what);
        let end = if what == "read" { "done: what was sent" } else { "refused: PermissionDenied" };
        assert!(told.contains(end), "{what}: {told}");
    }
}

#[test]
fn what_wants_too_much_ends_in_a_way_that_tells_what_it_was() {
    for (what, signal, words) in [
        ("memory", Signal::ABORT, "memory allocation of"),
        ("processor", Signal::XCPU, ""),
        ("stack", Signal::ABORT, "overflowed its stack"),
        ("answer", Signal::XFSZ, ""),
    ] {
        let (status, told, complaint) = tried(what);
        let has_ended = told.contains("began") && !told.contains("done") && !told.contains("refused");
        assert!(has_ended, "{what}: {status} {}", told.chars().take(400).collect::<String>());
        assert_eq!(status.signal(), Some(signal.as_raw()), "{what}: {status} {complaint}");
        assert!(complaint.contains(words), "{what}: {complaint}");
    }
}

#[test]
#[ignore = "it is the process that the tests above confine"]
fn the_process_that_is_confined() {
    let Ok(what) = std::env::var(TRY) else { return };
    let mut file = File::from(std::os::fd::AsFd::as_fd(&std::io::stdin()).try_clone_to_owned().expect("open"));
    inspect::confine(&LIMITS).expect("confined");
    println!("began");
    let told = match what.as_str() {
        "read" => {
            let mut text = String::new();
            file.read_to_string(&mut text).map(|_| text)
        }
        "open" => std::fs::read_to_string("/etc/hostname"),
        "write" => File::create("/tmp/confined-process").map(|_| String::new()),
        "connect" => TcpStream::connect("127.0.0.1:9").map(|_| String::new()),
        "listen" => std::net::TcpListener::bind("127.0.0.1:0").map(|_| String::new()),
        "start" => Command::new("/bin/true").status().map(|_| String::new()),
        "memory" => Ok(format!("{}", vec![1_u8; 100 << 20].iter().map(|byte| usize::from(*byte)).sum::<usize>())),
        "processor" => loop {
            std::hint::spin_loop();
        },
        "stack" => Ok(deep(1 << 20).to_string()),
        _ => {
            let line = "x".repeat(1 << 16);
            (0..1 << 10).try_for_each(|_| writeln!(std::io::stdout(), "{line}")).map(|()| String::new())
        }
    };
    match told {
        Ok(text) => println!("done: {text}"),
        Err(error) => println!("refused: {:?}", error.kind()),
    }
}

/// As many frames as requested, none of which can be optimized away.
fn deep(left: u64) -> u64 {
    let here = std::hint::black_box([left; 16]);
    if left == 0 { here[3] } else { deep(left - 1).wrapping_add(here[7]) }
}
