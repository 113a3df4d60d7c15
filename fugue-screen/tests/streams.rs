//! Any output, split anywhere: no panic, and the same screen.

use fugue_screen::{Limits, Mirror, Screen, ScreenEvent, Size, Update};
use proptest::prelude::*;

/// Everything that is visible of a screen.
#[derive(Debug, PartialEq)]
struct Seen {
    mirror: Mirror,
    lines: Vec<fugue_screen::TextLine>,
    notices: Vec<ScreenEvent>,
    replies: Vec<u8>,
}

fn seen(screen: &mut Screen) -> Seen {
    screen.end_sync();
    let mut mirror = Mirror::default();
    mirror.apply(&screen.update_since(0));
    mirror.revision = 0;
    Seen {
        mirror,
        lines: screen.lines(0, u64::MAX),
        notices: screen.take_events(),
        replies: screen.take_replies(),
    }
}

fn new() -> Screen {
    Screen::new(Size { cols: 12, rows: 5 }, Limits { lines: 20, bytes: 1 << 20 })
}

/// Pieces of output: text of all kinds, sequences with random parameters, strings, garbage.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        Just(String::new()),
        (0..20_u16).prop_map(|n| n.to_string()),
        any::<u16>().prop_map(|n| n.to_string())
    ];
    let numbers = proptest::collection::vec(number, 0..6).prop_map(|all| all.join(";"));
    let mark = prop_oneof![3 => Just(""), 2 => Just("?"), 1 => Just(">"), 1 => Just("="), 1 => Just("<")];
    let middle = prop_oneof![5 => Just(""), 1 => Just("$"), 1 => Just(" "), 1 => Just("\""), 1 => Just("'"), 1 => Just("!"), 1 => Just("*")];
    let csi = (mark, numbers, middle, 0x40..0x7f_u8).prop_map(|(mark, numbers, middle, last)| {
        format!("\x1b[{mark}{numbers}{middle}{}", last as char).into_bytes()
    });
    let modes =
        prop::sample::select(vec![2, 3, 6, 7, 40, 42, 45, 47, 69, 1045, 1047, 1048, 1049, 2026, 2027])
            .prop_flat_map(|mode| {
                any::<bool>().prop_map(move |on| format!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }))
            });
    let clusters = prop::sample::select(vec![
        "e\u{301}",
        "漢字",
        "👩\u{200d}👧",
        "🇩🇪",
        "👍🏽",
        "☺\u{fe0f}",
        "\u{200d}",
        "\u{301}",
        "한",
        "ﷺ",
        "क\u{93e}",
        "\u{fffd}",
        "\u{9b}",
        "\u{1f3fb}",
    ]);
    let images = ("[atTpdqfiIsvmcrCxywhzU]=[0-9tTpdqaiAIz]{1,2}(,[aiIsvmcrCzf]=[0-9tTpd]{1,2}){0,5}(;[A-Za-z0-9+/]{0,12})?")
        .prop_map(|command| format!("\x1b_G{command}\x1b\\"));
    let valid = (0..5_u32, 1..30_u32, 1..50_u32, "a=[tT]", "(,m=1|,C=1|,p=2|,I=4|,c=3|)").prop_map(
        |(id, width, height, action, more)| {
            format!("\x1b_G{action},f=24,o=z,i={id},s={width},v={height}{more};AAAA\x1b\\")
        },
    );
    let sixel = "\x1bP[0-9;]{0,5}q[#!\"0-9;?-~$-]{0,40}(\x1b\\\\)?";
    prop_oneof![
        1 => images.prop_map(String::into_bytes),
        1 => valid.prop_map(String::into_bytes),
        1 => sixel.prop_map(String::into_bytes),
        4 => csi,
        2 => modes.prop_map(String::into_bytes),
        3 => "[ -~]{1,30}".prop_map(String::into_bytes),
        3 => clusters.prop_map(|text| text.as_bytes().to_vec()),
        2 => prop::sample::select(vec!["\r\n", "\n", "\r", "\t", "\x08", "\x0e", "\x0f", "\x18", "\x7f"]).prop_map(|c| c.as_bytes().to_vec()),
        2 => (0x23..0x7f_u8).prop_map(|last| vec![0x1b, last]),
        1 => prop::sample::select(vec!["\x1b(0", "\x1b)A", "\x1b-A", "\x1b(K", "\x1bY", "\x1b<", "\x1b#8", "\x1b#3", "\x1b#4", "\x1b#5", "\x1b#6", "\x1b]133;A\x07", "\x1b]133;C\x07", "\x1b]133;D;1\x07", "\x1b]8;;http://x\x07", "\x1b]8;;\x07", "\x1b]2;t\x1b\\", "\x1bP$qm\x1b\\", "\x1b]4;1;?\x07", "\x1b[1;38;2;9;8;7;4:3m"]).prop_map(|c| c.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 1..20),
    ]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(piece(), 1..40).prop_map(|pieces| pieces.concat())
}

fn cuts(stream: &[u8], cuts: &[prop::sample::Index]) -> Vec<usize> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len())).collect();
    at.extend([0, stream.len()]);
    at.sort_unstable();
    at
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_leads_to_the_same_screen_wherever_it_is_split(stream in stream(), at in proptest::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let (mut whole, mut parts, mut bytes) = (new(), new(), new());
        whole.feed(&stream);
        cuts(&stream, &at).windows(2).for_each(|cut| parts.feed(&stream[cut[0]..cut[1]]));
        stream.chunks(1).for_each(|byte| bytes.feed(byte));
        let seen_whole = seen(&mut whole);
        prop_assert_eq!(&seen(&mut parts), &seen_whole);
        prop_assert_eq!(&seen(&mut bytes), &seen_whole);
    }

    #[test]
    fn a_snapshot_anywhere_changes_nothing(stream in stream(), at in any::<prop::sample::Index>()) {
        let (first, rest) = stream.split_at(at.index(stream.len()));
        let mut whole = new();
        whole.feed(first);
        whole.take_events();
        whole.take_replies();
        let mut restored = Screen::restore(&whole.snapshot()).expect("our own snapshot");
        whole.feed(rest);
        restored.feed(rest);
        prop_assert_eq!(seen(&mut restored), seen(&mut whole));
    }

    #[test]
    fn a_mirror_that_applies_updates_matches_the_screen(stream in stream(), at in proptest::collection::vec(any::<prop::sample::Index>(), 0..8), sizes in proptest::collection::vec((1..30_u16, 1..10_u16), 0..3)) {
        let mut screen = new();
        let mut mirror = Mirror::default();
        let mut sizes = sizes.into_iter();
        for cut in cuts(&stream, &at).windows(2) {
            screen.feed(&stream[cut[0]..cut[1]]);
            let update = screen.update_since(mirror.revision);
            let sent = Update::decode(&screen.encode_update_since(mirror.revision));
            prop_assert_eq!(&sent, &Ok(update.clone()));
            mirror.apply(&update);
            if let Some((cols, rows)) = sizes.next() {
                screen.resize(Size { cols, rows });
            }
        }
        screen.end_sync();
        mirror.apply(&screen.update_since(mirror.revision));
        let mut fresh = Mirror::default();
        fresh.apply(&screen.update_since(0));
        prop_assert_eq!(mirror, fresh);
    }

    #[test]
    fn resizing_back_and_forth_loses_no_line(stream in "([a-z漢é ]{0,40}\r\n){0,12}[a-z]{0,30}", sizes in proptest::collection::vec((1..40_u16, 1..12_u16), 1..6)) {
        let mut screen = Screen::new(Size { cols: 12, rows: 5 }, Limits::default());
        screen.feed(stream.as_bytes());
        let before = (screen.lines(0, u64::MAX), screen.end());
        for (cols, rows) in sizes {
            screen.resize(Size { cols, rows });
            let restored = Screen::restore(&screen.snapshot()).expect("our own snapshot");
            prop_assert_eq!(restored.lines(0, u64::MAX), screen.lines(0, u64::MAX));
            prop_assert_eq!(&(screen.lines(0, u64::MAX), screen.end()), &before, "at {}x{}", cols, rows);
        }
    }

    #[test]
    fn replies_have_a_fixed_form(stream in stream()) {
        let mut screen = new();
        screen.feed(&stream);
        let replies = String::from_utf8(screen.take_replies()).expect("answers are ASCII");
        for answer in replies.replace("\x1b\\", "\x07").split_inclusive(['\x1b']).collect::<String>().split('\x1b').skip(1) {
            // A VT52 identifies itself in its own way.
            prop_assert!(matches!(answer.as_bytes()[0], b'[' | b'P' | b']' | b'_') || answer == "/Z", "{:?}", replies);
            let inside = answer.trim_end_matches('\x07');
            prop_assert!(inside.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{:?}", replies);
        }
    }

    #[test]
    fn garbage_is_neither_a_snapshot_nor_an_update(garbage in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Screen::restore(&garbage).is_err());
        let mut update = new().encode_update_since(0);
        let _ = Update::decode(&garbage);
        update.truncate(update.len().saturating_sub(garbage.len() / 4));
        update.extend(&garbage);
        let _ = Update::decode(&update);
    }
}
