//! What the page says is true: its client and its command line are run against a served console.

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::room::{Console, console};
use tokio::process::Command;

use super::{Key, application, clerk, customer, form, room};

/// The client of the page.
fn client() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/open_client.py")
}

async fn run(mut command: Command, served: &Console, key: &Key) -> Output {
    let url = served.url.as_str().trim_end_matches('/').to_owned();
    command
        .env("SKY_URL", url)
        .env("SKY_KEY", &key.code)
        .env("SKY_SECRET", &key.secret)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command.output().await.unwrap()
}

fn told(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// What the client prints, and whether it was served.
async fn asks(served: &Console, key: &Key, target: &str) -> (bool, Value) {
    let mut command = Command::new("python3");
    command.arg(client()).arg(target);
    let output = run(command, served, key).await;
    (output.status.success(), told(&output))
}

/// The block of the page that is written in this language.
fn block(language: &str) -> &'static str {
    let after = open::GUIDE.split(&format!("```{language}\n")).nth(1).unwrap();
    after.split("```\n").next().unwrap()
}

#[test]
fn the_page_shows_the_client_that_is_run_here() {
    assert_eq!(block("python"), std::fs::read_to_string(client()).unwrap());
    let document = serde_json::to_value(open::document()).unwrap();
    for path in document["paths"].as_object().unwrap().keys() {
        assert!(open::GUIDE.contains(&format!("`GET {path}`")), "the page does not name {path}");
    }
}

db_test! {
    async fn a_client_that_is_written_from_the_page_reads_what_it_may(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let company = application(&clerk, form("后台", 1)).await;
        let agent = application(&clerk, form("代理", 2)).await;
        let room = room(&clerk).await;
        let own = customer(&app, &clerk, room, 13_800_000_001, Some(&agent)).await;
        let foreign = customer(&app, &clerk, room, 13_800_000_002, None).await;
        let served = console(&app).await;

        let (is_served, told) = asks(&served, &agent, "/open/v1/app").await;
        assert!(is_served && told["name"] == "代理", "{told}");
        let (_, told) = asks(&served, &agent, &format!("/open/v1/users?phone={}&limit=5", own.number)).await;
        assert_eq!(told["list"][0]["id"], json!(own.id.to_string()));
        let (_, told) = asks(&served, &agent, &format!("/open/v1/users/{}/phones?limit=1", own.id)).await;
        assert_eq!((told["list"].as_array().unwrap().len(), &told["next"]), (1, &json!(own.phones[0].to_string())));
        let (_, told) = asks(&served, &agent, &format!("/open/v1/phones/{}", own.phones[1])).await;
        assert_eq!(told["userId"], json!(own.id.to_string()));

        let (is_served, not_theirs) = asks(&served, &agent, &format!("/open/v1/phones/{}", foreign.phones[0])).await;
        let (_, not_there) = asks(&served, &agent, "/open/v1/phones/987654").await;
        assert!(!is_served && not_theirs == not_there && not_there["code"] == "not_found", "{not_theirs}");
        let (is_served, _) = asks(&served, &company, &format!("/open/v1/phones/{}", foreign.phones[0])).await;
        assert!(is_served);

        let wrong = Key { secret: "another".to_owned(), code: agent.code.clone(), ..agent };
        let (is_served, told) = asks(&served, &wrong, "/open/v1/app").await;
        assert!(!is_served && told["reason"] == "signature", "{told}");
        let page = app.anybody().get("/open/docs").await;
        assert_eq!(page.bytes, open::GUIDE.as_bytes());
    }

    async fn the_command_line_of_the_page_works_as_it_stands(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, None).await;
        let served = console(&app).await;
        let mut command = Command::new("bash");
        command.arg("-c").arg(block("sh"));
        let told = told(&run(command, &served, &key).await);
        assert_eq!((&told["status"], &told["data"]["list"][0]["id"]), (&json!(0), &json!(user.id.to_string())), "{told}");
    }
}
