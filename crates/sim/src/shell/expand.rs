//! Expansion of words.

use std::sync::Arc;

use brush_parser::word::{
    self, BraceExpressionMember, BraceExpressionOrText, TildeExpr, WordPiece, WordPieceWithSource,
};
use parking_lot::Mutex;

use super::common::unescape;
use super::fd::Fd;
use super::fields::{Atom, joined, pattern};
use super::pattern::Pattern;
use super::{Flow, Later, Shell, options};

/// More words do not come out of braces.
const BRACES: usize = 1000;

impl Shell {
    /// The words that a word becomes.
    pub(super) async fn expand_fields(&mut self, text: &str) -> Result<Vec<String>, Flow> {
        let mut words = Vec::new();
        for text in braces(text) {
            let atoms = self.atoms(&text).await?;
            words.extend(self.words(&atoms));
        }
        Ok(words)
    }

    /// The one text that a word becomes where it is not split.
    pub(super) async fn expand_text(&mut self, text: &str) -> Result<String, Flow> {
        Ok(joined(&self.atoms(text).await?))
    }

    /// The value of an assignment.
    pub(super) async fn expand_assigned(&mut self, text: &str) -> Result<String, Flow> {
        self.expand_text(text).await
    }

    /// The pattern that a word is.
    pub(super) async fn expand_pattern(&mut self, text: &str) -> Result<Pattern, Flow> {
        Ok(pattern(&self.atoms(text).await?))
    }

    /// A here-document, and what is between the parentheses of `$(( ))`.
    pub(super) async fn expand_document(&mut self, text: &str) -> Result<String, Flow> {
        let pieces = match word::parse_heredoc(text, &options()) {
            Ok(pieces) => pieces,
            Err(why) => return self.fatal(&format!("syntax error: {why}")).await,
        };
        let mut atoms = Vec::new();
        self.expand_pieces(&pieces, true, &mut atoms).await?;
        Ok(joined(&atoms))
    }

    pub(super) async fn atoms(&mut self, text: &str) -> Result<Vec<Atom>, Flow> {
        // Most words are plain, and need no parser.
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:,+%@^".contains(&byte)) {
            return Ok(vec![Atom::plain(text, false)]);
        }
        let pieces = match word::parse(text, &options()) {
            Ok(pieces) => pieces,
            Err(why) => return self.fatal(&format!("syntax error: {why}")).await,
        };
        let mut atoms = Vec::new();
        self.expand_pieces(&pieces, false, &mut atoms).await?;
        Ok(atoms)
    }

    /// What stands in `${x:-here}`: within quotes as if it were quoted.
    pub(super) async fn inner(&mut self, text: &str, quoted: bool) -> Result<Vec<Atom>, Flow> {
        if quoted && !text.contains('"') { self.atoms(&format!("\"{text}\"")).await } else { self.atoms(text).await }
    }

    pub(super) fn expand_pieces<'a>(
        &'a mut self,
        pieces: &'a [WordPieceWithSource],
        quoted: bool,
        out: &'a mut Vec<Atom>,
    ) -> Later<'a, Result<(), Flow>> {
        Box::pin(async move {
            for piece in pieces {
                match &piece.piece {
                    WordPiece::Text(text) => out.push(Atom::plain(text.clone(), quoted)),
                    WordPiece::SingleQuotedText(text) => out.push(Atom::plain(text.clone(), true)),
                    WordPiece::AnsiCQuotedText(text) => {
                        let (bytes, _) = unescape(text);
                        out.push(Atom::plain(String::from_utf8_lossy(&bytes), true));
                    }
                    WordPiece::DoubleQuotedSequence(pieces) | WordPiece::GettextDoubleQuotedSequence(pieces) => {
                        let before = out.len();
                        self.expand_pieces(pieces, true, out).await?;
                        // `""` is a word, and `"$@"` without arguments is none.
                        if out.len() == before && !pieces.iter().any(|piece| is_all(&piece.piece)) {
                            out.push(Atom::plain("", true));
                        }
                    }
                    WordPiece::TildeExpansion(tilde) => out.push(Atom::plain(self.tilde(tilde), true)),
                    WordPiece::ParameterExpansion(expr) => self.expand_param(expr, quoted, out).await?,
                    WordPiece::CommandSubstitution(text) => {
                        let text = self.substitute(text).await?;
                        out.push(Atom::expanded(text, quoted));
                    }
                    WordPiece::BackquotedCommandSubstitution(text) => {
                        let text = self.substitute(&backquoted(text, quoted)).await?;
                        out.push(Atom::expanded(text, quoted));
                    }
                    WordPiece::EscapeSequence(text) => {
                        let text = text.strip_prefix('\\').unwrap_or(text);
                        if text != "\n" {
                            out.push(Atom::plain(text, true));
                        }
                    }
                    WordPiece::ArithmeticExpression(expr) => {
                        let value = self.calculate(&expr.value).await?;
                        out.push(Atom::expanded(value.to_string(), quoted));
                    }
                }
            }
            Ok(())
        })
    }

    fn tilde(&self, tilde: &TildeExpr) -> String {
        let var = |name: &str, text: &str| self.vars.get(name).unwrap_or(text).to_owned();
        match tilde {
            TildeExpr::Home => var("HOME", "~"),
            TildeExpr::UserHome(name) if name == "root" => "/".into(),
            TildeExpr::UserHome(name) => format!("~{name}"),
            TildeExpr::WorkingDir => self.cwd.clone(),
            TildeExpr::OldWorkingDir => var("OLDPWD", "~-"),
            TildeExpr::NthDirFromTopOfDirStack { n, .. } | TildeExpr::NthDirFromBottomOfDirStack { n } => {
                format!("~{n}")
            }
        }
    }

    /// What a command prints, without the line feeds at its end.
    async fn substitute(&mut self, text: &str) -> Result<String, Flow> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let mut sub = self.subshell();
        sub.fds[1] = Some(Fd::Capture(Arc::clone(&kept)));
        sub.depth += 1;
        let done = sub.run_text(text).await;
        let code = sub.finish(done).await;
        self.substituted = Some(code);
        let mut bytes = std::mem::take(&mut *kept.lock());
        bytes.retain(|byte| *byte != 0);
        let end = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        Ok(String::from_utf8(bytes).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()))
    }
}

/// Whether a piece is `$@`.
fn is_all(piece: &WordPiece) -> bool {
    use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter};
    matches!(
        piece,
        WordPiece::ParameterExpansion(ParameterExpr::Parameter {
            parameter: Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false }),
            ..
        })
    )
}

/// Between backquotes a backslash quotes itself, a dollar and a backquote, and within quotes a quote.
fn backquoted(text: &str, quoted: bool) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = |next: &char| matches!(next, '\\' | '$' | '`') || quoted && *next == '"';
        match chars.peek() {
            Some(next) if c == '\\' && escapes(next) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

/// A word with `{a,b}` in it, once for each.
fn braces(text: &str) -> Vec<String> {
    if !text.contains('{') || !text.contains(',') {
        return vec![text.to_owned()];
    }
    match word::parse_brace_expansions(text, &options()) {
        Ok(Some(parts)) => all_of(&parts),
        _ => vec![text.to_owned()],
    }
}

fn all_of(parts: &[BraceExpressionOrText]) -> Vec<String> {
    parts.iter().fold(vec![String::new()], |before, part| {
        let choices = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => members.iter().flat_map(member).collect(),
        };
        let both = before.iter().flat_map(|first| choices.iter().map(move |second| format!("{first}{second}")));
        both.take(BRACES).collect()
    })
}

fn member(member: &BraceExpressionMember) -> Vec<String> {
    match member {
        BraceExpressionMember::Child(parts) => all_of(parts),
        // Sequences are bash's alone.
        BraceExpressionMember::NumberSequence { start, end, .. } => vec![format!("{{{start}..{end}}}")],
        BraceExpressionMember::CharSequence { start, end, .. } => vec![format!("{{{start}..{end}}}")],
    }
}
