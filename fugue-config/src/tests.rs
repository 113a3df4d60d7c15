//! The rules of the file, one test each.

use fugue_protocol::Scope;
use fugue_protocol::permission_rules::{PermissionRule, RuleVerdict};
use fugue_protocol::views::OnExit;
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::*;

fn source(text: &str) -> ConfigSource {
    ConfigSource::Text(text.into())
}

fn parse(text: &str) -> Config {
    Config::parse(&source(text), None).expect("valid TOML")
}

fn mistakes(text: &str) -> Vec<String> {
    parse(text).mistakes.iter().map(ToString::to_string).collect()
}

fn scopes(config: &Config) -> Vec<(&str, Scope)> {
    config.scopes.iter().map(|entry| (entry.name.as_str(), entry.value)).collect()
}

#[test]
fn without_a_file_every_setting_has_its_default() {
    let config = Config::parse(&ConfigSource::Missing, None).expect("no mistake");
    assert_eq!(config, parse(""));
    for setting in settings() {
        assert_eq!(config.value(setting), (setting.default)(), "{}", setting.name());
        assert_eq!(config.line(setting), None);
    }
    assert_eq!(config.client.prefix.to_string(), "C-b");
}

#[test]
fn settings_in_the_file_apply_and_have_their_line() {
    let config =
        parse("on_exit = \"keep\"\n\nhistory_lines = 0x10\n[client]\nmouse = false\nprefix = \"C-a\"\n");
    assert_eq!(config.mistakes, []);
    assert_eq!((config.daemon.on_exit, config.daemon.history_lines), (OnExit::Keep, 16));
    assert_eq!((config.client.mouse, config.client.prefix.to_string()), (false, "C-a".into()));
    let lines: Vec<_> =
        settings().filter_map(|setting| Some((setting.name(), config.line(setting)?))).collect();
    let expected = [("on_exit", 1), ("history_lines", 3), ("client.prefix", 6), ("client.mouse", 5)];
    assert_eq!(lines, expected.map(|(name, line)| (name.to_owned(), line)));
}

#[test]
fn a_host_with_its_own_name_among_the_hosts_is_no_other_host() {
    let hosts = "[hosts]\ndesk = \"desk\"\ngpu = \"ann@gpu\"\n";
    let others = |text: &str| parse(text).other_hosts().map(|host| host.name.clone()).collect::<Vec<_>>();
    assert_eq!(others(&format!("{hosts}[fleet]\nhost = \"desk\"\n")), ["gpu"]);
    assert_eq!(others(hosts), ["desk", "gpu"]);
}

#[test]
fn a_mistake_names_its_line_and_the_nearest_name() {
    let text = "\
history_line = 5
on_exit = \"kep\"
mouse = true
history_bytes = -1
keys = \"vi\"
[client]
mose = true
bell = 3
prefix = \"C-Entr\"
shell = \"/bin/sh\"
clipboard = \"read\"
[kyes]
[theme]
bar = 1
";
    assert_eq!(
        mistakes(text),
        [
            "config.toml, line 1: unknown setting \"history_line\"; did you mean \"history_lines\"?",
            "config.toml, line 2: \"on_exit\" must be \"close\", \"keep\" or \"keep_failed\"; did you mean \"keep\"?",
            "config.toml, line 3: unknown setting \"mouse\"; it belongs in [client]",
            "config.toml, line 4: \"history_bytes\" must be a whole number, at least 0",
            "config.toml, line 5: \"keys\" is a section: write [keys]",
            "config.toml, line 7: unknown setting \"mose\" in [client]; did you mean \"mouse\"?",
            "config.toml, line 8: \"bell\" must be true or false",
            "config.toml, line 9: \"prefix\" must be a key name: unknown key `C-Entr`; did you mean `Enter`?",
            "config.toml, line 10: unknown setting \"shell\" in [client]; it belongs at the top of the file, before any section",
            "config.toml, line 11: \"clipboard\" must be \"on\", \"ask\" or \"off\"",
            "config.toml, line 12: unknown section \"kyes\"; did you mean \"keys\"?",
            "config.toml, line 14: \"bar\" must be a string",
        ]
    );
}

#[test]
fn a_mistake_says_whether_it_concerns_the_daemon_or_the_client() {
    let config = parse("on_exit = 1\n[client]\nbell = 1\n[scopes]\na = 1\n[keys]\n\"a\" = 1\n");
    let lines = |reader| config.mistakes_for(reader).map(|mistake| mistake.line).collect::<Vec<_>>();
    assert_eq!(lines(SettingReader::Daemon), [Some(1), Some(5)]);
    assert_eq!(lines(SettingReader::Client), [Some(3), Some(7)]);
}

#[test]
fn key_bindings_are_read_one_by_one() {
    let text = r#"
[keys]
"prefix h" = "focus-pane --left"
"prefix Left" = { run = "resize-pane --left", repeat = true, about = "narrower" }
"M-z" = "zoom-pane"
"prefix Entr" = "zoom-pane"
"prefix k" = { rum = "zoom-pane" }
"prefix l" = 3
"#;
    let config = parse(text);
    let bound: Vec<_> = config.keys.iter().map(|entry| (entry.name.as_str(), entry.line)).collect();
    assert_eq!(bound, [("prefix h", Some(3)), ("prefix Left", Some(4)), ("M-z", Some(5))]);
    let left = &config.keys[1].value;
    assert_eq!(
        (left.command.as_str(), left.table.name(), left.repeats),
        ("resize-pane --left", "prefix", true)
    );
    assert_eq!(config.keys[2].value.table, KeyTable::Root);
    assert_eq!(
        mistakes(text),
        [
            "config.toml, line 6: \"prefix Entr\": unknown key `Entr`; did you mean `Enter`?",
            "config.toml, line 7: unknown field \"rum\" in \"prefix k\"; did you mean \"run\"?",
            "config.toml, line 8: \"prefix l\" must be a command line (a string) or a table",
        ]
    );
}

#[test]
fn an_invalid_scope_is_observe_unless_there_was_a_valid_one() {
    let good = parse("[scopes]\nlead = \"descendants\"\n");
    let text = "[scopes]\nlead = \"al\"\nwork = \"al\"\nrest = \"all\"\n";
    let expected = |lead| [("lead", lead), ("work", Scope::Observe), ("rest", Scope::All)];
    assert_eq!(scopes(&parse(text)), expected(Scope::Observe));
    let next = Config::parse(&source(text), Some(&good)).expect("valid TOML");
    assert_eq!(scopes(&next), expected(Scope::Descendants));
    assert!(mistakes(text)[0].contains("line 2: \"lead\" must be \"observe\", \"descendants\" or \"all\""));
    assert_eq!(scopes(&parse("scopes = \"observe\"\n")), [("*", Scope::Observe)]);
    for unread in ["scopes = 1\n", "[scope]\nlead = \"observe\"\n"] {
        let next = Config::parse(&source(unread), Some(&good)).expect("valid TOML");
        assert_eq!(scopes(&next), [("lead", Scope::Descendants)], "{unread}");
    }
    let both = "[scope]\nlead = \"observe\"\n[scopes]\nlead = \"all\"\n";
    assert_eq!(scopes(&parse(both)), [("lead", Scope::All)]);
}

#[test]
fn a_file_that_is_not_toml_is_unusable_and_says_where() {
    let unusable = Config::parse(&source("[client]\nmouse = = 1\n"), None).expect_err("not TOML");
    let text = unusable.mistake.to_string();
    assert!(text.starts_with("config.toml, line 2: invalid TOML: "), "{text}");
    assert!(text.ends_with("; the file is ignored until this is fixed"), "{text}");
    let config = unusable.or_last_scopes(Some(&parse("")));
    assert_eq!((scopes(&config), config.mistakes.len()), (Vec::new(), 1));
}

#[test]
fn a_daemon_started_with_unusable_scopes_lets_agents_only_observe() {
    let strict = [("*", Scope::Observe)];
    for text in [
        "[scopes]\nlead = al\n",
        "on_exit = = 1\n[ scopes ]\n\"*\" = \"observe\"",
        "[scopes\n",
        "scopes.a =",
        "on_exit = = 1\n",
    ] {
        let config = Config::parse(&source(text), None).expect_err("not TOML").or_defaults();
        assert_eq!(scopes(&config), strict, "{text}");
    }
    let unreadable = ConfigSource::Unreadable("cannot be read: permission denied".into());
    let config = Config::parse(&unreadable, None).expect_err("unreadable").or_defaults();
    assert_eq!(scopes(&config), strict);
    let text = "config.toml: cannot be read: permission denied; the file is ignored until this is fixed";
    assert_eq!(config.mistakes[0].to_string(), text);
}

#[test]
fn a_file_that_cannot_be_used_keeps_the_settings_and_restricts_agents_if_it_may_have_scopes() {
    let current = parse("on_exit = \"keep\"\n");
    let unreadable = ConfigSource::Unreadable("not UTF-8 text".into());
    let after =
        |source: &ConfigSource, current| Config::read(source).expect_err("broken").or_current(current);
    let strict: &[(&str, Scope)] = &[("*", Scope::Observe)];
    for (broken, expected) in [
        (source("[client\nmouse = true\n# scopes are not used\n"), &[] as &[(&str, Scope)]),
        (source("[scopes]\nlead = = \"observe\"\n"), strict),
        (source("x = = 1\n[client]\nmouse = 1 [Scope]\n"), strict),
        (unreadable, strict),
    ] {
        let config = after(&broken, &current);
        assert_eq!((scopes(&config), config.daemon.on_exit), (expected.to_vec(), OnExit::Keep), "{broken:?}");
        assert_eq!(config.scopes_kept, !expected.is_empty());
    }
    let restricted = parse("[scopes]\nlead = \"descendants\"\n");
    assert_eq!(scopes(&after(&source("x = = 1"), &restricted)), [("lead", Scope::Descendants)]);
}

#[test]
fn a_missing_file_keeps_the_scopes_and_a_file_without_any_lifts_them() {
    let restricted = parse("on_exit = \"keep\"\n[scopes]\nlead = \"descendants\"\n");
    let missing = Config::parse(&ConfigSource::Missing, Some(&restricted)).expect("no mistake");
    assert_eq!(
        (scopes(&missing), missing.daemon.on_exit),
        (vec![("lead", Scope::Descendants)], OnExit::Close)
    );
    assert!(missing.scopes_kept, "they are not stored as the file's");
    let why = "config.toml: the file does not exist; to lift the scopes, create it without [scopes]";
    assert_eq!(missing.mistakes.iter().map(ToString::to_string).collect::<Vec<_>>(), [why]);
    let lifted = Config::parse(&source(""), Some(&missing)).expect("valid TOML");
    assert_eq!((scopes(&lifted), lifted.mistakes.len(), lifted.scopes_kept), (Vec::new(), 0, false));
}

#[test]
fn scopes_in_the_wrong_place_let_agents_only_observe() {
    for text in [
        "Scopes = \"observe\"\n",
        "[SCOPES]\nlead = \"observe\"\n",
        "[daemon.scopes]\nlead = \"observe\"\n",
        "[client]\nscopes = \"observe\"\n",
        "[client.scopes]\nlead = \"observe\"\n",
    ] {
        let config = Config::parse(&source(text), Some(&parse(""))).expect("valid TOML");
        assert_eq!(scopes(&config), [("*", Scope::Observe)], "{text}");
    }
}

/// A file with this many entries of `[keys]`, each with an invalid key.
fn keys(count: usize) -> String {
    (0..count).fold("[keys]\n".into(), |text, number| format!("{text}\"nokey{number}\" = \"zoom-pane\"\n"))
}

#[test]
fn a_file_with_too_many_entries_is_refused_and_one_with_many_is_read_at_once() {
    let unusable = Config::read(&source(&keys(20_000))).expect_err("too many");
    let why = "config.toml: more than 10000 entries; the file is ignored until this is fixed";
    assert_eq!(unusable.mistake.to_string(), why);
    let mistakes = mistakes(&keys(9_000));
    assert_eq!(mistakes.len(), 101);
    assert!(mistakes[99].starts_with("config.toml, line 101: "), "{}", mistakes[99]);
    assert_eq!(mistakes[100], "config.toml: 8900 more errors are not listed");
}

#[test]
fn setting_and_section_names_are_unique() {
    let mut names = names();
    assert!(
        ["shell", "client.mouse", "scopes", "keys"]
            .iter()
            .all(|name| names.iter().any(|known| known == name))
    );
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn the_parts_of_the_status_line_are_names_texts_and_commands() {
    let text = "\
[status]
position = \"top\"
left = [\"session\", \"#{pane_id} in %H\", \"!uptime -p\"]
right = [{ command = \"mail\", interval = 60, timeout = 2 }, { text = \"word\" }]
[status.second_line]
center = [\"windows\"]
";
    let config = parse(text);
    assert_eq!(config.mistakes, []);
    let status = &config.status;
    assert_eq!(status.position, StatusPosition::Top);
    let uptime = StatusPart::Command(StatusCommand::new("uptime -p"));
    assert_eq!(status.left, [StatusPart::Session, StatusPart::Text("#{pane_id} in %H".into()), uptime]);
    let mail = StatusCommand {
        interval: Some(Seconds::new(60)),
        timeout: Seconds::new(2),
        ..StatusCommand::new("mail")
    };
    assert_eq!(status.right, [StatusPart::Command(mail), StatusPart::Text("word".into())]);
    assert_eq!(status.lines()[1].center, [StatusPart::Windows]);
    let shown = settings().filter(|setting| setting.section == Some("status"));
    let shown: String =
        shown.filter_map(|setting| Some(format!("{} = {}\n", setting.key, config.value(setting)?))).collect();
    assert_eq!(parse(&format!("[status]\n{shown}")).status, config.status, "{shown}");
}

#[test]
fn a_mistake_in_the_status_line_is_noted() {
    let text = "\
[status]
left = [\"sesion\"]
center = [{ comand = \"x\" }]
right = [{ command = \"x\", interval = 0 }]
second_line = { rigth = [] }
clok = \"%H\"
";
    let wrong = [
        "line 2: \"left\" has an unknown part \"sesion\"; did you mean \"session\"?",
        "line 3: \"center\" has a part with an unknown field \"comand\"; did you mean \"command\"?",
        "line 4: \"right\" has a part whose \"interval\" must be a number of seconds, at least 1",
        "line 5: \"second_line\" has an unknown field \"rigth\"; did you mean \"right\"?",
        "line 6: unknown setting \"clok\" in [status]; did you mean \"clock_format\"?",
    ];
    assert_eq!(mistakes(text), wrong.map(|wrong| format!("config.toml, {wrong}")));
    assert!(parse(text).status_mistaken && !parse("[status]\nleft = []\n").status_mistaken);
}

/// Valid entries, the sections of which they are, and an invalid value for each.
const ENTRIES: [(&str, &str, &str, &str); 19] = [
    ("", "shell", "\"/bin/zsh\"", "1"),
    ("", "on_exit", "\"keep\"", "\"kept\""),
    ("", "history_lines", "5", "\"5\""),
    ("", "prompt_marks", "false", "\"false\""),
    ("", "agents_may_answer", "true", "[]"),
    ("client", "prefix", "\"C-a\"", "\"C-nothing\""),
    ("client", "mouse", "false", "0"),
    ("client", "clipboard", "\"off\"", "false"),
    ("client", "link_schemes", "[\"file\"]", "[\"javascript\"]"),
    ("client", "copy_keys", "\"emacs\"", "\"joe\""),
    ("status", "position", "\"top\"", "\"left\""),
    ("status", "left", "[\"windows\", \"!date\"]", "[\"window\"]"),
    ("scopes", "lead", "\"all\"", "\"everything\""),
    ("scopes", "\"worker-*\"", "\"descendants\"", "{}"),
    ("theme", "name", "\"dusk\"", "5"),
    ("keys", "\"prefix h\"", "\"zoom-pane\"", "true"),
    ("keys", "\"M-z\"", "{ run = \"zoom-pane\" }", "{ rum = \"zoom-pane\" }"),
    ("copy_keys", "Y", "\"copy\"", "1"),
    ("copy_keys", "q", "\"\"", "[\"copy\"]"),
];

/// The text of a file with these entries; the one at `wrong` is invalid, or absent.
fn text(chosen: &[usize], wrong: Option<usize>, keep_wrong: bool) -> String {
    let mut text = String::new();
    let mut section = "";
    for at in chosen {
        let (of, name, valid, invalid) = ENTRIES[*at];
        if section != of {
            section = of;
            text += &format!("[{of}]\n");
        }
        match wrong == Some(*at) {
            true if keep_wrong => text += &format!("{name} = {invalid}\n"),
            true => text += "\n",
            false => text += &format!("{name} = {valid}\n"),
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_invalid_entry_changes_nothing_but_itself(
        chosen in subsequence((0..ENTRIES.len()).collect::<Vec<_>>(), 1..=ENTRIES.len()),
        which in any::<prop::sample::Index>(),
    ) {
        let wrong = *which.get(&chosen);
        prop_assert_eq!(parse(&text(&chosen, None, true)).mistakes, []);
        let mut bad = parse(&text(&chosen, Some(wrong), true));
        let without = parse(&text(&chosen, Some(wrong), false));
        prop_assert_eq!(bad.mistakes.len(), 1);
        bad.mistakes.clear();
        let name = ENTRIES[wrong].1.trim_matches('"');
        // An invalid scope is the strictest one, not absent.
        bad.scopes.retain(|entry| entry.name != name);
        (bad.scopes_kept, bad.status_mistaken) = (false, false);
        prop_assert_eq!(bad, without);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands where `deny` should, and whoever the agent is, the command stays denied to the agents that the
    /// rule may be about, or no rule allows anything.
    #[test]
    fn a_rule_that_cannot_be_read_never_allows_its_command(
        agent in "[a-z*: ]{0,8}",
        command in "[a-z *:-]{0,12}",
        verdict in prop_oneof!["[a-z]{0,6}".prop_map(|word| format!("{word:?}")), "[1-9][0-9]{0,2}", Just("[]".to_owned())],
    ) {
        prop_assume!(verdict != "\"allow\"");
        let name = format!("{agent}:{command}");
        prop_assume!(name != "*: *");
        let config = parse(&format!("[permissions]\n\"*: *\" = \"allow\"\n\"{name}\" = {verdict}\n"));
        let command = name.split_once(':').map(|(_, command)| command.trim()).unwrap_or_default();
        let agent = name.split(':').next().unwrap_or_default().trim();
        let denies = |rule: &PermissionRule| {
            rule.verdict == RuleVerdict::Deny && rule.command == command && ["*", agent].contains(&&*rule.agent)
        };
        let is_denied = config.permissions.iter().any(|rule| denies(&rule.value));
        prop_assert!(config.permissions_incomplete || is_denied, "{:?}", config.permissions);
        prop_assert!(verdict == "\"deny\"" || !config.mistakes.is_empty(), "a mistake is reported");
    }
}

#[test]
fn a_mistake_in_a_rule_denies_its_command_and_is_reported() {
    let config = parse(
        "[permissions]\n\"*: git *\" = \"allow\"\n\"*: git push*\" = \"denied\"\n\"cluade: rm *\" = \"deny\"\n\
         \"gemini: ls\" = 1\n\"goose: *\" = \"allow\"\n",
    );
    let rules: Vec<_> =
        config.permissions.iter().map(|rule| (rule.value.text(), rule.value.verdict.name())).collect();
    let expected =
        [("*: git *", "allow"), ("*: git push*", "deny"), ("*: rm *", "deny"), ("gemini: ls", "deny")];
    assert_eq!(rules, expected.map(|(text, verdict)| (text.to_owned(), verdict)));
    assert!(!config.permissions_incomplete);
    let mistakes: Vec<_> = config.mistakes.iter().map(|mistake| mistake.text.as_str()).collect();
    let denied = "until this is fixed, the rule denies the command";
    assert_eq!(mistakes.iter().filter(|text| text.contains(denied)).count(), 3, "{mistakes:?}");
    assert!(mistakes.iter().any(|text| text.contains("unknown agent; the rule has no effect")));
}

#[test]
fn a_rule_without_a_readable_command_keeps_all_rules_from_allowing_anything() {
    for name in ["git push*", "claude:", ": git push", "claude code: git push"] {
        let config = parse(&format!("[permissions]\n\"*: git *\" = \"allow\"\n\"{name}\" = \"deny\"\n"));
        assert!(config.permissions_incomplete && config.mistakes.len() == 1, "{name}: {:?}", config.mistakes);
    }
}

#[test]
fn the_page_about_hooks_lists_every_event() {
    let page = include_str!("../../docs/hooks.md");
    for event in HOOK_EVENTS {
        assert!(page.contains(&format!("| `{}` | {} |", event.name, event.about)), "{}", event.name);
    }
}
