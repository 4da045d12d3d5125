//! Uploads: who may not send is told before anything is read, and so is who sends too much.

use std::convert::Infallible;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use base::http::Need;
use base::incoming::{self, SweepIncoming};
use base::inspection::By;
use bytes::Bytes;
use courier::ObjectKey;
use entity::{import_file, incoming_object};
use futures::{StreamExt as _, stream};
use http::Method;
use http_body::{Frame, SizeHint};
use queue::Creator;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use testapp::{Answer, CODES, Caller, TestApp};
use testkit::db_test;

const PIECE: usize = 16 << 10;
const KIND: &str = "multipart/form-data; boundary=X";
const FILE: &[u8] = b"--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"list.csv\"\r\n\r\n";
/// Every call that takes a file, and how much of one in bytes.
const UPLOADS: [(&str, u64, &str); 5] = [
    ("/api/user/v1/client-users/import", 32 << 20, "32 MB"),
    ("/api/fleet/v1/cards/import", 32 << 20, "32 MB"),
    ("/api/fleet/v1/hosts/import", 32 << 20, "32 MB"),
    ("/api/phone/v1/phones/import", 32 << 20, "32 MB"),
    (FILES, 2 << 30, "2 GB"),
];
const FILES: &str = "/api/operation/v1/files";

/// A body that is announced to have `size` bytes, and tells how many of them were asked for: `start`, then `filler`.
struct Long {
    start: Option<Bytes>,
    filler: u8,
    left: u64,
    taken: Arc<AtomicUsize>,
}

/// The body and the count of what was taken of it.
fn long(start: &[u8], filler: u8, size: u64) -> (Body, Arc<AtomicUsize>) {
    let taken = Arc::<AtomicUsize>::default();
    let left = size - start.len() as u64;
    let start = (!start.is_empty()).then(|| Bytes::copy_from_slice(start));
    (Body::new(Long { start, filler, left, taken: taken.clone() }), taken)
}

impl http_body::Body for Long {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        let piece = this.start.take().unwrap_or_else(|| {
            let size = usize::try_from(this.left).unwrap().min(PIECE);
            this.left -= size as u64;
            Bytes::from(vec![this.filler; size])
        });
        this.taken.fetch_add(piece.len(), Ordering::Relaxed);
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left + self.start.as_ref().map_or(0, |start| start.len() as u64))
    }
}

/// The answer, and how many bytes of the body were taken.
async fn send(caller: &Caller<'_>, path: &str, (body, taken): (Body, Arc<AtomicUsize>)) -> (Answer, usize) {
    let answer = caller.send(Method::POST, path, KIND, body).await;
    (answer, taken.load(Ordering::Relaxed))
}

fn messages(answer: &Answer) -> Vec<String> {
    let body = answer.json();
    let errors = body["errors"].as_array().into_iter().flatten().map(|error| &error["message"]);
    std::iter::once(&body["msg"]).chain(errors).map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The files that have a name in the folder, and not in those of the database.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| !name.contains(".db")).collect();
    names.sort_unstable();
    names
}

/// How many files this process has open that were in the folder and have no name any more.
fn unnamed(folder: &Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let targets = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    targets.filter(|target| target.starts_with(folder) && target.to_string_lossy().ends_with(" (deleted)")).count()
}

fn file_of(content: &[u8]) -> std::fs::File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    file
}

async fn begin(app: &TestApp, key: &ObjectKey) {
    let tx = app.app.db.begin_write().await.unwrap();
    incoming::begin(&*tx, key, app.app.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
}

/// Files that are written down as begun.
async fn begun(app: &TestApp) -> u64 {
    incoming_object::Entity::find().count(app.app.db.read()).await.unwrap()
}

async fn is_there(app: &TestApp, key: &ObjectKey) -> bool {
    app.app.objects.get(key).await.is_ok()
}

db_test! {
    async fn who_lacks_the_permission_of_a_call_is_told_before_its_body_is_read(db) {
        let app = TestApp::new(db).await;
        let none = app.operator("none", &[]).await;
        let mut asked = 0;
        for route in server::router::surface().routes {
            if route.method == Method::GET || !matches!(route.need, Need::Code(_) | Need::OneOf(_)) {
                continue;
            }
            let path = crate::access::concrete(&route.path);
            for (caller, refused) in [(&none, (200, 4003)), (&app.anybody(), (401, 6014))] {
                let (body, taken) = long(b"", b'x', 1 << 20);
                let answer = caller.send(route.method.clone(), &path, KIND, body).await;
                assert_eq!((answer.brief(), taken.load(Ordering::Relaxed)), (refused, 0), "{} {path}", route.method);
            }
            asked += 1;
        }
        assert!(asked > 50, "only {asked} calls were asked");
    }

    async fn a_file_that_is_announced_as_too_large_is_refused_unread(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        for (path, limit, shown) in UPLOADS {
            let (answer, taken) = send(&clerk, path, long(FILE, b'x', limit + (1 << 20))).await;
            assert_eq!((answer.brief(), taken), ((413, 4013), 0), "{path}");
            assert!(messages(&answer)[0].contains(shown), "{path}: {:?}", messages(&answer));
        }
    }

    async fn who_comes_to_a_full_line_is_told_so_before_anything_is_read(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let (inspection, file) = (&app.app.inspection, file_of(b"x"));
        let (first, second) = (inspection.turn(By::Person, &file).await, inspection.turn(By::Person, &file).await);
        let mut waiting: Vec<_> = (0..64).map(|_| Box::pin(inspection.turn(By::Person, &file))).collect();
        for one in &mut waiting {
            assert!(futures::poll!(one).is_pending());
        }
        // A package is known by its name, which stands before its content.
        let package = String::from_utf8(FILE.to_vec()).unwrap().replace(".csv", ".apk").into_bytes();
        for (path, ..) in UPLOADS {
            let (start, most) = if path == FILES { (&package[..], 3 * PIECE) } else { (FILE, 0) };
            let (answer, taken) = send(&clerk, path, long(start, b'x', 1 << 20)).await;
            assert_eq!(answer.brief(), (429, 4029), "{path}");
            assert!(taken <= most, "{path}: {taken} bytes were taken");
            assert!(messages(&answer)[0].contains("66 of them before yours"), "{:?}", messages(&answer));
            assert!(answer.headers.contains_key("retry-after"));
        }
        let body = [FILE, b"what is not looked into waits for nobody\r\n--X--\r\n"].concat();
        clerk.send(Method::POST, FILES, KIND, Body::from(body)).await.data();
        for by in [By::Agent, By::Task] {
            assert!(inspection.turn(by, &file).await.is_ok(), "{by:?} has a line of its own");
        }
        drop((waiting, first, second));
        let body = [FILE, "姓名\n张三\n".as_bytes(), b"\r\n--X--\r\n"].concat();
        clerk.send(Method::POST, UPLOADS[0].0, KIND, Body::from(body)).await.data();
    }

    async fn what_stands_before_a_file_has_an_end(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let other = [b"--X\r\ncontent-disposition: form-data; name=\"note\"\r\n\r\n".as_slice(), &[b'n'; 300_000]].concat();
        let after = [&other[..], b"\r\n--X\r\nx-long: "].concat();
        for (path, ..) in UPLOADS {
            for start in [&b""[..], b"--X\r\nx-long: ", &after] {
                let (answer, taken) = send(&clerk, path, long(start, b'a', 20 << 20)).await;
                assert_eq!(answer.errors(), ["file file.headTooLong"], "{path}: {}", answer.json());
                assert_eq!(answer.brief(), (400, 4000), "{path}");
                assert!(messages(&answer)[1].contains("64 KB"), "{:?}", messages(&answer));
                assert!(taken < start.len() + (64 << 10) + 3 * PIECE, "{path}: {taken} bytes were taken");
            }
        }
        // What is before a file and not part of a head may be longer.
        let body = [&other[..], b"\r\n", FILE, "姓名\n张三\n".as_bytes(), b"\r\n--X--\r\n"].concat();
        let pieces: Vec<_> = body.chunks(PIECE).map(|piece| Ok::<_, Infallible>(Bytes::copy_from_slice(piece))).collect();
        let body = Body::from_stream(stream::iter(pieces));
        let taken = clerk.send(Method::POST, UPLOADS[0].0, KIND, body).await.data();
        assert_eq!(taken["totalRows"], 1, "{taken}");
    }

    async fn a_refusal_of_a_file_names_it_and_the_limit(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let many = "\n张三".repeat(200_001);
        let broken = b"PK\x03\x04 but not really".to_vec();
        let [users, .., packages] = UPLOADS;
        for (path, content, limit) in [
            (users.0, format!("姓名{many}").into_bytes(), "200000"),
            (users.0, "不认识\n1".into(), "姓名"),
            (users.0, broken, ""),
            (users.0, Vec::new(), ""),
            (users.0, vec![b'x'; (32 << 20) + 1], "32 MB"),
            (packages.0, Vec::new(), ""),
        ] {
            let body = [FILE, &content, b"\r\n--X--\r\n"].concat();
            for (lang, named) in [("zh", "文件“list.csv”："), ("en", "File \"list.csv\": ")] {
                let answer = clerk.clone().lang(lang).send(Method::POST, path, KIND, Body::from(body.clone())).await;
                assert!((400..500).contains(&answer.http.as_u16()), "{}", answer.json());
                let told = messages(&answer);
                assert!(told.iter().all(|text| text.starts_with(named)), "{lang}: {told:?}");
                assert!(told.iter().any(|text| text.contains(limit)), "{lang}: {told:?}");
            }
        }
    }

    async fn a_file_on_its_way_has_no_name_that_a_kill_could_leave(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let folder = app.db.folder().to_path_buf();
        let before = files(&folder);
        let seen = Arc::new(Mutex::new(None));
        let look = { let (folder, seen) = (folder.clone(), seen.clone()); move || {
            *seen.lock().unwrap() = Some((files(&folder), unnamed(&folder)));
            Bytes::from_static(b"\r\n--X--\r\n")
        } };
        let parts = [FILE.to_vec(), vec![b'x'; 300_000]];
        let body = stream::iter(parts.map(Bytes::from)).chain(stream::once(async move { look() })).map(Ok::<_, Infallible>);
        clerk.send(Method::POST, "/api/operation/v1/files", KIND, Body::from_stream(body)).await.data();
        let (named, unnamed) = seen.lock().unwrap().take().unwrap();
        assert_eq!(named, before, "it is in no folder");
        assert!(unnamed > 0, "it is on the disk");
    }

    async fn what_a_killed_console_left_goes_at_the_next_start(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let body = [FILE, "姓名\n张三\n".as_bytes(), b"\r\n--X--\r\n"].concat();
        clerk.send(Method::POST, UPLOADS[0].0, KIND, Body::from(body)).await.data();
        let row = import_file::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        let named: ObjectKey = row.object_key.parse().unwrap();
        assert_eq!(begun(&app).await, 0, "it has arrived");
        // Stored, and killed before its row was there; killed in the middle; its row there, and not crossed out.
        let whole = incoming::store(&app.app, "import", file_of(b"whole")).await.unwrap().key;
        let mut part = app.app.objects.create("operation");
        begin(&app, part.key()).await;
        part.write(Bytes::from(vec![7; 600_000])).await.unwrap();
        let half = app.db.folder().join("objects").join(format!("{}#1", part.key()));
        std::mem::forget(part);
        assert!(half.exists());
        begin(&app, &named).await;
        // Nobody ever wrote this one down: it may be another program's.
        let foreign = app.app.objects.put("import", Bytes::from_static(b"foreign")).await.unwrap().key;

        let app = app.restarted().await;
        let work = app.work().await;
        while begun(&app).await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(is_there(&app, &named).await && is_there(&app, &foreign).await);
        assert!(!is_there(&app, &whole).await && !half.exists());

        // What a request leaves that breaks off goes later.
        let broken = incoming::store(&app.app, "import", file_of(b"broken")).await.unwrap().key;
        for (hours, is_left) in [(0, true), (49, false)] {
            app.app.clock.advance_seconds(hours * 3600);
            let clerk = app.operator(&format!("clerk{hours}"), &CODES).await;
            let tx = app.app.db.begin_write().await.unwrap();
            let id = app.app.queue.enqueue(&tx, &SweepIncoming {}, &Creator::system()).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(clerk.finished(&id.0).await["state"], "succeeded");
            assert_eq!(is_there(&app, &broken).await, is_left, "after {hours} hours");
        }
        assert!(is_there(&app, &named).await);
        work.stop().await;
    }
}
