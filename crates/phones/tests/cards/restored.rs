//! Copies that come on other cards, over a real agent and simulated cards: with every byte and whoever it belongs to, also
//! when card or agent break off in the middle, and step by step with a test that acts as the agent.

use std::collections::BTreeMap;
use std::time::Duration;

use entity::backup::{self, BackupState};
use entity::phone::UseType;
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{done, get};
use testroom::phone::another;
use testroom::room::until;

use super::apps::next_phone;
use super::copied::{BACKUPS, Scene};
use super::put_on::{row, walked};
use super::verified::{flip, newest, packs, seen};

const PHONES: &str = "/api/phone/v1/phones";
const CAMERA: &str = "android.permission.CAMERA";
/// The card that runs the same image as the first one.
pub const OTHER: usize = 3;
/// Where the phone's things are that a copy holds.
const PLACES: [&str; 4] =
    ["/data/data/com.game", "/data/user_de/0/com.game", "/data/media/0", "/data/data/com.android.settings"];

/// Asks for a copy to come on a card with a phone.
async fn ask(clerk: &Caller<'_>, copy: i64, phone: i64) -> (u16, Value) {
    let answer = clerk.post(&format!("{BACKUPS}/{copy}/restore"), json!({ "phoneId": phone })).await;
    (answer.brief().0, answer.json())
}

/// The same, which has to begin; the operation.
async fn restore(clerk: &Caller<'_>, copy: i64, phone: i64) -> Value {
    let (http, answer) = ask(clerk, copy, phone).await;
    assert_eq!(http, 200, "{answer}");
    answer["data"]["id"].clone()
}

/// A game with a split on the first card, that may use the camera and has been played.
pub fn play(scene: &Scene<'_>) {
    play_on(&scene.room().cards[0]);
}

/// The same on any card.
pub fn play_on(card: &sim::Card) {
    let game = sim::Apk::new("com.game", 7).asking(&[CAMERA]);
    card.install(&[("base.apk", &*game.file(300_000)), ("split_config.zh.apk", &*game.file(70_000))]).unwrap();
    card.grant("com.game", CAMERA).unwrap();
    card.set_op("com.game", "RUN_IN_BACKGROUND", "ignore");
    let uid = card.state().packages["com.game"].uid;
    let own = |path: &str, content: &[u8], mode: u32, gid: u32| {
        let (folder, name) = path.rsplit_once('/').unwrap();
        card.plant(path, 1, 1).unwrap();
        card.put_file(folder, name, content).unwrap();
        let mut state = card.state();
        for (path, mode) in [(path, mode), (folder, 0o2771)] {
            let inode = state.files.find_own(path, false).unwrap();
            inode.change(|meta| (meta.uid, meta.gid, meta.mode) = (uid, gid, mode));
        }
    };
    own("/data/data/com.game/files/save", b"level 9", 0o600, uid);
    own("/data/data/com.game/files/\u{4e2d}\n\"x\"", b"odd", 0o640, uid);
    own("/data/data/com.game/files/-rf 'x' $(id) `id` \\ * ", b"quoted", 0o640, uid);
    // As long as a name may be.
    own(&format!("/data/data/com.game/files/{}", "\u{4e2d}".repeat(85)), b"long", 0o640, uid);
    own("/data/data/com.game/empty/nothing", b"", 0o600, uid + 10_000);
    own("/data/data/com.game/large/level", &vec![7; 3 << 20], 0o600, uid);
    own("/data/user_de/0/com.game/databases/a", b"device", 0o660, uid);
    own("/data/media/0/Android/data/com.game/files/map", b"outside", 0o660, uid + 20_000);
    let long = format!("/data/data/com.game/{}/{}", "d".repeat(120), "f".repeat(120));
    own(&long, b"long", 0o600, uid);
    own("/data/data/com.android.settings/files/mine", b"of the image's app", 0o600, uid);
    let ids = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<settings version=\"-1\">\n  \
         <setting id=\"1\" name=\"{uid}\" value=\"0123456789abcdef\" package=\"com.game\" />\n</settings>\n"
    );
    card.put_file("/data/system/users/0", "settings_ssaid.xml", ids.as_bytes()).unwrap();
}

/// Rights, owner, group, size and content, by the path.
type Things = BTreeMap<String, (u32, u32, u32, u64, Vec<u8>)>;

/// What is below a folder of a card: rights, owner, group and content of each thing.
fn things(card: &sim::Card, root: &str) -> Things {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    let state = card.state();
    while let Some(path) = left.pop() {
        for (name, inode) in state.files.children(&path) {
            let path = format!("{path}/{name}");
            // Nothing is kept of caches.
            if name == "cache" || name == "code_cache" {
                continue;
            }
            let meta = inode.meta();
            let content = match inode.target() {
                Some(target) => target.into_bytes(),
                None if inode.is_folder() => Vec::new(),
                None => inode.read(0, 64 << 20).unwrap().to_vec(),
            };
            if inode.is_folder() {
                left.push(path.clone());
            }
            found.insert(
                path,
                (inode.mode(), meta.uid, meta.gid, inode.size() * u64::from(!inode.is_folder()), content),
            );
        }
    }
    found
}

/// What a card has of the phone that [`play`] has used.
#[derive(Clone)]
pub struct Had {
    uid: u32,
    context: Option<Box<str>>,
    things: Vec<Things>,
}

impl Had {
    pub fn of(card: &sim::Card) -> Self {
        let uid = card.state().packages["com.game"].uid;
        let context = context(card);
        Self { uid, context, things: PLACES.map(|place| things(card, place)).into() }
    }

    /// Another card has the same, and it belongs to the same apps.
    pub fn has_come_to(self, to: &sim::Card) {
        let context = self.context.clone();
        let here = to.state().packages["com.game"].uid;
        assert_ne!(self.uid, here, "the cards give it another number each, or this proves nothing");
        self.must_be_on(to);
        assert_ne!(self::context(to), context, "what it may do goes by its number");
    }

    /// A card has the same, and it belongs to the same apps, whatever their numbers are there.
    pub fn must_be_on(mut self, to: &sim::Card) {
        let (there, here) = (self.uid, to.state().packages["com.game"].uid);
        let turned = |number: u32| {
            if number >= 10_000 && number % 10_000 == there % 10_000 { number - there + here } else { number }
        };
        for (place, wanted) in PLACES.iter().zip(&mut self.things) {
            let found = things(to, place);
            for (_, uid, gid, ..) in wanted.values_mut() {
                (*uid, *gid) = (turned(*uid), turned(*gid));
            }
            let names = |all: &BTreeMap<String, _>| all.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&found), names(wanted));
            for (path, thing) in wanted {
                assert!(found[path] == *thing, "{path} is {:?} and was {:?}", meta(&found[path]), meta(thing));
            }
        }
        let ids = to.state().files.find_own("/data/system/users/0/settings_ssaid.xml", false).unwrap();
        let ids = String::from_utf8(ids.read(0, 9_000).unwrap().to_vec()).unwrap();
        assert!(ids.contains(&format!("name=\"{here}\"")) && ids.contains("0123456789abcdef"), "{ids}");
        assert!(to.state().packages["com.game"].permissions.is_granted(0, CAMERA));
        assert_eq!(to.ops("com.game"), "RUN_IN_BACKGROUND: ignore; time=+1m2s ago\n");
        assert!(context(to).is_some());
    }
}

fn context(card: &sim::Card) -> Option<Box<str>> {
    let save = card.state().files.find_own("/data/data/com.game/files/save", false).unwrap();
    save.meta().context
}

fn meta((mode, uid, gid, size, _): &(u32, u32, u32, u64, Vec<u8>)) -> (u32, u32, u32, u64) {
    (*mode, *uid, *gid, *size)
}

db_test! {
    async fn a_phone_comes_on_another_card_with_every_byte_of_a_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::with(&app, &clerk, 51, 4).await;
        play(&scene);
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        let second = next_phone(&app, &clerk, scene.phone).await;
        let to = &scene.room().cards[OTHER];
        // What a clean card has there is not the phone's.
        to.put_file("/data/media/0/Alarms", "of-the-image.ogg", b"x").unwrap();
        let boots = to.boots();
        let operation = restore(&clerk, copy, second).await;
        assert_eq!(done(&clerk, &operation).await["succeeded"], 1, "{:?}", walked(&clerk, second).await);
        assert_eq!(walked(&clerk, second).await, ["3 1 3 ", "4 1 3 ", "5 1 3 ", "6 1 3 ", "7 1 3 ", "8 1 3 "]);
        Had::of(&scene.room().cards[0]).has_come_to(to);
        assert_eq!((to.boots(), to.is_stopped()), (boots + 1, false), "Android starts with all of it");
        let phone = row(&app, second).await;
        let seen = seen(&clerk, copy).await;
        assert_eq!((phone.use_type, phone.is_blank, Some(phone.used_bytes)), (UseType::On, false, seen["bytes"].as_i64()));
        assert_eq!((&seen["restores"], &seen["isVerifying"]), (&json!(1), &json!(false)), "{seen}");
        let told = get(&clerk, &operation).await;
        assert_eq!((&told["kind"], &told["detail"], &told["need"]), (&json!(40), &json!(format!("备份 {copy}")), &json!("backup:restore")));
        let trail = app.audit_trail().await;
        for wanted in ["admin backup_restore 0", "admin phone_bound 0"] {
            assert!(trail.contains(&wanted.to_owned()), "{wanted}: {trail:?}");
        }
        scene.goes_on().await;
    }

    async fn a_card_or_an_agent_that_breaks_off_in_the_middle_loses_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::with(&app, &clerk, 52, 4).await;
        play(&scene);
        scene.room().cards[0].plant("/data/media/0/long.mp4", 9, 96 << 20).unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        let second = next_phone(&app, &clerk, scene.phone).await;
        let operation = restore(&clerk, copy, second).await;
        // Or was, since somebody looked last.
        let writes = |scene: &Scene<'_>| {
            let found = scene.room().cards[OTHER].state().files.find_own("/data/media/0/long.mp4", false);
            found.is_ok_and(|file| file.size() >= 1 << 20)
        };
        until("it is being written", async || writes(&scene)).await;
        scene.stop_agent().await;
        scene.start_agent().await;
        until("it is being written again", async || writes(&scene)).await;
        // The power fails.
        scene.room().cards[OTHER].restart();
        // Between two tries it is waited for, and nothing is told of it.
        let ended = |step: &String| step.starts_with("6 ") && (step.contains(" 3 ") || step.contains(" 4 "));
        until("it is told, or done", async || walked(&clerk, second).await.iter().any(ended)).await;
        app.app.clock.advance_seconds(60);
        assert_eq!(done(&clerk, &operation).await["succeeded"], 1, "{:?}", walked(&clerk, second).await);
        Had::of(&scene.room().cards[0]).has_come_to(&scene.room().cards[OTHER]);
    }

    async fn a_phone_with_many_files_comes_on_a_card_with_a_slow_flash(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::with(&app, &clerk, 57, 4).await;
        play(&scene);
        let to = &scene.room().cards[OTHER];
        for number in 0..600 {
            scene.room().cards[0].plant(&format!("/data/media/0/many/{}/{number}.png", number % 5), 1, 10).unwrap();
            // What a clean card has there goes first.
            to.plant(&format!("/data/media/0/Ringtones/{number}.ogg"), 2, 10).unwrap();
        }
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        let second = next_phone(&app, &clerk, scene.phone).await;
        // Two minutes by the card's clock for either: no line may take more than 45 s.
        to.flash.set_pace(Duration::from_millis(200));
        let operation = restore(&clerk, copy, second).await;
        assert_eq!(done(&clerk, &operation).await["succeeded"], 1, "{:?}", walked(&clerk, second).await);
        assert_eq!(walked(&clerk, second).await, ["3 1 3 ", "4 1 3 ", "5 1 3 ", "6 1 3 ", "7 1 3 ", "8 1 3 "]);
        Had::of(&scene.room().cards[0]).has_come_to(to);
    }

    async fn a_copy_that_is_damaged_comes_on_no_card_and_is_told(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::with(&app, &clerk, 53, 4).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        let second = next_phone(&app, &clerk, scene.phone).await;
        packs(&scene.repository().await).iter().for_each(|pack| flip(pack));
        let operation = restore(&clerk, copy, second).await;
        for attempt in 1..=3 {
            let tried = format!("6 {attempt} 4 repo_damaged");
            until("it has failed once more", async || walked(&clerk, second).await.contains(&tried)).await;
            app.app.clock.advance_seconds(60);
        }
        let ended = done(&clerk, &operation).await;
        assert_eq!((&ended["failed"], &ended["succeeded"]), (&json!(1), &json!(0)), "{:?}", walked(&clerk, second).await);
        let steps = walked(&clerk, second).await;
        let lies: Vec<&String> = steps.iter().filter(|step| step.starts_with("6 ")).collect();
        assert!(lies.len() == 4 && lies[3] == "6 4 4 repo_damaged", "it is tried on one card, and three times more: {steps:?}");
        assert_eq!(steps.iter().filter(|step| step.starts_with("3 ")).count(), 1, "it is that on every card: {steps:?}");
        let phone = row(&app, second).await;
        assert_eq!((phone.use_type, phone.is_blank), (UseType::Off, true), "it can be put on with another one");
        until("it was read back", async || !seen(&clerk, copy).await["damage"].as_str().unwrap().is_empty()).await;
        assert_eq!(ask(&clerk, copy, second).await.0, 409);
        scene.goes_on().await;
    }

    async fn a_copy_comes_only_where_it_may(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let scene = Scene::with(&app, &clerk, 54, 4).await;
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let (copy, room) = (newest(&clerk).await, row(&app, scene.phone).await.room_id.0);
        let blank = next_phone(&app, &clerk, scene.phone).await;
        let refused = async |copy: i64, phone: i64, code: u16, words: &str| {
            let (http, answer) = ask(&clerk, copy, phone).await;
            assert!(http == code && answer["msg"].as_str().unwrap().contains(words), "{http} {answer}");
        };
        refused(999, blank, 404, "no such backup").await;
        refused(copy, 999, 404, "no such cloud phone").await;
        refused(copy, scene.phone, 409, "").await;
        let others = another(&app, &clerk, room).await;
        refused(copy, others, 409, "another user's").await;
        let expires = app.app.clock.now().plus_seconds(86_400);
        let user = row(&app, scene.phone).await.user_id;
        let body = json!({ "userId": user, "plan": 4, "roomId": room, "diskGb": 1, "expiresAt": expires });
        let board = clerk.post(PHONES, body).await.data()["firstId"].as_i64().unwrap();
        refused(copy, board, 409, "board").await;
        // What nobody has completed.
        let tx = app.app.db.begin_write().await.unwrap();
        let state = |state| backup::ActiveModel { id: Set(entity::BackupId(copy)), state: Set(state), ..Default::default() };
        let kept = entity::phone::ActiveModel { id: Set(entity::PhoneId(scene.phone)), kept_id: Set(None), ..Default::default() };
        entity::phone::Entity::update(kept).exec(&*tx).await.unwrap();
        backup::Entity::update(state(BackupState::Failed)).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        refused(copy, blank, 409, "not completed").await;
        let tx = app.app.db.begin_write().await.unwrap();
        backup::Entity::update(state(BackupState::Verified)).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        // Of two who press at once one has it, and the other's phone is under way.
        scene.stop_agent().await;
        refused(copy, blank, 409, "reaches the storage node").await;
        scene.start_agent().await;
        let (one, two) = tokio::join!(ask(&clerk, copy, blank), ask(&clerk, copy, blank));
        let operations = [one, two].map(|(http, answer)| (http, answer["data"]["id"].clone()));
        let mut succeeded = 0;
        for (http, id) in operations {
            if http == 200 {
                succeeded += done(&clerk, &id).await["succeeded"].as_i64().unwrap();
            }
        }
        assert_eq!(succeeded, 1, "{:?}", walked(&clerk, blank).await);
    }
}
