//! An interactive shell: input is echoed, edited and run line by line.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::card::Card;
use crate::shell::fd::{Fd, Outlet};
use crate::shell::pipe::{Reader, Writer, told};
use crate::shell::{Flow, Shell};

/// A line is no longer.
const LINE: usize = 4096;

/// What somebody types, in lines.
#[derive(Debug, Default)]
struct Editor {
    line: Vec<u8>,
    typed: VecDeque<u8>,
    /// The last byte was a carriage return: a line feed after it is the same key.
    returned: bool,
}

enum Typed {
    Line(String),
    /// Control and C.
    Interrupt,
    /// Control and D at the beginning of a line.
    End,
}

impl Editor {
    /// Takes what was typed up to the end of a line; what is to be shown goes to `shown`.
    fn next(&mut self, shown: &mut Vec<u8>) -> Option<Typed> {
        while let Some(byte) = self.typed.pop_front() {
            let after_return = std::mem::replace(&mut self.returned, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\r' | b'\n' => {
                    shown.push(b'\n');
                    let line = std::mem::take(&mut self.line);
                    return Some(Typed::Line(String::from_utf8_lossy(&line).into_owned()));
                }
                3 => {
                    self.line.clear();
                    shown.extend_from_slice(b"^C\n");
                    return Some(Typed::Interrupt);
                }
                4 if self.line.is_empty() => return Some(Typed::End),
                4 => {}
                8 | 127 if !self.line.is_empty() => {
                    while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
                    shown.extend_from_slice(b"\x08 \x08");
                }
                8 | 127 => {}
                byte if self.line.len() < LINE => {
                    self.line.push(byte);
                    shown.push(byte);
                }
                _ => {}
            }
        }
        None
    }
}

struct Terminal {
    raw: Reader,
    out: Fd,
    editor: Editor,
}

impl Terminal {
    async fn show(&self, bytes: &[u8]) -> bool {
        self.out.write(bytes).await.is_ok()
    }

    /// The next thing that is typed; nothing when nobody is there any more.
    async fn typed(&mut self) -> Option<Typed> {
        loop {
            let mut shown = Vec::new();
            let typed = self.editor.next(&mut shown);
            if !self.show(&shown).await {
                return None;
            }
            if typed.is_some() {
                return typed;
            }
            let bytes = self.raw.read(LINE).await;
            if bytes.is_empty() {
                return None;
            }
            self.editor.typed.extend(bytes);
        }
    }

    /// Runs a line; what is typed meanwhile is for the program where it reads, else for the next line. Nothing if it
    /// was interrupted.
    async fn run(&mut self, shell: &mut Shell, line: &str) -> Option<Result<(), Flow>> {
        let wants = Arc::new(Notify::new());
        let hook = Arc::clone(&wants);
        let (writer, reader) = told(move || hook.notify_one());
        let mut writer = Some(writer);
        shell.fds[0] = Some(Fd::Reader(Arc::new(reader)));
        let run = shell.run_text(line);
        tokio::pin!(run);
        let (mut open, mut wanting) = (true, false);
        loop {
            tokio::select! {
                done = &mut run => return Some(done),
                bytes = self.raw.read(LINE), if open => {
                    open = !bytes.is_empty();
                    if bytes.contains(&3) {
                        self.editor = Editor::default();
                        self.show(b"^C\n").await;
                        return None;
                    }
                    self.editor.typed.extend(bytes);
                }
                () = wants.notified() => wanting = true,
            }
            if wanting && writer.as_ref().is_some_and(|writer| writer.waiting() == 0) {
                self.feed(&mut writer, &mut wanting).await;
            }
        }
    }

    /// Gives a program that reads the next line.
    async fn feed(&mut self, writer: &mut Option<Writer>, wanting: &mut bool) {
        let mut shown = Vec::new();
        match self.editor.next(&mut shown) {
            Some(Typed::Line(line)) => {
                if let Some(writer) = writer {
                    writer.push(format!("{line}\n").as_bytes());
                }
                *wanting = false;
            }
            Some(Typed::End) => *writer = None,
            Some(Typed::Interrupt) | None => {}
        }
        self.show(&shown).await;
    }
}

/// Serves an interactive shell until it exits; returns its exit code.
pub async fn serve(card: Arc<Card>, raw: Reader, outlet: Arc<Outlet>) -> u8 {
    let out = Fd::Outlet(outlet);
    let mut shell = Shell::new(&card, Fd::NULL, out.clone(), out.clone());
    let mut terminal = Terminal { raw, out, editor: Editor::default() };
    loop {
        let sign = if card.has_root() { '#' } else { '$' };
        let prompt = format!("{}:{} {sign} ", card.board().0, shell.cwd);
        if !terminal.show(prompt.as_bytes()).await {
            return shell.status;
        }
        match terminal.typed().await {
            None => return shell.status,
            Some(Typed::End) => return shell.leave().await,
            Some(Typed::Interrupt) => shell.status = 130,
            Some(Typed::Line(line)) => match terminal.run(&mut shell, &line).await {
                // An interactive shell continues after an error; only `exit` ends it.
                Some(Err(Flow::Exit)) if shell.is_leaving() => return shell.leave().await,
                Some(_) => {}
                None => shell.status = 130,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_lines() {
        let mut editor = Editor::default();
        editor.typed.extend(b"lx\x7fs\r\n\x03pw\rrest");
        let mut shown = Vec::new();
        assert!(matches!(editor.next(&mut shown), Some(Typed::Line(line)) if line == "ls"));
        assert!(matches!(editor.next(&mut shown), Some(Typed::Interrupt)));
        assert!(matches!(editor.next(&mut shown), Some(Typed::Line(line)) if line == "pw"));
        assert!(editor.next(&mut shown).is_none());
        assert_eq!(shown, b"lx\x08 \x08s\n^C\npw\nrest");
    }
}
