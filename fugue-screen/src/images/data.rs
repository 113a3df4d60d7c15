//! An image as it was transmitted: its format, its size and its bytes, which are passed on as they are.

use super::bytes::CountedBytes;
use crate::binary_format::{DecodeError, Reader, put_bytes, put_number};

/// A size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PixelSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// The longest side of an image: as in kitty, more than any display shows.
const LONGEST_SIDE: u32 = 10_000;

/// The pixels of an image: 64 MiB where it is drawn, twice a 4K display.
const MOST_PIXELS: u64 = 16 << 20;

impl PixelSize {
    /// Whether an image may have this size.
    pub(crate) fn is_drawable(self) -> bool {
        let side = 1..=LONGEST_SIDE;
        let pixels = u64::from(self.width) * u64::from(self.height);
        side.contains(&self.width) && side.contains(&self.height) && pixels <= MOST_PIXELS
    }
}

/// The encoding of an image's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// Three bytes for each pixel.
    Rgb,
    /// Four bytes for each pixel.
    Rgba,
    /// A PNG file.
    Png,
    /// A device control string without its introducer and terminator.
    Sixel,
}

const FORMATS: [ImageFormat; 4] = [ImageFormat::Rgb, ImageFormat::Rgba, ImageFormat::Png, ImageFormat::Sixel];

/// An image that a program transmitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageData {
    /// Its number, by which [`crate::ImagePiece`] refers to it. A screen uses each number once.
    pub key: u64,
    /// The encoding of its bytes.
    pub format: ImageFormat,
    /// Whether the bytes are compressed with zlib, too.
    pub zlib: bool,
    /// Its size.
    pub size: PixelSize,
    pub(crate) bytes: CountedBytes,
}

impl ImageData {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Encodes the image for the wire.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + 32);
        put_number(&mut out, self.key);
        put_number(&mut out, self.format as u64 | u64::from(self.zlib) << 2);
        put_number(&mut out, u64::from(self.size.width));
        put_number(&mut out, u64::from(self.size.height));
        put_bytes(&mut out, &self.bytes);
        out
    }

    /// Decodes an image.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let (key, head) = (input.number()?, input.number()?);
        let size = PixelSize { width: input.small()?, height: input.small()? };
        let mut bytes = CountedBytes::default();
        if !size.is_drawable() || !bytes.extend(input.bytes()?) {
            return Err(DecodeError("an image is too large"));
        }
        let format = FORMATS[(head & 3) as usize];
        // A terminal gets the bytes of sixel as they are.
        let is_printable = |byte: &u8| matches!(byte, b' '..=b'~');
        if format == ImageFormat::Sixel && !bytes.iter().all(is_printable) {
            return Err(DecodeError("a sixel image has control characters"));
        }
        Ok(Self { key, format, zlib: head & 4 != 0, size, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sixel_image_that_would_control_a_terminal_is_refused() {
        let image = |text: &[u8]| {
            let mut bytes = CountedBytes::default();
            bytes.extend(text);
            let size = PixelSize { width: 6, height: 6 };
            ImageData { key: 7, format: ImageFormat::Sixel, zlib: false, size, bytes }
        };
        assert!(ImageData::decode(&image(b"0;1;0q!6~").encode()).is_ok());
        for text in [&b"q~\x1b\\\x1b]0;title\x07"[..], b"q~\x9c", b"q\n"] {
            assert!(ImageData::decode(&image(text).encode()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_image_is_the_same_after_the_wire() {
        let mut bytes = CountedBytes::default();
        bytes.extend(b"pixels");
        let size = PixelSize { width: 640, height: 480 };
        let image = ImageData { key: 7, format: ImageFormat::Png, zlib: true, size, bytes };
        let wire = image.encode();
        assert_eq!(ImageData::decode(&wire), Ok(image));
        assert!((0..wire.len()).all(|end| ImageData::decode(&wire[..end]).is_err()));
    }
}
