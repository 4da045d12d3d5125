//! Cards that are wiped: what is left of whom, who may wipe what, and who says that it is clean.

use std::path::Path;
use std::time::Duration;

use aws_lc_rs::digest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use wire::{Act, Console, Effect, FileRef, Key, Mark, Task, TaskResult};

use super::{Desk, Life, Line, ask, effect, effects, failed, room, task};

const OURS: Mark = Mark { phone: 17, placement: 4 };
const OTHERS: Mark = Mark { phone: 18, placement: 5 };
const FILE: &str = "/data/skyrack/owner";
/// Everything on a card, but for what each start leaves.
const LOOK: &str = "cd /data && find . ! -path './skyrack*' ! -path './system/dropbox/*' -exec stat -c '%A %u %g %n' {} + | sort; \
                    find . -type f ! -path './skyrack*' ! -path './system/dropbox/*' -exec sha256sum {} + | sort";

impl Desk {
    /// Accepts a file, which must be sent to this path, and returns it.
    async fn take(&self, path: &str) -> Vec<u8> {
        let (mut stream, _) = self.listener.accept().await.unwrap();
        let mut heard = Vec::new();
        let head = loop {
            if let Some(at) = heard.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            assert_ne!(stream.read_buf(&mut heard).await.unwrap(), 0, "an incomplete request");
        };
        let body = heard.split_off(head + 4);
        let text = String::from_utf8(heard).unwrap().to_ascii_lowercase();
        assert!(text.starts_with(&format!("put {path} ")), "{text}");
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
        let mut body = body;
        while body.len() < length {
            assert_ne!(stream.read_buf(&mut body).await.unwrap(), 0, "an incomplete file");
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").await.unwrap();
        body
    }
}

/// A room in which a clean card was read, and an agent that has the file.
struct Scene {
    room: sim::Room,
    _desk: Desk,
    _folder: tempfile::TempDir,
    _agent: Life,
    line: Line,
    profile: FileRef,
    /// A card of the same image as the clean one, which is card 0.
    card: usize,
    steps: i64,
}

/// Another card that runs the image of card 0.
async fn twin(room: &sim::Room) -> usize {
    let image = ask(room, 0, "getprop ro.build.fingerprint").await;
    for card in 1..room.cards.len() {
        if ask(room, card, "getprop ro.build.fingerprint").await == image {
            return card;
        }
    }
    panic!("every card has an image of its own")
}

fn put(folder: &Path, bytes: &[u8]) -> FileRef {
    let sha256 = hex::encode(digest::digest(&digest::SHA256, bytes));
    std::fs::create_dir_all(folder.join("files")).unwrap();
    std::fs::write(folder.join("files").join(&sha256), bytes).unwrap();
    FileRef { id: "1".into(), name: "profile".into(), size: bytes.len() as u64, sha256 }
}

impl Scene {
    async fn open() -> Self {
        let (room, desk, folder) = (room(16).await, Desk::open().await, tempfile::tempdir().unwrap());
        let (agent, mut line) = desk.agent(folder.path()).await;
        line.welcome().await;
        line.say(&Console::Tasks { tasks: vec![task(&room, 1, 0, Act::Profile)] }).await;
        let bytes = desk.take("/agent/v1/tasks/1/1/file").await;
        assert_eq!(failed(&line.results(1).await[&1]), "succeeded");
        let profile = put(folder.path(), &bytes);
        let card = twin(&room).await;
        Self { room, _desk: desk, _folder: folder, _agent: agent, line, profile, card, steps: 1 }
    }

    async fn does(&mut self, mark: Mark, act: Act) -> TaskResult {
        self.steps += 1;
        let id = self.steps;
        let step = Task { key: Key::phone(id, 1), mark: Some(mark), ..task(&self.room, id, self.card, act) };
        self.line.say(&Console::Tasks { tasks: vec![step] }).await;
        self.line.results(1).await.remove(&id).unwrap()
    }

    async fn done(&mut self, act: Act) -> TaskResult {
        let result = self.does(OURS, act.clone()).await;
        assert_eq!(failed(&result), "succeeded", "{act:?}: {:?}", result.outcome);
        result
    }

    fn clear(&self) -> Act {
        Act::Clear { profile: self.profile.clone(), boot_id: None }
    }

    fn prove(&self) -> Act {
        Act::Prove { profile: self.profile.clone() }
    }

    async fn ask(&self, line: &str) -> String {
        ask(&self.room, self.card, line).await
    }

    /// The power goes and comes back.
    async fn restart(&self) {
        self.room.cards[self.card].restart();
        while self.room.cards[self.card].phase().0 != sim::Phase::Booted {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn marked(&self) -> String {
        self.ask(&format!("cat {FILE} 2>/dev/null || echo none")).await
    }

    /// Somebody had the card for a while.
    async fn use_it(&self) {
        self.ask(
            "mkdir -p /data/app/com.game /data/data/com.game/files /data/media/0/DCIM /data/local/tmp/.hidden\n\
             plant /data/app/com.game/base.apk 300000; plant /data/media/0/DCIM/film.mp4 90000000\n\
             echo save >/data/data/com.game/files/save; echo x >'/data/media/0/a\nb'; echo y >/data/media/0/-rf\n\
             echo more >>/data/system/packages.xml; rm /data/system/packages.list\n\
             chmod 777 /data/system/users/0; ln -s /data/media/0 /data/local/tmp/link\n\
             rm -r /data/media/0/Download; echo in the way >/data/media/0/Download\n\
             echo daemon >/data/local/tmp/.hidden/x; chmod 755 /data/local/tmp/.hidden/x",
        )
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_left_on_a_card_goes_and_it_is_like_the_clean_one() {
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    let clean = ask(&scene.room, 0, LOOK).await;
    assert!(clean.contains("./system/packages.xml"), "{clean}");
    assert_eq!(scene.ask(LOOK).await, clean);
    scene.use_it().await;
    assert_ne!(scene.ask(LOOK).await, clean);

    scene.done(scene.clear()).await;
    assert_eq!((scene.marked().await, scene.ask(LOOK).await), ("wiping 17.4".to_owned(), clean.clone()));
    assert_eq!((scene.room.cards[scene.card].boots(), effects(&scene.room, scene.card, "fstrim")), (2, 1));
    let boot_id = scene.done(scene.prove()).await.output;
    assert_eq!(boot_id, scene.ask("cat /proc/sys/kernel/random/boot_id").await);
    let is_up = || async { scene.ask("pm list packages").await };
    while !is_up().await.contains("package:android") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let seal = Act::MarkClean { boot_id, seal: "00ff".into() };
    for _ in 0..2 {
        scene.done(seal.clone()).await;
        assert_eq!(scene.marked().await, "clean 00ff");
    }
    // Whoever comes late changes nothing on it.
    for act in [scene.clear(), scene.prove(), Act::Unclaim] {
        let result = scene.does(OURS, act.clone()).await;
        assert_eq!((failed(&result), effect(&result)), ("not_ours", Some(Effect::NeverBegan)), "{act:?}");
    }
    assert_eq!((scene.marked().await, scene.room.cards[scene.card].boots()), ("clean 00ff".to_owned(), 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_that_comes_late_spares_the_next_phone() {
    let mut scene = Scene::open().await;
    assert_eq!(failed(&scene.does(OTHERS, Act::Claim).await), "succeeded");
    scene.use_it().await;
    let before = scene.ask(LOOK).await;
    for act in [scene.clear(), scene.prove(), Act::MarkClean { boot_id: String::new(), seal: "00".into() }] {
        let result = scene.does(OURS, act.clone()).await;
        let why = if matches!(act, Act::MarkClean { .. }) { "interrupted" } else { "not_ours" };
        assert_eq!((failed(&result), effect(&result)), (why, Some(Effect::NeverBegan)), "{act:?}");
    }
    assert_eq!((scene.marked().await, scene.ask(LOOK).await), ("18.5".to_owned(), before));
    assert_eq!((scene.room.cards[scene.card].boots(), effects(&scene.room, scene.card, "stop")), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_that_was_broken_off_goes_on_after_any_restart() {
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    scene.use_it().await;
    // It was half done when the power went.
    scene.ask(&format!("echo 'wiping 17.4' >{FILE}; stop; rm -r /data/app")).await;
    scene.restart().await;
    scene.done(scene.clear()).await;
    assert_eq!(scene.ask(LOOK).await, ask(&scene.room, 0, LOOK).await);
    scene.done(scene.prove()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_with_many_files_and_a_slow_flash_is_wiped_however_long_it_takes() {
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    let card = scene.room.cards[scene.card].clone();
    for number in 0..2_000 {
        card.plant(&format!("/data/media/0/DCIM/{}/{number}.jpg", number % 7), 10, 1).unwrap();
    }
    // All of them take 1,000 s by the card's clock, and no line may take more than 45.
    card.flash.set_pace(Duration::from_millis(500));
    scene.done(scene.clear()).await;
    assert_eq!(scene.ask(LOOK).await, ask(&scene.room, 0, LOOK).await);
    assert_eq!(card.boots(), 2);
    scene.done(scene.prove()).await;

    // What takes too long alone is told.
    card.flash.set_pace(Duration::from_mins(1));
    scene.ask(&format!("echo 'wiping 17.4' >{FILE}; echo x >/data/media/0/a")).await;
    let result = scene.does(OURS, scene.clear()).await;
    assert_eq!((failed(&result), scene.marked().await), ("adb_timeout", "wiping 17.4".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_on_which_apps_have_run_since_its_copy_is_not_wiped() {
    const BOOT: &str = "cat /proc/sys/kernel/random/boot_id";
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    scene.use_it().await;
    let before = scene.ask(LOOK).await;
    let in_start = |boot_id: String| Act::Clear { profile: scene.profile.clone(), boot_id: Some(boot_id) };
    let (late, copied) = (in_start("another".to_owned()), in_start(scene.ask(BOOT).await));
    let result = scene.does(OURS, late.clone()).await;
    assert_eq!((failed(&result), effect(&result)), ("apps_ran", Some(Effect::NeverBegan)));
    assert_eq!((scene.marked().await, scene.ask(LOOK).await), ("17.4".to_owned(), before.clone()));
    assert_eq!((scene.room.cards[scene.card].boots(), effects(&scene.room, scene.card, "stop")), (1, 0));
    scene.restart().await;
    let result = scene.does(OURS, copied).await;
    assert_eq!((failed(&result), effect(&result)), ("apps_ran", Some(Effect::NeverBegan)));
    assert_eq!((scene.marked().await, scene.ask(LOOK).await), ("17.4".to_owned(), before));

    // One that has begun goes on, in whichever start.
    scene.ask(&format!("echo 'wiping 17.4' >{FILE}")).await;
    scene.done(late).await;
    assert_eq!(scene.ask(LOOK).await, ask(&scene.room, 0, LOOK).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_system_is_found_however_clean_the_data_is() {
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    scene
        .ask("mount -o remount,rw /system; echo 'setsid sh -c x' >/system/bin/sleeper; chmod 755 /system/bin/sleeper")
        .await;
    scene.done(scene.clear()).await;
    let result = scene.does(OURS, scene.prove()).await;
    assert_eq!((failed(&result), effect(&result)), ("wipe_unproved", Some(Effect::Proved)));
    assert_eq!(scene.marked().await, "wiping 17.4");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_appears_after_the_wipe_is_told_by_name() {
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    scene.done(scene.clear()).await;
    scene.ask("echo late >/data/local/tmp/late; echo changed >/data/system/packages.xml").await;
    let result = scene.does(OURS, scene.prove()).await;
    let wire::Outcome::Failed { code, reason, .. } = &result.outcome else { panic!("{result:?}") };
    assert_eq!((code.code(), reason.as_str()), ("wipe_unproved", "local/tmp/late, system/packages.xml"));
    // It is wiped once more, and is well.
    scene.done(scene.clear()).await;
    let boot_id = scene.done(scene.prove()).await.output;

    // A card that restarts before it is marked has to prove it again.
    scene.restart().await;
    let result = scene.does(OURS, Act::MarkClean { boot_id, seal: "00ff".into() }).await;
    assert_eq!((failed(&result), effect(&result)), ("interrupted", Some(Effect::NeverBegan)));
    let boot_id = scene.done(scene.prove()).await.output;
    scene.done(Act::MarkClean { boot_id, seal: "00ff".into() }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_with_something_mounted_below_its_data_is_not_called_clean() {
    const MOUNT: &str = "mount -t ext4 /dev/block/by-name/second /data/local/tmp && plant /data/local/tmp/film 3000000";
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    scene.done(scene.clear()).await;
    scene.ask(MOUNT).await;
    let result = scene.does(OURS, scene.prove()).await;
    let wire::Outcome::Failed { code, reason, .. } = &result.outcome else { panic!("{result:?}") };
    let told = "/data/local/tmp: something is mounted there, and was not listed";
    assert_eq!((code.code(), reason.as_str(), effect(&result)), ("wipe_unproved", told, Some(Effect::Proved)));
    assert_eq!(scene.marked().await, "wiping 17.4");
    scene.ask("umount /data/local/tmp").await;
    scene.done(scene.prove()).await;

    // Nor is it an example of a clean one: no wipe after it could be proved.
    let other = (1..scene.room.cards.len()).find(|card| *card != scene.card).unwrap();
    ask(&scene.room, other, MOUNT).await;
    let asked = task(&scene.room, 99, other, Act::Profile);
    scene.line.say(&Console::Tasks { tasks: vec![asked] }).await;
    let result = scene.line.results(1).await.remove(&99).unwrap();
    let wire::Outcome::Failed { code, reason, .. } = &result.outcome else { panic!("{result:?}") };
    assert_eq!((code.code(), reason.as_str()), ("not_readable", told));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_of_another_image_and_a_file_that_is_no_profile_wipe_nothing() {
    let mut scene = Scene::open().await;
    scene.done(Act::Claim).await;
    let (card, folder) = (scene.card, scene._folder.path().to_path_buf());
    let none = put(&folder, b"skyrack-profile-1\n7\n{}");
    let result = scene.does(OURS, Act::Clear { profile: none, boot_id: None }).await;
    assert_eq!((failed(&result), effect(&result)), ("local_file", Some(Effect::NeverBegan)));
    scene.card = 1;
    assert_ne!(card, scene.card, "the second card has another board");
    scene.done(Act::Claim).await;
    let result = scene.does(OURS, scene.clear()).await;
    assert_eq!((failed(&result), effect(&result)), ("image_differs", Some(Effect::NeverBegan)));
    assert_eq!((scene.marked().await, effects(&scene.room, 1, "stop")), ("17.4".to_owned(), 0));

    // A card that is somebody's is no example of a clean one.
    let asked = task(&scene.room, 99, 1, Act::Profile);
    scene.line.say(&Console::Tasks { tasks: vec![asked] }).await;
    let result = scene.line.results(1).await.remove(&99).unwrap();
    assert_eq!((failed(&result), effect(&result)), ("not_ours", Some(Effect::NeverBegan)));
    assert_eq!((scene.room.cards[1].boots(), effects(&scene.room, 1, "stop")), (1, 0));
}
