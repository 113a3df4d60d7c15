//! Contrast, as the Web Content Accessibility Guidelines define it, and colors with enough of it.

use fugue_screen::Rgb;

/// The least contrast of text (level AA).
pub(super) const TEXT: f64 = 4.5;

/// The steps from a color to its brightest shade, and from there to white; so small that none is visible.
const STEPS: u8 = 20;

/// How much light each value of a channel gives, from 0 to 1.
const LIGHT: [f64; 256] = {
    let mut light = [0.0; 256];
    let mut value = 0;
    while value < light.len() {
        light[value] = match value as f64 / 255.0 {
            low if low <= 0.03928 => low / 12.92,
            high => power_of_2_4((high + 0.055) / 1.055),
        };
        value += 1;
    }
    light
};

/// `x` to the power of 2.4 by Newton's method, so that the program does not have to load the library of mathematical
/// functions whenever it starts.
const fn power_of_2_4(x: f64) -> f64 {
    let (square, mut root) = (x * x, 1.0);
    let mut step = 0;
    while step < 50 {
        let fourth = root * root * root * root;
        root -= (root * fourth - square) / (5.0 * fourth);
        step += 1;
    }
    // The fifth root of the square is `x` to the power of 0.4.
    square * root
}

/// How much light a color gives, from 0 to 1.
fn luminance((r, g, b): Rgb) -> f64 {
    let light = |value: u8| LIGHT[usize::from(value)];
    0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b)
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
    fn the_light_of_a_channel_is_as_defined() {
        for (value, light) in LIGHT.iter().enumerate().skip(11) {
            let defined = ((value as f64 / 255.0 + 0.055) / 1.055).powf(2.4);
            assert!((light - defined).abs() < 1e-12, "{value}: {light} is not {defined}");
        }
        assert!((LIGHT[10] - 10.0 / 255.0 / 12.92).abs() < 1e-12);
    }

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
