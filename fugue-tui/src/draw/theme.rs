//! The looks: the terminal's own colours, so that light and dark follow it.

use fugue_screen::{Attrs, Colour, Style};

const fn plain() -> Style {
    Style {
        fg: Colour::Default,
        bg: Colour::Default,
        underline_colour: Colour::Default,
        underline: fugue_screen::Underline::None,
        attrs: Attrs::BOLD,
    }
}

fn with(fg: Colour, bg: Colour, attrs: &[Attrs]) -> Style {
    let mut style = Style { fg, bg, attrs: Attrs::default(), ..plain() };
    attrs.iter().for_each(|attr| style.attrs.insert(*attr));
    style
}

/// The border of a pane that has no keyboard.
pub(crate) fn border() -> Style {
    with(Colour::Indexed(8), Colour::Default, &[])
}

/// The border of the pane that has it.
pub(crate) fn active_border() -> Style {
    with(Colour::Indexed(2), Colour::Default, &[])
}

/// The status line.
pub(crate) fn bar() -> Style {
    with(Colour::Indexed(0), Colour::Indexed(2), &[])
}

/// What stands out on it: the session, the current window.
pub(crate) fn bar_strong() -> Style {
    with(Colour::Indexed(0), Colour::Indexed(2), &[Attrs::BOLD, Attrs::REVERSE])
}

/// A message or a question.
pub(crate) fn message() -> Style {
    with(Colour::Indexed(0), Colour::Indexed(3), &[])
}

/// Where nothing is: the outer terminal is larger than the window.
pub(crate) fn nowhere() -> Style {
    with(Colour::Indexed(8), Colour::Default, &[Attrs::DIM])
}

/// Words over the panes: lists, help.
pub(crate) fn panel() -> Style {
    Style::default()
}

/// Its less important words.
pub(crate) fn faint() -> Style {
    with(Colour::Indexed(8), Colour::Default, &[])
}

/// The chosen row of a list.
pub(crate) fn chosen() -> Style {
    with(Colour::Default, Colour::Default, &[Attrs::REVERSE])
}

/// A match of a search; the current one.
pub(crate) fn found(current: bool) -> Style {
    with(Colour::Indexed(0), Colour::Indexed(if current { 5 } else { 6 }), &[])
}
