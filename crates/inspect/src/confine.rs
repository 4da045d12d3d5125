//! Restrictions that a process which reads hostile files imposes on itself before it reads the first byte: limits of
//! memory, time, stack and output, and a filter of system calls. They cannot be lifted again.
//!
//! The filter allows reading what is open, writing the answer and exiting. Opening a file, a socket or a process, and
//! anything else, fails: there is no network and no other file, with or without namespaces.

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use rustix::process::{Resource, Rlimit, Signal, getppid, nice, set_parent_process_death_signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use serde::{Deserialize, Serialize};

/// The limits of an inspector process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of memory beyond what the program has at startup.
    pub memory: u64,
    /// Seconds of CPU time.
    pub processor_s: u64,
    /// Bytes of the stack.
    pub stack: u64,
    /// Bytes of the answer.
    pub answer: u64,
}

/// By how much others go first: such a process gets a quarter of a core that somebody else wants as well.
const BEHIND_OTHERS: i32 = 5;

/// Confines this process permanently. It must have one thread, and everything it needs must be open.
///
/// # Errors
/// When the system refuses a part of it: then nothing hostile may be read.
pub fn confine(limits: &Limits) -> io::Result<()> {
    let limit = |resource, current: u64, maximum: u64| {
        let limit = Rlimit { current: Some(current), maximum: Some(maximum) };
        setrlimit(resource, limit).map_err(io::Error::from)
    };
    let set = |resource, most| limit(resource, most, most);
    // Whoever waits for nothing but this file is not served before everybody else.
    nice(BEHIND_OTHERS)?;
    set(Resource::As, mapped()?.saturating_add(limits.memory))?;
    // At the first limit the signal says that it is the time; at the second one it kills.
    limit(Resource::Cpu, limits.processor_s, limits.processor_s + 1)?;
    set(Resource::Stack, limits.stack)?;
    set(Resource::Fsize, limits.answer)?;
    // A core dump would write the file's content to disk.
    set(Resource::Core, 0)?;
    apply_filter(&filter().map_err(io::Error::other)?).map_err(io::Error::other)
}

/// Has the system end this process when the one that started it ends, however that happens: nobody would take the
/// answer. The system looks at the thread that started it.
///
/// # Errors
/// When the system refuses, or the process `parent` has ended already.
pub fn end_with(parent: u32) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let now = getppid().map(|id| id.as_raw_nonzero().get());
    // It may have ended before the system was asked.
    if now.and_then(|id| u32::try_from(id).ok()) == Some(parent) {
        Ok(())
    } else {
        Err(io::Error::other("the process that asked has ended"))
    }
}

/// The address space of the process now: the program itself, and what its allocator reserved.
fn mapped() -> io::Result<u64> {
    let told = std::fs::read_to_string("/proc/self/status")?;
    let line =
        told.lines().find_map(|line| line.strip_prefix("VmSize:")).map(|rest| rest.trim_end_matches("kB").trim());
    let kilobytes: Option<u64> = line.and_then(|number| number.parse().ok());
    Ok(kilobytes.ok_or_else(|| io::Error::other("/proc/self/status is not understood"))?.saturating_mul(1024))
}

/// The allowed system calls; any other fails with EPERM.
fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let free = [
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_pread64,
        libc::SYS_lseek,
        libc::SYS_close,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_brk,
        libc::SYS_madvise,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_clock_gettime,
        libc::SYS_sched_yield,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_sigaltstack,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = free.into_iter().map(|call| (call, Vec::new())).collect();
    let executable = SeccompCmpOp::MaskedEq(libc::PROT_EXEC.unsigned_abs().into());
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        rules.insert(call, vec![only(2, executable.clone(), 0)?]);
    }
    for call in [libc::SYS_write, libc::SYS_writev] {
        rules.insert(call, vec![only(0, SeccompCmpOp::Eq, 1)?, only(0, SeccompCmpOp::Eq, 2)?]);
    }
    // A signal to itself, as after a panic; to nobody else.
    rules.insert(libc::SYS_tgkill, vec![only(0, SeccompCmpOp::Eq, std::process::id().into())?]);
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, refusal, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?.try_into()
}

/// The call is allowed if one of its arguments matches.
fn only(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, is, value)?])
}
