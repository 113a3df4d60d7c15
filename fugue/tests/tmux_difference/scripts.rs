//! Random scripts, from rows of commands and targets.

use fugue_testkit::Random;

/// The lines that are run in both programs, in a session of their own.
pub(crate) struct Script {
    pub(crate) session: String,
    pub(crate) lines: Vec<String>,
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
        };
        let row = pick(random, rows);
        lines.push(fill(row, kind, &session, random));
    }
    Script { session, lines }
}

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

/// A row with its placeholders filled in.
fn fill(row: &str, kind: Kind, session: &str, random: &mut Random) -> String {
    let (panes, windows) = match kind {
        Kind::Layouts => (OWN_PANES, ANY_WINDOWS),
        Kind::Panes | Kind::Windows => (ANY_PANES, ANY_WINDOWS),
        Kind::Targets => (PANE_FORMS, WINDOW_FORMS),
    };
    let mut word = |word: &str| match word {
        "P" | "Q" => quoted(&pick(random, panes).replace('S', session)),
        "W" | "V" => quoted(&pick(random, windows).replace('S', session)),
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
