use inspect::{Content, SheetFormat};
use kernel::rules::FileKind;

use crate::support::judge;

fn program(characteristics: u16, sections: u16, magic: u16) -> Vec<u8> {
    let mut bytes = vec![0_u8; 0x80];
    bytes[..2].copy_from_slice(b"MZ");
    bytes[60..64].copy_from_slice(&0x80_u32.to_le_bytes());
    bytes.extend(b"PE\0\0");
    bytes.extend(0x8664_u16.to_le_bytes());
    bytes.extend(sections.to_le_bytes());
    bytes.resize(0x80 + 22, 0);
    bytes.extend(characteristics.to_le_bytes());
    bytes.extend(magic.to_le_bytes());
    bytes
}

#[test]
fn programs_for_windows_are_taken() {
    assert_eq!(judge(&program(0x0022, 3, 0x020B), FileKind::WindowsApp), Ok(Content::Program));
    assert_eq!(judge(&program(0x0102, 1, 0x010B), FileKind::WindowsApp), Ok(Content::Program));
}

#[test]
fn what_is_no_program_is_refused() {
    let good = program(0x0022, 3, 0x020B);
    let mut far = good.clone();
    far[60..64].copy_from_slice(&u32::MAX.to_le_bytes());
    for bytes in [
        Vec::new(),
        b"MZ".to_vec(),
        b"#!/bin/sh\n".to_vec(),
        good[..good.len() - 1].to_vec(),
        far,
        program(0x2022, 3, 0x020B),
        program(0x0020, 3, 0x020B),
        program(0x0022, 0, 0x020B),
        program(0x0022, 3, 0x0107),
        crate::support::zip(&[("setup.exe", b"MZ")]),
    ] {
        assert_eq!(judge(&bytes, FileKind::WindowsApp), Err("file.content"));
    }
}

#[test]
fn tables_of_text_are_taken_and_binary_ones_are_not() {
    let csv = Ok(Content::Sheet(SheetFormat::Csv));
    assert_eq!(judge("\u{feff}用户名,手机\r\nadmin,\"1\t2\"\r\n".as_bytes(), FileKind::Sheet), csv);
    assert_eq!(judge(b"\xd3\xc3\xbb\xa7,1\n", FileKind::Sheet), csv, "GBK");
    for bytes in [&b"a,\0b"[..], b"\xff\xfea\0,\0", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF-1.7\n\x00", b"MZ\x90\0"]
    {
        assert_eq!(judge(bytes, FileKind::Sheet), Err("file.content"), "{bytes:?}");
    }
    assert_eq!(judge(b"", FileKind::Sheet), Err("file.empty"));
}
