//! Corpora of the kinds of output that matter: logs, colors, other scripts, full-screen redraws. The bytes are always
//! the same.

/// The approximate size of each corpus.
const BYTES: usize = 4 << 20;

type Adds = fn(usize, &mut Vec<u8>);

/// All corpora by name.
pub(crate) const CORPORA: [(&str, Adds); 7] = [
    ("a plain lines", plain_line),
    ("b dense color", colored_line),
    ("b2 many colors", many_colors_line),
    ("c other scripts", foreign_line),
    ("d redraws", |n, out| redraw(n, out, false)),
    ("d2 synchronized redraws", |n, out| redraw(n, out, true)),
    ("e scroll region", scroll_region),
];

/// Returns a corpus that is filled by repeating `add`.
pub(crate) fn filled(add: Adds) -> Vec<u8> {
    let mut out = Vec::with_capacity(BYTES + 8192);
    for n in 0.. {
        if out.len() >= BYTES {
            break;
        }
        add(n, &mut out);
    }
    out
}

const WORDS: [&str; 12] = [
    "info",
    "request",
    "finished",
    "in",
    "connection",
    "from",
    "cache",
    "miss",
    "worker",
    "queue",
    "retry",
    "ok",
];

fn words(n: usize, count: usize) -> impl Iterator<Item = &'static str> {
    (0..count).map(move |at| WORDS[(n * 7 + at * 5 + n / 11) % WORDS.len()])
}

fn plain_line(n: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(
        format!("2026-11-15T03:{:02}:{:02}.{:03}Z ", n / 60 % 60, n % 60, n % 1000).as_bytes(),
    );
    for word in words(n, 6 + n % 9) {
        out.extend_from_slice(word.as_bytes());
        out.push(b' ');
    }
    out.extend_from_slice(format!("id={:08x}\r\n", n.wrapping_mul(2_654_435_761)).as_bytes());
}

fn colored_line(n: usize, out: &mut Vec<u8>) {
    for (at, word) in words(n, 16).enumerate() {
        let color = match at % 3 {
            0 => format!("\x1b[{}m", 31 + (n + at) % 7),
            1 => format!("\x1b[1;38;5;{}m", (n + at * 3) % 64 + 16),
            _ => format!("\x1b[38;2;{};{};{}m", (n % 8) * 32, at * 10, 128),
        };
        out.extend_from_slice(color.as_bytes());
        out.extend_from_slice(word.as_bytes());
        out.extend_from_slice(b"\x1b[0m ");
    }
    out.extend_from_slice(b"\r\n");
}

/// About half of the words have a style of their own.
fn many_colors_line(n: usize, out: &mut Vec<u8>) {
    for (at, word) in words(n, 25).enumerate() {
        let noise = (n * 25 + at).wrapping_mul(0x9E37_79B9) >> 4;
        let [red, green, blue, kind] = [noise, noise >> 8, noise >> 16, noise >> 5].map(|part| part % 256);
        let color = match kind % 4 {
            0 => format!("\x1b[38;5;{red}m"),
            1 => format!("\x1b[38;2;{red};{green};{blue}m"),
            2 => format!("\x1b[48;5;{green}m"),
            _ => "\x1b[0m".to_owned(),
        };
        out.extend_from_slice(color.as_bytes());
        out.extend_from_slice(word.as_bytes());
    }
    out.extend_from_slice(b"\x1b[0m\r\n");
}

fn foreign_line(n: usize, out: &mut Vec<u8>) {
    const PIECES: [&str; 8] = [
        "吾輩は猫である。名前はまだ無い。",
        "한국어 텍스트 예제 ",
        "cafe\u{301} nai\u{308}ve ",
        "👩\u{200d}👩\u{200d}👧 🎉 🇩🇪 👍🏽 ",
        "Привет, мир! ",
        "中文字符测试，终端模拟器。",
        "─┼─│└┘ ✓ ✗ → ",
        "plain ascii in between ",
    ];
    for at in 0..8 {
        out.extend_from_slice(PIECES[(n + at * 3) % PIECES.len()].as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// Moves the cursor up, clears each line and writes it again, as agents do.
fn redraw(n: usize, out: &mut Vec<u8>, synchronized: bool) {
    if synchronized {
        out.extend_from_slice(b"\x1b[?2026h");
    }
    out.extend_from_slice(b"\x1b[30A\r");
    for line in 0..30 {
        let color = 30 + (n + line) % 8;
        out.extend_from_slice(format!("\x1b[2K\x1b[{color}m● \x1b[0m\x1b[1m{line:>3}\x1b[22m ").as_bytes());
        for word in words(n + line, 8) {
            out.extend_from_slice(word.as_bytes());
            out.push(b' ');
        }
        out.extend_from_slice(b"\x1b[2m(ctrl+o to expand)\x1b[0m\r\n");
    }
    if synchronized {
        out.extend_from_slice(b"\x1b[?2026l");
    }
}

fn scroll_region(n: usize, out: &mut Vec<u8>) {
    if n.is_multiple_of(64) {
        out.extend_from_slice(b"\x1b[5;40r");
    }
    match n % 4 {
        0..=2 => out.extend_from_slice(b"\x1b[40;1H\n"),
        _ => out.extend_from_slice(b"\x1b[5;1H\x1bM"),
    }
    words(n, 10).for_each(|word| out.extend_from_slice(word.as_bytes()));
}
