//! Commands that run beside the shell.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use brush_parser::ast::{AndOrList, Command, CommandPrefixOrSuffixItem};
use tokio::task::JoinHandle;

use super::fd::Fd;
use super::{Done, Shell};
use crate::card::Card;

/// A card runs no more at once: a line that starts itself twice ends here, and not with this machine's memory.
const PROCESSES: usize = 500;

/// A command that runs beside the shell, and dies with it unless it was let go.
#[derive(Debug)]
pub struct Job {
    pub pid: u32,
    handle: Option<JoinHandle<u8>>,
    card: Arc<Card>,
    /// Started by `nohup` or `setsid`: the end of the connection is nothing to it.
    stays: bool,
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take()
            && !self.stays
        {
            handle.abort();
            self.card.process_ended(self.pid);
        }
    }
}

/// A line that a host runs: a process of the card, which dies with the connection unless it is deaf to that.
#[derive(Debug)]
struct Foreground {
    pid: u32,
    card: Arc<Card>,
    handle: JoinHandle<u8>,
    deaf: Arc<AtomicBool>,
}

impl Drop for Foreground {
    fn drop(&mut self) {
        if !self.deaf.load(Ordering::Relaxed) {
            self.handle.abort();
            self.card.process_ended(self.pid);
        }
    }
}

/// Runs a host's line in a shell; returns its exit code.
pub fn line(mut shell: Shell, text: String) -> impl Future<Output = u8> + Send {
    let (pid, card, deaf) = (shell.pid(), Arc::clone(&shell.card), shell.deaf());
    let (shown, on) = (format!("sh -c {text}"), Arc::clone(&card));
    let handle = tokio::spawn(async move {
        let code = until_down(Arc::clone(&on), shell.run(&text)).await;
        on.process_ended(pid);
        code
    });
    card.process_started(pid, &shown, handle.abort_handle());
    async move {
        let mut foreground = Foreground { pid, card, handle, deaf };
        // What does not end by itself was killed.
        (&mut foreground.handle).await.unwrap_or(137)
    }
}

impl Job {
    /// Waits for its end; returns its exit code.
    async fn wait(mut self) -> u8 {
        let Some(handle) = &mut self.handle else { return 127 };
        let code = handle.await.unwrap_or(143);
        self.handle = None;
        code
    }
}

/// Whether a command is to outlive its shell.
fn stays(list: &AndOrList) -> bool {
    let [Command::Simple(command)] = list.first.seq.as_slice() else { return false };
    let assigned = |item: &CommandPrefixOrSuffixItem| matches!(item, CommandPrefixOrSuffixItem::AssignmentWord(..));
    let only_set = command.prefix.as_ref().is_none_or(|prefix| prefix.0.iter().all(assigned));
    only_set && command.word_or_name.as_ref().is_some_and(|word| matches!(word.value.as_str(), "nohup" | "setsid"))
}

/// Runs until it ends or the card goes down.
async fn until_down(card: Arc<Card>, run: impl Future<Output = u8>) -> u8 {
    tokio::select! {
        code = run => code,
        () = card.goes_down() => 143,
    }
}

impl Shell {
    /// Starts a command beside the shell.
    pub(super) async fn start_job(&mut self, list: &AndOrList) -> Done {
        if self.card.running() >= PROCESSES {
            return self.fatal("can't fork: Try again").await;
        }
        let mut sub = self.subshell();
        sub.fds[0] = Some(Fd::NULL);
        sub.pid = self.card.next_pid();
        sub.tested = 0;
        let (pid, card, list) = (sub.pid, Arc::clone(&self.card), Arc::new(list.clone()));
        let (text, stays) = (list.to_string(), stays(&list));
        let run = async move {
            let done = sub.run_and_or(&list).await;
            sub.finish(done).await
        };
        let ended = Arc::clone(&card);
        let handle = tokio::spawn(async move {
            let code = until_down(Arc::clone(&ended), run).await;
            ended.process_ended(pid);
            code
        });
        card.process_started(pid, &text, handle.abort_handle());
        self.jobs.push(Job { pid, handle: Some(handle), card, stays });
        self.last_job = Some(pid);
        self.status = 0;
        // A job begins before the command after it, as a rule.
        tokio::task::yield_now().await;
        Ok(())
    }

    /// The shell has ended by itself: its jobs go on.
    pub(super) fn release_jobs(&mut self) {
        for job in &mut self.jobs {
            job.stays = true;
        }
        self.jobs.clear();
    }

    /// `wait`.
    pub(super) async fn wait_for(&mut self, args: &[String]) -> u8 {
        if args.is_empty() {
            for job in std::mem::take(&mut self.jobs) {
                job.wait().await;
            }
            return 0;
        }
        let mut code = 127;
        for arg in args {
            let pid = arg.trim_start_matches('%').parse::<u32>().ok();
            let found = self.jobs.iter().position(|job| Some(job.pid) == pid);
            code = match found {
                Some(at) => self.jobs.remove(at).wait().await,
                None => 127,
            };
        }
        code
    }
}
