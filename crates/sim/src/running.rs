//! The apps of a card: which of them run, how they are stopped, who uses one, and what they have written meanwhile.

use std::time::{Duration, Instant};

use crate::apps::{APPS, Place, Running};
use crate::card::{Card, State};
use crate::chance;
use crate::files::Moment;
use crate::packages::{Apk, folders, mark};
use crate::users::{OWNER, RANGE, Run};

/// What people install who find nothing on a phone. Each is the same file everywhere.
const DOWNLOADS: [&str; 6] = [
    "com.huanyu.legend",
    "com.liwu.live",
    "com.mengyou.farm",
    "com.qilin.chess",
    "com.tiantian.cards",
    "com.yunduan.notes",
];
/// How many of these, and how large each is.
const INSTALLED: usize = 2;
const SIZE: usize = 60_000;

/// The apps that run as soon as the framework does.
fn running(state: &State) -> Vec<Running> {
    let users = state.users();
    let open: Vec<u32> = users.iter().filter(|(_, user)| user.run == Run::Unlocked).map(|(id, _)| *id).collect();
    let mut found = Vec::new();
    for (name, package) in &state.packages {
        for user in open.iter().copied().filter(|user| package.may_run(*user)) {
            let [home, _] = folders(name, user);
            found.push(Running { name: name.clone(), user, uid: user * RANGE + package.uid, home });
        }
    }
    found.truncate(APPS);
    found
}

impl State {
    /// Nobody uses an app any more.
    pub(crate) fn leave_app(&mut self) {
        if let Some(writes) = &mut self.writes {
            writes.set_front(None);
        }
    }

    /// The apps are gone, and what they have written.
    pub(crate) fn forget_apps(&mut self) {
        if let Some(writes) = &mut self.writes {
            writes.keep(|_| false);
        }
    }
}

impl Card {
    const fn place(&self) -> Place {
        Place { seed: self.seed, index: self.index as u64 }
    }

    /// Lets the apps do what was due since somebody looked last.
    pub(crate) fn catch_up(&self, state: &mut State) {
        let Some(mut writes) = state.writes.take() else { return };
        let now = Instant::now();
        let since = self.up_since(state).filter(|since| writes.is_due(*since, now));
        if let Some(since) = since {
            let apps = running(state);
            writes.keep(|name| state.packages.contains_key(name));
            writes.go_on(&mut state.files, self.place(), &apps, since, now);
        }
        state.writes = Some(writes);
    }

    /// From now on each app that runs writes so often, and the one that somebody uses twelve times as often; without a
    /// time none does by itself.
    pub fn let_apps_write(&self, every: Option<Duration>) {
        self.state().writes.get_or_insert_default().set_pace(every);
    }

    /// Each app that runs writes so many times at once. Answers how many do.
    pub fn write_now(&self, times: u32) -> usize {
        let mut state = self.state();
        if self.up_since(&state).is_none_or(|since| since > Instant::now()) {
            return 0;
        }
        let apps = running(&state);
        let mut writes = state.writes.take().unwrap_or_default();
        for _ in 0..times {
            let at = Moment::now();
            for app in &apps {
                writes.turn(&mut state.files, self.place(), app, at);
            }
        }
        state.writes = Some(writes);
        apps.len()
    }

    /// How often each app has written, by package and user.
    #[must_use]
    pub fn written(&self) -> Vec<(String, u32, u64)> {
        let state = self.state();
        let turns = state.writes.iter().flat_map(|writes| writes.turns());
        turns.map(|(name, user, turns)| (name.to_owned(), user, turns)).collect()
    }

    /// The app that somebody uses.
    #[must_use]
    pub fn used_app(&self) -> Option<String> {
        self.state().writes.as_ref().and_then(|writes| writes.front()).map(str::to_owned)
    }

    /// Somebody begins to use the phone, or does so no more. Who begins opens one of the apps, and installs some where there
    /// is none. Nothing happens where apps do not write, or Android is not up.
    pub fn set_used(&self, is_used: bool) {
        if !is_used {
            self.state().leave_app();
            return;
        }
        let writes = self.state().writes.as_ref().is_some_and(|writes| writes.is_on());
        if !writes || !self.has_framework() {
            return;
        }
        if self.own_apps().is_empty() {
            let first = self.number(61, 0, DOWNLOADS.len() as u64 - 1) as usize;
            for name in DOWNLOADS.iter().cycle().skip(first).take(INSTALLED) {
                // A card that is full, or refuses, has none.
                let _ = self.install(&[("base.apk", &*Apk::new(name, 12).file(SIZE))]);
            }
        }
        let apps = self.own_apps();
        let chosen = chance::between(self.fresh(), 0, 62, 0, (apps.len() as u64).max(1) - 1);
        if let Some(name) = apps.into_iter().nth(chosen as usize) {
            self.start_app(&name, OWNER);
            if let Some(writes) = &mut self.state().writes {
                writes.set_front(Some(name));
            }
        }
        self.count("used");
    }

    /// The owner's apps that can be opened and write.
    fn own_apps(&self) -> Vec<Box<str>> {
        let state = self.state();
        let his = state.packages.iter().filter(|(_, package)| package.users.contains(&OWNER));
        his.filter(|(_, package)| !package.suspended.contains(&OWNER))
            .map(|(name, _)| name.clone())
            .take(APPS)
            .collect()
    }

    /// `am force-stop`: an app runs no more, for a user or for all, until somebody starts it.
    pub fn stop_app(&self, name: &str, user: Option<u32>) {
        let mut state = self.state();
        if let Some(package) = state.packages.get_mut(name) {
            let stopped = package.users.iter().copied().filter(|one| user.is_none_or(|user| user == *one));
            for user in stopped.collect::<Vec<_>>() {
                mark(&mut package.stopped, user, true);
            }
        }
        if state.writes.as_ref().and_then(|writes| writes.front()) == Some(name) {
            state.leave_app();
        }
    }

    /// `am start`: an app runs again.
    pub fn start_app(&self, name: &str, user: u32) {
        if let Some(package) = self.state().packages.get_mut(name) {
            mark(&mut package.stopped, user, false);
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    const NAME: &str = "com.example.game";

    fn card() -> Card {
        let card = Card::new(0, SocketAddr::from(([127, 0, 0, 1], 0)), 1, Duration::from_millis(10), None);
        card.install(&[("base.apk", &*Apk::new(NAME, 1).file(2_000))]).unwrap();
        card
    }

    /// Looks at a card so long after it was looked at last; how often its app has written since.
    fn looked_at(card: &Card, later: Duration) -> u64 {
        let turns = || card.written().first().map_or(0, |app| app.2);
        let before = turns();
        let mut state = card.state();
        let mut writes = state.writes.take().unwrap();
        let since = card.up_since(&state).unwrap();
        let apps = running(&state);
        writes.go_on(&mut state.files, card.place(), &apps, since, Instant::now() + later);
        state.writes = Some(writes);
        drop(state);
        turns() - before
    }

    #[test]
    fn what_was_due_is_made_up_for_and_of_a_week_its_last_hour() {
        for (later, turns) in [(Duration::from_mins(7), 7), (Duration::from_hours(24 * 7), 60)] {
            let card = card();
            card.let_apps_write(Some(Duration::from_mins(1)));
            let wanted = Moment::now().seconds;
            assert_eq!(looked_at(&card, later + Duration::from_secs(1)), turns);
            // As old as it would be: it was written in turn, and not when somebody looked.
            let state = card.state();
            let prefs = format!("/data/data/{NAME}/shared_prefs/{NAME}_preferences.xml");
            let saved = state.files.find(&prefs, false).unwrap().inode.unwrap();
            assert!(saved.meta().modified.seconds < wanted, "it was written before the end of that time");
            assert_eq!(saved.changed(), saved.meta().modified);
        }
    }

    #[test]
    fn the_app_that_is_used_writes_twelve_times_as_often() {
        let card = card();
        card.set_used(true);
        assert_eq!(card.used_app(), None, "apps do not write here");
        card.let_apps_write(Some(Duration::from_mins(1)));
        card.set_used(true);
        assert_eq!(card.used_app().as_deref(), Some(NAME));
        assert_eq!(looked_at(&card, Duration::from_secs(301)), 60);
        card.set_used(false);
        assert_eq!(looked_at(&card, Duration::from_secs(602)), 5, "since then");
        let ends: [fn(&Card); 2] = [|card| card.set_framework(false), |card| card.stop_app(NAME, None)];
        for end in ends {
            card.set_framework(true);
            std::thread::sleep(Duration::from_millis(20));
            card.set_used(true);
            assert!(card.used_app().is_some());
            end(&card);
            assert_eq!(card.used_app(), None);
        }
    }
}
