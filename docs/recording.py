#!/usr/bin/env python3
"""Joins screenshots of docs/pictures into docs/pictures/recording.svg, which shows one after the other. Run by pictures.sh."""

import re
from pathlib import Path

PICTURES = Path(__file__).parent / "pictures"
SECONDS = 3
# The pictures, in the order in which pictures.sh takes them, and what has just happened.
FRAMES = [
    ("first-run", "fugue starts a session with your shell"),
    ("split", "C-b % and C-b &quot; split panes"),
    ("search", "C-b [ searches the scrollback"),
    ("agents", "C-b b shows the agents: one needs you"),
    ("next-agent", "C-b a goes to it"),
    ("list", "C-b A lists all of them, with previews"),
    ("daemon-killed", "kill -9 of the daemon: the programs keep running"),
    ("detached", "C-b d detaches"),
]


def main():
    frames = []
    for number, (name, caption) in enumerate(FRAMES):
        picture = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
        opening, drawn = re.match(r"(<svg[^>]*>)\n<style>.*?</style>\n(.*)</svg>\n$", picture, re.S).groups()
        width, height = (float(re.search(f' {side}="([0-9.]+)"', opening)[1]) for side in ("width", "height"))
        caption = f'<text x="10" y="{height + 18:.0f}" fill="#8f98c4">{caption}</text>\n'
        bar = f'<rect y="{height:.0f}" width="{width:.0f}" height="28" fill="#16181d"/>\n'
        # The first one is behind the others and always there.
        shown = f' class="later" style="animation-delay:{number * SECONDS}s"' if number else ""
        frames.append(f"<g{shown}>\n{drawn}{bar}{caption}</g>\n")
    opening = opening.replace(f"{height:.1f}", f"{height + 28:.1f}")
    style = (
        "<style>text{white-space:pre}.later{visibility:hidden;"
        f"animation:show {len(FRAMES) * SECONDS}s step-end infinite}}"
        f"@keyframes show{{0%{{visibility:visible}}{100 / len(FRAMES):.3f}%{{visibility:hidden}}}}</style>"
    )
    (PICTURES / "recording.svg").write_text(f"{opening}\n{style}\n{''.join(frames)}</svg>\n", encoding="utf-8")


main()
