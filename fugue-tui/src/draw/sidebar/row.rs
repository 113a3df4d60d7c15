//! A row of the sidebar. On two lines: symbol, place and age on the first one, agent and reason below the place. On one
//! line: all of it, as far as there is room.

use fugue_protocol::agents::Urgency;
use fugue_protocol::{Rect, Timestamp};
use fugue_screen::{Attrs, Style};
use unicode_width::UnicodeWidthStr;

use super::{LABEL_COLS, SidebarRow, label};
use crate::agents;
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;

/// The columns before the place: a blank, the symbol, and a blank.
const INDENT: u16 = 3;

/// In a narrower sidebar the room is for names and reasons: one line shows no age, two lines only if the place is whole.
const MIN_AGE_COLS: u16 = 28;

/// A reason in fewer columns says nothing.
const MIN_REASON_COLS: u16 = 6;

/// A reason with this many columns leaves room for the agent's name.
const GOOD_REASON_COLS: u16 = 10;

/// What a row says.
struct RowTexts {
    sign: (char, ThemePart),
    place: String,
    /// The agent's name; empty if the place is the same.
    name: String,
    reason: String,
    age: String,
    /// How urgently it needs a person.
    urgency: Urgency,
}

impl RowTexts {
    fn of(row: &SidebarRow<'_>, now: Timestamp) -> Self {
        let (place, name) = label(row);
        match row {
            SidebarRow::Agent(agent) => Self {
                sign: agent.sign(),
                place,
                name,
                reason: agent.reason(),
                // Most agents changed their state a moment ago, which says nothing.
                age: Some(agent.age(now)).filter(|age| age != agents::NOW).unwrap_or_default(),
                urgency: agent.urgency,
            },
            SidebarRow::Host(host) => Self {
                sign: ('⊘', ThemePart::Failed),
                place,
                name,
                reason: "unreachable".into(),
                age: host.failure().map(|(since, _)| agents::ago(now, since)).unwrap_or_default(),
                urgency: Urgency::Failed,
            },
        }
    }

    /// The agent's name as it stands before the reason on a line of its own; it gives way where the reason is whole only
    /// without it, or has too little room.
    fn name_before_reason(&self, room: u16) -> String {
        let reason = self.reason.width() as u16;
        let name = match (self.name.is_empty(), reason) {
            (true, _) => String::new(),
            (false, 0) => self.name.clone(),
            (false, _) => format!("{} · ", self.name),
        };
        let needed = if reason <= room { reason } else { reason.min(GOOD_REASON_COLS) };
        let fits = name.width() as u16 + needed <= room;
        if fits { name } else { String::new() }
    }
}

/// Where a row is drawn, and whether it is the one of the active pane.
#[derive(Clone, Copy)]
struct RowPlace {
    line: u16,
    begin: u16,
    end: u16,
    is_current: bool,
}

impl RowPlace {
    fn style(self, canvas: &Canvas, part: ThemePart) -> Style {
        canvas.row_style(part, self.is_current)
    }

    /// The style of the place, which is bold if the agent needs a person.
    fn place_style(self, canvas: &Canvas, urgency: Urgency) -> Style {
        let part = if self.is_current { ThemePart::Chosen } else { ThemePart::Panel };
        let mut style = canvas.style(part);
        if urgency == Urgency::NeedsPerson {
            style.attrs.insert(Attrs::BOLD);
        }
        style
    }
}

/// Draws a row in an area of one line or two.
pub(super) fn draw(
    canvas: &mut Canvas,
    row: &SidebarRow<'_>,
    area: Rect,
    (is_current, now): (bool, Timestamp),
) {
    if is_current {
        canvas.fill(area, &CanvasCell::blank(canvas.style(ThemePart::Chosen)));
    }
    let place = RowPlace { line: area.row, begin: area.col, end: area.col + area.cols, is_current };
    let texts = RowTexts::of(row, now);
    let (sign, part) = texts.sign;
    canvas.text(area.row, place.begin + 1, place.end, &sign.to_string(), place.style(canvas, part));
    match area.rows {
        1 => draw_one_line(canvas, &texts, place),
        _ => {
            draw_first_line(canvas, &texts, place);
            draw_second_line(canvas, &texts, RowPlace { line: area.row + 1, ..place });
        }
    }
}

/// Draws the age at the right, and returns the column before it.
fn draw_age(canvas: &mut Canvas, age: &str, place: RowPlace) -> u16 {
    let col = place.end.saturating_sub(age.width() as u16 + 1);
    canvas.text(place.line, col, place.end, age, place.style(canvas, ThemePart::Faint));
    col.saturating_sub(u16::from(!age.is_empty()))
}

fn draw_first_line(canvas: &mut Canvas, texts: &RowTexts, place: RowPlace) {
    let cols = place.end - place.begin;
    let needed = INDENT + (texts.place.width() + texts.age.width()) as u16 + 2;
    let age = if cols >= MIN_AGE_COLS || needed <= cols { texts.age.as_str() } else { "" };
    let end = draw_age(canvas, age, place);
    let style = place.place_style(canvas, texts.urgency);
    canvas.truncated_text(place.line, place.begin + INDENT, end, &texts.place, style);
}

/// Draws the agent's name and the reason, which has the color of the state if that calls for a person.
fn draw_second_line(canvas: &mut Canvas, texts: &RowTexts, place: RowPlace) {
    let (begin, end) = (place.begin + INDENT, place.end.saturating_sub(1));
    let before = texts.name_before_reason(end.saturating_sub(begin));
    let text = format!("{before}{}", texts.reason);
    let faint = place.style(canvas, ThemePart::Faint);
    let after = canvas.truncated_text(place.line, begin, end, &text, faint);
    if texts.urgency <= Urgency::Failed {
        let state = place.style(canvas, texts.sign.1);
        let reason = begin + before.width() as u16;
        // Only the colors: a reason is not as strong as the place above it.
        let color = |cell: &mut Style| (cell.fg, cell.bg) = (state.fg, state.bg);
        (reason..after).for_each(|col| canvas.restyle(place.line, col, color));
    }
}

/// Draws place, agent and reason from the left, and the age at the right.
fn draw_one_line(canvas: &mut Canvas, texts: &RowTexts, place: RowPlace) {
    let (line, begin) = (place.line, place.begin + INDENT);
    let age = if place.end - place.begin < MIN_AGE_COLS { "" } else { texts.age.as_str() };
    let end = draw_age(canvas, age, place);
    let reason_cols = texts.reason.width() as u16;
    // A long name leaves a third of the room to the reason.
    let wanted = reason_cols.min(MIN_REASON_COLS.max(end.saturating_sub(begin) / 3)) + 1;
    let label_end = end.saturating_sub(wanted).min(begin + LABEL_COLS);
    let style = place.place_style(canvas, texts.urgency);
    let mut after = canvas.truncated_text(line, begin, label_end, &texts.place, style);
    let faint = place.style(canvas, ThemePart::Faint);
    // The place tells agents apart; the name gives way to the reason.
    let name_end = after + 1 + texts.name.width() as u16;
    if !texts.name.is_empty() && name_end + reason_cols.min(GOOD_REASON_COLS) < end {
        after = canvas.text(line, after, label_end, &format!(" {}", texts.name), faint);
    }
    canvas.truncated_text(line, after + 1, end, &texts.reason, faint);
}
