//! Screens of the real agents, and what is read from them: `captured/AGENT/SCENE.ansi`. Most are captured with their colors,
//! as escape sequences, of which the last one places the cursor. `captured/states.txt` lists the state that each of them
//! shows; `FUGUE_RENEW=1` writes it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use fugue_agents::{
    AgentTable, Composer, KnownAgent, ShownRow, ShownScreen, composer, dialog, is_empty_field, selection_keys,
};
use fugue_protocol::Timestamp;
use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogKind};
use fugue_screen::{Limits, Screen, Size};

use crate::shown_screen::shown_screen;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("captured")
}

#[allow(clippy::disallowed_methods, reason = "the edge reads files, and so do tests")]
pub(crate) fn captured(agent: &str, scene: &str) -> ShownScreen {
    let file = folder().join(agent).join(scene).with_extension("ansi");
    let text = std::fs::read_to_string(file).expect(scene);
    let text = text.trim_end_matches('\n');
    // Those without colors are larger.
    let size =
        |least: u16, most: Option<usize>| least.max(u16::try_from(most.unwrap_or(0)).expect("a screen"));
    let widest = text.lines().map(|row| row.chars().count()).max().filter(|_| !text.contains('\x1b'));
    let cols = if scene.ends_with("-40") { 40 } else { 80 };
    let size = Size { cols: size(cols, widest), rows: size(24, Some(text.lines().count())) };
    let mut screen = Screen::new(size, Limits::default());
    screen.feed(text.replace('\n', "\r\n").as_bytes());
    shown_screen(&screen.view())
}

/// The rows of a captured screen.
pub(crate) fn rows(agent: &str, scene: &str) -> Vec<String> {
    captured(agent, scene).rows.iter().map(ShownRow::text).collect()
}

/// The agents and scenes for which there is a screen.
pub(crate) fn all() -> Vec<(String, String)> {
    let names = |path: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(path).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    };
    let scenes = |agent: String| {
        let files = names(&folder().join(&agent)).into_iter();
        files.map(move |file| (agent.clone(), file.trim_end_matches(".ansi").to_owned()))
    };
    let agents = names(&folder()).into_iter().filter(|name| name != "states.txt");
    let mut all: Vec<_> = agents.flat_map(scenes).collect();
    all.sort();
    all
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the list is a file")]
fn each_screen_shows_the_state_and_the_reason_in_the_list() {
    let (table, mut found) = (AgentTable::built_in(), String::new());
    for (agent, scene) in all() {
        let rows = rows(&agent, &scene);
        assert_eq!(table.shown("vim", &rows, Timestamp::from_millis(0)), None);
        let sign = table.shown(&agent, &rows, Timestamp::from_millis(0));
        let state = sign.as_ref().map_or("unknown".to_owned(), |sign| sign.state.to_string());
        let waits = sign.as_ref().and_then(|sign| sign.waits_for).map(|waits| format!(" ({waits:?})"));
        let reason = sign.and_then(|sign| sign.reason).map(|reason| format!(": {reason}"));
        let (waits, reason) = (waits.unwrap_or_default(), reason.unwrap_or_default());
        let _ = writeln!(found, "{agent}/{scene}: {state}{waits}{reason}");
    }
    if std::env::var_os("FUGUE_RENEW").is_some() {
        std::fs::write(folder().join("states.txt"), &found).expect("the list");
    }
    let expected = std::fs::read_to_string(folder().join("states.txt")).expect("the list");
    assert_eq!(found, expected, "the states are\n{found}");
}

#[test]
fn an_input_field_is_seen_and_its_text_is_told_from_hints() {
    let mut seen = 0;
    for (agent, scene) in all() {
        let expected = match scene.as_str() {
            "empty" | "working" | "empty-after-work" => Composer::Empty,
            "draft" | "draft-cursor-at-start" => Composer::Holds("a draft".into()),
            "working-draft" => Composer::Holds("typed while working".into()),
            _ => continue,
        };
        assert_eq!(composer(&agent, &captured(&agent, &scene)), expected, "{agent} {scene}");
        seen += 1;
    }
    assert_eq!(seen, KnownAgent::all().len() * 6, "all agents and scenes");
}

#[test]
fn the_end_of_a_prompt_that_is_taller_than_the_screen_is_seen() {
    let (text, rule) = ("  line 8\n\n  line 10\n".repeat(6), "─".repeat(40));
    let end = |footer: &str| shown(&format!("{text}{rule}\n{footer}"));
    let holds = Composer::Holds("line 8\n\nline 10\n".repeat(6).trim_end().to_owned());
    assert_eq!(composer("claude", &end("  ⏸ manual mode on · esc to interrupt")), holds);
    // Dialogs have a rule above their last choice.
    for footer in ["❯ 3. Chat about this", "  3. Chat about this\n\nEnter to select · Esc to cancel"] {
        assert_eq!(composer("claude", &end(footer)), Composer::Unseen, "{footer}");
    }
    let reply = shown(&format!("● Hello\n{text}{rule}\n  ⏸ manual mode on"));
    assert_eq!(composer("claude", &reply), Composer::Unseen, "not all of it is indented");
}

#[test]
fn the_input_field_of_a_teammate_is_seen_below_its_name() {
    assert_eq!(composer("claude", &captured("claude", "teammate")), Composer::Empty);
}

/// A screen with this text.
fn shown(text: &str) -> ShownScreen {
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, Limits::default());
    screen.feed(text.replace('\n', "\r\n").as_bytes());
    shown_screen(&screen.view())
}

#[test]
fn a_text_with_line_breaks_at_its_end_is_seen() {
    for (agent, field) in [
        ("codex", "› a draft\n\n\n\n  gpt-5.5-codex · ~/proj\x1b[3;3H"),
        ("gemini", " > a draft\n\n\n\n workspace\x1b[3;4H"),
    ] {
        assert_eq!(composer(agent, &shown(field)), Composer::Holds("a draft".into()), "{agent}");
        let elsewhere = field.replace("[3;", "[5;");
        assert_eq!(
            composer(agent, &shown(&elsewhere)),
            Composer::Unseen,
            "{agent}: the cursor is in the footer"
        );
    }
}

#[test]
fn a_draft_in_the_dark_gray_of_a_light_theme_is_no_hint() {
    let holds = Composer::Holds("a draft".into());
    // Gemini CLI's "GitHub Light", "Ayu Light" and "Solarized Dark".
    for (text, field) in
        [("36:41:46", "236:236:236"), ("92:97:102", "236:238:240"), ("131:148:150", "0:43:54")]
    {
        let gemini = |words: &str| {
            let field = format!("\x1b[38:2::{text};48:2::{field}m > {words}\x1b[0m\n\n workspace\x1b[1;6H");
            composer("gemini", &shown(&field))
        };
        assert_eq!(gemini("a draft"), holds, "{text} on {field}");
        assert_eq!(gemini("  Type your message or @path/to/file"), Composer::Empty, "{text} on {field}");
    }
    let opencode = |text: &str, background: &str, words: &str| {
        let field =
            format!("  ┃  \x1b[38:2::{text}{background}m{words}\x1b[0m\n  ┃\n  ┃  Build\n  ╹▀▀▀\x1b[1;8H");
        composer("opencode", &shown(&field))
    };
    let light = ";48:2::245:245:245";
    assert_eq!(opencode("26:26:26", light, "a draft"), holds);
    assert_eq!(opencode("26:26:26", "", "a draft"), holds, "the background is unknown");
    assert_eq!(opencode("131:148:150", ";48:2::7:54:66", "a draft"), holds, "its theme solarized");
    assert_eq!(opencode("138:138:138", light, "Ask anything… \"Fix a TODO\""), Composer::Empty);
    let rule = "─".repeat(80);
    let claude = |color: &str| shown(&format!("{rule}\n❯ \x1b[{color}ma draft\x1b[0m\n{rule}"));
    for color in ["38:2::36:41:46", "38;5;236", "38:2::36:41:46;48:2::250:250:250"] {
        assert_eq!(composer("claude", &claude(color)), holds, "{color}");
    }
    for color in ["2", "38:2::153:153:153", "38;5;244", "38:2::80:80:80;48:2::20:20:20"] {
        assert_eq!(composer("claude", &claude(color)), Composer::Empty, "{color}");
    }
}

#[test]
fn a_field_of_gemini_cli_has_empty_lines_up_to_its_border() {
    let field = |text: &str| shown(&format!("▄▄▄▄\n > {text}\n\n▀▀▀▀\n workspace\x1b[3;4H"));
    assert_eq!(composer("gemini", &field("a draft")), Composer::Holds("a draft".into()));
    assert_eq!(composer("gemini", &field("one\n\n   two")), Composer::Holds("one\n\ntwo".into()));
}

#[test]
fn a_field_of_codex_has_empty_lines_up_to_the_last_one_before_its_footer() {
    let field = |cursor: &str| shown(&format!("› one\n\n  two\n\n  gpt-5.5-codex · ~/proj\x1b[{cursor}H"));
    assert_eq!(composer("codex", &field("3;6")), Composer::Holds("one\n\ntwo".into()));
    assert_eq!(composer("codex", &field("5;6")), Composer::Unseen, "the cursor is in the footer");
}

#[test]
fn a_menu_is_neither_an_input_field_nor_a_dialog() {
    for scene in ["menu-config", "menu-permissions", "menu-help"] {
        let view = captured("claude", scene);
        assert_eq!((composer("claude", &view), dialog("claude", &view)), (Composer::Unseen, None), "{scene}");
    }
}

#[test]
fn a_dialog_is_no_input_field_and_an_input_field_is_no_dialog() {
    for (agent, scene) in all() {
        let view = captured(&agent, &scene);
        let is_dialog =
            ["permission", "question", "startup", "older"].iter().any(|word| scene.starts_with(word));
        assert_eq!(dialog(&agent, &view).is_some(), is_dialog, "{agent} {scene}");
        assert!(!is_dialog || composer(&agent, &view) != Composer::Empty, "{agent} {scene}");
    }
}

fn read(agent: &str, scene: &str) -> Dialog {
    dialog(agent, &captured(agent, scene)).unwrap_or_else(|| panic!("{agent} {scene}"))
}

fn labels(dialog: &Dialog) -> Vec<&str> {
    dialog.choices.iter().map(|choice| choice.label.as_str()).collect()
}

#[test]
fn a_request_to_run_a_command_shows_the_command_and_who_may_allow_it_how() {
    for agent in ["claude", "codex", "gemini", "opencode"] {
        let dialog = read(agent, "permission-command");
        assert_eq!(dialog.kind, DialogKind::Permission, "{agent}");
        assert_eq!(dialog.command.as_deref(), Some("touch made-it && sleep 1"), "{agent}: {dialog:?}");
        assert_eq!((dialog.selected, dialog.only(ChoiceEffect::Allow)), (1, Some(1)), "{agent}: {dialog:?}");
        assert_eq!(dialog.only(ChoiceEffect::Deny), Some(dialog.choices.len()), "{agent}: {dialog:?}");
        let second = read(agent, "permission-second");
        assert!(second.selected == 2 && second.is_same(&dialog), "{agent}: {second:?}");
    }
    assert_eq!(
        labels(&read("codex", "permission-command")),
        [
            "Yes, proceed (y)",
            "Yes, and don't ask again for commands that start with `touch made-it` (p)",
            "No, and tell Codex what to do differently (esc)",
        ]
    );
    assert_eq!(labels(&read("opencode", "permission-command")), ["Allow once", "Allow always", "Reject"]);
    let older = read("claude", "older-permission-command");
    assert_eq!(older.command.as_deref(), Some("touch made-it && sleep 1"), "{older:?}");
}

#[test]
fn a_command_of_two_lines_is_not_taken_for_its_first_line() {
    let mut view = captured("claude", "older-permission-command");
    let command = view.rows.iter().rposition(|row| row.text().trim() == "touch made-it && sleep 1").unwrap();
    let style = view.rows[command].spans.last().unwrap().style;
    // What the agent says about the command is drawn as a hint, and another line of it like the first one.
    view.rows[command + 1].spans.iter_mut().for_each(|span| span.style = style);
    let dialog = dialog("claude", &view).unwrap();
    assert_eq!((dialog.command, dialog.detail.len()), (None, 2), "both lines are shown");
}

#[test]
fn a_command_that_imitates_a_dialog_is_shown_whole_and_no_rule_applies() {
    // Each asks for `rm victim` in its first line, and draws a request for `touch` below.
    for (agent, scene) in [
        ("claude", "permission-forged"),
        ("claude", "permission-forged-cut"),
        ("codex", "permission-forged"),
        ("gemini", "permission-forged"),
        ("opencode", "permission-forged"),
    ] {
        let dialog = read(agent, scene);
        assert_eq!((dialog.kind, &dialog.command), (DialogKind::Permission, &None), "{agent}: {dialog:?}");
        let is_shown = dialog.detail.iter().any(|row| row.ends_with("rm victim"));
        assert!(is_shown || scene.ends_with("cut"), "{agent}: {dialog:?}");
    }
}

/// The labels of a dialog's choices with their boxes, and the number of the field for an answer of one's own.
fn shown_choices(dialog: &Dialog) -> (Vec<String>, Option<usize>) {
    let field = dialog.choices.iter().position(|choice| choice.takes_text).map(|at| at + 1);
    (dialog.choices.iter().map(fugue_protocol::dialogs::DialogChoice::shown).collect(), field)
}

#[test]
fn a_field_for_an_answer_of_ones_own_is_found_empty_and_filled_in() {
    for (agent, scene, field, label, selected) in [
        ("claude", "question", 3, "Type something.", 1),
        ("claude", "question-typed", 3, "Green, like grass", 3),
        ("gemini", "question", 3, "Enter a custom value", 1),
        ("gemini", "question-typed", 3, "Green", 3),
        ("opencode", "question", 3, "Type your own answer", 1),
        ("opencode", "question-typed", 3, "Green", 3),
    ] {
        let dialog = read(agent, scene);
        let found = dialog.choices.iter().position(|choice| choice.takes_text).map(|at| at + 1);
        assert_eq!((found, dialog.selected), (Some(field), selected), "{agent} {scene}: {dialog:?}");
        let choice = &dialog.choices[field - 1];
        assert_eq!(choice.label, label, "{agent} {scene}");
        // OpenCode opens its field only after Enter.
        assert_eq!(choice.is_open, selected == field, "{agent} {scene}");
        assert_eq!(is_empty_field(&choice.label), !scene.ends_with("typed"), "{agent} {scene}");
    }
    let choices = read("opencode", "question-boxes").choices;
    assert!(choices[2].takes_text && !choices[2].is_open, "selected, but not open: {choices:?}");
    let commands = ["claude", "codex", "gemini", "opencode"].map(|agent| read(agent, "permission-command"));
    assert!(commands.iter().flat_map(|dialog| &dialog.choices).all(|choice| !choice.takes_text));
}

#[test]
fn the_last_choice_that_a_small_screen_shows_is_no_field() {
    let rows = [
        "╭────────────────────────────────────╮",
        "│ Answer Questions                   │",
        "│                                    │",
        "│ Which color?                       │",
        "│                                    │",
        "│ ▲                                  │",
        "│ ● 1.  red                          │",
        "│       warm                         │",
        "│   2.  blue                         │",
        "│       cold                         │",
        "│   3.  green                        │",
        "│       fresh                        │",
        "│ ▼                                  │",
        "│                                    │",
        "│ Enter to select · Esc to cancel    │",
        "╰────────────────────────────────────╯",
    ];
    let found = dialog("gemini", &shown(&rows.join("\n"))).expect("a dialog");
    assert_eq!(shown_choices(&found), (["red", "blue", "green"].map(str::to_owned).to_vec(), None));
    assert_eq!((found.question.as_str(), found.detail.len()), ("Which color?", 0), "{found:?}");
}

#[test]
fn a_question_right_below_a_prompt_with_a_question_is_the_one_that_is_open() {
    let rows = [
        "› Do you know what to do? If you do not, ask me",
        "  which color? Or do something else",
        "",
        "  Question 1/1 (1 unanswered)",
        "  Paint it in this color",
        "",
        "  › 1. red    warm",
        "    2. blue   cold",
        "",
        "  tab to add notes | enter to submit answer | esc to interrupt",
    ];
    let found = dialog("codex", &shown(&rows.join("\n"))).expect("a dialog");
    assert_eq!(found.title.as_deref(), Some("Question 1/1 (1 unanswered)"));
    assert_eq!((found.question.as_str(), found.detail.len()), ("Paint it in this color", 0), "{found:?}");
    let permission = [
        "› do it",
        "  Would you like to run the following command?",
        "  $ rm -r a",
        "  Question 1/1 (1 unanswered)",
        "  › 1. Yes, proceed (y)",
        "    2. No, and tell Codex what to do differently (esc)",
        "  Press enter to confirm or esc to cancel",
    ];
    let found = dialog("codex", &shown(&permission.join("\n"))).expect("a dialog");
    assert!(found.detail.iter().any(|row| row == "$ rm -r a"), "a command hides nothing: {found:?}");
}

#[test]
fn a_dialog_with_boxes_lists_what_finishes_it_after_the_numbered_choices() {
    let checked = read("claude", "question-checked");
    let texts = ["[x] Red", "[ ] Blue", "[x] Green", "Chat about this", "Submit"].map(str::to_owned);
    assert_eq!(shown_choices(&checked), (texts.to_vec(), Some(3)));
    assert_eq!(checked.selected, 3);
    let submit = read("claude", "question-submit");
    assert!(submit.choices[4].submits && submit.selected == 5 && submit.is_same(&checked), "{submit:?}");
    let next = read("claude", "question-next");
    assert!(next.choices[4].submits && next.choices[4].label == "Next", "another question follows: {next:?}");
    assert_eq!(next.title.as_deref(), Some("←  ☐ Colors  ☐ Size  ✔ Submit  →"), "answered or not");
    let boxes = read("opencode", "question-boxes");
    let texts = ["[ ] Red", "[ ] Blue", "[ ] Type your own answer", "Submit"].map(str::to_owned);
    assert_eq!(shown_choices(&boxes), (texts.to_vec(), Some(3)));
    let typed = read("opencode", "question-typed");
    assert!(typed.is_same(&boxes), "{typed:?}");
    assert_eq!(selection_keys("opencode", &boxes).submit, Some("Tab"));
    let review = read("opencode", "question-review-40");
    assert_eq!((labels(&review), review.question.as_str()), (vec!["Submit"], "Review"), "{review:?}");
}

#[test]
fn in_forty_columns_questions_and_choices_are_whole() {
    let asks = "Which color do you like most of all of those that you have ever seen";
    let red = "Red, which is the color of fire and of blood";
    for (agent, scene, question, first) in [
        ("claude", "question-40", format!("{asks}?"), red.to_owned()),
        ("claude", "question-boxes-40", format!("{asks}?"), format!("[ ] {red}")),
        ("gemini", "question-40", asks.to_owned(), red.to_owned()),
        ("opencode", "question-boxes-40", format!("{asks}? (select all that apply)"), format!("[ ] {red}")),
    ] {
        let dialog = read(agent, scene);
        assert_eq!(dialog.question, question, "{agent} {scene}: {dialog:?}");
        assert_eq!(
            shown_choices(&dialog).0[..2],
            [first, "Blue".to_owned()].map(|text| {
                let boxed = scene.contains("boxes") && !text.starts_with('[');
                if boxed { format!("[ ] {text}") } else { text }
            }),
            "{agent} {scene}"
        );
    }
    let command = read("codex", "permission-40");
    assert_eq!(command.question, "Would you like to run the following command?");
    assert_eq!(command.command, None, "a command that is wrapped is answered by a person");
    assert_eq!(
        labels(&command)[1..],
        [
            "Yes, and don't ask again for commands that start with `touch made-cx made-cx2 made-cx3 \
             made-cx4 made-cx5` (p)",
            "No, and tell Codex what to do differently (esc)",
        ]
    );
}

#[test]
fn a_request_to_edit_shows_the_change_and_no_command() {
    for agent in ["claude", "gemini", "opencode"] {
        let dialog = read(agent, "permission-edit");
        assert_eq!((dialog.kind, &dialog.command), (DialogKind::Permission, &None), "{agent}: {dialog:?}");
        assert!(dialog.detail.iter().any(|row| row.contains("two")), "{agent}: {dialog:?}");
    }
}

#[test]
fn a_plan_or_a_patch_is_for_the_user_to_approve() {
    let patch = read("codex", "permission-edit");
    assert_eq!((patch.kind, &patch.command), (DialogKind::Permission, &None), "{patch:?}");
    assert!(patch.detail.iter().any(|row| row.contains("outside.txt")), "{patch:?}");
    for (agent, scene, kind, question, first) in [
        (
            "claude",
            "permission-plan",
            DialogKind::Permission,
            "Exit plan mode?",
            "Yes, and switch to default",
        ),
        (
            "codex",
            "permission-plan",
            DialogKind::Permission,
            "Implement this plan?",
            "Yes, implement this plan",
        ),
        (
            "gemini",
            "permission-plan",
            DialogKind::Permission,
            "Ready to start implementation?",
            "Yes, automatically accept edits",
        ),
        ("opencode", "question-plan", DialogKind::Question, "implementing?", "Yes"),
    ] {
        let dialog = read(agent, scene);
        assert_eq!((dialog.kind, &dialog.command), (kind, &None), "{agent}: {dialog:?}");
        assert!(dialog.question.ends_with(question), "{agent}: {dialog:?}");
        assert!(labels(&dialog)[0].starts_with(first), "{agent}: {dialog:?}");
    }
    let keys = selection_keys("opencode", &read("opencode", "question-plan"));
    assert_eq!((keys.next, keys.previous), ("Down", "Up"), "its choices are one below the other");
}

#[test]
fn a_question_has_the_question_and_the_answers() {
    for agent in ["claude", "gemini", "opencode"] {
        let dialog = read(agent, "question");
        assert_eq!(dialog.kind, DialogKind::Question, "{agent}: {dialog:?}");
        assert!(dialog.question.starts_with("Which color do you like"), "{agent}: {dialog:?}");
        assert_eq!(labels(&dialog)[..2], ["Red", "Blue"], "{agent}: {dialog:?}");
        assert_eq!(dialog.selected, 1, "{agent}");
    }
    let codex = read("codex", "question");
    assert_eq!((codex.kind, codex.question.as_str()), (DialogKind::Question, "Which color"), "{codex:?}");
}

#[test]
fn a_dialog_at_the_start_is_for_the_user_and_no_rule_applies() {
    for (agent, scene, first, selected) in [
        ("claude", "startup-trust", "No, exit", 1),
        ("claude", "older-startup-trust", "Yes, I trust this folder", 1),
        ("codex", "startup-hooks", "Review hooks", 1),
        ("codex", "startup-trust", "Trust and continue", 1),
        ("gemini", "startup-trust", "Trust folder (untrusted)", 1),
    ] {
        let dialog = read(agent, scene);
        assert_eq!((dialog.kind, &dialog.command), (DialogKind::Startup, &None), "{agent}: {dialog:?}");
        assert_eq!((labels(&dialog)[0], dialog.selected), (first, selected), "{agent}: {dialog:?}");
    }
}

#[test]
fn what_is_printed_above_the_first_dialog_of_gemini_cli_is_no_part_of_it() {
    let box_rows = " ╭──────────╮\n │ Do you trust the files in this folder? │\n │ │\n │ Trusting a folder │\n │ │\n \
                    │ ● 1. Trust folder │\n │   2. Don't trust │\n ╰──────────╯";
    let alone = dialog("gemini", &shown(box_rows)).expect("a dialog");
    assert_eq!((&alone.title, alone.detail.as_slice()), (&None, ["Trusting a folder".to_owned()].as_slice()));
    let later = format!("2. /help for more information\nℹ Skipping project agents\n\n{box_rows}");
    assert_eq!(dialog("gemini", &shown(&later)), Some(alone));
}

#[test]
fn what_only_looks_like_a_dialog_is_none() {
    let rule = "─".repeat(80);
    let claude = format!(
        "❯ 1. do this\n  2. do that\n\n● Esc to cancel was pressed\n{rule}\n❯ \n{rule}\n  ? for shortcuts"
    );
    assert_eq!(dialog("claude", &shown(&claude)), None);
    assert_eq!(dialog("codex", &shown("› 1. do this\n  2. do that\n\n  gpt-5.5 default · ~/app")), None);
    let numbered = "› 1. do this\n  2. do that\n\n  gpt-5.5 default · ~/enter to/app";
    assert_eq!(dialog("codex", &shown(numbered)), None);
    assert_eq!(dialog("gemini", &shown(" > 1. do this\n   2. do that\n\n /model")), None);
    assert_eq!(dialog("cat", &shown("Do you want to proceed?\n❯ 1. Yes\n  2. No\n\nEsc to cancel")), None);
}
