//! Receivers that redirect, refuse, say too much, do not answer or are gone; and addresses at which nobody may be told.

use std::time::Duration;

use open::deliver;
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::room::until;

use super::hooks::{DELIVERIES, happens, listed, path, set_door, told};
use super::receiver::{Receiver, Says};
use super::{application, clerk, form, run};

db_test! {
    async fn redirects_refusals_and_long_answers_are_no_harm(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (receiver, elsewhere) = (Receiver::start().await, Receiver::start().await);
        told(&clerk, form("后台", 1), &receiver).await;
        let all = [
            (Says::Redirect(elsewhere.url.clone()), json!(307), json!(2), 1),
            (Says::Status(404), json!(404), json!(1), 1),
            (Says::Status(302), json!(302), json!(2), 1),
            (Says::Long(20_000_000), json!(200), Value::Null, 2),
            (Says::Status(299), json!(299), Value::Null, 2),
        ];
        for (number, (says, status, failure, state)) in all.into_iter().enumerate() {
            receiver.says([says]);
            happens(&app, &format!("phone.{number}"), true).await;
            deliver(&app.app).await.unwrap();
            let (_, rows) = listed(&clerk, &format!("keyWord=phone.{number}")).await;
            assert_eq!((&rows[0]["status"], &rows[0]["failure"], &rows[0]["state"]), (&status, &failure, &json!(state)), "{number}");
        }
        assert!(elsewhere.heard().is_empty(), "nobody is followed");
        let (_, rows) = listed(&clerk, "keyWord=phone.3").await;
        let one = clerk.get(&format!("{DELIVERIES}/{}", rows[0]["id"])).await.data();
        assert_eq!(one["answer"].as_str().unwrap().len(), 1000, "the rest is not read");

        receiver.goes();
        tokio::time::sleep(Duration::from_millis(100)).await;
        happens(&app, "phone.9", true).await;
        deliver(&app.app).await.unwrap();
        let (_, rows) = listed(&clerk, "keyWord=phone.9").await;
        assert_eq!((&rows[0]["status"], &rows[0]["failure"]), (&Value::Null, &json!(4)), "nobody is there");
    }

    async fn one_that_does_not_answer_in_time_holds_up_nobody_else(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (slow, quick) = (Receiver::start().await, Receiver::start().await);
        let (dead, _) = told(&clerk, form("不应答", 1), &slow).await;
        told(&clerk, form("后台", 1), &quick).await;
        slow.says([Says::Slow(60)]);
        happens(&app, "phone.1", true).await;
        happens(&app, "phone.2", true).await;
        let of_the_slow_one = format!("appId={}&keyWord=phone.1", dead.app);
        let looking = async {
            while quick.heard().len() < 2 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            listed(&clerk, &of_the_slow_one).await.1
        };
        let (told, meanwhile) = tokio::join!(deliver(&app.app), looking);
        assert_eq!(told.unwrap(), 2);
        assert_eq!(meanwhile[0]["failure"], Value::Null, "the slow one had not been given up when the quick one knew all");
        let (_, rows) = listed(&clerk, &of_the_slow_one).await;
        assert_eq!((&rows[0]["failure"], &rows[0]["status"]), (&json!(3), &Value::Null), "its minute was not waited for");
        assert_eq!(slow.heard().len(), 1, "one at a time");
    }

    async fn as_many_slow_ones_as_are_told_at_a_time_hold_up_nobody_else(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (slow, quick) = (Receiver::start().await, Receiver::start().await);
        // They take everything, each of it after two seconds: half a minute.
        slow.says(vec![Says::Slow(2); 32 * 14]);
        for number in 0..32 {
            told(&clerk, form(&format!("慢 {number}"), 1), &slow).await;
        }
        for number in 0..14 {
            happens(&app, &format!("phone.{number}"), true).await;
        }
        // What it is to be told is younger than all of theirs.
        told(&clerk, form("后台", 1), &quick).await;
        happens(&app, "phone.14", true).await;
        let work = app.work().await;
        until("it is told", async || !quick.heard().is_empty()).await;
        // However busy the machine is: of fourteen turns of each only some were before its own.
        let turns = slow.heard().len();
        assert!(turns >= 32, "their turns came before: {turns}");
        assert!(turns < 32 * 9, "it waits for all that they are told: {turns}");
        work.stop().await;
    }

    async fn nobody_is_told_where_nobody_may_be_told(db) {
        let app = TestApp::with(db, |config| config.allow_outbound.clear()).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        let key = application(&clerk, form("后台", 1)).await;
        let save = async |url: &str| {
            let answer = clerk.put(&path(key.app), json!({ "url": url, "events": [2], "enabled": false })).await;
            if answer.status() == 0 { "ok".to_owned() } else { answer.errors().join(", ") }
        };
        for (url, said) in [
            ("", "ok"),
            ("https://hooks.example.com/x?token=1", "ok"),
            ("http://hooks.example.com/x", "url url.plain"),
            ("hooks.example.com", "url url.format"),
            ("https://somebody:secret@example.com/", "url url.format"),
            ("https://127.0.0.1/", "url address.refused"),
            ("https://localhost/", "url address.refused"),
            ("https://0x7f000001/", "url address.refused"),
            ("https://169.254.169.254/latest", "url address.refused"),
            ("https://[::ffff:127.0.0.1]/", "url address.refused"),
            ("https://10.1.2.3/", "url address.inside"),
            ("https://192.168.1.9/", "url address.inside"),
            ("https://[fd00::7]/", "url address.inside"),
        ] {
            assert_eq!(save(url).await, said, "{url}");
        }
        let nets = async |nets: &str| set_door(&clerk, "hookNets", json!(nets)).await;
        assert_eq!(nets("10.1.0.0/33").await.errors(), ["hookNets net.bad"]);
        nets("10.1.0.0/16, 172.16.0.0/12").await.data();
        assert_eq!((save("https://10.1.2.3/").await.as_str(), save("https://10.2.2.3/").await.as_str()), ("ok", "url address.inside"));
        set_door(&clerk, "plainHttp", json!(true)).await.data();
        assert_eq!(save("http://hooks.example.com/x").await, "ok");
        let on = |url: &str, events: &[i64]| json!({ "url": url, "events": events, "enabled": true });
        let address = "https://hooks.example.com/x";
        let refused = clerk.put(&path(key.app), on(address, &[2])).await;
        assert_eq!(refused.brief(), (409, 4009), "there is no secret yet");
        // A secret is that of one address.
        assert_eq!(save(address).await, "ok");
        let hook = clerk.post(&format!("{}/secret", path(key.app)), json!({})).await.data();
        assert_eq!(clerk.put(&path(key.app), on("", &[])).await.errors(), ["url required", "events list.empty"]);
        clerk.put(&path(key.app), on(address, &[2, 1])).await.data();
        assert_eq!(clerk.get(&path(key.app)).await.data()["events"], json!([2]), "nobody chooses the test");

        // Whatever was saved before, or stands in the database: it is asked again for each connection.
        run(&app, &format!("UPDATE webhook SET url = '{}'", receiver.url)).await;
        happens(&app, "phone.1", true).await;
        deliver(&app.app).await.unwrap();
        let (_, rows) = listed(&clerk, "").await;
        assert_eq!((&rows[0]["failure"], &rows[0]["status"]), (&json!(5), &Value::Null));
        let port = receiver.url.split([':', '/']).find_map(|part| part.parse::<u16>().ok()).unwrap();
        run(&app, &format!("UPDATE webhook SET url = 'http://localhost:{port}/'")).await;
        happens(&app, "phone.2", true).await;
        deliver(&app.app).await.unwrap();
        let (_, rows) = listed(&clerk, "keyWord=phone.2").await;
        assert_eq!(rows[0]["failure"], 5);
        set_door(&clerk, "plainHttp", json!(false)).await.data();
        happens(&app, "phone.3", true).await;
        deliver(&app.app).await.unwrap();
        let (_, rows) = listed(&clerk, "keyWord=phone.3").await;
        assert_eq!(rows[0]["failure"], 6, "it is not encrypted");
        assert!(receiver.heard().is_empty());
        let secret = hook["secret"].as_str().unwrap();
        assert!(secret.len() == 64 && hook["code"].as_str().unwrap().starts_with("SKYH"));
    }
}
