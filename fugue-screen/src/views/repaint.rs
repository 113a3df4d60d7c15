//! A screen as the bytes that draw it, for a recording that begins or continues while a program is running.

use crate::cell::TAIL;
use crate::control::sgr_parameters;
use crate::cursor::{Caret, CursorShape};
use crate::grid::Grid;
use crate::modes::{ANSI, ModeFlag, Modes, Mouse, MouseEncoding, PRIVATE};
use crate::row::RowSize;
use crate::row_view::view;
use crate::screen::Screen;
use crate::terminal::Terminal;
use crate::views::ansi::{MOST_LINK_BYTES, line};

/// Modes that need special care: they clear the screen, hold back updates, or move the cursor and come last.
const SPECIAL_MODES: [ModeFlag; 5] = [
    ModeFlag::Columns132,
    ModeFlag::Synchronized,
    ModeFlag::Origin,
    ModeFlag::LeftRightMargins,
    ModeFlag::Autowrap,
];

impl Screen {
    /// Returns bytes that make an empty terminal of this size show what this one shows, and treat further output as
    /// this one would. History is not included.
    pub fn repaint(&self) -> Vec<u8> {
        let t = &self.terminal;
        let mut out = String::from("\x1bc");
        if t.buffers.alternate {
            paint(&mut out, t, &t.buffers.hidden);
            place(&mut out, &t.buffers.parked_caret);
            out.push_str("\x1b[?1049h");
        }
        paint(&mut out, t, &t.buffers.grid);
        out.push_str(&format!("\x1b]2;{}\x1b\\", t.reports.title.current));
        put_modes(&mut out, &t.modes);
        put_margins(&mut out, t);
        put_caret(&mut out, t);
        out.into_bytes()
    }

    /// Whether the last byte ended in the middle of a sequence or a character.
    pub fn is_mid_sequence(&self) -> bool {
        !self.parser.is_idle()
    }
}

/// Draws rows one below the other. A wrapped row is followed directly by the next, so that it wraps again.
fn paint(out: &mut String, t: &Terminal, grid: &Grid) {
    for (at, row) in grid.rows.iter().enumerate().filter(|(_, row)| row.size != RowSize::Single) {
        out.push_str(&format!("\x1b[{};1H\x1b#{}", at + 1, row.size.byte() as char));
    }
    let (mut continues, mut links_left) = (false, MOST_LINK_BYTES);
    for (at, row) in grid.rows.iter().enumerate() {
        let row = view(row, &t.interner);
        if !continues {
            out.push_str(&format!("\x1b[{};1H", at + 1));
        }
        out.push_str(&line(&row.spans, &mut links_left));
        continues = row.wrapped;
    }
}

fn place(out: &mut String, caret: &Caret) {
    out.push_str(&format!("\x1b[{};{}H", caret.row + 1, caret.col + 1));
}

fn put_modes(out: &mut String, modes: &Modes) {
    let usual = Modes::default();
    let differs = |flag: ModeFlag| modes.has(flag) != usual.has(flag) && !SPECIAL_MODES.contains(&flag);
    for (mark, table) in [("?", PRIVATE), ("", ANSI)] {
        for (number, flag) in table.iter().filter(|(_, flag)| differs(*flag)) {
            out.push_str(&format!("\x1b[{mark}{number}{}", if modes.has(*flag) { 'h' } else { 'l' }));
        }
    }
    let mouse = match modes.mouse {
        Mouse::Off => "",
        Mouse::Press => "\x1b[?9h",
        Mouse::Buttons => "\x1b[?1000h",
        Mouse::Drag => "\x1b[?1002h",
        Mouse::Motion => "\x1b[?1003h",
    };
    let encoding = match modes.encoding {
        MouseEncoding::Bytes => "",
        MouseEncoding::Utf8 => "\x1b[?1005h",
        MouseEncoding::Sgr => "\x1b[?1006h",
        MouseEncoding::Urxvt => "\x1b[?1015h",
        MouseEncoding::SgrPixels => "\x1b[?1016h",
    };
    out.push_str(&format!("{mouse}{encoding}"));
    if modes.kitty != 0 {
        out.push_str(&format!("\x1b[>{}u", modes.kitty));
    }
    if modes.modify_other_keys != 0 {
        out.push_str(&format!("\x1b[>4;{}m", modes.modify_other_keys));
    }
}

fn put_margins(out: &mut String, t: &Terminal) {
    let m = t.buffers.margins;
    out.push_str(&format!("\x1b[{};{}r", m.top + 1, m.bottom));
    if t.has(ModeFlag::LeftRightMargins) {
        out.push_str(&format!("\x1b[?69h\x1b[{};{}s", m.left + 1, m.right));
    }
}

/// Restores the cursor, its shape and the style of further text.
fn put_caret(out: &mut String, t: &Terminal) {
    if t.buffers.state.saved.caret != Caret::default() {
        place(out, &t.buffers.state.saved.caret);
        put_pen(out, &t.buffers.state.saved.caret);
        out.push_str("\x1b7\x1b[m\x1b(B\x0f");
    }
    for (flag, number, on) in [(ModeFlag::Origin, 6, true), (ModeFlag::Autowrap, 7, false)] {
        if t.has(flag) == on {
            out.push_str(&format!("\x1b[?{number}{}", if on { 'h' } else { 'l' }));
        }
    }
    let shape = match t.settings.cursor_shape {
        CursorShape::Block => 1,
        CursorShape::Underline => 3,
        CursorShape::Bar => 5,
    } + u8::from(!t.has(ModeFlag::CursorBlink));
    out.push_str(&format!("\x1b[{shape} q"));
    put_pending_wrap(out, t);
    put_pen(out, &t.caret);
    put_last(out, t);
    if t.modes.vt52() {
        out.push_str("\x1b[?2l");
    }
}

/// Restores style and character sets.
fn put_pen(out: &mut String, caret: &Caret) {
    for (set, slot) in caret.charsets.sets.iter().zip(0..) {
        let mark = if set.is_of_96() { ['-', '-', '.', '/'] } else { ['(', ')', '*', '+'] }[slot];
        out.push_str(&format!("\x1b{mark}{}", set.name()));
    }
    out.push_str(["\x0f", "\x0e", "\x1bn", "\x1bo"][caret.charsets.current.min(3)]);
    out.push_str(&format!("\x1b[{}m", sgr_parameters(&caret.style.into())));
}

/// Places the cursor. Origin mode counts from the margins.
fn put_position(out: &mut String, t: &Terminal, col: usize) {
    let (top, left) =
        if t.has(ModeFlag::Origin) { (t.buffers.margins.top, t.buffers.margins.left) } else { (0, 0) };
    out.push_str(&format!("\x1b[{};{}H", t.caret.row.saturating_sub(top) + 1, col.saturating_sub(left) + 1));
}

/// Restores a pending wrap by writing the character before the cursor again.
fn put_pending_wrap(out: &mut String, t: &Terminal) {
    put_position(out, t, t.caret.col);
    if let Some((col, text, style)) = char_before_cursor(t).filter(|_| t.caret.wrap_pending) {
        put_position(out, t, col);
        out.push_str(&format!("\x1b[{style}m"));
        put_again(out, t, &text);
    }
}

/// Writes the last character again if nothing followed it, since REP may repeat it. It has the style of further text.
fn put_last(out: &mut String, t: &Terminal) {
    if let Some((col, text, _)) = char_before_cursor(t)
        .filter(|(_, text, _)| t.pen.last_char.is_some() && text.chars().next() == t.pen.last_char)
    {
        put_position(out, t, col);
        put_again(out, t, &text);
    }
}

/// In insert mode the character must be deleted first.
fn put_again(out: &mut String, t: &Terminal, text: &str) {
    if t.has(ModeFlag::Insert) {
        out.push_str("\x1b[P");
    }
    out.push_str(text);
}

/// The character before the cursor: its column, text and style.
fn char_before_cursor(t: &Terminal) -> Option<(usize, String, String)> {
    let row = &t.buffers.grid.rows[t.caret.row];
    let col = (t.caret.col + usize::from(t.caret.wrap_pending)).checked_sub(1)?;
    let col = if row.cell(col).is(TAIL) { col.saturating_sub(1) } else { col };
    let mut text = String::new();
    t.interner.push_text(row.cell(col), &mut text);
    Some((col, text, sgr_parameters(&t.interner.style(row.cell(col).style()).into())))
}
