//! Simple commands: assignments, functions, builtins, programs.

use std::sync::Arc;

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, FunctionBody, IoRedirect, SimpleCommand,
};

use super::builtins::Builtin;
use super::fd::{Fd, Stop};
use super::{Done, Flow, Later, Shell, builtins};
use crate::files::{Kind, Right};
use crate::programs;
use crate::programs::proc::Proc;

/// Builtins whose arguments of the form `name=value` are assignments.
const DECLARING: &[&str] = &["export", "readonly", "local", "typeset", "declare"];

/// What a simple command is made of, expanded.
#[derive(Default)]
struct Parts<'a> {
    words: Vec<String>,
    set: Vec<(String, String)>,
    redirects: Vec<&'a IoRedirect>,
}

impl Shell {
    pub(super) async fn run_simple(&mut self, command: &SimpleCommand) -> Done {
        self.substituted = None;
        let parts = self.expand_command(command).await?;
        if self.options.xtrace {
            let set = parts.set.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
            let words = set.chain(parts.words.iter().map(|word| quoted(word))).collect::<Vec<_>>();
            self.print_error(&format!("+ {}\n", words.join(" "))).await;
        }
        let kept = (!parts.redirects.is_empty()).then(|| self.fds.clone());
        let opened = self.redirect_all(parts.redirects.iter().copied()).await;
        let done = match opened {
            Ok(true) => self.run_words(parts.words, parts.set, kept.is_some()).await,
            Ok(false) => {
                self.status = 1;
                Ok(false)
            }
            Err(flow) => Err(flow),
        };
        match (kept, done) {
            // `exec > file` is for good.
            (Some(_), Ok(true)) => Ok(()),
            (Some(kept), done) => {
                self.fds = kept;
                done.map(|_| ())
            }
            (None, done) => done.map(|_| ()),
        }
    }

    async fn expand_command<'a>(&mut self, command: &'a SimpleCommand) -> Result<Parts<'a>, Flow> {
        let mut parts = Parts::default();
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
        if let Some(word) = &command.word_or_name {
            parts.words.extend(self.expand_fields(&word.value).await?);
        }
        let declares = parts.words.first().is_some_and(|word| DECLARING.contains(&word.as_str()));
        for item in suffix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => parts.redirects.push(redirect),
                CommandPrefixOrSuffixItem::Word(word) => parts.words.extend(self.expand_fields(&word.value).await?),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) if declares => {
                    let (name, value) = self.assigned(assignment).await?;
                    parts.words.push(format!("{name}={value}"));
                }
                CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    parts.words.extend(self.expand_fields(&word.value).await?);
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {
                    return self.fatal("syntax error: this shell has no process substitution").await;
                }
            }
        }
        let alone = parts.words.is_empty();
        for item in prefix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => parts.redirects.push(redirect),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => {
                    let (name, value) = self.assigned(assignment).await?;
                    // The next one may use it.
                    if alone && !self.vars.set(&name, value.clone()) {
                        return self.fatal(&format!("{name}: is read only")).await;
                    }
                    parts.set.push((name, value));
                }
                CommandPrefixOrSuffixItem::Word(_) | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {}
            }
        }
        Ok(parts)
    }

    async fn assigned(&mut self, assignment: &Assignment) -> Result<(String, String), Flow> {
        let (AssignmentName::VariableName(name), AssignmentValue::Scalar(word)) = (&assignment.name, &assignment.value)
        else {
            return self.fatal("syntax error: this shell has no arrays").await;
        };
        let value = self.expand_assigned(&word.value).await?;
        let before = if assignment.append { self.vars.get(name).unwrap_or_default().to_owned() } else { String::new() };
        Ok((name.clone(), before + &value))
    }

    /// Runs expanded words; whether its redirections are for good.
    async fn run_words(
        &mut self,
        words: Vec<String>,
        set: Vec<(String, String)>,
        redirected: bool,
    ) -> Result<bool, Flow> {
        let Some(name) = words.first() else {
            self.status = self.substituted.unwrap_or(0);
            if self.options.allexport {
                set.iter().for_each(|(name, _)| self.vars.export(name));
            }
            return Ok(false);
        };
        if let Some(body) = self.functions.get(name).cloned() {
            return self.call(body, &words, set).await.map(|()| false);
        }
        if let Some(builtin) = builtins::find(name) {
            return self.run_builtin(builtin, &words, set, redirected).await;
        }
        self.status = self.run_program(words, set).await;
        Ok(false)
    }

    async fn run_builtin(
        &mut self,
        builtin: Builtin,
        words: &[String],
        set: Vec<(String, String)>,
        redirected: bool,
    ) -> Result<bool, Flow> {
        self.card.count(&format!("run:{}", words[0]));
        let kept = self.override_vars(set);
        let done = builtin(self, words).await;
        self.restore_vars(kept);
        match done {
            Ok(done) => done?,
            Err(stop) => self.stopped(&words[0], stop).await,
        }
        Ok(redirected && words.len() == 1 && words[0] == "exec")
    }

    /// Says why a program or builtin could not go on.
    async fn stopped(&mut self, name: &str, stop: Stop) {
        self.status = match stop {
            Stop::Broken => 141,
            Stop::Failed(why) => {
                self.print_error(&format!("{name}: {}\n", why.words())).await;
                1
            }
        };
    }

    fn override_vars(&mut self, set: Vec<(String, String)>) -> Vec<(String, Option<String>)> {
        let mut kept = Vec::new();
        for (name, value) in set {
            kept.push((name.clone(), self.vars.get(&name).map(str::to_owned)));
            self.vars.set(&name, value);
        }
        kept
    }

    fn restore_vars(&mut self, kept: Vec<(String, Option<String>)>) {
        for (name, value) in kept.into_iter().rev() {
            match value {
                Some(value) => self.vars.set(&name, value),
                None => self.vars.unset(&name),
            };
        }
    }

    /// Calls a function.
    fn call<'a>(
        &'a mut self,
        body: Arc<FunctionBody>,
        words: &'a [String],
        set: Vec<(String, String)>,
    ) -> Later<'a, Done> {
        Box::pin(async move {
            if self.depth >= super::DEPTH {
                return self.fatal("function: too deeply nested").await;
            }
            let kept = self.override_vars(set);
            let params = std::mem::replace(&mut self.params, words[1..].to_vec());
            let loops = std::mem::take(&mut self.loops);
            let fds = body.1.as_ref().map(|_| self.fds.clone());
            self.depth += 1;
            self.vars.enter();
            let done = match self.redirect_all(body.1.iter().flat_map(|list| &list.0)).await {
                Ok(true) => self.run_compound(&body.0).await,
                Ok(false) => {
                    self.status = 1;
                    Ok(())
                }
                Err(flow) => Err(flow),
            };
            self.vars.leave();
            self.depth -= 1;
            self.loops = loops;
            self.params = params;
            if let Some(fds) = fds {
                self.fds = fds;
            }
            self.restore_vars(kept);
            if done == Err(Flow::Return) { Ok(()) } else { done }
        })
    }

    /// Runs a program of the card, or a script among its files; returns its exit code.
    pub(super) async fn run_program(&mut self, words: Vec<String>, set: Vec<(String, String)>) -> u8 {
        let mut env = self.vars.exported();
        for (name, value) in set {
            env.retain(|(old, _)| *old != name);
            env.push((name, value));
        }
        let fd = |at: usize| self.fds[at].clone().unwrap_or(Fd::NULL);
        let proc = Proc {
            card: Arc::clone(&self.card),
            words,
            fds: [fd(0), fd(1), fd(2)],
            cwd: self.cwd.clone(),
            env,
            umask: self.umask,
            uid: self.uid,
        };
        programs::run(proc).await
    }

    /// Runs words as a command; returns its exit code.
    pub async fn run_words_of(&mut self, words: Vec<String>) -> u8 {
        let _ = self.run_words(words, Vec::new(), false).await;
        self.status
    }

    /// Whether a command of this name can be run, and how it is called then.
    pub(super) fn locate(&self, name: &str) -> Option<String> {
        if self.functions.contains_key(name) || builtins::find(name).is_some() {
            return Some(name.to_owned());
        }
        if programs::installed(&self.card, name).is_some() {
            return Some(if name.contains('/') { name.to_owned() } else { format!("/system/bin/{name}") });
        }
        let path = self.absolute(name);
        let found = self.find(&path, true).ok().filter(|_| name.contains('/'))?;
        let is_program = found.inode?.kind() == Kind::File && self.card.may(self.uid, &path, Right::Execute);
        is_program.then_some(path)
    }
}

/// A word as it would have to be typed.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+%@^=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
