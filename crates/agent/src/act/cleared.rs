//! Wiping a card, the proof of it, and how a clean card is known.
//!
//! Wiping by *clear*: the framework is stopped, everything that the clean card of the image has not goes, what differs
//! from it comes from there, until a look at the whole card finds nothing more to do; then the card restarts. The *proof*
//! is another look after that: only what a restart itself changes may differ, and the system's partitions, which no
//! tenant may have touched, are those of the image; and nothing is mounted that the look would not see. What a tenant with root has left running ends with the restart, and
//! what he has left to be started is not there any more.
//!
//! From its first line on the card says that it is being wiped, so that whoever dies in between, the wipe goes on. What goes is
//! removed thing by thing, some by each line, so that a wipe takes as long as the card needs for what is on it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use adb::{Card, Command, Device as _, Error};
use tokio::io::AsyncReadExt as _;
use tokio::time::sleep;
use wire::{Carried, Effect, FileRef, Outcome, Reason, Task};

use super::owned::{Guard, begins_to_wipe, proof_of_wiping, up};
use super::{Done, open, restarted, restarts};
use crate::clean::{CleanCard, Looked, Plan, Profile, ROOT};
use crate::listing::{self, Listing, Unread};
use crate::marked::QUESTION;
use crate::mounts;
use crate::refused::refused;
use crate::tools::Tools;

/// Looks at a card, each with what has to be done then, before it is given up.
const ROUNDS: usize = 12;
/// What of a clean card is sent to the console, in bytes, at most: it takes files of 32 MiB.
const ARCHIVE: usize = 30 << 20;
/// How long a card has for coming back from the restart after a wipe.
const BACK: Duration = Duration::from_mins(10);
/// How long the framework has for stopping.
const STOPS: Duration = Duration::from_secs(30);
/// Interval between looks at whether it has.
const POLL: Duration = Duration::from_millis(500);
/// Names that are told of what should not be there.
const TOLD: usize = 5;
/// The partitions of the system, by the names that boards have for them; each has some of these.
const PARTITIONS: &str = "boot init_boot vendor_boot recovery vbmeta dtbo system system_ext product vendor odm super";

/// Wipes a card; one that is not being wiped yet only if it has not restarted since that start, if one is told.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn clear(
    tools: &Tools,
    card: &Card,
    task: &Task,
    guard: &Guard<'_>,
    (profile, copied): (&FileRef, Option<&str>),
) -> Result<Done, Error> {
    let Some(clean) = clean_card(tools, profile).await? else { return Ok(no_profile()) };
    let profile = &clean.profile;
    if let Some(other) = other_image(card, profile).await? {
        return Ok(other);
    }
    let script = format!("{}; getprop init.svc.zygote", *QUESTION);
    let said = card.run(&Command::script(&script), adb::shell::COMMAND).await?.text();
    let (carried, zygote) = said.trim_end().rsplit_once('\n').unwrap_or_default();
    let has_run = |copied: &str| copied != guard.boot_id || zygote.trim() != "stopped";
    if Carried::read(carried.trim()) != Carried::Wiping(guard.mark) && copied.is_some_and(has_run) {
        let why = "the card has restarted, or Android was started, since the phone was copied: its apps have run";
        return Ok(Done::so(refused(Reason::AppsRan, why)));
    }
    // The guard sees to it that the start is still the same.
    let begun = guard.change(tools, card, &begins_to_wipe(guard.mark)).await?;
    if begun.outcome != Outcome::Succeeded {
        return Ok(begun);
    }
    let wiper = Wiper { tools, card, task, guard };
    if let Some(failed) = wiper.stop().await? {
        return Ok(failed);
    }
    let mut left = Plan::default();
    for _ in 0..ROUNDS {
        let looked = match look(card, Some(profile)).await {
            Ok(looked) => looked,
            Err(unread) => return unreadable(unread),
        };
        left = profile.plan(&looked);
        if left.is_empty() {
            let trim = "[ \"$(getprop ro.crypto.state)\" = encrypted ] || fstrim /data";
            return match wiper.line(&format!("{trim}; sync; reboot"), Vec::new()).await {
                // The restart takes the shell with it.
                Ok(done) if matches!(done.outcome, Outcome::Failed { effect: Effect::NeverBegan, .. }) => Ok(done),
                Ok(_) | Err(Error::Closed) => back(tools, task, guard.boot_id).await,
                Err(error) => Err(error),
            };
        }
        match wiper.do_as(&left, &looked.listing, &clean.archive).await {
            Ok(None) => {}
            Ok(Some(failed)) => return Ok(failed),
            Err(unread) => return unreadable(unread),
        }
    }
    let names = left.remove.iter().map(|name| String::from_utf8_lossy(name).into_owned());
    Ok(unproved(&names.chain(left.restore).collect::<Vec<_>>()))
}

/// Sees whether a card that was wiped and has restarted is like the clean one.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn prove(
    tools: &Tools,
    card: &Card,
    task: &Task,
    guard: &Guard<'_>,
    profile: &FileRef,
) -> Result<Done, Error> {
    let Some(clean) = clean_card(tools, profile).await? else { return Ok(no_profile()) };
    let profile = &clean.profile;
    let carried = up(card).await?;
    if Carried::read(&carried) != Carried::Wiping(guard.mark) {
        let why = format!("the card is marked as {carried}, and not as being wiped of {}", guard.mark);
        return Ok(Done::so(refused(Reason::NotOurs, why)));
    }
    if let Some(other) = other_image(card, profile).await? {
        return Ok(other);
    }
    let (is_verified, partitions) = match system(card).await {
        Ok(system) => system,
        Err(unread) => return unreadable(unread),
    };
    if profile.is_verified && !is_verified {
        return Ok(unproved(&["the board does not say any more that its system is whole".to_owned()]));
    }
    let changed: Vec<String> = profile
        .partitions
        .iter()
        .filter(|(name, sum)| partitions.get(*name) != Some(*sum))
        .map(|it| it.0.clone())
        .collect();
    if !changed.is_empty() {
        return Ok(unproved(&changed));
    }
    let wiper = Wiper { tools, card, task, guard };
    if let Some(failed) = wiper.stop().await? {
        return Ok(failed);
    }
    let looked = look(card, Some(profile)).await;
    let started = wiper.line("start", Vec::new()).await?;
    let strange = match looked {
        Ok(looked) => profile.strange(&looked),
        Err(unread) => return unreadable(unread),
    };
    Ok(if !strange.is_empty() {
        unproved(&strange)
    } else if started.outcome == Outcome::Succeeded {
        Done { output: guard.boot_id.to_owned(), ..Done::so(Outcome::Succeeded) }
    } else {
        started
    })
}

/// Reads what a card on which nobody was looks like.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn profile(tools: &Tools, card: &Card, task: &Task, boot_id: &str) -> Result<Done, Error> {
    let carried = up(card).await?;
    match Carried::read(&carried) {
        Carried::Nothing | Carried::Clean => {}
        Carried::Unreadable => {
            return Ok(Done::so(refused(Reason::MarkUnreadable, "the card does not say whose it is")));
        }
        Carried::Of(_) | Carried::Wiping(_) => {
            let why = format!("the card is marked as {carried}: it is not clean");
            return Ok(Done::so(refused(Reason::NotOurs, why)));
        }
    }
    stop(card).await?;
    let read = async {
        let looked = look(card, None).await?;
        Ok::<_, Unread>((archive(card, &looked).await?, looked))
    };
    let (archive, before) = match read.await {
        Ok(read) => read,
        Err(unread) => {
            card.run(&Command::script("start"), adb::shell::COMMAND).await?;
            return unreadable(unread);
        }
    };
    let again =
        restarts(card.run(&Command::script("sync; reboot"), adb::shell::COMMAND).await, tools, task, boot_id).await?;
    if again.outcome != Outcome::Succeeded {
        return Ok(again);
    }
    let address = tools.address(task).ok_or_else(|| Error::BadArgument { what: task.address.clone() })?;
    let card = &tools.cards.get(address).await?;
    up(card).await?;
    let fingerprint = fingerprint(card).await?;
    stop(card).await?;
    let after = look(card, None).await;
    card.run(&Command::script("start"), adb::shell::COMMAND).await?;
    let read = async {
        let (is_verified, partitions) = system(card).await?;
        let profile = Profile::of(fingerprint, before, after?).map_err(Unread::Because)?;
        let profile = Profile { is_verified, partitions, ..profile };
        profile.packed(&archive).map_err(|error| Unread::Because(error.to_string()))
    };
    match read.await {
        Ok(bytes) => Ok(Done { file: Some(bytes), ..Done::so(Outcome::Succeeded) }),
        Err(unread) => unreadable(unread),
    }
}

/// What wipes a card, line by line.
struct Wiper<'a> {
    tools: &'a Tools,
    card: &'a Card,
    task: &'a Task,
    guard: &'a Guard<'a>,
}

impl Wiper<'_> {
    /// Runs a line if the card says that it is being wiped.
    async fn line(&self, line: &str, input: Vec<u8>) -> Result<Done, Error> {
        let line = format!("{}{line}", proof_of_wiping(self.guard.mark));
        self.guard.change_with(self.tools, self.card, &line, input).await
    }

    /// Stops the framework; returns why it could not.
    async fn stop(&self) -> Result<Option<Done>, Error> {
        let stopped = self.line("stop", Vec::new()).await?;
        if stopped.outcome != Outcome::Succeeded {
            return Ok(Some(stopped));
        }
        has_stopped(self.card).await?;
        Ok(None)
    }

    /// Has a program deal with things, some by each line.
    async fn each(&self, program: &str, names: &[&[u8]]) -> Result<Done, Error> {
        // The console takes one of which it hears nothing for lost.
        let heard =
            |done: usize, all: usize| _ = self.tools.progress.lock().insert(self.task.key, (done as u64, all as u64));
        let proof = proof_of_wiping(self.guard.mark);
        self.guard.each(self.tools, self.card, &proof, (program, names), heard).await
    }

    /// Does what a plan says for what is `there`; returns why it could not.
    async fn do_as(&self, plan: &Plan, there: &Listing, archive: &[u8]) -> Result<Option<Done>, Unread> {
        let gone = self.each("rm -rf --", &plan.gone(there)).await?;
        if gone.outcome != Outcome::Succeeded {
            return Ok(Some(gone));
        }
        if plan.restore.is_empty() {
            return Ok(None);
        }
        let part = part(archive, &plan.restore).map_err(|error| Error::Local { why: error.to_string() })?;
        let done = self.line(&format!("cd {ROOT} && tar -xpf -"), part).await?;
        let mut names: Vec<&[u8]> = plan.restore.iter().map(String::as_bytes).collect();
        match &done.outcome {
            Outcome::Succeeded => {}
            // It comes in the next round, which sees nothing of labels: what has come so far gets its own now.
            Outcome::Failed { code, .. } if *code == Reason::AdbTimeout.into() => {
                let (come, _) = listing::once_quiet(|| listing::list(self.card, ROOT)).await?;
                names.retain(|name| come.contains_key(*name));
            }
            Outcome::Failed { .. } | Outcome::Cancelled => return Ok(Some(done)),
        }
        let done = self.each("restorecon -F", &names).await?;
        Ok((done.outcome != Outcome::Succeeded).then_some(done))
    }
}

/// Waits until a card is back that restarts at the end of a wipe, which has no time as a whole.
async fn back(tools: &Tools, task: &Task, boot_id: &str) -> Result<Done, Error> {
    let too_long = Error::Timeout { step: "the restart after a wipe", after: BACK };
    tokio::time::timeout(BACK, restarted(tools, task, boot_id)).await.unwrap_or(Err(too_long))
}

async fn stop(card: &Card) -> Result<(), Error> {
    card.run(&Command::script("stop"), adb::shell::COMMAND).await?.checked()?;
    has_stopped(card).await
}

pub(super) async fn has_stopped(card: &Card) -> Result<(), Error> {
    let zygote = adb::PropName::new("init.svc.zygote")?;
    let stopped = async {
        while card.get_prop(&zygote).await? != "stopped" {
            sleep(POLL).await;
        }
        Ok(())
    };
    let too_long = Error::Timeout { step: "the stop of the framework", after: STOPS };
    tokio::time::timeout(STOPS, stopped).await.unwrap_or(Err(too_long))
}

/// Reads everything below [`ROOT`], and the content of what looks like the clean card's; of everything without a profile.
async fn look(card: &Card, profile: Option<&Profile>) -> Result<Looked, Unread> {
    let (listing, there) = listing::list(card, ROOT).await?;
    // Whatever a copy may leave out: a wipe has to see everything.
    let mounted = there.strange(|_| false).map(mounts::told).collect();
    let (files, links): (Vec<&[u8]>, Vec<&[u8]>) = {
        let read: Vec<_> = match profile {
            Some(profile) => profile.to_read(&listing).collect(),
            None => everything(&listing).collect(),
        };
        let of = |kind: fn(&listing::Entry) -> bool| read.iter().filter(move |it| kind(it.1)).map(|it| it.0).collect();
        (of(listing::Entry::is_file), of(listing::Entry::is_link))
    };
    let sums = listing::hashes(card, ROOT, &files).await?;
    let targets = listing::targets(card, ROOT, &links).await?;
    let contents = files.iter().zip(sums).chain(links.iter().zip(targets));
    let contents = contents.map(|(name, content)| (name.to_vec(), content)).collect();
    Ok(Looked { listing, contents, mounted })
}

fn everything(listing: &Listing) -> impl Iterator<Item = (&[u8], &listing::Entry)> {
    listing.iter().map(|(name, entry)| (name.as_slice(), entry))
}

/// What `getprop` says of the system, and the sums of its partitions: those are read only where nothing else proves them.
async fn system(card: &Card) -> Result<(bool, BTreeMap<String, String>), Unread> {
    let state = adb::PropName::new("ro.boot.verifiedbootstate")?;
    if card.get_prop(&state).await? == "green" {
        return Ok((true, BTreeMap::new()));
    }
    let script = format!(
        "for d in /dev/block/by-name /dev/block/bootdevice/by-name; do [ -d $d ] && break; done\n\
         for p in {PARTITIONS}; do [ ! -e $d/$p ] || echo \"$p $(sha256sum -b <$d/$p)\"; done"
    );
    let bytes = listing::whole(card, &Command::script(&script)).await?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let sums = text.lines().filter_map(|line| line.trim().split_once(' '));
    let sums: BTreeMap<String, String> = sums.map(|(name, sum)| (name.to_owned(), sum.trim().to_owned())).collect();
    match sums.iter().find(|(_, sum)| sum.len() != 64 || !sum.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        Some((name, sum)) => Err(Unread::Because(format!("the sum of the partition {name} is \"{sum}\""))),
        None => Ok((false, sums)),
    }
}

async fn fingerprint(card: &Card) -> Result<String, Error> {
    card.get_prop(&adb::PropName::new("ro.build.fingerprint")?).await
}

/// Why a profile says nothing about a card: it runs another image.
async fn other_image(card: &Card, profile: &Profile) -> Result<Option<Done>, Error> {
    let image = fingerprint(card).await?;
    let why = || format!("the card runs {image}, and the clean one {}", profile.fingerprint);
    Ok((image != profile.fingerprint).then(|| Done::so(refused(Reason::ImageDiffers, why()))))
}

/// Everything on a clean card as an archive.
async fn archive(card: &Card, looked: &Looked) -> Result<Vec<u8>, Unread> {
    let bytes: u64 = looked.listing.values().filter(|entry| entry.is_file()).map(|entry| entry.size).sum();
    if bytes > ARCHIVE as u64 {
        return Err(Error::TooLarge { limit: ARCHIVE as u64 }.into());
    }
    let command = Command::script(&format!("cd {ROOT} && tar -cf - ."));
    let output = card.run_whole(&command, Duration::from_mins(10), ARCHIVE * 2).await?.checked()?;
    let kept =
        part(&output.stdout, &looked.listing.keys().filter_map(|name| String::from_utf8(name.clone()).ok()).collect());
    kept.map_err(|error| Unread::Because(format!("its archive cannot be read: {error}")))
}

/// The part of an archive with these names, in its order.
fn part(archive: &[u8], names: &BTreeSet<String>) -> std::io::Result<Vec<u8>> {
    let mut part = tar::Builder::new(Vec::new());
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        let path = entry.path_bytes().into_owned();
        let name = path.strip_prefix(b"./").unwrap_or(&path);
        let name = String::from_utf8_lossy(name.strip_suffix(b"/").unwrap_or(name)).into_owned();
        if !names.contains(&name) {
            continue;
        }
        let mut header = entry.header().clone();
        let kind = header.entry_type();
        if kind.is_symlink() || kind.is_hard_link() {
            let target = entry.link_name()?.unwrap_or_default().into_owned();
            part.append_link(&mut header, &name, target)?;
        } else {
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            part.append_data(&mut header, &name, content.as_slice())?;
        }
    }
    part.into_inner()
}

/// What a wipe goes by; none if the file is no such thing.
async fn clean_card(tools: &Tools, profile: &FileRef) -> Result<Option<Arc<CleanCard>>, Error> {
    if let Some(shared) = tools.clean_cards.get(&profile.sha256) {
        return Ok(Some(shared));
    }
    let mut bytes = Vec::new();
    let read = open(&tools.files, profile).await?.read_to_end(&mut bytes).await;
    read.map_err(|error| Error::Local { why: error.to_string() })?;
    Ok(CleanCard::read(&bytes).map(|card| tools.clean_cards.share(&profile.sha256, card)))
}

fn no_profile() -> Done {
    Done::so(refused(Reason::LocalFile, "the file with the clean card cannot be read"))
}

/// What is not as it should be on a card that was wiped.
fn unproved(names: &[String]) -> Done {
    let more = names.len().saturating_sub(TOLD);
    let told = names.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    let told = if more > 0 { format!("{told} and {more} more") } else { told };
    Done::so(Outcome::failed(Reason::WipeUnproved, told).with(Effect::Proved))
}

fn unreadable(unread: Unread) -> Result<Done, Error> {
    match unread {
        Unread::Card(error) => Err(error),
        Unread::TooMany => {
            let why = "their names are more than 512 MiB";
            Ok(Done::so(Outcome::failed(Reason::TooManyFiles, why).with(Effect::Unknown)))
        }
        Unread::Changed(why) | Unread::Because(why) => {
            Ok(Done::so(Outcome::failed(Reason::NotReadable, why).with(Effect::Unknown)))
        }
    }
}
