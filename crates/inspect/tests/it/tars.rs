use inspect::{Content, Unpacked};
use kernel::rules::FileKind;

use crate::support::{gzip, judge, pax, tar_entry, tar_gz, tar_header, with_check_sum};

fn check(bytes: &[u8]) -> Result<Content, &'static str> {
    judge(bytes, FileKind::SystemPackage)
}

fn holds(files: u64, bytes: u64) -> Result<Content, &'static str> {
    Ok(Content::TarGz(Unpacked { files, bytes }))
}

#[test]
fn good_archives_are_counted() {
    let plain =
        tar_gz(&[tar_entry("dir/", b'5', b""), tar_entry("dir/a", b'0', b"hello"), tar_entry("b", 0, &[1; 1000])]);
    assert_eq!(check(&plain), holds(2, 1005));
    let long = "deep/".repeat(40) + "file";
    let extended = tar_gz(&[
        tar_entry("pax_global_header", b'g', &pax("comment", "0123")),
        tar_entry("PaxHeaders/x", b'x', &[pax("path", &long), pax("mtime", "1.5")].concat()),
        tar_entry("short", b'0', b"12345"),
        tar_entry("././@LongLink", b'L', format!("{long}2\0").as_bytes()),
        tar_entry("short", b'0', b"123"),
    ]);
    assert_eq!(check(&extended), holds(2, 8));
    let sized = tar_gz(&[
        tar_entry("x", b'x', &pax("size", "600")),
        [tar_header("big", b'0', 0), vec![7; 1024]].concat(),
        tar_entry("next", b'0', b"x"),
    ]);
    assert_eq!(check(&sized), holds(2, 601));
}

#[test]
fn an_archive_made_by_tar_itself_is_good() {
    let folder = std::env::temp_dir().join(format!("inspect-tar-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).expect("a folder");
    std::fs::write(folder.join("sub/文件 一.bin"), vec![9; 70_000]).expect("a file");
    let out =
        std::process::Command::new("tar").args(["-czf", "-", "-C"]).arg(&folder).arg("sub").output().expect("tar runs");
    std::fs::remove_dir_all(&folder).expect("our own folder");
    assert_eq!(check(&out.stdout), holds(1, 70_000));
}

#[test]
fn names_that_lead_out_are_refused() {
    for name in ["../a", "/etc/passwd", "a/../../b", "a\\b", "C:/a", "a\u{7}", "..", ""] {
        assert_eq!(check(&tar_gz(&[tar_entry(name, b'0', b"x")])), Err("archive.path"), "{name:?}");
        let extended = tar_gz(&[tar_entry("p", b'x', &pax("path", name)), tar_entry("fine", b'0', b"x")]);
        assert_eq!(check(&extended), Err("archive.path"), "pax {name:?}");
    }
    let mut prefixed = tar_header("b", b'0', 0);
    prefixed[345..347].copy_from_slice(b"..");
    assert_eq!(check(&tar_gz(&[with_check_sum(prefixed)])), Err("archive.path"));
    assert!(check(&tar_gz(&[tar_entry("./a..b", b'0', b"x")])).is_ok());
}

#[test]
fn links_devices_and_sparse_files_are_refused() {
    for kind in [b'1', b'2', b'3', b'4', b'6', b'S', b'K', b'V', b'M', b'A'] {
        let bytes = tar_gz(&[tar_entry("name", kind, b""), tar_entry("a", b'0', b"x")]);
        assert_eq!(check(&bytes), Err("archive.special"), "{}", char::from(kind));
    }
    let sparse = tar_gz(&[tar_entry("p", b'x', &pax("GNU.sparse.major", "1")), tar_entry("a", b'0', b"x")]);
    assert_eq!(check(&sparse), Err("archive.special"));
    assert_eq!(check(&tar_gz(&[tar_entry("dir/", b'5', b"hidden")])), Err("archive.special"));
}

#[test]
fn doubled_names_are_refused() {
    for other in ["a/b", "./a/b", "a//b", "a/./b"] {
        let bytes = tar_gz(&[tar_entry("a/b", b'0', b"1"), tar_entry(other, b'0', b"2")]);
        assert_eq!(check(&bytes), Err("archive.path"), "{other}");
    }
}

#[test]
fn damage_is_refused() {
    let good = tar_gz(&[tar_entry("a", b'0', &[5; 3000])]);
    for length in [2, 10, good.len() / 2, good.len() - 8, good.len() - 1] {
        assert_eq!(check(&good[..length]), Err("file.damaged"), "{length}");
    }
    let mut bent = good.clone();
    let at = bent.len() - 6;
    bent[at] ^= 1;
    assert_eq!(check(&bent), Err("file.damaged"), "check sum of gzip");

    let mut header = tar_header("a", b'0', 0);
    header[0] = b'b';
    assert_eq!(check(&tar_gz(&[header])), Err("file.damaged"), "check sum of a header");
    assert_eq!(check(&gzip(b"not a tar")), Err("file.damaged"));
    assert_eq!(check(&gzip(&tar_entry("a", b'0', b"x"))), Err("file.damaged"), "no end mark");
    assert_eq!(check(&tar_gz(&[tar_header("a", b'0', 1 << 32)])), Err("file.damaged"), "size");
    assert_eq!(
        check(&tar_gz(&[tar_entry("g", b'g', &pax("path", "x")), tar_entry("a", b'0', b"")])),
        Err("file.damaged")
    );
    for record in [&b"5 a=b"[..], b"x a=b\n", b"99 a=b\n", b"0 a=b\n", b"6 ab\n", b"9 size=x\n", b"7 \xff=b\n"] {
        let bytes = tar_gz(&[tar_entry("p", b'x', record), tar_entry("a", b'0', b"")]);
        assert_eq!(check(&bytes), Err("file.damaged"), "{record:?}");
    }
}

#[test]
fn what_hides_behind_the_end_is_refused() {
    let good = tar_entry("a", b'0', b"x");
    let mut behind = good.clone();
    behind.resize(behind.len() + 1024, 0);
    behind.extend(tar_entry("hidden", b'0', b"x"));
    assert_eq!(check(&gzip(&behind)), Err("file.damaged"));
    let mut half = good.clone();
    half.resize(half.len() + 512, 0);
    half.extend(tar_entry("hidden", b'0', b"x"));
    assert_eq!(check(&gzip(&half)), Err("file.damaged"));
    let two = [tar_gz(std::slice::from_ref(&good)), tar_gz(&[good])].concat();
    assert_eq!(check(&two), Err("file.damaged"));
}

#[test]
fn bombs_are_refused() {
    let zeros = tar_gz(&[tar_entry("zeros", b'0', &vec![0; 80 << 20])]);
    assert_eq!(check(&zeros), Err("archive.ratio"));
    let long_name = tar_gz(&[tar_entry("L", b'L', &vec![b'a'; 1 << 20]), tar_entry("a", b'0', b"")]);
    assert_eq!(check(&long_name), Err("file.damaged"));
    let many: Vec<_> = (0..50_001).map(|n| tar_header(&n.to_string(), b'0', 0)).collect();
    assert_eq!(check(&tar_gz(&many)), Err("archive.tooManyEntries"));
}

#[test]
fn an_archive_without_files_is_refused() {
    assert_eq!(check(&tar_gz(&[])), Err("archive.empty"));
    assert_eq!(check(&tar_gz(&[tar_entry("dir/", b'5', b"")])), Err("archive.empty"));
}
