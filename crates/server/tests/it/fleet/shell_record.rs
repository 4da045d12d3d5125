//! Input of a shell: recorded completely, before it is sent, and never changed.

use entity::{CardId, OperatorId, ShellId, operation_log, shell_chunk, shell_end, shell_record};
use fleet::Fleet;
use futures::SinkExt as _;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, DbBackend, EntityTrait as _, QueryFilter as _,
    QueryOrder as _,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::room::{Console, RunningAgent, Socket, console, hear, joined, run_agent, say, simulated, until};
use testroom::site::CARDS;
use tokio_tungstenite::tungstenite::Message;

use super::link::terminal;

const LOG: &str = "/api/user/v1/operation/log";

async fn opened(clerk: &Caller<'_>, console: &Console, card: &Value) -> Socket {
    opened_for(clerk, console, card, "").await
}

/// Opens a shell for a reason.
pub async fn opened_for(clerk: &Caller<'_>, console: &Console, card: &Value, reason: &str) -> Socket {
    let body = json!({ "reason": reason });
    let ticket = clerk.post(&format!("{CARDS}/{card}/shell"), body).await.data()["ticket"].clone();
    let mut shell = terminal(console, ticket.as_str().unwrap()).await.unwrap();
    say(&mut shell, &json!({ "type": "size", "rows": 24, "columns": 80 })).await;
    hear(&mut shell, "opened").await;
    shell
}

/// A room of simulated cards whose agent is connected.
pub struct Place {
    /// The first card, as the list shows it.
    pub card: Value,
    /// The room's id.
    pub room_id: i64,
    index: usize,
    // The agent goes first.
    _agent: RunningAgent,
    _folder: TempDir,
    room: sim::Room,
}

impl Place {
    pub async fn of(app: &TestApp, clerk: &Caller<'_>, console: &Console, number: u8) -> Self {
        let (room, site) = simulated(clerk, number, 8).await;
        let folder = tempfile::tempdir().unwrap();
        let agent = run_agent(joined(app, clerk, console, site.room).await, folder.path()).await;
        until("the agent is connected", async || app.app.part::<Fleet>().agents_in(entity::RoomId(site.room)) == 1)
            .await;
        let card = clerk.get(&format!("{CARDS}?pageSize=10&sort=id&order=asc")).await.data()["list"][0].clone();
        let index = room.cards.iter().position(|one| card["intranetIp"] == one.address.ip().to_string()).unwrap();
        Self { card, room_id: site.room, index, _agent: agent, _folder: folder, room }
    }

    /// Whether a program has run on the card.
    pub fn has_run(&self, what: &str) -> bool {
        self.room.cards[self.index].state().effects.contains_key(what)
    }
}

async fn ends(app: &TestApp) -> Vec<operation_log::Model> {
    let ends = operation_log::Entity::find().filter(operation_log::Column::Action.eq("card_shell_end"));
    ends.order_by_asc(operation_log::Column::Id).all(app.app.db.read()).await.unwrap()
}

async fn chunks(app: &TestApp) -> Vec<shell_chunk::Model> {
    let all = shell_chunk::Entity::find().order_by_asc(shell_chunk::Column::Number);
    all.all(app.app.db.read()).await.unwrap()
}

/// Runs SQL as an attacker with access to the database.
async fn sql(app: &TestApp, sqlite: &str, postgres: &str) -> Result<(), String> {
    let text = if app.app.db.backend() == DbBackend::Sqlite { sqlite } else { postgres };
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(text).await.map_err(|error| error.to_string())?;
    tx.commit().await.map_err(|error| error.to_string())
}

db_test! {
    async fn every_byte_that_is_typed_is_recorded_as_it_arrived(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 31).await;
        let mut shell = opened(&clerk, &console, &place.card["id"]).await;
        let typed: [&[u8]; 7] = [
            b"effect hidden\n",
            // What ran is not taken back by this, and stays in the record.
            &[0x7f; 20],
            b"\x1b[A\x15\x0c",
            &[0xff, 0x00, 0xfe, b'\r'],
            "重启\u{202e}".as_bytes(),
            &[b'x'; 1_200],
            &[b'y'; 20_000],
        ];
        for piece in typed {
            shell.send(Message::binary(piece.to_vec())).await.unwrap();
        }
        until("it ran", async || place.has_run("effect:hidden")).await;
        until("all of it is recorded", async || chunks(&app).await.len() == typed.len()).await;
        shell.close(None).await.unwrap();
        until("the shell has its line in the log", async || ends(&app).await.len() == 1).await;

        let kept: Vec<Vec<u8>> = chunks(&app).await.into_iter().map(|chunk| chunk.bytes).collect();
        assert_eq!(kept, typed);
        let end = ends(&app).await.remove(0);
        let seal: Value = serde_json::from_str(end.after.as_ref().unwrap()).unwrap();
        let bytes: usize = typed.iter().map(|piece| piece.len()).sum();
        assert_eq!((&seal["chunks"], &seal["bytes"], seal["sha256"].as_str().unwrap().len()), (&json!(7), &json!(bytes), 64));

        let url = format!("/api/fleet/v1/shell-records/{}", seal["shellId"]);
        let page = clerk.get(&format!("{url}?pageSize=100")).await.data();
        assert_eq!((&page["total"], &page["list"][0]["text"]), (&json!(7), &json!("effect hidden\u{240a}")));
        assert_eq!(page["list"][1]["text"], "\u{2421}".repeat(20));
        assert_eq!(page["list"][3]["text"], "\\xff\u{2400}\\xfe\u{240d}");
        assert_eq!(page["list"][4]["text"], "重启\\u{202e}");
        let table = clerk.get(&format!("{url}/file?format=csv")).await.table();
        let raw: Vec<u8> = table[1..].iter().flat_map(|row| hex::decode(row.last().unwrap()).unwrap()).collect();
        assert_eq!(raw, typed.concat());
        assert_eq!(clerk.get("/api/fleet/v1/shell-records/999").await.brief(), (404, 4004));
        let other = app.operator("other", &["device:shell"]).await;
        assert_eq!(other.get(&url).await.brief(), (200, 4003), "it is a part of the log");

        assert_eq!(clerk.get(&format!("{LOG}/verify")).await.data()["ok"], true);
        for table in ["shell_record", "shell_chunk", "shell_end"] {
            let column = if table == "shell_record" { "id" } else { "shell_id" };
            for change in [format!("UPDATE {table} SET {column} = {column}"), format!("DELETE FROM {table}")] {
                let refused = sql(&app, &change, &change).await.unwrap_err();
                assert!(refused.contains("append-only"), "{change}: {refused}");
            }
        }
        let late = format!("INSERT INTO shell_chunk SELECT shell_id, number + 100, at, bytes FROM shell_chunk WHERE number = 1 AND shell_id = {}", seal["shellId"]);
        assert!(sql(&app, &late, &late).await.unwrap_err().contains("the shell has ended"));
        // Who goes around the triggers is found by the chain.
        sql(&app, "DROP TRIGGER shell_chunk_no_update", "DROP TRIGGER shell_chunk_no_change ON shell_chunk").await.unwrap();
        let blank = "UPDATE shell_chunk SET bytes = ";
        sql(&app, &format!("{blank} x'20' WHERE number = 1"), &format!("{blank} '\\x20' WHERE number = 1")).await.unwrap();
        let verdict = clerk.get(&format!("{LOG}/verify")).await.data();
        assert_eq!((&verdict["ok"], &verdict["brokenAt"]), (&json!(false), &json!(end.id)), "{verdict}");
    }

    async fn what_cannot_be_recorded_is_not_sent_and_ends_the_shell(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 32).await;
        let mut shell = opened(&clerk, &console, &place.card["id"]).await;
        shell.send(Message::binary(b"effect before\n".to_vec())).await.unwrap();
        until("it ran", async || place.has_run("effect:before")).await;

        let full = "RAISE(ABORT, 'database or disk is full')";
        sql(&app, &format!("CREATE TRIGGER full_disk BEFORE INSERT ON shell_chunk BEGIN SELECT {full}; END"),
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'No space left on device'; END $$; \
             CREATE TRIGGER full_disk BEFORE INSERT ON shell_chunk FOR EACH ROW EXECUTE FUNCTION full_disk()").await.unwrap();
        shell.send(Message::binary(b"effect after\n".to_vec())).await.unwrap();
        let ended = hear(&mut shell, "ended").await;
        assert!(ended["reason"].as_str().unwrap().contains("cannot be recorded"), "{ended}");
        until("the shell has its line in the log", async || ends(&app).await.len() == 1).await;
        assert_eq!(chunks(&app).await.len(), 1);
        // A second shell is opened and answers, so that whatever was sent before it had its time.
        sql(&app, "DROP TRIGGER full_disk", "DROP TRIGGER full_disk ON shell_chunk").await.unwrap();
        let mut shell = opened(&clerk, &console, &place.card["id"]).await;
        shell.send(Message::binary(b"effect last\n".to_vec())).await.unwrap();
        until("it ran", async || place.has_run("effect:last")).await;
        assert!(!place.has_run("effect:after"), "it was not recorded, so it is not done");
    }

    async fn a_record_that_is_full_ends_the_shell_with_words_and_another_one_opens(db) {
        let app = TestApp::with(db, |config| config.shell_record_bytes = 400).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 33).await;
        for (n, too_much) in [(1_usize, vec![b' '; 400]), (2, b"effect after\n".repeat(25))] {
            let mut shell = opened(&clerk, &console, &place.card["id"]).await;
            shell.send(Message::binary(format!("effect before{n}\n").into_bytes())).await.unwrap();
            until("it ran", async || place.has_run(&format!("effect:before{n}"))).await;
            shell.send(Message::binary(too_much)).await.unwrap();
            let ended = hear(&mut shell, "ended").await;
            assert!(ended["reason"].as_str().unwrap().contains("is full"), "{ended}");
            until("the shell has its line in the log", async || ends(&app).await.len() == n).await;
        }
        assert!(!place.has_run("effect:after"), "what is not recorded is not sent");
        assert_eq!(chunks(&app).await.len(), 2);

        // A row a key is no way around it.
        let mut shell = opened(&clerk, &console, &place.card["id"]).await;
        for _ in 0..10 {
            if shell.send(Message::binary(b"x".to_vec())).await.is_err() {
                break;
            }
        }
        assert!(hear(&mut shell, "ended").await["reason"].as_str().unwrap().contains("is full"));
        until("the shell has its line in the log", async || ends(&app).await.len() == 3).await;
        assert_eq!(chunks(&app).await.len(), 2 + 6);
    }

    async fn an_end_that_the_database_does_not_take_is_written_as_soon_as_it_does(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let work = app.work().await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 35).await;
        let mut shell = opened(&clerk, &console, &place.card["id"]).await;
        sql(&app, "CREATE TRIGGER no_end BEFORE INSERT ON shell_end BEGIN SELECT RAISE(ABORT, 'not now'); END",
            "CREATE FUNCTION no_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$; \
             CREATE TRIGGER no_end BEFORE INSERT ON shell_end FOR EACH ROW EXECUTE FUNCTION no_end()").await.unwrap();
        shell.close(None).await.unwrap();
        until("the database has refused the end", async || fleet::late_ends(&app.app) == 1).await;
        assert!(ends(&app).await.is_empty());
        let ended = app.app.clock.now();
        app.app.clock.advance_seconds(40);
        sql(&app, "DROP TRIGGER no_end", "DROP TRIGGER no_end ON shell_end").await.unwrap();
        until("the shell has its line in the log", async || ends(&app).await.len() == 1).await;
        until("nothing is late", async || fleet::late_ends(&app.app) == 0).await;
        let row = shell_end::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert!((row.at.millis() - ended.millis()).abs() < 30_000, "it ended when it ended, not when it was written");
        assert_eq!(clerk.get(&format!("{LOG}/verify")).await.data()["ok"], true);

        // One whose end was late when the console stopped is closed by the next start, also if that is refused once more.
        let mut shell = opened(&clerk, &console, &place.card["id"]).await;
        sql(&app, "CREATE TRIGGER no_end BEFORE INSERT ON shell_end BEGIN SELECT RAISE(ABORT, 'not now'); END",
            "CREATE TRIGGER no_end BEFORE INSERT ON shell_end FOR EACH ROW EXECUTE FUNCTION no_end()").await.unwrap();
        shell.close(None).await.unwrap();
        until("the database has refused the end", async || fleet::late_ends(&app.app) == 1).await;
        work.stop().await;
        let _work = app.work().await;
        assert_eq!(ends(&app).await.len(), 1);
        sql(&app, "DROP TRIGGER no_end", "DROP TRIGGER no_end ON shell_end").await.unwrap();
        until("the second one has its line in the log", async || ends(&app).await.len() == 2).await;
    }

    async fn a_record_that_a_crash_left_open_is_closed_at_the_next_start(db) {
        let app = TestApp::new(db).await;
        let now = app.app.clock.now();
        let tx = app.app.db.begin_write().await.unwrap();
        let record = shell_record::ActiveModel {
            card_id: Set(CardId(7)),
            card_address: Set("10.0.0.7:5555".to_owned()),
            operator_id: Set(OperatorId(1)),
            operator_name: Set("alice".to_owned()),
            ip: Set("127.0.0.1".to_owned()),
            reason: Set(String::new()),
            started_at: Set(now),
            ..Default::default()
        };
        let id: ShellId = shell_record::Entity::insert(record).exec(&*tx).await.unwrap().last_insert_id;
        let chunk = shell_chunk::ActiveModel { shell_id: Set(id), number: Set(1), at: Set(now), bytes: Set(b"reboot\r".to_vec()) };
        shell_chunk::Entity::insert(chunk).exec_without_returning(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        for _ in 0..2 {
            app.work().await.stop().await;
            let ends = ends(&app).await;
            assert_eq!(ends.len(), 1);
            assert!(ends[0].message.contains("7 bytes typed in 1 chunks"), "{}", ends[0].message);
            assert_eq!((ends[0].operator_name.as_str(), ends[0].object_id.as_str()), ("alice", "7"));
        }
        assert_eq!(shell_end::Entity::find().all(app.app.db.read()).await.unwrap().len(), 1);
        assert!(app.admin().await.get(&format!("{LOG}/verify")).await.data()["ok"] == true);
    }
}
