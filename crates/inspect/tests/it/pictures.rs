use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use inspect::{Content, Picture, PictureFormat};
use kernel::rules::{BANNER_SIZES, FileKind};

use crate::support::judge;

fn drawn(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let picture = DynamicImage::ImageRgb8(image::RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([(x % 251) as u8, (y % 241) as u8, 7])
    }));
    picture.write_to(&mut out, format).expect("in memory");
    out.into_inner()
}

fn is(format: PictureFormat, width: u32, height: u32) -> Result<Content, &'static str> {
    Ok(Content::Picture(Picture { format, width, height }))
}

#[test]
fn pictures_are_known_by_their_content() {
    let (png, jpeg, gif) =
        (drawn(150, 150, ImageFormat::Png), drawn(1125, 480, ImageFormat::Jpeg), drawn(20, 30, ImageFormat::Gif));
    assert_eq!(judge(&png, FileKind::Picture), is(PictureFormat::Png, 150, 150));
    assert_eq!(judge(&jpeg, FileKind::Picture), is(PictureFormat::Jpeg, 1125, 480));
    assert_eq!(judge(&gif, FileKind::QrImage), is(PictureFormat::Gif, 20, 30));
    assert_eq!(judge(&gif, FileKind::Picture), Err("file.content"));
}

#[test]
fn banners_have_their_pixel_sizes() {
    for (width, height) in BANNER_SIZES {
        let Ok(Content::Picture(picture)) = judge(&drawn(width, height, ImageFormat::Png), FileKind::Picture) else {
            panic!("a picture of {width}×{height}");
        };
        assert_eq!(picture.fit(&BANNER_SIZES), Ok(()));
        assert_eq!(picture.fit(&[(1, 1)]).map_err(|v| v.code), Err("image.pixels"));
    }
}

#[test]
fn what_is_no_picture_is_refused() {
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    let html = b"\x89PNG<html>";
    for bytes in [&svg[..], html, b"PK\x03\x04", b"BM\0\0", b"RIFF\0\0\0\0WEBP", b"x"] {
        assert_eq!(judge(bytes, FileKind::Picture), Err("file.content"));
    }
    assert_eq!(judge(b"", FileKind::Picture), Err("file.empty"));
}

#[test]
fn cut_off_and_bent_pictures_are_refused() {
    let png = drawn(300, 300, ImageFormat::Png);
    for length in [8, 20, 40, png.len() / 2, png.len() - 20] {
        assert_eq!(judge(&png[..length], FileKind::Picture), Err("file.damaged"), "{length}");
    }
    let mut bent = png.clone();
    let middle = bent.len() / 2;
    bent[middle] ^= 0xFF;
    assert_eq!(judge(&bent, FileKind::Picture), Err("file.damaged"));
    let jpeg = drawn(300, 300, ImageFormat::Jpeg);
    assert_eq!(judge(&jpeg[..100], FileKind::Picture), Err("file.damaged"));
    assert_eq!(judge(b"\x89PNG\r\n\x1a\n", FileKind::Picture), Err("file.damaged"));
    assert_eq!(judge(b"\xff\xd8\xff", FileKind::Picture), Err("file.damaged"));
}

#[test]
fn a_flood_of_pixels_is_refused_before_it_is_decoded() {
    // A real header that claims 30,000 × 30,000; its checksum is recomputed, so that only the size is wrong.
    let mut png = drawn(10, 10, ImageFormat::Png);
    png[16..20].copy_from_slice(&30_000_u32.to_be_bytes());
    png[20..24].copy_from_slice(&30_000_u32.to_be_bytes());
    let sum = crc32(&png[12..29]).to_be_bytes();
    png[29..33].copy_from_slice(&sum);
    assert_eq!(judge(&png, FileKind::Picture), Err("image.tooManyPixels"));
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}
