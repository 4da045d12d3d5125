//! Why something cannot be done with a file.

/// Why a file could not be written or read, in the words of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// ENOENT.
    Missing,
    /// EROFS.
    ReadOnly,
    /// ENOSPC.
    NoSpace,
    /// EISDIR.
    Folder,
    /// ENOTDIR.
    NotFolder,
    /// EEXIST.
    Exists,
    /// ENOTEMPTY.
    NotEmpty,
    /// ELOOP.
    Loop,
    /// EINVAL.
    Invalid,
    /// EPERM.
    NotPermitted,
    /// EACCES.
    Denied,
    /// ENOKEY.
    NoKey,
    /// EIO.
    Host,
}

impl FileError {
    /// As `strerror` says it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Missing => "No such file or directory",
            Self::ReadOnly => "Read-only file system",
            Self::NoSpace => "No space left on device",
            Self::Folder => "Is a directory",
            Self::NotFolder => "Not a directory",
            Self::Exists => "File exists",
            Self::NotEmpty => "Directory not empty",
            Self::Loop => "Too many symbolic links encountered",
            Self::Invalid => "Invalid argument",
            Self::NotPermitted => "Operation not permitted",
            Self::Denied => "Permission denied",
            Self::NoKey => "Required key not available",
            Self::Host => "I/O error",
        }
    }
    /// Its number in Linux.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::NotPermitted => 1,
            Self::Missing => 2,
            Self::Host => 5,
            Self::Denied => 13,
            Self::Exists => 17,
            Self::NotFolder => 20,
            Self::Folder => 21,
            Self::Invalid => 22,
            Self::NoSpace => 28,
            Self::ReadOnly => 30,
            Self::NotEmpty => 39,
            Self::Loop => 40,
            Self::NoKey => 126,
        }
    }
}
