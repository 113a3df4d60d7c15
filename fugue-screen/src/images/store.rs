//! The images in one pane. Each is kept once, whatever the number of places where it is shown. The oldest lose their
//! bytes when there are too many; a viewer then sees a placeholder.

use std::collections::VecDeque;
use std::sync::Arc;

use super::data::{ImageData, PixelSize};
use super::transmission::TransmittedImage;

/// The bytes of a pane's images: several screens full, so that one pane cannot use up the total.
const PANE_BYTES: usize = 16 << 20;

/// The images of a pane, with or without bytes: more than a file manager shows at once.
pub(crate) const MOST_IMAGES: usize = 256;

/// An image of a pane.
#[derive(Debug, Clone)]
pub(crate) struct StoredImage {
    pub key: u64,
    /// The id that the program gave it, or 0.
    pub id: u32,
    /// The number that the program gave it, or 0.
    pub number: u32,
    pub size: PixelSize,
    /// Nothing if the bytes had to be dropped.
    pub data: Option<Arc<ImageData>>,
}

/// The images of a pane, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImageStore {
    pub images: VecDeque<StoredImage>,
    pub last_key: u64,
}

impl ImageStore {
    /// Adds an image, and returns its key and the keys of those that had to go: one of the same id, or the oldest.
    pub(crate) fn insert(&mut self, id: u32, number: u32, image: TransmittedImage) -> (u64, Vec<u64>) {
        let mut gone = Vec::new();
        if id != 0
            && let Some(at) = self.images.iter().position(|known| known.id == id)
        {
            gone.extend(self.images.remove(at).map(|image| image.key));
        }
        if self.images.len() >= MOST_IMAGES {
            gone.extend(self.images.pop_front().map(|image| image.key));
        }
        self.last_key += 1;
        let TransmittedImage { format, zlib, size, bytes } = image;
        let key = self.last_key;
        while self.bytes() + bytes.as_deref().map_or(0, <[u8]>::len) > PANE_BYTES && self.drop_oldest() {}
        let data = bytes.map(|bytes| Arc::new(ImageData { key, format, zlib, size, bytes }));
        self.images.push_back(StoredImage { key, id, number, size, data });
        (key, gone)
    }

    fn bytes(&self) -> usize {
        self.images.iter().filter_map(|image| image.data.as_ref()).map(|data| data.bytes().len()).sum()
    }

    /// Drops the bytes of the oldest image that has some. Returns whether there was one.
    pub(crate) fn drop_oldest(&mut self) -> bool {
        self.images.iter_mut().find_map(|image| image.data.take()).is_some()
    }

    pub(crate) fn get(&self, key: u64) -> Option<&StoredImage> {
        self.images.iter().find(|image| image.key == key)
    }

    /// The image of this id, or the newest of this number.
    pub(crate) fn find(&self, id: u32, number: u32) -> Option<&StoredImage> {
        self.images.iter().rev().find(|image| match id {
            0 => number != 0 && image.number == number,
            id => image.id == id,
        })
    }

    /// An id that is not in use, for an image that the program only gave a number.
    pub(crate) fn free_id(&self) -> u32 {
        let is_free = |id: &u32| self.images.iter().all(|image| image.id != *id);
        (1..=u32::MAX).rev().find(is_free).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::CountedBytes;
    use super::super::data::ImageFormat;
    use super::*;

    fn image(length: usize) -> TransmittedImage {
        let mut bytes = CountedBytes::default();
        assert!(bytes.extend(&vec![0; length]));
        let size = PixelSize { width: 1, height: 1 };
        TransmittedImage { format: ImageFormat::Rgb, zlib: true, size, bytes: Some(bytes) }
    }

    #[test]
    fn the_oldest_images_lose_their_bytes() {
        let mut store = ImageStore::default();
        (1..=5).for_each(|id| drop(store.insert(id, 0, image(4 << 20))));
        let kept: Vec<bool> = store.images.iter().map(|image| image.data.is_some()).collect();
        assert_eq!(kept, [false, true, true, true, true]);
        assert!(store.bytes() <= PANE_BYTES);
    }

    #[test]
    fn an_id_is_used_once_and_the_number_of_images_is_bounded() {
        let mut store = ImageStore::default();
        let (first, _) = store.insert(7, 0, image(1));
        assert_eq!(store.insert(7, 0, image(1)).1, [first]);
        (0..MOST_IMAGES).for_each(|_| drop(store.insert(0, 3, image(1))));
        assert_eq!(store.images.len(), MOST_IMAGES);
        assert!(store.find(7, 0).is_none() && store.find(0, 0).is_none());
        assert_eq!(store.find(0, 3).map(|image| image.key), Some(store.last_key));
        assert_eq!(store.free_id(), u32::MAX);
    }
}
