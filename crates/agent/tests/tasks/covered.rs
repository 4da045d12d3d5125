//! What a copy of a phone would hold: read whole, or refused with the reason.

use wire::copy::DropReason;
use wire::{Console, CopyLook, Mark};

use super::{Desk, Life, Line, Said, ask, room};

const OURS: Mark = Mark { phone: 17, placement: 4 };

struct Scene {
    room: sim::Room,
    _desk: Desk,
    _folder: tempfile::TempDir,
    _agent: Life,
    line: Line,
}

impl Scene {
    /// Card 0 carries our phone, which has been played with.
    async fn open() -> Self {
        let (room, desk, folder) = (room(2).await, Desk::open().await, tempfile::tempdir().unwrap());
        let (agent, mut line) = desk.agent(folder.path()).await;
        line.welcome().await;
        let scene = Self { room, _desk: desk, _folder: folder, _agent: agent, line };
        scene.mark(OURS);
        let app = scene.app().await;
        scene
            .ask(&format!(
                "mkdir -p /data/data/{app}/files /data/data/{app}/cache /data/media/0/Android/data/{app}/files /data/media/0/DCIM\n\
                 plant /data/data/{app}/files/save 300000; plant /data/data/{app}/cache/picture 5000\n\
                 plant /data/media/0/Android/data/{app}/files/level 700000; plant /data/media/0/DCIM/film.mp4 90000000\n\
                 echo x >'/data/media/0/DCIM/a\nb'; echo y >/data/media/0/DCIM/-rf"
            ))
            .await;
        scene
    }

    fn mark(&self, mark: Mark) {
        self.room.cards[0].put_file(Mark::FOLDER, Mark::NAME, format!("{mark}\n").as_bytes()).unwrap();
    }

    async fn ask(&self, line: &str) -> String {
        ask(&self.room, 0, line).await
    }

    /// An app that is installed.
    async fn app(&self) -> String {
        let said = self.ask("pm list packages --user 0").await;
        said.lines().next().unwrap().strip_prefix("package:").unwrap().trim().to_owned()
    }

    async fn look(&mut self) -> CopyLook {
        self.look_without(&[]).await
    }

    async fn look_without(&mut self, paths: &[&str]) -> CopyLook {
        let place = &self.room.cards[0];
        let (address, serial) = (place.address.to_string(), Some(place.serial()));
        let leave_out = paths.iter().map(|path| (*path).to_owned()).collect();
        self.line.say(&Console::CopyLook { stream: 9, address, serial, mark: OURS, leave_out }).await;
        loop {
            if let Said::CopySeen { stream, look } = self.line.hear().await {
                assert_eq!(stream, 9);
                return look;
            }
        }
    }

    /// Why it was refused: code and words.
    async fn refused(&mut self) -> (String, String) {
        match self.look().await {
            CopyLook::Failed { code, reason } => (code.code().to_owned(), reason),
            CopyLook::Seen { coverage } => panic!("it was read: {coverage:?}"),
        }
    }

    async fn restart(&self) {
        self.room.cards[0].restart();
        while self.room.cards[0].phase().0 != sim::Phase::Booted {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_on_a_phone_is_kept_or_known_to_be_superfluous() {
    let mut scene = Scene::open().await;
    let app = scene.app().await;
    let before = scene.ask("cd /data && find . -exec stat -c '%A %u %g %s %Y %n' {} + | sort").await;
    let CopyLook::Seen { coverage } = scene.look().await else { panic!("it was refused") };
    let found = coverage.apps.iter().find(|one| one.package == app).unwrap();
    assert!(found.amount.bytes >= 1_000_000 && found.amount.files >= 2, "{found:?}");
    assert!(coverage.shared.bytes >= 90_000_000 && coverage.shared.files >= 3, "{:?}", coverage.shared);
    let cache = coverage.dropped.iter().find(|one| one.why == DropReason::Cache).unwrap();
    assert!(cache.amount.bytes >= 5_000, "{cache:?}");
    assert!(coverage.is_covered, "{:?}", coverage.uncovered);
    assert_eq!(
        scene.ask("cd /data && find . -exec stat -c '%A %u %g %s %Y %n' {} + | sort").await,
        before,
        "it only reads"
    );

    // All of it is somewhere: as many files as there are.
    let files: u64 = scene.ask("find /data -xdev ! -type d ! -path /data/user/0 | wc -l").await.trim().parse().unwrap();
    let line_breaks = 1;
    let mut told = coverage.more_apps.files + coverage.shared.files + coverage.packages.files + coverage.settings.files;
    told += coverage.apps.iter().map(|one| one.amount.files).sum::<u64>();
    told += coverage.dropped.iter().map(|one| one.amount.files).sum::<u64>() + coverage.uncovered_in_all.files;
    assert_eq!(told, files - line_breaks);

    scene.ask("mkdir -p /data/vendor_game/saves && plant /data/vendor_game/saves/one 2000000").await;
    let CopyLook::Seen { coverage } = scene.look().await else { panic!("it was refused") };
    assert!(!coverage.is_covered);
    assert_eq!(
        (coverage.uncovered[0].path.as_str(), coverage.uncovered[0].amount.bytes),
        ("vendor_game/saves", 2_000_000)
    );
    let CopyLook::Seen { coverage } = scene.look_without(&["vendor_game/*"]).await else { panic!("it was refused") };
    let left = coverage.dropped.iter().find(|one| one.why == DropReason::Allowed).unwrap();
    assert!(coverage.is_covered && coverage.uncovered.iter().all(|one| !one.path.starts_with("vendor_game")));
    assert_eq!((left.path.as_str(), left.amount.bytes), ("vendor_game/*", 2_000_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_read_is_not_an_empty_one() {
    let mut scene = Scene::open().await;
    let app = scene.app().await;
    // By the file service it would look empty, and by a program that goes on after an error too.
    scene.room.cards[0].state().files.set_unreadable([format!("/data/data/{app}/files")]);
    let (code, why) = scene.refused().await;
    assert_eq!(code, "not_readable");
    assert!(why.contains(&format!("{app}/files")) && why.contains("I/O error"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_mounted_below_the_data_is_told_of_since_no_list_goes_into_it() {
    let mut scene = Scene::open().await;
    scene
        .ask("mkdir -p /data/media/0/Films /data/adb/modules && mount -t ext4 /dev/block/loop0 /data/adb/modules")
        .await;
    let CopyLook::Seen { coverage } = scene.look().await else { panic!("it was refused") };
    assert!(coverage.is_covered, "{:?}", coverage.uncovered);
    let shared = coverage.shared;

    scene.ask("mount -t fuse /dev/fuse /data/media/0/Films && plant /data/media/0/Films/one 3000000").await;
    let CopyLook::Seen { coverage } = scene.look().await else { panic!("it was refused") };
    assert_eq!((coverage.is_covered, coverage.shared), (false, shared), "the film is not seen");
    let told: Vec<(&str, u64)> = coverage.uncovered.iter().map(|one| (one.path.as_str(), one.amount.files)).collect();
    assert_eq!(told.first(), Some(&("media/0/Films", 0)), "{told:?}");

    scene.ask("umount /data/media/0/Films").await;
    let CopyLook::Seen { coverage } = scene.look().await else { panic!("it was refused") };
    assert!(coverage.is_covered, "{:?}", coverage.uncovered);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_root_or_the_key_nothing_is_said() {
    let mut scene = Scene::open().await;
    scene.room.set_fault(0, sim::Fault::Rootless, true);
    assert!(matches!(scene.look().await, CopyLook::Seen { .. }), "it has root until it restarts");
    scene.restart().await;
    let (code, why) = scene.refused().await;
    assert_eq!(code, "not_root");
    assert!(why.contains("2000"), "{why}");

    scene.room.set_fault(0, sim::Fault::Rootless, false);
    scene.room.set_fault(0, sim::Fault::Locked, true);
    scene.restart().await;
    assert_eq!(scene.refused().await.0, "locked");
    scene.ask("locksettings verify --old 1234").await;
    assert!(matches!(scene.look().await, CopyLook::Seen { .. }), "unlocked");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_user_or_another_phone_is_told_of() {
    let mut scene = Scene::open().await;
    scene.ask("pm create-user child; am start-user 10").await;
    scene.ask("mkdir -p /data/media/10/DCIM; echo x >/data/media/10/DCIM/1.jpg").await;
    let CopyLook::Seen { coverage } = scene.look().await else { panic!("it was refused") };
    assert!(!coverage.is_covered, "{:?}", coverage.uncovered);
    assert!(coverage.uncovered.iter().any(|one| one.path.ends_with("/10")), "{:?}", coverage.uncovered);

    scene.mark(Mark { phone: 18, placement: 5 });
    assert_eq!(scene.refused().await.0, "not_ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_console_says_that_is_newer_is_passed_over() {
    let mut scene = Scene::open().await;
    scene.line.say_text(r#"{"type":"levitate","metres":3}"#).await;
    assert!(matches!(scene.look().await, CopyLook::Seen { .. }), "the connection goes on");
}
