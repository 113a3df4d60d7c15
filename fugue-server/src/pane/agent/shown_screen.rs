//! The view of a screen, as the modules of the agents read it.

use fugue_agents::{ShownColor, ShownRow, ShownScreen, ShownSpan, ShownStyle};
use fugue_screen::{Attrs, Color, RowView, ScreenView, Span};

/// Returns the part of a view that is read.
pub(crate) fn shown_screen(view: &ScreenView) -> ShownScreen {
    ShownScreen {
        rows: view.rows.iter().map(shown_row).collect(),
        cols: view.size.cols.into(),
        cursor_row: view.cursor.row.into(),
        shows_cursor: view.cursor.visible,
    }
}

fn shown_row(row: &RowView) -> ShownRow {
    ShownRow { spans: row.spans.iter().map(shown_span).collect() }
}

fn shown_span(span: &Span) -> ShownSpan {
    let style = ShownStyle {
        fg: shown_color(span.style.fg),
        bg: shown_color(span.style.bg),
        is_dim: span.style.attrs.contains(Attrs::DIM),
        is_reverse: span.style.attrs.contains(Attrs::REVERSE),
    };
    ShownSpan { text: span.text.clone(), style }
}

fn shown_color(color: Color) -> ShownColor {
    match color {
        Color::Default => ShownColor::Default,
        Color::Indexed(number) => ShownColor::Indexed(number),
        Color::Rgb(red, green, blue) => ShownColor::Rgb(red, green, blue),
    }
}
