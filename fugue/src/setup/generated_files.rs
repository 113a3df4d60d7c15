//! Setup and its undoing on generated files: with comments, odd spacing, both kinds of line ends and byte order marks.

use std::fs;
use std::path::Path;

use fugue_agents::KnownAgent;
use fugue_agents::setup::{FileFormat, SetupFile};
use fugue_testkit::Random;
use serde_json::Value;

use super::home::Home;
use super::plan::{self, PlannedChange};
use super::record::Records;
use super::{change, document, entry};

/// How many files are generated for each file of an agent.
const FILES: usize = 40;

/// A random object, with comments, trailing commas and blank space wherever they may be.
fn object(random: &mut Random, depth: u64) -> String {
    const KEYS: [&str; 6] = ["a", "b", "mcpServers", "mcp", "hooks", "c"];
    let mut text = String::from("{");
    let first = random.below(3);
    for number in first..first + random.below(4) {
        let key = KEYS[(number % 6) as usize];
        // Below these, setup expects objects and lists.
        let value = match (key, random.below(4)) {
            ("mcpServers" | "mcp", _) if depth > 0 => object(random, 0),
            ("mcpServers" | "mcp" | "hooks", _) => "{}".to_owned(),
            (_, 0) if depth > 0 => object(random, depth - 1),
            (_, 1) => format!("[1,{}2{}]", blank(random), blank(random)),
            (_, 2) => "\"// } ,\\\"\"".to_owned(),
            _ => "null".to_owned(),
        };
        text += &format!(
            "{}\"{key}\"{}:{}{value}{},",
            blank(random),
            blank(random),
            blank(random),
            blank(random)
        );
    }
    if text.ends_with(',') && random.below(2) == 0 {
        text.pop();
    }
    text + blank(random) + "}"
}

fn blank(random: &mut Random) -> &'static str {
    const BLANKS: [&str; 8] = ["", " ", "\n  ", "\r\n\t", " // c\n    ", "/* } */", "\n\n", "// d\n"];
    BLANKS[random.below(8) as usize]
}

fn json(random: &mut Random) -> String {
    match random.below(8) {
        0 => String::new(),
        1 => "\r\n".into(),
        2 => "// only a comment\n".into(),
        _ => format!("{}{}{}", blank(random), object(random, 3), blank(random)),
    }
}

fn toml(random: &mut Random) -> String {
    const KEYS: [&str; 7] = [
        "model = \"m\" # c",
        "notify = [ # d\n  \"[x]\",\n]",
        "text = \"\"\"\n[mcp_servers.fugue]\n\"\"\"",
        "when = 2020-01-01T00:00:00Z",
        "  odd   =   1.50",
        "mcp_servers.docs.command = \"d\"",
        "features.x = true",
    ];
    const TABLES: [&str; 7] = [
        "[mcp_servers.docs2] # e\ncommand = \"docs\"",
        "[projects.\"/w\"]\ntrust_level = \"trusted\"",
        "[[list]]\nx = 1",
        "[[list]]\nx = 2",
        "# f\n\n[ spaced . name ]\na.b = 1",
        "[empty]",
        "[projects.\"/v\"]\n# g = 1",
    ];
    let mut text = String::new();
    let mut add = |all: &[&str]| {
        all.iter().for_each(|line| {
            if random.below(3) == 0 {
                text += &format!("{line}{}", ["\n", "\r\n", "\n\n", "\n# h\n"][random.below(4) as usize]);
            }
        });
    };
    add(&KEYS);
    add(&TABLES);
    match random.below(4) {
        0 => text.trim_end().to_owned(),
        1 => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => text,
    }
}

fn generated(random: &mut Random, format: FileFormat) -> String {
    let text = if format == FileFormat::Toml { toml(random) } else { json(random) };
    if random.below(6) == 0 { format!("\u{feff}{text}") } else { text }
}

/// The comments of a text: none of them may be lost.
fn comments(text: &str) -> usize {
    ["// c", "/* } */", "// d", "# c", "# d", "# e", "# f", "# g", "# h"]
        .iter()
        .map(|of| text.matches(of).count())
        .sum()
}

/// The files of all agents in a home directory, except the plugin.
fn files(home: &Home) -> Vec<SetupFile> {
    let all = KnownAgent::all().iter().flat_map(|agent| home.files(agent, "fugue"));
    all.filter(|file| file.format != FileFormat::Whole).collect()
}

struct Fixture {
    _directory: tempfile::TempDir,
    files: Vec<SetupFile>,
    records: Records,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let home = Home { directory: directory.path().into(), variable: |_| None, path: Vec::new() };
        let records = Records::in_directory(directory.path().join("records"));
        Self { files: files(&home), records, _directory: directory }
    }

    fn make(&self, plan: PlannedChange) {
        plan::make(&[plan], &self.records).expect("it is made");
    }
}

fn write(file: &SetupFile, text: &str) {
    fs::create_dir_all(file.path.parent().expect("a directory")).expect("a directory");
    fs::write(&file.path, text).expect("written");
}

fn read(path: &Path) -> String {
    change::read(path).expect("readable").expect("a file")
}

/// Runs a test on generated files that setup can edit, after setup.
fn for_each_file(seed: u64, run: impl Fn(&Fixture, &SetupFile, &str)) {
    let (mut random, fixture) = (Random(seed), Fixture::new());
    for file in &fixture.files {
        for _ in 0..FILES {
            let text = generated(&mut random, file.format);
            write(file, &text);
            let plan = plan::add(file, &fixture.records).unwrap_or_else(|why| panic!("{why}: {text:?}"));
            fixture.make(plan);
            run(&fixture, file, &text);
        }
    }
}

#[test]
fn a_setup_that_is_undone_leaves_every_file_byte_for_byte_as_it_was() {
    for_each_file(15, |fixture, file, text| {
        let added = read(&file.path);
        assert!(entry::missing(file, &added).expect("valid").is_empty(), "{text:?} {added:?}");
        assert_eq!(comments(&added), comments(text), "{text:?} {added:?}");
        let again = plan::add(file, &fixture.records).expect("valid");
        assert!(again.change.is_empty(), "a second time changes nothing: {text:?} {added:?}");
        fixture.make(plan::undo(file, &fixture.records).expect("valid"));
        assert_eq!(read(&file.path), text, "{added:?}");
    });
}

#[test]
fn from_a_file_that_was_edited_since_only_what_setup_added_is_removed() {
    for_each_file(16, |fixture, file, text| {
        // A comment at the end is an edit in every format.
        let end = if file.format == FileFormat::Toml { "# z\n" } else { "// z\n" };
        let newline = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        write(file, &format!("{}{newline}{end}", read(&file.path)));
        fixture.make(plan::undo(file, &fixture.records).expect("valid"));
        let rest = read(&file.path);
        let values = |text: &str| without_empty(&document::values(file.format, text).expect("valid"));
        assert_eq!(values(&rest), values(text), "{text:?} {rest:?}");
        assert_eq!(comments(&rest), comments(text), "{text:?} {rest:?}");
        assert!(rest.contains(end), "{rest:?}");
    });
}

/// In TOML, an empty table can mean the same as none.
fn without_empty(value: &Value) -> Value {
    let members = value.as_object().into_iter().flatten();
    let kept = members.filter(|(_, value)| value.as_object().is_none_or(|inner| !inner.is_empty()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}
