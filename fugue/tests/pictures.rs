//! Pictures of screens, drawn by a browser: every character must be in its column. Needs Chromium.

use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_testkit::TestServer;
use serde_json::{Value, json};

/// Measures where the browser has put each character of a text with a `textLength`, and reports characters that are more
/// than half a column from their place. A text of `n` characters has `n` columns of equal width.
const MEASURE: &str = r#"
    const found = { texts: 0, wrong: [] };
    for (const text of document.querySelectorAll("text[textLength]")) {
        const [x, length] = ["x", "textLength"].map(name => Number(text.getAttribute(name)));
        const characters = [...text.textContent], column = length / characters.length;
        found.texts += 1;
        let at = 0;
        characters.forEach((character, index) => {
            // Blanks that the browser dropped have no position.
            const off = character.trim() ? text.getStartPositionOfChar(at).x - (x + index * column) : 0;
            if (Math.abs(off) > column / 2)
                found.wrong.push(`"${character}" in "${text.textContent}" is ${off.toFixed(1)} off`);
            at += character.length;
        });
    }
    parent.postMessage(found, "*");
"#;

/// What the browser measured in each of these pictures: all in one page, as documents of their own.
fn measured(pictures: &[String]) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("a directory");
    let with_script = |picture: &String| {
        let script = format!("<script><![CDATA[{MEASURE}]]></script></svg>");
        let drawn = picture.trim_end().strip_suffix("</svg>").expect("a picture").to_owned();
        drawn + &script
    };
    let documents =
        json!(pictures.iter().map(with_script).collect::<Vec<_>>()).to_string().replace("</", "<\\/");
    let page = format!(
        "<body><pre></pre><script>const documents = {documents}, found = documents.map(() => null);
         const frames = documents.map(text => {{
             const frame = document.createElement('iframe');
             frame.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
             document.body.append(frame);
             return frame;
         }});
         onmessage = message => {{
             found[frames.findIndex(frame => frame.contentWindow === message.source)] = message.data;
             document.querySelector('pre').textContent = encodeURIComponent(JSON.stringify(found));
         }};</script></body>"
    );
    let path = directory.path().join("page.html");
    std::fs::write(&path, page).expect("a page");
    let output = browser()
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1200,900",
        ])
        .args(["--virtual-time-budget=60000", "--timeout=150000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", directory.path().join("profile").display()))
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("Chromium starts");
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = page.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>")).expect("the page").0;
    let found = percent_decoded(found);
    serde_json::from_str(&found)
        .unwrap_or_else(|why| panic!("{why}: {page} {}", String::from_utf8_lossy(&output.stderr)))
}

/// The text that JavaScript's `encodeURIComponent` was given.
fn percent_decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).expect("two digits"));
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).expect("a text")
}

/// Chromium, under the first of its names that is there.
fn browser() -> Command {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&str| std::env::split_paths(&path).any(|directory| directory.join(name).is_file());
    Command::new(
        names.into_iter().find(is_there).expect("Chromium is installed (Debian: apt-get install chromium)"),
    )
}

fn nothing_is_wrong(names: &[String], pictures: &[String]) {
    let found = measured(pictures);
    for (name, found) in names.iter().zip(&found) {
        assert_eq!(found["wrong"], json!([]), "{name}");
        assert!(found["texts"].as_u64() > Some(0), "{name}: no text was measured");
    }
    assert_eq!(found.len(), pictures.len());
}

#[test]
fn in_a_browser_every_character_of_the_documented_screens_is_in_its_column() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
    // The recording shows these very pictures in turn. Chromium would draw its animation for all the time that it is given.
    let is_screen = |path: &PathBuf| {
        !path.ends_with("recording.svg")
            && path.extension().is_some_and(|ending| ending == "svg")
            && std::fs::read_to_string(path).expect("a picture").contains("textLength")
    };
    let files = std::fs::read_dir(directory).expect("pictures").map(|file| file.expect("a file").path());
    let files: Vec<_> = files.filter(is_screen).collect();
    let names: Vec<_> = files.iter().map(|path| path.display().to_string()).collect();
    let pictures: Vec<_> =
        files.iter().map(|path| std::fs::read_to_string(path).expect("a picture")).collect();
    assert!(pictures.len() > 10, "{names:?}");
    nothing_is_wrong(&names, &pictures);
}

#[test]
fn in_a_browser_every_character_of_a_screenshot_is_in_its_column() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let line = "printf '\\033[7m  reversed,   with blanks  \\033[m   then   three\\n wide: 漢字  end  x\\n'; exec cat";
    let pane = server.session("work", &["sh", "-c", line]);
    server.wait_for(&pane, "wide");
    let picture = server.ok(&["screenshot", "-t", &pane, "--format", "svg"]);
    assert!(picture.contains("  reversed,   with blanks  "), "{picture}");
    nothing_is_wrong(&["a screenshot".into()], &[picture]);
}

#[test]
fn in_a_browser_a_picture_whose_words_are_stretched_is_noticed() {
    let text = |attributes: &str| {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"monospace\" font-size=\"14\" width=\"300\">{attributes}\
             <text x=\"10\" y=\"20\" textLength=\"168\">word                </text></svg>"
        )
    };
    let found = measured(&[text(""), text("<style>text{white-space:pre}</style>")]);
    assert_eq!(found[0]["wrong"].as_array().map(Vec::len), Some(3), "{found:?}");
    assert_eq!(found[1]["wrong"], json!([]));
}
