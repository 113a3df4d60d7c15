//! The id of a message that is too long to be kept: it is found while the bytes pass by, so that the caller gets an
//! answer instead of waiting forever. Some clients write the id last.

use rmcp::model::RequestId;

/// The longest id that is read, in bytes with its quotes: clients number their requests or use a UUID.
const MAX_ID: usize = 256;

/// Finds the top-level `id` of a JSON object in a stream of bytes.
#[derive(Debug, Default)]
pub(in crate::bridge) struct IdScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The field whose value is being read, at the top level.
    key: Vec<u8>,
    /// The bytes of the current key or value, at the top level. One byte more than the longest id means "too long".
    token: Vec<u8>,
    id: Option<RequestId>,
}

impl IdScanner {
    /// Reads more of the message.
    pub(in crate::bridge) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.read(*byte);
        }
    }

    /// The id, if the message had a readable one.
    pub(in crate::bridge) fn finish(self) -> Option<RequestId> {
        self.id
    }

    fn read(&mut self, byte: u8) {
        match (self.in_string, byte) {
            (true, _) if self.escaped => self.escaped = false,
            (true, b'\\') => self.escaped = true,
            (_, b'"') => self.in_string = !self.in_string,
            (false, b'{' | b'[') => return self.depth += 1,
            (false, b'}' | b']') => return self.close(),
            (false, b':') if self.depth == 1 => return self.key = std::mem::take(&mut self.token),
            (false, b',') if self.depth == 1 => return self.end_field(),
            _ => {}
        }
        if self.depth == 1 && self.token.len() <= MAX_ID {
            self.token.push(byte);
        }
    }

    fn close(&mut self) {
        if self.depth == 1 {
            self.end_field();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn end_field(&mut self) {
        let (key, value) = (std::mem::take(&mut self.key), std::mem::take(&mut self.token));
        if key.trim_ascii() == b"\"id\"" && value.len() <= MAX_ID {
            self.id = serde_json::from_slice(&value).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(message: &str) -> Option<String> {
        let mut scanner = IdScanner::default();
        // Byte by byte: a message arrives in pieces.
        message.as_bytes().chunks(1).for_each(|byte| scanner.feed(byte));
        scanner.finish().map(|id| id.to_string())
    }

    #[test]
    fn only_the_id_of_the_message_itself_is_found() {
        let first = r#"{"jsonrpc":"2.0", "id" : 7 ,"method":"x","params":{"id":8,"a":[{"id":9}]}}"#;
        assert_eq!(id(first), Some("7".into()));
        let last = r#"{"method":"x","params":{"t":"},\"id\":8,{"},"jsonrpc":"2.0","id":"a,b:\"}c"}"#;
        assert_eq!(id(last), Some(r#"a,b:"}c"#.into()));
        for without in
            [r#"{"method":"x","params":{"id":8}}"#, r#"{"id":null}"#, r#"{"id":1.5}"#, "[{\"id\":1}]", ""]
        {
            assert_eq!(id(without), None, "{without}");
        }
    }

    #[test]
    fn an_id_is_read_up_to_its_longest_length() {
        let of = |length: usize| id(&format!(r#"{{"id":"{}"}}"#, "x".repeat(length)));
        assert_eq!(of(MAX_ID - 2).map(|id| id.len()), Some(MAX_ID - 2));
        assert_eq!(of(MAX_ID - 1), None);
    }
}
