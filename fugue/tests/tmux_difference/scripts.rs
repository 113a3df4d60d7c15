//! Random scripts, from rows of commands and targets.

use fugue_testkit::Random;

/// The lines that are run in both programs, in a session of their own.
pub(crate) struct Script {
    pub(crate) session: String,
    pub(crate) lines: Vec<String>,
    /// The lines that forget what the script leaves behind outside its session.
    pub(crate) ends: &'static [&'static str],
}

/// What the lines of a script are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Splits, sizes and layouts of one window.
    Layouts,
    /// Panes that are swapped, moved, closed and focused, in several windows.
    Panes,
    /// Windows that are moved, swapped, closed and selected.
    Windows,
    /// The forms of targets.
    Targets,
    /// Options of the server, of sessions, windows and panes, and what formats make of them.
    Options,
    /// Paste buffers.
    Buffers,
    /// What formats print.
    Texts,
}

/// How many lines follow those that arrange a session.
const STEPS: u64 = 5;

/// The sizes of windows.
const SIZES: &[&str] = &["-x 80 -y 24", "-x 101 -y 31", "-x 120 -y 40", "-x 200 -y 50", "-x 63 -y 17"];

/// Lines that arrange the windows of a session, separated by `|`. `S` is the session.
const STARTS: &[&str] = &[
    "",
    "split-window -h -t S: cat",
    "split-window -v -t S: cat",
    "split-window -h -t S: cat|split-window -v -t S: cat",
    "split-window -h -t S: cat|split-window -h -t S: cat",
    "split-window -h -t S: cat|split-window -v -t S: cat|split-window -h -t S: cat",
    "split-window -v -t S: cat|split-window -h -t S: cat|split-window -v -t S: cat|split-window -h -t S: cat",
    "split-window -h -t S: cat|split-window -v -t S: cat|select-layout -t S: tiled",
    "split-window -d -h -t S: cat|split-window -d -h -t S: cat|split-window -d -h -t S: cat",
    "split-window -h -t S: cat|split-window -h -t S:.0 cat|split-window -v -t S:.1 cat|split-window -v -t S:.0 cat",
];

/// Lines that open further windows, for kinds that need them.
const WINDOWS: &[&str] = &[
    "new-window -t S: -n two cat|split-window -h -t S: cat",
    "new-window -d -t S: -n two cat|new-window -d -t S: -n three cat",
    "new-window -t S: -n two cat|new-window -t S: -n three cat|select-window -t S:0",
    "new-window -t S:4 -n four cat|split-window -v -t S:4 cat|new-window -t S:7 -n seven cat|select-window -t S:4",
    "new-window -d -t S:2 -n two cat|new-window -t S:9 -n nine cat",
];

/// The lines of each kind: `P` and `Q` are panes of any window, `W` and `V` windows, `N` a number of cells, `L` a layout.
const LAYOUTS: &[&str] = &[
    "split-window -h -t P cat",
    "split-window -v -t P cat",
    "split-window -h -b -t P cat",
    "split-window -b -t P cat",
    "split-window -h -l N -t P cat",
    "split-window -v -l N% -t P cat",
    "split-window -hb -l N% -t P cat",
    "split-window -f -h -t P cat",
    "split-window -f -v -l N% -t P cat",
    "split-window -fb -t P cat",
    "split-window -d -h -p N -t P cat",
    "split-window -Z -h -t P cat",
    "resize-pane -L -t P N",
    "resize-pane -R -t P N",
    "resize-pane -U -t P N",
    "resize-pane -D -t P N",
    "resize-pane -R -t P",
    "resize-pane -D -t P",
    "resize-pane -x N -t P",
    "resize-pane -y N -t P",
    "resize-pane -x N -y N -t P",
    "resize-pane -y 200 -t P",
    "resize-pane -x N% -t P",
    "resize-pane -y N% -t P",
    "resize-pane -Z -t P",
    "select-layout -t S: L",
    "select-layout -t S: L",
    "select-layout -t S: L",
    "select-layout -t S:",
    "select-layout -E -t P",
    "select-layout -E -t S:",
    "kill-pane -t P",
    "kill-pane -a -t P",
    "rotate-window -t S:",
    "swap-pane -s P -t Q",
];

const PANES: &[&str] = &[
    "select-pane -t P",
    "select-pane -L -t P",
    "select-pane -R -t P",
    "select-pane -U -t P",
    "select-pane -D -t P",
    "select-pane -l -t W",
    "last-pane -t W",
    "last-pane -Z -t W",
    "select-pane -t P -T Title",
    "swap-pane -s P -t Q",
    "swap-pane -d -s P -t Q",
    "swap-pane -U -t P",
    "swap-pane -D -t P",
    "swap-pane -dU -t P",
    "swap-pane -dD -t P",
    "rotate-window -t W",
    "rotate-window -U -t W",
    "rotate-window -D -t W",
    "rotate-window -Z -t W",
    "resize-pane -Z -t P",
    "break-pane -s P -t S:",
    "break-pane -d -s P -t S:",
    "break-pane -d -n broken -s P -t S:",
    "break-pane -n broken -s P -t S:6",
    "break-pane -a -s P -t W",
    "break-pane -b -d -s P -t W",
    "join-pane -s P -t Q",
    "join-pane -h -s P -t Q",
    "join-pane -d -s P -t Q",
    "join-pane -b -h -s P -t Q",
    "join-pane -l N -s P -t Q",
    "join-pane -h -l N% -s P -t Q",
    "move-pane -d -v -s P -t Q",
    "kill-pane -t P",
    "kill-pane -a -t P",
    "split-window -h -t P cat",
    "split-window -d -t P cat",
    "respawn-pane -k -t P cat",
    "select-window -t W",
];

const WINDOW_LINES: &[&str] = &[
    "new-window -t S: -n other cat",
    "new-window -d -t S: -n other cat",
    "new-window -a -t W -n after cat",
    "new-window -b -d -t W -n before cat",
    "new-window -k -t W -n killed cat",
    "new-window -t S:N -n numbered cat",
    "new-window -S -t S: -n two cat",
    "kill-window -t W",
    "kill-window -t W",
    "kill-window -a -t W",
    "kill-pane -t W",
    "select-window -t W",
    "select-window -t W",
    "select-window -n -t S:",
    "select-window -p -t S:",
    "select-window -l -t S:",
    "select-window -T -t W",
    "next-window -t S:",
    "previous-window -t S:",
    "last-window -t S:",
    "move-window -r -t S:",
    "move-window -s W -t S:5",
    "move-window -d -s W -t S:5",
    "move-window -k -s W -t V",
    "move-window -dk -s W -t V",
    "move-window -s W -t V",
    "move-window -a -s W -t V",
    "move-window -b -d -s W -t V",
    "swap-window -s W -t V",
    "swap-window -d -s W -t V",
    "swap-window -s W -t V",
    "rename-window -t W named",
    "break-pane -s P -t S:",
    "split-window -h -t W cat",
    "rotate-window -t W",
    "join-pane -s P -t Q",
];

const TARGETS: &[&str] = &[
    "select-pane -t P",
    "select-pane -t P",
    "select-window -t W",
    "select-window -t W",
    "swap-pane -d -s P -t Q",
    "rename-window -t W named",
    "rename-window -t W two",
    "kill-pane -t P",
    "split-window -h -t P cat",
    "new-window -d -t W -n new cat",
    "select-pane -T Title -t P",
    "resize-pane -Z -t P",
];

/// `X` is an option, `O` a value, and `W` and `P` what has it.
const OPTIONS: &[&str] = &[
    "set-option -g X O",
    "set-option -g X O",
    "set-option -t S: X O",
    "set-option -t S: X O",
    "set-option -w -t W X O",
    "set-window-option -t W X O",
    "set-option -p -t P X O",
    "set-option -p -t P X O",
    "set-option -a -t S: X O",
    "set-option -ag X O",
    "set-option -ap -t P X O",
    "set-option -o -t S: X O",
    "set-option -og X O",
    "set-option -q -o -t S: X O",
    "set-option -qg nothing O",
    "set-option -g nothing O",
    "set-option -u -t S: X",
    "set-option -gu X",
    "set-option -wu -t W X",
    "set-option -pu -t P X",
    "set-option -U -w -t W X",
    "set-option -F -t S: X '#{window_index}:#{@one}'",
    "set-option -gF X '#{session_windows}'",
    "set-option -g status-inter 7",
    "set-option -g status-l x",
    "show-options -v -t S: X",
    "show-options -gv X",
    "show-options -g X",
    "show-options -t S: X",
    "show-options -A -t S: X",
    "show-options -Av -t S: X",
    "show-options -wv -t W X",
    "show-options -w -A -t W X",
    "show-options -pv -t P X",
    "show-options -p -A -t P X",
    "show-options -qv -t S: @nothing",
    "show-options -v -t nowhere X",
    "show-window-options -v -t W X",
    "show-options -t S:",
    "show-options -w -t W",
    "show-options -p -t P",
    "display-message -p -t P '#{@one} #{@two} #{pane-border-format} #{remain-on-exit-format} #{status-interval}'",
    "display-message -p -t P '#{@one} #{@two} #{pane-border-format} #{remain-on-exit-format} #{status-interval}'",
];

/// Those of the user, of sessions, of windows, and of windows and panes. fugue does not check values that it only remembers,
/// so that all of them take any text.
const OPTION_NAMES: &[&str] = &[
    "@one",
    "@one",
    "@two",
    "lock-command",
    "word-separators",
    "window-status-separator",
    "pane-border-format",
    "remain-on-exit-format",
];

const OPTION_VALUES: &[&str] = &[
    "plain",
    "'two words'",
    "''",
    "'#S'",
    "'a;b'",
    "'say \"x\"'",
    "'~'",
    "'$HOME $1'",
    "'back\\slash'",
    "0",
];

const BUFFERS: &[&str] = &[
    "set-buffer -b one 'some text'",
    "set-buffer -b one ''",
    "set-buffer -b two other",
    "set-buffer -a -b one ' and more'",
    "set-buffer -ab new appended",
    "set-buffer automatic",
    "set-buffer 'a second one'",
    "set-buffer -a added",
    "set-buffer -b one -n two",
    "set-buffer -b two -n three",
    "set-buffer -n renamed",
    "set-buffer -b nothing -n four",
    "set-buffer",
    "delete-buffer -b one",
    "delete-buffer -b two",
    "delete-buffer -b nothing",
    "delete-buffer",
    "show-buffer -b one",
    "show-buffer -b two",
    "show-buffer -b nothing",
    "show-buffer",
    "save-buffer -b one -",
    "list-buffers -F '#{buffer_name} #{buffer_size} #{buffer_sample}'",
    "list-buffers -F '#{buffer_name}' -f '#{m:o*,#{buffer_name}}'",
    "list-buffers -F '#{=4:buffer_sample}'",
    "paste-buffer -b nothing -t P",
    "capture-pane -t P -b caught",
    "display-message -p '#{buffer_name}'",
];

/// What formats print of a window, a pane and the text in them.
const TEXTS: &[&str] = &[
    "#S:#I.#P #W #F #{window_raw_flags} #{window_zoomed_flag}",
    "#{session_windows} #{window_panes} #{session_attached} #{session_many_attached}",
    "#{pane_width}x#{pane_height}+#{pane_left}+#{pane_top} #{pane_right} #{pane_bottom}",
    "#{pane_at_left}#{pane_at_right}#{pane_at_top}#{pane_at_bottom}",
    "#{window_start_flag}#{window_end_flag}#{window_active}#{pane_active}#{window_last_flag}#{pane_last}",
    "#{pane_dead}#{pane_in_mode}#{pane_marked}#{pane_marked_set}#{pane_synchronized}#{pane_pipe}",
    "#{pane_current_command} #{pane_start_command}",
    "#{cursor_x},#{cursor_y} #{cursor_flag} #{history_size}",
    "#{window_width}x#{window_height}",
    "#{?window_active,current,other} #{?#{==:#{window_index},1},one,#{?pane_active,active,not}}",
    "#{==:#{window_name},two}#{!=:#{window_name},two}#{<:#{pane_index},1}#{>=:#{pane_index},1}",
    "#{&&:#{window_active},#{pane_active}}#{||:0,#{pane_active}}",
    "#{m:t*,#{window_name}} #{m/r:^t.o$,#{window_name}} #{m/ri:^T,#{window_name}} #{m/r:[,x}",
    "#{=3:window_name} #{=-2:window_name} #{=/2/..:window_name} #{=/-2/..:window_name}",
    "[#{p8:window_name}] [#{p-8:window_name}] #{n:window_name} #{w:window_name}",
    "#{s/o/0/:window_name} #{s/(t)(w)/\\2\\1/:window_name} #{s/T/x/i:window_name}",
    "#{e|+:#{pane_width},2} #{e|-:1,#{pane_index}} #{e|*:3,4} #{e|/:7,2} #{e|m:7,2} #{e|/|f|2:7,2} #{e|<:1,2}",
    "#{l:#{window_name}} #{b:/a/b/c.txt} #{d:/a/b/c.txt} #{q:window_name} #{a:98} #{l:x,y}",
    "#{W:#{window_index}#{?window_active,*,} } #{W:o,[#{window_name}]}",
    "#{P:#{pane_index}#{?pane_active,*,}:#{pane_width} } #{P:.,(#{pane_index})}",
    "#{N/w:two} #{N/w:nothing} #{N/s:keep}",
    "##{window_name} #{window_name #{nothing} #{} #, #} 100%",
    "#[fg=red]#{window_name}#[default] #{E:@style} #{T:@style}",
    "#{?nothing,yes,no} #{?0,yes,no} #{?1,a#,b,c}",
    "#{session_group} #{session_grouped} #{session_alerts} #{client_tty}",
    "#{window_marked_flag} #{window_silence_flag} #{window_activity_flag}#{window_bell_flag}",
    "#{host_nothing}#{window-size} #{main-pane-width} #{base-index} #{@style}",
];

/// Lines that change what the texts say.
const TEXT_LINES: &[&str] = &[
    "select-pane -t P",
    "select-window -t W",
    "resize-pane -Z -t P",
    "split-window -h -t P cat",
    "rename-window -t W two",
    "select-pane -m -t P",
    "set-option -g @style '#[bold]#{pane_index}'",
    "move-window -s W -t S:8",
    "kill-pane -t P",
];

const LAYOUT_NAMES: &[&str] = &[
    "even-horizontal",
    "even-vertical",
    "main-horizontal",
    "main-vertical",
    "tiled",
    "even-h",
    "d67e,80x24,0,0{40x24,0,0,0,39x24,41,0[39x12,41,0,1,39x11,41,13,2]}",
    "bad-layout",
];

/// Panes of the current window, for one window.
const OWN_PANES: &[&str] = &["S:", "S:.0", "S:.1", "S:.2", "S:.3", "S:.+", "S:.-"];

/// Panes of any window.
const ANY_PANES: &[&str] =
    &["S:", "S:.0", "S:.1", "S:.2", "S:0.0", "S:0.1", "S:0.2", "S:two.0", "S:two.1", "S:+.0"];

const ANY_WINDOWS: &[&str] = &["S:", "S:0", "S:1", "S:2", "S:4", "S:two", "S:+", "S:-", "S:^", "S:$", "S:!"];

const PANE_FORMS: &[&str] = &[
    "S",
    "=S",
    "S.1",
    "=S:.1",
    "S:.2",
    "S:.!",
    "S:.{last}",
    "S:.{next}",
    "S:.{previous}",
    "S:.{top}",
    "S:.{bottom}",
    "S:.{left}",
    "S:.{right}",
    "S:.{top-left}",
    "S:.{top-right}",
    "S:.{bottom-left}",
    "S:.{bottom-right}",
    "S:.{up-of}",
    "S:.{down-of}",
    "S:.{left-of}",
    "S:.{right-of}",
    "S:.+2",
    "S:.-3",
    "S:.9",
    "S:two",
    "S:two.1",
    "S:t*.0",
    "S:tw.0",
    "S:=two.0",
    "S:=tw.0",
    "S:0",
    "S:{start}.0",
    "S:{end}.1",
    "S:^.1",
    "S:$",
    "S:!",
    "S:!.0",
    "S:+2",
    "S:-",
    "nowhere",
    "S:nowhere",
    "S:.nowhere",
    "S:7.0",
];

const WINDOW_FORMS: &[&str] = &[
    "S",
    "=S",
    "S:",
    "S:0",
    "S:2",
    "S:4",
    "S:two",
    "S:tw",
    "S:t?o",
    "S:=two",
    "S:=tw",
    "S:^",
    "S:$",
    "S:!",
    "S:+",
    "S:-",
    "S:+2",
    "S:-3",
    "S:{start}",
    "S:{end}",
    "S:{last}",
    "S:{next}",
    "S:{previous}",
    "S.1",
    "S:0.1",
    "S:two.1",
    "S:77",
    "nowhere",
    "S:nowhere",
    "=nowhere:0",
];

/// The scripts of a kind for a seed.
pub(crate) fn random(kind: Kind, seed: u64, count: usize) -> Vec<Script> {
    let mut random = Random(seed.wrapping_mul(1000).wrapping_add(kind as u64));
    (0..count).map(|number| script(kind, number, &mut random)).collect()
}

fn script(kind: Kind, number: usize, random: &mut Random) -> Script {
    let session = format!("s{number}");
    let mut lines = vec![format!("new-session -d -s {session} -n one {} cat", pick(random, SIZES))];
    let starts = pick(random, STARTS).split('|');
    let windows = if kind == Kind::Layouts { "" } else { pick(random, WINDOWS) }.split('|');
    lines.extend(
        starts.chain(windows).filter(|line| !line.is_empty()).map(|line| fill(line, kind, &session, random)),
    );
    for _ in 0..=random.below(STEPS) {
        let rows = match kind {
            Kind::Layouts => LAYOUTS,
            Kind::Panes => PANES,
            Kind::Windows => WINDOW_LINES,
            Kind::Targets => TARGETS,
            Kind::Options => OPTIONS,
            Kind::Buffers => BUFFERS,
            Kind::Texts => TEXT_LINES,
        };
        let row = pick(random, rows);
        lines.push(fill(row, kind, &session, random));
        if kind == Kind::Texts {
            let target = fill("P", kind, &session, random);
            lines.push(format!("display-message -p -t {target} '{}'", pick(random, TEXTS)));
        }
    }
    let ends = match kind {
        Kind::Options => OPTIONS_END,
        Kind::Buffers => BUFFERS_END,
        _ => &[],
    };
    Script { session, lines, ends }
}

/// Global options have their defaults again.
const OPTIONS_END: &[&str] = &[
    "set-option -gu @one",
    "set-option -gu @two",
    "set-option -gu set-titles-string",
    "set-option -gu word-separators",
    "set-option -gwu window-status-separator",
    "set-option -gwu pane-border-format",
    "set-option -gwu remain-on-exit-format",
    "set-option -gu status-interval",
];

/// No buffer is left: a script makes fewer than that many without names.
const BUFFERS_END: &[&str] = &[
    "delete-buffer -b one",
    "delete-buffer -b two",
    "delete-buffer -b three",
    "delete-buffer -b four",
    "delete-buffer -b new",
    "delete-buffer -b renamed",
    "delete-buffer -b caught",
    "delete-buffer",
    "delete-buffer",
    "delete-buffer",
    "delete-buffer",
    "delete-buffer",
    "delete-buffer",
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

/// A row with its placeholders filled in.
fn fill(row: &str, kind: Kind, session: &str, random: &mut Random) -> String {
    let (panes, windows) = match kind {
        Kind::Layouts => (OWN_PANES, ANY_WINDOWS),
        Kind::Targets => (PANE_FORMS, WINDOW_FORMS),
        _ => (ANY_PANES, ANY_WINDOWS),
    };
    let mut word = |word: &str| match word {
        "P" | "Q" => quoted(&pick(random, panes).replace('S', session)),
        "W" | "V" => quoted(&pick(random, windows).replace('S', session)),
        "X" => pick(random, OPTION_NAMES).to_owned(),
        "O" => pick(random, OPTION_VALUES).to_owned(),
        "L" => quoted(pick(random, LAYOUT_NAMES)),
        "N" => (1 + random.below(30)).to_string(),
        "N%" => format!("{}%", 1 + random.below(90)),
        "S:N" => format!("{session}:{}", random.below(12)),
        word if word.starts_with("S:") => quoted(&word.replace('S', session)),
        word => word.to_owned(),
    };
    row.split(' ').map(&mut word).collect::<Vec<_>>().join(" ")
}

/// A word that the reader of lines takes as it is.
fn quoted(word: &str) -> String {
    format!("'{word}'")
}
