//! Contact details: phone numbers, mail addresses, links.

use super::network::is_label;
use super::texts::{max_chars, required, single_line};
use super::{Verdict, Violation};

/// A phone number: 11 digits.
pub fn phone(text: &str) -> Verdict {
    required(text)?;
    let fits = text.len() == 11 && text.bytes().all(|b| b.is_ascii_digit());
    if fits { Ok(()) } else { Err(Violation::new("phone.format")) }
}

/// The format of a mobile number: a 1, then 10 digits.
pub fn mobile_phone(text: &str) -> Verdict {
    phone(text)?;
    if text.starts_with('1') { Ok(()) } else { Err(Violation::new("phone.mobile")) }
}

/// A mail address of at most 64 characters: the forms that mail servers accept in practice, in ASCII.
pub fn email(text: &str) -> Verdict {
    required(text)?;
    max_chars(text, 64)?;
    let fits = text.split_once('@').is_some_and(|(local, domain)| is_mail_local(local) && is_mail_domain(domain));
    if fits { Ok(()) } else { Err(Violation::new("email.format")) }
}

fn is_mail_local(local: &str) -> bool {
    let is_atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c);
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atom))
}

fn is_mail_domain(domain: &str) -> bool {
    let Some((_, top)) = domain.rsplit_once('.') else {
        return false;
    };
    let top_is_a_name = top.len() >= 2 && !top.bytes().all(|b| b.is_ascii_digit());
    top_is_a_name && domain.split('.').all(is_label)
}

/// The link of a forum, at most 50 characters.
///
/// The specification allows `http://` and `{host}`, the placeholder that clients replace with their own host.
/// `https://` is accepted too: today's forums use it, and refusing the safer form would help nobody.
pub fn forum_link(text: &str) -> Verdict {
    required(text)?;
    max_chars(text, 50)?;
    let web = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let rest = match (web, text.strip_prefix("{host}")) {
        (Some(rest), _) if !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':', '.']) => rest,
        (None, Some(rest)) => rest,
        _ => return Err(Violation::new("link.format")),
    };
    let is_foreign = |c: char| c.is_whitespace() || "<>\"\\^`{|}".contains(c);
    if rest.contains(is_foreign) || single_line(rest).is_err() {
        return Err(Violation::new("link.characters"));
    }
    Ok(())
}
