//! Draws a captcha: characters made of strokes, each turned and slanted, the whole bent like a wave,
//! crossed by lines and strewn with dots.

use std::f32::consts::TAU;

use rand::Rng;

const WIDTH: u16 = 160;
const HEIGHT: u16 = 56;
/// Half the width of a character's strokes, in pixels.
const PEN: f32 = 1.6;
/// Half the width of the lines across the picture.
const HAIR: f32 = 0.5;

type Point = (f32, f32);

/// A straight line and half its width.
#[derive(Clone, Copy)]
struct Stroke {
    from: Point,
    to: Point,
    pen: f32,
}

/// The picture of `text` as PNG.
///
/// # Errors
/// When the encoder refuses.
pub fn draw(text: &str) -> anyhow::Result<Vec<u8>> {
    let mut rng = rand::rng();
    let strokes = strokes(text, &mut rng);
    let wave = Wave::random(&mut rng);
    let mut pixels = Vec::with_capacity(usize::from(WIDTH) * usize::from(HEIGHT));
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let at = wave.bend((f32::from(x), f32::from(y)));
            let ink =
                strokes.iter().map(|stroke| stroke.pen + 0.5 - distance(at, *stroke)).fold(0.0, f32::max).min(1.0);
            let dot: f32 = if rng.random_ratio(1, 25) { rng.random_range(0.3..0.8) } else { 0.0 };
            pixels.push(grey(ink.max(dot)));
        }
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, u32::from(WIDTH), u32::from(HEIGHT));
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file)
}

/// From paper to ink.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is between 0 and 255")]
fn grey(ink: f32) -> u8 {
    (245.0 - 200.0 * ink) as u8
}

/// A distortion that differs from picture to picture.
struct Wave {
    height: f32,
    length: f32,
    phase: f32,
}

impl Wave {
    fn random(rng: &mut impl Rng) -> Self {
        Self {
            height: rng.random_range(2.0..4.0),
            length: rng.random_range(50.0..80.0),
            phase: rng.random_range(0.0..TAU),
        }
    }

    fn bend(&self, (x, y): Point) -> Point {
        let down = self.height * (TAU * x / self.length + self.phase).sin();
        let across = self.height * (TAU * y / self.length + 2.0 * self.phase).cos();
        (x + across, y + down)
    }
}

/// Every stroke of the picture, in pixels.
fn strokes(text: &str, rng: &mut impl Rng) -> Vec<Stroke> {
    let mut all = Vec::new();
    let mut left = rng.random_range(8.0..14.0);
    for letter in text.chars() {
        let (sin, cos) = rng.random_range(-0.3_f32..0.3).sin_cos();
        let slant = rng.random_range(-0.25_f32..0.25);
        let (wide, tall) = (rng.random_range(16.0_f32..20.0), rng.random_range(28.0_f32..34.0));
        let (middle_x, middle_y) = (left + wide / 2.0, f32::from(HEIGHT) / 2.0 + rng.random_range(-3.0_f32..3.0));
        let place = |(u, v): Point| {
            let (x, y) = ((u - 0.5 + slant * (0.5 - v)) * wide, (v - 0.5) * tall);
            (middle_x + x * cos - y * sin, middle_y + x * sin + y * cos)
        };
        for line in glyph(letter) {
            all.extend(line.windows(2).map(|pair| Stroke { from: place(pair[0]), to: place(pair[1]), pen: PEN }));
        }
        left += wide + rng.random_range(8.0..12.0);
    }
    for _ in 0..3 {
        let edge = |rng: &mut dyn rand::RngCore| rng.random_range(6.0..f32::from(HEIGHT) - 6.0);
        let middle = (rng.random_range(50.0..110.0), edge(rng));
        all.push(Stroke { from: (0.0, edge(rng)), to: middle, pen: HAIR });
        all.push(Stroke { from: middle, to: (f32::from(WIDTH), edge(rng)), pen: HAIR });
    }
    all
}

/// The lines of a character in a box from (0, 0), its top left, to (1, 1).
const fn glyph(letter: char) -> &'static [&'static [Point]] {
    match letter {
        'A' => &[&[(0.0, 1.0), (0.5, 0.0), (1.0, 1.0)], &[(0.2, 0.62), (0.8, 0.62)]],
        'C' => {
            &[&[(1.0, 0.18), (0.75, 0.0), (0.3, 0.0), (0.0, 0.28), (0.0, 0.72), (0.3, 1.0), (0.75, 1.0), (1.0, 0.82)]]
        }
        'E' => &[&[(1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (1.0, 1.0)], &[(0.0, 0.5), (0.8, 0.5)]],
        'F' => &[&[(1.0, 0.0), (0.0, 0.0), (0.0, 1.0)], &[(0.0, 0.48), (0.8, 0.48)]],
        'H' => &[&[(0.0, 0.0), (0.0, 1.0)], &[(1.0, 0.0), (1.0, 1.0)], &[(0.0, 0.5), (1.0, 0.5)]],
        'K' => &[&[(0.0, 0.0), (0.0, 1.0)], &[(1.0, 0.0), (0.0, 0.55)], &[(0.3, 0.4), (1.0, 1.0)]],
        'L' => &[&[(0.0, 0.0), (0.0, 1.0), (0.95, 1.0)]],
        'M' => &[&[(0.0, 1.0), (0.0, 0.0), (0.5, 0.6), (1.0, 0.0), (1.0, 1.0)]],
        'N' => &[&[(0.0, 1.0), (0.0, 0.0), (1.0, 1.0), (1.0, 0.0)]],
        'P' => &[&[(0.0, 1.0), (0.0, 0.0), (0.7, 0.0), (1.0, 0.14), (1.0, 0.4), (0.7, 0.54), (0.0, 0.54)]],
        'R' => &[
            &[(0.0, 1.0), (0.0, 0.0), (0.7, 0.0), (1.0, 0.14), (1.0, 0.38), (0.7, 0.52), (0.0, 0.52)],
            &[(0.5, 0.52), (1.0, 1.0)],
        ],
        'T' => &[&[(0.0, 0.0), (1.0, 0.0)], &[(0.5, 0.0), (0.5, 1.0)]],
        'X' => &[&[(0.0, 0.0), (1.0, 1.0)], &[(1.0, 0.0), (0.0, 1.0)]],
        'Y' => &[&[(0.0, 0.0), (0.5, 0.5), (1.0, 0.0)], &[(0.5, 0.5), (0.5, 1.0)]],
        '3' => &[&[
            (0.0, 0.1),
            (0.3, 0.0),
            (0.8, 0.03),
            (1.0, 0.22),
            (0.8, 0.45),
            (0.4, 0.48),
            (0.8, 0.52),
            (1.0, 0.76),
            (0.8, 0.97),
            (0.3, 1.0),
            (0.0, 0.9),
        ]],
        '4' => &[&[(0.75, 1.0), (0.75, 0.0), (0.0, 0.7), (1.0, 0.7)]],
        '7' => &[&[(0.0, 0.0), (1.0, 0.0), (0.35, 1.0)]],
        _ => &[],
    }
}

/// From a point to the nearest point of a stroke.
fn distance((x, y): Point, Stroke { from: (ax, ay), to: (bx, by), .. }: Stroke) -> f32 {
    let (dx, dy) = (bx - ax, by - ay);
    let length2 = (dx * dx + dy * dy).max(f32::EPSILON);
    let along = (((x - ax) * dx + (y - ay) * dy) / length2).clamp(0.0, 1.0);
    (x - ax - along * dx).hypot(y - ay - along * dy)
}

#[cfg(test)]
mod tests {
    use super::{draw, glyph};

    #[test]
    fn every_character_has_a_shape_and_two_pictures_of_one_text_differ() {
        for letter in "ACEFHKLMNPRTXY347".chars() {
            assert!(!glyph(letter).is_empty(), "{letter}");
        }
        let (one, other) = (draw("ACE34").expect("a picture"), draw("ACE34").expect("a picture"));
        assert!(one.starts_with(b"\x89PNG\r\n\x1a\n"));
        assert_ne!(one, other);
    }
}
