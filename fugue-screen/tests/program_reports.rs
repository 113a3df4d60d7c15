//! What a program reports about itself stays in effect until it is withdrawn, across snapshots.

use fugue_screen::{Limits, ProgramState, ProgressReport, Screen, Size};

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
fn a_report_replaces_the_previous_one_and_clear_removes_all_below_it() {
    let mut screen = screen(TWO);
    screen.feed(b"\x1b]7501;state=idle\x07");
    assert_eq!(states(&screen), [("a/b".into(), ProgramState::Blocked), ("".into(), ProgramState::Idle)]);
    screen.feed(b"\x1b]7501;state=clear:id=a\x07");
    assert_eq!(states(&screen), [("".into(), ProgramState::Idle)]);
    screen.feed(b"\x1b]7501;state=done:id=ab\x07\x1b]7501;state=clear\x07");
    assert_eq!(states(&screen), []);
}

#[test]
fn a_prompt_drops_reports_of_work_under_way_and_keeps_results() {
    let mut screen = screen(TWO);
    screen.feed(b"\x1b]7501;state=done:id=c\x07\x1b]9;4;3\x07");
    assert_eq!(screen.progress(), ProgressReport::Busy);
    screen.feed(b"\x1b]133;A\x07");
    assert_eq!(
        (states(&screen), screen.progress()),
        (vec![("c".into(), ProgramState::Done)], ProgressReport::None)
    );
    screen.feed(b"\x1bc");
    assert_eq!(states(&screen), []);
}

#[test]
fn the_report_renewed_least_recently_is_dropped_first() {
    let mut screen = screen(b"");
    for number in 0..256 {
        screen.feed(format!("\x1b]7501;state=working:id=p{number}\x07").as_bytes());
    }
    screen.feed(b"\x1b]7501;state=idle:id=p0\x07\x1b]7501;state=idle:id=new\x07");
    let all = states(&screen);
    assert_eq!((all.len(), all[0].0.as_str(), all[254].0.as_str()), (256, "p2", "p0"));
}

#[test]
fn a_snapshot_keeps_program_reports() {
    let mut before = screen(TWO);
    before.feed(b"\x1b]7;file://host/usr/lib\x07\x1b]9;4;1;42\x07\x1b]7501;state=error:id=x:msg=b3V0\x07");
    let after = Screen::restore(&before.snapshot()).unwrap();
    assert_eq!((after.cwd(), after.progress()), (Some("/usr/lib"), ProgressReport::Percent(42)));
    assert!(after.statuses().eq(before.statuses()));
}

#[test]
fn a_new_program_inherits_only_the_text() {
    let mut screen = screen(TWO);
    screen
        .feed(b"text\x1b]2;title\x07\x1b]7;file:///usr\x07\x1b[?1049h\x1b[?1000h\x1b[?2004h\x1b[31mvim\x1b[");
    screen.begin_program();
    screen.feed(b"1 new");
    assert_eq!(screen.screen_rows()[..2], ["text", "1 new"], "on a line of its own");
    assert_eq!((screen.title(), screen.cwd(), screen.on_alternate()), ("", None, false));
    assert_eq!(*screen.modes(), *Screen::new(screen.size(), Limits::default()).modes());
    assert_eq!(states(&screen), []);
}

fn notifications(screen: &mut Screen) -> Vec<(String, String)> {
    let notices = screen.take_events().into_iter();
    notices
        .filter_map(|notice| match notice {
            fugue_screen::ScreenEvent::Notification { title, body } => Some((title, body)),
            _ => None,
        })
        .collect()
}

#[test]
fn a_notification_in_pieces_is_one_event() {
    let mut screen = screen(b"\x1b]99;i=1:d=0;Build \x1b\\\x1b]99;i=1:d=0:p=body;it is \x1b\\");
    assert_eq!(notifications(&mut screen), []);
    let mut screen = Screen::restore(&screen.snapshot()).unwrap();
    screen.feed(b"\x1b]99;i=1:d=0;done\x1b\\\x1b]99;i=1:p=body:e=1;Z29vZA==\x1b\\");
    assert_eq!(notifications(&mut screen), [("Build done".into(), "it is good".into())]);
    screen.feed(b"\x1b]99;;Hello\x1b\\\x1b]99;p=body;World\x1b\\\x1b]99;i=1:p=close;\x1b\\");
    assert_eq!(notifications(&mut screen), [("Hello".into(), "".into()), ("".into(), "World".into())]);
}

#[test]
fn an_unfinished_notification_is_bounded_and_can_be_replaced() {
    let mut screen = screen(b"");
    for _ in 0..100 {
        screen.feed(&[b"\x1b]99;i=1:d=0:p=body;".to_vec(), vec![b'x'; 3000], b"\x1b\\".to_vec()].concat());
    }
    screen.feed(b"\x1b]99;i=1;t\x1b\\");
    assert_eq!(notifications(&mut screen), [("t".into(), "x".repeat(2048))]);
    screen.feed(b"\x1b]99;i=2:d=0;old\x1b\\\x1b]99;i=3;new\x1b\\\x1b]99;i=2;late\x1b\\");
    assert_eq!(notifications(&mut screen), [("new".into(), "".into()), ("late".into(), "".into())]);
}
