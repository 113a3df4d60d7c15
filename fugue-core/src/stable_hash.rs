//! A hash that is the same in every version, so that it can be stored.

/// FNV-1a: it tells apart what one client may confuse.
pub(crate) fn of(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_hash_is_the_same_in_every_version() {
        assert_eq!(super::of(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::of("foobar"), 0x8594_4171_f739_67e8);
    }
}
