//! Screens whose calls work and whose pages are not there yet.
//!
//! They are in no menu and can be allotted to nobody. Whoever adds the page moves its screen to
//! [`super::catalog::SECTIONS`].

use super::catalog::Section;

/// Sections with the screens that wait for their pages.
pub const AWAITING_PAGES: &[Section] = &[];
