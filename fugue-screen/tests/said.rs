//! What a program said of itself stays said until it is taken back, also over a snapshot.

use fugue_screen::{Limits, ProgramState, Progress, Screen, Size};

fn screen(bytes: &[u8]) -> Screen {
    let mut screen = Screen::new(Size { cols: 20, rows: 4 }, Limits::default());
    screen.feed(bytes);
    screen
}

fn states(screen: &Screen) -> Vec<(String, ProgramState)> {
    screen.statuses().map(|status| (status.id.clone(), status.state)).collect()
}

const TWO: &[u8] =
    b"\x1b]7501;state=working:app=claude-code\x07\x1b]7501;state=blocked:id=a/b:kind=question\x07";

#[test]
fn a_report_takes_the_place_of_the_one_before_and_clear_takes_all_below_it() {
    let mut screen = screen(TWO);
    screen.feed(b"\x1b]7501;state=idle\x07");
    assert_eq!(states(&screen), [("a/b".into(), ProgramState::Blocked), ("".into(), ProgramState::Idle)]);
    screen.feed(b"\x1b]7501;state=clear:id=a\x07");
    assert_eq!(states(&screen), [("".into(), ProgramState::Idle)]);
    screen.feed(b"\x1b]7501;state=done:id=ab\x07\x1b]7501;state=clear\x07");
    assert_eq!(states(&screen), []);
}

#[test]
fn a_prompt_ends_what_was_under_way_and_not_what_is_done() {
    let mut screen = screen(TWO);
    screen.feed(b"\x1b]7501;state=done:id=c\x07\x1b]9;4;3\x07");
    assert_eq!(screen.progress(), Progress::Busy);
    screen.feed(b"\x1b]133;A\x07");
    assert_eq!(
        (states(&screen), screen.progress()),
        (vec![("c".into(), ProgramState::Done)], Progress::None)
    );
    screen.feed(b"\x1bc");
    assert_eq!(states(&screen), []);
}

#[test]
fn so_many_reports_are_kept_and_the_one_renewed_least_recently_goes_first() {
    let mut screen = screen(b"");
    for number in 0..256 {
        screen.feed(format!("\x1b]7501;state=working:id=p{number}\x07").as_bytes());
    }
    screen.feed(b"\x1b]7501;state=idle:id=p0\x07\x1b]7501;state=idle:id=new\x07");
    let all = states(&screen);
    assert_eq!((all.len(), all[0].0.as_str(), all[254].0.as_str()), (256, "p2", "p0"));
}

#[test]
fn a_snapshot_remembers_what_was_said() {
    let mut before = screen(TWO);
    before.feed(b"\x1b]7;file://host/usr/lib\x07\x1b]9;4;1;42\x07\x1b]7501;state=error:id=x:msg=b3V0\x07");
    let after = Screen::restore(&before.snapshot()).unwrap();
    assert_eq!((after.cwd(), after.progress()), (Some("/usr/lib"), Progress::Percent(42)));
    assert!(after.statuses().eq(before.statuses()));
}

#[test]
fn another_program_finds_the_text_and_nothing_else_of_the_former() {
    let mut screen = screen(TWO);
    screen
        .feed(b"text\x1b]2;title\x07\x1b]7;file:///usr\x07\x1b[?1049h\x1b[?1000h\x1b[?2004h\x1b[31mvim\x1b[");
    screen.begin_program();
    screen.feed(b"1 new");
    assert_eq!(screen.screen_rows()[0], "text1 new");
    assert_eq!((screen.title(), screen.cwd(), screen.on_alternate()), ("", None, false));
    assert_eq!(*screen.modes(), *Screen::new(screen.size(), Limits::default()).modes());
    assert_eq!(states(&screen), []);
}
