//! Numbers with a suffix.

/// A number with `k`, `m`, `g`, `b` (512) or `w`.
#[must_use]
pub fn size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let factor: u64 = match text[end..].to_ascii_lowercase().as_str() {
        "" | "c" => 1,
        "w" => 2,
        "b" => 512,
        "k" | "kib" => 1 << 10,
        "kb" | "kd" => 1000,
        "m" | "mib" => 1 << 20,
        "mb" | "md" => 1_000_000,
        "g" | "gib" => 1 << 30,
        "t" => 1 << 40,
        _ => return None,
    };
    text[..end].parse::<u64>().ok()?.checked_mul(factor)
}
