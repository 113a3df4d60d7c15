#!/usr/bin/env python3
"""Measures how the cost of commands, reads and idling grows with panes, sessions, clients, history and messages.

    benches/growth.py [--fugue PATH] [--plot FILE.svg] [--many] > table.md

Every row has the same command at several sizes, each size in a daemon and home of its own. A time is the median of 15
runs of the whole command, including the start of its process, which the first line gives. Standard library only; needs a
release build (default: target/release/fugue) and about three minutes. With `--many`, 5,000 panes are
measured as well, which takes two more minutes and needs a system that allows it:

    sysctl kernel.pty.max=8192; ulimit -n 100000
"""

import argparse
import json
import math
import os
import pathlib
import pty
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 15
COLORS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#bab0ac", "#eeca3b", "#ff9da6"]


class Daemon:
    """A daemon with a home of its own, and the clients attached to it."""

    def __init__(self, fugue):
        self.fugue, self.home, self.clients = fugue, tempfile.mkdtemp(prefix="fg"), []
        config = pathlib.Path(self.home, "config/fugue")
        config.mkdir(parents=True)
        config.joinpath("config.toml").write_text('history_lines = 1000000\nhistory_bytes = 1073741824\nshell = "/bin/sh"\n')
        names = {"XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "HOME": ""}
        self.env = {name: os.path.join(self.home, part) for name, part in names.items()}
        self.env |= {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process, terminal in self.clients:
            process.terminate()
            process.wait()
            os.close(terminal)
        subprocess.run([self.fugue, "shutdown"], env=self.env, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, *words):
        done = subprocess.run([self.fugue, *words], env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"fugue {' '.join(words)}: {done.stderr}")
        return done.stdout

    def sessions(self, count, panes=1):
        for number in range(count):
            self.run("new", "-d", "-s", f"s{number}", "--", "cat")
            for _ in range(panes - 1):
                self.run("create-window", "-d", "-s", f"s{number}", "--", "cat")

    def attach(self):
        ours, theirs = pty.openpty()
        words = [self.fugue, "attach", "s0"]
        process = subprocess.Popen(words, env=self.env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.clients.append((process, ours))
        while json.loads(self.run("server-status", "--json"))["clients"] < len(self.clients):
            time.sleep(0.01)

    def lines(self, count):
        self.run("new", "-d", "-s", "s0", "--size", "200x50", "--", "sh", "-c",
                 f"seq -f 'line %.0f of a log that a test run could have written' {count}; echo all-done; exec cat")
        self.run("wait", "-s", "s0", "--match", "^all-done", "--timeout-ms", "60000")

    def messages(self, count):
        inboxes = 20  # each takes at most 1,000 messages from one sender
        self.sessions(inboxes)
        request = {"jsonrpc": "2.0", "method": "tools/call"}
        words = [self.fugue, "mcp"]
        bridge = subprocess.Popen(words, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "growth", "version": "1"}}
        bridge.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}) + "\n")
        bridge.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        for number in range(1, count + 1):
            arguments = {"target": {"session": f"s{number % inboxes}"}, "msg_type": "note", "payload": {"number": number}}
            params = {"name": "fugue_send_orchestration", "arguments": arguments}
            bridge.stdin.write(json.dumps(request | {"id": number, "params": params}) + "\n")
            bridge.stdin.flush()
            if number % 64 == 0:
                self.answers(bridge, 64)
        self.answers(bridge, count % 64 + 1)
        bridge.stdin.close()
        bridge.wait()

    def answers(self, bridge, count):
        for _ in range(count):
            answer = json.loads(bridge.stdout.readline())
            if "error" in answer or answer["result"].get("isError"):
                raise RuntimeError(str(answer))

    def time(self, *words):
        times = []
        for _ in range(RUNS):
            begun = time.perf_counter()
            self.run(*words)
            times.append(time.perf_counter() - begun)
        return 1000 * statistics.median(times)

    def pid(self):
        return json.loads(self.run("server-status", "--json"))["pid"]

    def idle_cpu(self):
        """The daemon's CPU time in milliseconds per second while nothing happens."""
        threads = pathlib.Path(f"/proc/{self.pid()}/task")
        def spent():
            return sum(int(file.read_text().split()[0]) for file in threads.glob("*/schedstat"))
        time.sleep(2)
        before = spent()
        time.sleep(4)
        return (spent() - before) / 1e6 / 4


def panes(daemon, size):
    daemon.sessions(max(1, size // 10), 10)


PANES = [10, 100, 1000]

ROWS = [
    ("panes", "ls", PANES, panes, lambda d: d.time("ls")),
    ("panes", "list-panes --json", PANES, panes, lambda d: d.time("list-panes", "--json")),
    ("panes", "get-output of one", PANES, panes, lambda d: d.time("get-output", "-s", "s0", "--lines", "50")),
    ("panes", "idle, CPU ms/s", PANES, panes, Daemon.idle_cpu),
    ("panes", "create-window", PANES, panes, lambda d: d.time("create-window", "-d", "-s", "s0", "--", "cat")),
    ("sessions", "ls", [10, 100, 1000], Daemon.sessions, lambda d: d.time("ls")),
    ("clients", "send-input to their pane", [1, 10, 100], lambda d, n: (d.sessions(1), [d.attach() for _ in range(n)]),
     lambda d: d.time("send-input", "-s", "s0", "x")),
    ("lines of history", "last 50 lines", [10_000, 100_000, 1_000_000], Daemon.lines,
     lambda d: d.time("get-output", "-s", "s0", "--lines", "50")),
    ("lines of history", "search for a late line", [10_000, 100_000, 1_000_000], Daemon.lines,
     lambda d: d.time("get-output", "-s", "s0", "--grep", "all-done", "--lines", "5")),
    ("unread messages", "list-sessions --json", [100, 1000, 10_000], Daemon.messages, lambda d: d.time("list-sessions", "--json")),
]


def measure(fugue):
    """Returns the time of a command that does nothing, and (what, command, sizes, values) for each row."""
    with Daemon(fugue) as daemon:
        floor = daemon.time("--version")
    rows = {}
    by_scene = {}
    for row in ROWS:
        by_scene.setdefault((row[0], tuple(row[2]), row[3]), []).append(row)
    for (what, sizes, prepare), group in by_scene.items():
        for size in sizes:
            with Daemon(fugue) as daemon:
                prepare(daemon, size)
                for _, command, _, _, value in group:
                    rows.setdefault((what, command), []).append((size, value(daemon)))
    return floor, rows


def table(floor, rows):
    print(f"A command that does nothing (`fugue --version`): {floor:.1f} ms.\n")
    print("| grows | command | sizes | ms |\n|---|---|---|---|")
    for (what, command), values in rows.items():
        sizes = " / ".join(f"{size:,}" for size, _ in values)
        print(f"| {what} | {command} | {sizes} | {' / '.join(f'{value:.1f}' for _, value in values)} |")


def plot(rows, path):
    """Draws all rows on logarithmic axes, with a line that grows in proportion for comparison."""
    width, height, left, top = 830, 420, 60, 20
    right, bottom = width - 320, height - 50
    points = [(size, max(value, 0.1)) for values in rows.values() for size, value in values] + [(1, 0.1)]
    most_x, most_y = (math.log10(max(point[axis] for point in points)) for axis in (0, 1))
    def x(size): return left + (right - left) * math.log10(size) / most_x
    def y(value): return bottom - (bottom - top) * (math.log10(max(value, 0.1)) + 1) / (most_y + 1)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(int(most_x) + 1):
        at = x(10 ** power)
        out.append(f'<path d="M{at:.1f} {top}V{bottom}" stroke="#ddd"/><text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{10 ** power:,}</text>')
    for power in range(-1, int(most_y) + 1):
        at = y(10 ** power)
        out.append(f'<path d="M{left} {at:.1f}H{right}" stroke="#ddd"/><text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{10 ** power:g}</text>')
    for number, ((what, command), values) in enumerate(rows.items()):
        color, at = COLORS[number % len(COLORS)], top + 18 * number + 10
        line = "L".join(f"{x(size):.1f} {y(value):.1f}" for size, value in values)
        out.append(f'<path d="M{line}" stroke="{color}" stroke-width="2" fill="none"/>')
        out += [f'<circle cx="{x(size):.1f}" cy="{y(value):.1f}" r="3" fill="{color}"/>' for size, value in values]
        out.append(f'<path d="M{right + 14} {at - 4}h16" stroke="{color}" stroke-width="2"/><text x="{right + 36}" y="{at}">{what}: {command}</text>')
    out.append(f'<text x="{(left + right) / 2}" y="{height - 12}" text-anchor="middle">number</text>')
    out.append(f'<text x="14" y="{(top + bottom) / 2}" transform="rotate(-90 14 {(top + bottom) / 2})" text-anchor="middle">ms</text></svg>')
    pathlib.Path(path).write_text("\n".join(line for line in out if line) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fugue", default=str(ROOT / "target/release/fugue"))
    parser.add_argument("--plot")
    parser.add_argument("--many", action="store_true", help="also measure 5,000 panes")
    given = parser.parse_args()
    if given.many:
        PANES.append(5000)
    floor, rows = measure(os.path.abspath(given.fugue))
    table(floor, rows)
    if given.plot:
        plot(rows, given.plot)


if __name__ == "__main__":
    main()
