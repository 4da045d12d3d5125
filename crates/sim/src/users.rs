//! The users of a card: who there is, who runs, and whose storage is open.
//!
//! Storage is encrypted file by file from the moment on at which the first user gets a screen lock. What belongs to a
//! user can then be read only after his key has come, which it does when he starts without a lock, or is unlocked; it
//! goes when he stops, and with a restart. Each user has two folders for each package: the one with the data that the
//! key protects (`/data/data`, `/data/user/10`), and the one that is open from the start on (`/data/user_de/10`).

use std::collections::BTreeMap;

use crate::card::{Card, State};
use crate::files::{Files, Meta, Moment};
use crate::packages;

/// Users, that of the card included, at most (`fw.max_users`).
pub const MOST: usize = 4;

/// User 0.
pub const OWNER: u32 = 0;

/// Between the numbers of two users' applications (AOSP `UserHandle.PER_USER_RANGE`).
pub const RANGE: u32 = 100_000;

/// The number of the first user that is added, and his serial number.
const FIRST: u32 = 10;

/// `UserInfo.FLAG_PRIMARY`, `FLAG_ADMIN` and `FLAG_INITIALIZED`.
const OWNERS_FLAGS: u32 = 0x13;
/// `UserInfo.FLAG_INITIALIZED`: he has been started.
const INITIALIZED: u32 = 0x10;

/// The screen lock of cards with the fault `locked`.
const USUAL_PIN: &str = "1234";

/// How far a user has been started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Not at all.
    Stopped,
    /// What needs no key runs.
    Locked,
    /// Everything does.
    Unlocked,
}

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    /// The name.
    pub name: Box<str>,
    /// `UserInfo.flags`.
    pub flags: u32,
    /// The serial number.
    pub serial: u32,
    /// When he was made; nothing for the one that every card begins with.
    pub created: Option<Moment>,
    /// How far he has been started.
    pub run: Run,
    /// When he was started; nothing: with the card.
    pub started: Option<Moment>,
    /// When he was unlocked; nothing: with the card.
    pub unlocked: Option<Moment>,
    /// What he opens the screen with.
    credential: Option<Box<str>>,
    /// His key is there, and his storage is open.
    has_key: bool,
}

/// The users of a card, where they are not just the one that every card begins with.
#[derive(Debug, Default)]
pub struct Users {
    /// By number. Without user 0 as long as he is as he was.
    all: BTreeMap<u32, User>,
    /// The last number that was given out since the card started.
    last: u32,
    /// The last serial number.
    last_serial: u32,
    /// Storage is encrypted file by file.
    is_encrypted: bool,
}

impl User {
    /// User 0 as every card has him.
    fn owner() -> Self {
        Self {
            name: "Owner".into(),
            flags: OWNERS_FLAGS,
            serial: 0,
            created: None,
            run: Run::Unlocked,
            started: None,
            unlocked: None,
            credential: None,
            has_key: true,
        }
    }

    /// One that was just made. His key is there, as it was made too.
    fn new(name: &str, serial: u32) -> Self {
        let created = Some(Moment::now());
        Self { name: name.into(), flags: 0, serial, created, run: Run::Stopped, ..Self::owner() }
    }

    /// Whether the screen is locked with something.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.credential.is_some()
    }

    /// Whether this is what opens the screen.
    #[must_use]
    pub fn opens_with(&self, credential: &str) -> bool {
        self.credential.as_deref() == Some(credential)
    }
}

impl State {
    /// Every user.
    #[must_use]
    pub fn users(&self) -> Vec<(u32, User)> {
        let others = self.users.iter().flat_map(|users| &users.all).filter(|(id, _)| **id != OWNER);
        let owner = self.users.as_ref().and_then(|users| users.all.get(&OWNER)).cloned();
        let owner = (OWNER, owner.unwrap_or_else(User::owner));
        std::iter::once(owner).chain(others.map(|(id, user)| (*id, user.clone()))).collect()
    }

    /// One of them.
    #[must_use]
    pub fn user(&self, id: u32) -> Option<User> {
        self.users().into_iter().find(|user| user.0 == id).map(|user| user.1)
    }

    /// Whether storage is encrypted file by file.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.users.as_ref().is_some_and(|users| users.is_encrypted)
    }

    /// Changes a user; false if there is none of that number.
    fn change_user(&mut self, id: u32, change: impl FnOnce(&mut User)) -> bool {
        let users = self.users.get_or_insert_default();
        if id == OWNER {
            users.all.entry(OWNER).or_insert_with(User::owner);
        }
        let Some(user) = users.all.get_mut(&id) else { return false };
        change(user);
        self.settle_keys();
        true
    }

    /// Lets the files know whose keys are there.
    fn settle_keys(&mut self) {
        let keyless = |users: &Users| {
            let keyless = users.all.iter().filter(|(_, user)| users.is_encrypted && !user.has_key);
            keyless.map(|(id, _)| *id).collect()
        };
        let sealed = self.users.as_deref().map(keyless).unwrap_or_default();
        self.files.seal(sealed);
    }
}

/// What a start of the card does with its users: all stop, their keys go, and user 0 starts again.
pub fn boot(state: &mut State, has_lock: bool) {
    if has_lock {
        state.change_user(OWNER, |owner| owner.credential = owner.credential.take().or(Some(USUAL_PIN.into())));
        state.users.get_or_insert_default().is_encrypted = true;
    }
    let Some(users) = &mut state.users else { return };
    users.last = 0;
    for (id, user) in &mut users.all {
        let opens = *id == OWNER && !user.is_secure();
        user.run = match *id {
            OWNER if opens => Run::Unlocked,
            OWNER => Run::Locked,
            _ => Run::Stopped,
        };
        (user.has_key, user.started, user.unlocked) = (opens, None, None);
    }
    state.settle_keys();
}

/// Where each user has a folder of his own, with its rights, owner and group (AOSP `fscrypt_prepare_user_storage`).
const FOLDERS: &[(&str, u32, u32, u32)] = &[
    ("/data/user", 0o771, 1000, 1000),
    ("/data/user_de", 0o771, 1000, 1000),
    ("/data/media", 0o770, 1023, 1023),
    ("/data/misc_ce", 0o1771, 1000, 9998),
    ("/data/misc_de", 0o1771, 1000, 9998),
    ("/data/system_ce", 0o770, 1000, 1000),
    ("/data/system_de", 0o770, 1000, 1000),
    ("/data/vendor_ce", 0o771, 0, 0),
    ("/data/vendor_de", 0o771, 0, 0),
    ("/data/system/users", 0o700, 1000, 1000),
    ("/data/misc/user", 0o750, 1000, 9997),
    ("/data/misc/profiles/cur", 0o771, 1000, 1000),
];

/// The folders that hold those of all users, where not every card has them.
const ABOVE: &[(&str, u32, u32, u32)] = &[
    ("/data/misc_ce", 0o1771, 1000, 9998),
    ("/data/misc_de", 0o1771, 1000, 9998),
    ("/data/system_ce", 0o770, 1000, 1000),
    ("/data/system_de", 0o770, 1000, 1000),
    ("/data/vendor_ce", 0o771, 0, 0),
    ("/data/vendor_de", 0o771, 0, 0),
    ("/data/misc/user", 0o771, 0, 0),
    ("/data/misc/profiles", 0o771, 1000, 1000),
    ("/data/misc/profiles/cur", 0o771, 1000, 1000),
];

/// Makes the folders of a new user, and the file that Android describes him in. A card that is full has fewer.
fn make_folders(files: &mut Files, id: u32, user: &User) {
    let owned = |mode, uid, gid| Meta { uid, gid, ..Meta::new(mode) };
    for (path, mode, uid, gid) in ABOVE {
        let _ = files.make_folder(path, owned(*mode, *uid, *gid));
    }
    for (above, mode, uid, gid) in FOLDERS {
        // The oldest of them is the only one that belongs to the user's own system.
        let first = if *above == "/data/misc/user" { id * RANGE } else { 0 };
        let _ = files.make_folder(&format!("{above}/{id}"), owned(*mode, first + uid, first + gid));
    }
    let _ = files.make_link(&format!("/storage/emulated/{id}"), &format!("/data/media/{id}"), Meta::new(0o777));
    let text = format!(
        "<user id=\"{id}\" serialNumber=\"{}\" flags=\"{}\"><name>{}</name></user>\n",
        user.serial, user.flags, user.name
    );
    let file = files.open(&format!("/data/system/users/{id}.xml"), owned(0o600, 1000, 1000));
    let _ = file.and_then(|file| file.write(0, text.as_bytes()));
}

fn remove_folders(files: &mut Files, id: u32) {
    for (above, ..) in FOLDERS {
        let _ = files.remove_all(&format!("{above}/{id}"));
    }
    let _ = files.unlink(&format!("/storage/emulated/{id}"));
    let _ = files.unlink(&format!("/data/system/users/{id}.xml"));
}

impl Card {
    /// Adds a user, with his folders; nothing if there are too many. He does not run yet.
    pub fn create_user(&self, name: &str) -> Option<u32> {
        let mut state = self.state();
        if state.users().len() >= MOST {
            return None;
        }
        let users = state.users.get_or_insert_default();
        let highest = users.all.keys().next_back().copied().unwrap_or_default();
        let id = users.last.max(highest).max(FIRST - 1) + 1;
        let serial = users.last_serial.max(FIRST - 1) + 1;
        (users.last, users.last_serial) = (id, serial);
        let user = User::new(name, serial);
        users.all.insert(id, user.clone());
        make_folders(&mut state.files, id, &user);
        Some(id)
    }

    /// Removes a user with all that is his; false if there is none of that number, or it is 0.
    pub fn remove_user(&self, id: u32) -> bool {
        let mut state = self.state();
        let removed = id != OWNER && state.users.as_mut().is_some_and(|users| users.all.remove(&id).is_some());
        if removed {
            packages::forget_user(&mut state, id);
            remove_folders(&mut state.files, id);
            state.settle_keys();
        }
        removed
    }

    /// Starts a user in the background; one without a screen lock is unlocked by that. False if there is none.
    pub fn start_user(&self, id: u32) -> bool {
        let mut state = self.state();
        let now = Some(Moment::now());
        let started = state.change_user(id, |user| {
            if user.run != Run::Stopped {
                return;
            }
            (user.flags, user.started) = (user.flags | INITIALIZED, now);
            user.run = Run::Locked;
            if !user.is_secure() {
                (user.run, user.has_key, user.unlocked) = (Run::Unlocked, true, now);
            }
        });
        if started {
            packages::prepare_data(&mut state, id);
        }
        started
    }

    /// Stops a user, whose key goes. False if there is none.
    pub fn stop_user(&self, id: u32) -> bool {
        self.state().change_user(id, |user| (user.run, user.has_key) = (Run::Stopped, false))
    }

    /// Gives the card the key of a user who runs, as the right credential does. False if there is none who runs.
    pub fn unlock_user(&self, id: u32) -> bool {
        let mut state = self.state();
        let Some(user) = state.user(id).filter(|user| user.run != Run::Stopped) else { return false };
        if user.run == Run::Locked {
            let now = Some(Moment::now());
            state.change_user(id, |user| (user.run, user.has_key, user.unlocked) = (Run::Unlocked, true, now));
            packages::prepare_data(&mut state, id);
        }
        true
    }

    /// Sets what a user opens the screen with, or takes it away.
    pub fn set_credential(&self, id: u32, credential: Option<&str>) {
        let mut state = self.state();
        if state.change_user(id, |user| user.credential = credential.map(Into::into)) && credential.is_some() {
            state.users.get_or_insert_default().is_encrypted = true;
            state.settle_keys();
        }
    }
}
