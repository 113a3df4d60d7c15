//! Messages and questions on the status line. Their color says what they are about.

use fugue_protocol::Rect;
use fugue_protocol::agents::AgentState;

use crate::agents;
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// Something that the person asked for, or may want to know.
    Info,
    /// Something that was not done, and why.
    Error,
    /// An agent out of sight that needs the person, or failed.
    Agent(AgentState),
    /// Something that is not as it should be, or a question.
    Attention,
}

/// The symbol before the first row of a message, and the part of the theme that draws it.
fn symbol(kind: MessageKind) -> Option<(char, ThemePart)> {
    match kind {
        MessageKind::Error => Some(('✗', ThemePart::BarFailed)),
        MessageKind::Agent(state) => {
            let part = if state.needs_somebody() { ThemePart::BarWaiting } else { ThemePart::BarFailed };
            Some((agents::state_symbol(state).0, part))
        }
        MessageKind::Info | MessageKind::Attention => None,
    }
}

/// The columns of the symbol before a message, with the blanks around it.
pub(crate) fn lead_cols(kind: MessageKind) -> u16 {
    if symbol(kind).is_some() { 3 } else { 0 }
}

/// Draws the rows of a message. `row` is the terminal's row for each of them, counted from the first.
pub(crate) fn draw(
    canvas: &mut Canvas,
    texts: &[String],
    kind: MessageKind,
    row: impl Fn(u16) -> Option<u16>,
) {
    for (at, text) in (0..).zip(texts) {
        if let Some(row) = row(at) {
            blank(canvas, row, kind);
            let begin = lead_cols(kind);
            if let Some((symbol, part)) = symbol(kind).filter(|_| at == 0) {
                canvas.text(row, 0, begin, &format!(" {symbol} "), canvas.style(part));
            }
            canvas.text(row, begin, canvas.size().cols, text, canvas.style(part(kind)));
        }
    }
}

fn blank(canvas: &mut Canvas, row: u16, kind: MessageKind) {
    let cols = canvas.size().cols;
    canvas.fill(Rect { col: 0, row, cols, rows: 1 }, &CanvasCell::blank(canvas.style(part(kind))));
}

fn part(kind: MessageKind) -> ThemePart {
    match kind {
        MessageKind::Info | MessageKind::Error | MessageKind::Agent(_) => ThemePart::Message,
        MessageKind::Attention => ThemePart::BarWaiting,
    }
}

/// Draws a question that is answered with one key. If it is too long, its end is cut, and the answers stay.
pub(crate) fn yes_or_no(canvas: &mut Canvas, row: u16, words: &str) {
    const ANSWERS: &str = " (y/N) ";
    let (cols, row) = (canvas.size().cols, row.min(canvas.size().rows.saturating_sub(1)));
    blank(canvas, row, MessageKind::Attention);
    let style = canvas.style(part(MessageKind::Attention));
    let room = cols.saturating_sub(ANSWERS.len() as u16);
    let end = canvas.truncated_text(row, 0, room, &format!(" {words}"), style);
    canvas.text(row, end, cols, ANSWERS, style);
}

/// Draws a question or a prompt over the status line, and returns the column after it.
pub(crate) fn question(canvas: &mut Canvas, row: u16, words: &str, kind: MessageKind) -> u16 {
    let (cols, row) = (canvas.size().cols, row.min(canvas.size().rows.saturating_sub(1)));
    blank(canvas, row, kind);
    canvas.text(row, 0, cols, words, canvas.style(part(kind)))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Size;

    use super::*;

    #[test]
    fn a_notice_about_an_agent_begins_with_its_state_in_a_box() {
        let lead = |state: AgentState| {
            let mut canvas = Canvas::new(Size::new(20, 2));
            draw(&mut canvas, &[" one".into(), " two".into()], MessageKind::Agent(state), Some);
            assert_eq!(canvas.text_of(1).trim_end(), "    two");
            let message = canvas.style(ThemePart::Message);
            assert!(canvas.row(0)[3..].iter().chain(canvas.row(1)).all(|cell| cell.style == message));
            (canvas.text_of(0).trim_end().to_owned(), canvas.row(0)[0].style)
        };
        let style = |part| Canvas::new(Size::new(1, 1)).style(part);
        assert_eq!(lead(AgentState::Blocked), (" !  one".into(), style(ThemePart::BarWaiting)));
        assert_eq!(lead(AgentState::WaitingForInput), (" ?  one".into(), style(ThemePart::BarWaiting)));
        assert_eq!(lead(AgentState::Error), (" ✗  one".into(), style(ThemePart::BarFailed)));
    }

    #[test]
    fn a_question_that_is_too_long_keeps_its_answers() {
        let asked = |cols: u16| {
            let mut canvas = Canvas::new(Size::new(cols, 1));
            yes_or_no(&mut canvas, 0, "Close pane “cargo test”?");
            canvas.text_of(0).trim_end().to_owned()
        };
        assert_eq!(asked(60), " Close pane “cargo test”? (y/N)");
        assert_eq!(asked(24), " Close pane “car… (y/N)");
    }
}
