//! The shared rules: what is valid, wherever a value comes from.
//!
//! The web has the same rules under the same names (`web/src/rules`). Both sides run every row of `api/rule-cases.json`
//! and use the messages of `api/rule-messages.json`. The server decides: the web only reports errors earlier.
//!
//! An empty text violates every format rule with the code `required`; a field that may stay blank is checked with
//! [`Check::optional`]. Characters are Unicode scalar values on both sides.

mod check;
mod contact;
mod files;
mod format;
mod lists;
pub mod messages;
mod network;
mod numbers;
mod people;
mod texts;
mod times;
mod versions;
mod violation;

pub use check::{Check, FieldError, FieldMessage, Invalid};
pub use contact::{email, forum_link, mobile_phone, phone};
pub use files::{BANNER_SIZES, FileKind, file_extension, file_name, file_size, image_pixels, pixel_list};
pub use format::{abbreviate, byte_size, date_time, grouped, money, relative_time, spreadsheet_text};
pub use lists::{at_least_one, at_most, move_down, move_up, recommended, unique_keys};
pub use network::{MAX_SPAN, equal_span, host, ip_range, ipv4, port, port_range};
pub use numbers::{
    decimal_between, download_speed, event_price, gift_count, integer_between, integer_text_between, priority,
    upload_speed, whole_number, yuan,
};
pub use people::{
    bank_card, bank_card_warning, chinese_name, group_name, id_card, id_card_warning, login_password, name, password,
    password_without_name, passwords_match, sign_in_name, username,
};
pub use texts::{
    activity_content, activity_title, line, max_chars, no_leading_space, notification_name, paragraph, required,
    single_line, text_between,
};
pub use times::{after_now, date_time_text, day_time, not_before};
pub use versions::{compare_versions, version};
pub use violation::{Verdict, Violation};

#[cfg(test)]
mod tests;
