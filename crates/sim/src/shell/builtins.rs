//! What the shell does itself.

use std::sync::atomic::Ordering;

use super::common::seconds;
use super::fd::{Fd, Stop};
use super::{Done, Flow, Later, Shell, input};
use crate::files::{FileError, Right, join};

/// A builtin: the shell, and the words of the command.
pub type Builtin = for<'a> fn(&'a mut Shell, &'a [String]) -> Later<'a, Result<Done, Stop>>;

/// The builtin of this name.
pub fn find(name: &str) -> Option<Builtin> {
    Some(match name {
        ":" | "true" => |shell, _| shell.ends(0),
        "false" => |shell, _| shell.ends(1),
        "." | "source" => |shell, words| Box::pin(shell.source(words)),
        "[" => |shell, words| Box::pin(shell.bracket(words)),
        "test" => |shell, words| {
            Box::pin(async {
                shell.status = shell.test(&words[1..]).await;
                Ok(Ok(()))
            })
        },
        "break" => |shell, words| Box::pin(async { Ok(shell.leave_loop(words, Flow::Break)) }),
        "continue" => |shell, words| Box::pin(async { Ok(shell.leave_loop(words, Flow::Continue)) }),
        "builtin" | "command" => |shell, words| Box::pin(shell.command(words)),
        "cd" | "chdir" => |shell, words| Box::pin(shell.cd(words)),
        "echo" => |shell, words| Box::pin(async { shell.print(&input::echo(&words[1..])).await }),
        "printf" => |shell, words| Box::pin(shell.printf(words)),
        "eval" => |shell, words| Box::pin(shell.eval(words)),
        "exec" => |shell, words| Box::pin(shell.exec(words)),
        "exit" => |shell, words| {
            Box::pin(async {
                shell.take_code(words);
                shell.leaving = true;
                Ok(Err(Flow::Exit))
            })
        },
        "return" => |shell, words| {
            Box::pin(async {
                shell.take_code(words);
                Ok(Err(Flow::Return))
            })
        },
        "export" => |shell, words| Box::pin(shell.declare(words, |shell, name| shell.vars.export(name))),
        "readonly" => |shell, words| Box::pin(shell.declare(words, |shell, name| shell.vars.freeze(name))),
        "local" | "typeset" | "declare" => |shell, words| Box::pin(shell.local(words)),
        "let" => |shell, words| Box::pin(shell.let_(words)),
        "jobs" => |shell, _| shell.ends(0),
        "pwd" => |shell, _| {
            Box::pin(async {
                let text = format!("{}\n", shell.cwd);
                shell.print(text.as_bytes()).await
            })
        },
        "read" => |shell, words| {
            Box::pin(async {
                shell.status = shell.read(&words[1..]).await?;
                Ok(Ok(()))
            })
        },
        "set" => |shell, words| Box::pin(shell.set(words)),
        "shift" => |shell, words| Box::pin(shell.shift(words)),
        "sleep" => |shell, words| Box::pin(shell.sleep(words)),
        "trap" => |shell, words| Box::pin(shell.trap(words)),
        "type" | "whence" => |shell, words| Box::pin(shell.type_(words)),
        "umask" => |shell, words| Box::pin(shell.umask(words)),
        "unset" => |shell, words| Box::pin(shell.unset(words)),
        "wait" => |shell, words| {
            Box::pin(async {
                shell.status = shell.wait_for(&words[1..]).await;
                Ok(Ok(()))
            })
        },
        _ => return None,
    })
}

type Outcome = Result<Done, Stop>;

impl Shell {
    fn ends<'a>(&'a mut self, code: u8) -> Later<'a, Outcome> {
        self.status = code;
        Box::pin(async { Ok(Ok(())) })
    }

    /// Prints, and has succeeded.
    async fn print(&mut self, bytes: &[u8]) -> Outcome {
        let fd = self.fds[1].clone().unwrap_or(Fd::NULL);
        fd.write(bytes).await?;
        self.status = 0;
        Ok(Ok(()))
    }

    /// Complains, and has failed.
    async fn fails(&mut self, code: u8, text: &str) -> Outcome {
        self.complain(text).await;
        self.status = code;
        Ok(Ok(()))
    }

    /// The exit code that `exit` and `return` were given; without one it stays.
    fn take_code(&mut self, words: &[String]) {
        if let Some(code) = words.get(1) {
            self.status = u8::try_from(code.parse::<i64>().unwrap_or(1) & 0xff).unwrap_or(1);
        }
    }

    fn leave_loop(&mut self, words: &[String], flow: fn(u32) -> Flow) -> Done {
        self.status = 0;
        let count = words.get(1).and_then(|count| count.parse().ok()).unwrap_or(1).max(1);
        if self.loops == 0 { Ok(()) } else { Err(flow(count.min(self.loops))) }
    }

    async fn bracket(&mut self, words: &[String]) -> Outcome {
        match words.split_last() {
            Some((last, rest)) if last == "]" && !rest.is_empty() => {
                self.status = self.test(&rest[1..]).await;
                Ok(Ok(()))
            }
            _ => self.fails(2, "[: missing ]").await,
        }
    }

    async fn printf(&mut self, words: &[String]) -> Outcome {
        let Some(format) = words.get(1) else { return self.fails(1, "printf: needs 1 argument").await };
        let (out, complaint) = input::printf(format, &words[2..]);
        let done = self.print(&out).await?;
        match complaint {
            Some(why) => self.fails(1, &format!("printf: {why}")).await,
            None => Ok(done),
        }
    }

    async fn eval(&mut self, words: &[String]) -> Outcome {
        self.status = 0;
        let text = words[1..].join(" ");
        Ok(self.run_text(&text).await)
    }

    async fn source(&mut self, words: &[String]) -> Outcome {
        let Some(path) = words.get(1) else { return self.fails(1, ".: missing argument").await };
        let text = match self.card.open_as(self.uid, &self.absolute(path)) {
            Ok(inode) => inode.whole(1 << 20).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => None,
        };
        let Some(text) = text else { return self.fails(1, &format!(".: {path}: No such file or directory")).await };
        let params = (words.len() > 2).then(|| std::mem::replace(&mut self.params, words[2..].to_vec()));
        let done = self.run_text(&text).await;
        if let Some(params) = params {
            self.params = params;
        }
        Ok(if done == Err(Flow::Return) { Ok(()) } else { done })
    }

    /// `command` and `builtin`: functions are not looked at.
    async fn command(&mut self, words: &[String]) -> Outcome {
        match words.get(1).map(String::as_str) {
            None => {
                self.status = 0;
                Ok(Ok(()))
            }
            Some("-v") => match words.get(2).and_then(|name| self.locate(name)) {
                Some(place) => self.print(format!("{place}\n").as_bytes()).await,
                None => {
                    self.status = 1;
                    Ok(Ok(()))
                }
            },
            Some("-p") => self.run_found(&words[2..]).await,
            Some(_) => self.run_found(&words[1..]).await,
        }
    }

    async fn run_found(&mut self, words: &[String]) -> Outcome {
        let Some(name) = words.first() else { return Ok(Ok(())) };
        if let Some(builtin) = find(name) {
            return builtin(self, words).await;
        }
        self.status = self.run_program(words.to_vec(), Vec::new()).await;
        Ok(Ok(()))
    }

    async fn cd(&mut self, words: &[String]) -> Outcome {
        let back = words.get(1).is_some_and(|word| word == "-");
        let target = match words.get(1) {
            None => self.vars.get("HOME").unwrap_or("/").to_owned(),
            Some(_) if back => self.vars.get("OLDPWD").unwrap_or("/").to_owned(),
            Some(path) => path.clone(),
        };
        let path = logical(&self.absolute(&target));
        let found = self.find(&path, true).and_then(|found| match found.inode {
            Some(inode) if inode.is_folder() && !self.card.may(self.uid, &path, Right::Execute) => {
                Err(FileError::Denied)
            }
            inode => Ok(inode.is_some_and(|inode| inode.is_folder())),
        });
        match found {
            Ok(true) => {
                let old = std::mem::replace(&mut self.cwd, path);
                self.vars.set("OLDPWD", old);
                self.vars.set("PWD", self.cwd.clone());
                self.status = 0;
                if back {
                    return self.print(format!("{target}\n").as_bytes()).await;
                }
                Ok(Ok(()))
            }
            Ok(false) => self.fails(2, &format!("cd: {target}: Not a directory")).await,
            Err(why) => self.fails(2, &format!("cd: {target}: {}", why.words())).await,
        }
    }

    async fn exec(&mut self, words: &[String]) -> Outcome {
        self.status = 0;
        if words.len() == 1 {
            return Ok(Ok(()));
        }
        self.status = self.run_program(words[1..].to_vec(), Vec::new()).await;
        self.exit_trap = None;
        Ok(Err(Flow::Exit))
    }

    async fn declare(&mut self, words: &[String], mark: fn(&mut Self, &str)) -> Outcome {
        self.status = 0;
        for word in words[1..].iter().filter(|word| !word.starts_with('-')) {
            let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            if let Some(value) = value
                && !self.vars.set(name, value)
            {
                return self.fails(2, &format!("{name}: is read only")).await;
            }
            mark(self, name);
        }
        if words.len() == 1 || words[1] == "-p" {
            let text: String = self
                .vars
                .exported()
                .iter()
                .map(|(name, value)| format!("export {name}={}\n", super::simple::quoted(value)))
                .collect();
            return self.print(text.as_bytes()).await;
        }
        Ok(Ok(()))
    }

    async fn local(&mut self, words: &[String]) -> Outcome {
        self.status = 0;
        for word in words[1..].iter().filter(|word| !word.starts_with('-')) {
            let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            self.vars.hide(name);
            if let Some(value) = value {
                self.vars.set(name, value);
            }
        }
        Ok(Ok(()))
    }

    async fn let_(&mut self, words: &[String]) -> Outcome {
        let mut value = 0;
        for word in &words[1..] {
            value = match self.calculate(word).await {
                Ok(value) => value,
                Err(flow) => return Ok(Err(flow)),
            };
        }
        self.status = u8::from(value == 0);
        Ok(Ok(()))
    }

    async fn set(&mut self, words: &[String]) -> Outcome {
        self.status = 0;
        let mut words = words[1..].iter();
        if words.len() == 0 {
            let text: String =
                self.vars.all().map(|(name, value)| format!("{name}={}\n", super::simple::quoted(value))).collect();
            return self.print(text.as_bytes()).await;
        }
        while let Some(word) = words.next() {
            let on = word.starts_with('-');
            match word.as_str() {
                "--" => {
                    self.params = words.cloned().collect();
                    break;
                }
                "-o" | "+o" => {
                    if let Some(name) = words.next()
                        && !self.switch_named(name, on)
                    {
                        return self.fails(1, &format!("set: {name}: bad option")).await;
                    }
                }
                flags if flags.len() > 1 && flags.starts_with(['-', '+']) => {
                    for flag in flags.chars().skip(1) {
                        let known = match flag {
                            // `-eo pipefail`
                            'o' => words.next().is_some_and(|name| self.switch_named(name, on)),
                            flag => self.switch(flag, on),
                        };
                        if !known {
                            return self.fails(1, &format!("set: -{flag}: unknown option")).await;
                        }
                    }
                }
                first => {
                    self.params = std::iter::once(first.to_owned()).chain(words.cloned()).collect();
                    break;
                }
            }
        }
        Ok(Ok(()))
    }

    fn switch_named(&mut self, name: &str, on: bool) -> bool {
        let flag = match name {
            "pipefail" => {
                self.options.pipefail = on;
                return true;
            }
            "errexit" => 'e',
            "nounset" => 'u',
            "xtrace" => 'x',
            "noglob" => 'f',
            "noclobber" => 'C',
            "allexport" => 'a',
            "posix" | "sh" | "monitor" | "braceexpand" | "vi" | "emacs" => return true,
            _ => return false,
        };
        self.switch(flag, on)
    }

    const fn switch(&mut self, flag: char, on: bool) -> bool {
        let options = &mut self.options;
        match flag {
            'e' => options.errexit = on,
            'u' => options.nounset = on,
            'x' => options.xtrace = on,
            'f' => options.noglob = on,
            'C' => options.noclobber = on,
            'a' => options.allexport = on,
            'm' | 'h' | 'b' => {}
            _ => return false,
        }
        true
    }

    async fn shift(&mut self, words: &[String]) -> Outcome {
        let count = words.get(1).and_then(|count| count.parse().ok()).unwrap_or(1);
        if count > self.params.len() {
            return self.fails(1, "shift: nothing to shift").await;
        }
        self.params.drain(..count);
        self.status = 0;
        Ok(Ok(()))
    }

    async fn sleep(&mut self, words: &[String]) -> Outcome {
        let Some(time) = words.get(1) else { return self.fails(1, "sleep: Needs 1 argument").await };
        let Some(time) = seconds(time) else {
            return self.fails(1, &format!("sleep: Not a number '{time}'")).await;
        };
        tokio::time::sleep(time).await;
        self.status = 0;
        Ok(Ok(()))
    }

    async fn trap(&mut self, words: &[String]) -> Outcome {
        self.status = 0;
        let (action, signals) = match &words[1..] {
            [] => return Ok(Ok(())),
            [action, signals @ ..] if !signals.is_empty() => (action.as_str(), signals),
            signals => ("-", signals),
        };
        if signals.iter().any(|signal| matches!(signal.trim_start_matches("SIG"), "HUP" | "1")) {
            self.deaf.store(action.is_empty(), Ordering::Relaxed);
        }
        if signals.iter().any(|signal| signal == "EXIT" || signal == "0") {
            self.exit_trap = (action != "-").then(|| action.to_owned());
        }
        Ok(Ok(()))
    }

    async fn type_(&mut self, words: &[String]) -> Outcome {
        let mut text = String::new();
        let mut code = 0;
        for name in &words[1..] {
            text += &if self.functions.contains_key(name) {
                format!("{name} is a function\n")
            } else if find(name).is_some() {
                format!("{name} is a shell builtin\n")
            } else if let Some(place) = self.locate(name) {
                format!("{name} is {place}\n")
            } else {
                code = 1;
                format!("{name} not found\n")
            };
        }
        let done = self.print(text.as_bytes()).await;
        self.status = code;
        done
    }

    async fn umask(&mut self, words: &[String]) -> Outcome {
        match words.get(1).map(|text| u32::from_str_radix(text, 8)) {
            None => self.print(format!("{:03o}\n", self.umask).as_bytes()).await,
            Some(Ok(mask)) if mask <= 0o777 => {
                self.umask = mask;
                self.status = 0;
                Ok(Ok(()))
            }
            Some(_) => self.fails(1, &format!("umask: {}: bad number", words[1])).await,
        }
    }

    async fn unset(&mut self, words: &[String]) -> Outcome {
        self.status = 0;
        let functions = words.get(1).is_some_and(|word| word == "-f");
        for name in words[1..].iter().filter(|word| !word.starts_with('-')) {
            if functions {
                self.functions.remove(name);
            } else if !self.vars.unset(name) {
                return self.fails(1, &format!("unset: {name}: is read only")).await;
            }
        }
        Ok(Ok(()))
    }
}

/// A path without `.` and `..` in it, which are taken as they are written.
#[must_use]
pub fn logical(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    join("/", &parts.join("/"))
}
