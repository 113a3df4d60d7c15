//! Images in a terminal with the kitty graphics protocol. Each is transmitted once and then put where it is visible; an
//! image that moves is put again under the same number, which replaces it without flicker.

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fugue_screen::{ImageData, ImageFormat, ImagePiece, PixelSize, SixelImage};

use super::{ImageKey, ImageLibrary, ShownImage, TerminalCells};

/// The base64 of one chunk, which the protocol limits.
const CHUNK: usize = 4096;

/// The first id that the client uses. Other programs use small or random ones.
const FIRST_ID: u32 = 0x6675_0000;

/// The pixels of a sixel image that is shown with the kitty protocol: in four bytes each, and in base64, they fit into
/// what is written to a terminal at once.
const MOST_CONVERTED_PIXELS: u32 = 2_700_000;

/// Whether a sixel image can be shown.
pub(super) fn can_convert(image: &ShownImage) -> bool {
    let PixelSize { width, height } = image.piece.image_size;
    width.saturating_mul(height) <= MOST_CONVERTED_PIXELS
}

/// The images that the terminal has and shows.
#[derive(Debug, Default)]
pub(super) struct KittyImages {
    /// The ids of images that were transmitted.
    ids: BTreeMap<ImageKey, u32>,
    transmitted: u32,
    /// What is shown, by the image's id and the placement's.
    shown: BTreeMap<(u32, u32), ImagePiece>,
}

impl KittyImages {
    /// Forgets everything: the terminal was cleared, and may have freed its images.
    pub(super) fn forget(&mut self) {
        self.ids.clear();
        self.shown.clear();
    }

    /// Makes the terminal show these images and no others. Only one image is transmitted at a time, so that text is
    /// drawn in between. Returns whether there is more to transmit.
    pub(super) fn show(
        &mut self,
        wanted: &[ShownImage],
        library: &ImageLibrary,
        cells: TerminalCells,
        out: &mut Vec<u8>,
    ) -> bool {
        self.free(library, out);
        let missing = |image: &&ShownImage| !self.ids.contains_key(&image.key());
        let mut missing =
            wanted.iter().filter(missing).filter_map(|image| Some((image.key(), library.get(image.key())?)));
        let (next, rest) = (missing.next(), missing.any(|_| true));
        if let Some((key, data)) = next {
            self.transmit(key, data, out);
        }
        self.place(wanted, cells, out);
        rest
    }

    /// Removes everything.
    pub(super) fn remove_all(&mut self, out: &mut Vec<u8>) {
        for id in self.ids.values() {
            let _ = write!(out, "\x1b_Ga=d,d=I,i={id},q=2\x1b\\");
        }
        self.forget();
    }

    /// Frees images that are not visible in any pane any more.
    fn free(&mut self, library: &ImageLibrary, out: &mut Vec<u8>) {
        let (ids, shown) = (&mut self.ids, &mut self.shown);
        ids.retain(|key, id| {
            let stays = library.get(*key).is_some();
            if !stays {
                let _ = write!(out, "\x1b_Ga=d,d=I,i={id},q=2\x1b\\");
                shown.retain(|(shown, _), _| shown != id);
            }
            stays
        });
    }

    fn transmit(&mut self, key: ImageKey, image: &ImageData, out: &mut Vec<u8>) {
        let id = FIRST_ID + self.transmitted % 0xffff;
        self.transmitted = self.transmitted.wrapping_add(1);
        self.ids.insert(key, id);
        let decoded = (image.format == ImageFormat::Sixel).then(|| {
            SixelImage::decode(image.bytes(), image.size).map(|sixel| sixel.rgba()).unwrap_or_default()
        });
        let format = match image.format {
            ImageFormat::Rgb => 24,
            ImageFormat::Rgba | ImageFormat::Sixel => 32,
            ImageFormat::Png => 100,
        };
        let PixelSize { width, height } = image.size;
        let zlib = if image.zlib { ",o=z" } else { "" };
        let text = STANDARD.encode(decoded.as_deref().unwrap_or(image.bytes()));
        let mut chunks = text.as_bytes().chunks(CHUNK).peekable();
        let mut control = format!("a=t,i={id},f={format},s={width},v={height}{zlib},q=2,");
        while let Some(chunk) = chunks.next() {
            let _ = write!(out, "\x1b_G{control}m={};", u8::from(chunks.peek().is_some()));
            out.extend_from_slice(chunk);
            out.extend_from_slice(b"\x1b\\");
            control.clear();
        }
    }

    /// Puts what is not shown yet, and removes what is not wanted any more.
    fn place(&mut self, wanted: &[ShownImage], cells: TerminalCells, out: &mut Vec<u8>) {
        let mut next: BTreeMap<(u32, u32), ImagePiece> = BTreeMap::new();
        for image in wanted {
            if let Some(&id) = self.ids.get(&image.key()) {
                let number = next.range((id, 0)..=(id, u32::MAX)).count() as u32 + 1;
                next.insert((id, number), image.piece);
            }
        }
        for (id, number) in self.shown.keys().filter(|place| !next.contains_key(place)) {
            let _ = write!(out, "\x1b_Ga=d,d=i,i={id},p={number},q=2\x1b\\");
        }
        for (place, piece) in next.iter().filter(|(place, piece)| self.shown.get(place) != Some(piece)) {
            put(*place, piece, cells, out);
        }
        self.shown = next;
    }
}

/// Puts a part of an image somewhere. In cells of another size than the program counted with, it fills its cells.
fn put((id, number): (u32, u32), piece: &ImagePiece, cells: TerminalCells, out: &mut Vec<u8>) {
    let ImagePiece { row, col, rows, cols, source, offset, z, .. } = piece;
    let _ = write!(out, "\x1b[{};{}H\x1b_Ga=p,i={id},p={number}", row + cells.top_rows + 1, col + 1);
    let _ = write!(out, ",x={},y={},w={},h={}", source.x, source.y, source.width, source.height);
    if piece.is_scaled || cells.size != Some(piece.cell) {
        let _ = write!(out, ",c={cols},r={rows}");
    } else if *offset != (0, 0) {
        let _ = write!(out, ",X={},Y={}", offset.0, offset.1);
    }
    let _ = write!(out, ",z={z},C=1,q=2\x1b\\");
}
