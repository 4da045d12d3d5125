#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;

use chrono_tz::Asia::Shanghai;
use kernel::lang::Lang;
use kernel::text::text;
use kernel::time::UtcTime;

use crate::fault::Fault;

use super::{Column, Format, Problem, Style, Table, column, read, steps};

const COLUMNS: &[Column] =
    &[column(text("名称", "Name"), 20), column(text("数量", "Count"), 8), column(text("时间", "Time"), 20)];
const STYLE: Style = Style { lang: Lang::Zh, zone: Shanghai };

type Row = (String, i64, Option<UtcTime>);

fn table() -> Table<Row> {
    Table {
        name: text("测试", "Test"),
        columns: COLUMNS.to_vec(),
        row: Box::new(|(name, count, time), cells| {
            cells.text(name);
            cells.number(*count);
            cells.time(*time);
        }),
    }
}

fn rows() -> Vec<Row> {
    let at = UtcTime::parse_rfc3339("2026-11-20T13:00:00+08:00").unwrap();
    vec![
        ("=HYPERLINK(\"http://x\")".to_owned(), -5, Some(at)),
        ("-1+2, \"quoted\"\nsecond line".to_owned(), 9_007_199_254_740_991, None),
        ("张三".to_owned(), 0, Some(UtcTime(0))),
    ]
}

async fn written(format: Format) -> tempfile::NamedTempFile {
    let source = steps(|after: Option<usize>| async move {
        let at = after.map_or(0, |at| at + 1);
        let step: Vec<Row> = rows().into_iter().skip(at).take(2).collect();
        let last = (step.len() == 2).then_some(at + 1);
        Ok((step, last))
    });
    let mut bytes = Vec::new();
    table()
        .to_file(format, STYLE, source, &std::env::temp_dir(), |_| ())
        .await
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    file_of(&bytes)
}

fn file_of(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn read_all(file: &tempfile::NamedTempFile) -> Result<Vec<(u32, Vec<String>)>, Problem> {
    let mut all = Vec::new();
    read(&file.reopen().unwrap(), |row, cells| {
        all.push((row, cells));
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

#[tokio::test]
async fn csv_is_marked_quoted_and_safe_from_formulas() {
    let file = written(Format::Csv).await;
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert_eq!(
        text,
        "\u{feff}名称,数量,时间\r\n\"'=HYPERLINK(\"\"http://x\"\")\",-5,2026-11-20 13:00:00\r\n\
         \"'-1+2, \"\"quoted\"\"\nsecond line\",9007199254740991,\r\n张三,0,1970-01-01 08:00:00\r\n"
    );
}

#[tokio::test]
async fn what_was_written_is_read_back_from_both_kinds() {
    for format in [Format::Csv, Format::Xlsx] {
        let read = read_all(&written(format).await).unwrap();
        let names: Vec<&str> = read.iter().map(|(_, cells)| cells[0].as_str()).collect();
        assert_eq!(names, ["名称", "=HYPERLINK(\"http://x\")", "-1+2, \"quoted\"\nsecond line", "张三"], "{format:?}");
        assert_eq!(read[2].1[1], "9007199254740991", "{format:?}");
    }
}

#[test]
fn text_is_read_in_every_encoding_that_excel_writes() {
    let expected =
        vec![(1, vec!["姓名".to_owned(), "手机号".to_owned()]), (3, vec!["张三".to_owned(), "13800000001".to_owned()])];
    let line = |mark: char| format!("姓名{mark}手机号\r\n\r\n张三{mark}13800000001\r\n");
    let gbk = encoding_rs::GBK.encode(&line(',')).0.into_owned();
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(line('\t').encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [
        ("utf-8", line(',').into_bytes()),
        ("marked", format!("\u{feff}{}", line(';')).into_bytes()),
        ("gbk", gbk),
        ("utf-16", utf16),
    ] {
        assert_eq!(read_all(&file_of(&bytes)).unwrap(), expected, "{name}");
    }
}

#[test]
fn odd_csv_is_read_as_spreadsheets_read_it() {
    for (text, cells) in [
        ("a,\"b\"\"c\",", vec!["a", "b\"c", ""]),
        ("\"two\nlines\",b\n", vec!["two\nlines", "b"]),
        ("\"never closed,b", vec!["never closed,b"]),
        ("\"a\"b,c", vec!["ab", "c"]),
        ("a\"b,c\r\n", vec!["a\"b", "c"]),
        ("'=1+1,'tis", vec!["=1+1", "'tis"]),
    ] {
        assert_eq!(
            read_all(&file_of(text.as_bytes())).unwrap(),
            [(1, cells.into_iter().map(str::to_owned).collect())],
            "{text}"
        );
    }
}

#[test]
fn what_is_no_spreadsheet_is_refused() {
    for bytes in [
        &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
        b"PK\x03\x04 but not really",
        &[0xd0, 0xcf, 0x11, 0xe0, 0, 0],
        &[0xff; 64],
    ] {
        assert!(matches!(read_all(&file_of(bytes)), Err(Problem::File(_))), "{bytes:?}");
    }
}

#[tokio::test]
async fn a_file_is_written_where_it_is_said() {
    for format in [Format::Csv, Format::Xlsx] {
        let source = steps(|_: Option<usize>| async { Ok((rows(), None)) });
        let made = table().to_file(format, STYLE, source, "/nonexistent".as_ref(), |_| ()).await;
        assert!(matches!(made, Err(Fault::Internal(_))), "{format:?}");
    }
}

#[tokio::test]
async fn a_list_whose_reader_breaks_is_not_a_shorter_list() {
    for format in [Format::Csv, Format::Xlsx] {
        let source = steps(|after: Option<usize>| async move {
            assert!(after.is_none(), "a row that nobody thought of");
            Ok((rows(), Some(1)))
        });
        let made = table().to_file(format, STYLE, source, &std::env::temp_dir(), |_| ()).await;
        assert!(matches!(made, Err(Fault::Internal(_))), "{format:?}");
    }
}
