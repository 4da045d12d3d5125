//! Phones whose apps write between two copies, and while they are taken off: over a real agent and simulated cards, and read
//! by Debian's `restic`.

use std::collections::BTreeMap;
use std::time::Duration;

use entity::card::Occupancy;
use entity::phone::UseType;
use testapp::TestApp;
use testkit::db_test;
use testroom::room::until;
use tokio::time::sleep;

use super::copied::{BACKUPS, Scene, copies, restic};
use super::put_on::{card, row, walked};
use super::restored::{Had, OTHER, play};
use super::taken_off::{assignable, comes_back, ended, take_off, used};

/// Where a phone's files are that a copy holds.
const PLACES: [&str; 3] = ["/data/data", "/data/user_de/0", "/data/media/0"];
/// A list tells seconds, as Android's does. What is written within the second of one is no later than it.
const NEXT_SECOND: Duration = Duration::from_millis(1_100);

/// A file: its inode, when it was changed, and what is in it.
#[derive(PartialEq)]
struct Thing {
    inode: u64,
    changed: (i64, u32),
    content: Vec<u8>,
}

/// The files of a phone, by their paths, but for caches.
fn files(card: &sim::Card) -> BTreeMap<String, Thing> {
    let (mut found, mut left) = (BTreeMap::new(), PLACES.map(str::to_owned).to_vec());
    let state = card.state();
    while let Some(folder) = left.pop() {
        for (name, inode) in state.files.children(&folder) {
            let path = format!("{folder}/{name}");
            if inode.is_folder() {
                left.extend(Some(path).filter(|_| name != "cache" && name != "code_cache"));
                continue;
            }
            let (changed, content) = (inode.changed(), inode.read(0, 64 << 20).unwrap().to_vec());
            let thing = Thing { inode: inode.number, changed: (changed.seconds, changed.nanos), content };
            found.insert(path, thing);
        }
    }
    found
}

/// The files that are others than before, and were not there before.
fn changed(before: &BTreeMap<String, Thing>, after: &BTreeMap<String, Thing>) -> Vec<String> {
    let others = after.iter().filter(|(path, thing)| before.get(*path) != Some(*thing));
    others.map(|(path, _)| path.clone()).collect()
}

db_test! {
    async fn a_copy_reads_what_apps_have_written_since_the_one_before_and_nothing_else(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 82).await;
        play(&scene);
        let there = &scene.room().cards[0];
        there.install(&[("base.apk", &*sim::Apk::new("com.notes", 1).file(20_000))]).unwrap();
        assert_eq!(there.write_now(60), 2);
        assert_eq!(scene.backed_up().await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        let first = copies(&app).await.pop().unwrap();

        sleep(NEXT_SECOND).await;
        let before = files(there);
        assert_eq!(there.write_now(40), 2, "they have been started again");
        let after = files(there);
        let changed = changed(&before, &after);
        // Journals have grown, databases and settings are others, and there are new pictures.
        for name in ["journal.log", "main.db", "_preferences.xml", ".jpg"] {
            assert_eq!(changed.iter().filter(|path| path.ends_with(name)).count(), 2, "{name}: {changed:?}");
        }
        assert!(changed.len() < 15 && after.len() > 50, "{changed:?}");
        assert_eq!(scene.backed_up().await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        let next = copies(&app).await.pop().unwrap();
        assert_eq!((next.parent_id, next.is_live), (Some(first.id), false));
        assert_eq!(next.read_files, i64::try_from(changed.len()).unwrap(), "of {}: {changed:?}", next.files);
        assert!(next.added_bytes < first.added_bytes / 4, "{} after {}", next.added_bytes, first.added_bytes);

        let opened = clerk.post(&format!("{BACKUPS}/{}/reveal", next.id), serde_json::json!({})).await.data();
        let (code, repository) = (opened["code"].as_str().unwrap(), scene.repository().await);
        assert!(restic(&repository, code, &["check", "--read-data"]).contains("no errors were found"));
        let target = tempfile::tempdir().unwrap();
        restic(&repository, code, &["restore", &next.snapshot, "--target", target.path().to_str().unwrap()]);
        for (path, thing) in &after {
            let inside = path.replacen("/data/data/", "/data/user/0/", 1);
            let found = std::fs::read(target.path().join(inside.trim_start_matches('/')));
            assert!(found.is_ok_and(|content| content == thing.content), "{path}");
        }
    }

    async fn a_phone_whose_apps_write_comes_back_as_it_was_when_it_was_stopped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (scene, first) = used(&app, &clerk, 83).await;
        let there = &scene.room().cards[0];
        there.let_apps_write(Some(Duration::from_millis(120)));
        there.set_used(true);
        assert_eq!(there.used_app().as_deref(), Some("com.game"));
        let turns = || there.written().into_iter().map(|app| app.2).sum::<u64>();
        until("it has written", async || turns() > 100).await;
        let before = turns();
        let operation = take_off(&clerk, scene.phone).await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        assert_eq!((row(&app, scene.phone).await.use_type, card(&app, first).await.occupancy), (UseType::Off, Occupancy::Sealed));
        let (had, stood, wrote) = (Had::of(there), files(there), turns());
        assert!(wrote > before, "it went on until it was stopped");
        sleep(Duration::from_millis(300)).await;
        assert!(files(there) == stood && turns() == wrote, "a sealed card is still");

        assignable(&clerk, first, false).await;
        comes_back(&clerk, scene.phone).await;
        let other = &scene.room().cards[OTHER];
        had.has_come_to(other);

        // There it goes on where it was, and the next copy reads what it has written since.
        sleep(NEXT_SECOND).await;
        let restored = files(other);
        assert!(other.write_now(6) > 0);
        let changed = changed(&restored, &files(other));
        assert!(changed.iter().any(|path| path.ends_with("/journal.log")), "{changed:?}");
        let operation = take_off(&clerk, scene.phone).await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        let next = copies(&app).await.pop().unwrap();
        let read = usize::try_from(next.read_files).unwrap();
        assert!((changed.len()..changed.len() + 12).contains(&read), "{read} of {}: {changed:?}", next.files);
    }
}
