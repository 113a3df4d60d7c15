//! Setting and resetting modes. Most only change a flag; those that do more have an arm here.

use crate::cursor::CursorShape;
use crate::geometry::Area;
use crate::grid::Grid;
use crate::modes::{ANSI, ModeFlag, Modes, Mouse, MouseEncoding, PRIVATE};
use crate::parser::Params;
use crate::terminal::Terminal;

/// The depth of the stack of kitty keyboard flags; a deeper one forgets its oldest entry.
const DEEPEST_KITTY: usize = 16;

impl Terminal {
    pub(super) fn set_modes(&mut self, p: &Params, on: bool) {
        for &number in p.values() {
            if let Some(&(_, flag)) = ANSI.iter().find(|(known, _)| *known == number) {
                self.modes.set(flag, on);
            }
        }
    }

    pub(super) fn set_private_modes(&mut self, p: &Params, on: bool) {
        for &number in p.values() {
            self.set_private(number, on);
        }
    }

    fn set_private(&mut self, number: u16, on: bool) {
        match number {
            2 => self.set_ansi(on),
            3 => self.columns_132(on),
            6 => self.set_origin(on),
            69 => self.set_left_right_margins(on),
            9 | 1000 | 1002 | 1003 => self.set_mouse(number, on),
            1005 | 1006 | 1015 | 1016 => self.set_mouse_encoding(number, on),
            47 | 1047 | 1049 => self.set_alternate(number, on),
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            2026 => self.set_synchronized(on),
            2048 => self.set_resize_reports(on),
            _ => {
                if let Some(&(_, flag)) = PRIVATE.iter().find(|(known, _)| *known == number) {
                    self.modes.set(flag, on);
                }
            }
        }
    }

    fn set_resize_reports(&mut self, on: bool) {
        self.modes.set(ModeFlag::ResizeReports, on);
        if on {
            self.report_resize();
        }
    }

    fn set_origin(&mut self, on: bool) {
        self.modes.set(ModeFlag::Origin, on);
        self.home();
    }

    /// DECCOLM clears the screen. The width belongs to the pane and does not change.
    fn columns_132(&mut self, on: bool) {
        if !self.has(ModeFlag::AllowColumns132) {
            return;
        }
        self.modes.set(ModeFlag::Columns132, on);
        self.buffers.reset_margins();
        self.modes.set(ModeFlag::LeftRightMargins, false);
        self.erase(Area::whole(self.buffers.size), false);
        self.buffers.grid.make_single(0..self.rows());
        self.move_to(0, 0);
    }

    fn set_mouse(&mut self, number: u16, on: bool) {
        self.modes.mouse = match number {
            _ if !on => Mouse::Off,
            9 => Mouse::Press,
            1000 => Mouse::Buttons,
            1002 => Mouse::Drag,
            _ => Mouse::Motion,
        };
    }

    fn set_mouse_encoding(&mut self, number: u16, on: bool) {
        self.modes.encoding = match number {
            _ if !on => MouseEncoding::Bytes,
            1005 => MouseEncoding::Utf8,
            1006 => MouseEncoding::Sgr,
            1015 => MouseEncoding::Urxvt,
            _ => MouseEncoding::SgrPixels,
        };
    }

    /// 47 switches screens, 1047 also clears when leaving, 1049 also saves the cursor and clears when entering.
    fn set_alternate(&mut self, number: u16, on: bool) {
        if on == self.buffers.alternate {
            if number == 1049 && !on {
                self.restore_cursor();
            }
            return;
        }
        match on {
            true => self.enter_alternate(number == 1049),
            false => self.leave_alternate(number),
        }
        self.revisions.mark_full();
    }

    fn enter_alternate(&mut self, fresh: bool) {
        if fresh {
            self.save_cursor();
        }
        self.buffers.parked_caret = self.caret.clone();
        self.swap_screens();
        if fresh {
            self.clear_grid();
        }
    }

    fn leave_alternate(&mut self, number: u16) {
        if number == 1047 {
            self.clear_grid();
        }
        self.swap_screens();
        if number == 1049 {
            // The alternate screen is cleared before it is shown again, so its memory can be freed.
            self.buffers.hidden = Grid::new(self.buffers.size);
            self.restore_cursor();
        }
    }

    fn clear_grid(&mut self) {
        self.blank_area(Area::whole(self.buffers.size));
        self.buffers.grid.make_single(0..self.rows());
    }

    pub(super) fn swap_screens(&mut self) {
        self.buffers.swap();
        self.modes.kitty = self.buffers.kitty_flags();
    }

    /// Begins or ends a synchronized update: changes are made at once, but viewers see them when it ends.
    fn set_synchronized(&mut self, on: bool) {
        if !on {
            return self.end_sync();
        }
        self.revisions.begin_sync(self.cursor());
        self.modes.set(ModeFlag::Synchronized, true);
    }

    pub(super) fn set_keypad(&mut self, application: bool) {
        self.modes.set(ModeFlag::ApplicationKeypad, application);
    }

    pub(super) fn save_modes(&mut self, p: &Params) {
        for flag in named(p) {
            self.settings.saved_modes.set(flag, self.modes.has(flag));
        }
    }

    pub(super) fn restore_modes(&mut self, p: &Params) {
        for &number in p.values() {
            if let Some(&(_, flag)) = PRIVATE.iter().find(|(known, _)| *known == number) {
                self.set_private(number, self.settings.saved_modes.has(flag));
            }
        }
    }

    pub(super) fn cursor_shape(&mut self, number: u16) {
        self.modes.set(ModeFlag::CursorBlink, matches!(number, 0 | 1 | 3 | 5));
        self.settings.cursor_shape = match number {
            3 | 4 => CursorShape::Underline,
            5 | 6 => CursorShape::Bar,
            _ => CursorShape::Block,
        };
    }

    pub(super) fn modify_keys(&mut self, p: &Params) {
        if p.get(0) == 4 || p.len() == 0 {
            self.modes.modify_other_keys = p.get(1).min(2) as u8;
        }
    }

    pub(super) fn kitty_push(&mut self, flags: u16) {
        if self.buffers.state.kitty.len() == DEEPEST_KITTY {
            self.buffers.state.kitty.remove(0);
        }
        if self.buffers.state.kitty.is_empty() {
            self.buffers.state.kitty.push(self.modes.kitty);
        }
        self.buffers.state.kitty.push(flags as u8 & 31);
        self.modes.kitty = flags as u8 & 31;
    }

    pub(super) fn kitty_pop(&mut self, count: usize) {
        let left = self.buffers.state.kitty.len().saturating_sub(count);
        self.buffers.state.kitty.truncate(left);
        self.modes.kitty = self.buffers.kitty_flags();
    }

    /// Changes the flags in effect: 1 replaces, 2 adds, 3 removes.
    pub(super) fn kitty_set(&mut self, flags: u16, how: usize) {
        let flags = flags as u8 & 31;
        self.modes.kitty = match how {
            1 => flags,
            2 => self.modes.kitty | flags,
            3 => self.modes.kitty & !flags,
            _ => return,
        };
        match self.buffers.state.kitty.last_mut() {
            Some(top) => *top = self.modes.kitty,
            None => self.buffers.state.kitty.push(self.modes.kitty),
        }
    }
}

fn named(p: &Params) -> impl Iterator<Item = ModeFlag> {
    p.values()
        .iter()
        .filter_map(|number| PRIVATE.iter().find(|(known, _)| known == number).map(|&(_, flag)| flag))
}

/// The state that DECRQM reports: 0 unknown, 1 set, 2 reset, 4 permanently reset.
pub(super) fn mode_state(modes: &Modes, alternate: bool, number: u16, private: bool) -> u8 {
    let table = if private { PRIVATE } else { ANSI };
    if let Some(&(_, flag)) = table.iter().find(|(known, _)| *known == number) {
        return if modes.has(flag) { 1 } else { 2 };
    }
    let on = match number {
        _ if !private => return if matches!(number, 1 | 3 | 5 | 7 | 10 | 11 | 13..=19) { 4 } else { 0 },
        2 => !modes.has(ModeFlag::Vt52),
        9 => modes.mouse == Mouse::Press,
        1000 => modes.mouse == Mouse::Buttons,
        1002 => modes.mouse == Mouse::Drag,
        1003 => modes.mouse == Mouse::Motion,
        1005 => modes.encoding == MouseEncoding::Utf8,
        1006 => modes.encoding == MouseEncoding::Sgr,
        1015 => modes.encoding == MouseEncoding::Urxvt,
        1016 => modes.encoding == MouseEncoding::SgrPixels,
        47 | 1047 | 1049 => alternate,
        8 | 57 | 58 | 60 | 61 | 64 | 68 | 73 | 81 => return 4,
        _ => return 0,
    };
    if on { 1 } else { 2 }
}
