//! Sessions: made, named, chosen and ended.

use crate::story::Story;

#[test]
fn a_session_has_one_window_with_one_pane_and_is_the_persons_own() {
    let mut story = Story::of(&["create-session -s work -- bash"]);
    story.happened(&["session created work", "window opened bash at 0", "opened a", "session selected work"]);
    story.wishes(&["host a 80x24"]);
    story.looks(
        "work*
           0 bash* 80x24: a* 80x24",
    );
    story.run("create-pane --right");
    story.looks(
        "work*
           0 bash* 80x24: a 40x24 | b* 39x24",
    );
}
