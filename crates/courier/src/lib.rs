//! What leaves this process and is kept elsewhere: files in an object storage.
//!
//! Mail and SMS will live here too, each behind a trait with a recording fake.

pub mod objects;

pub use objects::{Incoming, ObjectError, ObjectKey, Objects, Outgoing, Place, S3, Stored};
