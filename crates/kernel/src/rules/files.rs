//! Uploaded files by name and size. Their content is checked by the crate `inspect`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::format::byte_size;
use super::texts::{max_chars, required, single_line};
use super::{Verdict, Violation};

/// The pixel sizes of banners.
pub const BANNER_SIZES: [(u32, u32); 4] = [(1125, 480), (825, 960), (1125, 2001), (150, 150)];

const MB: u64 = 1024 * 1024;

/// The purpose of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    /// A picture of a banner or of an activity.
    Picture,
    /// A QR code.
    QrImage,
    /// A package of the platform or of a system image.
    SystemPackage,
    /// A client for iOS.
    IosApp,
    /// A client for Android, or a game.
    AndroidApp,
    /// A client for Windows.
    WindowsApp,
    /// An X.509 certificate.
    Certificate,
    /// A table to import.
    Sheet,
}

impl FileKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Picture,
        Self::QrImage,
        Self::SystemPackage,
        Self::IosApp,
        Self::AndroidApp,
        Self::WindowsApp,
        Self::Certificate,
        Self::Sheet,
    ];

    /// The extensions that a file of this kind may have, in lower case.
    ///
    /// For system packages the specification says zip in Chinese and tar.gz in English; both are accepted.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Picture => &["jpg", "jpeg", "png"],
            Self::QrImage => &["png", "gif", "jpg", "jpeg"],
            Self::SystemPackage => &["zip", "tar.gz"],
            Self::IosApp => &["ipa"],
            Self::AndroidApp => &["apk"],
            Self::WindowsApp => &["exe"],
            Self::Certificate => &["crt"],
            Self::Sheet => &["xlsx", "csv"],
        }
    }

    /// The largest size of a file of this kind in bytes.
    pub const fn max_bytes(self) -> u64 {
        match self {
            Self::Picture | Self::QrImage => 20 * MB,
            Self::SystemPackage => 8192 * MB,
            Self::IosApp | Self::AndroidApp | Self::WindowsApp => 4096 * MB,
            Self::Certificate => MB / 16,
            Self::Sheet => 50 * MB,
        }
    }
}

/// The name has one of the kind's extensions, in any case.
pub fn file_extension(name: &str, kind: FileKind) -> Verdict {
    required(name)?;
    let lower = name.to_ascii_lowercase();
    let fits = kind.extensions().iter().any(|extension| {
        lower.strip_suffix(extension).and_then(|rest| rest.strip_suffix('.')).is_some_and(|stem| !stem.is_empty())
    });
    if !fits {
        return Err(Violation::new("file.extension").with("allowed", kind.extensions().join(", ")));
    }
    Ok(())
}

/// The file is not empty and not larger than `max` bytes.
pub fn file_size(bytes: u64, max: u64) -> Verdict {
    if bytes == 0 {
        return Err(Violation::new("file.empty"));
    }
    if bytes > max {
        return Err(Violation::new("file.tooLarge").with("max", byte_size(max)));
    }
    Ok(())
}

/// A name that every file system accepts and that does not hide what it is: no path, no control or bidirectional
/// character, at most 128.
pub fn file_name(name: &str) -> Verdict {
    required(name)?;
    max_chars(name, 128)?;
    let is_foreign = |c: char| "/\\:*?\"<>|".contains(c);
    if name.contains(is_foreign)
        || single_line(name).is_err()
        || name.starts_with(char::is_whitespace)
        || name.ends_with(['.', ' '])
    {
        return Err(Violation::new("fileName.characters"));
    }
    Ok(())
}

/// The picture has one of the allowed sizes in pixels.
pub fn image_pixels(width: u32, height: u32, allowed: &[(u32, u32)]) -> Verdict {
    if allowed.contains(&(width, height)) {
        return Ok(());
    }
    Err(Violation::new("image.pixels").with("width", width).with("height", height).with("allowed", pixel_list(allowed)))
}

/// Sizes as people read them: `1125×480, 825×960`.
pub fn pixel_list(sizes: &[(u32, u32)]) -> String {
    let texts: Vec<String> = sizes.iter().map(|(width, height)| format!("{width}×{height}")).collect();
    texts.join(", ")
}
