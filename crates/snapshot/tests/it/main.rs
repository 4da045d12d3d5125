//! Copies, judged by Debian's `restic`, and what stands against each trap of the library.

#![expect(clippy::unwrap_used, reason = "this is a test")]

mod faults;
mod keep;
mod locks;
mod restic;
mod support;
mod traps;
