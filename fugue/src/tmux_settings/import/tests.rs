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
    imported(text).entries.iter().map(ConfigEdit::line).collect()
}

/// The lines that are left out, with the reason: `line: what: why`.
fn left_out(text: &str) -> Vec<String> {
    let line = |place: &str| place.rsplit(':').next().unwrap_or_default().to_owned();
    let told = |(place, what, why): &(String, String, String)| format!("{}: {what}: {why}", line(place));
    imported(text).left_out.iter().map(told).collect()
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
