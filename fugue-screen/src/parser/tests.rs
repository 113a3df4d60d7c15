//! Our parser compared with `vte`: the same bytes give the same result, except for what is listed here.
//!
//! Not compared: raw C1 bytes, which we take for broken UTF-8 as xterm does; strings that CAN or SUB abort, which we
//! drop and vte passes on; and sequences with more than 32 parameters.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

#[derive(Debug, Default, PartialEq)]
struct Transcript(Vec<String>);

impl Transcript {
    fn print(&mut self, c: char) {
        // C1 controls and DEL in text are not handled by the parser.
        if !c.is_control() {
            self.0.push(c.to_string());
        }
    }

    fn csi(&mut self, kind: &str, numbers: &str, around: &str, last: u8) {
        self.0.push(format!("{kind} {numbers} {around} {}", last as char));
    }
}

fn around(s: &Sequence) -> String {
    [s.prefix, s.intermediates[0], s.intermediates[1]]
        .iter()
        .filter(|&&byte| byte != 0)
        .map(|&byte| byte as char)
        .collect()
}

fn numbers(s: &Sequence) -> String {
    let mut out = String::new();
    for (at, value) in s.params.values().iter().enumerate() {
        out.push_str(if at == 0 {
            ""
        } else if s.params.is_joined(at) {
            ":"
        } else {
            ";"
        });
        out.push_str(&value.to_string());
    }
    if out.is_empty() { "0".to_owned() } else { out }
}

impl Handler for Transcript {
    fn is_full(&self) -> bool {
        false
    }
    fn ascii(&mut self, text: &[u8]) -> usize {
        text.iter().for_each(|&byte| self.print(byte as char));
        text.len()
    }
    fn text(&mut self, text: &str) -> usize {
        text.chars().for_each(|c| self.print(c));
        text.len()
    }
    fn control(&mut self, byte: u8) {
        self.0.push(format!("control {byte}"));
    }
    fn escape(&mut self, s: &Sequence) {
        if !s.malformed {
            self.csi("escape", "", &around(s), s.last);
        }
    }
    fn csi(&mut self, s: &Sequence) {
        if !s.malformed {
            Self::csi(self, "csi", &numbers(s), &around(s), s.last);
        }
    }
    fn osc(&mut self, text: &[u8], _bell: bool) {
        self.0.push(format!("osc {text:?}"));
    }
    fn dcs(&mut self, s: &Sequence, text: &[u8]) {
        if !s.malformed {
            self.0.push(format!("dcs {} {} {} {text:?}", numbers(s), around(s), s.last as char));
        }
    }
    fn apc(&mut self, _: &[u8]) {}
}

/// Collects the same from vte, whose device control strings arrive byte by byte.
#[derive(Default)]
struct Vte {
    transcript: Transcript,
    dcs: Option<(String, Vec<u8>)>,
}

fn vte_numbers(params: &vte::Params) -> String {
    let groups = params.iter().map(|group| group.iter().map(u16::to_string).collect::<Vec<_>>().join(":"));
    groups.collect::<Vec<_>>().join(";")
}

impl vte::Perform for Vte {
    fn print(&mut self, c: char) {
        self.transcript.print(c);
    }
    fn execute(&mut self, byte: u8) {
        // Aborting a sequence is not an event.
        if byte < 0x80 && byte != 0x18 && byte != 0x1a {
            self.transcript.0.push(format!("control {byte}"));
        }
    }
    fn csi_dispatch(&mut self, params: &vte::Params, intermediates: &[u8], ignore: bool, last: char) {
        if !ignore {
            self.transcript.csi(
                "csi",
                &vte_numbers(params),
                std::str::from_utf8(intermediates).unwrap(),
                last as u8,
            );
        }
    }
    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, last: u8) {
        if !ignore {
            self.transcript.csi("escape", "", std::str::from_utf8(intermediates).unwrap(), last);
        }
    }
    fn osc_dispatch(&mut self, params: &[&[u8]], _bell: bool) {
        self.transcript.0.push(format!("osc {:?}", params.join(&b';')));
    }
    fn hook(&mut self, params: &vte::Params, intermediates: &[u8], ignore: bool, last: char) {
        let head =
            format!("dcs {} {} {last}", vte_numbers(params), std::str::from_utf8(intermediates).unwrap());
        self.dcs = (!ignore).then_some((head, Vec::new()));
    }
    fn put(&mut self, byte: u8) {
        if let Some((_, text)) = self.dcs.as_mut().filter(|_| byte >= 0x20) {
            text.push(byte);
        }
    }
    fn unhook(&mut self) {
        if let Some((head, text)) = self.dcs.take() {
            self.transcript.0.push(format!("{head} {text:?}"));
        }
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[ -~]{0,12}".prop_map(String::into_bytes),
        2 => "[é漢😀\u{85}]{1,3}".prop_map(String::into_bytes),
        4 => "\x1b\\[[<=>?]?[0-9;:]{0,8}[ !$']{0,1}[@-~]".prop_map(String::into_bytes),
        2 => "\x1b[ #(]{0,2}[0-OQ-WYZ`-~]".prop_map(String::into_bytes),
        2 => "\x1b\\][ -:<-~é]{0,6}(;[ -~]{0,4}){0,3}(\x07|\x1b\\\\)".prop_map(String::into_bytes),
        1 => "\x1bP[?]?[0-9;]{0,4}[$+]?[@-~][ -~]{0,5}\x1b\\\\".prop_map(String::into_bytes),
        1 => "\x1b[X^_][ -~]{0,5}\x1b\\\\".prop_map(String::into_bytes),
        1 => "[\x00-\x17\x19\x1c-\x1f]".prop_map(String::into_bytes),
        1 => "(\x1b\\[[0-9;]{0,3}[\x18\x1a]|[Ãâð])".prop_map(|text| text.chars().map(|c| c as u8).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_parser_agrees_with_vte(pieces in proptest::collection::vec(piece(), 0..30)) {
        let stream = pieces.concat();
        let (mut ours, mut theirs) = (Transcript::default(), Vte::default());
        Parser::default().feed(&stream, &mut ours);
        vte::Parser::new().advance(&mut theirs, &stream);
        prop_assert_eq!(ours.0, theirs.transcript.0);
    }
}
