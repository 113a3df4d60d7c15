#!/usr/bin/env python3
"""Prints every user-facing string of fugue, one per line: "SOURCE<tab>TEXT".

Sources: help (the command line's --help), tools (MCP tools and instructions), refusals (errors of the daemon),
client (the terminal client), text (other sentences of the binary, the daemon and the MCP server), docs (README and docs/).

    tools/user-strings.py [--fugue PATH] [--sample N] [--seed N]

--sample prints a random selection, the same for the same seed. Needs a built binary (default: target/debug/fugue).
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LITERAL = re.compile(r'r#"(.*?)"#|"((?:[^"\\]|\\.)*)"', re.S)
# Lines whose strings never reach a user as a sentence.
INTERNAL = re.compile(r"#!?\[(?!error|doc)|\b(assert|expect\(|unreachable|panic|debug_assert|include_str|concat!)")
# Parts of help and tables that are no sentences.
NOISE = re.compile(r"^(Usage:|-\w, --|\[(default|aliases|possible)|-+$|(\w+ )?on [\w#-]+( \w+)*$)")


def paragraphs(text):
    """Joins wrapped lines; an empty line, a list item or another indentation starts a new paragraph."""
    out, last = [], None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            last = None
        elif last == indent and not re.match(r"\s*([-*|#]|\d+\.)", line):
            out[-1] += " " + line.strip()
        else:
            out.append(line.strip())
            # The lines of a list item continue below its text.
            marker = re.match(r"\s*([-*]|\d+\.) +", line)
            last = marker.end() if marker else indent
    return out


def help_strings(fugue):
    def run(*words):
        return subprocess.run([fugue, *words], capture_output=True, text=True).stdout

    top = run("--help")
    yield from paragraphs(top)
    names = re.findall(r"^  ([a-z][a-z-]+)", top, re.M)
    for name in dict.fromkeys(names):
        text = run(name, "--help")
        for part in paragraphs(text):
            # A flag's description stands behind the flag, or below it.
            yield re.sub(r"^(-\S+,? ?)*(--\S+)?( ?[<\[][^\]>]*[>\]](\.\.\.)?)* {2,}", "", part)


def tool_strings(fugue):
    calls = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "strings", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **call}) + "\n" for call in calls)
    with subprocess.Popen([fugue, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        server.stdin.write(lines)
        server.stdin.flush()
        first, listed = json.loads(server.stdout.readline()), json.loads(server.stdout.readline())
        server.stdin.close()
    yield from paragraphs(first["result"].get("instructions", ""))
    for tool in listed["result"]["tools"]:
        yield from paragraphs(tool["description"])
        for side in ("inputSchema", "outputSchema"):
            yield from descriptions(tool.get(side) or {})


def descriptions(schema):
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "description" and isinstance(value, str):
                yield value
            else:
                yield from descriptions(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from descriptions(value)


def source_strings(folder):
    for path in sorted((ROOT / folder).rglob("*.rs")):
        if re.match(r"tests?(_\w+)?\.rs$", path.name) or "tests" in path.parts:
            continue
        code = path.read_text().split("#[cfg(test)]")[0]
        code = re.sub(r"^\s*//.*$", "", code, flags=re.M)
        # The character literal of a quote would begin a string.
        code = code.replace("'\"'", "' '")
        code = "\n".join(line for line in code.splitlines() if not INTERNAL.search(line))
        for raw, plain in LITERAL.findall(code):
            text = raw or re.sub(r"\\\n\s*", "", plain).replace('\\"', '"')
            if re.search(r"[A-Za-z]{2,}\S* +\S*[A-Za-z]{2,}", text) and not re.search(r"SELECT |INSERT |CREATE |DELETE ", text):
                yield " ".join(text.split())


def docs_strings():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"]
    for page in pages + sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs/operating").glob("*.md")) + [ROOT / "docs/reference/settings.md"]:
        if not page.exists():
            continue
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for part in paragraphs(text):
            cells = part.strip("|").split("|") if part.startswith("|") else [part]
            for cell in cells:
                yield from re.split(r"(?<=[.!?]) +(?=[A-Z])", cell.strip())


def collect(fugue):
    sources = [
        ("help", help_strings(fugue)),
        ("tools", tool_strings(fugue)),
        ("refusals", source_strings("fugue-protocol/src/refusal")),
        ("client", source_strings("fugue-tui/src")),
        ("docs", docs_strings()),
    ]
    for crate in ("fugue", "fugue-client", "fugue-config", "fugue-core", "fugue-keeper", "fugue-mcp", "fugue-server"):
        sources.append(("text", source_strings(f"{crate}/src")))
    seen = set()
    for source, strings in sources:
        for text in strings:
            text = " ".join(text.split())
            prose = re.sub(r"`[^`]*`|--?[\w-]+|<[^>]*>|\{[^}]*\}", "", text)
            if len(prose.split()) > 1 and text not in seen and not NOISE.match(text):
                seen.add(text)
                yield source, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fugue", default=ROOT / "target/debug/fugue")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = list(collect(str(given.fugue)))
    if given.sample:
        found = random.Random(given.seed).sample(found, min(given.sample, len(found)))
    for source, text in found:
        print(f"{source}\t{text}")
    print(f"{len(found)} strings", file=sys.stderr)


if __name__ == "__main__":
    main()
