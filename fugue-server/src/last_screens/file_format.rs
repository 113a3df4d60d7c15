//! The format of a saved screen: a header, the checksum of the snapshot, and the snapshot. A file that a crash or a full
//! disk left incomplete does not match its checksum.

/// The header, with the version of the format.
const HEADER: &[u8] = b"fugue-last-screen 1\n";

/// Encodes a snapshot.
pub(super) fn encode(snapshot: &[u8]) -> Vec<u8> {
    [HEADER, &crc32fast::hash(snapshot).to_le_bytes(), snapshot].concat()
}

/// Returns the snapshot in a file; none if the file is damaged.
pub(super) fn decode(file: &[u8]) -> Option<&[u8]> {
    let (checksum, snapshot) = file.strip_prefix(HEADER)?.split_first_chunk::<4>()?;
    (crc32fast::hash(snapshot) == u32::from_le_bytes(*checksum)).then_some(snapshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_damage_is_noticed() {
        let good = encode(b"a screen");
        assert_eq!(decode(&good), Some(&b"a screen"[..]));
        for at in 0..good.len() {
            let mut flipped = good.clone();
            flipped[at] ^= 1;
            assert_eq!(decode(&flipped), None, "byte {at}");
            assert_eq!(decode(&good[..at]), None, "cut at {at}");
        }
    }
}
