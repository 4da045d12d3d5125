//! What is on a card's screen: a real PNG, another colour for each card.

const WIDTH: u32 = 90;
const HEIGHT: u32 = 160;

/// The screen of this card since this boot.
#[must_use]
pub fn png(card: usize, boots: u64) -> Vec<u8> {
    let shade = u8::try_from((card * 37 + usize::try_from(boots).unwrap_or(0) * 11) % 256).unwrap_or(0);
    let row = |y: u32| {
        (0..WIDTH).flat_map(move |x| {
            let bar = y < 6;
            let bright = u8::try_from((x + y) % 128).unwrap_or(0);
            if bar { [32, 32, 32] } else { [shade, bright, 255 - shade] }
        })
    };
    let pixels: Vec<u8> = (0..HEIGHT).flat_map(row).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
    written.expect("a picture in memory");
    file
}
