//! A test of every theme: text and borders can be read on the backgrounds that terminals have.

use fugue_screen::{Attrs, BASIC_COLORS, Color, Rgb, Style};

use super::contrast::{TEXT, contrast};
use super::{PARTS, THEMES, Theme, ThemePart};
use crate::paint::palette_rgb;

/// The least contrast of borders, which are no text.
const BORDER: f64 = 3.0;

/// Common backgrounds of dark and of light terminals, with the color of text on them.
const DARK: [(Rgb, Rgb); 3] =
    [((0, 0, 0), (229, 229, 229)), ((30, 30, 30), (212, 212, 212)), ((40, 44, 52), (220, 223, 228))];
const LIGHT: [(Rgb, Rgb); 3] =
    [((255, 255, 255), (0, 0, 0)), ((250, 244, 237), (87, 82, 121)), ((253, 246, 227), (88, 110, 117))];

/// The contrast of a style on a terminal with these colors of background and text.
fn of_style(style: Style, (background, text): (Rgb, Rgb)) -> f64 {
    let rgb = |color, default| match color {
        Color::Default => default,
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Indexed(n @ 0..16) => BASIC_COLORS[usize::from(n)],
        Color::Indexed(n) => palette_rgb(n),
    };
    // Reversed colors have the same contrast.
    contrast(rgb(style.fg, text), rgb(style.bg, background))
}

/// The least contrast that a part needs. The dots outside a window are decoration; what is behind a list is not read
/// while the list is open, and stands back so that the list stands out.
fn needed(part: ThemePart) -> Option<f64> {
    match part {
        ThemePart::Outside | ThemePart::Behind => None,
        ThemePart::Border => Some(BORDER),
        // The active pane's title has this style as well.
        _ => Some(TEXT),
    }
}

fn check(name: &str, theme: &Theme, terminals: &[(Rgb, Rgb)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (part, part_name, _) in PARTS {
        for terminal in terminals {
            let has = of_style(theme.of(part), *terminal);
            if needed(part).is_some_and(|needed| has < needed) {
                faults.push(format!("{name}, {part_name} on {:?}: {has:.2}", terminal.0));
            }
        }
    }
    faults
}

#[test]
fn states_can_be_read_and_told_apart_in_the_selected_row() {
    let states = [ThemePart::Working, ThemePart::Waiting, ThemePart::Complete, ThemePart::Failed];
    for (name, terminals) in [("dusk", DARK), ("dawn", LIGHT)] {
        let theme = Theme::named(name).expect("a theme");
        for (at, part) in states.into_iter().enumerate() {
            let style = theme.on_chosen(part);
            let has = of_style(style, terminals[0]);
            assert!(has >= TEXT, "{name}, {part:?}: {has:.2}");
            assert_eq!(style.bg, theme.of(ThemePart::Chosen).bg);
            assert!(states[..at].iter().all(|other| theme.on_chosen(*other).fg != style.fg), "{part:?}");
        }
    }
    for name in ["terminal", "plain", "contrast"] {
        let theme = Theme::named(name).expect("a theme");
        let chosen = theme.of(ThemePart::Chosen);
        assert_eq!(states.map(|part| theme.on_chosen(part)), [chosen; 4], "{name}");
    }
}

#[test]
fn the_current_match_stands_out_from_the_others() {
    for (name, terminals) in [("dusk", DARK), ("dawn", LIGHT)] {
        let theme = Theme::named(name).expect("a theme");
        for (background, _) in terminals {
            let strength = |part: ThemePart| match theme.of(part).bg {
                Color::Rgb(r, g, b) => contrast((r, g, b), background),
                other => panic!("{name}: {other:?}"),
            };
            let (current, others) = (strength(ThemePart::CurrentMatch), strength(ThemePart::Match));
            assert!(current > 2.0 * others, "{name} on {background:?}: {current:.2} and {others:.2}");
        }
    }
}

#[test]
fn keys_can_be_read_with_the_theme_contrast_on_every_background() {
    let theme = Theme::named("contrast").expect("a theme");
    for terminal in DARK.into_iter().chain(LIGHT) {
        // Lists and the footer show keys in the style of the active border.
        let has = of_style(theme.of(ThemePart::ActiveBorder), terminal);
        assert!(has >= TEXT, "on {:?}: {has:.2}", terminal.0);
    }
}

#[test]
fn what_is_behind_a_list_is_dimmed_in_every_theme() {
    for (name, _) in THEMES {
        let theme = Theme::named(name).expect("a theme");
        let (behind, panel) = (theme.of(ThemePart::Behind), theme.of(ThemePart::Panel));
        assert!(behind.attrs.contains(Attrs::DIM) || behind.fg != panel.fg, "{name}");
    }
}

#[test]
fn what_is_behind_a_list_is_fainter_than_all_of_the_list() {
    for (name, terminals) in [("dusk", DARK), ("dawn", LIGHT)] {
        let theme = Theme::named(name).expect("a theme");
        for terminal in terminals {
            let strength = |part: ThemePart| of_style(theme.of(part), terminal);
            let (behind, faint) = (strength(ThemePart::Behind), strength(ThemePart::Faint));
            assert!(behind < 0.6 * faint, "{name} on {:?}: {behind:.2} and {faint:.2}", terminal.0);
        }
    }
}

#[test]
fn every_theme_can_be_read_on_the_backgrounds_it_is_made_for() {
    let mut faults = Vec::new();
    for (name, _) in THEMES {
        let theme = Theme::named(name).expect("a theme");
        // The terminal's own colors are as legible as the terminal makes them: they are checked on black and on white.
        faults.extend(match name {
            "terminal" => check(name, &theme, &DARK[..1]),
            "dusk" => check(name, &theme, &DARK),
            "dawn" => check(name, &theme, &LIGHT),
            _ => [check(name, &theme, &DARK[..1]), check(name, &theme, &LIGHT[..1])].concat(),
        });
    }
    faults.extend(check("terminal on light", &Theme::on_light(), &LIGHT[..1]));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
