//! Networks that stand in a text.

/// Them, each as it was written.
pub fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',' || c == '，').filter(|net| !net.is_empty())
}
