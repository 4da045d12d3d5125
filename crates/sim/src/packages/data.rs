//! The data of packages: each has two folders for each user, which belong to the application's number within that user.

use crate::card::{Card, State};
use crate::chance;
use crate::files::{Files, Meta, join};
use crate::users::{OWNER, RANGE, Run};

use super::{Package, code_folder};

/// Between the number of an application and the group of its caches.
const CACHES: u32 = 10_000;

/// Between the first numbers of two cards.
const APART: usize = 37;

/// What a package begins with in each of its folders.
const BEGINS_WITH: [&str; 2] = ["cache", "code_cache"];

/// The number before the first that a card gives to an application. Neighbours differ, so that nothing that is taken
/// from one card to another has the same owner there.
pub(crate) fn first_app(seed: u64, index: usize) -> u32 {
    let offset = (chance::number(seed, 0, 41) % 5000 + (index * APART) as u64) % 5000;
    10_100 + u32::try_from(offset).unwrap_or_default()
}

/// The number for a package that has none yet: none is given out twice.
pub(super) fn app_id(state: &mut State) -> u32 {
    state.last_app += 1;
    state.last_app
}

/// Where a package keeps the data of a user: what his key protects, and what is open from the start on.
pub(crate) fn folders(name: &str, user: u32) -> [String; 2] {
    let protected = if user == OWNER { format!("/data/data/{name}") } else { format!("/data/user/{user}/{name}") };
    [protected, format!("/data/user_de/{user}/{name}")]
}

/// The context of an application's data.
fn app_context(uid: u32) -> String {
    let (user, app) = (uid / RANGE, (uid % RANGE).saturating_sub(10_000));
    let [app, user] =
        [(app, 0), (user, 512)].map(|(id, from)| format!("c{},c{}", from + (id & 0xff), from + 256 + (id >> 8)));
    format!("u:object_r:app_data_file:s0:{app},{user}")
}

/// The context that something at a path should have, where it is not the usual one of the place.
#[must_use]
pub fn context(card: &Card, path: &str) -> Option<String> {
    let (user, below) = match path.strip_prefix("/data/data/") {
        Some(below) => (OWNER, below),
        None => {
            let users = path.strip_prefix("/data/user_de/").or_else(|| path.strip_prefix("/data/user/"))?;
            let (user, below) = users.split_once('/')?;
            (user.parse().ok()?, below)
        }
    };
    let name = below.split('/').next()?;
    card.state().packages.get(name).map(|package| app_context(user * RANGE + package.uid))
}

/// A user has a package from now on.
pub(super) fn add_user(package: &mut Package, user: u32) {
    if !package.users.contains(&user) {
        package.users.push(user);
        package.users.sort_unstable();
    }
}

/// Makes what is missing of the folders of a user's packages, as far as his storage is open.
pub(crate) fn prepare_data(state: &mut State, user: u32) {
    let open = match state.user(user).map(|user| user.run) {
        Some(Run::Unlocked) => 2,
        Some(Run::Locked) => 1,
        Some(Run::Stopped) | None => return,
    };
    let State { packages, files, .. } = state;
    for (name, package) in packages.iter().filter(|(_, package)| package.users.contains(&user)) {
        for folder in folders(name, user).iter().rev().take(open) {
            make(files, folder, user * RANGE + package.uid);
        }
    }
}

/// The empty folders that a package begins with, which are its own. A card that is full has fewer.
fn make(files: &mut Files, folder: &str, uid: u32) {
    let context = Some(app_context(uid).into_boxed_str());
    let own = |mode, gid| Meta { uid, gid, context: context.clone(), ..Meta::new(mode) };
    if files.make_folder(folder, own(0o700, uid)).is_ok() {
        for cache in BEGINS_WITH {
            let _ = files.make_folder(&join(folder, cache), own(0o2771, uid + CACHES));
        }
    }
}

/// `pm clear`: a user's data is as it was in the beginning, and nothing is granted.
pub(super) fn clear(state: &mut State, name: &str, user: u32) {
    let his = state.packages.get_mut(name).filter(|package| package.users.contains(&user));
    if let Some(package) = his {
        package.permissions.forget(user);
        remove_folders(&mut state.files, name, user);
        prepare_data(state, user);
    }
}

fn remove_folders(files: &mut Files, name: &str, user: u32) {
    for folder in folders(name, user) {
        let _ = files.remove_all(&folder);
    }
}

/// A user has a package no more, nor its data unless they are kept; what nobody has any more is gone. Of one whose data
/// are kept Android remembers the number and the signer.
pub(super) fn remove_for(state: &mut State, name: &str, user: u32, keeps: bool) {
    let Some(package) = state.packages.get_mut(name) else { return };
    for users in [&mut package.users, &mut package.stopped, &mut package.suspended] {
        users.retain(|one| *one != user);
    }
    let is_gone = package.users.is_empty();
    if !keeps {
        package.permissions.forget(user);
        remove_folders(&mut state.files, name, user);
    }
    if is_gone && !keeps {
        state.packages.remove(name);
    }
    if is_gone {
        let _ = state.files.remove_all(&code_folder(name));
    }
}

/// A user is gone, and what nobody else has with him.
pub(crate) fn forget_user(state: &mut State, user: u32) {
    let his = state.packages.iter().filter(|(_, package)| package.users.contains(&user));
    let names: Vec<Box<str>> = his.map(|(name, _)| name.clone()).collect();
    for name in names {
        remove_for(state, &name, user, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_is_another_one_on_every_card() {
        let firsts: std::collections::BTreeSet<u32> = (0..72).map(|index| first_app(1, index)).collect();
        assert_eq!(firsts.len(), 72);
        assert!(firsts.iter().all(|first| (10_000..19_000).contains(first)));
    }

    #[test]
    fn levels_are_those_of_the_application_and_the_user() {
        assert_eq!(app_context(10_123), "u:object_r:app_data_file:s0:c123,c256,c512,c768");
        assert_eq!(app_context(1_010_123), "u:object_r:app_data_file:s0:c123,c256,c522,c768");
    }
}
