//! Why a reader ended without an answer.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use db::Trouble;
use inspect::Limits;
use kernel::rules::{Violation, byte_size};
use rustix::process::Signal;

use super::child;
use crate::fault::Fault;

/// What the standard library says before it gives up for want of memory.
const NO_MEMORY: &str = "memory allocation of";

/// What the end of a reader is to whoever sent the file; `words` are what it said at last.
pub(super) fn fault(status: ExitStatus, words: &str, limits: &Limits) -> Fault {
    if status.code() == Some(child::NOT_CONFINED.into()) {
        return Fault::Unavailable(anyhow::anyhow!("a file inspector cannot be confined: {words}"));
    }
    if let Some(error) = of_the_disk(status) {
        return Fault::Unavailable(anyhow::Error::new(error).context("a file inspector cannot read or answer"));
    }
    Fault::field("file", violation(status, words, limits))
}

/// The error of our own disk for which it gave up: the system's number is its exit code.
fn of_the_disk(status: ExitStatus) -> Option<io::Error> {
    let error = io::Error::from_raw_os_error(status.code()?);
    Trouble::in_chain(&error).is_some().then_some(error)
}

/// Which limit the file broke; that it broke its reader, if none.
fn violation(status: ExitStatus, words: &str, limits: &Limits) -> Violation {
    let is = |signal: Signal| status.signal() == Some(signal.as_raw());
    if is(Signal::XCPU) {
        Violation::new("file.tooMuchTime").with("seconds", limits.processor_s)
    } else if is(Signal::XFSZ) {
        Violation::new("file.tooMuchText").with("max", byte_size(limits.answer))
    } else if is(Signal::ABORT) && words.contains(NO_MEMORY) {
        Violation::new("file.tooMuchMemory").with("memory", byte_size(limits.memory))
    } else {
        unreadable()
    }
}

/// The reader crashed, or answered nonsense: the file's fault, never the caller's or ours.
pub(crate) fn unreadable() -> Violation {
    Violation::new("file.unreadable")
}
