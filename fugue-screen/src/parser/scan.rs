//! The loops that look at every byte of output to find how far text extends.

/// Length of the printable ASCII at the start.
#[inline]
pub(crate) fn printable_ascii(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks_exact(16) {
        // Without an early exit inside the chunk, so that it compiles to vector code.
        let odd = chunk.iter().fold(false, |odd, &byte| odd | (byte.wrapping_sub(0x20) > 0x5e));
        if odd {
            break;
        }
        at += 16;
    }
    at + bytes[at..].iter().position(|&byte| byte.wrapping_sub(0x20) > 0x5e).unwrap_or(bytes.len() - at)
}

/// Length of the text before the first C0 control or DEL.
#[inline]
pub(crate) fn text_without_controls(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks_exact(16) {
        let odd = chunk.iter().fold(false, |odd, &byte| odd | (byte < 0x20) | (byte == 0x7f));
        if odd {
            break;
        }
        at += 16;
    }
    at + bytes[at..].iter().position(|&byte| byte < 0x20 || byte == 0x7f).unwrap_or(bytes.len() - at)
}
