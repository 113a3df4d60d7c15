#!/usr/bin/env python3
"""Runs programs that were written for tmux, unchanged, with fugue as `tmux`, and prints a table of the results.

    apt-get install tmuxinator fzf vim
    python3 tools/tmux-programs.py --fugue target/debug/fugue

Each program has a daemon of its own, in temporary directories, with the setting `tmux_link = true` and an attached client.
Python packages come from PyPI, and plugins from GitHub (`--git` names another place; `{owner}` and `{name}` are replaced).
A program that is not installed is skipped. The exit code is 1 if a program fails.
"""

import argparse
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

# Seconds for each step: on a machine that does other work, a program in Python or Ruby takes many to start.
WAIT = 120


class Failure(Exception):
    """What a program did instead of what it should."""


class Skipped(Exception):
    """Why a program could not be tried."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


class World:
    """A daemon with a session `work` whose first pane is a shell, and a client that shows it."""

    def __init__(self, options):
        self.options = options
        self.path = Path(tempfile.mkdtemp(prefix="fugue-tmux-"))
        for name in ["run", "state", "config/fugue", "home", "data"]:
            (self.path / name).mkdir(parents=True)
        (self.path / "config/fugue/config.toml").write_text("tmux_link = true\n")
        keep = {name: os.environ[name] for name in ["PATH", "LANG"] if name in os.environ}
        self.env = {
            **keep,
            "LANG": "C.UTF-8",
            "HOME": str(self.path / "home"),
            "XDG_RUNTIME_DIR": str(self.path / "run"),
            "XDG_STATE_HOME": str(self.path / "state"),
            "XDG_CONFIG_HOME": str(self.path / "config"),
            "XDG_DATA_HOME": str(self.path / "data"),
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "EDITOR": "vi",
        }
        self.fugue("new", "-d", "-s", "work", "-n", "first", "--size", "100x30", "--", "bash", "--norc")
        self.attach()

    def fugue(self, *words):
        ran = subprocess.run([self.options.fugue, *words], env=self.env, capture_output=True, text=True, timeout=60)
        expect(ran.returncode == 0, f"fugue {' '.join(words)}: {ran.stderr.strip()}")
        return ran.stdout.strip()

    def attach(self):
        """Attaches a client, whose output nobody reads but this."""
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.execve(self.options.fugue, ["fugue", "attach", "work"], self.env)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 100, 0, 0))
        os.kill(pid, signal.SIGWINCH)
        self.client = pid
        threading.Thread(target=self.drain, daemon=True).start()
        self.until(lambda: self.fugue("list-clients", "-F", "#S") == "work", "the client is attached")

    def drain(self):
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass

    def keys(self, text):
        """Types at the client's terminal."""
        os.write(self.terminal, text.encode())

    def shell(self, line, pane="work:0.0"):
        """Runs a line in a shell of a pane, and returns its output and exit code."""
        mark = f"end{time.monotonic_ns()}"
        out = self.path / mark
        self.fugue("send-keys", "-t", pane, f"({line}) > {out} 2>&1; echo $? > {out}.code", "Enter")
        self.until(lambda: (out.with_name(mark + ".code")).exists() and out.with_name(mark + ".code").read_text(), line)
        return out.read_text(), int(out.with_name(mark + ".code").read_text())

    def ok(self, line, pane="work:0.0"):
        text, code = self.shell(line, pane)
        expect(code == 0, f"`{line}` ends with {code}: {text[-400:]}")
        return text

    def show(self, target, text):
        return self.fugue("display-message", "-p", "-t", target, text)

    def popup(self):
        """What the popup over the session shows; nothing if there is none."""
        sessions = json.loads(self.fugue("--json", "list-sessions"))["sessions"]
        panes = [pane for session in sessions for popup in session.get("popups", []) for pane in popup["panes"]]
        return self.fugue("get-output", "--pane", panes[0]["pane_id"], "--mode", "screen") if panes else ""

    def until(self, holds, what):
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.05)
        screens = self.fugue("capture-pane", "-p", "-t", "work:0.0")
        raise Failure(f"not within {WAIT} s: {what}\n{screens.strip()[-600:]}")

    def plugin(self, owner, name):
        """A checkout of a repository, and its version."""
        directory = self.path / name
        source = self.options.git.format(owner=owner, name=name)
        cloned = subprocess.run(["git", "clone", "-q", "--depth", "1", source, directory], capture_output=True, text=True)
        if cloned.returncode != 0:
            raise Skipped(f"cannot be cloned: {cloned.stderr.strip()}")
        version = subprocess.check_output(["git", "log", "-1", "--format=%h", "HEAD"], cwd=directory, text=True)
        return directory, version.strip()

    def installed(self, program, pattern):
        """The version of an installed program."""
        if shutil.which(program) is None:
            raise Skipped("not installed")
        flag = "-V" if program == "tmux" else "version" if program == "tmuxinator" else "--version"
        text = subprocess.check_output([program, flag], env=self.env, text=True, stderr=subprocess.STDOUT)
        return re.search(pattern, text).group(1)

    def close(self):
        subprocess.run([self.options.fugue, "shutdown"], env=self.env, capture_output=True)
        try:
            os.waitpid(self.client, 0)
            os.close(self.terminal)
        except OSError:
            pass
        shutil.rmtree(self.path, ignore_errors=True)


PROJECT = """session_name: project
start_directory: {home}
windows:
  - window_name: editor
    layout: main-vertical
    options:
      main-pane-height: 67%
      main-pane-width: 40
    panes:
      - shell_command:
          - echo one
      - echo two
      - echo three
  - window_name: logs
    panes:
      - shell_command: echo log
"""


def tmuxp(world):
    """`load`, `freeze`, and `load` of the frozen file"""
    venv = Path(world.options.cache) / "tmuxp"
    if not (venv / "bin/tmuxp").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "-q", "tmuxp"], check=True)
    program = venv / "bin/tmuxp"
    version = re.search(r"tmuxp (\S+?),", subprocess.check_output([program, "--version"], text=True) + ",").group(1)
    file = world.path / "project.yaml"
    file.write_text(PROJECT.format(home=world.path / "home"))
    world.ok(f"{program} load -d -y {file}")
    windows = world.fugue("list-windows", "-t", "project", "-F", "#W #{window_panes}")
    expect(windows == "editor 3\nlogs 1", windows)
    world.until(lambda: "three" in world.fugue("capture-pane", "-p", "-t", "project:editor.2"), "the commands run")
    world.fugue("resize-pane", "-t", "project:editor.0", "-x", "33")
    layout = world.show("project:editor", "#{window_layout}")
    frozen = world.path / "frozen.yaml"
    world.ok(f"{program} freeze -y -q -f yaml -o {frozen} project")
    expect(layout in frozen.read_text(), f"the layout {layout} is frozen: {frozen.read_text()}")
    world.fugue("kill-session", "-t", "project")
    world.ok(f"{program} load -d -y {frozen}")
    sizes = "#{pane_width}x#{pane_height}"
    restored = world.fugue("list-panes", "-t", "project:editor", "-F", sizes)
    expect(restored.splitlines()[0].startswith("33x"), restored)
    return version


def tmuxinator(world):
    """`start`, `stop`"""
    version = world.installed("tmuxinator", r"tmuxinator (\S+)")
    file = world.path / "config/tmuxinator/sample.yml"
    file.parent.mkdir()
    file.write_text(
        f"name: sample\nroot: {world.path}\nwindows:\n  - editor:\n      layout: main-vertical\n"
        "      panes:\n        - echo vim\n        - echo guard\n  - server: echo server\n  - logs: echo logs\n"
    )
    world.ok("tmuxinator start sample --no-attach --suppress-tmux-version-warning")
    windows = world.fugue("list-windows", "-t", "sample", "-F", "#W #{window_panes}")
    expect(windows == "editor 2\nserver 1\nlogs 1", windows)
    world.until(lambda: "guard" in world.fugue("capture-pane", "-p", "-t", "sample:editor.1"), "the commands run")
    world.ok("tmuxinator stop sample --suppress-tmux-version-warning")
    world.until(lambda: world.fugue("list-sessions", "-F", "#S") == "work", "the session is gone")
    return version


def sensible(world):
    """its script, and an option that it sets"""
    directory, version = world.plugin("tmux-plugins", "tmux-sensible")
    world.ok(f"bash {directory}/sensible.tmux")
    value = world.ok("tmux show-options -sv escape-time").strip()
    expect(value == "0", f"escape-time is {value}")
    return version


def resurrect(world):
    """`save.sh`, then `restore.sh` after the windows were closed"""
    directory, version = world.plugin("tmux-plugins", "tmux-resurrect")
    world.fugue("split-window", "-d", "-h", "-t", "work:0", "cat")
    world.fugue("new-window", "-d", "-t", "work:", "-n", "logs", "-c", "/usr", "cat")
    # Restoring into the only pane would replace the shell that restores.
    world.fugue("new-session", "-d", "-s", "xyz", "bash --norc")
    world.ok(f"bash {directory}/scripts/save.sh quiet")
    saved = world.ok(f"cat $(find {world.path}/home {world.path}/data -name last)")
    panes = [line.split("\t") for line in saved.splitlines() if line.startswith("pane")]
    expect(len(panes) == 4 and panes[2][6] == ":/usr", saved)
    windows = [line.split("\t") for line in saved.splitlines() if line.startswith("window")]
    expect(windows[0][6] == world.show("work:0", "#{window_layout}"), saved)
    world.fugue("kill-window", "-t", "work:logs")
    world.fugue("kill-pane", "-t", "work:0.1")
    world.ok(f"bash {directory}/scripts/restore.sh", "xyz:0.0")
    world.until(
        lambda: world.fugue("list-windows", "-t", "work", "-F", "#W #{window_panes}") == "first 2\nlogs 1",
        "the windows are back: " + world.fugue("list-windows", "-t", "work", "-F", "#W #{window_panes}"),
    )
    return version


def yank(world):
    """its script; its keys are bound in copy mode, so they have no effect"""
    directory, version = world.plugin("tmux-plugins", "tmux-yank")
    world.ok(f"bash {directory}/yank.tmux")
    return version


def navigator(world):
    """its script, and C-l from one window of vim to the next, and then to the next pane"""
    world.installed("vim", r"IMproved (\S+)")
    directory, version = world.plugin("christoomey", "vim-tmux-navigator")
    world.ok(f"bash {directory}/vim-tmux-navigator.tmux")
    world.fugue("split-window", "-d", "-h", "-t", "work:0.0", "cat")
    plugin = f"--cmd 'set rtp^={directory}' -c 'runtime plugin/tmux_navigator.vim'"
    world.fugue("send-keys", "-t", "work:0.0", f"clear; vim -u NONE -N {plugin} -c 'vsplit'", "Enter")
    world.until(lambda: world.show("work:0.0", "#{pane_current_command}") == "vim", "vim runs")
    world.until(lambda: "~" in world.fugue("capture-pane", "-p", "-t", "work:0.0"), "vim is there")
    active = lambda: world.show("work:0", "#{pane_index}")
    before = int(world.show("work:0.0", "#{cursor_x}"))
    world.fugue("send-keys", "-t", "work:0.0", "C-l")
    world.until(lambda: int(world.show("work:0.0", "#{cursor_x}")) > before, "the first C-l moves the cursor of vim")
    expect(active() == "0", "the first C-l stays in vim")
    world.fugue("send-keys", "-t", "work:0.0", "C-l")
    world.until(lambda: active() == "1", "C-l leaves vim")
    return version


def fzf_tmux(world):
    """a choice in a split (`-d`) and in a popup (`-p`), with its output and exit code"""
    version = world.installed("fzf", r"^(\S+)")
    for flags, cancelled in [("-d 40%", False), ("-p 60%,50%", False), ("-p", True)]:
        out = world.path / "choice"
        out.unlink(missing_ok=True)
        line = f"printf 'apple\\nbanana\\n' | fzf-tmux {flags} > {out}; echo $? > {out}.code"
        world.fugue("send-keys", "-t", "work:0.0", line, "Enter")
        if "-d" in flags:
            world.until(lambda: world.show("work:0", "#{window_panes}") == "2", "the split")
            shown = lambda: world.fugue("capture-pane", "-p", "-t", "work:0.1")
        else:
            shown = world.popup
        # fzf counts the lines that it shows.
        world.until(lambda: "2/2" in shown(), "fzf is there")
        if not cancelled:
            world.keys("ban")
            world.until(lambda: "1/2" in shown(), "fzf filters")
        world.keys("\x1b" if cancelled else "\r")
        world.until(lambda: Path(f"{out}.code").exists() and Path(f"{out}.code").read_text(), f"fzf-tmux {flags} ends")
        chosen, code = out.read_text().strip(), Path(f"{out}.code").read_text().strip()
        expected = ("", "130") if cancelled else ("banana", "0")
        expect((chosen, code) == expected, f"fzf-tmux {flags}: {chosen!r} {code}")
        Path(f"{out}.code").unlink()
        world.until(lambda: world.show("work:0", "#{window_panes}") == "1" and not world.popup(), "nothing is left")
    return version


PROGRAMS = {
    "tmuxp": tmuxp,
    "tmuxinator": tmuxinator,
    "fzf's `fzf-tmux`": fzf_tmux,
    "tmux-sensible": sensible,
    "tmux-resurrect": resurrect,
    "tmux-yank": yank,
    "vim-tmux-navigator": navigator,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fugue", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--git", default="https://github.com/{owner}/{name}")
    parser.add_argument("--cache", default=tempfile.gettempdir() + "/fugue-tmux-programs")
    parser.add_argument("only", nargs="*", help="names of programs")
    options = parser.parse_args()
    Path(options.cache).mkdir(exist_ok=True)
    failed = False
    print("| program | version | tried | |\n|---|---|---|---|")
    for name, act in PROGRAMS.items():
        if options.only and not any(word in name for word in options.only):
            continue
        world, version = World(options), ""
        try:
            version, result = act(world), "works"
        except Skipped as why:
            result = f"skipped: {why}"
        except (Failure, subprocess.SubprocessError, OSError) as why:
            failed, result = True, f"fails: {why}"
        finally:
            world.close()
        print(f"| {name} | {version} | {act.__doc__} | {result} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
