//! Programs that run others, and those that look at what runs.

use std::time::Instant;

use super::input::{Input, bare};
use super::proc::{Outcome, Proc};
use super::regex::{Style, compile};
use super::{installed, run};
use crate::fault::Fault;
use crate::files::Right;
use crate::shell::Shell;
use crate::shell::common::{NAME, seconds};

/// What the shell does itself, called as a program: by `xargs`, `find -exec`, `env`.
pub async fn builtin(proc: Proc) -> Outcome {
    let mut shell = Shell::within(&proc, NAME, &[]);
    Ok(shell.run_words_of(proc.words.clone()).await)
}

/// `sh`: a file, `-c`, or its input.
pub async fn sh(proc: Proc) -> Outcome {
    let (mut args, mut flags) = (proc.args(), Vec::new());
    let mut line = None;
    while let Some((first, rest)) = args.split_first() {
        match first.as_str() {
            "--" => {
                args = rest;
                break;
            }
            "-s" => {}
            "-o" | "+o" => {
                flags.extend([first.clone(), rest.first().cloned().unwrap_or_default()]);
                args = rest.get(1..).unwrap_or_default();
                continue;
            }
            flag if flag.starts_with('-') && flag.len() > 1 => {
                if flag.contains('c') {
                    line = Some(());
                }
                let others: String = flag.chars().filter(|c| !"ci".contains(*c)).collect();
                flags.extend((others.len() > 1).then_some(others));
            }
            _ => break,
        }
        args = rest;
    }
    let switches = if flags.is_empty() { String::new() } else { format!("set {}\n", flags.join(" ")) };
    if line.is_some() {
        let Some((text, rest)) = args.split_first() else { return proc.fail("-c requires an argument").await };
        let (name, params) = rest.split_first().map_or((NAME, rest), |(name, rest)| (name.as_str(), rest));
        return Ok(Shell::within(&proc, name, params).run(&(switches + text)).await);
    }
    if let Some((path, params)) = args.split_first() {
        let text = match proc.open(path).map(|inode| inode.whole(1 << 20)) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(None) => return proc.fail(&format!("{path}: Is a directory")).await,
            Err(why) => {
                proc.err(&format!("{path}: {}", why.words())).await;
                return Ok(127);
            }
        };
        return Ok(Shell::within(&proc, path, params).run(&(switches + &text)).await);
    }
    let (mut input, mut text) = (proc.stdin(), switches.into_bytes());
    loop {
        let bytes = input.chunk().await?;
        if bytes.is_empty() || text.len() > 1 << 20 {
            break;
        }
        text.extend_from_slice(&bytes);
    }
    Ok(Shell::within(&proc, NAME, &[]).run(&String::from_utf8_lossy(&text)).await)
}

/// `su`: with a user, a line or a program.
///
/// It is a program of builds with root, and on others it is not there.
pub async fn su(proc: Proc) -> Outcome {
    let mut args = proc.args();
    let mut uid = 0;
    if let Some((first, rest)) = args.split_first()
        && let Some(id) = super::meta::user_id(first.split(',').next().unwrap_or(first))
    {
        (uid, args) = (id, rest);
    }
    let words = match args {
        [] => vec!["sh".to_owned()],
        [flag, ..] if flag == "-c" => std::iter::once("sh".to_owned()).chain(args.iter().cloned()).collect(),
        words => words.to_vec(),
    };
    Ok(run(Proc { uid, ..proc.with(words) }).await)
}

/// `env` and `printenv`.
pub async fn env(proc: Proc) -> Outcome {
    let (mut args, mut env) = (proc.args().to_vec(), proc.env.clone());
    while let Some(first) = args.first().cloned() {
        match first.split_once('=') {
            Some((name, value)) => {
                env.retain(|(old, _)| old != name);
                env.push((name.into(), value.into()));
            }
            None if first == "-i" => env.clear(),
            None if first == "-u" && args.len() > 1 => {
                let name = args.remove(1);
                env.retain(|(old, _)| *old != name);
            }
            None => break,
        }
        args.remove(0);
    }
    if proc.name() == "printenv" && !args.is_empty() {
        let found: Vec<&str> =
            args.iter().filter_map(|name| Some(env.iter().find(|(known, _)| known == name)?.1.as_str())).collect();
        for value in &found {
            proc.out(format!("{value}\n")).await?;
        }
        return Ok(u8::from(found.len() < args.len()));
    }
    if args.is_empty() {
        for (name, value) in env {
            proc.out(format!("{name}={value}\n")).await?;
        }
        return Ok(0);
    }
    Ok(run(Proc { env, ..proc.with(args) }).await)
}

/// `nohup`, `setsid`, `nice`: the program itself.
pub async fn beside(proc: Proc) -> Outcome {
    let mut args = proc.args();
    while let Some((first, rest)) = args.split_first() {
        match first.as_str() {
            "-n" | "-c" | "-p" => args = rest.get(1..).unwrap_or_default(),
            flag if flag.starts_with('-') => args = rest,
            _ => break,
        }
    }
    if args.is_empty() {
        return proc.fail("Needs 1 argument").await;
    }
    Ok(run(proc.with(args.to_vec())).await)
}

/// `timeout`.
pub async fn timeout(proc: Proc) -> Outcome {
    let Some(options) = proc.options("+k:s:iv", &[("foreground", 'i'), ("signal", 's')]).await else { return Ok(125) };
    let [time, words @ ..] = options.rest.as_slice() else { return proc.fail("Needs 2 arguments").await };
    let Some(time) = seconds(time) else { return proc.fail(&format!("bad time '{time}'")).await };
    let program = tokio::time::timeout(time, run(proc.with(words.to_vec())));
    tokio::select! {
        biased;
        () = proc.card.flash.has_worked(time) => Ok(124),
        ended = program => Ok(ended.unwrap_or(124)),
    }
}

/// `time`.
pub async fn time(proc: Proc) -> Outcome {
    let started = Instant::now();
    let words = proc.args().iter().skip_while(|arg| *arg == "-p").cloned().collect();
    let code = run(proc.with(words)).await;
    let seconds = started.elapsed().as_secs_f64();
    let text = format!("real {seconds:.6}\nuser 0.000000\nsys 0.000000\n");
    proc.fds[2].write(text.as_bytes()).await?;
    Ok(code)
}

/// `which`.
pub async fn which(proc: Proc) -> Outcome {
    let mut code = 0;
    for name in proc.args().iter().filter(|arg| !arg.starts_with('-')) {
        if installed(&proc.card, name).is_some() && !name.contains('/') {
            proc.out(format!("/system/bin/{name}\n")).await?;
        } else if name.contains('/')
            && proc.inode(name, true).is_ok_and(|inode| !inode.is_folder())
            && proc.may(name, Right::Execute)
        {
            proc.out(format!("{name}\n")).await?;
        } else {
            code = 1;
        }
    }
    Ok(code)
}

/// Arguments as `xargs` reads them: quotes and backslashes count.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, _) = (Vec::new(), None, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_ascii_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// `xargs`.
pub async fn xargs(proc: Proc) -> Outcome {
    let Some(options) = proc.options("+0rtn:I:P:E:L:s:p", &[("null", '0'), ("no-run-if-empty", 'r')]).await else {
        return Ok(1);
    };
    let mut command = options.rest.clone();
    if command.is_empty() {
        command.push("echo".into());
    }
    let most = options.number('n').and_then(|most| usize::try_from(most).ok()).unwrap_or(1000).max(1);
    let mut input = proc.stdin();
    let mut given: Vec<String> = Vec::new();
    let (mut code, mut ran, mut ended) = (0, false, false);
    while !ended {
        match next(&mut input, options.has('0'), options.value('I').is_some()).await? {
            Some(more) => given.extend(more),
            None => ended = true,
        }
        let whole = |count: usize| count >= most || ended && count > 0;
        while options.value('I').is_some() && !given.is_empty() || whole(given.len()) {
            let words = match options.value('I') {
                Some(mark) => {
                    let arg = given.remove(0);
                    command.iter().map(|word| word.replace(mark, &arg)).collect()
                }
                None => command.iter().cloned().chain(given.drain(..given.len().min(most))).collect::<Vec<_>>(),
            };
            ran = true;
            if options.has('t') {
                proc.fds[2].write(format!("{}\n", words.join(" ")).as_bytes()).await?;
            }
            match run(proc.with(words)).await {
                0 => {}
                255 => return Ok(124),
                last @ 126..=127 => code = last,
                _ => code = 123,
            }
        }
    }
    // Without anything to do it runs once, with nothing.
    if !ran && !options.has('r') && options.value('I').is_none() {
        code = run(proc.with(command)).await;
    }
    Ok(code)
}

async fn next(input: &mut Input, zeros: bool, lines: bool) -> Result<Option<Vec<String>>, crate::shell::fd::Stop> {
    if zeros {
        let part = input.part(0).await?;
        return Ok(
            part.map(|part| vec![String::from_utf8_lossy(part.strip_suffix(b"\0").unwrap_or(&part)).into_owned()])
        );
    }
    let Some(line) = input.line().await? else { return Ok(None) };
    let text = String::from_utf8_lossy(bare(&line)).into_owned();
    Ok(Some(if lines { vec![text.trim_start().to_owned()] } else { words(&text) }))
}

/// The process of the launcher.
const LAUNCHER: &str = "com.android.launcher3";

/// A process as `ps` shows it.
struct Process {
    pid: u32,
    parent: u32,
    user: &'static str,
    name: String,
}

fn processes(proc: &Proc) -> Vec<Process> {
    let user = if proc.card.has_root() { "root" } else { "shell" };
    let fixed = [
        (1, 0, "root", "init"),
        (2, 0, "root", "[kthreadd]"),
        (210, 1, "root", "zygote64"),
        (233, 1, user, "adbd"),
        (301, 1, "system", "surfaceflinger"),
        (702, 210, "system", "system_server"),
        (911, 210, "u0_a47", "com.android.systemui"),
        (934, 210, "u0_a52", LAUNCHER),
    ];
    let dies = |name: &str| name == LAUNCHER && proc.card.faults.has(Fault::NoLauncher);
    let mut all: Vec<Process> = fixed
        .into_iter()
        .filter(|(.., name)| !dies(name))
        .map(|(pid, parent, user, name)| Process { pid, parent, user, name: name.into() })
        .collect();
    let started = proc.card.processes();
    all.extend(started.into_iter().map(|(pid, name)| Process { pid, parent: 233, user, name }));
    all.push(Process { pid: proc.card.next_pid(), parent: 233, user, name: proc.words.join(" ") });
    all
}

/// `ps`.
pub async fn ps(proc: Proc) -> Outcome {
    let Some(options) = proc.options("Aaefklnwo:p:O:TZ", &[]).await else { return Ok(1) };
    let chosen: Vec<String> = options.values('o').flat_map(|text| text.split(',')).map(str::to_lowercase).collect();
    let chosen = if chosen.is_empty() {
        ["user", "pid", "ppid", "vsz", "rss", "wchan", "addr", "s", "name"].map(str::to_owned).to_vec()
    } else {
        chosen
    };
    let only: Option<Vec<u32>> =
        options.value('p').map(|text| text.split(',').filter_map(|pid| pid.parse().ok()).collect());
    let cell = |process: &Process, column: &str| match column.split('=').next().unwrap_or(column) {
        "pid" | "tid" => process.pid.to_string(),
        "ppid" => process.parent.to_string(),
        "user" | "uname" => process.user.into(),
        "uid" => super::meta::user_id(process.user).unwrap_or(0).to_string(),
        "vsz" => "10853212".into(),
        "rss" => "4312".into(),
        "s" | "stat" => "S".into(),
        "name" | "comm" | "cmd" => process.name.split(' ').next().unwrap_or_default().into(),
        "args" | "cmdline" => process.name.clone(),
        _ => "0".into(),
    };
    let titled = chosen.iter().any(|column| !column.ends_with('='));
    let mut rows: Vec<Vec<String>> = Vec::new();
    if titled {
        rows.push(chosen.iter().map(|column| column.to_uppercase()).collect());
    }
    for process in
        processes(&proc).iter().filter(|process| only.as_ref().is_none_or(|only| only.contains(&process.pid)))
    {
        rows.push(chosen.iter().map(|column| cell(process, column)).collect());
    }
    let widths: Vec<usize> =
        (0..chosen.len()).map(|at| rows.iter().map(|row| row[at].len()).max().unwrap_or(0)).collect();
    for row in &rows {
        let cells = row.iter().enumerate().map(|(at, text)| {
            // Numbers stand on the right, and so do their headings.
            let number =
                matches!(chosen[at].trim_end_matches('='), "pid" | "tid" | "ppid" | "uid" | "vsz" | "rss" | "addr");
            let (text, width) = (text.as_str(), if at + 1 == row.len() { 0 } else { widths[at] });
            if number { format!("{text:>width$}") } else { format!("{text:<width$}") }
        });
        proc.out(cells.collect::<Vec<_>>().join(" ") + "\n").await?;
    }
    Ok(0)
}

/// `pidof` and `pgrep`.
pub async fn pidof(proc: Proc) -> Outcome {
    let names: Vec<&String> = proc.args().iter().filter(|arg| !arg.starts_with('-')).collect();
    let own = processes(&proc).into_iter().filter(|process| !process.name.starts_with("pidof"));
    let pids: Vec<String> = own
        .filter(|process| {
            let program = process.name.split(' ').next().unwrap_or_default();
            let short = program.rsplit('/').next().unwrap_or(program);
            names.iter().any(|name| short == name.as_str() || program == name.as_str())
        })
        .map(|process| process.pid.to_string())
        .collect();
    if pids.is_empty() {
        return Ok(1);
    }
    let separator = if proc.name() == "pgrep" { "\n" } else { " " };
    proc.out(pids.join(separator) + "\n").await?;
    Ok(0)
}

/// `kill`, `pkill`, `killall`.
pub async fn kill(proc: Proc) -> Outcome {
    let (by_name, by_pattern) = (proc.name() != "kill", proc.name() == "pkill");
    let whole = by_pattern && proc.args().iter().any(|arg| arg == "-f");
    let asks = proc.args().iter().any(|arg| arg == "-0");
    let mut code = 0;
    let mut args = proc.args().iter();
    while let Some(arg) = args.next() {
        if arg == "-s" || arg == "-l" {
            args.next();
            continue;
        }
        if arg.starts_with('-') {
            continue;
        }
        let pattern = compile(arg, Style::Extended, false);
        // A shell that only starts this has become it.
        let fits = |pid: u32, line: &str| {
            let program = line.split(' ').next().unwrap_or(line);
            match &pattern {
                Ok(pattern) if whole => !line.starts_with("sh -c pkill") && pattern.is_match(line.as_bytes()),
                Ok(pattern) if by_pattern => pattern.is_match(program.as_bytes()),
                Ok(_) | Err(_) if by_name => line.split(' ').any(|word| word == arg),
                Ok(_) | Err(_) => arg.parse() == Ok(pid),
            }
        };
        let hit: Vec<u32> =
            proc.card.processes().into_iter().filter(|(pid, line)| fits(*pid, line)).map(|(pid, _)| pid).collect();
        if hit.is_empty() {
            if !by_pattern {
                proc.err(&format!("{arg}: No such process")).await;
            }
            code = 1;
        }
        if !asks {
            hit.into_iter().for_each(|pid| proc.card.kill(pid));
        }
    }
    Ok(code)
}
