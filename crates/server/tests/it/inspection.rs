//! Uploaded files are inspected by a process of its own, which may do nothing else; here it is the real one.

use std::io::{BufRead as _, BufReader, Cursor, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use axum::body::Body;
use base::fault::{Fault, Outcome};
use base::inspection::{By, Inspection, MOST_ROWS, Patience};
use db::Trouble;
use http::Method;
use http_body_util::BodyExt as _;
use kernel::rules::{FileKind, Violation};
use serde_json::json;
use tempfile::{NamedTempFile, TempDir};
use testapp::{Answer, Caller, TestApp};
use testkit::{TestDb, apk, db_test};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::operation::files;

const HEAD: &str = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\" t=\"str\"><v>";
const FOOT: &str = "</v></c></row></sheetData></worksheet>";
const IMPORTS: [&str; 2] = ["/api/user/v1/client-users/import", "/api/fleet/v1/cards/import"];

async fn import(caller: &Caller<'_>, path: &str, content: &[u8]) -> Answer {
    let head = "--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.xlsx\"\r\n\r\n";
    let body = [head.as_bytes(), content, b"\r\n--X--\r\n"].concat();
    caller.send(Method::POST, path, "multipart/form-data; boundary=X", Body::from(body)).await
}

/// A workbook of one sheet, which is made by `write`.
fn workbook(write: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
    const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |kind: &str, target: &str| {
        format!("<Relationships><Relationship Id=\"r1\" Type=\"{KIND}/{kind}\" Target=\"{target}\"/></Relationships>")
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let parts = [
        ("[Content_Types].xml", "<Types/>".to_owned()),
        (
            "xl/workbook.xml",
            "<workbook xmlns:r=\"r\"><sheets><sheet name=\"a\" r:id=\"r1\"/></sheets></workbook>".to_owned(),
        ),
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
    ];
    for (name, text) in parts {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.start_file("xl/worksheets/sheet1.xml", SimpleFileOptions::default()).unwrap();
    write(&mut zip);
    zip.finish().unwrap().into_inner()
}

/// A workbook with this in its only cell.
fn sheet(text: &str) -> Vec<u8> {
    workbook(|zip| zip.write_all(format!("{HEAD}{text}{FOOT}").as_bytes()).unwrap())
}

/// A workbook with one cell of `megabytes`.
fn endless_cell(megabytes: usize) -> Vec<u8> {
    workbook(|zip| {
        zip.write_all(HEAD.as_bytes()).unwrap();
        much(zip, megabytes);
        zip.write_all(FOOT.as_bytes()).unwrap();
    })
}

/// A workbook with a part of `megabytes` beside the sheet.
pub fn endless_part(megabytes: usize) -> Vec<u8> {
    workbook(|zip| {
        zip.write_all(format!("{HEAD}{FOOT}").as_bytes()).unwrap();
        zip.start_file("xl/media/image1.png", SimpleFileOptions::default()).unwrap();
        much(zip, megabytes);
    })
}

fn much(to: &mut impl std::io::Write, megabytes: usize) {
    let piece = vec![b'x'; 1 << 20];
    (0..megabytes).for_each(|_| to.write_all(&piece).unwrap());
}

/// A small picture.
fn png() -> Vec<u8> {
    let mut made = Vec::new();
    let mut encoder = png::Encoder::new(&mut made, 2, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[1, 2, 3, 4]).unwrap();
    made
}

/// A program that does this instead of reading.
fn program(folder: &TempDir, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.path().join("reader");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

/// Uploads read by `program`.
fn reader(program: PathBuf) -> Inspection {
    Inspection::new(Some(program), std::env::temp_dir(), Patience::default())
}

/// The real program.
pub fn skyrack() -> PathBuf {
    env!("CARGO_BIN_EXE_skyrack").into()
}

/// Why `reader` refuses a file as one of `kind`, if it does.
async fn content(reader: &Inspection, file: &NamedTempFile, kind: FileKind) -> Outcome<Result<(), Violation>> {
    let told = reader.turn(By::Person, file.as_file()).await?.content(file.as_file(), kind).await?;
    Ok(told.map(drop))
}

/// A console that has its files read by such a program.
pub async fn read_by(db: TestDb, folder: &TempDir, script: &str) -> TestApp {
    let reader = program(folder, script);
    TestApp::with(db, |config| config.reader = Some(reader)).await
}

fn file_of(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

db_test! {
    async fn a_package_that_broke_its_reader_is_read(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let deep = apk::nested("com.example.deep", 40_000);
        assert!(deep.len() < 10_000, "{}", deep.len());
        let told = files::send(&clerk, "deep.apk", &deep).await.data();
        assert_eq!((&told["isPackage"], &told["packageName"]), (&json!(true), &json!("com.example.deep")));
    }

    async fn a_small_workbook_that_unpacks_to_much_is_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (cell, beside, honest) = (endless_cell(100), endless_part(100), sheet("nothing that anybody knows"));
        assert!(cell.len() < 200_000 && beside.len() < 200_000, "{} {}", cell.len(), beside.len());
        for path in IMPORTS {
            let long = import(&clerk, path, &cell).await;
            assert_eq!((long.brief(), long.errors()), ((400, 4000), vec!["file sheet.shape".to_owned()]), "{path}");
            let refused = import(&clerk, path, &beside).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["file archive.ratio".to_owned()]), "{path}");
            let honest = import(&clerk, path, &honest).await;
            assert_eq!(honest.errors(), ["file sheet.columnMissing"], "{path}: the workbook itself is fine");
        }
    }

    async fn a_refusal_says_which_file_and_what_became_of_its_reader(db) {
        let folder = TempDir::new().unwrap();
        let script = folder.path().join("script");
        let app = read_by(db, &folder, &format!(". {}", script.display())).await;
        let clerk = app.admin().await.lang("en");
        for (end, cause) in [
            ("kill -SEGV $$", "broke down"),
            ("kill -XCPU $$", "more than 10 seconds of processor time"),
            ("kill -XFSZ $$", "larger than"),
            ("echo 'memory allocation of 999 bytes failed' >&2; kill -ABRT $$", "more than 256 MB of memory"),
        ] {
            std::fs::write(&script, end).unwrap();
            for (answer, name) in [
                (import(&clerk, IMPORTS[0], b"a").await, "a.xlsx"),
                (import(&clerk, IMPORTS[1], b"a").await, "a.xlsx"),
                (files::send(&clerk, "bad.apk", b"a").await, "bad.apk"),
            ] {
                assert_eq!(answer.brief(), (400, 4000), "{end}");
                let told = answer.json()["errors"][0]["message"].as_str().unwrap().to_owned();
                assert!(told.starts_with(&format!("File \"{name}\": ")) && told.contains(cause), "{told}");
            }
        }
    }

    async fn our_own_full_disk_is_no_fault_of_the_file_and_ends_no_import(db) {
        let folder = TempDir::new().unwrap();
        let full = folder.path().join("full");
        let script = format!("if [ -e {0} ]; then echo >>{0}; exit 28; fi; exec {1} \"$@\"", full.display(), skyrack().display());
        let app = read_by(db, &folder, &script).await;
        let clerk = app.admin().await;
        let table = "姓名\n张三\n".as_bytes();
        let preview = import(&clerk, IMPORTS[0], table).await.data();

        std::fs::write(&full, "").unwrap();
        for answer in [import(&clerk, IMPORTS[0], table).await, files::send(&clerk, "a.apk", table).await] {
            assert_eq!(answer.brief(), (503, 5003));
            assert!(answer.json()["msg"].as_str().unwrap().contains("磁盘已满"), "{}", answer.json());
        }
        let asked = std::fs::metadata(&full).unwrap().len();
        let run = format!("{}/{}/run", IMPORTS[0], preview["importId"].as_str().unwrap());
        let task = clerk.post(&run, json!({})).await.data();
        let work = app.work().await;
        while std::fs::metadata(&full).unwrap().len() == asked {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        std::fs::remove_file(&full).unwrap();
        let task = clerk.finished(task["taskId"].as_str().unwrap()).await;
        assert_eq!(task["state"], "succeeded", "{task}");
        work.stop().await;
    }

    async fn the_task_of_an_import_says_which_rule_its_file_breaks(db) {
        let folder = TempDir::new().unwrap();
        let bad = folder.path().join("bad");
        let script = format!("[ -e {} ] && kill -XCPU $$; exec {} \"$@\"", bad.display(), skyrack().display());
        let app = read_by(db, &folder, &script).await;
        let clerk = app.admin().await;
        let preview = import(&clerk, IMPORTS[0], "姓名\n张三\n".as_bytes()).await.data();
        std::fs::write(&bad, "").unwrap();
        let run = format!("{}/{}/run", IMPORTS[0], preview["importId"].as_str().unwrap());
        let task = clerk.post(&run, json!({})).await.data();
        let work = app.work().await;
        let task = clerk.finished(task["taskId"].as_str().unwrap()).await;
        assert_eq!(task["state"], "failed", "{task}");
        assert!(task["message"].as_str().unwrap().contains("10 秒"), "{task}");
        work.stop().await;
    }

    async fn a_dangerous_package_is_refused_and_what_is_none_says_why(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let bomb = files::send(&clerk, "bomb.apk", &endless_part(100)).await;
        assert_eq!((bomb.brief(), bomb.errors()), ((400, 4000), vec!["file archive.ratio".to_owned()]));
        assert!(bomb.json()["errors"][0]["message"].as_str().unwrap().contains("bomb.apk"), "{}", bomb.json());
        // Under another name it is a file that nobody opens.
        let data = files::send(&clerk, "bomb.bin", &endless_part(100)).await.data();
        assert_eq!((&data["isPackage"], &data["whyNoPackage"]), (&json!(false), &json!("")));
        let text = files::send(&clerk, "game.apk", b"no package at all").await.data();
        assert_eq!(text["isPackage"], false);
        assert!(text["whyNoPackage"].as_str().unwrap().contains("apk"), "{text}");
    }

    async fn files_of_bad_rows_that_nobody_fetches_keep_no_preview_waiting(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let many = format!("姓名,手机号\n{}", "张三,1\n".repeat(5000));
        let preview = import(&clerk, IMPORTS[0], many.as_bytes()).await.data();
        assert_eq!(preview["badRows"], 5000);
        let path = format!("{}/{}/bad?format=csv", IMPORTS[0], preview["importId"].as_str().unwrap());
        let unread = [
            clerk.begin(Method::GET, &path, "", Body::empty()).await,
            clerk.begin(Method::GET, &path, "", Body::empty()).await,
        ];
        assert!(unread.iter().all(|answer| answer.status() == 200));
        assert_eq!(import(&clerk, IMPORTS[0], "姓名\n张三\n".as_bytes()).await.data()["totalRows"], 1);
        let [first, _] = unread;
        let told = first.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(told.split(|byte| *byte == b'\n').count(), 5002, "the heading, the rows and the end");
    }

    async fn a_long_cell_is_cut_and_still_too_long(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let text = format!("姓名,备注\n张三,{}\n李四,好\n", "长".repeat(5000));
        let preview = import(&clerk, IMPORTS[0], text.as_bytes()).await.data();
        assert_eq!((&preview["goodRows"], &preview["bad"][0]["field"]), (&json!(1), &json!("remark")), "{preview}");
        assert_eq!(preview["sample"][0][1].as_str().unwrap().chars().count(), 1024);
    }
}

#[tokio::test]
async fn every_kind_of_file_is_read_by_the_reader() {
    let reader = reader(skyrack());
    for kind in FileKind::ALL {
        let refused = content(&reader, &file_of(b"\x01 nothing of the kind"), kind).await.unwrap();
        assert_eq!(refused.unwrap_err().code, "file.content", "{kind:?}");
    }
    let package = file_of(&apk::package("com.example.game", "1.0", 3, 1000));
    let turn = reader.turn(By::Person, package.as_file()).await.unwrap();
    let told = turn.package(package.as_file()).await.unwrap().unwrap().unwrap();
    drop(turn);
    assert_eq!((told.name.as_str(), told.version_code), ("com.example.game", Some(3)));
    let json = br#"{"fingerprint":"an/image","things":{"a":1},"partitions":{},"isVerified":true}"#;
    let clean = file_of(&wire::profile::packed(json, b"archive"));
    let turn = reader.turn(By::Agent, clean.as_file()).await.unwrap();
    let told = turn.profile(clean.as_file()).await.unwrap().unwrap();
    assert_eq!((told.fingerprint.as_str(), told.things, told.is_verified), ("an/image", 1, true));
    let refused = turn.profile(package.as_file()).await.unwrap();
    drop(turn);
    assert_eq!(refused.unwrap_err().code, "file.damaged");
    reader.try_out().await.unwrap();
}

#[tokio::test]
async fn a_table_with_too_many_rows_hands_over_none() {
    let reader = reader(skyrack());
    let table = async |rows: usize| {
        let file = file_of(format!("姓名\n{}", "\n张三\n".repeat(rows)).as_bytes());
        reader.turn(By::Person, file.as_file()).await?.table(file.as_file()).await
    };
    let most = usize::try_from(MOST_ROWS).unwrap();
    assert_eq!(table(most).await.unwrap().rows(), MOST_ROWS, "blank lines do not count");
    let refused = table(most + 1).await.unwrap_err();
    let Fault::Invalid(problems) = refused else { panic!("{refused:?}") };
    assert!(format!("{problems:?}").contains("sheet.tooManyRows"), "{problems:?}");
}

#[tokio::test]
async fn a_reader_that_ends_otherwise_refuses_the_file_and_one_that_cannot_start_is_our_fault() {
    let folder = TempDir::new().unwrap();
    let file = file_of(b"anything");
    let asked = async |script: &str| {
        let reader = Inspection::new(Some(program(&folder, script)), folder.path().to_owned(), Patience::default());
        content(&reader, &file, FileKind::Certificate).await.unwrap_err()
    };
    for script in ["kill -SEGV $$", "kill -KILL $$", "exit 101", "echo nonsense", "true", "echo '{\"package\":null}'"] {
        let Fault::Invalid(errors) = asked(script).await else { panic!("{script}") };
        assert_eq!((errors[0].field.as_str(), errors[0].violation.code), ("file", "file.unreadable"), "{script}");
    }
    assert!(matches!(asked("exit 3").await, Fault::Unavailable(_)), "it could not confine itself");
    // The system's numbers of a full disk and of one that fails.
    for (script, trouble) in [("exit 28", Trouble::DiskFull), ("exit 5", Trouble::DiskFails)] {
        let Fault::Unavailable(error) = asked(script).await else { panic!("{script}") };
        assert_eq!(Trouble::in_chain(error.as_ref()), Some(trouble), "{script}");
    }
    let nothing = reader(folder.path().join("nothing"));
    let missing = content(&nothing, &file, FileKind::Certificate).await.unwrap_err();
    assert!(matches!(missing, Fault::Unavailable(_)));
    // What it inherits: no secret of the server, and the file alone. What it says is on the disk of the other files.
    let told = folder.path().join("told");
    asked(&format!("env > {0}; ls -l /proc/self/fd /proc/$$/fd >> {0}; exit 1", told.display())).await;
    let told = std::fs::read_to_string(told).unwrap();
    assert!(!told.contains("CARGO") && !told.contains("HOME="), "{told}");
    let folder = folder.path().to_str().unwrap();
    let unnamed = told.lines().filter(|line| line.contains(folder) && line.ends_with("(deleted)"));
    assert_eq!(unnamed.count(), 3, "the answer, and twice the complaint: {told}");
}

/// It is no error of the file if its reader has no room for the answer.
#[test]
fn a_reader_without_room_for_its_answer_says_so() {
    let ask = r#"{"what":"rows","limits":{"memory":268435456,"processor_s":10,"stack":8388608,"answer":65536}}"#;
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let file = file_of(b"a,b\n1,2\n").reopen().unwrap();
    let ended = Command::new(skyrack()).args(["inspect", ask]).stdin(file).stdout(full).stderr(Stdio::null()).status();
    assert_eq!(ended.unwrap().code(), Some(28), "no space is left on the device");
}

/// The others of the same kind wait, and are told their place; a room's pictures do not.
#[tokio::test]
async fn two_files_that_are_never_read_keep_the_third_waiting_for_a_while_and_no_agent() {
    let folder = TempDir::new().unwrap();
    let began = folder.path().join("began");
    let script = format!(
        "case \"$2\" in *picture*) exec {} \"$@\" ;; esac; echo >>{}; exec sleep 1000",
        skyrack().display(),
        began.display()
    );
    let seconds = Duration::from_secs;
    let inspection = |answer, reading| {
        let patience = Patience { answer, reading, ..Patience::default() };
        Inspection::new(Some(program(&folder, &script)), folder.path().to_owned(), patience)
    };
    let (slow, picture) = (file_of(b"slow"), file_of(&png()));
    {
        let reader = inspection(seconds(600), seconds(599));
        let others = async {
            tokio::join!(content(&reader, &slow, FileKind::Certificate), content(&reader, &slow, FileKind::Certificate))
        };
        let third = async {
            while std::fs::read_to_string(&began).map_or(0, |text| text.len()) < 2 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let third = content(&reader, &slow, FileKind::Certificate).await.unwrap_err();
            assert!(matches!(third, Fault::Busy { ahead: 2, .. }), "{third:?}");
            let turn = reader.turn(By::Agent, picture.as_file()).await.unwrap();
            assert!(turn.content(picture.as_file(), FileKind::Picture).await.unwrap().is_ok());
        };
        tokio::select! {
            biased;
            () = third => {}
            ended = others => panic!("they are still read: {ended:?}"),
        }
    }
    // The waiting of whoever is read has an end as well, and it is nobody's fault.
    let reader = inspection(seconds(1), Duration::from_millis(500));
    let slow = content(&reader, &slow, FileKind::Certificate).await.unwrap_err();
    assert!(matches!(slow, Fault::Busy { ahead: 0, .. }), "{slow:?}");
}

#[tokio::test]
async fn a_table_of_a_reader_that_lies_hands_over_nothing_or_breaks_off() {
    let folder = TempDir::new().unwrap();
    let file = file_of(b"anything");
    let rows = async |script: &str| -> (usize, Option<&'static str>) {
        let reader = reader(program(&folder, script));
        let mut count = 0;
        let turn = reader.turn(By::Person, file.as_file()).await.unwrap();
        let read = match turn.table(file.as_file()).await {
            Ok(table) => table.each(|_, _| {
                count += 1;
                std::ops::ControlFlow::Continue(())
            }),
            Err(Fault::Invalid(errors)) => return (0, Some(errors[0].violation.code)),
            Err(fault) => panic!("{fault:?}"),
        };
        (
            count,
            read.err().map(|problem| {
                let fault = Fault::from(problem);
                let Fault::Invalid(errors) = &fault else { panic!("{fault:?}") };
                errors[0].violation.code
            }),
        )
    };
    let (row, end) = ("echo '[1,[\"a\"]]'", "echo '{\"end\":{\"rows\":2}}'");
    assert_eq!(rows(&format!("{row}; {row}; {end}")).await, (2, None));
    for bad in [
        "true",
        "echo '[2,[1]]'",
        "echo '[2'",
        "echo '\"more\"'",
        "echo '{\"refused\":{\"code\":\"no.rule\",\"params\":[]}}'",
    ] {
        assert_eq!(rows(&format!("{row}; {bad}")).await, (0, Some("file.unreadable")), "{bad}");
        if bad != "true" {
            assert_eq!(rows(&format!("{row}; {bad}; {end}")).await.0, 1, "{bad}");
        }
    }
    let refused = "echo '{\"refused\":{\"code\":\"archive.path\",\"params\":[[\"name\",\"../a\"],[\"other\",\"x\"]]}}'";
    assert_eq!(rows(refused).await, (0, Some("archive.path")));
}

/// Nobody would take its answer, and it would hold memory and a processor for as long as its file wants.
#[test]
fn an_inspector_ends_with_the_process_that_started_it() {
    // It cannot end by itself: its answer is longer than what fits into a pipe that nobody reads.
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a,b\n".repeat(100_000)).unwrap();
    let script = r#"
        ask='{"what":"rows","limits":{"memory":536870912,"processor_s":30,"stack":8388608,"answer":268435456},"parent":'$$'}'
        MIMALLOC_ARENA_RESERVE=0 "$0" inspect "$ask" <"$1" &
        echo $! >&2
        wait"#;
    let mut shell = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_skyrack"), file.path().to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    BufReader::new(shell.stderr.take().unwrap()).read_line(&mut told).unwrap();
    let status = PathBuf::from(format!("/proc/{}/status", told.trim()));
    // Confined, so it has said with whom it ends; and it is still there.
    wait_for("it is confined", || std::fs::read_to_string(&status).is_ok_and(|text| text.contains("Seccomp:\t2")));
    let figures = std::fs::read_to_string(status.with_file_name("stat")).unwrap();
    let nice = figures.rsplit(") ").next().unwrap().split(' ').nth(16).unwrap();
    assert_eq!(nice, "5", "others go first: {figures}");
    shell.kill().unwrap();
    shell.wait().unwrap();
    let is_over = || std::fs::read_to_string(&status).map_or(true, |text| text.contains("State:\tZ"));
    wait_for("it has ended", is_over);
    drop(shell);
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("waited in vain: {what}");
}
