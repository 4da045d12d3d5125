//! `find`.

use std::sync::Arc;

use super::proc::{Outcome, Proc};
use super::run;
use crate::files::{FileError, Inode, Kind, Moment, Right, join};
use crate::shell::common::Later;
use crate::shell::fd::Stop;
use crate::shell::pattern::Pattern;

/// Paths that one `-exec ... +` gets, at most.
const TOGETHER: usize = 1000;

#[derive(Debug)]
enum Test {
    Name(Pattern, bool),
    Path(Pattern),
    Type(String),
    /// Size in units of so many bytes, rounded up.
    Size {
        compare: Compare,
        count: u64,
        unit: u64,
    },
    /// Age in units of so many minutes.
    Age {
        compare: Compare,
        count: u64,
        unit: u64,
    },
    Newer(Moment),
    Perm(u32, char),
    User(u32),
    Group(u32),
    Empty,
    True(bool),
    Print(u8),
    Prune,
    Quit,
    Delete,
    Exec(Vec<String>, bool),
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
}

#[derive(Clone, Copy, Debug)]
enum Compare {
    More,
    Less,
    Same,
}

impl Compare {
    const fn fits(self, value: u64, wanted: u64) -> bool {
        match self {
            Self::More => value > wanted,
            Self::Less => value < wanted,
            Self::Same => value == wanted,
        }
    }
}

struct Reader<'a> {
    proc: &'a Proc,
    words: std::iter::Peekable<std::slice::Iter<'a, String>>,
    acts: bool,
    /// `-xdev`.
    stays: bool,
    max: usize,
    min: usize,
    depth_first: bool,
}

fn compared(text: &str) -> (Compare, &str) {
    match text.as_bytes().first() {
        Some(b'+') => (Compare::More, &text[1..]),
        Some(b'-') => (Compare::Less, &text[1..]),
        _ => (Compare::Same, text),
    }
}

impl Reader<'_> {
    fn any(&mut self) -> Result<Test, String> {
        let mut all = vec![self.all()?];
        while self.words.next_if(|word| matches!(word.as_str(), "-o" | "-or")).is_some() {
            all.push(self.all()?);
        }
        Ok(Test::Or(all))
    }

    fn all(&mut self) -> Result<Test, String> {
        let mut all = Vec::new();
        while let Some(word) = self.words.peek() {
            match word.as_str() {
                "-o" | "-or" | ")" => break,
                "-a" | "-and" => {
                    self.words.next();
                }
                _ => all.push(self.one()?),
            }
        }
        Ok(Test::And(all))
    }

    fn value(&mut self, name: &str) -> Result<String, String> {
        self.words.next().cloned().ok_or_else(|| format!("'{name}' needs 1 arg"))
    }

    fn one(&mut self) -> Result<Test, String> {
        let name = self.value("")?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("bad number '{text}'"));
        Ok(match name.as_str() {
            "(" => {
                let inner = self.any()?;
                self.words.next().filter(|word| *word == ")").ok_or("need )")?;
                inner
            }
            "!" | "-not" => Test::Not(Box::new(self.one()?)),
            "-name" => Test::Name(Pattern::of(&self.value(&name)?), false),
            "-iname" => Test::Name(Pattern::of(&self.value(&name)?.to_lowercase()), true),
            "-path" | "-wholename" => Test::Path(Pattern::of(&self.value(&name)?)),
            "-type" => Test::Type(self.value(&name)?),
            "-size" => {
                let text = self.value(&name)?;
                let (compare, text) = compared(&text);
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                // Without a letter it is sectors.
                let unit =
                    if digits == text.len() { Some(512) } else { super::sizes::size(&format!("1{}", &text[digits..])) };
                Test::Size { compare, count: number(&text[..digits])?, unit: unit.ok_or("bad size")? }
            }
            "-mtime" | "-mmin" => {
                let text = self.value(&name)?;
                let (compare, text) = compared(&text);
                Test::Age { compare, count: number(text)?, unit: if name == "-mtime" { 24 * 60 } else { 1 } }
            }
            "-newer" => {
                let path = self.value(&name)?;
                let inode = self.proc.inode(&path, true).map_err(|why| format!("{path}: {}", why.words()))?;
                Test::Newer(inode.meta().modified)
            }
            "-perm" => {
                let text = self.value(&name)?;
                let kind = text.chars().next().filter(|c| "-/".contains(*c)).unwrap_or('=');
                let mode = super::meta::mode(text.trim_start_matches(['-', '/']), 0, false);
                Test::Perm(mode.ok_or_else(|| format!("bad mode '{text}'"))?, kind)
            }
            "-user" => Test::User(super::meta::user_id(&self.value(&name)?).ok_or("bad user")?),
            "-group" => Test::Group(super::meta::user_id(&self.value(&name)?).ok_or("bad group")?),
            "-empty" => Test::Empty,
            "-true" => Test::True(true),
            "-false" => Test::True(false),
            "-print" | "-print0" => {
                self.acts = true;
                Test::Print(if name == "-print" { b'\n' } else { 0 })
            }
            "-prune" => Test::Prune,
            "-quit" => Test::Quit,
            "-delete" => {
                // As toybox has it: what is deleted is printed too.
                self.depth_first = true;
                Test::Delete
            }
            "-depth" => {
                self.depth_first = true;
                Test::True(true)
            }
            "-xdev" | "-mount" => {
                self.stays = true;
                Test::True(true)
            }
            "-maxdepth" | "-mindepth" => {
                let depth = usize::try_from(number(&self.value(&name)?)?).unwrap_or(usize::MAX);
                *if name == "-maxdepth" { &mut self.max } else { &mut self.min } = depth;
                Test::True(true)
            }
            "-exec" | "-execdir" | "-ok" => {
                self.acts = true;
                let mut words = Vec::new();
                loop {
                    let word = self.value("-exec")?;
                    match word.as_str() {
                        ";" => return Ok(Test::Exec(words, false)),
                        "+" if words.last().is_some_and(|last| last == "{}") => {
                            words.pop();
                            return Ok(Test::Exec(words, true));
                        }
                        _ => words.push(word),
                    }
                }
            }
            other => return Err(format!("bad arg '{other}'")),
        })
    }
}

/// A search that runs.
struct Search<'a> {
    proc: &'a Proc,
    test: Test,
    prints: bool,
    stays: bool,
    max: usize,
    min: usize,
    depth_first: bool,
    follows: bool,
    code: u8,
    quits: bool,
    /// For the command of `-exec ... +`.
    collected: Vec<String>,
    command: Option<Vec<String>>,
}

struct Here<'a> {
    path: &'a str,
    inode: &'a Arc<Inode>,
    prune: bool,
}

impl Search<'_> {
    fn visit<'a>(&'a mut self, path: String, inode: Arc<Inode>, depth: usize) -> Later<'a, Result<(), Stop>> {
        Box::pin(async move {
            let mut here = Here { path: &path, inode: &inode, prune: false };
            let shown = depth >= self.min;
            if !self.depth_first && shown {
                self.check(&mut here).await?;
            }
            let is_other = depth > 0 && self.stays && self.is_mounted(&path);
            let descends = inode.is_folder() && depth < self.max && !here.prune && !self.quits && !is_other;
            if descends {
                let children = self.proc.children(&path);
                if let Err(why) = children {
                    self.proc.err_file(&path, why).await;
                    self.code = 1;
                }
                let (is_read, mut children) = (children.is_ok(), children.unwrap_or_default());
                if is_read && !self.proc.may(&path, Right::Execute) {
                    let names = [".", ".."].into_iter().chain(children.iter().map(|(name, _)| name.as_str()));
                    for name in names {
                        let below = join(&path, name);
                        self.proc.err(&format!("'{below}': {}", FileError::Denied.words())).await;
                    }
                    (self.code, children) = (1, Vec::new());
                }
                for (name, child) in children {
                    let below = join(&path, &name);
                    let child = if self.follows { self.proc.inode(&below, true).unwrap_or(child) } else { child };
                    self.visit(below, child, depth + 1).await?;
                    if self.quits {
                        break;
                    }
                }
                tokio::task::yield_now().await;
            }
            if self.depth_first && shown && !self.quits {
                self.check(&mut here).await?;
            }
            Ok(())
        })
    }

    /// Whether another file system begins there.
    fn is_mounted(&self, path: &str) -> bool {
        let found = self.proc.find(path, self.follows);
        found.is_ok_and(|found| self.proc.files().is_mounted(&found.path))
    }

    async fn check(&mut self, here: &mut Here<'_>) -> Result<(), Stop> {
        let test = std::mem::replace(&mut self.test, Test::True(true));
        let done = self.fits(&test, here).await;
        self.test = test;
        if done? && self.prints {
            self.proc.out(format!("{}\n", here.path)).await?;
        }
        Ok(())
    }

    fn fits<'a>(&'a mut self, test: &'a Test, here: &'a mut Here<'_>) -> Later<'a, Result<bool, Stop>> {
        Box::pin(async move {
            Ok(match test {
                Test::And(all) => {
                    for test in all {
                        if !self.fits(test, here).await? {
                            return Ok(false);
                        }
                    }
                    true
                }
                Test::Or(any) => {
                    for test in any {
                        if self.fits(test, here).await? {
                            return Ok(true);
                        }
                    }
                    false
                }
                Test::Not(inner) => !self.fits(inner, here).await?,
                Test::Print(end) => {
                    self.proc.out([here.path.as_bytes(), &[*end]].concat()).await?;
                    true
                }
                Test::Prune => {
                    here.prune = true;
                    true
                }
                Test::Quit => {
                    self.quits = true;
                    true
                }
                Test::Delete => self.delete(here).await,
                Test::Exec(words, true) => {
                    self.command.get_or_insert_with(|| words.clone());
                    self.collected.push(here.path.to_owned());
                    if self.collected.len() >= TOGETHER {
                        self.run_collected().await;
                    }
                    true
                }
                Test::Exec(words, false) => {
                    let words = words.iter().map(|word| word.replace("{}", here.path)).collect();
                    run(self.proc.with(words)).await == 0
                }
                Test::Name(..)
                | Test::Path(_)
                | Test::Type(_)
                | Test::Size { .. }
                | Test::Age { .. }
                | Test::Newer(_)
                | Test::Perm(..)
                | Test::User(_)
                | Test::Group(_)
                | Test::Empty
                | Test::True(_) => plain_fits(test, here),
            })
        })
    }

    async fn delete(&mut self, here: &Here<'_>) -> bool {
        let full = self.proc.path(here.path);
        let deleted = if here.inode.is_folder() {
            self.proc.files().remove_folder(&full)
        } else {
            self.proc.files().unlink(&full)
        };
        if let Err(why) = deleted {
            self.proc.err_file(here.path, why).await;
            self.code = 1;
        }
        deleted.is_ok()
    }

    async fn run_collected(&mut self) {
        if let Some(command) = &self.command
            && !self.collected.is_empty()
        {
            let words = command.iter().cloned().chain(self.collected.drain(..)).collect();
            self.code |= run(self.proc.with(words)).await.min(1);
        }
    }
}

fn plain_fits(test: &Test, here: &Here<'_>) -> bool {
    let (inode, meta) = (here.inode, here.inode.meta());
    let name = here.path.trim_end_matches('/').rsplit('/').next().unwrap_or(here.path);
    match test {
        Test::Name(pattern, false) => pattern.matches(name),
        Test::Name(pattern, true) => pattern.matches(&name.to_lowercase()),
        Test::Path(pattern) => pattern.matches(here.path),
        Test::Type(kinds) => kinds.split(',').any(|kind| match kind {
            "f" => inode.kind() == Kind::File,
            "d" => inode.kind() == Kind::Folder,
            "l" => inode.kind() == Kind::Link,
            "c" => inode.kind() == Kind::Device,
            _ => false,
        }),
        Test::Size { compare, count, unit } => compare.fits(inode.size().div_ceil(*unit), *count),
        Test::Age { compare, count, unit } => {
            let age = u64::try_from(Moment::now().seconds - meta.modified.seconds).unwrap_or(0) / 60;
            compare.fits(age / unit, *count)
        }
        Test::Newer(than) => meta.modified > *than,
        Test::Perm(mode, '-') => meta.mode & mode == *mode,
        Test::Perm(mode, '/') => meta.mode & mode != 0 || *mode == 0,
        Test::Perm(mode, _) => meta.mode == *mode,
        Test::User(user) => meta.uid == *user,
        Test::Group(group) => meta.gid == *group,
        Test::Empty => !inode.is_folder() && inode.size() == 0,
        Test::True(yes) => *yes,
        // These are no questions about the file: who searches does them.
        Test::Print(_)
        | Test::Prune
        | Test::Quit
        | Test::Delete
        | Test::Exec(..)
        | Test::Not(_)
        | Test::And(_)
        | Test::Or(_) => true,
    }
}

/// `find`.
pub async fn find(proc: Proc) -> Outcome {
    let args = proc.args();
    let flags = args.iter().take_while(|arg| matches!(arg.as_str(), "-H" | "-L" | "-P")).count();
    let follows = args[..flags].iter().any(|flag| flag == "-L");
    let args = &args[flags..];
    let paths = args.iter().take_while(|arg| !arg.starts_with('-') && !matches!(arg.as_str(), "(" | "!")).count();
    let words = args[paths..].iter().peekable();
    let mut reader =
        Reader { proc: &proc, words, acts: false, stays: false, max: usize::MAX, min: 0, depth_first: false };
    let test = match reader.any() {
        Ok(test) if reader.words.peek().is_none() => test,
        Ok(_) => return proc.fail("bad )").await,
        Err(why) => return proc.fail(&why).await,
    };
    let mut search = Search {
        proc: &proc,
        test,
        prints: !reader.acts,
        stays: reader.stays,
        max: reader.max,
        min: reader.min,
        depth_first: reader.depth_first,
        follows,
        code: 0,
        quits: false,
        collected: Vec::new(),
        command: None,
    };
    let here = [".".to_owned()];
    for path in if paths == 0 { &here[..] } else { &args[..paths] } {
        match proc.inode(path, follows) {
            Ok(inode) => search.visit(path.clone(), inode, 0).await?,
            Err(why) => {
                proc.err(&format!("'{path}': {}", FileError::words(why))).await;
                search.code = 1;
            }
        }
    }
    search.run_collected().await;
    Ok(search.code)
}
