//! Recordings of programs on a PTY, and the screens they lead to.
//!
//! `name-80x24.bin` is the recording, `name-80x24.txt` the screen. Each screen was compared with what tmux shows for
//! the same bytes. To add one: run the program in a pane of that size under `fugue record`, keep its output, check
//! `cargo run --example terminal 80x24 < name-80x24.bin` against tmux, and keep that screen.

use std::error::Error;
use std::path::{Path, PathBuf};

use fugue_screen::{Limits, Mirror, Screen, Size, Update};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn recordings() -> Result<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let all = std::fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path()));
    let mut all = all.collect::<std::io::Result<Vec<PathBuf>>>()?;
    all.retain(|path| path.extension().is_some_and(|ext| ext == "bin"));
    Ok(all)
}

fn screen_for(path: &Path) -> Result<Screen> {
    let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or("a name")?;
    let (cols, rows) =
        name.rsplit_once('-').and_then(|(_, size)| size.split_once('x')).ok_or("a size in the name")?;
    Ok(Screen::new(Size { cols: cols.parse()?, rows: rows.parse()? }, Limits::default()))
}

fn expected(path: &Path) -> Result<Vec<String>> {
    Ok(std::fs::read_to_string(path.with_extension("txt"))?.lines().map(str::to_owned).collect())
}

#[test]
fn recorded_programs_lead_to_the_screens_they_showed() -> Result<()> {
    let all = recordings()?;
    assert!(all.len() >= 10, "the recordings are missing");
    for path in all {
        let mut screen = screen_for(&path)?;
        screen.feed(&std::fs::read(&path)?);
        assert_eq!(screen.screen_rows(), expected(&path)?, "{}", path.display());
    }
    Ok(())
}

#[test]
fn a_remote_viewer_sees_the_same_screen() -> Result<()> {
    for path in recordings()? {
        let mut screen = screen_for(&path)?;
        let mut mirror = Mirror::default();
        for chunk in std::fs::read(&path)?.chunks(97) {
            screen.feed(chunk);
            screen = Screen::restore(&screen.snapshot())?;
            mirror.apply(&Update::decode(&screen.encode_update_since(mirror.revision))?);
        }
        let rows: Vec<String> = mirror.rows.iter().map(fugue_screen::RowView::text).collect();
        assert_eq!(rows, expected(&path)?, "{}", path.display());
    }
    Ok(())
}

#[test]
fn a_repainted_recording_leads_to_the_same_screen() -> Result<()> {
    for path in recordings()? {
        let bytes = std::fs::read(&path)?;
        let mut cut = 0;
        while cut < bytes.len() {
            cut = (cut + 251).min(bytes.len());
            let (mut whole, mut later) = (screen_for(&path)?, screen_for(&path)?);
            whole.feed(&bytes[..cut]);
            if whole.is_mid_sequence() {
                continue;
            }
            later.feed(&whole.repaint());
            assert_eq!(later.rows(), whole.rows(), "{} cut at {cut}", path.display());
            assert_eq!(
                (later.cursor(), later.title()),
                (whole.cursor(), whole.title()),
                "{}",
                path.display()
            );
            whole.feed(&bytes[cut..]);
            later.feed(&bytes[cut..]);
            assert_eq!(later.screen_rows(), whole.screen_rows(), "{} cut at {cut}", path.display());
            assert_eq!(later.modes(), whole.modes(), "{} cut at {cut}", path.display());
        }
    }
    Ok(())
}
