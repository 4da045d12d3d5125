//! Uploaded files are inspected by a process of its own, which may do nothing else; here it is the real one.

use std::io::{BufRead as _, BufReader, Cursor, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use axum::body::Body;
use base::fault::Fault;
use base::inspection::{Inspection, MOST_ROWS};
use http::Method;
use kernel::rules::FileKind;
use serde_json::json;
use tempfile::{NamedTempFile, TempDir};
use testkit::{apk, db_test};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::operation::files;
use crate::support::{Answer, Caller, TestApp};

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
fn endless_part(megabytes: usize) -> Vec<u8> {
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

/// A program that does this instead of reading.
fn program(folder: &TempDir, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.path().join("reader");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
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
    let reader = Inspection::new(Some(env!("CARGO_BIN_EXE_skyrack").into()));
    for kind in FileKind::ALL {
        let refused = reader.content(file_of(b"\x01 nothing of the kind").as_file(), kind).await.unwrap();
        assert_eq!(refused.unwrap_err().code, "file.content", "{kind:?}");
    }
    let package = apk::package("com.example.game", "1.0", 3, 1000);
    let told = reader.package(file_of(&package).as_file()).await.unwrap().unwrap().unwrap();
    assert_eq!((told.name.as_str(), told.version_code), ("com.example.game", Some(3)));
    reader.try_out().await.unwrap();
}

#[tokio::test]
async fn a_table_with_too_many_rows_hands_over_none() {
    let reader = Inspection::new(Some(env!("CARGO_BIN_EXE_skyrack").into()));
    let table = |rows: usize| file_of(format!("姓名\n{}", "\n张三\n".repeat(rows)).as_bytes());
    let most = usize::try_from(MOST_ROWS).unwrap();
    assert_eq!(reader.table(table(most).as_file()).await.unwrap().rows(), MOST_ROWS, "blank lines do not count");
    let refused = reader.table(table(most + 1).as_file()).await.unwrap_err();
    let Fault::Invalid(problems) = refused else { panic!("{refused:?}") };
    assert!(format!("{problems:?}").contains("sheet.tooManyRows"), "{problems:?}");
}

#[tokio::test]
async fn a_reader_that_ends_otherwise_refuses_the_file_and_one_that_cannot_start_is_our_fault() {
    let folder = TempDir::new().unwrap();
    let file = file_of(b"anything");
    let asked = async |script: &str| {
        Inspection::new(Some(program(&folder, script)))
            .content(file.as_file(), FileKind::Certificate)
            .await
            .unwrap_err()
    };
    for script in ["kill -SEGV $$", "kill -KILL $$", "exit 101", "echo nonsense", "true", "echo '{\"package\":null}'"] {
        let Fault::Invalid(errors) = asked(script).await else { panic!("{script}") };
        assert_eq!((errors[0].field.as_str(), errors[0].violation.code), ("file", "file.unreadable"), "{script}");
    }
    assert!(matches!(asked("exit 3").await, Fault::Unavailable(_)), "it could not confine itself");
    let nothing = Inspection::new(Some(folder.path().join("nothing")));
    let missing = nothing.content(file.as_file(), FileKind::Certificate).await.unwrap_err();
    assert!(matches!(missing, Fault::Unavailable(_)));
    // What it inherits: no secret of the server, and the file alone.
    let told = folder.path().join("told");
    asked(&format!("env > {0}; ls /proc/self/fd >> {0}; exit 1", told.display())).await;
    let told = std::fs::read_to_string(told).unwrap();
    assert!(!told.contains("CARGO") && !told.contains("HOME="), "{told}");
}

#[tokio::test]
async fn a_table_of_a_reader_that_lies_hands_over_nothing_or_breaks_off() {
    let folder = TempDir::new().unwrap();
    let file = file_of(b"anything");
    let rows = async |script: &str| -> (usize, Option<&'static str>) {
        let reader = Inspection::new(Some(program(&folder, script)));
        let mut count = 0;
        let read = match reader.table(file.as_file()).await {
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
