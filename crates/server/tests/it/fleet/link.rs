//! The agents' connection: who is accepted, who is refused, and a real agent in a simulated room.

use std::time::Duration;

use entity::operation_log;
use fleet::Fleet;
use futures::{SinkExt as _, StreamExt as _};
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::room::{
    Console, Socket, console, dial, hear, hello, hurry, joined, run_agent, say, simulated, until, until_online,
};
use testroom::site::CARDS;
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

pub async fn terminal(console: &Console, ticket: &str) -> Result<Socket, u16> {
    let url = console.url.join(&format!("/api/fleet/v1/shells/{ticket}")).unwrap().as_str().replace("http://", "ws://");
    match connect_async(url).await {
        Ok((socket, _)) => Ok(socket),
        Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

db_test! {
    async fn a_real_agent_finds_the_cards_of_its_room_and_reports_unrecorded_ones(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 1, 16).await;
        let identity = joined(&app, &clerk, &console, site.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;

        until_online(&clerk, 16).await;
        let list = clerk.get(&format!("{CARDS}?pageSize=100")).await.data();
        // The records say another model: each card is told apart by what it says of itself.
        until("what the cards say of themselves is compared with the records", async || {
            let found = clerk.get("/api/fleet/v1/findings?pageSize=100").await.data();
            found["total"] == 16 && found.to_string().contains(&room.cards[3].serial())
        }).await;
        let one = clerk.get(&format!("{CARDS}/{}", list["list"][0]["id"])).await.data();
        assert!(one["live"]["metrics"]["temperature"].as_i64().unwrap() > 20, "{one}");

        // One card is unplugged: three misses, and it is lost; it comes back, and two good looks win it.
        room.cards[3].power(false);
        until("a card is lost", async || clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"] == 15).await;
        room.cards[3].power(true);
        until("it is back", async || clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"] == 16).await;
    }

    async fn who_is_not_known_speaks_nonsense_or_too_much_is_sent_away(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (_room, site) = simulated(&clerk, 2, 8).await;
        let identity = joined(&app, &clerk, &console, site.room).await;
        assert_eq!(dial(&console, "skyagent_x").await.unwrap_err(), 401);

        let mut rude = dial(&console, &identity.credential).await.unwrap();
        say(&mut rude, &json!({ "type": "reports", "seq": 1, "reports": [] })).await;
        assert_eq!(hear(&mut rude, "farewell").await["reason"], "misbehaved");

        let mut first = dial(&console, &identity.credential).await.unwrap();
        say(&mut first, &hello(1)).await;
        assert_eq!(hear(&mut first, "welcome").await["limits"]["perBmc"], 1);
        let roster = hear(&mut first, "roster").await;
        assert_eq!((roster["cards"].as_array().unwrap().len(), &roster["isLast"]), (8, &json!(true)));
        assert_eq!(hear(&mut first, "ranges").await["ranges"].as_array().unwrap().len(), 1);
        say(&mut first, &json!({ "type": "reports", "seq": 7, "reports": [{ "card": 999_999 }] })).await;
        assert_eq!(hear(&mut first, "taken").await["seq"], 7);

        let mut second = dial(&console, &identity.credential).await.unwrap();
        say(&mut second, &hello(1)).await;
        hear(&mut second, "welcome").await;
        assert_eq!(hear(&mut first, "farewell").await["reason"], "replaced");

        for seq in 0..1000 {
            // It hangs up while we still talk.
            if second.send(Message::text(json!({ "type": "reports", "seq": seq, "reports": [] }).to_string())).await.is_err() {
                break;
            }
        }
        assert_eq!(hear(&mut second, "farewell").await["reason"], "flooded");

        let mut third = dial(&console, &identity.credential).await.unwrap();
        say(&mut third, &hello(1)).await;
        hear(&mut third, "welcome").await;
        let mut late = dial(&console, &identity.credential).await.unwrap();
        clerk.post(&format!("/api/fleet/v1/agents/{}/revoke", identity.agent), json!({})).await.data();
        assert_eq!(hear(&mut third, "farewell").await["reason"], "revoked");
        // One that was let in before, and greets only now.
        say(&mut late, &hello(1)).await;
        assert_eq!(hear(&mut late, "farewell").await["reason"], "revoked");
        assert_eq!(dial(&console, &identity.credential).await.unwrap_err(), 401);
    }

    async fn results_that_come_while_others_write_are_written_down_together(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (_room, site) = simulated(&clerk, 2, 8).await;
        let identity = joined(&app, &clerk, &console, site.room).await;
        let mut agent = dial(&console, &identity.credential).await.unwrap();
        say(&mut agent, &hello(1)).await;
        hear(&mut agent, "welcome").await;
        let told = |tasks: std::ops::Range<i64>| {
            let result = |task: i64| json!({ "task": task, "attempt": 1, "outcome": { "end": "succeeded" } });
            json!({ "type": "results", "results": tasks.map(result).collect::<Vec<_>>() })
        };

        let other = app.app.db.begin_write().await.unwrap();
        say(&mut agent, &told(1..2)).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        for task in 2..9 {
            say(&mut agent, &told(task..task + 1)).await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(other);
        let (mut kept, mut answers) = (Vec::new(), 0);
        while kept.len() < 8 {
            let said = hear(&mut agent, "kept").await;
            kept.extend(said["keys"].as_array().unwrap().iter().map(|key| key["task"].as_i64().unwrap()));
            answers += 1;
        }
        assert_eq!(kept, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(answers < 6, "each waited by itself");

        // As many as one message may hold, and no more: what is beyond waits for the next.
        let most = i64::try_from(wire::MAX_BATCH).unwrap();
        let other = app.app.db.begin_write().await.unwrap();
        for _ in 0..3 {
            say(&mut agent, &told(1..most)).await;
        }
        drop(other);
        for _ in 0..3 {
            let said = hear(&mut agent, "kept").await;
            assert_eq!(said["keys"].as_array().unwrap().len(), wire::MAX_BATCH - 1);
        }

        // More than an agent may say in a second, said over a longer time: nobody was there to hear it.
        let other = app.app.db.begin_write().await.unwrap();
        for task in 0..1000 {
            say(&mut agent, &told(task..task + 1)).await;
        }
        drop(other);
        let mut kept = 0;
        while kept < 1000 {
            kept += hear(&mut agent, "kept").await["keys"].as_array().unwrap().len();
        }
    }

    async fn agents_of_other_numbers_stay_and_get_the_upgrade_alone(db) {
        const AGENTS: &str = "/api/fleet/v1/agents";
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (_room, site) = simulated(&clerk, 4, 8).await;
        let card = clerk.get(&format!("{CARDS}?pageSize=1")).await.data()["list"][0]["id"].clone();
        let state = async || {
            let row = clerk.get(AGENTS).await.data()["list"][0].clone();
            (row["standing"].clone(), row["version"].clone(), row["connectedSince"].is_string())
        };
        let identity = joined(&app, &clerk, &console, site.room).await;
        for (number, standing) in [(0, 2), (99, 3)] {
            let mut other = dial(&console, &identity.credential).await.unwrap();
            let mut greeting = hello(number);
            greeting["version"] = json!(format!("9.{number}"));
            greeting["what"] = json!({ "nobody": "knows" });
            say(&mut other, &greeting).await;
            let told = timeout(Duration::from_secs(60), other.next()).await.unwrap().unwrap().unwrap();
            let told: Value = serde_json::from_str(&told.into_text().unwrap()).unwrap();
            assert_eq!(told, json!({ "type": "upgrade", "speaks": wire::SPOKEN, "version": env!("CARGO_PKG_VERSION") }));
            until("the agent is listed", async || state().await == (json!(standing), json!(format!("9.{number}")), true)).await;
            assert_eq!(app.app.part::<Fleet>().agents_in(entity::RoomId(site.room)), 0, "the room has no agent");
            // Whatever it says counts for nothing, and it is told no more.
            let report = json!({ "card": card, "probe": { "reached": true, "tcpOpen": true, "adbAnswers": true, "booted": true } });
            say(&mut other, &json!({ "type": "reports", "seq": 1, "reports": [report] })).await;
            say(&mut other, &json!({ "type": "moonshine", "of": [1, 2] })).await;
            other.send(Message::Ping(b"still there".to_vec().into())).await.unwrap();
            loop {
                match timeout(Duration::from_secs(60), other.next()).await.unwrap().unwrap().unwrap() {
                    Message::Pong(bytes) if &bytes[..] == b"still there" => break,
                    Message::Text(text) => panic!("it is told more: {text}"),
                    Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {}
                }
            }
            assert_eq!(clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"], 0);
            drop(other);
            until("it has left", async || !state().await.2).await;
            assert_eq!(state().await.0, 1);
        }
        // The same agent, upgraded: it is its room's agent at once.
        let mut same = dial(&console, &identity.credential).await.unwrap();
        say(&mut same, &hello(1)).await;
        hear(&mut same, "welcome").await;
        assert_eq!(state().await, (json!(1), json!("3.2.1"), true));
        // One that is revoked goes, whatever it speaks.
        let mut other = dial(&console, &identity.credential).await.unwrap();
        say(&mut other, &hello(98)).await;
        hear(&mut other, "upgrade").await;
        clerk.post(&format!("{AGENTS}/{}/revoke", identity.agent), json!({})).await.data();
        assert_eq!(hear(&mut other, "farewell").await["reason"], "revoked");
    }

    async fn a_shell_on_a_card_is_for_who_may_have_it_and_what_is_typed_is_in_the_log(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 3, 8).await;
        let card = clerk.get(&format!("{CARDS}?pageSize=10&sort=id&order=asc")).await.data()["list"][0].clone();
        let path = format!("{CARDS}/{}/shell", card["id"]);
        assert_eq!(clerk.post(&path, json!({})).await.brief(), (409, 4009), "no agent is connected");
        let identity = joined(&app, &clerk, &console, site.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;
        until("the agent is connected", async || app.app.part::<Fleet>().agents_in(entity::RoomId(site.room)) == 1).await;
        let index = room.cards.iter().position(|one| card["intranetIp"] == one.address.ip().to_string()).unwrap();

        let guest = app.operator("guest", &["device:get"]).await;
        assert_eq!(guest.post(&path, json!({})).await.brief(), (200, 4003));
        let ticket = clerk.post(&path, json!({})).await.data()["ticket"].as_str().unwrap().to_owned();
        let mut shell = terminal(&console, &ticket).await.unwrap();
        say(&mut shell, &json!({ "type": "size", "rows": 24, "columns": 80 })).await;
        hear(&mut shell, "opened").await;
        shell.send(Message::binary(b"effect typed\n".to_vec())).await.unwrap();
        let mut printed = String::new();
        while !printed.contains("typed\r\n") && !printed.contains("typed\n") {
            if let Message::Binary(bytes) = shell.next().await.unwrap().unwrap() {
                printed.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
        until("it ran", async || room.cards[index].state().effects.contains_key("effect:typed")).await;
        assert_eq!(terminal(&console, &ticket).await.unwrap_err(), 403, "a ticket is good once");

        shell.send(Message::binary(b"exit\n".to_vec())).await.unwrap();
        assert_eq!(hear(&mut shell, "ended").await["exit"], 0);
        until("what was typed is in the log", async || {
            let rows = operation_log::Entity::find().all(app.app.db.read()).await.unwrap();
            rows.iter().any(|row| row.action == "card_shell_end" && row.message.contains(" 18 bytes typed in 2 chunks"))
        }).await;

        // A session that ends takes its shells with it.
        let other = app.operator("other", &["device:shell"]).await;
        let ticket = other.post(&path, json!({})).await.data()["ticket"].as_str().unwrap().to_owned();
        let mut shell = terminal(&console, &ticket).await.unwrap();
        say(&mut shell, &json!({ "type": "size", "rows": 24, "columns": 80 })).await;
        hear(&mut shell, "opened").await;
        other.post("/api/user/v1/designjet/logout", json!({})).await.data();
        hear(&mut shell, "ended").await;
    }
}
