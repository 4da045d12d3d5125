//! File answers.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that RFC 5987 allows in an encoded file name.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// `body` as a file to be saved as `name`, never to be shown in the browser.
#[must_use]
pub fn attachment(name: &str, content_type: HeaderValue, size: Option<u64>, body: Body) -> Response {
    let mut response = ([(header::CONTENT_TYPE, content_type)], body).into_response();
    if let Ok(value) = HeaderValue::from_str(&disposition(name)) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    if let Some(size) = size {
        response.headers_mut().insert(header::CONTENT_LENGTH, size.into());
    }
    response
}

/// Both forms: the plain one for old clients, with unsupported characters replaced.
fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%' | '/') || c == ' ' { c } else { '_' })
        .collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{}", utf8_percent_encode(name, NAME))
}

/// The content type for a file's extension. All our texts are UTF-8.
#[must_use]
pub fn content_type(name: &str) -> HeaderValue {
    let kind = mime_guess::from_path(name).first_raw().unwrap_or("application/octet-stream");
    match HeaderValue::from_maybe_shared(format!("{kind}; charset=utf-8")) {
        Ok(text) if kind.starts_with("text/") => text,
        _ => HeaderValue::from_static(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::disposition;

    #[test]
    fn a_name_is_given_in_both_forms_and_breaks_out_of_neither() {
        assert_eq!(
            disposition("用户 1.xlsx"),
            "attachment; filename=\"__ 1.xlsx\"; filename*=UTF-8''%E7%94%A8%E6%88%B7%201.xlsx"
        );
        assert_eq!(
            disposition("a\"; x=\"\r\n/..\\b"),
            "attachment; filename=\"a_; x=____.._b\"; filename*=UTF-8''a%22%3B%20x%3D%22%0D%0A%2F..%5Cb"
        );
    }
}
