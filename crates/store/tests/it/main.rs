//! Stores, judged by servers that neither side was written from, and by one that lies.

#![expect(clippy::unwrap_used, reason = "this is a test")]

mod folder;
mod liar;
mod s3;
mod same;
mod vsftpd;
