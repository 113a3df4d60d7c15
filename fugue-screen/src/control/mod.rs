//! The effects of controls and sequences. This file dispatches to functions, which are in the files beside it.

mod capabilities;
mod charsets;
mod colors;
mod cursor;
mod erasure;
mod image_deletion;
mod images;
mod insert_delete;
mod margins;
mod mode_changes;
mod notifications;
mod osc;
mod program_status;
mod prompt_marks;
mod rectangles;
mod reports;
mod reset;
mod scroll;
mod sgr;
mod sixel;
mod vt52;
mod window_operations;

pub(crate) use reports::sgr_parameters;

use crate::events::ScreenEvent;
use crate::modes::ModeFlag;
use crate::parser::{Handler, Sequence, is_sixel};
use crate::tab_stops::TabStops;
use crate::terminal::Terminal;

impl Handler for Terminal {
    #[inline]
    fn is_full(&self) -> bool {
        self.work.is_spent()
    }

    #[inline]
    fn ascii(&mut self, text: &[u8]) -> usize {
        match self.settings.vt52_address {
            None => self.print_ascii(text),
            Some(_) => self.vt52_address_and_print(text),
        }
    }

    fn text(&mut self, text: &str) -> usize {
        match self.settings.vt52_address {
            None => self.print_text(text),
            Some(_) => self.vt52_address_and_print(text.as_bytes()),
        }
    }

    #[inline]
    fn control(&mut self, byte: u8) {
        self.pen.last_char = None;
        match byte {
            0x07 => self.event(ScreenEvent::Bell),
            0x08 => self.backspace(),
            0x09 => self.tab(1),
            0x0a..=0x0c => self.line_feed(),
            0x0d => self.carriage_return(),
            0x0e => self.caret.charsets.current = 1,
            0x0f => self.caret.charsets.current = 0,
            _ => {}
        }
    }

    fn escape(&mut self, sequence: &Sequence) {
        self.pen.last_char = None;
        match sequence.intermediates {
            [0, _] if self.has(ModeFlag::Vt52) => self.vt52_escape(sequence.last),
            [0, _] => self.plain_escape(sequence.last),
            [b'#', 0] if sequence.last == b'8' => self.alignment_test(),
            [b'#', 0] => self.set_row_size(sequence.last),
            [b'(' | b')' | b'*' | b'+' | b'-' | b'.' | b'/', _] => self.designate(sequence),
            _ => {}
        }
    }

    #[inline]
    fn csi(&mut self, sequence: &Sequence) {
        // Only the character directly before can be repeated.
        if sequence.last != b'b' {
            self.pen.last_char = None;
        }
        match (sequence.prefix, sequence.intermediates) {
            _ if sequence.malformed => {}
            (0, [0, _]) if sequence.last == b'm' => self.select_graphics(&sequence.params),
            (0, [0, _]) if sequence.last < b'a' => self.csi_upper(sequence),
            (0, [0, _]) => self.csi_lower(sequence),
            (b'?', [0, _]) => self.csi_private(sequence),
            (b'>' | b'=' | b'<', [0, _]) => self.csi_other_prefix(sequence),
            (prefix, [intermediates, 0]) => self.csi_intermediate(sequence, prefix, intermediates),
            _ => {}
        }
    }

    fn osc(&mut self, text: &[u8], bell: bool) {
        self.os_command(text, bell);
    }

    fn dcs(&mut self, sequence: &Sequence, text: &[u8]) {
        if (sequence.prefix, sequence.intermediates, sequence.last) == (0, [b'$', 0], b'q') {
            self.report_setting(text);
        } else if (sequence.prefix, sequence.intermediates, sequence.last) == (0, [b'+', 0], b'q') {
            self.report_capability(text);
        } else if is_sixel(sequence) {
            self.sixel_image(sequence, text);
        }
    }

    fn apc(&mut self, text: &[u8]) {
        self.application_command(text);
    }
}

impl Terminal {
    #[cold]
    fn vt52_address_and_print(&mut self, text: &[u8]) -> usize {
        let rest = self.take_vt52_address(text);
        match std::str::from_utf8(rest) {
            Ok(rest) if !rest.is_empty() => text.len() - rest.len() + self.print_text(rest),
            _ => text.len(),
        }
    }

    fn plain_escape(&mut self, last: u8) {
        match last {
            b'6' => self.back_index(),
            b'7' => self.save_cursor(),
            b'8' => self.restore_cursor(),
            b'9' => self.forward_index(),
            b'=' | b'>' => self.set_keypad(last == b'='),
            b'D' => self.index(),
            b'E' => self.next_line(),
            b'H' => self.settings.tab_stops.set(self.caret.col, true),
            b'M' => self.reverse_index(),
            b'N' => self.caret.charsets.single = Some(2),
            b'O' => self.caret.charsets.single = Some(3),
            b'V' | b'W' => self.set_iso_protection(last == b'V'),
            b'Z' => self.report_device(),
            b'c' => self.reset(),
            b'n' => self.caret.charsets.current = 2,
            b'o' => self.caret.charsets.current = 3,
            _ => {}
        }
    }

    fn csi_upper(&mut self, s: &Sequence) {
        let p = &s.params;
        let n = p.or(0, 1);
        match s.last {
            b'@' => self.insert_chars(n),
            b'A' => self.cursor_up(n),
            b'B' => self.cursor_down(n),
            b'C' => self.cursor_right(n),
            b'D' => self.cursor_left(n),
            b'E' => self.down_to_start(n),
            b'F' => self.up_to_start(n),
            b'G' => self.move_to_column(n),
            b'H' => self.set_position(n, p.or(1, 1)),
            b'I' => self.tab(n),
            b'J' => self.erase_screen(p.get(0), false),
            b'K' => self.erase_line(p.get(0), false),
            b'L' => self.insert_lines(n),
            b'M' => self.delete_lines(n),
            b'P' => self.delete_chars(n),
            b'S' => self.scroll_up(n),
            b'T' if p.len() < 2 => self.scroll_down(n),
            b'X' => self.erase_chars(n),
            b'Z' => self.tab_back(n),
            b'^' => self.scroll_down(n),
            b'`' => self.move_to_column(n),
            _ => {}
        }
    }

    fn csi_lower(&mut self, s: &Sequence) {
        let p = &s.params;
        let n = p.or(0, 1);
        match s.last {
            b'a' => self.column_forward(n),
            b'b' => self.repeat(n),
            b'c' if p.get(0) == 0 => self.report_device(),
            b'd' => self.move_to_line(n),
            b'e' => self.line_forward(n),
            b'f' => self.set_position(n, p.or(1, 1)),
            b'g' => self.clear_tabs(p.get(0)),
            b'h' | b'l' => self.set_modes(p, s.last == b'h'),
            b'n' => self.report_status(p.get(0)),
            b'r' => self.scroll_region(p),
            b's' => self.left_right_or_save(p),
            b't' => self.window_operation(p),
            b'u' => self.restore_cursor(),
            b'x' => self.report_parameters(p.get(0)),
            _ => {}
        }
    }

    fn csi_private(&mut self, s: &Sequence) {
        let p = &s.params;
        match s.last {
            b'J' => self.erase_screen(p.get(0), true),
            b'K' => self.erase_line(p.get(0), true),
            b'W' if p.get(0) == 5 => self.settings.tab_stops = TabStops::new(self.buffers.size.cols),
            b'h' | b'l' => self.set_private_modes(p, s.last == b'h'),
            b'n' => self.report_private_status(p),
            b'r' => self.restore_modes(p),
            b's' => self.save_modes(p),
            b'u' => self.report_kitty(),
            b'm' if p.get(0) == 4 => self.report_modify_keys(),
            _ => {}
        }
    }

    fn csi_other_prefix(&mut self, s: &Sequence) {
        let p = &s.params;
        match (s.prefix, s.last) {
            (b'>', b'c') => self.report_secondary(p.get(0)),
            (b'=', b'c') => self.report_tertiary(p.get(0)),
            (b'>', b'm') => self.modify_keys(p),
            (b'>', b'n') => self.modes.modify_other_keys = 0,
            (b'>', b'q') => self.report_version(p.get(0)),
            (b'>', b'u') => self.kitty_push(p.get(0)),
            (b'<', b'u') => self.kitty_pop(p.or(0, 1)),
            (b'=', b'u') => self.kitty_set(p.get(0), p.or(1, 1)),
            _ => {}
        }
    }

    fn csi_intermediate(&mut self, s: &Sequence, prefix: u8, intermediates: u8) {
        let p = &s.params;
        match (prefix, intermediates, s.last) {
            (0, b' ', b'@') => self.shift_left(p.or(0, 1)),
            (0, b' ', b'A') => self.shift_right(p.or(0, 1)),
            (0, b' ', b'q') => self.cursor_shape(p.get(0)),
            (0, b'!', b'p') => self.soft_reset(),
            (0, b'"', b'p') => self.set_level(p),
            (0, b'"', b'q') => self.set_dec_protection(p.get(0)),
            (0, b'\'', b'}') => self.insert_columns(p.or(0, 1)),
            (0, b'\'', b'~') => self.delete_columns(p.or(0, 1)),
            (0 | b'?', b'$', b'p') => self.report_mode(p.get(0), prefix == b'?'),
            (0, b'$' | b'*', _) => self.rectangle(p, intermediates, s.last),
            _ => {}
        }
    }
}
