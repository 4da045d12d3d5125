//! Copies of phones that are on cards: made over a real agent and read by Debian's `restic`, and step by step with a test
//! that acts as the agent.

use std::path::{Path, PathBuf};
use std::process::Command;

use base::app::App;
use base::work::Work;
use entity::backup::{self, BackupState};
use entity::card::Occupancy;
use entity::phone::UseType;
use entity::{RoomId, repo};
use parking_lot::Mutex;
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Again, Caller, TestApp};
use testkit::db_test;
use testroom::link::Link;
use testroom::operation::{done, get};
use testroom::phone::{phone as new_phone, put_on};
use testroom::room::{
    Console, RunningAgent, console, hurry, joined_at, run_agent, serves, simulated, until, until_online,
};

use super::put_on::{card, row, walked};

const PHONES: &str = "/api/phone/v1/phones";
pub const BACKUPS: &str = "/api/storage/v1/backups";
const NODES: &str = "/api/storage/v1/nodes";

/// Begins copies of some phones; the operation.
async fn back_up(clerk: &Caller<'_>, phones: &[i64]) -> Value {
    clerk.post(&format!("{PHONES}/back-up"), json!({ "selection": { "ids": phones } })).await.data()
}

async fn node(app: &TestApp, clerk: &Caller<'_>, agent: i64) -> i64 {
    let body = json!({ "name": "杭州-存储-01", "city": "杭州", "place": "copies", "agents": [agent], "capacity": 9,
        "unit": "gb", "partitions": 2 });
    let made = clerk.post(NODES, body).await.data()["id"].as_i64().unwrap();
    // It takes no copies before an agent has seen it.
    until("the node is seen", async || {
        phones::node_round(&app.app).await.unwrap();
        clerk.get(&format!("{NODES}/{made}")).await.data()["state"] == 1
    })
    .await;
    made
}

/// The copies of all phones, oldest first.
pub async fn copies(app: &TestApp) -> Vec<backup::Model> {
    backup::Entity::find().order_by_asc(backup::Column::Id).all(app.app.db.read()).await.unwrap()
}

/// A room with a simulated card, its agent and a storage node; a phone is on the card and has been used.
pub struct Scene<'a> {
    app: &'a TestApp,
    clerk: &'a Caller<'a>,
    room: sim::Room,
    identity: agent::Identity,
    folder: tempfile::TempDir,
    agent: Mutex<Option<RunningAgent>>,
    /// The console that works, while there is one: the first is that of the test, which answers it to the end.
    console: Mutex<Option<(Work, Console)>>,
    now: Mutex<App>,
    /// The way to whichever console works.
    pub link: Link,
    pub phone: i64,
    room_id: i64,
}

impl<'a> Scene<'a> {
    pub async fn open(app: &'a TestApp, clerk: &'a Caller<'a>, number: u8) -> Self {
        Self::with(app, clerk, number, 2).await
    }

    /// The same in a room with so many cards. The first and the fourth run the same image, and none between them does.
    pub async fn with(app: &'a TestApp, clerk: &'a Caller<'a>, number: u8, cards: usize) -> Self {
        hurry(clerk).await;
        let work = app.work().await;
        let console = console(app).await;
        let (room, here) = simulated(clerk, number, cards).await;
        let link = Link::to(&console).await;
        let identity = joined_at(app, clerk, &link.url, here.room).await;
        let folder = tempfile::tempdir().unwrap();
        let agent = run_agent(identity.clone(), folder.path()).await;
        until_online(clerk, cards as u64).await;
        node(app, clerk, identity.agent).await;
        let phone = new_phone(app, clerk, here.room).await;
        let made = put_on(clerk, &[phone]).await;
        assert_eq!(done(clerk, &made["id"]).await["succeeded"], 1, "{:?}", walked(clerk, phone).await);
        let scene = Self {
            app,
            clerk,
            room,
            identity,
            folder,
            agent: Mutex::new(Some(agent)),
            console: Mutex::new(Some((work, console))),
            now: Mutex::new(app.app.clone()),
            link,
            phone,
            room_id: here.room,
        };
        scene.put("/data/media/0/DCIM", "1.jpg", b"a picture");
        scene.put("/data/media/0/DCIM", "一\n\"二\".jpg", b"another one");
        scene.put("/data/media/0/Android/data/com.nobody/files", "odd", b"of an app that is not installed");
        for number in 0..40_u8 {
            let content: Vec<u8> = (0..60_000_u32).map(|at| (at.wrapping_mul(at) >> 7) as u8 ^ number).collect();
            scene.put("/data/media/0/Download", &format!("{number}.bin"), &content);
        }
        scene.room.cards[0].plant("/data/media/0/film.mp4", 7, 5 << 20).unwrap();
        scene
    }

    pub const fn app(&self) -> &TestApp {
        self.app
    }

    pub const fn room(&self) -> &sim::Room {
        &self.room
    }

    /// Ends the agent, whatever it is doing.
    pub fn kill_agent(&self) {
        drop(self.agent.lock().take());
    }

    /// The same, until the console sees that it is gone.
    pub async fn stop_agent(&self) {
        self.kill_agent();
        until("the agent is gone", async || !self.copies()).await;
    }

    /// Starts it again, until the console sees it.
    pub async fn start_agent(&self) {
        let agent = run_agent(self.identity.clone(), self.folder.path()).await;
        *self.agent.lock() = Some(agent);
        until("the agent is back", async || self.copies()).await;
    }

    /// The link to the room breaks, and the console sees that.
    pub async fn link_breaks(&self) {
        self.link.cut();
        until("the agent is gone", async || !self.copies()).await;
    }

    /// It is there again, and so is the agent.
    pub async fn link_is_back(&self) {
        if let Some((_, console)) = &*self.console.lock() {
            self.link.lead_to(console);
        }
        until("the agent is back", async || self.copies()).await;
    }

    /// The console dies: nobody gets through to it, and its loops are broken off wherever they are.
    pub async fn console_dies(&self) {
        self.link_breaks().await;
        let ended = self.console.lock().take();
        if let Some((work, _)) = ended {
            work.stop().await;
        }
    }

    /// Another one starts on its database, with nothing in memory, until the agent is there.
    pub async fn console_is_back(&self) {
        let Again { app, router, work } = self.app.started_again().await;
        let console = serves(&app, router).await;
        *self.now.lock() = app;
        *self.console.lock() = Some((work, console));
        self.link_is_back().await;
    }

    /// The disk of the storage node is not there any more.
    pub fn node_goes(&self) {
        std::fs::rename(self.place(), self.aside()).unwrap();
    }

    /// It is there again as it was, and the console has seen it.
    pub async fn node_is_back(&self) {
        until("the disk is there", async || {
            // Somebody was about to write there when it went, and has written below it, or does so while that is removed.
            let is_there = || std::fs::rename(self.aside(), self.place()).is_ok();
            is_there() || (std::fs::remove_dir_all(self.place()).is_ok() && is_there())
        })
        .await;
        let now = self.now.lock().clone();
        phones::node_round(&now).await.unwrap();
        self.sees_node().await;
    }

    /// The console has seen that the node is there: on a busy machine a disk may take longer than a look waits for it.
    async fn sees_node(&self) {
        let now = self.now.lock().clone();
        until("the node is seen", async || {
            if self.clerk.get(NODES).await.data()["list"][0]["state"] == 1 {
                return true;
            }
            phones::node_round(&now).await.unwrap();
            false
        })
        .await;
    }

    fn aside(&self) -> PathBuf {
        self.folder.path().join("aside")
    }

    /// Whether the console sees its agent.
    fn copies(&self) -> bool {
        !self.now.lock().part::<fleet::Connections>().that_copy(RoomId(self.room_id)).is_empty()
    }

    fn put(&self, folder: &str, name: &str, content: &[u8]) {
        // With the folders that lead there.
        self.room.cards[0].plant(&format!("{folder}/{name}"), 1, 1).unwrap();
        self.room.cards[0].put_file(folder, name, content).unwrap();
    }

    /// The folder of the node.
    pub fn place(&self) -> PathBuf {
        self.folder.path().join("stores/copies")
    }

    pub async fn repository(&self) -> PathBuf {
        let found = repo::Entity::find().one(self.app.app.db.read()).await.unwrap().unwrap();
        self.place().join(found.folder)
    }

    /// How the operation has ended: succeeded, and why it failed.
    pub async fn backed_up(&self) -> (i64, Vec<String>) {
        if self.place().join(wire::store::MARKER).exists() {
            self.sees_node().await;
        }
        let made = back_up(self.clerk, &[self.phone]).await;
        let ended = done(self.clerk, &made["id"]).await;
        let tasks = self.clerk.get(&format!("/api/operation/v1/operations/{}/tasks?pageSize=9", made["id"])).await;
        let tasks = tasks.data();
        let codes = tasks["list"].as_array().unwrap().iter().map(|task| task["code"].as_str().unwrap().to_owned());
        (ended["succeeded"].as_i64().unwrap(), codes.filter(|code| !code.is_empty()).collect())
    }

    /// The phone is where it was, and goes on.
    pub async fn goes_on(&self) {
        let seen = self.clerk.get(&format!("{PHONES}/{}", self.phone)).await.data();
        assert_eq!((&seen["useType"], &seen["underWay"]), (&json!(1), &Value::Null), "{seen}");
        let on = seen["card"]["id"].as_i64().unwrap();
        assert_eq!(card(self.app, on).await.occupancy, Occupancy::InUse);
        assert!(!self.room.cards[0].is_stopped(), "its framework runs");
    }
}

/// Debian's `restic` on a repository; what it prints.
pub fn restic(repository: &Path, code: &str, args: &[&str]) -> String {
    let output = Command::new("restic")
        .args(["--no-cache", "--no-lock", "-r"])
        .arg(repository)
        .args(args)
        .env("RESTIC_PASSWORD", code)
        .output()
        .unwrap();
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{args:?}: {told}");
    told
}

db_test! {
    async fn a_phone_is_saved_and_goes_on_and_restic_reads_what_was_saved(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 21).await;
        let (boots, id) = (scene.room.cards[0].boots(), scene.phone);
        assert_eq!(scene.backed_up().await, (1, vec![]), "{:?}", walked(&clerk, id).await);
        assert_eq!(walked(&clerk, id).await[4..], ["12 1 3 ", "13 1 3 ", "14 1 3 ", "16 1 3 ", "15 1 3 "]);
        scene.goes_on().await;
        assert_eq!(scene.room.cards[0].boots(), boots, "it was stopped and started, and did not restart");

        let list = clerk.get(BACKUPS).await.data();
        let first = &list["list"][0];
        assert_eq!((&list["total"], &first["state"], &first["isKept"], &first["code"]), (&json!(1), &json!(4), &json!(true), &json!("")));
        assert_eq!((&first["phone"]["id"], &first["node"]["name"]), (&json!(id), &json!("杭州-存储-01")));
        assert!(first["bytes"].as_i64().unwrap() > 7 << 20 && first["readFiles"] == first["files"], "{first}");
        let seen = row(&app, id).await;
        assert_eq!((seen.use_type, seen.last_backup_at.is_some(), seen.used_bytes), (UseType::On, true, first["bytes"].as_i64().unwrap()));
        let detail = clerk.get(&format!("{BACKUPS}/{}", first["id"])).await.data();
        assert!(detail["manifest"]["morePackages"].as_i64().unwrap() > 0, "those of the image, without data: {detail}");
        assert!(detail["manifest"]["shared"]["files"].as_i64().unwrap() >= 43, "{detail}");
        assert_eq!((detail["snapshot"].as_str().unwrap().len(), &detail["place"]), (64, &json!("copies")));

        let opened = clerk.post(&format!("{BACKUPS}/{}/reveal", first["id"]), json!({})).await.data();
        let (code, repository) = (opened["code"].as_str().unwrap(), scene.repository().await);
        assert_eq!(opened["repository"], format!("copies/{}", detail["folder"].as_str().unwrap()));
        assert!(restic(&repository, code, &["check", "--read-data"]).contains("no errors were found"));
        let target = tempfile::tempdir().unwrap();
        restic(&repository, code, &["restore", detail["snapshot"].as_str().unwrap(), "--target", target.path().to_str().unwrap()]);
        let restored = |path: &str| std::fs::read(target.path().join(path)).unwrap();
        assert_eq!(restored("data/media/0/DCIM/一\n\"二\".jpg"), b"another one");
        assert_eq!(restored("data/media/0/Download/39.bin").len(), 60_000);
        assert_eq!(restored("data/media/0/film.mp4"), scene.room.cards[0].open("/data/media/0/film.mp4").unwrap().read(0, 9 << 20).unwrap());
        assert!(!target.path().join("data/system/packages.xml").exists(), "Android makes that anew");
        assert!(repository.join("skyrack-key").exists());
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"admin phone_back_up 0".to_owned()) && trail.contains(&"admin backup_reveal 0".to_owned()), "{trail:?}");

        // What has not changed is not read again.
        scene.put("/data/media/0/DCIM", "2.jpg", b"a third one");
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let second = clerk.get(BACKUPS).await.data()["list"][0].clone();
        assert!(second["readFiles"].as_i64().unwrap() < 20, "{second}");
        assert_eq!((&second["isKept"], &second["state"]), (&json!(true), &json!(4)), "the phone lives by the newest");
        assert!(second["addedBytes"].as_i64() < first["addedBytes"].as_i64());
        assert!(restic(&repository, code, &["check", "--read-data"]).contains("no errors were found"));
        assert_eq!(clerk.get(&format!("{BACKUPS}?isKept=true")).await.data()["total"], 1);
        assert_eq!(clerk.get(&format!("{BACKUPS}?keyWord={}", seen.code)).await.data()["total"], 2);
        assert_eq!(clerk.get(&format!("{BACKUPS}?keyWord=CP-9999999")).await.data()["total"], 0);
    }

    async fn a_copy_that_cannot_be_made_leaves_the_phone_alone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 22).await;
        // The disk of the node is not mounted: that is seen before the phone is stopped.
        scene.node_goes();
        std::fs::create_dir_all(scene.place()).unwrap();
        assert_eq!(scene.backed_up().await, (0, vec!["wrong_store".to_owned()]));
        scene.goes_on().await;
        assert_eq!(std::fs::read_dir(scene.place()).unwrap().count(), 0, "nothing is written below a mount");
        std::fs::remove_dir(scene.place()).unwrap();
        std::fs::rename(scene.aside(), scene.place()).unwrap();
        assert_eq!(walked(&clerk, scene.phone).await[4..], ["12 1 4 wrong_store"], "it was not stopped");

        // Something that nobody has decided about.
        scene.room.cards[0].plant("/data/vendor_game/saves/one", 7, 2 << 20).unwrap();
        assert_eq!(scene.backed_up().await, (0, vec!["not_covered".to_owned()]));
        scene.goes_on().await;
        let failed = clerk.get(&format!("{BACKUPS}?state=5")).await.data();
        assert_eq!((&failed["total"], &failed["list"][0]["code"]), (&json!(2), &json!("not_covered")));
        assert!(failed["list"][0]["reason"].as_str().unwrap().contains("未备份"), "{failed}");

        // A folder that cannot be read is no empty one.
        scene.room.cards[0].state().files.remove_all("/data/vendor_game").unwrap();
        scene.room.cards[0].state().files.set_unreadable(["/data/media/0/DCIM".to_owned()]);
        assert_eq!(scene.backed_up().await, (0, vec!["not_readable".to_owned()]));
        scene.goes_on().await;
        scene.room.cards[0].state().files.set_unreadable(Vec::<String>::new());
        assert_eq!(scene.backed_up().await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        scene.goes_on().await;
    }

    async fn a_card_that_restarts_in_the_middle_leaves_no_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 23).await;
        scene.room.cards[0].plant("/data/media/0/long.mp4", 9, 96 << 20).unwrap();
        let made = back_up(&clerk, &[scene.phone]).await;
        until("it is being copied", async || {
            copies(&app).await.last().is_some_and(|copy| copy.state == BackupState::Running)
        }).await;
        until("packs are written", async || walk(&scene.place()) > 8 << 20).await;
        scene.room.cards[0].restart();
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["failed"]), (&json!(0), &json!(1)), "{:?}", walked(&clerk, scene.phone).await);
        scene.goes_on().await;
        let copy = copies(&app).await.pop().unwrap();
        assert_eq!((copy.state, copy.snapshot.is_empty()), (BackupState::Failed, true), "{}", copy.code);
        let snapshots = scene.repository().await.join("snapshots");
        assert_eq!(std::fs::read_dir(snapshots).map_or(0, Iterator::count), 0);

        // The next one uses what was sent.
        scene.room.cards[0].state().files.remove_all("/data/media/0/long.mp4").unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        let code = recovery(&clerk, copies(&app).await.last().unwrap().id.0).await;
        assert!(restic(&scene.repository().await, &code, &["check", "--read-data"]).contains("no errors were found"));
    }

    async fn an_agent_that_dies_in_the_middle_makes_the_copy_when_it_is_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 24).await;
        scene.room.cards[0].plant("/data/media/0/long.mp4", 9, 64 << 20).unwrap();
        let made = back_up(&clerk, &[scene.phone]).await;
        until("packs are written", async || {
            let ended = get(&clerk, &made["id"]).await;
            assert_eq!(ended["failed"], 0, "{:?}", walked(&clerk, scene.phone).await);
            walk(&scene.place()) > 8 << 20
        })
        .await;
        scene.kill_agent();
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert_eq!(get(&clerk, &made["id"]).await["running"], 1);
        scene.start_agent().await;
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!(ended["succeeded"], 1, "{:?}", walked(&clerk, scene.phone).await);
        scene.goes_on().await;
        let copy = copies(&app).await.pop().unwrap();
        assert!(copy.state == BackupState::Verified && copy.bytes > 64 << 20);
        let code = recovery(&clerk, copy.id.0).await;
        assert!(restic(&scene.repository().await, &code, &["check", "--read-data"]).contains("no errors were found"));
    }
}

async fn recovery(clerk: &Caller<'_>, id: i64) -> String {
    clerk.post(&format!("{BACKUPS}/{id}/reveal"), json!({})).await.data()["code"].as_str().unwrap().to_owned()
}

/// Bytes of the files in a folder and in its folders.
fn walk(folder: &Path) -> u64 {
    let Ok(found) = std::fs::read_dir(folder) else { return 0 };
    found
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => walk(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
