//! Encoding a part of a decoded image, for a pane that shows no more of it.

use std::collections::BTreeMap;
use std::io::Write;

use super::super::placement::PixelRect;
use super::colors::to_percent;
use super::decode::SixelImage;
use super::scan::ROW_HEIGHT;

/// Repetitions shorter than this are not worth a count.
const SHORTEST_RUN: usize = 4;

impl SixelImage {
    /// A part of the image as a device control string; nothing if that would be longer than this many bytes.
    pub fn encode(&self, part: PixelRect, most: usize) -> Option<Vec<u8>> {
        let right = part.x.saturating_add(part.width).min(self.size.width);
        let bottom = part.y.saturating_add(part.height).min(self.size.height);
        let (x, y) = (part.x.min(right), part.y.min(bottom));
        let mut out = Vec::new();
        let _ = write!(out, "\x1bP0;1;0q\"1;1;{};{}", right - x, bottom - y);
        let mut defined = vec![false; self.colors.len() + 1];
        for top in (y..bottom).step_by(ROW_HEIGHT as usize) {
            let rows = self.sixels((x, right), (top, bottom.min(top + ROW_HEIGHT)));
            for (&color, sixels) in &rows {
                self.put_color(&mut out, color, &mut defined);
                put_sixels(&mut out, sixels);
                out.push(b'$');
            }
            out.push(b'-');
            if out.len() > most {
                return None;
            }
        }
        out.extend_from_slice(b"\x1b\\");
        Some(out)
    }

    /// One row of sixels: for each color, the bits of each column up to the last that has some.
    fn sixels(&self, (left, right): (u32, u32), (top, bottom): (u32, u32)) -> BTreeMap<u16, Vec<u8>> {
        let mut rows: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
        for (bit, row) in (top..bottom).enumerate() {
            let begin = row as usize * self.size.width as usize;
            let pixels = &self.pixels[begin + left as usize..begin + right as usize];
            for (at, &color) in pixels.iter().enumerate().filter(|(_, color)| **color != 0) {
                let sixels = rows.entry(color).or_default();
                if sixels.len() <= at {
                    sixels.resize(at + 1, 0);
                }
                sixels[at] |= 1 << bit;
            }
        }
        rows
    }

    /// Selects a color; the first time it is defined before, which does not select it in xterm.
    fn put_color(&self, out: &mut Vec<u8>, color: u16, defined: &mut [bool]) {
        let register = usize::from(color) - 1;
        let _ = match std::mem::replace(&mut defined[usize::from(color)], true) {
            true => write!(out, "#{register}"),
            false => {
                let (r, g, b) = self.colors[register];
                let (r, g, b) = (to_percent(r), to_percent(g), to_percent(b));
                write!(out, "#{register};2;{r};{g};{b}#{register}")
            }
        };
    }
}

fn put_sixels(out: &mut Vec<u8>, sixels: &[u8]) {
    for run in sixels.chunk_by(|a, b| a == b) {
        let byte = b'?' + run[0];
        match run.len() < SHORTEST_RUN {
            true => out.extend(run.iter().map(|_| byte)),
            false => {
                let _ = write!(out, "!{}{}", run.len(), byte as char);
            }
        }
    }
}
