//! Pictures: measured first, then decoded completely, within limits.

use std::io::Cursor;

use image::{ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use kernel::rules::{FileKind, Verdict, Violation, image_pixels};
use serde::{Deserialize, Serialize};

use crate::{Fault, damaged, unlike};

/// The largest number of pixels: more than any phone's screen, and still bounded.
pub const MAX_PIXELS: u64 = 40_000_000;

/// The largest memory for decoding: four bytes per pixel, and working space. The process has a third more, for the file.
const MAX_DECODED: u64 = 192 << 20;

/// The format of a picture, by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
}

impl PictureFormat {
    /// The media type for answers with the picture.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
        }
    }

    const fn codec(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
        }
    }
}

/// A picture that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// By its content, whatever its name says.
    pub format: PictureFormat,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

impl Picture {
    /// Refuses a picture that has none of these sizes.
    pub fn fit(&self, sizes: &[(u32, u32)]) -> Verdict {
        image_pixels(self.width, self.height, sizes)
    }
}

/// Detects the format, measures, decodes.
pub(crate) fn read(bytes: &[u8], kind: FileKind) -> Result<Picture, Fault> {
    let format = recognised(bytes)
        .filter(|format| *format != PictureFormat::Gif || kind == FileKind::QrImage)
        .ok_or_else(|| unlike(kind))?;
    let mut decoder = reader(bytes, format).into_decoder().map_err(fault)?;
    let (width, height) = decoder.dimensions();
    // The decoder's own limit is on what it takes beside the pixels.
    let most = MAX_PIXELS.min(MAX_DECODED / u64::from(decoder.color_type().bytes_per_pixel()));
    if u64::from(width) * u64::from(height) > most {
        return Err(too_many_pixels(most));
    }
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODED);
    decoder.set_limits(limits).map_err(fault)?;
    image::DynamicImage::from_decoder(decoder).map_err(fault)?;
    Ok(Picture { format, width, height })
}

fn recognised(bytes: &[u8]) -> Option<PictureFormat> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(PictureFormat::Png),
        [0xFF, 0xD8, 0xFF, ..] => Some(PictureFormat::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(PictureFormat::Gif),
        _ => None,
    }
}

fn reader(bytes: &[u8], format: PictureFormat) -> ImageReader<Cursor<&[u8]>> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format.codec());
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODED);
    reader.limits(limits);
    reader
}

fn too_many_pixels(most: u64) -> Fault {
    Violation::new("image.tooManyPixels").with("max", most / 1_000_000).into()
}

fn fault(error: ImageError) -> Fault {
    match error {
        ImageError::Limits(_) => too_many_pixels(MAX_PIXELS),
        ImageError::IoError(error) => error.into(),
        ImageError::Decoding(_) | ImageError::Encoding(_) | ImageError::Parameter(_) | ImageError::Unsupported(_) => {
            damaged().into()
        }
    }
}
