//! Where a place is on earth: degrees outside, millionths of them (a tenth of a metre) in the database.

use kernel::rules::{Check, Violation};

/// Degrees as they are stored.
#[must_use]
pub fn to_e6(degrees: f64) -> i32 {
    (degrees * 1e6).round() as i32
}

/// What is stored as degrees.
#[must_use]
pub fn from_e6(millionths: i32) -> f64 {
    f64::from(millionths) / 1e6
}

/// Both or neither, and on the globe.
pub fn check(check: &mut Check, latitude: Option<f64>, longitude: Option<f64>) {
    for (field, value, max) in [("latitude", latitude, 90), ("longitude", longitude, 180)] {
        if value.is_some_and(|value| !value.is_finite() || value.abs() > f64::from(max)) {
            check.add(field, Violation::new("number.range").with("min", -max).with("max", max));
        }
    }
    if latitude.is_some() != longitude.is_some() {
        check.add(if latitude.is_some() { "longitude" } else { "latitude" }, Violation::new("required"));
    }
}
