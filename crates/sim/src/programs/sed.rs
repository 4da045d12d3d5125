//! `sed`: `s`, `d`, `p`, `q`, `y`, `=`, `a`, `i`, `c`, `n`, with addresses and groups. No labels, no hold space.

use ::regex::bytes::{Captures, Regex};

use super::input::bare;
use super::proc::{Outcome, Proc};
use super::regex::{Style, compile};

#[derive(Clone, Debug)]
enum Address {
    Line(u64),
    Last,
    Match(Regex),
    /// `+N` behind another one.
    More(u64),
}

#[derive(Clone, Debug)]
enum Act {
    Substitute { regex: Regex, with: Vec<u8>, all: bool, nth: usize, print: bool },
    Transliterate(Vec<(char, char)>),
    Delete,
    Print,
    Number,
    Quit,
    Next,
    Append(String),
    Insert(String),
    Change(String),
    Group(Vec<Command>),
}

#[derive(Clone, Debug)]
struct Command {
    first: Option<Address>,
    last: Option<Address>,
    not: bool,
    act: Act,
    /// Within its range, up to this line if known.
    within: Option<Option<u64>>,
}

struct Script<'a> {
    rest: &'a str,
    style: Style,
}

impl Script<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn skip(&mut self, also: &str) {
        self.rest = self.rest.trim_start_matches(|c: char| c == ' ' || c == '\t' || also.contains(c));
    }

    /// Up to a delimiter that no backslash stands before.
    fn until(&mut self, end: char, raw: bool) -> Option<String> {
        let (mut out, mut in_set) = (String::new(), false);
        loop {
            let c = self.next()?;
            match c {
                '\\' => match self.next()? {
                    next if next == end => {
                        if raw && end != '/' && "|+?(){}".contains(end) {
                            out.push('\\');
                        }
                        out.push(next);
                    }
                    'n' if raw => out.push_str("\\n"),
                    next => out.extend(['\\', next]),
                },
                c if c == end && !(in_set && raw) => return Some(out),
                c => {
                    in_set = (in_set || c == '[') && c != ']';
                    out.push(c);
                }
            }
        }
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        number.parse().ok()
    }

    fn address(&mut self) -> Result<Option<Address>, String> {
        Ok(match self.peek() {
            Some('0'..='9') => self.number().map(Address::Line),
            Some('+') => {
                self.next();
                self.number().map(Address::More)
            }
            Some('$') => {
                self.next();
                Some(Address::Last)
            }
            Some('/') => {
                self.next();
                let pattern = self.until('/', true).ok_or("unterminated address")?;
                Some(Address::Match(compile(&pattern, self.style, false)?))
            }
            _ => None,
        })
    }

    fn commands(&mut self, nested: bool) -> Result<Vec<Command>, String> {
        let mut commands = Vec::new();
        loop {
            self.skip(";\n");
            match self.peek() {
                None if nested => return Err("unterminated {".into()),
                None => return Ok(commands),
                Some('}') if nested => {
                    self.next();
                    return Ok(commands);
                }
                Some('#') => while self.next().is_some_and(|c| c != '\n') {},
                Some(_) => commands.push(self.command()?),
            }
        }
    }

    fn command(&mut self) -> Result<Command, String> {
        let first = self.address()?;
        self.skip("");
        let mut last = None;
        if self.peek() == Some(',') {
            self.next();
            self.skip("");
            last = self.address()?;
        }
        self.skip("");
        let mut not = false;
        while self.peek() == Some('!') {
            self.next();
            self.skip("");
            not = true;
        }
        let act = match self.next() {
            Some('s') => self.substitute()?,
            Some('y') => {
                let end = self.next().ok_or("bad y")?;
                let (from, to) = (self.until(end, false).ok_or("bad y")?, self.until(end, false).ok_or("bad y")?);
                Act::Transliterate(from.chars().zip(to.chars()).collect())
            }
            Some('d') => Act::Delete,
            Some('p') => Act::Print,
            Some('=') => Act::Number,
            Some('q') => Act::Quit,
            Some('n') => Act::Next,
            Some('a') => Act::Append(self.text()),
            Some('i') => Act::Insert(self.text()),
            Some('c') => Act::Change(self.text()),
            Some('{') => Act::Group(self.commands(true)?),
            other => return Err(format!("bad pattern '{}'", other.map(String::from).unwrap_or_default())),
        };
        Ok(Command { first, last, not, act, within: None })
    }

    fn text(&mut self) -> String {
        self.skip("");
        if let Some(rest) = self.rest.strip_prefix('\\') {
            self.rest = rest.strip_prefix('\n').unwrap_or(rest);
        }
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        format!("{text}\n")
    }

    fn substitute(&mut self) -> Result<Act, String> {
        let end = self.next().ok_or("bad s")?;
        let pattern = self.until(end, true).ok_or("unterminated s")?;
        let with = self.until(end, false).ok_or("unterminated s")?;
        let (mut all, mut nth, mut print, mut ignores_case) = (false, 1, false, false);
        loop {
            match self.peek() {
                Some('g') => all = true,
                Some('p') => print = true,
                Some('i' | 'I') => ignores_case = true,
                Some('1'..='9') => {
                    nth = self.number().and_then(|nth| usize::try_from(nth).ok()).unwrap_or(1);
                    continue;
                }
                _ => break,
            }
            self.next();
        }
        let regex = compile(&pattern, self.style, ignores_case)?;
        Ok(Act::Substitute { regex, with: with.into_bytes(), all, nth, print })
    }
}

/// The replacement for one match.
fn replacement(with: &[u8], found: &Captures<'_>, out: &mut Vec<u8>) {
    let group = |number: usize| found.get(number).map_or(&b""[..], |group| group.as_bytes());
    let mut bytes = with.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'&' => out.extend_from_slice(group(0)),
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'9') => out.extend_from_slice(group(usize::from(digit - b'0'))),
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(other) => out.push(*other),
                None => {}
            },
            byte => out.push(*byte),
        }
    }
}

/// A line with what matches replaced, if anything does.
fn substituted(line: &[u8], regex: &Regex, with: &[u8], all: bool, nth: usize) -> Option<Vec<u8>> {
    let (mut out, mut end, mut changed) = (Vec::new(), 0, false);
    for (at, found) in regex.captures_iter(line).enumerate() {
        if at + 1 < nth {
            continue;
        }
        let range = found.get(0)?.range();
        out.extend_from_slice(&line[end..range.start]);
        replacement(with, &found, &mut out);
        (end, changed) = (range.end, true);
        if !all {
            break;
        }
    }
    out.extend_from_slice(&line[end..]);
    changed.then_some(out)
}

/// What happens to one line.
struct Turn {
    space: Vec<u8>,
    number: u64,
    last: bool,
    out: Vec<u8>,
    after: Vec<u8>,
    deleted: bool,
    quits: bool,
    prints: bool,
}

impl Turn {
    fn fits(&self, address: &Address) -> bool {
        match address {
            Address::Line(line) => *line == self.number,
            Address::Last => self.last,
            Address::Match(regex) => regex.is_match(&self.space),
            Address::More(_) => false,
        }
    }

    /// Whether a command is for this line.
    fn selects(&self, command: &mut Command) -> bool {
        let Some(first) = &command.first else { return true };
        let Some(last) = &command.last else { return self.fits(first) };
        match command.within {
            None if self.fits(first) => {
                let until = match last {
                    Address::Line(line) => Some(*line),
                    Address::More(count) => Some(self.number + count),
                    Address::Last | Address::Match(_) => None,
                };
                if until.is_none_or(|until| until > self.number) {
                    command.within = Some(until);
                }
                true
            }
            None => false,
            Some(until) => {
                let ends = until.map_or_else(|| self.fits(last), |until| until <= self.number);
                if ends {
                    command.within = None;
                }
                true
            }
        }
    }

    fn print(&mut self) {
        self.out.extend_from_slice(&self.space);
        self.out.push(b'\n');
    }

    fn run(&mut self, commands: &mut [Command]) {
        for command in commands {
            if self.selects(command) == command.not {
                continue;
            }
            match &mut command.act {
                Act::Substitute { regex, with, all, nth, print } => {
                    if let Some(line) = substituted(&self.space, regex, with, *all, *nth) {
                        self.space = line;
                        if *print {
                            self.print();
                        }
                    }
                }
                Act::Transliterate(map) => {
                    let text = String::from_utf8_lossy(&self.space).into_owned();
                    let other = |c| map.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to);
                    self.space = text.chars().map(other).collect::<String>().into_bytes();
                }
                Act::Delete => self.deleted = true,
                Act::Print => self.print(),
                Act::Number => self.out.extend(format!("{}\n", self.number).into_bytes()),
                Act::Quit => self.quits = true,
                Act::Next => return,
                Act::Append(text) => self.after.extend_from_slice(text.as_bytes()),
                Act::Insert(text) => self.out.extend_from_slice(text.as_bytes()),
                Act::Change(text) => {
                    if command.within.is_none() {
                        self.out.extend_from_slice(text.as_bytes());
                    }
                    self.deleted = true;
                }
                Act::Group(inner) => self.run(inner),
            }
            if self.deleted || self.quits {
                return;
            }
        }
    }
}

/// `sed`.
pub async fn sed(proc: Proc) -> Outcome {
    let Some(mut options) = proc.options("e:f:Ernisz", &[]).await else { return Ok(1) };
    let mut text = options.values('e').collect::<Vec<_>>().join("\n");
    if options.value('e').is_none() {
        if options.rest.is_empty() {
            return proc.fail("no pattern").await;
        }
        text = options.rest.remove(0);
    }
    let extended = options.has('E') || options.has('r');
    let style = if extended { Style::Extended } else { Style::Basic };
    let mut commands = match (Script { rest: &text, style }).commands(false) {
        Ok(commands) => commands,
        Err(why) => return proc.fail(&why).await,
    };
    let (inputs, code) = proc.inputs(&options.rest).await;
    let (mut number, in_place) = (0, options.has('i'));
    let many = inputs.len();
    for (at, mut input) in inputs.into_iter().enumerate() {
        let mut next = input.line().await?;
        let mut kept = Vec::new();
        while let Some(line) = next {
            next = input.line().await?;
            number += 1;
            let last = next.is_none() && (in_place || at + 1 == many);
            let (out, after) = (Vec::new(), Vec::new());
            let space = bare(&line).to_vec();
            let prints = !options.has('n');
            let mut turn = Turn { space, number, last, out, after, deleted: false, quits: false, prints };
            turn.run(&mut commands);
            if turn.prints && !turn.deleted {
                turn.print();
                // A last line without an end stays without one.
                if last && !line.ends_with(b"\n") {
                    turn.out.pop();
                }
            }
            turn.out.append(&mut turn.after);
            if in_place {
                kept.append(&mut turn.out)
            } else {
                proc.out(&turn.out).await?
            }
            if turn.quits {
                return Ok(code);
            }
        }
        if in_place {
            let file = proc.files().open(&proc.path(&input.name), proc.new_meta(0o666))?;
            file.truncate(0)?;
            file.write(0, &kept)?;
            number = 0;
        }
    }
    Ok(code)
}
