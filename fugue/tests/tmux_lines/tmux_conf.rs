//! The import of a tmux.conf.

use std::fs;

use super::server;

const TMUX_CONF: &str = r##"
set -g prefix C-a
set -g mouse off   # no mouse
setw -g mode-keys emacs
set -g history-limit 5000
set -g status-style 'bg=colour235,fg=white'
set -sg escape-time 0
set -g status-left '[#S] '
set -g status-right '#[fg=green]#{pane_title} %d.%m.'
set -g status-position top
set -g status 2
set -g base-index 1
setw -g pane-base-index 1
set -g renumber-windows on
set -g set-titles on
set -g set-titles-string '#S'
setw -g monitor-activity on
setw -g monitor-silence 30
set -s copy-command 'xsel -i'
set -g lock-command vlock
bind | split-window -h -c "#{pane_current_path}"
bind -r H resize-pane -L 5
is_vim="ps -t '#{pane_tty}' | grep -q vim"
bind -n C-h if-shell "$is_vim" 'send-keys C-h' 'select-pane -L'
bind -T copy-mode-vi v send-keys -X begin-selection
bind x frobnicate
bind r source-file ~/tmux.conf \; display "Reloaded"
set -ga terminal-overrides ",xterm-256color:Tc"
run '~/.tmux/plugins/tpm/tpm'
"##;

#[test]
fn a_tmux_conf_becomes_a_config_toml_and_what_is_left_out_is_listed() {
    let server = server();
    let file = server.path().join("tmux.conf");
    fs::write(&file, TMUX_CONF).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let config = server.path().join("config/fugue/config.toml");
    let shown = server.ok(&["import-tmux", file]);
    assert!(shown.contains("Nothing written; use `--write` to write") && !config.exists(), "{shown}");
    fs::create_dir_all(config.parent().expect("a directory")).expect("created");
    fs::write(&config, "# mine\n[client]\nmouse = true\nsidebar = true\n").expect("written");
    let shown = server.ok(&["import-tmux", file, "--write"]);
    for text in [
        "# Replaces these settings in ",
        "#   mouse",
        "escape-time: a lone Escape is recognized automatically",
        "terminal-overrides: terminal features are detected automatically",
        "fugue has no lock-command",
        "pane-base-index: panes, like windows, are numbered from `base_index`",
        "unknown command `frobnicate`",
        "plugins and scripts are not run",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let written = fs::read_to_string(&config).expect("written");
    for line in [
        "# mine",
        "sidebar = true",
        "history_lines = 5000",
        "prefix = \"C-a\"",
        "mouse = false",
        "copy_keys = \"emacs\"",
        "\"prefix |\" = \"split-window -h -c #{pane_current_path}\"",
        "\"prefix H\" = { repeat = true, run = \"resize-pane -L 5\" }",
        "v = \"select-text\"",
        "bar = \"white on 235\"",
        "left = [\"session\", \"windows\"]",
        "right = [\"warnings\", \"agents\", \"messages\", \"#[fg=green]#{pane_title} %d.%m.\"]",
        "position = \"top\"",
        "base_index = 1",
        "renumber_windows = true",
        "set_titles = true",
        "titles_format = \"#S\"",
        "monitor_activity = true",
        "monitor_silence = 30",
        "copy_command = \"xsel -i\"",
    ] {
        assert!(written.lines().any(|of| of == line), "{line}: {written}");
    }
    let reload = format!(
        "\"prefix r\" = \"run-shell 'fugue import-tmux --write {file} > /dev/null' ; display Reloaded\""
    );
    assert!(written.contains(&reload), "{reload}: {written}");
    assert!(written.contains("\nsecond_line = { center = [\"#{P:"), "{written}");
    assert!(written.contains("\nC-h = ") && written.contains("grep -q vim"), "{written}");
    assert!(server.ok(&["config", "check"]).contains("has no errors"));
}
