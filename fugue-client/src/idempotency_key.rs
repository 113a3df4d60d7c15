//! Random idempotency keys.

/// Returns `prefix-` followed by 128 random bits in hexadecimal: an idempotency key that no other call has.
///
/// # Panics
/// If the kernel has no random bytes to give, which `getrandom(2)` rules out once the machine has booted.
pub fn random_key(prefix: &str) -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the kernel provides random bytes");
    format!("{prefix}-{:032x}", u128::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::random_key;

    #[test]
    fn keys_have_the_prefix_and_differ() {
        let (first, second) = (random_key("cli"), random_key("cli"));
        assert!(first.starts_with("cli-") && first.len() == "cli-".len() + 32);
        assert_ne!(first, second);
    }
}
