//! A card's shell: lines are parsed by `brush-parser` and run over the card's files, each command when it is reached.

mod arith;
mod builtins;
pub mod common;
mod condition;
mod exec;
mod expand;
pub mod fd;
mod fields;
mod input;
pub mod jobs;
mod param;
pub mod pattern;
pub mod pipe;
mod redirect;
mod simple;
mod variables;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use brush_parser::ast::FunctionBody;
use brush_parser::{Parser, ParserOptions};

use parking_lot::MappedMutexGuard;

use crate::card::Card;
use crate::files::{FileError, Files, Found};
use crate::programs::proc::Proc;
pub use common::{Later, NAME};
use fd::Fd;
use jobs::Job;
use variables::Variables;

/// Functions, sourced files and substitutions in one another, at most.
const DEPTH: u32 = 60;

/// Why commands that follow are not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Out of so many loops.
    Break(u32),
    /// On with the loop so many further out.
    Continue(u32),
    /// Out of a function or sourced file.
    Return,
    /// Out of the shell.
    Exit,
}

/// Whether the next command runs. The exit code is in the shell.
pub type Done = Result<(), Flow>;

/// What `set` switches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    errexit: bool,
    nounset: bool,
    pipefail: bool,
    xtrace: bool,
    noglob: bool,
    noclobber: bool,
    allexport: bool,
}

/// A running shell.
#[derive(Debug)]
pub struct Shell {
    /// The card.
    pub card: Arc<Card>,
    /// Descriptors 0 to 9.
    pub fds: [Option<Fd>; 10],
    /// Variables.
    pub vars: Variables,
    /// The folder that it is in.
    pub cwd: String,
    /// The exit code of the last command.
    pub status: u8,
    /// `$1` and so on.
    pub params: Vec<String>,
    /// `$0`.
    pub name: String,
    functions: BTreeMap<String, Arc<FunctionBody>>,
    options: Options,
    umask: u32,
    uid: u32,
    pid: u32,
    jobs: Vec<Job>,
    last_job: Option<u32>,
    exit_trap: Option<String>,
    /// Within a condition, where errors are no reason to leave.
    tested: u32,
    depth: u32,
    loops: u32,
    /// The exit code of the last `$( )` in the command that is being expanded.
    substituted: Option<u8>,
    steps: u32,
    /// `exit` was called.
    leaving: bool,
    /// The end of the connection is nothing to it: `trap '' HUP`.
    deaf: Arc<AtomicBool>,
}

/// How lines are parsed: as `mksh` reads them, which knows `[[` and here-strings.
pub fn options() -> ParserOptions {
    ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() }
}

impl Shell {
    /// A shell of ADB's with these descriptors.
    pub fn new(card: &Arc<Card>, stdin: Fd, stdout: Fd, stderr: Fd) -> Self {
        let mut fds: [Option<Fd>; 10] = std::array::from_fn(|_| None);
        fds[0] = Some(stdin);
        fds[1] = Some(stdout);
        fds[2] = Some(stderr);
        Self {
            card: Arc::clone(card),
            fds,
            vars: Variables::android(),
            cwd: "/".into(),
            status: 0,
            params: Vec::new(),
            name: NAME.into(),
            functions: BTreeMap::new(),
            options: Options::default(),
            umask: 0,
            uid: card.adb_uid(),
            pid: card.next_pid(),
            jobs: Vec::new(),
            last_job: None,
            exit_trap: None,
            tested: 0,
            depth: 0,
            loops: 0,
            substituted: None,
            steps: 0,
            leaving: false,
            deaf: Arc::default(),
        }
    }

    /// A copy that goes its own way.
    fn subshell(&self) -> Self {
        Self {
            card: Arc::clone(&self.card),
            fds: self.fds.clone(),
            vars: self.vars.clone(),
            cwd: self.cwd.clone(),
            status: self.status,
            params: self.params.clone(),
            name: self.name.clone(),
            functions: self.functions.clone(),
            options: self.options,
            umask: self.umask,
            uid: self.uid,
            pid: self.pid,
            jobs: Vec::new(),
            last_job: self.last_job,
            exit_trap: None,
            tested: self.tested,
            depth: self.depth,
            loops: 0,
            substituted: None,
            steps: 0,
            leaving: false,
            deaf: Arc::new(AtomicBool::new(self.deaf.load(Ordering::Relaxed))),
        }
    }

    /// A shell with what a program has.
    #[must_use]
    pub fn within(proc: &Proc, name: &str, params: &[String]) -> Self {
        let [stdin, stdout, stderr] = proc.fds.clone();
        let mut shell = Self::new(&proc.card, stdin, stdout, stderr);
        for (name, value) in &proc.env {
            shell.vars.import(name, value);
        }
        shell.cwd.clone_from(&proc.cwd);
        shell.uid = proc.uid;
        shell.name = name.into();
        shell.params = params.to_vec();
        shell
    }

    /// Its process number.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it goes on when its connection ends; it may still change that.
    #[must_use]
    pub fn deaf(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.deaf)
    }

    /// Runs a text to its end with what the shell does when it leaves; returns its exit code.
    pub async fn run(&mut self, text: &str) -> u8 {
        let done = self.run_text(text).await;
        self.finish(done).await
    }

    /// Whether `exit` was called.
    #[must_use]
    pub const fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// Leaves, with what is to be done then; returns the exit code.
    pub async fn leave(&mut self) -> u8 {
        self.finish(Err(Flow::Exit)).await
    }

    /// What a shell does when it leaves: the trap, and jobs go on without it.
    async fn finish(&mut self, _done: Done) -> u8 {
        if let Some(trap) = self.exit_trap.take() {
            let code = self.status;
            self.tested = 0;
            let flow = self.run_text(&trap).await;
            if flow != Err(Flow::Exit) {
                self.status = code;
            }
        }
        self.release_jobs();
        self.status
    }

    /// Runs a text in this shell.
    pub fn run_text<'a>(&'a mut self, text: &'a str) -> Later<'a, Done> {
        Box::pin(async move {
            if self.depth >= DEPTH {
                self.complain("too deeply nested").await;
                self.status = 1;
                return Err(Flow::Exit);
            }
            let program = match Parser::new(text.as_bytes(), &options()).parse_program() {
                Ok(program) => program,
                Err(why) => {
                    self.complain(&format!("syntax error: {why}")).await;
                    self.status = 1;
                    return Err(Flow::Exit);
                }
            };
            self.depth += 1;
            for list in &program.complete_commands {
                let done = self.run_list(list).await;
                if done.is_err() {
                    self.depth -= 1;
                    return done;
                }
            }
            self.depth -= 1;
            Ok(())
        })
    }

    /// Says something on standard error, with the shell's name before it.
    pub async fn complain(&self, text: &str) {
        self.print_error(&format!("{}: {text}\n", self.name)).await;
    }

    async fn print_error(&self, text: &str) {
        if let Some(fd) = &self.fds[2] {
            let _ = fd.write(text.as_bytes()).await;
        }
    }

    /// Complains, and leaves.
    async fn fatal<T>(&mut self, text: &str) -> Result<T, Flow> {
        self.complain(text).await;
        self.status = 1;
        Err(Flow::Exit)
    }

    /// The card's files as this shell may use them.
    fn files(&self) -> MappedMutexGuard<'_, Files> {
        self.card.files_as(self.uid)
    }

    /// What is at a path.
    fn find(&self, path: &str, follow: bool) -> Result<Found, FileError> {
        self.card.find_as(self.uid, &self.absolute(path), follow)
    }

    /// A path as seen from where the shell is.
    fn absolute(&self, path: &str) -> String {
        common::absolute(&self.cwd, path)
    }
}
