//! What becomes of the lines of a tmux.conf.

use super::*;

/// Imports a file with this text.
fn imported(text: &str) -> Import {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("tmux.conf");
    std::fs::write(&file, text).expect("written");
    let mut import = Import::default();
    import.read(&file, DEPTH).expect("valid");
    import
}

/// The entries that a text becomes.
fn entries(text: &str) -> Vec<String> {
    imported(text).entries.iter().map(|(entry, _)| entry.line()).collect()
}

/// The lines that are left out, with the reason: `line: what: why`.
fn left_out(text: &str) -> Vec<String> {
    let line = |place: &str| place.rsplit(':').next().unwrap_or_default().to_owned();
    let shown = |(from, why): &(SourceLine, String)| format!("{}: {}: {why}", line(&from.place), from.line);
    imported(text).left_out.iter().map(shown).collect()
}

#[test]
fn only_the_branch_whose_condition_is_true_is_imported() {
    let text = "%if \"#{==:a,b}\"\nbind x kill-server\n%elif #{>=:#{version},3.0}\nset -g mouse on\n%else\n\
                set -g mouse off\n%endif\n";
    assert_eq!(entries(text), ["mouse = true"]);
    assert_eq!(left_out(text), Vec::<String>::new());
}

#[test]
fn no_branch_is_imported_if_its_condition_needs_a_session() {
    let text = "set -g status on\n%if #{==:#{session_name},work}\nset -g mouse on\n%else\nset -g mouse off\n%endif\n";
    assert_eq!(entries(text), ["status = true"]);
    let why = "#{session_name} is not known during the import, so no branch was imported";
    assert_eq!(left_out(text), [format!("2: %if #{{==:#{{session_name}},work}}: {why}")]);
}

#[test]
fn a_key_that_pipes_what_it_copies_sets_the_copy_command() {
    let text = "unbind -T copy-mode-vi Enter\n\
                bind -T copy-mode-vi Enter send -X copy-pipe-and-cancel 'xclip -i'\n\
                bind -T copy-mode-vi y send-keys -X copy-pipe-no-clear 'xclip -i'\n";
    assert_eq!(entries(text), ["Enter = \"copy\"", "y = \"copy\"", "copy_command = \"xclip -i\""]);
    assert_eq!(left_out(text), Vec::<String>::new());
}

#[test]
fn of_two_copy_commands_the_last_one_counts_and_the_other_one_is_listed() {
    let text = "set -s copy-command xsel\nbind -T copy-mode-vi y send -X copy-pipe wl-copy\n";
    assert_eq!(entries(text), ["y = \"copy\"", "copy_command = \"wl-copy\""]);
    let why = "fugue has one command for everything that is copied: \"wl-copy\" is used";
    assert_eq!(left_out(text), [format!("1: set -s copy-command xsel: {why}")]);
}

#[test]
fn a_key_whose_new_binding_cannot_be_imported_is_not_unbound() {
    let text =
        "unbind x\nunbind -T copy-mode q\nunbind z\nbind x frobnicate\nbind -T copy-mode q new-window\n";
    assert_eq!(entries(text), ["\"prefix z\" = \"\""]);
    assert_eq!(left_out(text).len(), 2);
}

#[test]
fn blocks_within_a_block_are_imported() {
    let line = "\"prefix D\" = \"if-shell -F 1 { next-window } { previous-window }\"";
    assert_eq!(entries("bind D { if-shell -F 1 { next-window } { previous-window } }"), [line]);
    let text = "bind D {\n  if-shell -F 1 {\n    next-window\n  } {\n    previous-window\n  }\n}\n";
    assert_eq!(entries(text), [line]);
}

#[test]
fn a_missing_file_is_listed_with_its_line_unless_it_may_be_missing() {
    let text = "set -g mouse on\nsource-file -q /nowhere/a\nsource-file /nowhere/b\n";
    let listed = left_out(text);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert!(listed[0].starts_with("3: source-file /nowhere/b: Cannot read /nowhere/b: "), "{listed:?}");
}

#[test]
fn a_value_is_added_to_the_one_that_the_file_has_set() {
    let text = "set -g status-left 'a '\nset -ga status-left '#S'\nset -g status-style bg=red\n\
                set -ga status-style bold\nset -ga terminal-overrides ,xterm*:Tc\n";
    assert_eq!(entries(text), ["left = [\"a #S\", \"windows\"]", "bar = \"on red bold\""]);
    assert_eq!(left_out(text), Vec::<String>::new());
    assert_eq!(
        left_out("set -ga status-right x\nset -g base-index 1\nset -ga base-index 1\n"),
        [
            "1: set -ga status-right x: `set -a` adds to a value, but the file has not set status-right",
            "3: set -ga base-index 1: `set -a` cannot add to base-index",
        ]
    );
}

#[test]
fn an_option_that_the_file_unsets_again_is_not_imported() {
    let text = "set -g mouse on\nset -g base-index 1\nset -gu mouse\nset -gu lock-command\n";
    assert_eq!(entries(text), ["base_index = 1"]);
    assert_eq!(left_out(text), Vec::<String>::new());
}

#[test]
fn the_variables_of_update_environment_are_imported() {
    let text = "set -g update-environment \"A B\"\nset -ga update-environment ' C A'\n";
    assert_eq!(entries(text), ["update_environment = [\"A\", \"B\", \"C\"]"]);
    let added = entries("set -ga update-environment EDITOR\n");
    assert!(added[0].contains("\"DISPLAY\"") && added[0].ends_with("\"EDITOR\"]"), "{added:?}");
    let pattern = left_out("set -g update-environment 'KITTY_*'\n");
    assert!(
        pattern[0].ends_with("it must be names of environment variables, without patterns"),
        "{pattern:?}"
    );
}

#[test]
fn the_older_options_for_the_colors_of_the_status_line_are_imported() {
    assert_eq!(entries("set -g status-bg blue\nset -g status-fg white\n"), ["bar = \"white on blue\""]);
    assert_eq!(entries("set -g status-bg cyan\n"), ["bar = \"black on cyan\""], "tmux's color of the text");
    let text = "set -g status-fg white\nset -g status-style fg=red,bold\n";
    assert_eq!(entries(text), ["bar = \"white bold\""]);
    assert_eq!(entries("set -g status-bg red\nset -g status-bg ?\n"), ["bar = \"black on red\""]);
    assert_eq!(entries("set -g status-bg red\nset -gu status-bg\n"), Vec::<String>::new());
}

#[test]
fn a_variable_is_listed_with_the_command_that_sets_it() {
    assert_eq!(
        left_out("setenv -g EDITOR 'vi -e'\nset-environment -gu LESS\n"),
        [
            "1: setenv -g EDITOR vi -e: config.toml does not set environment variables: \
             run `fugue set-global-environment EDITOR 'vi -e'`",
            "2: set-environment -gu LESS: config.toml does not set environment variables: \
             run `fugue set-global-environment LESS`",
        ]
    );
}

#[test]
fn what_would_be_a_mistake_in_config_toml_is_listed() {
    let text =
        "set -g status-style \"bg=#{@theme}\"\nset -g status-bg '#{@theme}'\nset -g set-titles-string '#S'\n";
    assert_eq!(entries(text), ["titles_format = \"#S\""]);
    assert_eq!(left_out(text).len(), 2);
}

#[test]
fn a_binding_that_sets_an_option_which_fugue_refuses_is_listed() {
    for line in [
        "bind -n F12 set prefix None \\; set status off",
        "bind -n F12 { set status off\n set -g key-table off }",
        "bind -n F12 setw -ga status-left x",
    ] {
        assert_eq!((entries(line).len(), left_out(line).len()), (0, 1), "{line}");
    }
    for line in [
        "bind m set -g mouse \\; display done",
        "bind e setw synchronize-panes on",
        "bind t set -g @theme dark",
        "bind s set -g status off",
    ] {
        assert_eq!((entries(line).len(), left_out(line)), (1, Vec::new()), "{line}");
    }
}

#[test]
fn the_keys_of_fugue_that_the_file_replaces_are_listed() {
    let text = "bind a display hi\nbind -r Tab last-pane\nbind c new-window\nunbind P\nbind M-F11 detach\n";
    let import = imported(text);
    let keys: Vec<_> = import.replaced_keys().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["prefix a", "prefix Tab"]);
    let report = import.report(Path::new("tmux.conf"), "", Path::new("config.toml"));
    let own = fugue_tui::default_key_list();
    let about = &own.iter().find(|own| own.table == "prefix" && own.key == "a").expect("bound").about;
    assert!(
        report.contains(&format!("# Replaces these keys of fugue:\n#   prefix a: {about}\n")),
        "{report}"
    );
}
