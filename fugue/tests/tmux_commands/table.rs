//! The rows of `table.txt`.

/// What a line should do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Check {
    /// Afterwards, a format has this value in session `w`.
    Shows(String, String),
    /// It prints something that begins so.
    Prints(String),
    /// It fails with an error that contains this.
    Refused(String),
    /// The client's screen shows this.
    Screen(String),
    /// Soon afterwards, another line prints something that begins so.
    Then(String, String),
    /// A test of its own checks it.
    Apart(String),
}

/// A flag of a command.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) names: Vec<String>,
    pub(crate) flag: String,
    pub(crate) status: String,
    pub(crate) line: String,
    /// Whether a person types the line as `fugue LINE`.
    pub(crate) is_persons: bool,
    pub(crate) check: Check,
    pub(crate) note: String,
}

/// Reads the table.
pub(crate) fn rows() -> Vec<Row> {
    let mut names = Vec::new();
    let mut rows = Vec::new();
    for line in include_str!("table.txt").lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("@ ") {
            Some(command) => names = command.split_whitespace().map(str::to_owned).collect(),
            None => rows.push(row(&names, line)),
        }
    }
    rows
}

fn row(names: &[String], line: &str) -> Row {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [flag, status, line, check, note] = columns.as_slice() else { panic!("five columns: {line}") };
    let (is_persons, line) = line.strip_prefix("fugue: ").map_or((false, *line), |line| (true, line));
    Row {
        names: names.to_vec(),
        flag: (*flag).to_owned(),
        status: (*status).to_owned(),
        line: line.to_owned(),
        is_persons,
        check: read_check(check),
        note: (*note).to_owned(),
    }
}

fn read_check(text: &str) -> Check {
    let (sign, rest) = text.split_at_checked(1).unwrap_or_default();
    let rest = rest.trim();
    match sign {
        "=" => {
            let (format, value) = rest.split_once("=>").expect("a value");
            Check::Shows(format.trim().to_owned(), value.trim().to_owned())
        }
        ">" => Check::Prints(rest.to_owned()),
        "!" => Check::Refused(rest.to_owned()),
        "?" => Check::Screen(rest.to_owned()),
        "~" => {
            let (line, text) = rest.split_once("=>").expect("a text");
            Check::Then(line.trim().to_owned(), text.trim().to_owned())
        }
        "@" => Check::Apart(rest.to_owned()),
        _ => panic!("no check: {text}"),
    }
}

/// The words of a line; single quotes keep words together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
