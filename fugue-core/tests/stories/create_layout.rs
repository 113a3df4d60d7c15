//! Windows created from a layout description: completely or not at all.

use crate::story::Story;

#[test]
fn a_nested_layout_is_created_with_its_ratios() {
    let mut story = Story::of(&["create-session -s work"]);
    let right = r#"{"ratio":1,"direction":"below","children":[{"ratio":1,"argv":["top"]},{"ratio":3,"name":"logs"}]}"#;
    let whole = format!(r#"{{"direction":"right","children":[{{"ratio":3,"command":"vi"}},{right}]}}"#);
    story.run(&format!("create-layout --name dev '{whole}'"));
    story.assert_events(&[
        "window opened dev at 1",
        "layout dev",
        "opened b",
        "opened c",
        "opened d",
        "window selected dev",
    ]);
    story.assert_effects(&["host b 60x24", "host c 19x5", "host d 19x18"]);
    story.assert_tree(
        "work*
           0 bash 80x24: a* 80x24
           1 dev* 80x24: b* 60x24 | (c 19x5 / d 19x18)",
    );
}

#[test]
fn an_invalid_layout_is_refused_with_the_path_and_creates_nothing() {
    let mut story = Story::of(&["create-session -s work"]);
    for (layout, why) in [
        (r#"{"direction":"right"}"#, "layout: a split needs two or more children"),
        (
            r#"{"direction":"right","children":[{},{"direction":"below","children":[{}]}]}"#,
            "layout: children[1]: a split needs two or more children, not one",
        ),
        (r#"{"children":[{},{}]}"#, "layout: a split needs a direction: right or below"),
        (
            r#"{"direction":"right","children":[{},{"direction":"above","children":[{},{}]}]}"#,
            "layout: children[1]: direction must be right or below",
        ),
        (
            r#"{"direction":"right","children":[{},{}],"command":"ls"}"#,
            "layout: must be either a split or a pane, not both",
        ),
        (
            r#"{"direction":"right","children":[{},{"ratio":0}]}"#,
            "layout: children[1]: ratio must be greater than 0",
        ),
        (
            r#"{"direction":"right","children":[{},{"command":" "}]}"#,
            "command: must not be empty\nhint: specify a shell command line, for example `make test 2>&1 | tail`",
        ),
    ] {
        story.refused(&format!("create-layout '{layout}'"), why);
    }
    let many = vec!["{}"; 40].join(",");
    let crowded = format!(r#"create-layout '{{"direction":"below","children":[{many}]}}'"#);
    let hint = "hint: close or zoom a pane, enlarge the window, or open a new window";
    story.refused(
        &crowded,
        &format!("Not enough room: these panes need 2x79, but the window is 80x24\n{hint}"),
    );
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24");
}
