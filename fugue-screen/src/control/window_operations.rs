//! Window operations. A program cannot change the size or the position of its pane; harmless queries are answered.

use crate::parser::Params;
use crate::terminal::Terminal;

impl Terminal {
    pub(super) fn window_operation(&mut self, p: &Params) {
        let (rows, cols) = (self.rows(), self.cols());
        let (width, height) = self.cell_pixels();
        match p.get(0) {
            11 => self.reply("\x1b[1t"),
            13 => self.reply("\x1b[3;0;0t"),
            14 => self.reply(&format!("\x1b[4;{};{}t", rows * height, cols * width)),
            15 => self.reply(&format!("\x1b[5;{};{}t", rows * height, cols * width)),
            16 => self.reply(&format!("\x1b[6;{height};{width}t")),
            18 => self.reply(&format!("\x1b[8;{rows};{cols}t")),
            19 => self.reply(&format!("\x1b[9;{rows};{cols}t")),
            22 if p.get(1) != 1 => self.reports.title.push(),
            23 if p.get(1) != 1 => self.pop_title(),
            _ => {}
        }
    }

    /// Reports a new size to a program that asked for it with mode 2048.
    pub(crate) fn report_resize(&mut self) {
        let (rows, cols) = (self.rows(), usize::from(self.buffers.size.cols));
        let (width, height) = self.cell_pixels();
        self.reply(&format!("\x1b[48;{rows};{cols};{};{}t", rows * height, cols * width));
    }

    /// The width and height of a cell in pixels, for programs that need them.
    fn cell_pixels(&self) -> (usize, usize) {
        let cell = self.images.cell();
        (cell.width as usize, cell.height as usize)
    }

    fn pop_title(&mut self) {
        if let Some(title) = self.reports.title.pop() {
            self.set_title(title);
        }
    }
}
