//! Packages of a copy on their way to another phone's card: from the storage node into sessions of its package manager,
//! while the phone goes on. What is there already, in that version or a newer one, is left alone; a package that is refused
//! is told, and the others go on.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use adb::{
    Card, InstallFailure, InstallRefused, PackageName, install_verdict, quoted, session_created, session_written,
};
use snapshot::Run;
use store::Urgency;
use tokio::io::DuplexStream;
use tokio::sync::oneshot;
use wire::copy::{AppFailed, AppsBrought, MAX_TOLD, PackageAt, PackageData, Paper, RepoAt};
use wire::{Effect, Outcome, Reason, StoreNode, Task};

use super::copied::damage_of_package;
use super::installed::inventory;
use super::owned::{Guard, booted};
use super::running::{Failed, Watched, keys, place, tell, told};
use super::standing::Standing;
use super::{granted, ops};
use crate::done::Done;
use crate::pipe::Pipe;
use crate::refused::Refused;
use crate::stores::Stores;
use crate::tools::Tools;

/// Seconds for what the package manager answers at once.
const SOON: u32 = 45;
/// Seconds for an installation: a large app is verified and compiled. It goes on if nobody waits for it any more.
const COMMIT: u32 = 300;
/// Bytes between the thread that reads the node and the card.
const PIPE: usize = 256 << 10;
/// Permissions that are granted by one line, and operations that are set.
const GRANTS: usize = 20;
/// Characters that are kept of what is said of a package: of its code, and of the words.
const CODE: usize = 64;
const WORDS: usize = 160;

/// Installs what a phone lacks of the packages of a copy.
pub async fn install(tools: &Tools, card: &Card, task: &Task, guard: &Guard<'_>, node: &StoreNode) -> Done {
    let mut work = Work { tools, card, task, guard, node, files: HashMap::new(), done: 0, all: 0, has_begun: false };
    match work.run().await {
        Ok(brought) => ended(&brought),
        Err(Refused(code, why)) if work.has_begun => Done::so(Outcome::failed(code, why)),
        Err(why) => told(why),
    }
}

/// The result: what was installed, and as a failure if something was not.
fn ended(brought: &AppsBrought) -> Done {
    let outcome = if brought.failed.is_empty() {
        Outcome::Succeeded
    } else {
        Outcome::failed(Reason::InstallFailed, words(brought)).with(Effect::Proved)
    };
    Done { output: serde_json::to_string(brought).unwrap_or_default(), ..Done::so(outcome) }
}

/// Which packages failed, and why, in one line.
fn words(brought: &AppsBrought) -> String {
    let named: Vec<String> = brought.failed.iter().map(|one| format!("{} ({})", one.name, one.code)).collect();
    let more = brought.failed_in_all - brought.failed.len() as u64;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let first = brought.failed.first().map(|one| format!("; {}", one.reason)).unwrap_or_default();
    format!("{}{more}{first}", named.join(", "))
}

/// Why a package was not installed, while the others may be.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    code: String,
    reason: String,
}

impl Word {
    fn of(code: Reason, reason: impl Into<String>) -> Self {
        Self { code: code.code().to_owned(), reason: reason.into() }
    }

    fn about(self, name: &str) -> AppFailed {
        let cut = |text: &str, most: usize| text.chars().filter(|c| !c.is_control()).take(most).collect();
        AppFailed { name: name.to_owned(), code: cut(&self.code, CODE), reason: cut(&self.reason, WORDS) }
    }
}

impl From<InstallRefused> for Word {
    fn from(refused: InstallRefused) -> Self {
        let InstallRefused { failure, code, words } = refused;
        let code = match () {
            () if !matches!(failure, InstallFailure::Other(_)) => failure.code().to_owned(),
            () if code.is_empty() => Reason::InstallFailed.code().to_owned(),
            () => code,
        };
        Self { code, reason: words }
    }
}

/// How the reading of a file has ended.
#[derive(Debug)]
enum Read {
    /// All of it came, and is what its hash says.
    Whole,
    /// It is not what was saved.
    Damaged(String),
    /// Nobody took it any more.
    Untaken,
}

/// What is needed on the way.
struct Work<'a> {
    tools: &'a Tools,
    card: &'a Card,
    task: &'a Task,
    guard: &'a Guard<'a>,
    node: &'a StoreNode,
    /// Where files of packages lie, by their SHA-256.
    files: HashMap<String, PackageAt>,
    /// Bytes of packages that were dealt with, and of all.
    done: u64,
    all: u64,
    /// Something was changed on the card, or may have been.
    has_begun: bool,
}

impl Work<'_> {
    async fn run(&mut self) -> Result<AppsBrought, Refused> {
        let before = Standing::of(self.card).await?;
        before.check(self.guard.mark)?;
        if before.is_stopped {
            return Err(Refused(Reason::Unhealthy, "Android is not up: nothing can be installed".to_owned()));
        }
        let known = keys(self.tools, self.task).await?;
        let Some(manifest) = known.manifest else {
            return Err(Refused(Reason::PackagesMissing, "it is not known what the copy has".to_owned()));
        };
        self.files = known.packages.into_iter().map(|at| (at.sha256.clone(), at)).collect();
        let own: Vec<PackageData> = manifest.packages.into_iter().filter(|package| package.is_own).collect();
        booted(self.card).await?;
        let there: HashMap<String, i64> =
            inventory(self.card).await?.into_iter().map(|package| (package.name, package.version_code)).collect();
        let (present, missing): (Vec<&PackageData>, Vec<&PackageData>) =
            own.iter().partition(|package| is_there(package, &there));
        self.all = missing.iter().flat_map(|package| &package.apks).map(|apk| apk.size).sum();
        self.progress();

        let (mut installed, mut failed) = (Vec::new(), Vec::new());
        for package in &missing {
            let before = self.done;
            match self.bring(package).await? {
                Ok(()) => installed.push(*package),
                Err(word) => failed.push(word.about(&package.name)),
            }
            self.done = before + package.apks.iter().map(|apk| apk.size).sum::<u64>();
            self.progress();
        }
        // Of a version that was there before, too: a try that was broken off may have installed it.
        let same = present.iter().filter(|package| there.get(&package.name) == Some(&package.version_code));
        let granted: Vec<&PackageData> = installed.iter().chain(same).copied().collect();
        failed.extend(self.grant_all(&granted).await?);
        self.set_ops(&granted).await?;
        Ok(AppsBrought {
            installed_in_all: installed.len() as u64,
            installed: installed.iter().take(MAX_TOLD).map(|package| package.name.clone()).collect(),
            present: present.len() as u64,
            failed_in_all: failed.len() as u64,
            failed: failed.into_iter().take(MAX_TOLD).collect(),
        })
    }

    /// How far it is: the console takes one of which it hears nothing for lost.
    fn progress(&self) {
        self.tools.progress.lock().insert(self.task.key, (self.done, self.all));
    }

    async fn ask(&self, line: &str, seconds: u32) -> Result<String, Refused> {
        self.guard.ask(self.tools, self.card, line, seconds).await
    }

    /// Installs one package with what it was granted, or says why not.
    async fn bring(&mut self, package: &PackageData) -> Result<Result<(), Word>, Refused> {
        let files = match files_of(package, &self.files) {
            Ok(files) => files,
            Err(word) => return Ok(Err(word)),
        };
        let total: u64 = files.iter().map(|(_, at)| at.size).sum();
        let said = self.ask(&format!("pm install-create -r --user 0 -S {total}"), SOON).await?;
        let session = match session_created(&said) {
            Ok(session) => session,
            Err(refused) => return Ok(Err(refused.into())),
        };
        self.has_begun = true;
        let ended = self.fill(session, &files).await;
        if !matches!(ended, Ok(Ok(()))) {
            self.abandon(session).await;
            return ended;
        }
        self.grant(&package.name, &package.grants).await?;
        ended
    }

    /// Puts files into a session, and has them installed.
    async fn fill(&mut self, session: u32, files: &[(String, PackageAt)]) -> Result<Result<(), Word>, Refused> {
        for (name, at) in files {
            if let Err(word) = self.write(session, name, at).await? {
                return Ok(Err(word));
            }
            self.done += at.size;
            self.progress();
        }
        let said = self.ask(&format!("pm install-commit {session}"), COMMIT).await?;
        Ok(install_verdict(&said).map_err(Word::from))
    }

    /// Puts a file into a session.
    async fn write(&self, session: u32, name: &str, at: &PackageAt) -> Result<Result<(), Word>, Refused> {
        let line = format!("pm install-write -S {} {session} {} -", at.size, quoted(name)?);
        let (to, from) = tokio::io::duplex(PIPE);
        let (begun, ready) = oneshot::channel();
        let pipe = Pipe::new(to, begun, at.size);
        let part = Some((self.done, self.all));
        let watched = Watched { part, ..Watched::of(self.tools, self.task, at.size) };
        let (stores, node, file) = (Arc::clone(&self.tools.stores), self.node.clone(), at.clone());
        let reading = watched.watch(move |run, _| read(&stores, node, &file, pipe, run));
        let feeding = self.feed(&line, from, at.size, ready);
        tokio::pin!(reading, feeding);
        let (read, fed) = tokio::select! {
            read = &mut reading => match read {
                Ok(read) => (read, feeding.await),
                // What does not come any more nobody waits for.
                Err(why) => return Err(why),
            },
            fed = &mut feeding => (reading.await?, fed),
        };
        if let Read::Damaged(why) = read {
            let paper = Paper { damaged: vec![at.sha256.clone()], ..Paper::default() };
            tell(self.tools, self.task, paper).await?;
            return Ok(Err(Word::of(Reason::PackageDamaged, format!("{}: {why}", at.name))));
        }
        match (fed?, read) {
            (Some(said), Read::Whole) => Ok(session_written(&said, at.size).map_err(Word::from)),
            // The package manager has ended before it had all of it: its words decide.
            (Some(said), Read::Untaken | Read::Damaged(_)) => match session_written(&said, at.size) {
                Ok(()) => Err(Refused(Reason::AdbProtocol, format!("{} was taken, and did not come", at.name))),
                Err(refused) => Ok(Err(refused.into())),
            },
            (None, _) => Err(Refused(Reason::LocalFile, format!("{} did not come", at.name))),
        }
    }

    /// Feeds the card once something comes; nothing if nothing does.
    async fn feed(
        &self,
        line: &str,
        mut from: DuplexStream,
        size: u64,
        ready: oneshot::Receiver<()>,
    ) -> Result<Option<String>, Refused> {
        if ready.await.is_err() {
            return Ok(None);
        }
        let silence = Duration::from_secs(u64::from(self.task.seconds.max(1)));
        let said = self.guard.feed(self.tools, self.card, line, (&mut from, size), silence).await;
        // Whoever still writes ends.
        drop(from);
        said.map(Some)
    }

    /// Gives a session up. One that has ended by itself is gone already; one that cannot be reached Android removes after
    /// some days.
    async fn abandon(&self, session: u32) {
        let Some(address) = self.tools.address(self.task) else { return };
        let abandoned = async {
            // The connection may be what has failed.
            let card = self.tools.cards.get(address).await?;
            self.guard.ask(self.tools, &card, &format!("pm install-abandon {session}"), SOON).await
        };
        if let Err(Refused(_, why)) = abandoned.await {
            tracing::warn!(%address, session, why, "a session of the package manager was not abandoned");
        }
    }

    /// Grants a package permissions. What cannot be granted is seen afterwards.
    async fn grant(&mut self, name: &str, grants: &[String]) -> Result<(), Refused> {
        for some in grants.chunks(GRANTS) {
            let mut line = String::new();
            for permission in some {
                line.push_str(&format!("pm grant --user 0 {} {}\n", quoted(name)?, quoted(permission)?));
            }
            self.has_begun = true;
            self.ask(&line, SOON).await?;
        }
        Ok(())
    }

    /// Sets what was set for packages of Android's operations, once they have what they were granted: that sets some as well.
    async fn set_ops(&mut self, packages: &[&PackageData]) -> Result<(), Refused> {
        let set: Vec<&PackageData> = packages.iter().copied().filter(|package| !package.ops.is_empty()).collect();
        if set.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = set.iter().map(|package| package.name.as_str()).collect();
        let has = ops::of(self.card, &names).await?;
        let mut lines = Vec::new();
        for package in set {
            lines.extend(ops::changes(package, has.get(&package.name))?);
        }
        self.has_begun = true;
        for some in lines.chunks(GRANTS) {
            self.ask(&some.concat(), SOON).await?;
        }
        // A try that was broken off may have set them.
        self.ask(ops::WRITE, SOON).await?;
        Ok(())
    }

    /// Sees that packages have what they had been granted, and grants what is missing. Returns those that lack it still.
    async fn grant_all(&mut self, packages: &[&PackageData]) -> Result<Vec<AppFailed>, Refused> {
        let mut lacking: Vec<&PackageData> =
            packages.iter().copied().filter(|package| !package.grants.is_empty()).collect();
        for is_last in [false, true] {
            let names: Vec<&str> = lacking.iter().map(|package| package.name.as_str()).collect();
            let known = granted::of(self.card, &names).await?;
            let missing: Vec<(&PackageData, Vec<String>)> = lacking
                .iter()
                .map(|package| (*package, ungranted(package, known.get(&package.name))))
                .filter(|(_, missing)| !missing.is_empty())
                .collect();
            if is_last {
                let told = |(package, missing): (&PackageData, Vec<String>)| {
                    let why = format!("not granted: {}", missing.join(", "));
                    Word::of(Reason::DeviceFail, why).about(&package.name)
                };
                return Ok(missing.into_iter().map(told).collect());
            }
            for (package, grants) in &missing {
                self.grant(&package.name, grants).await?;
            }
            lacking = missing.into_iter().map(|(package, _)| package).collect();
            if lacking.is_empty() {
                break;
            }
        }
        Ok(Vec::new())
    }
}

/// Whether a card has a package in its version, or a newer one.
fn is_there(package: &PackageData, there: &HashMap<String, i64>) -> bool {
    there.get(&package.name).is_some_and(|version| *version >= package.version_code)
}

/// Which permissions a package lacks of those that it had been granted.
fn ungranted(package: &PackageData, known: Option<&granted::Known>) -> Vec<String> {
    let has = |name: &String| known.is_some_and(|known| known.grants.contains(name));
    package.grants.iter().filter(|name| !has(name)).cloned().collect()
}

/// The files of a package by their names in a session, and where they lie.
fn files_of(package: &PackageData, files: &HashMap<String, PackageAt>) -> Result<Vec<(String, PackageAt)>, Word> {
    if PackageName::new(&package.name).is_err() {
        return Err(Word::of(Reason::BadArgument, "its name is none of a package"));
    }
    if package.apks.is_empty() {
        return Err(Word::of(Reason::PackagesMissing, "its files were not saved with this copy"));
    }
    let mut found = Vec::with_capacity(package.apks.len());
    for apk in &package.apks {
        if apk.name.starts_with('-') || apk.name.contains('/') {
            return Err(Word::of(Reason::BadArgument, format!("{} is no name of a file", apk.name)));
        }
        match files.get(&apk.sha256) {
            Some(at) if !at.snapshot.is_empty() => found.push((apk.name.clone(), at.clone())),
            Some(_) => return Err(Word::of(Reason::PackageDamaged, format!("{} is damaged", apk.name))),
            None => return Err(Word::of(Reason::PackagesMissing, format!("{} is not on the node", apk.name))),
        }
    }
    Ok(found)
}

/// Reads a file of a package off its node, into a pipe.
fn read(stores: &Stores, node: StoreNode, at: &PackageAt, mut pipe: Pipe, run: &Run) -> Result<Read, Failed> {
    use snapshot::Error as E;
    let repo_at = RepoAt { node, folder: at.folder.clone() };
    let (repo, _) = place(stores, &repo_at, &at.key, run, Urgency::Awaited)?;
    let restored = match repo.restore(&at.snapshot, &mut pipe, run) {
        Err(E::Sink(_)) if !pipe.is_wrong() => return Ok(Read::Untaken),
        Err(E::Sink(_)) => Ok(()),
        restored => restored,
    };
    let why = match damage_of_package(restored)? {
        Some(why) => why,
        None => match pipe.verdict(&at.sha256) {
            Some(why) => why,
            None => return Ok(Read::Whole),
        },
    };
    // A disk that was taken out meanwhile has damaged nothing.
    place(stores, &repo_at, &at.key, run, Urgency::Awaited)?;
    Ok(Read::Damaged(why))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::collections::HashMap;

    use adb::install_verdict;
    use wire::copy::{ApkFile, AppFailed, AppsBrought, PackageAt, PackageData};

    use super::{Word, files_of, is_there, ungranted, words};
    use crate::act::granted::Known;

    fn game() -> PackageData {
        let apk = |name: &str, sha256: &str| ApkFile { name: name.into(), sha256: sha256.into(), ..ApkFile::default() };
        PackageData {
            name: "com.game".into(),
            version_code: 7,
            is_own: true,
            apks: vec![apk("base.apk", "a"), apk("split_zh.apk", "b")],
            grants: vec!["android.permission.CAMERA".into(), "android.permission.CALL_PHONE".into()],
            ..PackageData::default()
        }
    }

    #[test]
    fn what_is_there_in_that_version_or_a_newer_one_is_left_alone() {
        for (version, wanted) in [(6, false), (7, true), (8, true)] {
            assert_eq!(is_there(&game(), &HashMap::from([("com.game".to_owned(), version)])), wanted, "{version}");
        }
        assert!(!is_there(&game(), &HashMap::from([("com.other".to_owned(), 9)])));
    }

    #[test]
    fn a_package_is_installed_with_all_of_its_files_or_not_at_all() {
        let at = |snapshot: &str| PackageAt {
            sha256: String::new(),
            name: String::new(),
            size: 1,
            folder: String::new(),
            snapshot: snapshot.into(),
            key: String::new(),
            recovery: String::new(),
            sealed: String::new(),
        };
        let files = |second: &str| HashMap::from([("a".to_owned(), at("1")), ("b".to_owned(), at(second))]);
        let names: Vec<String> = files_of(&game(), &files("2")).unwrap().into_iter().map(|file| file.0).collect();
        assert_eq!(names, ["base.apk", "split_zh.apk"]);
        let code = |package: &PackageData, files| files_of(package, &files).unwrap_err().code;
        assert_eq!(code(&game(), files("")), "package_damaged");
        assert_eq!(code(&game(), HashMap::from([("a".to_owned(), at("1"))])), "packages_missing");
        assert_eq!(code(&PackageData { apks: Vec::new(), ..game() }, files("2")), "packages_missing");
        assert_eq!(code(&PackageData { name: "com.game; rm".into(), ..game() }, files("2")), "bad_argument");
        let odd = ApkFile { name: "--user".into(), sha256: "a".into(), ..ApkFile::default() };
        assert_eq!(code(&PackageData { apks: vec![odd], ..game() }, files("2")), "bad_argument");
    }

    #[test]
    fn what_was_granted_and_is_not_is_missing() {
        assert_eq!(ungranted(&game(), None), game().grants);
        let known = Known { grants: vec!["android.permission.CAMERA".into()], ..Known::default() };
        assert_eq!(ungranted(&game(), Some(&known)), ["android.permission.CALL_PHONE"]);
    }

    #[test]
    fn the_package_managers_word_is_told() {
        let word = |said: &str| Word::from(install_verdict(said).unwrap_err());
        let downgrade = word("Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected]");
        assert_eq!((&*downgrade.code, &*downgrade.reason), ("INSTALL_FAILED_VERSION_DOWNGRADE", "Downgrade detected"));
        assert_eq!(word("Failure [INSTALL_FAILED_MISSING_SPLIT: no split]").code, "INSTALL_FAILED_MISSING_SPLIT");
        assert_eq!(word("Error: out of luck").code, "install_failed");
        assert_eq!(word("ENOSPC").code, "INSTALL_FAILED_INSUFFICIENT_STORAGE");
    }

    #[test]
    fn the_words_name_the_packages() {
        let failed = |name: &str, code: &str| AppFailed { name: name.into(), code: code.into(), reason: "no".into() };
        let failed = vec![failed("com.a", "package_damaged"), failed("com.b", "INSTALL_FAILED_X")];
        let brought = AppsBrought { failed, failed_in_all: 5, ..AppsBrought::default() };
        assert_eq!(words(&brought), "com.a (package_damaged), com.b (INSTALL_FAILED_X) and 3 more; no");
    }
}
