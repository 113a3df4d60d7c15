//! XTGETTCAP: reports capabilities by name. A name that is not in the table is unknown and never repeated in the reply.

use crate::terminal::Terminal;

/// Capabilities by their terminfo names.
const CAPABILITIES: &[(&str, &str)] = &[
    ("TN", "xterm-256color"),
    ("name", "xterm-256color"),
    ("Co", "256"),
    ("colors", "256"),
    ("RGB", "8/8/8"),
    ("Tc", ""),
    ("Su", ""),
    ("Smulx", "\x1b[4:%p1%dm"),
    ("Setulc", "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m"),
    ("Ms", "\x1b]52;%p1%s;%p2%s\x07"),
    ("Ss", "\x1b[%p1%d q"),
    ("Se", "\x1b[2 q"),
    ("Sync", "\x1b[?2026%?%p1%{1}%-%tl%eh%;"),
    ("Pst", "\x1b]7501;%p1%s\x1b\\"),
];

/// The number of questions in one string that are answered.
const MOST: usize = 16;

impl Terminal {
    pub(super) fn report_capability(&mut self, names: &[u8]) {
        for name in names.split(|&byte| byte == b';').take(MOST) {
            match CAPABILITIES.iter().find(|(known, _)| hex(known).as_bytes().eq_ignore_ascii_case(name)) {
                Some((name, "")) => self.reply(&format!("\x1bP1+r{}\x1b\\", hex(name))),
                Some((name, value)) => self.reply(&format!("\x1bP1+r{}={}\x1b\\", hex(name), hex(value))),
                None => self.reply("\x1bP0+r\x1b\\"),
            }
        }
    }
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02X}")).collect()
}
