//! Data stored outside this process: files in an object storage.
//!
//! Mail and SMS will be added here too, each behind a trait with a recording fake.

pub mod objects;

pub use objects::{Aside, Incoming, ObjectError, ObjectKey, Objects, Outgoing, Place, S3, Stored, open_s3};
