//! Files fetched from cards: one per task, within the daily quota of the agent.

use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use entity::{OperationTaskId, board_profile, incoming_object, operation_task, room_agent};
use fleet::Session;
use fleet::operation::{FileRefusal, claim, store_file};
use futures::stream;
use http::Method;
use sea_orm::EntityTrait as _;
use serde_json::json;
use tempfile::TempDir;
use testapp::{Caller, TestApp};
use testkit::{TestDb, db_test};
use testroom::hand::Hand;
use testroom::operation::OPERATIONS;
use wire::Key;

use super::{shell, up};
use crate::inspection::{read_by, skyrack};

type Taken = Result<(), FileRefusal>;

/// A console whose agents may upload `files` files and `bytes` bytes in a day.
async fn limited(db: TestDb, files: u32, bytes: u64) -> TestApp {
    TestApp::with(db, |config| {
        config.agent_files_per_day = files;
        config.agent_bytes_per_day = bytes;
    })
    .await
}

async fn agent(app: &TestApp, session: &Session) -> room_agent::Model {
    room_agent::Entity::find_by_id(session.agent).one(app.app.db.read()).await.unwrap().unwrap()
}

/// Uploads `size` bytes in pieces; `announced` is the size announced by the agent.
async fn hand_over(app: &TestApp, session: &Session, key: Key, size: usize, announced: Option<u64>) -> Taken {
    let piece = |at: usize| Ok::<_, std::io::Error>(Bytes::from(vec![7; (size - at).min(1000)]));
    let body = stream::iter((0..size).step_by(1000).map(piece).collect::<Vec<_>>());
    store_file(&app.app, &agent(app, session).await, key, announced, body).await.unwrap()
}

/// Objects fetched from cards.
fn objects(app: &TestApp) -> usize {
    fn files(folder: &std::path::Path) -> usize {
        let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
        entries.map(|entry| entry.unwrap().path()).map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
    }
    files(&app.db.folder().join("objects").join("operation"))
}

/// Two tasks that the room agent is executing.
async fn in_hand(app: &TestApp) -> (Session, Vec<Key>) {
    let clerk = app.admin().await;
    let (session, cards) = up(app, &clerk).await;
    clerk.post(OPERATIONS, shell(&cards[..2])).await.data();
    let given = claim(&app.app, &session).await.unwrap();
    (session, given.iter().map(|task| task.key).collect())
}

/// Has a room's agent, which is the test, execute a task of this kind; where the file of the task goes.
async fn door(app: &TestApp, clerk: &Caller<'_>, hand: &mut Hand, kind: &str) -> String {
    let act = json!({ "kind": kind });
    let body = json!({ "selection": { "ids": [hand.cards[0]] }, "act": act, "options": { "reason": "采集" } });
    clerk.post(OPERATIONS, body).await.data();
    let task = hand.step(app).await;
    assert_eq!(task["act"]["kind"], kind, "{task}");
    format!("/agent/v1/tasks/{}/{}/file", task["task"], task["attempt"])
}

db_test! {
    async fn a_task_keeps_one_file_and_takes_few(db) {
        let app = limited(db, 100, 1 << 30).await;
        let (session, keys) = in_hand(&app).await;
        for size in [10, 2500, 3000] {
            assert_eq!(hand_over(&app, &session, keys[0], size, None).await, Ok(()));
            assert_eq!(objects(&app), 1, "an older one is deleted");
        }
        assert_eq!(hand_over(&app, &session, keys[0], 10, None).await, Err(FileRefusal::TooOften));
        assert_eq!(hand_over(&app, &session, keys[1], 10, Some(10)).await, Ok(()));
        assert_eq!(objects(&app), 2);
        let row = operation_task::Entity::find_by_id(OperationTaskId(keys[0].task)).one(app.app.db.read()).await.unwrap().unwrap();
        let kept = app.app.objects.read(&row.file_key.parse().unwrap(), 1 << 20).await.unwrap();
        assert_eq!(kept.len(), 3000, "the newest stays");
        assert_eq!(agent(&app, &session).await.sent_bytes, 10 + 2500 + 3000 + 10, "what did not come is given back");
    }

    async fn a_replaced_file_that_a_kill_left_is_written_down_and_goes_at_the_next_start(db) {
        let app = limited(db, 100, 1 << 30).await;
        let (session, keys) = in_hand(&app).await;
        let file_key = async |app: &TestApp| {
            let row = operation_task::Entity::find_by_id(OperationTaskId(keys[0].task)).one(app.app.db.read()).await;
            row.unwrap().unwrap().file_key
        };
        let begun = async |app: &TestApp| -> Vec<String> {
            let rows = incoming_object::Entity::find().all(app.app.db.read()).await.unwrap();
            rows.into_iter().map(|row| row.object_key).collect()
        };
        assert_eq!(hand_over(&app, &session, keys[0], 10, None).await, Ok(()));
        let replaced = file_key(&app).await;
        // It cannot be deleted now, as if the console had been killed before it was.
        let path = app.db.folder().join("objects").join(&replaced);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(hand_over(&app, &session, keys[0], 20, None).await, Ok(()));
        assert_ne!(file_key(&app).await, replaced);
        assert_eq!(begun(&app).await, [replaced.as_str()]);

        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, "0123456789").unwrap();
        let app = app.restarted().await;
        let work = app.work().await;
        while !begun(&app).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(!path.exists());
        assert_eq!(objects(&app), 1, "the one that replaced it stays");
        work.stop().await;
    }

    async fn what_is_none_of_its_business_or_too_large_leaves_nothing(db) {
        let app = limited(db, 100, 1 << 30).await;
        let (session, keys) = in_hand(&app).await;
        let older = Key { attempt: 0, ..keys[0] };
        assert_eq!(hand_over(&app, &session, older, 10, None).await, Err(FileRefusal::NotYours));
        let nobodys = Key::operation(999_999, 1);
        let unread = || stream::poll_fn(|_| -> Poll<Option<Result<Bytes, std::io::Error>>> { panic!("the body is read") });
        let by = agent(&app, &session).await;
        for (key, announced, why) in [
            (nobodys, None, FileRefusal::NotYours),
            (older, Some(10), FileRefusal::NotYours),
            (keys[0], Some(33 << 20), FileRefusal::TooLarge),
        ] {
            assert_eq!(store_file(&app.app, &by, key, announced, unread()).await.unwrap(), Err(why));
        }
        assert_eq!(hand_over(&app, &session, keys[0], 10, Some(33 << 20)).await, Err(FileRefusal::TooLarge));
        assert_eq!(agent(&app, &session).await.sent_files, 0, "nothing was counted yet");
        assert_eq!(hand_over(&app, &session, keys[0], 5000, Some(10)).await, Err(FileRefusal::TooLarge));
        let broken = stream::iter([Ok(Bytes::from_static(b"half")), Err(std::io::Error::other("gone"))]);
        let taken = store_file(&app.app, &agent(&app, &session).await, keys[1], None, broken).await.unwrap();
        assert_eq!((taken, objects(&app)), (Err(FileRefusal::BrokeOff), 0));
    }

    async fn a_profile_is_read_by_a_process_of_its_own(db) {
        let folder = TempDir::new().unwrap();
        let asked = folder.path().join("asked");
        let script = format!("echo \"$2\" >>{}; exec {} \"$@\"", asked.display(), skyrack().display());
        let app = read_by(db, &folder, &script).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        let path = door(&app, &clerk, &mut hand, "profile").await;
        let agent = app.anybody().token(format!("Bearer {}", hand.identity.credential));
        let put = async |bytes: Vec<u8>| {
            agent.send(Method::PUT, &path, "application/octet-stream", Body::from(bytes)).await.http.as_u16()
        };

        assert_eq!((put(b"no profile".to_vec()).await, objects(&app)), (415, 0));
        let of = |image: &str| {
            let json = json!({ "fingerprint": image, "things": { "a": 1, "b": 2 }, "partitions": {}, "isVerified": true });
            wire::profile::packed(json.to_string().as_bytes(), b"archive")
        };
        assert_eq!((put(of("another/image")).await, objects(&app)), (415, 0));
        assert_eq!((put(of("an/image")).await, objects(&app)), (204, 1));
        let kept = board_profile::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((kept.card_id.0, kept.things), (hand.cards[0], 2));
        let asked = std::fs::read_to_string(asked).unwrap();
        assert_eq!(asked.matches("\"profile\"").count(), 3, "{asked}");
        let sender = room_agent::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(sender.sent_bytes, of("an/image").len() as i64, "what is not kept is given back");
    }

    async fn a_picture_that_ends_its_reader_is_refused_with_the_reason_and_takes_no_room(db) {
        let folder = TempDir::new().unwrap();
        let script = folder.path().join("script");
        let app = read_by(db, &folder, &format!(". {}", script.display())).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        let path = door(&app, &clerk, &mut hand, "screenshot").await;
        let agent = app.anybody().token(format!("Bearer {}", hand.identity.credential));
        let put = async || agent.send(Method::PUT, &path, "application/octet-stream", Body::from(vec![7; 1000])).await;
        for (end, cause) in [
            ("kill -SEGV $$", "broke down"),
            ("kill -XCPU $$", "processor time"),
            ("echo 'memory allocation of 999 bytes failed' >&2; kill -ABRT $$", "more than 256 MB of memory"),
        ] {
            std::fs::write(&script, end).unwrap();
            let answer = put().await;
            let said = answer.json()["msg"].as_str().unwrap().to_owned();
            assert!(answer.http == 415 && said.contains("screenshot") && said.contains(cause), "{} {said}", answer.http);
        }
        assert_eq!((put().await.http.as_u16(), objects(&app)), (429, 0), "a reader is not ended for ever");
        let sender = room_agent::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((sender.sent_bytes, sender.sent_files), (0, 3));
        let begun = incoming_object::Entity::find().all(app.app.db.read()).await.unwrap();
        assert!(begun.is_empty(), "{begun:?}");
    }

    async fn an_agents_day_has_an_end_in_files_and_in_bytes(db) {
        let app = limited(db, 3, 1000).await;
        let (session, keys) = in_hand(&app).await;
        assert_eq!(hand_over(&app, &session, keys[0], 10, None).await, Err(FileRefusal::DayIsFull), "it may be 32 MiB");
        assert_eq!(hand_over(&app, &session, keys[0], 900, Some(900)).await, Ok(()));
        assert_eq!(hand_over(&app, &session, keys[1], 101, Some(101)).await, Err(FileRefusal::DayIsFull));
        for _ in 0..2 {
            assert_eq!(hand_over(&app, &session, keys[1], 1, Some(1)).await, Ok(()));
        }
        assert_eq!(hand_over(&app, &session, keys[1], 1, Some(1)).await, Err(FileRefusal::DayIsFull), "three files");
        app.app.clock.advance_seconds(24 * 3600);
        assert_eq!(hand_over(&app, &session, keys[1], 1, Some(1)).await, Ok(()), "another day");
    }
}
