//! Sixel: rows of six pixels each, one color at a time. The daemon only measures an image; a viewer that shows a part of
//! it, or has to draw it in another way, decodes it.

mod colors;
mod decode;
mod encode;
mod scan;

pub use decode::SixelImage;
pub(crate) use scan::measure;

#[cfg(test)]
mod tests {
    use super::super::data::PixelSize;
    use super::super::placement::PixelRect;
    use super::*;

    /// Red and green rows, and a blue corner.
    const FLAG: &[u8] = b"0;1q\"1;1;4;8#1;2;100;0;0#2;2;0;100;0#3;2;0;0;100#1!4B$#2!4w-#3!2B";

    fn whole(size: PixelSize) -> PixelRect {
        PixelRect { x: 0, y: 0, width: size.width, height: size.height }
    }

    #[test]
    fn an_image_is_measured_by_its_pixels_and_its_raster_attributes() {
        let size = |data: &str| measure(data.as_bytes()).map(|size| (size.width, size.height));
        assert_eq!(size("#0!10~-!3@"), Some((10, 7)));
        assert_eq!(size("\"1;1;20;30~"), Some((20, 30)));
        assert_eq!(size("~~$~~~--"), Some((3, 6)), "empty rows at the end have no height");
        assert_eq!(size(""), None);
        assert_eq!(size("#0;2;0;0;0"), None);
        assert_eq!(size("!99999999999~"), None, "too wide");
        assert_eq!(size(&"~-".repeat(2000)), None, "too high");
    }

    #[test]
    fn an_image_is_the_same_after_decoding_and_encoding() {
        let size = measure(&FLAG[4..]).expect("a size");
        let image = SixelImage::decode(FLAG, size).expect("an image");
        let again = image.encode(whole(size), usize::MAX).expect("all of it");
        let data = again.strip_prefix(b"\x1bP").and_then(|data| data.strip_suffix(b"\x1b\\")).expect("a DCS");
        assert_eq!(SixelImage::decode(data, size).expect("an image").rgba(), image.rgba());
    }

    #[test]
    fn pixels_have_colors_or_are_transparent() {
        let size = measure(&FLAG[4..]).expect("a size");
        let rgba = SixelImage::decode(FLAG, size).expect("an image").rgba();
        let pixel = |x: usize, y: usize| &rgba[(y * 4 + x) * 4..][..4];
        assert_eq!((pixel(0, 0), pixel(3, 1)), (&[255, 0, 0, 255][..], &[255, 0, 0, 255][..]));
        assert_eq!((pixel(0, 3), pixel(1, 6)), (&[0, 255, 0, 255][..], &[0, 0, 255, 255][..]));
        assert_eq!((pixel(0, 2), pixel(3, 7)), (&[0, 0, 0, 0][..], &[0, 0, 0, 0][..]));
    }

    #[test]
    fn a_part_of_an_image_is_encoded_alone() {
        let size = measure(&FLAG[4..]).expect("a size");
        let image = SixelImage::decode(FLAG, size).expect("an image");
        let part = image.encode(PixelRect { x: 1, y: 3, width: 2, height: 5 }, usize::MAX).expect("a part");
        let data = part.strip_prefix(b"\x1bP").and_then(|data| data.strip_suffix(b"\x1b\\")).expect("a DCS");
        let size = PixelSize { width: 2, height: 5 };
        let rgba = SixelImage::decode(data, size).expect("an image").rgba();
        assert_eq!(
            (&rgba[..4], &rgba[3 * 8..][..8]),
            (&[0, 255, 0, 255][..], &[0, 0, 255, 255, 0, 0, 0, 0][..])
        );
    }

    #[test]
    fn garbage_is_decoded_to_something() {
        let garbage: Vec<u8> = (0..4000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let _ = measure(&garbage);
        let image = SixelImage::decode(&garbage, PixelSize { width: 50, height: 50 });
        image.into_iter().for_each(|image| {
            drop(image.encode(PixelRect { x: 40, y: 40, width: 99, height: 99 }, usize::MAX));
        });
    }
}
