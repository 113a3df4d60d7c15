//! The table of verbs, and what callers may give as arguments.

use super::*;
use crate::refusal::Hint;

#[test]
fn every_verb_has_a_command_line_and_plain_schemas() {
    for verb in VERBS {
        let name = verb.name;
        let mut command = verb.command();
        command.build();
        assert!(command.get_about().is_some() || command.get_long_about().is_some(), "{name} has no help");
        let (args, reply) = verb.schemas();
        for schema in [args, reply] {
            let text = serde_json::to_string(&schema).unwrap();
            assert!(!text.contains("$ref") && !text.contains("uint"), "{name}: {text}");
        }
    }
}

#[test]
fn every_argument_that_a_row_names_exists() {
    for verb in VERBS {
        let (name, properties) = (verb.name, &verb.properties);
        let schema = verb.schemas().0.to_value();
        let has = |argument: &str| schema["properties"].get(argument).is_some();
        assert_eq!(has("cwd"), properties.directory != WorkingDirectory::None, "{name}: cwd");
        assert_eq!(has("idempotency_key"), properties.keyed, "{name}: idempotency_key");
        assert_eq!(has("wait_ms") || has("timeout_ms"), properties.wait.is_some(), "{name}: wait");
        assert!(properties.wait.is_none_or(|wait| has(wait.name)), "{name}: wait");
        for argument in properties.tool.required.iter().map(|word| word.trim_end_matches("_id")) {
            assert!(has(argument), "{name}: {argument}");
        }
        for (argument, value) in properties.tool.defaults {
            assert!(has(argument) && serde_json::from_str::<serde_json::Value>(value).is_ok(), "{name}");
        }
    }
}

#[test]
fn an_argument_that_is_given_under_both_of_its_names_is_refused() {
    let read = |args: &str| argument_names::read::<ClosePane>(args).map(|close| close.choice.pane.is_some());
    for (args, is_named) in
        [(r#"{"pane_id":"%1"}"#, true), (r#"{"pane":"%1","pane_id":null}"#, true), ("{}", false)]
    {
        assert_eq!(read(args).ok(), Some(is_named), "{args}");
    }
    let why = read(r#"{"pane":"%1","pane_id":"%2"}"#).expect_err("two panes").to_string();
    assert!(why.contains("`pane` and `pane_id` are the same argument; give one"), "{why}");
}

#[test]
fn every_name_and_alias_means_one_verb() {
    let words = VERBS.iter().flat_map(|verb| verb.properties.aliases.iter().copied().chain([verb.name]));
    let mut words: Vec<_> = words.collect();
    words.sort_unstable();
    assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "{words:?}");
    assert_eq!(VerbInfo::by_name_or_alias("ls").map(|verb| verb.name), Some("list-sessions"));
}

#[test]
fn a_relative_directory_is_the_callers() {
    let resolved = |verb: &str, args: &str| {
        let mut args: Arguments = serde_json::from_str(args).unwrap();
        VerbInfo::find(verb).unwrap().resolve_paths(&mut args, std::path::Path::new("/home"), None);
        args.get("cwd").cloned()
    };
    assert_eq!(resolved("create-session", "{}"), Some("/home".into()));
    assert_eq!(resolved("create-pane", "{}"), None);
    assert_eq!(resolved("run", r#"{"cwd":"a"}"#), Some("/home/a".into()));
    assert_eq!(resolved("run", r#"{"cwd":"/a"}"#), Some("/a".into()));
    assert_eq!(resolved("run", r#"{"cwd":"~/a"}"#), Some("~/a".into()), "for the daemon to complete");
}

#[test]
fn a_lease_on_a_path_is_named_by_the_absolute_path() {
    for verb in ["claim", "release"] {
        let mut args: Arguments = serde_json::from_str(r#"{"name":"src/a.rs"}"#).unwrap();
        VerbInfo::find(verb).unwrap().resolve_paths(&mut args, std::path::Path::new("/app"), None);
        assert_eq!(args["name"], "/app/src/a.rs");
    }
}

#[test]
fn a_path_may_be_relative_or_in_the_home_directory() {
    for (given, expected) in [("../fix", "/fix"), ("~/fix", "/home/me/fix"), ("/fix", "/fix")] {
        let mut args = Arguments::from_iter([("path".to_owned(), given.into())]);
        let (here, home) = (std::path::Path::new("/app"), std::path::Path::new("/home/me"));
        VerbInfo::find("remove-worktree").unwrap().resolve_paths(&mut args, here, Some(home));
        assert_eq!(args["path"], expected);
    }
}

#[test]
fn a_repeated_call_waits_for_the_rest_of_its_time() {
    let shortened = |verb: &str, args: &str, ms| {
        let mut args: Arguments = serde_json::from_str(args).unwrap();
        VerbInfo::find(verb).unwrap().shorten_wait(&mut args, std::time::Duration::from_millis(ms));
        serde_json::to_string(&args).unwrap()
    };
    assert_eq!(shortened("claim", r#"{"wait_ms":500}"#, 200), r#"{"wait_ms":300}"#);
    assert_eq!(shortened("claim", r#"{"wait_ms":500}"#, 900), r#"{"wait_ms":1}"#);
    assert_eq!(shortened("claim", r#"{"wait_ms":0}"#, 900), r#"{"wait_ms":0}"#);
    assert_eq!(shortened("wait", "{}", 10_000), r#"{"timeout_ms":20000}"#);
    assert_eq!(shortened("get-tags", "{}", 10_000), "{}");
}

#[test]
fn unknown_verbs_and_fields_are_refused_by_name() {
    let refusal = Verb::read("list-sesions", "{}").unwrap_err();
    assert_eq!(refusal.to_string(), "Unknown command: list-sesions");
    assert_eq!(refusal.hints(), [Hint::DidYouMean("list-sessions".into())]);
    let refusal = Verb::read("rename-session", r#"{"name":"a","color":1}"#).unwrap_err();
    assert_eq!(refusal.to_string(), "Invalid arguments for `rename-session`: unknown argument `color`");
}

#[test]
fn other_names_of_arguments_are_accepted() {
    let id = "019a0000-0000-7000-8000-000000000001";
    for args in [format!(r#"{{"session_id":"{id}","window_id":"{id}"}}"#), r#"{"session":"work"}"#.into()] {
        assert!(matches!(Verb::read("create-pane", &args), Ok(Verb::CreatePane(_))), "{args}");
    }
    let sent = Verb::read("send-input", &format!(r#"{{"pane_id":"{id}","input":"ls\n"}}"#)).unwrap();
    let Verb::SendInput(sent) = sent else { panic!("{sent:?}") };
    assert_eq!(sent.input.as_deref(), Some("ls\n"));
}
