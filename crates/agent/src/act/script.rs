//! Scripts whose result stays on the card: the output of an attempt and its exit code are in one file there, so that an
//! interrupted agent can read its outcome.
//!
//! The card's shell does it by itself: it continues when its connection ends, and renames the file when it is complete.
//! Only features of the shells on old cards are used (mksh, toybox).

use std::borrow::Cow;
use std::time::Duration;

use adb::{Card, Command, Device as _, Error};
use wire::{Act, MAX_OUTPUT, Outcome, Reason, Task};

use super::{Done, PROPERTY, ended_with, mark, shortened, stray};

/// The folder of the files. There is at most one: each attempt starts with an empty folder.
const FOLDER: &str = "/data/local/tmp/.skyrack";
/// Bytes of the output that are kept: the largest size of the longest text that is sent.
const KEPT: usize = MAX_OUTPUT * 4;
/// A script that prints more bytes than this is considered endless: its reader exits, and so does the script.
const DRAINED: u32 = 64 << 20;
/// Timeout for stopping a script on a card.
const STOPPED: Duration = Duration::from_secs(5);
/// The answer of a card that has space for the file.
pub const WORD: &str = "kept";
/// The script of a wipe.
const WIPE: &str = "rm -rf /sdcard/* /data/local/tmp/*";

/// The script that a task runs; none for other actions.
pub fn script_of(task: &Task) -> Option<Cow<'_, str>> {
    if let Act::Shell { script } = &task.act {
        return Some(script.into());
    }
    (task.act == Act::Wipe).then(|| stray::guarded(task, WIPE).into())
}

/// What a script has come to: a wipe that has found a phone has done nothing.
fn judged(task: &Task, done: Done) -> Done {
    let is_wipe = task.act == Act::Wipe;
    let spared = if is_wipe { stray::spared(done.exit, &done.output) } else { None };
    spared.map_or(done, Done::so)
}

/// Makes space for the file of a script. Sent together with the identification of the card, before the script starts;
/// the card answers a word if it worked, and nothing if its storage is full or read-only.
pub fn preparation() -> String {
    format!("rm -rf {FOLDER}; mkdir -p {FOLDER} && echo {WORD} >{FOLDER}/word; cat {FOLDER}/word")
}

/// Runs a script, keeping its result on the card if there is space for it.
///
/// # Errors
/// The card refuses the line, or is lost before it answers.
pub async fn run(card: &Card, task: &Task, script: &str, is_kept: bool, deadline: Duration) -> Result<Done, Error> {
    // Mark and script are sent together, so that nothing can happen between them.
    let line = if is_kept { kept(task, script)? } else { format!("setprop {PROPERTY} {}\n{script}", mark(task)) };
    let output = card.run(&Command::script(&line), deadline).await?;
    // Without an exit code it was interrupted.
    if !is_kept || output.exit.is_none() {
        return Ok(judged(task, Done::printed(&output)));
    }
    let done = read(&output.text()).unwrap_or_else(|| {
        let why = "the script ran, but its result could not be stored on the card: its storage may be full";
        Done::so(Outcome::failed(Reason::NoSpace, why))
    });
    Ok(judged(task, done))
}

/// The result that an attempt left on the card; none if it is not there, or not yet.
///
/// # Errors
/// The card does not answer.
pub async fn left(card: &Card, task: &Task) -> Result<Option<Done>, Error> {
    let found = card.run(&Command::new("cat").arg(file(task)), adb::shell::COMMAND).await?;
    Ok(if found.succeeded() { read(&found.text()).map(|done| judged(task, done)) } else { None })
}

/// Whether an attempt is still running on the card. If the card cannot tell, it is assumed to have ended.
///
/// # Errors
/// The card does not answer.
pub async fn is_under_way(card: &Card, task: &Task) -> Result<bool, Error> {
    let listed = card.run(&Command::script("ps -A -o ARGS 2>/dev/null || ps"), adb::shell::COMMAND).await?;
    Ok(listed.text().contains(&format!("{}.", file(task))))
}

/// Ends what is still running of an attempt: it does not end with its connection.
///
/// # Errors
/// The card does not answer.
pub async fn stop(card: &Card, task: &Task) -> Result<(), Error> {
    // In brackets, so that this command does not match itself.
    let name = file(task).replace('.', r"\.").replacen('/', "[/]", 1);
    card.run(&Command::new("pkill").args(["-KILL", "-f"]).arg(format!(r"{name}\.")), STOPPED).await?;
    Ok(())
}

fn file(task: &Task) -> String {
    format!("{FOLDER}/{}", mark(task))
}

/// The command line that runs a script and keeps its result. The output and the exit code are first written to files of
/// their own.
fn kept(task: &Task, script: &str) -> Result<String, Error> {
    let (mark, file) = (mark(task), file(task));
    // With the file's name as its own, the script is found among the processes.
    let ran = format!("sh -c {} {file}.run; echo $? >{file}.code", adb::quoted(script)?);
    // The toybox of old cards has no `head -c`.
    let noted = format!(
        "head -c {KEPT} >{file}.part 2>/dev/null || cat >{file}.part; head -c {DRAINED} >/dev/null 2>/dev/null"
    );
    Ok(format!(
        "trap '' HUP\nsetprop {PROPERTY} {mark}\nsh -c {} 2>&1 | sh -c {}\necho >>{file}.part\ncat {file}.code >>{file}.part\n\
         mv {file}.part {file}\ncat {file}",
        adb::quoted(&ran)?,
        adb::quoted(&noted)?
    ))
}

/// The output, a line break, the exit code on a line.
fn read(text: &str) -> Option<Done> {
    let (output, code) = text.trim_end().rsplit_once('\n').unwrap_or(("", text.trim_end()));
    let exit: u8 = code.trim().parse().ok()?;
    let (output, is_cut) = (output.trim(), output.len() >= KEPT);
    let (output, was_long) = shortened(output);
    let outcome = if exit == 0 { Outcome::Succeeded } else { ended_with(exit) };
    Some(Done { output, truncated: is_cut || was_long, exit: Some(exit), ..Done::so(outcome) })
}

#[cfg(test)]
mod tests {
    use wire::{Effect, Outcome};

    use super::read;

    #[test]
    fn the_last_line_is_the_exit_code_and_all_before_it_what_was_printed() {
        let done = read("one\n two\n\n0\n").expect("a file of a script");
        assert_eq!((done.output.as_str(), done.exit, &done.outcome), ("one\n two", Some(0), &Outcome::Succeeded));
        let done = read("\n127\n").expect("one that printed nothing");
        assert_eq!((done.output.as_str(), done.exit), ("", Some(127)));
        assert!(matches!(done.outcome, Outcome::Failed { effect: Effect::Proved, .. }));
        for cut_off in ["", "\n", "one\ntwo\n", "one\n300\n"] {
            assert!(read(cut_off).is_none(), "{cut_off:?}");
        }
    }
}
