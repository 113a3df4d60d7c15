//! Formats and what tmux makes of them.

use super::*;

struct Window(usize);

impl FormatSource for Window {
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "window_index" => Some(self.0.to_string()),
            "window_name" => Some(format!("w{}", self.0)),
            _ => None,
        }
    }
}

struct Work;

impl FormatSource for Work {
    fn value(&self, name: &str) -> Option<String> {
        Some(match name {
            "pane_id" => "%1".into(),
            "session_name" => "work".into(),
            "pane_active" => "1".into(),
            "pane_dead" | "created" => "0".into(),
            "pane_current_path" => "/a/b c".into(),
            "pane_title" => "a title".into(),
            "pane_path" => "/a'; rm -rf $HOME `b`\n".into(),
            "status-left" => "[#S]".into(),
            "window_name" => "#(touch x)#{E:pane_path}#{l:#(touch y)}%%".into(),
            "%if" => "50%".into(),
            _ => return None,
        })
    }

    fn items(&self, kind: LoopKind) -> Vec<LoopItem<'_>> {
        let item = |number| (number == 1, Box::new(Window(number)) as Box<dyn FormatSource>);
        if kind == LoopKind::Windows { (0..3).map(item).collect() } else { Vec::new() }
    }

    fn output(&self, command: &str) -> String {
        format!("<{command}>")
    }
}

#[test]
fn formats_become_what_tmux_makes_of_them() {
    for (format, text) in [
        ("#{session_name}:#{pane_id}", "work:%1"),
        ("a\t#{unknown}\tb", "a\t\tb"),
        ("#S #D ## 5#", "work %1 # 5#"),
        ("#, #} #[fg=red]x", ", } #[fg=red]x"),
        ("#{?pane_active,yes #{pane_id},no}", "yes %1"),
        ("#{?pane_dead,dead,#{?#{==:#{session_name},work},here,there}}", "here"),
        ("#{?unknown,a,b}#{?pane_active,#[fg=a#,bg=b],x}", "b#[fg=a,bg=b]"),
        ("#{!=:a,b}#{&&:1,0}#{||:0,1}#{<:a,b}#{>=:a,b}", "10110"),
        ("#{m:w*k,#{session_name}}#{m/ri:^WO,#{session_name}}#{m:x,#{session_name}}", "110"),
        (
            "#{b:pane_current_path} #{d:pane_current_path} #{=2:session_name} #{l:pane_id}",
            "b c /a wo pane_id",
        ),
        ("#{=-2:session_name} #{=/3/...:session_name} #{=/9/...:session_name}", "rk wor... work"),
        ("[#{p6:session_name}] [#{p-6:session_name}]", "[work  ] [  work]"),
        ("#{n:session_name} #{w:pane_title}", "4 7"),
        ("#{q:pane_current_path}", "/a/b\\ c"),
        ("#{s/o(r)/<\\1>/:session_name} #{s/W/v/i:session_name}", "w<r>k vork"),
        ("#{s/a/b/;=1:pane_title} #{=4;b:pane_current_path}", "b b c"),
        ("#{e|+:1,2} #{e|*|f|4:5.5,3} #{e|%%:7,3} #{e|<:1,2} #{e|/:1,0}.", "3 16.5000 1 1 ."),
        ("#{a:98}", "b"),
        ("#{E:status-left} #{status-left}", "[work] [#S]"),
        ("#{W:#I ,(#I #W) }", "0 (1 w1) 2 "),
        ("#{N/w:w2}#{N/w:w9}#{N:w1}", "101"),
        ("#(uptime #{pane_id})", "<uptime %1>"),
        ("#(ls '#{pane_path}' #{=9:pane_path})", "<ls '/a rm -rf HOME b' /a rm -rf>"),
        ("#{l:#{?pane_in_mode#,yes#,no}}", "#{?pane_in_mode,yes,no}"),
        ("#{t/f/%%Y:created}", "1970"),
        ("#{open", ""),
        ("", ""),
    ] {
        assert_eq!(expand(format, &Work), text, "{format}");
    }
}

#[test]
fn a_value_never_runs_a_command() {
    for format in ["#{E:window_name}", "#{T:window_name}", "#{E;=99:window_name}", "#{E:#{window_name}}"] {
        let expanded = expand(format, &Work);
        assert!(!expanded.contains('<'), "{format}: {expanded}");
    }
    assert_eq!(expand("#(uptime #{E:status-left})", &Work), "<uptime S>");
}

#[test]
fn a_value_in_a_command_is_only_a_word() {
    for (format, text) in [
        ("echo #{pane_path}; #S", "echo /a rm -rf HOME b; work"),
        ("echo '#{pane_path}' #(x)", "echo '/a rm -rf HOME b' <x>"),
        ("#{E:window_name}", "touch xE:pane_pathl:touch y%%"),
        ("#{?pane_active,a; b,}", "a; b"),
    ] {
        assert_eq!(expand_in_command(format, &Work), text, "{format}");
    }
}

#[test]
fn the_time_is_written_as_asked() {
    assert!(expand_with_time("%Y #S", &Work).starts_with("19"));
    assert_eq!(expand("%Y", &Work), "%Y");
    assert_eq!(expand_with_time("%Q!", &Work), "%Q!");
}

#[test]
fn no_format_takes_long_or_becomes_long() {
    let deep = "#{?1,".repeat(10_000);
    assert!(expand(&deep, &Work).len() <= deep.len());
    let nested = (0..18).fold("#I".to_owned(), |inner, _| format!("#{{W:{inner}{inner}}}"));
    assert!(expand(&nested, &Work).len() <= BYTES);
    assert_eq!(expand("#{p999999999:session_name}", &Work).len(), usize::from(u16::MAX));
    assert!(expand(&"#{p60000:session_name}".repeat(50), &Work).len() <= BYTES);
}
