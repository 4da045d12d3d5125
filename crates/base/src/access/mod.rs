//! Who may do what: the catalogue of screens and codes, and sessions.

pub mod catalog;
pub mod need;
pub mod rights;
pub mod session;
pub mod session_cookie;
pub mod sync;
pub mod words;
