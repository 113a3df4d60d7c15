//! Contrast, as the Web Content Accessibility Guidelines define it, and colors with enough of it.

use fugue_screen::Rgb;

/// The least contrast of text (level AA).
pub(super) const TEXT: f64 = 4.5;

/// The steps from a color to its brightest shade, and from there to white; so small that none is visible.
const STEPS: u8 = 20;

/// How much light a color gives, from 0 to 1.
fn luminance((r, g, b): Rgb) -> f64 {
    let linear = |value: u8| match f64::from(value) / 255.0 {
        low if low <= 0.03928 => low / 12.92,
        high => ((high + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

pub(super) fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The color itself if text in it can be read on a background, or else the nearest tint or shade of it that can.
pub(super) fn legible(color: Rgb, background: Rgb) -> Rgb {
    let lightens = contrast((255, 255, 255), background) >= contrast((0, 0, 0), background);
    let change = if lightens { lighter } else { darker };
    let changed = (0..=2 * STEPS).map(|step| change(color, step));
    let mut legible = changed.filter(|color| contrast(*color, background) >= TEXT);
    legible.next().unwrap_or_else(|| change(color, 2 * STEPS))
}

/// The color some steps brighter: as bright as its hue can be first, since that keeps the hue, and then nearer to white.
fn lighter((r, g, b): Rgb, step: u8) -> Rgb {
    let part = |step: u8| f64::from(step.min(STEPS)) / f64::from(STEPS);
    let brightest = 255.0 / f64::from(r.max(g).max(b).max(1));
    let (scale, white) = (1.0 + (brightest - 1.0) * part(step), part(step.saturating_sub(STEPS)));
    let channel = |value: u8| {
        let value = f64::from(value) * scale;
        (value + (255.0 - value) * white).round() as u8
    };
    (channel(r), channel(g), channel(b))
}

/// The color some steps nearer to black.
fn darker((r, g, b): Rgb, step: u8) -> Rgb {
    let rest = 1.0 - f64::from(step) / f64::from(2 * STEPS);
    let channel = |value: u8| (f64::from(value) * rest).round() as u8;
    (channel(r), channel(g), channel(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_is_changed_only_where_it_cannot_be_read() {
        let (red, black, teal, white) = ((180, 37, 74), (0, 0, 0), (40, 105, 131), (255, 255, 255));
        assert_eq!(legible(red, white), red);
        assert_eq!(legible((255, 160, 0), black), (255, 160, 0));
        for background in [black, teal, white, (255, 255, 0), (128, 128, 128)] {
            for color in [red, black, teal, white] {
                let changed = legible(color, background);
                let has = contrast(changed, background);
                assert!(has >= TEXT, "{color:?} on {background:?}: {changed:?} has {has:.2}");
            }
        }
        let (r, g, b) = legible(red, teal);
        assert!(r > g && r > b, "it is still red: {r} {g} {b}");
    }
}
