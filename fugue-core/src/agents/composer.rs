//! The input fields of agents ("composers"), as their screens show them. A field counts as empty only if it is seen and
//! holds nothing but the hint that the agent itself shows there. How the fields look is known from captured screens.

use fugue_screen::{Attrs, Color, RowView, ScreenView, Style};

/// Agents whose input fields and dialogs are known.
const KNOWN: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// What an agent's input field shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Composer {
    /// It is not on the screen, or is not recognized.
    Unseen,
    /// It is there, and nothing is typed in it.
    Empty,
    /// It holds this text.
    Holds(String),
}

/// The name of an agent whose input field is known.
pub(super) fn known(name: &str) -> Option<&'static str> {
    KNOWN.into_iter().find(|known| *known == name)
}

/// Whether an agent's input field can be recognized.
pub(crate) fn has_known_composer(name: &str) -> bool {
    known(name).is_some()
}

/// Looks for an agent's input field on its screen.
pub fn composer(agent: &str, view: &ScreenView) -> Composer {
    let found = match agent {
        "claude" => claude(view),
        "codex" => codex(view),
        "gemini" => gemini(view),
        "opencode" => opencode(view),
        _ => None,
    };
    match found {
        None => Composer::Unseen,
        Some(text) if text.trim().is_empty() => Composer::Empty,
        Some(text) => Composer::Holds(text.trim().to_owned()),
    }
}

/// Between two rules, after the prompt sign.
fn claude(view: &ScreenView) -> Option<String> {
    let rows = &view.rows;
    let end = rows.iter().rposition(is_rule)?;
    let begin = rows[..end].iter().rposition(is_rule)?;
    let field = &rows[begin + 1..end];
    let first = field.first()?;
    first.text().starts_with('❯').then_some(())?;
    Some(field.iter().map(|row| typed(row, 2)).collect::<Vec<_>>().join("\n"))
}

/// From the last prompt sign, where the cursor is, to the footer.
fn codex(view: &ScreenView) -> Option<String> {
    let rows = &view.rows;
    let begin = rows.iter().rposition(|row| row.text().starts_with('›'))?;
    let end = rows[begin..].iter().position(|row| row.text().is_empty()).map(|rest| begin + rest)?;
    let end = with_line_breaks(view, end);
    let cursor = usize::from(view.cursor.row);
    (begin..end).contains(&cursor).then_some(())?;
    Some(rows[begin..end].iter().map(|row| typed(row, 2)).collect::<Vec<_>>().join("\n"))
}

/// After the last prompt sign, where the cursor is: earlier prompts look the same.
fn gemini(view: &ScreenView) -> Option<String> {
    const HINT: &str = "Type your message or @path/to/file";
    let rows = &view.rows;
    let begin = rows.iter().rposition(|row| row.text().starts_with(" > "))?;
    // What is typed may have empty lines, so the field ends at its border. Some themes draw none.
    let below = |is_end: fn(&RowView) -> bool| rows[begin..].iter().position(is_end);
    let border = below(|row| row.text().starts_with('▀')).map(|rest| begin + rest);
    let blank = || below(|row| row.text().is_empty()).map(|rest| with_line_breaks(view, begin + rest));
    let end = border.or_else(blank)?;
    (begin..end).contains(&usize::from(view.cursor.row)).then_some(())?;
    // Its themes have grays of all kinds for what people type, so the hint is known by its words.
    let text = rows[begin..end].iter().map(|row| from_column(row, 3)).collect::<Vec<_>>().join("\n");
    Some(if text.trim() == HINT { String::new() } else { text })
}

/// The end of a field whose first empty row is at `end`. Line breaks at the end of the text are empty rows, up to the
/// cursor.
fn with_line_breaks(view: &ScreenView, end: usize) -> usize {
    let cursor = usize::from(view.cursor.row);
    let breaks = view.rows.get(end..=cursor).filter(|rows| view.cursor.visible && !rows.is_empty());
    let are_empty = breaks.is_some_and(|rows| rows.iter().all(|row| row.text().is_empty()));
    if are_empty { cursor + 1 } else { end }
}

/// Beside a bar, where the cursor is, above the name of the model.
fn opencode(view: &ScreenView) -> Option<String> {
    const HINT: &str = "Ask anything";
    let rows = &view.rows;
    let end = rows.iter().rposition(|row| row.text().trim_start().starts_with('╹'))?;
    let is_barred = |row: &RowView| row.text().trim_start().starts_with('┃');
    let begin = rows[..end].iter().rposition(|row| !is_barred(row)).map_or(0, |before| before + 1);
    // The last row of the field names the model.
    let field = begin..end.checked_sub(1)?;
    field.contains(&usize::from(view.cursor.row)).then_some(())?;
    let unbarred = |text: String| text.trim_start().trim_start_matches('┃').trim().to_owned();
    let shown = |row: &RowView| unbarred(from_column(row, 0));
    // What people type is gray in some of its themes, too, so a hint is known by its first words as well.
    let is_hint = |row: &RowView| shown(row).starts_with(HINT) && unbarred(typed(row, 0)).is_empty();
    let text = |row: &RowView| if is_hint(row) { String::new() } else { shown(row) };
    Some(rows[field].iter().map(text).collect::<Vec<_>>().join("\n"))
}

fn is_rule(row: &RowView) -> bool {
    let text = row.text();
    text.chars().count() > 10 && text.chars().all(|c| c == '─')
}

/// The text of a row from a column on.
fn from_column(row: &RowView, from: usize) -> String {
    row.text().chars().skip(from).collect()
}

/// The text of a row from a column on, without what is drawn as a hint.
fn typed(row: &RowView, from: usize) -> String {
    let cells = row.spans.iter().flat_map(|span| span.text.chars().map(|c| (c, span.style)));
    let cells: Vec<(char, Style)> = cells.skip(from).collect();
    // The cursor may be drawn over the first character of a hint.
    let under_cursor = |at: usize| {
        cells[at].1.attrs.contains(Attrs::REVERSE)
            && cells.get(at + 1).is_some_and(|(_, style)| is_hint(*style))
    };
    let shown = |at: usize| !(is_hint(cells[at].1) || at == 0 && under_cursor(at));
    let text: String = (0..cells.len()).map(|at| if shown(at) { cells[at].0 } else { ' ' }).collect();
    text.trim_end().to_owned()
}

/// Whether text in this style is a hint: faint, or of a gray that is close to its background. Themes differ, so in doubt it
/// is text: dark text is what people type on a light background.
pub(super) fn is_hint(style: Style) -> bool {
    style.attrs.contains(Attrs::DIM) || gray(style.fg).is_some_and(|gray| is_faint(gray, style.bg))
}

/// Whether a gray is faint on a background. On one that is not known, only a gray that is faint on all of them is.
fn is_faint(gray: u8, background: Color) -> bool {
    /// Grays that are neither text on a light nor on a dark background.
    const ON_LIGHT: u8 = 0x68;
    const ON_DARK: u8 = 0xb0;
    match lightness(background) {
        Some(light) if light >= 0x80 => (ON_LIGHT..light).contains(&gray),
        Some(dark) => (dark.saturating_add(0x18)..ON_DARK).contains(&gray),
        None => (ON_LIGHT..ON_DARK).contains(&gray),
    }
}

/// How light a gray is; none if the color is no gray.
fn gray(color: Color) -> Option<u8> {
    match color {
        Color::Indexed(8) => Some(0x80),
        Color::Rgb(r, g, b) if r.max(g).max(b) - r.min(g).min(b) >= 24 => None,
        other => lightness(other),
    }
}

/// How light a color is, if that does not depend on the terminal's palette.
fn lightness(color: Color) -> Option<u8> {
    match color {
        Color::Indexed(number) if number >= 232 => Some(8 + 10 * (number - 232)),
        Color::Rgb(r, g, b) => {
            let sum = 3 * u16::from(r) + 6 * u16::from(g) + u16::from(b);
            u8::try_from(sum / 10).ok()
        }
        Color::Default | Color::Indexed(_) => None,
    }
}
