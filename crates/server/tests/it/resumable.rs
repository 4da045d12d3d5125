//! Uploads in pieces: they go on where they broke off, for whoever began them and nobody else.

use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

use aws_lc_rs::digest;
use axum::body::Body;
use base::incoming::SweepIncoming;
use bytes::Bytes;
use entity::incoming_object;
use futures::{StreamExt as _, stream};
use http::Method;
use queue::Creator;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};
use tempfile::TempDir;
use testapp::{Answer, CODES, Caller, TestApp};
use testkit::{apk, db_test};

use crate::inspection::{endless_part, read_by, skyrack};
use crate::operation::files::send;

const UPLOADS: &str = "/api/operation/v1/files/uploads";
const TYPE: &str = "application/partial-upload";
const GB: u64 = 1 << 30;

fn announced(name: &str, size: u64) -> Value {
    json!({ "fileName": name, "size": size, "modifiedAt": "2026-11-20T13:00:00Z" })
}

async fn begun(clerk: &Caller<'_>, name: &str, size: u64) -> String {
    let begun = clerk.post(UPLOADS, announced(name, size)).await.data();
    format!("{UPLOADS}/{}", begun["id"].as_str().unwrap())
}

async fn piece(clerk: &Caller<'_>, upload: &str, at: u64, body: impl Into<Body>) -> Answer {
    let clerk = clerk.clone().header("upload-offset", at.to_string());
    clerk.send(Method::PATCH, upload, TYPE, body.into()).await
}

async fn offset(clerk: &Caller<'_>, upload: &str) -> u64 {
    clerk.get(upload).await.data()["offset"].as_u64().unwrap()
}

async fn finish(clerk: &Caller<'_>, upload: &str) -> Answer {
    clerk.post(&format!("{upload}/finish"), json!({})).await
}

/// A body that breaks off after `bytes`.
fn broken(bytes: &[u8]) -> Body {
    let bytes = Ok(Bytes::copy_from_slice(bytes));
    Body::from_stream(stream::iter([bytes, Err(std::io::Error::other("the line broke"))]))
}

/// A refusal that is no fault of ours, and what it says.
fn refusal(answer: &Answer) -> (u16, i64, String) {
    (answer.http.as_u16(), answer.status(), answer.json()["msg"].as_str().unwrap().to_owned())
}

fn folder(app: &TestApp) -> PathBuf {
    app.app.config.data_dir.join("uploads")
}

/// How many uploads have a file.
fn lying(app: &TestApp) -> usize {
    std::fs::read_dir(folder(app)).map_or(0, Iterator::count)
}

/// How many files are in the object storage.
fn objects(app: &TestApp) -> usize {
    let folder = app.app.config.data_dir.join("objects/operation-files");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

fn file_of(app: &TestApp, upload: &str) -> PathBuf {
    folder(app).join(upload.rsplit('/').next().unwrap())
}

async fn sweep(app: &TestApp, clerk: &Caller<'_>) {
    let work = app.work().await;
    let tx = app.app.db.begin_write().await.unwrap();
    let id = app.app.queue.enqueue(&tx, &SweepIncoming {}, &Creator::system()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(clerk.finished(&id.0).await["state"], "succeeded");
    work.stop().await;
}

db_test! {
    async fn a_file_whose_line_breaks_goes_on_and_is_stored_as_it_is(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let content = apk::package("com.example.game", "2.1", 21, 900_000);
        let (size, half) = (content.len() as u64, content.len() / 2);
        let upload = begun(&clerk, "../game.apk", size).await;
        assert_eq!(refusal(&finish(&clerk, &upload).await).0, 409, "nothing has come");
        let first = piece(&clerk, &upload, 0, content[..100].to_vec()).await.data();
        assert_eq!((&first["offset"], &first["fileName"]), (&json!(100), &json!("game.apk")));

        assert_eq!(refusal(&piece(&clerk, &upload, 100, broken(&content[100..half])).await).0, 409);
        assert_eq!(offset(&clerk, &upload).await, half as u64, "what came before the line broke counts");
        let (http, _, why) = refusal(&finish(&clerk, &upload).await);
        assert!(http == 409 && why.contains(&size.to_string()), "{why}");
        assert_eq!(piece(&clerk, &upload, half as u64, content[half..].to_vec()).await.data()["offset"], size);

        let told = finish(&clerk, &upload).await.data();
        assert_eq!((&told["packageName"], &told["size"]), (&json!("com.example.game"), &json!(size)), "{told}");
        assert_eq!(told["sha256"], hex::encode(digest::digest(&digest::SHA256, &content)));
        assert_eq!(lying(&app), 0, "it has moved");
        assert_eq!(finish(&clerk, &upload).await.data(), told, "whoever lost the answer hears it again");
        assert_eq!(offset(&clerk, &upload).await, size);
        assert_eq!(clerk.get(UPLOADS).await.data(), json!([]));
        let acts = ["begin", "finish"].map(|act| format!("admin operation_upload_{act} 0"));
        assert_eq!(app.audit_trail().await, acts);
    }

    async fn what_does_not_have_the_hash_that_its_sender_gives_is_sent_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let upload = begun(&clerk, "a.bin", 4).await;
        let end = format!("{upload}/finish");
        let hash = hex::encode_upper(digest::digest(&digest::SHA256, b"0123"));
        piece(&clerk, &upload, 0, "0124").await.data();
        assert_eq!(clerk.post(&end, json!({ "sha256": &hash[..62] })).await.errors(), ["sha256 type.wrong"]);
        let (http, _, why) = refusal(&clerk.post(&end, json!({ "sha256": hash })).await);
        assert!(http == 409 && why.contains("send the file again from 0"), "{why}");
        assert_eq!((offset(&clerk, &upload).await, objects(&app)), (0, 0));
        piece(&clerk, &upload, 0, "0123").await.data();
        assert_eq!(clerk.post(&end, json!({ "sha256": hash })).await.data()["sha256"], hash.to_ascii_lowercase());
    }

    async fn the_file_says_how_far_it_is_whatever_became_of_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let upload = begun(&clerk, "a.bin", 6).await;
        piece(&clerk, &upload, 0, "0123").await.data();
        let on_disk = std::fs::OpenOptions::new().write(true).open(file_of(&app, &upload)).unwrap();
        on_disk.set_len(2).unwrap();
        assert_eq!(offset(&clerk, &upload).await, 2, "a loss of power took the end");
        assert_eq!(piece(&clerk, &upload, 2, "23").await.data()["offset"], 4);
        on_disk.set_len(7).unwrap();
        assert_eq!(offset(&clerk, &upload).await, 0, "what is longer than the file was not sent");
        assert_eq!(finish(&clerk, &upload).await.brief(), (409, 4009));
        assert_eq!(piece(&clerk, &upload, 0, "012345").await.data()["offset"], 6);
        let hash = hex::encode(digest::digest(&digest::SHA256, b"012345"));
        assert_eq!(finish(&clerk, &upload).await.data()["sha256"], hash);
    }

    async fn it_is_inspected_as_a_file_that_comes_at_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let bomb = endless_part(100);
        for (name, content) in [("a.apk", &b"no package"[..]), ("b.bin", b"content"), ("c.apk", &bomb), ("d.bin", &bomb)] {
            let upload = begun(&clerk, name, content.len() as u64).await;
            piece(&clerk, &upload, 0, content.to_vec()).await.data();
            let same = |answer: Answer| {
                let mut body = answer.json();
                if let Some(data) = body["data"].as_object_mut() {
                    data.retain(|field, _| !["id", "createdAt"].contains(&field.as_str()));
                }
                (answer.http, body)
            };
            assert_eq!(same(finish(&clerk, &upload).await), same(send(&clerk, name, content).await));
        }
        let large = clerk.clone().lang("en").post(UPLOADS, announced("d.bin", 2 * GB + 1)).await;
        let why = "File \"d.bin\": The file must not be larger than 2 GB; choose another";
        assert_eq!((large.brief(), large.json()["msg"].as_str()), ((413, 4013), Some(why)));
        assert_eq!(clerk.post(UPLOADS, announced("a/", 0)).await.errors(), ["fileName required", "size file.empty"]);
    }

    async fn a_piece_twice_too_late_or_too_long_is_refused_and_loses_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let upload = begun(&clerk, "a.bin", 10).await;
        piece(&clerk, &upload, 0, "01234").await.data();
        let endless = || Body::from_stream(stream::iter([Ok::<_, Infallible>("56"), Ok("7890")]));
        for (at, body, said) in [
            (0, Body::from("01234"), "has 5 bytes, and this piece begins at 0"),
            (7, Body::from("789"), "go on at 5"),
            (5, Body::from("567890"), "the 5 B that are still taken"),
            (5, endless(), "the 5 B that are still taken"),
        ] {
            let (http, status, why) = refusal(&piece(&clerk, &upload, at, body).await);
            assert!((http, status) == (409, 4009) && why.contains(said), "{http} {why}");
            assert_eq!(offset(&clerk, &upload).await, 5);
        }
        let bare = clerk.send(Method::PATCH, &upload, TYPE, Body::from("56789")).await;
        assert_eq!(bare.errors(), ["Upload-Offset required"]);
        let lettered = clerk.clone().header("upload-offset", "five");
        assert_eq!(lettered.send(Method::PATCH, &upload, TYPE, Body::from("56789")).await.errors(), ["Upload-Offset type.wrong"]);
        let form = clerk.clone().header("upload-offset", "5");
        assert_eq!(form.send(Method::PATCH, &upload, "text/plain", Body::from("56789")).await.brief(), (415, 4015));
        piece(&clerk, &upload, 5, "56789").await.data();
        assert_eq!(std::fs::read(file_of(&app, &upload)).unwrap(), b"0123456789");

        let large = begun(&clerk, "large.bin", 40 << 20).await;
        let (_, _, why) = refusal(&piece(&clerk, &large, 0, vec![0; (16 << 20) + 1]).await);
        assert!(why.contains("a piece has 16 MB at most"), "{why}");
    }

    async fn of_two_pieces_at_once_the_second_is_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let upload = begun(&clerk, "a.bin", 8).await;
        let (rest, later) = futures::channel::oneshot::channel::<()>();
        let slow = stream::iter([Ok::<_, Infallible>("0123")]).chain(stream::once(async { _ = later.await; Ok("4567") }));
        let mut first = Box::pin(piece(&clerk, &upload, 0, Body::from_stream(slow)));
        while offset(&clerk, &upload).await < 4 {
            assert!(futures::poll!(&mut first).is_pending());
        }
        for second in [piece(&clerk, &upload, 4, "4567").await, finish(&clerk, &upload).await] {
            assert_eq!(second.brief(), (409, 4009), "{}", second.json());
        }
        rest.send(()).unwrap();
        assert_eq!(first.await.data()["offset"], 8);
        let ends = futures::join!(finish(&clerk, &upload), finish(&clerk, &upload));
        let taken = finish(&clerk, &upload).await.data();
        for end in [ends.0, ends.1] {
            assert!(end.brief() == (409, 4009) || end.data() == taken, "{}", end.json());
        }
        assert_eq!((objects(&app), lying(&app)), (1, 0), "it was stored once");
        assert_eq!(piece(&clerk, &upload, 0, "0123").await.brief(), (409, 4009), "it was taken");
    }

    async fn one_that_is_given_up_while_it_is_taken_is_gone_and_leaves_nothing(db) {
        let reader = TempDir::new().unwrap();
        let [began, go] = ["began", "go"].map(|name| reader.path().join(name));
        let wait = format!("echo >{}; while [ ! -e {} ]; do sleep 0.05; done", began.display(), go.display());
        let app = read_by(db, &reader, &format!("{wait}; exec {} \"$@\"", skyrack().display())).await;
        let clerk = app.admin().await.lang("en");
        let content = apk::package("com.example.game", "2.1", 21, 1000);
        let upload = begun(&clerk, "game.apk", content.len() as u64).await;
        piece(&clerk, &upload, 0, content).await.data();
        let give_up = async {
            while !began.exists() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            clerk.delete(&upload, json!({})).await.data();
            std::fs::write(&go, "").unwrap();
        };
        let (ended, ()) = futures::join!(finish(&clerk, &upload), give_up);
        let (http, status, why) = refusal(&ended);
        assert!((http, status) == (404, 4004) && why.contains("choose the file again"), "{http} {why}");
        assert_eq!((objects(&app), lying(&app)), (0, 0));
        let begun = incoming_object::Entity::find().count(app.app.db.read()).await.unwrap();
        assert_eq!(begun, 0, "nor is anything left to be swept");
    }

    async fn nobody_else_sees_or_continues_it(db) {
        let app = TestApp::new(db).await;
        let (owner, other) = (app.operator("owner", &CODES).await, app.operator("other", &CODES).await);
        let upload = begun(&owner, "a.bin", 4).await;
        piece(&owner, &upload, 0, "01").await.data();
        let refused = [
            other.get(&upload).await,
            piece(&other, &upload, 2, "23").await,
            finish(&other, &upload).await,
            other.delete(&upload, json!({})).await,
        ];
        assert!(refused.iter().all(|answer| answer.brief() == (404, 4004)), "{refused:?}");
        assert_eq!(other.get(UPLOADS).await.data(), json!([]));
        assert_ne!(begun(&other, "a.bin", 4).await, upload, "the same file of somebody else is another");
        assert_eq!(offset(&owner, &upload).await, 2);
    }

    async fn the_same_file_chosen_again_goes_on_and_a_changed_one_begins_anew(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let upload = begun(&clerk, "a.bin", 4).await;
        piece(&clerk, &upload, 0, "01").await.data();
        let again = clerk.post(UPLOADS, announced("a.bin", 4)).await.data();
        assert_eq!((format!("{UPLOADS}/{}", again["id"].as_str().unwrap()), &again["offset"]), (upload.clone(), &json!(2)));
        let changed = json!({ "fileName": "a.bin", "size": 4, "modifiedAt": "2026-11-20T13:00:01Z" });
        let changed = clerk.post(UPLOADS, changed).await.data();
        assert_eq!(changed["offset"], 0);
        assert_ne!(begun(&clerk, "a.bin", 5).await, upload);
        let mine: Vec<_> = clerk.get(UPLOADS).await.data().as_array().unwrap().iter().map(|one| one["offset"].clone()).collect();
        assert_eq!(mine, [2, 0, 0]);

        clerk.delete(&upload, json!({})).await.data();
        assert_eq!((clerk.get(&upload).await.brief(), lying(&app)), ((404, 4004), 0));
        assert_eq!(app.audit_trail().await.last().unwrap(), "clerk operation_upload_give_up 0");
    }

    async fn an_operator_and_all_together_have_so_many_uploads_and_bytes_open(db) {
        let app = TestApp::new(db).await;
        let open = async |clerk: &Caller<'_>, name: &str, size| refusal(&clerk.post(UPLOADS, announced(name, size)).await);
        let few = app.operator("few", &CODES).await.lang("en");
        for at in 0..8 {
            assert_eq!(open(&few, &format!("{at}.bin"), 1).await.0, 200);
        }
        let (http, _, why) = open(&few, "8.bin", 1).await;
        assert!(http == 409 && why.contains("(8, or 6 GB)"), "{why}");
        assert_eq!(open(&few, "7.bin", 1).await.0, 200, "one that is open goes on");
        for name in ["a", "b", "c", "d", "e"] {
            let clerk = app.operator(name, &CODES).await.lang("en");
            for at in 0..3 {
                assert_eq!(open(&clerk, &format!("{at}.bin"), 2 * GB).await.0, 200);
            }
            let (http, _, why) = open(&clerk, "3.bin", 1).await;
            assert!(http == 409 && why.contains("6 GB"), "{why}");
        }
        let (http, _, why) = open(&app.operator("last", &CODES).await.lang("en"), "0.bin", 2 * GB).await;
        assert!(http == 409 && why.contains("on the server"), "{why}");
        // What is finished or given up makes room.
        let upload = begun(&few, "7.bin", 1).await;
        piece(&few, &upload, 0, "7").await.data();
        finish(&few, &upload).await.data();
        assert_eq!(open(&few, "8.bin", 1).await.0, 200);
    }

    async fn a_full_disk_is_told_as_one_and_loses_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let upload = begun(&clerk, "a.bin", 4).await;
        std::fs::create_dir_all(folder(&app)).unwrap();
        std::os::unix::fs::symlink("/dev/full", file_of(&app, &upload)).unwrap();
        // The device is one for all: this test on the other database may have it locked.
        let mut told = refusal(&piece(&clerk, &upload, 0, "0123").await);
        for _ in 0..200 {
            if told.0 != 409 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            told = refusal(&piece(&clerk, &upload, 0, "0123").await);
        }
        let (http, status, why) = told;
        assert!((http, status) == (503, 5003) && why.contains("disk is full"), "{http} {why}");
        std::fs::remove_file(file_of(&app, &upload)).unwrap();
        piece(&clerk, &upload, 0, "0123").await.data();
        assert_eq!(finish(&clerk, &upload).await.data()["size"], 4);
    }

    async fn a_killed_console_goes_on_with_it_and_what_nobody_finishes_goes(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let upload = begun(&clerk, "a.bin", 6).await;
        piece(&clerk, &upload, 0, "01").await.data();
        piece(&clerk, &upload, 2, broken(b"23")).await;
        let (owner, token) = (clerk.operator, clerk.token.clone().unwrap());
        let app = app.restarted().await;
        let mut clerk = app.anybody().token(token);
        clerk.operator = owner;
        let stray = folder(&app).join("of-another-time");
        std::fs::write(&stray, "x").unwrap();
        sweep(&app, &clerk).await;
        assert!(!stray.exists());
        assert_eq!(offset(&clerk, &upload).await, 4, "what had come is there");

        app.app.clock.advance_seconds(48 * 3600);
        let clerk = clerk.again().await;
        assert_eq!(piece(&clerk, &upload, 4, "45").await.brief(), (404, 4004), "it has expired");
        sweep(&app, &clerk).await;
        assert_eq!(lying(&app), 0);
    }
}
