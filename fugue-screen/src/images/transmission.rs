//! A transmission of the kitty graphics protocol: chunks of base64 that together are one image.

use super::bytes::CountedBytes;
use super::command::KittyCommand;
use super::data::{ImageFormat, PixelSize};
use crate::untrusted_text::base64_decode;

/// The bytes of one image: a screenshot of a 4K display as PNG has about this size.
pub(crate) const IMAGE_BYTES: usize = 4 << 20;

/// The chunks of one image: programs send 4 KiB at once, and the largest image has 1,366 of these. A program that sends
/// far smaller ones, or never the last, does not get to keep its memory.
pub(crate) const MOST_CHUNKS: usize = 16 << 10;

/// The beginning of an image that is kept for its size: the header of a PNG file.
pub(crate) const HEAD_BYTES: usize = 24;

/// A reason that a command fails, as the program is told: kitty's code, then words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImageError(pub &'static str);

const NOT_DIRECT: ImageError = ImageError("ENOTSUP:only direct transmission is supported");
pub(crate) const NO_PLACEHOLDERS: ImageError = ImageError("ENOTSUP:Unicode placeholders are not supported");
pub(crate) const NOT_SUPPORTED: ImageError = ImageError("ENOTSUP:action not supported");
pub(crate) const NO_IMAGE: ImageError = ImageError("ENOENT:no such image");
const TOO_LARGE: ImageError = ImageError("EFBIG:image too large");
const BAD_BASE64: ImageError = ImageError("EINVAL:invalid base64");
const BAD_FORMAT: ImageError = ImageError("EINVAL:unknown format");
const BAD_PNG: ImageError = ImageError("EBADPNG:not a PNG file");
const BAD_LENGTH: ImageError = ImageError("ENODATA:wrong amount of data");

/// The errors that a transmission can have before it is complete, by number, for snapshots.
pub(crate) const EARLY_ERRORS: [ImageError; 4] = [NOT_DIRECT, TOO_LARGE, BAD_BASE64, NO_PLACEHOLDERS];

/// An image that is being transmitted.
#[derive(Debug, Clone)]
pub(crate) struct Transmission {
    pub command: KittyCommand,
    /// The first chunk's control data, for snapshots.
    pub control: Vec<u8>,
    bytes: CountedBytes,
    /// The first bytes.
    pub head: Vec<u8>,
    /// The number of bytes received.
    pub received: usize,
    pub chunks: usize,
    pub error: Option<ImageError>,
    /// The bytes are not kept: there was no room, or they were not in a snapshot.
    pub is_lost: bool,
}

/// An image that was transmitted completely.
#[derive(Debug)]
pub(crate) struct TransmittedImage {
    pub format: ImageFormat,
    pub zlib: bool,
    pub size: PixelSize,
    /// Nothing if there was no room.
    pub bytes: Option<CountedBytes>,
}

impl Transmission {
    pub(crate) fn new(control: &[u8], command: KittyCommand) -> Self {
        let error = match command.medium {
            _ if command.is_virtual => Some(NO_PLACEHOLDERS),
            0 | b'd' => None,
            _ => Some(NOT_DIRECT),
        };
        Self {
            command,
            control: control.to_vec(),
            bytes: CountedBytes::default(),
            head: Vec::new(),
            received: 0,
            chunks: 0,
            error,
            is_lost: false,
        }
    }

    /// Adds a chunk. `make_room` drops an older image, and returns whether there was one.
    pub(crate) fn add(&mut self, payload: &[u8], mut make_room: impl FnMut() -> bool) {
        self.chunks += 1;
        if self.error.is_some() {
            return;
        }
        let Some(decoded) = base64_decode(payload) else { return self.fail(BAD_BASE64) };
        self.received += decoded.len();
        if self.received > IMAGE_BYTES || self.chunks > MOST_CHUNKS {
            return self.fail(TOO_LARGE);
        }
        let wanted = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&decoded[..wanted.min(decoded.len())]);
        while !self.is_lost && !self.bytes.extend(&decoded) {
            if !make_room() {
                self.lose();
            }
        }
    }

    /// Drops the bytes; the image is shown as a placeholder.
    pub(crate) fn lose(&mut self) {
        self.is_lost = true;
        self.bytes = CountedBytes::default();
    }

    fn fail(&mut self, error: ImageError) {
        self.error = Some(error);
        self.bytes = CountedBytes::default();
    }

    /// The image, once its last chunk is there.
    pub(crate) fn finish(self) -> Result<TransmittedImage, ImageError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let format = match self.command.format {
            24 => ImageFormat::Rgb,
            0 | 32 => ImageFormat::Rgba,
            100 => ImageFormat::Png,
            _ => return Err(BAD_FORMAT),
        };
        let zlib = self.command.compression == b'z';
        let size = self.size(format, zlib)?;
        let bytes = (!self.is_lost).then(|| self.bytes.complete());
        Ok(TransmittedImage { format, zlib, size, bytes })
    }

    fn size(&self, format: ImageFormat, zlib: bool) -> Result<PixelSize, ImageError> {
        let named = PixelSize { width: self.command.width, height: self.command.height };
        let size = match format {
            ImageFormat::Png if !zlib => png_size(&self.head).ok_or(BAD_PNG)?,
            _ => named,
        };
        if !size.is_drawable() {
            return Err(TOO_LARGE);
        }
        let depth = if format == ImageFormat::Rgb { 3 } else { 4 };
        let expected = u64::from(size.width) * u64::from(size.height) * depth;
        match format == ImageFormat::Png || zlib || self.received as u64 == expected {
            true => Ok(size),
            false => Err(BAD_LENGTH),
        }
    }
}

/// The size of a PNG file, from its header.
fn png_size(head: &[u8]) -> Option<PixelSize> {
    let side = head.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
    let (width, height) = (side.first_chunk()?, side.get(4..)?.first_chunk()?);
    Some(PixelSize { width: u32::from_be_bytes(*width), height: u32::from_be_bytes(*height) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(control: &str) -> Transmission {
        let command = KittyCommand::parse(control.as_bytes()).expect("a command");
        Transmission::new(control.as_bytes(), command)
    }

    fn transmit(control: &str, chunks: &[&str]) -> Result<TransmittedImage, ImageError> {
        let mut transmission = begun(control);
        chunks.iter().for_each(|chunk| transmission.add(chunk.as_bytes(), || false));
        transmission.finish()
    }

    #[test]
    fn chunks_are_joined_and_checked() {
        let image = transmit("f=24,s=2,v=1", &["AAEC", "AwQF"]).expect("an image");
        assert_eq!(image.bytes.expect("its bytes")[..], [0, 1, 2, 3, 4, 5]);
        assert_eq!(transmit("f=24,s=2,v=1", &["AAEC"]).err(), Some(BAD_LENGTH));
        assert_eq!(transmit("f=24,s=2,v=1", &["A*EC"]).err(), Some(BAD_BASE64));
        assert_eq!(transmit("f=24,s=2,v=99999", &["AAEC"]).err(), Some(TOO_LARGE));
        assert_eq!(transmit("f=7,s=2,v=1", &["AAEC"]).err(), Some(BAD_FORMAT));
        assert_eq!(transmit("t=f,f=24,s=2,v=1", &["L2V0Yy9wYXNzd2Q="]).err(), Some(NOT_DIRECT));
        assert!(transmit("f=24,s=2,v=1,o=z", &["AAEC"]).is_ok(), "compressed data has any length");
    }

    #[test]
    fn the_size_of_a_png_is_in_its_header() {
        let png = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHg";
        let image = transmit("f=100", &[png]).expect("an image");
        assert_eq!(image.size, PixelSize { width: 640, height: 480 });
        assert_eq!(transmit("f=100", &["AAEC"]).err(), Some(BAD_PNG));
    }

    #[test]
    fn too_many_bytes_or_chunks_fail() {
        let chunk = "AAAA".repeat(1 << 18);
        let mut transmission = begun("f=24,s=2,v=1");
        (0..6).for_each(|_| transmission.add(chunk.as_bytes(), || false));
        assert_eq!((transmission.error, transmission.bytes.len()), (Some(TOO_LARGE), 0));
        let mut transmission = begun("f=24,s=2,v=1");
        (0..=MOST_CHUNKS).for_each(|_| transmission.add(b"", || false));
        assert_eq!(transmission.error, Some(TOO_LARGE));
    }
}
