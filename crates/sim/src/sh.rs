//! As much of a shell as the console needs: words, quotes, `$?`, `;` `&&` `||` `|`, redirections.

use std::time::Duration;

use crate::card::Card;
use crate::files::Node;
use crate::programs;

/// What a line did.
#[derive(Debug, Default)]
pub struct Ran {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit code.
    pub code: u8,
    /// How long it takes until it ends.
    pub after: Duration,
    /// It restarts the card, so its end is never seen.
    pub restarts: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// Parts of a word; `None` stands for `$?`.
    Word(Vec<Option<String>>),
    Sign(&'static str),
}

const SIGNS: &[&str] = &["2>&1", "&&", "||", "2>", ">>", ">", "<", ";", "\n", "|", "&"];

/// Splits a line; a quote without an end is an error, as in a shell.
fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut word: Option<Vec<Option<String>>> = None;
    let mut rest = line;
    let push = |word: &mut Option<Vec<Option<String>>>, text: &str| {
        let parts = word.get_or_insert_default();
        match parts.last_mut() {
            Some(Some(last)) => last.push_str(text),
            _ => parts.push(Some(text.to_owned())),
        }
    };
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '\'' => {
                let end = after.find('\'').ok_or("unterminated quoted string")?;
                push(&mut word, &after[..end]);
                rest = &after[end + 1..];
            }
            '"' => {
                let mut inside = after.chars();
                push(&mut word, "");
                loop {
                    match inside.next().ok_or("unterminated quoted string")? {
                        '"' => break,
                        '\\' => match inside.next().ok_or("unterminated quoted string")? {
                            c @ ('"' | '\\' | '$' | '`') => push(&mut word, c.encode_utf8(&mut [0; 4])),
                            c => push(&mut word, &format!("\\{c}")),
                        },
                        c => push(&mut word, c.encode_utf8(&mut [0; 4])),
                    }
                }
                rest = inside.as_str();
            }
            '\\' => {
                let next = after.chars().next();
                if let Some(next) = next.filter(|next| *next != '\n') {
                    push(&mut word, next.encode_utf8(&mut [0; 4]));
                }
                rest = &after[next.map_or(0, char::len_utf8)..];
            }
            '$' if after.starts_with('?') => {
                word.get_or_insert_default().push(None);
                rest = &after[1..];
            }
            '$' | '`' | '(' | ')' => return Err(format!("{c}: this simulated shell has no such thing")),
            ' ' | '\t' | '\r' => {
                tokens.extend(word.take().map(Token::Word));
                rest = after;
            }
            _ => {
                let fresh = word.is_none();
                if let Some(sign) =
                    SIGNS.iter().find(|sign| rest.starts_with(**sign) && (fresh || !sign.starts_with('2')))
                {
                    tokens.extend(word.take().map(Token::Word));
                    tokens.push(Token::Sign(sign));
                    rest = &rest[sign.len()..];
                } else {
                    push(&mut word, c.encode_utf8(&mut [0; 4]));
                    rest = after;
                }
            }
        }
    }
    tokens.extend(word.map(Token::Word));
    Ok(tokens)
}

/// Runs a line on a card, its two outputs apart.
pub fn run(card: &Card, line: &str, stdin: &[u8]) -> Ran {
    run_line(card, line, stdin, false)
}

/// Runs a line on a card that has one output for everything, in the order in which it is written.
pub fn run_merged(card: &Card, line: &str, stdin: &[u8]) -> Ran {
    run_line(card, line, stdin, true)
}

fn run_line(card: &Card, line: &str, stdin: &[u8], merged: bool) -> Ran {
    let tokens = match tokens(line) {
        Ok(tokens) => tokens,
        Err(why) => return Ran { err: format!("/system/bin/sh: {why}\n").into_bytes(), code: 1, ..Ran::default() },
    };
    let mut all = Ran::default();
    let mut skip = false;
    for (joined, pipeline) in split(&tokens, &[";", "\n", "&&", "||", "&"]) {
        skip = match joined {
            Some("&&") => skip || all.code != 0,
            Some("||") => all.code == 0,
            _ => false,
        };
        if skip || pipeline.is_empty() {
            continue;
        }
        let ran = run_pipeline(card, pipeline, stdin, all.code);
        all.out.extend(ran.out);
        if merged { &mut all.out } else { &mut all.err }.extend(ran.err);
        all.code = ran.code;
        all.after += ran.after;
        all.restarts |= ran.restarts;
    }
    all
}

/// Parts between these signs, each with the sign before it.
fn split<'a>(tokens: &'a [Token], signs: &[&str]) -> Vec<(Option<&'static str>, &'a [Token])> {
    let mut parts = Vec::new();
    let (mut start, mut before) = (0, None);
    for (at, token) in tokens.iter().enumerate() {
        if let Token::Sign(sign) = token
            && signs.contains(sign)
        {
            parts.push((before, &tokens[start..at]));
            (start, before) = (at + 1, Some(*sign));
        }
    }
    parts.push((before, &tokens[start..]));
    parts
}

fn run_pipeline(card: &Card, tokens: &[Token], stdin: &[u8], status: u8) -> Ran {
    let mut carried = Ran { out: stdin.to_vec(), ..Ran::default() };
    for (_, command) in split(tokens, &["|"]) {
        let mut ran = run_command(card, command, &carried.out, status);
        carried.err.append(&mut ran.err);
        ran.err = std::mem::take(&mut carried.err);
        ran.after += carried.after;
        ran.restarts |= carried.restarts;
        carried = ran;
    }
    carried
}

fn run_command(card: &Card, tokens: &[Token], stdin: &[u8], status: u8) -> Ran {
    let (mut words, mut input) = (Vec::new(), None);
    let (mut out_file, mut append, mut err_file, mut merge) = (None, false, None, false);
    let mut tokens = tokens.iter();
    while let Some(token) = tokens.next() {
        let word = |token: Option<&Token>| match token {
            Some(Token::Word(parts)) => {
                Some(parts.iter().map(|part| part.clone().unwrap_or_else(|| status.to_string())).collect::<String>())
            }
            _ => None,
        };
        match token {
            Token::Word(_) => words.extend(word(Some(token))),
            Token::Sign("2>&1") => merge = true,
            Token::Sign(">") => out_file = word(tokens.next()),
            Token::Sign(">>") => (out_file, append) = (word(tokens.next()), true),
            Token::Sign("2>") => err_file = word(tokens.next()),
            Token::Sign(_) => input = word(tokens.next()),
        }
    }
    let read = match input.as_deref() {
        None => None,
        Some("/dev/null") => Some(Vec::new()),
        Some(path) => match programs::read(card, path) {
            Some(node) => Some(node.content.to_vec()),
            None => {
                return Ran {
                    err: format!("sh: {path}: No such file or directory\n").into_bytes(),
                    code: 1,
                    ..Ran::default()
                };
            }
        },
    };
    let mut ran = programs::run(card, &words, read.as_deref().unwrap_or(stdin));
    if merge {
        let err = std::mem::take(&mut ran.err);
        ran.out.extend(err);
    }
    if let Some(path) = err_file {
        let err = std::mem::take(&mut ran.err);
        write_file(card, &path, err, false, &mut ran);
    }
    if let Some(path) = out_file {
        let out = std::mem::take(&mut ran.out);
        write_file(card, &path, out, append, &mut ran);
    }
    ran
}

fn write_file(card: &Card, path: &str, bytes: Vec<u8>, append: bool, ran: &mut Ran) {
    if path == "/dev/null" {
        return;
    }
    let mut content = if append {
        programs::read(card, path).map_or_else(Vec::new, |node| node.content.to_vec())
    } else {
        Vec::new()
    };
    content.extend(bytes);
    let node = Node { mode: 0o100_644, modified: programs::now(), content: content.into() };
    if let Err(why) = programs::write(card, path, node) {
        ran.err.extend(format!("sh: can't create {path}: {}\n", why.words()).into_bytes());
        ran.code = 1;
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that can not go on should panic")]
mod tests {
    use super::*;

    #[test]
    fn words_signs_and_quotes() {
        let word = |text: &str| Token::Word(vec![Some(text.into())]);
        assert_eq!(tokens(r#"a 'b c'"d"\ e;f"#).unwrap(), [word("a"), word("b cd e"), Token::Sign(";"), word("f")]);
        assert_eq!(tokens("x2>y 2>&1").unwrap(), [word("x2"), Token::Sign(">"), word("y"), Token::Sign("2>&1")]);
        assert!(tokens("'open").is_err());
    }
}
