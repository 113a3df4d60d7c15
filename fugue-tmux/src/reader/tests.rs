//! Texts of tmux commands, and the commands that are read from them.

use super::*;

fn lines(text: &str) -> Result<Vec<String>, String> {
    let value = |name: &str| match name {
        "HOME" => Some("/home/me".to_owned()),
        "A" => Some("a b".to_owned()),
        _ => None,
    };
    let expand = |format: &str| match format {
        "#{unknown}" => Err("not known".to_owned()),
        "#{==:#{a},b}" => Ok("1".to_owned()),
        format => Ok(format.to_owned()),
    };
    let shown = |command: ScriptCommand| command.words.join("|") + &command.undecided.unwrap_or_default();
    Ok(parse(text, &value, &expand)?.into_iter().map(shown).collect())
}

#[test]
fn conditions_decide_which_commands_are_read() {
    let read = |text: &str| lines(text).expect("valid").join(" / ");
    assert_eq!(read("%if 1\na\n%else\nb\n%endif\n%if 0\nc\n%else\nd\n%endif"), "a / d");
    assert_eq!(read("%if #{==:#{a},b} # so\na\n%elif #{unknown}\nb\n%endif\n# c\nd"), "a / d");
    assert_eq!(read("%if 0\n%if #{unknown}\na\n%else\nb\n%endif\n%else\nc\n%endif"), "c");
    assert_eq!(read("%if 0 a %else b c; d %endif\ne"), "b|c / d / e");
    assert_eq!(read("bind % split-window"), "bind|%|split-window");
    assert_eq!(lines("%if #{a\nb\n%endif"), Err("line 1: missing }".into()));
}

#[test]
fn no_branch_of_a_condition_that_cannot_be_evaluated_is_read() {
    let read = |text: &str| lines(text).expect("valid").join(" / ");
    assert_eq!(read("%if \"#{unknown}\"\na\n%elif 1\nb\n%else\nc\n%endif\nd"), "%if|#{unknown}not known / d");
    assert_eq!(read("%if 0\na\n%elif #{unknown}\nb\n%else\nc\n%endif"), "%elif|#{unknown}not known");
}

#[test]
fn commands_are_read_as_tmux_reads_them() {
    let read = |text: &str| lines(text).expect("valid").join(" / ");
    assert_eq!(read("set -g mouse on # comment\n\nbind x kill-pane"), "set|-g|mouse|on / bind|x|kill-pane");
    assert_eq!(read("a 'b c' \"d $A\" e\\ f; g"), "a|b c|d a b|e f / g");
    assert_eq!(read("bind r source ~/.x \\; display hi"), "bind|r|source|/home/me/.x|;|display|hi");
    assert_eq!(read("bind x {\n  split-window\n  select-pane -L\n}"), "bind|x|split-window ; select-pane -L");
    assert_eq!(read("a \\\n b"), "a|b");
    assert_eq!(read("set -g status-left '#S' # x"), "set|-g|status-left|#S");
    assert_eq!(read("v=\"x y\"\nif \"$v z\" b"), "if|x y z|b");
    assert_eq!(lines("a 'b"), Err("line 1: unclosed quote".into()));
    assert_eq!(lines("a\nb {"), Err("line 2: missing }".into()));
}

#[test]
fn a_semicolon_at_the_end_of_a_word_ends_a_command() {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let split = |line: &str| split(&words(line)).iter().map(|words| words.join(" ")).collect::<Vec<_>>();
    assert_eq!(split("a b ; c"), ["a b", "c"]);
    assert_eq!(split("a b; c"), ["a b", "c"]);
    assert_eq!(split("send-keys \\; x"), ["send-keys ; x"]);
}

#[test]
fn a_block_is_one_word_on_one_line_with_its_variables_replaced() {
    let read = |text: &str| lines(text).expect("valid").join(" / ");
    assert_eq!(
        read("bind D { if-shell -F 1 { next-window } { previous-window} }\nx"),
        "bind|D|if-shell -F 1 { next-window } { previous-window } / x"
    );
    assert_eq!(
        read("bind D {\n  if-shell \"$A\" {\n    next-window # on\n    a\n  } {\n    b ~/c\n  }\n}"),
        "bind|D|if-shell 'a b' { next-window ; a } { b /home/me/c }"
    );
    assert_eq!(read("v=1\nbind D { a \"$v }\" '#{b}' }"), "bind|D|a '1 }' '#{b}'");
    assert_eq!(read("bind D { %if 0\na\n%else\nb\n%endif\n}"), "bind|D|b");
    assert_eq!(read("bind D { a '{ x }' { b '{ y }' } }"), "bind|D|a '{ x }' { b '{ y }' }");
    assert_eq!(read("bind D { a ';' \"x\\ny\" }"), "bind|D|a ';' 'x\ny'");
    assert_eq!(
        read("bind D { select-pane -t {last} ; bind x a \\; b }"),
        "bind|D|select-pane -t '{last}' ; bind x a \\; b"
    );
    assert_eq!(read("run \"awk '{ print $1 }'\""), "run|awk '{ print $1 }'");
    assert_eq!(lines("bind x { a { b }"), Err("line 1: missing }".into()));
    let deep = format!("bind x {}", "{ a ".repeat(1_000));
    assert_eq!(lines(&deep), Err("line 1: blocks are nested too deeply".into()));
}
