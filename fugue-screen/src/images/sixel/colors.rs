//! Colors in sixel data: registers with the colors of a VT340 at first, and the two models in which a program sets them.

use crate::style::Rgb;

/// The color registers: as many as xterm has.
pub(super) const REGISTERS: usize = 1024;

/// The first registers of a VT340, in percent.
const VT340: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (20, 20, 80),
    (80, 13, 13),
    (20, 80, 20),
    (80, 20, 80),
    (20, 80, 80),
    (80, 80, 20),
    (53, 53, 53),
    (26, 26, 26),
    (33, 33, 60),
    (60, 26, 26),
    (33, 60, 33),
    (60, 33, 60),
    (33, 60, 60),
    (60, 60, 33),
    (80, 80, 80),
];

/// The registers before a program sets them.
pub(super) fn registers() -> Vec<Rgb> {
    let mut registers = vec![(0, 0, 0); REGISTERS];
    let first = VT340.map(|(r, g, b)| (of_percent(r.into()), of_percent(g.into()), of_percent(b.into())));
    registers[..first.len()].copy_from_slice(&first);
    registers
}

/// A color as a program sets it: model 1 is hue (0 is blue), lightness and saturation; model 2 is red, green and blue,
/// all in percent.
pub(super) fn color(model: u32, [a, b, c]: [u32; 3]) -> Rgb {
    match model {
        1 => of_hls(a % 360, b.min(100), c.min(100)),
        _ => (of_percent(a), of_percent(b), of_percent(c)),
    }
}

fn of_percent(percent: u32) -> u8 {
    ((percent.min(100) * 255 + 50) / 100) as u8
}

/// Percent, as programs write colors.
pub(super) fn to_percent(value: u8) -> u32 {
    (u32::from(value) * 100 + 127) / 255
}

fn of_hls(hue: u32, lightness: u32, saturation: u32) -> Rgb {
    let (lightness, saturation) = (f64::from(lightness) / 100.0, f64::from(saturation) / 100.0);
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * saturation;
    let least = lightness - chroma / 2.0;
    // Red is at 120 degrees, green at 240.
    let part = |center: u32| {
        let distance = (hue + 360 - center) % 360;
        let distance = f64::from(distance.min(360 - distance));
        let strength = (2.0 - distance / 60.0).clamp(0.0, 1.0);
        ((least + chroma * strength) * 255.0).round().clamp(0.0, 255.0) as u8
    };
    (part(120), part(240), part(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_set_in_both_models() {
        assert_eq!(color(2, [100, 50, 0]), (255, 128, 0));
        assert_eq!(color(1, [0, 50, 100]), (0, 0, 255));
        assert_eq!(color(1, [120, 50, 100]), (255, 0, 0));
        assert_eq!(color(1, [240, 50, 100]), (0, 255, 0));
        assert_eq!(color(1, [180, 50, 100]), (255, 255, 0));
        assert_eq!(color(1, [77, 100, 3]), (255, 255, 255));
        assert!((0..=100).all(|percent| to_percent(of_percent(percent)) == percent));
    }
}
