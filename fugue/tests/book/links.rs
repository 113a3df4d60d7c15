//! Links: every relative link of a page leads to a file and a heading, and every page stands in the summary of the book.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::pages;

#[test]
fn every_link_leads_to_a_page_and_a_heading() {
    static LINKS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\]\(([^)\s]+)\)").expect("a pattern"));
    let mut broken = Vec::new();
    for page in pages::all() {
        let text = without_code(&pages::text(&page));
        for target in LINKS.captures_iter(&text).map(|found| found[1].to_owned()) {
            if !target.contains("://") && !leads_somewhere(&page, &target) {
                broken.push(format!("{page}: {target}"));
            }
        }
    }
    assert_eq!(broken.join("\n"), "");
}

#[test]
fn every_page_stands_in_the_summary_of_the_book() {
    let summary = pages::text("docs/SUMMARY.md");
    let missing: Vec<_> = pages::of_the_book()
        .into_iter()
        .filter(|page| page != "docs/SUMMARY.md")
        .filter(|page| !summary.contains(&format!("]({})", page.trim_start_matches("docs/"))))
        .collect();
    assert_eq!(missing, [""; 0]);
}

fn leads_somewhere(page: &str, target: &str) -> bool {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let file = if path.is_empty() { pages::root().join(page) } else { pages::root().join(folder).join(path) };
    let is_there = || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        headings(&text).contains(heading)
    };
    file.exists() && (heading.is_empty() || is_there())
}

/// The anchors of a page's headings, as GitHub and mdbook make them.
fn headings(text: &str) -> BTreeSet<String> {
    let text = without_code(text);
    let titles = text
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let anchor = |title: &str| {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    titles.map(anchor).collect()
}

/// A page without its code blocks.
fn without_code(text: &str) -> String {
    let mut inside = false;
    text.split_inclusive('\n')
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            inside ^= fence;
            !inside && !fence
        })
        .collect()
}
