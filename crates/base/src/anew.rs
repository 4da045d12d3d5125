//! The same program once more in the same process, with another environment: what a process was started with stays as it was.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

/// This program with the arguments that it was given.
///
/// # Errors
/// When the system does not say which program this is.
pub fn same() -> std::io::Result<Command> {
    let mut same = Command::new(program()?);
    same.args(std::env::args_os().skip(1));
    if let Some(called) = std::env::args_os().next() {
        same.arg0(called);
    }
    Ok(same)
}

/// Starts anew with these variables, unless all are set: whoever has set one wants it so, and it stays. Call it before there are
/// threads. It does not return where it has started anew.
///
/// # Errors
/// When it cannot; the process goes on as it was.
pub fn with(variables: &[(&str, &str)]) -> std::io::Result<()> {
    let lacking: Vec<_> = variables.iter().copied().filter(|(name, _)| std::env::var_os(name).is_none()).collect();
    if lacking.is_empty() { Ok(()) } else { Err(same()?.envs(lacking).exec()) }
}

/// This program, even if its file has been replaced since.
fn program() -> std::io::Result<PathBuf> {
    let named = std::env::current_exe()?;
    Ok(if named.is_file() { named } else { PathBuf::from("/proc/self/exe") })
}
